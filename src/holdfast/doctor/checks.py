"""What a check says, and where it looks.

A check is a plain function from a Place to Checks. `ok` is false only where memory is lost or about to be; advice is
ok, and its detail begins with "note:". Names are stable: others build on them.

What is wrong is of one of three levels: `--fix` can mend it, it needs the user, or something is lost, which no command
brings back and the user should know. The worst of them is the exit status. What `--fix` has mended says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.clock import Clock

NOTE = "note: "
MEND = "`holdfast doctor --fix`"
OK, KNOW, MENDED, CAN_MEND, NEEDS_YOU, LOST = "ok", "note", "mended", "can-be-mended", "needs-you", "lost"
STATUS = {CAN_MEND: 19, NEEDS_YOU: 1, LOST: 20}  # of the command, the worst last


@dataclass(frozen=True)
class Place:
    """Where to look: one vault, one environment, one folder. `agents` narrows it to some hosts."""

    vault: str
    cwd: str
    env: Mapping[str, str]
    agents: tuple[str, ...] = ()
    clock: Clock = field(default=time.time)

    @property
    def state(self) -> str:
        return home.state(self.vault)


@dataclass(frozen=True)
class Check:
    """One link. `fix` says what to do about it, `can_fix` that `doctor --fix` does it; `agent` is the host it is of;
    `is_lost` that something is gone for good, `was_mended` that it was wrong until `--fix` put it right."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    agent: str = ""
    can_fix: bool = False
    is_lost: bool = False
    was_mended: bool = False

    @property
    def level(self) -> str:
        if not self.ok:
            return LOST if self.is_lost else CAN_MEND if self.can_fix else NEEDS_YOU
        if self.was_mended:
            return MENDED
        return KNOW if self.detail.startswith(NOTE) else OK

    def as_record(self) -> dict[str, Any]:
        names = ("name", "ok", "level", "detail", "fix", "agent", "can_fix")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Report:
    """All checks, in the order of the links, and what was mended on the way."""

    checks: tuple[Check, ...]
    fixed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    def count(self, level: str) -> int:
        return sum(1 for check in self.checks if check.level == level)

    @property
    def worst(self) -> str:
        """The level of what is worst; "ok" where nothing is wrong."""
        return next((level for level in reversed(STATUS) if self.count(level)), OK)

    @property
    def status(self) -> int:
        return STATUS.get(self.worst, 0)


def good(name: str, detail: str, agent: str = "") -> Check:
    return Check(name, True, detail, agent=agent)


def note(name: str, detail: str, fix: str = "", agent: str = "", *, can_fix: bool = False) -> Check:
    """Worth knowing, and nothing is lost by it."""
    return Check(name, True, f"{NOTE}{detail}", fix, agent, can_fix)


def bad(name: str, detail: str, fix: str, agent: str = "", *, can_fix: bool = False) -> Check:
    return Check(name, False, detail, fix, agent, can_fix)


def lost(name: str, detail: str, fix: str, agent: str = "") -> Check:
    """Something is gone that nothing brings back; `fix` says how to go on."""
    return Check(name, False, detail, fix, agent, is_lost=True)


def reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
