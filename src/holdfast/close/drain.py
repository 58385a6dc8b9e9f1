"""The close without a model: claim, file verbatim, write the handoff, commit, acknowledge, take the mark away.

Promise: kill it between any two effects and run it again, and the vault comes out the same. Each episode is one commit
that names it. Flags are acknowledged only after that commit, and what a killed close has committed is recognised by
flag ids, by the handoff's own name and by the line in activity.log, so nothing is filed twice.

Two closes at once share the work: whoever holds an episode's flags tells its story. A failure of the vault or the disk
is no flag's fault: everything that was claimed is given back. Anything else that goes wrong is counted against the
flags of that one episode, and the others go on.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import course, episodes, gitfiles, home, ledger, marks, platform, queue, quoting, story
from holdfast.capture.episodes import Episode
from holdfast.capture.ids import digest
from holdfast.capture.settle import Claim, Settlement
from holdfast.close import handoff
from holdfast.close.believing import Believing
from holdfast.close.filing import Filing
from holdfast.errors import HoldfastError, NotSaved
from holdfast.vault import brief, lineage
from holdfast.vault.writing import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.clock import Clock
    from holdfast.model import Flag
    from holdfast.vault.index import Index
    from holdfast.vault.writing import Writer

LEASE = 600.0
BATCH = 5000  # flags that one round takes
EPISODES = 25  # and episodes, each of them a commit: few hold up nobody, and the lease does not end meanwhile
ROOM = 1 << 20  # bytes that a disk must have left: the last of them are for flags, which nobody can say again
ROUNDS = 3  # of a note that a person keeps saving: in the last one their flags get notes of their own
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
    """One episode's share of a close: what is known of it, its flags, oldest first, and the segments they lie in.
    `whole`: nobody else is filing flags of it."""

    episode: Episode | None
    key: str
    project: str
    flags: tuple[Flag, ...]
    segments: tuple[str, ...] = ()
    whole: bool = True
    root: str = ""

    @property
    def is_home(self) -> bool:
        """Whether the episode is of this project. Flags that it left in others have no part in its story."""
        return self.episode is not None and self.episode.project == self.project

    @property
    def ends(self) -> bool:
        """Whether the story is told now."""
        return self.whole and _is_over(self.episode)


def drain(
    vault: str,
    clock: Clock = time.time,
    *,
    project: str = "",
    also_open: bool = False,
    roots: Mapping[str, str] | None = None,
    say: Callable[[Closed], None] = lambda _: None,
) -> list[Closed]:
    """Close every episode that left something, and file the flags that belong to none.

    `project` narrows it to one; `also_open` files what episodes that still go on have flagged so far; `roots` are the
    folders of projects at hand, for the evidence of flags that belong to no episode. It ends at the first failure of
    the vault or the disk: everything that is left waits as before.
    """
    home.refuse_newer(vault)
    state = home.state(vault)
    settlement = Settlement(f"{state}/queue", clock)
    done: list[Closed] = []
    tried: set[tuple[str, str]] = set()
    while True:
        found = [one for one in _work(state, clock()) if (one.key, one.project) not in tried]
        work = [one for one in found if project in ("", one.project) and (also_open or _is_over(one.episode))]
        work = [replace(one, root=(roots or {}).get(one.project, "")) for one in work]
        if not work:
            return done
        batch = _first(work)
        tried.update((one.key, one.project) for one in batch)
        try:
            _make_sure_of_room(vault)
            claimed = _claimed(settlement, batch)
        except (HoldfastError, OSError) as error:
            done.append(Closed(work[0].key, 0, 0, "", "", str(error)))
            say(done[-1])
            return done
        while claimed:
            one, claim = claimed.pop(0)
            closed, is_general = _close(vault, clock, settlement, one, claim)
            if closed.filed or closed.commit or closed.error:
                _tell(state, clock(), one, closed)
                done.append(closed)
                say(closed)
            if is_general:
                _give_back(settlement, claimed)
                return done


def _make_sure_of_room(vault: str) -> None:
    seen = os.statvfs(vault)
    if seen.f_bavail * seen.f_frsize < ROOM or (seen.f_files and not seen.f_favail):
        raise HoldfastError(f"The disk of {vault} is full; nothing was changed. Free some space, then close again.")


def _give_back(settlement: Settlement, claimed: list[tuple[Work, Claim | None]], error: str = "") -> None:
    """An error counts against the flags; without one they wait as if nobody had claimed them."""
    for one, claim in claimed:
        try:
            if claim:
                settlement.release(claim, [flag.id for flag in one.flags], error=error)
        except (HoldfastError, OSError):
            return  # the disk takes not even that: the claim ends with our life


def _work(state: str, now: float) -> list[Work]:
    """What there is to close, in the order in which it ended."""
    waiting: dict[tuple[str, str], list[queue.Entry]] = {}
    shared = set()
    for entry in queue.read(f"{state}/queue", now).entries:
        if entry.state == queue.WAITING:
            waiting.setdefault((entry.flag.episode, entry.flag.project), []).append(entry)
        elif entry.state == queue.CLAIMED:
            shared.add((entry.flag.episode, entry.flag.project))
    for mark in marks.everywhere(state):
        waiting.setdefault((mark.episode, mark.project), [])
    found = []
    believing = Believing(state)
    for (key, project), entries in waiting.items():
        whole = not key or (key, project) not in shared
        if entries or whole:
            said = (believing.believed(entry.flag) for entry in entries)
            flags = tuple(sorted(said, key=lambda flag: (flag.time, flag.id)))
            places = tuple({entry.segment: None for entry in entries})
            found.append(Work(find_episode(state, key), key, project, flags, places, whole))
    # What an episode left in other projects goes first: only then is there nothing left of it.
    return sorted(found, key=lambda one: (_ended(one), one.key, one.is_home, one.project))


def _ended(work: Work) -> float:
    if work.episode and work.episode.closed:
        return work.episode.closed
    return max((flag.time for flag in work.flags), default=0.0)


def _first(work: list[Work]) -> list[Work]:
    """As much as one round takes."""
    taken: list[Work] = []
    count = 0
    for one in work[:EPISODES]:
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
    """Each piece of work with a lease on its flags. Flags that somebody else holds by now are theirs, and so is the
    story of their episode."""
    ids = {flag.id for one in work for flag in one.flags}
    claim = settlement.claim(len(ids), LEASE, lambda flag: flag.id in ids) if ids else None
    held = {flag.id for flag in claim.flags} if claim else set()
    found: list[tuple[Work, Claim | None]] = []
    for one in work:
        mine = tuple(flag for flag in one.flags if flag.id in held)
        share = Claim(claim.id, claim.until, mine, one.segments) if claim and mine else None
        if share or not one.flags:
            found.append((replace(one, flags=mine, whole=one.whole and len(mine) == len(one.flags)), share))
    return found


def _close(vault: str, clock: Clock, settlement: Settlement, work: Work, claim: Claim | None) -> tuple[Closed, bool]:
    """What became of one piece of work, and whether it failed for a reason that everything else would share."""
    try:
        filed, closed, is_settled = _write(vault, clock, work)
        left = [flag.id for flag in work.flags if flag.id not in filed]
        if claim:
            settlement.acknowledge(claim, filed)
        if claim and left:
            settlement.release(claim, left)
    except (HoldfastError, OSError) as error:
        _give_back(settlement, [(work, claim)])
        return Closed(work.key, 0, 0, "", "", str(error)), True
    except Exception as error:  # whatever it is about these flags, the others must not wait for them
        reason = f"{type(error).__name__}: {error}"
        _give_back(settlement, [(work, claim)], error=reason)
        return Closed(work.key, 0, 0, "", "", f"These flags cannot be filed ({reason})."), False
    if is_settled and not left and work.ends:
        _tidy(home.state(vault), work)
    return closed, False


def _is_over(episode: Episode | None) -> bool:
    return episode is None or episode.state != episodes.OPEN


def _tidy(state: str, work: Work) -> None:
    """Nothing of it is left to do: its story, its places in the queue and its mark go, the mark last."""
    is_apart = work.episode is not None and not work.is_home
    for place in episodes.noted_segments(state, work.key):
        left = queue.unfiled_of(f"{state}/queue", place, work.key, 0.0)
        if left is None or any(not is_apart or entry.flag.project == work.project for entry in left):
            return  # a flag came in late, or a segment cannot be read: the mark stays for the next close
    if not is_apart:
        story.forget(state, work.key)
        episodes.forget_segments(state, work.key)
        course.forget(state, work.key)
    marks.remove(state, work.project, work.key)


def _write(vault: str, clock: Clock, work: Work) -> tuple[set[str], Closed, bool]:
    """The notes, the handoff and the line of one episode, as one commit. Returns the flags that are filed now, and
    whether all that was to be written is."""
    commit = ""
    path = ""
    number = 0
    skipped: set[str] = set()
    pending = list(work.flags)
    filed: set[str] = set()
    for nth in range(ROUNDS):
        with writing(vault, clock()) as writer:
            # Where no file can be put, a name of its own serves as well. A note that a person saves is waited for once.
            avoid = {one for one in skipped if nth > 1 or writer.read(one) is None}
            filing = Filing(writer.index, writer.read, _root(work), frozenset(avoid))
            # Words of the user that somebody put properly are filed with that, so it goes first.
            for flag in sorted(pending, key=lambda flag: not flag.answers):
                filing.file(flag)
            texts = filing.texts
            if work.ends and (work.is_home or not work.episode):
                path, number = _add_handoff(writer, work, filing, texts)
                _add_line(writer, work, path, filing, texts)
            else:
                number = len(lineage.names(vault, work.project)) + 1
            if not texts:
                return {flag.id for flag in work.flags}, Closed(work.key, number, len(work.flags), path, commit), True
            subject, planned_on = _subject(work, number), filing.planned_on
            applied = writer.commit(subject, texts, cause="close", planned_on=planned_on, with_briefs=False)
            commit = applied.commit or commit
            known = writer.index
        if applied.commit:
            _renew_brief(vault, work, known)
        skipped.update(one for one in applied.skipped if one in texts)
        filed |= {ident for ident, place in filing.placed.items() if place not in applied.skipped}
        pending = [flag for flag in pending if flag.id not in filed]
        if not any(one in texts for one in applied.skipped):
            return filed, Closed(work.key, number, len(filed), path, commit), True
    return filed, Closed(work.key, number, len(filed), "" if path in skipped else path, commit), False


def _renew_brief(vault: str, work: Work, known: Index) -> None:
    """Before the flags leave the queue: a start in between finds them in the brief or as flags, never in neither."""
    brief.refresh_known(vault, known, only=work.project)


def _root(work: Work) -> str:
    """The folder that evidence is looked for in, the one that the project's own look at its anchors begins at."""
    if not work.episode or not work.is_home:
        return work.root
    return gitfiles.root_of(work.episode.cwd)


