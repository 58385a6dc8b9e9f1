"""The field: think, retrieve, highways, and one thought with all that it was made of."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Depends, Path, Query

from holdfast.errors import HoldfastError, NotFound
from holdfast.field import think
from holdfast.field.store import Scope
from holdfast.field.thought import unread
from holdfast.serve import answers, provenance, shapes
from holdfast.serve.asking import WRITING, Asks, json_only

if TYPE_CHECKING:
    from holdfast.field.retrieve import Answer
    from holdfast.field.thought import Thought
    from holdfast.serve.serving import Served

router = APIRouter(tags=["field"])
OPTIONS: dict[str, Any] = {"dependencies": [Depends(json_only)], "responses": WRITING}


@router.post("/think", response_model=answers.Thinking, operation_id="think", **OPTIONS)
def say(asking: Asks, said: shapes.Original | shapes.Derived) -> dict[str, Any]:
    """Keep a thought, or strengthen the one that says it already. Once this answers, it is on disk."""
    memory = asking.memory(said.project)
    name = asking.caller.name
    words = think.Words(
        said.text,
        said.context,
        said.kind,
        said.contributor,
        name,
        said.session,
        memory.project().id,
        said.space,
        tuple(said.tags),
        said.category,
        tuple(said.sources),
        memory.origin(name, said.session, said.origin),
    )
    provenance.refuse_unseen(memory, said.sources)
    done = memory.think(words)
    return {"thought": record(done.thought), "is_new": done.is_new, "changes": list(done.changes)}


@router.post("/retrieve", response_model=answers.Results, operation_id="retrieve", **OPTIONS)
def retrieve(asking: Asks, asked: shapes.Query, after: BackgroundTasks) -> dict[str, Any]:
    """What is known that bears on a query. What is returned is reinforced afterwards, unless `read_only`."""
    memory = asking.placed(asked)
    here = memory.project()
    scope = Scope(
        None if asked.everything else here.id,
        space=asked.space,
        kinds=tuple(asked.kinds),
        since=asked.since,
        until=asked.until,
        trust=tuple(asked.trust),
        agent=asked.agent,
        merged=here.merged,
    )
    answer = memory.recall(asked.query, scope, asked.limit)
    if not asked.read_only and not memory.why_off():
        after.add_task(_reinforce, memory, answer, asking.caller.name, asked.session)
    return {"results": [one.as_record() for one in answer.results]}


def _reinforce(memory: Served, answer: Answer, agent: str, session: str) -> None:
    """The answer is out: a disk that takes no more must not turn it into a failure."""
    try:
        memory.recalled(answer, agent, session)
    except (HoldfastError, OSError):
        return


@router.get("/highways", response_model=answers.Highways, operation_id="highways")
def highways(asking: Asks, asked: Annotated[shapes.HighwaysAsked, Query()]) -> dict[str, Any]:
    """What several agents come back to. It leaves no trace."""
    memory = asking.placed(asked)
    here = memory.project()
    scope = Scope(None if asked.everything else here.id, space=asked.space, merged=here.merged)
    found = memory.highways(scope, asked.query, asked.limit)
    return {"highways": [one.as_record() for one in found]}


@router.get("/thoughts/{id}", response_model=answers.Known, operation_id="thought")
def thought(
    asking: Asks, ident: Annotated[shapes.Ident, Path(alias="id")], asked: Annotated[shapes.Placed, Query()]
) -> dict[str, Any]:
    """One thought, its weight, and its provenance: what it was made of, and that of what. It leaves no trace."""
    memory = asking.placed(asked)
    scope = memory.scope(everything=asked.everything)
    found = memory.thoughts([ident]).get(ident)
    if found is None or not scope.has(found):
        raise NotFound("There is no such thought here; nothing was changed. /retrieve shows ids.")
    with memory.field() as field:
        traffic = field.store.traffic([ident]).get(ident) or unread(found)
        chain = provenance.of(field.store.thoughts, found, scope)
    return {
        "thought": record(found),
        "weight": round(traffic.weight_at(memory.clock()), 4),
        "accesses": traffic.access_count,
        "agents": list(traffic.agents),
        "last_accessed": traffic.last_accessed if traffic.access_count else 0.0,
        "provenance": {
            "steps": [{**record(one), "depth": depth} for one, depth in chain.steps],
            "withheld": chain.withheld,
            "unknown": list(chain.unknown),
            "more": chain.more,
        },
    }


def record(one: Thought) -> dict[str, Any]:
    return asdict(one)
