"""Recall: a question, the answers of the field, and what each score is made of.

It asks as `holdfast recall --read-only` does: nothing is reinforced by looking. Words about each result say what would
move it, from figures that the answer itself has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

from holdfast.capture import field_mode, home, identity
from holdfast.capture.quoting import shortened
from holdfast.field import handle, score_parts
from holdfast.field.excerpts import excerpt
from holdfast.field.thought import DECISION, DISCOVERY, HANDOFF, SAID
from holdfast.page import recall_reasons
from holdfast.page.visit import Visits
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.retrieval import Answer, Result
    from holdfast.field.score_parts import Part
    from holdfast.field.thought import Thought, Traffic
    from holdfast.page.visit import Visit

router = APIRouter(include_in_schema=False)
MOST = 10
MOST_READERS = 20
ROOM = 420  # characters of a result that are shown
LONGEST = 1000
LONGEST_TITLE = 90
DAY = 86400.0
SINCE = (("", "any time"), ("1", "a day"), ("7", "a week"), ("30", "a month"), ("365", "a year"))
KINDS = (
    ("", "every kind"),
    *((one, one) for one in notes.FOLDERS),
    *((one, one) for one in (HANDOFF, DECISION, DISCOVERY, SAID)),
    ("original", "thought"),
    ("consolidation", "summary of sleep"),
)
SAYS = {
    score_parts.WORDS: "words",
    score_parts.MEANING: "meaning",
    score_parts.AROUND: "neighbours",
    score_parts.PLACE: "in another's place",
    score_parts.NAMES: "names",
    score_parts.DATES: "dates",
    score_parts.WEIGHT: "weight",
    score_parts.STANDING: "standing",
}


@dataclass(frozen=True)
class Slice:
    """A part of a score on its bar, in thousandths of the longest."""

    name: str
    says: str
    worth: float
    begin: float
    width: float
    is_loss: bool


@dataclass(frozen=True)
class Shown:
    """One result as the page shows it."""

    rank: int
    result: Result
    title: str
    text: str
    link: str
    slices: tuple[Slice, ...]
    changes: tuple[str, ...]
    successor: str
    successor_link: str
    last_read: float
    is_archived: bool

    @property
    def thought(self) -> Thought:
        return self.result.thought


@router.get("/page/recall")
def view(
    visit: Visits,
    q: str = "",
    kind: str = "",
    since: str = "",
    everywhere: bool = False,
    archived: bool = False,
    asker: str = "",
) -> Response:
    """Raises UsageError."""
    memory, asked = visit.memory, q.strip()[:LONGEST]
    is_bare = home.is_bare(memory.at.vault) and not memory.field.shared()
    answer: Answer | None = None
    shown: list[Shown] = []
    readers: list[str] = []
    is_personal = field_mode.read(memory.at.state) == field_mode.PERSONAL
    person = identity.agent_name(memory.at.env, identity.SHELL, "")
    asker = (asker or person) if is_personal else ""
    if asked and not is_bare:
        handle.refuse_unknown([kind] if kind else [], memory.field.open)
        scope = memory.field.scope(everything=everywhere or visit.everything)
        begin = memory.at.clock() - float(since) * DAY if since in dict(SINCE) and since else 0.0
        scope = replace(scope, kinds=(kind,) if kind else (), since=begin, archived=archived)
        answer = memory.field.recall(asked, scope, MOST, asker)
        shown, others = _shown(visit, answer, asker)
        readers = [one for one in dict.fromkeys((person, asker, *others)) if one]
    return visit.show(
        "recall.html", q=asked, kind=kind, since=since, everywhere=everywhere, archived=archived, kinds=KINDS,
        times=SINCE, answer=answer, shown=shown, is_bare=is_bare, asker=asker, readers=readers,
        by_words=bool(shown) and not any(one.result.found and one.result.found.semantic for one in shown),
    )  # fmt: skip


def _shown(visit: Visit, answer: Answer, asker: str) -> tuple[list[Shown], list[str]]:
    """The results, and everybody who has read one of them."""
    results = answer.results
    ids = [one.thought.id for one in results]
    with visit.memory.field.open() as field:
        traffic = field.store.traffic(ids)
        away = field.store.archived(ids)
        newer = field.store.thoughts({one.thought.superseded_by for one in results} - {""})
    longest = max((sum(part.worth for part in score_parts.parts(one) if part.worth > 0) for one in results), default=1)
    shown = [
        _one(visit, rank, one, results, answer.query, longest, traffic, newer, one.thought.id in away, asker)
        for rank, one in enumerate(results, 1)
    ]
    return shown, sorted({agent for one in traffic.values() for agent in one.agents})[:MOST_READERS]


def _one(
    visit: Visit, rank: int, one: Result, results: Sequence[Result], query: str, longest: float,
    traffic: dict[str, Traffic], newer: dict[str, Thought], is_archived: bool, asker: str,
) -> Shown:  # fmt: skip
    thought = one.thought
    text = " ".join(thought.text.split())
    part = excerpt(text, query, ROOM)
    by = newer.get(thought.superseded_by)
    read = traffic.get(thought.id)
    return Shown(
        rank, one, title_of(thought), part if len(part) <= ROOM else f"{part[:ROOM].rpartition(' ')[0]} …",
        address(visit, thought), slices(score_parts.parts(one), longest),
        recall_reasons.changes(one, rank, results, asker),
        title_of(by) if by else "", address(visit, by) if by else "",
        read.last_accessed if read and read.access_count else 0.0, is_archived,
    )  # fmt: skip


def slices(parts: Sequence[Part], longest: float) -> tuple[Slice, ...]:
    """The bar of one score: what was brought stands side by side, what was taken off lies at the end of it."""
    scale = 1000 / longest if longest > 0 else 0.0
    made: list[Slice] = []
    end = 0.0
    for part in parts:
        if part.worth > 0:
            made.append(Slice(part.name, SAYS[part.name], part.worth, end * scale, part.worth * scale, False))
            end += part.worth
    for part in parts:
        if part.worth < 0:
            end += part.worth
            made.append(Slice(part.name, SAYS[part.name], part.worth, end * scale, -part.worth * scale, True))
    return tuple(replace(one, begin=round(one.begin, 1), width=round(one.width, 1)) for one in made)


def title_of(thought: Thought) -> str:
    """Its name, or the beginning of what it says."""
    first = thought.text.strip().partition("\n")[0]
    name = thought.title if thought.title and not first.startswith(thought.title) else first
    return shortened(" ".join(name.split()) or thought.id, LONGEST_TITLE)


def address(visit: Visit, thought: Thought) -> str:
    """A note has a view of its own; whatever else is remembered is shown as a thought."""
    if thought.path.partition("/")[0] in notes.FOLDERS.values():
        return visit.link("notes/note", note=thought.path)
    return visit.link("thought", id=thought.id)
