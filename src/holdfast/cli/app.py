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
from holdfast.cli import (
    arm,
    audit,
    boot,
    check,
    close,
    demo,
    doctor,
    drafts,
    embed,
    export,
    fast,
    forget,
    handoff,
    highways,
    history,
    importing,
    init,
    judge,
    ledger,
    loops,
    mcp,
    notes,
    project,
    promote,
    prompts,
    queue,
    rebuild,
    recall,
    review,
    serve,
    spend,
    sync,
    task,
    think,
    trust,
    uninstall,
)
from holdfast.errors import HoldfastError
from holdfast.install import launcher

TELL = "`holdfast doctor` looks for the cause; `holdfast --debug` before the same words shows where it was."
app = typer.Typer(
    name="holdfast",
    help="Memory for AI coding agents that writes itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.command("uninstall")(uninstall.uninstall)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("log")(ledger.log)
app.command("boot")(boot.boot)
app.command("close")(close.close)
app.command("judge")(judge.judge)
app.command("spend")(spend.spend)
app.command("loops")(loops.loops)
app.command("audit")(audit.audit)
app.command("notes")(notes.notes)
app.command("show")(notes.show)
app.command("prompts")(prompts.prompts)
app.command("recall")(recall.recall)
app.command("think")(think.think)
app.command("highways")(highways.highways)
app.command("embed")(embed.embed)
app.command("rebuild")(rebuild.rebuild)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("handoff")(handoff.handoff)
app.command("drafts")(drafts.drafts)
app.command("promote")(promote.promote)
app.command("forget")(forget.forget)
app.command("trust")(trust.trust)
app.command("check")(check.check)
app.command("review")(review.review)
app.command("arm")(arm.arm)
app.command("disarm")(arm.disarm)
app.command("history")(history.history)
app.command("undo")(history.undo)
app.command("sync")(sync.sync)
app.command("import")(importing.import_)
app.command("export")(export.export)
app.add_typer(project.app, name="project")
app.add_typer(queue.app, name="queue")
app.add_typer(task.app, name="task")


def _fast(name: str) -> None:
    """A command of the fast path, listed here and run there."""
    line = fast.COMMANDS[name][1].strip().splitlines()[2].strip()
    place = task.app if name.startswith("task ") else app

    @place.command(
        name.rpartition(" ")[2],
        help=line,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False},
    )
    def command(context: typer.Context) -> None:
        raise typer.Exit(fast.dispatch([*name.split(), *context.args], dict(os.environ), time.perf_counter_ns()))


for _name in fast.COMMANDS:
    _fast(_name)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"holdfast {holdfast.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,  # noqa: ARG001
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand in ("init", "doctor", "uninstall"):
        return  # which write it anyway, or without being asked to must not
    try:
        launcher.refresh_launcher(os.environ)
    except OSError:
        pass  # a home that cannot be written keeps the launcher it has


def main() -> None:
    """Run the command line of this process."""
    words = sys.argv[1:]
    debug = words[:1] == ["--debug"]
    try:
        if fast.name_of(words[debug:]) in fast.COMMANDS:
            # Not through typer: it would swallow the two dashes before a text.
            run = fast.dispatch if debug else fast.run
            sys.exit(run(words[debug:], dict(os.environ), time.perf_counter_ns()))
        app(prog_name="holdfast")
    except Exception as error:  # one sentence, whatever it was
        if debug:
            raise
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        print(sentence(error), file=sys.stderr)
        sys.exit(getattr(error, "exit_status", HoldfastError.exit_status))


def sentence(error: Exception) -> str:
    """What happened, and the causes beneath it."""
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"holdfast: {place}{error.strerror or error}; nothing that was saved is lost. docs/recovery.md helps."
    if not isinstance(error, HoldfastError):
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return f"holdfast: {what}; nothing that was saved is lost. {TELL}"
    lines = [f"holdfast: {error}"]
    cause = error.__cause__
    while cause:
        lines.append(f"  because: {cause}")
        cause = cause.__cause__
    return "\n".join(lines)
