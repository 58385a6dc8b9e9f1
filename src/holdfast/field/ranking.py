"""The ranking: two legs fused, then what is known of each text besides its words.

It is a pure function over `Corpus`, so that the store of the product and the benches run the same code, and every part
can be left out alone, to be measured: each part of `Parts` has its line in docs/benchmarks.md. The legs are a convex
sum of scores, each as a part of the best that its own leg has found. A short text is understood from those before and
after it, and "what did Ada decide" is rather answered by Ada's words than by words about Ada.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.field import words
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Found(Protocol):
    """A text that one leg has found, and how well: higher is better, and only one leg's can be compared."""

    @property
    def id(self) -> str: ...
    @property
    def score(self) -> float: ...


@value
class Facts:
    """The facts of a text besides its words. A thread is what was said in one go: a session, a task. A turn is one
    of several who talk with each other, and is understood from those around it."""

    words: int = 0
    speaker: str = ""
    thread: str = ""
    created: float = 0.0
    is_turn: bool = False


class Corpus(Protocol):
    """The texts that are searched. Ids that are not known are left out of every answer."""

    def lexical(self, terms: Sequence[str], scope: Any, most: int) -> Sequence[Found]:
        """By any of the terms; one of several words is a phrase."""
        ...

    def nearest(self, vector: Any, scope: Any, most: int) -> Sequence[Found]:
        """By the best passage of each text (embed/passages)."""
        ...

    def texts(self, ids: Iterable[str]) -> Mapping[str, str]: ...
    def facts(self, ids: Iterable[str]) -> Mapping[str, Facts]: ...
    def neighbours(self, ids: Iterable[str], reach: int) -> Mapping[str, Sequence[tuple[str, int]]]:
        """For each text those of its thread within so many steps before or after it, with the number of steps."""
        ...


@value
class Question:
    """A query, its vector where there is an embedder, and the time at which it is asked."""

    text: str
    vector: Any = None
    now: float = 0.0


@value
class Parts:
    """The parts of a ranking. All of them are on; a bench switches off one at a time."""

    lexical: bool = True
    semantic: bool = True
    turns: bool = True
    neighbours: bool = True
    threads: bool = True
    names: bool = True
    dates: bool = True


ALL = Parts()


@value
class Ranked:
    """A result and why it is there: what each leg gave, what those around it gave, which hints of the query held."""

    id: str
    score: float
    lexical: float = 0.0
    semantic: float = 0.0
    around: float = 0.0
    is_named: bool = False
    is_dated: bool = False


SHARES = (0.2, 0.15)  # of the score of a neighbour one and two steps away
OF_THREAD = 0.4
FEW = 10  # words: a turn of so many says half by itself


def by_itself(known: Facts, neighbours: Sequence[tuple[str, int]]) -> float:
    """The part of its score that a text has by itself. A note of few words says what it says; a turn rarely does."""
    return known.words / (known.words + FEW) if known.is_turn and neighbours else 1.0


def lent_by_neighbours(
    scores: Mapping[str, float], neighbours: Mapping[str, Sequence[tuple[str, int]]]
) -> dict[str, float]:
    """The share that each text gets of its neighbours; also those that no leg has found."""
    given: dict[str, float] = {}
    for ident, score in scores.items():
        for other, steps in neighbours.get(ident, ()):
            if 0 < steps <= len(SHARES):
                given[other] = given.get(other, 0.0) + SHARES[steps - 1] * score
    return given


def of_threads(scores: Mapping[str, float], threads: Mapping[str, str]) -> dict[str, float]:
    """The share that each text gets of the best of its thread, which may be itself."""
    best: dict[str, float] = {}
    for ident, score in scores.items():
        thread = threads.get(ident) or f"\0{ident}"
        best[thread] = max(best.get(thread, 0.0), score)
    return {ident: OF_THREAD * best[threads.get(ident) or f"\0{ident}"] for ident in scores}


POOL = 600  # how many of each leg are looked at
WORDS = 0.6  # the share of words where nothing is nearer than the rest
STANDING_OUT = 0.4  # what it loses where one text alone is near
FIRST = 10  # texts among which the nearest stands out


def share_of_words(nearness: Mapping[str, float]) -> float:
    """The share of words in a score, by how far the nearest text stands out from the first ten."""
    if not nearness:
        return 1.0
    ordered = sorted(nearness.values(), reverse=True)[:FIRST]
    best = ordered[0]
    return WORDS - STANDING_OUT * (best - max(0.0, ordered[-1])) / best if best > 0 else WORDS


