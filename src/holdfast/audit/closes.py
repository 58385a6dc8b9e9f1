"""Closes that ran: in parallel on the cheap model, verbatim, or not to the end; and what the models took.

The ledger has a record of each. A close counts as parallel where a judge decided, whatever share of it; one that was
meant for a judge and had to file something verbatim says why in `fell_back`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

VERBATIM = "verbatim"


@dataclass
class Close:
    """What the ledger says of one."""

    episode: str
    project: str
    when: float
    filed: int
    judge: str
    jobs: int
    workers: int
    took: float
    fell_back: str
    error: str

    @property
    def is_judged(self) -> bool:
        return self.judge != VERBATIM


@dataclass
class Calls:
    """What calls to models took, by judge and model."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def add(self, other: Calls) -> None:
        for name in self.__dict__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Closes:
    listed: list[Close] = field(default_factory=list)
    calls: dict[tuple[str, str], Calls] = field(default_factory=dict)  # by what they are about, and by whom

    def take(self, record: Mapping[str, Any], when: float) -> None:
        judge, model = str(record.get("judge") or VERBATIM), str(record.get("model") or "")
        self.listed.append(
            Close(
                episode=str(record.get("episode") or ""),
                project=str(record.get("project") or ""),
                when=when,
                filed=_count(record.get("filed")),
                judge=f"{judge}/{model}" if model and judge != VERBATIM else judge,
                jobs=_count(record.get("jobs")),
                workers=_count(record.get("workers")),
                took=_amount(record.get("took")),
                fell_back=str(record.get("fell_back") or ""),
                error=str(record.get("error") or ""),
            )
        )

    def take_call(self, record: Mapping[str, Any]) -> None:
        by = "/".join(str(record[name]) for name in ("judge", "model") if record.get(name))
        made = Calls(
            calls=1,
            failed=int(not record.get("ok", True)),
            tokens_in=_count(record.get("tokens_in")),
            tokens_out=_count(record.get("tokens_out")),
            money=_amount(record.get("money")),
        )
        self.calls.setdefault((str(record.get("about") or ""), by or "unknown"), Calls()).add(made)

    def last(self, episode: str) -> Close | None:
        """The newest close of an episode."""
        return next((one for one in reversed(self.listed) if one.episode == episode), None)

    def of(self, takes: Callable[[object], bool]) -> list[Close]:
        return [one for one in self.listed if takes(one.project)]

    def failed(self, takes: Callable[[object], bool]) -> list[Close]:
        """Those whose newest try ended in an error: the others were done by a later close."""
        newest = {(one.episode, one.project): one for one in self.of(takes)}
        return [one for one in newest.values() if one.error]

    def fallen_back(self, takes: Callable[[object], bool]) -> list[Close]:
        """Those that filed verbatim what was meant for a judge, and that nothing has put right since: neither a later
        close of the same episode, nor any close of the project that a judge did, since each takes up what was left."""
        right: set[tuple[str, str]] = set()
        judged: set[str] = set()
        found = []
        for one in reversed(self.of(takes)):
            if one.fell_back:
                if one.project not in judged and (one.episode, one.project) not in right:
                    found.append(one)
            elif not one.error:
                judged |= {one.project} if one.is_judged else set()
                right |= {(one.episode, one.project)} if one.episode else set()
        return found[::-1]

    def taken(self, keys: frozenset[str] | None) -> dict[str, Calls]:
        """What was spent, by judge and model; for some episodes only, or for everything where `keys` is None."""
        found: dict[str, Calls] = {}
        for (about, by), calls in self.calls.items():
            if keys is None or about in keys:
                found.setdefault(by, Calls()).add(calls)
        return found


def _count(given: object) -> int:
    return int(_amount(given))


def _amount(given: object) -> float:
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) and given >= 0 else 0.0
