"""Reads JSON as people keep it in settings, puts an item in and takes one out, and leaves every other character.

Comments, trailing commas, a byte order mark, any line ends and duplicate keys (the last one counts, as in JavaScript)
are accepted, because hosts accept them and their users write them. An item that is put in looks as if the file's owner
had written it, and taking it out again gives the very text from before; only for a container that was empty does the
taking need to be told what stood between its brackets (docs/adr/0010).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from collections.abc import Sequence

BLANK = " \t\r\n"
WORD = re.compile(r"-?[A-Za-z0-9_.+-]+")
MARK = "\ufeff"
DEEPEST = 200  # of any settings; Python's own limit on nested calls is not far above
Splice = tuple[int, int, str]  # from, to, what stands there instead


class Broken(HoldfastError):
    """Settings that cannot be read as JSON; nothing was changed."""

    code = "settings"
    exit_status = 10

    def __init__(self, what: str = "this is no JSON", text: str = "", at: int = 0, path: str = "") -> None:
        lines = re.split(r"\r\n|\r|\n", text[:at])
        self.what, self.at = what, at
        self.line, self.column = len(lines), len(lines[-1].lstrip(MARK)) + 1
        place = f"{f'{path}, ' if path else ''}line {self.line}, column {self.column}"
        mend = "nothing was changed anywhere. Mend the file and run the same command again."
        super().__init__(f"{place}: {what}; {mend}")


@dataclass(frozen=True)
class Node:
    """One value, from its first character to after its last. `items` are those of an object or array, `keys` the keys
    of an object with them. `commas` has the place of the comma after each item, -1 where there is none."""

    kind: str  # object, array or scalar
    start: int
    end: int
    value: Any
    items: tuple[Node, ...] = ()
    keys: tuple[tuple[str, int], ...] = ()  # text, place
    commas: tuple[int, ...] = ()

    def index(self, key: str) -> int:
        """The number of the item that a key names, -1 where none does."""
        found = [number for number, (text, _) in enumerate(self.keys) if text == key]
        return found[-1] if found else -1

    def get(self, *path: str | int) -> Node | None:
        """The value at a path of keys and numbers; None where it leads nowhere."""
        node = self
        for step in path:
            number = node.index(step) if isinstance(step, str) else step
            if not 0 <= number < len(node.items):
                return None
            node = node.items[number]
        return node

    def begin(self, number: int) -> int:
        """Where an item begins: an object's at its key."""
        return self.keys[number][1] if self.keys else self.items[number].start


