"""A choice of records of the ledger: of a group that a person can name, of a session, of a project, of a day.

`may_have` and `may_take` look at bytes and may say yes too often, never no in error; `takes` decides on the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, ledger

if TYPE_CHECKING:
    from collections.abc import Callable

HOOK, BEGUN = b'"kind":"hook"', b'"opened":true'
STOPPED = ("deny", "ask", "told first")  # ways in which an armed note has answered a call


def _needle(name: str, value: str) -> bytes:
    return codec.encode({name: value})[1:-1]


def _kinds(*names: str) -> tuple[bytes, ...]:
    return tuple(_needle("kind", name) for name in names)


def _matters(record: dict[str, Any]) -> bool:
    """All but the calls of hooks that only looked: what came of one has a record of its own."""
    return record.get("kind") not in ("hook", "upkeep") or record.get("opened") is True


def is_stop(record: dict[str, Any]) -> bool:
    """Whether an armed note kept a call from being made as it was."""
    return record.get("kind") == "injection" and record.get("armed") in STOPPED


@dataclass(frozen=True)
class Group:
    """A person's choice of records. A record has to hold one of the `needles`, where there are any, and to be taken."""

    name: str
    words: str
    needles: tuple[bytes, ...] = ()
    takes: Callable[[dict[str, Any]], bool] = lambda _: True


GROUPS = (
    Group("", "What happened", takes=_matters),
    Group("told", "Told to an agent", (*_kinds("injection"), _needle("decision", ledger.SAID)),
          lambda one: one.get("kind") == "injection" or one.get("decision") == ledger.SAID),
    Group("kept", "Kept", _kinds("flag", "close", "vault", "task", "improve"),
          lambda one: one.get("kind") in ("flag", "close", "vault", "task", "improve")),
    Group("silent", "Stayed silent", _kinds("nudge"),
          lambda one: one.get("kind") == "nudge" and one.get("decision") != ledger.SAID),
    Group("stopped", "Stopped or corrected", (b'"armed"',),
          lambda one: one.get("kind") == "armed" or is_stop(one)),
    Group("sessions", "Sessions begun and ended", (*_kinds("episode"), BEGUN),
          lambda one: one.get("kind") == "episode" or one.get("opened") is True),
    Group("models", "Models asked", _kinds("model"), lambda one: one.get("kind") == "model"),
    Group("sleep", "Sleep", _kinds("sleep", "density"), lambda one: one.get("kind") in ("sleep", "density")),
    Group("errors", "Errors", _kinds("error"), lambda one: one.get("kind") == "error"),
    Group("all", "Every record"),
)  # fmt: skip
BY_NAME = {one.name: one for one in GROUPS}
OPENED = Group("opened", "Sessions begun", (BEGUN,), lambda one: one.get("opened") is True)


@dataclass(frozen=True)
class Choice:
    """`session` is a host and a session, with a stroke between; `projects` are the ids of one, and what is of none is
    taken too. `day` is one day; `since_day` and `until_day` are the first and the last of several."""

    group: Group = BY_NAME["all"]
    session: str = ""
    projects: tuple[str, ...] = ()
    day: str = ""
    since_day: str = ""
    until_day: str = ""

    def takes_day(self, day: str) -> bool:
        return day == self.day if self.day else not self.until_day or day <= self.until_day

    def may_have(self, block: bytes) -> bool:
        """Whether a block can have a record of this choice."""
        return self._has_session(block) and (not self.group.needles or any(one in block for one in self.group.needles))

    def may_take(self, raw: bytes) -> bool:
        """Whether a record can be of this choice."""
        if self.group.name == "" and HOOK in raw and BEGUN not in raw:
            return False
        if self.projects and b'"project":"' in raw and not any(one in raw for one in self._of_projects):
            return False
        return self.may_have(raw)

    def _has_session(self, raw: bytes) -> bool:
        return not self.session or any(one in raw for one in self._of_session)

    @cached_property
    def _of_session(self) -> tuple[bytes, ...]:
        return tuple(_needle(name, f"{self.session}/")[:-1] for name in ("episode", "about"))

    @cached_property
    def _of_projects(self) -> tuple[bytes, ...]:
        return tuple(_needle("project", one) for one in self.projects)

    def takes(self, record: dict[str, Any]) -> bool:
        if self.session:
            keys = [str(record.get(name) or "") for name in ("episode", "about")]
            if not any(one.rpartition("/")[0] == self.session for one in keys):
                return False
        project = record.get("project")
        if self.projects and project and project not in self.projects:
            return False
        return self.group.takes(record)


EVERYTHING = Choice()
