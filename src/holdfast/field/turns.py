"""What a text says of itself at its head: who speaks, and when. "[1:56 pm on 8 May, 2023] Ada: the lease is out."

Logs of talk are kept as they are, with the one who spoke and the time in the text itself; whoever keeps such a text is
not who said it. So who, when and in the course of what is read from the head, where there is one, before what is known
of the keeping. The text stays whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

LONGEST = 80  # characters of a text in which its head has to end
FORMS = (
    "%I:%M %p on %d %B, %Y",
    "%Y/%m/%d (%a) %H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d %B %Y",
    "%B %d, %Y",
)
NAME = r"[^\W\d_][\w.' -]{0,30}"
WHEN = r"(?:\[(?P<when>[^\]\n]{6,40})\]|\((?P<at>[^)\n]{6,40})\))"
TIME_FIRST = re.compile(rf"{WHEN}\s*(?:(?P<speaker>{NAME}):\s)?")
NAME_FIRST = re.compile(rf"(?P<speaker>{NAME}?)(?:\s*{WHEN})?:\s")
# Of a role nobody asks by name; a label says what the text is and not who speaks.
NOBODY_WORDS = """
user assistant system human ai bot tool model developer agent customer operator note notes todo fixme decision
discovery handoff rule snag fact reason why warning error fix bug question answer example context summary result
conclusion update edit http https file path step next see tip important
"""
NOBODY = frozenset(NOBODY_WORDS.split())


@dataclass(frozen=True)
class Turn:
    """Who speaks, "" where nobody is named; when, 0.0 where it does not say; `day` is that day in one form, or ""."""

    speaker: str = ""
    said: float = 0.0
    day: str = ""


NONE = Turn()


def of(text: str) -> Turn:
    """What the head of a text says; nothing where it has none."""
    head = text[:LONGEST]
    for form in (TIME_FIRST, NAME_FIRST):
        found = form.match(head)
        if found:
            said = _time(found["when"] or found["at"] or "")
            if said or form is NAME_FIRST:
                return Turn(_who(found["speaker"] or "", bool(said)), said, _day(said))
    return NONE


def _who(name: str, is_dated: bool) -> str:
    """Without a time beside it only what is written as a name is one: up to three words, each with a capital."""
    name = name.strip()
    words = name.split()
    if not words or name.casefold() in NOBODY or len(words) > 3:
        return ""
    is_written_so = all(word[0].isupper() for word in words) and words[0].casefold() not in NOBODY
    return name if is_dated or is_written_so else ""


def _time(words: str) -> float:
    said = words.strip().removesuffix("Z").removesuffix(" UTC")
    for form in FORMS:
        try:
            return datetime.strptime(said, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return 0.0


def _day(said: float) -> str:
    return datetime.fromtimestamp(said, UTC).strftime("%Y-%m-%d") if said else ""
