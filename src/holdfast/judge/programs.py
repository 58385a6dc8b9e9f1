"""Running a host's own command line as a judge: alone in an empty folder, without its session, with an end.

The question goes through standard input, so no list of processes shows it, and through files without a name, so no
grandchild that keeps a pipe open can hold us. The whole group of processes is killed when the time is over, when it
says too much, and when the program itself has ended; when we are stopped, and even when we are killed (judge/running).
The environment loses what would make the program part of the session that runs us, and gains the mark at which our own
hooks return at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from holdfast.capture import home
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed
from holdfast.judge import running
from holdfast.judge.running import end_all, sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Ran", "alone", "end_all", "find", "run", "scratch", "sweep"]

LARGEST = 8 << 20
LOOK_EVERY = 0.25  # seconds between looks at how much was said: what it may write beyond LARGEST stays small
# Where installers put programs that the PATH of a graphical session or a timer does not have.
BESIDE = ("{home}/.local/bin", "{home}/.claude/local", "{home}/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
SESSION = (
    *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"),
    *("CLAUDE_CODE_SSE_PORT", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "HOLDFAST_SESSION", "HOLDFAST_HOST"),
)
KEPT = "nothing was changed"


@dataclass(frozen=True)
class Ran:
    """What a program left behind."""

    status: int
    out: str
    err: str

    @property
    def last_words(self) -> str:
        """The end of what it complained of, in one line, without secrets."""
        said = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return redact(said[-1])[0][:200] if said else f"status {self.status}"


def find(word: str, env: Mapping[str, str], *, beside: bool = True) -> str:
    """The program; "" where there is none. A folder that depends on where one stands is no place to find one."""
    folders = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if folder.startswith("/")]
    folders += [folder.format(home=home.user_home(env)) for folder in BESIDE] if beside else []
    return shutil.which(word, path=os.pathsep.join(folders) or os.devnull) or ""


@contextmanager
def scratch() -> Iterator[str]:
    """A folder of our own with an empty one in it to stand in, gone afterwards."""
    folder = running.make_folder()
    try:
        os.mkdir(f"{folder}/empty", 0o700)
        yield folder
    finally:
        running.remove_folder(folder)


def alone(env: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment of a judge: the user's, without their session."""
    own = {name: text for name, text in env.items() if name not in SESSION}
    return {**own, home.CHILD: "1", "GIT_CEILING_DIRECTORIES": folder, "PWD": f"{folder}/empty"}


def run(title: str, command: Sequence[str], env: Mapping[str, str], cwd: str, given: str, timeout: float) -> Ran:
    """Raises JudgeFailed where it cannot be started, does not end in time, says too much or is interrupted."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asked.write(given.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            group = running.start(command, env, cwd, asked, out, err)
        except OSError as error:
            raise JudgeFailed(f"{title} could not be started ({error.strerror}); {KEPT}.", final=True) from error
        try:
            status = _status(title, group, (out, err), timeout)
        finally:
            running.end(group)
        if group.is_ended:
            raise JudgeFailed(f"{title} was interrupted; {KEPT}.", spent=True, final=True)
        return Ran(status, *(_text(one) for one in (out, err)))


def _status(title: str, group: running.Group, said: Sequence[IO[bytes]], timeout: float) -> int:
    """How the program ended. On disk it has no limit of its own: one on the size of files would also hold for the
    files that it keeps for the user."""
    ends = time.monotonic() + timeout
    while True:
        left = ends - time.monotonic()
        try:
            return group.process.wait(max(0.0, min(LOOK_EVERY, left)))
        except subprocess.TimeoutExpired:
            if any(os.fstat(one.fileno()).st_size > LARGEST for one in said):
                what = f"{title} answers without end, over {LARGEST >> 20} MB; {KEPT}."
                raise JudgeFailed(what, spent=True) from None
            if left <= LOOK_EVERY:
                what = f"{title} did not answer within {timeout:.0f} s; {KEPT}."
                raise JudgeFailed(what, again=True, spent=True) from None


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(LARGEST).decode("utf-8", "replace")
