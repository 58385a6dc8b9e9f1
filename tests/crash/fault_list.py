"""The faults of the catalogue: each part of a vault, damaged in each way in which such a thing gets damaged.

A part is a place in the vault; a damage is a function on that place, with its way back where it has one (a person gives
the permission back, mounts the disk again). The cross of the two is the catalogue, beside faults of the whole machine.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .fault_machine import Machine

SOMEBODY = 65534


@dataclass(frozen=True)
class Fault:
    """`part` and `damage` are its words in the table; `undo` is a person's way back, where no byte is gone."""

    part: str
    damage: str
    inject: Callable[[Machine], None]
    undo: Callable[[Machine], None] | None = None
    needs: str = ""  # "permissions", "root" or "mount"

    @property
    def name(self) -> str:
        return f"{self.part}: {self.damage}"


# --- damages of one place


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _empty(path: Path) -> None:
    _writable(path).write_bytes(b"")


def _halve(path: Path) -> None:
    data = path.read_bytes()
    _writable(path).write_bytes(data[: len(data) // 2])


def _zero(path: Path) -> None:
    data = path.read_bytes()
    _writable(path).write_bytes(bytes(len(data)))


def _scribble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    for at in range(third, 2 * third):
        data[at] ^= 0x5A
    _writable(path).write_bytes(bytes(data))


def _writable(path: Path) -> Path:
    path.chmod(path.stat().st_mode | 0o200)  # git keeps its objects read-only
    return path


def _fold(path: Path) -> None:
    _remove(path)
    path.mkdir()


def _file(path: Path) -> None:
    _remove(path)
    path.write_text("not a folder\n")


def _pipe(path: Path) -> None:
    _remove(path)
    os.mkfifo(path)


def _nowhere(path: Path) -> None:
    _remove(path)
    path.symlink_to(path.with_name("nowhere") / "at-all")


def _loop(path: Path) -> None:
    _remove(path)
    path.symlink_to(path.name)


def _close(path: Path) -> None:
    path.chmod(0)


def _fix_mode(path: Path) -> None:
    path.chmod(0o555 if path.is_dir() else 0o444)


def _open_again(path: Path) -> None:
    path.chmod(0o700 if path.is_dir() else 0o600)


def _give_away(path: Path) -> None:
    path.chmod(0o700 if path.is_dir() else 0o600)
    os.chown(path, SOMEBODY, SOMEBODY)


def _take_back(path: Path) -> None:
    os.chown(path, os.geteuid(), os.getegid())


BYTES: dict[str, Callable[[Path], None]] = {
    "removed": _remove,
    "emptied": _empty,
    "cut in half": _halve,
    "zeroed": _zero,
    "scribbled over": _scribble,
}
SHAPES: dict[str, Callable[[Path], None]] = {
    "a folder": _fold,
    "a pipe": _pipe,
    "a link to nowhere": _nowhere,
    "a link to itself": _loop,
}
RIGHTS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None], str]] = {
    "unreadable": (_close, _open_again, "permissions"),
    "unwritable": (_fix_mode, _open_again, "permissions"),
    "somebody else's": (_give_away, _take_back, "root"),
}
FILE = (*BYTES, *SHAPES, *RIGHTS)
FOLDER = ("removed", "a file", "a link to nowhere", *RIGHTS)
DERIVED = ("removed", "emptied", "scribbled over", "a folder", "unreadable")
LOCK = ("removed", "a folder", "a pipe", "unreadable", "somebody else's")
LOG = ("removed", "cut in half", "zeroed", "scribbled over", "a folder", "unreadable", "unwritable")
HISTORY = ("removed", "emptied", "cut in half", "zeroed")

