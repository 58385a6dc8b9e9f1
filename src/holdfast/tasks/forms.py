"""The section that the form of a line names: progress, decision, discovery, next; none where it could be another.

A form is a label, a first word in capitals, or the shape of a sentence that is read in one way only. Two shapes have no
label: a choice with its purpose or its ground ("Use X for Y; confirmed with Z"), and a plain statement about something
that is named exactly, by a path or in backticks ("`a.json` is malformed"), which says neither how far the work is nor
what anybody is to do. Where a line has two forms it has none.
"""

from __future__ import annotations

from holdfast.tasks.entry import DECISION, DISCOVERY, NEXT, PROGRESS

SUPERSEDES = "SUPERSEDES"
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
BEGINNINGS = (
    *("begin with", "begin at", "start with", "start at", "continue with", "continue at", "resume with", "resume at"),
    *("go on with", "go on at"),
)
CHOICES = ("Use", "Keep", "Prefer", "Avoid")
NO_CHOICES = ("Use of", "Use case", "Use cases", "Keep in")  # that begin as a choice does, and are none
REASONS = ("because", "since")
GROUNDS = (
    "confirmed",
    "as",
    "it",
    "they",
    "this",
    "that",
    "used",
    "see",
    "per",
    "follows",
)  # behind a dash or semicolon
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
    if not any(_is_name(word) for word in said[:first]) or NO_FACTS.intersection(head):
        return False
    return any(word in STATING and head[at : at + 1] != ["failed"] for at, word in enumerate(head[1:SUBJECT], 2))


def _is_name(word: str) -> bool:
    return word.count("`") == 2 or word.startswith("`") or ("/" in word.strip("/") and "://" not in word)
