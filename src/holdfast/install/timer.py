"""The timer that asks each hour whether sleep is due: a systemd user timer, else a line in the crontab.

Like every line of ours in other programs' files it is planned and shown before it is written, written only with the
user's yes, and on record before it is there, so that uninstall gives back exactly what was there. A unit file that the
user changed since stays theirs: the timer ends, the file is left and said. One kind is registered at a time: the one
on record, whether or not its manager answers at this moment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import platform
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.hosts.registration import Edit
from holdfast.install import crontab, launcher, settings_files, systemd_timer
from holdfast.install.settings_files import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "timer"  # in records, in place of a host
SYSTEMD, CRON = "systemd", "cron"
TITLES = {SYSTEMD: "a systemd user timer", CRON: "a line in your crontab"}
CARRIED = ("HOLDFAST_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
NEITHER = (
    "neither a systemd user manager nor the crontab command answers here; sleep still runs after closes and `serve`"
)


@dataclass(frozen=True)
class TimerPlan:
    """The timer as init would leave it. `kind` is "" where none can be had, and `note` says why; `is_there` that it is
    on record already."""

    kind: str
    edits: tuple[Edit, ...] = ()
    note: str = ""
    is_there: bool = False

    @property
    def changes(self) -> bool:
        return any(edit.changes for edit in self.edits)

    @property
    def title(self) -> str:
        return TITLES.get(self.kind, "none")


@dataclass(frozen=True)
class TimerRemoval:
    """The timer without us. `left` are files that the user changed, which stay."""

    kind: str
    edits: tuple[Edit, ...] = ()
    left: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return any(edit.changes for edit in self.edits)


def records(env: Mapping[str, str]) -> list[Record]:
    return sorted((one for one in settings_files.records(env) if one.host == HOST), key=lambda one: one.path)


def registered(env: Mapping[str, str]) -> str:
    """The kind on record; "" where there is none."""
    known = records(env)
    return "" if not known else CRON if any(one.path == crontab.PLACE for one in known) else SYSTEMD


def make(env: Mapping[str, str]) -> TimerPlan:
    """The plan. Reads, and writes nothing."""
    kind = registered(env)
    if kind == SYSTEMD or (not kind and systemd_timer.answers(env)):
        return _systemd_plan(env, is_there=bool(kind))
    try:
        before = crontab.read(env)
    except HoldfastError as error:
        return TimerPlan(kind, note=str(error) if kind else NEITHER, is_there=bool(kind))
    return _cron_plan(env, before, is_there=bool(kind))


def _command(env: Mapping[str, str]) -> str:
    return str(registration.command_path(env))


def _carried(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that the command needs to find the vault, and the programs that a login shell finds."""
    given = {name: env[name] for name in CARRIED if env.get(name, "").startswith("/")}
    return {**given, "PATH": launcher.login(env)}


def _systemd_plan(env: Mapping[str, str], *, is_there: bool) -> TimerPlan:
    wanted = systemd_timer.texts(env, _command(env), _carried(env))
    if not systemd_timer.is_nameable(_command(env)) or any("\n" in text for text in _carried(env).values()):
        return TimerPlan("", note=f"systemd takes no program of this name ({_command(env)!r})")
    edits = []
    for path, text in wanted.items():
        before, record = registration.read(path), settings_files.record_of(env, path)
        is_ours = before in (None, text) or (record is not None and settings_files.digest(before) == record.after)
        if not is_ours:
            note = f"{path} is there and is not as init wrote it, so it is left alone"
            return TimerPlan(SYSTEMD if is_there else "", note=note, is_there=is_there)
        edits.append(Edit(path, before, text))
    return TimerPlan(SYSTEMD, tuple(edits), is_there=is_there)


def _cron_plan(env: Mapping[str, str], before: bytes | None, *, is_there: bool) -> TimerPlan:
    wanted = crontab.lines(_command(env), _carried(env))
    known = crontab.ours(before, _command(env))
    if known == wanted:
        return TimerPlan(CRON, (Edit(crontab.PLACE, before, before),), is_there=is_there)
    bare = before if before is None or not known else settings_files.without_lines(before, known)
    edit = Edit(crontab.PLACE, before, crontab.with_lines(bare, wanted), lines=wanted)
    return TimerPlan(CRON, (edit,), is_there=is_there)


