"""The help of a command, written from its signature and docstring; and the list of commands of a group."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from typing import TYPE_CHECKING

from holdfast.cli.command import HELP, Argument, Option, parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.cli.command import Parameter

WIDEST = 100
NAMES = {int: "N", float: "N"}


def text(name: str, function: Callable[..., None]) -> str:
    """Usage, purpose, arguments and options of one command."""
    known = parameters(function)
    arguments = [one for one in known if isinstance(one.about, Argument)]
    options = [one for one in known if isinstance(one.about, Option)]
    usage = " ".join([f"Usage: holdfast {name} [OPTIONS]", *(_usage(one) for one in arguments)])
    lines = [usage, "", *_wrapped(inspect.getdoc(function) or "", 2)]
    if arguments:
        lines += ["", "Arguments:", *_table((_usage(one), one.about.help) for one in arguments)]
    listed = [*((_spelled(one), _about(one)) for one in options), (", ".join(HELP), "Show this.")]
    return "\n".join([*lines, "", "Options:", *_table(listed)]) + "\n"


def listing(name: str, purpose: str, commands: Iterable[tuple[str, str]], options: Iterable[tuple[str, str]]) -> str:
    """The commands of the program, or of a group of them, each with its purpose in a line."""
    begin = " ".join(["Usage: holdfast", *([name] if name else []), "[OPTIONS] COMMAND [ARGS]..."])
    told = [*options, (", ".join(HELP), "Show this.")]
    lines = [begin, "", *_wrapped(purpose, 2), "", "Options:", *_table(told), "", "Commands:", *_table(commands)]
    return "\n".join(lines) + "\n"


def purpose(function: Callable[..., None]) -> str:
    """What a command does, in a line."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def _usage(one: Parameter) -> str:
    if one.about.metavar.startswith("["):
        return one.about.metavar
    bare = f"{one.title}..." if one.is_list else one.title
    return bare if one.is_required else f"[{bare}]"


def _spelled(one: Parameter) -> str:
    forms = ", ".join(sorted((form for form, _ in one.forms()), key=len))
    return forms if one.is_switch else f"{forms} {one.about.metavar or NAMES.get(one.kind, 'TEXT')}"


def _about(one: Parameter) -> str:
    has_default = not one.is_switch and one.default not in ("", None, inspect.Parameter.empty)
    return f"{one.about.help} (default: {one.default})" if has_default else one.about.help


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    listed = list(rows)
    column = min(30, max((len(left) for left, _ in listed), default=0)) + 4
    lines: list[str] = []
    for left, right in listed:
        first, *more = _wrapped(right, column) or [""]
        head = f"  {left}"
        if len(head) + 2 > column:
            lines.append(head)
            lines.append(first)
        else:
            lines.append(head.ljust(column) + first.lstrip())
        lines += more
    return [line.rstrip() for line in lines]


def _wrapped(told: str, indent: int) -> list[str]:
    width = min(WIDEST, shutil.get_terminal_size().columns)
    margin = " " * indent
    parts = [" ".join(part.split()) for part in told.split("\n\n")]
    filled = [
        textwrap.wrap(part, max(width, indent + 30), initial_indent=margin, subsequent_indent=margin) for part in parts
    ]
    return [line for nth, lines in enumerate(filled) for line in ([""] if nth else []) + lines]
