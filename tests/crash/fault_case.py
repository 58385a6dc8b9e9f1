"""One fault, lived through: the broken vault is asked everything, mended, asked again, and what was lost is counted.

Complaints are what may never be: a traceback or a hang; all called well while a command fails or something is gone; a
fact gone that was acknowledged and that the fault had left on the disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import fault_machine as facts

if TYPE_CHECKING:
    from .fault_list import Fault
    from .fault_machine import Answer, Machine

NEW_FLAG = "Webhooks are signed with the tenant's key"
NEW_NOTE = "The nightly job starts at two in the morning"
LAST_FLAG = "The price list is cached for one hour"
OLD = (*facts.FILED, facts.RULE, facts.REMEMBERED, *facts.WAITING, facts.THOUGHT, facts.DONE)
# Copies, and records of what was done: a fact that stands only there is not the user's any more.
DERIVED: tuple[str, ...] = (
    *(".state/field.db", ".state/notes.index", ".state/brief", ".state/armed", "BRAIN.md", ".state/tasks", ".git/"),
    *(".state/ledger", ".state/episodes", ".state/background.log", ".state/unjudged", "lineage/", ".state/calls"),
)


@dataclass
class Case:
    """What was seen of one fault."""

    fault: Fault
    answers: dict[str, Answer] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def named(self, *steps: str) -> list[str]:
        """The checks that failed, or were noted, at these steps."""
        found = []
        for step in steps:
            checks = self.answers[step].json().get("checks", []) if step in self.answers else []
            found += [one["name"] for one in checks if not one["ok"]]
        return list(dict.fromkeys(found))

    def is_called_well(self, step: str) -> bool:
        return step in self.answers and not self.answers[step].status


def live(fault: Fault, machine: Machine, *, serves: bool = True) -> Case:
    """All commands on a machine with this fault, before and after mending."""
    case = Case(fault)
    said = case.answers
    before = {text: holders(machine, text) for text in OLD}
    fault.inject(machine)
    left = (
        {text for text in OLD if any(still_holds(path, text) for path in before[text])} if not fault.undo else set(OLD)
    )
    said["doctor"] = machine.run("doctor", "--json")
    said["audit"] = machine.run("audit", "--json")
    said["start"] = machine.start()
    said["flag"] = machine.run("flag", NEW_FLAG)
    said["close"] = machine.run("close", "--all")
    said["remember"] = machine.run("remember", NEW_NOTE)
    said["recall"] = machine.run("recall", "mailer retries", "--json")
    said["task"] = machine.run("task", "show", "importer")
    said["sync"] = machine.run("sync")
    if serves:
        said["serve"] = machine.serve()
    said["start again"] = machine.start("11111111-aaaa-4bbb-8ccc-000000000004")
    said["doctor again"] = machine.run("doctor", "--json")
    said["fix"] = machine.run("doctor", "--fix", "--json")
    said["mended"] = machine.run("doctor", "--json")
    if fault.undo:
        fault.undo(machine)
        said["undone"] = machine.run("doctor", "--fix", "--json")
    said["last flag"] = machine.run("flag", LAST_FLAG)
    said["last close"] = machine.run("close", "--all")
    said["last doctor"] = machine.run("doctor", "--json")
    known = found(machine)
    told = [text for step, text in (("flag", NEW_FLAG), ("remember", NEW_NOTE)) if not said[step].status]
    told += [LAST_FLAG] if not said["last flag"].status else []
    case.lost = [text for text in (*OLD, *told) if text not in known]
    _complain(case, left, told)
    return case


def _complain(case: Case, left: set[str], told: list[str]) -> None:
    said = case.answers
    for step, answer in said.items():
        if answer.is_broken:
            how = "hung" if answer.status < 0 else "showed a traceback"
            case.complaints.append(f"{step} {how}: {(answer.err or answer.out)[-400:]}")
    gone = [text for text in case.lost if text in left or text in told]
    if gone:
        case.complaints.append(f"lost though it was acknowledged and on the disk: {gone}")
    failing = [
        step for step in ("flag", "close", "remember", "task") if said[step].status and not _is_healed(said[step])
    ]
    failing += ["recall"] if said["recall"].status and said["recall"].err else []  # without a word: nothing was found
    if failing and case.is_called_well("doctor again"):
        case.complaints.append(f"{failing} failed, and doctor calls all well: {said[failing[0]].err[-200:]}")
    if case.lost and case.is_called_well("doctor"):
        case.complaints.append(f"doctor called all well, and this is lost: {case.lost}")
    if case.lost and case.is_called_well("doctor again"):
        case.complaints.append(f"after a start and a close doctor called all well, and this is lost: {case.lost}")
    if case.lost and not failing and case.is_called_well("audit") and case.is_called_well("doctor"):
        case.complaints.append("audit called all well over something lost")
    if said["last doctor"].status and not _asks_for_a_person(case):
        case.complaints.append(f"nothing leads out: {case.named('last doctor')}")


def _is_healed(answer: Answer) -> bool:
    """Whether a failure says that its cause was put right."""
    return "it is made anew" in answer.err


def _asks_for_a_person(case: Case) -> bool:
    """Whether every check that still fails says what a person can do."""
    checks = case.answers["last doctor"].json().get("checks", [])
    return bool(checks) and all(one["ok"] or one["fix"] for one in checks)


def holders(machine: Machine, text: str) -> list[str]:
    """The files that have a fact's own words, copies that are made from others aside."""
    found = []
    for path in machine.vault.rglob("*"):
        inner = str(path.relative_to(machine.vault))
        if path.is_file() and not inner.startswith(DERIVED) and still_holds(str(path), text):
            found.append(str(path))
    return found


def still_holds(path: str, text: str) -> bool:
    from pathlib import Path

    try:
        return Path(path).is_file() and text.encode() in Path(path).read_bytes()
    except OSError:
        return False


def found(machine: Machine) -> set[str]:
    """The facts that a user gets at: filed, waiting, in a task, in the thoughts, or set aside for them to look at."""
    told = machine.run("queue", "--json").out
    texts = ""
    for path in machine.vault.rglob("*"):
        inner = str(path.relative_to(machine.vault))
        is_kept = not inner.startswith(DERIVED) and (not inner.startswith(".state") or "broken" in inner)
        if is_kept and path.is_file() and path.stat().st_size < 1 << 24:
            texts += path.read_bytes().decode("utf-8", "replace")
    return {text for text in (*OLD, NEW_FLAG, NEW_NOTE, LAST_FLAG) if text in texts or text in told}
