"""One finding of the doctor or the audit, and the place that both look at.

A check is a plain function from a Place to Findings. `ok` is false only where memory is lost or about to be; advice is
ok, and in the doctor its detail begins with "note:". Names are stable: others build on them. Nothing in a finding
suggests a destructive command.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.clock import Clock

NOTE = "note: "
MEND = "`holdfast doctor --fix`"
# `--fix` can mend it, it needs the user, or something is lost for good.
OK, KNOW, MENDED, CAN_MEND, NEEDS_YOU, LOST = "ok", "note", "mended", "can-be-mended", "needs-you", "lost"


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
class Finding:
    """`about` is the host, episode or flag that it concerns, `fix` what to do about it, `can_fix` that `doctor --fix`
    does it; `count` how often it was so, `last` when it was so last, 0 if now."""

    name: str
    about: str
    detail: str
    fix: str = ""
    count: int = 1
    last: float = 0.0
    level: str = NEEDS_YOU
    can_fix: bool = False

    @property
    def ok(self) -> bool:
        return self.level in (OK, KNOW, MENDED)


def good(name: str, detail: str, about: str = "") -> Finding:
    return Finding(name, about, detail, level=OK)


def note(name: str, detail: str, fix: str = "", about: str = "", *, can_fix: bool = False) -> Finding:
    """Worth knowing, and nothing is lost by it."""
    return Finding(name, about, f"{NOTE}{detail}", fix, level=KNOW, can_fix=can_fix)


def bad(name: str, detail: str, fix: str, about: str = "", *, can_fix: bool = False) -> Finding:
    return Finding(name, about, detail, fix, level=CAN_MEND if can_fix else NEEDS_YOU, can_fix=can_fix)


def lost(name: str, detail: str, fix: str, *, can_fix: bool = False) -> Finding:
    """Something is gone for good; `fix` says how to go on."""
    return Finding(name, "", detail, fix, level=LOST, can_fix=can_fix)


def reason(error: Exception) -> str:
    """An error in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def unseen(what: str, error: Exception) -> str:
    return f"{what} could not be looked at ({type(error).__name__}: {reason(error)})"
