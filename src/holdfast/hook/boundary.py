"""Boundaries: moments at which something was finished, and what was learned is still at hand.

Configuration says which tools close a chapter or a task: by default every tool named mark_chapter, of whatever server;
a project may name its own. A todo, task or plan step counts once, however often the list is sent again; a subagent's
is another than the main agent's of the same words. A call that failed has finished nothing. The account of a session is
kept at a boundary, and now and then in a long turn.
"""

from __future__ import annotations

import posix

from holdfast.capture import config as machine
from holdfast.capture import home, once
from holdfast.capture.ids import digest
from holdfast.hosts.tools import CHAPTER_TOOLS, short_name
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene
    from holdfast.model import Moment

CHAPTER, TASK, SUBAGENT, COMMIT = "chapter", "task", "subagent", "commit"


@value
class Boundary:
    """Something that was finished: its kind, its own words, and the name that makes it one of a kind in its episode."""

    kind: str
    words: str
    name: str


def of(
    moment: Moment, config: Mapping[str, Any], state: str, episode: str, chapter_tools: tuple[str, ...] = ()
) -> Boundary | None:
    """The boundary that this moment is, seen for the first time; None for any other. Several at once are one."""
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
    return [Boundary(COMMIT, "", moment.call or moment.command)] if is_commit(moment.command) else []


def is_commit(command: str) -> bool:
    """Whether a command line commits with git; most need not be read to know."""
    if "commit" not in command:
        return False
    from holdfast.text import shell_programs

    return shell_programs.is_commit(command)


ACCOUNTED = "accounted"  # its content is the size of the transcript that the last account was made of
FIRST, GROWN = 1 << 10, 8 << 10  # bytes that make the first account, and another, worth its process at a boundary
GROWN_BETWEEN, BETWEEN = 64 << 10, 180.0  # bytes and seconds within a turn
GROWN_MUCH = 192 << 10  # bytes that are worth it at any time
MANY = 12  # flags that are worth a close


def keep_if_due(scene: Scene, episode: Episode, env: Mapping[str, str], *, is_boundary: bool) -> None:
    """Start an account of the session so far, if enough was said since the last one."""
    moment = scene.moment
    path = moment.transcript or episode.transcript
    if moment.agent or not path:
        return
    try:
        size = posix.stat(path).st_size
    except (OSError, ValueError):
        return
    known = once.count(scene.state, episode.key, ACCOUNTED)
    if not is_boundary:
        last = once.when(scene.state, episode.key, ACCOUNTED) or episode.opened
        if size - known < (GROWN_BETWEEN if scene.now - last >= BETWEEN else GROWN_MUCH):
            return
    elif 0 <= size - known < (1 if scene.did.get("boundary") == COMMIT else GROWN if known else FIRST):
        return
    from holdfast.capture import background

    if background.is_off(env):
        return
    try:
        once.put(scene.state, episode.key, ACCOUNTED, str(size))
        scene.did["account"] = background.start(scene.vault, env, "background-account", episode.key, path, str(size))
    except OSError as error:
        scene.failures.append(error)


def close_if_many(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Start a close of what this project's sessions have flagged so far, if that is enough."""
    waiting = once.read(scene.state, episode.key, once.UNFILED)
    if not waiting:
        return
    own = home.machine_state(env)
    settings = config if own == scene.state else machine.load(own)  # a repository's vault has no say in it
    many = machine.number(machine.section(settings, "close"), "midway", MANY)
    if many <= 0 or len(waiting.split()) < many:
        return
    from holdfast.capture import background

    if background.is_off(env) or once.take(scene.state, episode.key, once.UNFILED) is None:
        return
    try:
        place = (scene.project.root, episode.project)
        scene.did["close"] = background.start(scene.vault, env, "background-close", *place)
    except OSError as error:
        scene.failures.append(error)
