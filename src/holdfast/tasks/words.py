"""The words after `holdfast task checkpoint`: where an entry belongs, what it supersedes, and which task it means.

Promise: a section is named by the caller, or by a form that cannot mean another one (tasks/forms); whatever else is
typed is asked about, because a script does not guess what matters. An unquoted sentence is one entry. Every refusal is
one sentence that says that nothing was written. A line may be taken as a page has it, with its dash and its date: the
date goes behind the words, so that nothing of it is lost and the words begin as they would without it.
"""

from __future__ import annotations

from holdfast.capture import arguments
from holdfast.capture.ids import LENGTH, LETTERS, digest
from holdfast.errors import UsageError
from holdfast.model import replace, value
from holdfast.tasks import forms
from holdfast.tasks.entry import DECISION, SECTIONS, SHORTEST

SUPERSEDES = forms.SUPERSEDES
SAID = "checkpoint-"  # in the course of an episode: what the hook takes from a tool call; content: its id, then KEPT
KEPT = "kept"
LONGEST_NAME = 64
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ASK = "say --decision, --progress, --discovery or --next"
SWITCHES = (*(f"--{section}" for section in SECTIONS), "--and", "--json")
OPTIONS = ("--supersedes", "--task")


@value
class Words:
    """What is to be written. `kind` is "" where neither an option nor the form says it; `both_hold`: a decision that
    stands beside those it touches; `from_stdin`: the text is still to be read."""

    text: str
    kind: str = ""
    supersedes: tuple[str, ...] = ()
    both_hold: bool = False
    task: str = ""
    as_json: bool = False
    from_stdin: bool = False

    @property
    def name(self) -> str:
        """The same for the same words, wherever they are read: in the command, or by the hook before it runs."""
        parts = (self.kind, self.task.lower(), str(self.both_hold), self.text, *self.supersedes)
        return SAID + digest("\0".join(parts), 24)


def read(argv: list[str]) -> Words:
    """Raises UsageError."""
    before = argv[: argv.index("--") if "--" in argv else None]
    if "--help" in before or "-h" in before:
        raise UsageError("That asks for help; nothing was written.")
    said, given, switches = arguments.split(argv, OPTIONS, SWITCHES, "task checkpoint", spelled_out=("--supersedes",))
    tasks = [ident(one) for one in given.get("--task", ())]
    if any(not same(tasks[0], one) for one in tasks):
        raise UsageError("A checkpoint is of one task, and two are named; nothing was written. Name one.")
    found = Words(
        text="",
        kind=_named(switches),
        supersedes=tuple(superseded(one) for one in given.get("--supersedes", ())),
        both_hold="--and" in switches,
        task=tasks[0] if tasks else "",
        as_json="--json" in switches,
        from_stdin=said == ["-"],
    )
    if found.both_hold and found.kind not in ("", DECISION):
        raise UsageError("--and is for decisions; nothing was written. Leave it out, or say --decision.")
    return found if found.from_stdin else with_text(found, " ".join(said))


def with_text(words: Words, text: str) -> Words:
    """The words with the text that they are about, from the command line or from stdin. Raises UsageError."""
    _refuse_several(text)
    date, text = forms.dated(forms.unlisted(" ".join(text.split())))
    ids, text = _superseded(text)
    text = f"{text} ({date})" if text and date else text
    if not text:
        raise UsageError('There is no text; nothing was written. Try: holdfast task checkpoint "COMPLETED: unit 7".')
    supersedes = tuple(dict.fromkeys((*words.supersedes, *ids)))
    kind = words.kind or _implied(text, is_decision=bool(supersedes) or words.both_hold)
    if words.both_hold and kind != DECISION:
        raise UsageError("--and is for decisions; nothing was written. Leave it out, or say --decision.")
    return replace(words, text=text, kind=kind, supersedes=supersedes, from_stdin=False)


