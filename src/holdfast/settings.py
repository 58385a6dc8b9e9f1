"""Settings of this machine, as a user chooses them: one table of .state/config.toml, and not a byte of anything else.

The file is the user's own, with their comments and order, so it is edited in place and replaced whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import config, platform
from holdfast.errors import HoldfastError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tomlkit.items import Table


def edited(text: str, section: str, fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """The settings with these fields in a table; those of `names` that are no longer there go, every comment stays.
    Raises ValueError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import Table

    try:
        document = tomlkit.parse(text)
        table = document.get(section)
        if table is None:
            table = tomlkit.table()
            if text.strip():
                document.add(tomlkit.nl())
            document.add(section, table)
        if not isinstance(table, Table):
            raise ValueError(f"{section} is no table")
        for name in names:
            if name in fields and table.get(name) != fields[name]:
                table[name] = fields[name]
            elif name in table and name not in fields:
                _remove(table, name)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error


def _remove(table: Table, name: str) -> None:
    """A line goes; what the user wrote behind it stays where it was, as a line of its own."""
    from tomlkit.items import Comment, Item, Trivia

    held = table.value.item(name)  # not table[name], which is a bare bool where the value is one
    said, indent = (held.trivia.comment, held.trivia.indent) if isinstance(held, Item) else ("", "")
    body = table.value.body
    at = next((at for at, (key, _) in enumerate(body) if key is not None and key.key == name), -1)
    del table[name]
    if said and at >= 0:
        body[at] = (None, Comment(Trivia(indent=indent, comment=said)))


def write(state: str, section: str, fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Write the choice down and return the path. Raises HoldfastError where the file cannot be read or written."""
    path = config.path_of(state)
    try:
        before = platform.read_regular(path, config.LARGEST).decode("utf-8") if platform.kind(path) else ""
        after = edited(before, section, fields, names)
    except (OSError, ValueError) as error:
        raise HoldfastError(f"{path} cannot be read ({error}); nothing was changed. Mend it in an editor.") from error
    if after != before:
        try:
            platform.make_folders(state)
            platform.write_atomic(path, after.encode("utf-8"), durable=True)
        except OSError as error:
            raise HoldfastError(f"{path} cannot be written ({error.strerror}); the choice is as it was.") from error
    return path


def choice(
    found: Mapping[str, Any], section: str, fields: Sequence[str], titles: Mapping[str, str], what: str
) -> dict[str, str]:
    """A table that names one of several: its name, else the first of `titles`, and its texts; another type counts as
    nothing. Raises UsageError for a name that is not there."""
    table = config.section(found, section)
    given = {one: table[one].strip() for one in ("name", *fields) if isinstance(table.get(one), str)}
    given["name"] = given.get("name") or next(iter(titles))
    refuse_unknown(given["name"], titles, what)
    return given


def refuse_unknown(name: str, titles: Mapping[str, str], what: str) -> None:
    """Raises UsageError."""
    if name not in titles:
        raise UsageError(f'"{name[:60]}" is no {what}; nothing was changed. There are {", ".join(titles)}.')
