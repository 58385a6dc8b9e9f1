"""Our server of the Model Context Protocol as hosts register it: what its entry says, and whose an entry is.

An entry is ours only while it is, word for word, one that init writes, whichever folder the stable command lies in.
Whatever else has our name is the user's: another program, our server registered by hand, or our entry with something
changed in it. Such a one is left as it is, and gets no permission from us. The command is the stable one, because
hosts start a server without a shell, and not always with the PATH of one.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from holdfast.install import launcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.install.hosts import Server

NAME = "holdfast"
ARGUMENTS = ["mcp"]
COMMAND = re.compile(r"/.*/holdfast/holdfast")  # the stable command, wherever the user's data lies
NEEDS = ("mcp", "mcp_types", "anyio")
ADDED_BY = 'pip install "holdfast[mcp]"'
WHAT = "The server of the Model Context Protocol"


def is_installed() -> bool:
    """Whether it could start here. Nothing is imported: that would take half a second."""
    return all(find_spec(name) is not None for name in NEEDS)


def command(env: Mapping[str, str]) -> str:
    return str(launcher.command_path(env))


def is_ours(entry: Any, extra: Mapping[str, Any]) -> bool:
    """Whether an entry is one that init writes; `extra` is what a host's entry has beside command and arguments."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return False
    rest = {key: value for key, value in entry.items() if key != "command"}
    return COMMAND.fullmatch(entry["command"]) is not None and rest == {"args": ARGUMENTS, **extra}


def words(entry: Any) -> tuple[str, ...]:
    """What an entry starts; () where it starts no program."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return ()
    given = entry.get("args")
    return (entry["command"], *(str(one) for one in (given if isinstance(given, list) else [])))


def missing() -> str:
    """What is said where it cannot start."""
    return f"{WHAT} is left out: `{ADDED_BY}` brings what it needs, then run init again."


def unread(why: str) -> str:
    what = f"{WHAT[0].lower()}{WHAT[1:]}"
    return f"{why.partition('; ')[0]}; the file is left as it is, and {what} is not registered there."


def foreign(path: str) -> str:
    what = f'{path} has a server "{NAME}" that init did not write as it stands'
    return f"{what}; it is left alone, and its tools get no permission."


def is_foreign(found: Server | None) -> bool:
    return found is not None and not found.is_ours


def stays(path: str, how: str) -> str:
    """What uninstall says of an entry that it does not take out."""
    return f'{path} still has a server "{NAME}", not as init wrote it, so it was left; `{how}` takes it out.'
