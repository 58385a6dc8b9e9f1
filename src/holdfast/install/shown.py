"""The lines of an edit that a person is shown before they are written."""

from __future__ import annotations

import difflib


def added(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Each line that is new, as it will stand in the file."""
    return _only_in(after, before)


def _only_in(one: bytes | None, other: bytes | None) -> tuple[str, ...]:
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (other, one))
    same = _common(old, new)
    old, new = old[same:], new[same:]
    same = _common(old[::-1], new[::-1])
    old, new = old[: len(old) - same], new[: len(new) - same]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found: list[str] = []
    for what, _, _, start, end in matcher.get_opcodes():
        if what in ("insert", "replace"):
            found += new[start:end]
    return tuple(found)


def _common(one: list[str], other: list[str]) -> int:
    """How many lines both begin with. What is left to compare is short, also of a file of a hundred thousand lines."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (here, there) in pairs if here != there), min(len(one), len(other)))
