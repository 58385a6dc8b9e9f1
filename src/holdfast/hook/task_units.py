"""What the hook sees of a task's units: files written, commits, commands that passed. Kept in the task's own log.

An agent that never checkpoints must not do again what was seen done; so after each tool call the units of the open
tasks (tasks/watch) are looked for in what the call wrote, ran or committed, and what is new is appended to the log as
observations (tasks/observations). Who works on what is one small file per agent in the course of its episode: the same
unit again costs no record. No lock is taken and no git is started. A unit that a session before this one only began
counts as looked at when its file or name turns up in a call; whoever then goes on to a fresh unit has passed it.
"""

from __future__ import annotations

import posix

from holdfast.capture import config as machine
from holdfast.capture import gitfiles, once
from holdfast.capture.ids import digest, new_id
from holdfast.model import value
from holdfast.tasks import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene
    from holdfast.tasks.watch import Unit, Watched

TASK = "HOLDFAST_TASK"  # of a host that `task run` started: the task that it is for
UNIT, GUESS = "task-unit-", "task-guess-"  # in the course: what an agent works on; a place that one unit went to
OPEN, ENDED = "open", "ended"
WRITTEN, RAN, FOLLOWED, COMMITTED, PASSED = (
    "written",
    "ran",
    "followed",
    "committed",
    "passed",
)  # as tasks/observations has them
LONGEST_PATH = 200
# Commands that look, move about or tidy up: that they pass says nothing of a unit.
LOOKING = frozenset(
    ("cat", "ls", "head", "tail", "less", "more", "grep", "rg", "find", "fd", "wc", "echo", "printf", "stat", "file")
    + ("diff", "cmp", "git", "mkdir", "cd", "pwd", "tree", "which", "rm", "sort", "cut", "nl", "od", "xxd", "jq", "sed")
    + (
        "awk",
        "test",
        "[",
        "true",
        "touch",
        "cp",
        "mv",
        "chmod",
        "du",
        "open",
        "code",
        "vim",
        "holdfast",
        "export",
        "set",
    )
)
# A commit that says one of these of itself ends nothing.
UNFINISHED = frozenset(
    (
        "wip",
        "unfinished",
        "incomplete",
        "partial",
        "partially",
        "half",
        "draft",
        "stub",
        "stubs",
        "skeleton",
        "scaffold",
    )
    + ("begin", "begins", "start", "starts", "started", "revert", "reverts", "todo", "temp", "tmp", "not", "before")
)


@value
class At:
    """What one agent works on: the unit, the file that was written last for it, whether something ended it since; and
    the begun units of others that it looked at."""

    label: str = ""
    path: str = ""
    state: str = ""
    looked: tuple[str, ...] = ()


@value
class Seen:
    """One observation: a unit, what was seen of it, the file."""

    label: str
    how: str
    path: str = ""
    within: str = ""


