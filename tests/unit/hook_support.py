"""What the tests of hook, command line and launcher share: a fresh home, the real processes, agents that can be killed.

Nothing here is a stand-in: the hook and each command are processes of their own, forked from this one (forked.py) or,
in a `real` home, started as a host and a shell start them; an agent is a process that lives until it is killed, a disk
that is full or read-only is a mounted one.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import forked
import own_state  # noqa: F401
import pytest
from flag_support import take

from holdfast.brief import brief_file
from holdfast.capture import episodes, flags, gate, home, marks, projects, queue, settle
from holdfast.capture import ledger as ledger_history
from holdfast.hook import main as hook_main
from holdfast.hosts import registration
from holdfast.install import launcher
from holdfast.model import Flag

SOURCE = launcher.script_path().parents[2]
START = str(launcher.script_path())
PYTHON = launcher.interpreter()
STARTED = {  # how a host and a shell enter the product
    "hook": [PYTHON, "-I", "-S", START],
    "fast": [PYTHON, "-I", "-S", START, "--command"],
    "cli": [sys.executable, "-P", "-m", "holdfast"],
}
MEMORY = "/dev/shm"
PROMPT = 3.0  # seconds; far more than any of it takes, far less than a person would notice as a hang


@dataclass(frozen=True)
class Done:
    """What a process left: its status, its words, and how long it took."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def context(self) -> str:
        """What the reply tells the model, in either host's shape; "" where it tells nothing."""
        return context_of(self.out)


def context_of(out: str) -> str:
    """What a reply remembers; what is no JSON is for a summariser, and is text as it is."""
    if not out.startswith("{"):
        return out
    reply = json.loads(out)
    carried = str(reply.get("context", reply.get("hookSpecificOutput", {}).get("additionalContext", "")))
    return "" if brief_file.NOTHING in carried else carried


def run(
    command: list[str], env: Mapping[str, str], cwd: Path, stdin: bytes | None = b"", timeout: float = 60.0
) -> Done:
    began = time.perf_counter()
    done = subprocess.run(
        command, env=dict(env), cwd=cwd, input=stdin, capture_output=True, check=False, timeout=timeout
    )
    spent = time.perf_counter() - began
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"), spent)


