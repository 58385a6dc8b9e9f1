"""Front matter that a person may have written: read as YAML, changed only where we change it.

Promise: `edit` returns the same bytes except in the values it was asked to change. Order, comments, spacing, quotes and
keys that we do not know survive, because values are replaced at their own place in the text instead of being dumped
again (docs/adr/0006); a list that grows gets its new items behind the others, in its own shape.

Whether a text is front matter at all, and what its fields say, is for capture/front_matter, by which the hook reads
too. YAML is asked for the places of the values, and has to agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.capture import front_matter
from holdfast.model import value

FENCE = front_matter.FENCE
RESERVED = ("", "null", "~", "true", "false", "yes", "no", "on", "off")
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./-()+;=$^~'éèüöäßñç")


class Unparsable(Exception):
    """Front matter that is none; `line` is where, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@value
class Document:
    """A text with front matter. `spans` are the places of the values in `text`, `end` that of the closing fence."""

    text: str
    fields: dict[str, Any]
    spans: dict[str, tuple[int, int]]
    end: int
    body: str
    lasts: Mapping[str, int] = {}  # where the last item of a list ends

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
    fields, spans, lasts = _places(text, start, source)
    if _normal(fields) != _normal(read):
        raise Unparsable(1, "YAML reads it in another way than the hook does; write its values in quotes")
    return Document(text, fields, spans, end, body, lasts)


def _places(text: str, start: int, source: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]], dict[str, int]]:
    """The fields as YAML reads them, the places of their values in the text, and the ends of lists."""
    import yaml  # whoever only looks at the index needs none

    def wrong(mark: Any, reason: str) -> Unparsable:  # YAML's own count of lines knows other line breaks than editors
        return Unparsable(text.count("\n", 0, start + (mark.index if mark else 0)) + 1, reason)

    try:
        root = _composed(source, wrong)
    except yaml.MarkedYAMLError as error:
        raise wrong(error.problem_mark or error.context_mark, error.problem or "not YAML") from error
    except yaml.YAMLError as error:
        raise Unparsable(2, f"not YAML ({str(error).splitlines()[0]})") from error
    except UnicodeError:
        raise Unparsable(1, "it is not UTF-8") from None
    if root is not None and root.id != "mapping":
        raise wrong(root.start_mark, "it should be lines of `key: value`")
    fields: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    lasts: dict[str, int] = {}
    for key, said in root.value if root else ():
        name = key.value if key.id == "scalar" else ""
        if not name or name in fields:
            reason = f"the key {name} stands there twice" if name else "a key should be a plain word"
            raise wrong(key.start_mark, reason)
        fields[name] = _plain(said)
        spans[name] = (start + said.start_mark.index, start + _end(said))
        if said.id == "sequence" and said.value:
            lasts[name] = start + _end(said.value[-1])
    return fields, spans, lasts


def _composed(source: str, wrong: Callable[[Any, str], Unparsable]) -> Any:
    """The tree of nodes. Neither an alias nor deep nesting gets as far as the composer: the one is a bomb, the other
    ends the stack, since the C composer calls itself for each level. The usual text needs no look at its events."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    signs = sum(source.count(sign) for sign in ("[", "{", "- ", "-\n", "-\r", "-\t", "?", ":"))  # one per level
    if "&" in source or "*" in source or signs >= front_matter.DEEPEST:
        depth = 0
        for event in yaml.parse(source, Loader=loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise wrong(event.start_mark, "anchors and aliases are not accepted")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > front_matter.DEEPEST:
                raise wrong(event.start_mark, "nested too deeply")
    return yaml.compose(source, Loader=loader)


def _end(node: Any) -> int:
    """The end of a value's own text: libyaml counts the comments below a block as the block's."""
    if node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _plain(node: Any) -> Any:
    """Text, numbers, lists and tables. A date stays the text it is."""
    if node.id == "sequence":
        return [_plain(one) for one in node.value]
    if node.id == "mapping":
        return {str(_plain(key)): _plain(value) for key, value in node.value}
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "bool":
        return node.value.lower() in ("true", "yes", "on")
    if kind == "int" and node.value.removeprefix("-").isdecimal() and len(node.value) < 19:
        number = int(node.value)
        return number if str(number) == node.value else node.value  # 007 is a name
    return node.value


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
            was, wish = document.fields[key], wishes[key]
            has_grown = isinstance(was, list) and isinstance(wish, list) and wish[: len(was)] == was
            text = (longer if has_grown else _replace)(text, document, key, wish)
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
        gap = "" if text[end : end + 1] in ("", "\n", "\r", " ") else " "
        return f"{before} {inline(value)}{kept or gap}{text[end:]}"
    return f"{text[:start]}{inline(value)}{kept}{text[end:]}"


def _as_read(value: Any) -> Any:
    """A value as `parse` will read it."""
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
    if _is_plain(text):
        return text
    # In double quotes, which YAML and JSON share; what YAML does not take as it is becomes an escape.
    return '"' + "".join(ESCAPES.get(one) or (one if one.isprintable() else _escape(one)) for one in text) + '"'


def _escape(letter: str) -> str:
    number = ord(letter)
    if 0xD800 <= number < 0xE000:
        return "\ufffd"  # half a character
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _is_plain(text: str) -> bool:
    """True if it may stand without quotes. Cautious: what could be a number, a date or a sign gets quotes."""
    if not text or text != text.strip() or text.lower() in RESERVED or not PLAIN.issuperset(text):
        return False
    # One of our ids: letters and digits, and not a number in any of YAML's spellings.
    is_ident = len(text) == 26 and text.isalnum() and any(letter in "GHJKMNPQRSTVWYZ" for letter in text)
    return text[0].isalpha() or text[0] == "/" or is_ident or re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None


def render(fields: Mapping[str, Any], body: str) -> str:
    lines = [f"{key}: {inline(value)}\n" for key, value in fields.items() if value not in (None, "", [], (), {})]
    return f"{FENCE}\n{''.join(lines)}{FENCE}\n{body}"
