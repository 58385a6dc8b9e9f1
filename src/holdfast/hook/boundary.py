"""Which boundary a moment is, if it is one: something was finished, and what was learned is still at hand.

Which tools close a chapter is configuration: by default every tool named mark_chapter, of whatever server; a project
may name its own. A todo, task or plan step counts once, however often the list is sent again.
"""

from __future__ import annotations

from holdfast.capture import config as machine
from holdfast.capture import course
from holdfast.capture.ids import digest
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.model import Moment

CHAPTER, TASK, SUBAGENT, COMMIT = "chapter", "task", "subagent", "commit"
CHAPTER_TOOLS = ("mark_chapter",)
NO_COMMIT = ("--dry-run", "--help", "-h")


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
    fresh = [one for one in found if course.first(state, episode, f"{one.kind}-{digest(one.name)}")]
    return fresh[-1] if fresh else None


def _found(moment: Moment, config: Mapping[str, Any], chapter_tools: tuple[str, ...]) -> list[Boundary]:
    set_so = machine.section(config, "nudge")
    off = machine.texts(set_so, "off", ())
    chapter_tools += machine.texts(set_so, "chapter_tools", CHAPTER_TOOLS)
    found = []
    if moment.event == "subagent-stop":
        found.append(Boundary(SUBAGENT, "", moment.agent or moment.said))
    elif moment.event == "task-completed" or (moment.event == "after-tool" and moment.completed):
        found += [Boundary(TASK, words, words) for words in moment.completed]
    elif moment.event == "after-tool" and not moment.failed:
        if short_name(moment.tool) in chapter_tools:
            found.append(Boundary(CHAPTER, moment.input.partition("\n")[0], moment.call or moment.input))
        elif moment.command and "commit" in moment.command and is_commit(moment.command):
            found.append(Boundary(COMMIT, "", moment.call or moment.command))
    return [one for one in found if one.kind not in off]


def short_name(tool: str) -> str:
    """A tool's own name, without the server it comes from: mcp__notes__mark_chapter, notes/mark_chapter."""
    return tool.rpartition("__")[2].rpartition("/")[2].rpartition(".")[2]


def is_commit(command: str) -> bool:
    """Whether a command line commits with git: `git commit`, with whatever options git takes before it."""
    words = command.replace(";", " ; ").replace("&&", " ; ").replace("|", " | ").replace("\n", " ; ").split()
    for at, word in enumerate(words):
        if word != "git" and not word.endswith("/git"):
            continue
        rest = words[at + 1 :]
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in ("-C", "-c", "--git-dir", "--work-tree") else rest[1:]
        stop = next((nth for nth, one in enumerate(rest) if one in (";", "|")), len(rest))
        if rest[:1] == ["commit"] and not any(one in NO_COMMIT for one in rest[:stop]):
            return True
    return False
