"""The store as plainly as it can be said, in memory: a second implementation, and the model of the first."""

from __future__ import annotations

import copy
import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy

from holdfast.field import traffic as travelling
from holdfast.field import words
from holdfast.field.ranking import Facts
from holdfast.field.store import Asked, Hit, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.thought import Thought, Traffic
    from holdfast.field.traffic import Event

EVERYTHING = Scope()


class MemoryStore:
    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        empty: dict[str, Any] = {name: {} for name in ("known", "at", "stamps", "gone", "vectors", "trails")}
        self.held = {**empty, "asked": [], "model": "", "end": 0}

    def close(self) -> None:
        self.held = {}

    def discard(self) -> None:
        self.clear()

    @contextmanager
    def writing(self, patience: float = 0.0) -> Iterator[None]:  # noqa: ARG002  nobody else is here
        before = copy.deepcopy(self.held)
        try:
            yield
        except BaseException:
            self.held = before
            raise

    def places(self, prefix: str = "") -> dict[str, str]:
        return {place: stamp for place, stamp in self.held["stamps"].items() if place.startswith(prefix)}

    def note_places(self, stamps: Mapping[str, str]) -> None:
        self.held["stamps"].update(stamps)

    def take(
        self,
        place: str,
        stamp: str,
        thoughts: Sequence[Thought],
        supersedes: Sequence[tuple[str, str]] = (),
        *,
        anew: bool = True,
    ) -> None:
        if anew:
            self._drop(place, {one.id for one in thoughts})
        for one in thoughts:
            before = self.held["known"].get(one.id)
            self.held["known"][one.id], self.held["at"][one.id] = replace(one, superseded_by=""), place
            if before and _said(before) != _said(one):
                self._drop_vectors(one.id)
        self.held["gone"].update(dict.fromkeys(supersedes, place))
        self.held["stamps"][place] = stamp

    def forget(self, place: str) -> None:
        self._drop(place, set())
        self.held["stamps"].pop(place, None)

    def _drop(self, place: str, but: set[str]) -> None:
        for ident in [one for one, at in self.held["at"].items() if at == place and one not in but]:
            del self.held["known"][ident], self.held["at"][ident]
            self._drop_vectors(ident)
        self.held["gone"] = {pair: at for pair, at in self.held["gone"].items() if at != place}

    def _drop_vectors(self, ident: str) -> None:
        self.held["vectors"] = {key: rows for key, rows in self.held["vectors"].items() if key[1] != ident}

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        found = {one: self.held["known"][one] for one in ids if one in self.held["known"]}
        return {one: replace(thought, superseded_by=self._successor(one)) for one, thought in found.items()}

    def _successor(self, ident: str) -> str:
        return min((new for old, new in self.held["gone"] if old == ident), default="")

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return {one: thought.text for one, thought in self.thoughts(ids).items()}

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        return {one: known.facts for one, known in self.thoughts(ids).items()}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        found: dict[str, list[tuple[str, int]]] = {}
        for ident, one in self.thoughts(ids).items():
            thread = sorted(
                (other.created, other.id) for other in self.held["known"].values() if other.thread == one.thread
            )
            at = thread.index((one.created, ident))
            before, after = thread[:at][::-1][:reach], thread[at + 1 :][:reach]
            if one.thread:
                found[ident] = [(other, step) for some in (before, after) for step, (_, other) in enumerate(some, 1)]
        return found

    def same(self, text: str, project: str, space: str) -> str:
        wanted = (words.sameness(text), project, space)
        found = [
            (one.created, one.id)
            for one in self.held["known"].values()
            if (words.sameness(one.text), one.project, one.space) == wanted and not self._successor(one.id)
        ]
        return min(found)[1] if found else ""

    def count(self, scope: Scope = EVERYTHING) -> int:
        return sum(scope.has(one) for one in self.held["known"].values())

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        found = []
        for one in self.held["known"].values():
            text = f"{one.title} {one.text} {one.context} {words.extra(one)}".casefold()
            score = sum(1 for term in terms if _has(text, term))
            if score and scope.has(one):
                found.append(Hit(one.id, score + 1 / (1 + len(text))))
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[: max(0, most)]

    def nearest(self, vector: Any, scope: Scope, most: int, model: str = "") -> list[Hit]:
        found = []
        for (name, ident), rows in self.held["vectors"].items():
            fits = name == (model or self.held["model"]) and rows.shape[1] == len(vector)
            if fits and scope.has(self.held["known"][ident]):
                near = [float(row @ vector) for row in rows if row.any()]
                found += [Hit(ident, max(near))] if near else []
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[: max(0, most)]

    def unembedded(self, model: str, most: int) -> list[Thought]:
        lacking = [one for one in self.held["known"] if (model, one) not in self.held["vectors"]]
        return list(self.thoughts(lacking[:most]).values())

    def lacking(self, model: str) -> int:
        return len(self.unembedded(model, len(self.held["known"])))

    def flaw(self, within: float) -> str | None:  # noqa: ARG002  there is no file
        return ""

    def embed(self, model: str, vectors: Mapping[str, Any]) -> None:
        for ident, given in vectors.items():
            if ident in self.held["known"]:
                self.held["vectors"][model, ident] = numpy.atleast_2d(given)
        self.held["model"] = self.held["model"] or model

    def serve(self, model: str) -> None:
        self.held["model"] = model
        self.held["vectors"] = {key: rows for key, rows in self.held["vectors"].items() if key[0] == model}

    def serving(self) -> str:
        return str(self.held["model"])

    def travelled(self) -> int:
        return int(self.held["end"])

    def travel(self, events: Sequence[Event], end: int) -> None:
        trails = self.held["trails"]
        for event in events:
            for one in event.ids:
                trails[one] = travelling.after(trails.get(one) or travelling.beginning(event, one), event, one)
            if event.kind == travelling.GOT:
                self.held["asked"].append(Asked(event.time, event.agent, event.project, event.query, event.ids))
        self.held["end"] = end

    def forget_traffic(self) -> None:
        self.held.update(trails={}, asked=[], end=0)

    def traffic(self, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:  # noqa: ARG002  it costs nothing
        return {one: self.held["trails"][one] for one in ids if one in self.held["trails"]}

    def busiest(self, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
        found = [
            Hit(one, float(trail.access_count * len(trail.agents)))
            for one, trail in self.held["trails"].items()
            if trail.access_count >= accesses and len(trail.agents) >= agents and one in self.held["known"]
        ]
        found = [hit for hit in found if scope.has(self.held["known"][hit.id])]
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:most]

    def asked(self, since: float, most: int) -> list[Asked]:
        return [one for one in self.held["asked"] if one.time >= since][-most:]


def _said(one: Thought) -> tuple[str, ...]:
    return one.title, one.text, one.context, one.project


def _has(text: str, term: str) -> bool:
    there, wanted = re.findall(r"[^\W_]+", text), re.findall(r"[^\W_]+", term.casefold())
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there)))
