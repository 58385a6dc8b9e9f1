"""A thought as a row of its table, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.field import words
from holdfast.field.sqlite import scoping
from holdfast.field.thought import FIELDS, LISTS, Thought

if TYPE_CHECKING:
    from collections.abc import Sequence

SEPARATOR = "\x1f"  # between the items of a list; texts have no control characters
COLUMNS = tuple(name for name in FIELDS if name != "superseded_by")
OWN = ("place", "same", "extra", "scope", "thread", "size", "speaker", "said", "turn")
NAMED = f"{', '.join(f't.{name}' for name in COLUMNS)}, (SELECT min(new) FROM gone WHERE old = t.id)"
PUT = (
    f"INSERT INTO thought ({', '.join((*COLUMNS, *OWN))}) VALUES ({', '.join('?' * (len(COLUMNS) + len(OWN)))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in (*COLUMNS[1:], *OWN))}"
)


def row(one: Thought, place: str) -> tuple[Any, ...]:
    """For PUT."""
    given = [SEPARATOR.join(getattr(one, name)) if name in LISTS else getattr(one, name) for name in COLUMNS]
    facts = one.facts
    made = (words.sameness(one.text), words.extra(one), scoping.word(one.project))
    return (*given, place, *made, facts.thread, facts.words, facts.speaker, facts.created, facts.is_turn)


def thought(found: Sequence[Any]) -> Thought:
    """From NAMED."""
    given: dict[str, Any] = dict(zip((*COLUMNS, "superseded_by"), found, strict=True))
    given.update({name: tuple(given[name].split(SEPARATOR)) if given[name] else () for name in LISTS})
    return Thought(**{**given, "superseded_by": given["superseded_by"] or ""})
