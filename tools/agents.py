"""The agent CLIs that the end-to-end tests drive: pinned, installed once into a cache folder, run without a network.

    python3 tools/agents.py            install what is missing and print where it is
    python3 tools/agents.py --alone COMMAND…    run a command that reaches nothing but loopback, where this machine can

The folder is $HOLDFAST_AGENTS, else one in the user's cache that is named by the versions. A stamp says that an
installation is whole; without it the next run starts over.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
VERSIONS = {"claude": "2.1.325", "codex": "0.166.0"}
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy")
SYSTEM = {"tmux": "tmux", "npm": "npm"}  # command, and the Debian package that has it


def folder() -> Path:
    named = os.environ.get("HOLDFAST_AGENTS")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / f"holdfast-agents-{'-'.join(VERSIONS.values())}"


def command(name: str) -> Path:
    """The program of an agent: claude or codex."""
    return folder() / name / "node_modules" / ".bin" / name


def is_installed(name: str) -> bool:
    stamp = folder() / name / "installed"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == VERSIONS[name] and command(name).exists()


def install() -> None:
    """Both CLIs at their pinned versions, and as root on Debian the system packages that running them needs."""
    missing = [package for program, package in SYSTEM.items() if not shutil.which(program)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-q"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-qy", *missing], check=False, stdout=subprocess.DEVNULL)
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in PACKAGES:
            if not is_installed(name):
                _install(name)


def _install(name: str) -> None:
    place = folder() / name
    # A version in full: without it npm takes the newest that declares this Node, which is another program.
    wanted = f"{PACKAGES[name]}@{VERSIONS[name]}"
    install_package(wanted, place)
    told = subprocess.run([str(command(name)), "--version"], capture_output=True, text=True, check=True)
    if VERSIONS[name] not in told.stdout:
        raise SystemExit(f"{wanted} was installed, but it says that it is {told.stdout.strip()!r}")
    (place / "installed").write_text(VERSIONS[name], encoding="utf-8")


def install_package(wanted: str, place: Path) -> None:
    """A package of npm at its version, and nothing else, in this folder."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    quiet = ["--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run(["npm", "install", *quiet, "--prefix", str(place), wanted], check=True, stdin=subprocess.DEVNULL)


def install_wheel(into: Path, python: Path, tree: Path = ROOT) -> Path:
    """A virtual environment in this folder with the wheel of a tree, as a user gets it; `python` has pip."""
    venv = into / "venv"
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(into), str(tree)], check=True)
    (wheel,) = into.glob("*.whl")
    subprocess.run([str(python), "-m", "venv", "--without-pip", str(venv)], check=True)
    subprocess.run([*pip, "--python", str(venv / "bin" / "python"), "install", f"{wheel}[http,mcp,serve]"], check=True)
    return venv


def alone() -> list[str]:
    """What to put before a command so that it reaches nothing but loopback; [] where this machine cannot do that."""
    own = [sys.executable, str(Path(__file__).resolve()), "--lo"]
    for unshare in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if subprocess.run([*unshare, *own, "true"], capture_output=True, check=False).returncode == 0:
                return [*unshare, *own]
        except OSError:
            break
    return []


def without_proxies() -> dict[str, str]:
    """The environment without a way out, for what runs alone and for where it cannot."""
    return {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}


def raise_loopback() -> None:
    """What `ip link set lo up` does: a new network namespace has a loopback interface, and it is down."""
    get_flags, set_flags, up = 0x8913, 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack("16xh14x", fcntl.ioctl(any_socket, get_flags, asked))
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", flags | up))


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["--lo"]:
        raise_loopback()
        os.execvp(words[1], words[1:])
    if words[:1] == ["--alone"]:
        return subprocess.run([*alone(), *words[1:]], env=without_proxies(), check=False).returncode
    install()
    for name in PACKAGES:
        print(f"{name:8} {VERSIONS[name]:10} {command(name)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
