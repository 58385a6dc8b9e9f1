"""The field: think, retrieve, highways, and one thought with all that it was made of.

What a thought was made of, and that of what, as far as one answer can tell and its reader may see.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Depends, Path, Query

from holdfast.errors import HoldfastError, NotFound
from holdfast.field import think
from holdfast.field.store import Scope
from holdfast.field.thought import unread
from holdfast.serve import shapes
from holdfast.serve.problems import Off
from holdfast.serve.serving import WRITING, Asks, json_only, origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.field.retrieve import Answer
    from holdfast.field.thought import Thought
    from holdfast.memory import Memory

    Look = Callable[[Iterable[str]], dict[str, Thought]]


DEEPEST = 12
MOST = 200


@dataclass(frozen=True)
class Chain:
    """The nearest first, each once, with how far it is. `withheld` counts those of other projects, whose own sources
    are not followed; `more` says that the chain goes on."""

    steps: tuple[tuple[Thought, int], ...]
    withheld: int = 0
    unknown: tuple[str, ...] = ()
    more: bool = False


def refuse_unseen(memory: Memory, sources: Sequence[str]) -> None:
    """A thought is made of what its author may see: naming another project's would tell that it is there. Raises
    NotFound."""
    found = memory.field.thoughts(sources) if sources else {}
    mine = memory.field.scope()
    missing = [one for one in sources if one not in found or not mine.has(found[one])]
    if missing:
        raise NotFound(f'There is no thought "{missing[0]}" to be a source; nothing was written. `recall` shows ids.')


def of(look: Look, thought: Thought, scope: Scope) -> Chain:
    steps: list[tuple[Thought, int]] = []
    unknown: list[str] = []
    withheld = 0
    done = {thought.id}
    level = list(thought.sources)
    for depth in range(1, DEEPEST + 1):
        wanted = [one for one in dict.fromkeys(level) if one not in done]
        if not wanted:
            return Chain(tuple(steps), withheld, tuple(unknown))
        done.update(wanted)
        found = look(wanted)
        unknown += [one for one in wanted if one not in found]
        mine = [found[one] for one in wanted if one in found and scope.has(found[one])]
        withheld += len(wanted) - len(mine) - sum(1 for one in wanted if one not in found)
        room = MOST - len(steps)
        steps += [(one, depth) for one in mine[:room]]
        if len(mine) > room:
            return Chain(tuple(steps), withheld, tuple(unknown), True)
        level = [source for one in mine for source in one.sources]
    return Chain(tuple(steps), withheld, tuple(unknown), any(one not in done for one in level))


router = APIRouter(tags=["field"])
OPTIONS: dict[str, Any] = {"dependencies": [Depends(json_only)], "responses": WRITING}


@router.post("/think", response_model=shapes.Thinking, operation_id="think", **OPTIONS)
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
        memory.at.project().id,
        said.space,
        tuple(said.tags),
        said.category,
        tuple(said.sources),
        origin(memory, name, said.session, said.origin),
    )
    refuse_unseen(memory, said.sources)
    if off := memory.at.why_off():
        raise Off(f"Nothing was written: {off}.")
    done = memory.field.think(words)
    return {"thought": record(done.thought), "is_new": done.is_new, "changes": list(done.changes)}


@router.post("/retrieve", response_model=shapes.Results, operation_id="retrieve", **OPTIONS)
def retrieve(asking: Asks, asked: shapes.Query, after: BackgroundTasks) -> dict[str, Any]:
    """What is known that bears on a query. What is returned is reinforced afterwards, unless `read_only`."""
    memory = asking.placed(asked)
    here = memory.at.project()
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
    answer = memory.field.recall(asked.query, scope, asked.limit)
    if not asked.read_only:
        after.add_task(_reinforce, memory, answer, asking.caller.name, asked.session)
    return {"results": [one.as_record() for one in answer.results]}


def _reinforce(memory: Memory, answer: Answer, agent: str, session: str) -> None:
    """The answer is out: a disk that takes no more must not turn it into a failure."""
    try:
        memory.field.recalled(answer, agent, session)
    except (HoldfastError, OSError):
        return


@router.get("/highways", response_model=shapes.Highways, operation_id="highways")
def highways(asking: Asks, asked: Annotated[shapes.HighwaysAsked, Query()]) -> dict[str, Any]:
    """What several agents come back to. It leaves no trace."""
    memory = asking.placed(asked)
    here = memory.at.project()
    scope = Scope(None if asked.everything else here.id, space=asked.space, merged=here.merged)
    found = memory.field.highways(scope, asked.query, asked.limit)
    return {"highways": [one.as_record() for one in found]}


@router.get("/thoughts/{id}", response_model=shapes.Known, operation_id="thought")
def thought(
    asking: Asks, ident: Annotated[shapes.Ident, Path(alias="id")], asked: Annotated[shapes.Placed, Query()]
) -> dict[str, Any]:
    """One thought, its weight, and its provenance: what it was made of, and that of what. It leaves no trace."""
    memory = asking.placed(asked)
    scope = memory.field.scope(everything=asked.everything)
    found = memory.field.thoughts([ident]).get(ident)
    if found is None or not scope.has(found):
        raise NotFound("There is no such thought here; nothing was changed. /retrieve shows ids.")
    with memory.field.open() as field:
        traffic = field.store.traffic([ident]).get(ident) or unread(found)
        chain = of(field.store.thoughts, found, scope)
    return {
        "thought": record(found),
        "weight": round(traffic.weight_at(memory.at.clock()), 4),
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
