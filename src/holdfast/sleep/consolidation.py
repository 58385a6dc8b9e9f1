"""Consolidation: a dense cluster becomes one thought more, made of its sources, which all stay as they are.

With a judge it is an abstract whose every sentence cites the sources that bear it (sleep/abstract); where there is no
judge, or its abstract is refused, it is a digest: the sources' own lines under that of the most central one, and not a
word besides. Its id follows from its sources, so that two machines make the same one, and one that was taken back is
not made again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast import pheromone
from holdfast.capture.ids import digest as digest_of
from holdfast.field import folding, words
from holdfast.field.steps import CONSOLIDATED, LINKED, SUPERSEDED, Step, step_id
from holdfast.field.thought import CONSOLIDATION, NOTE, SLEEP, SUMMARY, Thought, least_trusted, unread
from holdfast.sleep.trial import Change

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from holdfast.field.store import Store
    from holdfast.sleep.material import Material

FEWEST = 3  # sources that are worth one more thought
NEWS = 2  # sources that no consolidation has yet, for another one
LONGEST_LINE, LONGEST = 400, 2_400
OWN_LINES = "in their own words"
ALIKE = 0.8


@dataclass(frozen=True)
class Subject:
    """A cluster that is to become one thought: its sources, the centre first, and the consolidations it replaces."""

    id: str
    sources: tuple[Thought, ...]
    replaces: tuple[str, ...] = ()


def subjects(store: Store, material: Material) -> list[Subject]:
    """The clusters of a night that have enough in them that no consolidation has. Of notes alone a person decides
    (sleep/note_proposals)."""
    found = []
    for cluster in material.dense:
        members = _distinct([material.thoughts[one] for one in cluster.members if one in material.thoughts])
        if len(members) >= FEWEST and any(one.kind != NOTE for one in members):
            one = _subject(store, members)
            if one is not None:
                found.append(one)
    return found


def _distinct(members: Sequence[Thought]) -> list[Thought]:
    """Without those that say what an older one says: links tell that (sleep/links)."""
    listed = sorted(members, key=lambda one: (one.created, one.id))
    kept = {listed[at].id for at in words.distinct([one.text for one in listed], ALIKE)}
    return [one for one in members if one.id in kept]


def _subject(store: Store, members: Sequence[Thought]) -> Subject | None:
    ids = [one.id for one in members]
    ident = f"{SUMMARY}{digest_of(' '.join(sorted(ids)), 24)}"
    before = store.marks(CONSOLIDATED, ids)
    former = store.thoughts({other for others in before.values() for other in others})
    live = {one: thought for one, thought in former.items() if not thought.superseded_by}
    sources = {one: store.thoughts(thought.sources) for one, thought in live.items()}
    outdated = {one for one, thought in live.items() if folding.is_outdated(thought, sources[one])}
    covered = {source for one, thought in live.items() if one not in outdated for source in thought.sources}
    if _is_settled(store, ident, live) or sum(one not in covered for one in ids) < (NEWS if covered else FEWEST):
        return None
    standing = {one: [each.id for each in some.values() if not each.superseded_by] for one, some in sources.items()}
    replaces = sorted(one for one in live if set(standing[one] if one in outdated else sources[one]) <= set(ids))
    return Subject(ident, tuple(members), tuple(replaces))


def without(store: Store, subject: Subject, outdated: Collection[str]) -> Subject | None:
    """A subject without sources that no longer hold; None where too little is left."""
    left = [one for one in subject.sources if one.id not in outdated]
    if len(left) == len(subject.sources):
        return subject
    return _subject(store, left) if len(left) >= FEWEST else None


def _is_settled(store: Store, ident: str, live: Collection[str]) -> bool:
    """Whether this consolidation was made, or made and taken back. One without its step was cut short by a disk that
    failed, and is made whole."""
    known = store.thoughts([ident]).get(ident)
    return known is not None and (ident in live or bool(known.superseded_by))


def change(
    store: Store,
    subject: Subject,
    text: str,
    night: str,
    now: float,
    *,
    by: str = "",
    supersedes: Iterable[tuple[str, str]] = (),
    same: Iterable[Sequence[str]] = (),
) -> Change:
    """The thought and the steps of one consolidation. `by` is the judge that wrote the text, "" for a digest, whose
    sources are those that it carries."""
    borne = subject.sources if by else carried(text, subject.sources)
    ids = tuple(one.id for one in borne)
    read = store.traffic(ids, whole=False)
    weights = [read.get(one.id, unread(one)).weight_at(now) for one in borne]
    made = Thought(
        subject.id,
        text,
        context=provenance(borne),
        kind=CONSOLIDATION,
        contributor=SLEEP,
        project=subject.sources[0].project,
        space=subject.sources[0].space,
        sources=ids,
        origin=least_trusted(one.origin for one in borne),
        created=now,
        start=pheromone.start_of(CONSOLIDATION, weights),
    )
    why = f"put together by {by}" if by else OWN_LINES
    steps = [Step(step_id(CONSOLIDATED, ids, made.id), now, CONSOLIDATED, ids, made.id, night=night, why=why)]
    pairs = [*((old, made.id) for old in subject.replaces), *supersedes]
    steps += [Step(step_id(SUPERSEDED, (old,), new), now, SUPERSEDED, (old,), new, night=night) for old, new in pairs]
    for group in same:
        centre, *others = sorted(group, key=ids.index)
        steps += [Step(step_id(LINKED, (one,), centre), now, LINKED, (one,), centre, night=night) for one in others]
    return Change(made.id, (made,), tuple(steps), ids, made.project)


def of_own_lines(store: Store, subject: Subject, night: str, now: float) -> Change | None:
    """The consolidation that no judge wrote; None where the sources all say the same, which links tell, or are too long
    to be quoted whole."""
    text = digest(subject.sources)
    is_worth_it = "\n" in text and len(carried(text, subject.sources)) >= FEWEST
    return change(store, subject, text, night, now) if is_worth_it else None


def provenance(sources: Sequence[Thought]) -> str:
    """How many of the sources came from whom, the most first."""
    counts = Counter(one.contributor or one.agent or one.origin for one in sources)
    listed = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return f"made in sleep of {len(sources)} thoughts: {', '.join(f'{count} by {who}' for who, count in listed)}"


def digest(sources: Sequence[Thought]) -> str:
    """The sources' own lines, each once, that of the most central one first; nothing is put in other words, and a text
    that is too long for a line is left out."""
    whole = [line for one in sources if len(line := " ".join(one.text.split())) <= LONGEST_LINE]
    lines = [whole[at] for at in words.distinct(whole, ALIKE)]
    found = lines[:1]
    for line in lines[1:]:
        if sum(map(len, found)) + len(line) <= LONGEST:
            found.append(f"- {line}")
    return "\n".join(found)


def carried(text: str, sources: Sequence[Thought]) -> list[Thought]:
    """The sources whose whole text, or one like it, is a line of a digest."""
    lines = [one.removeprefix("- ") for one in text.split("\n")]
    said = [(one, " ".join(one.text.split())) for one in sources]
    return [one for one, mine in said if mine in lines or any(words.are_alike(mine, line, ALIKE) for line in lines)]
