"""One machine of the fault catalogue: a home, a project with history, a vault with something of everything in it, and
the real commands run on it, each in a process of its own that permissions do bind.

A process is a fork of this one, which has imported everything already: a command costs tens of milliseconds instead of
half a second, and still ends by its own exit status. Root is bound by permissions once two capabilities are dropped.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import vault_id

if TYPE_CHECKING:
    from collections.abc import Callable

HUNG = 40.0  # seconds after which a command counts as hung
FIRST_SESSION = "11111111-aaaa-4bbb-8ccc-000000000001"
OPEN_SESSION = "11111111-aaaa-4bbb-8ccc-000000000002"
FILED = ("The export job writes UTF-8 with a byte order mark", "Invoices are numbered per tenant, not per year")
RULE = "Never push to main"
REMEMBERED = "The staging database is restored every Sunday"
WAITING = ("Retries of the mailer back off exponentially", "The cache key includes the locale")
THOUGHT = "Perhaps the importer should stream its rows"
DONE = "The header rows come twice in old exports"
BYPASSES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@dataclass(frozen=True)
class Answer:
    """What a command said, and how it ended; -1 where it hung."""

    name: str
    status: int
    out: str
    err: str

    @property
    def is_broken(self) -> bool:
        """Whether it ended in a way that no user should see."""
        return self.status < 0 or "Traceback (most recent call last)" in self.out + self.err

    def json(self) -> Any:
        try:
            return json.loads(self.out)
        except ValueError:
            return {}


@dataclass(frozen=True)
class Machine:
    """A home below `top`, with its vault wherever `vault` says."""

    top: Path
    vault: Path

    @property
    def project(self) -> Path:
        return self.top / "project"

    @property
    def state(self) -> Path:
        return self.vault / ".state"

    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.top / "home"),
            "HOLDFAST_HOME": str(self.vault),
            "HOLDFAST_CLOSE": "off",
            "LANG": "C.UTF-8",
        }

    def run(self, *words: str, given: str = "") -> Answer:
        """A command of ours, as its process would run it."""
        return in_process(" ".join(words[:2]), lambda: _command(list(words)), self.env(), self.project, given)

    def hook(self, event: str, session: str = OPEN_SESSION, **more: object) -> Answer:
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(self.project), **more}
        return in_process(event, _hook, self.env(), self.project, json.dumps(payload))

    def start(self, session: str = "11111111-aaaa-4bbb-8ccc-000000000003") -> Answer:
        return self.hook("SessionStart", session, source="startup")

    def serve(self) -> Answer:
        return _serve(self)


def in_process(name: str, work: Callable[[], int], env: dict[str, str], cwd: Path, given: str) -> Answer:
    """Run something in a fork that has these variables, this folder and this input."""
    child, write_in, read_out, read_err = _started(work, env, cwd)
    with os.fdopen(write_in, "wb") as pipe, suppress(BrokenPipeError):
        pipe.write(given.encode())
    out, err = _gathered(child, read_out, read_err)
    _, ended = os.waitpid(child, 0)
    status = os.waitstatus_to_exitcode(ended)
    return Answer(name, status, out, err)


def _started(work: Callable[[], int], env: dict[str, str], cwd: Path) -> tuple[int, int, int, int]:
    """A fork at work: its pid, and our ends of its input, output and errors."""
    read_in, write_in = os.pipe()
    (read_out, write_out), (read_err, write_err) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        _become(work, env, cwd, (read_in, write_out, write_err), (write_in, read_out, read_err))
    for fd in (read_in, write_out, write_err):
        os.close(fd)
    return child, write_in, read_out, read_err


def _become(
    work: Callable[[], int], env: dict[str, str], cwd: Path, ours: tuple[int, int, int], theirs: object
) -> None:
    status = 70
    try:
        for fd in theirs:  # type: ignore[attr-defined]
            os.close(fd)
        for number, fd in enumerate(ours):
            os.dup2(fd, number)
        os.setsid()
        sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False))
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), line_buffering=True)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), line_buffering=True)
        obey_permissions()
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        status = work()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(status)


def _gathered(child: int, *pipes: int) -> tuple[str, ...]:
    parts: dict[int, bytes] = dict.fromkeys(pipes, b"")
    left, until = list(pipes), time.monotonic() + HUNG
    while left:
        ready, _, _ = select.select(left, [], [], max(0.0, until - time.monotonic()))
        if not ready:
            os.killpg(child, signal.SIGKILL)
            break
        for fd in ready:
            data = os.read(fd, 1 << 16)
            parts[fd] += data
            if not data:
                left.remove(fd)
    for fd in pipes:
        os.close(fd)
    return tuple(data.decode("utf-8", "replace") for data in parts.values())


def obey_permissions() -> None:
    """Root passes over permissions by two capabilities; without them its own files can be closed to it too."""
    if os.geteuid():
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in BYPASSES:
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP, for the programs that are started
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    if libc.capget(header, data) == 0:
        for capability in BYPASSES:
            for word in (0, 1):  # effective, permitted
                data[word] &= ~(1 << capability)
        libc.capset(header, data)


def is_bound_by_permissions(folder: Path) -> bool:
    """Whether permissions can be tried here at all."""
    closed = folder / "closed"
    closed.write_text("x")
    closed.chmod(0)
    found = in_process("probe", lambda: _can_read(closed), dict(os.environ), folder, "")
    closed.unlink()
    return found.status == 1


def _can_read(path: Path) -> int:
    try:
        path.read_bytes()
    except PermissionError:
        return 1
    return 0


def _command(words: list[str]) -> int:
    from holdfast.cli import app

    sys.argv = ["holdfast", *words]
    app.main()
    return 0


def _hook() -> int:
    from holdfast.hook.main import main

    return main("claude-code", dict(os.environ), time.perf_counter_ns())


def _serve(machine: Machine) -> Answer:
    """The server is started, asked two things with its token, and ended."""
    words = ["serve", "--port", "0"]
    child, write_in, read_out, read_err = _started(lambda: _command(words), machine.env(), machine.project)
    os.close(write_in)
    said = b""
    until = time.monotonic() + HUNG
    while b"\n" not in said and select.select([read_out], [], [], max(0.0, until - time.monotonic()))[0]:
        data = os.read(read_out, 4096)
        if not data:
            break
        said += data
    asked = _asked(machine, said.decode("utf-8", "replace")) if b"Serving on" in said else ""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGTERM)
    out, err = _gathered(child, read_out, read_err)
    _, ended = os.waitpid(child, 0)
    return Answer("serve", os.waitstatus_to_exitcode(ended), said.decode("utf-8", "replace") + out + asked, err)


def _asked(machine: Machine, said: str) -> str:
    from holdfast.serve import tokens

    address = said.partition("Serving on ")[2].partition(";")[0]
    try:
        token = (machine.state / tokens.OWN).read_text().strip()
    except OSError as error:
        return f"no token: {error}\n"
    told = ""
    for path, body in (("/health", None), ("/retrieve", {"query": "mailer retries"})):
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{address}{path}", data)
        request.add_header("Authorization", f"Bearer {token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=HUNG) as found:
                told += f"{path} {found.status}\n"
        except urllib.error.HTTPError as error:
            told += f"{path} {error.code} {error.read(300)!r}\n"
    return told


def build(top: Path) -> Machine:
    """A machine that has been used for a while. Every command must succeed."""
    machine = Machine(top, top / "vault")
    (top / "home").mkdir(parents=True)
    _git(top, "init", "-q", "-b", "main", "project")
    (machine.project / "app.py").write_text("print('hello')\n")
    _git(machine.project, "add", "-A")
    _git(machine.project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
    _git(top, "init", "-q", "--bare", "-b", "main", "remote.git")
    do = _must
    do(machine.run("init", "--yes"))
    do(machine.run("remember", "--kind", "rule", RULE))
    do(machine.hook("SessionStart", FIRST_SESSION, source="startup"))
    do(machine.hook("UserPromptSubmit", FIRST_SESSION, prompt="Make the export job faster, please."))
    for text in FILED:
        do(machine.run("flag", text))
    do(machine.hook("SessionEnd", FIRST_SESSION, reason="other"))
    do(machine.run("close", "--all"))
    _git(machine.vault, "gc", "-q")
    do(machine.run("remember", REMEMBERED))
    do(machine.run("think", THOUGHT))
    do(machine.run("task", "start", "importer", "Import", "the", "rows"))
    do(machine.run("task", "checkpoint", "--discovery", DONE))
    do(machine.run("sync", "--remote", str(top / "remote.git")))
    do(machine.run("recall", "export job"))
    do(machine.hook("SessionStart", OPEN_SESSION, source="startup"))
    for text in WAITING:
        do(machine.run("flag", text))
    return machine


def _must(done: Answer) -> None:
    if done.status:
        raise AssertionError(f"{done.name}: {done.status}\n{done.out}\n{done.err}")


def _git(folder: Path, *words: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def copy(template: Machine, top: Path) -> Machine:
    """The same machine, elsewhere. What names the old place in it is made to name the new one."""
    shutil.copytree(template.top, top, symlinks=True)
    machine = Machine(top, top / "vault")
    config = machine.vault / ".git" / "config"
    config.write_text(config.read_text().replace(str(template.top), str(top)))
    shutil.rmtree(vault_id.machine_folder(machine.env()), ignore_errors=True)
    _must(machine.hook("SessionStart", source="resume"))  # from now on this machine knows its vault
    return machine
