"""Install what the tests need into .venv and run them: `python3 tools/test.py [GROUP…]`.

The groups are fast, slow, crash, crash-full, attacks, attacks-full, web, e2e, lint, bench, and all: the default, fast,
slow, crash, attacks, web and e2e. It works in a fresh clone with nothing but Python 3.11+, git, npm and a network: it
makes the virtual environment, installs the locked versions and the project, and (as root on Debian) the system packages
that fault injection, the timer of sleep and the page need. `make` targets and .ci/run call it, so there is one way to
run everything. For `web` it also installs axe-core, for `e2e` the agents' CLIs and the wheel; that
then runs without a network.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import agents
import axe

ROOT = Path(__file__).resolve().parent.parent
VENV = Path(os.environ.get("HOLDFAST_VENV", ROOT / ".venv"))
PYTHON = VENV / "bin" / "python"

CORES = os.cpu_count() or 1
ELSEWHERE = re.compile(
    r"^pytestmark = pytest\.mark\.(crash|attacks|e2e|slow|web)\b", re.MULTILINE
)  # a whole file of them
OTHERS = "not crash and not e2e and not attacks and not web"
# The crash suite has its own group, because it kills, truncates and fails for minutes. Property tests are in two: a few
# of their examples in fast, all of them in slow.
GROUPS: dict[str, list[list[str]]] = {
    "fast": [["-m", "pytest", "-q", "-m", f"not slow and {OTHERS}"]],
    "slow": [["-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "-m", f"(slow or hypothesis) and {OTHERS}"]],
    "crash": [["-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-m", "crash", "tests/crash"]],
    "attacks": [["-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-m", "attacks", "tests/attacks"]],
    "web": [["-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-m", "web", "tests/web"]],
    "e2e": [["-m", "pytest", "-q", "-n", "2", "-m", "e2e", "tests/e2e"]],
    "lint": [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."], ["-m", "mypy"]],
    "bench": [
        [f"bench/{name}.py"]
        for name in (
            "imports",
            "commands",
            "redaction",
            "hook",
            "vault",
            "pressure",
            "requests",
            "verify",
            "verify_flags",
            "close",
            "turn",
            "endings",
            "task",
            "recall",
            "week",
            "pheromone",
            "density",
            "field",
            "retrieval",
        )
    ],
}
SYSTEM = {"strace": "strace", "cron": "crontab", "chromium": "chromium"}  # Debian's packages, and a program of each
ALL = ("fast", "slow", "crash", "attacks", "web", "e2e")
FULL = {"crash-full": "HOLDFAST_CRASH", "attacks-full": "HOLDFAST_ATTACKS"}  # a group in its long form


def main() -> int:
    wanted = sys.argv[1:] or ["all"]
    unknown = [name for name in wanted if name not in (*GROUPS, *FULL, "all")]
    if unknown:
        print(f"unknown group {unknown[0]}; one of: {', '.join((*GROUPS, *FULL))}, all", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it, and so would the tests
    install()
    for name in [group for one in wanted for group in (ALL if one == "all" else (one,))]:
        if name == "web":
            axe.install()
        status = end_to_end() if name == "e2e" else fast() if name == "fast" else run(name)
        if status:
            return status
    return 0


def run(name: str, before: list[str] | None = None, env: dict[str, str] | None = None) -> int:
    """Every command of a group, until one fails."""
    env = environment() if env is None else env
    if name in FULL:
        name, env = name.removesuffix("-full"), {**env, FULL[name]: "full"}
    for command in GROUPS[name]:
        print(f"$ python {' '.join(command)}", flush=True)
        status = subprocess.run([*(before or []), str(PYTHON), *command], cwd=ROOT, env=env, check=False).returncode
        if status:
            return status
    return 0


def environment() -> dict[str, str]:
    """This one; but compiled tests are kept, since rewriting their assertions costs more than collecting them."""
    return {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def shares(number: int) -> list[list[Path]]:
    """The files that have a fast test, dealt out by their names: neighbours cost alike."""
    found = sorted((ROOT / "tests").rglob("test_*.py"))
    files = [path for path in found if not ELSEWHERE.search(path.read_text(encoding="utf-8"))]
    return [files[at::number] for at in range(number)]


def fast() -> int:
    """Every core has a share of the files in one process: workers of xdist would collect all files, each for itself."""
    command, env = [str(PYTHON), *GROUPS["fast"][0]], {**environment(), "HOLDFAST_EXAMPLES": "few"}
    print(
        f"$ HOLDFAST_EXAMPLES=few python {' '.join(command[1:])}, {CORES} times, each a share of the files", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder, str(at)) for at in range(CORES)]
        started = []
        for share, out in zip(shares(CORES), said, strict=True):
            with out.open("wb") as file:
                started.append(subprocess.Popen([*command, *share], cwd=ROOT, env=env, stdout=file, stderr=file))
        statuses = [one.wait() for one in started]
        for out in said:
            sys.stdout.write(out.read_text(encoding="utf-8", errors="replace"))
    return max(statuses, key=abs)


def end_to_end() -> int:
    """The agents and the wheel are installed with a network; the tests then run where there is only loopback."""
    agents.install()
    with tempfile.TemporaryDirectory(prefix="holdfast-e2e-", dir="/var/tmp") as folder:
        built = agents.install_wheel(Path(folder), PYTHON)
        return run("e2e", agents.alone(), {**agents.without_proxies(), "HOLDFAST_E2E_VENV": str(built)})


def install() -> None:
    """The locked tools and this project, unless they are there already."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    stamp = VENV / "installed"
    sources = [ROOT / "requirements-dev.lock", ROOT / "pyproject.toml"]
    is_editable = any(VENV.glob("lib/python3*/site-packages/_editable_impl_holdfast.pth"))
    if (
        not is_editable
        or not stamp.exists()
        or any(stamp.stat().st_mtime < source.stat().st_mtime for source in sources)
    ):
        pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(sources[0])], check=True)
        subprocess.run([*pip, "--no-deps", "--editable", str(ROOT)], check=True)
        stamp.touch()
    missing = [package for package, program in SYSTEM.items() if not shutil.which(program)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-q"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-qy", *missing], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
