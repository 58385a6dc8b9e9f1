"""Proposals: edits that wait for a person's word, each as a diff with the reason why it was not simply made.

    .state/proposals/<id>            one edit, durable, for the owner's eyes only
    .state/proposals/decided/<id>    what was rejected; whoever proposes the same again is not heard
    .state/proposals/made/<id>       what was accepted, so that it can wait again

A skill without the user's standing permission, a judge's decision that was refused, a claim that the evidence
contradicts: all of them wait here, none of them is lost, and nothing but a person's `holdfast review` makes them true.
An edit is made only where the file still is what it was planned on, or where the two can be merged; that of a skill,
which lies outside the vault, only as this machine has planned it itself (close/improve/skills).
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, notices, platform, same_project
from holdfast.capture.redaction import redact
from holdfast.close.improve import edit_record, skills
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.model import VERSION
from holdfast.vault import journal, notes
from holdfast.vault.merge import merge, patch
from holdfast.vault.review import Reviewed
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Iterable

SKILL, NOTE, CLAIM, SLEEP = "skill", "note", "claim", "sleep"
SHORTEST = 4  # letters of an id that name one
LARGEST = 4 << 20
MADE, DECIDED = "made", "decided"
ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True)
class Proposal:
    """One edit. `path` lies in the vault, or is a skill's full path; `before` is what it was planned on (None: no
    file), `after` what the file shall be (None: nothing is written, a person has to know). `sources` are flags."""

    id: str
    time: float
    project: str
    kind: str
    path: str = ""
    why: str = ""
    diff: str = ""
    before: str | None = None
    after: str | None = None
    sources: tuple[str, ...] = ()


def leave(state: str, proposal: Proposal) -> bool:
    """Keep a proposal for review; False where a person has rejected this very one. Raises OSError, UsageError."""
    if not ID.fullmatch(proposal.id):
        raise UsageError(f'"{proposal.id}" is no id for a proposal; nothing was kept.')
    if os.path.exists(f"{_folder(state)}/{DECIDED}/{proposal.id}"):
        return False
    diff = proposal.diff
    if not diff and proposal.after is not None and proposal.after != proposal.before:
        diff = patch(proposal.path, proposal.before, proposal.after)
    record = asdict(replace(proposal, diff=diff, why=redact(" ".join(proposal.why.split()))[0][:600]))
    platform.make_folders(_folder(state))
    platform.write_atomic(_path(state, proposal.id), codec.encode({"v": VERSION, **record}), durable=True)
    return True


def listing(state: str, project: str | None = None) -> list[Proposal]:
    """The proposals that wait, oldest first; of one project and of none where one is named."""
    found = [_read(state, name) for name in platform.names(_folder(state)) if not name.endswith(".tmp")]
    ids = same_project.ids(state.removesuffix("/.state"), project) if project else ()
    mine = [one for one in found if one and (project is None or one.project in ("", notes.GLOBAL, *ids))]
    return sorted(mine, key=lambda one: (one.time, one.id))


def find(state: str, wanted: str, project: str | None = None) -> Proposal | None:
    """The proposal whose id begins or ends so; None where there is none. Raises NotFound where several do."""
    asked = wanted.strip()
    if len(asked) < SHORTEST:
        return None
    known = listing(state, project)
    found = [one for one in known if one.id == asked] or [
        one for one in known if one.id.upper().startswith(asked.upper()) or one.id.upper().endswith(asked.upper())
    ]
    if len(found) > 1:
        some = ", ".join(one.id for one in found[:3])
        raise NotFound(f'"{wanted}" may be {some}; nothing was changed. Say more of the id.')
    return found[0] if found else None


def accept(vault: str, state: str, ident: str, now: float, *, by: gate.Asker) -> Reviewed:
    """Make the edit, by a person's word; it is theirs to take back with `holdfast loops --undo` or `holdfast undo`."""
    proposal = _decidable(state, ident, by)
    with writing(vault, now) as writer:
        made = [_make(writer, proposal, by), settle_records(writer, proposal, edit_record.APPLIED)]
    _move(state, proposal.id, MADE)
    _hush(state, proposal)
    return Reviewed("accept", proposal.path or proposal.id, proposal.path, tuple(filter(None, made)))


