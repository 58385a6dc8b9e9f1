"""What is asked, field by field: the OpenAPI description is made of this, and of serve/answers.

What a request has beyond these fields is refused: a misspelt filter must not widen a question.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from holdfast.field import repeating, retrieve, think
from holdfast.tasks.words import LONGEST_NAME as LONGEST_TASK

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
    context: str = Field("", max_length=repeating.LONGEST_CONTEXT)
    project: Short = Field("", description="The project that the caller is in; only tokens for all may say one.")
    session: Short = ""
    contributor: Short = ""
    space: Short = ""
    category: Short = ""
    tags: Annotated[
        list[Annotated[str, Field(max_length=think.LONGEST_TAG)]], Field(max_length=repeating.MOST_TAGS)
    ] = []
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
