"""Health: doctor's checks as sentences, and the safe part of mending as buttons.

A button does what `holdfast doctor --fix` does about that check and nothing else. Where that is not enough, the command
that is stands there to be copied: settings of agents and whatever needs a decision are changed by a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from holdfast.health import doctor
from holdfast.health.finding import CAN_MEND, KNOW, LOST, NEEDS_YOU, NOTE, Place
from holdfast.page.frame import plain

if TYPE_CHECKING:
    from holdfast.health.finding import Finding
    from holdfast.page.visit import Visit

NOT_MENDED = "not mended"
CODE = re.compile(r"`([^`]+)`")
NAMES = {
    "acknowledged": "Nothing acknowledged is lost",
    "auto-memory": "The agents' own memory",
    "capture": "Capture",
    "command": "The holdfast command",
    "config": "Settings",
    "dead-letters": "Flags that could not be filed",
    "derived": "What is made ahead",
    "environment": "Environment",
    "errors": "Errors",
    "faults": "Commands that failed",
    "field": "The field",
    "git": "Git",
    "history": "History",
    "hook-line": "Hooks in the agents' settings",
    "host-version": "Agents",
    "journal": "Unfinished changes",
    "judge": "The model that tidies",
    "launcher": "The hook's launcher",
    "loops": "Snags",
    "marks": "Sessions that died",
    "mcp": "The tool server",
    "memory-files": "The memory's files",
    "other-memory": "Other memory tools",
    "queue-age": "Flags that wait",
    "queue-damage": "Damage in the queue",
    "sessions": "Sessions",
    "sleep-timer": "The timer of sleep",
    "vault-modes": "Who may read the vault",
    "vault-place": "The vault's place",
    "vault-write": "Writing to the vault",
    "vectors": "Finding by meaning",
}


@dataclass(frozen=True)
class Check:
    """One check. `fix` may name commands; `command` is the first of them, to be copied."""

    name: str
    title: str
    about: str
    detail: Markup
    fix: Markup
    command: str
    can_mend: bool


@dataclass(frozen=True)
class Group:
    name: str
    kind: str
    words: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Health:
    groups: tuple[Group, ...]
    fine: tuple[Check, ...]
    count: int
    mendable: int
    summary: str
    kind: str


GROUPS = (
    (LOST, "Lost", "bad", "This cannot be brought back; each line says how to go on."),
    (NEEDS_YOU, "Needs you", "bad", "Only you can do these."),
    (CAN_MEND, "Can be mended", "warn", "The button does what the command `holdfast doctor --fix` does, and no more."),
    (KNOW, "Good to know", "accent", "Nothing is lost by these."),
)


def place_of(visit: Visit) -> Place:
    at = visit.memory.at
    return Place(at.vault, at.cwd, dict(at.env), clock=at.clock)


def look(visit: Visit) -> Health:
    """Every link, probed now."""
    return told(doctor.examine(place_of(visit)).checks)


def mend(visit: Visit, name: str) -> tuple[list[str], Health]:
    """Mend one check by its name, or all; what was done, and how it is afterwards."""
    place = place_of(visit)
    checks = [one for one in doctor.examine(place).checks if not name or one.name == name]
    done = doctor.mend(place, checks)
    return done, look(visit)


def told(checks: tuple[Finding, ...]) -> Health:
    """The checks in groups, the worst first."""
    groups = []
    for level, name, kind, words in GROUPS:
        found = tuple(_check(one) for one in checks if one.level == level)
        if found:
            groups.append(Group(name, kind, words.replace("`", ""), found))
    known = [level for level, *_ in GROUPS]
    wrong = sum(not one.ok for one in checks)
    worst = next((group.kind for group in groups), "good") if wrong else "good"
    summary = f"{wrong} of {len(checks)} checks failed" if wrong else f"{len(checks)} checks, all is well"
    fine = tuple(_check(one) for one in checks if one.level not in known)
    mendable = len({one.name for one in checks if _can_mend(one)})
    return Health(tuple(groups), fine, len(checks), mendable, summary, worst)


def _can_mend(one: Finding) -> bool:
    return one.can_fix and one.name in doctor.ACTS


def _check(one: Finding) -> Check:
    detail = one.detail.removeprefix(NOTE)
    title = NAMES.get(one.name, one.name.replace("-", " ").capitalize())
    found = CODE.search(one.fix)
    command = found[1] if found and found[1].startswith("holdfast") else ""
    return Check(
        one.name, title, one.about, worded(f"{_sentence(detail)}."), worded(_sentence(one.fix)), command, _can_mend(one)
    )


def _sentence(text: str) -> str:
    """A capital at the beginning, unless it begins with a path, a name or a command."""
    first = text.split(" ", 1)[0]
    return f"{text[:1].upper()}{text[1:]}" if first.isalpha() else text


def worded(text: str) -> Markup:
    """A sentence of ours, whose commands stand between backticks."""
    parts = CODE.split(plain(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else Markup("{}").format(part) for at, part in enumerate(parts)
    )
