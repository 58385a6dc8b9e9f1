"""`holdfast judge`: which model tidies the memory, if any."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated

from holdfast.capture import config, gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import Argument, Option


def judge(
    name: Annotated[
        str, Argument(help="verbatim, claude-code, codex, anthropic, openai or ollama.", metavar="[NAME]")
    ] = "",
    model: Annotated[str, Option("--model", metavar="M", help="Another model than its default.")] = "",
    url: Annotated[str, Option("--url", metavar="U", help="Of an OpenAI-compatible endpoint.")] = "",
    key_env: Annotated[str, Option("--key-env", metavar="VAR", help="The variable that holds the key.")] = "",
    workers: Annotated[int, Option("--workers", metavar="N", help="Calls at once.", least=0, most=64)] = 0,
    no_probe: Annotated[bool, Option("--no-probe", help="Write it without asking it once.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be written.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show which model tidies your memory and what else works here, or choose one. The default is none."""
    from holdfast.close.spend.budget import Budget
    from holdfast.judge import choosing, offers
    from holdfast.judge.choice import VERBATIM

    env, cwd = os.environ, platform.working_folder(os.environ)
    vault = home.own_vault(env)
    state = home.state(vault)
    settings = config.load(state)
    if not (name or model or url or key_env or workers):
        found = choosing.shown(settings, env, offers.found(env))
        output.as_json(found.as_record()) if json else _print(found.lines())
        return
    wanted = choosing.wanted(settings, name, model, url, key_env, workers)
    lines = choosing.preview(wanted, env)
    if dry_run:
        output.as_json({**asdict(wanted), "written": False}) if json else _print(lines)
        return
    home.refuse_newer(vault)
    gate.require(gate.asker(env, cwd, vault), gate.Change(gate.SETTING), "Choosing a judge")
    home.make_vault(vault)
    asks = not no_probe and wanted.name != VERBATIM
    if asks and not json:
        output.echo(f"Asking {wanted.name} one tiny question …")
    meter = Budget(state, choosing.as_chosen(settings, wanted), env=env) if asks else None
    done = choosing.choose(state, wanted, env, meter)
    output.as_json(done.as_record()) if json else _print(done.lines())


def _print(lines: list[str]) -> None:
    for line in lines:
        output.echo(line)
