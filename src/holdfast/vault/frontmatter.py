"""Front matter that a person may have written: read as YAML, changed only where we change it.

Promise: `edit` returns the same bytes except in the values it was asked to change. Order, comments, spacing, quotes and
keys that we do not know survive, because values are replaced at their own place in the text instead of being dumped
again (docs/adr/0006); a list that grows gets its new items behind the others, in its own shape.

Whether a text is front matter at all, and what its fields say, is for capture/front_matter, by which the hook reads
too. YAML is asked for the places of the values, and has to agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping

FENCE = front_matter.FENCE
RESERVED = ("", "null", "~", "true", "false", "yes", "no", "on", "off")


class Unparsable(Exception):
    """Front matter that is none; `line` is where, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class Document:
    """A text with front matter. `spans` are the places of the values in `text`, `end` that of the closing fence."""

    text: str
    fields: dict[str, Any]
    spans: dict[str, tuple[int, int]]
    end: int
    body: str
    lasts: dict[str, int] = field(default_factory=dict)  # where the last item of a list ends

    def line_of(self, key: str) -> int:
        """The line that a key stands on; 1 where it is missing."""
        return self.text.count("\n", 0, self.spans[key][0]) + 1 if key in self.spans else 1


def parse(text: str) -> Document:
    """The fields and the body. Raises Unparsable."""
    try:
        start, end = front_matter.place(text)
        source = text[start:end]
        read = front_matter.fields(source)
    except front_matter.Damaged as damage:
        raise Unparsable(damage.line, damage.reason) from damage
    after = text.find("\n", end)
    body = text[after + 1 :] if after >= 0 else ""
    from holdfast.vault import yaml_places  # whoever only looks at the index needs no YAML

    try:
        fields, spans, lasts = yaml_places.of(source, start)
    except yaml_places.NotYaml as error:
        line = 2 if error.at is None else text.count("\n", 0, start + error.at) + 1
        raise Unparsable(line, error.reason) from error
    except UnicodeError:
        raise Unparsable(1, "it is not UTF-8") from None
    if _normal(fields) != _normal(read):
        raise Unparsable(1, "YAML reads it in another way than the hook does; write its values in quotes")
    return Document(text, fields, spans, end, body, lasts)


def _normal(value: Any) -> Any:
    """A value with its blanks as one, and of one kind: to Python 1 is True."""
    if isinstance(value, dict):
        return {key: _normal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_normal(one) for one in value]
    return " ".join(value.split()) if isinstance(value, str) else (repr(value),)


def edit(document: Document, changes: Mapping[str, Any]) -> str:
    """The text with these values changed, every other byte as it was. A new key goes last. Raises Unparsable."""
    wishes = {key: _as_read(value) for key, value in changes.items()}
    known = [key for key in wishes if key in document.spans and not _is_same(document.fields[key], wishes[key])]
    fresh = [key for key in wishes if key not in document.spans and wishes[key] is not None]
    if not known and not fresh:
        return document.text
    wanted = {**document.fields, **{key: wishes[key] for key in (*known, *fresh)}}
    for longer in (_lengthen, _replace):  # a list that only grew keeps its shape and the comments in it
        text = document.text
        for key in sorted(known, key=lambda key: document.spans[key], reverse=True):
            change = longer if _has_grown(document.fields[key], wishes[key]) else _replace
            text = change(text, document, key, wishes[key])
        at = document.end + len(text) - len(document.text)
        newline = "\r\n" if text[:at].endswith("\r\n") else "\n"
        text = text[:at] + "".join(f"{key}: {inline(wishes[key])}{newline}" for key in fresh) + text[at:]
        try:
            if _is_same(parse(text).fields, wanted):
                return text
        except Unparsable:
            continue
    raise Unparsable(document.line_of(known[0] if known else ""), "this value cannot be changed in place")


def _is_same(one: Any, other: Any) -> bool:
    """Equal and of one kind: to Python 1 is True."""
    return bool(one == other) and repr(one) == repr(other)


def _has_grown(before: Any, after: Any) -> bool:
    return isinstance(before, list) and isinstance(after, list) and after[: len(before)] == before


def _lengthen(text: str, document: Document, key: str, value: Any) -> str:
    """More items behind the last one of a list, in the list's own shape."""
    start, end = document.spans[key]
    more = value[len(document.fields[key]) :]
    if not document.fields[key]:  # whatever stands between its brackets is a comment
        return text[: start + 1] + ", ".join(inline(one) for one in more) + text[start + 1 :]
    if text[start] == "[":
        at = document.lasts[key]
        return text[:at] + "".join(f", {inline(one)}" for one in more) + text[at:]
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end - 1 if text[end - 1] == "\n" else end) + 1
    newline = "\r\n" if text[:stop].endswith("\r\n") else "\n"
    return text[:stop] + "".join(f"{text[line:start]}- {inline(one)}{newline}" for one in more) + text[stop:]


def _replace(text: str, document: Document, key: str, value: Any) -> str:
    start, end = document.spans[key]
    old = text[start:end]
    kept = old[len(old.rstrip()) :]  # a block ends behind its line break
    before = text[:start].rstrip(" \t\r\n")
    if before.endswith(":") and ("\n" in text[len(before) : start] or before == text[:start]):
        # it stood below its key, or was empty
        return f"{before} {inline(value)}{kept or _gap(text, end)}{text[end:]}"
    return f"{text[:start]}{inline(value)}{kept}{text[end:]}"


def _gap(text: str, end: int) -> str:
    return "" if text[end : end + 1] in ("", "\n", "\r", " ") else " "


def _as_read(value: Any) -> Any:
    """What `parse` will make of a value."""
    if isinstance(value, (list, tuple)):
        return [_as_read(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _as_read(one) for key, one in value.items()}
    return value


def inline(value: Any) -> str:
    """A value on one line, as plain as YAML reads it back."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(inline(one) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inline(str(key))}: {inline(one)}" for key, one in value.items()) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    return text if _is_plain(text) else _quoted(text)


def _quoted(text: str) -> str:
    """In double quotes, which YAML and JSON share; what YAML does not take as it is becomes an escape."""
    return '"' + "".join(ESCAPES.get(one) or (one if one.isprintable() else _escape(one)) for one in text) + '"'


def _escape(letter: str) -> str:
    number = ord(letter)
    if 0xD800 <= number < 0xE000:
        return "\ufffd"  # half a character
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./-()+;=$^~'éèüöäßñç")


def _is_plain(text: str) -> bool:
    """Whether it may stand without quotes. Cautious: what could be a number, a date or a sign gets quotes."""
    if not text or text != text.strip() or text.lower() in RESERVED or not PLAIN.issuperset(text):
        return False
    return text[0].isalpha() or text[0] == "/" or _is_date(text) or _is_ident(text)


def _is_date(text: str) -> bool:
    day, _, clock = text.partition("T")
    parts = day.split("-")
    return [len(part) for part in parts] == [4, 2, 2] and "".join(parts).isdecimal() and not clock


def _is_ident(text: str) -> bool:
    """One of our ids: letters and digits, and not a number in any of YAML's spellings."""
    return len(text) == 26 and text.isalnum() and any(letter in "GHJKMNPQRSTVWYZ" for letter in text)


def render(fields: Mapping[str, Any], body: str) -> str:
    """A whole new text."""
    lines = [f"{key}: {inline(value)}\n" for key, value in fields.items() if value not in (None, "", [], (), {})]
    return f"{FENCE}\n{''.join(lines)}{FENCE}\n{body}"
