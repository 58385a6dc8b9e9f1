"""All checks in the order of the links, each for itself: one that breaks is a failed check and stops no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.doctor import (
    acknowledged,
    capture,
    damaged_files,
    faults,
    field,
    history,
    hosts,
    judge,
    launcher,
    lines,
    loops,
    odd_files,
    server,
    surroundings,
    vanished,
    vault,
)
from holdfast.doctor.checks import Check, Place, Report, bad, reason
from holdfast.doctor.mending import mend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CHECKS: tuple[tuple[str, Callable[[Place], Iterable[Check]]], ...] = (
    ("capture", surroundings.check_off),
    ("environment", surroundings.check_environment),
    ("config", surroundings.check_config),
    ("files", odd_files.check_files),
    ("vault-place", vanished.check_place),
    ("vault", vault.check_folder),
    ("vault-modes", vault.check_modes),
    ("vault-write", vault.check_write),
    ("space", vault.check_space),
    ("note-folders", vault.check_folders),
    ("locks", vault.check_locks),
    ("git", history.check_git),
    ("history", history.check_history),
    ("faults", faults.check_faults),
    ("memory-files", damaged_files.check_damaged),
    ("journal", history.check_journal),
    ("derived", history.check_derived),
    ("launcher", launcher.check_launcher),
    ("command", launcher.check_command),
    ("host-version", hosts.check_versions),
    ("hook-line", lines.check_lines),
    ("trust", hosts.check_trust),
    ("permission", hosts.check_permission),
    ("mcp", server.check_server),
    ("queue-age", capture.check_queue),
    ("acknowledged", acknowledged.check_acknowledged),
    ("marks", capture.check_marks),
    ("sessions", capture.check_ledger),
    ("field", field.check_field),
    ("loops", loops.check_loops),
    ("judge", judge.check_judge),
    ("other-memory", surroundings.check_other_memory),
    ("auto-memory", surroundings.check_auto_memory),
)


def examine(place: Place) -> Report:
    """Probe everything and change nothing."""
    found: list[Check] = []
    for name, look in CHECKS:
        try:
            found += look(place)
        except Exception as error:  # whatever a broken disk or setting does to one check, the others still run
            what = f"this could not be looked at ({type(error).__name__}: {reason(error)})"
            found.append(bad(name, what, "mend what it names, then run `holdfast doctor` again"))
    return Report(tuple(found))


def examine_and_mend(place: Place) -> Report:
    """Mend what is safe, then look again."""
    first = examine(place)
    done = mend(place, first.checks)
    if not done:
        return first
    wrong = {(check.name, check.agent) for check in first.checks if not check.ok}
    after = (
        replace(check, was_mended=check.ok and (check.name, check.agent) in wrong) for check in examine(place).checks
    )
    return Report(tuple(after), tuple(done))
