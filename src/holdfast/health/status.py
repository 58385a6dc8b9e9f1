"""The state of a memory in eight lines: what is remembered here, what waits for the user, the last handoff, whether
the chain of sessions holds, and what memory did in the last seven days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import projects, queue, same_project
from holdfast.health import audit, chain, receipts
from holdfast.health.week import DAYS, Week, period
from holdfast.text.layout import age, many
from holdfast.vault import index, lineage, review
from holdfast.vault.notes import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.chain import Chain
    from holdfast.health.finding import Place
    from holdfast.health.receipts import Receipts
    from holdfast.vault.lineage import Handoff

WIDTH = 12
LONGEST = 90
NEVER = "no session has left one yet; the next that ends does"


@dataclass(frozen=True)
class Waiting:
    """Counts of what a person has to decide or a close to file; `dead` flags could not be filed."""

    quarantined: int
    unconfirmed: int
    proposed: int
    due: int
    queued: int
    dead: int

    @property
    def decisions(self) -> int:
        return self.quarantined + self.unconfirmed + self.proposed


@dataclass(frozen=True)
class Status:
    project: str
    name: str
    now: float
    notes: int
    global_notes: int
    handoffs: int
    waiting: Waiting
    handoff: tuple[Handoff, int] | None
    chain: Chain
    receipts: Receipts

    def as_record(self) -> dict[str, Any]:
        last = self.handoff
        return {
            "project": self.project,
            "notes": self.notes,
            "global_notes": self.global_notes,
            "handoffs": self.handoffs,
            "waiting": vars(self.waiting),
            "handoff": {"number": last[1], "time": last[0].time, "title": last[0].title} if last else None,
            "days": DAYS,
            "sessions": self.chain.as_record(),
            "receipts": self.receipts.as_record(),
        }


def look(place: Place) -> Status:
    """The state of the project of this folder. Raises NotFound where there is no vault."""
    audit.make_sure_of_vault(place)
    here, now = projects.find(place.cwd, place.vault), place.clock()
    ids = same_project.ids(place.vault, here.id)
    asked, week = period(place.vault, now, here.id), Week(place.state)
    found = chain.look(place, week, asked)
    with week.upto(now) as (_, tally):
        did = receipts.count(place.vault, asked, tally)
    active = [one for one in index.load(place.vault, keep=False).active() if not one.is_quarantined]
    names = lineage.names(place.vault, here.id)
    return Status(
        here.id,
        here.slug,
        now,
        sum(one.project in ids for one in active),
        sum(one.project == GLOBAL for one in active),
        len(names),
        _waiting(place, now, ids),
        lineage.newest_in(place.vault, names),
        found,
        did,
    )


def _waiting(place: Place, now: float, ids: tuple[str, ...]) -> Waiting:
    listed = review.listing(place.vault, now, ids[0])
    mine = [one for one in queue.read(f"{place.state}/queue", now).entries if one.flag.project in ids]
    dead = sum(one.state == queue.DEAD for one in mine)
    first, second, third = (len(some) for some in (listed.quarantined, listed.unconfirmed, listed.proposed))
    return Waiting(first, second, third, len(listed.due), len(mine) - dead, dead)


def lines(found: Status) -> Iterator[str]:
    """All that `holdfast status` prints."""
    where = found.name or found.project
    for_all = f", {found.global_notes:,} for all projects" if found.global_notes else ""
    yield _row("remembered", f"{many(found.notes, 'note')} of {where}{for_all}; {many(found.handoffs, 'handoff')}")
    yield _row("waiting", _waits(found.waiting))
    yield _row("handoff", _handoff(found))
    yield _row("health", _health(found.chain))
    for name, said in found.receipts.lines():
        yield _row(name, said)


def _row(name: str, said: str) -> str:
    return f"{name:<{WIDTH}}{said}"


def _waits(found: Waiting) -> str:
    parts = [f"{many(found.decisions, 'note')} for your word (`holdfast review`)"] if found.decisions else []
    parts += [f"{many(found.due, 'note')} to look at again (`holdfast review`)"] if found.due else []
    parts += [f"{many(found.dead, 'flag')} that could not be filed (`holdfast queue`)"] if found.dead else []
    parts += [f"{many(found.queued, 'flag')} for the next close"] if found.queued else []
    return ", ".join(parts) or "nothing"


def _handoff(found: Status) -> str:
    if not found.handoff:
        return NEVER
    from holdfast.capture.quoting import shortened
    from holdfast.text.layout import tidy

    one, number = found.handoff
    return f"{number}, {_ago(one.time, found.now)}: {shortened(tidy(one.title), LONGEST)}"


def _ago(said: str, now: float) -> str:
    import datetime

    try:
        then = datetime.datetime.fromisoformat(said)
    except ValueError:
        return "at an unknown time"
    seconds = now - then.replace(tzinfo=then.tzinfo or datetime.UTC).timestamp()
    return f"{age(seconds)} ago" if seconds >= 1 else "just now"


def _health(found: Chain) -> str:
    if not found.seen and found.is_whole:
        return f"no session in the last {DAYS} days; `holdfast doctor` probes the hooks"
    broken = len(found.broken)
    tail = f"; {many(broken, 'thing')} to mend (`holdfast audit`)" if broken else ""
    return f"{found.line}, in {DAYS} days{tail}"
