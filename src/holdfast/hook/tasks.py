"""The open task of a project, as the hook sees it: asked about while the work goes on, and watched unit by unit.

A checkpoint is asked for by mechanism: after so many minutes without one (15, or as configured) or so many calls of
tools, before the context runs out and after it did; and a session that ends long after its last checkpoint leaves word
of that. Where no task is open (capture/home.has_tasks) nobody imports this.

An agent that never checkpoints must not do again what was seen done; so after each tool call the units of the open
tasks (tasks/watch) are looked for in what it wrote, ran or committed, and new ones appended to the log. No
lock is taken and no git is started. A unit that an earlier session only began counts as looked at when its file or
name turns up in a call; an agent that then goes on to a fresh unit has passed it.
"""

from __future__ import annotations

import posix

from holdfast.brief import open_tasks
from holdfast.capture import config as machine
from holdfast.capture import episodes, gitfiles, once, platform
from holdfast.capture.ids import digest, new_id
from holdfast.errors import TROUBLE
from holdfast.hook import boundary
from holdfast.model import replace, value, word_set
from holdfast.tasks import record, states, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene
    from holdfast.hook import nudge
    from holdfast.tasks.boot import Told
    from holdfast.tasks.watch import Unit, Watched

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
        try:
            note_units(scene, episode, env, config)
        except TROUBLE as error:
            scene.failures.append(error)  # a disk that takes nothing does not keep the moment from being answered
    if moment.agent:
        return []
    called = 0
    if moment.event == "after-tool":
        called = once.count(scene.state, episode.key, once.CALLED) + 1
        once.put(scene.state, episode.key, once.CALLED, str(called))
    last = max(episode.opened, once.when(scene.state, episode.key, once.CHECKPOINTED))
    since, step = _elapsed(scene.now - last, called, config)
    task = _running(scene) if since else None
    if not task:
        return []
    from holdfast.hook import nudge

    text = LATE.replace("{since}", since).replace("{task}", task.id).replace("{how}", HOW) + ELSE
    name = f"{KIND}-{int(last)}-{step}"
    return [nudge.Due(KIND, text.replace("{command}", command), presses=True, once=name)]


def _elapsed(seconds: float, called: int, config: Mapping[str, Any]) -> tuple[str, str]:
    """What has passed, in words, and a name for it that is another after as much again; "" while it is not enough."""
    wishes = machine.section(config, "task")
    minutes, calls = machine.number(wishes, "minutes", MINUTES), int(machine.number(wishes, "calls", 0))
    if minutes > 0 and seconds >= minutes * 60:
        return f"{seconds / 60:.0f} minutes", f"minutes-{int(seconds // (minutes * 60))}"
    if calls > 0 and called >= calls:
        return f"{called} calls of tools", f"calls-{called // calls}"
    return "", ""


def _running(scene: Scene) -> Told | None:
    """The task that is worked on here: the one that moved last."""
    told, _ = open_tasks.told_by(scene.vault, scene.project.ids)
    return next((one for one in told if one.state in states.RUNNING), None)


def reminder(scene: Scene, command: str) -> str:
    """One line for a moment at which the context runs out; "" where no task is worked on."""
    task = _running(scene)
    return f"Task {task.id} is open: {HOW.replace('{command}', command)}." if task else ""


def to_keep(scene: Scene) -> tuple[str, ...]:
    """The lines that a summary must not lose: which task it is, and its next step."""
    task = _running(scene)
    return tuple(short or text for text, short, _ in task.items[:2]) if task else ()


def note_hand(scene: Scene, episode: Episode) -> None:
    """An agent has edited a task's page: what is read back is the agent's, with its taint, and not a person's."""
    from holdfast.capture.gate import agents_origin

    origin = agents_origin(scene.state, episode.key)
    for task in record.open_tasks(scene.vault):
        place = f"/{record.FOLDER}/{task}/{record.PAGE}"
        if place in scene.moment.command or any(path.endswith(place) for path in scene.moment.files):
            record.note_hand(scene.vault, task, origin)


def leave_word(scene: Scene, episode: Episode) -> None:
    """Tell the next start of an episode that ended long after its last checkpoint: the task's memory is older."""
    from holdfast.capture import notices

    called = once.count(scene.state, episode.key, once.CALLED)
    last = once.when(scene.state, episode.key, once.CHECKPOINTED)
    task = _running(scene)
    if not task or not last or called < FORGOTTEN:
        return
    host, session = episode.host, episodes.session_of(episode.key)[:12]
    line = f"The {host} session {session} used tools {called} times after its last checkpoint of task {task.id}"
    line += ": look at the tree before you trust its progress."
    notices.leave(scene.state, f"{record.LATE}{task.id}", line, scene.now, project=scene.project.id, once=True)


