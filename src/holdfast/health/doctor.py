"""All checks in the order of the links, and `doctor --fix`, which does only what an ordinary command of ours does too.

Each check runs for itself: one that breaks is a failed check and stops no other. Mending touches no setting of a host,
retries no dead letter and removes nothing of a person's; a lock of git goes only on proof that its owner is dead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.errors import HistoryDamaged, HoldfastError
from holdfast.health import capture, closes, field, history, hosts, launcher, registration, team, timer, vault
from holdfast.health.finding import CAN_MEND, KNOW, LOST, MENDED, NEEDS_YOU, NOTE, OK, bad, reason, unseen
from holdfast.install.launcher import write_command
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.health.finding import Finding, Place

STATUS = {CAN_MEND: 19, NEEDS_YOU: 1, LOST: 20}  # of the command, the worst last
LABELS = {MENDED: "fixed", CAN_MEND: "MEND", NEEDS_YOU: "FAIL", LOST: "LOST"}
COUNTS = {LOST: "lost", NEEDS_YOU: "for you to do", CAN_MEND: "that `holdfast doctor --fix` mends"}
CHECKS: tuple[tuple[str, Callable[[Place], Iterable[Finding]]], ...] = (
    ("capture", capture.check_off),
    ("environment", capture.check_environment),
    ("config", capture.check_config),
    ("files", vault.check_files),
    ("vault-place", vault.check_place),
    ("vault", vault.check_folder),
    ("vault-modes", vault.check_modes),
    ("vault-write", vault.check_write),
    ("space", vault.check_space),
    ("note-folders", vault.check_folders),
    ("locks", vault.check_locks),
    ("git", history.check_git),
    ("history", history.check_history),
    ("faults", history.check_faults),
    ("memory-files", vault.check_damaged),
    ("journal", history.check_journal),
    ("derived", vault.check_derived),
    ("launcher", launcher.check_launcher),
    ("command", launcher.check_command),
    ("host-version", hosts.check_versions),
    ("hook-line", registration.check_lines),
    ("trust", hosts.check_trust),
    ("permission", hosts.check_permission),
    ("mcp", registration.check_server),
    ("queue-age", capture.check_queue),
    ("acknowledged", capture.check_acknowledged),
    ("marks", capture.check_marks),
    ("sessions", capture.check_ledger),
    ("field", field.check_field),
    ("team", team.check_team),
    ("sleep-timer", timer.check_timer),
    ("loops", closes.check_loops),
    ("judge", capture.check_judge),
    ("other-memory", capture.check_other_memory),
    ("auto-memory", capture.check_auto_memory),
)


@dataclass(frozen=True)
class Examination:
    """All checks, in the order of the links, and what was mended on the way."""

    checks: tuple[Finding, ...]
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

    def as_record(self) -> dict[str, Any]:
        names = ("name", "ok", "level", "detail", "fix", "about", "can_fix")
        checks = [{"agent" if name == "about" else name: getattr(one, name) for name in names} for one in self.checks]
        return {"ok": self.ok, "worst": self.worst, "checks": checks, "fixed": list(self.fixed)}


def examine(place: Place) -> Examination:
    """Probe everything and change nothing."""
    found: list[Finding] = []
    for name, look in CHECKS:
        try:
            found += look(place)
        except Exception as error:  # whatever a broken disk or setting does to one check, the others still run
            found.append(bad(name, unseen("this", error), "mend what it names, then run `holdfast doctor` again"))
    return Examination(tuple(found))


def examine_and_mend(place: Place) -> Examination:
    """Mend what is safe, then look again."""
    first = examine(place)
    done = mend(place, first.checks)
    if not done:
        return first
    wrong = {(one.name, one.about) for one in first.checks if not one.ok}
    again = examine(place).checks
    after = (replace(one, level=MENDED) if one.ok and (one.name, one.about) in wrong else one for one in again)
    return Examination(tuple(after), tuple(done))


def mend(place: Place, checks: Iterable[Finding]) -> list[str]:
    """Do what is safe about these checks; returns what was done, and what could not be, a sentence each."""
    said = []
    for act in dict.fromkeys(ACTS[check.name] for check in checks if check.can_fix and check.name in ACTS):
        try:
            said.append(act(place))
        except (HoldfastError, OSError) as error:
            said.append(f"not mended: {reason(error)}")
    return said


def _close(place: Place) -> str:
    from holdfast.memory import Memory

    done = Memory.open(place.vault, place.cwd, place.clock, place.env).sessions.close(everything=True)
    if any(one.code == HistoryDamaged.code for one in done):
        return "closed nothing: the line `history` says why"
    errors = [one.error for one in done if one.error]
    if errors:
        raise HoldfastError(errors[0])
    return f"closed what was left: {many(sum(one.filed for one in done), 'flag')} filed"


ACTS: dict[str, Callable[[Place], str]] = {
    "files": vault.mend_files,
    "vault": vault.mend_folder,
    "vault-modes": vault.mend_modes,
    "locks": vault.mend_modes,
    "launcher": launcher.mend_launcher,
    "command": lambda place: f"wrote the command {write_command(place.env)}",
    "hook-line": launcher.mend_launcher,
    "mcp": lambda place: f"wrote the command {write_command(place.env)}",
    "git": history.mend_locks,
    "history": history.mend_history,
    "faults": _close,
    "memory-files": vault.mend_damaged,
    "journal": history.mend_journal,
    "derived": vault.mend_derived,
    "queue-age": _close,
    "marks": _close,
    "field": field.mend_field,
}


def examination_lines(found: Examination) -> Iterator[str]:
    """All that `doctor` prints."""
    yield from (f"--fix {done}" for done in found.fixed)
    for one in found.checks:
        name = f"{one.name} ({one.about})" if one.about else one.name
        yield f"{LABELS.get(one.level, one.level):<5} {name:<26} {one.detail.removeprefix(NOTE)}"
        if one.fix and (not one.ok or one.level == KNOW):
            yield f"{'':<32} {one.fix}"
    failed = sum(1 for one in found.checks if not one.ok)
    said = f"{len(found.checks)} checks, all is well"
    if failed:
        parts = [f"{count} {what}" for level, what in COUNTS.items() if (count := found.count(level))]
        said = f"{failed} of {len(found.checks)} checks failed ({', '.join(parts)})"
    known = {MENDED: "mended", KNOW: "to know"}
    more = [f"{count} {what}" for level, what in known.items() if (count := found.count(level))]
    yield "; ".join((said, *more)) + "."
