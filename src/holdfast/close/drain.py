"""The close: claim, think, file, write the handoff, commit, acknowledge, take the mark away.

Promise: kill it between any two effects and run it again, and every flag is filed exactly once. Each episode is one
commit that names it. Flags are acknowledged only after that commit, and what a killed close has committed is recognised
by flag ids, by the handoff's own name and by the line in activity.log. Without a judge, at the cap, or where every
judge fails, the same path files verbatim and says so; a later close with a judge may consolidate it.

Two closes at once share the work: whoever holds an episode's flags tells its story. A failure of the vault or the disk
is no flag's fault: everything that was claimed is given back. A flag whose place in the vault cannot be written has had
a try, so that it ends as a dead letter and not in closes without end. Anything else that goes wrong is counted against
the flags of that one episode, and the others go on.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import episodes, home, ledger, marks, notices, once, purging, queue, same_project, story
from holdfast.capture.settle import Claim, Settlement
from holdfast.close import aftermath, unjudged
from holdfast.close.commit import write
from holdfast.close.decide import Deliberated, deliberate
from holdfast.close.work import Closed, Holding, Work, find, first, is_over, look_over, try_writer
from holdfast.errors import HoldfastError, NotSaved
from holdfast.witness import account_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.clock import Clock
    from holdfast.close.judge_pool import Court

__all__ = ["Closed", "drain"]

LEASE = 600.0
BATCH = 5000  # flags that one round takes
EPISODES = 25  # and episodes, each of them a commit: few hold up nobody, and the lease does not end meanwhile
JUDGED_EPISODES = 8  # where each of them is thought about
JUDGED_BATCH = 200
ROOM = 1 << 20  # bytes that a disk must have left: the last of them are for flags, which nobody can say again


def drain(
    vault: str,
    clock: Clock = time.time,
    *,
    project: str = "",
    also_open: bool = False,
    roots: Mapping[str, str] | None = None,
    say: Callable[[Closed], None] = lambda _: None,
    court: Court | None = None,
) -> list[Closed]:
    """Close every episode that left something, and file the flags that belong to none.

    `project` narrows it to one; `also_open` files what episodes that still go on have flagged so far; `roots` are the
    folders of projects at hand, for the evidence of flags that belong to no episode; `court` is the judge, if there is
    one. It ends at the first failure of the vault or the disk: everything that is left waits as before.
    """
    home.refuse_newer(vault)
    with Holding(home.state(vault), asks=court is not None) as holding:
        done = _drain(vault, clock, project, also_open, roots or {}, say, court, holding)
    if not any(one.error for one in done):
        look_over(vault, clock())
    _note_fault(home.state(vault), clock(), done)
    return done


def _note_fault(state: str, now: float, done: list[Closed]) -> None:
    """A close that fails is told at every start until one works; where a fault with a name of its own stands, it is
    the cause."""
    failed = next((one.error for one in done if one.error), "")
    if not failed:
        notices.lift(state, notices.CLOSE)
    elif not any(one.name != notices.CLOSE for one in notices.standing(state)):
        notices.stand(state, notices.CLOSE, failed, now)


def _drain(
    vault: str,
    clock: Clock,
    project: str,
    also_open: bool,
    roots: Mapping[str, str],
    say: Callable[[Closed], None],
    court: Court | None,
    holding: Holding,
) -> list[Closed]:
    state, merged = home.state(vault), same_project.names(vault)
    settlement = Settlement(f"{state}/queue", clock)
    project = merged.get(project, project)
    try:
        aftermath.file_lines(vault, clock(), project)
    except (HoldfastError, OSError):
        pass  # they stay drafts, which the next close looks at
    done: list[Closed] = []
    tried: set[tuple[str, str, bool]] = set()
    while True:
        # One that ended while its flags were being filed is there once more, for its story.
        found = [one for one in find(state, clock(), merged) if _name(one) not in tried]
        work = [one for one in found if project in ("", one.project) and (also_open or is_over(one.episode))]
        work = [replace(one, root=roots.get(one.project, "")) for one in work]
        if not work:
            break
        most = (JUDGED_EPISODES, JUDGED_BATCH) if court else (EPISODES, BATCH)
        batch = first(work, *most)
        tried.update(_name(one) for one in batch)
        claimed: list[tuple[Work, Claim | None]] = []
        try:
            _make_sure_of_room(vault)
            claimed = _claimed(settlement, batch, holding)
            thoughts = _thoughts(court, vault, [one for one, _ in claimed])
        except (HoldfastError, OSError) as error:
            _give_back(settlement, claimed)
            done.append(_failed(work[0].key, error))
            say(done[-1])
            return done
        except BaseException:
            _give_back(settlement, claimed)
            raise
        while claimed:
            (one, claim), thought = claimed.pop(0), thoughts.pop(0)
            closed, is_general = _close(vault, clock, settlement, one, claim, thought)
            if closed.filed or closed.commit or closed.error:
                _tell(state, clock(), one, closed, thought, court)
                done.append(closed)
                say(closed)
            if is_general:
                _give_back(settlement, claimed)
                return done
    failed = try_writer(vault, clock())
    if failed:  # nothing waits, and the vault could not be written all the same
        done.append(_failed("", failed))
        _tell(state, clock(), Work(None, "", project, ()), done[-1], Deliberated(), None)
        say(done[-1])
        return done
    if court:
        ids = {one for name in {name for _, name, _ in tried} | {project} for one in same_project.family(merged, name)}
        mine = {one for one in ids if holding.take(f"leftovers of {one}")}
        _take_up_leftovers(vault, clock, court, mine, done, say)
    aftermath.of_close(vault, clock(), {name for _, name, _ in tried}, done, court)
    return done


def _take_up_leftovers(
    vault: str, clock: Clock, court: Court, projects: set[str], done: list[Closed], say: Callable[[Closed], None]
) -> None:
    """Consolidate notes that closes before this one filed verbatim. Nothing waits for it, so it fails nothing."""
    for project in sorted(projects):
        try:
            closed = unjudged.consolidate(vault, clock, court, project)
        except Exception as error:
            closed = Closed("", 0, 0, "", "", fell_back=f"{type(error).__name__}: {error}")
        if closed and (closed.jobs or closed.fell_back):
            work = Work(None, "", project, ())
            _tell(home.state(vault), clock(), work, closed, Deliberated(), court)
            done.append(closed)
            say(closed)


def _name(work: Work) -> tuple[str, str, bool]:
    return work.key, work.project, is_over(work.episode)


def _thoughts(court: Court | None, vault: str, work: list[Work]) -> list[Deliberated]:
    """Whatever goes wrong while a judge is asked or understood, the flags are filed all the same."""
    try:
        return deliberate(court, vault, work)
    except (HoldfastError, OSError):
        raise
    except Exception as error:
        why = f"what was thought about it cannot be used ({type(error).__name__}: {error})"
        return [Deliberated(fell_back=why, purges=purging.counted(home.state(vault))) for _ in work]


def _make_sure_of_room(vault: str) -> None:
    seen = os.statvfs(vault)
    if seen.f_bavail * seen.f_frsize < ROOM or (seen.f_files and not seen.f_favail):
        raise HoldfastError(f"The disk of {vault} is full; nothing was changed. Free some space, then close again.")


def _failed(key: str, error: HoldfastError | OSError) -> Closed:
    said, code = str(error), error.code if isinstance(error, HoldfastError) else ""
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return Closed(key, 0, 0, "", "", said, code=code)


def _give_back(settlement: Settlement, claimed: list[tuple[Work, Claim | None]], error: str = "") -> None:
    """An error counts against the flags; without one they wait as if nobody had claimed them."""
    for one, claim in claimed:
        try:
            if claim:
                settlement.release(claim, [flag.id for flag in one.flags], error=error)
        except (HoldfastError, OSError):
            return  # the disk takes not even that: the claim ends with our life


def _claimed(settlement: Settlement, work: list[Work], holding: Holding) -> list[tuple[Work, Claim | None]]:
    """Each piece of work with a lease on its flags. Flags that somebody else holds by now are theirs, and so is the
    story of their episode."""
    ids = {flag.id for one in work for flag in one.flags}
    claim = settlement.claim(len(ids), LEASE, lambda flag: flag.id in ids) if ids else None
    held = {flag.id for flag in claim.flags} if claim else set()
    found: list[tuple[Work, Claim | None]] = []
    for one in work:
        mine = tuple(flag for flag in one.flags if flag.id in held)
        share = Claim(claim.id, claim.until, mine, one.segments) if claim and mine else None
        if share or (not one.flags and holding.take(one.key)):
            found.append((replace(one, flags=mine, whole=one.whole and len(mine) == len(one.flags)), share))
    return found


def _close(
    vault: str, clock: Clock, settlement: Settlement, work: Work, claim: Claim | None, thought: Deliberated
) -> tuple[Closed, bool]:
    """The outcome of one piece of work, and whether it failed for a reason that everything else would share."""
    try:
        written = write(vault, clock, work, thought)
        left = [flag.id for flag in work.flags if flag.id not in written.filed]
        aftermath.of_episode(vault, clock(), work, written)
        aftermath.note_used(vault, work.project, work.key, written.closed.handoff)
        if claim:
            settlement.acknowledge(claim, written.filed)
        if claim and left:
            settlement.release(claim, left, error=written.refused)
    except (HoldfastError, OSError) as error:
        _give_back(settlement, [(work, claim)])
        return _failed(work.key, error), True
    except Exception as error:  # whatever it is about these flags, the others must not wait for them
        reason = f"{type(error).__name__}: {error}"
        _give_back(settlement, [(work, claim)], error=reason)
        return Closed(work.key, 0, 0, "", "", f"These flags cannot be filed ({reason})."), False
    if written.is_settled and not left and work.ends:
        _tidy(vault, work)
    return replace(written.closed, error=f"{written.refused}." if written.refused else ""), False


def _tidy(vault: str, work: Work) -> None:
    """Nothing of it is left to do: its story, its places in the queue and its mark go, the mark last."""
    state, ids = home.state(vault), same_project.ids(vault, work.project)
    is_apart = work.episode is not None and not work.is_home
    for place in episodes.noted_segments(state, work.key):
        left = queue.unfiled_of(f"{state}/queue", place, work.key, 0.0)
        if left is None or any(not is_apart or entry.flag.project in ids for entry in left):
            return  # a flag came in late, or a segment cannot be read: the mark stays for the next close
    if not is_apart:
        story.forget(state, work.key)
        account_file.forget(state, work.key)
        episodes.forget_segments(state, work.key)
        once.forget(state, work.key)
    for one in ids:
        marks.remove(state, one, work.key)


def _tell(state: str, now: float, work: Work, closed: Closed, thought: Deliberated, court: Court | None) -> None:
    """Write the ledger's line: who thought about it, how long, and the outcome."""
    what: dict[str, object] = {"episode": work.key, "project": work.project, "filed": closed.filed}
    name, _, model = closed.judge.partition("/")
    more = {
        "judge": name,
        "model": model,
        "jobs": closed.jobs,
        "workers": court.workers if court else 0,
        "took": round(thought.took, 3),
        "discarded": closed.discarded,
        "tidied": closed.tidied,
        "fell_back": ledger.short(closed.fell_back, 300),
        "commit": closed.commit[:12],
        "handoff": closed.handoff,
        "error": ledger.short(closed.error, 500),
    }
    try:
        ledger.append(state, "close", now, **what, **{name: text for name, text in more.items() if text})
    except NotSaved:
        return  # the commit itself is the proof
