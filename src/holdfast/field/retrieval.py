"""Retrieval: relevance first, what use has left of a thought within bounds, and only what is returned is reinforced.

    answer = ask(field, "why do we lock orders?", Scope(project))        looks, and leaves no trace
    print(answer)
    reinforce(field, answer, agent="claude-code")                        then notes what was returned

What took the place of another stands before it, and the other says so; by its own words the other is found as well as
ever, right behind. Repetition, by what sleep found, comes after
everything else (field/folding). A bridge lends the thoughts at its ends a part of its score. A query is never a
thought.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast import pheromone
from holdfast.errors import UsageError
from holdfast.field import intake, ranking, traces, words
from holdfast.field.embedders import WORDLLAMA
from holdfast.field.ranking import Question, Ranked
from holdfast.field.store import CONSOLIDATED, LINKED, Scope
from holdfast.field.thought import (
    BRIDGE,
    CONSOLIDATION,
    DAY,
    HYPOTHESIS,
    SAID,
    SUMMARY,
    WITHDRAWN,
    Thought,
    Traffic,
    unread,
    whole,
)
from holdfast.field.traffic import GOT, USED, Event, event_of
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.store import Hit

    Ranking = Callable[[Question, Any, Any, int], list[Ranked]]


FAR = 0.07  # nearness below which two texts have nothing to do with each other, whatever the model
# How near the nearest of so many texts is by chance, with a model where that was measured: mean, spread, and from where
# on it is no chance in a store of any size. Below it meaning alone finds nothing (docs/field.md: how it was chosen).
CHANCE = {WORDLLAMA: (0.09, 0.05, 0.22)}
OF_NEAREST = 0.5  # what part of that nearness any other text has to have


class StoreView:
    """A store as a ranking sees it: its vectors are those of one model, which embeds the question too. Should another
    take over in between, this one has none left, and the question is answered by words. Words are asked for first."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.store = field.store
        self.embedder = field.asker()
        self.model = self.embedder.name if self.embedder else ""
        self.texts = field.store.texts
        self.facts = field.store.facts
        self.neighbours = field.store.neighbours
        self._shares: frozenset[str] = frozenset()

    def vector(self, query: str) -> Any:
        return self.field.vector(query, self.embedder) if self.embedder else None

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        hits = self._searched(self.store.lexical(terms, scope, most), scope)
        self._shares = frozenset(hit.id for hit in hits)
        return hits

    def nearest(self, vector: Any, scope: Scope, most: int) -> list[Hit]:
        hits = self._searched(self.store.nearest(vector, scope, most, self.model), scope)
        best = max((hit.score for hit in hits), default=0.0)
        least = near_enough(self.model, best, len(hits))
        return [hit for hit in hits if hit.id in self._shares or hit.score >= least]

    def _searched(self, hits: list[Hit], scope: Scope) -> list[Hit]:
        """Without the summaries of sleep, which come with their sources (field/folding); unless they are asked for."""
        named = [] if CONSOLIDATION in scope.kinds else [hit.id for hit in hits if hit.id.startswith(SUMMARY)]
        made = {one for one, thought in self.store.thoughts(named).items() if thought.is_summary} if named else ()
        return [hit for hit in hits if hit.id not in made] if made else hits


def luckiest(count: int) -> float:
    """The spreads by which the best of so many is above the others by chance."""
    return math.sqrt(2 * math.log(max(2, count)))


def near_enough(model: str, best: float, count: int) -> float:
    """The nearness that finds a text by its meaning alone, where the nearest of so many is as near as that."""
    if model not in CHANCE:
        return FAR
    mean, spread, no_chance = CHANCE[model]
    by_chance = mean + spread * luckiest(count)
    return max(FAR, OF_NEAREST * best) if best >= min(by_chance, no_chance) else math.inf


APPROXIMATE = "by an approximate index of all projects: something near may be missing"
MOST = 50
LONGEST_QUERY = 4000
OUTDATED = 0.5  # what is left of the score of a thought that another took the place of, unless it is meant
LENT = 0.5  # the part of a bridge's score that the thoughts at its ends get
ASKED = 0.5  # and of a question that the user once asked: what answers it comes first
PATIENCE = 0.2  # seconds that noting an access waits for other writers; the log has it, and the next takes it in


@dataclass(frozen=True)
class Result:
    """One thought that was found. `score` is relevance times what its weight makes of it; `age` is in seconds."""

    thought: Thought
    score: float
    relevance: float
    weight: float
    accesses: int
    age: float
    why: str
    shared_by: str = ""  # somebody else, in a team (team/asking)
    found: Ranked | None = None  # what its relevance was made of (field/score_parts)

    def as_record(self) -> dict[str, Any]:
        """As `recall --json` prints it."""
        one = self.thought
        named = ("kind", "category", "contributor", "agent", "session", "project", "space", "title", "superseded_by")
        return {
            **{name: getattr(one, name) for name in ("id", "text", "path")},
            "score": round(self.score, 4),
            "relevance": round(self.relevance, 4),
            "why": self.why,
            "weight": round(self.weight, 4),
            **{name: getattr(one, name) for name in ("origin", *named, "created")},
            "age_s": round(self.age),
            "sources": list(one.sources),
            "accesses": self.accesses,
            **({"shared_by": self.shared_by} if self.shared_by else {}),
        }


