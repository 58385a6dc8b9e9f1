"""What task memory costs, as whole processes: against a bare start of the interpreter, and against the task's length.

    python bench/task.py [--runs 100] [--long 100000] [--sessions 40] [--seed 20261117] [--json]

Installs the project into a fresh virtual environment with a fresh HOME and times, interleaved: `holdfast task
checkpoint` (synced), `task next` and `task is-done` with tasks of 10, 1,000 and 100,000 entries; a SessionStart through
the launcher with no task, with one of 20 entries and with one of 20,000, and with one of which a killed session left 20
units that its hook saw and nobody rendered; and a PostToolUse with a task and without, one that writes a unit and one
that does not. Targets: nothing grows with the task's length by more than 1.2. What is compared has a full page: the
page of a task of 10 entries is shorter, and so is the time to write it. `--runs 0` leaves the times out.

Then an agent that never checkpoints is killed at random over so many sessions (bench/silent_agent.py): how many units
the next sessions do again, beside the same agent with `seen = false`, which is what there was before.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import silent_agent
from support import ROOT, commit, install, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture.ids import new_id
from holdfast.hosts import registration
from holdfast.install import launcher
from holdfast.tasks import observations, record
from holdfast.tasks.transaction import Transaction

TASK = "orders-audit"
BATCH = 500
SHORT, MIDDLE = 10, 1000
STARTS = (20, 20_000)
SEEN = 21  # entries of a task whose units are seen
LEFT = 20  # units that a killed session left
TARGET = 1.2


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        bin_folder = install(folder)
        env = {**user_environment(folder), "HOLDFAST_CLOSE": "off"}
        project = folder / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        command = str(bin_folder / "holdfast")
        subprocess.run([command, "init"], env=env, check=True, stdout=subprocess.DEVNULL)
        sizes = (0, SHORT, MIDDLE, options.long, *STARTS, SEEN)
        vaults = {size: {**env, "HOLDFAST_HOME": str(folder / f"vault-{size}")} for size in sizes}
        times: dict[str, list[float]] = {}
        if options.runs:
            for size, own in vaults.items():
                _fill(command, own, project, size)
            times = interleaved(_candidates(command, vaults, project, options.long), options.runs)
        hook = str(registration.launcher_path(env))
        silent = silent_agent.compare(command, hook, env, folder, options.sessions, options.seed)
    if options.json:
        print(json.dumps({"machine": machine(), "commit": commit(), "silent": silent, **_figures(times, options)}))
        return
    if times:
        _print(times, options)
    _print_silent(silent, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--long", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261117)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _fill(command: str, env: Mapping[str, str], project: Path, size: int) -> None:
    """A task of that many entries, written as checkpoints write it, many at a time."""
    start = ("task", "start", TASK, "audit all orders", "--units", "files 1-1000000")
    for words in (("flag", "orders use optimistic locking"), *((start,) if size else ())):
        subprocess.run([command, *words], env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
    if not size:
        return
    with Transaction(env["HOLDFAST_HOME"], time.time) as desk:
        for begin in range(0, size, BATCH):
            made = [desk.make(TASK, *_said(nth), nth - begin) for nth in range(begin, min(begin + BATCH, size))]
            desk.add(TASK, made)


def _said(nth: int) -> tuple[str, str]:
    """Mostly progress, as in a long task: a unit begins and is done; now and then something is found or decided."""
    pair, is_second = divmod(nth, 2)
    if pair % 20 == 3:
        if pair % 100 == 3 and is_second:
            return record.DECISION, f"DO NOT change reports/part_{pair}.csv because the quarterly report reads it"
        return record.DISCOVERY, f"order {nth} has no payment status before it fails"
    unit = pair - (pair + 16) // 20 + 1
    return record.PROGRESS, f"{'COMPLETED' if is_second else 'IN_PROGRESS'}: file {unit}"


def _candidates(
    command: str, vaults: dict[int, dict[str, str]], project: Path, longest: int
) -> dict[str, Callable[[], float]]:
    none, few, many = 0, *STARTS
    hook = [str(registration.launcher_path(vaults[none])), "claude-code"]
    bare = [launcher.interpreter(), "-I", "-S", "-c", "pass"]
    begins = _event(project, hook_event_name="SessionStart", source="startup")
    used = _event(
        project,
        hook_event_name="PostToolUse",
        tool_name="Bash",
        tool_input={"command": "make test"},
        tool_response="x" * 4000,
    )

    def typed(size: int, *words: str) -> Callable[[], float]:
        return lambda: once([command, *words], vaults[size], project)

    def heard(size: int, payload: bytes) -> Callable[[], float]:
        return lambda: once(hook, vaults[size], project, payload)

    checkpoint = ("task", "checkpoint", "--discovery", "order 73 is cut off at line 14")
    return {
        "bare": lambda: once(bare, vaults[none], project),
        "flag": typed(none, "flag", "orders use optimistic locking"),
        **{f"checkpoint, {size}": typed(size, *checkpoint) for size in (SHORT, MIDDLE, longest)},
        **{f"next, {size}": typed(size, "task", "next") for size in (SHORT, MIDDLE, longest)},
        **{f"is-done, {size}": typed(size, "task", "is-done", "file", "2") for size in (SHORT, MIDDLE, longest)},
        **{f"start, {size}": heard(size, begins) for size in (none, few, many)},
        **{f"tool, {size}": heard(size, used) for size in (none, few, many)},
        **_seen(hook, vaults[SEEN], project, begins),
    }


def _seen(hook: list[str], env: dict[str, str], project: Path, begins: bytes) -> dict[str, Callable[[], float]]:
    """A call that writes a unit, another one each time; and a start after units were seen that nobody rendered."""
    units = itertools.count(100_001)
    later = itertools.count(200_001)

    def written() -> float:
        path = project / f"file_{next(units)}.txt"
        path.write_text("x")
        what = {"tool_name": "Write", "tool_input": {"file_path": str(path)}, "tool_response": {}}
        return once(hook, env, project, _event(project, hook_event_name="PostToolUse", **what))

    def behind() -> float:
        with Transaction(env["HOLDFAST_HOME"], time.time):
            pass  # what the runs before have left is rendered, as a close would
        now = time.time()
        labels = [f"file {next(later)}" for _ in range(LEFT)]
        told = [(label, how) for label in labels for how in (observations.WRITTEN, observations.FOLLOWED)]
        made = [
            record.Entry(new_id(now, nth), now, record.SEEN, label, to=how) for nth, (label, how) in enumerate(told)
        ]
        record.append(env["HOLDFAST_HOME"], TASK, made, now)
        return once(hook, env, project, begins)

    return {"unit": written, "start behind": behind}


def _event(project: Path, **more: object) -> bytes:
    known = {"session_id": "s", "transcript_path": str(project / "transcript.jsonl"), "cwd": str(project)}
    return json.dumps({**known, **more}).encode()


def _figures(times: dict[str, list[float]], options: argparse.Namespace) -> dict[str, Any]:
    """Each time in bare starts, and how much it grows with the task's length."""
    if not times:
        return {}
    bare = median(times["bare"])
    ratios = {name: median(spent) / bare for name, spent in times.items()}
    longest, (few, many) = options.long, STARTS
    growth = {
        **{
            f"{what} {longest:,} / {MIDDLE:,}": ratios[f"{what}, {longest}"] / ratios[f"{what}, {MIDDLE}"]
            for what in ("checkpoint", "next", "is-done")
        },
        f"start {many:,} / {few}": ratios[f"start, {many}"] / ratios[f"start, {few}"],
        f"tool {many:,} / {few}": ratios[f"tool, {many}"] / ratios[f"tool, {few}"],
    }
    return {"runs": options.runs, "ratios": ratios, "growth": growth, "bare": bare}


