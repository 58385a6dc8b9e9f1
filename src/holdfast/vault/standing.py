"""What a commit changes of what binds: each note before and after it, as the gate is asked about it.

A note binds as long as it is in force: not in quarantine, not superseded, not waiting for the user's word. Other words
in a note are another note, so the old one is lifted and the new one made; what stands below "Evidence", dates and
sources are no words of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.capture.gate import LIFTED, MADE, Asker, Change
from holdfast.model import TRUSTED
from holdfast.vault import armed_file, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.vault.index import Index, Known

OF_KIND = {
    "rule": gate.RULE,
    "identity": gate.IDENTITY,
    "feedback": gate.LESSON,
    "project": gate.DECISION,
    "knowledge": gate.FACT,
}
SAID = {gate.STOP: "a rule that says never or ask", gate.IDENTITY: "who the user is", gate.ARMED: "an armed note"}


def of(known: Known | None) -> set[str]:
    """As what a note binds; nothing where there is none, or it is not in force. What waits for the user's word binds
    nobody, and yet is not an outsider's to take away, nor an order of the user an agent's."""
    if known is None or known.note.is_beside or known.note.path.startswith(f"{notes.QUARANTINE}/"):
        return set()
    note = known.note
    if note.status in notes.WAITING:
        return {gate.PREFERENCE if note.origin == "user" else gate.FACT}
    if not note.is_active:
        return set()
    if note.origin not in TRUSTED:
        return {gate.FACT}  # outside text is shown as such, and binds nobody (notes.is_always_on, vault/armed_file)
    found = {OF_KIND.get(note.kind, gate.FACT)}
    if note.policy in ("never", "ask") or armed_file.policy(note, known.named or None if note.when is None else None):
        found.add(gate.STOP)
    if note.when or (note.when is None and known.named):
        found.add(gate.ARMED)
    return found


def changes(before: Known | None, after: Known | None) -> Iterator[Change]:
    """What becomes binding with a change of one note, and what no longer is."""
    lost, gained = of(before), of(after)
    if before and after and _words(before) == _words(after):
        same = lost & gained - ({gate.ARMED} if before.note.when != after.note.when else set())
        lost, gained = lost - same, gained - same
        if before.note.when is False and after.note.when is not False:
            lost = lost | {gate.ARMED}  # that it waits for no call was somebody's wish
    about = next((one.note.path for one in (after, before) if one), "")
    for what in sorted(lost):
        yield Change(what, LIFTED, about, held=before.note.origin if before else "user")
    for what in sorted(gained):
        yield Change(what, MADE, about)


def _words(known: Known) -> tuple[str, ...]:
    note = known.note
    return known.digest, note.kind, note.policy, note.project


def refuse(by: Asker, paths: Iterable[str], before: Index, after: Index) -> None:
    """Raises gate.Refused where a commit of these files changes more of what binds than its asker may."""
    if by.who == gate.CLOSE:
        return  # each flag was decided on by its own origin
    for path in paths:
        for change in changes(before.known.get(path), after.known.get(path)):
            if gate.decide(by, change) != gate.APPLY:
                what = SAID.get(change.what, f"a {change.what}")
                gate.require(by, change, f"{'Changing' if change.how == LIFTED else 'Making'} {what} ({path})")
