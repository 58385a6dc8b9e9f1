"""Values of front matter as YAML reads them, with their places in the text, so that one can be changed where it stands.

Neither an alias nor deep nesting gets as far as the composer: the one is a bomb, the other ends the stack.
"""

from __future__ import annotations

from typing import Any

import yaml

from holdfast.capture.front_matter import DEEPEST  # the C composer calls itself for each level, and stacks end

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotYaml(Exception):
    """A text that YAML does not take; `at` is where in it, None where YAML does not say."""

    def __init__(self, at: int | None, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def of(source: str, start: int) -> tuple[dict[str, Any], dict[str, tuple[int, int]], dict[str, int]]:
    """The fields, the places of their values counted from `start`, and the ends of lists. Raises NotYaml."""
    try:
        node = _compose(source)
        return ({}, {}, {}) if node is None else _fields(node, start)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # Its own count of lines knows other line breaks than editors.
        raise NotYaml(mark.index if mark else 0, error.problem or "not YAML") from error
    except yaml.YAMLError as error:
        raise NotYaml(None, f"not YAML ({str(error).splitlines()[0]})") from error


def _compose(source: str) -> Any:
    """The tree of nodes, once the events say that it is neither a bomb nor too deep; the usual text needs no look."""
    signs = sum(source.count(sign) for sign in ("[", "{", "- ", "-\n", "-\r", "-\t", "?", ":"))  # one per level
    if "&" in source or "*" in source or signs >= DEEPEST:
        depth = 0
        for event in yaml.parse(source, Loader=LOADER):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise yaml.MarkedYAMLError(
                    problem="anchors and aliases are not accepted", problem_mark=event.start_mark
                )
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=event.start_mark)
    return yaml.compose(source, Loader=LOADER)


def _fields(root: Any, start: int) -> tuple[dict[str, Any], dict[str, tuple[int, int]], dict[str, int]]:
    if not isinstance(root, yaml.MappingNode):
        raise yaml.MarkedYAMLError(problem="it should be lines of `key: value`", problem_mark=root.start_mark)
    fields: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    lasts: dict[str, int] = {}
    for key, value in root.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if not name or name in fields:
            problem = f"the key {name} stands there twice" if name else "a key should be a plain word"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        fields[name] = _plain(value)
        spans[name] = (start + value.start_mark.index, start + _end(value))
        if isinstance(value, yaml.SequenceNode) and value.value:
            lasts[name] = start + _end(value.value[-1])
    return fields, spans, lasts


def _end(node: Any) -> int:
    """Where a value's own text ends: libyaml counts the comments below a block as the block's."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _plain(node: Any) -> Any:
    """Text, numbers, lists and tables. A date stays the text it is."""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(one) for one in node.value]
    if isinstance(node, yaml.MappingNode):
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