# part: where it is (a pattern in the vault), and how it gets damaged
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a note": ("knowledge/the-export-job*.md", ("emptied", "zeroed", "scribbled over", "a folder", "unreadable")),
    "a rule": ("rules/*.md", ("emptied", "scribbled over", "a pipe", "unreadable", "somebody else's")),
    "the folder knowledge": ("knowledge", FOLDER),
    "the folder rules": ("rules", ("a file", "unreadable", "unwritable")),
    "the folder lineage": ("lineage", ("a file", "unreadable", "unwritable", "somebody else's")),
    "a handoff": ("lineage/*/*.md", ("emptied", "scribbled over", "a folder", "unreadable")),
    "a task's log": ("tasks/*/log/live/*.log", LOG),
    "a task's folder": ("tasks/importer", ("unreadable", "unwritable", "a file")),
    "a task's page": ("tasks/*/session_memory.md", ("removed", "emptied", "a folder", "unwritable")),
    "the log of thoughts": ("thoughts/*/live/*.log", LOG),
    "BRAIN.md": ("BRAIN.md", ("removed", "scribbled over", "a folder", "unreadable", "unwritable")),
    "format": ("format", ("removed", "emptied", "scribbled over", "a folder", "unreadable")),
    "projects.toml": ("projects.toml", ("removed", "emptied", "scribbled over", "a folder", "unreadable")),
    "activity.log": ("activity.log", ("zeroed", "a folder", "unwritable")),
    ".git": (".git", ("removed", "a file", "unreadable", "unwritable", "somebody else's")),
    ".git/HEAD": (".git/HEAD", HISTORY),
    ".git/refs/heads/main": (".git/refs/heads/main", HISTORY),
    ".git/index": (".git/index", (*HISTORY, "scribbled over", "a folder")),
    ".git/config": (".git/config", (*HISTORY, "scribbled over")),
    ".git/objects": (".git/objects", ("removed", "unwritable")),
    "git's packed objects": (".git/objects/pack/*.pack", ("removed", "cut in half")),
    "the queue": (".state/queue/live/*.log", FILE),
    "the queue's folder": (".state/queue/live", ("removed", "a file", "unreadable", "unwritable")),
    "what the queue has settled": (".state/queue/live/*.settled", ("removed", "zeroed", "scribbled over", "a folder")),
    "the queue's lock": (".state/queue/lock", LOCK),
    "the ledger": (".state/ledger/*.log", LOG),
    "the record of a session": (".state/episodes/log/*/*000000000002", ("removed", "zeroed", "unreadable")),
    "the vault's lock": (".state/vault.lock", LOCK),
    "the task lock": (".state/tasks/lock", LOCK),
    "the task index": (".state/tasks/index.db", DERIVED),
    "the index of notes": (".state/notes.index", DERIVED),
    "the prepared brief": (".state/brief/*", DERIVED),
    "the list of armed rules": (".state/armed", DERIVED),
    "the search index": (".state/field.db", (*DERIVED, "unwritable")),
    "the search index's lock": (".state/field.db.lock", LOCK),
    "the calls' record": (".state/calls/settled", DERIVED),
    "the machine's folder .state": (".state", ("removed", "a file", "unreadable", "unwritable")),
}


def _at(pattern: str, damage: Callable[[Path], None]) -> Callable[[Machine], None]:
    def inject(machine: Machine) -> None:
        found = sorted(machine.vault.glob(pattern))
        assert found, f"nothing lies at {pattern}"
        for path in found:
            damage(path)

    return inject


def _of_part(part: str, pattern: str, how: str) -> Fault:
    if how in RIGHTS:
        damage, undo, needs = RIGHTS[how]
        return Fault(part, how, _at(pattern, damage), _at(pattern, undo), needs)
    if how == "a file":
        return Fault(part, how, _at(pattern, _file))
    return Fault(part, how, _at(pattern, (BYTES | SHAPES)[how]))


# --- faults of the machine


def _move(machine: Machine) -> None:
    machine.vault.rename(machine.top / "moved")


def _move_back(machine: Machine) -> None:
    if machine.vault.is_dir():
        shutil.rmtree(machine.vault)
    (machine.top / "moved").rename(machine.vault)


def _unmount(machine: Machine) -> None:
    _move(machine)
    machine.vault.mkdir()