def _add_handoff(writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None]) -> tuple[str, int]:
    """The handoff of an ended episode, unless it has one: somebody's own words are better than ours."""
    listed = lineage.names(writer.vault, work.project)
    known = _handoff_of(writer, work.episode, listed) if work.episode else ""
    if known:
        return known, listed.index(known) + 1
    told = story.read(home.state(writer.vault), work.key)
    if not work.episode or not (work.flags or told.prompts or told.files):
        return "", len(listed) + 1
    before = [] if lineage.of_episode(writer.vault, listed, work.key) else _filed_before(writer, work)
    placed = {**filing.places_of(flag.id for flag in before), **filing.placed}
    parents = tuple(quoting.stem(one) for one in listed[-1:])
    made = handoff.make(work.episode, told, [*before, *work.flags], placed, parents)
    path = lineage.path_for(made, platform.machine())
    texts[path] = lineage.render(made)
    filing.planned_on[path] = None
    return path, sum(1 for one in listed if one < path) + 1


def _handoff_of(writer: Writer, episode: Episode, listed: list[str]) -> str:
    """The path of what is told of an episode; "" where nothing is.

    One that we wrote counts for the end that it was written at: an episode that was taken for dead and spoke again has
    more to tell. The name says only so much, so the file is looked at; one that cannot be read is believed.
    """
    at_end = lineage.compact(lineage.iso(episode.closed or episode.opened))
    for path in reversed([one for one in listed if one.endswith(f"-{digest(episode.key, 6)}.md")]):
        found = lineage.read(writer.vault, path)
        is_ours = isinstance(found, lineage.Handoff) and found.author == lineage.MECHANICAL
        is_another = isinstance(found, lineage.Handoff) and found.episode not in ("", episode.key)
        if not is_another and (not is_ours or quoting.stem(path).startswith(at_end)):
            return path
    return ""