def parts(scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Each score as a part of the best, and what one that was not looked at may have at most: nothing where all were
    found that there are."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(scores, 0.0), 0.0
    made = {ident: max(0.0, score) / best for ident, score in scores.items()}
    return made, min(made.values()) if len(made) >= POOL else 0.0


LONGEST = 60


def meant(query: str, speakers: Iterable[str]) -> str:
    """The one speaker whom a query names; "" where it names none or several."""
    asked = query.casefold()
    found = {
        name
        for name in speakers
        if 1 < len(name) <= LONGEST and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", asked)
    }
    return found.pop() if len(found) == 1 else ""


CANDIDATES = 100
NAMED = 0.3
DATED = 0.2
NOTHING = Facts()


def rank(question: Question, corpus: Corpus, scope: Any, most: int, parts: Parts = ALL) -> list[Ranked]:
    """The best first. Lexical alone where the question has no vector."""
    asked = words.terms(question.text)
    is_near = parts.semantic and question.vector is not None
    lexical = corpus.lexical(asked, scope, POOL) if parts.lexical and asked else ()
    semantic = corpus.nearest(question.vector, scope, POOL) if is_near else ()
    pool = _fused({hit.id: hit.score for hit in lexical}, {hit.id: hit.score for hit in semantic})
    found = _scored(question, corpus, pool, parts)
    return [found.result(ident) for ident in found.order[:most]]


@value
class _Scored:
    """Everything that was looked at, in order, with what its scores were made of."""

    order: list[str]
    worth: Mapping[str, float]
    legs: Mapping[str, tuple[float, float]]
    around: Mapping[str, float]
    named: frozenset[str]
    dated: Mapping[str, float]

    def result(self, ident: str) -> Ranked:
        lexical, semantic = self.legs.get(ident, (0.0, 0.0))
        around, is_dated = self.around.get(ident, 0.0), self.dated.get(ident, 0.0) > 0
        return Ranked(ident, self.worth[ident], lexical, semantic, around, ident in self.named, is_dated)


def _scored(question: Question, corpus: Corpus, pool: dict[str, tuple[float, float]], parts: Parts) -> _Scored:
    own = {ident: sum(both) for ident, both in pool.items()}
    seeds = sorted(pool, key=lambda ident: (-own[ident], ident))[:CANDIDATES]
    beside = corpus.neighbours(seeds, len(SHARES)) if parts.neighbours or parts.turns else {}
    near = beside if parts.neighbours else {}
    known = corpus.facts({*seeds, *(other for others in near.values() for other, _ in others)})
    if parts.turns:
        alone = {ident: by_itself(known[ident], beside.get(ident, ())) for ident in seeds if ident in known}
        pool |= {ident: (pool[ident][0] * part, pool[ident][1] * part) for ident, part in alone.items()}
        own |= {ident: own[ident] * part for ident, part in alone.items()}
    lent = lent_by_neighbours({ident: own[ident] for ident in seeds}, near)
    kept = {ident: own.get(ident, 0.0) for ident in {*seeds, *lent}}
    total = {ident: score + lent.get(ident, 0.0) for ident, score in kept.items()}
    if parts.threads:
        of_thread = of_threads(kept, {ident: known.get(ident, NOTHING).thread for ident in kept})
        total = {ident: score + of_thread[ident] for ident, score in total.items()}
        lent = {ident: lent.get(ident, 0.0) + of_thread[ident] - OF_THREAD * kept[ident] for ident in kept}
    return _hinted(question, pool, total, lent, known, parts)


def _fused(words: Mapping[str, float], nearness: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """The share of each leg in everything that one has found. One that has found nothing leaves the other as it is."""
    share = share_of_words(nearness) if words else 0.0
    (lexical, _), (semantic, beyond) = parts(words), parts(nearness)
    return {
        ident: (share * lexical.get(ident, 0.0), (1 - share) * semantic.get(ident, beyond))
        for ident in dict.fromkeys((*lexical, *semantic))
    }


def _hinted(
    question: Question,
    pool: Mapping[str, tuple[float, float]],
    total: Mapping[str, float],
    lent: Mapping[str, float],
    known: Mapping[str, Facts],
    parts: Parts,
) -> _Scored:
    speaker = meant(question.text, {fact.speaker for fact in known.values()}) if parts.names else ""
    spans = words.spans(question.text, question.now) if parts.dates else ()
    named = frozenset(ident for ident, fact in known.items() if fact.speaker == speaker) if speaker else frozenset()
    dated = {ident: words.closeness(fact.created, spans) for ident, fact in known.items()} if spans else {}
    worth = {
        ident: score * (1 + NAMED * (ident in named)) * (1 + DATED * dated.get(ident, 0.0))
        for ident, score in total.items()
    }
    return _Scored(sorted(worth, key=lambda ident: (-worth[ident], ident)), worth, pool, lent, named, dated)