TASK = "HOLDFAST_TASK"  # of a host that `task run` started: the task that it is for
UNIT, GUESS = "task-unit-", "task-guess-"  # in the course: what an agent works on; a place that one unit went to
OPEN, ENDED = "open", "ended"
WRITTEN, RAN, FOLLOWED, COMMITTED, PASSED = (
    "written",
    "ran",
    "followed",
    "committed",
    "passed",
)  # as in tasks/observations
LONGEST_PATH = 200
# Commands that look, move about or tidy up: that they pass says nothing of a unit.
LOOKING = word_set(
    "cat ls head tail less more grep rg find fd wc echo printf stat file diff cmp git mkdir cd pwd tree which rm sort "
    "cut nl od xxd jq sed awk test [ true touch cp mv chmod du open code vim holdfast export set"
)
# A commit that says one of these of itself ends nothing.
UNFINISHED = word_set(
    "wip unfinished incomplete partial partially half draft stub stubs skeleton scaffold begin begins start starts "
    "started revert reverts todo temp tmp not before"
)


@value
class InHand:
    """The unit that an agent works on, its last file, whether it ended; and the begun units of others it looked at."""

    label: str = ""
    path: str = ""
    state: str = ""
    looked: tuple[str, ...] = ()


@value
class Observation:
    """A unit, what was seen of it, and the file."""

    label: str
    how: str
    path: str = ""
    within: str = ""


