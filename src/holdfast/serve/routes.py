"""The routes: the field, what is remembered (notes, handoffs, tasks), and whether the mechanism runs (queue, ledger,
health, figures for Prometheus). All but /think only look; /retrieve alone leaves a trace of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Depends, Header, Path, Query, Request, Response

from holdfast.capture import episodes
from holdfast.capture.ledger import Wanted
from holdfast.capture.queue import CLAIMED, DEAD, WAITING
from holdfast.errors import HoldfastError, NotFound
from holdfast.field.thought import Thought, unread
from holdfast.model import replace
from holdfast.serve import health as condition
from holdfast.serve import shapes
from holdfast.serve.mcp.peer import refuse_unseen
from holdfast.serve.problems import Off
from holdfast.serve.service import JSON, PROBLEMS, WRITING, Asks, json_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.field.retrieval import Answer
    from holdfast.field.store import Scope
    from holdfast.memory import Memory
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note

    Look = Callable[[Iterable[str]], dict[str, Thought]]

DEEPEST = 12
MOST = 200
MOST_LEDGER_READ = 20_000  # records of others that are passed over in search of our own


@dataclass(frozen=True)
class Chain:
    """The nearest first, each once, with how far it is. `withheld` counts those of other projects, whose own sources
    are not followed; `more` says that the chain goes on."""

    steps: tuple[tuple[Thought, int], ...]
    withheld: int = 0
    unknown: tuple[str, ...] = ()
    more: bool = False


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


field_router = APIRouter(tags=["field"])
OPTIONS: dict[str, Any] = {"dependencies": [Depends(json_only)], "responses": WRITING}


@field_router.post("/think", response_model=shapes.Thinking, operation_id="think", **OPTIONS)
def say(
    asking: Asks,
    said: shapes.Original | shapes.Derived,
    idempotency_key: Annotated[shapes.Key, Header(description="The same as `id`.")] = "",
) -> dict[str, Any]:
    """Keep a thought, or strengthen the one that says it already. Once this answers, it is on disk, or committed in the
    team's database. There a caller may say the same again with the same `id`, and it is kept once."""
    memory = asking.memory(said.project)
    name = asking.caller.name
    words = Thought(
        asking.serving.ident(said.id or idempotency_key),
        **said.model_dump(include={"text", "context", "kind", "contributor", "session", "space", "category"}),
        agent=name,
        project=memory.at.project().id,
        tags=tuple(said.tags),
        sources=tuple(said.sources),
        origin=asking.serving.origin(memory, name, said.session, said.origin),
    )
    refuse_unseen(memory, said.sources)
    if off := memory.at.why_off():
        raise Off(f"Nothing was written: {off}.")
    done = memory.field.think(words)
    return {"thought": dict(done.thought.__dict__), "is_new": done.is_new, "changes": list(done.changes)}


@field_router.post("/retrieve", response_model=shapes.Results, operation_id="retrieve", **OPTIONS)
def retrieve(asking: Asks, asked: shapes.Query, after: BackgroundTasks) -> dict[str, Any]:
    """What is known that bears on a query. What is returned is reinforced afterwards, unless `read_only`."""
    memory = asking.placed(asked)
    scope = replace(
        memory.field.scope(everything=asked.everything),
        space=asked.space,
        kinds=tuple(asked.kinds),
        since=asked.since,
        until=asked.until,
        trust=tuple(asked.trust),
        agent=asked.agent,
    )
    answer = memory.field.recall(asked.query, scope, asked.limit, asking.caller.name)
    if not asked.read_only:
        after.add_task(_reinforce, memory, answer, asking.caller.name, asked.session)
    return {"answered": answer.answered, **answer.as_record()}


def _reinforce(memory: Memory, answer: Answer, agent: str, session: str) -> None:
    """The answer is out: a disk that takes no more must not turn it into a failure."""
    try:
        memory.field.recalled(answer, agent, session)
    except (HoldfastError, OSError):
        return


@field_router.get("/highways", response_model=shapes.Highways, operation_id="highways")
def highways(asking: Asks, asked: Annotated[shapes.HighwaysAsked, Query()]) -> dict[str, Any]:
    """What several agents come back to. It leaves no trace."""
    memory = asking.placed(asked)
    scope = replace(memory.field.scope(everything=asked.everything), space=asked.space)
    found = memory.field.highways(scope, asked.query, asked.limit)
    return {"highways": [one.as_record() for one in found]}


@field_router.get("/thoughts/{id}", response_model=shapes.Known, operation_id="thought")
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
        "thought": dict(found.__dict__),
        "weight": round(traffic.weight_at(memory.at.clock()), 4),
        "accesses": traffic.access_count,
        "agents": list(traffic.agents),
        "last_accessed": traffic.last_accessed if traffic.access_count else 0.0,
        "provenance": {
            "steps": [{**one.__dict__, "depth": depth} for one, depth in chain.steps],
            "withheld": chain.withheld,
            "unknown": list(chain.unknown),
            "more": chain.more,
        },
    }


