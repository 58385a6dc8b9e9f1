"""Notes that were filed verbatim because no judge was there, consolidated by a later close that has one.

    unjudged/<project>     path and digest of each note that nobody has judged, one a line

Only what is still word for word as it was filed is touched: a note that a person has edited since is theirs. Nothing
is taken away: a note that goes into another stays in the vault as superseded. The list is a help, no more.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.capture.ids import digest
from holdfast.model import Flag
from holdfast.vault import frontmatter, index, notes
from holdfast.vault.frontmatter import Unparsable
from holdfast.vault.notes import Note
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.clock import Clock
    from holdfast.close.consolidate import Decided
    from holdfast.close.court import Court
    from holdfast.close.filing import Filing

MOST = 24  # notes that one close takes up
LARGEST = 1 << 20
KIND_OF = {"project": "decision", "rule": "rule", "knowledge": "fact", "feedback": "preference"}


def remember(state: str, project: str, vault: str, paths: Iterable[str]) -> None:
    """These were filed verbatim. Raises OSError."""
    lines = []
    if _size(_path(state, project)) > LARGEST // 4:
        return  # nobody has judged for a long time: what is listed is enough for hundreds of closes
    for path in paths:
        found = notes.read(vault, path)
        if isinstance(found, Note):
            lines.append(f"{path}\t{index.body_digest(found.body)}\n")
    if lines:
        platform.make_folders(f"{state}/unjudged")
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        fd = os.open(_path(state, project), how, 0o600)
        try:
            os.write(fd, "".join(lines).encode("utf-8", "surrogateescape"))
        finally:
            os.close(fd)


def consolidate(vault: str, clock: Clock, court: Court, project: str) -> int:
    """Let the judge look at some of them; how many notes it changed. What it did not decide on stays as it is."""
    state = home.state(vault)
    listed = _listed(state, project)
    if not listed or court.is_over:
        return 0
    court.begin_round()
    known = index.load(vault)
    taken = dict(list(listed.items())[:MOST])
    shown = [note for path, said in taken.items() if (note := _as_filed(vault, known, path, said))]
    changed = 0
    if shown:
        decisions = _judged(court, vault, state, known, shown)
        if decisions is None:
            return 0  # nobody answered: they are looked at by a later close
        changed = _carry_out(vault, clock, court.by, shown, decisions) if decisions else 0
    _keep(state, project, {path: said for path, said in listed.items() if path not in taken})
    return changed


def _as_filed(vault: str, known: index.Index, path: str, said: str) -> Note | None:
    """The note, if it is still what was filed and a judge has not seen it."""
    one = known.known.get(path)
    if one is None or one.digest != said or not one.note.is_active or "judged" in one.note.fields:
        return None
    found = notes.read(vault, path)
    return found if isinstance(found, Note) and found.origin != "user" and found.kind in KIND_OF else None


def _as_flag(note: Note) -> Flag:
    """A note as the flag that it was: the judge decides on it as on any other."""
    from holdfast.close.consolidate import own_words

    project = "" if note.project == notes.GLOBAL else note.project
    ident = note.sources[0] if note.sources else note.path
    return Flag(ident, 0.0, "", "", project, KIND_OF[note.kind], own_words(note.body), (), note.origin)


def _judged(court: Court, vault: str, state: str, known: index.Index, shown: Sequence[Note]) -> list[Decided] | None:
    from holdfast.close import consolidate as judging
    from holdfast.close import groups
    from holdfast.judge.fencing import Fence, nonce_for

    mine = {note.path for note in shown}
    others = [note for note in known.notes if note.path not in mine]

    def body_of(note: Note) -> str:
        found = notes.read(vault, note.path)
        return found.body if isinstance(found, Note) else ""

    made = groups.make([_as_flag(note) for note in shown], others)
    given = [judging.given(group, body_of) for group in made if len(group.flags) > 1 or group.own]
    if not given:
        return []
    marks = [Fence(nonce_for(state, "\0".join(flag.id for flag in one.flags.values()))) for one in given]
    found = court.ask_all([judging.question(one, fence) for one, fence in zip(given, marks, strict=True)])
    if not any(found):
        return None
    decisions = []
    for answer, one in zip(found, given, strict=True):
        if answer is not None:
            decisions += judging.accepted(answer, one)[0]
    return decisions


def _carry_out(vault: str, clock: Clock, by: str, shown: Sequence[Note], decisions: Sequence[Decided]) -> int:
    from holdfast.close.filing import Filing

    by_id = {_as_flag(note).id: note for note in shown}
    with writing(vault, clock()) as writer:
        filing = Filing(writer.index, writer.read)
        for one in decisions:
            _apply(filing, one, [by_id[flag.id] for flag in one.flags], by, notes.day(writer.now))
        if not filing.texts:
            return 0
        subject = f"close: {len(filing.texts)} notes that were filed verbatim, consolidated"
        applied = writer.commit(subject, filing.texts, cause="close", planned_on=filing.planned_on)
        return sum(1 for path in filing.texts if path not in applied.skipped)


def _apply(filing: Filing, decided: Decided, olds: list[Note], by: str, day: str) -> None:
    """One decision on notes that are there already. What changed since the judge saw it is left alone."""
    from holdfast.close import judged

    if any(not _is_still(filing, note) for note in olds):
        return
    replaced = [note.path for note in olds]
    if decided.action == "discard":
        _retire(filing, replaced, day, left_out=decided.reason)
    elif decided.action == "new" and len(olds) > 1:
        if judged.begin(filing, decided, by, day=day, sources=_sources(olds), supersedes=replaced):
            _retire(filing, replaced, day)
    elif decided.action == "merge" and judged.merge(filing, decided, by, day=day, sources=_sources(olds)):
        _retire(filing, replaced, day)
    elif decided.action == "supersede" and len(olds) == 1 and judged.is_as_seen(filing, decided):
        text = filing.text(replaced[0]) or ""
        filing.put(replaced[0], notes.with_fields(text, supersedes=[decided.target], judged=by, edited=day))
        _retire(filing, [decided.target], day)


def _is_still(filing: Filing, note: Note) -> bool:
    try:
        return frontmatter.parse(filing.text(note.path) or "").body == note.body
    except Unparsable:
        return False


def _sources(olds: Sequence[Note]) -> list[str]:
    return list(dict.fromkeys(source for note in olds for source in note.sources))


def _retire(filing: Filing, paths: Sequence[str], day: str, **more: str) -> None:
    for path in paths:
        text = filing.text(path)
        if text is not None:
            filing.put(path, notes.with_fields(text, status="superseded", edited=day, **more))


def _listed(state: str, project: str) -> dict[str, str]:
    try:
        text = platform.read_file(_path(state, project), LARGEST).decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    pairs = (line.split("\t") for line in text.splitlines())
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def _keep(state: str, project: str, left: dict[str, str]) -> None:
    if left:
        lines = "".join(f"{path}\t{said}\n" for path, said in left.items())
        platform.write_atomic(_path(state, project), lines.encode("utf-8", "surrogateescape"), durable=False)
    else:
        platform.remove(_path(state, project))


def _path(state: str, project: str) -> str:
    return f"{state}/unjudged/{digest(project)}"


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
