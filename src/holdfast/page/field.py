"""Field: what agents come back to, what surrounds a chosen thought, clusters, density, and what sleep did.

Nothing here looks at the whole field: highways and surroundings are asked of the index, clusters are those that the
last night left, density is what was measured last, and measuring anew is a button because it asks old questions again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from holdfast.capture import field_mode, home
from holdfast.errors import NotFound
from holdfast.field import intake, local_graph
from holdfast.field.steps import TIED
from holdfast.page import frame, graph_drawing
from holdfast.page.recall import address, title_of
from holdfast.page.visit import Visits
from holdfast.sleep import clusters as sleep_clusters
from holdfast.sleep import nights, plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.thought import Thought
    from holdfast.page.visit import Visit
    from holdfast.sleep.nights import DoneStep

router = APIRouter(include_in_schema=False)
MOST_HIGHWAYS = 12
MOST_CLUSTERS = 8
MOST_MEMBERS = 6  # of a cluster that are named
MOST_NIGHTS = 12
MOST_STEPS = 50
NAMED = 3  # thoughts of a step
KINDS = {
    "superseded": "Settled by time: one took the place of another",
    "linked": "Said the same",
    "tied": "Read together",
    "archived": "Put away",
    "restored": "Fetched back",
    "consolidated": "Became one summary",
    "bridged": "A bridge was tried",
}


@dataclass(frozen=True)
class Cluster:
    title: str
    link: str
    count: int
    weight: float
    is_dense: bool
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StepRow:
    id: str
    kind: str
    why: str
    thoughts: tuple[tuple[str, str], ...]
    more: int
    is_undone: bool


@router.get("/page/field")
def view(visit: Visits, thought: str = "") -> Response:
    is_bare = home.is_bare(visit.memory.at.vault) and not visit.memory.field.shared()
    return visit.show("field.html", is_bare=is_bare, chosen=thought)


@router.get("/page/field/highways")
def highways(visit: Visits) -> Response:
    field = visit.memory.field
    found = field.highways(field.scope(everything=visit.everything), "", MOST_HIGHWAYS)
    rows = [(one, title_of(one.thought), address(visit, one.thought)) for one in found]
    return visit.show("field_highways.html", rows=rows)


@router.get("/page/field/around")
def around(visit: Visits, thought: str = "") -> Response:
    """Raises NotFound."""
    memory = visit.memory
    scope = memory.field.scope(everything=visit.everything).tidy()
    with memory.field.open() as field:
        if not thought:
            thought = next((hit.id for hit in field.store.busiest(1, 1, scope, 1)), "")
        if not thought:
            return visit.show("field_around.html", drawing=None, graph=None, one=None, title="", own="")
        found = intake.looked(field, lambda: local_graph.around(field.store, scope, thought, memory.at.clock()))
    if found is None:
        raise NotFound("There is no such thought in this project. Choose all projects above.")
    one = found.nodes[0].thought
    return visit.show(
        "field_around.html", drawing=graph_drawing.drawn(found), graph=found, one=one, title=title_of(one),
        own=address(visit, one),
    )  # fmt: skip


@router.get("/page/field/clusters")
def clusters(visit: Visits) -> Response:
    memory = visit.memory
    window = sleep_clusters.load(plan.window(memory.at.vault))
    found = sleep_clusters.clusters(window, memory.at.clock())
    scope = memory.field.scope(everything=visit.everything)
    listed = [one for one in found if visit.everything or one.group.partition("\x1f")[0] in scope.projects]
    known = memory.field.thoughts([each for one in listed[:MOST_CLUSTERS] for each in one.members]) if listed else {}
    rows = [_cluster(visit, one, known) for one in listed[:MOST_CLUSTERS] if one.centre in known]
    return visit.show("field_clusters.html", rows=rows, count=len(listed))


def _cluster(visit: Visit, one: sleep_clusters.Cluster, known: Mapping[str, Thought]) -> Cluster:
    others = [known[each] for each in one.members[1 : MOST_MEMBERS + 1] if each in known]
    centre = known[one.centre]
    return Cluster(
        title_of(centre), visit.link("field", thought=centre.id), len(one.members), one.weight, one.is_dense,
        tuple((title_of(each), visit.link("field", thought=each.id)) for each in others),
    )  # fmt: skip


@router.get("/page/field/density")
def density(visit: Visits, measure: bool = False) -> Response:
    """Raises NotFound, UsageError."""
    memory = visit.memory
    record: dict[str, Any] = field_mode.record(memory.at.state)
    if measure:
        record = memory.field.density(write=False).as_record()
    return visit.show("field_density.html", found=record, is_new=measure)


@router.get("/page/field/nights")
def nights_part(visit: Visits) -> Response:
    memory = visit.memory
    found = nights.listed(memory.at.vault, MOST_NIGHTS)
    due = memory.sleep.due() if home.format_of(memory.at.vault) else None
    return visit.show("field_nights.html", nights=found, due=due)


@router.get("/page/field/night")
def night(visit: Visits, id: str = "") -> Response:  # noqa: A002  the name in the address
    """Raises NotFound."""
    memory = visit.memory
    found = nights.one(memory.at.vault, id)
    done = nights.done_in(memory.at.vault, id)
    told = [one for one in done if one.step.kind != TIED][:MOST_STEPS]
    read_together = [one for one in done if one.step.kind == TIED][:MOST_STEPS]
    named = {each for one in (*told, *read_together) for each in (one.step.by, *one.step.ids[:NAMED]) if each}
    known = memory.field.thoughts(sorted(named)) if named else {}
    scope = memory.field.scope(everything=visit.everything)
    seen = {ident: one for ident, one in known.items() if scope.has(one)}
    rows = [_step(visit, one, seen) for one in told]
    ties = [_step(visit, one, seen) for one in read_together]
    whole = nights.without_marks(found.text)
    text = whole if visit.everything else memory.sleep.seen(whole)
    return visit.show(
        "field_night.html", night=found, text=text, rows=rows, ties=ties,
        more=len(done) - len(told) - len(read_together),
        is_cut=len(text) > frame.LONGEST,
    )  # fmt: skip


@router.post("/page/field/undo")
def undo(visit: Visits, id: str = "") -> Response:  # noqa: A002
    """Raises NotFound, UsageError, Refused."""
    taken = visit.memory.sleep.undo(id)
    count = "One step was" if len(taken) == 1 else f"{len(taken)} steps were"
    return visit.show("field_undone.html", headers=frame.toast(f"{count} taken back; sleep will not take it again."))


def _step(visit: Visit, done: DoneStep, known: Mapping[str, Thought]) -> StepRow:
    one = done.step
    ids = list(dict.fromkeys([*([one.by] if one.by else []), *one.ids]))
    named = [known[each] for each in ids if each in known][:NAMED]
    links = tuple((title_of(each), address(visit, each)) for each in named)
    return StepRow(one.id, KINDS.get(one.kind, one.kind), one.why, links, len(ids) - len(named), done.is_undone)
