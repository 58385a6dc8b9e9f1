"""A person's word on what sleep did: a step is taken back, a thought fetched from the archive, a refusal overruled.

A step that is taken back stays in the log, a further record says that it does not count, and the next night does not
take it again. With a summary or bridge goes the thought that it made, and what it had replaced stands again; everything
else of that night stays. A change that the trial refused is made after all where a person accepts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.errors import NotFound, UsageError
from holdfast.field import intake, steps, traffic
from holdfast.field.steps import BRIDGED, CONSOLIDATED, SUPERSEDED, UNDONE, Step, step_id
from holdfast.sleep import archive, plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.handle import Field

SHORTEST = 4
MADE = (CONSOLIDATED, BRIDGED)


def undo(field: Field, wanted: str, *, by: gate.Asker) -> tuple[Step, ...]:
    """Take back the step of an id, or of the end or beginning of one. Raises NotFound, UsageError, Refused."""
    gate.require(by, gate.Change(gate.FACT, gate.LIFTED), "Taking back a step of sleep")
    known = steps.everything(field.vault)
    gone = {one.by for one in known if one.kind == UNDONE}
    one = _found(known, wanted)
    also = [other for other in known if one.kind in MADE and other.kind == SUPERSEDED and other.by == one.by]
    left = [each for each in (one, *also) if each.id not in gone]  # a disk that failed may have taken a part
    if not left:
        raise UsageError(f"{one.id} was taken back already; nothing was changed.")
    now = field.clock()
    made = [Step(step_id(UNDONE, (), each.id), now, UNDONE, _made(each), each.id, night=each.night) for each in left]
    _write(field, made, f"sleep: {one.kind} {one.id} is taken back", by)
    return tuple(made)


def _made(step: Step) -> tuple[str, ...]:
    return (step.by,) if step.kind in MADE and step.by else ()


def restore(field: Field, ids: Sequence[str], *, by: gate.Asker) -> Step:
    """Fetch thoughts back from the archive. Raises NotFound, Refused."""
    gate.require(by, gate.Change(gate.FACT, gate.MADE), "Fetching a thought back from the archive")
    intake.synced(field)
    one = archive.restoring(field.vault, field.store, tuple(dict.fromkeys(ids)), field.clock())
    _write(field, [one], f"sleep: {len(one.ids)} fetched back from the archive", by)
    return one


def accept(vault: str, ident: str, now: float, *, by: gate.Asker) -> bool:
    """Make a change that was refused; False where nothing is known of it. Doing it again changes nothing."""
    found = plan.kept_refusal(vault, ident)
    if found is None:
        return False
    gate.require(by, gate.Change(gate.FACT), "Making a change of sleep")
    from holdfast.vault.transaction import writing

    with writing(vault, now) as writer:
        done = {one.id for one in steps.everything(vault)}
        if not any(one.id in done for one in found.steps):
            paths = [traffic.append(vault, found.thoughts, now)] if found.thoughts else []
            paths.append(steps.append(vault, found.steps, now))
            texts = {path: writer.read(path) for path in paths}
            writer.commit(f"sleep: {found.id} is made by the user's word", texts, cause="sleep", by=by)
    plan.drop_refusal(vault, ident)
    return True


def _found(known: Sequence[Step], wanted: str) -> Step:
    asked = wanted.strip()
    listed = [one for one in known if one.kind != UNDONE]
    exact = [one for one in listed if one.id == asked]
    like = [one for one in listed if one.id.startswith(asked) or one.id.endswith(asked)]
    found = exact or (like if len(asked) >= SHORTEST else [])
    if not found:
        raise NotFound(
            f'There is no step of sleep "{asked[:60]}"; nothing was changed. `holdfast sleep --last` has ids.'
        )
    if len(found) > 1:
        raise UsageError(f'"{asked[:60]}" may be {found[0].id} or {found[1].id}; nothing was changed. Say more of it.')
    return found[0]


def _write(field: Field, made: Sequence[Step], subject: str, by: gate.Asker) -> None:
    from holdfast.vault.transaction import writing

    with writing(field.vault, field.clock()) as writer:
        path = steps.append(field.vault, made, field.clock())
        writer.commit(subject, {path: writer.read(path)}, cause="sleep", by=by)
    intake.synced(field)
