"""A judge's abstract held against its sources, before it is anything.

Promise: every sentence of an abstract that comes out of here cites sources that bear it, and everything that its
sources tell is in it. A sentence that is not borne is left out, with the reason; if a source is then no longer told,
the whole abstract is rejected, because a memory that quietly became poorer is worse than a long one. The caller quotes
the sources instead and leaves a proposal. Of a contradiction only the newer stands; the pair is recorded, so that the
older one stays findable and is never averaged into the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close import groups
from holdfast.field import words
from holdfast.sleep import abstract_loss, contradictions, sentence_check
from holdfast.sleep.passages import Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.field.thought import Thought
    from holdfast.sleep.abstract import AbstractAnswer
    from holdfast.sleep.contradictions import Clash

APART, LOSSY = "apart", "lossy"
LONGEST = 1000  # characters of a sentence
ALIKE = 0.8  # overlap of two texts that say the same in nearly the same words


@dataclass(frozen=True)
class Dropped:
    """A part of an answer that was left out: a sentence, a pair or a group, and why."""

    said: str
    why: str


@dataclass(frozen=True)
class Abstract:
    """An abstract that may be stored. `sources` are ids in the order of the members, `supersedes` pairs of ids (older,
    newer), `same` groups of ids that say the same."""

    text: str
    sources: tuple[str, ...]
    supersedes: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True)
class Rejected:
    """No abstract, and why. `kind` is APART where the thoughts are about several subjects, else LOSSY."""

    kind: str
    why: str
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True)
class _Kept:
    text: str
    cites: tuple[str, ...]


def checked(members: Sequence[Thought], answer: AbstractAnswer) -> Abstract | Rejected:
    """The abstract of a cluster, or the reason why there is none."""
    if answer.apart:
        return Rejected(APART, "The judge says that these thoughts are not about one subject.")
    known = sources(members)
    dropped: list[Dropped] = []
    same = list(_same(answer, known, dropped))
    clashes = list(_clashes(answer, known, same, dropped))
    kept = list(_sentences(answer, known, clashes, dropped))
    for handle, source in known.items():
        fellows = {handle}.union(*(group for group in same if handle in group))
        citing = [one.text for one in kept if fellows & set(one.cites)]
        exempt = [passage for clash in clashes if clash.older is source for passage in clash.exempt]
        why = abstract_loss.lost(source, citing, exempt)
        if why:
            return Rejected(LOSSY, f"The abstract leaves out a part of {source.thought.id}: {why}.", tuple(dropped))
    if not kept:
        return Rejected(LOSSY, "The abstract has no sentence that its sources bear.", tuple(dropped))
    return Abstract(
        "\n".join(dict.fromkeys(one.text for one in kept)),
        tuple(one.id for one in members),
        tuple((one.older.thought.id, one.newer.thought.id) for one in clashes),
        tuple(tuple(known[handle].thought.id for handle in group) for group in same),
        tuple(dropped),
    )


def _same(answer: AbstractAnswer, known: Mapping[str, Source], dropped: list[Dropped]) -> Iterator[tuple[str, ...]]:
    """The groups that really say the same; a judge's word alone would let a source be lost."""
    for group in answer.same:
        given = [handle for handle in dict.fromkeys(group) if handle in known]
        first, *others = given or [""]
        alike = [one for one in others if say_the_same(known[first], known[one])]
        if len(given) < len(group) or len(alike) < len(others) or not others:
            dropped.append(Dropped(f"same: {', '.join(group)}"[:LONGEST], "they do not say the same"))
        if alike:
            yield (first, *alike)


def say_the_same(one: Source, other: Source) -> bool:
    """Whether two texts say the same: one adds nothing to the other, or they differ in nothing that tells."""
    if one.speaker != other.speaker:
        return False
    mine, theirs = one.body, other.body
    return (
        words.adds_nothing(mine, theirs)
        or words.adds_nothing(theirs, mine)
        or len(words.distinct((mine, theirs), ALIKE)) == 1
    )


def _clashes(
    answer: AbstractAnswer, known: Mapping[str, Source], same: Sequence[tuple[str, ...]], dropped: list[Dropped]
) -> Iterator[Clash]:
    taken: set[frozenset[str]] = set()
    for one in answer.contradictions:
        pair = frozenset((one.older, one.newer))
        if pair in taken:
            continue
        taken.add(pair)
        is_given = len(pair) == 2 and pair <= known.keys() and not any(pair <= set(group) for group in same)
        found = contradictions.settled(known[one.older], known[one.newer]) if is_given else None
        if found is None or found.is_persons:
            said = f"contradiction: {one.older}, {one.newer}"[:LONGEST]
            why = "on a note a person decides" if found else "they say nothing different about one subject"
            dropped.append(Dropped(said, why))
        else:
            yield found


def _sentences(
    answer: AbstractAnswer, known: Mapping[str, Source], clashes: Sequence[Clash], dropped: list[Dropped]
) -> Iterator[_Kept]:
    for one in answer.sentences:
        text = groups.line(one.text, LONGEST)
        why = _why_not(text, one.cites, known, clashes)
        if why:
            dropped.append(Dropped(text, why))
        else:
            yield _Kept(text, tuple(one.cites))


def _why_not(text: str, cites: Sequence[str], known: Mapping[str, Source], clashes: Sequence[Clash]) -> str:
    unknown = [handle for handle in cites if handle not in known]
    if unknown:
        return f"it cites {groups.line(unknown[0], 40)}, which was not given"
    if not cites:
        return "it cites nothing"
    cited = [one for one in clashes if {one.older.handle, one.newer.handle} & set(cites)]
    if any(contradictions.states_older(text, clash) for clash in cited):
        return "it states what a newer thought contradicts"
    return sentence_check.problem(text, [known[handle] for handle in dict.fromkeys(cites)], tuple(known.values()))