@dataclass
class Home:
    """A home of its own with a project folder and a vault that the first write makes."""

    folder: Path
    more: dict[str, str] = field(default_factory=dict)
    real: bool = False  # hooks and commands are started, not forked

    def __post_init__(self) -> None:
        self.project = self.folder / "shop"
        self.project.mkdir(parents=True, exist_ok=True)
        self.vault = self.folder / ".holdfast"

    @property
    def env(self) -> dict[str, str]:
        """Closes are run by the tests that are about them: one in the background would file what others look at."""
        base = {"HOME": str(self.folder), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
        return {**base, "HOLDFAST_HOME": str(self.vault), "HOLDFAST_CLOSE": "off", **self.more}

    @property
    def state(self) -> str:
        return home.state(str(self.vault))

    def hook(
        self,
        payload: object,
        host: str = "claude-code",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Done:
        """One whole hook process, without the launcher that would hide its status."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self._run("hook", [host], {**self.env, **(env or {})}, cwd, raw)

    def line(self, payload: object, host: str = "claude-code", env: Mapping[str, str] | None = None) -> Done:
        """The registered line, as a host runs it."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        registered = registration.registered_line(host, self.env)
        return run(["/bin/sh", "-c", registered], {**self.env, **(env or {})}, self.project, raw)

    def fast(self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Done:
        """A command of the fast path, as the `holdfast` on PATH runs it."""
        return self._run("fast", list(words), {**self.env, **(env or {})}, cwd)

    def cli(self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Done:
        """Any command, through the whole command line."""
        return self._run("cli", list(words), {**self.env, "PYTHONPATH": str(SOURCE), **(env or {})}, cwd)

    def _run(self, entry: str, words: list[str], env: Mapping[str, str], cwd: Path | None, stdin: bytes = b"") -> Done:
        where = cwd or self.project
        if self.real:
            return run([*STARTED[entry], *words], env, where, stdin)
        began = time.perf_counter()
        status, out, err = forked.run(entry, words, env, where, stdin)
        spent = time.perf_counter() - began
        return Done(status, out.decode("utf-8"), err.decode("utf-8", "replace"), spent)

    def event(self, name: str, session: str = "s1", **more: object) -> dict[str, object]:
        """A Claude Code payload in this project."""
        return {"hook_event_name": name, "session_id": session, "cwd": str(self.project), **more}

    def reply(
        self, payload: object, now: float = 0.0, host: str = "claude-code", env: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The hook's own answer within this process, as the host reads it; {} where it says nothing."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        given = {**self.env, **(env or {})}
        out = hook_main.answer(host, raw, given, now or time.time(), time.perf_counter_ns())
        found = json.loads(out) if out else {}
        assert isinstance(found, dict)
        said = dict(found.get("hookSpecificOutput", found))
        return {} if brief_file.NOTHING in str(said.get("additionalContext", "")) else said

    def nudges(self) -> list[tuple[str, str]]:
        """Every decision at a boundary, in order: which boundary, and what was decided."""
        return [(str(one["boundary"]), str(one["decision"])) for one in self.ledger("nudge")]

    def answer(self, payload: object, pid: int = 0, now: float = 0.0, host: str = "claude-code") -> str:
        """The hook's own answer within this process, at a time of the test's choosing; what it tells the model."""
        env = {**self.env, "CLAUDE_PID": str(pid)} if pid else self.env
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return context_of(hook_main.answer(host, raw, env, now or time.time(), time.perf_counter_ns()))

    def flag(self, text: str, session: str = "", cwd: Path | None = None) -> Flag:
        """What `holdfast flag` does, without a process for it; the session is named as Claude Code names it."""
        env = {**self.env, "CLAUDE_CODE_SESSION_ID": session} if session else self.env
        where = gate.here(env, str(cwd or self.project), str(self.vault))
        speaker = flags.Speaker(where.host, where.episode, where.project, "agent")
        return take(str(self.vault), [text], speaker, time.time()).flags[0]

    def ledger(self, *kinds: str) -> list[dict[str, Any]]:
        return list(ledger_history.read(self.state, ledger_history.Wanted(kinds=kinds)))

    def errors(self) -> list[str]:
        return [str(record["error"]) for record in self.ledger("error")]

    def waiting(self) -> list[Flag]:
        return [entry.flag for entry in queue.read(f"{self.state}/queue", time.time()).entries]

    def texts(self) -> list[str]:
        return [flag.text for flag in self.waiting()]

    def episode(self, session: str = "s1", host: str = "claude-code") -> episodes.Episode:
        found = episodes.latest(self.state, host, session)
        assert found, f"there is no episode of {session}"
        return found

    def marks(self) -> list[marks.Mark]:
        return marks.of_project(self.state, self.project_id())

    def project_id(self, folder: Path | None = None) -> str:
        return projects.find(str(folder or self.project), str(self.vault)).id

    def settlement(self) -> settle.Settlement:
        return settle.Settlement(f"{self.state}/queue")

    def file_everything(self) -> int:
        """Claim and acknowledge whatever waits, as a close does."""
        claim = self.settlement().claim(100_000, 60.0)
        if claim is None:
            return 0
        return len(self.settlement().acknowledge(claim, [flag.id for flag in claim.flags]))

    def files(self) -> list[str]:
        """Everything below the vault, as relative paths."""
        if not self.vault.exists():
            return []
        return sorted(str(path.relative_to(self.vault)) for path in self.vault.rglob("*"))


class Terminal:
    """The whole command line within this process: its own main, a fresh environment, what it prints and its status."""

    def __init__(self, where: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.home = where
        self.patch = monkeypatch
        self.capfd = capfd

    def __call__(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Done:
        from holdfast.cli import app

        self._enter(cwd, env)
        self.patch.setattr(sys, "argv", ["holdfast", *words])
        return self._watch(app.main)

    def fast(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Done:
        """A command of the fast path, by itself."""
        from holdfast.cli import fast

        self._enter(cwd, env)
        given = {**self.home.env, **(env or {})}
        return self._watch(lambda: sys.exit(fast.run(list(words), given, time.perf_counter_ns())))

    def _enter(self, cwd: Path | None, env: Mapping[str, str] | None) -> None:
        given = {**self.home.env, **(env or {})}
        for name in set(os.environ) - set(given):
            self.patch.delenv(name)
        for name, text in given.items():
            self.patch.setenv(name, text)
        self.patch.chdir(cwd or self.home.project)

    def _watch(self, main: Callable[[], None]) -> Done:
        self.capfd.readouterr()
        began = time.perf_counter()
        status = 0
        try:
            main()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0
        out, err = self.capfd.readouterr()
        return Done(status, out, err, time.perf_counter() - began)


@contextmanager
def a_home(tmp_path: Path) -> Iterator[Home]:
    """A fresh home. Its vault lies in memory where it can: these tests are not about the disk, and a sync costs."""
    made = Home(tmp_path / "home")
    if not os.access(MEMORY, os.W_OK):
        yield made
        return
    folder = Path(tempfile.mkdtemp(prefix="holdfast-test-", dir=MEMORY))
    made.vault = folder / "vault"
    try:
        yield made
    finally:
        if (made.vault / ".state" / "upkeep").exists():
            wait_until("the upkeep in the background is over", lambda: not _at_work_in(made.vault))
        shutil.rmtree(folder)


def _at_work_in(vault: Path) -> bool:
    """Whether a process that we cannot wait for, as nobody's child, still has this vault."""
    wanted = f"HOLDFAST_HOME={vault}".encode()
    for one in Path("/proc").iterdir():
        if one.name.isdecimal() and int(one.name) != os.getpid():
            try:
                if wanted in (one / "environ").read_bytes().split(b"\0"):
                    return True
            except OSError:
                continue
    return False


class Agent:
    """A host process that does nothing but live until it is killed."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.pid = self.process.pid

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


class Agents:
    """Starts agents and ends exactly those that it started."""

    def __init__(self) -> None:
        self.started: list[Agent] = []

    def __call__(self) -> Agent:
        agent = Agent()
        self.started.append(agent)
        return agent

    def __enter__(self) -> Agents:
        return self

    def __exit__(self, *_: object) -> None:
        for agent in self.started:
            agent.stop()


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own, in memory; skips where one may not be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command, and root is not stopped by permissions")
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here ({done.stderr.strip()}), and permissions do not stop root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """A disk on which something is being written is busy: what runs in the background is waited for.

    Commands ran within this process, and what they left in a circle keeps its files open until it is collected.
    """
    gc.collect()
    remount = ["mount", "-o", "remount,ro", str(folder)]
    wait_until("nothing is written", lambda: subprocess.run(remount, capture_output=True, check=False).returncode == 0)


def fill_up(folder: Path) -> None:
    """Write until the disk refuses a single byte more."""
    out = os.open(folder / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for size in (4096, 512, 1):
            while True:
                try:
                    os.write(out, b"x" * size)
                except OSError:
                    break
    finally:
        os.close(out)


def too_open(folder: Path) -> list[str]:
    """What in a folder others may read: files wider than 0600, folders wider than 0700."""
    found = []
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & 0o077:
            found.append(f"{path.relative_to(folder)} {stat.filemode(mode)}")
    return found


def wait_until(what: str, is_so: Callable[[], object], seconds: float = 60.0) -> None:
    """Look again and again until it is so; fails at the deadline."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"it never came about that {what}"
        time.sleep(0.01)


BARE = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}  # no agent, and no holdfast


def at_a_terminal(fresh: Home, answers: bytes, *words: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """The real command with a terminal on every side, and somebody who answers; its status, and what it said."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-P", "-m", "holdfast", *words]
    own = {**fresh.env, **BARE, "PYTHONPATH": str(SOURCE), **(env or {})}
    process = subprocess.Popen(command, env=own, cwd=fresh.project, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    if answers:
        os.write(ours, answers)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:
        pass  # how a terminal says that its last writer has gone
    os.close(ours)
    return process.wait(), said.decode()


def imported_by(fresh: Home, payload: dict[str, object], *words: str) -> set[str]:
    """Every module that a hook or a fast command imports in its own process, as the interpreter itself lists them."""
    done = subprocess.run(
        [PYTHON, "-X", "importtime", "-I", "-S", START, *(words or ("claude-code",))],
        env=fresh.env,
        cwd=fresh.project,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
    )
    lines = done.stderr.decode().splitlines()
    names = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    assert "holdfast" in names
    return names - {"imported package"}
