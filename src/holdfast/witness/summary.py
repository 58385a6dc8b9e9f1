"""The host's own summary at a compaction, as the base for the time before it: its sections by what they are about.

Hosts ask their model for such a summary in headed sections. A heading is recognised by its words; code blocks, and the
thinking aloud before the summary proper, are left out.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.witness import sentences

HEADING = re.compile(r"^(?:#{1,4}\s+(.+?)|\d{1,2}\.\s+\**([A-Z][^\n:*]{2,60})\**:?\**|\*\*([^*\n]{3,60})\*\*:?)\s*$")
PROPER = re.compile(r"^(?:<summary>|\**Summary\**:?)\s*$", re.MULTILINE | re.IGNORECASE)
ABOUT = (
    ("asked", ("user message", "user's message", "user request")),
    ("goals", ("request", "intent", "goal", "objective", "task overview")),
    ("learned", ("error", "fix", "problem", "lesson", "learn", "gotcha", "caveat", "issue", "discover", "insight")),
    ("decisions", ("decision", "approach", "design", "constraint", "convention")),
    ("next", ("pending", "next", "remaining", "todo", "to do", "open")),
    ("now", ("current work", "in progress", "current state", "status")),
    ("where", ("file", "code section", "artifact")),
    ("done", ("done", "completed", "progress", "accomplish", "work performed")),
    ("known", ("concept", "context", "technical", "background", "key")),
)


@value
class Part:
    """What a section is about, and its items in plain text, whole."""

    about: str
    items: tuple[str, ...]


def parts(text: str) -> list[Part]:
    """The sections in their order; what has no heading is about nothing ("")."""
    proper = PROPER.search(text)
    body = text[proper.end() :] if proper else text
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in sentences.OPEN_CODE.sub("", sentences.CODE.sub("", body)).splitlines():
        heading = HEADING.match(line.rstrip()) if line[:1] not in (" ", "\t") else None
        if heading:
            found.append((_about(next(filter(None, heading.groups()))), []))
        else:
            found[-1][1].append(line)
    return [Part(about, items) for about, lines in found if (items := tuple(_items(lines)))]


def _about(heading: str) -> str:
    low = heading.casefold()
    return next((about for about, words in ABOUT if any(word in low for word in words)), "")


def _items(lines: list[str]) -> list[str]:
    """List items with all that is indented below them; running text by sentence."""
    found: list[str] = []
    depth = 0
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        bare = " ".join(sentences.lines(line))
        if not bare:
            continue
        is_item = bool(sentences.BULLET.match(line.strip()))
        if is_item and (not found or indent <= depth):
            depth = indent
            found.append(bare)
        elif found and indent > depth:
            joint = "; " if is_item and not found[-1].endswith((":", "—", "-")) else " "
            found[-1] = f"{found[-1].rstrip(';')}{joint}{bare}"
        else:
            depth = indent
            found.append(bare)
    return found
