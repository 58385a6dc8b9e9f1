"""How it is answered, field by field. Names are those that the command line prints with --json."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """A refusal or a failure: a code that does not change, and a sentence."""

    error: str
    message: str


class Thought(BaseModel):
    id: str
    text: str
    context: str
    kind: str
    contributor: str
    agent: str
    session: str
    project: str
    space: str
    tags: list[str]
    category: str
    sources: list[str]
    origin: str
    created: float
    path: str
    title: str
    superseded_by: str


class Thinking(BaseModel):
    thought: Thought
    is_new: bool
    changes: list[str]


class Result(BaseModel):
    id: str
    text: str
    path: str
    score: float
    relevance: float
    why: str
    weight: float
    origin: str
    kind: str
    category: str
    contributor: str
    agent: str
    session: str
    project: str
    space: str
    title: str
    superseded_by: str
    created: float
    age_s: float
    sources: list[str]
    accesses: int


class Results(BaseModel):
    results: list[Result]


class Beside(BaseModel):
    id: str
    title: str
    count: int


class Highway(BaseModel):
    id: str
    text: str
    path: str
    title: str
    origin: str
    score: float
    weight: float
    accesses: int
    agents: list[str]
    last_accessed: float
    beside: list[Beside]


class Highways(BaseModel):
    highways: list[Highway]


class Step(Thought):
    depth: int


class Provenance(BaseModel):
    """What a thought was made of, and that of what. `withheld` are of other projects, `unknown` no longer there; `more`
    says that there is more than one answer shows."""

    steps: list[Step]
    withheld: int
    unknown: list[str]
    more: bool


class Known(BaseModel):
    thought: Thought
    weight: float
    accesses: int
    agents: list[str]
    last_accessed: float
    provenance: Provenance


class Note(BaseModel):
    path: str
    name: str
    description: str
    kind: str
    status: str
    project: str
    origin: str
    created: str
    edited: str
    reviewed: str
    policy: str


class Notes(BaseModel):
    notes: list[Note]
    more: int
    broken: int


class WholeNote(Note):
    text: str


class Handoff(BaseModel):
    number: int
    time: str
    started: str
    title: str
    project: str
    branch: str
    host: str
    episode: str
    author: str
    path: str
    sections: dict[str, list[str]]


class Lineage(BaseModel):
    handoffs: list[Handoff]


class Task(BaseModel):
    id: str
    project: str
    goal: str
    state: str
    started: float
    changed: float
    spoke: float
    episode: str


class Tasks(BaseModel):
    tasks: list[Task]
    more: int


class WholeTask(Task):
    decisions: list[dict[str, Any]]
    progress: dict[str, Any]
    discoveries: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    next: str


class Flag(BaseModel):
    id: str
    kind: str
    text: str
    session: str
    project: str
    age_s: float
    episode: str
    host: str
    origin: str
    evidence: list[str]
    tries: int
    error: str


class Queue(BaseModel):
    waiting: list[Flag]
    claimed: list[Flag]
    dead: list[Flag]
    oldest_age_s: float
    other_projects: int
    broken: int
    more: int


class Ledger(BaseModel):
    records: list[dict[str, Any]]
    other: int


class Health(BaseModel):
    ok: bool
    degraded: bool
    why: str
    oldest_age_s: float
    limit_s: float
    waiting: int
    claimed: int
    dead: int
    behind: int
    index_age_s: float
