"""The chain of the last seven days: sessions seen, closed, filed, searchable, as `holdfast audit` counts them; and
where it breaks, which sessions, what that means and what helps.

It is whole where each count is that of the link before, but for sessions that still go on or end at this moment. Hooks,
costs and loops are the audit's; this is the part that a person wants to see at every look, so it has to be quick.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.health import field as index
from holdfast.health import sessions
from holdfast.text.layout import many

if TYPE_CHECKING:
    from holdfast.health.finding import Finding, Place
    from holdfast.health.period import Period
    from holdfast.health.week import Week

SEEN, CLOSED, FILED, SEARCHABLE = "seen", "closed", "filed", "searchable"
HEALS = ("not-closed", "not-drained", "not-indexed", "index-behind", "mark")
MEANS = {
    CLOSED: "no end of it is known, so what it noted is not filed yet",
    FILED: "it ended, and what it noted is not in the notes yet: nothing is lost, and no session is told of it",
    SEARCHABLE: "its notes are written, and a search does not find all of them yet",
}


@dataclass(frozen=True)
class Link:
    """One count of the chain. `missing` sessions got no further than the link before."""

    name: str
    count: int
    missing: int = 0
    means: str = ""


@dataclass(frozen=True)
class Chain:
    """`open` sessions go on, `closing` ones end at this moment. `searchable` is None where that cannot be told."""

    seen: int
    open: int
    closed: int
    closing: int
    filed: int
    searchable: int | None
    findings: tuple[Finding, ...]

    @property
    def links(self) -> tuple[Link, ...]:
        lacks = (self.seen - self.open - self.closed, self.closed - self.closing - self.filed)
        found = [Link(SEEN, self.seen), _link(CLOSED, self.closed, lacks[0]), _link(FILED, self.filed, lacks[1])]
        if self.searchable is not None:
            found.append(_link(SEARCHABLE, self.searchable, self.filed - self.searchable))
        return tuple(found)

    @property
    def broken(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if not one.ok)

    @property
    def is_whole(self) -> bool:
        return not self.broken

    @property
    def can_heal(self) -> bool:
        """Whether a close and a look at the index may mend it."""
        return any(one.name in HEALS for one in self.findings)

    @property
    def line(self) -> str:
        counts = " · ".join(f"{one.count:,} {one.name}" for one in self.links[1:])
        going = f", {self.open:,} still open" if self.open else ""
        ending = f", {self.closing:,} just ending" if self.closing else ""
        return f"{many(self.seen, 'session')} seen · {counts}{going}{ending}"

    def as_record(self) -> dict[str, Any]:
        names = ("seen", "open", "closed", "closing", "filed", "searchable")
        broken = [{"kind": one.name, "about": one.about, "why": one.detail, "fix": one.fix} for one in self.broken]
        return {**{name: getattr(self, name) for name in names}, "ok": self.is_whole, "broken": broken}


def _link(name: str, count: int, missing: int) -> Link:
    return Link(name, count, max(0, missing), MEANS[name] if missing > 0 else "")


def look(place: Place, week: Week, asked: Period) -> Chain:
    """The chain of a project, or of all."""
    with week.upto(place.clock()) as (whole, _):
        told = replace(whole, period=asked)
        counted = sessions.count(place, told)
        indexed, behind = index.look(place, told, counted.done)
    return Chain(
        counted.seen,
        counted.open,
        counted.closed,
        counted.closing,
        counted.drained,
        indexed,
        (*counted.findings, *behind),
    )