@dataclass(frozen=True)
class Answer:
    """The results of a query, the best first, and what reinforcing it has to know. `answered` says who gave it where a
    team shares the project: "from this machine alone: …"."""

    query: str
    project: str
    results: tuple[Result, ...]
    new: Mapping[str, tuple[float, float]]
    answered: str = ""

    def as_record(self) -> dict[str, Any]:
        """As `recall --json` and the server print it."""
        told = {"answered": self.answered} if self.answered else {}
        return {"results": [one.as_record() for one in self.results], **told}


def spoken(query: str) -> str:
    """A query as it is looked up and noted."""
    return " ".join(whole(query).split())[:LONGEST_QUERY]


def ranked(field: Field, query: str, scope: Scope, most: int, rank: Ranking = ranking.rank) -> list[Ranked]:
    """By relevance alone."""
    seen = StoreView(field)
    return rank(Question(query, seen.vector(query), field.clock()), seen, scope, most)


def ask(
    field: Field,
    query: str,
    scope: Scope = Scope(),  # noqa: B008  a frozen value
    most: int = 10,
    rank: Ranking = ranking.rank,
    *,
    pheromones: bool = True,
    asker: str | None = None,
) -> Answer:
    """The thoughts that answer a query. It writes nothing. With an `asker` only their own traces count (field/traces),
    else everybody's. Raises UsageError, Damaged."""
    asked, scope = spoken(query), scope.tidy()
    if not asked:
        raise UsageError("The query is empty; nothing was looked up. Say what you want to know.")
    if not 0 < most <= MOST:
        raise UsageError(f"{most} results cannot be had; nothing was looked up. Ask for 1 to {MOST}.")
    now = field.clock()
    candidates = ranked(field, asked, scope, max(4 * most, 40), rank)
    known = field.store.thoughts(one.id for one in candidates)
    candidates, known = _with_ends(field, candidates, known)
    read = traces.counted(field.store, known, asker)
    newer = _newer(field, known)
    found = [
        _result(one, known[one.id], read.get(one.id), now, pheromones, asked=asked, successor=newer.get(one.id))
        for one in candidates
        if one.id in known and is_shown(known[one.id], scope) and _bears(one, known[one.id], asked)
    ]
    found.sort(key=lambda one: (-one.score, -one.weight, one.thought.id))
    chosen = _folded(field, _successors_first(field, found, scope, now, asker), scope, now, asker, most)[:most]
    new = {one.thought.id: (one.thought.start, one.thought.created) for one in chosen if not one.accesses}
    new = {one: began for one, began in new.items() if one not in read}
    said = APPROXIMATE if getattr(field.store, "is_approximate", False) else ""
    return Answer(asked, scope.project or "", tuple(chosen), new, said)


def _newer(field: Field, known: Mapping[str, Thought]) -> dict[str, Thought]:
    """For each outdated thought the one that took its place."""
    wanted = {one: thought.superseded_by for one, thought in known.items() if thought.superseded_by}
    found = field.store.thoughts(wanted.values()) if wanted else {}
    return {one: found[by] for one, by in wanted.items() if by in found}


def _with_ends(
    field: Field, candidates: list[Ranked], known: dict[str, Thought]
) -> tuple[list[Ranked], dict[str, Thought]]:
    """The candidates with what bridges among them lend, and those at an end of one that the query did not find."""
    lent: dict[str, float] = {}
    for one in candidates:
        thought = known.get(one.id)
        if thought is not None and thought.kind == BRIDGE and not thought.superseded_by:
            for source in thought.sources:
                lent[source] = max(lent.get(source, 0.0), LENT * one.score)
    if not lent:
        return candidates, known
    listed = {one.id: one for one in candidates}
    for source, score in lent.items():
        one = listed.get(source, Ranked(source, 0.0))
        listed[source] = replace(one, score=one.score + score, around=one.around + score)
    return list(listed.values()), {**known, **field.store.thoughts(lent.keys() - known.keys())}


def _folded(field: Field, found: list[Result], scope: Scope, now: float, asker: str | None, most: int) -> list[Result]:
    """Without repetition at its head: what sleep found to say the same, and what its summaries carry."""
    ids = [one.thought.id for one in found]
    alike, made = field.store.marks(LINKED, ids), field.store.marks(CONSOLIDATED, ids)
    if not alike and not made:
        return found
    from holdfast.field import folding

    def summary(ident: str, place: Result) -> Result | None:
        found = _fetched(field, ident, scope, place, now, asker)
        if found is None or found.thought.superseded_by:
            return None
        sources = field.store.thoughts(found.thought.sources)
        return None if folding.is_outdated(found.thought, sources) else found

    return folding.folded(found, alike, made, summary, most)


def is_shown(thought: Thought, scope: Scope) -> bool:
    """A ranking may bring what stands around a hit, and that may be somebody else's."""
    return thought.superseded_by != WITHDRAWN and scope.has(thought)


