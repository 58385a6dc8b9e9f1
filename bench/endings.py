"""Of many sessions ended in random ways at random points, how many are closed and drained after the next start: all.

    python bench/endings.py [--episodes 500] [--real 30] [--seed 1]

Clean ends, SIGINT, SIGTERM, SIGKILL, and a terminal that is closed (SIGHUP; in the scripted host from a real
pseudo-terminal), at a random step and moment, in five projects. Most sessions run in a scripted host that calls the
registered line as Claude Code does; `--real` of them are the real Claude Code with a scripted model. Then one start in
each project, and what the ledger says: seen = closed = drained. A flag counts as acknowledged when its command returned
0 before the end; each must be in a note, and none in two.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from support import ROOT, machine, run_alone

sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tools"))

import agents
from e2e.claude_desk import ClaudeDesk
from e2e.model_server import ModelServer
from e2e.processes import end_all_of, of_home
from e2e.steps import say
from holdfast.hosts import registration

WAYS = ("clean", "SIGINT", "SIGTERM", "SIGKILL", "terminal closed")
PROJECTS = 5
STEPS = 4
AT_ONCE = 3
PATIENCE = 240.0


@dataclass(frozen=True)
class Plan:
    """One session: how it ends, at which step, how long after it, and how much it flags."""

    session: str
    way: str
    step: int
    delay: float
    flags: int
    project: Path


def main() -> None:
    options = _options()
    if options.inside:
        run(Path(options.inside), options)
    else:
        words = [f"--{name}={getattr(options, name)}" for name in ("episodes", "real", "seed")]
        run_alone(__file__, *words)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--real", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def run(folder: Path, options: argparse.Namespace) -> None:
    chance = random.Random(options.seed)
    with ModelServer() as server:
        desk = ClaudeDesk(folder / "ada", folder / "venv", agents.command("claude"), server)
        desk.set_up()
        projects = [_project(desk, nth) for nth in range(PROJECTS)]
        desk.allow("Bash(tail:*)")
        ways: Counter[str] = Counter()
        acknowledged: list[str] = []
        begun = 0
        try:
            for nth in range(options.real):
                way = chance.choice(WAYS)
                ways[f"{way}, real"] += 1
                acknowledged += _real(desk, server, f"real {nth}", way, chance.random())
            # One that is struck before its start is on disk was never there: as many more are begun.
            while (missing := options.episodes - len(_seen(desk))) > 0:
                plans = [_plan(chance, begun + nth, projects) for nth in range(missing)]
                begun += missing
                ways.update(plan.way for plan in plans)
                with ThreadPoolExecutor(AT_ONCE) as pool:
                    for found in pool.map(lambda plan: _scripted(desk, plan), plans):
                        acknowledged += found
            ends = {one["episode"]: one["how"] for one in desk.log("--kind", "episode")}
            _next_start(desk, [*projects, desk.project])
            _report(desk, options, ways, acknowledged, ends)
        finally:
            end_all_of(folder)


def _seen(desk: ClaudeDesk) -> set[str]:
    """The sessions that the ledger knows, those of the next starts left aside."""
    found = {str(one.get("episode", "")) for one in desk.log("--kind", "hook")}
    return {key for key in found if key and "/next-" not in key}


def _project(desk: ClaudeDesk, nth: int) -> Path:
    place = desk.home / f"project-{nth}"
    place.mkdir()
    desk.git("init", "-q", cwd=place)
    desk.git("commit", "-q", "--allow-empty", "-m", f"Project {nth}", cwd=place)
    return place


def _plan(chance: random.Random, nth: int, projects: list[Path]) -> Plan:
    way = chance.choice(WAYS)
    step, flags = chance.randrange(STEPS + 1), chance.randrange(STEPS)
    return Plan(f"session-{nth:04}", way, step, chance.random() * 0.08, flags, chance.choice(projects))


def _scripted(desk: ClaudeDesk, plan: Plan) -> list[str]:
    """Run one session to its end; returns the facts whose flag was acknowledged."""
    reading, writing = os.pipe()
    master, terminal = pty.openpty()
    words = [str(desk.venv / "bin" / "python"), str(ROOT / "bench" / "scripted_host.py")]
    words += ["claude-code", plan.session, str(plan.flags), str(STEPS)]
    host = subprocess.Popen(
        ["sh", "-c", f"exec 3>&{writing} {writing}>&-; exec {' '.join(words)}"],
        cwd=plan.project,
        env=desk.env,
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        pass_fds=(writing,),
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 (nothing else of this process runs there)
    )
    os.close(terminal)
    os.close(writing)
    facts = []
    with os.fdopen(reading) as lines:
        for line in lines:
            number, _, said = line.strip().partition(" ")
            if said.startswith("flagged "):
                facts.append(said.removeprefix("flagged "))
            if plan.way != "clean" and number == str(plan.step):
                time.sleep(plan.delay)
                _strike(host, plan.way, master)
                break
        for line in lines:  # what it had still said before it was gone
            said = line.strip().partition(" ")[2]
            if said.startswith("flagged "):
                facts.append(said.removeprefix("flagged "))
    host.wait(30)
    if plan.way != "terminal closed":
        os.close(master)
    return list(dict.fromkeys(facts))


def _take_terminal() -> None:
    """Standard input becomes the controlling terminal, so that closing it is felt."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _strike(host: subprocess.Popen[bytes], way: str, master: int) -> None:
    if way == "terminal closed":
        os.close(master)
    else:
        host.send_signal(getattr(signal, way))


