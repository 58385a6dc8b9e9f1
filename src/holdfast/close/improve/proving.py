"""Whether a snag's lesson was taken, seen from the ledger when a session is over.

    proven     its note was told before a call, and in the rest of that session the call was not made again as it was
               and none that the note waits for failed; or the better path that it names was taken, and nothing failed
    recurred   its note was told, and a call that it waits for failed after that

A call that was repeated as it was and did not fail proves nothing: the note may not have fitted. Both are kept in the
improvement's record with the session, so that a later recurrence reopens a loop that was proven, and a later proof
closes it again. Run twice, it comes to the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, ledger_history
from holdfast.capture.episodes import session_of
from holdfast.capture.ledger_history import Wanted
from holdfast.close.improve import record as improve_record
from holdfast.close.improve.record import APPLIED
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.episodes import Episode
    from holdfast.close.improve.record import Record

AGAIN, FAILED, BETTER = "again", "failed", "better"


def observe(vault: str, state: str, now: float, episode: Episode) -> list[Record]:
    """Note what an ended session has shown about the loops whose notes were told in it; returns those that changed."""
    known = [one for one in improve_record.everything(vault, (APPLIED,)) if one.note and one.time < now]
    if not known:
        return []
    seen = outcomes(_records(state, episode))
    changed = [made for one in known if one.note in seen and (made := noted(one, episode.key, *seen[one.note])) != one]
    if changed:
        with writing(vault, now) as writer:
            texts: dict[str, str | None] = {one.path: improve_record.render(one) for one in changed}
            subject = f"loops: {_subject(changed)}"
            writer.commit(
                subject, texts, cause="loops", by=gate.BY_CLOSE, planned_on={path: writer.read(path) for path in texts}
            )
    return changed


def _records(state: str, episode: Episode) -> Iterable[dict[str, Any]]:
    wanted = Wanted(session=session_of(episode.key), kinds=("injection", "armed"), since=episode.opened)
    return (one for one in ledger_history.read(state, wanted) if one.get("episode") == episode.key)


def outcomes(records: Iterable[dict[str, Any]]) -> dict[str, tuple[str, float]]:
    """By the path of each note that was told before a call: proven, recurred or "", and when that was seen."""
    told: dict[str, float] = {}
    after: dict[str, list[str]] = {}
    last: dict[str, float] = {}
    for one in records:
        when = float(one.get("t", 0.0))
        if one.get("kind") == "injection" and one.get("armed"):
            for path in one.get("carried") or ():
                told.setdefault(str(path), when)
                last[str(path)] = when
        elif one.get("kind") == "armed" and str(one.get("path")) in told:
            after.setdefault(str(one["path"]), []).append(str(one.get("how")))
            last[str(one["path"])] = when
    return {path: (_outcome(after.get(path, [])), last[path]) for path in told}


def _outcome(calls: list[str]) -> str:
    if FAILED in calls:
        return "recurred"
    return "proven" if BETTER in calls or AGAIN not in calls else ""


def noted(record: Record, episode: str, outcome: str, when: float) -> Record:
    """The record with what a session has shown; as it was where that is known or says nothing."""
    if outcome == "proven" and when > record.proven_at:
        return replace(record, proven=episode, proven_at=when)
    if outcome == "recurred" and when > record.recurred_at:
        return replace(record, recurred=episode, recurred_at=when)
    return record


def _subject(changed: list[Record]) -> str:
    proven = sum(one.proven_at > one.recurred_at for one in changed)
    parts = [f"{proven} proven"] if proven else []
    parts += [f"{len(changed) - proven} came again"] if len(changed) > proven else []
    return ", ".join(parts)