vault_router = APIRouter(tags=["vault"])
NOTE_FIELDS = tuple(shapes.Note.model_fields)
TASK_FIELDS = tuple(shapes.Task.model_fields)
STANDING = (
    *("completed", "in_progress", "pending", "skipped", "failed", "gaps", "stopped", "next_unit", "is_begun"),
    *("seen", "seen_begun"),
)


@vault_router.get("/notes", response_model=shapes.Notes, operation_id="notes")
def notes(asking: Asks, asked: Annotated[shapes.NotesAsked, Query()]) -> dict[str, Any]:
    """The notes of this project and the global ones; with `all` of every project, and those no longer active. What is
    in quarantine waits for a person and is not shown."""
    known = asking.placed(asked).notes.index(everything=asked.everything)
    words = asked.words.casefold().split()
    found = [one for one in known.notes if _is_wanted(one, asked.kind, words, everything=asked.everything)]
    more = max(0, len(found) - asked.limit)
    return {"notes": [_note(one) for one in found[: asked.limit]], "more": more, "broken": len(known.broken)}


def _is_wanted(note: Note, kind: str, words: list[str], *, everything: bool) -> bool:
    text = f"{note.name} {note.description} {note.path}".casefold()
    shown = note.is_active or (everything and not note.is_quarantined)
    return kind in ("", note.kind) and shown and all(word in text for word in words)


@vault_router.get("/notes/{path:path}", response_model=shapes.WholeNote, operation_id="note")
def note(
    asking: Asks, path: Annotated[shapes.NOTE_PATH, Path()], asked: Annotated[shapes.Placed, Query()]
) -> dict[str, Any]:
    """One note by its whole path below the vault, with its file's text."""
    memory = asking.placed(asked)
    known = memory.notes.index(everything=asked.everything).known.get(path)
    if known is None or known.note.is_quarantined:
        raise NotFound("There is no note at this path; nothing was changed. /notes lists them.")
    return {**_note(known.note), "text": memory.notes.text_of(known.note.path)}


def _note(one: Note) -> dict[str, str]:
    return {name: str(getattr(one, name) or "") for name in NOTE_FIELDS}


