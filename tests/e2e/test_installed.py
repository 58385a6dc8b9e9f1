"""The installed thing: the wheel in a fresh virtual environment with a fresh HOME, tried as a user and a host would.

Nothing is taken from the source tree but the wheel that is built of it. The hook is the line that `holdfast init`
printed, run by sh; `holdfast` is the one on PATH; a host is a process that is killed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FACT = "Orders use optimistic locking; do not add row locks"
SOON = 20.0  # seconds: it does not hang; how fast it is, bench/hook.py tells


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str
    seconds: float

    @property
    def context(self) -> str:
        """What is remembered, as the model is told; "" where that is nothing yet."""
        told = str(json.loads(self.out)["hookSpecificOutput"]["additionalContext"]) if self.out else ""
        return "" if "Nothing is remembered here yet." in told else told


@dataclass(frozen=True)
class User:
    """Somebody with a home, a project, and an environment that has holdfast on its PATH."""

    home: Path
    venv: Path
    vault: Path | None = None

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def env(self) -> dict[str, str]:
        named = {"HOLDFAST_HOME": str(self.vault)} if self.vault else {}
        return {"HOME": str(self.home), "PATH": f"{self.venv / 'bin'}:{os.defpath}", "LANG": "C.UTF-8", **named}

    def run(self, line: str, stdin: bytes = b"") -> Done:
        """What somebody types into a shell."""
        began = time.perf_counter()
        done = subprocess.run(
            ["/bin/sh", "-c", line], env=self.env, cwd=self.project, input=stdin, capture_output=True, check=False
        )
        spent = time.perf_counter() - began
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"), spent)

    @property
    def line(self) -> str:
        """The line that a host registers, as init prints it."""
        return str(json.loads(self.run("holdfast init --json").out)["register"]["claude-code"])

    def start(self, session: str) -> bytes:
        event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": session}
        return json.dumps({**event, "cwd": str(self.project)}).encode()

    def wait_for_close(self, session: str) -> dict[str, object]:
        """Until the ledger shows that a session was closed in the background."""
        deadline = time.monotonic() + 30
        while True:
            closed = [one for one in self.log("--kind", "close") if f"/{session}/" in str(one["episode"])]
            if closed:
                return closed[0]
            assert time.monotonic() < deadline, self.log("--kind", "error")
            time.sleep(0.05)

    def log(self, *words: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.run(f"holdfast log --json {' '.join(words)}").out.splitlines()]


def pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it asks for, in a folder whose name has a space."""
    venv = tmp_path_factory.mktemp("an installation") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    pip("--python", str(venv / "bin" / "python"), "install", "--no-compile", str(wheel))
    return venv


@pytest.fixture
def user(installed: Path, tmp_path: Path) -> User:
    made = User(tmp_path / "a home", installed)
    made.project.mkdir(parents=True)
    return made


@pytest.fixture
def mover(installed: Path, tmp_path: Path) -> User:
    """Somebody with an installation of their own, which may be broken."""
    venv = tmp_path / "venv"
    shutil.copytree(installed, venv, symlinks=True)
    made = User(tmp_path / "a home", venv)
    made.project.mkdir(parents=True)
    return made


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


# --- the wheel


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    package = [name for name in names if ".dist-info/" not in name and ".data/" not in name]
    assert "holdfast/py.typed" in package
    assert "holdfast/hook/start.py" in package
    assert [name for name in package if not name.startswith("holdfast/")] == []
    data = [name for name in package if not name.endswith((".py", ".sh", "py.typed"))]
    page = [name for name in data if re.fullmatch(r"holdfast/page/(templates|static)/[\w.]+", name)]
    assert [name for name in data if name not in page] == ["holdfast/serve/mcp/opening.json"]
    here = ROOT / "src" / "holdfast" / "page"
    assert len(page) == sum(1 for folder in ("templates", "static") for _ in (here / folder).iterdir())
    assert [name for name in names if name.endswith(".data/scripts/holdfast")]


def test_the_command_on_path_is_plain_sh_and_may_be_run(installed: Path) -> None:
    command = installed / "bin" / "holdfast"
    assert os.access(command, os.X_OK)
    assert command.read_text().startswith("#!/bin/sh\n")


def test_the_core_searches_offline_and_brings_no_server_and_no_framework(installed: Path) -> None:
    (site,) = installed.glob("lib/python3*/site-packages")
    found = {path.name.partition("-")[0].lower() for path in site.glob("*.dist-info")}
    assert {"holdfast", "rich", "pyyaml", "numpy", "tokenizers", "wordllama"} <= found
    assert not found & {"torch", "onnxruntime", "fastapi", "starlette", "uvicorn", "mcp"}


