"""Codex's config.toml: one folder more in `[sandbox_workspace_write] writable_roots`, our server, and out again.

Comments and order stay: tomlkit edits the roots, and our server is a block of lines at the end. Each edit is checked
by the standard library: the document must mean what it meant, with that one folder or table more or less. Where
it would not, nothing is changed and the user is told the line to add. Codex hands a server few variables, so ours are
named.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from holdfast.hosts import jsonc, registration
from holdfast.text.transcript import table_in

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE, KEY = "sandbox_workspace_write", "writable_roots"
SERVERS = "mcp_servers"
VARIABLES = ["HOLDFAST_HOME", "HOLDFAST", "HOLDFAST_SESSION", "HOLDFAST_HOST", "HOLDFAST_CLOSE"]
EXTRA = {"env_vars": VARIABLES}
SERVER_HEADER = re.compile(
    rf"^[ \t]*\[[ \t]*{SERVERS}[ \t]*\.[ \t]*{registration.SERVER}[ \t]*\][ \t]*(#[^\r\n]*)?\r?$", re.MULTILINE
)
NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)


def parse(data: bytes | None, path: str) -> dict[str, Any]:
    """The document. Raises Broken with the place."""
    text = jsonc.decoded(data, path)
    try:
        return meaning(text)
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).partition(" (at ")
        place = re.match(r"line (\d+), column (\d+)", where)
        lines = text.splitlines(keepends=True)
        at = len("".join(lines[: int(place[1]) - 1])) + int(place[2]) - 1 if place else len(text)
        raise jsonc.Broken(f"this is no TOML ({what})", text, at, path) from error


def roots(data: bytes | None, path: str = "") -> list[str]:
    found = table_in(parse(data, path), TABLE).get(KEY)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def with_root(data: bytes | None, folder: str, path: str) -> bytes | None:
    """With the folder among the roots; None where the text is written in a way that we leave alone."""
    if folder in roots(data, path):
        return data or b""
    wanted = parse(data, path)
    table = wanted.setdefault(TABLE, {})
    if not isinstance(table, dict) or not isinstance(table.setdefault(KEY, []), list):
        return None
    table[KEY].append(folder)
    return first([_with_roots((data or b"").decode("utf-8"), folder)], wanted)


def without_root(data: bytes, folder: str, before: bytes | None) -> bytes:
    """Without the folder, and without the table if it was not there before and is empty now."""
    known = parse(before, "") if before is not None else {}
    if folder not in roots(data) or folder in roots(before):
        return data
    if before is not None and with_root(before, folder, "") == data:
        return before
    wanted = parse(data, "")
    wanted[TABLE][KEY].remove(folder)
    if not wanted[TABLE][KEY] and KEY not in known.get(TABLE, {}):
        del wanted[TABLE][KEY]
        if not wanted[TABLE] and TABLE not in known:
            del wanted[TABLE]
    text = data.decode("utf-8")
    end = jsonc.line_end(text)
    ours = f"{end}[{TABLE}]{end}{KEY} = [{json.dumps(folder, ensure_ascii=False)}]{end}"
    taken = first([text.replace(ours, "", 1), _with_roots(text, folder, wanted)], wanted)
    return data if taken is None else taken


def _with_roots(text: str, folder: str, wanted: Mapping[str, Any] | None = None) -> str:
    """The text with one folder more; with one less, and without the containers that `wanted` does not have."""
    import tomlkit
    from tomlkit.items import InlineTable

    mark = jsonc.MARK * text.startswith(jsonc.MARK)
    end = jsonc.line_end(text) if "\n" not in text.replace("\r\n", "") else "\n"
    document: Any = tomlkit.parse(text.removeprefix(jsonc.MARK).replace(end, "\n"))
    if TABLE not in document:
        document.add(TABLE, tomlkit.table())
    table = document[TABLE]
    if isinstance(table, InlineTable):
        return ""
    if wanted is None:
        if KEY not in table:
            table[KEY] = tomlkit.array()
        table[KEY].append(folder)
    elif TABLE not in wanted:
        document.remove(TABLE)
    elif KEY not in wanted[TABLE]:
        del table[KEY]  # a table that lies in several places cannot remove
    else:
        table[KEY].remove(folder)
    return mark + str(document.as_string()).replace("\n", end)


def first(candidates: list[str], wanted: dict[str, Any]) -> bytes | None:
    for candidate in candidates:
        try:
            if meaning(candidate) == wanted:
                return candidate.encode("utf-8")
        except tomllib.TOMLDecodeError:
            continue
    return None


def meaning(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix(jsonc.MARK).replace("\r\n", "\n"))


def server_in(data: bytes | None, path: str) -> Any:
    """The table of our name; None where there is none. Raises Broken."""
    return table_in(parse(data, path), SERVERS).get(registration.SERVER)


def is_ours(one: Any) -> bool:
    return registration.is_our_server(one, EXTRA)


def with_server(data: bytes | None, env: Mapping[str, str], path: str) -> bytes | None:
    """With our table; one that is not ours stays. None where the text is written in a way that we leave alone."""
    now = server_in(data, path)
    mine = {"command": str(registration.command_path(env)), "args": registration.ARGUMENTS, **EXTRA}
    if now == mine or (now is not None and not is_ours(now)):
        return data or b""
    bare = without_server(data or b"", None)
    wanted = parse(bare, path)
    if not isinstance(wanted.setdefault(SERVERS, {}), dict) or registration.SERVER in wanted[SERVERS]:
        return None
    wanted[SERVERS][registration.SERVER] = mine
    text = bare.decode("utf-8")
    end = jsonc.line_end(text)
    gap = "" if not text else end if text.endswith(("\n", "\r")) else end * 2
    shown = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in mine.items()]
    lines = end.join((f"[{SERVERS}.{registration.SERVER}]", *shown, ""))
    return first([f"{text}{gap}{lines}"], wanted)


def without_server(data: bytes, before: bytes | None) -> bytes:
    """Without a table of ours, and without the line breaks that were put before it."""
    if not is_ours(server_in(data, "")):
        return data
    wanted = parse(data, "")
    del wanted[SERVERS][registration.SERVER]
    bare = {key: value for key, value in wanted.items() if key != SERVERS or value}
    candidates = _server_removals(data.decode("utf-8"), before)
    taken = first(candidates, bare)
    taken = first(candidates, wanted) if taken is None else taken
    if taken is None:
        return data
    return before if before is not None and taken.rstrip(b"\r\n") == before else taken


def _server_removals(text: str, before: bytes | None) -> list[str]:
    """Without the lines of the table and the line breaks put before it. A comment that somebody wrote into it stays."""
    header = SERVER_HEADER.search(text)
    if not header:
        return []
    following = NEXT.search(text, header.end())
    lines = text[header.start() : following.start() if following else len(text)].splitlines(keepends=True)
    size = max(number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#"))
    rest = "".join([*(line for line in lines[:size] if line.lstrip().startswith("#")), *lines[size:]])
    rest += text[following.start() :] if following else ""
    breaks = 2 if before and not before.endswith((b"\n", b"\r")) else 1
    above = text[: header.start()]
    return [re.sub(rf"(\r?\n){{0,{number}}}\Z", "", above, count=1) + rest for number in range(breaks, -1, -1)]
