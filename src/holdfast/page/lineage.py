"""Handoffs over time: the chain as a graph, one handoff beside it, and two of them compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from holdfast.page import fresh, handoff_comparison, handoff_graph, handoffs
from holdfast.page.handoff_graph import Node
from holdfast.page.visit import Visits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.page.handoffs import Chain, Head
    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
ROW, STEP = 54, 18  # pixels, as page.css has them too
NARROW_ROW, NARROW_STEP = 84, 14


@dataclass(frozen=True)
class Shown:
    """One handoff beside the graph."""

    head: Head
    started: str
    episode: str
    sections: tuple[handoffs.Section, ...]
    parents: tuple[Head, ...]


@router.get("/page/lineage")
def view(visit: Visits, one: str = "", two: str = "", upto: int = 0, known: str = "") -> Response:
    """The chain, and what was chosen in it."""
    chain = handoffs.chain(visit)
    heads = handoffs.heads(visit.server.vault, chain, upto)
    nodes = [Node(head.ident, head.branch, head.parents, head.is_written) for head in heads]
    newest, oldest = (heads[0].number, heads[-1].number) if heads else (0, 0)
    return fresh.part(
        visit,
        "lineage.html",
        known,
        (heads, len(chain.paths)),
        heads=heads,
        total=len(chain.paths),
        wide=handoff_graph.drawn(nodes, row=ROW, step=STEP),
        narrow=handoff_graph.drawn(nodes, row=NARROW_ROW, step=NARROW_STEP, is_narrow=True),
        older=oldest - 1 if oldest > 1 else 0,
        is_newest=newest >= len(chain.paths),
        newer=newest + handoffs.PAGE if newest + handoffs.PAGE < len(chain.paths) else 0,  # 0: follow what comes
        branches=_branches(heads),
        machines=sorted({head.machine for head in heads}),
        upto=upto,
        **_chosen(visit, chain, one, two),
    )


@router.get("/page/lineage/one")
def chosen(visit: Visits, one: str = "", two: str = "", upto: int = 0) -> Response:
    """The part beside the graph: a handoff, or two compared."""
    known = handoffs.chain(visit)
    here = visit.link("lineage", one=one, two=two, upto=upto or "")
    values = _chosen(visit, known, one or two, two if one else "")
    return visit.show("lineage_one.html", headers={"hx-push-url": here}, upto=upto, **values)


def _chosen(visit: Visit, known: Chain, one: str, two: str) -> dict[str, Any]:
    """The values of the part beside the graph. Raises NotFound."""
    vault = visit.server.vault
    if not one:
        return {"shown": None, "comparison": None, "first": ""}
    first = handoffs.find(vault, one)
    if two and two != one:
        pair = handoff_comparison.compared(vault, known, first, handoffs.find(vault, two))
        return {"shown": None, "comparison": pair, "first": one}
    head = handoffs.head_of(first, known.number(one), known)
    parents = tuple(handoffs.head(vault, known, known.number(ident)) for ident in head.parents)
    return {
        "shown": Shown(head, first.started, first.episode, handoffs.sections(first), parents),
        "comparison": None,
        "first": one,
    }


def _branches(heads: Sequence[Head]) -> list[str]:
    return sorted({head.branch or "no branch" for head in heads})
