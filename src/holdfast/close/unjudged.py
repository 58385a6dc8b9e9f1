"""Notes that were filed verbatim because no judge was there, consolidated by a later close that has one.

    unjudged/<project>     path and digest of each note that nobody has judged, and how often one was asked in vain

Only a file that is still byte for byte as it was filed is touched: one that a person has edited or armed since is
theirs. What the judge says is held against the notes' own words as on the first way, and what may not be done waits for
a person. Nothing is taken away: a note that goes into another stays in the vault as superseded, and only after the
other was written. The list is a help, no more: losing it costs tidiness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, locks, platform, purging
from holdfast.capture.ids import digest
from holdfast.close.filing import Filing, is_elsewhere
from holdfast.close.work import Closed
from holdfast.model import Flag
from holdfast.vault import index, journal, notes
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.clock import Clock
    from holdfast.close.groups import Decided, Refused
    from holdfast.close.judge_pool import Court

MOST = 24  # notes that one close takes up
TRIES = 3  # in vain, after which a note is left as it is
LARGEST = 1 << 20
KIND_OF = {"project": "decision", "rule": "rule", "knowledge": "fact", "feedback": "preference"}


@dataclass(frozen=True)
class Verbatim:
    """A note that was filed verbatim, its file's text, and the flag that it was."""

    note: notes.Note
    text: str
    flag: Flag


def remember(state: str, project: str, vault: str, paths: Iterable[str]) -> None:
    """These were filed verbatim. Raises OSError."""
    fresh = [(path, digest(text), 0) for path in paths if (text := journal.text(vault, path))]
    if not fresh:
        return
    with _list(state):
        rows = _rows(state, project)
        if len(rows) < LARGEST // 400:  # else nobody has judged for long, and what is listed is enough
            _write(state, project, [*rows, *fresh])


def consolidate(vault: str, clock: Clock, court: Court, project: str) -> Closed | None:
    """Let the judge look at some of them; the outcome, None where nothing was asked."""
    state = home.state(vault)
    purges = purging.counted(state)
    with _list(state):
        taken = _rows(state, project)[:MOST]
    if not taken or court.is_over:
        return None
    court.begin_round()
    known = index.load(vault)
    shown = [one for path, said, _ in taken if (one := _as_filed(vault, known, path, said))]
    merged = [one for one in shown if is_elsewhere(one.note, known)]
    if merged:
        with writing(vault, clock()) as writer:
            still = [one.note.path for one in merged if writer.read(one.note.path) == one.text]
            if still:
                _committed(writer, Filing(writer.index, writer.read), "", still, notes.day(writer.now), {})
        known = index.load(vault)
        shown = [one for one in shown if one not in merged]
    heard = court.heard
    jobs, decisions, refused, unanswered = _asked(court, vault, known, shown)
    commit, changed = "", 0
    if decisions or refused:
        by_id = {one.flag.id: one for one in shown}
        with writing(vault, clock()) as writer:
            if purging.counted(state) == purges:  # after a purge nothing of it is used: its words may be in it
                from holdfast.close import aftermath

                aftermath.keep_refused(vault, writer.now, project, refused)
                for decided in decisions:
                    made, count = _apply(writer, decided, [by_id[flag.id] for flag in decided.flags], court.by)
                    commit, changed = made or commit, changed + count
    again = {one.note.path for one in shown if one.flag.id in unanswered}
    was_heard = court.heard > heard  # one that is down, or at its cap, is asked again however often
    left = [(path, said, tries + was_heard) for path, said, tries in taken if path in again]
    looked_at = {path for path, _, _ in taken}
    # Notes that were looked at leave the list; without an answer they go to its end, and after a few tries away.
    with _list(state):
        rows = [row for row in _rows(state, project) if row[0] not in looked_at]
        _write(state, project, [*rows, *(row for row in left if row[2] < TRIES)])
    fell_back = court.why if unanswered else ""
    closed = Closed("", 0, 0, "", commit, judge=court.by, jobs=jobs, fell_back=fell_back, tidied=changed)
    return closed if jobs else None


def _asked(
    court: Court, vault: str, known: index.Index, shown: Sequence[Verbatim]
) -> tuple[int, list[Decided], list[Refused], set[str]]:
    """The number of questions asked, the decisions that may be carried out and that may not, and the ids of the flags
    about which no answer came."""
    from holdfast.close import consolidate as judging
    from holdfast.close import groups
    from holdfast.close.verify import handoff_check
    from holdfast.close.verify.evidence import Evidence
    from holdfast.judge.reading import Fence, nonce_for

    mine = {one.note.path for one in shown}
    made = groups.make([one.flag for one in shown], [note for note in known.notes if note.path not in mine])
    worth = [group for group in made if len(group.flags) > 1 or group.own]
    given = [judging.given(group, lambda note: journal.text(vault, note.path)) for group in worth]
    names = ["\0".join(flag.id for flag in group.flags) for group in worth]
    fences = [Fence(nonce_for(court.state, name)) for name in names]
    answers = court.ask_all([judging.question(one, fence) for one, fence in zip(given, fences, strict=True)])
    decisions: list[Decided] = []
    refused: list[Refused] = []
    unanswered: set[str] = set()
    for told, answer in zip(given, answers, strict=True):
        if answer is None:
            unanswered |= {flag.id for flag in told.flags.values()}
        else:
            good, bad = judging.accepted(answer, told)
            sound, unsound = handoff_check.sound(good, Evidence())
            decisions += sound
            refused += [*bad, *unsound]
    return len(given), decisions, refused, unanswered


