"""The shapes of requests and answers, field by field: the OpenAPI description is made of them.

A request with other fields than these is refused: a misspelt filter must not widen a question. The names in answers are
those that the command line prints with --json.
"""

from __future__ import annotations

from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from holdfast.field import retrieval, think, thought
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
Key = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]*$")]
Origin = Literal["user", "agent", "tool", "web", "repository", "import"]
Said = Literal["agent", "tool", "web", "repository", "import"]  # of what an agent sends; nobody here is the user
When = Annotated[float, Field(ge=0, le=LATEST, allow_inf_nan=False)]
Limit = Annotated[int, Field(ge=1, le=500)]


def _whole(given: object) -> object:
    """To JSON 13.0 is an integer like any other."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


Most = Annotated[int, Field(ge=1, le=retrieval.MOST), BeforeValidator(_whole)]

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
    query: str = Field("", max_length=retrieval.LONGEST_QUERY)
    limit: Most = 10
    space: Short = ""


class TasksAsked(Listed):
    over: bool = Field(False, description="Also those that are completed or abandoned.")


class TaskAsked(Placed):
    whole: bool = Field(False, description="Every entry, however many there are.")


class Saying(Asked):
    model_config = STRICT

    id: Key = Field("", description="Made by the caller, new for each thought; only a team's server takes one.")
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

    query: str = Field(min_length=1, max_length=retrieval.LONGEST_QUERY, pattern=SAYS)
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

KINDS: dict[str, Any] = {  # by the names of fields, which mean the same in every answer; the others are texts
    **dict.fromkeys(("score", "relevance", "weight", "age_s", "created", "last_accessed", "oldest_age_s"), float),
    **dict.fromkeys(("limit_s", "index_age_s", "started", "changed", "spoke"), float),
    **dict.fromkeys(("accesses", "count", "depth", "withheld", "number", "tries", "behind"), int),
    **dict.fromkeys(("more", "broken", "other", "other_projects", "waiting", "claimed", "dead"), int),
    **dict.fromkeys(("tags", "sources", "agents", "changes", "evidence", "unknown"), list[str]),
    **dict.fromkeys(("decisions", "discoveries", "findings", "records"), list[dict[str, Any]]),
    **dict.fromkeys(("is_new", "ok", "degraded"), bool),
    "progress": dict[str, Any],
}


def _answer(name: str, fields: str, base: Any = BaseModel, doc: str | None = None, **kinds: Any) -> Any:
    """An answer with these fields, all of them always there."""
    made: dict[str, Any] = {one: (kinds.get(one, KINDS.get(one, str)), ...) for one in fields.split()}
    return create_model(name, __base__=base, __doc__=doc, __module__=__name__, **made)


def _many(one: Any) -> Any:
    return GenericAlias(list, (one,))


Problem = _answer(
    "Problem", "error message", doc="A refusal or a failure: a code that does not change, and a sentence."
)

Thought = _answer("Thought", " ".join(one for one in thought.FIELDS if one != "start"))
Thinking = _answer("Thinking", "thought is_new changes", thought=Thought)
Result = _answer(
    "Result",
    "id text path score relevance why weight origin kind category contributor agent session project space title "
    "superseded_by created age_s sources accesses",
)
Results = _answer("Results", "results answered", results=_many(Result))
Beside = _answer("Beside", "id title count")
Highway = _answer(
    "Highway", "id text path title origin score weight accesses agents last_accessed beside", beside=_many(Beside)
)
Highways = _answer("Highways", "highways", highways=_many(Highway))
Step = _answer("Step", "depth", Thought)
Provenance = _answer(
    "Provenance",
    "steps withheld unknown more",
    doc="What a thought was made of, and that of what. `withheld` are of other projects, `unknown` no longer there; "
    "`more`\nsays that there is more than one answer shows.",
    steps=_many(Step),
    more=bool,
)
Known = _answer(
    "Known", "thought weight accesses agents last_accessed provenance", thought=Thought, provenance=Provenance
)

Note = _answer("Note", "path name description kind status project origin created edited reviewed policy", created=str)
Notes = _answer("Notes", "notes more broken", notes=_many(Note))
WholeNote = _answer("WholeNote", "text", Note)
Handoff = _answer(
    "Handoff",
    "number time started title project branch host episode author path sections",
    started=str,
    sections=dict[str, list[str]],
)
Lineage = _answer("Lineage", "handoffs", handoffs=_many(Handoff))
Task = _answer("Task", "id project goal state started changed spoke episode")
Tasks = _answer("Tasks", "tasks more", tasks=_many(Task))
WholeTask = _answer("WholeTask", "decisions progress discoveries findings next", Task)

Flag = _answer("Flag", "id kind text session project age_s episode host origin evidence tries error")
_FLAGS = dict.fromkeys(("waiting", "claimed", "dead"), _many(Flag))
Queue = _answer("Queue", "waiting claimed dead oldest_age_s other_projects broken more", **_FLAGS)
Ledger = _answer("Ledger", "records other")
Health = _answer("Health", "ok degraded why oldest_age_s limit_s waiting claimed dead behind index_age_s")
Host = _answer("Host", "name role behind lag", lag=float)
TeamHealth = _answer(
    "TeamHealth",
    "ok degraded why role schema_number replay_lag_s behind servers",
    schema_number=int,
    replay_lag_s=float,
    servers=_many(Host),
)
