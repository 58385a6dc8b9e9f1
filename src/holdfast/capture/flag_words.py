"""The words of `holdfast flag` and `holdfast snag`, understood in one place.

The command line reads them, and so does the hook, which sees them in a tool call before the command runs, or is
refused, or finds itself in a sandbox that cannot write.

`-` stands for what is piped in, where no shell eats a sign: one flag for each line, an indented line goes on with the
one before; a snag is all of it, with the better path behind "Better:". Words that a shell has changed on their way to a
command are recognised again. A line is split by hand: argparse alone would cost more than all that a fast command does.
"""

from __future__ import annotations

from holdfast.capture import drafts
from holdfast.capture.ids import digest
from holdfast.errors import UsageError
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.capture.drafts import Draft


def split(
    argv: list[str],
    options: tuple[str, ...],
    switches: tuple[str, ...],
    command: str,
    *,
    spelled_out: tuple[str, ...] = (),
) -> tuple[list[str], dict[str, list[str]], set[str]]:
    """The texts, the options with their values, and the switches of a line. An option may be said by its first letter,
    unless it has to be spelled out. Raises UsageError."""
    texts: list[str] = []
    given: dict[str, list[str]] = {}
    found: set[str] = set()
    short = {f"-{option[2]}": option for option in options if option not in spelled_out}
    rest: Iterator[str] = iter(argv)
    for word in rest:
        option, equals, said = word.partition("=")
        option = short.get(option, option)
        if word == "--":
            texts += rest
        elif word in switches:
            found.add(word)
        elif option in options:
            value_of = said if equals else next(rest, None)
            if value_of is None:
                raise UsageError(f"{option} needs a value; nothing was written.")
            given.setdefault(option, []).append(value_of)
        elif word.startswith("-") and " " not in word and word[1:2] not in "0123456789.":
            raise UsageError(
                f'"{word}" is no option of {command}; nothing was written. Put -- before a text that begins so.'
            )
        else:
            texts.append(word)
    return texts, given, found


OPTIONS, SWITCHES = ("--kind", "--evidence", "--for"), ("--json", "--nothing")
SNAG_OPTIONS = ("--better", "--evidence", "--skill", "--rule")
KNOWN = (*OPTIONS, *SNAG_OPTIONS)
SORTING = ("--kind", "-k", "--for")  # options whose value says nothing of the fact itself
OF_REMEMBER = ("--kind", "--name", "--reason", "--apply", "--policy", "--supersedes", "--for")
PIPED, BETTER = "-", "Better:"
SKILL, RULE = "skill:", "rule:"  # how a snag's evidence names what should learn from it
SAID = "said-"  # in the course of an episode: what the hook takes from a tool call; content: ids, then KEPT
KEPT = "kept"


@value
class Words:
    """The words to flag. `nothing`: the author says that there is nothing to flag."""

    texts: tuple[str, ...]
    kind: str = "fact"
    evidence: tuple[str, ...] = ()
    answers: str = ""
    as_json: bool = False
    nothing: bool = False

    @property
    def name(self) -> str:
        """The same for the same words, wherever they are read."""
        parts = (str(len(self.texts)), self.kind, self.answers, *self.texts, *self.evidence)
        return SAID + digest("\0".join(parts), 24)

    def word(self, ids: list[str], *, kept: bool) -> str:
        """The note that the hook leaves for the command: the ids of these words, and whether they are in the queue.
        With the same ids, saving them twice is saving them once."""
        return "\n".join([*ids, KEPT] if kept else ids)

    def heard(self, word: str | None) -> tuple[list[str], bool]:
        """The ids that the hook gave these words, and whether it came to keep them; none where it left no word."""
        ids = (word or "").split()
        is_kept = ids[-1:] == [KEPT]
        ids = ids[:-1] if is_kept else ids
        return (ids, is_kept) if len(ids) == len(self.texts) else ([], False)


def read(command: str, argv: list[str], piped: str | None = None) -> Words:
    """The words after `holdfast flag` or `holdfast snag`. `piped` is what `-` stands for. Raises UsageError."""
    before = argv[: argv.index("--") if "--" in argv else None]
    if "--help" in before or "-h" in before:
        raise UsageError("That asks for help; nothing was written.")
    return _snag(argv, piped) if command == "snag" else _flag(argv, piped)


