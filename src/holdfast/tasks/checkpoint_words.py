"""The words after `holdfast task checkpoint`: where an entry belongs, what it supersedes, and which task it means.

Promise: a section is named by the caller, or by a form that cannot mean another one; anything else is asked about,
because a script does not guess what matters. A form is a label, a first word in capitals, or the shape of a sentence
that is read in one way only: a choice with its purpose or ground ("Use X for Y; confirmed with Z"), or a plain
statement about something that is named exactly ("`a.json` is malformed"). A line with two forms has none. An unquoted
sentence is one entry. A line may be taken as a page has it: its date goes behind the words, so nothing of it is lost.
"""

from __future__ import annotations

from holdfast.capture import flag_words
from holdfast.capture.ids import LENGTH, LETTERS, digest
from holdfast.errors import UsageError
from holdfast.model import replace, value
from holdfast.tasks.record import DECISION, DISCOVERY, NEXT, PROGRESS, SECTIONS, SHORTEST

SUPERSEDES = "SUPERSEDES"
STATES = (
    *("COMPLETED", "DONE", "IN_PROGRESS", "IN PROGRESS", "IN-PROGRESS", "PENDING", "TODO", "SKIPPED", "FAILED"),
    "REOPENED",
)
ORDERS = ("DO NOT", "DON'T", "NEVER", "ALWAYS", "MUST")
LABELS = {  # in any case of letters, with the colon behind them
    **dict.fromkeys(("decision", "decided"), DECISION),
    **dict.fromkeys(("discovery", "discovered", "pattern", "learned"), DISCOVERY),
    **dict.fromkeys(("next", "next step", "next session", "next session start", "on next session start"), NEXT),
}
OPENINGS = (("Decided to ", DECISION), ("Discovered ", DISCOVERY), ("Found out ", DISCOVERY))
BEGINNINGS = (
    *("begin with", "begin at", "start with", "start at", "continue with", "continue at", "resume with", "resume at"),
    *("go on with", "go on at"),
)
CHOICES = ("Use", "Keep", "Prefer", "Avoid")
NO_CHOICES = ("Use of", "Use case", "Use cases", "Keep in")  # that begin as a choice does, and are none
REASONS = ("because", "since")
# Behind a dash or semicolon.
GROUNDS = ("confirmed", "as", "it", "they", "this", "that", "used", "see", "per", "follows")
DASHES = ("—", "\u2013", "-", "--")
STATING = ("is", "are", "was", "were", "has", "have", "had", "contains", "lacks", "returns", "expects", "depends")
# A sentence with one of these says how far the work is, or what somebody is to do: neither is a fact about its subject.
NO_FACTS = frozenset(
    ("done", "complete", "completed", "finished", "ready", "pending", "started", "begun", "next", "todo", "open")
    + ("processed", "migrated", "converted", "blocked", "skipped", "left", "must", "should", "shall", "will", "may")
    + ("to", "not", "never", "always", "we", "i", "let's", "please", "now", "decided", "agreed", "allowed", "forbidden")
)
SUBJECT = 8  # words within which a statement has its verb


def route(text: str) -> str:
    """The section that the form of a text names, or "" where it names none, or two."""
    text = dated(bare(text))[1]
    if text.split(" ", 1)[0] == SUPERSEDES:
        rest = text[len(SUPERSEDES) :].split(None, 1)
        is_other = len(rest) > 1 and opening(bare(rest[1].lstrip(":—\u2013- ")))[0] not in ("", DECISION)
        return "" if is_other else DECISION
    kind, behind = opening(text)
    if not kind:
        return DECISION if _is_choice(text) else DISCOVERY if _is_statement(text) else ""
    second = opening(bare(behind))[0]
    return kind if second in ("", kind) else ""


def bare(text: str) -> str:
    """A text without what marks it as an item of a list, and with one kind of apostrophe."""
    return unlisted(" ".join(text.split()).replace("\u2019", "'"))


def unlisted(text: str) -> str:
    for bullet in ("- ", "* ", "• "):
        text = text.removeprefix(bullet)
    return text


def dated(text: str) -> tuple[str, str]:
    """The date that a line of a page begins with, and the words behind it and its dash; without one, the text."""
    first, _, rest = text.partition(" ")
    date = date_of(first.rstrip(":")) if rest else ""
    if not date or not (first.endswith(":") or rest.split(" ", 1)[0] in DASHES):
        return "", text
    return date, rest.lstrip("—\u2013- ")


