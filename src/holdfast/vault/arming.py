"""Arming and disarming a note: its `when` is changed, every other byte of it stays.

A `when` that could never match, or would at every tool call, is refused with the reason: a note that never comes back
is forgotten, and one that always does is noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError, UsageError
from holdfast.vault import armed, index, journal, notes
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vault.notes import Note


@dataclass(frozen=True)
class Arming:
    """One note before and after. `is_changed` is False where it was so already."""

    note: Note
    when: dict[str, Any] | None
    before: Any
    is_changed: bool


def arm(vault: str, now: float, wanted: str, project: str, when: Mapping[str, Any], *, dry_run: bool = False) -> Arming:
    """Let a note come back at these tool calls. Raises UsageError, NotFound."""
    asked = {key: given for key, given in when.items() if given is not None and given != []}
    problems = armed.problems(asked)
    if problems:
        raise UsageError(f"{' '.join(problems)} Nothing was changed.")
    return _change(vault, now, wanted, project, asked, dry_run=dry_run)


def disarm(vault: str, now: float, wanted: str, project: str, *, dry_run: bool = False) -> Arming:
    """Let a note wait for no tool call any more. Raises NotFound."""
    return _change(vault, now, wanted, project, None, dry_run=dry_run)


def _change(vault: str, now: float, wanted: str, project: str, when: dict[str, Any] | None, *, dry_run: bool) -> Arming:
    if dry_run:
        planned, text = _planned(vault, index.load(vault), wanted, project, when)
        notes.with_fields(text, when=when)
        return planned
    with writing(vault, now) as writer:
        planned, text = _planned(vault, writer.index, wanted, project, when)
        if planned.is_changed:
            path = planned.note.path
            subject = f"{'disarm' if when is None else 'arm'}: {planned.note.name}"
            texts = {path: notes.with_fields(text, when=when)}
            cause = "disarm" if when is None else "arm"
            if path in writer.commit(subject, texts, cause=cause, planned_on={path: text}).skipped:
                raise HoldfastError(f"{path} was edited at this very moment; the edit was kept. Run it again.")
    return planned


def _planned(
    vault: str, known: index.Index, wanted: str, project: str, when: dict[str, Any] | None
) -> tuple[Arming, str]:
    note = notes.find((one for one in known.notes if one.applies_to(project)), wanted)
    text = (journal.content(vault, note.path) or b"").decode("utf-8")
    return Arming(note, when, note.when, note.when != when), text
