"""The order of what is found: two legs fused, then what is known of each text besides its words.

    lexical ─┐                         ┌─ neighbours, thread ──────┐
             ├─ fusion ─> candidates ──┤                           ├─> order
    nearest ─┘                         └─ who is named, when it was┘

Nothing here knows a database, a model or a clock. Equal scores are ordered by id, so the same corpus gives the same
answer. The pheromone comes afterwards and belongs to field/retrieve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.field.search import around, dates, fusion, names, tokens
from holdfast.field.search.seam import ALL, Facts, Ranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.field.search.seam import Corpus, Found, Parts, Question

CANDIDATES = 100
NAMED = 0.3
DATED = 0.2
NOTHING = Facts()


def rank(question: Question, corpus: Corpus, scope: Any, most: int, parts: Parts = ALL) -> list[Ranked]:
    """The best first. Lexical alone where the question has no vector."""
    asked = tokens.terms(question.text)
    is_near = parts.semantic and question.vector is not None
    legs = _Legs(
        _by_id(corpus.lexical(asked, scope, fusion.POOL)) if parts.lexical and asked else {},
        _by_id(corpus.nearest(question.vector, scope, fusion.POOL)) if is_near else {},
    )
    found = _scored(question, corpus, legs, parts)
    return [found.result(ident) for ident in found.order[:most]]


@dataclass(frozen=True)
class _Legs:
    lexical: Mapping[str, float]
    semantic: Mapping[str, float]


@dataclass(frozen=True)
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


def _by_id(hits: Sequence[Found]) -> dict[str, float]:
    return {hit.id: hit.score for hit in hits}


def _scored(question: Question, corpus: Corpus, legs: _Legs, parts: Parts) -> _Scored:
    pool = _fused(legs)
    own = {ident: sum(both) for ident, both in pool.items()}
    seeds = sorted(pool, key=lambda ident: (-own[ident], ident))[:CANDIDATES]
    beside = corpus.neighbours(seeds, len(around.SHARES)) if parts.neighbours or parts.turns else {}
    near = beside if parts.neighbours else {}
    known = corpus.facts({*seeds, *(other for others in near.values() for other, _ in others)})
    if parts.turns:
        alone = {ident: around.by_itself(known[ident], beside.get(ident, ())) for ident in seeds if ident in known}
        pool |= {ident: (pool[ident][0] * part, pool[ident][1] * part) for ident, part in alone.items()}
        own |= {ident: own[ident] * part for ident, part in alone.items()}
    lent = around.lent({ident: own[ident] for ident in seeds}, near)
    kept = {ident: own.get(ident, 0.0) for ident in {*seeds, *lent}}
    total = {ident: score + lent.get(ident, 0.0) for ident, score in kept.items()}
    if parts.threads:
        of_thread = around.of_threads(kept, {ident: known.get(ident, NOTHING).thread for ident in kept})
        total = {ident: score + of_thread[ident] for ident, score in total.items()}
        lent = {ident: lent.get(ident, 0.0) + of_thread[ident] - around.OF_THREAD * kept[ident] for ident in kept}
    return _hinted(question, pool, total, lent, known, parts)


def _fused(legs: _Legs) -> dict[str, tuple[float, float]]:
    """What each leg gives to everything that one has found. One that has found nothing leaves the other as it is."""
    words = fusion.share_of_words(legs.semantic) if legs.lexical else 0.0
    lexical, _ = fusion.parts(legs.lexical)
    semantic, beyond = fusion.parts(legs.semantic)
    return {
        ident: (words * lexical.get(ident, 0.0), (1 - words) * semantic.get(ident, beyond))
        for ident in (*lexical, *(one for one in semantic if one not in lexical))
    }


def _hinted(
    question: Question,
    pool: Mapping[str, tuple[float, float]],
    total: Mapping[str, float],
    lent: Mapping[str, float],
    known: Mapping[str, Facts],
    parts: Parts,
) -> _Scored:
    speaker = names.meant(question.text, {fact.speaker for fact in known.values()}) if parts.names else ""
    spans = dates.spans(question.text, question.now) if parts.dates else ()
    named = frozenset(ident for ident, fact in known.items() if fact.speaker == speaker) if speaker else frozenset()
    dated = {ident: dates.closeness(fact.created, spans) for ident, fact in known.items()} if spans else {}
    worth = {
        ident: score * (1 + NAMED * (ident in named)) * (1 + DATED * dated.get(ident, 0.0))
        for ident, score in total.items()
    }
    return _Scored(sorted(worth, key=lambda ident: (-worth[ident], ident)), worth, pool, lent, named, dated)