def reject(vault: str, state: str, ident: str, now: float, *, by: gate.Asker) -> Reviewed:
    """Let it be. It is kept aside, and not proposed again."""
    proposal = _decidable(state, ident, by)
    with writing(vault, now) as writer:
        commit = settle_records(writer, proposal, edit_record.REJECTED)
    _move(state, proposal.id, DECIDED)
    if proposal.kind == SKILL:
        skills.drop(proposal.id)
    _hush(state, proposal)
    return Reviewed("reject", proposal.path or proposal.id, "", (commit,) if commit else ())


def reopen(state: str, ident: str) -> bool:
    """Let a decided proposal wait again; False where there was none of that id. Raises OSError."""
    for aside in (MADE, DECIDED):
        path = f"{_folder(state)}/{aside}/{ident}"
        if ID.fullmatch(ident) and platform.is_there(path):
            os.replace(path, _path(state, ident))
            return True
    return False


def withdraw(state: str, sources: Iterable[str]) -> None:
    """Drop the proposals for these flags: the edit that it belonged to was taken back."""
    gone = set(sources)
    for one in listing(state):
        if one.sources and gone.issuperset(one.sources):
            platform.remove(_path(state, one.id))


def _make(writer: Writer, proposal: Proposal, by: gate.Asker) -> str:
    """The commit; "" where nothing of the vault had to be changed."""
    if proposal.after is None:
        return ""
    if proposal.kind == SKILL:
        if not skills.carry_out(proposal):
            raise HoldfastError(_clash(proposal))
        return ""
    journal.inside(writer.vault, proposal.path)
    current = writer.read(proposal.path)
    merged = merge(proposal.path, base=proposal.before, ours=current, theirs=proposal.after)
    if merged.conflict:
        raise HoldfastError(_clash(proposal))
    if merged.text == current:
        return ""
    subject, planned_on = f"review: accept an edit of {proposal.path}", {proposal.path: current}
    applied = writer.commit(subject, {proposal.path: merged.text}, cause="review", by=by, planned_on=planned_on)
    if proposal.path in applied.skipped:
        raise HoldfastError(f"{proposal.path} was edited at this very moment; the edit was kept. Run it again.")
    return applied.commit


def _clash(proposal: Proposal) -> str:
    return (
        f"{proposal.path} has changed where this edit would change it; nothing was changed, and it still waits. "
        f"`holdfast review --diff {proposal.id}` shows it: make it by hand, then --reject it."
    )


def settle_records(writer: Writer, proposal: Proposal, state: str) -> str:
    """The snags that it came from know what was decided. The commit, "" where there are none."""
    texts: dict[str, str | None] = {}
    why = "" if state == edit_record.APPLIED else "a person rejected it"
    for ident in proposal.sources:
        record = edit_record.find(writer.vault, ident)
        if record and record.file == proposal.path and record.state in (edit_record.PROPOSED, edit_record.WAITING):
            plan = skills.find_plan(record.id) if record.is_of_skill else None
            found = skills.skill_of(plan) if plan else None
            after = edit_record.text_digest(found.text) if found else record.after
            texts[record.path] = edit_record.render(replace(record, state=state, why=why, after=after))
    if not texts:
        return ""
    word = "reject" if why else "accept"
    return writer.commit(f"review: {word} what a snag asks for", texts, cause="review", by=gate.BY_UPKEEP).commit


def _hush(state: str, proposal: Proposal) -> None:
    for ident in proposal.sources:
        notices.remove(state, notice_name(ident), proposal.project)


def notice_name(ident: str) -> str:
    return f"snag-{ident}"


def _decidable(state: str, ident: str, by: gate.Asker) -> Proposal:
    """The proposal, where it is there and its asker may decide on it."""
    found = find(state, ident)
    if not found:
        raise NotFound(f'There is no proposal "{ident}"; nothing was changed. `holdfast review` lists them.')
    gate.require(by, gate.Change(gate.RULE, about=found.path), "Deciding on an edit")
    return found


def _read(state: str, name: str) -> Proposal | None:
    try:
        record: dict[str, Any] = codec.decode(platform.read_file(_path(state, name), LARGEST))
        known = {field: record[field] for field in Proposal.__dataclass_fields__}
        return Proposal(**{**known, "sources": tuple(known["sources"])}) if record["id"] == name else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _move(state: str, ident: str, aside: str) -> None:
    platform.make_folders(f"{_folder(state)}/{aside}")
    os.replace(_path(state, ident), f"{_folder(state)}/{aside}/{ident}")


def _folder(state: str) -> str:
    return f"{state}/proposals"


def _path(state: str, ident: str) -> str:
    return f"{_folder(state)}/{ident}"
