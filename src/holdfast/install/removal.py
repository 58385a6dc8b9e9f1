"""The plan of `holdfast uninstall`, and doing it.

A file that is still what we made of it gets back the very bytes from before. One that somebody changed since keeps
their changes and loses our lines. Settings come first and the launcher last, so that a kill between leaves nothing
which the next uninstall does not find. The vault is never touched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture import platform, vault_id
from holdfast.errors import HoldfastError
from holdfast.hosts import KNOWN, json_hooks, registration
from holdfast.hosts.host import host, known, registrar
from holdfast.hosts.registration import Edit, added
from holdfast.install import launcher, settings_files, timer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from holdfast.hosts.registration import Scope
    from holdfast.install.settings_files import Record
    from holdfast.install.timer import TimerRemoval


@dataclass(frozen=True)
class Gone:
    """One file without us; `is_exact` where it is, byte for byte, what was found at first. `keeps` is its record from
    now on, where some of our lines stay."""

    host: str
    edit: Edit
    folders: tuple[str, ...]
    is_exact: bool
    removed: tuple[str, ...]
    keeps: Record | None = None


@dataclass(frozen=True)
class Removal:
    files: tuple[Gone, ...]
    programs: tuple[str, ...]  # launcher, command and link, where nothing needs them any more
    timer: TimerRemoval | None = None  # it runs the command, and goes with it

    @property
    def changes(self) -> bool:
        return bool(self.programs or self.timer) or any(one.edit.changes for one in self.files)


def make(env: Mapping[str, str], cwd: str, agents: Sequence[str] = (), scope: Scope = "user") -> Removal:
    """Everything of ours; with names only of those hosts, in a project's scope only that project's."""
    names = [host.NAME for host in known(agents)] or [*KNOWN]
    top = registration.root(cwd) if scope == "project" else ""
    everything = _of_others(env)
    chosen = _chosen([one for one in everything if one.host in names], top)
    others = [one for one in everything if one.host != settings_files.GIT and one not in chosen]
    files = [_file(one, env) for one in [*chosen, *_unrecorded(env, cwd, names, scope, everything)]]
    files += _kept_out(chosen, everything)
    gone = {one.edit.path for one in files}
    elsewhere = [one.path for name in KNOWN for one in registrar(name).registered(env, cwd)]
    if not gone.issuperset([*elsewhere, *(one.path for one in others)]):
        return Removal(tuple(files), ())
    ours = [launcher.made_link(env), str(registration.command_path(env)), str(registration.launcher_path(env))]
    return Removal(tuple(files), tuple(path for path in ours if path and os.path.lexists(path)), timer.removal(env))


def superseded(env: Mapping[str, str], names: Collection[str], staying: Collection[str]) -> tuple[Gone, ...]:
    """Projects' files whose lines would run beside the user's own, in hosts that run each. One that cannot be read is
    passed over, as it is by its host."""
    everything, files = _of_others(env), []
    for one in everything:
        is_local = one.host in names and not host(one.host).runs_once and one.root and not one.is_shared
        if is_local and os.path.realpath(one.path) not in map(os.path.realpath, staying) and os.path.exists(one.path):
            try:
                files.append((one, _file(one, env)))
            except HoldfastError:
                continue
    return (*(gone for _, gone in files), *_kept_out([one for one, _ in files], everything))


def _of_others(env: Mapping[str, str]) -> list[Record]:
    """The records of other programs' files; our own link and the timer go with the launcher."""
    return [one for one in settings_files.records(env) if one.host not in (launcher.HOST, timer.HOST)]


def _chosen(recorded: list[Record], top: str) -> list[Record]:
    """Of a project its own files, and those that no other project of the same host needs any more."""
    if not top:
        return recorded
    own = [one for one in recorded if one.root == top and not one.is_shared]
    needed = {one.host for one in recorded if one not in own and not one.is_shared}
    return own + [one for one in recorded if one.is_shared and one.host not in needed]