@vault_router.get("/lineage", response_model=shapes.Lineage, operation_id="lineage")
def lineage(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The handoffs, the newest first, whole; each is numbered within its project."""
    memory = asking.placed(asked)
    found = memory.sessions.handoffs(asked.limit)
    for other in asking.serving.others(memory) if asked.everything else ():
        found += other.sessions.handoffs(asked.limit)
    found.sort(key=lambda pair: (pair[0].time, pair[0].path), reverse=True)
    return {"handoffs": [_handoff(one, number) for one, number in found[: asked.limit]]}


def _handoff(one: Handoff, number: int) -> dict[str, Any]:
    names = ("time", "started", "title", "project", "branch", "host", "episode", "author", "path")
    sections = {name: [str(item) for item in items] for name, items in one.sections.items()}
    return {"number": number, **{name: str(getattr(one, name) or "") for name in names}, "sections": sections}


@vault_router.get("/tasks", response_model=shapes.Tasks, operation_id="tasks")
def tasks(asking: Asks, asked: Annotated[shapes.TasksAsked, Query()]) -> dict[str, Any]:
    """The tasks of this project, the one that was worked on last first."""
    found = asking.placed(asked).tasks.listing(everything=asked.everything, also_over=asked.over)
    return {"tasks": [_task(one) for one in found[: asked.limit]], "more": max(0, len(found) - asked.limit)}


@vault_router.get("/tasks/{id}", response_model=shapes.WholeTask, operation_id="task")
def task(
    asking: Asks, ident: Annotated[shapes.TASK_ID, Path(alias="id")], asked: Annotated[shapes.TaskAsked, Query()]
) -> dict[str, Any]:
    """One task as it stands: its state, the decisions in force, what is done, what was found out, the next step."""
    memory = asking.placed(asked)
    ids = memory.at.project().ids
    if not any(one.id == ident for one in memory.tasks.listing(everything=asked.everything, also_over=True)):
        raise NotFound(f"There is no task {ident} here; nothing was changed. /tasks lists them.")
    seen = memory.tasks.show(ident, whole=asked.whole)
    if seen.task.project not in ids and not asked.everything:
        raise NotFound(f"There is no task {ident} here; nothing was changed. /tasks lists them.")
    return _view(seen)


def _task(one: Task) -> dict[str, Any]:
    return {name: getattr(one, name) for name in TASK_FIELDS}


def _view(seen: View) -> dict[str, Any]:
    standing = {name: getattr(seen.standing, name) for name in STANDING}
    return {
        **_task(seen.task),
        "decisions": [one.as_record() for one in seen.in_force],
        "progress": {**standing, "entries": [one.as_record() for one in seen.progress.entries]},
        "discoveries": [one.as_record() for one in seen.discoveries.entries],
        "findings": [one.as_record() for one in seen.findings.entries],
        "next": seen.step(),
    }


watch_router = APIRouter(tags=["watch"])


@watch_router.get("/queue", response_model=shapes.Queue, operation_id="queue")
def queue(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The flags that are not filed yet, the oldest first; of other projects how many."""
    memory = asking.placed(asked)
    view, ids, now = memory.sessions.queue(), memory.at.project().ids, memory.at.clock()
    mine = [entry for entry in view.entries if asked.everything or entry.flag.project in ids]
    shown = mine[: asked.limit]
    return {
        **{state: [one.as_record(now) for one in shown if one.state == state] for state in (WAITING, CLAIMED, DEAD)},
        "oldest_age_s": max((now - entry.flag.time for entry in mine), default=0.0),
        "other_projects": len(view.entries) - len(mine),
        "broken": len(view.broken),
        "more": len(mine) - len(shown),
    }


@watch_router.get("/ledger", response_model=shapes.Ledger, operation_id="ledger")
def ledger(asking: Asks, asked: Annotated[shapes.LedgerAsked, Query()]) -> dict[str, Any]:
    """What really fired in this project, the newest last; of what is not of this project how many were passed over."""
    found, other = _newest(asking.placed(asked), asked)
    return {"records": found, "other": other}


health_router = APIRouter(tags=["watch"])


@health_router.get(
    "/health", response_model=shapes.Health, operation_id="health", responses={503: {"model": shapes.Health}}
)
def health(asking: Asks, response: Response, _: Annotated[shapes.Asked, Query()]) -> dict[str, Any]:
    """Fails, with 503, on the age of the oldest unprocessed flag of any project, or where the vault is of a newer
    format, and says why. `degraded`: memory is
    kept, and answers may lack something, because the index is behind the vault or cannot be read."""
    found = condition.look(asking.serving)
    response.status_code = 200 if found.is_well else 503
    told = {"ok": found.is_well, "why": found.why, "oldest_age_s": found.oldest, "limit_s": found.limit}
    field = {"degraded": bool(found.degraded), "behind": found.behind, "index_age_s": found.lag}
    return {**told, **field, **{name: found.counts[name] for name in (WAITING, CLAIMED, DEAD)}}


class Plain(Response):
    media_type = condition.CONTENT_TYPE


PROBLEM = {"schema": {"$ref": f"#/components/schemas/{shapes.Problem.__name__}"}}
REFUSED: dict[int | str, dict[str, Any]] = {  # what is refused is JSON here too
    status: {"description": said["description"], "content": {JSON: PROBLEM}} for status, said in PROBLEMS.items()
}


@watch_router.get("/metrics", response_class=Plain, operation_id="metrics", responses=REFUSED)
def metrics(request: Request, _: Annotated[shapes.Asked, Query()]) -> Response:
    """Figures for Prometheus."""
    found: condition.Metrics = request.app.state.metrics
    return Plain(found.text())


def _newest(memory: Memory, asked: shapes.LedgerAsked) -> tuple[list[dict[str, Any]], int]:
    """The newest records, oldest first, and how many of others were passed over."""
    kinds = (asked.kind,) if asked.kind else ()
    wanted = Wanted(asked.session, kinds, asked.since, asked.until)
    if asked.everything:
        return memory.sessions.ledger(wanted, asked.limit), 0
    ids, known = memory.at.project().ids, dict[str, str]()
    count = asked.limit
    while True:
        found = memory.sessions.ledger(wanted, count)
        mine = [one for one in found if _project(memory.at.state, one, known) in ids]
        if len(mine) >= asked.limit or len(found) < count or count >= MOST_LEDGER_READ:
            return mine[-asked.limit :], len(found) - len(mine)
        count = min(MOST_LEDGER_READ, count * 4)


def _project(state: str, record: dict[str, Any], known: dict[str, str]) -> str:
    said, key = record.get("project"), str(record.get("episode") or "")
    if said or not key:
        return str(said or "")
    if key not in known:
        host, ordinal = key.partition("/")[0], key.rpartition("/")[2]
        number = int(ordinal) if ordinal.isascii() and ordinal.isdecimal() and len(ordinal) < 9 else -1
        found = episodes.numbered(state, host, episodes.session_of(key), number)
        known[key] = found.project if found else ""
    return known[key]
