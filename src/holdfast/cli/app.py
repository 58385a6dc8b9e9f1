"""The command line, put together, and its one error boundary.

An error of ours is one sentence on stderr and its exit status (docs/recovery.md); a traceback only with --debug.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer

import holdfast
from holdfast.cli import demo, fast, init, ledger, queue
from holdfast.errors import HoldfastError
from holdfast.install import launcher

app = typer.Typer(
    name="holdfast",
    help="Memory for AI coding agents that writes itself.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.command("demo")(demo.demo)
app.command("log")(ledger.log)
app.add_typer(queue.app, name="queue")


def _fast(name: str) -> None:
    """A command of the fast path, listed here and run there."""
    line = fast.COMMANDS[name][1].strip().splitlines()[2].strip()

    @app.command(
        name,
        help=line,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False},
    )
    def command(context: typer.Context) -> None:
        raise typer.Exit(fast.run([name, *context.args], dict(os.environ), time.perf_counter_ns()))


for _name in fast.COMMANDS:
    _fast(_name)


@app.callback()
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    context.obj = {"debug": debug}
    try:
        launcher.refresh_launcher(os.environ)
    except OSError:
        pass  # a home that cannot be written keeps the launcher it has
    if version:
        typer.echo(f"holdfast {holdfast.__version__}")
        raise typer.Exit()


def main() -> None:
    """Run the command line of this process."""
    try:
        app(prog_name="holdfast")
    except HoldfastError as error:
        if "--debug" in sys.argv:
            raise
        causes = []
        cause = error.__cause__
        while cause:
            causes.append(f"  because: {cause}")
            cause = cause.__cause__
        print(f"holdfast: {error}", *causes, sep="\n", file=sys.stderr)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