def _bears(one: Ranked, thought: Thought, query: str) -> bool:
    """Something is nearest to every query: what no leg tells from the rest has to share a word with it."""
    return one.score > 0 or words.shares(query, f"{thought.title} {thought.text} {thought.context}")


def _is_meant(thought: Thought, successor: Thought, query: str) -> bool:
    """Whether a query has a word of an outdated thought that its successor has not: then it asks for what was."""
    own = {*words.content(thought.text)} - {*words.content(successor.text)} - words.FILLING
    return not own.isdisjoint(words.content(query))


def _result(
    one: Ranked,
    thought: Thought,
    read: Traffic | None,
    now: float,
    pheromones: bool,
    asked: str = "",
    successor: Thought | None = None,
) -> Result:
    traffic = read or unread(thought)
    weight = traffic.weight_at(now)
    score = one.score * (pheromone.factor(weight) if pheromones else 1.0)
    if thought.superseded_by and not (successor and _is_meant(thought, successor, asked)):
        score *= OUTDATED
    if thought.category == SAID and thought.text.rstrip().endswith(("?", "\uff1f")):
        score *= ASKED
    age = thought.age_at(now)
    why = _why(one, thought, traffic, weight, now)
    return Result(thought, score, one.score, weight, traffic.access_count, age, why, found=one)


def _why(one: Ranked, thought: Thought, traffic: Traffic, weight: float, now: float) -> str:
    """The reason why it is here, in words: what found it, what use has made of it, how old it is."""
    legs = [
        ("its words", one.lexical),
        ("its meaning", one.semantic),
        ("what stands around it", one.around if thought.thread or not one.lexical + one.semantic else 0.0),
    ]
    other = "its sources" if thought.kind == CONSOLIDATION else "what it took the place of"
    found = " and ".join(f"{name} ({share:.2f})" for name, share in legs if share > 0) or other
    count = traffic.access_count
    reads = f"read {count} {'time' if count == 1 else 'times'}, last {_ago(traffic.last_accessed, now)}"
    hints = [said for said, holds in (("who is named", one.is_named), ("when it was", one.is_dated)) if holds]
    found += "".join(f", {said}" for said in hints)
    said = [
        *([thought.title] if thought.category == SAID else []),
        *(["a hypothesis of sleep, which nobody has said"] if thought.origin == HYPOTHESIS else []),
        f"found by {found}",
        f"weight {weight:.2f} ({reads if count else 'never read'})",
        f"from {_ago(thought.created, now)}",
    ]
    if thought.superseded_by:
        said.append(f"superseded by {thought.superseded_by}")
    return "; ".join(said)


def _ago(then: float, now: float) -> str:
    """By the calendar, as notes have their days: what was said last evening is not of today."""
    days = max(0, int(now // DAY - then // DAY))
    return "today" if not days else "yesterday" if days == 1 else f"{days} days ago"


def _successors_first(field: Field, found: list[Result], scope: Scope, now: float, asker: str | None) -> list[Result]:
    """The successor of a result stands before it, fetched where the query alone did not find it."""
    listed: list[Result] = []
    by_id = {one.thought.id: one for one in found}
    done: set[str] = set()
    for one in found:
        chain = [one]
        while chain[-1].thought.superseded_by and len(chain) < MOST:
            wanted = chain[-1].thought.superseded_by
            if any(wanted == link.thought.id for link in chain):
                break  # two that say so of each other
            successor = by_id.get(wanted) or _fetched(field, wanted, scope, one, now, asker)
            if successor is None:
                break
            chain.append(successor)
        for link in reversed(chain):
            if link.thought.id not in done:
                done.add(link.thought.id)
                listed.append(link)
    return listed


def _fetched(field: Field, wanted: str, scope: Scope, old: Result, now: float, asker: str | None) -> Result | None:
    thought = field.store.thoughts([wanted]).get(wanted)
    if thought is None or not is_shown(thought, scope):
        return None
    read = traces.counted(field.store, {wanted: thought}, asker).get(wanted)
    return _result(Ranked(wanted, old.relevance), thought, read, now, True)


def reinforce(field: Field, answer: Answer, agent: str = "", session: str = "") -> bool:
    """Note that an answer was given, also an empty one: questions that find nothing are what a ladder measures. The
    append to the log is what counts; whether the store has it already is returned. Call it when the answer is out: it
    must not wait for this."""
    ids = tuple(one.thought.id for one in answer.results)
    event = Event(field.clock(), GOT, ids, agent, session, answer.project, answer.query, answer.new)
    return field.journal.travel(event) and intake.travel(field, PATIENCE)


def used(field: Field, ids: Sequence[str], agent: str = "", session: str = "") -> bool:
    """Evidence of use: an agent opened or cited these."""
    known = field.store.thoughts(ids)
    if not known:
        return True
    read = field.store.traffic(known, whole=False)
    event = event_of(USED, known, read, field.clock(), agent=agent, session=session)
    return field.journal.travel(event) and intake.travel(field, PATIENCE)
