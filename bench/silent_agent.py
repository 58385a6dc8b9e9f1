"""An agent that never checkpoints, killed at random: what of its work does the next session do again?

It is played at the hook's own door: the files are really written, the commits really made, and every tool call reaches
the real hook process through the launcher, in the host's own shape, unless the agent is killed before it can. A session
begins where its start says, passes over what the start calls done, looks at a unit that was begun, and goes on in
order. Three kinds of units: numbers that go to out/NNN.json, names with a number that go to another folder and ending,
and paths. With `seen = false` the hook notes nothing: that is the figure of before.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

TASK = "silent"
FIRST, WHOLE = "first half\n", "first half\nsecond half\n"
LONGEST = 30  # steps of a session, at most; a unit takes four, a commit two


class Killed(Exception):
    """Here the session ends, without a word."""


@dataclass(frozen=True)
class Shape:
    """One way to name units, and where each one's output goes."""

    name: str
    host: str
    units: str
    labels: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass
class Tally:
    """What became of the units of one task over all sessions."""

    sessions: int = 0
    done: int = 0  # units that are whole in the end
    redone: int = 0  # done whole again though they were
    redone_seen: int = 0  # of these, those whose end the hook had been told of
    never: int = 0  # passed over in the end though they are not whole
    looked: int = 0  # begun units that were looked at and found whole


@dataclass
class World:
    """One project with its vault, and the programs that are run in it."""

    command: str
    hook: str
    env: dict[str, str]
    project: Path
    shape: Shape
    tally: Tally = field(default_factory=Tally)
    ended: set[str] = field(default_factory=set)  # units whose end the hook was told of, as far as anybody could know
    at: str = ""  # the unit whose writing the hook was told of last, in this session

    def path(self, label: str) -> Path:
        return self.project / self.shape.paths[self.shape.labels.index(label)]

    def is_whole(self, label: str) -> bool:
        path = self.path(label)
        return path.exists() and path.read_text() == WHOLE

    def tell(self, session: str, event: str, **more: object) -> str:
        """One moment, to the real hook; what it answers."""
        payload = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, **more}
        call = [self.hook, self.shape.host]
        done = subprocess.run(
            call, env=self.env, cwd=self.project, input=json.dumps(payload).encode(), capture_output=True, check=True
        )
        out = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
        return str(out.get("additionalContext", ""))

    def show(self) -> dict[str, list[str]]:
        call = [self.command, "task", "show", TASK, "--json"]
        done = subprocess.run(call, env=self.env, cwd=self.project, capture_output=True, check=True)
        found: dict[str, list[str]] = json.loads(done.stdout)["progress"]
        return found


def play(world: World, sessions: int, seed: int) -> Tally:
    dice = random.Random(seed)
    start = [world.command, "task", "start", TASK, "convert all of them", "--units", world.shape.units]
    subprocess.run(start, env=world.env, cwd=world.project, check=True, stdout=subprocess.DEVNULL)
    for nth in range(sessions):
        world.at = ""
        try:
            _session(world, f"s{nth}", dice, _budget(dice.randrange(1, LONGEST)))
        except Killed:
            pass
        world.tally.sessions += 1
    shown = world.show()
    world.tally.done = sum(world.is_whole(label) for label in world.shape.labels)
    passed = _members(world.shape, [*shown["completed"], *shown.get("seen", ())])
    world.tally.never = sum(not world.is_whole(label) for label in passed)
    return world.tally


def _budget(steps: int) -> Iterator[None]:
    for _ in range(steps):
        yield
    raise Killed


def _session(world: World, session: str, dice: random.Random, steps: Iterator[None]) -> None:
    told = world.tell(session, "SessionStart", source="startup")
    passed, begun, first = _told(world.shape, told)
    labels = world.shape.labels
    todo = [*begun, *(one for one in labels[labels.index(first) :] if one not in passed and one not in begun)]
    for label in todo:
        next(steps)
        if label in begun:
            world.tell(session, "PostToolUse", **_read(world, label))
            if world.is_whole(label):
                world.tally.looked += 1
                continue
        was_whole, was_ended = world.is_whole(label), label in world.ended
        _do(world, session, label, steps)
        world.tally.redone += was_whole
        world.tally.redone_seen += was_whole and was_ended
        if dice.random() < 0.3:
            _commit(world, session, steps)


def _do(world: World, session: str, label: str, steps: Iterator[None]) -> None:
    """A unit in two writes; between a write and its hook the agent may be killed too."""
    for text in (FIRST, WHOLE):
        path = world.path(label)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        next(steps)
        world.tell(session, "PostToolUse", **_write(world, label, text))
        if world.at != label:
            world.ended.discard(label)
            world.ended |= {world.at} - {""}
        world.at = label
        next(steps)


