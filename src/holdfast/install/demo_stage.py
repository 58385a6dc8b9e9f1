"""The stage of the demonstration: a home, a vault and a project in a temporary folder.

Nothing of the user's is read or written: of their environment only the search path, the time zone and the place for
temporary files are kept; without their language everything speaks UTF-8 and English. Whatever the play has started is
ended before its folder is removed, however it ended: also on Ctrl-C, on a signal, and when a step fails.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, ledger, platform
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.install import launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = ("PATH", "TZ", "TMPDIR")
PATIENCE = 60.0  # seconds for any one thing: far more than it takes, and an answer instead of a wait without end
LOOK = 0.02  # seconds between two looks at what runs in the background
REPORT = "nothing of yours was touched. Please report it with what was printed above."
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
AUTHOR = (("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false"))
FILES = {
    "orders.py": "def reserve(order, stock):\n    stock.take(order.item)\n",
    "check.sh": "echo '2 passed, on a database of their own'\n",
}


@dataclass(frozen=True)
class Stage:
    """The folder, and the environment of everything that is started in it."""

    folder: Path
    env: dict[str, str]

    @property
    def project(self) -> Path:
        return self.folder / "shop"

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def run(self, *command: str) -> list[str]:
        """The output of a command that a person types in the project: a terminal is where it complains, and by that we
        know a person from an agent."""
        ours, theirs = os.openpty()
        try:
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": theirs}
            text: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
            done: subprocess.CompletedProcess[str] = subprocess.run(
                command, env=self.env, cwd=self.project, **streams, **text, check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired as error:
            raise HoldfastError(f"`{' '.join(command)}` took more than {PATIENCE:.0f} s; {REPORT}") from error
        finally:
            os.close(theirs)
            complained = _said(ours)
        if done.returncode:
            said = (complained or done.stdout).strip().removeprefix("holdfast: ")
            raise HoldfastError(f"`{' '.join(command)}` failed: {said}")
        return done.stdout.splitlines()

    def closed(self, session: str) -> dict[str, Any]:
        """The ledger's record of a session's close, as soon as the close in the background has written it."""
        wanted = ledger.Wanted(session=session, kinds=("close",))
        for _ in _patiently():
            for record in ledger.read(home.state(str(self.vault)), wanted):
                if record.get("error"):
                    raise HoldfastError(f"The close in the background failed ({record['error']}); {REPORT}")
                self.settle()
                return record
        raise HoldfastError(f"The close in the background did not end in {PATIENCE:.0f} s; {REPORT}")

    def settle(self) -> None:
        """Wait until nothing runs in the background. Such a process carries a mark of ours; a host does not."""
        for _ in _patiently():
            if not any(home.CHILD in environ for _, environ in self._processes()):
                return

    def clear(self) -> None:
        """End whatever still runs here; none of it is anybody else's, for it names this folder as its vault. A process
        that is just becoming another program shows no environment, so one look that finds none is not enough."""
        quiet = 0
        for _ in _patiently(5.0):
            found = self._processes()
            for pid, _environ in found:
                with suppress(OSError):  # it has ended by itself
                    os.kill(pid, signal.SIGKILL)
            quiet = 0 if found else quiet + 1
            if quiet == 3:
                return

    def _processes(self) -> list[tuple[int, dict[str, str]]]:
        """The processes that this stage has started, with their environment; none where there is no /proc to look."""
        found = []
        for name in platform.names("/proc"):
            if not name.isdecimal() or int(name) == os.getpid():
                continue
            text = platform.text(f"/proc/{name}/environ")  # "" where it is somebody else's, or gone
            environ = dict(part.partition("=")[::2] for part in text.split("\0"))
            if environ.get("HOLDFAST_HOME") == str(self.vault):
                found.append((int(name), environ))
        return found


@contextmanager
def stage(*, keep: bool = False) -> Iterator[Stage]:
    """A stage that is set, and struck at the end unless it is to be kept."""
    if not shutil.which("git"):
        raise HoldfastError("There is no git on PATH, and a memory's history needs it; nothing was begun. Install git.")
    # A signal that would end us at once unwinds us instead, so that nothing is left behind.
    with _answering(ENDINGS, lambda number, _frame: sys.exit(128 + number)):
        folder = Path(tempfile.mkdtemp(prefix="holdfast-demo-")).resolve()
        made = Stage(folder, _environment(folder))
        try:
            _set(made)
            yield made
        finally:
            # Tidying up takes a moment, and impatience must not leave half of it.
            with _answering((signal.SIGINT, *ENDINGS), signal.SIG_IGN):
                made.clear()
                if not keep:
                    _remove(folder)


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name in KEPT}
    env = {**kept, "HOME": str(folder), "HOLDFAST_HOME": str(folder / "vault"), "NO_COLOR": "1", "COLUMNS": "80"}
    command = launcher.installed_command()
    # From a source tree there is no command yet: the stable one, which `init` writes, stands in for it.
    programs = command.parent if command else registration.command_path(env).parent
    env["PATH"] = f"{programs}:{kept.get('PATH', os.defpath)}"
    return env


def _set(made: Stage) -> None:
    """The launcher as `init` writes it, and a project with a first commit."""
    launcher.ensure(made.env, "")
    made.project.mkdir()
    for name, text in FILES.items():
        (made.project / name).write_text(text, encoding="utf-8")
    made.run("git", "init", "--quiet")
    for name, text in AUTHOR:
        made.run("git", "config", name, text)
    made.run("git", "add", "--all")
    made.run("git", "commit", "--quiet", "--message", "A shop")


def _patiently(seconds: float = PATIENCE) -> Iterator[None]:
    """Look again and again, for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield
        time.sleep(LOOK)


def _remove(folder: Path) -> None:
    """Remove all of it; once more where something was still being written at that moment."""
    for _ in _patiently(5.0):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    raise HoldfastError(f"{folder} could not be removed whole; it is the demo's own and holds nothing of yours.")


@contextmanager
def _answering(signals: tuple[signal.Signals, ...], handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only there may handlers be set, and only there do signals arrive
        return
    before = {one: signal.signal(one, handler) for one in signals}
    try:
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


def _said(terminal: int) -> str:
    """The text that was written to a terminal whose last writer has gone."""
    said = b""
    with suppress(OSError):  # how a terminal says so
        while part := os.read(terminal, 1 << 16):
            said += part
    os.close(terminal)
    return said.decode("utf-8", "replace").replace("\r\n", "\n")