def date_of(text: str) -> str:
    """A date as a page shows it, with its time or without: 2026-04-22T07:12Z, 2026-04-22; "" for anything else."""
    said = text.strip().replace(" ", "T")
    shape = "".join("0" if "0" <= letter <= "9" else letter for letter in said)
    if shape == "0000-00-00":
        return said
    return f"{said[:16]}Z" if shape.removesuffix("Z") in ("0000-00-00T00:00", "0000-00-00T00:00:00") else ""


def opening(text: str) -> tuple[str, str]:
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
    for words, kind in OPENINGS:
        if text.startswith(words):
            return kind, ""
    if any(_begins(text[:1].lower() + text[1:], words) for words in BEGINNINGS):
        return NEXT, ""
    return "", ""


def _begins(text: str, lead: str) -> bool:
    """Whether a text begins with these words, and not with a longer one."""
    behind = text[len(lead) : len(lead) + 1]
    return text.startswith(lead) and not (behind.isalnum() or behind in ("_", "-", "'", "/"))


def _is_choice(text: str) -> bool:
    """Use X because Y, or Use X for Y with its ground behind a dash or a semicolon: each of at least one word."""
    said = text.split()
    if len(said) < 4 or said[0] not in CHOICES or " ".join(said[:2]).rstrip(",:") in NO_CHOICES:
        return False
    if said[0] == "Keep" and said[1].endswith("ing"):
        return False  # "Keep failing because …" tells what happens
    if any(word.lower().strip(",(") in REASONS for word in said[2:-1]):
        return True
    return any(
        (said[at - 1].endswith(";") or said[at - 1] in DASHES) and said[at].lower().strip(",(") in GROUNDS
        for at in range(3, len(said) - 1)
    )


def _is_statement(text: str) -> bool:
    """A fact about something that is named exactly. Behind a dash stands what follows from it, which is no part."""
    said = text.split()
    first = next((at for at, word in enumerate(said) if word in DASHES or word.endswith((";", "."))), len(said))
    head = [word.strip(",;:()\"'").lower() for word in said[:first]]
    named = (
        word.startswith("`") or word.count("`") == 2 or ("/" in word.strip("/") and "://" not in word)
        for word in said[:first]
    )
    if not any(named) or NO_FACTS.intersection(head):
        return False
    return any(word in STATING and head[at : at + 1] != ["failed"] for at, word in enumerate(head[1:SUBJECT], 2))


SAID = "checkpoint-"  # in the course of an episode: what the hook takes from a tool call; content: its id, then KEPT
KEPT = "kept"
LONGEST_NAME = 64
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
ASK = "say --decision, --progress, --discovery or --next"
SWITCHES = (*(f"--{section}" for section in SECTIONS), "--and", "--json")
OPTIONS = ("--supersedes", "--task")


@value
class Words:
    """A checkpoint to be written. `kind` is "" where neither an option nor the form says it; `both_hold`: a decision
    that stands beside those it touches; `from_stdin`: the text is still to be read."""

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
    said, given, switches = flag_words.split(argv, OPTIONS, SWITCHES, "task checkpoint", spelled_out=("--supersedes",))
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
    date, text = dated(unlisted(" ".join(text.split())))
    ids, text = _superseded(text)
    text = f"{text} ({date})" if text and date else text
    if not text:
        raise UsageError('There is no text; nothing was written. Try: holdfast task checkpoint "COMPLETED: unit 7".')
    supersedes = tuple(dict.fromkeys((*words.supersedes, *ids)))
    form = route(text)
    if supersedes or words.both_hold:
        form = DECISION if form in ("", DECISION) else ""
    kind = words.kind or form
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
    lines = [bare(line) for line in text.splitlines() if line.strip()]
    if any(opening(line)[0] or line.split(" ", 1)[0] == SUPERSEDES for line in lines[1:]):
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
    """The entry that another supersedes: its id, the end of one, or the date of a decision as a page shows it.
    Raises UsageError."""
    date = date_of(text)
    return date or entry_id(text)


def _named(switches: set[str]) -> str:
    sections = [section for section in SECTIONS if f"--{section}" in switches]
    if len(sections) > 1:
        both = " and ".join(f"--{section}" for section in sections)
        raise UsageError(f"An entry belongs to one section, and {both} name more; nothing was written. Leave one.")
    return sections[0] if sections else ""