def note(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Keep what this call shows of the units of the tasks that are open here."""
    moment = scene.moment
    if moment.failed or not (moment.files or moment.command or moment.paths):
        return
    if machine.section(config, "task").get("seen") is False:
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
    told: list[Seen] = []
    for path in _written(scene):
        unit = watch.of_path(task, path)
        for one, place in _sure(scene, episode, name, unit, path) if unit else ():
            now = _work(task, now, told, one, WRITTEN, place)
    command = scene.moment.command
    named = watch.in_text(task, command) if command else []
    if command and "commit" in command and _is_commit(command):
        now = _commit(scene, now, told, named)
    elif named and not told:
        for unit in _passed(scene, task, named):
            if unit.label == now.label and now.state == OPEN:
                told.append(Seen(unit.label, PASSED))
                now = At(now.label, now.path, ENDED, now.looked)
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


def _read(scene: Scene, episode: Episode, name: str) -> At:
    lines = (once.read(scene.state, episode.key, f"{UNIT}{name}") or "\n\n").split("\n")
    return At(lines[0], lines[1], lines[2], tuple(lines[3:])) if len(lines) > 2 else At()


def _work(task: Watched, now: At, told: list[Seen], unit: Unit, how: str, path: str) -> At:
    """An agent works on a unit: the one before it is passed, and so are those that it looked at and left."""
    looked = tuple(one for one in now.looked if one != unit.label)
    if unit.label == now.label and now.state == OPEN:
        return now if looked == now.looked and path in ("", now.path) else At(now.label, path or now.path, OPEN, looked)
    if now.label and now.label != unit.label and now.state == OPEN:
        told.append(Seen(now.label, FOLLOWED))
    if unit.label not in task.begun:
        told += [Seen(one, FOLLOWED) for one in looked if one != now.label]
        looked = ()
    told.append(Seen(unit.label, how, path, unit.within))
    return At(unit.label, path, OPEN, looked)


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
    return [*first, (watch.Unit(unit.label), path)] if first or _is_at(scene, episode, name, label) else []


def _is_at(scene: Scene, episode: Episode, name: str, label: str) -> bool:
    return _read(scene, episode, name).label == label


def _commit(scene: Scene, now: At, told: list[Seen], named: list[Unit]) -> At:
    """What a commit ends: the units that it names, and the one in hand if its file is in it as it lies there."""
    words = {word.strip(watch.AROUND + "\"'!.").lower() for word in scene.moment.command.split()}
    if words & UNFINISHED:
        return now
    is_in = bool(now.path) and gitfiles.is_staged(scene.project.root, now.path)
    told += [Seen(unit.label, COMMITTED) for unit in named if not unit.place and unit.label != now.label]
    is_named = any(unit.label == now.label for unit in named)
    if now.label and now.state == OPEN and (is_in or is_named):
        told.append(Seen(now.label, COMMITTED, now.path))
        return At(now.label, now.path, ENDED, now.looked)
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


def _looked(scene: Scene, task: Watched, now: At, named: list[Unit]) -> At:
    """Begun units of others that this call opened or named."""
    opened = [watch.of_path(task, _relative(scene, path)) for path in scene.moment.paths]
    labels = [unit.label for unit in (*opened, *named) if unit and unit.label in task.begun and unit.label != now.label]
    fresh = tuple(dict.fromkeys((*now.looked, *labels)))[: watch.MOST_BEGUN]
    return now if fresh == now.looked else At(now.label, now.path, now.state, fresh)


def _written(scene: Scene) -> list[str]:
    """The files that this call has written, relative to the project, in their order; those that are there."""
    paths = list(scene.moment.files)
    if ">" in scene.moment.command or any(
        word in scene.moment.command for word in ("tee ", "cp ", "mv ", "-o", "sed ")
    ):
        from holdfast.text import shell_programs

        paths += shell_programs.of(scene.moment.command)
    found = []
    for path in dict.fromkeys(paths):
        at = gitfiles.resolve(scene.moment.cwd, path)
        if not at.startswith(f"{scene.vault}/") and _is_file(at):
            found.append(_relative(scene, path))
    return found


def _relative(scene: Scene, path: str) -> str:
    at = gitfiles.resolve(scene.moment.cwd, path)
    return at.removeprefix(f"{scene.project.root.rstrip('/')}/").lstrip("/")


def _is_file(path: str) -> bool:
    try:
        return (posix.stat(path).st_mode & 0o170000) == 0o100000
    except (OSError, ValueError):
        return False


def _is_commit(command: str) -> bool:
    from holdfast.text.shell_glance import is_commit

    return is_commit(command)


def _append(scene: Scene, episode: Episode, task: str, told: list[Seen]) -> None:
    """One write, synced. A task that was archived at this moment gets no folder of its own again."""
    from holdfast.tasks import record

    if not record.logs(scene.vault, task):
        return
    made = [
        record.Entry(
            new_id(scene.now, nth),
            scene.now,
            record.SEEN,
            one.label,
            episode=episode.key,
            to=one.how,
            field=one.path[-LONGEST_PATH:],
            within=one.within,
        )
        for nth, one in enumerate(told)
    ]
    record.append(scene.vault, task, made, scene.now)