def apply(plan: TimerPlan, env: Mapping[str, str]) -> None:
    """Write it down, put it in place and have it run. A second time changes nothing. Raises HoldfastError."""
    if plan.kind == CRON:
        for edit in plan.edits:
            _keep_cron(edit, env)
            crontab.write(env, edit.before, edit.after)
        return
    for edit in plan.edits:
        known = settings_files.record_of(env, edit.path)
        missing = settings_files.missing_folders(edit.path)
        folders = dict.fromkeys([*(known.folders if known else ()), *missing])  # also those that a killed init made
        made = Record(HOST, edit.path, "", None, settings_files.digest(edit.after), tuple(folders))
        if made != known:
            settings_files.keep_record(env, made)
        settings_files.make_folders(missing)
        settings_files.write(edit)
    if plan.edits and (refused := systemd_timer.enable(env)):
        raise HoldfastError(
            f"The timer's files are in place, but systemd did not start it ({refused}); nothing else is missing. "
            "`holdfast init --timer` tries again, `holdfast init --no-timer` takes them away."
        )


def _keep_cron(edit: Edit, env: Mapping[str, str]) -> None:
    """The crontab as it was before us, as far as that is known."""
    if not edit.changes:
        return
    known, now = settings_files.record_of(env, crontab.PLACE), edit.before
    is_as_left = known is not None and settings_files.digest(now) == known.after
    found = crontab.ours(now, _command(env))
    base = known.before if known and is_as_left else settings_files.without_lines(now, found) if now else now
    made = Record(HOST, crontab.PLACE, "", base, settings_files.digest(edit.after), lines=edit.lines)
    settings_files.keep_record(env, made)


def removal(env: Mapping[str, str]) -> TimerRemoval | None:
    """The plan of taking it away; None where there is none. Reads, and writes nothing."""
    kind = registered(env)
    if not kind:
        return None
    edits: list[Edit] = []
    left: list[str] = []
    folders: list[str] = []
    for one in records(env):
        if one.path == crontab.PLACE:
            try:
                edits.append(_without_cron(one, crontab.read(env), env))
            except HoldfastError as error:
                left.append(f"{crontab.PLACE} ({error})")
            continue
        now = registration.read(one.path)
        if now is not None and settings_files.digest(now) != one.after:
            left.append(one.path)
        else:
            edits.append(Edit(one.path, now, None))
            folders += one.folders
    return TimerRemoval(kind, tuple(edits), tuple(left), tuple(folders))


def _without_cron(record: Record, now: bytes | None, env: Mapping[str, str]) -> Edit:
    if settings_files.digest(now) == record.after:
        return Edit(crontab.PLACE, now, record.before)
    found = crontab.ours(now, _command(env))
    bare = settings_files.without_lines(now, found) if now else now
    return Edit(crontab.PLACE, now, None if record.before is None and not bare else bare)


def remove(plan: TimerRemoval, env: Mapping[str, str]) -> None:
    """End the timer, then take its files away; a record goes when nothing of what it describes is left to do, or what
    is left is the user's. Raises HoldfastError."""
    if plan.kind == SYSTEMD and systemd_timer.disable(env):
        _unlink(systemd_timer.link_path(env))  # no manager answers: the next one finds no link, and starts nothing
    for edit in plan.edits:
        if edit.path == crontab.PLACE:
            crontab.write(env, edit.before, edit.after)
        else:
            settings_files.write(edit)
    if plan.kind == SYSTEMD:
        systemd_timer.reload(env)
        settings_files.remove_folders({*plan.folders, os.path.dirname(systemd_timer.link_path(env))})
    done = {edit.path for edit in plan.edits}
    for one in records(env):
        if one.path != crontab.PLACE or one.path in done:  # else the next uninstall finds the line that is left
            settings_files.drop_record(env, one.path)


def _unlink(link: str) -> None:
    if os.path.islink(link):
        platform.remove(link)


def declined(config: Mapping[str, object]) -> bool:
    """Whether the user has said no before: asked once is enough."""
    section = config.get("sleep")
    return isinstance(section, dict) and section.get("timer") is False