def submission(argv: list[str], piped: str | None = None) -> str:
    """The text that somebody submitted, also where it cannot be understood; "" where only help was asked for."""
    if "--help" in argv or "-h" in argv:
        return ""
    texts: list[str] = []
    rest = iter(argv)
    for word in rest:
        option = word.partition("=")[0]
        if word == "--":
            texts += rest
        elif option in (*OPTIONS, "-t"):
            if "=" not in word:
                next(rest, None)
        elif option not in SWITCHES and word != "-":
            texts.append(word)
    return " ".join((*texts, piped or "")).strip()


def _refuse_several(text: str) -> None:
    """Lines of one sentence are put together; a line that has the form of an entry would vanish in the one above it."""
    lines = [forms.bare(line) for line in text.splitlines() if line.strip()]
    if any(forms.opening(line)[0] or line.split(" ", 1)[0] == SUPERSEDES for line in lines[1:]):
        raise UsageError("These lines are several entries; nothing was written. Checkpoint each of them by itself.")


def settled(words: Words) -> Words:
    """The same words, if it is clear where they belong. Raises UsageError."""
    if words.kind:
        return words
    shown = words.text if len(words.text) <= 60 else words.text[:59].rstrip() + "…"
    raise UsageError(f'"{shown}" does not say what it is; nothing was written. Run it again and {ASK}.')


def ident(text: str) -> str:
    """A task's id as it was typed. Raises UsageError where it would not do as the name of a folder everywhere."""
    if 0 < len(text) <= LONGEST_NAME and text[0] != "-" and all(letter in NAMES for letter in text):
        return text
    raise UsageError(
        f'"{text[:80]}" is no id of a task; nothing was written. '
        f"An id has 1 to {LONGEST_NAME} letters of A-Z, digits, - and _, and does not begin with -."
    )


def same(one: str, other: str) -> bool:
    """Whether two ids mean one task: some file systems do not tell letters by their case."""
    return one.lower() == other.lower()


def entry_id(text: str) -> str:
    """The id of an entry, or the end of one, in the letters of the log. Raises UsageError."""
    found = text.strip().removeprefix("^").upper()
    # Some letters beyond ASCII have one of ours as their capital, and are others all the same.
    if text.isascii() and SHORTEST <= len(found) <= LENGTH and all(letter in LETTERS for letter in found):
        return found
    raise UsageError(
        f'"{text[:40]}" is no id of an entry; nothing was written. '
        f"An id has {SHORTEST} to {LENGTH} letters and digits, as `holdfast task show` prints it."
    )


def _implied(text: str, *, is_decision: bool) -> str:
    form = forms.route(text)
    return (DECISION if form in ("", DECISION) else "") if is_decision else form


def _superseded(text: str) -> tuple[tuple[str, ...], str]:
    """The ids or dates behind a leading SUPERSEDES, and the text behind them."""
    first, _, rest = text.partition(" ")
    if first.rstrip(":") != SUPERSEDES:
        return (), text
    found = []
    goes_on = True
    while goes_on:
        word, rest = _next_word(rest)
        goes_on = word.endswith(",")
        found.append(superseded(word.strip("[]<>:,;.")))
    return tuple(found), rest.lstrip(":—\u2013- ")


def _next_word(text: str) -> tuple[str, str]:
    """One id or date; a date in brackets may have a blank before its time."""
    end = text.find("]") + 1 if text.startswith("[") else 0
    if not end:
        word, _, rest = text.partition(" ")
        return word, rest
    word, _, rest = text[end:].partition(" ")
    return text[:end] + word, rest


def superseded(text: str) -> str:
    """What an entry says that it supersedes: an id, the end of one, or the date of a decision as a page shows it.
    Raises UsageError."""
    date = forms.date_of(text)
    return date or entry_id(text)


def _named(switches: set[str]) -> str:
    sections = [section for section in SECTIONS if f"--{section}" in switches]
    if len(sections) > 1:
        both = " and ".join(f"--{section}" for section in sections)
        raise UsageError(f"An entry belongs to one section, and {both} name more; nothing was written. Leave one.")
    return sections[0] if sections else ""