def _filed_before(writer: Writer, work: Work) -> list[Flag]:
    """What the episode had flagged and somebody filed while it went on: part of its story all the same."""
    state = home.state(writer.vault)
    mine = {flag.id for flag in work.flags}
    found: dict[str, Flag] = {}
    for name in episodes.noted_segments(state, work.key):
        for folder in ("live", "archive"):
            part = queue.look(f"{state}/queue/{folder}/{name}", writer.now)
            for flag in (entry.flag for entry in (part.entries.values() if part else ())):
                if flag.episode == work.key and flag.project == work.project and flag.id not in mine:
                    found[flag.id] = flag
    return sorted(found.values(), key=lambda flag: (flag.time, flag.id))


def _add_line(writer: Writer, work: Work, path: str, filing: Filing, texts: dict[str, str | None]) -> None:
    """One line in activity.log: when, where, what about. It is known by when, where and whose it is."""
    if not path or not work.episode:
        return
    found = lineage.from_text(path, texts.get(path) or writer.read(path) or "")
    topic = " ".join(found.title.split()) if isinstance(found, lineage.Handoff) else ""
    line = activity_line(work.episode, topic or "a session")
    begins, ends = activity_line(work.episode, "\n").split("\n")[:2]
    before = writer.read(ACTIVITY)
    lines = (before or "").split("\n")
    if not any(one.startswith(begins) and one.endswith(ends) for one in lines):
        filing.planned_on[ACTIVITY] = before
        texts[ACTIVITY] = (before or "") + ("" if not before or before.endswith("\n") else "\n") + line


def activity_line(episode: Episode, topic: str) -> str:
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
