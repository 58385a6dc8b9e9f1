"""Our server in the JSON file in which Claude Code keeps its state: put in, taken out, looked up.

The host writes that file itself, all the time, and may have keys of its user in it. So one key is changed and every
other character stays (outline), and what is kept for uninstall has nothing of the file but whether it had servers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.install import jsonc, jsonc_edit, outline, server, settings

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE = "mcpServers"
EXTRA = {"type": "stdio", "env": {}}


def is_place(path: str) -> bool:
    return path.endswith("/.claude.json")


def entry(env: Mapping[str, str]) -> dict[str, Any]:
    """As `claude mcp add` writes it."""
    return {"type": "stdio", "command": server.command(env), "args": server.ARGUMENTS, "env": {}}


def found(data: bytes | None, path: str) -> Any:
    """The entry of our name; None where there is none. Raises Broken."""
    root = _parsed(_text(data, path), path)
    table = root.get(TABLE)
    return table.get(server.NAME) if isinstance(table, dict) else None


def is_ours(one: Any) -> bool:
    return server.is_ours(one, EXTRA)


def with_server(data: bytes | None, env: Mapping[str, str], path: str) -> bytes | None:
    """With our entry; one that is not ours stays in its place. Raises Broken."""
    now, wanted = found(data, path), entry(env)
    if now == wanted or (now is not None and not is_ours(now)):
        return data
    short = outline.of(_text(data, path), TABLE, path)
    text, root = short.text, jsonc.parse(short.text)
    table, known = root.get(TABLE), root.get(TABLE, server.NAME, "command")
    if known:
        text = jsonc_edit.replaced(text, known, wanted["command"])
    elif table is None:
        text = jsonc_edit.put(text, (), {server.NAME: wanted}, TABLE, levels=1)
    elif table.kind == "object":
        text = jsonc_edit.put(text, (TABLE,), wanted, server.NAME)
    else:
        raise jsonc.Broken(f'"{TABLE}" is no object', short.text, table.start, path)
    return short.whole(text).encode("utf-8")


def without_server(data: bytes, before: bytes | None, path: str) -> bytes:
    """Without an entry of ours; `before`, as `remembered` made it, tells whether the table around it was there."""
    if not is_ours(found(data, path)):
        return data
    short = outline.of(_text(data, path), TABLE, path)
    table = jsonc.parse(short.text).get(TABLE)
    number = table.index(server.NAME) if table else -1
    known = _text(before, path) if before is not None else None
    return short.whole(settings.taken(short.text, (TABLE,), number, known)).encode("utf-8")


def remembered(data: bytes | None) -> bytes | None:
    """What is kept of the file from before: what its empty containers looked like, and no word of what it says."""
    if data is None or not data.strip():
        return data
    short = outline.of(data.decode("utf-8"), TABLE).text
    root = jsonc.parse(short)
    table = root.get(TABLE)
    if not root.items:
        return data
    if table is None:
        return b'{"other": 0}'
    inner = '{"other": 0}' if table.items else short[table.start : table.end]
    return f'{{"{TABLE}": {inner}}}'.encode()


def _text(data: bytes | None, path: str) -> str:
    """A file that is missing or empty counts as {}."""
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise jsonc.Broken("there are bytes that are no UTF-8 text", "", 0, path) from error
    return text if text.strip(jsonc.BLANK + jsonc.MARK) else text + "{}\n"


def _parsed(text: str, path: str) -> dict[str, Any]:
    try:
        root = json.loads(text.removeprefix(jsonc.MARK))
    except json.JSONDecodeError as error:
        raise jsonc.Broken("this is no JSON", text, error.pos, path) from error
    except (ValueError, RecursionError) as error:
        raise jsonc.Broken(f"this is no JSON ({error})", text, 0, path) from error
    if not isinstance(root, dict):
        raise jsonc.Broken("the document is no object", text, 0, path)
    return root
