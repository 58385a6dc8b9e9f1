"""What `holdfast init` will do, and doing it.

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
from holdfast.hosts.registration import Edit, Found
from holdfast.install import launcher, records, removal, writing
from holdfast.install import launcher as command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.hosts.registration import Registrar, Scope
    from holdfast.install.removal import Gone


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
class Plan:
    vault: str
    launcher: str
    command: command.Named
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
) -> Plan:
    """For the hosts that are named, else for those on this machine. Reads, and writes nothing."""
    _look_at_vault(home.own_vault(env))
    top = registration.root(cwd) if scope == "project" else ""
    named = command.decide(env)
    wanted = _Wanted(env, scope, cwd, top, named.words, permissions, server and not top)
    chosen = []
    for host in known(agents) or [registrar(name) for name in KNOWN]:
        found = host.found(env)
        if found or agents:
            chosen.append(_agent(host, found, wanted))
    own = [step.edit.path for agent in chosen for step in agent.steps if _is_below(step.edit.path, top)]
    kept_out = writing.edit(top, own) if own else None
    project = (_step(writing.HOST, None, kept_out, env, top),) if kept_out else ()
    return Plan(
        vault=home.own_vault(env),
        launcher=str(registration.launcher_path(env)),
        command=named,
        agents=tuple(chosen),
        project=project,
        generic_line=registration.registered_line("generic", env),
        makes=_missing(env, named),
        leaves=() if top else removal.superseded(env, [agent.name for agent in chosen], _paths(chosen)),
    )


def _paths(agents: Sequence[Agent]) -> set[str]:
    return {step.edit.path for agent in agents for step in agent.steps}


def _missing(env: Mapping[str, str], named: command.Named) -> tuple[str, ...]:
    stale = launcher.stale(env, _nudged(named))
    places = {"launcher": registration.launcher_path(env), "command": registration.command_path(env)}
    vault = () if home.format_of(home.own_vault(env)) else ("vault",)
    return (*vault, *(name for name, path in places.items() if path in stale))


def _nudged(named: command.Named) -> str:
    return "" if named.is_plain else named.words


def _look_at_vault(vault: str) -> None:
    """A folder, or nothing yet; what cannot become the vault is said before anything is written."""
    try:
        os.listdir(vault)
    except FileNotFoundError:
        return
    except OSError as error:
        what = f"{vault} cannot be the vault ({error.strerror}); nothing was changed."
        raise HoldfastError(f"{what} HOLDFAST_HOME names another.") from error


@dataclass(frozen=True)
class _Wanted:
    """What was asked for; the same for every host."""

    env: Mapping[str, str]
    scope: Scope
    cwd: str
    top: str
    words: str
    permissions: bool
    server: bool


def _agent(host: Registrar, found: Found | None, wanted: _Wanted) -> Agent:
    env, scope, cwd = wanted.env, wanted.scope, wanted.cwd
    can_serve = wanted.server and registration.can_serve()
    edits = host.edits(env, scope, cwd, wanted.words, permissions=wanted.permissions, server=can_serve)
    steps = tuple(_step(host.NAME, host, edit, env, wanted.top) for edit in edits)
    why_not = () if not wanted.server else host.server_notes(env) if can_serve else (registration.server_missing(),)
    return Agent(host.NAME, host.TITLE, found, steps, (*host.notes(env, cwd, scope), *why_not))


def _step(name: str, host: Registrar | None, edit: Edit, env: Mapping[str, str], top: str) -> Step:
    return Step(name, edit, _base(host, edit, env), top)


def _base(host: Registrar | None, edit: Edit, env: Mapping[str, str]) -> bytes | None:
    """The file without us: as it was found at first, where that is known and nobody else has changed it since."""
    now, record = edit.before, records.of(env, edit.path)
    if record and records.digest(now) == record.after:
        return record.before
    if now is None or (host is None and record is None):
        return now
    if host is None:
        bare = writing.without(now, writing.ours(record)) if record else now
    else:
        bare = host.without(edit.path, now, record.before if record else now, env)
    return None if record and record.before is None and json_hooks.is_bare(bare) else bare


def apply(plan: Plan, env: Mapping[str, str]) -> None:
    """Make the vault, the launcher and the command, then change the settings; a project's lines leave last, so that a
    kill between loses no boundary."""
    try:
        home.make_vault(plan.vault, env)
        launcher.ensure(env, _nudged(plan.command))
        if not command.make_link(plan.command.link, env):
            launcher.ensure(env, command.by_path(env))
    except OSError as error:
        raise HoldfastError(f"{error.filename} cannot be written ({error.strerror}); run init again.") from error
    for step in plan.steps:
        _apply(step, env)
    removal.apply_files(plan.leaves, env)


def _apply(step: Step, env: Mapping[str, str]) -> None:
    record = records.of(env, step.edit.path)
    if not step.edit.changes and (record is None or (step.root or not record.root)):
        return
    writing.write(step.edit, lambda edit: _record(replace(step, edit=edit), record, env))


def _record(step: Step, record: records.Record | None, env: Mapping[str, str]) -> None:
    """Write down what is about to be done. Of a host's own state nothing is kept that could be put back, so that it
    is always what the host has made of it since."""
    path, base, after = step.edit.path, step.base, records.digest(step.edit.after)
    if step.edit.kept:
        base = _base(registrar(step.host), step.edit, env)
        base, after = step.edit.kept(base), after if base is None else STATE
    folders = writing.missing_folders(path) or list(record.folders if record else ())
    made = records.Record(
        host=step.host,
        path=path,
        root=step.root,
        before=base,
        after=after,
        folders=tuple(folders),
        lines=_lines(step, record),
    )
    records.write(env, made)
    if step.edit.changes:
        writing.make_folders(folders)


def _lines(step: Step, record: records.Record | None) -> tuple[str, ...]:
    if step.host != writing.HOST:
        return ()
    return tuple(dict.fromkeys([*(writing.ours(record) if record else ()), *step.edit.added]))


def _is_below(path: str, top: str) -> bool:
    return bool(top) and path.startswith(f"{top.rstrip(os.sep)}/")
