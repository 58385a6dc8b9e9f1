"""A hook or a command in a process of its own that is forked from this one, so nothing has to be imported again.

It has its own environment, folder and streams, and ends as an interpreter does. A test that is about the start of a
process, what it imports or the flags of its interpreter starts a real one.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import os
import select
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path


def run(
    words: list[str], main: Callable[[], object], env: Mapping[str, str], cwd: Path, stdin: bytes, timeout: float
) -> tuple[int, bytes, bytes]:
    """The status of a child that runs `main` with these words as its arguments, and both its outputs."""
    streams = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
    try:
        os.write(streams[0], stdin)
        os.lseek(streams[0], 0, os.SEEK_SET)
        status = _status(_fork(words, main, env, cwd, streams), words, timeout, streams[2])
        out, err = (os.pread(fd, os.fstat(fd).st_size, 0) for fd in streams[1:])
        return status, out, err
    finally:
        for fd in streams:
            os.close(fd)


def _fork(words: list[str], main: Callable[[], object], env: Mapping[str, str], cwd: Path, streams: list[int]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a thread of another test may still be ending; the child has none
        pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        for number, fd in enumerate(streams):
            os.dup2(fd, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        gc.freeze()  # an object of the test that held a file would close whatever has its number now
        _become(words, env, cwd)
        main()
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


def _become(words: list[str], env: Mapping[str, str], cwd: Path) -> None:
    """A process that has just been started: nothing that this test's own process set up is left."""
    atexit._clear()
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(cwd)
    os.environ.clear()  # it and posix.environ are one
    os.environ.update(env)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the threads of this test's own process are not here
    faulthandler.register(signal.SIGUSR2, file=2, all_threads=True)  # where it stands, if it is waited for too long
    sys.argv = words
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    warnings.simplefilter("ignore")


def _status(pid: int, words: list[str], timeout: float, errors: int) -> int:
    ends = os.pidfd_open(pid)
    try:
        if not select.select([ends], [], [], timeout)[0]:
            os.kill(pid, signal.SIGUSR2)
            select.select([ends], [], [], 1.0)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            where = os.pread(errors, os.fstat(errors).st_size, 0).decode(errors="replace")
            raise AssertionError(f"{' '.join(words)} did not end within {timeout:.0f} s:\n{where}")
    finally:
        os.close(ends)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
