"""What is asked, field by field: the OpenAPI description is made of this, and of serve/shapes.

What a request has beyond these fields is refused: a misspelt filter must not widen a question.

How it is answered, field by field. Names are those that the command line prints with --json.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from holdfast.field import retrieve, think
from holdfast.tasks.checkpoint_words import LONGEST_NAME as LONGEST_TASK

# One sign that is drawn and is no mere end of a sentence: what has none of these is an empty text. Ranges alone, since
# \w and \s are not the same in all that read a pattern.
SAYS = (
    r"[^\x00-!.;\x7f-\xa0\xad\u034f\u037e\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2024-\u202f"
    r"\u203c\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufe14\ufe15\ufe19\ufe30\ufe52\ufe54\ufe57\ufeff\uff01\uff0e"
    "\\uff1b\\uffa0\\ufff0-\\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
NAMED = r"^[^\x00-\x1f\x7f]*$"
LATEST = 1e11  # seconds; what is beyond was given in another unit

Short = Annotated[str, Field(max_length=200, pattern=NAMED)]
Ident = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Origin = Literal["user", "agent", "tool", "web", "repository", "import"]
Said = Literal["agent", "tool", "web", "repository", "import"]  # of what an agent sends; nobody here is the user
When = Annotated[float, Field(ge=0, le=LATEST, allow_inf_nan=False)]
Limit = Annotated[int, Field(ge=1, le=500)]


def _whole(given: object) -> object:
    """To JSON 13.0 is an integer like any other."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


Most = Annotated[int, Field(ge=1, le=retrieve.MOST), BeforeValidator(_whole)]

STRICT = ConfigDict(strict=True)  # of bodies: a number is no truth value, and "7" no number


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Placed(Asked):
    """Which projects: the caller's and what is global, or by the caller's word all."""

    project: Short = Field("", description="The project that the caller is in; only tokens for all may say one.")
    everything: bool = Field(False, alias="all", description="Of all projects; only tokens for all may.")


class Listed(Placed):
    limit: Limit = Field(100, description="At most so many.")


class NotesAsked(Listed):
    kind: Literal["", "identity", "rule", "knowledge", "feedback", "project"] = ""
    words: Short = Field("", description="Only those with all of these words in name, description or path.")


class LedgerAsked(Listed):
    session: Short = Field("", description="A session's id, or a beginning of it.")
    kind: Short = Field("", description="Only this kind of record.")
    since: When = 0.0
    until: When = 0.0


class HighwaysAsked(Placed):
    query: str = Field("", max_length=retrieve.LONGEST_QUERY)
    limit: Most = 10
    space: Short = ""


class TasksAsked(Listed):
    over: bool = Field(False, description="Also those that are completed or abandoned.")


class TaskAsked(Placed):
    whole: bool = Field(False, description="Every entry, however many there are.")


class Saying(Asked):
    model_config = STRICT

    text: str = Field(min_length=1, max_length=think.LONGEST, pattern=SAYS)
    context: str = Field("", max_length=think.LONGEST_CONTEXT)
    project: Short = Field("", description="The project that the caller is in; only tokens for all may say one.")
    session: Short = ""
    contributor: Short = ""
    space: Short = ""
    category: Short = ""
    tags: Annotated[list[Annotated[str, Field(max_length=think.LONGEST_TAG)]], Field(max_length=think.MOST_TAGS)] = []
    origin: Said = Field("agent", description="Where the words come from; it can only lower the trust in them.")


class Original(Saying):
    kind: Literal["original"] = "original"
    sources: Annotated[list[Ident], Field(max_length=100)] = []


class Derived(Saying):
    kind: Literal["refinement", "consolidation", "bridge"]
    sources: Annotated[list[Ident], Field(min_length=1, max_length=100)]


class Query(Placed):
    model_config = STRICT

    query: str = Field(min_length=1, max_length=retrieve.LONGEST_QUERY, pattern=SAYS)
    limit: Most = 10
    space: Short = ""
    kinds: Annotated[list[Short], Field(max_length=20)] = []
    since: When = 0.0
    until: When = 0.0
    trust: Annotated[list[Origin], Field(max_length=6)] = []
    agent: Short = ""
    session: Short = ""
    read_only: bool = Field(False, description="Leave no trace: nothing is reinforced.")


TASK_ID = Annotated[str, Field(min_length=1, max_length=LONGEST_TASK, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*$")]
NOTE_PATH = Annotated[str, Field(min_length=1, max_length=300)]


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
