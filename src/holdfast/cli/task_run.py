"""`holdfast task run`: a host for a task, headless or from cron. Its words and its stdout are the host's."""

from __future__ import annotations

import sys
from typing import Annotated

from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory
from holdfast.tasks.run.running import MOST, Wish


def run(
    ident: Annotated[str, Argument(metavar="ID", help="The task.")],
    command: Annotated[
        list[str],
        Argument(
            metavar="COMMAND",
            help='Such as claude -p "go on"; the memory goes before the prompt, or where {memory} stands.',
        ),
    ],
    max_sessions: Annotated[
        int | None, Option("--max-sessions", least=1, help=f"At most so many; 1, or {MOST} with --until-complete.")
    ] = None,
    until_complete: Annotated[
        bool, Option("--until-complete", help="One session after another until the task is completed.")
    ] = False,
) -> None:
    """Start an agent for a task, with the task's memory before its prompt; never two at once."""
    ran = Memory.here().task_run(Wish(ident, tuple(command), max_sessions or 0, until_complete))
    if ran.why and (ran.status or sys.stderr.isatty()):  # what went well is no mail of cron's
        output.echo(f"holdfast: {ran.why}", err=True)
    raise SystemExit(ran.status)
