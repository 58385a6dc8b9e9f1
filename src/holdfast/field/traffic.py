"""What an access does to what is known of a thought. Pure, so that every store does the same.

An event is one line of the traffic log. It carries all that its effect needs: of a thought read for the first time also
the weight and time it began with. So the log alone gives every weight again, whatever became of the thoughts since.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.field import pheromone
from holdfast.field.thought import Traffic, whole
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from holdfast.field.thought import Thought

GOT, USED, AGAIN = "got", "used", "again"  # returned by a retrieval; opened or cited; thought a second time
KINDS = (GOT, USED, AGAIN)
PERSON = "operator"  # as the operator's own token is called (serve/tokens)
SHELL, CLIENT = "cli", "mcp"  # a shell without an agent in it, a client that no hook knows (capture, serve/mcp)
MOST_LOGGED, MOST_TOGETHER, MOST_AGENTS = 100, 50, 100


@dataclass(frozen=True)
class Event:
    """One retrieval, use or repetition. `new` has weight and time of those that nobody had read before."""

    time: float
    kind: str
    ids: tuple[str, ...]
    agent: str = ""
    session: str = ""
    project: str = ""
    query: str = ""
    new: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        named = {name: getattr(self, name) for name in ("agent", "session", "project", "query")}
        found: dict[str, Any] = {"v": VERSION, "t": self.time, "kind": self.kind, "ids": list(self.ids)}
        found.update({name: value for name, value in named.items() if value})
        return {**found, "new": {one: list(began) for one, began in self.new.items()}} if self.new else found


def event_of(kind: str, of: Mapping[str, Thought], read: Container[str], now: float, **named: str) -> Event:
    """What is to be noted of these, with how those began that nobody has read before."""
    new = {ident: (one.start, one.created) for ident, one in of.items() if ident not in read}
    return Event(now, kind, tuple(of), new=new, **named)


def who(agent: str) -> str:
    """Whose access counts as whose: the person is one, by whatever door they come in, else they alone would be the two
    agents that make a highway."""
    return PERSON if agent in (SHELL, CLIENT) else agent


def from_record(record: Mapping[str, Any]) -> Event:
    """Raises KeyError, TypeError or ValueError where it is none of ours, or was purged."""
    if record["kind"] not in KINDS:
        raise ValueError("not traffic")
    new = {whole(one): (float(began[0]), float(began[1])) for one, began in record.get("new", {}).items()}
    named = {name: whole(record.get(name, "")) for name in ("agent", "session", "project", "query")}
    named["agent"] = who(named["agent"])
    return Event(float(record["t"]), record["kind"], tuple(whole(one) for one in record["ids"]), new=new, **named)


def beginning(event: Event, ident: str) -> Traffic:
    """What a thought had before its first event."""
    weight, since = event.new.get(ident, (pheromone.START, event.time))
    return Traffic(last_accessed=since, weight=weight)


def after(before: Traffic, event: Event, ident: str) -> Traffic:
    """What one event makes of the traffic of one of its thoughts. What counts as an access is a return or a repetition;
    use adds to the weight alone."""
    is_access = event.kind != USED
    by = pheromone.RETURNED if is_access else pheromone.USED
    agents = before.agents
    if event.agent and event.agent not in agents and len(agents) < MOST_AGENTS:
        agents = (*agents, event.agent)
    return Traffic(
        before.access_count + is_access,
        event.time,
        pheromone.reinforced(before.weight, before.last_accessed, event.time, by),
        agents,
        (*before.log, (event.time, event.agent))[-MOST_LOGGED:] if is_access else before.log,
        _met(before.together, [one for one in event.ids if one != ident]) if event.kind == GOT else before.together,
    )


def _met(before: dict[str, int], others: list[str]) -> dict[str, int]:
    """The counts after these were returned beside it. Of too many the lowest go, and among equals the oldest: those
    that just came could never stay otherwise."""
    counts = dict(before)
    for one in others:
        counts[one] = counts.get(one, 0) + 1
    surplus = len(counts) - MOST_TOGETHER
    if surplus > 0:
        for one in sorted(counts, key=counts.__getitem__)[:surplus]:  # sorted keeps the order of equals
            del counts[one]
    return counts
