"""Reads JSON as people keep it in settings, and knows where each piece of it lies.

Comments, trailing commas, a byte order mark, any line ends and duplicate keys (the last one counts, as in JavaScript)
are accepted, because hosts accept them and their users write them. What a document means is `Node.value`; where it
stands is `Node.start` and `Node.end`, so that an edit touches those characters and no others (jsonc_edit).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError

BLANK = " \t\r\n"
WORD = re.compile(r"-?[A-Za-z0-9_.+-]+")
MARK = "\ufeff"
DEEPEST = 200  # of any settings; Python's own limit on nested calls is not far above


class Broken(HoldfastError):
    """Settings that cannot be read as JSON; nothing was changed."""

    code = "settings"
    exit_status = 10

    def __init__(self, what: str = "this is no JSON", text: str = "", at: int = 0, path: str = "") -> None:
        lines = re.split(r"\r\n|\r|\n", text[:at])
        self.what, self.at = what, at
        self.line, self.column = len(lines), len(lines[-1].lstrip(MARK)) + 1
        place = f"{path}, line {self.line}, column {self.column}" if path else f"line {self.line}, column {self.column}"
        super().__init__(
            f"{place}: {what}; nothing was changed anywhere. Mend the file and run the same command again."
        )


@dataclass(frozen=True)
class Node:
    """One value, from its first character to after its last.

    `items` are those of an object or array, `keys` the keys of an object with them. `commas` has the place of the comma
    after each item, -1 where there is none.
    """

    kind: str  # object, array or scalar
    start: int
    end: int
    value: Any
    items: tuple[Node, ...] = ()
    keys: tuple[tuple[str, int], ...] = ()  # text, place
    commas: tuple[int, ...] = ()

    def index(self, key: str) -> int:
        """Which item a key names, -1 where none does."""
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


def parse(text: str) -> Node:
    """The document. Raises Broken with the place."""
    reader = _Reader(text)
    at = reader.skip(1 if text.startswith(MARK) else 0)
    node = reader.value(at, 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise Broken(f"{_shown(text, end)} stands after the end of the document", text, end)
    return node


def skip(text: str, at: int) -> int:
    """The place after blanks and comments."""
    return _Reader(text).skip(at)


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
        if first == "{":
            return self.object(at, depth)
        if first == "[":
            return self.array(at, depth)
        return self.scalar(at)

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
            value = json.loads(text[at:end], parse_constant=_no_constant)
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

    def object(self, start: int, depth: int) -> Node:
        keys: list[tuple[str, int]] = []
        items: list[Node] = []
        commas: list[int] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise Broken(f"a key in quotes or }} is expected and {_shown(self.text, at)} is there", self.text, at)
            key = self.scalar(at)
            colon = self.skip(key.end)
            if self.text[colon : colon + 1] != ":":
                raise Broken(f"a colon is expected and {_shown(self.text, colon)} is there", self.text, colon)
            keys.append((key.value, at))
            items.append(self.value(self.skip(colon + 1), depth + 1))
            at = self._comma(items[-1].end, "}", commas)
        value = {text: item.value for (text, _), item in zip(keys, items, strict=True)}
        return Node("object", start, at + 1, value, tuple(items), tuple(keys), tuple(commas))

    def array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        commas: list[int] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self._comma(items[-1].end, "]", commas)
        return Node("array", start, at + 1, [item.value for item in items], tuple(items), (), tuple(commas))

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


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _shown(text: str, at: int) -> str:
    return repr(text[at]) if at < len(text) else "the end of the file"
