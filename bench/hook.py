"""What a hook call and a flag cost, as whole processes, against a bare start of the same interpreter.

    python bench/hook.py [--runs 200] [--queue 100000] [--ledger 1000000]

Installs the project into a fresh virtual environment with a fresh HOME, registers the launcher with `holdfast init`,
and times, interleaved: `python -I -S -c pass`; the launcher with a PostToolUse of 4 KB (one ledger record written); the
whole registered line through the host's shell; the two hooks of one tool call, which is noted as under way in between;
`holdfast flag`, synced. Then the same hook and flag against a vault whose queue and ledger are full. Targets: hook 2.0,
flag 2.5, full to empty 1.1.
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

from support import ROOT, install, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import codec, flags, home, ledger, log, queue
from holdfast.hosts import registration
from holdfast.install import launcher

PAYLOAD_SIZE = 4096


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        bin_folder = install(folder)
        env = {**user_environment(folder), "HOLDFAST_CLOSE": "off"}  # or 100,000 flags would be filed beside the timing
        project = folder / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        subprocess.run([str(bin_folder / "holdfast"), "init"], env=env, check=True, stdout=subprocess.DEVNULL)
        empty = {**env, "HOLDFAST_HOME": str(folder / "empty")}
        full = {**env, "HOLDFAST_HOME": str(folder / "full")}
        _fill(full["HOLDFAST_HOME"], options.queue, options.ledger)
        times = interleaved(_candidates(bin_folder, empty, full, project), options.runs)
    _print(times, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--queue", type=int, default=100_000)
    parser.add_argument("--ledger", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _candidates(
    bin_folder: Path, empty: dict[str, str], full: dict[str, str], project: Path
) -> dict[str, Callable[[], float]]:
    bare = [launcher.interpreter(), "-I", "-S", "-c", "pass"]
    hook = [str(registration.launcher_path(empty)), "claude-code"]
    line = ["/bin/sh", "-c", registration.registered_line("claude-code", empty)]
    flag = [str(bin_folder / "holdfast"), "flag", "--kind", "decision", "Orders use optimistic locking, see orders.py"]
    payload = _payload(project)
    start = json.dumps({"hook_event_name": "SessionStart", "source": "startup", "session_id": "s", "cwd": str(project)})
    return {
        "bare": lambda: once(bare, empty, project, payload),
        "hook": lambda: once(hook, empty, project, payload),
        "line": lambda: once(line, empty, project, payload),
        "both of a call": lambda: (
            once(hook, empty, project, _payload(project, "PreToolUse")) + once(hook, empty, project, payload)
        ),
        "flag": lambda: once(flag, empty, project),
        "start": lambda: once(hook, empty, project, start.encode()),
        "start, full": lambda: once(hook, full, project, start.encode()),
        "hook, full": lambda: once(hook, full, project, payload),
        "flag, full": lambda: once(flag, full, project),
    }


def _payload(project: Path, event: str = "PostToolUse") -> bytes:
    given = {
        "session_id": "0b2b5b0e-7c1e-4b57-9f5c-0d4d0c9f7a11",
        "transcript_path": str(project / "transcript.jsonl"),
        "cwd": str(project),
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "make test", "description": "Run the tests"},
        "tool_use_id": "toolu_01",
        "duration_ms": 12,
        "tool_response": "",
    }
    given["tool_response"] = "x" * (PAYLOAD_SIZE - len(json.dumps(given)))
    return json.dumps(given).encode()


def _fill(vault: str, waiting: int, records: int) -> None:
    """A queue and a ledger of that size, written in the format they have, in large writes."""
    home.make_vault(vault)
    state, now = home.state(vault), time.time()
    for start in range(0, waiting, 1000):
        batch = [
            flags.make(
                f"fact number {n} about the order service and its locks", now=now, project="other", nth=n % 1000
            )[0]
            for n in range(start, min(start + 1000, waiting))
        ]
        queue.append(f"{state}/queue", batch, now)
    path = ledger.day_path(state, now)
    ledger.append(state, "hook", now)
    record = codec.encode(
        {"v": 1, "t": now, "kind": "hook", "event": "after-tool", "episode": "claude-code/s/1", "us": 900}
    )
    with Path(path).open("ab") as out:
        for start in range(0, records, 10_000):
            out.write(log.frame(record) * min(10_000, records - start))


def _print(times: dict[str, list[float]], options: argparse.Namespace) -> None:
    bare = median(times["bare"])
    ratios = {name: median(spent) / bare for name, spent in times.items()}
    ratios["hook full/empty"] = median(times["hook, full"]) / median(times["hook"])
    ratios["flag full/empty"] = median(times["flag, full"]) / median(times["flag"])
    if options.json:
        print(json.dumps({"machine": machine(), "runs": options.runs, "ratios": ratios}))
        return
    print(f"{machine()}; {options.runs} runs each, interleaved; median of a bare start {bare * 1000:.1f} ms")
    said = {"line": " (the same through the host's shell)", "both of a call": " (before it and after it)"}
    for name, target in (("hook", 2.0), ("line", None), ("both of a call", None), ("flag", 2.5)):
        goal = f" (target {target})" if target else said[name]
        print(f"  {name:18} {ratios[name]:.2f} x bare{goal}")
    print(f"with {options.queue:,} flags waiting and {options.ledger:,} ledger records:")
    for name in ("hook full/empty", "flag full/empty"):
        print(f"  {name:18} {ratios[name]:.2f} (target 1.1)")
    print(f"a start reads at most the newest 256 KB of the queue: {ratios['start']:.2f} x bare empty,", end=" ")
    print(f"{ratios['start, full']:.2f} x bare full")


if __name__ == "__main__":
    main()
