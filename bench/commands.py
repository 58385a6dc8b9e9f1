"""How long a person waits for a command that only looks: whole processes as installed, against a bare interpreter.

    python bench/commands.py [--runs 20] [--before COMMIT]

Each as a ratio to `python -I -S -c pass` of the same interpreter, interleaved medians, in a vault with some notes.
Target: 8, and 15 for `recall`. `--before` adds the commands of another commit.
"""

from __future__ import annotations

import argparse
import functools
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from support import ROOT, commit, interleaved, machine, median, once, tree_of, user_environment

sys.path.insert(0, str(ROOT / "src"))

from holdfast.install.launcher import interpreter

TARGETS = {
    "--version": 8, "queue": 8, "notes": 8, "show staging": 8, "log": 8, "task list": 8, "history": 8, "spend": 8,
    "recall nightly": 15,
}  # fmt: skip
FACTS = ("Staging is wiped every night", "Orders use optimistic locking", "Invoices are rounded at the end")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--before", default="", help="a commit to measure beside this one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name, ExitStack() as trees:
        folder = Path(name)
        sources = {"": ROOT / "src"}
        if options.before:
            sources[options.before] = trees.enter_context(tree_of(options.before, folder)) / "src"
        env = user_environment(folder)
        candidates = {"bare": functools.partial(once, [interpreter(), "-I", "-S", "-c", "pass"], env, folder)}
        for which, source in sources.items():
            own = {**env, "PYTHONPATH": str(source), "HOLDFAST_HOME": str(folder / f"vault{which}")}
            for fact in FACTS:
                _run(own, folder, "remember", fact)
            _run(own, folder, "recall", "night")
            for words in TARGETS:
                line = [sys.executable, "-P", "-m", "holdfast", *words.split()]
                candidates[f"{words}|{which}"] = functools.partial(once, line, own, folder)
        times = {one: median(found) for one, found in interleaved(candidates, options.runs).items()}
    _print(times, options.runs, options.before)


def _run(env: dict[str, str], folder: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-P", "-m", "holdfast", *words], env=env, cwd=folder, check=True, capture_output=True
    )


def _print(times: dict[str, float], runs: int, before: str) -> None:
    bare = times["bare"]
    print(f"# {machine()}; {commit()}; {runs} runs each, interleaved; medians; bare {bare * 1000:.1f} ms")
    for words, target in TARGETS.items():
        ratio = times[f"{words}|"] / bare
        old = f", {before} {times[f'{words}|{before}'] / bare:.1f} x" if before else ""
        print(f"  {words:16} {ratio:5.1f} x (target {target}: {'met' if ratio <= target else 'MISSED'}){old}")


if __name__ == "__main__":
    main()
