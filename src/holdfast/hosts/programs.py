"""A host's own command line, run as a judge: alone in an empty folder, without its session, with an end.

The question goes through standard input, so no list of processes shows it, and through files without a name, so no
grandchild that keeps a pipe open can hold us. The whole group of processes is killed when the time is over, when it
says too much, and when the program itself has ended. The environment loses what would make the program part of the
session that runs us, and gains the mark at which our own hooks return at once.

Whatever ends this process, its judges end with it, and the scratch folders go. Each program is the leader of a
session of its own, which a Ctrl-C at the terminal does not reach; so an interrupted command calls `end_all` (at the
end of the interpreter it is called anyway). And beside each stands a small shell that reads from a pipe of which we
alone hold the other end: when we are killed, the kernel closes it, and the shell kills the group. Signals at the death
of a parent work on one system only, for the leader only, and need code between fork and exec, which threads forbid.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from holdfast.capture import home
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed
from holdfast.hosts.host import every

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_PLAIN = re.compile(r"[A-Z]{1,20}[0-9]{0,2}(?:_[A-Z]{1,20}[0-9]{0,2}){1,8}")


def is_name(text: str) -> bool:
    """Whether a variable can be called so."""
    return text.isidentifier() and text.isascii()


def shown(text: str, otherwise: str) -> str:
    """The name of a variable that holds a key, where it cannot be the key itself; else other words for it."""
    return text if _PLAIN.fullmatch(text) else otherwise


LARGEST = 8 << 20
LOOK_EVERY = 0.25  # seconds between looks at how much was said: what it may write beyond LARGEST stays small
# Where installers put programs that the PATH of a graphical session or a timer does not have.
BESIDE = ("{home}/.local/bin", "{home}/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
SESSION = ("HOLDFAST_SESSION", "HOLDFAST_HOST")
KEPT = "nothing was changed"
PREFIX = "holdfast-judge-"
OLD = 2 * 3600.0  # seconds: no call may take more than one hour
PATIENCE = 2.0  # seconds in which a thread whose program was killed puts its own things in order
WATCH = 'read -r _; kill -s KILL -- "-$1"; test -z "$2" || rm -rf -- "$2"'
BY_PLAN, BY_TOKEN, HERE, NO_TELLING = "plan", "token", "here", "unknown"  # who pays for a call


@dataclass(frozen=True)
class Ran:
    """The status and the output of a program that has ended."""

    status: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Its lines that are JSON objects; a program around it may have said something else."""
        found = []
        for line in self.out.splitlines():
            with suppress(ValueError, RecursionError):
                found.append(json.loads(line))
        return [one for one in found if isinstance(one, dict)]

    @property
    def last_words(self) -> str:
        """The end of what it complained of, in one line, without secrets."""
        said = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return redact(said[-1])[0][:200] if said else f"status {self.status}"


@dataclass(frozen=True)
class Asked:
    """One question: our words to the model, and the schema of the answer where a strict mode can hold it."""

    model: str
    told: str
    schema: dict[str, Any] | None
    most_out: int  # tokens


@dataclass(frozen=True)
class Answer:
    """A judge's answer, and what it took by its own account: `usage` in tokens, `money` in dollars."""

    text: str
    usage: dict[str, Any]
    model: str
    money: float | None = None


@dataclass(frozen=True)
class Call:
    """A host's program as a judge: its place, scratch folder, environment and the user's own, and what it keeps."""

    title: str
    program: str
    folder: str
    env: Mapping[str, str]
    users: Mapping[str, str]
    kept: dict[str, str]

    def run(self, words: Sequence[str], given: str, timeout: float) -> Ran:
        return run(self.title, [self.program, *words], self.env, f"{self.folder}/empty", given, timeout)

    def file(self, name: str, text: str) -> str:
        """A file in the scratch folder."""
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        return path


def find(word: str, env: Mapping[str, str], *, beside: bool = True) -> str:
    """The program; "" where there is none. A folder that depends on where one stands is no place to find one."""
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if folder.startswith("/")]
    known = (*BESIDE, *(folder for host in every() for folder in host.beside)) if beside else ()
    folders += [folder.format(home=home.user_home(env)) for folder in known]
    return shutil.which(word, path=os.pathsep.join(folders) or os.devnull) or ""


@contextmanager
def scratch() -> Iterator[str]:
    """A folder of our own with an empty one in it to stand in, gone afterwards."""
    folder = make_folder()
    try:
        os.mkdir(f"{folder}/empty", 0o700)
        yield folder
    finally:
        remove_folder(folder)


