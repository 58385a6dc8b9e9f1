"""Which boundary a moment is, if it is one: something was finished, and what was learned is still at hand.

Which tools close a chapter or a task is configuration: by default every tool named mark_chapter, of whatever server; a
project may name its own. A todo, task or plan step counts once, however often the list is sent again; a subagent's is
another than the main agent's of the same words. What failed has finished nothing.
"""

from __future__ import annotations

from holdfast.capture import config as machine
from holdfast.capture import once
from holdfast.capture.ids import digest
from holdfast.model import value
from holdfast.text import commit_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.model import Moment

CHAPTER, TASK, SUBAGENT, COMMIT = "chapter", "task", "subagent", "commit"
CHAPTER_TOOLS = ("mark_chapter",)


@value
class Boundary:
    """What was finished: its kind, its own words, and the name that makes it one of a kind in its episode."""

    kind: str
    words: str
    name: str


def of(
    moment: Moment, config: Mapping[str, Any], state: str, episode: str, chapter_tools: tuple[str, ...] = ()
) -> Boundary | None:
    """The boundary that this moment is, seen for the first time; None for any other. A list may bring several at once:
    they are one boundary."""
    found = _found(moment, config, chapter_tools)
    whose = "" if moment.event == "subagent-stop" else moment.agent
    fresh = [one for one in found if once.first(state, episode, f"{one.kind}-{digest(whose + one.name)}")]
    return fresh[-1] if fresh else None


def _found(moment: Moment, config: Mapping[str, Any], chapter_tools: tuple[str, ...]) -> list[Boundary]:
    if moment.event == "subagent-stop":
        return [Boundary(SUBAGENT, "", moment.agent or moment.said)]
    if moment.event == "task-completed":  # two tasks may have the same words; their host numbers them
        return [Boundary(TASK, words, f"{moment.call}{words}") for words in moment.completed]
    if moment.event != "after-tool" or moment.failed:
        return []
    if moment.completed:
        return [Boundary(TASK, words, words) for words in moment.completed]
    wishes = machine.section(config, "nudge")
    chapter_tools += machine.texts(wishes, "chapter_tools", CHAPTER_TOOLS)
    for kind, tools in ((CHAPTER, chapter_tools), (TASK, machine.texts(wishes, "task_tools", ()))):
        if moment.tool and (moment.tool in tools or short_name(moment.tool) in tools):
            return [Boundary(kind, moment.input.partition("\n")[0], moment.call or moment.input)]
    if moment.command and "commit" in moment.command and commit_lines.is_commit(moment.command):
        return [Boundary(COMMIT, "", moment.call or moment.command)]
    return []


def short_name(tool: str) -> str:
    """A tool's own name, without the server it comes from: mcp__notes__mark_chapter, notes/mark_chapter."""
    return tool.rpartition("__")[2].rpartition("/")[2].rpartition(".")[2]
