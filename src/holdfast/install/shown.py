"""The lines of an edit that a person is shown before they are written."""

from __future__ import annotations

import difflib


def added(before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Each line that is new, as it will stand in the file."""
    return _only_in(after, before)


def _only_in(one: bytes | None, other: bytes | None) -> tuple[str, ...]:
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (other, one))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found: list[str] = []
    for what, _, _, start, end in matcher.get_opcodes():
        if what in ("insert", "replace"):
            found += new[start:end]
    return tuple(found)
