"""What the benches share: an installation as a user has it, interleaved timing, the machine's name."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def machine() -> str:
    """What a figure was measured on."""
    model = "unknown processor"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return (
        f"{os.cpu_count()} x {model}, {platform.system()} {platform.release().partition('-')[0]}, "
        f"Python {platform.python_version()}"
    )


@contextmanager
def tree_of(wanted: str, folder: Path) -> Iterator[Path]:
    """The sources of another commit, to be measured beside these."""
    path = folder / "tree"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "-q", "--detach", str(path), wanted], check=True)
    try:
        yield path
    finally:
        subprocess.run([*git, "remove", "--force", str(path)], check=False)


def commit() -> str:
    """The commit that is measured, and whether the sources differ from it."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    dirty = subprocess.run(
        ["git", "-C", str(ROOT), "status", "--porcelain", "src", "bench"], capture_output=True, text=True, check=False
    )
    return (done.stdout.strip() or "unknown") + (" and changes" if dirty.stdout.strip() else "")


def install(folder: Path, tree: Path = ROOT) -> Path:
    """Install a tree into a fresh virtual environment, as the README says; returns its bin folder."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(tree)]
    subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
    return venv / "bin"


def user_environment(folder: Path) -> dict[str, str]:
    """A fresh HOME, and nothing of the caller's session."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}


def once(command: list[str], env: dict[str, str], cwd: Path, stdin: bytes = b"") -> float:
    """Seconds of one whole process, which must succeed."""
    began = time.perf_counter()
    done = subprocess.run(command, env=env, cwd=cwd, input=stdin, capture_output=True, check=False)
    spent = time.perf_counter() - began
    if done.returncode or done.stderr:
        raise SystemExit(f"{command}: status {done.returncode}, {done.stderr.decode('utf-8', 'replace')}")
    return spent


def interleaved(candidates: Mapping[str, Callable[[], float]], runs: int) -> dict[str, list[float]]:
    """Time all candidates in turn, so that a noisy machine disturbs them alike."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(runs):
        for name, run in candidates.items():
            times[name].append(run())
    return times


def median(times: list[float]) -> float:
    return statistics.median(times)


def run_alone(script: str, *words: str, before: str = "") -> None:
    """Run a bench again where nothing but loopback can be reached, with the agents and our wheel installed for it.

    It finds both through `--inside FOLDER`, and the wheel of the commit `before` in a folder of that name below. The
    folder is no temporary one: Codex lets any command write in those.
    """
    sys.path.append(str(ROOT / "tools"))
    import agents

    agents.install()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir="/var/tmp") as folder:
        agents.install_wheel(Path(folder), Path(sys.executable))
        if before:
            other = Path(folder) / "before"
            other.mkdir()
            with tree_of(before, other) as tree:
                agents.install_wheel(other, Path(sys.executable), tree)
        command = [*agents.alone(), sys.executable, script, "--inside", folder, *words]
        status = subprocess.run(command, env=agents.without_proxies(), check=False).returncode
    sys.exit(status)