def test_every_command_helps(user: User) -> None:
    listed = user.run("holdfast --help").out.partition("Commands:")[2]
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].strip()]
    assert {"init", "demo", "flag", "hook", "log", "queue", "remember", "boot", "close", "check", "sync"} <= set(names)
    for name in names:
        done = user.run(f"holdfast {name} --help")
        assert (done.status, done.err) == (0, ""), name
        assert f"Usage: holdfast {name}" in done.out


# --- done when


HOST = """
printf '%s' "$START" | sh -c "$LINE" || exit 1
holdfast flag --kind decision --evidence orders.py:241 "$FACT"
echo ready
read -r forever
"""


def test_flag_kill_9_start_and_the_warning_comes_with_the_flags_text(user: User) -> None:
    line = user.line
    env = {**user.env, "START": user.start("killed").decode(), "LINE": line, "FACT": FACT}
    with subprocess.Popen(
        ["/bin/sh", "-s"], env=env, cwd=user.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdin
        assert host.stdout
        host.stdin.write(HOST)
        host.stdin.flush()
        assert "session claude-code/killed/1" in host.stdout.readline()
        assert host.stdout.readline() == "ready\n"
        host.kill()
        host.wait()
    done = user.run(line, user.start("next"))
    assert (done.status, done.err) == (0, "")
    assert "WARNING: the claude-code session killed died without an end" in done.context
    assert "its close is started now" in done.context
    assert f"- [decision] {FACT} (" in done.context
    closed = user.wait_for_close("killed")
    assert (closed["filed"], closed["judge"]) == (1, "verbatim")
    healed = user.run(line, user.start("later")).context
    assert "WARNING" not in healed
    assert "The session died without an end" in healed
    assert FACT in healed, healed
    assert user.run("holdfast queue").out.startswith("Nothing waits")
    assert [record["how"] for record in user.log("--kind", "episode")] == ["died"]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="an open brace"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"a" * (50 << 20), id="50 MB of a"),
        pytest.param(b'{"hook_event_name": "PostToolUse", "tool_response": "\xff\xfe"}', id="invalid UTF-8"),
        pytest.param(b'{"hook_event_name": "Teleport"}', id="an unknown event"),
        pytest.param(
            b'{"hook_event_name": "PostToolUse", "tool_response": "' + b"x" * (50 << 20) + b'"}', id="50 MB of response"
        ),
    ],
)
def test_whatever_the_hook_is_given_the_session_goes_on(user: User, raw: bytes) -> None:
    line = user.line
    done = min((user.run(line, raw) for _ in range(2)), key=lambda one: one.seconds)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert done.seconds < SOON
    assert len(user.log()) == 2


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_on_a_disk_that_takes_nothing_the_session_goes_on(user: User, tmp_path: Path, how: str) -> None:
    line = user.line
    with mounted(tmp_path / "disk", "64k") as disk:
        if how == "full":
            with (disk / "filler").open("wb", buffering=0) as out:
                while True:
                    try:
                        out.write(b"x" * 512)
                    except OSError:
                        break
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        there = User(user.home, user.venv, disk / "vault")
        for event in ("SessionStart", "PostToolUse", "SessionEnd"):
            done = there.run(line, json.dumps({"hook_event_name": event, "session_id": "s1"}).encode())
            assert (done.status, done.context) == (0, "")
            assert "The session goes on." in done.err
            assert "Traceback" not in done.err
            assert done.seconds < SOON
        assert there.run("holdfast flag 'nowhere to go'").status == 3


def remove(folder: Path) -> None:
    """Also while a background process still writes compiled files into it."""
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("gone", ["script", "package", "virtual environment", "interpreter", "launcher"])
def test_whatever_of_us_is_deleted_the_line_ends_in_0(mover: User, gone: str) -> None:
    line = mover.line
    launcher = mover.home / ".local" / "share" / "holdfast" / "holdfast-hook"
    assert mover.run(line, mover.start("before")).status == 0
    (package,) = mover.venv.glob("lib/python3*/site-packages/holdfast")
    if gone == "script":
        (package / "hook" / "start.py").unlink()
    elif gone == "package":
        remove(package)
    elif gone == "virtual environment":
        remove(mover.venv)
    elif gone == "interpreter":  # the real one serves others too, so the launcher is sent to one that is not there
        text = launcher.read_text()
        (named,) = [one for one in text.splitlines() if one.startswith("python=")]
        launcher.write_text(text.replace(named, "python=/gone/python3"))
    else:
        launcher.unlink()
    done = mover.run(line, mover.start("after"))
    assert (done.status, done.out, done.err) == (0, "", "")


def test_the_demo_plays_a_whole_life_with_the_installed_command(user: User) -> None:
    done = user.run("holdfast demo")
    assert (done.status, done.err) == (0, "")
    assert "WARNING: the claude-code session demo-1 died without an end" in done.out
    assert f"- [decision] {FACT}" in done.out
    assert "The call has not run." in done.out
    assert done.out.splitlines()[-1].endswith("holdfast init")
    assert done.seconds < 60
    assert list(user.home.iterdir()) == [user.project], "it touches nothing of the user's"


