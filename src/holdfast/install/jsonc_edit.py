"""Puts an item into a JSON text and takes one out, and leaves every other character as it was.

Promise: what is put in looks as if the file's owner had written it (their indentation, their line ends, after what is
there), and taking the same item out again gives the very text from before. Only for a container that was empty before
does the taking need to be told what stood between its brackets (docs/adr/0010).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.install import jsonc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.install.jsonc import Node

Splice = tuple[int, int, str]  # from, to, what stands there instead


def put(text: str, path: Sequence[str | int], value: Any, key: str | None = None, *, levels: int = 0) -> str:
    """The value as the last item of the container at `path`: under `key` in an object, without one in an array.

    So many levels of it get a line for each item; what is deeper stays on the item's line.
    """
    root = jsonc.parse(text)
    node = root.get(*path)
    if node is None or node.kind == "scalar":
        raise KeyError("/".join(map(str, path)))
    return spliced(text, _putting(text, root, node, value, key, levels))


def take(text: str, path: Sequence[str | int], number: int, empty: str = "") -> str:
    """Without one item of the container at `path`. `empty` is what stood in it when it had none."""
    node = jsonc.parse(text).get(*path)
    if node is None:
        raise KeyError("/".join(map(str, path)))
    return spliced(text, _taking(text, node, number, empty))


def replaced(text: str, node: Node, value: Any) -> str:
    """Another value in the place of a scalar."""
    return spliced(text, [(node.start, node.end, json.dumps(value, ensure_ascii=False))])


def inner(text: str, node: Node) -> str:
    """What stands between the brackets of a container."""
    return text[node.start + 1 : node.end - 1]


def spliced(text: str, splices: list[Splice]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def line_end(text: str) -> str:
    """The file's own: that of its first line."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def unit(text: str, root: Node) -> str:
    """One step of the file's own indentation; two blanks where it shows none."""
    if root.items:
        before = text[root.start + 1 : root.begin(0)]
        if "\n" in before:
            return _indent_at(text, root.begin(0)).removeprefix(_indent_at(text, root.start)) or "  "
    return "  "


def _putting(text: str, root: Node, node: Node, value: Any, key: str | None, levels: int) -> list[Splice]:
    end, step = line_end(text), unit(text, root)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if node.items and not _on_own_line(text, node):
        return _putting_inline(node, name + json.dumps(value, ensure_ascii=False))
    base = _indent_at(text, node.start)
    indent = _indent_at(text, node.begin(0)) if node.items else base + step
    shown = _dump(value, step, levels).replace("\n", end + indent)
    ours = f"{end}{indent}{name}{shown}"
    if node.items:
        return _putting_after(text, node, ours)
    at = _last_comment(text, node.start + 1, node.end - 1)
    closing = "" if "\n" in text[at : node.end - 1] else end + base
    return [(at, at, ours + closing)]


def _dump(value: Any, step: str, levels: int) -> str:
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        opening, closing, inside = "{", "}", list(value.values())
    else:
        opening, closing, inside, names = "[", "]", value, [""] * len(value)
    lines = [name + _dump(one, step, levels - 1) for name, one in zip(names, inside, strict=True)]
    body = ",\n".join(lines).replace("\n", f"\n{step}")  # no text of JSON has a line break in it
    return f"{opening}\n{step}{body}\n{closing}"


def _putting_inline(node: Node, ours: str) -> list[Splice]:
    if node.commas[-1] >= 0:
        at = node.commas[-1] + 1
        return [(at, at, f" {ours},")]
    at = node.items[-1].end
    return [(at, at, f", {ours}")]


def _putting_after(text: str, node: Node, ours: str) -> list[Splice]:
    """Behind the last item and the comment on its line, which stays with it."""
    trailing = node.commas[-1]
    if trailing >= 0:
        at = _last_comment(text, trailing + 1, node.end - 1)
        return [(at, at, ours + ",")]
    last = node.items[-1].end
    at = _last_comment(text, last, node.end - 1)
    return [(last, last, "," + ours)] if at == last else [(last, last, ","), (at, at, ours)]


def _taking(text: str, node: Node, number: int, empty: str) -> list[Splice]:
    start, end, comma = node.begin(number), node.items[number].end, node.commas[number]
    if len(node.items) == 1:
        return _emptying(text, node, empty)
    before = node.commas[number - 1] if number else node.start
    gap = start if _needs_its_line(text, before + 1, start, max(end, comma + 1)) else _blank_before(text, start)
    if comma < 0:
        return [(gap, end, ""), (before, before + 1, "")]
    if text[end:comma].strip():  # a comment between the item and its comma is somebody's
        return [(start, end, ""), (comma, comma + 1, "")]
    return [(gap, comma + 1, "")]


def _needs_its_line(text: str, begin: int, start: int, end: int) -> bool:
    """Whether what follows an item would become a part of the comment before it."""
    comments = _comments(text, begin, start)
    is_after_one = bool(comments) and text.startswith("//", comments[-1][0])
    return is_after_one and not text[end:].lstrip(" \t").startswith(("\r", "\n"))


def _emptying(text: str, node: Node, empty: str) -> list[Splice]:
    """What stood in the container before, if all that is left beside the item are blanks and those same comments."""
    start, end, comma = node.begin(0), node.items[0].end, node.commas[0]
    behind = text[end:comma] + text[comma + 1 : node.end - 1] if comma >= 0 else text[end : node.end - 1]
    left = text[node.start + 1 : start] + behind
    if "".join(left.split()) == "".join(empty.split()):
        return [(node.start + 1, node.end - 1, empty)]
    gone: list[Splice] = [(start, end, "")]
    return gone + [(comma, comma + 1, "")] * (comma >= 0)


def _on_own_line(text: str, node: Node) -> bool:
    return any(mark in text[node.start + 1 : node.begin(0)] for mark in "\r\n")


def _indent_at(text: str, at: int) -> str:
    """The blanks at the beginning of the line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[start:at].lstrip(jsonc.MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _blank_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1] in jsonc.BLANK:
        at -= 1
    return at


def _last_comment(text: str, start: int, end: int) -> int:
    """After the last comment between two places, or the first place where there is none."""
    return (_comments(text, start, end) or [(start, start)])[-1][1]


def _comments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the comments between two items lie."""
    at, found = start, []
    while at < end:
        if text[at] in jsonc.BLANK:
            at += 1
            continue
        begin = at
        if text[at : at + 2] == "/*":
            at = text.index("*/", at + 2) + 2
        else:
            while at < end and text[at] not in "\r\n":
                at += 1
        found.append((begin, at))
    return found
