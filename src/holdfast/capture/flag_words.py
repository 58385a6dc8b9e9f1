"""The words of `holdfast flag` and `holdfast snag`, understood in one place.

The command line reads them, and so does the hook, which sees them in a tool call before the command runs, or is
refused, or finds itself in a sandbox that cannot write.

`-` stands for what is piped in, where no shell eats a sign: one flag for each line, an indented line goes on with the
one before; a snag is all of it, with the better path behind "Better:".
"""

from __future__ import annotations

from holdfast.capture import arguments
from holdfast.capture.ids import digest
from holdfast.errors import UsageError
from holdfast.model import value

OPTIONS, SWITCHES = ("--kind", "--evidence", "--for"), ("--json", "--nothing")
SNAG_OPTIONS = ("--better", "--evidence", "--skill", "--rule")
SORTING = ("--kind", "-k", "--for")  # options whose value says nothing of the fact itself
OF_REMEMBER = ("--kind", "--name", "--reason", "--apply", "--policy", "--supersedes", "--for")
PIPED, BETTER = "-", "Better:"
SKILL, RULE = "skill:", "rule:"  # how a snag's evidence names what should learn from it
SAID = "said-"  # in the course of an episode: what the hook takes from a tool call; content: ids, then KEPT
KEPT = "kept"


@value
class Words:
    """What is to be flagged. `nothing`: the author says that there is nothing to flag."""

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
        """What the hook leaves for the command: the ids it gives these words, and whether they are in the queue. With
        the same ids, saving them twice is saving them once."""
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
    """The words that somebody submitted, and their evidence, also where they cannot be understood; "" where there are
    none, or only help was asked for."""
    if "--help" in argv or "-h" in argv:
        return "", ()
    try:
        words = read(command, argv, piped)
    except UsageError:
        return " ".join(filter(None, (_words_in(argv), piped))), ()
    return "\n".join(words.texts), words.evidence


def remembered(argv: list[str]) -> str:
    """The text after `holdfast remember`."""
    texts: list[str] = []
    rest = iter(argv)
    for word in rest:
        option, equals, _ = word.partition("=")
        if option in OF_REMEMBER:
            if not equals:
                next(rest, None)
        elif word == "--":
            texts += rest
        elif word not in ("--global", "--json"):
            texts.append(word)
    return " ".join(texts)


def wants_pipe(argv: list[str]) -> bool:
    """Whether `-` stands where a text would."""
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


def _words_in(argv: list[str]) -> str:
    """What is left of a line without the options that we know and what only sorts it."""
    found: list[str] = []
    rest = iter(argv)
    for word in rest:
        option, equals, said = word.partition("=")
        if option in SORTING:
            if not equals:
                next(rest, None)
        elif option in (*OPTIONS, *SNAG_OPTIONS):
            found += [said] if equals else []
        elif word not in (*SWITCHES, "--", "-"):
            found.append(word)
    return " ".join(found)


def _flag(argv: list[str], piped: str | None) -> Words:
    is_piped = piped is not None and wants_pipe(argv)
    said = [word for word in argv if word != PIPED] if is_piped else argv
    texts, given, switches = arguments.split(said, OPTIONS, SWITCHES, "flag", spelled_out=("--for",))
    texts += _lines(piped or "") if is_piped else []
    if "--nothing" in switches:
        if texts:
            raise UsageError("--nothing goes without a text; nothing was written. Leave one of the two out.")
        return Words((), as_json="--json" in switches, nothing=True)
    if not texts or texts == [PIPED]:
        raise UsageError('There is no text; nothing was written. Try: holdfast flag "what to remember".')
    kind = given["--kind"][-1] if "--kind" in given else "fact"
    answers = given["--for"][-1] if "--for" in given else ""
    return Words(tuple(texts), kind, tuple(given.get("--evidence", ())), answers, "--json" in switches)


def _snag(argv: list[str], piped: str | None) -> Words:
    is_piped = piped is not None and wants_pipe(argv)
    said = [word for word in argv if word != PIPED] if is_piped else argv
    texts, given, switches = arguments.split(said, SNAG_OPTIONS, ("--json",), "snag")
    better = " ".join(given.get("--better", ())).strip()
    if is_piped:
        wrong, _, path = " ".join((piped or "").split()).partition(BETTER)
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
