"""What `doctor --fix` does: only what any ordinary command of ours does too, and nothing that could lose a thing.

No setting of a host is touched, no dead letter retried, nothing of a person's removed. A lock of git goes only on proof
that its owner is dead (vault/git).
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from holdfast.capture import home, platform
from holdfast.doctor.checks import reason
from holdfast.errors import HistoryDamaged, HoldfastError
from holdfast.install import command, launcher
from holdfast.text.phrases import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.doctor.checks import Check, Place

PATIENCE = 10.0


def mend(place: Place, checks: Iterable[Check]) -> list[str]:
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
    if not launcher.launcher_path(place.env).exists():
        launcher.write_command(place.env)
        named = command.decide(place.env)
        # Where `init` would make a link first, the stable command works without one.
        said = "" if named.is_plain and not named.link else shlex.quote(str(launcher.command_path(place.env)))
    return f"wrote the launcher {launcher.write_launcher(place.env, said)}"


def _command(place: Place) -> str:
    return f"wrote the command {launcher.write_command(place.env)}"


def _vault(place: Place) -> str:
    home.refuse_newer(place.vault)
    home.make_vault(place.vault, place.env)
    return f"made the vault {place.vault}"


def _modes(place: Place) -> str:
    from holdfast.doctor.vault import wrong_modes

    wrong = wrong_modes(place)
    for path, mode in wrong:
        os.chmod(path, mode)
    return f"gave {many(len(wrong), 'file or folder')} back to you alone"


def _locks(place: Place) -> str:
    from holdfast.vault.git import remove_stale_locks
    from holdfast.vault.writing import locked

    with locked(place.vault, PATIENCE) as repository:
        removed = remove_stale_locks(repository)
    return f"removed {', '.join(os.path.basename(path) for path in removed) or 'no lock'}, whose owner is dead"


def _files(place: Place) -> str:
    from holdfast.doctor.odd_files import mend_files

    return mend_files(place)


def _damaged(place: Place) -> str:
    from holdfast.doctor.damaged_files import mend_damaged

    return mend_damaged(place)


def _history(place: Place) -> str:
    """What is derived in the repository; then a writer goes through, which ends the fault that starts tell of. What is
    left is told by the check, once."""
    from holdfast.close import looking
    from holdfast.vault import git_damage, git_mending
    from holdfast.vault.writing import locked, writing

    with locked(place.vault, PATIENCE) as repository:
        done = git_mending.mend(repository, place.clock())
        left = git_damage.look(repository)
    said = f"mended the history: {'; '.join(done) or 'nothing was left to do'}"
    try:
        with writing(place.vault, place.clock(), PATIENCE):
            pass
    except HistoryDamaged:
        return f"{said}; not all of it could be"
    looking.note(place.vault, left, place.clock())
    return said


def _journal(place: Place) -> str:
    from holdfast.vault.writing import writing

    with writing(place.vault, place.clock(), PATIENCE):
        return "finished the change that was cut short"


def _derived(place: Place) -> str:
    """What cannot be read goes first: it is compiled, and a reader of it could only stumble."""
    from holdfast.doctor.history import broken_derived
    from holdfast.vault import index
    from holdfast.vault.writing import refresh_derived

    for name in broken_derived(place):
        platform.remove(f"{place.state}/{name}")
    refresh_derived(place.vault, index.load(place.vault))
    return "made anew what hooks read"


def _field(place: Place) -> str:
    from holdfast.memory import Memory

    made = Memory(place.vault, place.cwd, place.clock, place.env).rebuild()
    return f"made the index anew: {many(made.thoughts, 'thought')}"


def _close(place: Place) -> str:
    from holdfast.memory import Memory

    done = Memory(place.vault, place.cwd, place.clock, place.env).close(everything=True)
    if any(one.code == HistoryDamaged.code for one in done):
        return "closed nothing: the line `history` says why"
    errors = [one.error for one in done if one.error]
    if errors:
        raise HoldfastError(errors[0])
    return f"closed what was left: {many(sum(one.filed for one in done), 'flag')} filed"


ACTS: dict[str, Callable[[Place], str]] = {
    "files": _files,
    "vault": _vault,
    "vault-modes": _modes,
    "locks": _modes,
    "launcher": _launcher,
    "command": _command,
    "hook-line": _launcher,
    "mcp": _command,
    "git": _locks,
    "history": _history,
    "faults": _close,
    "memory-files": _damaged,
    "journal": _journal,
    "derived": _derived,
    "queue-age": _close,
    "marks": _close,
    "field": _field,
}
