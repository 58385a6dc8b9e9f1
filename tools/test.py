"""Install what the tests need into .venv and run them: `python3 tools/test.py [fast|crash|crash-full|all|lint|bench]`.

It works in a fresh clone with nothing but Python 3.11+, git and a network: it makes the virtual environment, installs
the locked versions and the project, and (as root on Debian) the one system package that fault injection needs. `make`
targets and .ci/run call it, so there is one way to run everything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = Path(os.environ.get("HOLDFAST_VENV", ROOT / ".venv"))
PYTHON = VENV / "bin" / "python"

# The crash suite has its own group, because it kills, truncates and fails for minutes.
GROUPS: dict[str, list[list[str]]] = {
    "fast": [["-m", "pytest", "-q", "-n", "auto", "-m", "not crash and not slow"]],
    "slow": [["-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "-m", "slow"]],
    "crash": [["-m", "pytest", "-q", "-m", "crash"]],
    "lint": [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."], ["-m", "mypy"]],
    "bench": [["bench/imports.py"], ["bench/redaction.py"], ["bench/hook.py"], ["bench/vault.py"]],
}
GROUPS["all"] = GROUPS["fast"] + GROUPS["slow"] + GROUPS["crash"]


def main() -> int:
    wanted = sys.argv[1:] or ["all"]
    unknown = [name for name in wanted if name not in (*GROUPS, "crash-full")]
    if unknown:
        print(f"unknown group {unknown[0]}; one of: {', '.join(GROUPS)}, crash-full", file=sys.stderr)
        return 2
    install()
    for name in wanted:
        env = {**os.environ, "HOLDFAST_CRASH": "full"} if name == "crash-full" else dict(os.environ)
        for command in GROUPS["crash" if name == "crash-full" else name]:
            print(f"$ python {' '.join(command)}", flush=True)
            status = subprocess.run([str(PYTHON), *command], cwd=ROOT, env=env, check=False).returncode
            if status:
                return status
    return 0


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
    if not shutil.which("strace") and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-q"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-qy", "strace"], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
