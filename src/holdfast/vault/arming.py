"""Arming and disarming a note: its `when` is changed, every other byte of it stays.

A `when` that could never match, or would at every tool call, is refused with the reason: a note that never comes back
is forgotten, and one that always does is noise. Without conditions a note is armed by its own words; a note that is
disarmed although its words name calls says `when: false`, or the next change would arm it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate
from holdfast.errors import HoldfastError, UsageError
from holdfast.vault import armed, index, journal, named_calls, notes
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vault.notes import Note


Wish = Any  # a `when`; False: none; None: what the note's own words name


@dataclass(frozen=True)
class Arming:
    """One note before and after. `is_changed` is False where it was so already."""

    note: Note
    when: dict[str, Any] | None
    before: Any
    is_changed: bool


def arm(
    vault: str,
    now: float,
    wanted: str,
    project: str,
    when: Mapping[str, Any],
    *,
    by: gate.Asker,
    dry_run: bool = False,
) -> Arming:
    """Let a note come back at these tool calls, or at those that its words name. Raises UsageError, NotFound."""
    asked = {key: given for key, given in when.items() if given is not None and given != []}
    problems = armed.problems(asked) if asked else []
    if problems:
        raise UsageError(f"{' '.join(problems)} Nothing was changed.")
    return _change(vault, now, wanted, project, asked or None, by, dry_run=dry_run)


def disarm(vault: str, now: float, wanted: str, project: str, *, by: gate.Asker, dry_run: bool = False) -> Arming:
    """Let a note wait for no tool call any more. Raises NotFound."""
    return _change(vault, now, wanted, project, False, by, dry_run=dry_run)


def _change(vault: str, now: float, wanted: str, project: str, when: Wish, by: gate.Asker, *, dry_run: bool) -> Arming:
    if dry_run:
        planned, text, value = _planned(vault, index.load(vault), wanted, project, when)
        notes.with_fields(text, when=value)
        return planned
    with writing(vault, now) as writer:
        planned, text, value = _planned(vault, writer.index, wanted, project, when)
        if planned.is_changed:
            path = planned.note.path
            cause = "arm" if planned.when else "disarm"
            texts = {path: notes.with_fields(text, when=value)}
            subject = f"{cause}: {planned.note.name}"
            if path in writer.commit(subject, texts, cause=cause, by=by, planned_on={path: text}).skipped:
                raise HoldfastError(f"{path} was edited at this very moment; the edit was kept. Run it again.")
    return planned


def _planned(vault: str, known: index.Index, wanted: str, project: str, when: Wish) -> tuple[Arming, str, Wish]:
    """The change, the note's text, and what its `when` is to say: None is by its own words."""
    note = notes.find((one for one in known.notes if one.applies_to(project)), wanted)
    text = (journal.content(vault, note.path) or b"").decode("utf-8")
    found = notes.from_text(note.path, text)
    named = named_calls.as_record(found, found.body) if isinstance(found, notes.Note) else {}
    own = (named.get("forbidden") or named.get("named")) if named else None
    before = note.when or (own if note.when is None else None)
    if when is None and not own:
        raise UsageError(
            f"{note.path} names no file, command, package or setting that tool calls could be told by; nothing was "
            "changed. Say when it should come back: --tool, --word, --path, --run, --write, …"
        )
    value = when if when or when is None or own else None
    after = value or (own if value is None and when is None else None)
    return Arming(note, after, before, note.when != value), text, value
