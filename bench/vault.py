"""What a vault of many notes costs: a start, `check` and `remember`, against vaults of other sizes.

    python bench/vault.py [--runs 40] [--notes 10 1000 10000] [--handoffs 10000]

Installs the project into a fresh virtual environment with a fresh HOME, makes one vault per size with that many notes
and archived handoffs, each with its brief and its git history, and times whole processes side by side: SessionStart
through the registered launcher, interleaved with the same against an empty vault (target 1.2); `check` with and without
its index; `remember` apart from git's own time, which git itself tells (target 150 ms); starting its processes counts
as ours.
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

from holdfast.capture import home, projects
from holdfast.install import launcher
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
            _make(vaults[count]["HOLDFAST_HOME"], project, count, options.handoffs if count else 0)
        bench = Bench(holdfast, project, folder, vaults)
        found = {"check": bench.check(), "remember": bench.remember(options.remembers), **bench.starts(options.runs)}
    _print(found, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--remembers", type=int, default=7)
    parser.add_argument("--notes", type=int, nargs="*", default=[10, 1000, 10_000])
    parser.add_argument("--handoffs", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _make(vault: str, project: Path, count: int, handoffs: int) -> None:
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

    def remember(self, times: int) -> dict[str, Any]:
        """Milliseconds of `remember`, whole and apart from git. The first, which commits all files, does not count."""
        log = self.folder / "git-times"
        (Path(self.vaults[0]["HOME"]) / ".gitconfig").write_text(f"[trace2]\n\teventTarget = {log}\n")
        spent: dict[str, list[tuple[float, float, int]]] = {str(count): [] for count in self.vaults}
        for nth in range(times + 1):
            for count, env in self.vaults.items():
                log.write_text("")
                whole = once([self.holdfast, "remember", f"Fact {nth} that was found out"], env, self.project)
                events = [json.loads(line) for line in log.read_text().splitlines()]
                ends = [one["t_abs"] for one in events if one["event"] == "exit" and "/" not in one["sid"]]
                spent[str(count)].append((whole, sum(ends), len(ends)))
        return {
            count: {
                "whole_ms": 1000 * median([whole for whole, _, _ in runs[1:]]),
                "ours_ms": 1000 * median([whole - in_git for whole, in_git, _ in runs[1:]]),
                "git_calls": runs[-1][2],
            }
            for count, runs in spent.items()
        }

    def starts(self, runs: int) -> dict[str, Any]:
        """Ratios to the empty vault, and the size of each brief."""
        hook = [str(launcher.launcher_path(self.vaults[0])), "claude-code"]
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
    print(f"remember, median of {options.remembers}:")
    for count in options.notes:
        one = found["remember"][str(count)]
        calls = f"{one['git_calls']} calls of git apart"
        print(f"  {count:6,} notes  {one['ours_ms']:.0f} ms (target 150), {calls}; {one['whole_ms']:.0f} ms in all")


if __name__ == "__main__":
    main()
