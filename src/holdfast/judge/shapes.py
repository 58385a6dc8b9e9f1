"""What a judge is told to answer: the JSON schema of a shape, in the prompt, and as the vendors' strict modes take it.

Every judge gets the schema in words, because that works everywhere. Where an endpoint can hold a model to it, it gets
the strict form too: every field required, none besides, and nothing that those modes do not know.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.judge.seam import Question

# What strict modes refuse or ignore; we check all of it ourselves when the answer is there.
UNKNOWN = (
    *("title", "default", "examples", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems"),
    *("uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)
ASKED = "Answer with exactly one JSON object and nothing else: no fence, no word before or after it. Its JSON schema:"


def told(question: Question[Any]) -> str:
    """Our own words to the model, with the schema."""
    return f"{question.told}\n\n{ASKED}\n{compact(question)}"


def compact(question: Question[Any]) -> str:
    schema = _without_titles(question.shape.model_json_schema())
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def strict(question: Question[Any]) -> dict[str, Any] | None:
    """For strict modes; None where the shape has something that they cannot hold, as free names or recursion."""
    schema = question.shape.model_json_schema()
    try:
        made = _strict(schema, schema.get("$defs", {}), ())
    except ValueError:
        return None
    return made if isinstance(made, dict) else None


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {name: one for name, one in node.items() if not (name == "title" and isinstance(one, str))}
    return {name: _without_titles(one) for name, one in kept.items()}


def _strict(node: Any, defs: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_strict(one, defs, within) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in within or name not in defs:
            raise ValueError(name)
        return _strict(defs[name], defs, (*within, name))
    kept = {name: one for name, one in node.items() if name not in (*UNKNOWN, "$defs", "properties", "required")}
    kept = {name: one if name in ("enum", "const") else _strict(one, defs, within) for name, one in kept.items()}
    if "const" in kept:
        kept["enum"] = [kept.pop("const")]
    if node.get("type") == "object":
        fields = node.get("properties", {})
        if not fields or isinstance(node.get("additionalProperties"), dict):
            raise ValueError("free names")
        kept["properties"] = {name: _strict(one, defs, within) for name, one in fields.items()}
        kept |= {"required": list(fields), "additionalProperties": False}
    return kept
