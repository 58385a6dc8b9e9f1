"""What a call took, as Anthropic counts it: the same in its API and in what its own program prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.judge import shapes
from holdfast.judge.asking import PER_TOKEN
from holdfast.judge.seam import Words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.judge.seam import Question

COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def words(found: Mapping[str, Any], text: str, question: Question[Any], model: str) -> Words:
    """An answer with what it took; estimated where it does not say."""
    said = found.get("usage")
    usage = said if isinstance(said, dict) else {}
    taken = sum(usage[name] for name in COUNTED if isinstance(usage.get(name), int))
    given = usage.get("output_tokens")
    return Words(
        text,
        taken or (len(shapes.told(question)) + len(question.given)) // PER_TOKEN,
        given if isinstance(given, int) else len(text) // PER_TOKEN,
        model,
        is_estimated=not taken,
    )
