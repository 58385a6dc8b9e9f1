"""The notes, the handoff and the line of one episode, as one commit, whoever thought about them before.

Under the vault's lock the files are read once, what was decided is planned on them, and what cannot be carried out any
more is filed verbatim. A note that a person saves at that very moment is theirs: it is waited for once, then the flags
get notes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gate, home, purging
from holdfast.close import aftermath, discards, session_record
from holdfast.close import prompts as typed
from holdfast.close.filing import Filing
from holdfast.close.work import Closed, is_over
from holdfast.model import TRUSTED
from holdfast.vault import brief, lineage, writable
from holdfast.vault.history import was_edited_by_hand as by_hand
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from holdfast.clock import Clock
    from holdfast.close.improve.loops import Loop
    from holdfast.close.think.decide import Deliberated
    from holdfast.close.work import Work
    from holdfast.model import Flag

ROUNDS = 3  # of a note that a person keeps saving: in the last one their flags get notes of their own


@dataclass(frozen=True)
class Written:
    """What was written. `filed` are the flags that are in the vault now, `is_settled` whether all that was to be
    written is, `verbatim` the new notes that no judge has looked at, `loops` the snags that became edits."""

    closed: Closed
    filed: frozenset[str]
    is_settled: bool
    verbatim: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    thought: Deliberated | None = None  # that it was written by
    refused: str = ""  # why the system let us not write all of it


def write(vault: str, clock: Clock, work: Work, thought: Deliberated) -> Written:
    commit, path, number = "", "", 0
    skipped: set[str] = set()
    pending = list(work.flags)
    filed: set[str] = set()
    verbatim: list[str] = []
    loops: list[Loop] = []
    discarded: set[str] = set()

    def done(*, is_settled: bool, refused: str = "") -> Written:
        there = "" if path in skipped else path
        closed = Closed(
            *(work.key, number, len(filed), there, commit),
            judge=thought.by,
            jobs=thought.jobs,
            discarded=len(discarded & filed),
            fell_back=thought.fell_back,
        )
        return Written(closed, frozenset(filed), is_settled, tuple(verbatim), tuple(loops), thought, refused)

    for nth in range(ROUNDS):
        with writing(vault, clock()) as writer:
            if purging.counted(home.state(vault)) != thought.purges:
                thought = _forgotten(vault, work)
            if not nth:
                aftermath.keep_refused(vault, writer.now, work.project, thought.refused)
            # Where no file can be put, a name of its own serves as well. A note that a person saves is waited for once.
            avoid = {one for one in skipped if nth > 1 or writer.read(one) is None}
            filing = Filing(
                writer.index,
                writer.read,
                work.folder,
                frozenset(avoid),
                is_by_hand=partial(by_hand, vault),
                doubts=thought.doubts,
            )
            found = _plan(vault, filing, pending, thought, work)
            for one in thought.decisions:
                if one.target in skipped and one.action == "supersede":
                    from holdfast.close import judged

                    judged.take_back(filing, one)
            texts = filing.texts
            if work.ends and (work.is_home or not work.episode):
                told = session_record.add_handoff(writer, work, filing, texts, thought)
                path, number = told.path, told.number
                session_record.add_lessons(writer, work, told, filing, texts)
                aftermath.tell_findings(vault, writer.now, work, path, told.findings)
                session_record.add_line(writer, work, told, filing, texts)
                typed.add(writer, work, filing, texts, thought.heard_by)
            else:
                number = len(lineage.names(vault, work.project)) + 1
            if not texts:
                filed |= {flag.id for flag in work.flags}
                loops += found
                return done(is_settled=True)
            subject = _subject(work, number)
            planned_on = filing.planned_on
            applied = writer.commit(
                subject,
                texts,
                cause="close",
                by=gate.BY_CLOSE,
                planned_on=planned_on,
                with_briefs=False,
                in_vain=True,
            )
            commit = applied.commit or commit
            known = writer.index
        if applied.commit:
            # Before the flags leave the queue: a start in between finds them in the brief or as flags.
            brief.refresh_known(vault, known, only=work.project)
        skipped.update(one for one in applied.skipped if one in texts)
        kept = {ident: place for ident, place in filing.placed.items() if place not in applied.skipped}
        filed |= kept.keys() & {flag.id for flag in work.flags}
        discarded |= {ident for ident, place in kept.items() if place.startswith(f"{discards.FOLDER}/")}
        verbatim += [one for one in filing.verbatim if one not in applied.skipped]
        loops += [one for one in found if one.id in filed]
        pending = [flag for flag in pending if flag.id not in filed]
        if not any(one in texts for one in applied.skipped):
            return done(is_settled=True)
    return done(is_settled=False, refused=writable.sentence(vault, applied.refused, texts))


def _forgotten(vault: str, work: Work) -> Deliberated:
    """Something was purged while this was thought about, and may be in it: what is known is looked up anew, and nobody
    is asked again."""
    from holdfast.close.think.decide import deliberate

    why = "a note was purged meanwhile, so what was thought is not used"
    return replace(deliberate(None, vault, [work])[0], fell_back=why)


def _plan(vault: str, filing: Filing, pending: list[Flag], thought: Deliberated, work: Work) -> list[Loop]:
    """Every flag a place: as it was judged, as an improvement, else verbatim. Then what lasts of the user's words."""
    discards.know(filing, pending)
    left = {flag.id for flag in pending}
    for one in thought.decisions:
        if all(flag.id in left for flag in one.flags):
            from holdfast.close import judged

            judged.file(filing, one, thought.by)
    found = []
    # Words of the user that somebody put properly are filed with that, so it goes first.
    for flag in sorted(pending, key=lambda flag: not flag.answers):
        # Also where it is filed: a close that was killed here has not told of it.
        if is_loop(flag) and flag.id not in thought.doubts:
            from holdfast.close.improve import closing as improve

            found.append(improve.file(filing, flag, thought.advice.get(flag.id), improve.Place.of(vault, work.folder)))
        else:
            filing.file(flag)
    if work.tells:
        from holdfast.close import lasting, repeated

        lasting.file(filing, work, thought.lasting)
        repeated.file(vault, filing, work)
    return found


def is_loop(flag: Flag) -> bool:
    """Whether it is what went wrong and the better path, from somebody who may change how we work."""
    return flag.kind == "snag" and flag.origin in TRUSTED and not flag.status


def _subject(work: Work, number: int) -> str:
    if not work.key:
        flags = "1 flag that belongs" if len(work.flags) == 1 else f"{len(work.flags)} flags that belong"
        return f"close: {flags} to no session"
    what = "flags of" if not is_over(work.episode) else "close of"
    return f"{what} session {number} of {work.project} ({episodes.session_of(work.key)[:40] or work.key})"