def _unrecorded(
    env: Mapping[str, str], cwd: str, names: Sequence[str], scope: Scope, everything: list[Record]
) -> list[Record]:
    """Files that carry lines of ours and have no record, as if somebody had written them by hand. What the user's own
    files carry is no project's."""
    recorded = {one.path for one in everything}
    top = f"{registration.root(cwd).rstrip('/')}/" if scope == "project" else "/"
    found = []
    for name in names:
        host = registrar(name)
        for path in dict.fromkeys([*host.places(env, scope, cwd), host.server_place(env)]):
            data = None if path in recorded or not path.startswith(top) else registration.read(path)
            if data is not None and host.carries(path, data):
                found.append(settings_files.Record(name, path, "", None, "unknown"))
    return found


def _file(record: Record, env: Mapping[str, str]) -> Gone:
    now = registration.read(record.path)

    def bare(data: bytes | None) -> bytes | None:
        left = None if data is None else registrar(record.host).without(record.path, data, record.before, env)
        is_ours_alone = left is not None and record.before is None and json_hooks.is_bare(left)
        return None if is_ours_alone and record.after != "unknown" else left

    is_as_left = now is None or settings_files.digest(now) == record.after
    after = bare(now) if not is_as_left else None if now is None else record.before
    gone = _gone(record, now, after, is_as_left or after == record.before)
    is_state = record.path.endswith(registrar(record.host).STATES)
    return replace(gone, edit=replace(gone.edit, anew=bare)) if is_state else gone


def _kept_out(chosen: list[Record], everything: list[Record]) -> list[Gone]:
    """Our lines in the exclude files of the projects whose settings go, unless a work tree that shares one needs it."""
    leaving = {one.root for one in chosen if one.root}
    touched = {settings_files.exclude_file(root) for root in leaving}
    others = [one for one in everything if one.root and one.host != settings_files.GIT and one not in chosen]
    places = {root: settings_files.exclude_file(root) for root in {one.root for one in others}}
    found = []
    for record in everything:
        if record.host != settings_files.GIT or not (record.root in leaving or record.path in touched):
            continue
        needed = {settings_files.line_of(one.path, one.root) for one in others if places[one.root] == record.path}
        going = [line for line in record.own_lines if line not in needed]
        if going:
            found.append(_without_lines(record, going))
    return found


def _without_lines(record: Record, going: Sequence[str]) -> Gone:
    now = registration.read(record.path)
    lines = record.own_lines
    staying = tuple(line for line in lines if line not in going)
    is_as_left = settings_files.digest(now) == record.after
    bare = None if now is None else record.before if is_as_left else settings_files.without_lines(now, lines)
    if bare is not None and record.before is None and json_hooks.is_bare(bare):
        bare = None
    if not staying or now is None:
        return _gone(record, now, bare, is_exact=bare == record.before)
    after = settings_files.without_lines(now, going)
    kept = replace(record, before=bare, after=settings_files.digest(after), lines=staying)
    return replace(_gone(record, now, after, is_exact=False), keeps=kept)


def _gone(record: Record, now: bytes | None, after: bytes | None, is_exact: bool) -> Gone:
    return Gone(record.host, Edit(record.path, now, after), record.folders, is_exact, added(after, now))


def apply(removal: Removal, env: Mapping[str, str]) -> None:
    apply_files(removal.files, env)
    if removal.timer:
        timer.remove(removal.timer, env)
    for path in removal.programs:
        Path(path).unlink(missing_ok=True)
    records = settings_files.records_folder(env)
    if removal.programs or not registration.launcher_path(env).exists():
        launcher.remove_folders(env)
        for folder in (records, records.parent):
            for name in platform.names(str(folder)):
                if name.endswith((".tmp", ".new")):  # of inits that were killed
                    platform.remove(f"{folder}/{name}")
        settings_files.remove_folders((str(records.parent), str(records)))
        settings_files.remove_folders(vault_id.forget_here(env))
    elif records.is_dir():
        platform.sync_folder(str(records))


def apply_files(files: Iterable[Gone], env: Mapping[str, str]) -> None:
    """A record goes when nothing of what it describes is left to do; git's go first, being found by the others."""
    files = list(files)
    for one in files:
        settings_files.sweep(one.edit.path)
        settings_files.write(one.edit)
    settings_files.remove_folders({folder for one in files if one.edit.after is None for folder in one.folders})
    for one in reversed(files):
        if one.keeps:
            settings_files.keep_record(env, one.keeps)
        else:
            settings_files.drop_record(env, one.edit.path)
