"""The close without a model: claim, file verbatim, write the handoff, commit, acknowledge, take the mark away.

Promise: kill it between any two effects and run it again, and the vault comes out the same. Each episode is one commit
that names it. Flags are acknowledged only after that commit, and what a killed close has committed is recognised by
flag ids, by the handoff's own name and by the line in activity.log, so nothing is filed twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import episodes, home, ledger, marks, platform, queue, story
from holdfast.capture.episodes import Episode
from holdfast.capture.settle import Claim, Settlement
from holdfast.close import handoff
from holdfast.close.filing import Filing
from holdfast.errors import HoldfastError, NotSaved
from holdfast.vault import brief, lineage
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.clock import Clock
    from holdfast.model import Flag
    from holdfast.vault.writing import Writer

LEASE = 600.0
BATCH = 5000  # flags that one round takes
ROUNDS = 3  # a person who keeps saving the same note wins at last: what is left waits for the next close
ACTIVITY = "activity.log"


@dataclass(frozen=True)
class Closed:
    """What became of one episode, or ("") of the flags that belong to none."""

    episode: str
    number: int
    filed: int
    handoff: str
    commit: str
    error: str = ""


@dataclass(frozen=True)
class Work:
    """One episode's share of a close: what is known of it, its flags, oldest first, and the segments they lie in."""

    episode: Episode | None
    key: str
    project: str
    flags: tuple[Flag, ...]
    segments: tuple[str, ...] = ()


def drain(
    vault: str,
    clock: Clock = time.time,
    *,
    project: str = "",
    also_open: bool = False,
    say: Callable[[Closed], None] = lambda _: None,
) -> list[Closed]:
    """Close every episode that left something, and file the flags that belong to none.

    `project` narrows it to one; `also_open` files what episodes that still go on have flagged so far. It ends at the
    first failure, which is the vault's or the disk's and no flag's fault: everything that is left waits as before.
    """
    state = home.state(vault)
    settlement = Settlement(f"{state}/queue", clock)
    done: list[Closed] = []
    tried: set[tuple[str, str]] = set()
    while True:
        found = [one for one in _work(state, clock()) if (one.key, one.project) not in tried]
        work = [one for one in found if project in ("", one.project) and (also_open or _is_over(one.episode))]
        if not work:
            return done
        for one, claim in _claimed(settlement, _first(work)):
            tried.add((one.key, one.project))
            closed = _close(vault, clock, settlement, one, claim)
            if closed.filed or closed.commit or closed.error:
                _tell(state, clock(), one, closed)
                done.append(closed)
                say(closed)
            if closed.error:
                return done


def _work(state: str, now: float) -> list[Work]:
    """What there is to close, in the order in which it ended."""
    waiting: dict[tuple[str, str], list[queue.Entry]] = {}
    for entry in queue.read(f"{state}/queue", now).of(queue.WAITING):
        waiting.setdefault((entry.flag.episode, entry.flag.project), []).append(entry)
    for mark in marks.everywhere(state):
        waiting.setdefault((mark.episode, mark.project), [])
    found = []
    for (key, project), entries in waiting.items():
        flags = tuple(sorted((entry.flag for entry in entries), key=lambda flag: flag.id))
        places = tuple({entry.segment: None for entry in entries})
        found.append(Work(find_episode(state, key), key, project, flags, places))
    return sorted(found, key=lambda one: (_ended(one), one.key, one.project))


def _ended(work: Work) -> float:
    if work.episode and work.episode.closed:
        return work.episode.closed
    return max((flag.time for flag in work.flags), default=0.0)


def _first(work: list[Work]) -> list[Work]:
    """As much as one round takes."""
    taken: list[Work] = []
    count = 0
    for one in work:
        if taken and count + len(one.flags) > BATCH:
            break
        taken.append(one)
        count += len(one.flags)
    return taken


def find_episode(state: str, key: str) -> Episode | None:
    host, _, rest = key.partition("/")
    session, _, ordinal = rest.rpartition("/")
    return episodes.numbered(state, host, session, int(ordinal)) if ordinal.isdecimal() else None


def _claimed(settlement: Settlement, work: list[Work]) -> list[tuple[Work, Claim | None]]:
    """Each piece of work with a lease on its flags. Flags that somebody else holds by now are theirs."""
    ids = {flag.id for one in work for flag in one.flags}
    claim = settlement.claim(len(ids), LEASE, lambda flag: flag.id in ids) if ids else None
    held = {flag.id for flag in claim.flags} if claim else set()
    found: list[tuple[Work, Claim | None]] = []
    for one in work:
        mine = tuple(flag for flag in one.flags if flag.id in held)
        share = Claim(claim.id, claim.until, mine, one.segments) if claim and mine else None
        found.append((replace(one, flags=mine), share))
    return found


