"""Writing the choice into this machine's settings: [judge] in .state/config.toml, and not a byte of anything else.

The file is the user's own, with their comments and order, so it is edited in place and replaced whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import config, platform
from holdfast.errors import HoldfastError
from holdfast.judge.choice import TIMEOUT, VERBATIM, WORKERS

if TYPE_CHECKING:
    from tomlkit.items import Table

    from holdfast.judge.choice import Settings

SECTION = "judge"


def as_table(wanted: Settings) -> dict[str, Any]:
    """What is written for a choice: the name, and what differs from the defaults."""
    made: dict[str, Any] = {"name": wanted.name}
    if wanted.name != VERBATIM:
        made |= {name: getattr(wanted, name) for name in ("model", "url", "key_env") if getattr(wanted, name)}
    if wanted.workers != WORKERS:
        made["workers"] = wanted.workers
    if wanted.timeout != TIMEOUT:
        made["timeout"] = wanted.timeout
    return made


def edited(text: str, wanted: Settings) -> str:
    """The settings with this choice. What [judge] had of another judge goes; every comment stays. Raises ValueError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import Table

    try:
        document = tomlkit.parse(text)
        table = document.get(SECTION)
        if table is None:
            table = tomlkit.table()
            if text.strip():
                document.add(tomlkit.nl())
            document.add(SECTION, table)
        if not isinstance(table, Table):
            raise ValueError(f"{SECTION} is no table")
        fields = as_table(wanted)
        for name in ("name", "model", "url", "key_env", "workers", "timeout"):
            if name in fields and table.get(name) != fields[name]:
                table[name] = fields[name]
            elif name in table and name not in fields:
                _remove(table, name)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error


def _remove(table: Table, name: str) -> None:
    """A line goes; what the user wrote behind it stays where it was, as a line of its own."""
    from tomlkit.items import Comment, Trivia

    said = table[name].trivia.comment
    body = table.value.body
    at = next((at for at, (key, _) in enumerate(body) if key is not None and key.key == name), -1)
    indent = table[name].trivia.indent
    del table[name]
    if said and at >= 0:
        body[at] = (None, Comment(Trivia(indent=indent, comment=said)))


def write(state: str, wanted: Settings) -> str:
    """Put the choice down and return the path. Raises HoldfastError where the file cannot be read or written."""
    path = config.path_of(state)
    try:
        before = platform.read_regular(path, config.LARGEST).decode("utf-8")
    except FileNotFoundError:
        before = ""
    except (OSError, ValueError) as error:
        raise HoldfastError(f"{path} cannot be read ({error}); nothing was changed. Mend it in an editor.") from error
    try:
        after = edited(before, wanted)
    except ValueError as error:
        raise HoldfastError(f"{path} cannot be read ({error}); nothing was changed. Mend it in an editor.") from error
    if after != before:
        try:
            platform.make_folders(state)
            platform.write_atomic(path, after.encode("utf-8"), durable=True)
        except OSError as error:
            raise HoldfastError(f"{path} cannot be written ({error.strerror}); the choice is as it was.") from error
    return path
