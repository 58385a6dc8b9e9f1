"""What a look at the context pressure costs, by the size of the transcript; and a snapshot before a compaction.

    python bench/pressure.py [--runs 300] [--processes 40]

Transcripts of 10 KB, 10 MB and 200 MB (of one line repeated, with usage at the end), looked at in turn in this process,
and as whole `python -I -S` processes beside one that only starts. The snapshot is made of the 200 MB one and written,
synced. The cost of a look must not grow: target 1.2 from the smallest to the largest.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from support import ROOT, interleaved, machine, median, once, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.hook import snapshot, tool_call
from holdfast.install import launcher

SIZES = {"10 KB": 10 << 10, "10 MB": 10 << 20, "200 MB": 200 << 20}
ASKED = ("Raise the retry limit to 5 in src/orders.py, and never wait longer than 30 s.",) * 20


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--processes", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        env = user_environment(folder)
        paths = {size: _transcript(folder / f"{bytes_}.jsonl", bytes_) for size, bytes_ in SIZES.items()}
        within = interleaved({size: _look(path, env) for size, path in paths.items()}, options.runs)
        whole = interleaved(_processes(paths, env, folder), options.processes)
        made = interleaved({"snapshot": lambda: _snapshot(paths["200 MB"], folder)}, max(5, options.runs // 20))
    _print({**within, **{f"process, {name}": times for name, times in whole.items()}, **made}, options)


def _transcript(path: Path, size: int) -> Path:
    """Answers, tool results and what else a host writes between them, until it is that large."""
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 90_000}
    lines = (
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x" * 1500}]}},
        {"type": "last-prompt", "lastPrompt": "Raise the retry limit"},
        {
            "type": "assistant",
            "message": {
                "model": "claude-opus-4-6",
                "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "make test"}}],
                "usage": {**usage, "output_tokens": 120},
            },
        },
        {"type": "attachment", "attachment": {"type": "hook_success", "content": "y" * 600}},
    )
    block = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with path.open("wb") as out:
        for _ in range(max(1, size // len(block))):
            out.write(block)
    return path


def _look(path: Path, env: dict[str, str]) -> Callable[[], float]:
    def run() -> float:
        began = time.perf_counter()
        seen = tool_call.pressure("claude-code", str(path), "", {}, env)
        spent = time.perf_counter() - began
        if seen is None or seen.used != 91_023:
            raise SystemExit(f"the look at {path} saw {seen}")
        return spent

    return run


def _processes(paths: dict[str, Path], env: dict[str, str], folder: Path) -> dict[str, Callable[[], float]]:
    start = [launcher.interpreter(), "-I", "-S", "-c"]
    imports = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from holdfast.hook import tool_call"

    def timed(program: str) -> Callable[[], float]:
        return lambda: once([*start, program], env, folder)

    looks = {
        size: timed(f"{imports}\ntool_call.pressure('claude-code', {str(path)!r}, '', {{}})")
        for size, path in paths.items()
    }
    return {"bare": timed("pass"), "imports": timed(imports), **looks}


def _snapshot(path: Path, folder: Path) -> float:
    began = time.perf_counter()
    snap = snapshot.make("claude-code", str(path), ASKED, ("/srv/a.py",), time.time())
    snapshot.write(str(folder / "state"), "claude-code/s/1", 1, snap, time.time())
    return time.perf_counter() - began


def _print(times: dict[str, list[float]], options: argparse.Namespace) -> None:
    medians = {name: median(spent) for name, spent in times.items()}
    grows = medians["200 MB"] / medians["10 KB"]
    if options.json:
        print(json.dumps({"machine": machine(), "runs": options.runs, "seconds": medians, "200 MB/10 KB": grows}))
        return
    print(f"{machine()}; {options.runs} looks each, interleaved")
    for size in SIZES:
        ratio = medians[size] / medians["10 KB"]
        print(f"  a look at {size:8} {medians[size] * 1e6:7.0f} us   {ratio:.2f} x the smallest")
    print(f"  200 MB to 10 KB      {grows:.2f} (target 1.2)")
    bare = medians["process, bare"]
    print(f"as whole processes, {options.processes} each: bare start {bare * 1e3:.1f} ms", end="")
    for name in ("imports", *SIZES):
        print(f", {name} {medians[f'process, {name}'] / bare:.2f} x", end="")
    print(f"\na snapshot of the 200 MB one, made, written and synced: {medians['snapshot'] * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
