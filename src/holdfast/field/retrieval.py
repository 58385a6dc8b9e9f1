"""Retrieval: relevance first, what use has left of a thought within bounds, and only what is returned is reinforced.

    answer = ask(field, "why do we lock orders?", Scope(project))        looks, and leaves no trace
    print(answer)
    reinforce(field, answer, agent="claude-code")                        then notes what was returned

What took the place of another stands before it, and the other says so. A query is never a thought. Highways are
thoughts that several agents keep coming back to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast import pheromone
from holdfast.errors import UsageError
from holdfast.field import intake, ranking, words
from holdfast.field.embedders import WORDLLAMA
from holdfast.field.ranking import Question, Ranked
from holdfast.field.store import Scope
from holdfast.field.thought import DAY, SAID, WITHDRAWN, Thought, Traffic, unread, whole
from holdfast.field.traffic import GOT, USED, Event, event_of, travel

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
        hits = self.store.lexical(terms, scope, most)
        self._shares = frozenset(hit.id for hit in hits)
        return hits

    def nearest(self, vector: Any, scope: Scope, most: int) -> list[Hit]:
        hits = self.store.nearest(vector, scope, most, self.model)
        best = max((hit.score for hit in hits), default=0.0)
        least = near_enough(self.model, best, len(hits))
        return [hit for hit in hits if hit.id in self._shares or hit.score >= least]


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


MOST = 50
LONGEST_QUERY = 4000
OUTDATED = 0.5  # what is left of the score of a thought that another took the place of
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
        }


@dataclass(frozen=True)
class Answer:
    """The results of a query, the best first, and what reinforcing it has to know."""

    query: str
    project: str
    results: tuple[Result, ...]
    new: Mapping[str, tuple[float, float]]


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
) -> Answer:
    """The thoughts that answer a query. It writes nothing. Raises UsageError, Damaged."""
    asked, scope = spoken(query), scope.tidy()
    if not asked:
        raise UsageError("The query is empty; nothing was looked up. Say what you want to know.")
    if not 0 < most <= MOST:
        raise UsageError(f"{most} results cannot be had; nothing was looked up. Ask for 1 to {MOST}.")
    now = field.clock()
    candidates = ranked(field, asked, scope, max(4 * most, 40), rank)
    known = field.store.thoughts(one.id for one in candidates)
    read = field.store.traffic(known, whole=False)
    found = [
        _result(one, known[one.id], read.get(one.id), now, pheromones)
        for one in candidates
        if one.id in known and is_shown(known[one.id], scope) and _bears(one, known[one.id], asked)
    ]
    found.sort(key=lambda one: (-one.score, -one.weight, one.thought.id))
    chosen = _successors_first(field, found, scope, now)[:most]
    new = {one.thought.id: (one.thought.start, one.thought.created) for one in chosen if not one.accesses}
    new = {one: began for one, began in new.items() if one not in read}
    return Answer(asked, scope.project or "", tuple(chosen), new)


def is_shown(thought: Thought, scope: Scope) -> bool:
    """A ranking may bring what stands around a hit, and that may be somebody else's."""
    return thought.superseded_by != WITHDRAWN and scope.has(thought)


def _bears(one: Ranked, thought: Thought, query: str) -> bool:
    """Something is nearest to every query: what no leg tells from the rest has to share a word with it."""
    return one.score > 0 or words.shares(query, f"{thought.title} {thought.text} {thought.context}")


def _result(one: Ranked, thought: Thought, read: Traffic | None, now: float, pheromones: bool) -> Result:
    traffic = read or unread(thought)
    weight = traffic.weight_at(now)
    score = one.score * (pheromone.factor(weight) if pheromones else 1.0)
    if thought.superseded_by:
        score *= OUTDATED
    if thought.category == SAID and thought.text.rstrip().endswith(("?", "\uff1f")):
        score *= ASKED
    age = thought.age_at(now)
    why = _why(one, thought, traffic, weight, now)
    return Result(thought, score, one.score, weight, traffic.access_count, age, why)