def _real(desk: ClaudeDesk, server: ModelServer, name: str, way: str, when: float) -> list[str]:
    """One session of the real Claude Code: it flags, then waits in a tool call, and is ended there or before."""
    fact = f"fact of {name}"
    steps = [desk.shell(f'holdfast flag "{fact}"')]
    steps += [say("Done.")] if way == "clean" else [desk.shell("tail -f /dev/null"), say("Done.")]
    before = len(server.requests)
    process = desk.begin(f"Work on {name}", *steps)
    if way == "clean":
        desk.finish(process)
        return [fact]
    wanted = 2 if when < 0.7 else 1  # in the long tool call, or already in the first
    deadline = time.monotonic() + 30
    while len([one for one in server.requests[before:] if one.role == "main"]) < wanted:
        if time.monotonic() > deadline:
            raise SystemExit(f"Claude Code did not come to its tool call: {process.poll()}")
        time.sleep(0.01)
    time.sleep(when * 0.3)
    how = signal.SIGHUP if way == "terminal closed" else getattr(signal, way)
    desk.end(process, how)
    server.forget()  # steps that nobody will come for
    return [fact] if wanted == 2 else []


def _next_start(desk: ClaudeDesk, projects: list[Path]) -> None:
    """One start in each project, whose hook begins the close; then until nothing is left to do, or patience is."""
    # Twice: who dies without a word is buried by any start, and told by the next one in its own project.
    for nth, place in enumerate([*projects, *projects]):
        event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": f"next-{nth}", "cwd": str(place)}
        line = registration.registered_line("claude-code", desk.env)
        for payload in (event, {**event, "hook_event_name": "SessionEnd", "reason": "other"}):
            raw = json.dumps(payload).encode()
            subprocess.run(["/bin/sh", "-c", line], cwd=place, env=desk.env, input=raw, check=True, stdout=-3)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and (desk.state("marks") or of_home(desk.home.parent)):
        time.sleep(0.2)


def _report(
    desk: ClaudeDesk, options: argparse.Namespace, ways: Counter[str], acknowledged: list[str], ends: dict[str, str]
) -> None:
    log = desk.log("--kind", "hook", "--kind", "episode", "--kind", "close")
    mine = [one for one in log if "/next-" not in str(one.get("episode", ""))]
    seen = _seen(desk)
    closed = {one["episode"] for one in mine if one["kind"] == "episode"}
    told = {one["episode"] for one in mine if one["kind"] == "close" and not one.get("error")}
    nothing = {one["episode"] for one in mine if one["kind"] == "episode" and not one["waiting"] and not one["story"]}
    drained = told | nothing
    notes = "\n".join(path.read_text(encoding="utf-8") for path in desk.vault.glob("knowledge/*.md"))
    lost = [fact for fact in acknowledged if f"\n{fact}\n" not in notes]
    filed = Counter(line for line in notes.splitlines() if line.startswith("fact "))
    twice = [fact for fact, count in filed.items() if count > 1]
    print(f"# {machine()}; Claude Code {agents.VERSIONS['claude']}; seed {options.seed}")
    print("ended: " + ", ".join(f"{way} {count}" for way, count in sorted(ways.items())))
    print(f"{Counter(ends.values()).get('died', 0)} deaths were noticed by another start while sessions still ran")
    print(f"seen {len(seen)} = closed {len(closed & seen)} = drained {len(drained & seen)}")
    print(f"flags acknowledged {len(acknowledged)}, lost {len(lost)}; notes of flags {len(filed)}, twice {len(twice)}")
    print(f"left over: {len(desk.state('marks'))} marks, {len(desk.waiting())} flags waiting")
    for error, count in Counter(str(one["error"]) for one in desk.errors()).items():
        print(f"{count} x in the ledger: {error}")
    is_tidy = not desk.state("marks") and not desk.waiting()
    is_all = len(seen) == len(closed & seen) == len(drained & seen) and not lost and not twice and is_tidy
    print(f"{sum(ways.values()) - len(seen)} more were struck before their start was on disk")
    print("all drained" if is_all else "NOT all drained")
    sys.exit(not is_all)


if __name__ == "__main__":
    main()