def note_units(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Keep what this call shows of the units of the tasks that are open here."""
    moment = scene.moment
    is_off = machine.section(config, "task").get("seen") is False
    if is_off or moment.failed or not (moment.files or moment.command or moment.paths):
        return
    wanted = env.get(TASK, "").lower()
    found = 0
    for task in (one for ident in scene.project.ids for one in watch.read(scene.state, ident)):
        if not wanted or task.id.lower() == wanted:
            found += _note(scene, episode, task)
    if found:
        scene.did["seen"] = found


def _note(scene: Scene, episode: Episode, task: Watched) -> int:
    name = digest(f"{task.id} {scene.moment.agent}", 12)
    before = _read(scene, episode, name)
    now = before
    told: list[Observation] = []
    for path in _written(scene):
        unit = watch.of_path(task, path)
        for one, place in _sure(scene, episode, name, unit, path) if unit else ():
            now = _work(task, now, told, one, WRITTEN, place)
    command = scene.moment.command
    named = watch.in_text(task, command) if command else []
    if boundary.is_commit(command):
        now = _commit(scene, now, told, named)
    elif named and not told:
        for unit in _passed(scene, task, named):
            if unit.label == now.label and now.state == OPEN:
                told.append(Observation(unit.label, PASSED))
                now = InHand(now.label, now.path, ENDED, now.looked)
            elif unit.label != now.label:
                now = _work(task, now, told, unit, RAN, "")
    if task.begun and not told:
        now = _looked(scene, task, now, named)
    if told:
        _append(scene, episode, task.id, told)
    if now != before:
        words = (now.label, now.path, now.state, *now.looked)
        once.put(scene.state, episode.key, f"{UNIT}{name}", "\n".join(words))
    return len(told)


def _read(scene: Scene, episode: Episode, name: str) -> InHand:
    lines = (once.read(scene.state, episode.key, f"{UNIT}{name}") or "\n\n").split("\n")
    return InHand(lines[0], lines[1], lines[2], tuple(lines[3:])) if len(lines) > 2 else InHand()


def _work(task: Watched, now: InHand, told: list[Observation], unit: Unit, how: str, path: str) -> InHand:
    """An agent works on a unit: the one before it is passed, and so are those that it looked at and left."""
    looked = tuple(one for one in now.looked if one != unit.label)
    if unit.label == now.label and now.state == OPEN:
        is_known = looked == now.looked and path in ("", now.path)
        return now if is_known else InHand(now.label, path or now.path, OPEN, looked)
    if now.label and now.label != unit.label and now.state == OPEN:
        told.append(Observation(now.label, FOLLOWED))
    if unit.label not in task.begun:
        told += [Observation(one, FOLLOWED) for one in looked if one != now.label]
        looked = ()
    told.append(Observation(unit.label, how, path, unit.within))
    return InHand(unit.label, path, OPEN, looked)


def _sure(scene: Scene, episode: Episode, name: str, unit: Unit, path: str) -> Iterable[tuple[Unit, str]]:
    """The unit, if it is sure; a guess counts with the one before it, once both went to the same place."""
    if not unit.place:
        return [(unit, path)]
    key = f"{GUESS}{name}"
    place, _, rest = (once.read(scene.state, episode.key, key) or "").partition("\n")
    label, _, before = rest.partition("\n")
    once.put(scene.state, episode.key, key, f"{unit.place}\n{unit.label}\n{path}")
    if place != unit.place:
        return []
    first = [(watch.Unit(label), before)] if label != unit.label else []
    is_sure = first or _read(scene, episode, name).label == label
    return [*first, (watch.Unit(unit.label), path)] if is_sure else []


def _commit(scene: Scene, now: InHand, told: list[Observation], named: list[Unit]) -> InHand:
    """End the units that a commit names, and the one in hand if its file is in it as it lies there."""
    words = {word.strip(watch.AROUND + "\"'!.").lower() for word in scene.moment.command.split()}
    if words & UNFINISHED:
        return now
    is_in = bool(now.path) and gitfiles.is_staged(scene.project.root, now.path)
    told += [Observation(unit.label, COMMITTED) for unit in named if not unit.place and unit.label != now.label]
    is_named = any(unit.label == now.label for unit in named)
    if now.label and now.state == OPEN and (is_in or is_named):
        told.append(Observation(now.label, COMMITTED, now.path))
        return InHand(now.label, now.path, ENDED, now.looked)
    return now


def _passed(scene: Scene, task: Watched, named: list[Unit]) -> list[Unit]:
    """The units that a command names which has passed, all of it: one line, joined by && alone, and no mere look."""
    from holdfast.hosts import adapter
    from holdfast.text import shell_words

    if adapter(scene.moment.host).HIDES_FAILURES:  # a commit's failure is read elsewhere
        return []
    try:
        lines = list(shell_words.lines(scene.moment.command))
    except shell_words.Beyond:
        return []
    simple = [one for line in lines for one in line]
    if len(lines) != 1 or any(one.after not in ("", "&&") for one in simple):
        return []
    working = [" ".join(one.texts) for one in simple if one.texts and one.texts[0].rpartition("/")[2] not in LOOKING]
    labels = {unit.label for text in working for unit in watch.in_text(task, text)}
    return [unit for unit in named if unit.label in labels and not unit.place]


def _looked(scene: Scene, task: Watched, now: InHand, named: list[Unit]) -> InHand:
    """Begun units of others that this call opened or named."""
    opened = [watch.of_path(task, _relative(scene, path)) for path in scene.moment.paths]
    labels = [unit.label for unit in (*opened, *named) if unit and unit.label in task.begun and unit.label != now.label]
    fresh = tuple(dict.fromkeys((*now.looked, *labels)))[: watch.MOST_BEGUN]
    return now if fresh == now.looked else InHand(now.label, now.path, now.state, fresh)


def _written(scene: Scene) -> list[str]:
    """The files that this call has written, relative to the project, in their order; those that are there."""
    paths = list(scene.moment.files)
    if any(word in scene.moment.command for word in (">", "tee ", "cp ", "mv ", "-o", "sed ")):
        from holdfast.text import shell_programs

        paths += shell_programs.written(scene.moment.command)
    found = {gitfiles.resolve(scene.moment.cwd, path): path for path in dict.fromkeys(paths)}
    ours = f"{scene.vault}/"
    return [_relative(scene, path) for at, path in found.items() if not at.startswith(ours) and _is_file(at)]


def _relative(scene: Scene, path: str) -> str:
    at = gitfiles.resolve(scene.moment.cwd, path)
    return at.removeprefix(f"{scene.project.root.rstrip('/')}/").lstrip("/")


def _is_file(path: str) -> bool:
    try:
        return posix.stat(path).st_mode & platform.FILE_TYPE == platform.A_FILE
    except (OSError, ValueError):
        return False


def _append(scene: Scene, episode: Episode, task: str, told: list[Observation]) -> None:
    """One write, synced. A task that was archived at this moment gets no folder of its own again."""
    from holdfast.tasks import record

    if not record.logs(scene.vault, task):
        return
    made = []
    for nth, one in enumerate(told):
        entry = record.Entry(new_id(scene.now, nth), scene.now, record.SEEN, one.label, episode=episode.key, to=one.how)
        made.append(replace(entry, field=one.path[-LONGEST_PATH:], within=one.within))
    record.append(scene.vault, task, made, scene.now)