def _why(one: Ranked, thought: Thought, traffic: Traffic, weight: float, now: float) -> str:
    """The reason why it is here, in words: what found it, what use has made of it, how old it is."""
    legs = [
        ("its words", one.lexical),
        ("its meaning", one.semantic),
        ("what stands around it", one.around if thought.thread else 0.0),
    ]
    found = " and ".join(f"{name} ({share:.2f})" for name, share in legs if share > 0) or "what it took the place of"
    count = traffic.access_count
    reads = f"read {count} {'time' if count == 1 else 'times'}, last {_ago(traffic.last_accessed, now)}"
    hints = [said for said, holds in (("who is named", one.is_named), ("when it was", one.is_dated)) if holds]
    found += "".join(f", {said}" for said in hints)
    said = [
        *([thought.title] if thought.category == SAID else []),
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


def _successors_first(field: Field, found: list[Result], scope: Scope, now: float) -> list[Result]:
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
            successor = by_id.get(wanted) or _fetched(field, wanted, scope, one, now)
            if successor is None:
                break
            chain.append(successor)
        for link in reversed(chain):
            if link.thought.id not in done:
                done.add(link.thought.id)
                listed.append(link)
    return listed


def _fetched(field: Field, wanted: str, scope: Scope, old: Result, now: float) -> Result | None:
    thought = field.store.thoughts([wanted]).get(wanted)
    if thought is None or not is_shown(thought, scope):
        return None
    read = field.store.traffic([wanted]).get(wanted)
    return _result(Ranked(wanted, old.relevance), thought, read, now, True)


def reinforce(field: Field, answer: Answer, agent: str = "", session: str = "") -> bool:
    """Note that an answer was given. The append to the log is what counts; whether the store has it already is
    returned. Call it when the answer is out: it must not wait for this."""
    ids = tuple(one.thought.id for one in answer.results)
    if not ids:
        return True
    event = Event(field.clock(), GOT, ids, agent, session, answer.project, answer.query, answer.new)
    return travel(field.vault, event) and intake.travel(field, PATIENCE)


def used(field: Field, ids: Sequence[str], agent: str = "", session: str = "") -> bool:
    """Evidence of use: an agent opened or cited these."""
    known = field.store.thoughts(ids)
    if not known:
        return True
    read = field.store.traffic(known, whole=False)
    event = event_of(USED, known, read, field.clock(), agent=agent, session=session)
    return travel(field.vault, event) and intake.travel(field, PATIENCE)


ACCESSES, AGENTS = 3, 2
POOL = 200
ALIKE = 0.8  # from here on two highways say the same
MOST_BESIDE = 5
BEARS = 0.5  # what part of the best answer's own words and meaning a highway has to have


@dataclass(frozen=True)
class Beside:
    """A neighbour on the co-retrieval graph, and how often the two were returned together."""

    id: str
    title: str
    count: int


@dataclass(frozen=True)
class Highway:
    thought: Thought
    score: float
    weight: float
    traffic: Traffic
    beside: tuple[Beside, ...]

    def as_record(self) -> dict[str, Any]:
        one = self.thought
        return {
            **{name: getattr(one, name) for name in ("id", "text", "path", "title", "origin")},
            "score": round(self.score, 4),
            "weight": round(self.weight, 4),
            "accesses": self.traffic.access_count,
            "agents": list(self.traffic.agents),
            "last_accessed": self.traffic.last_accessed,
            "beside": [{"id": other.id, "title": other.title, "count": other.count} for other in self.beside],
        }


def highways(
    field: Field,
    scope: Scope = Scope(),  # noqa: B008  a frozen value
    query: str = "",
    most: int = 10,
) -> list[Highway]:
    """The busiest first. It leaves no trace."""
    asked, scope = spoken(query), scope.tidy()
    if asked:
        busy = _bearing(field, scope, asked)
    else:
        busy = {hit.id: hit.score for hit in field.store.busiest(ACCESSES, AGENTS, scope, POOL)}
    known = {one: thought for one, thought in field.store.thoughts(busy).items() if is_shown(thought, scope)}
    listed = sorted(known, key=lambda one: (-busy[one], one))
    kept = [listed[at] for at in words.distinct([known[one].text for one in listed], ALIKE)][:most]
    traffic = field.store.traffic(kept)
    now = field.clock()
    return [
        Highway(known[one], busy[one], traffic[one].weight_at(now), traffic[one], _beside(field, scope, traffic[one]))
        for one in kept
        if one in traffic
    ]


def _bearing(field: Field, scope: Scope, query: str) -> dict[str, float]:
    """The highways among what bears on a query. Not the other way round: those of a query need not be among the busiest
    of all. The product would let the busiest win every query, the logarithm only tells equals apart."""
    found = ranked(field, query, scope, POOL)
    least = BEARS * max((one.lexical + one.semantic for one in found), default=0.0)
    bears = {one.id: one.score for one in found if one.lexical + one.semantic >= least and one.score > 0}
    busy = {
        one: known.access_count * len(known.agents)
        for one, known in field.store.traffic(bears).items()
        if known.access_count >= ACCESSES and len(known.agents) >= AGENTS
    }
    return {one: bears[one] * (1 + math.log10(score)) for one, score in busy.items()}


def _beside(field: Field, scope: Scope, traffic: Traffic) -> tuple[Beside, ...]:
    """Of this scope: a question over all projects brings those of several together."""
    from holdfast.vault.notes import title

    here = Scope(scope.project, scope.also_global, merged=scope.merged)
    counts = sorted(traffic.together.items(), key=lambda pair: (-pair[1], pair[0]))
    known = field.store.thoughts(one for one, _ in counts)
    shown = [(known[one], count) for one, count in counts if one in known and is_shown(known[one], here)]
    return tuple(Beside(one.id, one.title or title(one.text), count) for one, count in shown[:MOST_BESIDE])
