"""The open task of a project, as the hook sees it: told at a start, and asked about while the work goes on.

A checkpoint is asked for by mechanism, not by discipline: after so many minutes without one (15, or as configured), or
so many calls of tools, before the context runs out and after it did; and a session that ends long after its last
checkpoint leaves word of that. Where no task is open (capture/home.has_tasks) nobody imports this.
"""

from __future__ import annotations

from holdfast.brief import open_tasks
from holdfast.capture import config as machine
from holdfast.capture import episodes, once
from holdfast.errors import TROUBLE
from holdfast.tasks import record, states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene
    from holdfast.hook import nudge

MINUTES = 15.0
KIND = "checkpoint"
FORGOTTEN = 8  # calls of tools after a checkpoint that are worth a word at the next start
HOW = '`{command} task checkpoint --progress|--decision|--discovery "…"`, and `--next "…"` for the one exact next step'
LATE = "{since} on task {task} without a checkpoint. Write down what a session that knows nothing would need:\n{how}.\n"
ELSE = "Not working on it? Go on."


def due(
    scene: Scene, episode: Episode, command: str, config: Mapping[str, Any], env: Mapping[str, str]
) -> list[nudge.Due]:
    """The nudge for a checkpoint, where one is due; and what the call shows of the task's units is kept."""
    moment = scene.moment
    if moment.event == "after-tool":
        _note_units(scene, episode, env, config)
    if moment.agent:
        return []
    from holdfast.hook import nudge

    called = 0
    if moment.event == "after-tool":
        called = once.count(scene.state, episode.key, once.CALLED) + 1
        once.put(scene.state, episode.key, once.CALLED, str(called))
    last = max(episode.opened, once.when(scene.state, episode.key, once.CHECKPOINTED))
    since, step = _elapsed(scene.now - last, called, config)
    if not since:
        return []
    task = _running(scene)
    if not task:
        return []
    text = LATE.replace("{since}", since).replace("{task}", task).replace("{how}", HOW) + ELSE
    name = f"{KIND}-{int(last)}-{step}"
    return [nudge.Due(KIND, text.replace("{command}", command), presses=True, once=name)]


def _note_units(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """A disk that takes nothing does not keep the moment from being answered."""
    from holdfast.hook import task_units

    try:
        task_units.note(scene, episode, env, config)
    except TROUBLE as error:
        scene.failures.append(error)


def _elapsed(seconds: float, called: int, config: Mapping[str, Any]) -> tuple[str, str]:
    """What has passed, in words, and a name for it that is another after as much again; "" while it is not enough."""
    wishes = machine.section(config, "task")
    minutes, calls = machine.number(wishes, "minutes", MINUTES), int(machine.number(wishes, "calls", 0))
    if minutes > 0 and seconds >= minutes * 60:
        return f"{seconds / 60:.0f} minutes", f"minutes-{int(seconds // (minutes * 60))}"
    if calls > 0 and called >= calls:
        return f"{called} calls of tools", f"calls-{called // calls}"
    return "", ""


def _running(scene: Scene) -> str:
    """The task that is worked on here: the one that moved last."""
    told, _ = open_tasks.told_by(scene.vault, scene.project.ids)
    return next((one.id for one in told if one.state in states.RUNNING), "")


def reminder(scene: Scene, command: str) -> str:
    """One line for a moment at which the context runs out; "" where no task is worked on."""
    task = _running(scene)
    return f"Task {task} is open: {HOW.replace('{command}', command)}." if task else ""


def to_keep(scene: Scene) -> tuple[str, ...]:
    """What a summary must not lose: which task it is, and its next step."""
    told, _ = open_tasks.told_by(scene.vault, scene.project.ids)
    running = next((one for one in told if one.state in states.RUNNING), None)
    if running is None:
        return ()
    return tuple(short or text for text, short, _ in running.items[:2])


def note_hand(scene: Scene, episode: Episode) -> None:
    """An agent has edited a task's page: what is read back from it is the agent's, with whatever text has entered its
    context, and not a person's."""
    from holdfast.capture.gate import agents_origin

    origin = agents_origin(scene.state, episode.key)
    for task in record.open_tasks(scene.vault):
        place = f"/{record.FOLDER}/{task}/{record.PAGE}"
        if place in scene.moment.command or any(path.endswith(place) for path in scene.moment.files):
            record.note_hand(scene.vault, task, origin)


def leave_word(scene: Scene, episode: Episode) -> None:
    """An episode that ends long after its last checkpoint: the next start should know that the task's memory is older
    than the work."""
    from holdfast.capture import notices

    called = once.count(scene.state, episode.key, once.CALLED)
    last = once.when(scene.state, episode.key, once.CHECKPOINTED)
    task = _running(scene)
    if not task or not last or called < FORGOTTEN:
        return
    host, session = episode.host, episodes.session_of(episode.key)[:12]
    line = (
        f"The {host} session {session} used tools {called} times after its last checkpoint of task {task}: "
        "look at the tree before you trust its progress."
    )
    notices.leave(scene.state, f"{record.LATE}{task}", line, scene.now, project=scene.project.id, once=True)
