"""Our lines in a host's JSON settings: put in, taken out, listed.

Hosts share one nesting: {"hooks": {EVENT: [{"hooks": [{"type": "command", "command": LINE}]}]}}. Ours is appended, so
that hooks which were there run first as before; what is taken out is ours by the launcher that it names, wherever
another tool has moved it. A container that we made goes with the last item in it, one that was there stays.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError
from holdfast.hosts import jsonc
from holdfast.hosts.registration import Edit, Registered, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from holdfast.hosts.jsonc import Node

BLANKS = re.compile(r"[ \t\r\n]*")
OURS = re.compile(r"/holdfast/holdfast-hook(?![\w.-])")  # the launcher, wherever the user's data lies


def is_ours(command: object) -> bool:
    return isinstance(command, str) and OURS.search(command) is not None


def loose(paths: list[str]) -> tuple[str, ...]:
    """A sentence for each file that has more than plain JSON in it. We keep every byte of that, but watched on 2.1 and
    0.166 the hosts read no such file at all, and say nothing."""
    found = []
    for path in paths:
        try:
            data = read(path) or b""
            json.loads(data or b"{}")
        except HoldfastError:
            continue
        except ValueError:
            if data.strip():
                found.append(f"{path} has comments or trailing commas: the agent passes over the whole of such a file, "
                             "and with it our hooks, until they are taken out.")  # fmt: skip
    return tuple(found)


def is_bare(data: bytes) -> bool:
    """Whether nothing of anybody is left in a file that we had made."""
    return data.strip() in (b"", b"{}")


def text_of(data: bytes | None, path: str) -> str:
    """A settings file as text that holds an object; one that is missing or empty counts as {}. Raises Broken."""
    text = jsonc.decoded(data, path)
    if not text.strip(jsonc.BLANK + jsonc.MARK):
        return text + "{}\n"
    try:
        root = jsonc.parse(text)
    except jsonc.Broken as error:
        raise jsonc.Broken(error.what, text, error.at, path) from error.__cause__
    _expect(text, root, "object", "the document", path)
    return text


def edit(path: str, *changes: Callable[[str], str]) -> Edit:
    """A settings file as it is now, and after these changes of its text."""
    before = read(path)
    text = was = text_of(before, path)
    for change in changes:
        text = change(text)
    return Edit(path, before, before if text == was else text.encode("utf-8"))


def with_hooks(text: str, events: Mapping[str, int], line: str, path: str) -> str:
    """Our line at each event, once; a line of ours that names another launcher becomes this one."""
    hooks = jsonc.parse(text).get("hooks")
    missing = {event: [group(line, timeout)] for event, timeout in events.items()}
    if hooks is None:
        return jsonc.put(text, (), missing, "hooks", levels=1)
    _expect(text, hooks, "object", '"hooks"', path)
    for event, groups in missing.items():
        root = jsonc.parse(text)
        found = root.get("hooks", event)
        if found is None:
            text = jsonc.put(text, ("hooks",), groups, event)
            continue
        _expect(text, found, "array", f'"{event}"', path)
        mine = [where for where in handlers(root) if where[0] == event]
        if not mine:
            text = jsonc.put(text, ("hooks", event), groups[0])
        for _, number, place in mine:
            node = root.get("hooks", event, number, "hooks", place, "command")
            if node and node.value != line:
                text = jsonc.replaced(text, node, line)
                root = jsonc.parse(text)
    return text


def group(line: str, timeout: int) -> dict[str, Any]:
    handler: dict[str, Any] = {"type": "command", "command": line}
    if timeout:
        handler["timeout"] = timeout
    return {"hooks": [handler]}


def without(path: str, data: bytes, before: bytes | None, *more: Callable[[str, str | None], str]) -> bytes:
    """A settings file without our lines, and after these other changes, which are told what it was before."""
    text = text_of(data, path)
    known = text_of(before, path) if before is not None else None
    for change in (without_hooks, *more):
        text = change(text, known)
    return text.encode("utf-8") if data.strip() else data


def without_hooks(text: str, before: str | None) -> str:
    """Every line of ours is gone; `before` tells which empty containers were there."""
    while True:
        root = jsonc.parse(text)
        event, number, place = next(handlers(root), ("", 0, 0))
        if not event:
            return text
        path: tuple[str | int, ...] = ("hooks", event, number, "hooks")
        node = root.get(*path)
        if node and len(node.items) == 1:
            path, place = path[:2], number
        text = taken(text, path, place, before)


def with_items(text: str, steps: Sequence[str], values: Iterable[str], path: str) -> str:
    """Each text is in the array at `steps`, which is made where it is missing."""
    for value in values:
        root = jsonc.parse(text)
        found = root.get(*steps)
        if found is not None:
            _expect(text, found, "array", f'"{steps[-1]}"', path)
            if value not in found.value:
                text = jsonc.put(text, steps, value)
            continue
        depth = next(n for n in range(len(steps)) if root.get(*steps[: n + 1]) is None)
        parent = root.get(*steps[:depth])
        _expect(text, parent, "object", f'"{steps[depth - 1]}"', path)
        made: Any = [value]  # the next ones find it
        for step in reversed(steps[depth + 1 :]):
            made = {step: made}
        text = jsonc.put(text, steps[:depth], made, steps[depth], levels=len(steps) - depth)
    return text


def without_items(text: str, steps: Sequence[str], is_mine: Any, before: str | None) -> str:
    """Without those texts in the array at `steps` that are ours and were not there before."""
    kept = list(items(before, steps)) if before is not None else []
    while True:
        found = jsonc.parse(text).get(*steps)
        values = list(found.value) if found and found.kind == "array" else []
        mine = [number for number, value in enumerate(values) if is_mine(value) and value not in kept]
        if not mine:
            return text
        text = taken(text, tuple(steps), mine[-1], before)


def items(text: str | None, steps: Sequence[str]) -> list[Any]:
    found = jsonc.parse(text).get(*steps) if text else None
    return list(found.value) if found and found.kind == "array" else []


def value(text: str, *steps: str) -> Any:
    """The value at a path; None where there is none."""
    found = jsonc.parse(text).get(*steps)
    return found.value if found else None


def listed(text: str) -> list[tuple[str, str]]:
    """Event and command of each line of ours."""
    root = jsonc.parse(text)
    hooks = root.value.get("hooks")
    return [(event, hooks[event][number]["hooks"][place]["command"]) for event, number, place in handlers(root)]


def taken(text: str, path: tuple[str | int, ...], number: int, before: str | None) -> str:
    """Without one item, and without the containers around it that are empty now and were not there before."""
    was = jsonc.parse(before).get(*path) if before else None
    empty = (before or "")[was.start + 1 : was.end - 1] if was and not was.items else ""
    text = jsonc.take(text, path, number, empty)
    node = jsonc.parse(text).get(*path)
    if not path or was is not None or node is None or node.items:
        return text
    parent = jsonc.parse(text).get(*path[:-1])
    step = path[-1]
    return taken(text, path[:-1], parent.index(step) if parent and isinstance(step, str) else int(step), before)


def text_at(path: str) -> str:
    """The text of a file; settings that cannot be read hold nothing, and the host does not believe them either."""
    try:
        return text_of(read(path), path)
    except HoldfastError:
        return "{}"


def registered(paths: Iterable[str]) -> list[Registered]:
    """Our lines in these files."""
    return [Registered(path, *one) for path in dict.fromkeys(paths) for one in listed(text_at(path))]


def has_all(path: str, events: Iterable[str]) -> bool:
    """Whether a file has a line of ours at each of these events."""
    return {event for event, _ in listed(text_at(path))} >= set(events)


def handlers(root: Node) -> Iterator[tuple[str, int, int]]:
    """Event, group and place of each handler of ours; whatever has another shape has none."""
    hooks = root.get("hooks")
    for event, groups in (hooks.value if hooks and isinstance(hooks.value, dict) else {}).items():
        for number, one in enumerate(groups if isinstance(groups, list) else []):
            handlers = one.get("hooks") if isinstance(one, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else []):
                if isinstance(handler, dict) and is_ours(handler.get("command")):
                    yield event, number, place


def _expect(text: str, node: Node | None, kind: str, what: str, path: str) -> None:
    if node is None or node.kind != kind:
        raise jsonc.Broken(f"{what} is no {kind}", text, node.start if node else 0, path)


@dataclass(frozen=True)
class Outline:
    """A document with all its top-level values put aside but one, so that an edit costs what that one costs: the file
    may have many megabytes, for which our own reader takes seconds and the standard library's milliseconds. `text` is
    the short document, in the very shape of the file; `aside` are the values that its marks stand for."""

    text: str
    mark: str
    aside: tuple[str, ...]

    def whole(self, text: str) -> str:
        """The document again, of what an edit has made of the outline."""
        return re.sub(rf'"{self.mark}(\d+)"', lambda found: self.aside[int(found[1])], text)


def outline(text: str, kept: str, path: str = "") -> Outline:
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
    decoder = json.JSONDecoder(parse_constant=jsonc.no_constant)
    found: list[tuple[str, int, int]] = []
    at = _after(text, 1 if text.startswith(jsonc.MARK) else 0)
    try:
        at = _past(text, at, "{", path)
        while text[at : at + 1] != "}":
            if found:
                at = _past(text, at, ",", path)
            key, at = decoder.raw_decode(text, at)
            if not isinstance(key, str):
                raise jsonc.Broken("a key is no text", text, at, path)
            start = _past(text, _after(text, at), ":", path)
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


def _past(text: str, at: int, what: str, path: str) -> int:
    """The place of what follows a sign, which must stand here."""
    if text[at : at + 1] != what:
        raise jsonc.Broken(f"{what} is expected", text, at, path)
    return _after(text, at + 1)
