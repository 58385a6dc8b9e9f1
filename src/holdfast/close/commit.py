"""The notes, the handoff, the line and the user's prompts of one episode, as one commit.

Under the vault's lock the files are read once, the decisions are planned on them, and a decision that cannot be
carried out any more is filed verbatim. A note that a person saves at that very moment is theirs: it is waited for
once, then the flags get notes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gate, home, once, platform, purging, story
from holdfast.close import aftermath, session_record
from holdfast.close.filing import Filing
from holdfast.close.work import Closed, Work, is_over
from holdfast.model import TRUSTED, Flag
from holdfast.vault import brief, damage, lineage, prompts
from holdfast.vault.history import was_edited_by_hand as by_hand
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.clock import Clock
    from holdfast.close.decide import Deliberated
    from holdfast.close.improve.loops import Loop

ROUNDS = 3  # of a note that a person keeps saving: in the last one their flags get notes of their own


def add(writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None], judged: str = "") -> str:
    """Plan the file of an ended episode's prompts; its path, "" where the user typed nothing."""
    if not work.episode or not work.is_home:
        return ""
    state = home.state(writer.vault)
    typed = story.typed(state, work.key)
    if not typed:
        return ""
    path = prompts.path_for(work.episode, platform.machine())
    stored = writer.read(path)
    before = prompts.from_text(path, stored) if stored is not None else None
    if stored is not None and before is None:
        return ""  # somebody is in the middle of it: theirs is kept, the story has ours until it can be read
    after = prompts.render(prompts.added(before, work.episode, typed, answered(state, work.key), judged))
    if after != stored:
        filing.planned_on[path] = stored
        texts[path] = after
    return path


def answered(state: str, episode: str) -> Iterator[str]:
    """The sentences that the model was asked about and put properly, by what they are known by."""
    for ident, _, sentence in shown(state, episode):
        if once.read(state, episode, f"{once.ANSWERED}{ident}") is not None:
            yield prompts.key(sentence)


def shown(state: str, episode: str) -> Iterator[tuple[str, str, str]]:
    """Id, number of the prompt and words of each sentence that the model was asked about."""
    for line in (once.read(state, episode, once.SHOWN) or "").splitlines():
        ident, _, rest = line.partition("\t")
        number, _, sentence = rest.partition("\t")
        if sentence:
            yield ident, number, sentence


@dataclass(frozen=True)
class WrittenEpisode:
    """The result of writing. `filed` are the flags that are in the vault now, `is_settled` says whether everything was
    written, `verbatim` are the new notes that no judge has looked at, `loops` the snags that became edits."""

    closed: Closed
    filed: frozenset[str]
    is_settled: bool
    verbatim: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    thought: Deliberated | None = None  # that it was written by
    refused: str = ""  # why the system let us not write all of it


def write(vault: str, clock: Clock, work: Work, thought: Deliberated) -> WrittenEpisode:
    from holdfast.close import judged

    commit, path, number, pending = "", "", 0, list(work.flags)
    skipped, filed, discarded = set[str](), set[str](), set[str]()
    verbatim: list[str] = []
    loops: list[Loop] = []

    def done(*, is_settled: bool, refused: str = "") -> WrittenEpisode:
        there = "" if path in skipped else path
        closed = Closed(
            *(work.key, number, len(filed), there, commit),
            judge=thought.by,
            jobs=thought.jobs,
            discarded=len(discarded & filed),
            fell_back=thought.fell_back,
        )
        return WrittenEpisode(closed, frozenset(filed), is_settled, tuple(verbatim), tuple(loops), thought, refused)

    for nth in range(ROUNDS):
        with writing(vault, clock()) as writer:
            if purging.counted(home.state(vault)) != thought.purges:
                thought = _forgotten(vault, work)
            if not nth:
                aftermath.keep_refused(vault, writer.now, work.project, thought.refused)
            # Where no file can be put, a name of its own serves as well. A note that a person saves is waited for once.
            avoid = {one for one in skipped if nth > 1 or writer.read(one) is None}
            known, is_by_hand = writer.index, partial(by_hand, vault)
            filing = Filing(known, writer.read, work.folder, frozenset(avoid), is_by_hand, thought.doubts)
            found = _plan(vault, filing, pending, thought, work)
            for one in thought.decisions:
                if one.target in skipped and one.action == "supersede":
                    judged.take_back(filing, one)
            texts = filing.texts
            if work.ends and (work.is_home or not work.episode):
                told = session_record.add_handoff(writer, work, filing, texts, thought)
                path, number = told.path, told.number
                handoff = session_record.read(writer, told, texts) if work.episode else None
                session_record.add_lessons(work, handoff, filing, texts)
                aftermath.tell_findings(vault, writer.now, work, path, told.findings)
                session_record.add_line(writer, work, told, handoff, filing, texts)
                add(writer, work, filing, texts, thought.heard_by)
            else:
                number = len(lineage.names(vault, work.project)) + 1
            if not texts:
                filed |= {flag.id for flag in work.flags}
                loops += found
                return done(is_settled=True)
            subject, planned_on = _subject(work, number), filing.planned_on
            applied = writer.commit(
                subject, texts, cause="close", by=gate.BY_CLOSE, planned_on=planned_on, with_briefs=False, in_vain=True
            )
            commit = applied.commit or commit
            known = writer.index
        if applied.commit:
            # Before the flags leave the queue: a start in between finds them in the brief or as flags.
            brief.refresh_known(vault, known, only=work.project)
        skipped.update(one for one in applied.skipped if one in texts)
        kept = {ident: place for ident, place in filing.placed.items() if place not in applied.skipped}
        filed |= kept.keys() & {flag.id for flag in work.flags}
        discarded |= {ident for ident, place in kept.items() if place.startswith(f"{judged.FOLDER}/")}
        verbatim += [one for one in filing.verbatim if one not in applied.skipped]
        loops += [one for one in found if one.id in filed]
        pending = [flag for flag in pending if flag.id not in filed]
        if not any(one in texts for one in applied.skipped):
            return done(is_settled=True)
    return done(is_settled=False, refused=damage.sentence(vault, applied.refused, texts))


def _forgotten(vault: str, work: Work) -> Deliberated:
    """Something was purged while this was thought about, and may be in it: what is known is looked up anew, and nobody
    is asked again."""
    from holdfast.close.decide import deliberate

    why = "a note was purged meanwhile, so what was thought is not used"
    return replace(deliberate(None, vault, [work])[0], fell_back=why)


def _plan(vault: str, filing: Filing, pending: list[Flag], thought: Deliberated, work: Work) -> list[Loop]:
    """Every flag a place: as it was judged, as an improvement, else verbatim. Then what lasts of the user's words."""
    from holdfast.close import judged

    judged.know(filing, pending)
    left = {flag.id for flag in pending}
    for one in thought.decisions:
        if all(flag.id in left for flag in one.flags):
            judged.file(filing, one, thought.by)
    found = []
    # Words of the user that somebody put properly are filed with that, so it goes first.
    for flag in sorted(pending, key=lambda flag: not flag.answers):
        # Also where it is filed: a close that was killed here has not told of it.
        if is_loop(flag) and flag.id not in thought.doubts:
            from holdfast.close.improve import improvement

            around = improvement.Surroundings.of(vault, work.folder)
            found.append(improvement.file(filing, flag, thought.advice.get(flag.id), around))
        else:
            filing.file(flag)
    if work.tells:
        from holdfast.close import lasting

        lasting.file_lasting(filing, work, thought.lasting)
        lasting.file_repeated(vault, filing, work)
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
