"""Other programs' files, read and replaced whole, through links, with the mode they have.

A settings file that is a link (people keep theirs in a repository of dot files) stays one: what it leads to is
replaced. A file that changed since the plan was made is not replaced: somebody else was at work, and theirs counts.
"""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.capture import platform
from holdfast.errors import HoldfastError

FRESH = ".holdfast-new"


def read(path: str) -> bytes | None:
    """The bytes of a file; None where there is none. Raises HoldfastError for what is no file."""
    try:
        return platform.read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise HoldfastError(f"{path} cannot be read ({error.strerror}); nothing was changed anywhere.") from error


def replace(path: str, before: bytes | None, after: bytes | None) -> None:
    """One step from the old bytes to the new, synced. None is a file that is not there."""
    target = os.path.realpath(path)
    if read(target) != before:
        raise changed(path)
    if after is None:
        Path(target).unlink(missing_ok=True)
        sweep(target)
        platform.sync_folder(os.path.dirname(target))
        return
    mode = Path(target).stat().st_mode & 0o7777 if before is not None else 0o600
    fresh = f"{target}.{os.getpid()}{FRESH}"
    try:
        sweep(target)
        platform.write_atomic(fresh, after, durable=False)
        os.chmod(fresh, mode)
        with open(fresh, "rb") as file:
            os.fsync(file.fileno())
        if read(target) != before:  # the sync took its time
            platform.remove(fresh)
            raise changed(path)
        os.replace(fresh, target)
    except OSError as error:
        platform.remove(fresh)
        raise HoldfastError(f"{path} cannot be written ({error.strerror}); it is as it was. Run it again.") from error
    platform.sync_folder(os.path.dirname(target))


def changed(path: str) -> HoldfastError:
    """Somebody else was at work on the file."""
    return HoldfastError(
        f"{path} was changed by another program at this moment; its change was kept. Run the same command again."
    )


def sweep(path: str) -> None:
    """Remove what a try that was killed left beside the file."""
    folder, name = os.path.split(os.path.realpath(path))
    for other in platform.names(folder):
        if other.startswith(f"{name}.") and FRESH in other:
            platform.remove(f"{folder}/{other}")


def missing_folders(path: str) -> list[str]:
    """The folders that have to be made before a file can be written, outermost first."""
    found: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def make_folders(folders: list[str]) -> None:
    for folder in folders:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise HoldfastError(f"{folder} cannot be made ({error.strerror}); nothing was written there.") from error
        platform.sync_folder(os.path.dirname(folder))


def remove_folders(folders: set[str]) -> None:
    """Those of them that are empty, innermost first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue  # somebody uses it by now, or it is gone
