"""Running a host's own command line as a judge: alone in an empty folder, without its session, with an end.

The question goes through standard input, so no list of processes shows it, and through files without a name, so no
grandchild that keeps a pipe open can hold us. When the time is over the whole group of processes is killed. The
environment loses what would make the program part of the session that runs us, and gains the mark at which our own
hooks return at once.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.capture.redaction import redact
from holdfast.errors import JudgeFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LARGEST = 8 << 20
# Where installers put programs that the PATH of a graphical session or a timer does not have.
BESIDE = ("{home}/.local/bin", "{home}/.claude/local", "{home}/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
SESSION = (
    *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"),
    *("CLAUDE_CODE_SSE_PORT", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "HOLDFAST_SESSION", "HOLDFAST_HOST"),
)


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
    folder = tempfile.mkdtemp(prefix="holdfast-judge-")
    try:
        os.mkdir(f"{folder}/empty", 0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def alone(env: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment of a judge: the user's, without their session."""
    own = {name: text for name, text in env.items() if name not in SESSION}
    return {**own, home.CHILD: "1", "GIT_CEILING_DIRECTORIES": folder, "PWD": f"{folder}/empty"}


def run(title: str, command: Sequence[str], env: Mapping[str, str], cwd: str, given: str, timeout: float) -> Ran:
    """Raises JudgeFailed where it cannot be started or does not end in time."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        asked.write(given.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            process = subprocess.Popen(
                list(command), env=dict(env), cwd=cwd, stdin=asked, stdout=out, stderr=err, start_new_session=True
            )
        except OSError as error:
            raise JudgeFailed(f"{title} could not be started ({error.strerror}); nothing was changed.") from error
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            what = f"{title} did not answer within {timeout:.0f} s; nothing was changed."
            raise JudgeFailed(what, again=True, spent=True) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return Ran(status, *(_text(one) for one in (out, err)))


def _text(file: object) -> str:
    file.seek(0)  # type: ignore[attr-defined]
    return bytes(file.read(LARGEST)).decode("utf-8", "replace")  # type: ignore[attr-defined]
