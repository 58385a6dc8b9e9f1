"""A hook or a command in a process of its own that is forked and not started, so nothing has to be imported again.

The forks come from one small process that has imported the product and nothing of the tests: it has no threads, whose
locks a child could wait for, and little memory to copy. A child has its own environment, folder and streams, and ends
as an interpreter does. A test about the start of a process, its imports or its interpreter's flags starts a real one.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TIMEOUT = 60.0
FAST = ("capture", "text", "hosts", "tasks", "witness", "brief", "taint", "hook")  # rooms of the fast path
SCRIPTS = ("holdfast.__main__", "holdfast.hook.start")  # that run when they are imported


def run(entry: str, words: list[str], env: Mapping[str, str], cwd: Path, stdin: bytes) -> tuple[int, bytes, bytes]:
    """The status of a child that enters the product by `entry` (hook, fast, cli) with these words, and both outputs."""
    asked = json.dumps({"entry": entry, "words": words, "env": dict(env), "cwd": str(cwd)}).encode()
    files = [os.memfd_create(name) for name in ("asked", "stdin", "stdout", "stderr")]
    ours, theirs = socket.socketpair()
    try:
        for fd, data in zip(files, (asked, stdin), strict=False):
            os.write(fd, data)
            os.lseek(fd, 0, os.SEEK_SET)
        with theirs:
            socket.send_fds(parent(entry != "cli"), [b"."], [*files, theirs.fileno()])
        pid = int.from_bytes(ours.recv(4), "big")
        status = _status(ours, pid, words, files[3])
        out, err = (os.pread(fd, os.fstat(fd).st_size, 0) for fd in files[2:])
        return status, out, err
    finally:
        ours.close()
        for fd in files:
            os.close(fd)


def _status(answer: socket.socket, pid: int, words: list[str], errors: int) -> int:
    answer.settimeout(TIMEOUT)
    try:
        return int.from_bytes(answer.recv(4), "big", signed=True)
    except TimeoutError:
        os.kill(pid, signal.SIGUSR2)
        time.sleep(1)  # it writes down where it stands
        os.kill(pid, signal.SIGKILL)
        where = os.pread(errors, os.fstat(errors).st_size, 0).decode(errors="replace")
        raise AssertionError(f"{' '.join(words)} did not end within {TIMEOUT:.0f} s:\n{where}") from None


@cache
def parent(is_fast: bool) -> socket.socket:
    """The process that forks, started at the first call; it ends when this socket is closed. That of hooks and fast
    commands is smaller yet."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        started = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), *(FAST if is_fast else ())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # NumPy begins them when it is imported
        )
    atexit.register(started.wait)
    atexit.register(ours.close)  # which is called first
    return ours


def _fork_for_ever(control: socket.socket) -> None:
    """Fork a child for each message, and tell its caller the pid, then the status."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(control, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is control:
                    message, fds, _, _ = socket.recv_fds(control, 1, 5)
                    if not message:
                        return
                    pid = _fork(fds)
                    for fd in fds[:4]:
                        os.close(fd)
                    answer = socket.socket(fileno=fds[4])
                    answer.sendall(pid.to_bytes(4, "big"))
                    waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, answer))
                else:
                    waiting.unregister(key.fileobj)
                    os.close(key.fd)
                    _tell(*key.data)


def _tell(pid: int, answer: socket.socket) -> None:
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with answer:
        try:
            answer.sendall(status.to_bytes(4, "big", signed=True))
        except OSError:
            pass  # its caller has given up


def _fork(fds: list[int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        with os.fdopen(fds[0], closefd=False) as file:
            asked = json.load(file)
        for number, fd in enumerate(fds[1:4]):
            os.dup2(fd, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _become(asked)
        _enter(asked["entry"], asked["words"])
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _become(asked: dict[str, Any]) -> None:
    """A process that has just been started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["cwd"])
    os.environ.clear()  # it and posix.environ are one
    os.environ.update(asked["env"])
    faulthandler.register(signal.SIGUSR2, file=2, all_threads=True)  # where it stands, if it is waited for too long
    sys.argv = ["holdfast", *asked["words"]]
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def _enter(entry: str, words: list[str]) -> None:
    began = time.perf_counter_ns()
    if entry == "hook":
        from holdfast.hook import main

        main.start(words, began)
    elif entry == "fast":
        from holdfast.cli import fast

        fast.start(words, began)
    else:
        from holdfast.cli import app

        app.main()


def _prepare(rooms: list[str]) -> None:
    """Import what children import, the model that comes along included, once for all of them."""
    import holdfast

    for found in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        room = found.name.split(".")[1]
        if found.name not in SCRIPTS and (room in rooms if rooms else room != "serve"):  # a server is started for real
            importlib.import_module(found.name)
    if not rooms:
        share_the_model()
        assert importlib.import_module("holdfast.field.embedder_models").WordLlama()._loaded
    gc.collect()
    gc.freeze()


def share_the_model() -> None:
    """Load the model that comes along once for a process, not for every close and every question."""
    from holdfast.field import embedder_models as models

    ours = models.wordllama_folder()
    load = models.WordLlama.__dict__["_loaded"].func
    shared = cache(lambda: load(models.WordLlama(ours)))

    def loaded(self: models.WordLlama) -> Any:
        return shared() if ours and (self._place or models.wordllama_folder()) == ours else load(self)

    models.WordLlama._loaded = property(loaded)  # type: ignore[assignment]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the tests end it
    warnings.simplefilter("ignore")
    _prepare(sys.argv[2:])
    _fork_for_ever(socket.socket(fileno=int(sys.argv[1])))
