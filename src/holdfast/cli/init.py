"""`holdfast init` makes vault and launcher and registers the hooks, `holdfast uninstall` takes all but the vault away,
and `holdfast demo` plays a whole life of a memory in a vault of its own."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import config, gate, home, platform, vault_id
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.install import messages, plan, removal

if TYPE_CHECKING:
    from holdfast.hosts.registration import Scope
    from holdfast.judge.selection import JudgeOffer as Offer


def init(
    agent: Annotated[list[str] | None, Option("--agent", help="Only this agent; may be repeated.")] = None,
    project: Annotated[bool, Option("--project", help="Only for this project, untracked by git.")] = False,
    yes: Annotated[bool, Option("--yes -y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be written.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON; does not ask.")] = False,
    no_permissions: Annotated[
        bool, Option("--no-permissions", help="Leave it to the agent's own questions whether it may flag.")
    ] = False,
    no_mcp: Annotated[
        bool, Option("--no-mcp", help="Do not register our server of the Model Context Protocol.")
    ] = False,
    new_vault: Annotated[
        bool, Option("--new-vault", help="The vault of before is gone, or replaced: go on with the one here.")
    ] = False,
) -> None:
    """Make the vault, and register the hooks in the agents on this machine. Shows the lines first."""
    from holdfast.judge import selection

    env, cwd = os.environ, platform.working_folder(os.environ)
    scope: Scope = "project" if project else "user"
    own = home.own_vault(env)
    if not new_vault:
        vault_id.refuse(own, env)
    wanted = plan.make(env, cwd, agent or [], scope, permissions=not no_permissions, server=not no_mcp)
    settings, works = config.load(home.state(home.own_vault(env))), selection.found(env)
    if not dry_run:
        by = gate.asker(env, cwd, home.capture_vault(env))
        gate.require(by, gate.Change(gate.PERMISSION), "Registering hooks and permissions")
    if new_vault and not dry_run:
        gate.require(by, gate.Change(gate.SETTING), "Beginning a new vault")
        if yes or json or agrees(f"Go on with the vault at {own} from now on?"):
            vault_id.begin_anew(own, env, time.time())
        else:
            output.echo("Nothing was changed.")
            return
    if json:
        if not dry_run:
            plan.apply(wanted, env)
        about = messages.as_data(settings, works)
        output.as_json(messages.init_as_data(wanted, env, cwd, written=not dry_run, judge=about))
        return
    output.lines(messages.init_lines(wanted, written=not dry_run, judge=messages.line(settings, works)))
    if dry_run:
        return
    if wanted.changes and not yes and not agrees("Write this?"):
        output.echo("Nothing was written.")
        return
    plan.apply(wanted, env)
    output.lines(messages.next_lines(wanted, env, cwd))
    if not yes and output.is_answered() and messages.may_ask(settings, works):
        choose_judge(works)


def agrees(question: str) -> bool:
    """Asks once where somebody can answer; where nobody can, the command itself was the answer."""
    return output.confirm(question, default=True) if output.is_answered() else True


def choose_judge(works: list[Offer]) -> None:
    """The question about the judge; no answer means no model."""
    from holdfast.judge import selection
    from holdfast.judge.choice import Settings

    output.lines(messages.question(works))
    while (answer := output.prompt("Which", "0", "0")).strip() not in messages.answers(works):
        output.echo(f"Say one of {', '.join(messages.answers(works))}.")
    offer = messages.answered(answer, works)
    wanted = offer.settings if offer else Settings()  # "no model" is written down too, so that it is asked once
    path = selection.write(home.state(home.own_vault(os.environ)), wanted)
    output.lines(messages.answer_lines(offer, path))


def uninstall(
    agent: Annotated[list[str] | None, Option("--agent", help="Only from this agent; may be repeated.")] = None,
    project: Annotated[bool, Option("--project", help="Only from this project's local settings.")] = False,
    yes: Annotated[bool, Option("--yes -y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON; does not ask.")] = False,
) -> None:
    """Give the agents' settings back as they were. Your vault stays."""
    env, cwd = os.environ, platform.working_folder(os.environ)
    wanted = removal.make(env, cwd, agent or [], "project" if project else "user")
    if not dry_run:
        by = gate.asker(env, cwd, home.own_vault(env))
        gate.require(by, gate.Change(gate.PERMISSION, gate.LIFTED), "Taking the hooks out")
    if json:
        if not dry_run:
            removal.apply(wanted, env)
        output.as_json(messages.uninstall_as_data(wanted, env, written=not dry_run))
        return
    output.lines(messages.uninstall_lines(wanted, in_full=dry_run))
    if dry_run:
        return
    if wanted.changes and not yes and not agrees("Remove this?"):
        output.echo("Nothing was changed.")
        return
    removal.apply(wanted, env)
    output.lines(messages.stays(env, cwd))


def demo(
    keep: Annotated[bool, Option("--keep", help="Leave the folder it was played in, and say where.")] = False,
) -> None:
    """Play a whole life: sessions, flags, kill -9, warning, heal, notes in git, undo. Touches nothing of yours."""
    from holdfast.install.demo import run

    run(output.echo, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"), keep=keep)