def decoded(data: bytes | None, path: str) -> str:
    """The text of a file; one that is missing is empty. Raises Broken with the place."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        raise Broken("these bytes are no UTF-8 text", before, len(before), path) from error


def parse(text: str) -> Node:
    """The document. Raises Broken with the place."""
    reader = _Reader(text)
    at = reader.skip(1 if text.startswith(MARK) else 0)
    node = reader.value(at, 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise Broken(f"{_shown(text, end)} stands after the end of the document", text, end)
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def skip(self, at: int) -> int:
        text = self.text
        while at < len(text):
            if text[at] in BLANK:
                at += 1
            elif text.startswith("//", at):
                while at < len(text) and text[at] not in "\r\n":
                    at += 1
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise Broken("a comment that begins here is never closed", text, at)
                at = end + 2
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise Broken("it is nested too deeply", self.text, at)
        first = self.text[at : at + 1]
        return self.container(at, depth) if first in ("{", "[") else self.scalar(at)

    def scalar(self, at: int) -> Node:
        text = self.text
        if text[at : at + 1] == '"':
            end = self._string_end(at)
        else:
            word = WORD.match(text, at)
            if not word:
                raise Broken(f"a value is expected and {_shown(text, at)} is there", text, at)
            end = word.end()
        try:
            value = json.loads(text[at:end], parse_constant=no_constant)
        except ValueError as error:
            raise Broken(f"{text[at:end][:40]!r} is no value of JSON", text, at) from error
        return Node("scalar", at, end, value)

    def _string_end(self, at: int) -> int:
        text, end = self.text, at + 1
        while end < len(text) and text[end] not in '"\r\n':
            end += 2 if text[end] == "\\" else 1
        if text[end : end + 1] != '"':
            raise Broken("a text that begins here is never closed", text, at)
        return end + 1

    def container(self, start: int, depth: int) -> Node:
        is_object = self.text[start] == "{"
        closing = "}" if is_object else "]"
        keys: list[tuple[str, int]] = []
        items: list[Node] = []
        commas: list[int] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != closing:
            if is_object:
                if self.text[at : at + 1] != '"':
                    what = f"a key in quotes or }} is expected and {_shown(self.text, at)} is there"
                    raise Broken(what, self.text, at)
                key = self.scalar(at)
                colon = self.skip(key.end)
                if self.text[colon : colon + 1] != ":":
                    raise Broken(f"a colon is expected and {_shown(self.text, colon)} is there", self.text, colon)
                keys.append((key.value, at))
                at = self.skip(colon + 1)
            items.append(self.value(at, depth + 1))
            at = self._comma(items[-1].end, closing, commas)
        inside = [item.value for item in items]
        value = {text: one for (text, _), one in zip(keys, inside, strict=True)} if is_object else inside
        kind = "object" if is_object else "array"
        return Node(kind, start, at + 1, value, tuple(items), tuple(keys), tuple(commas))

    def _comma(self, at: int, closing: str, commas: list[int]) -> int:
        """The place of the next item or of the end, after the comma between them."""
        at = self.skip(at)
        if self.text[at : at + 1] == ",":
            commas.append(at)
            return self.skip(at + 1)
        if self.text[at : at + 1] != closing:
            raise Broken(f"a comma or {closing} is expected and {_shown(self.text, at)} is there", self.text, at)
        commas.append(-1)
        return at


def no_constant(name: str) -> None:
    raise ValueError(name)


def _shown(text: str, at: int) -> str:
    return repr(text[at]) if at < len(text) else "the end of the file"


def put(text: str, path: Sequence[str | int], value: Any, key: str | None = None, *, levels: int = 0) -> str:
    """The value as the last item of the container at `path`: under `key` in an object, without one in an array. So many
    levels of it get a line for each item; what is deeper stays on the item's line."""
    root = parse(text)
    node = root.get(*path)
    if node is None or node.kind == "scalar":
        raise KeyError("/".join(map(str, path)))
    return spliced(text, _putting(text, root, node, value, key, levels))


def take(text: str, path: Sequence[str | int], number: int, empty: str = "") -> str:
    """Without one item of the container at `path`. `empty` is what stood in it when it had none."""
    node = parse(text).get(*path)
    if node is None:
        raise KeyError("/".join(map(str, path)))
    return spliced(text, _taking(text, node, number, empty))


def replaced(text: str, node: Node, value: Any) -> str:
    """Another value in the place of a scalar."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


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
    is_shown = bool(root.items) and "\n" in text[root.start + 1 : root.begin(0)]
    return (_indent_at(text, root.begin(0)).removeprefix(_indent_at(text, root.start)) if is_shown else "") or "  "


def _putting(text: str, root: Node, node: Node, value: Any, key: str | None, levels: int) -> list[Splice]:
    end, step = line_end(text), unit(text, root)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if node.items and not any(mark in text[node.start + 1 : node.begin(0)] for mark in "\r\n"):
        ours = name + json.dumps(value, ensure_ascii=False)
        at = node.commas[-1] + 1 or node.items[-1].end
        return [(at, at, f" {ours}," if node.commas[-1] >= 0 else f", {ours}")]
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
        named = [(f"{json.dumps(key, ensure_ascii=False)}: ", one) for key, one in value.items()]
    else:
        named = [("", one) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(name + _dump(one, step, levels - 1) for name, one in named)
    body = lines.replace("\n", f"\n{step}")  # no text of JSON has a line break in it
    return f"{opening}\n{step}{body}\n{closing}"


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
    needs_line = _needs_its_line(text, before + 1, start, max(end, comma + 1))
    gap = start if needs_line else len(text[:start].rstrip(BLANK))
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


def _indent_at(text: str, at: int) -> str:
    """The blanks at the beginning of the line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[start:at].lstrip(MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _last_comment(text: str, start: int, end: int) -> int:
    """After the last comment between two places, or the first place where there is none."""
    return (_comments(text, start, end) or [(start, start)])[-1][1]


def _comments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the comments between two items lie."""
    at, found = start, []
    while at < end:
        if text[at] in BLANK:
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
