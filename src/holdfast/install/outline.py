"""A large JSON document with all its top-level values put aside but one, so that an edit costs what that one costs.

Hosts keep everything they know in one file, which may have many megabytes; our own reader (jsonc) takes seconds for
those, the standard library's milliseconds. It skips each value, and what is edited is a short text in the very shape of
the file: the same keys, blanks and line ends. Whole again, every other character is what it was. Only plain JSON is
taken, which is all that such hosts read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from holdfast.install import jsonc

BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class Outline:
    """`text` is the short document; `aside` are the values that its marks stand for."""

    text: str
    mark: str
    aside: tuple[str, ...]

    def whole(self, text: str) -> str:
        """The document again, of what an edit has made of the outline."""
        return re.sub(rf'"{self.mark}(\d+)"', lambda found: self.aside[int(found[1])], text)


def of(text: str, kept: str, path: str = "") -> Outline:
    """The outline of an object, with the value of one key in full. Raises Broken."""
    mark = "aside-"
    while mark in text:
        mark += "-"
    aside: list[str] = []
    parts, at = [], 0
    for key, start, end in _values(text, path):
        if key != kept:
            parts += [text[at:start], f'"{mark}{len(aside)}"']
            aside.append(text[start:end])
            at = end
    return Outline("".join([*parts, text[at:]]), mark, tuple(aside))


def _values(text: str, path: str) -> list[tuple[str, int, int]]:
    """Key and place of each value of an object."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    found: list[tuple[str, int, int]] = []
    at = _after(text, 1 if text.startswith(jsonc.MARK) else 0)
    try:
        at = _after(text, _expect(text, at, "{", path))
        while text[at : at + 1] != "}":
            if found:
                at = _after(text, _expect(text, at, ",", path))
            key, at = decoder.raw_decode(text, at)
            if not isinstance(key, str):
                raise jsonc.Broken("a key is no text", text, at, path)
            start = _after(text, _expect(text, _after(text, at), ":", path))
            _, end = decoder.raw_decode(text, start)
            found.append((key, start, end))
            at = _after(text, end)
    except json.JSONDecodeError as error:
        raise jsonc.Broken("this is no JSON", text, error.pos, path) from error
    except (ValueError, RecursionError) as error:
        raise jsonc.Broken(f"this is no JSON ({error})", text, at, path) from error
    end = _after(text, at + 1)
    if end != len(text):
        raise jsonc.Broken("something stands after the end of the document", text, end, path)
    return found


def _after(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


def _expect(text: str, at: int, what: str, path: str) -> int:
    if text[at : at + 1] != what:
        raise jsonc.Broken(f"{what} is expected", text, at, path)
    return at + 1


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no value of JSON")
