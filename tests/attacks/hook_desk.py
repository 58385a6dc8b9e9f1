"""One project and one vault, with the hook called as a host calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holdfast.capture import home, queue
from holdfast.hook import main as hook

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.model import Flag

NOW = 1_790_000_000.0


class Desk:
    """Where a session is played. The clock goes on by a second with each event."""

    def __init__(self, folder: Path) -> None:
        self.vault = str(folder / "vault")
        self.state = home.state(self.vault)
        self.project = folder / "project"
        self.project.mkdir()
        self.env = {"HOME": str(folder), "HOLDFAST_HOME": self.vault, "HOLDFAST_CLOSE": "off", "LANG": "C.UTF-8"}
        self.now = NOW

    def event(self, name: str, session: str = "s1", **more: object) -> str:
        self.now += 1
        payload = {"hook_event_name": name, "session_id": session, "cwd": str(self.project), **more}
        return str(hook.answer("claude-code", json.dumps(payload).encode(), self.env, self.now, 0))

    def flags(self) -> list[Flag]:
        found = queue.read(f"{self.state}/queue", self.now)
        return [entry.flag for entry in found.entries]
