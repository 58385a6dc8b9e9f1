"""A snag that comes again: its note waits for more calls from now on, and both records say so.

The same snag flagged after a close had wired it means that its note did not come back where it was needed. So the
calls that it waits for are widened one step: from a file to its folder, from a file without one or a folder without a
parent to its ending or its own parent, from a command to one word less, from one tool of a server to all of them.
What would fire at every step is never taken: then the loop stays open and says why. `holdfast loops --undo` of the
later snag puts the narrower calls back.

Whether a snag's lesson was taken, seen from the ledger when a session is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, ledger
from holdfast.capture.episodes import Episode, session_of
from holdfast.close.improve import edits as improve_edits
from holdfast.close.improve import record as improve_record
from holdfast.close.improve import snag as arming
from holdfast.close.improve.record import APPLIED, NOTED, Record
from holdfast.vault import armed, notes
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.close.filing import Filing
    from holdfast.model import Flag


STEPS = 3  # that a second wording may need until it is covered
SHARED = 2  # words of a snag and of a note's first line, for its records to be looked at
ALIKE = 0.6  # of the words of two snags


@dataclass(frozen=True)
class Again:
    """The earlier snag, its note as it is now, and the wider `when`; None where there is none that may be."""

    earlier: Record
    note: notes.Note
    text: str
    when: dict[str, Any] | None


def find(filing: Filing, flag: Flag, snag: arming.Snag) -> Again | None:
    """The snag that this one repeats, where an earlier close has dealt with it."""
    project = flag.project or notes.GLOBAL
    named, words = arming.derived(snag), _words(snag.wrong)
    for known in filing.known.notes:
        if known.kind not in ("feedback", "knowledge") or known.project != project or not known.is_active:
            continue
        if (not named or known.when != named) and len(words & _words(f"{known.name} {known.description}")) < SHARED:
            continue  # its records need not be read
        for record in _records(filing, known):
            if record.time >= flag.time or not _is_same(record, snag):
                continue
            found = improve_edits.note_at(filing, known.path)
            if found and improve_edits.may_change(flag, found[0]):
                when = found[0].when if isinstance(found[0].when, dict) else None
                return Again(record, *found, wider(when, named) if when else named)
    return None


def _records(filing: Filing, note: notes.Note) -> Iterator[Record]:
    for ident in note.sources:
        path = improve_record.path_of(ident)
        record = improve_record.read(path, filing.text(path)) if improve_record.is_id(ident) else None
        if record and record.state in (APPLIED, NOTED) and record.note == note.path and not record.again:
            yield record


def _is_same(record: Record, snag: arming.Snag) -> bool:
    if not record.wrong:
        return False
    ours, theirs = _words(snag.wrong), _words(record.wrong)
    return bool(ours and theirs) and len(ours & theirs) / len(ours | theirs) >= ALIKE


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]{3,}", text.casefold()) if word not in ("the", "and", "was", "again")}


def wider(when: dict[str, Any], other: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """One step wider, or as many as it takes to cover what the later wording names; None where that is every day."""
    made: dict[str, Any] | None = when
    for _ in range(STEPS):
        made = _step(made) if made else None
        if made is None or armed.problems_of(made) or arming.is_everyday(made):
            return None
        if other is None or other == when or _covers(made, other):
            return made
    return made


def _step(when: dict[str, Any]) -> dict[str, Any] | None:
    paths, words, tool = _list(when, "paths"), _list(when, "words"), _list(when, "tool")
    if paths:
        grown = [one for one in (_around(path) for path in paths) if one]
        return {**when, "paths": list(dict.fromkeys(grown))} if len(grown) == len(paths) else None
    if len(words) > 1:
        return {**when, "words": words[:-1]}
    if not words and len(tool) == 1 and tool[0].startswith("mcp__") and not tool[0].endswith("*"):
        return {**when, "tool": f"{tool[0].rpartition('__')[0]}__*"}
    return None


def _list(when: dict[str, Any], key: str) -> list[str]:
    value = when.get(key)
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []


def _around(path: str) -> str:
    """The folder of a file, the parent of a folder, else all files with the same ending; "" where nothing is left."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if folder and folder not in ("~", "."):
        return f"{folder}/"
    ending = name.rpartition(".")[2] if "." in name.strip(".") else ""
    return f"*.{ending}" if ending and not name.startswith("*.") else ""


def _covers(when: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the files that the later wording names are among those waited for; what names none is covered."""
    theirs = _list(other, "paths")
    ours = armed.read({"paths": _list(when, "paths")})
    return all(bool(ours.paths) and armed.matches(ours, "", "", [one]) for one in theirs)


AGAIN, FAILED, BETTER = "again", "failed", "better"


def observe(vault: str, state: str, now: float, episode: Episode) -> list[Record]:
    """Note what an ended session has shown about the loops whose notes were told in it; returns those that changed."""
    known = [one for one in improve_record.everything(vault, (APPLIED,)) if one.note and one.time < now]
    if not known:
        return []
    seen = outcomes(_ledger_records(state, episode))
    changed = [made for one in known if one.note in seen and (made := noted(one, episode.key, *seen[one.note])) != one]
    if changed:
        with writing(vault, now) as writer:
            texts: dict[str, str | None] = {one.path: improve_record.render(one) for one in changed}
            subject = f"loops: {_subject(changed)}"
            writer.commit(
                subject, texts, cause="loops", by=gate.BY_CLOSE, planned_on={path: writer.read(path) for path in texts}
            )
    return changed


def _ledger_records(state: str, episode: Episode) -> Iterable[dict[str, Any]]:
    wanted = ledger.Wanted(session=session_of(episode.key), kinds=("injection", "armed"), since=episode.opened)
    return (one for one in ledger.read(state, wanted) if one.get("episode") == episode.key)


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
