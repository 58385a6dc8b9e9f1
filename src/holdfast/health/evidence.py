"""Evidence for the ladder: one look at the vault, the ledger and the field's index that gathers all it is judged by.

The look costs what an audit costs, however old the vault is: the ledger of the last thirty days, the index of the
notes, the names of the handoffs, and a few counts of the field. It changes nothing. Counts are of the whole vault; a
path is shown only of this project or of what is global.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.capture import ledger, platform, projects, queue
from holdfast.capture.ledger import DAY, Wanted
from holdfast.capture.marks import PATIENCE
from holdfast.errors import HoldfastError
from holdfast.field import coverage, highways, traffic
from holdfast.field.store import Asked, Scope
from holdfast.field.thought import BRIDGE, CONSOLIDATION, DECISION, DISCOVERY, ORIGINAL, REFINEMENT
from holdfast.health import audit, period
from holdfast.health.closes import amount
from holdfast.health.period import Period, Told
from holdfast.vault import index, lineage, note_facets
from holdfast.vault.notes import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.field.store import Store
    from holdfast.field.thought import Traffic
    from holdfast.health.boundaries import Row
    from holdfast.health.finding import Place
    from holdfast.vault.notes import Note

DAYS = 30
SLEEP = "sleep"
MOST_ASKED = 1000  # questions that are looked at, the newest
MOST_HIGHWAYS = 100


@dataclass
class Tally:
    """Sums of the ledger beside those of an audit. `causes` count changes of the vault, `sections` entries of tasks;
    `ended` are sessions that had done something, with when they ended, `handed` those whose close wrote a handoff."""

    causes: Counter[str] = field(default_factory=Counter)
    sections: Counter[str] = field(default_factory=Counter)
    briefs: int = 0
    last_brief: float = 0.0
    ended: dict[str, float] = field(default_factory=dict)
    handed: set[str] = field(default_factory=set)
    nights: list[Mapping[str, Any]] = field(default_factory=list)

    def take(self, record: Mapping[str, Any]) -> None:
        kind, key, when = record.get("kind"), str(record.get("episode") or ""), amount(record.get("t"))
        if kind == "vault":
            self.causes[str(record.get("cause") or "")] += 1
        elif kind == "task":
            self.sections[str(record.get("section") or "")] += 1
        elif kind == "injection" and record.get("event") == "session-start":
            self.briefs, self.last_brief = self.briefs + 1, max(self.last_brief, when)
        elif kind == "episode" and record.get("story"):
            self.ended[key] = when
        elif kind == "close" and record.get("handoff"):
            self.handed.add(key)
        elif kind == SLEEP:
            self.nights.append(record)


@dataclass(frozen=True)
class FieldFacts:
    """Counts of the field's index. `asked` are the newest questions, `best` is the one of the thoughts that they
    returned which was read most, with its path and what use has made of it."""

    thoughts: int
    model: str
    lacking: int
    contributed: int
    of_tasks: int
    consolidations: int
    bridges: int
    highways: int
    asked: tuple[Asked, ...]
    best: tuple[str, Traffic] | None


@dataclass(frozen=True)
class Evidence:
    """Everything that the ladder is judged by. `waiting` are the user's own words that no close has filed in time."""

    now: float
    since: float
    project: str
    told: Told
    tally: Tally
    known: tuple[index.Known, ...]
    brain_lines: int
    handoffs: int
    newest_handoff: str
    waiting: int
    facts: FieldFacts | None
    why_no_facts: str = ""

    @cached_property
    def notes(self) -> list[Note]:
        """Notes in force."""
        return [one.note for one in self.known if one.note.is_active]

    @cached_property
    def rows(self) -> list[Row]:
        """Each kind of boundary, of all projects."""
        return self.told.boundaries.rows(lambda _: True)

    def newest(self, some: Iterable[Note]) -> Note | None:
        """The newest of these notes that may be shown here."""
        mine = [one for one in some if one.project in (GLOBAL, self.project)]
        return max(mine, key=lambda one: (one.edited or one.created, one.path), default=None)


def gather(place: Place) -> Evidence:
    """Raises NotFound where there is no vault."""
    audit.make_sure_of_vault(place)
    now = place.clock()
    since = now - DAYS * DAY
    told, tally = Told(Period(since, now)), Tally()
    for record in ledger.read(place.state, Wanted(kinds=(*period.KINDS, "vault", SLEEP), since=since)):
        tally.take(record)
        if record.get("kind") in period.KINDS:
            told.take(record)
    here = projects.find(place.cwd, place.vault).id
    facts, why = _field(place, since)
    mine = lineage.names(place.vault, here)
    return Evidence(
        now=now,
        since=since,
        project=here,
        told=told,
        tally=tally,
        known=tuple(index.load(place.vault, keep=False).known.values()),
        brain_lines=_lines(f"{place.vault}/{note_facets.PATH}"),
        handoffs=_handoffs(place.vault),
        newest_handoff=mine[-1] if mine else "",
        waiting=_waiting(place, now),
        facts=facts,
        why_no_facts=why,
    )


def _lines(path: str) -> int:
    try:
        return len(platform.read_regular(path, 1 << 20).splitlines())
    except (OSError, ValueError):
        return 0


def _handoffs(vault: str) -> int:
    folders = platform.names(f"{vault}/{lineage.FOLDER}")
    return sum(len(lineage.files_in(vault, lineage.FOLDER, folder)) for folder in folders)


def _waiting(place: Place, now: float) -> int:
    entries = queue.read(f"{place.state}/queue", now).entries
    return sum(one.flag.origin == "user" and now - one.flag.time > PATIENCE for one in entries)


def _field(place: Place, since: float) -> tuple[FieldFacts | None, str]:
    """The facts, or why there are none."""
    try:
        with coverage.only_looking(place.vault) as store:
            return _facts(place, store, since), ""
    except FileNotFoundError:
        return None, "there is no index yet"
    except (HoldfastError, OSError) as error:
        return None, str(error)


def _facts(place: Place, store: Store, since: float) -> FieldFacts:
    # The end of the traffic log, which the index takes in with its next question, counts too.
    late = traffic.travels(place.vault, store.travelled()).found
    asked = store.asked(since, MOST_ASKED)
    asked += [Asked(one.time, one.agent, one.project, one.query, one.ids) for one in late if one.kind == traffic.GOT]
    model = store.serving()
    used = store.traffic({ident for one in asked for ident in one.ids}, whole=False)
    best = max(used, key=lambda one: (used[one].access_count, one), default="")
    here = projects.find(place.cwd, place.vault).id
    shown = store.thoughts([best]).get(best) if best else None
    path = shown.path or shown.id if shown and shown.project in ("", GLOBAL, here) else "of another project"

    def count(*kinds: str) -> int:
        return store.count(Scope(kinds=kinds))

    return FieldFacts(
        thoughts=store.count(Scope()),
        model=model,
        lacking=store.lacking(model) if model else 0,
        contributed=count(ORIGINAL, REFINEMENT),
        of_tasks=count(DECISION, DISCOVERY),
        consolidations=count(CONSOLIDATION),
        bridges=count(BRIDGE),
        highways=len(store.busiest(highways.ACCESSES, highways.AGENTS, Scope(), MOST_HIGHWAYS)),
        asked=tuple(asked[-MOST_ASKED:]),
        best=(path, used[best]) if best else None,
    )