# --- as it is used


def test_the_line_needs_nothing_of_the_virtual_environment_but_the_package(mover: User) -> None:
    """The interpreter is the one beneath, and the packages that people's commands need are not there."""
    line = mover.line
    for name in ("rich", "yaml"):
        for path in mover.venv.glob(f"lib/python3*/site-packages/{name}"):
            shutil.rmtree(path)
    assert mover.run(line, mover.start("s1")).status == 0
    done = mover.run("CLAUDE_CODE_SESSION_ID=s1 holdfast flag 'the standard library only'")
    assert (done.status, done.err) == (0, "")
    assert mover.run(line, b'{"hook_event_name": "SessionEnd", "session_id": "s1"}').status == 0
    assert "the standard library only" in mover.run(line, mover.start("s2")).context


def test_through_a_link_as_pipx_and_uv_make_it(user: User) -> None:
    links = user.home / "my bin"
    links.mkdir()
    (links / "holdfast").symlink_to(user.venv / "bin" / "holdfast")
    for words in ("flag 'through a link'", "queue"):
        done = user.run(f"PATH='{links}':{os.defpath} holdfast {words}")
        assert (done.status, done.err) == (0, "")
    assert "through a link" in done.out


def test_a_session_from_start_to_end(user: User) -> None:
    line = user.line
    payload = {"session_id": "s1", "cwd": str(user.project), "transcript_path": "/nowhere.jsonl"}
    assert user.run(line, user.start("s1")).context == ""
    assert user.run("CLAUDE_CODE_SESSION_ID=s1 holdfast flag --kind lesson 'retry on a version conflict'").status == 0
    for event in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "Stop", "SessionEnd"):
        done = user.run(line, json.dumps({"hook_event_name": event, **payload}).encode())
        assert (done.status, done.err) == (0, ""), event
        assert bool(done.out) == (event == "PreCompact"), event
    told = user.run(line, user.start("s2")).context
    assert "retry on a version conflict" in told, "whether the close has come to it or not"
    user.wait_for_close("s1")
    told = user.run(line, user.start("s3")).context
    assert "retry on a version conflict" in told, told
    vault = user.home / ".holdfast"
    subjects = subprocess.run(["git", "-C", vault, "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert "close of session 1" in subjects.stdout
    events = [record["event"] for record in user.log("--session", "s1", "--kind", "hook")]
    assert events[0] == "session-start"
    assert events[-1] == "session-end"
    assert len(events) == 8


def test_a_pause_is_a_pause(user: User) -> None:
    line = user.line
    assert user.run("holdfast pause").status == 0
    assert "captures nothing in this session: holdfast is paused" in user.run(line, user.start("s1")).context
    assert user.run("holdfast flag unheard").status == 2
    assert user.run("holdfast resume").status == 0
    assert user.run("holdfast flag heard").status == 0
    assert user.run(line, user.start("s2")).context.count("heard") == 1


def test_an_upgrade_keeps_the_registered_line_and_renews_what_it_names(mover: User, tmp_path: Path) -> None:
    """The environment moves, as it does with every new version of a tool; the old one is gone."""
    line = mover.line
    moved = tmp_path / "venv-2"
    shutil.move(mover.venv, moved)
    (moved / "bin" / "holdfast").write_bytes((ROOT / "src/holdfast/install/holdfast.sh").read_bytes())
    after = User(mover.home, moved)
    assert after.run(line, after.start("between")).status == 0
    assert after.run("holdfast queue").status == 0, "any command of the new one renews the launcher"
    assert after.line == line
    assert after.run(line, after.start("after")).status == 0
    assert [record["event"] for record in after.log("--session", "after", "--kind", "hook")] == ["session-start"]
    assert after.log("--session", "between") == []


def test_nothing_in_the_vault_is_readable_by_others(user: User) -> None:
    line = user.line
    user.run(f"umask 000; {line}", user.start("s1"))
    user.run("umask 000; holdfast flag 'mine alone'")
    assert user.run("umask 000; holdfast remember 'mine alone too' && holdfast close && holdfast boot").status == 0
    found = [path for path in (user.home / ".holdfast").rglob("*") if not path.is_symlink()]
    assert len(found) > 8
    assert [path for path in found if path.stat().st_mode & 0o077] == []


def test_remember_is_known_to_the_very_next_start(mover: User) -> None:
    line = mover.line
    mover.run(line, mover.start("s1"))
    done = mover.run("holdfast remember --kind rule 'Tabs are for tables'")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("remembered in rules/tabs-are-for-tables.md")
    assert "- Tabs are for tables" in mover.run(line, mover.start("s2")).context
