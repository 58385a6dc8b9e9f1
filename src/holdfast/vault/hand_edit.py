"""An edit by hand that comes from a form: saved where the note is as it was shown, and committed as the person's.

Promise: nobody's words are lost. Whatever an editor, another form or a command saved since the text was shown stays,
and the one who comes later is told, with their own text still before them. A text that is no note is not saved, since
nothing would read it. It goes the way of every change of ours: the gate, the journal, one commit, the briefs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.errors import Conflict, NotFound, UsageError
from holdfast.vault import index, notes
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from holdfast.capture.gate import Asker

CAUSE = "hand"  # as for what a person changes in an editor (vault/transaction)


def save(vault: str, path: str, text: str, base: str, now: float, *, by: Asker) -> str:
    """Replace a note's text; returns the commit, "" where nothing differs. Raises Conflict, NotFound, UsageError."""
    gate.require(by, gate.Change(gate.RULE, about=path), "Editing a note by hand")
    _refuse_unreadable(path, text)
    with writing(vault, now) as writer:
        current = writer.read(path)
        if current is None:
            raise NotFound(f"{path} is gone; nothing was changed. `holdfast history` has what it said.")
        if current != base:
            raise Conflict(_changed(path))
        if text == current:
            return ""
        subject = f"edited by hand: {path}"
        who = writer.repository.person()
        applied = writer.commit(subject, {path: text}, cause=CAUSE, by=by, author=who, planned_on={path: base})
        if path in applied.skipped:
            raise Conflict(_changed(path))
        return applied.commit


def _refuse_unreadable(path: str, text: str) -> None:
    if not index.is_note_path(path):
        raise UsageError(f"{path} is no note; nothing was changed.")
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > notes.LARGEST:
        raise UsageError(f"The text has {size:,} bytes, {notes.LARGEST:,} is the most; nothing was changed.")
    found = notes.from_text(path, text)
    if isinstance(found, notes.Broken):
        raise UsageError(
            f"Nobody could read that as a note (line {found.line}: {found.reason}); nothing was changed. Mend it."
        )
    if not found.body.strip():
        raise UsageError("The note would say nothing; nothing was changed. Forgetting it takes it out.")


def _changed(path: str) -> str:
    return f"{path} was changed since you were shown it; that change was kept, and yours was not saved."
