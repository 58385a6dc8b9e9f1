"""What looking at a tool call for outside text costs a hook, side by side with another commit.

    python bench/taint.py --before COMMIT [--runs 60] [--files 10000]

Whole hook processes (`python -I -S start.py`), interleaved, in a repository with many tracked files: a call that reads
nothing, a file that is read, a command line, a search whose answer quotes many files. It prints medians and the ratio.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from support import ROOT, commit, interleaved, machine, median, once, tree_of, user_environment

LINE = (
    "cd src && git status --short && pytest -q tests/test_1.py 2>&1 | tail -5; for f in a/0.py b/1.py; do cat $f; done"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", required=True)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--files", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-taint-") as name, ExitStack() as trees:
        folder = Path(name)
        tree = trees.enter_context(tree_of(options.before, folder))
        project = _repository(folder / "project", options.files)
        env = user_environment(folder)
        candidates: dict[str, Callable[[], float]] = {}
        for label, root in (("before", tree), ("now", ROOT)):
            hook = [sys.executable, "-I", "-S", str(root / "src" / "holdfast" / "hook" / "start.py"), "claude-code"]
            own = {**env, "HOLDFAST_HOME": str(folder / label), "HOLDFAST_CLOSE": "off"}
            for kind, (tool, given, answer) in _calls(project).items():
                payload = _payload(project, f"{label}-{kind}", tool, given, answer)
                once(hook, own, project, payload)
                candidates[f"{kind}|{label}"] = _timed(hook, own, project, payload)
        times = interleaved(candidates, options.runs)
    print(f"{machine()}; commit {commit()} against {options.before}; {options.files:,} tracked files")
    for kind in _calls(Path("/")):
        before, now = median(times[f"{kind}|before"]), median(times[f"{kind}|now"])
        print(f"  {kind:34} {before * 1000:5.1f} ms -> {now * 1000:5.1f} ms  {now / before:.2f} x")


def _timed(hook: list[str], env: dict[str, str], project: Path, payload: bytes) -> Callable[[], float]:
    return lambda: once(hook, env, project, payload)


def _calls(project: Path) -> dict[str, tuple[str, dict[str, Any], object]]:
    quoted = "\n".join(f"src/{'abcdef'[nth % 6]}/{nth}.py:1:x" for nth in range(60))
    return {
        "a todo list": ("TodoWrite", {"todos": []}, ""),
        "a file that is read": ("Read", {"file_path": f"{project}/src/c/500.py"}, {"content": "x" * 4000}),
        "a command line": ("Bash", {"command": LINE}, {"stdout": "x" * 4000}),
        "a search that quotes 60 files": ("Grep", {"pattern": "x"}, {"mode": "content", "content": quoted}),
    }


def _payload(project: Path, session: str, tool: str, given: dict[str, Any], answer: object) -> bytes:
    what = {"hook_event_name": "PostToolUse", "session_id": session, "cwd": str(project), "tool_use_id": "x"}
    return json.dumps({**what, "tool_name": tool, "tool_input": given, "tool_response": answer}).encode()


def _repository(project: Path, files: int) -> Path:
    for nth in range(files):
        file = project / "src" / "abcdef"[nth % 6] / f"{nth}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run(["git", "-C", str(project), "add", "-A"], check=True)
    return project


if __name__ == "__main__":
    main()
