"""The plan of `holdfast init`, and doing it.

Everything is planned before anything is written: settings that are broken stop the whole of it. Each file's record is
on disk before the file changes, so a kill at any point leaves what the next init or uninstall completes. A second init
finds every line in place and changes no byte.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.hosts import KNOWN, json_hooks, registration
from holdfast.hosts.host import known, registrar
from holdfast.install import launcher, removal, settings_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.hosts.registration import Edit, Found, Registrar, Scope
    from holdfast.install.launcher import Named
    from holdfast.install.removal import Gone
    from holdfast.install.settings_files import Record

STATE = "state"  # in place of the digest of a file that its host keeps


@dataclass(frozen=True)
class Step:
    """One file of another program, and what uninstall is to give back."""

    host: str
    edit: Edit
    base: bytes | None
    root: str


@dataclass(frozen=True)
class Agent:
    """One host, as init shows it."""

    name: str
    title: str
    found: Found | None
    steps: tuple[Step, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class InstallPlan:
    """Everything that init is going to do."""

    vault: str
    launcher: str
    command: Named
    agents: tuple[Agent, ...]
    project: tuple[Step, ...]  # what keeps a project's settings out of its git
    generic_line: str  # for agents that have no registrar yet
    makes: tuple[str, ...] = ()  # of the vault, the launcher and the command, what is not in place yet
    leaves: tuple[Gone, ...] = ()  # projects' files whose lines the user's own make superfluous

    @property
    def steps(self) -> list[Step]:
        return [*(step for agent in self.agents for step in agent.steps), *self.project]

    @property
    def changes(self) -> bool:
        """Whether any file of another program would change, or a link be made."""
        edits = [*(step.edit for step in self.steps), *(gone.edit for gone in self.leaves)]
        return bool(self.command.link) or any(edit.changes for edit in edits)


def make(
    env: Mapping[str, str],
    cwd: str,
    agents: Sequence[str] = (),
    scope: Scope = "user",
    *,
    permissions: bool = True,
    server: bool = True,
) -> InstallPlan:
    """For the hosts that are named, else for those on this machine. Reads, and writes nothing."""
    vault = home.own_vault(env)
    _look_at_vault(vault)
    top = registration.root(cwd) if scope == "project" else ""
    named = launcher.decide(env)
    server = server and not top
    can_serve = server and registration.can_serve()
    chosen = []
    for host in known(agents) or [registrar(name) for name in KNOWN]:
        found = host.found(env)
        if not found and not agents:
            continue
        edits = host.edits(env, scope, cwd, named.words, permissions=permissions, server=can_serve)
        steps = tuple(Step(host.NAME, edit, _base(host, edit, env), top) for edit in edits)
        why_not = () if not server else host.server_notes(env) if can_serve else (registration.server_missing(),)
        chosen.append(Agent(host.NAME, host.TITLE, found, steps, (*host.notes(env, cwd, scope), *why_not)))
    paths = [step.edit.path for agent in chosen for step in agent.steps]
    own = [path for path in paths if top and path.startswith(f"{top.rstrip(os.sep)}/")]
    kept_out = settings_files.exclusion(top, own) if own else None
    stale = launcher.stale(env, named.nudged)
    places = {"launcher": registration.launcher_path(env), "command": registration.command_path(env)}
    missing = [name for name, path in places.items() if path in stale]
    return InstallPlan(
        vault=vault,
        launcher=str(registration.launcher_path(env)),
        command=named,
        agents=tuple(chosen),
        project=(Step(settings_files.GIT, kept_out, _base(None, kept_out, env), top),) if kept_out else (),
        generic_line=registration.registered_line("generic", env),
        makes=(*(() if home.format_of(vault) else ("vault",)), *missing),
        leaves=() if top else removal.superseded(env, [agent.name for agent in chosen], set(paths)),
    )


def _look_at_vault(vault: str) -> None:
    """Raises HoldfastError, before anything is written, where the vault is something else than a folder."""
    try:
        os.listdir(vault)
    except FileNotFoundError:
        return
    except OSError as error:
        what = f"{vault} cannot be the vault ({error.strerror}); nothing was changed."
        raise HoldfastError(f"{what} HOLDFAST_HOME names another.") from error


def _base(host: Registrar | None, edit: Edit, env: Mapping[str, str]) -> bytes | None:
    """The file without us: as it was found at first, where that is known and nobody else has changed it since."""
    now, record = edit.before, settings_files.record_of(env, edit.path)
    if record and settings_files.digest(now) == record.after:
        return record.before
    if now is None or (host is None and record is None):
        return now
    if host is not None:
        bare = host.without(edit.path, now, record.before if record else now, env)
    else:
        bare = settings_files.without_lines(now, record.own_lines if record else ())
    return None if record and record.before is None and json_hooks.is_bare(bare) else bare


def apply(plan: InstallPlan, env: Mapping[str, str]) -> None:
    """Make the vault, the launcher and the command, then change the settings; a project's lines leave last, so that a
    kill between loses no boundary."""
    try:
        home.make_vault(plan.vault, env)
        launcher.ensure(env, plan.command.nudged)
        if not launcher.make_link(plan.command.link, env):
            launcher.ensure(env, launcher.by_path(env))
    except OSError as error:
        raise HoldfastError(f"{error.filename} cannot be written ({error.strerror}); run init again.") from error
    for step in plan.steps:
        _apply(step, env)
    removal.apply_files(plan.leaves, env)


def _apply(step: Step, env: Mapping[str, str]) -> None:
    record = settings_files.record_of(env, step.edit.path)
    if not step.edit.changes and (record is None or (step.root or not record.root)):
        return
    settings_files.write(step.edit, lambda edit: _record(replace(step, edit=edit), record, env))


def _record(step: Step, record: Record | None, env: Mapping[str, str]) -> None:
    """Write down what is about to be done. Of a host's own state nothing is kept that could be put back, so that it
    is always what the host has made of it since."""
    path, base, after = step.edit.path, step.base, settings_files.digest(step.edit.after)
    if step.edit.kept:
        base = _base(registrar(step.host), step.edit, env)
        base, after = step.edit.kept(base), after if base is None else STATE
    folders = settings_files.missing_folders(path) or list(record.folders if record else ())
    lines = [*(record.own_lines if record else ()), *step.edit.added] if step.host == settings_files.GIT else []
    made = (step.host, path, step.root, base, after, tuple(folders), tuple(dict.fromkeys(lines)))
    settings_files.keep_record(env, settings_files.Record(*made))
    if step.edit.changes:
        settings_files.make_folders(folders)
