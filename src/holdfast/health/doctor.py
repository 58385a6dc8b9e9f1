"""All checks in the order of the links, and `doctor --fix`, which does only what an ordinary command of ours does too.

Each check runs for itself: one that breaks is a failed check and stops no other. Mending touches no setting of a host,
retries no dead letter and removes nothing of a person's; a lock of git goes only on proof that its owner is dead.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform
from holdfast.close import work
from holdfast.errors import HistoryDamaged, HoldfastError
from holdfast.health import capture, closes, field, history, hosts, registration, vault
from holdfast.health.finding import CAN_MEND, LOST, MENDED, NEEDS_YOU, OK, bad, reason, unseen
from holdfast.hosts.registration import command_path, launcher_path
from holdfast.install import launcher
from holdfast.text.layout import many
from holdfast.vault import git_damage, git_repair, index
from holdfast.vault.git import remove_stale_locks
from holdfast.vault.transaction import locked, refresh_derived, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.health.finding import Finding, Place

STATUS = {CAN_MEND: 19, NEEDS_YOU: 1, LOST: 20}  # of the command, the worst last
PATIENCE = 10.0
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
    ("memory-files", history.check_damaged),
    ("journal", history.check_journal),
    ("derived", history.check_derived),
    ("launcher", registration.check_launcher),
    ("command", registration.check_command),
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
    ("loops", closes.check_loops),
    ("judge", closes.check_judge),
    ("other-memory", hosts.check_other_memory),
    ("auto-memory", hosts.check_auto_memory),
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


def _launcher(place: Place) -> str:
    """With the command that nudges name as it was; where that went with the launcher, as `init` would decide it."""
    said: str | None = None
    if not launcher_path(place.env).exists():
        launcher.write_command(place.env)
        named = launcher.decide(place.env)
        # Where `init` would make a link first, the stable command works without one.
        said = "" if named.is_plain and not named.link else shlex.quote(str(command_path(place.env)))
    return f"wrote the launcher {launcher.write_launcher(place.env, said)}"


def _vault(place: Place) -> str:
    home.refuse_newer(place.vault)
    home.make_vault(place.vault, place.env)
    return f"made the vault {place.vault}"


def _modes(place: Place) -> str:
    wrong = vault.wrong_modes(place)
    for path, mode in wrong:
        os.chmod(path, mode)
    return f"gave {many(len(wrong), 'file or folder')} back to you alone"


def _locks(place: Place) -> str:
    with locked(place.vault, PATIENCE) as repository:
        removed = remove_stale_locks(repository)
    return f"removed {', '.join(os.path.basename(path) for path in removed) or 'no lock'}, whose owner is dead"


def _history(place: Place) -> str:
    """Mend what is derived in the repository; then a writer goes through, which ends the fault that starts tell of. The
    check tells what is left, once."""
    with locked(place.vault, PATIENCE) as repository:
        done = git_repair.mend(repository, place.clock())
        left = git_damage.look(repository)
    said = f"mended the history: {'; '.join(done) or 'nothing was left to do'}"
    try:
        with writing(place.vault, place.clock(), PATIENCE):
            pass
    except HistoryDamaged:
        return f"{said}; not all of it could be"
    work.note(place.vault, left, place.clock())
    return said


def _journal(place: Place) -> str:
    with writing(place.vault, place.clock(), PATIENCE):
        return "finished the change that was cut short"


def _derived(place: Place) -> str:
    """Remove what cannot be read first: it is compiled, and a reader of it could only stumble."""
    for name in history.broken_derived(place):
        platform.remove(f"{place.state}/{name}")
    refresh_derived(place.vault, index.load(place.vault))
    return "made anew what hooks read"


def _field(place: Place) -> str:
    from holdfast.memory import Memory

    made = Memory.open(place.vault, place.cwd, place.clock, place.env).field.rebuild()
    return f"made the index anew: {many(made.thoughts, 'thought')}"


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
    "vault": _vault,
    "vault-modes": _modes,
    "locks": _modes,
    "launcher": _launcher,
    "command": lambda place: f"wrote the command {launcher.write_command(place.env)}",
    "hook-line": _launcher,
    "mcp": lambda place: f"wrote the command {launcher.write_command(place.env)}",
    "git": _locks,
    "history": _history,
    "faults": _close,
    "memory-files": history.mend_damaged,
    "journal": _journal,
    "derived": _derived,
    "queue-age": _close,
    "marks": _close,
    "field": _field,
}