def _replace_by_file(machine: Machine) -> None:
    _move(machine)
    machine.vault.write_text("not a vault\n")


def _file_away(machine: Machine) -> None:
    machine.vault.unlink()
    _move_back(machine)


def _link(machine: Machine) -> None:
    _move(machine)
    machine.vault.symlink_to(machine.top / "moved")


def _newer(machine: Machine) -> None:
    (machine.vault / "format").write_text("999\n")


def _older_again(machine: Machine) -> None:
    (machine.vault / "format").write_text("1\n")


def _ahead(machine: Machine) -> None:
    """The newest handoff was written by a clock that was a year ahead."""
    path = next(machine.vault.glob("lineage/*/*.md"))
    text = path.read_text().replace("2026-", "2027-")
    path.rename(path.with_name("20271231T000000Z-vm-aaaaaa.md"))
    path.with_name("20271231T000000Z-vm-aaaaaa.md").write_text(text)


def _lock_of_git(machine: Machine) -> None:
    (machine.vault / ".git" / "index.lock").write_bytes(b"")


def _merge_begun(machine: Machine) -> None:
    head = (machine.vault / ".git" / "refs" / "heads" / "main").read_text()
    (machine.vault / ".git" / "MERGE_HEAD").write_text(head)


def _merge_ended(machine: Machine) -> None:
    (machine.vault / ".git" / "MERGE_HEAD").unlink(missing_ok=True)


def _conflicted(machine: Machine) -> None:
    path = next(machine.vault.glob("knowledge/the-export-job*.md"))
    path.write_text(path.read_text() + "\n<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n")


def _launcher(machine: Machine) -> None:
    (machine.top / "home" / ".local" / "share" / "holdfast" / "holdfast-hook").unlink()


def _remote_gone(machine: Machine) -> None:
    (machine.top / "remote.git").rename(machine.top / "away.git")


def _remote_back(machine: Machine) -> None:
    (machine.top / "away.git").rename(machine.top / "remote.git")


def _wrong_settings(machine: Machine) -> None:
    (machine.state / "config.toml").write_text("[close\nworkers = \n")


def _pipe_of_settings(machine: Machine) -> None:
    os.mkfifo(machine.state / "config.toml")


def _leftovers(machine: Machine) -> None:
    """Files of writers that were killed."""
    for name in ("notes.index.123.tmp", "brief/x.99.tmp", "queue/live/half.tmp"):
        (machine.state / name).write_bytes(b"half")


def _huge(machine: Machine) -> None:
    with (machine.vault / "knowledge" / "huge.md").open("wb") as out:
        out.truncate(5 << 30)


OF_MACHINE = (
    Fault("the vault", "moved away", _move, _move_back),
    Fault("the vault", "unmounted: its folder is empty", _unmount, _move_back),
    Fault("the vault", "a file", _replace_by_file, _file_away),
    Fault("the vault", "moved, with a link in its place", _link),
    Fault("the vault", "of a newer holdfast", _newer, _older_again),
    Fault("the newest handoff", "from the future", _ahead),
    Fault("git", "a lock that a killed git left", _lock_of_git),
    Fault("git", "a merge begun by hand", _merge_begun, _merge_ended),
    Fault("a note", "with a conflict's marks in it", _conflicted),
    Fault("a note", "5 GB of nothing", _huge),
    Fault("the launcher", "removed", _launcher),
    Fault("the remote", "away", _remote_gone, _remote_back),
    Fault("config.toml", "not TOML", _wrong_settings),
    Fault("config.toml", "a pipe", _pipe_of_settings),
    Fault("files of killed writers", "left behind", _leftovers),
)
DISKS = ("full", "with 8 KB left", "read-only")  # made by the test itself: they need a file system of their own


def all_faults() -> Iterator[Fault]:
    for part, (pattern, ways) in PARTS.items():
        for how in ways:
            yield _of_part(part, pattern, how)
    yield from OF_MACHINE


FAULTS = tuple(all_faults())
