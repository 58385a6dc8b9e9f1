"""What lies where a file is expected and is none: a pipe, a socket, a device, a folder, or gigabytes of nothing.

Nothing of ours waits for such a thing or reads it: hooks pass over it, commands refuse it in a sentence, and here it is
named, so that somebody moves it away.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import config, gitfiles, other_repository, platform
from holdfast.doctor.checks import MEND, bad, good
from holdfast.install.hosts import claude_code, codex
from holdfast.text.phrases import first_of
from holdfast.vault import damage, notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Check, Place

OF_VAULT = ("BRAIN.md", "format", "projects.toml", "activity.log", "purged", ".gitignore", ".gitattributes")
OF_GIT = ("HEAD", "config", "index", "packed-refs")
OF_STATE = (
    *("armed", "notes.index", "trusted", "vault.lock", "paused", "background.log", "queue/lock", "tasks/lock"),
    *("tasks/index.db", "field.db", "field.db.lock", "calls/settled", "check"),
)
FOLDERS = ("queue/live", "ledger", "marks", "brief", "spend")


def check_files(place: Place) -> Iterator[Check]:
    odd = list(_odd(place))
    found = [f"{path} {why}" for path, why in odd]
    git = gitfiles.checkout(place.cwd)
    found += [why] if git and (why := other_repository.trouble(git)) else []
    if found:
        fix = "move it away; until then it is passed over, and what it should say does not count"
        is_ours = any(_can_be_moved(place, path) for path, _ in odd)
        fix = f"{MEND} moves what lies in the vault aside; {fix}" if is_ours else fix
        yield bad("files", first_of(list(dict.fromkeys(found))), fix, can_fix=is_ours)
    else:
        yield good("files", "everything that should be a file is one")


def mend_files(place: Place) -> str:
    """Move odd things in the vault aside. A large file stays: it may be somebody's."""
    moved = [damage.set_aside(place.vault, path) for path, _ in _odd(place) if _can_be_moved(place, path)]
    return f"moved aside, to {place.state}/{damage.ASIDE}: {first_of([os.path.basename(path) for path in moved])}"


def _odd(place: Place) -> Iterator[tuple[str, str]]:
    for path in dict.fromkeys(_expected(place)):
        why = platform.oddity(path)
        if not why and path.startswith(f"{place.vault}/") and os.path.islink(path) and not os.path.exists(path):
            why = "is a link that leads nowhere"
        if why:
            yield path, why


def _can_be_moved(place: Place, path: str) -> bool:
    is_ours = path.startswith(f"{place.vault}/") and not path.startswith(f"{place.vault}/.git/")
    return is_ours and not os.path.isfile(path)


def _expected(place: Place) -> Iterator[str]:
    root = gitfiles.root_of(place.cwd)
    yield from (f"{root}/.git/{name}" for name in ("HEAD", "config", "packed-refs"))
    yield from (f"{root}/{name}" for name in (".holdfast.toml", ".claude/settings.json", ".claude/settings.local.json"))
    yield from (f"{claude_code.folder(place.env)}/settings.json", f"{codex.folder(place.env)}/config.toml")
    yield from (f"{place.vault}/{name}" for name in OF_VAULT)
    yield from (f"{place.vault}/.git/{name}" for name in OF_GIT)
    yield config.path_of(place.state)
    yield from (f"{place.state}/{name}" for name in OF_STATE)
    for folder in FOLDERS:
        yield from (f"{place.state}/{folder}/{name}" for name in sorted(platform.names(f"{place.state}/{folder}")))
    tasks = f"{place.vault}/tasks"
    for name in sorted(platform.names(tasks)):
        yield f"{tasks}/{name}/session_memory.md"
    for path in notes.paths(place.vault):
        yield f"{place.vault}/{path}"