def _close(vault: str, clock: Clock, settlement: Settlement, work: Work, claim: Claim | None) -> Closed:
    try:
        filed, closed = _write(vault, clock, work)
        left = [flag.id for flag in work.flags if flag.id not in filed]
        if closed.commit:
            # Before they leave the queue: a start in between finds them in the brief or as flags, never in neither.
            brief.refresh_known(vault, only=work.project)
        if claim:
            settlement.acknowledge(claim, filed)
            settlement.release(claim, left)
    except (HoldfastError, OSError) as error:
        if claim:
            settlement.release(claim, [flag.id for flag in work.flags])
        return Closed(work.key, 0, 0, "", "", str(error))
    if not left and _is_over(work.episode):
        _tidy(home.state(vault), work)
    return closed


def _is_over(episode: Episode | None) -> bool:
    return episode is None or episode.state != episodes.OPEN


def _tidy(state: str, work: Work) -> None:
    """Nothing of it is left to do: its story, its places in the queue and its mark go, the mark last."""
    places = episodes.noted_segments(state, work.key)
    if any(queue.unfiled_of(f"{state}/queue", place, work.key, 0.0) != [] for place in places):
        return  # a flag came in late, or a segment cannot be read: the mark stays for the next close
    story.forget(state, work.key)
    episodes.forget_segments(state, work.key)
    marks.remove(state, work.project, work.key)


def _write(vault: str, clock: Clock, work: Work) -> tuple[set[str], Closed]:
    """The notes, the handoff and the line of one episode, as one commit. Returns the flags that are filed now."""
    commit = ""
    path = ""
    number = 0
    pending = list(work.flags)
    filed: set[str] = set()
    for _ in range(ROUNDS):
        with writing(vault, clock()) as writer:
            root = work.episode.cwd if work.episode else ""
            filing = Filing(writer.index, writer.read, root)
            for flag in pending:
                filing.file(flag)
            texts = dict(filing.texts)
            if _is_over(work.episode):
                path, number = _add_handoff(writer, work, filing, texts)
                _add_line(writer, work, path, texts)
            else:
                number = len(lineage.names(vault, work.project)) + 1
            if not texts:
                return {flag.id for flag in work.flags}, Closed(work.key, number, len(work.flags), path, commit)
            applied = writer.commit(_subject(work, number), texts, cause="close", planned_on=filing.planned_on)
            commit = applied.commit or commit
            filed |= {ident for ident, place in filing.placed.items() if place not in applied.skipped}
            pending = [flag for flag in pending if flag.id not in filed]
            if not applied.skipped:
                break
    return filed, Closed(work.key, number, len(filed), path, commit)


def _add_handoff(writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None]) -> tuple[str, int]:
    """The handoff of an ended episode, unless it has one: somebody's own words are better than ours."""
    listed = lineage.names(writer.vault, work.project)
    known = lineage.of_episode(writer.vault, work.project, work.key) if work.key else ""
    if known:
        return known, listed.index(known) + 1
    told = story.read(home.state(writer.vault), work.key)
    if not work.episode or not (work.flags or told.prompts or told.files):
        return "", len(listed) + 1
    made = handoff.make(work.episode, told, work.flags, filing.placed, tuple(_stem(one) for one in listed[-1:]))
    path = lineage.path_for(made, platform.machine())
    texts[path] = lineage.render(made)
    return path, sum(1 for one in listed if one < path) + 1


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _add_line(writer: Writer, work: Work, path: str, texts: dict[str, str | None]) -> None:
    """One line in activity.log: when, where, what about."""
    if not path or not work.episode:
        return
    found = lineage.from_text(path, texts.get(path) or writer.read(path) or "")
    topic = found.title if isinstance(found, lineage.Handoff) and found.title else "a session"
    line = activity_line(work.episode, topic)
    before = writer.read(ACTIVITY) or ""
    if line not in before:
        texts[ACTIVITY] = before + ("" if before.endswith("\n") or not before else "\n") + line


def activity_line(episode: Episode, topic: str) -> str:
    from holdfast.capture.ids import digest

    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(episode.closed or episode.opened))
    return f"[{when}] [{episode.project}] {topic} ({episode.host}, {digest(episode.key, 6)})\n"


def _subject(work: Work, number: int) -> str:
    if not work.key:
        return f"close: {len(work.flags)} flags that belong to no session"
    what = "flags of" if not _is_over(work.episode) else "close of"
    return f"{what} session {number} of {work.project} ({episodes.session_of(work.key)[:40] or work.key})"


def _tell(state: str, now: float, work: Work, closed: Closed) -> None:
    what = {"episode": work.key, "project": work.project, "filed": closed.filed, "judge": "verbatim"}
    more = {"commit": closed.commit[:12], "handoff": closed.handoff, "error": ledger.short(closed.error, 500)}
    try:
        ledger.append(state, "close", now, **what, **{name: text for name, text in more.items() if text})
    except NotSaved:
        return  # the commit itself is the proof
