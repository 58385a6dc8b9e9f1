"""Whether this user may write a file of the vault, asked of the system and not tried.

The system's answer knows modes, owners, read-only file systems and files that were made immutable. It is used where a
try would leave a trace: by `doctor`, which changes nothing, and to see whether a fault that stands is over.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from holdfast.capture import faults, home

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def why_not(vault: str, path: str) -> str:
    """Why a file of the vault could not be put in its place, as the end of a sentence; "" where it could."""
    folder = vault
    *above, name = path.split("/")
    for part in above:
        inner = f"{folder}/{part}"
        if not os.path.lexists(inner):
            return _refusal(folder)  # in which it would be made
        folder = inner
    return _refusal(folder) or _in_its_place(f"{folder}/{name}")


def _refusal(folder: str) -> str:
    try:
        seen = os.stat(folder)
    except OSError as error:
        return f"{folder} cannot be looked at: {error.strerror}"
    if not stat.S_ISDIR(seen.st_mode):
        return f"{folder} is no folder"
    if os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        return ""
    if seen.st_uid != os.geteuid():
        return f"{folder} belongs to user {seen.st_uid}, you are {os.geteuid()}"
    return f"you may not write to {folder}"


def _in_its_place(path: str) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    if not stat.S_ISREG(seen.st_mode):
        return f"{path} is no file"
    return "" if os.access(path, os.R_OK) else f"{path} cannot be read by you"


def sentence(vault: str, refused: Iterable[tuple[str, str]], paths: Iterable[str] | None = None) -> str:
    """The first of these files that the system refused, with the reason; "" where it refused none of them."""
    wanted = None if paths is None else set(paths)
    for path, why in refused:
        if wanted is None or path in wanted:
            return f"{path} cannot be written ({why_not(vault, path) or why})"
    return ""


def note_refused(vault: str, refused: Sequence[tuple[str, str]], now: float) -> None:
    """The system let us not write these: it is told at every start until it does."""
    if refused:
        faults.stand(home.state(vault), faults.UNWRITABLE, sentence(vault, refused), now, refused[0][0])


def lift_faults(vault: str) -> None:
    """A writer went through: what it needed works again."""
    state = home.state(vault)
    if not faults.are_there(state):
        return
    faults.lift(state, faults.HISTORY, faults.HISTORY_LOST)
    for one in faults.standing(state):
        if one.name == faults.UNWRITABLE and not (one.path and why_not(vault, one.path)):
            faults.lift(state, one.name)
