"""The files that a session wrote, each with what it is for where somebody said so: the host's summary, or the first
sentence of the file's own documentation as it was written."""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

# What languages call the words at the head of a file.
HEADS = (
    re.compile(r"@moduledoc\s+(?:~[sS])?\"{1,3}\s*([^\"]+)"),
    re.compile(r"\A(?:#![^\n]*\n)?(?:\s*#[^\n]*coding[^\n]*\n)?\s*[rRuU]?(?:\"\"\"|''')\s*([^\"']+)"),
    re.compile(r"\A\s*/\*\*?\s*([^*]+?)(?:\*/|\n\s*\*\s*\n|\n\s*\*\s*@)"),
    re.compile(r"\A(?:\s*//[/!]?\s?([^\n]+))"),
    re.compile(r"\A(?:#![^\n]*\n)(?:#\s*\n)*#\s+([A-Z][^\n]+)"),
    re.compile(r"\A#\s+([^\n]+)"),
)
LONGEST = 120


@value
class Written:
    """`purpose` is "" where nobody said; `is_new` where the whole file was written."""

    path: str
    purpose: str
    is_new: bool


def written(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Written]:
    """Each once, in the order in which they were first written."""
    found: dict[str, Written] = {}
    for call in calls:
        result = results.get(call.call)
        if result is not None and result.failed:
            continue
        for path in extract.files_of(call):
            known = found.get(path)
            content = call.given.get("content") if call.tool == "Write" and isinstance(call.given, dict) else None
            purpose = _purpose(content) if isinstance(content, str) else ""
            is_new = isinstance(content, str) or (known.is_new if known else False)
            found[path] = Written(path, purpose or (known.purpose if known else ""), is_new)
    return list(found.values())


def _purpose(content: str) -> str:
    for head in HEADS:
        match = head.search(content[:2000])
        if match:
            first = re.split(r"(?<=[.!?])\s|\n\s*\n", " ".join(match[1].split()))[0]
            return first[:LONGEST].strip()
    return ""
