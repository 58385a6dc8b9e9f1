"""What `holdfast init` will do, and doing it.

Everything is planned before anything is written: settings that are broken stop the whole of it. Each file's record is
on disk before the file changes, so a kill at any point leaves what the next init or uninstall completes. A second init
finds every line in place and changes no byte.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.errors import HoldfastError, UsageError
from holdfast.install import command, exclude, launcher, records, writing
from holdfast.install.hosts import REGISTRARS, Edit, Found, registrar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.install.hosts import Registrar, Scope


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

    @property
    def steps(self) -> list[Step]:
        return [*(step for agent in self.agents for step in agent.steps), *self.project]

    @property
    def changes(self) -> bool:
        """Whether any file of another program would change, or a link be made."""
        return bool(self.command.link) or any(step.edit.changes for step in self.steps)


def make(
    env: Mapping[str, str], cwd: str, agents: Sequence[str] = (), scope: Scope = "user", *, permissions: bool = True
) -> Plan:
    """For the hosts that are named, else for those on this machine. Reads, and writes nothing."""
    _look_at_vault(home.own_vault(env))
    top = exclude.root(cwd) if scope == "project" else ""
    chosen = []
    for host in known(agents) or [registrar(name) for name in REGISTRARS]:
        found = host.found(env)
        if found or agents:
            chosen.append(_agent(host, found, env, scope, cwd, top, permissions))
    own = [step.edit.path for agent in chosen for step in agent.steps if _is_below(step.edit.path, top)]
    kept_out = exclude.edit(top, own) if own else None
    project = (_step(exclude.HOST, None, kept_out, env, top),) if kept_out else ()
    path = launcher.launcher_path(env)
    line = launcher.registered_line("generic", env)
    return Plan(home.own_vault(env), str(path), command.decide(env), tuple(chosen), project, line)


def _look_at_vault(vault: str) -> None:
    """A folder, or nothing yet; what cannot become the vault is said before anything is written."""
    try:
        os.listdir(vault)
    except FileNotFoundError:
        return
    except OSError as error:
        what = f"{vault} cannot be the vault ({error.strerror}); nothing was changed."
        raise HoldfastError(f"{what} HOLDFAST_HOME names another.") from error


def known(agents: Sequence[str]) -> list[Registrar]:
    unknown = [name for name in agents if name not in REGISTRARS]
    if unknown:
        raise UsageError(
            f'"{unknown[0]}" is no agent that we know; nothing was changed. Known: {", ".join(REGISTRARS)}.'
        )
    return [registrar(name) for name in agents]


def _agent(
    host: Registrar, found: Found | None, env: Mapping[str, str], scope: Scope, cwd: str, top: str, permissions: bool
) -> Agent:
    edits = host.edits(env, scope, cwd, permissions=permissions)
    steps = tuple(_step(host.NAME, host, edit, env, top) for edit in edits)
    return Agent(host.NAME, host.TITLE, found, steps, host.notes(env, cwd))


def _step(name: str, host: Registrar | None, edit: Edit, env: Mapping[str, str], top: str) -> Step:
    return Step(name, edit, _base(host, edit, env), top)


def _base(host: Registrar | None, edit: Edit, env: Mapping[str, str]) -> bytes | None:
    """The file without us: as it was found at first, where that is known and nobody else has changed it since."""
    now, record = edit.before, records.of(env, edit.path)
    if record and records.digest(now) == record.after:
        return record.before
    if now is None or host is None:
        return record.before if record and host is None else now
    bare = host.without(edit.path, now, record.before if record else now, env)
    return None if record and record.before is None and is_bare(bare) else bare


def is_bare(data: bytes) -> bool:
    """Whether nothing of anybody is left in a file that we had made."""
    return data.strip() in (b"", b"{}")


def apply(plan: Plan, env: Mapping[str, str]) -> None:
    """Make the vault, the launcher and the command, then change the settings."""
    try:
        home.make_vault(plan.vault)
        launcher.ensure(env, "" if plan.command.is_plain else plan.command.words)
        command.make_link(plan.command.link, env)
    except OSError as error:
        raise HoldfastError(f"{error.filename} cannot be written ({error.strerror}); run init again.") from error
    for step in plan.steps:
        _apply(step, env)


def _apply(step: Step, env: Mapping[str, str]) -> None:
    path, record = step.edit.path, records.of(env, step.edit.path)
    if not step.edit.changes and (record is None or (step.root or not record.root)):
        return
    folders = writing.missing_folders(path) or list(record.folders if record else ())
    made = records.Record(
        host=step.host,
        path=path,
        root=step.root,
        before=step.base,
        after=records.digest(step.edit.after),
        folders=tuple(folders),
    )
    records.write(env, made)
    if step.edit.changes:
        writing.make_folders(folders)
        writing.replace(path, step.edit.before, step.edit.after)


def _is_below(path: str, top: str) -> bool:
    return bool(top) and path.startswith(f"{top.rstrip(os.sep)}/")
