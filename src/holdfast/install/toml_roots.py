"""One folder more in `[sandbox_workspace_write] writable_roots` of a config.toml, and out again.

The text is spliced, never written anew, so comments and order stay. There are many ways to write TOML; so each splice
is checked by the standard library's parser: the document must mean what it meant, with the folder in that one array.
Where it would not, nothing is changed and the user is told the line to add.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from holdfast.install import jsonc, jsonc_edit

TABLE, KEY = "sandbox_workspace_write", "writable_roots"
HEADER = re.compile(rf"^[ \t]*\[[ \t]*{TABLE}[ \t]*\][ \t]*(#[^\n]*)?$", re.MULTILINE)
ARRAY = re.compile(rf"^[ \t]*({TABLE}[ \t]*\.[ \t]*)?{KEY}[ \t]*=[ \t]*\[", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')


def parse(data: bytes | None, path: str) -> dict[str, Any]:
    """The document. Raises Broken with the place."""
    try:
        return meaning((data or b"").decode("utf-8"))
    except UnicodeDecodeError as error:
        before = (data or b"")[: error.start].decode("utf-8")
        raise jsonc.Broken("these bytes are no UTF-8 text", before, len(before), path) from error
    except tomllib.TOMLDecodeError as error:
        text = (data or b"").decode("utf-8")
        what, _, where = str(error).partition(" (at ")
        place = re.match(r"line (\d+), column (\d+)", where)
        lines = text.splitlines(keepends=True)
        at = len("".join(lines[: int(place[1]) - 1])) + int(place[2]) - 1 if place else len(text)
        raise jsonc.Broken(f"this is no TOML ({what})", text, at, path) from error


def roots(data: bytes | None, path: str = "") -> list[str]:
    table = parse(data, path).get(TABLE)
    found = table.get(KEY) if isinstance(table, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def with_root(data: bytes | None, folder: str, path: str) -> bytes | None:
    """With the folder among the roots; None where the text is written in a way that we leave alone."""
    if folder in roots(data, path):
        return data or b""
    text = (data or b"").decode("utf-8")
    wanted = parse(data, path)
    table = wanted.setdefault(TABLE, {})
    if not isinstance(table, dict) or not isinstance(table.setdefault(KEY, []), list):
        return None
    table[KEY].append(folder)
    return first(_candidates(text, json.dumps(folder, ensure_ascii=False)), wanted)


def without_root(data: bytes, folder: str, before: bytes | None) -> bytes:
    """Without the folder, and without the table if it was not there before and is empty now."""
    wanted = parse(data, "")
    known = parse(before, "") if before is not None else {}
    if folder not in roots(data) or folder in roots(before):
        return data
    wanted[TABLE][KEY].remove(folder)
    if not wanted[TABLE][KEY] and KEY not in known.get(TABLE, {}):
        del wanted[TABLE][KEY]
        if not wanted[TABLE] and TABLE not in known:
            del wanted[TABLE]
    taken = first(_removals(data.decode("utf-8"), json.dumps(folder, ensure_ascii=False)), wanted)
    if taken is None:
        return data
    return before if before is not None and taken.rstrip(b"\r\n") == before else taken


def _candidates(text: str, folder: str) -> list[str]:
    end = jsonc_edit.line_end(text)
    found = []
    array = ARRAY.search(text)
    if array:
        strings = list(_strings(text, array.end()))
        first = strings[0][0] if strings else -1
        found.append(_put(text, strings[-1][1], f", {folder}") if strings else _put(text, array.end(), folder))
        if first >= 0:
            found.append(_put(text, first, f"{folder}, "))
    header = HEADER.search(text)
    if header:
        found.append(_put(text, header.end(), f"{end}{KEY} = [{folder}]"))
    gap = "" if not text else end if text.endswith(("\n", "\r")) else end * 2
    found.append(f"{text}{gap}[{TABLE}]{end}{KEY} = [{folder}]{end}")
    return found


def _removals(text: str, folder: str) -> list[str]:
    here = re.escape(folder)
    header = rf"\[{TABLE}\]\r?\n"
    line = rf"{KEY} = \[{here}\]"
    patterns = [
        rf"\r?\n{header}{line}(\r?\n|\Z)",
        rf"(?<![^\n]){header}{line}(\r?\n|\Z)",
        rf"\r?\n{line}(?=\r?\n|\Z)",
        rf", {here}",
        rf"{here}\s*,\s?",
        here,
    ]
    return [re.sub(pattern, "", text, count=1) for pattern in patterns]


def _strings(text: str, at: int) -> list[tuple[int, int]]:
    """Where the texts of an array lie, up to its end; comments between them are passed over."""
    found = []
    while at < len(text) and text[at] != "]":
        string = STRING.match(text, at)
        if string:
            found.append(string.span())
            at = string.end()
        elif text[at] == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
        else:
            at += 1
    return found


def _put(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at:]


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
