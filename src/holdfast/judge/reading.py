"""From a model's words to one validated object. Lenient about what stands around the JSON, strict about what is in it.

Small models put fences, thoughts and kind words around an answer that is right; that costs nothing to pass over. What
the object says decides what becomes of a memory, so there nothing is guessed: unknown fields, other types, a name
given twice and two different objects are all refused.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.judge.fencing import unescape

if TYPE_CHECKING:
    from pydantic import BaseModel

    T = TypeVar("T", bound=BaseModel)

LONGEST = 1 << 20
MOST_ERRORS = 6
_LIKE_JSON = re.compile(r'\{\s*(?:["{}\[]|\Z)')
_THOUGHTS = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)


class Broken(ValueError):
    """What is wrong with an answer, in words that the model can use."""


def read(text: str, shape: type[T]) -> T:
    """The object in an answer. Raises Broken."""
    from pydantic import ValidationError

    found = _objects(text)
    fitting: list[T] = []
    wrong: ValidationError | None = None
    for one in found:
        try:
            fitting.append(shape.model_validate_json(json.dumps(_plain(one)), strict=True))
        except ValidationError as error:
            wrong = error
    different = [one for at, one in enumerate(fitting) if one not in fitting[:at]]
    if len(different) == 1:
        return different[0]
    if different:
        raise Broken("there are several JSON objects; answer with one")
    if wrong is not None:
        raise Broken(_said(wrong))
    raise Broken("there is no JSON object in the answer")


def _objects(text: str) -> list[Any]:
    """Every JSON object that is not part of another."""
    rest = _THOUGHTS.sub("", text.replace("\ufeff", ""), count=1).strip()
    if len(rest) > LONGEST:
        raise Broken(f"the answer has more than {LONGEST:,} characters")
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
    found, at, failed = [], rest.find("{"), ""
    while at >= 0:
        try:
            one, end = decoder.raw_decode(rest, at)
        except Broken:
            raise
        except (ValueError, RecursionError) as error:
            if not _LIKE_JSON.match(rest, at):
                end = at + 1
            else:
                failed = str(error) or type(error).__name__
                break  # cut or broken: its parts are no answers
        else:
            found.append(one)
        at = rest.find("{", end)
    if not found and failed:
        raise Broken(f"it is not valid JSON ({failed[:120]})")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Broken("a name is given twice in one object")
    return made


def _no_number(name: str) -> Any:
    raise Broken(f"{name} is no JSON number")


def _plain(thing: Any) -> Any:
    if isinstance(thing, str):
        return unescape(thing)
    if isinstance(thing, list):
        return [_plain(one) for one in thing]
    if isinstance(thing, dict):
        return {unescape(name): _plain(one) for name, one in thing.items()}
    return thing


def _said(error: Any) -> str:
    """Where and what, without the values: those are the model's own and may be anything."""
    lines = []
    for one in error.errors(include_url=False, include_context=False, include_input=False)[:MOST_ERRORS]:
        place = ".".join(str(part)[:40] for part in one["loc"]) or "the object"
        lines.append(f"{place}: {one['msg']}")
    return "; ".join(lines)[:800]