def submission(command: str, argv: list[str], piped: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The words that somebody submitted, understood or not, and their evidence; "" for none, or a call for help."""
    if "--help" in argv or "-h" in argv:
        return "", ()
    try:
        words = read(command, argv, piped)
    except UsageError:
        # All but what only sorts it: an option that we know goes, its value stays.
        said = " ".join(_without([word for word in argv if word != "--"], SORTING, (*SWITCHES, PIPED), KNOWN))
        return " ".join(filter(None, (said, piped))), ()
    return "\n".join(words.texts), words.evidence


def remembered(argv: list[str]) -> str:
    """The text after `holdfast remember`."""
    return " ".join(_without(argv, OF_REMEMBER, ("--global", "--json")))


def of_remember(argv: list[str]) -> tuple[str, dict[str, str], set[str]]:
    """The text after `holdfast remember`, its options and its switches. Raises UsageError."""
    texts: list[str] = []
    given: dict[str, str] = {}
    switches: set[str] = set()
    rest = iter(argv)
    for word in rest:
        option, equals, value = word.partition("=")
        if word == "--":
            texts += rest
        elif word in ("--global", "--json"):
            switches.add(word)
        elif option in OF_REMEMBER:
            found = value if equals else next(rest, None)
            if found is None:
                raise UsageError(f"{option} needs a value; nothing was written.")
            given[option] = found
        elif word.startswith("-") and " " not in word and word[1:2] not in "0123456789.":
            raise UsageError(f'"{word}" is no option of remember; nothing was written. Put -- before such a text.')
        else:
            texts.append(word)
    if not " ".join(texts).strip():
        raise UsageError('There is no text; nothing was written. Try: holdfast remember "what to remember".')
    return " ".join(texts), given, switches


def _without(argv: list[str], valued: Sequence[str], switches: Sequence[str], kept: Sequence[str] = ()) -> list[str]:
    """The words of a line without some options and their values, and without some switches. Of the options in `kept`
    the value stays. All that stands behind -- stays as it is."""
    found: list[str] = []
    rest = iter(argv)
    for word in rest:
        option, equals, said = word.partition("=")
        if word == "--":
            found += rest
        elif option in valued:
            if not equals:
                next(rest, None)
        elif option in kept:
            found += [said] if equals else []
        elif word not in switches:
            found.append(word)
    return found


def wants_pipe(argv: list[str]) -> bool:
    """True if `-` stands where a text would."""
    return PIPED in argv[: argv.index("--") if "--" in argv else None]


def _lines(piped: str) -> list[str]:
    """One text for each line that is not indented, without the mark of a list."""
    found: list[str] = []
    for line in piped.splitlines():
        text = line.strip()
        if text and found and line[:1] in (" ", "\t"):
            found[-1] += f" {text}"
        elif text:
            found.append(text.removeprefix("- ").removeprefix("* ").strip())
    return found


def _told_apart(argv: list[str], piped: str | None) -> tuple[list[str], str | None]:
    """A line without its `-`, and what was piped in for it; None where nothing was meant to be."""
    if piped is None or not wants_pipe(argv):
        return argv, None
    return [word for word in argv if word != PIPED], piped


def _flag(argv: list[str], piped: str | None) -> Words:
    said, piped = _told_apart(argv, piped)
    texts, given, switches = split(said, OPTIONS, SWITCHES, "flag", spelled_out=("--for",))
    texts += _lines(piped or "")
    if "--nothing" in switches:
        if texts:
            raise UsageError("--nothing goes without a text; nothing was written. Leave one of the two out.")
        return Words((), as_json="--json" in switches, nothing=True)
    if not texts or texts == [PIPED]:
        raise UsageError('There is no text; nothing was written. Try: holdfast flag "what to remember".')
    kind, answers = given.get("--kind", ["fact"])[-1], given.get("--for", [""])[-1]
    return Words(tuple(texts), kind, tuple(given.get("--evidence", ())), answers, "--json" in switches)


def _snag(argv: list[str], piped: str | None) -> Words:
    said, piped = _told_apart(argv, piped)
    texts, given, switches = split(said, SNAG_OPTIONS, ("--json",), "snag")
    better = " ".join(given.get("--better", ())).strip()
    if piped is not None:
        wrong, _, path = " ".join(piped.split()).partition(BETTER)
        texts.append(wrong.strip())
        better = " ".join(filter(None, (better, path.strip())))
    if not any(texts) or not better:
        raise UsageError(
            "A snag is what went wrong and the better path; nothing was written. "
            'Try: holdfast snag "the test hung without TZ" --better "set TZ=UTC before running it".'
        )
    told = f"{' '.join(texts).strip().rstrip('.')}. {BETTER} {better}"
    evidence = (*given.get("--evidence", ()), *_learner(given))
    return Words((told,), "snag", evidence, "", "--json" in switches)


def _learner(given: dict[str, list[str]]) -> tuple[str, ...]:
    """The rule or skill that should learn from a snag, as evidence: so it travels with the flag as any other does."""
    named = [(mark, name.strip()) for mark in (SKILL, RULE) for name in given.get(f"--{mark[:-1]}", ())]
    if len(named) > 1:
        raise UsageError("One snag changes one rule or one skill; nothing was written. Name one, or snag it twice.")
    for mark, name in named:
        if not name or (mark == SKILL and ("/" in name or name.startswith("."))):
            raise UsageError(
                f'"{name}" is no name of a {mark[:-1]}; nothing was written. A skill is named by its folder.'
            )
    return tuple(mark + name for mark, name in named)


CHANGED = "the shell changed your words; the raw ones are kept"
ON_PURPOSE = "the shell has put something into your words; what you wrote is kept as evidence"
OPENINGS = {"`": "`", "$(": ")", "${": "}"}


@value
class Recovered:
    """The words to file in place of those that arrived. `change` says what the author should know, "" for nothing."""

    text: str
    evidence: tuple[str, ...] = ()
    change: str = ""
    draft: str = ""


def taken(state: str, kind: str, arrived: Sequence[str], episode: str) -> list[Recovered]:
    """For each text that arrived, the words that were written; itself where no draft can have become it."""
    if not episode or not drafts.any_kept(state):
        return [Recovered(text) for text in arrived]
    known = (one for one in drafts.read(state, drafts.NEWEST) if (one.why, one.kind) == (drafts.SHELL, kind))
    waiting = [one for one in known if one.episode == episode and not (one.is_settled or one.used)]
    found = []
    for text in arrived:
        one = next((draft for draft in waiting if _became(draft.text, text)), None)
        found.append(_taken(one, text) if one else Recovered(text))
        waiting = [draft for draft in waiting if draft is not one]
    return found


def _taken(one: Draft, arrived: str) -> Recovered:
    if _flat(one.text) == _flat(arrived):
        return Recovered(one.text, one.evidence, draft=one.id)
    if "$(" in one.text:
        return Recovered(arrived, (*one.evidence, f"as it was written: {one.text}"), ON_PURPOSE, one.id)
    passed = (f"as the shell passed it on: {arrived}",) if arrived.strip() else ()
    return Recovered(one.text, (*one.evidence, *passed), CHANGED, one.id)


def _became(raw: str, arrived: str) -> bool:
    """True if it is sure enough: a text of nothing but substitutions could have become anything, so both are kept."""
    return can_become(raw, arrived) and (any(literal_pieces(_flat(raw))) or not arrived.strip())


def can_become(raw: str, arrived: str) -> bool:
    """True if a shell can make one text of the other: all that stands between its substitutions is there, in order."""
    pieces = literal_pieces(_flat(raw))
    text = _flat(arrived)
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in pieces[1:-1]:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def literal_pieces(text: str) -> list[str]:
    """The pieces before, between and behind the substitutions in a text; spaces at their edges are the shell's."""
    pieces, at, begin = [], 0, 0
    while at < len(text):
        end = _end(text, at)
        if end:
            pieces.append(text[begin:at])
            begin = at = end
        else:
            at += 1
    pieces.append(text[begin:])
    edges = [pieces[0].rstrip(), *(piece.strip() for piece in pieces[1:-1]), pieces[-1].lstrip()]
    return edges if len(pieces) > 1 else pieces


def _end(text: str, at: int) -> int:
    """The end of the substitution that begins at a place; 0 where none does."""
    for opening, closing in OPENINGS.items():
        if text.startswith(opening, at):
            stop = text.find(closing, at + len(opening))
            while closing == ")" and stop > 0 and text.count("(", at, stop) > text.count(")", at, stop + 1):
                stop = text.find(closing, stop + 1)
            return stop + 1 if stop > 0 else 0
    if text[at] != "$" or not text[at + 1 : at + 2].strip():
        return 0
    end = at + 1
    if not (text[end].isalpha() or text[end] == "_"):
        return end + 1 if text[end].isdecimal() or text[end] in "?#@*!$-" else 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end


def _flat(text: str) -> str:
    return " ".join(text.split())
