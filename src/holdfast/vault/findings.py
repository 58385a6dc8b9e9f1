"""What a check finds: where, what, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from holdfast.vault.notes import GLOBAL

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing to mend. `project` is whose it is; `can_fix` says that `check --fix` does it."""

    path: str
    line: int
    code: str
    what: str
    fix: str
    can_fix: bool = False
    level: Level = "error"
    project: str = GLOBAL

    def as_record(self) -> dict[str, Any]:
        names = ("path", "line", "code", "level", "what", "fix", "can_fix")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Report:
    """All that was found, by path and line, how much was looked at, and what was mended on the way."""

    findings: tuple[Finding, ...]
    checked: int
    elsewhere: int = 0
    fixed: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Warnings are advice: what is only old is not wrong."""
        return all(finding.level == "warning" for finding in self.findings)

    def of(self, *ids: str) -> Report:
        """What concerns one project and what is global; the rest is only counted."""
        mine = tuple(one for one in self.findings if one.project in (GLOBAL, *ids))
        return replace(self, findings=mine, elsewhere=len(self.findings) - len(mine))
