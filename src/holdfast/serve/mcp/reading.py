"""The tools that look: recall, task_show. The same code as the commands, in this project and what is global."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from holdfast.serve.mcp import words as telling
from holdfast.serve.mcp.tool import Arguments, Texts, Told

if TYPE_CHECKING:
    from holdfast.serve.mcp.peer import Place


class Recall(Arguments):
    query: Annotated[str, Field(description="A question, or the words that matter.")]
    most: Annotated[int, Field(ge=1, le=20)] = 5
    kinds: Annotated[
        Texts, Field(max_length=10, description="Only these: note, handoff, decision, discovery, original, …")
    ]


def recall(place: Place, given: Recall) -> Told:
    from dataclasses import replace

    desk = place.desk()
    answer = desk.recall(given.query, replace(desk.scope(), kinds=tuple(given.kinds)), given.most)
    return Told(telling.results(answer), lambda: desk.note_shown(answer))


class TaskShow(Arguments):
    task: Annotated[str, Field(description="The task's id; without it the open one of this project.")] = ""
    all: Annotated[bool, Field(description="Every entry, however many there are.")] = False


def task_show(place: Place, given: TaskShow) -> Told:
    desk = place.desk()
    desk.refuse_elsewhere(given.task)
    return Told(telling.task(desk.task_show(given.task, whole=given.all)))