def _commit(world: World, session: str, steps: Iterator[None]) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for words in (("add", "-A"), (*who, "commit", "-qm", "Convert some more", "--allow-empty")):
        subprocess.run(["git", *words], env=world.env, cwd=world.project, check=True, stdout=subprocess.DEVNULL)
    next(steps)
    command = {"command": "git add -A && git commit -qm 'Convert some more'"}
    world.tell(session, "PostToolUse", tool_name="Bash", tool_input=command, tool_response="")
    world.ended.add(world.at)
    next(steps)


def _write(world: World, label: str, text: str) -> dict[str, object]:
    path = world.path(label)
    if world.shape.host == "codex":
        how = "Add" if text == FIRST else "Update"
        patch = f"*** Begin Patch\n*** {how} File: {path.relative_to(world.project)}\n+{text}*** End Patch"
        return {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "Exit code: 0"}
    if text == FIRST:
        return {"tool_name": "Write", "tool_input": {"file_path": str(path), "content": text}, "tool_response": {}}
    relative = path.relative_to(world.project)
    command = {"command": f"cat > {relative} <<'EOF'\n{text}EOF"}
    return {"tool_name": "Bash", "tool_input": command, "tool_response": {"stdout": "", "stderr": ""}}


def _read(world: World, label: str) -> dict[str, object]:
    path = world.path(label)
    if world.shape.host == "codex":
        command = {"command": f"cat {path.relative_to(world.project)}"}
        return {"tool_name": "Bash", "tool_input": command, "tool_response": ""}
    return {"tool_name": "Read", "tool_input": {"file_path": str(path)}, "tool_response": {}}


def _told(shape: Shape, brief: str) -> tuple[list[str], list[str], str]:
    """What a start calls done, what begun, and the unit that it says is next."""
    lines = brief.splitlines()
    progress = next((line for line in lines if line.startswith("Progress: ")), "").removeprefix("Progress: ")
    parts = progress.split(" · ")
    done = [
        part.rpartition(": ")[2].removeprefix("completed ")
        for part in parts
        if part.startswith(("completed", "seen done"))
    ]
    begun = [part.removeprefix("seen begun: ") for part in parts if part.startswith("seen begun")]
    step = next((line for line in lines if line.startswith("Next step: ")), "").removeprefix("Next step: ")
    first = next((one for one in shape.labels if step == one or step.startswith(f"{one}:")), shape.labels[0])
    return _members(shape, ", ".join(done).split(", ")), _members(shape, ", ".join(begun).split(", ")), first


def _members(shape: Shape, said: list[str]) -> list[str]:
    """The units that labels and ranges speak of, in the order of the task."""
    found: set[str] = set()
    for one in said:
        first, _, last = one.partition(" - ")
        numbers = one.rpartition(" ")[2].split("-")
        if last:
            found |= set(shape.labels[shape.labels.index(first) : shape.labels.index(last) + 1])
        elif one in shape.labels:
            found.add(one)
        elif one.startswith("files ") and len(numbers) == 2:
            found |= {f"file {nth:03}" for nth in range(int(numbers[0]), int(numbers[1]) + 1)}
    return [label for label in shape.labels if label in found]


def shapes(count: int = 400, names: int = 60) -> tuple[Shape, ...]:
    numbers = range(1, count + 1)
    parts = [f"src/part_{chr(97 + nth // 26)}{chr(97 + nth % 26)}.py" for nth in range(names)]
    return (
        Shape(
            *("files 001-400 to out/NNN.json", "claude-code", f"files 001-{count}"),
            tuple(f"file {nth:03}" for nth in numbers),
            tuple(f"out/{nth:03}.json" for nth in numbers),
        ),
        Shape(
            *("order_NNN.json to csv/order_NNN.csv", "claude-code", f"order_001.json - order_{count}.json"),
            tuple(f"order_{nth:03}.json" for nth in numbers),
            tuple(f"csv/order_{nth:03}.csv" for nth in numbers),
        ),
        Shape(f"{names} paths, through Codex", "codex", ", ".join(parts), tuple(parts), tuple(parts)),
    )


def compare(
    command: str, hook: str, env: Mapping[str, str], folder: Path, sessions: int, seed: int
) -> list[dict[str, object]]:
    """Each kind of units, with the hook's eyes open and shut, from the same dice."""
    found: list[dict[str, object]] = []
    for shape in shapes():
        for seen in (False, True):
            own = folder / f"silent-{len(found)}"
            (own / "project").mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(own / "project")], check=True)
            vault = {**env, "HOLDFAST_HOME": str(own / "vault")}
            state = own / "vault" / ".state"
            state.mkdir(parents=True)
            (state / "config.toml").write_text(f"[task]\nseen = {str(seen).lower()}\n")
            tally = play(World(command, hook, vault, own / "project", shape), sessions, seed)
            found.append({"units": shape.name, "seen": seen, **tally.__dict__})
    return found
