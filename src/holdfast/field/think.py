"""Think: one clean text becomes a thought, or strengthens the one that says it already.

Promise: when `think` returns a new thought, it is on disk (field/traffic); the store follows at once, or when whoever
holds its lock is done. Secrets are redacted before anything is written. What is made of others names them, they must
exist, and the lowest trust among them and their author is its own.

Said again with more about it (a context, tags, a category, sources), the thought gets what is new as a further
record, so nothing that was said is lost. What cannot be put there is said in the answer: the truth of a note is its
file, and outside text adds nothing to what the user or the agent said.

Forget: a thought that is nobody's note is withdrawn by a further record, and from then on nothing finds it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast import pheromone
from holdfast.capture import home
from holdfast.capture.flags import clean
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import Busy, NotFound, UsageError
from holdfast.field import intake, traffic, words
from holdfast.field.store import Damaged, Scope
from holdfast.field.thought import (
    DERIVED,
    KINDS,
    NOTE,
    ORIGINAL,
    WITHDRAWN,
    Thought,
    joined,
    least_trusted,
    unread,
    withdrawal,
)
from holdfast.field.traffic import AGAIN, USED, event_of
from holdfast.model import ORIGINS, TRUSTED, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.handle import Field


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
    """The fields that the known one does not have, by name."""
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


LONGEST, LONGEST_TAG = 10_000, 60
TERMS, LOOKED_AT = 12, 8  # words that the like of it are looked for by, and how many of those are looked at
PATIENCE = 1.0


@dataclass(frozen=True)
class Thinking:
    """The thought that says it, whether it is new, and in sentences what was changed or not kept."""

    thought: Thought
    is_new: bool
    changes: tuple[str, ...] = ()


def think(field: Field, said: Thought) -> Thinking:
    """Keep a thought that has no id and no time yet; its origin and project are the caller's knowledge, not its
    author's. Raises UsageError, NotFound, NotSaved."""
    field.journal.begin()
    said, changes = cleaned(said)
    try:
        done = _alone(field, said)
    except Damaged:
        field.store.discard()  # what it had is in the logs, and is taken in from there
        done = _alone(field, said)
    with suppress(Busy, Damaged):  # what counts is on disk: whoever holds the store, or mends it, takes this in
        intake.sync(field, patience=PATIENCE)
    return replace(done, changes=(*changes, *done.changes))


def _alone(field: Field, said: Thought) -> Thinking:
    """One thinks at a time, so that two who say the same at once are one thought. Where a rebuild holds the store, or
    it takes nothing, this is left: a repetition costs less than a wait."""
    done = None
    with suppress(Busy), field.store.writing(PATIENCE):
        done = settled(field, said)
    return done or settled(field, said)


def settled(field: Field, said: Thought) -> Thinking:
    """A clean thought, written to the journal, or the one that says it already. An id that its author made is kept."""
    with suppress(Busy):
        intake.take_in(field, patience=PATIENCE)
    sources = _sources(field, said)
    now = field.clock()
    made = replace(
        said,
        id=said.id or new_id(now),
        contributor=_name(said.contributor or said.agent.partition("/")[0]),  # of a session its host
        tags=_tags(said.tags),
        category=_name(said.category),
        sources=tuple(sources),
        origin=least_trusted([said.origin, *(one.origin for one in sources.values())]),
        created=now,
        start=_start(field, said.kind, sources, now),
    )
    known = _known(field, said)
    if known:
        return _again(field, said, known, made, sources)
    field.journal.append([made], now)
    _note(field, said, USED, sources, now)
    return Thinking(made, True)


def _again(field: Field, said: Thought, known: Thought, made: Thought, sources: dict[str, Thought]) -> Thinking:
    """The thought that says it already: stronger, and with what is new about it."""
    now = made.created
    whole, told = extended(known, made)
    if whole != known:
        field.journal.append([replace(whole, superseded_by="")], now)
    _note(field, said, AGAIN, {known.id: known}, now)
    _note(field, said, USED, {one: sources[one] for one in whole.sources if one not in known.sources}, now)
    return Thinking(whole, False, told)


def _note(field: Field, said: Thought, kind: str, of: dict[str, Thought], now: float) -> None:
    """That these were said again, or cited: what is made of others is evidence that they are of use."""
    if of:
        read = field.store.traffic(of, whole=False)
        named = {"agent": said.agent, "session": said.session, "project": said.project}
        field.journal.travel(event_of(kind, of, read, now, **named))


def cleaned(said: Thought) -> tuple[Thought, tuple[str, ...]]:
    """The thought with its text, context and space clean and without secrets, and what was changed. Raises
    UsageError."""
    if said.kind not in KINDS or said.kind == NOTE:
        kinds = ", ".join(kind for kind in KINDS if kind != NOTE)
        raise UsageError(f'"{said.kind}" is no kind of thought; nothing was written. Use one of: {kinds}.')
    if said.origin not in ORIGINS:
        raise UsageError(f'"{said.origin}" is no origin; nothing was written. Use one of: {", ".join(ORIGINS)}.')
    found: list[str] = []
    changes: tuple[str, ...] = ()
    for name, given, longest in (("text", said.text, LONGEST), ("context", said.context, LONGEST_CONTEXT)):
        line, changed = clean(given)
        if len(line) > longest:
            raise UsageError(
                f"The {name} has {len(line):,} characters, {longest:,} is the most; nothing was written. "
                "Say it shorter, or as several thoughts."
            )
        line, labels = redact(line)
        changes += changed + ((f"secrets were redacted before writing: {', '.join(labels)}",) if labels else ())
        found.append(line)
    if not words.normal(found[0]):
        raise UsageError("The text is empty; nothing was written. Say the thought.")
    return replace(said, text=found[0], context=found[1], space=_name(said.space)), changes


