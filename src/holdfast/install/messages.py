"""The messages of init and uninstall, as lines for a person and as data for a program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from holdfast.capture import gitfiles, home
from holdfast.errors import UsageError
from holdfast.hosts import HOSTS, KNOWN, registration
from holdfast.hosts.host import registrar
from holdfast.install import settings_files
from holdfast.judge import choice
from holdfast.judge.choice import VERBATIM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.hosts.registration import Edit
    from holdfast.install.plan import InstallPlan, Step
    from holdfast.install.removal import Removal
    from holdfast.install.timer import TimerPlan, TimerRemoval
    from holdfast.judge.selection import JudgeOffer as Offer

IN_PLACE = "Everything was in place; no settings were changed."


def init_lines(plan: InstallPlan, *, written: bool, judge: str = "") -> Iterator[str]:
    """The plan file by file, with the exact lines, as done (or, where nothing is `written`, as it would be). `judge` is
    the line about it."""
    will = "will be" if written else "would be"
    yield f"vault     {plan.vault} ({f'{will} made' if 'vault' in plan.makes else 'is there'})"
    yield f"launcher  {plan.launcher} ({f'{will} written' if 'launcher' in plan.makes else 'is up to date'})"
    link = f" (the link {plan.command.link} {will} made)" if plan.command.link else ""
    yield f"command   {plan.command.words}{link}"
    if judge:
        yield judge
    for agent in plan.agents:
        version = f" {agent.found.version}" if agent.found and agent.found.version else ""
        yield f"{agent.title}{version}"
        yield from (f"  {note}" for note in agent.notes)
        for step in agent.steps:
            yield from _step_lines(step)
    for step in plan.project:
        yield from _step_lines(step)
    for one in plan.leaves:
        if one.edit.changes:
            twice = "because your own settings have them and they would run twice"
            why = "with them" if one.host == settings_files.GIT else twice
            yield f"  {one.edit.path}: our lines go, {why}"
            yield from (f"    - {line}" for line in one.removed)
    if not plan.agents:
        names = ", ".join(registrar(name).TITLE for name in KNOWN)
        yield f"No agent was found on this machine ({names}). Install one and run init again, or name it: --agent NAME."
        yield "For any other agent register this command for each of its hook events; its input is in docs/hook.md:"
        yield f"  {plan.generic_line}"


def _step_lines(step: Step) -> Iterator[str]:
    return _edit_lines(step.edit)


def _edit_lines(edit: Edit) -> Iterator[str]:
    if not edit.changes:
        yield f"  {edit.path}: has what it needs, nothing is added"
        return
    is_new = edit.before is None and edit.path.startswith("/")  # a crontab is no file of its own
    yield f"  {edit.path}: {'new file' if is_new else 'adds'}"
    yield from (f"    + {line}" for line in edit.added)


def timer_lines(plan: TimerPlan, *, written: bool) -> Iterator[str]:
    """The timer as it will be, or would be, with the exact lines."""
    if not plan.changes:
        yield f"timer     {plan.title} (is in place; each hour it asks whether sleep is due)"
        return
    will = "will be" if written else "would be"
    yield f"timer     {plan.title} ({will} registered; each hour it asks whether sleep is due)"
    for edit in plan.edits:
        yield from _edit_lines(edit)


def timer_gone_lines(gone: TimerRemoval, *, in_full: bool = False) -> Iterator[str]:
    for edit in gone.edits:
        what = "removed" if edit.after is None else "without our lines"
        yield f"timer: {edit.path} ({what})"
        if in_full:
            yield from (f"    - {line}" for line in registration.added(edit.after, edit.before))
    yield from (f"timer: {left} stays, because it is not as init wrote it" for left in gone.left)


def timer_as_data(plan: TimerPlan | None, kind: str) -> dict[str, Any]:
    """`kind` is the one that is registered; the files are those of the plan."""
    edits = plan.edits if plan else ()
    files = [{"path": edit.path, "changes": edit.changes, "added": list(edit.added)} for edit in edits]
    return {"registered": kind, "kind": plan.kind if plan else kind, "files": files}


def next_lines(plan: InstallPlan, env: Mapping[str, str], cwd: str) -> Iterator[str]:
    """The work that was done, and the next step."""
    damage = gitfiles.damage(home.vault(env, cwd))
    placed = "The settings were in place; none were changed." if damage else IN_PLACE
    yield " ".join(_done(plan)) or placed
    if damage:
        yield f"The vault's history looks damaged ({damage}): `holdfast doctor` says what to do."
    if plan.command.link and not os.path.lexists(plan.command.link):
        yield f"{plan.command.link} could not be made, so agents are told the path of the command; run init once more."
    for agent in plan.agents:
        yield from registrar(agent.name).after(env, cwd)
    if plan.agents:
        yield "`holdfast doctor` checks every link."


def _done(plan: InstallPlan) -> Iterator[str]:
    made = [f"the {name}" for name in plan.makes]
    if plan.command.link and os.path.lexists(plan.command.link):
        made.append(f"the link {plan.command.link}")
    if made:
        yield f"Made {' and '.join(filter(None, [', '.join(made[:-1]), made[-1]]))}."
    written = [step.edit.path for step in plan.steps if step.edit.changes]
    if written:
        yield f"Wrote {', '.join(written)}."
    gone = [one.edit.path for one in plan.leaves if one.edit.changes]
    if gone:
        yield f"Took our lines out of {', '.join(gone)}."
    if made and not (written or gone):
        yield "No settings were changed."


def init_as_data(
    plan: InstallPlan, env: Mapping[str, str], cwd: str, *, written: bool, judge: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "vault": plan.vault,
        "launcher": plan.launcher,
        "register": {host: registration.registered_line(host, env) for host in HOSTS},
        "written": written,
        "command": plan.command.words,
        "link": plan.command.link,
        "changes": plan.changes,
        "agents": [
            {
                "name": agent.name,
                "version": agent.found.version if agent.found else "",
                "files": [_as_data(step) for step in agent.steps],
                "notes": list(agent.notes),
                "next": list(registrar(agent.name).after(env, cwd)),
            }
            for agent in plan.agents
        ],
        "git": [_as_data(step) for step in plan.project],
        "removed": [{"path": one.edit.path, "removed": list(one.removed)} for one in plan.leaves if one.edit.changes],
        "judge": dict(judge or {}),
    }


def _as_data(step: Step) -> dict[str, Any]:
    return {"path": step.edit.path, "changes": step.edit.changes, "added": list(step.edit.added)}


def uninstall_lines(removal: Removal, *, in_full: bool) -> Iterator[str]:
    if not removal.changes:
        yield "There is nothing of holdfast in the settings of any agent."
    for one in removal.files:
        if not one.edit.changes:
            continue
        whose = "git" if one.host == settings_files.GIT else registrar(one.host).TITLE
        what = "removed" if one.edit.after is None else "as it was before" if one.is_exact else "without our lines"
        yield f"{whose}: {one.edit.path} ({what})"
        if in_full:
            yield from (f"    - {line}" for line in one.removed)
    if removal.timer:
        yield from timer_gone_lines(removal.timer, in_full=in_full)
    yield from (f"removed: {path}" for path in removal.programs)


def uninstall_as_data(removal: Removal, env: Mapping[str, str], *, written: bool) -> dict[str, Any]:
    return {
        "vault": home.own_vault(env),
        "written": written,
        "changes": removal.changes,
        "files": [
            {"path": one.edit.path, "exact": one.is_exact, "removed": list(one.removed)}
            for one in removal.files
            if one.edit.changes
        ],
        "programs": list(removal.programs),
        "timer": [edit.path for edit in removal.timer.edits] if removal.timer else [],
    }


def stays(env: Mapping[str, str], cwd: str) -> Iterator[str]:
    """The things that uninstall leaves, and how they would go."""
    yield f"Your vault stays: {home.own_vault(env)}. `holdfast init` brings everything back."
    for name in KNOWN:
        yield from registrar(name).left(env, cwd)


NO_MODEL = "no model: flags are filed as they were written"


def line(config: Mapping[str, Any], offers: Sequence[Offer]) -> str:
    """The line about the judge, below the vault and the launcher."""
    name = _name(config)
    if name != VERBATIM:
        return f"judge     {name} (as you chose; `holdfast judge` shows it)"
    how = f"`{offers[0].command}` changes it" if offers else "`holdfast judge --help` says what can be used"
    return f"judge     {VERBATIM}, {NO_MODEL} ({how})"


def as_data(config: Mapping[str, Any], offers: Sequence[Offer]) -> dict[str, Any]:
    return {"name": _name(config), "works": [one.as_record() for one in offers]}


def _name(config: Mapping[str, Any]) -> str:
    try:
        return choice.settings(config).name
    except UsageError:
        return VERBATIM
