"""Vectors for thoughts: made in steps between which others write, and never of two models under one name.

Beside the vectors the store keeps what their model is like: how long its vectors are, and what it makes of one known
text. An endpoint that answers with another model under the same name is noticed by that before anything is mixed. A
text that changed while its vector was made gets none of it.

A caller that waits for an answer spends at most about a second here; the rest goes to a process (embedding_process).
While one model takes over from another, what is new gets vectors of the one that serves at once, and of the coming one
from whoever is at it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.field import embedders, words
from holdfast.field.embedders import Absent, NoVectors
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.field.embedders import Embedder, Vectors
    from holdfast.field.handle import Field
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought

AT_ONCE = 128  # texts that are embedded together: what a kill may cost
HURRIED = 32  # by somebody who looks at the clock between two lots
LOT = 4096  # that are asked of the store at once: while a model takes over it looks for them from the beginning
HANDFUL = 256  # what a model that takes over may lack for whoever meets it to finish the work
SECONDS = 1.0
PATIENCE = 20.0
KEPT = "@embedder/"  # the place in the store under which a model's nature is kept
PROBE = "What a model makes of this sentence tells it from another."
PARTS = 32  # numbers of that vector that are kept
ALIKE = 0.98  # their cosine, at least: the last digits of an endpoint are not always the same


class Changed(NoVectors):
    """The embedder is another model than before under the same name; nothing was mixed in. See `holdfast embed`."""


@value
class Nature:
    """The nature of a model: its dimension, and a part of the vector of a known text."""

    dimension: int
    probe: tuple[float, ...]

    def is_that_of(self, other: Nature) -> bool:
        import numpy

        one, two = numpy.array(self.probe), numpy.array(other.probe)
        if self.dimension != other.dimension or one.shape != two.shape:
            return False
        lengths = float(numpy.linalg.norm(one) * numpy.linalg.norm(two))
        return bool((one @ two) >= ALIKE * lengths)


def nature_of(store: Store, model: str) -> Nature | None:
    """The nature that is kept of a model that has vectors here."""
    try:
        found = codec.decode(store.places(f"{KEPT}{model}").get(f"{KEPT}{model}", "").encode())
        return Nature(int(found["dimension"]), tuple(float(one) for one in found["probe"]))
    except (ValueError, KeyError, TypeError):
        return None


def asked_of(embedder: Embedder) -> Nature:
    """The nature of a model now: it embeds one text. Raises NoVectors."""
    return _nature(embedders.vectors(embedder, [PROBE])[0])


def _nature(rows: Vectors) -> Nature:
    return Nature(int(rows.shape[1]), tuple(round(float(one), 5) for one in rows[0][:PARTS]))


def give(
    field: Field,
    embedder: Embedder,
    *,
    most: int = 1 << 30,
    is_enough: Callable[[], bool] = lambda: False,
    step: int = AT_ONCE,
    progress: Callable[[int], None] = lambda _: None,
) -> bool:
    """Vectors of this model for thoughts that have none; whether all have theirs now. What was made stays made.
    Raises NoVectors, Busy."""
    store, done = field.store, 0
    nature: Nature | None = None
    while done < most:
        lot = store.unembedded(embedder.name, min(LOT, most - done))
        if not lot:
            return True
        for begin in range(0, len(lot), step):
            if is_enough():
                return False
            some = lot[begin : begin + step]
            texts = [words.embedded(one) for one in some]
            made = embedders.vectors(embedder, texts if nature else [PROBE, *texts])
            if nature is None:
                nature, made = _nature(made[0]), made[1:]
            _put(store, embedder.name, nature, some, made)
            done += len(some)
            progress(len(some))
    return not store.unembedded(embedder.name, 1)


def _put(store: Store, model: str, nature: Nature, some: Sequence[Thought], made: Sequence[Any]) -> None:
    with store.writing(PATIENCE):
        known = nature_of(store, model)
        if known and not known.is_that_of(nature):
            raise Changed(_other(model, known, nature))
        there = store.thoughts(one.id for one in some)
        said = {ident: (words.embedded(one), one.project) for ident, one in there.items()}
        fits = [(words.embedded(one), one.project) == said.get(one.id) for one in some]
        store.embed(model, {one.id: rows for one, rows, fit in zip(some, made, fits, strict=True) if fit})
        if known is None:
            told = {"dimension": nature.dimension, "probe": list(nature.probe)}
            store.note_places({f"{KEPT}{model}": codec.encode(told).decode()})


def _other(model: str, known: Nature, now: Nature) -> str:
    what = (
        f"vectors of {now.dimension:,} numbers, and before it was {known.dimension:,}"
        if known.dimension != now.dimension
        else "other vectors than before under the same name"
    )
    return (
        f"{model} answers with {what}; nothing was mixed in, and what it made before goes on serving. "
        "If the new one is meant, `holdfast rebuild` makes all vectors anew."
    )


def finish(field: Field, embedder: Embedder) -> bool:
    """Once all have vectors of this model it serves, and those of others go. False where some have come meanwhile."""
    store = field.store
    if isinstance(embedder, Absent):
        return True  # a field without thoughts lacks nothing, and is no reason to serve
    others = [place for place in store.places(KEPT) if place != f"{KEPT}{embedder.name}"]
    if store.serving() in ("", embedder.name) and not others:
        return True
    with store.writing(PATIENCE):
        if store.unembedded(embedder.name, 1):
            return False
        store.serve(embedder.name)
        for place in others:
            store.forget(place)
    return True


def everything(
    field: Field,
    embedder: Embedder,
    *,
    is_enough: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda _: None,
) -> bool:
    """All vectors, and this model serves; False where it was enough before. Raises NoVectors, Busy."""
    while give(field, embedder, is_enough=is_enough, progress=progress):
        if finish(field, embedder):
            return True
    return False


def catch_up(
    field: Field, *, progress: Callable[[int], None] = lambda _: None, ticks: Callable[[], float] = time.perf_counter
) -> None:
    """Embed new texts while a caller waits. The model that serves comes first; of a large lot only about a second's
    worth, and the rest is left to a process of its own."""
    chosen, store, later = field.embedder, field.store, field.later
    if chosen is None:
        return
    ends = ticks() + SECONDS

    def hurried(embedder: Embedder) -> bool:
        try:
            return give(field, embedder, is_enough=lambda: ticks() > ends, step=HURRIED, progress=progress)
        except NoVectors:
            return False  # it cannot be reached: search goes by what is there, and the next one tries again

    is_changing = store.serving() not in ("", chosen.name)
    serving = field.asker() if is_changing else None
    if serving and store.unembedded(serving.name, 1):
        hurried(serving)
    if isinstance(chosen, Absent):
        return
    lacking = len(store.unembedded(chosen.name, HANDFUL + 1))
    if not lacking:
        if is_changing:
            finish(field, chosen)
        return
    if later and later.is_at_work():
        return
    if later and is_changing and lacking > HANDFUL and later.start():
        return
    if hurried(chosen):
        finish(field, chosen)
    elif later:
        later.start()
