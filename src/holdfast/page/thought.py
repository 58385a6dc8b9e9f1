"""A thought: what it says, its weight over time, who read it, what it is made of, and taking it out of recall."""

from __future__ import annotations

from fastapi import APIRouter, Response

from holdfast.capture import home
from holdfast.errors import NotFound
from holdfast.field.local_graph import GREW, TOGETHER
from holdfast.field.thought import WITHDRAWN, unread
from holdfast.page import frame, weight_curve
from holdfast.page.recall import address, title_of
from holdfast.page.visit import Visits
from holdfast.vault import notes

router = APIRouter(include_in_schema=False)
MOST_READS = 20
MOST_MADE = 50
KNOWN_TIES = (TOGETHER, GREW)


@router.get("/page/thought")
def view(visit: Visits, id: str = "") -> Response:  # noqa: A002  the name in the address
    """Raises NotFound."""
    memory = visit.memory
    found = memory.field.show(id, everything=visit.everything) if id and home.format_of(memory.at.vault) else None
    if found is None:
        raise NotFound("There is no such thought in this project. Choose all projects above, or look by recall.")
    thought, weight = found
    with memory.field.open() as field:
        store = field.store
        traffic = store.traffic([id]).get(id) or unread(thought)
        made = store.made_of([id]).get(id, [])[:MOST_MADE]
        known = store.thoughts({*thought.sources, *made, thought.superseded_by} - {""})
        is_archived = bool(store.archived([id]))
    now = memory.at.clock()
    by = known.get(thought.superseded_by)
    return visit.show(
        "thought.html", one=thought, weight=weight, traffic=traffic, title=title_of(thought),
        text=thought.text[: frame.LONGEST], is_cut=len(thought.text) > frame.LONGEST,
        curve=weight_curve.curve(thought, traffic, now), size=(weight_curve.WIDTH, weight_curve.HEIGHT),
        reads=list(reversed(traffic.log))[:MOST_READS], is_archived=is_archived,
        sources=[(title_of(known[each]), address(visit, known[each])) for each in thought.sources if each in known],
        missing=[each for each in thought.sources if each not in known],
        made=[(title_of(known[each]), address(visit, known[each])) for each in made if each in known],
        newer=(title_of(by), address(visit, by)) if by else None,
        is_withdrawn=thought.superseded_by == WITHDRAWN,
        note=address(visit, thought) if thought.path.partition("/")[0] in notes.FOLDERS.values() else "",
    )  # fmt: skip


@router.post("/page/thought/forget")
def forget(visit: Visits, id: str = "") -> Response:  # noqa: A002
    """Raises NotFound, NotSaved."""
    memory = visit.memory
    found = memory.field.show(id, everything=visit.everything)
    if found is None or found[0].path:
        raise NotFound("There is no such thought to forget here; nothing was changed. A note is forgotten as a note.")
    gone = memory.field.forget([id])
    said = "Forgotten: recall finds it no longer." if gone else "It was forgotten before; nothing was changed."
    return visit.show("thought_gone.html", headers=frame.toast(said), id=id)


@router.post("/page/thought/restore")
def restore(visit: Visits, id: str = "") -> Response:  # noqa: A002
    """Raises NotFound."""
    step = visit.memory.sleep.restore([id])
    undo = visit.link("field/undo", id=step.id)
    return frame.answer("", headers={**frame.toast("Fetched back from the archive.", undo=undo)})
