"""What a repetition adds to the thought that is there already, and what of it has no place there.

Pure. What is new is put beside what is known (field/thought.joined), within the same limits; a second category becomes
a tag. What is left out is said in a sentence that also says how to keep it: nothing that somebody said goes unnoticed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.field.thought import joined, least_trusted

if TYPE_CHECKING:
    from holdfast.field.thought import Thought

LONGEST_CONTEXT = 2_000
MOST_TAGS = 20


def extended(known: Thought, said: Thought) -> tuple[Thought, tuple[str, ...]]:
    """The known thought with what the other says of it besides, and in sentences what was added and what was not."""
    news = _news(known, said)
    if not news:
        return known, ()
    if known.path or least_trusted((known.origin, said.origin)) != known.origin:
        return known, (_not_kept(known, list(news)),)
    whole, added, left_out = known, list[str](), list[str]()
    for name, value in news.items():
        more = joined(whole, replace(whole, **{name: value}))
        if len(more.context) <= LONGEST_CONTEXT and len(more.tags) <= MOST_TAGS:
            whole = more
            added.append(name)
        else:
            left_out.append(name)
    told = [f"added to the thought that is there: its {_listed(added)}"] if added else []
    return whole, (*told, *([_not_kept(known, left_out)] if left_out else []))


def _news(known: Thought, said: Thought) -> dict[str, Any]:
    """What the known one does not have, by the names of fields."""
    tags = tuple(one for one in said.tags if one not in (*known.tags, known.category))
    more = (said.category,) if known.category and said.category not in (known.category, *known.tags, *tags, "") else ()
    found: dict[str, Any] = {
        "context": "" if said.context in known.context else said.context,
        "tags": (*tags, *more),
        "category": "" if known.category else said.category,
        "sources": tuple(one for one in said.sources if one not in (*known.sources, known.id)),
    }
    return {name: value for name, value in found.items() if value}


def _not_kept(known: Thought, names: list[str]) -> str:
    return (
        f"not kept: its {_listed(names)}, for the thought is there already and cannot take that; "
        f"to keep it, say it in other words as a refinement with the source {known.id}"
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
