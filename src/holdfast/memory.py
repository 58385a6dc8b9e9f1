"""The facade: what the command line and, later, the servers ask of a vault. The hook goes to the capture room itself.

One object per vault, no state of its own, every method a sentence of the command line.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, ledger_history, log, platform, projects, settle
from holdfast.capture import queue as flag_queue
from holdfast.capture.ledger_history import Wanted
from holdfast.errors import NewerFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from holdfast.clock import Clock
    from holdfast.model import Project

__all__ = ["Memory"]


class Memory:
    """The memory in one vault, seen from one working directory."""

    def __init__(self, vault: str, cwd: str, clock: Clock = time.time) -> None:
        self.vault = vault
        self.state = home.state(vault)
        self.cwd = cwd
        self.clock = clock
        version = home.format_of(vault)
        if version > home.FORMAT:
            raise NewerFormat(
                f"{vault} has format {version}, this holdfast knows {home.FORMAT}; nothing was changed. "
                "Upgrade holdfast on this machine."
            )

    @classmethod
    def here(cls, env: Mapping[str, str] | None = None, cwd: str | None = None) -> Memory:
        """The vault that the environment names, from the current folder."""
        env = os.environ if env is None else env
        return cls(home.vault(env), cwd or platform.working_folder(env))

    def project(self) -> Project:
        return projects.find(self.cwd, self.vault)

    def queue(self) -> flag_queue.View:
        """Everything not yet filed, of all projects."""
        return flag_queue.read(f"{self.state}/queue", self.clock())

    def set_broken_aside(self, view: flag_queue.View) -> list[str]:
        """Copies of what in the queue is no record; where none can be made, the original, which stays in any case."""
        folder = f"{self.state}/queue/broken"
        places = []
        for path, found in view.broken:
            try:
                places.append(log.set_aside(folder, path.rpartition("/")[2], found))
            except OSError:
                places.append(path)
        return places

    def retry(self, ids: Iterable[str] | None) -> tuple[str, ...]:
        """Dead flags wait again."""
        return settle.Settlement(f"{self.state}/queue", self.clock).retry(ids)

    def ledger(self, wanted: Wanted, count: int) -> list[dict[str, Any]]:
        """The newest records that are wanted, oldest first."""
        return ledger_history.newest(self.state, wanted, count)

    def follow_ledger(self, wanted: Wanted, wait: Callable[[], None]) -> Iterator[dict[str, Any]]:
        return ledger_history.follow(self.state, wanted, wait)

    def ledger_counts(self) -> list[dict[str, Any]]:
        """Daily counts of what is no longer kept whole."""
        return ledger_history.counts(self.state)
