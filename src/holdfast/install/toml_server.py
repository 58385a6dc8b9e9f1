"""Our server in Codex's config.toml: put in, taken out, looked up.

Spliced and checked as the writable roots are (toml_roots): the document must mean what it meant, with that one table
more or less; where it would not, nothing is changed. Codex hands a server few variables, so ours are named.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from holdfast.install import jsonc_edit, server, toml_roots

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE = "mcp_servers"
VARIABLES = ["HOLDFAST_HOME", "HOLDFAST", "HOLDFAST_SESSION", "HOLDFAST_HOST", "HOLDFAST_CLOSE"]
EXTRA = {"env_vars": VARIABLES}
HEADER = re.compile(rf"^[ \t]*\[[ \t]*{TABLE}[ \t]*\.[ \t]*{server.NAME}[ \t]*\][ \t]*(#[^\r\n]*)?\r?$", re.MULTILINE)
NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)


def entry(env: Mapping[str, str]) -> dict[str, Any]:
    return {"command": server.command(env), "args": server.ARGUMENTS, **EXTRA}


def found(data: bytes | None, path: str) -> Any:
    """The table of our name; None where there is none. Raises Broken."""
    tables = toml_roots.parse(data, path).get(TABLE)
    return tables.get(server.NAME) if isinstance(tables, dict) else None


def is_ours(one: Any) -> bool:
    return server.is_ours(one, EXTRA)


def with_server(data: bytes | None, env: Mapping[str, str], path: str) -> bytes | None:
    """With our table; one that is not ours stays in its place. None where the text is written in a way that we leave
    alone."""
    now, mine = found(data, path), entry(env)
    if now == mine or (now is not None and not is_ours(now)):
        return data or b""
    bare = without_server(data or b"", None)
    wanted = toml_roots.parse(bare, path)
    if not isinstance(wanted.setdefault(TABLE, {}), dict) or server.NAME in wanted[TABLE]:
        return None
    wanted[TABLE][server.NAME] = mine
    text = bare.decode("utf-8")
    end = jsonc_edit.line_end(text)
    gap = "" if not text else end if text.endswith(("\n", "\r")) else end * 2
    lines = [f"[{TABLE}.{server.NAME}]", *(f"{key} = {_shown(value)}" for key, value in mine.items())]
    return toml_roots.first([f"{text}{gap}{end.join(lines)}{end}"], wanted)


def _shown(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


def without_server(data: bytes, before: bytes | None) -> bytes:
    """Without a table of ours, and without the line breaks that were put before it."""
    if not is_ours(found(data, "")):
        return data
    wanted = toml_roots.parse(data, "")
    del wanted[TABLE][server.NAME]
    bare = {key: value for key, value in wanted.items() if key != TABLE or value}
    candidates = _removals(data.decode("utf-8"), before)
    taken = toml_roots.first(candidates, bare)
    taken = toml_roots.first(candidates, wanted) if taken is None else taken
    if taken is None:
        return data
    return before if before is not None and taken.rstrip(b"\r\n") == before else taken


def _removals(text: str, before: bytes | None) -> list[str]:
    """Without the lines of the table, up to its last one, and as many line breaks before it as were put there. A
    comment that somebody wrote into it stays."""
    header = HEADER.search(text)
    if not header:
        return []
    following = NEXT.search(text, header.end())
    lines = text[header.start() : following.start() if following else len(text)].splitlines(keepends=True)
    size = max(number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#"))
    rest = "".join([*(line for line in lines[:size] if line.lstrip().startswith("#")), *lines[size:]])
    rest += text[following.start() :] if following else ""
    breaks = 2 if before and not before.endswith((b"\n", b"\r")) else 1
    return [_shorter(text[: header.start()], number) + rest for number in range(breaks, -1, -1)]


def _shorter(text: str, breaks: int) -> str:
    for _ in range(breaks):
        text = text.removesuffix("\n").removesuffix("\r")
    return text