def _tags(given: tuple[str, ...]) -> tuple[str, ...]:
    tidy = [_name(one)[:LONGEST_TAG] for one in given]
    return tuple(dict.fromkeys(one for one in tidy if one))[:MOST_TAGS]


def _name(given: str) -> str:
    """A tag, a category, a space: clean and without secrets, as a text is."""
    return redact(clean(given)[0])[0]


def _sources(field: Field, said: Thought) -> dict[str, Thought]:
    """The thoughts that it is made of, in the order named; each has to be there."""
    named = tuple(dict.fromkeys(said.sources))
    if said.kind in DERIVED and not named:
        raise UsageError(f"A {said.kind} is made of others; nothing was written. Name them with --source ID.")
    known = {one: each for one, each in field.store.thoughts(named).items() if each.path or not each.superseded_by}
    missing = [one for one in named if one not in known]
    if missing:
        raise NotFound(f'There is no thought "{missing[0]}" to be a source; nothing was written. `recall` shows ids.')
    return {one: known[one] for one in named}


def _start(field: Field, kind: str, sources: dict[str, Thought], now: float) -> float:
    read = field.store.traffic(sources, whole=False)
    weights = [read.get(one, unread(thought)).weight_at(now) for one, thought in sources.items()]
    return pheromone.start_of(kind, weights)


def _known(field: Field, said: Thought) -> Thought | None:
    """The thought that says the same in the same project and space already. What is made of others repeats them by
    nature: there only the very same text counts."""
    store, text = field.store, said.text
    same = store.same(text, said.project, said.space)
    known = store.thoughts([same]).get(same)
    if known and _may_stand_for(known, said):
        return known
    if said.kind != ORIGINAL:
        return None
    scope = Scope(said.project, also_global=False, space=said.space)
    # The longest words are the rarest as a rule, and who says the same has them all.
    telling = sorted(words.terms(text), key=len, reverse=True)[:TERMS]
    hits = store.lexical(telling, scope, LOOKED_AT)
    near = store.thoughts(hit.id for hit in hits)
    listed = [near[hit.id] for hit in hits if hit.id in near]
    kept = (one for one in listed if not one.superseded_by and one.space == said.space and _may_stand_for(one, said))
    return next((one for one in kept if words.adds_nothing(text, one.text)), None)


def _may_stand_for(known: Thought, said: Thought) -> bool:
    """The user's own word and the agent's are not left to outside text that says the same: they would pass for it."""
    return known.origin in TRUSTED or said.origin not in TRUSTED


def meant(vault: str, wanted: str, scope: Scope, *, withdrawn: bool = False) -> list[Thought]:
    """The one thought of this id, withdrawn or not, else those that have all the words; with `withdrawn` also those
    that were withdrawn before, which a purge is asked for. The oldest first."""
    mine = {ident: one for ident, one in logged(vault).items() if scope.has(one)}
    asked = clean(wanted)[0]
    if asked in mine:
        return [mine[asked]]
    words = asked.casefold().split()
    said = [one for one in mine.values() if withdrawn or not one.superseded_by]
    found = [one for one in said if words and all(word in f"{one.text} {one.context}".casefold() for word in words)]
    return sorted(found, key=lambda one: (one.created, one.id))


def logged(vault: str) -> dict[str, Thought]:
    """Every thought of the logs by its id, with what all its records say; `superseded_by` tells the withdrawn ones."""
    found: dict[str, Thought] = {}
    withdrawn: set[str] = set()
    for path, _ in traffic.logs(vault):
        try:
            read = traffic.read(vault, path).found
        except OSError:
            continue  # taken away by a sync at this moment
        for one in read:
            if one.is_withdrawal:
                withdrawn.add(one.id)
            else:
                found[one.id] = joined(found[one.id], one) if one.id in found else one
    for ident in withdrawn & found.keys():
        found[ident] = replace(found[ident], superseded_by=WITHDRAWN)
    return found


def withdraw(field: Field, ids: Sequence[str]) -> tuple[str, ...]:
    """Withdraw some thoughts of the logs; which of them were not before. Raises NotSaved: then none of them is."""
    home.refuse_newer(field.vault)
    known = logged(field.vault)
    new = tuple(one for one in dict.fromkeys(ids) if one in known and not known[one].superseded_by)
    if new:
        now = field.clock()
        field.journal.append([withdrawal(one, now) for one in new], now)
    with suppress(Busy, Damaged):  # what counts is on disk: the next question takes it in
        intake.sync(field, patience=PATIENCE)
    return new