def alone(env: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment of a judge: the user's, without their session."""
    theirs = {name for host in every() for name in (*host.session_variables, *host.other_variables)}
    own = {name: text for name, text in env.items() if name not in {*SESSION, *theirs}}
    return {**own, home.CHILD: "1", "GIT_CEILING_DIRECTORIES": folder, "PWD": f"{folder}/empty"}


def run(title: str, command: Sequence[str], env: Mapping[str, str], cwd: str, given: str, timeout: float) -> Ran:
    """Raises JudgeFailed where it cannot be started, does not end in time, says too much or is interrupted."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asked.write(given.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            group = start(command, env, cwd, asked, out, err)
        except OSError as error:
            raise JudgeFailed(f"{title} could not be started ({error.strerror}); {KEPT}.", final=True) from error
        try:
            status = _status(title, group, (out, err), timeout)
        finally:
            end(group)
        if group.is_ended:
            raise JudgeFailed(f"{title} was interrupted; {KEPT}.", spent=True, final=True)
        out.seek(0)
        err.seek(0)
        return Ran(status, *(one.read(LARGEST).decode("utf-8", "replace") for one in (out, err)))


def is_here(url: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdecimal())


def _status(title: str, group: Group, said: Sequence[IO[bytes]], timeout: float) -> int:
    """How the program ended. No limit on the size of files: it would also hold for those that it keeps for the user."""
    ends = time.monotonic() + timeout
    while True:
        left = ends - time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            return group.process.wait(max(0.0, min(LOOK_EVERY, left)))
        if any(os.fstat(one.fileno()).st_size > LARGEST for one in said):
            raise JudgeFailed(f"{title} answers without end, over {LARGEST >> 20} MB; {KEPT}.", spent=True)
        if left <= LOOK_EVERY:
            raise JudgeFailed(f"{title} did not answer within {timeout:.0f} s; {KEPT}.", again=True, spent=True)


@dataclass
class Group:
    """One program, all that it started, and who waits for it. `is_ended`: by `end_all`, not by itself."""

    process: subprocess.Popen[bytes]
    watcher: subprocess.Popen[bytes] | None
    pipe: int
    thread: int
    is_ended: bool = False


class _Known:
    """Programs that run in this process. The lock may be taken twice: by a signal's handler in a thread that has it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.groups: dict[int, Group] = {}
        self.folders: dict[str, int] = {}  # and whose thread they are
        self.is_swept = False
        self.ends = 0  # how often all were ended


_known = _Known()


def start(
    command: Sequence[str], env: Mapping[str, str], cwd: str, asked: IO[bytes], out: IO[bytes], err: IO[bytes]
) -> Group:
    """Raises OSError."""
    folder = os.path.dirname(cwd)
    with _known.lock:
        theirs, ours = os.pipe()
        before = _known.ends
        try:
            process = subprocess.Popen(
                list(command), env=dict(env), cwd=cwd, stdin=asked, stdout=out, stderr=err, start_new_session=True
            )
        except OSError:
            os.close(ours)
            raise
        else:
            made = _known.groups[process.pid] = Group(process, None, ours, threading.get_ident())
            made.watcher = _watcher(process.pid, folder if folder in _known.folders else "", theirs)
            if _known.ends != before:  # a signal's handler came between, and could not know of this one
                made.is_ended = True
                _kill(made)
        finally:
            os.close(theirs)
    return made


def end(group: Group) -> None:
    """Nothing of it runs afterwards, also not what a program that ended by itself has left behind."""
    _kill(group)
    group.process.wait()
    with _known.lock:
        _known.groups.pop(group.process.pid, None)
    if group.watcher:
        group.watcher.kill()  # before its pipe closes, which would be its sign
        group.watcher.wait()
    os.close(group.pipe)


def end_all() -> None:
    """Kill every judge of this process and remove their folders; their threads get a moment to do so themselves,
    since a login may have to be brought back. Safe in any thread, in a signal's handler, and more than once."""
    with _known.lock:
        _known.ends += 1
        for group in _known.groups.values():
            group.is_ended = True
            _kill(group)
    own, until = threading.get_ident(), time.monotonic() + PATIENCE
    while time.monotonic() < until and _owners() - {own}:
        time.sleep(0.01)
    with _known.lock:
        left = [folder for folder, whose in _known.folders.items() if whose != own]
    for folder in left:
        remove_folder(folder)


def _forget() -> None:
    """In a fork: the judges are the other one's, and so is the end of the pipe that tells of its death."""
    for group in _known.groups.values():
        os.close(group.pipe)
    _known.lock, _known.groups, _known.folders = threading.RLock(), {}, {}


atexit.register(end_all)
os.register_at_fork(after_in_child=_forget)


def make_folder() -> str:
    """An empty folder; those that killed processes of ours left are swept, once in the life of a process."""
    if not _known.is_swept:
        _known.is_swept = True
        sweep(time.time())
    folder = tempfile.mkdtemp(prefix=PREFIX)
    with _known.lock:
        _known.folders[folder] = threading.get_ident()
    return folder


def remove_folder(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with _known.lock:
        _known.folders.pop(folder, None)


def sweep(now: float) -> None:
    """Remove the folders of judges that nobody waits for any more; of other users, and what is no folder, stay."""
    place = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(place):
            path = f"{place}/{name}"
            if name.startswith(PREFIX) and path not in _known.folders and _is_left(path, now):
                shutil.rmtree(path, ignore_errors=True)


def _is_left(path: str, now: float) -> bool:
    try:
        seen = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and now - seen.st_mtime > OLD


def _watcher(group: int, folder: str, theirs: int) -> subprocess.Popen[bytes] | None:
    """A shell that outlives us; None where there is none. It stands in the root, where it holds no folder."""
    command, env = ["/bin/sh", "-c", WATCH, "holdfast-judge", str(group), folder], {"PATH": os.defpath}
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        return subprocess.Popen(
            command, env=env, cwd="/", stdin=theirs, stdout=quiet, stderr=quiet, start_new_session=True
        )
    return None


def _kill(group: Group) -> None:
    """The number stays taken while anybody is in the group; afterwards there is nobody to kill."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group.process.pid, signal.SIGKILL)


def _owners() -> set[int]:
    with _known.lock:
        return {*(group.thread for group in _known.groups.values()), *_known.folders.values()}