def _as_filed(vault: str, known: index.Index, path: str, said: str) -> Verbatim | None:
    """The note, if its file is still what was filed."""
    from holdfast.close.groups import body_of, own_words, proofs_in

    one, text = known.known.get(path), journal.text(vault, path)
    if one is None or digest(text) != said or one.note.kind not in KIND_OF or not one.note.is_active:
        return None
    note = one.note
    if note.origin == "user" or note.policy or note.when or note.is_beside:
        return None
    project = "" if note.project == notes.GLOBAL else note.project
    ident = note.sources[0] if note.sources else path
    body = body_of(text)
    flag = Flag(ident, 0.0, "", "", project, KIND_OF[note.kind], own_words(body), proofs_in(body), note.origin)
    return Verbatim(note, text, flag)


def _apply(writer: Writer, decided: Decided, olds: Sequence[Verbatim], by: str) -> tuple[str, int]:
    """One decision on notes that are there already: what is to be read from now on first, then what it replaces. What
    changed since the judge saw it is left alone."""
    from holdfast.close import judged
    from holdfast.vault.history import was_edited_by_hand

    if any(writer.read(one.note.path) != one.text for one in olds):
        return "", 0
    day = notes.day(writer.now)
    filing = Filing(writer.index, writer.read, is_by_hand=lambda path: was_edited_by_hand(writer.vault, path))
    replaced = [one.note.path for one in olds]
    sources = list(dict.fromkeys(source for one in olds for source in one.note.sources))
    target = ""
    if decided.action == "new" and len(olds) > 1:
        anchors = [anchor for one in olds for anchor in one.note.anchors]
        target = judged.begin(filing, decided, by, day=day, sources=sources, supersedes=replaced, anchors=anchors)
    elif decided.action == "merge" and judged.merge(filing, decided, by, day=day, sources=sources):
        target = decided.target
    elif (
        decided.action == "supersede"
        and len(olds) == 1
        and judged.is_as_seen(filing, decided)
        and not filing.is_by_hand(decided.target)
    ):
        target, text = replaced[0], olds[0].text
        filing.put(target, notes.with_fields(text, supersedes=[decided.target], judged=by, edited=day))
        replaced = [decided.target]
    if decided.action != "discard" and not target:
        return "", 0
    more = {"left_out": decided.reason} if decided.action == "discard" else {}
    return _committed(writer, filing, target, [path for path in replaced if path != target], day, more)


def _committed(
    writer: Writer, filing: Filing, target: str, replaced: Sequence[str], day: str, more: dict[str, str]
) -> tuple[str, int]:
    """The note that stays, and those that it replaces. A new note is one commit with them, so that no kill leaves both
    in force. One that was there is written first, and they follow only if it was: a person may be saving it."""
    subject, planned_on = "close: notes that were filed verbatim, consolidated", dict(filing.planned_on)
    planned = {path: writer.read(path) for path in replaced}
    retired: dict[str, str | None] = {
        path: notes.with_fields(text or "", status="superseded", edited=day, **more) for path, text in planned.items()
    }
    commit, is_new = "", bool(target) and planned_on.get(target) is None
    if target and not is_new:
        applied = writer.commit(subject, filing.texts, cause="close", by=gate.BY_CLOSE, planned_on=planned_on)
        if target in applied.skipped:
            return "", 0
        commit = applied.commit
    texts = {**filing.texts, **retired} if is_new else retired
    subject += "" if is_new else ": what they replace"
    applied = writer.commit(subject, texts, cause="close", by=gate.BY_CLOSE, planned_on={**planned_on, **planned})
    if is_new and target in applied.skipped:  # a person took its name at that moment: then nothing is replaced
        before = {path: retired[path] for path in replaced}
        writer.commit(f"{subject}: taken back", planned, cause="close", by=gate.BY_CLOSE, planned_on=before)
        return "", 0
    return applied.commit or commit, bool(target) + sum(1 for path in replaced if path not in applied.skipped)


def _list(state: str) -> locks.held:
    """One at a time reads and writes the list."""
    platform.make_folders(f"{state}/unjudged")
    return locks.held(f"{state}/unjudged/lock")


def _rows(state: str, project: str) -> list[tuple[str, str, int]]:
    try:
        text = platform.read_file(_path(state, project), LARGEST).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    rows = (line.split("\t") for line in text.splitlines())
    return [(row[0], row[1], int(row[2])) for row in rows if len(row) == 3 and row[2].isdecimal()]


def _write(state: str, project: str, rows: Sequence[tuple[str, str, int]]) -> None:
    if rows:
        lines = "".join(f"{path}\t{said}\t{tries}\n" for path, said, tries in rows)
        platform.write_atomic(_path(state, project), lines.encode("utf-8", "surrogateescape"), durable=False)
    else:
        platform.remove(_path(state, project))


def _path(state: str, project: str) -> str:
    return f"{state}/unjudged/{digest(project)}"
