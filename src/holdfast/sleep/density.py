"""Density: how crowded the field is, and the mode that follows from it.

rho is the number of distinct agents that were active in a window, for each live cluster that they touched; a thought
that is in no cluster is a cell of its own. The measured lift (sleep/lift) says whether others' traces help. The mode
becomes shared only when both say so, and goes back when either says the opposite: a crowd that does not help is no
reason to mix traces, and neither is help among so few that chance explains it. Between the two thresholds nothing
changes, so a figure that wavers does not make the mode waver.

A measurement reads the traffic log and the index, and writes one small record (capture/field_mode), one line of the
ledger, and where the mode changed the briefs of the next starts. Nothing is lost with any of it: the next measurement
makes it anew.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, config, field_mode, home, ledger, platform, same_project
from holdfast.capture.field_mode import PERSONAL, SHARED
from holdfast.errors import UsageError
from holdfast.field import retrieval, traces, traffic
from holdfast.field.store import Scope
from holdfast.field.thought import END_OF_DAY
from holdfast.sleep import lift
from holdfast.sleep.lift import Candidate, Lift

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event

VERSION = 1
DAY = 86400.0
LONGEST_LOG = 64 << 20  # bytes of the traffic log that are read, the newest
MOST_QUERIES = 500  # that are replayed, the newest
CANDIDATES = 50  # of each query
NO_CLUSTERS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Settings:
    """`[density]` of this machine's settings. `rho_c` comes from a simulation of foragers on a grid (docs/density.md):
    a default to begin with, and no law."""

    rho_c: float = 0.23
    window_days: float = 14.0
    hysteresis: float = 0.15
    least_queries: float = 20.0

    @property
    def enter(self) -> float:
        return self.rho_c * (1 + self.hysteresis)

    @property
    def leave(self) -> float:
        return self.rho_c * (1 - self.hysteresis)


MOST = {"rho_c": 1e6, "window_days": 3650.0, "hysteresis": 0.9, "least_queries": 1e6}


def settings(found: Mapping[str, Any], window_days: float = 0.0) -> Settings:
    """From this machine's settings, the default for whatever is not there; another window where one is given. Raises
    UsageError."""
    said = {**config.section(found, "density"), **({"window_days": window_days} if window_days else {})}
    given = {one.name: config.number(said, one.name, float(one.default)) for one in fields(Settings)}  # type: ignore[arg-type]
    for name, number in given.items():
        least_is_zero = name in ("hysteresis", "least_queries")
        is_fit = math.isfinite(number) and (number > 0 or (least_is_zero and number == 0)) and number <= MOST[name]
        if not is_fit:
            least = "from 0" if least_is_zero else "above 0"
            raise UsageError(
                f"{name} = {number:g} cannot be used as a setting of [density]; nothing was measured. "
                f"Give a number {least} to {MOST[name]:g}."
            )
    return Settings(**given)


@dataclass(frozen=True)
class Density:
    """One measurement, the mode that follows, and why. `before` is the mode until then, "" at the first."""

    time: float
    window_days: float
    agents: int
    clusters: int
    rho: float
    rho_c: float
    lift: Lift
    mode: str
    before: str
    why: str

    @property
    def is_changed(self) -> bool:
        return self.mode != self.before

    def as_record(self) -> dict[str, Any]:
        found = {**asdict(self), "rho": round(self.rho, 4), "lift": {**asdict(self.lift), "share": self.lift.share}}
        found["lift"] = {name: value if name == "queries" else round(value, 4) for name, value in found["lift"].items()}
        return {"v": VERSION, **found}


def crowd(events: Iterable[Event], clusters: Mapping[str, str] = NO_CLUSTERS) -> tuple[int, int]:
    """The distinct agents of these events, and the clusters that they touched."""
    agents: set[str] = set()
    cells: set[str] = set()
    for event in events:
        if event.agent:
            agents.add(event.agent)
            # A cell's name begins with a mark, so that no thought's id is taken for a cluster's name.
            cells |= {f"+{clusters[one]}" if one in clusters else f"-{one}" for one in event.ids}
    return len(agents), len(cells)


def decide(before: str, rho: float, found: Lift, wish: Settings) -> tuple[str, str]:
    """The mode after a measurement, and the reason as a sentence."""
    is_known = found.queries >= max(1.0, wish.least_queries)
    interval = f"{found.low:+.3f} to {found.high:+.3f}"
    if before == SHARED:
        if rho < wish.leave:
            return PERSONAL, f"rho {rho:.3f} is below {wish.leave:.3f}: too few agents for the field"
        if is_known and found.high < 0:
            return PERSONAL, f"others' traces put what was used lower (lift {interval})"
        return SHARED, f"rho {rho:.3f} is not below {wish.leave:.3f}, and no measured lift is below 0"
    if rho < wish.enter:
        return PERSONAL, f"rho {rho:.3f} is below {wish.enter:.3f}"
    if not is_known:
        least = max(1, math.ceil(wish.least_queries))
        return PERSONAL, (
            f"rho {rho:.3f} has reached {wish.enter:.3f}, but only {found.queries} of at least {least} queries "
            "led to something that was then used"
        )
    if found.low <= 0:
        return PERSONAL, f"rho {rho:.3f} has reached {wish.enter:.3f}, but the lift may be nothing ({interval})"
    return SHARED, f"rho {rho:.3f} has reached {wish.enter:.3f}, and others' traces help (lift {interval})"


def measure(field: Field, wish: Settings, clusters: Mapping[str, str] = NO_CLUSTERS, *, write: bool = True) -> Density:
    """Measure the density of a field whose index is up to date, and with `write` put the mode that follows in force.
    `clusters` has the live cluster of a thought by its id. Raises NotSaved, OSError: then the mode stands."""
    now, state = field.clock(), home.state(field.vault)
    since = now - wish.window_days * DAY
    events = _events(field.vault)
    agents, cells = crowd((one for one in events if since <= one.time <= now), clusters)
    asked = lift.questions(events, since, now)
    newest = dict(list(asked.items())[-MOST_QUERIES:])
    found = lift.measured(lift.replay(events, newest, lambda event: _candidates(field, event)))
    rho = agents / cells if cells else 0.0
    before = field_mode.read(state)
    mode, why = decide(before, rho, found, wish)
    if mode == PERSONAL and agents > 1 and not any(traces.is_named(one.agent) for one in events if one.time >= since):
        why += "; no agent has a name (HOLDFAST_AGENT), so all of them count as one user's own sessions"
    made = Density(now, wish.window_days, agents, cells, rho, wish.rho_c, found, mode, before, why)
    if write:
        _put_in_force(field.vault, state, made)
    return made


def _put_in_force(vault: str, state: str, made: Density) -> None:
    """The ledger first: a mode that nobody can find the reason of must not be in force."""
    record = made.as_record()
    said = {name: record[name] for name in ("mode", "before", "why", "rho", "rho_c", "agents", "clusters")}
    figures = {"lift" if name == "gain" else name: record["lift"][name] for name in ("gain", "low", "high", "queries")}
    ledger.append(state, "density", made.time, **said, **figures, changed=made.is_changed)
    path = field_mode.path_of(state)
    platform.make_folders(path.rpartition("/")[0])
    codec.write(path, record, durable=False)
    if made.is_changed and SHARED in (made.mode, made.before):
        from holdfast.vault import brief

        brief.refresh_known(vault)


def _events(vault: str) -> Sequence[Event]:
    """The traffic log, of a very long one its end: weights from before that have decayed to the floor."""
    start = max(0, traffic.traffic_size(vault) - LONGEST_LOG)
    return traffic.travels(vault, start).found


def _candidates(field: Field, event: Event) -> list[Candidate]:
    """The thoughts that bear on a query and were there when it was asked, by relevance alone."""
    first, *merged = same_project.ids(field.vault, event.project) if event.project else [""]
    scope = Scope(first, merged=tuple(merged)) if first else Scope()
    ranked = retrieval.ranked(field, event.query, scope, CANDIDATES)
    known = field.store.thoughts(one.id for one in ranked)
    return [
        Candidate(one.id, one.score, known[one.id].start, known[one.id].created)
        for one in ranked
        if one.id in known and retrieval.is_shown(known[one.id], scope) and _was_there(known[one.id], event.time)
    ]


def _was_there(thought: Thought, when: float) -> bool:
    """Of a note that gives only its day nobody knows the hour: it counts for the whole day."""
    return thought.created - (END_OF_DAY if thought.is_of_a_day else 0.0) <= when
