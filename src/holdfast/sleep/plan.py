"""The plan of one night: all that it is going to do, written down before the first effect.

    .state/sleep/night     the night that goes on: its name and time, and, once it is made, its plan
    .state/sleep/last      the last night that was finished
    .state/sleep/broken/   plans that could not be read

A night that is killed before its plan stands makes the same plan again: its time and its place in the traffic log are
fixed, judges' answers are kept. One that is killed after it carries the plan out, and every effect of it is one that
can be repeated. A plan that cannot be read is set aside and told on the page of the next night, which plans anew.
"""

from __future__ import annotations

import posix
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.capture.ids import new_id
from holdfast.errors import NewerFormat
from holdfast.field import steps as field_steps
from holdfast.field import thought as field_thought
from holdfast.field import traffic
from holdfast.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.steps import Step
    from holdfast.field.thought import Thought

LARGEST = 256 << 20


@dataclass(frozen=True)
class Refusal:
    """Something that a night would have done and did not: it waits for a person (`holdfast review`). It edits a note at
    a path, or makes thoughts and steps; or there is only something to know."""

    id: str
    project: str
    why: str
    diff: str
    path: str = ""
    before: str | None = None
    after: str | None = None
    sources: tuple[str, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    steps: tuple[Step, ...] = ()

    def as_record(self) -> dict[str, Any]:
        made = {"thoughts": self.thoughts, "steps": self.steps}
        found = {name: [one.as_record() for one in some] for name, some in made.items()}  # type: ignore[attr-defined]
        return {**self.__dict__, "sources": list(self.sources), **found}


def refusal(record: Mapping[str, Any]) -> Refusal:
    """Raises KeyError, TypeError or ValueError where it is none."""
    made = {
        "sources": tuple(record["sources"]),
        "thoughts": tuple(field_thought.from_record(one) for one in record["thoughts"]),
        "steps": tuple(field_steps.from_record(one) for one in record["steps"]),
    }
    return Refusal(**{**{name: record[name] for name in Refusal.__dataclass_fields__}, **made})


@dataclass(frozen=True)
class Plan:
    """`began` and `end` are places in the traffic log: the night looked at what lies between them."""

    night: str
    now: float
    began: int = 0
    end: int = 0
    fresh: Mapping[str, float] = field(default_factory=dict)
    thoughts: tuple[Thought, ...] = ()
    steps: tuple[Step, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    edits: tuple[Refusal, ...] = ()  # of notes, which the user lets a night make by itself
    figures: Mapping[str, Any] = field(default_factory=dict)
    page: str = ""
    is_made: bool = False
    pairs: Mapping[str, Any] = field(default_factory=dict)  # that a judge was asked about (sleep/pair_record)

    @property
    def is_worth_a_page(self) -> bool:
        """Whether there is anything to tell of it: a night over nothing leaves a line in the ledger."""
        return bool(self.steps or self.refusals or self.edits or self.figures.get("set_aside"))


@dataclass(frozen=True)
class Last:
    """The last night: when it was, and how far it had read the traffic log."""

    night: str = ""
    now: float = 0.0
    end: int = 0


def folder(vault: str) -> str:
    return f"{home.state(vault)}/sleep"


def window(vault: str) -> str:
    """The file of the thoughts of four weeks and their neighbours (sleep/clusters)."""
    return f"{folder(vault)}/window"


def last(vault: str) -> Last:
    record = codec.read(f"{folder(vault)}/last", 1 << 16)
    try:
        return Last(str(record["night"]), float(record["now"]), int(record["end"]))
    except (KeyError, TypeError, ValueError):
        return Last()


def begin(vault: str, now: float) -> Plan:
    """The night that goes on, else a new one, named and timed from now on. Raises OSError, NewerFormat."""
    found = pending(vault)
    if found is None:
        found = fresh(vault, new_id(now), now)
        aside = _set_aside(vault, found.night)
        found = replace(found, figures={"set_aside": aside} if aside else {})
        keep(vault, found)
    return found


def fresh(vault: str, night: str, now: float) -> Plan:
    """A night without a plan. A traffic log that is shorter than what the last night had read is another one."""
    end, size = last(vault).end, traffic.traffic_size(vault)
    return Plan(night, now, end if end <= size else 0, size)


def _set_aside(vault: str, night: str) -> str:
    """Keep a plan that cannot be read apart; its path below the vault, "" where there is none. Raises OSError."""
    path, kept = f"{folder(vault)}/night", f"{folder(vault)}/broken/{night}"
    if not platform.is_there(path):
        return ""
    platform.make_folders(f"{folder(vault)}/broken")
    posix.rename(path, kept)
    return kept.removeprefix(f"{vault}/")


def pending(vault: str) -> Plan | None:
    """The night that was begun and is not finished; None where there is none that can be read. Raises NewerFormat."""
    record = codec.read(f"{folder(vault)}/night", LARGEST)
    version = record.get("v", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise NewerFormat(
            f"The night in {folder(vault)}/night was begun by a newer holdfast (version {version}, this one knows "
            f"{VERSION}); nothing was changed. Upgrade holdfast on this machine."
        )
    try:
        return Plan(
            str(record["night"]),
            float(record["now"]),
            int(record["began"]),
            int(record["end"]),
            {str(one): float(when) for one, when in record["fresh"].items()},
            tuple(field_thought.from_record(one) for one in record["thoughts"]),
            tuple(field_steps.from_record(one) for one in record["steps"]),
            tuple(map(refusal, record["refusals"])),
            tuple(map(refusal, record["edits"])),
            dict(record["figures"]),
            str(record["page"]),
            bool(record["is_made"]),
            dict(record.get("pairs", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def keep(vault: str, plan: Plan) -> None:
    """Write a plan down durably. Raises OSError."""
    record = {
        **plan.__dict__,
        "v": VERSION,
        "thoughts": [one.as_record() for one in plan.thoughts],
        "steps": [one.as_record() for one in plan.steps],
        "refusals": [one.as_record() for one in plan.refusals],
        "edits": [one.as_record() for one in plan.edits],
        "fresh": dict(plan.fresh),
        "figures": dict(plan.figures),
        "pairs": dict(plan.pairs),
    }
    platform.make_folders(folder(vault))
    codec.write(f"{folder(vault)}/night", record, durable=True)


def keep_refusal(vault: str, one: Refusal) -> None:
    """Keep what a refused change would make, for the case that a person wants it. Raises OSError."""
    codec.write(_refused(vault, one.id), {"v": VERSION, **one.as_record()}, durable=True)


def kept_refusal(vault: str, ident: str) -> Refusal | None:
    try:
        return refusal(codec.read(_refused(vault, ident), LARGEST))
    except (KeyError, TypeError, ValueError):
        return None


def drop_refusal(vault: str, ident: str) -> None:
    platform.remove(_refused(vault, ident))


def _refused(vault: str, ident: str) -> str:
    return f"{folder(vault)}/refused/{ident}"


def drop(vault: str) -> None:
    """The night that goes on is given up; what it looked at is as new as before."""
    platform.remove(f"{folder(vault)}/night")


def finish(vault: str, plan: Plan) -> None:
    """The night is over. Raises OSError."""
    record = {"v": VERSION, "night": plan.night, "now": plan.now, "end": plan.end}
    codec.write(f"{folder(vault)}/last", record, durable=True)
    drop(vault)


def made(plan: Plan, **parts: Any) -> Plan:
    return replace(plan, is_made=True, **parts)
