"""What a vault of many notes costs: a start, `check`, `remember`, a close and the end of a session, by its size.

    python bench/vault.py [--runs 40] [--notes 200 2000 20000] [--handoffs 10000] [--changes 7] [--flags 200 2000 20000]

Installs the project into a fresh virtual environment with a fresh HOME, makes one vault per size with that many notes
and archived handoffs, each with its brief and its git history, and times whole processes side by side: SessionStart
through the registered launcher, interleaved with the same against an empty vault (target 1.2); `check` with and without
its index; `remember` and the close of one flag, each against the smallest vault (target 1.5); and SessionEnd of a
session that has flagged so much, against the one with the fewest flags.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support import ROOT, install, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import episodes, flags, home, projects
from holdfast.capture.flags import Given, Speaker
from holdfast.hosts import registration
from holdfast.vault import lineage, notes
from holdfast.vault.lineage import Handoff

KINDS = ("knowledge", "feedback", "project", "knowledge", "rule")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        bin_folder = install(folder)
        env = {**user_environment(folder), "HOLDFAST_CLOSE": "off"}
        project = folder / "project"
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        holdfast = str(bin_folder / "holdfast")
        subprocess.run([holdfast, "init"], env=env, check=True, stdout=subprocess.DEVNULL)
        vaults = {}
        for count in (0, *options.notes):
            vaults[count] = {**env, "HOLDFAST_HOME": str(folder / f"vault-{count}")}
            make(vaults[count]["HOLDFAST_HOME"], project, count, options.handoffs if count else 0)
        bench = Bench(holdfast, project, folder, vaults)
        found = {"check": bench.check(), "changes": bench.changes(options.changes), **bench.starts(options.runs)}
        found["ends"] = bench.ends(options.flags, options.changes)
    _print(found, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--changes", type=int, default=7, help="how often each change is made")
    parser.add_argument("--flags", type=int, nargs="*", default=[200, 2000, 20_000], help="of a session that ends")
    parser.add_argument("--notes", type=int, nargs="*", default=[200, 2000, 20_000])
    parser.add_argument("--handoffs", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def make(vault: str, project: Path, count: int, handoffs: int) -> None:
    """The files, as closes would have left them."""
    home.make_vault(vault)
    ident = projects.find(str(project), vault).id
    for nth in range(count):
        kind = KINDS[nth % len(KINDS)]
        path = Path(vault, notes.FOLDERS[kind], f"note-{nth:05d}.md")
        path.parent.mkdir(exist_ok=True)
        text = notes.new_text(
            name=f"note {nth} about the order service",
            description=f"What was found out about part {nth} of the order service and its locks",
            kind=kind,
            body=f"Part {nth} of the order service takes the lock before it reads, see orders.py.\n\nIt was so in May.",
            day=f"2026-{nth % 12 + 1:02d}-{nth % 28 + 1:02d}",
            project=ident if nth % 3 else notes.GLOBAL,
            origin="agent",
        )
        path.write_text(text)
    for nth in range(handoffs):
        made = Handoff(
            title=f"Session {nth}",
            time=lineage.iso(1_600_000_000 + nth * 3600),
            started=lineage.iso(1_600_000_000 + nth * 3600 - 1800),
            project=ident,
            episode=f"claude-code/{nth}/1",
            sections={"done": (f"part {nth}",), "next_steps": (f"part {nth + 1}",)},
        )
        path = Path(vault, lineage.path_for(made, "bench"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(lineage.render(made))


def _flag(vault: str, project: Path, session: str, count: int) -> None:
    """So many flags of a session, as if it had flagged them fifty at a time."""
    episode = episodes.latest(home.state(vault), "claude-code", session)
    assert episode
    speaker = Speaker(
        project=projects.find(str(project), vault),
        episode=episode.key,
        host="claude-code",
        origin="agent",
        is_open=True,
    )
    for begin in range(0, count, 50):
        given = [Given(f"Part {nth} takes the lock before it reads", "fact", ()) for nth in range(begin, begin + 50)]
        flags.take_all(vault, given[: count - begin], speaker, time.time())


class Bench:
    """The measurements, each over all vaults in turn."""

    def __init__(self, holdfast: str, project: Path, folder: Path, vaults: dict[int, dict[str, str]]) -> None:
        self.holdfast = holdfast
        self.project = project
        self.folder = folder
        self.vaults = vaults

    def check(self) -> dict[str, Any]:
        """Seconds of one `check` without and with the index of notes."""
        found = {}
        for count, env in self.vaults.items():
            Path(home.state(env["HOLDFAST_HOME"]), "notes.index").unlink(missing_ok=True)
            found[str(count)] = {"cold": self._run(env, "check"), "warm": self._run(env, "check")}
        return found

    def _run(self, env: dict[str, str], *words: str) -> float:
        """Seconds of a command; findings make a status of their own, so that may be any."""
        began = time.perf_counter()
        subprocess.run([self.holdfast, *words], env=env, cwd=self.project, capture_output=True, check=False)
        return time.perf_counter() - began

    def changes(self, times: int) -> dict[str, Any]:
        """Milliseconds of `remember` and of a close of one flag. The first of each, which commits all files or makes
        what is derived, does not count."""
        spent: dict[str, dict[str, list[float]]] = {str(count): {"remember": [], "close": []} for count in self.vaults}
        for nth in range(times + 1):
            for count, env in self.vaults.items():
                said = [self.holdfast, "remember", f"Fact {nth} that was found out"]
                spent[str(count)]["remember"].append(once(said, env, self.project))
                once([self.holdfast, "flag", f"Part {nth} needs care"], env, self.project)
                spent[str(count)]["close"].append(once([self.holdfast, "close"], env, self.project))
        return {
            count: {what: 1000 * median(runs[1:]) for what, runs in found.items()} for count, found in spent.items()
        }

    def ends(self, flags: list[int], times: int) -> dict[str, float]:
        """Milliseconds of SessionEnd by how much the session has flagged."""
        hook = [str(registration.launcher_path(self.vaults[0])), "claude-code"]
        spent: dict[str, list[float]] = {}
        for nth in range(times):
            for count in flags:
                env = {**self.vaults[0], "HOLDFAST_HOME": str(self.folder / f"flagged-{count}")}
                session = f"session-{nth}"
                event = {"session_id": session, "cwd": str(self.project), "source": "startup", "reason": "other"}
                begin = json.dumps({"hook_event_name": "SessionStart", **event}).encode()
                subprocess.run(hook, env=env, cwd=self.project, input=begin, capture_output=True, check=True)
                _flag(env["HOLDFAST_HOME"], self.project, session, count)
                end = json.dumps({"hook_event_name": "SessionEnd", **event}).encode()
                spent.setdefault(str(count), []).append(once(hook, env, self.project, end))
        return {count: 1000 * median(found) for count, found in spent.items()}

    def starts(self, runs: int) -> dict[str, Any]:
        """Ratios to the empty vault, and the size of each brief."""
        hook = [str(registration.launcher_path(self.vaults[0])), "claude-code"]
        event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s", "cwd": str(self.project)}
        payload = json.dumps(event).encode()
        sizes = {}
        for count, env in self.vaults.items():
            self._run(env, "boot")
            done = subprocess.run(hook, env=env, cwd=self.project, input=payload, capture_output=True, check=True)
            sizes[str(count)] = len(done.stdout.decode())
        times = interleaved({str(count): self._starter(hook, env, payload) for count, env in self.vaults.items()}, runs)
        empty = median(times["0"])
        ratios = {count: median(spent) / empty for count, spent in times.items()}
        return {"start_ms": 1000 * empty, "start": ratios, "brief": sizes}

    def _starter(self, hook: list[str], env: dict[str, str], payload: bytes) -> Callable[[], float]:
        return lambda: once(hook, env, self.project, payload)


def _print(found: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"machine": machine(), "runs": options.runs, **found}))
        return
    print(f"{machine()}; each vault with {options.handoffs:,} handoffs, the empty one with none")
    print(f"SessionStart, {options.runs} runs each, interleaved; empty vault {found['start_ms']:.1f} ms:")
    for count in options.notes:
        ratio, size = found["start"][str(count)], found["brief"][str(count)]
        print(f"  {count:6,} notes  {ratio:.2f} x empty (target 1.2), prints {size:,} characters")
    print("check, one run each:")
    for count in options.notes:
        cold, warm = found["check"][str(count)]["cold"], found["check"][str(count)]["warm"]
        print(f"  {count:6,} notes  {cold:.2f} s without index, {warm:.2f} s with it")
    first = found["changes"][str(options.notes[0])]
    for what in ("remember", "close"):
        said = "a close of one flag" if what == "close" else what
        print(f"{said}, median of {options.changes}:")
        for count in options.notes:
            spent = found["changes"][str(count)][what]
            print(f"  {count:6,} notes  {spent:.0f} ms, {spent / first[what]:.2f} x the smallest (target 1.5)")
    print(f"SessionEnd, median of {options.changes}:")
    for count in options.flags:
        spent = found["ends"][str(count)]
        print(f"  {count:6,} flags  {spent:.0f} ms, {spent / found['ends'][str(options.flags[0])]:.2f} x the fewest")


if __name__ == "__main__":
    main()