def _print(times: dict[str, list[float]], options: argparse.Namespace) -> None:
    found = _figures(times, options)
    ratios, growth, bare = found["ratios"], found["growth"], found["bare"]
    few = STARTS[0]
    print(f"{machine()}; {options.runs} runs each, interleaved; median of a bare start {bare * 1000:.1f} ms")
    for name, ratio in ratios.items():
        what, _, size = name.partition(", ")
        of_task = f", task of {int(size):,} entries" if size not in ("", "0") else ", no task" if size else ""
        print(f"  {what + of_task:36} {ratio:.2f} x bare")
    for name, ratio in growth.items():
        print(f"  {name:36} {ratio:.2f} (target {TARGET}: {'met' if ratio <= TARGET else 'NOT met'})")
    print(f"  a task costs a start {ratios[f'start, {few}'] / ratios['start, 0']:.2f} of one without,", end=" ")
    print(f"a tool call {ratios[f'tool, {few}'] / ratios['tool, 0']:.2f}")
    behind, unit = ratios["start behind"] / ratios[f"start, {few}"], ratios["unit"] / ratios[f"tool, {few}"]
    print(f"  a start that takes in what a killed session left costs {behind:.2f} of one that need not,", end=" ")
    print(f"a call that writes a unit {unit:.2f} of one that does not")


def _print_silent(found: list[dict[str, Any]], options: argparse.Namespace) -> None:
    print(f"an agent that never checkpoints, killed at random in each of {options.sessions} sessions", end=" ")
    print(f"(seed {options.seed}, {commit()}):")
    for one in found:
        others, how = one["redone"] - one["redone_seen"], "what the hook sees" if one["seen"] else "seen = false"
        print(
            f"  {one['units']:38} {how:18} {one['done']:3} units done, "
            f"{one['redone_seen']:3} again that were seen finished, {others} others again, {one['never']} passed over "
            f"unfinished, {one['looked']} begun looked at and found whole"
        )


if __name__ == "__main__":
    main()
