"""The command line: a table of commands, of which only the one that is asked for is imported, and one error boundary.

An error of ours is one sentence on stderr and its exit status (docs/recovery.md); a traceback only with --debug.
"""

from __future__ import annotations

import os
import sys
import time

import holdfast
from holdfast.cli import fast, output
from holdfast.errors import HoldfastError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

TELL = "`holdfast doctor` looks for the cause; `holdfast --debug` before the same words shows where it was."
PURPOSE = "Memory for AI coding agents that writes itself."
GROUPS = {
    "project": "The projects that the vault knows.",
    "field": "The stores that the field is kept in.",
    "task": "The memory of long tasks: decisions, progress, discoveries, and where to begin next.",
}
# The commands of each module in this room. A function is named as its command, or as FUNCTIONS says. Those of the fast
# path stand in cli/fast.
MODULES = {
    "init": "init uninstall demo",
    "doctor": "doctor audit check ladder",
    "status": "status",
    "session": "boot close handoff",
    "queue": "queue,queue retry,log,drafts",
    "judge": "judge spend",
    "review": "review",
    "notes": "notes show prompts promote forget arm disarm loops",
    "field": "recall think highways embed",
    "field_store": "rebuild,field move",
    "sleep": "sleep density",
    "serve": "serve,page,serve token,serve address",
    "mcp": "mcp",
    "team": "team,team join,team sync,team accept,share,unshare",
    "team_owner": "team prepare,team add,team remove,team list",
    "vault": "history,undo,sync,trust,import,export,project list,project merge,project split",
    "task": "task start,task show,task list,task decisions,task pause,task resume,task block,task complete,"
    "task abandon,task reopen,task promote,task protocol,task run",
}
FUNCTIONS = {
    "import": "import_",
    "project list": "list_",
    "team list": "list_teams",
    "task show": "show_task",
    "task list": "list_tasks",
    "task promote": "promote_entries",
    "task protocol": "print_protocol",
}
COMMANDS = {
    name: f"{module}.{FUNCTIONS.get(name, name.rpartition(' ')[2])}"
    for module, names in MODULES.items()
    for name in names.split("," if "," in names else " ")
}
WRITES_THE_LAUNCHER = ("init", "doctor", "uninstall")  # anyway, or must not without being asked to
OPTIONS = (("--debug", "Show tracebacks."), ("--version", "Show the version."))


def main() -> None:
    """Run the command line of this process."""
    words = sys.argv[1:]
    debug = words[:1] == ["--debug"]
    words = words[debug:]
    try:
        if _named(words, fast.COMMANDS):
            run_fast = fast.dispatch if debug else fast.run
            sys.exit(run_fast(words, dict(os.environ), time.perf_counter_ns()))
        run(words)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # one sentence, whatever it was
        if debug:
            raise
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        print(sentence(error), file=sys.stderr)
        sys.exit(getattr(error, "exit_status", HoldfastError.exit_status))


def run(words: list[str]) -> None:
    """Run one command. Raises UsageError, and whatever the command raises."""
    if words[:1] == ["--version"]:
        output.echo(f"holdfast {holdfast.__version__}")
        return
    from holdfast.cli import command

    name = _named(words, COMMANDS)
    if not name:
        _list(words)
        return
    function, rest = function_of(name), words[1 + name.count(" ") :]
    if any(word in command.HELP for word in rest[: rest.index("--") if "--" in rest else None]):
        output.echo(command.text(name, function), nl=False)
        return
    given = command.read(name, function, rest)
    if name not in WRITES_THE_LAUNCHER:
        _refresh_launcher()
    function(**given)


def _named(words: list[str], known: Container[str]) -> str:
    """The one of these commands that a line runs, by its first two words or the first; "" for none."""
    both = " ".join(words[:2])
    return both if both in known else words[0] if words and words[0] in known else ""


def function_of(name: str) -> Callable[..., None]:
    from importlib import import_module

    module, _, function = COMMANDS[name].partition(".")
    found: Callable[..., None] = getattr(import_module(f"holdfast.cli.{module}"), function)
    return found


def listed(group: str = "") -> list[str]:
    """The commands that the help of the program, or of a group, lists."""
    known = {*COMMANDS, *fast.COMMANDS}
    if group:
        return sorted(name for name in known if name.startswith(f"{group} "))
    return sorted({name.partition(" ")[0] for name in known})


def _list(words: list[str]) -> None:
    """The commands of the program, or of the group that the words name. Raises UsageError."""
    from holdfast.cli import command

    group = words[0] if words and words[0] in GROUPS else ""
    rest = words[1:] if group else words
    if rest and rest[0] not in command.HELP:
        raise command.unknown(rest[0], group, listed(group))
    rows = [(name.removeprefix(f"{group} "), _purpose(name)) for name in listed(group)]
    output.echo(command.listing(group, GROUPS.get(group, PURPOSE), rows, () if group else OPTIONS), nl=False)
    if not rest:
        raise SystemExit(UsageError.exit_status)


def _purpose(name: str) -> str:
    from holdfast.cli import command

    if name in fast.COMMANDS:
        return fast.COMMANDS[name][1].strip().splitlines()[2].strip()
    return GROUPS[name] if name in GROUPS else command.purpose(function_of(name))


def _refresh_launcher() -> None:
    from holdfast.install import refresh

    try:
        refresh(os.environ)
    except OSError:
        pass  # a home that cannot be written keeps the launcher it has


def sentence(error: Exception) -> str:
    """An error and its causes, as the user reads them."""
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
