"""`holdfast init` makes vault and launcher and registers the hooks, `holdfast uninstall` takes all but the vault away,
and `holdfast demo` plays a whole life of a memory in a vault of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import config, gate, home, platform, vault_id
from holdfast.cli import output, timer_choice
from holdfast.cli.command import Option
from holdfast.install import messages, plan, removal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.hosts.registration import Scope
    from holdfast.install.demo_stage import Stage
    from holdfast.judge.selection import JudgeOffer as Offer

SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "BROWSER")  # what a browser needs to be opened


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
    timer: Annotated[
        bool, Option("--timer", help="Also register a timer that asks each hour whether sleep is due.")
    ] = False,
    no_timer: Annotated[bool, Option("--no-timer", help="No timer; one that is registered goes.")] = False,
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
    hourly = timer_choice.of_options(timer_is_wanted=timer, no_timer=no_timer, project=project)
    wanted = plan.make(env, cwd, agent or [], scope, permissions=not no_permissions, server=not no_mcp)
    settings, works = config.load(home.state(home.own_vault(env))), selection.found(env)
    if not dry_run:
        by = gate.asker(env, cwd, home.capture_vault(env))
        gate.require(by, gate.Change(gate.PERMISSION), "Registering hooks and permissions")
        if hourly.is_said:
            gate.require(by, gate.Change(gate.SETTING), "Setting the timer")
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
            hourly.apply()
        about = messages.as_data(settings, works)
        data = messages.init_as_data(wanted, env, cwd, written=not dry_run, judge=about)
        output.as_json({**data, "timer": hourly.as_data()})
        return
    output.lines(messages.init_lines(wanted, written=not dry_run, judge=messages.line(settings, works)))
    output.lines(hourly.lines(written=not dry_run))
    if dry_run:
        return
    if (wanted.changes or hourly.changes) and not yes and not agrees("Write this?"):
        output.echo("Nothing was written.")
        return
    plan.apply(wanted, env)
    hourly.apply()
    output.lines(messages.next_lines(wanted, env, cwd))
    output.lines(hourly.done_lines())
    is_asked = not yes and output.is_answered()
    has_chosen = bool(config.section(settings, "judge").get("name"))  # once is enough: nobody is asked again
    if is_asked and works and not has_chosen:
        choose_judge(works)
    if is_asked and not (hourly.is_said or project):
        timer_choice.offer(by, settings)


def agrees(question: str) -> bool:
    """Asks once where somebody can answer; where nobody can, the command itself was the answer."""
    return output.confirm(question, default=True) if output.is_answered() else True


def choose_judge(works: list[Offer]) -> None:
    """The question about the judge. The default is no model: nobody's memory goes to one, and nobody's quota is spent,
    unasked."""
    from holdfast.judge import selection
    from holdfast.judge.choice import Settings

    can = "A cheap model can tidy what is flagged: merge it, keep notes short, write handoffs."
    output.lines((f"{can} It is yours to choose:", f"  0  {messages.NO_MODEL}"))
    output.lines(f"  {at}  {one.name} ({one.model}): {one.detail}" for at, one in enumerate(works, 1))
    answers = ("0", *(str(nth) for nth in range(1, len(works) + 1)), *(one.name for one in works))
    while (answer := output.prompt("Which", "0", "0")).strip() not in answers:
        output.echo(f"Say one of {', '.join(answers)}.")
    offer = answered(answer, works)
    wanted = offer.settings if offer else Settings()  # "no model" is written down too, so that it is asked once
    path = selection.write(home.state(home.own_vault(os.environ)), wanted)
    if offer is None:
        output.echo("No model is used. `holdfast judge` shows what works here, and changes it.")
    else:
        sure = f"`{offer.command}` asks it one tiny question to be sure"
        output.echo(f"{offer.name} is the judge from now on ({path}); {sure}.")


def answered(text: str, offers: Sequence[Offer]) -> Offer | None:
    """The offer that an answer means, a number or a name; None for no model."""
    word = text.strip()
    if word.isdecimal() and 1 <= int(word) <= len(offers):
        return offers[int(word) - 1]
    return next((one for one in offers if one.name == word), None)


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
    page: Annotated[bool, Option("--page", help="Then show it in a browser, until Ctrl-C.")] = False,
) -> None:
    """Play a whole life: sessions, flags, kill -9, warning, heal, notes in git, undo. Touches nothing of yours."""
    from holdfast.install.demo import run

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    run(output.echo, colour=colour, keep=keep, then=_show_page if page else lambda _: None)


def _show_page(stage: Stage) -> None:
    """The page of what was played, until Ctrl-C."""
    output.echo("\nWhat it left, in a browser. Ctrl-C ends it.")
    screen = {name: os.environ[name] for name in SCREEN if name in os.environ}
    command = [sys.executable, "-P", "-m", "holdfast", "page", "--port", "0"]
    with suppress(KeyboardInterrupt):
        subprocess.run(command, env={**stage.env, **screen}, cwd=stage.project, check=False)
