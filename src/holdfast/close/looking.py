"""What a close looks at besides its flags: whether the vault's history is whole, so that a start can say so.

Starts have no time to look, and git notices a spoilt object only when somebody asks for it, which may be months later.
So a close tries what stands as a fault, and what a glance shows, also where nothing waits; and once in an hour it lets
git look at all of it, for a few seconds at most. What it finds stands as a fault until it is gone, mended or accepted.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import faults, history_glance, home, platform
from holdfast.errors import Busy, GitFailed, HoldfastError
from holdfast.vault import git_damage, journal
from holdfast.vault.git import Repository
from holdfast.vault.writing import is_being_written, writing

if TYPE_CHECKING:
    from holdfast.vault.git_parts import Damage

EVERY = 3600.0
PATIENCE = 5.0
STAMP = "history-looked"


def try_writer(vault: str, now: float) -> HoldfastError | OSError | None:
    """Where a change was cut short, a fault stands or a glance shows damage, a writer goes through, which finishes,
    ends or names it; the error where it cannot. Somebody else who writes at this moment sees to it themselves."""
    is_due = journal.is_cut_short(vault) or faults.are_there(home.state(vault)) or history_glance.damage(vault)
    if not is_due:
        return None
    try:
        with writing(vault, now):
            return None
    except Busy:
        return None
    except (HoldfastError, OSError) as error:
        return error


def look_over(vault: str, now: float) -> None:
    """Let git look at all of the history now and then, and say what it finds at the next starts. Fails nothing."""
    state = home.state(vault)
    repository = Repository(vault)
    if not repository.exists() or is_being_written(vault) or not _is_due(state, now):
        return
    try:
        platform.write_atomic(f"{state}/{STAMP}", f"{now:.0f}\n".encode("ascii"), durable=False)
        note(vault, git_damage.look(repository, PATIENCE), now)
    except (GitFailed, OSError):
        return  # too large for a look on the way, or git is not here: `holdfast doctor` says it


def note(vault: str, found: list[Damage], now: float) -> None:
    """Faults of a history in which a writer still goes through, as a whole look has found it."""
    state = home.state(vault)
    lost = [one.what for one in found if one.is_lost]
    weak = [one.what for one in found if not one.is_lost]
    for name, what in ((faults.VERSIONS, lost), (faults.OBJECTS, weak)):
        if what:
            faults.stand(state, name, what[0], now)
        else:
            faults.lift(state, name)


def _is_due(state: str, now: float) -> bool:
    if any(one.name in (faults.VERSIONS, faults.OBJECTS) for one in faults.standing(state)):
        return True
    path = f"{state}/{STAMP}"
    if not os.path.exists(path):
        return True
    try:
        text = platform.read_file(path, 32).decode("ascii", "replace").strip()
    except OSError:
        return False
    return not text.isdecimal() or not 0 <= now - int(text) < EVERY
