"""The words after `holdfast task checkpoint`: where an entry belongs, what it supersedes, and which task it means.

Promise: a section is named by the caller, or by a form that cannot mean another one; whatever else is typed is asked
about, because a script does not guess what matters. An unquoted sentence is one entry. Every refusal is one sentence
that says that nothing was written.
"""

from __future__ import annotations

from holdfast.capture import arguments
from holdfast.capture.ids import LENGTH, LETTERS, digest
from holdfast.errors import UsageError
from holdfast.model import replace, value
from holdfast.tasks.entry import DECISION, DISCOVERY, NEXT, PROGRESS, SECTIONS, SHORTEST

SUPERSEDES = "SUPERSEDES"
SAID = "checkpoint-"  # in the course of an episode: what the hook takes from a tool call; content: its id, then KEPT
KEPT = "kept"
LONGEST_NAME = 64
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ASK = "say --decision, --progress, --discovery or --next"
STATES = (
    "COMPLETED",
    "DONE",
    "IN_PROGRESS",
    "IN PROGRESS",
    "IN-PROGRESS",
    "PENDING",
    "TODO",
    "SKIPPED",
    "FAILED",
    "REOPENED",
)
ORDERS = ("DO NOT", "DON'T", "NEVER", "ALWAYS", "MUST")
LABELS = {  # in any case of letters, with the colon behind them
    "decision": DECISION,
    "decided": DECISION,
    "discovery": DISCOVERY,
    "discovered": DISCOVERY,
    "pattern": DISCOVERY,
    "learned": DISCOVERY,
    "next": NEXT,
    "next step": NEXT,
    "next session": NEXT,
    "next session start": NEXT,
    "on next session start": NEXT,
}
OPENINGS = (("Decided to ", DECISION), ("Discovered ", DISCOVERY), ("Found out ", DISCOVERY))
CHOICES = ("Use", "Keep", "Prefer", "Avoid")
NO_CHOICES = ("Use of", "Use case", "Use cases", "Keep in")  # that begin as a choice does, and are none
REASONS = ("because", "since")
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
        supersedes=tuple(entry_id(one) for one in given.get("--supersedes", ())),
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
    ids, text = _superseded(" ".join(text.split()))
    if not text:
        raise UsageError('There is no text; nothing was written. Try: holdfast task checkpoint "COMPLETED: unit 7".')
    supersedes = tuple(dict.fromkeys((*words.supersedes, *ids)))
    kind = words.kind or _implied(text, is_decision=bool(supersedes) or words.both_hold)
    if words.both_hold and kind != DECISION:
        raise UsageError("--and is for decisions; nothing was written. Leave it out, or say --decision.")
    return replace(words, text=text, kind=kind, supersedes=supersedes, from_stdin=False)


def _refuse_several(text: str) -> None:
    """Lines of one sentence are put together; a line that has the form of an entry would vanish in the one above it."""
    lines = [_bare(line) for line in text.splitlines() if line.strip()]
    if any(_opening(line)[0] or line.split(" ", 1)[0] == SUPERSEDES for line in lines[1:]):
        raise UsageError("These lines are several entries; nothing was written. Checkpoint each of them by itself.")


def settled(words: Words) -> Words:
    """The same words, if it is clear where they belong. Raises UsageError."""
    if words.kind:
        return words
    shown = words.text if len(words.text) <= 60 else words.text[:59].rstrip() + "…"
    raise UsageError(f'"{shown}" does not say what it is; nothing was written. Run it again and {ASK}.')


def route(text: str) -> str:
    """The section that the form of a text names, or "" where it names none, or two."""
    text = _bare(text)
    if text.split(" ", 1)[0] == SUPERSEDES:
        rest = text[len(SUPERSEDES) :].split(None, 1)
        return (
            "" if len(rest) > 1 and _opening(_bare(rest[1].lstrip(":—\u2013- ")))[0] not in ("", DECISION) else DECISION
        )
    kind, rest_of_it = _opening(text)
    if not kind:
        return DECISION if _is_reasoned_choice(text) else ""
    second = _opening(_bare(rest_of_it))[0]
    return kind if second in ("", kind) else ""


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


def _bare(text: str) -> str:
    """A text without what marks it as an item of a list, and with one kind of apostrophe."""
    text = " ".join(text.split()).replace("\u2019", "'")
    for bullet in ("- ", "* ", "• "):
        text = text.removeprefix(bullet)
    return text


def _opening(text: str) -> tuple[str, str]:
    """The section that the first words name, and what stands behind them."""
    before, colon, behind = text.partition(":")
    label = before.strip("*_[] ")
    if colon and label[:1].isupper() and label.lower() in LABELS:
        return LABELS[label.lower()], behind
    marked = text.lstrip("*[")
    for state in STATES:
        if _begins(marked, state):
            return PROGRESS, marked[len(state) :].lstrip("*]:—\u2013- ")
    if any(_begins(text, order) for order in ORDERS):
        return DECISION, ""
    for opening, kind in OPENINGS:
        if text.startswith(opening):
            return kind, ""
    return "", ""


def _begins(text: str, lead: str) -> bool:
    """Whether a text begins with these words, and not with a longer one."""
    behind = text[len(lead) : len(lead) + 1]
    return text.startswith(lead) and not (behind.isalnum() or behind in ("_", "-", "'", "/"))


def _is_reasoned_choice(text: str) -> bool:
    """Use X because Y: a choice and its reason, each of at least one word."""
    said = text.split()
    if len(said) < 4 or said[0] not in CHOICES or " ".join(said[:2]).rstrip(",:") in NO_CHOICES:
        return False
    if said[0] == "Keep" and said[1].endswith("ing"):
        return False  # "Keep failing because …" tells what happens
    return any(word.lower().strip(",(") in REASONS for word in said[2:-1])


def _implied(text: str, *, is_decision: bool) -> str:
    form = route(text)
    return (DECISION if form in ("", DECISION) else "") if is_decision else form


def _superseded(text: str) -> tuple[tuple[str, ...], str]:
    """The ids behind a leading SUPERSEDES, and the text behind them."""
    first, _, rest = text.partition(" ")
    if first.rstrip(":") != SUPERSEDES:
        return (), text
    ids = []
    goes_on = True
    while goes_on:
        word, _, rest = rest.partition(" ")
        goes_on = word.endswith(",")
        ids.append(entry_id(word.strip("[]<>:,;.")))
    return tuple(ids), rest.lstrip(":—\u2013- ")


def _named(switches: set[str]) -> str:
    sections = [section for section in SECTIONS if f"--{section}" in switches]
    if len(sections) > 1:
        both = " and ".join(f"--{section}" for section in sections)
        raise UsageError(f"An entry belongs to one section, and {both} name more; nothing was written. Leave one.")
    return sections[0] if sections else ""
