"""A terminal of one's own: a private tmux server with one window, in which a host's interface runs.

The server is reached by its own socket and ended by it; nothing of the user's tmux is touched.
"""

from __future__ import annotations

import shlex
import subprocess
import time
from pathlib import Path

from .runners import POLL, Desk, wait_for

WIDTH, HEIGHT = 150, 50


class Terminal:
    """Start it as a context with the command to run."""

    def __init__(self, desk: Desk, words: list[str]) -> None:
        self._desk = desk
        self._words = words
        self._socket = desk.home / "tmux.sock"

    def __enter__(self) -> Terminal:
        # A clean environment: tmux would hand on that of whoever runs the tests.
        env = " ".join(f"{name}={shlex.quote(value)}" for name, value in self._desk.env.items())
        line = f"cd {shlex.quote(str(self._desk.project))}; exec env -i {env} {shlex.join(self._words)}"
        script: Path = self._desk.home / "terminal.sh"
        script.write_text(line, encoding="utf-8")
        size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
        done = self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "only", *size, f"sh {shlex.quote(str(script))}")
        assert done.returncode == 0, done.stderr
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["tmux", "-S", str(self._socket), *words], capture_output=True, text=True, check=False)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "only").stdout

    def wait(self, *texts: str, patience: float = 20.0) -> str:
        """Until one of these texts is on the screen; which."""
        return wait_for(
            f"{texts} on the screen",
            lambda: next((text for text in texts if text in self.screen()), ""),
            patience,
            lambda: f"\n{self.screen()}",
        )

    def keys(self, *names: str) -> None:
        """Keys by the names that tmux gives them: Enter, Down, Escape, C-c."""
        self._tmux("send-keys", "-t", "only", *names)

    def type(self, text: str) -> None:
        """Write a line and send it, once the interface shows what was written."""
        self._tmux("send-keys", "-t", "only", "-l", text)
        self.wait(text[: WIDTH // 2])
        self.settle()
        self.keys("Enter")

    def settle(self) -> None:
        """Until the screen has stopped changing: menus open and close while one types."""
        before, same = "", 0
        deadline = time.monotonic() + 5
        while same < 6 and time.monotonic() < deadline:
            now = self.screen()
            same = same + 1 if now == before else 0
            before = now
            time.sleep(POLL)

    def is_over(self) -> bool:
        """Whether what ran in the window has ended, and the window with it."""
        return self._tmux("has-session", "-t", "only").returncode != 0
