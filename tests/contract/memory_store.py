"""The store as plainly as it can be said, in memory: a second implementation, and the model of the first."""

from __future__ import annotations

import copy
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy

from holdfast.field import traffic as travelling
from holdfast.field import words
from holdfast.field.ranking import Facts
from holdfast.field.sqlite import vectors as packed_vectors
from holdfast.field.store import Asked, Hit, Scope
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.store import Mark
    from holdfast.field.thought import Thought, Traffic
    from holdfast.field.traffic import Event

EVERYTHING = Scope()


class MemoryStore:
    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        empty: dict[str, Any] = {
            name: {} for name in ("known", "at", "stamps", "gone", "vectors", "trails", "marks", "fresh")
        }
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
            if one.is_slept_on and (not before or _said(before) != _said(one)):
                self.held["fresh"].setdefault(one.id, one.created)
        self.held["gone"].update(dict.fromkeys(supersedes, place))
        self.held["stamps"][place] = stamp

    def forget(self, place: str) -> None:
        self._drop(place, set())
        self.held["stamps"].pop(place, None)

    def _drop(self, place: str, but: set[str]) -> None:
        for ident in [one for one, at in self.held["at"].items() if at == place and one not in but]:
            del self.held["known"][ident], self.held["at"][ident]
            self.held["fresh"].pop(ident, None)
            self._drop_vectors(ident)
        self.held["gone"] = {pair: at for pair, at in self.held["gone"].items() if at != place}
        self.held["marks"] = {one: at for one, at in self.held["marks"].items() if at != place}

    def mark(self, place: str, stamp: str, marks: Sequence[Mark], *, anew: bool = True) -> None:
        if anew:
            self.held["marks"] = {one: at for one, at in self.held["marks"].items() if at != place}
        self.held["marks"].update(dict.fromkeys(marks, place))
        self.held["stamps"][place] = stamp

    def _standing(self, kind: str) -> list[Mark]:
        undone = {one.id for one in self.held["marks"] if one.kind == "undone"}
        return [one for one in self.held["marks"] if one.kind == kind and one.step not in undone]

    def marks(self, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
        wanted, found = set(ids), dict[str, dict[str, float]]()
        for one in sorted(self._standing(kind), key=lambda mark: (mark.id, mark.other)):
            if one.id in wanted:
                beside = found.setdefault(one.id, {})
                beside[one.other] = beside.get(one.other, 0.0) + one.count
        return found

    def archived(self, ids: Iterable[str]) -> set[str]:
        back: dict[str, float] = {}
        for one in self._standing("restored"):
            back[one.id] = max(one.count, back.get(one.id, one.count))
        away = {one.id for one in self._standing("archived") if one.count > back.get(one.id, float("-inf"))}
        return away & set(ids)

    def _is_meant(self, one: Thought, scope: Scope) -> bool:
        return scope.has(one) and (scope.archived or not self.archived([one.id]))

    def fresh(self, until: float, most: int) -> list[tuple[str, float]]:
        found = sorted((at, one) for one, at in self.held["fresh"].items() if at <= until)
        return [(one, at) for at, one in found][:most]

    def unslept(self) -> tuple[int, float]:
        return len(self.held["fresh"]), min(self.held["fresh"].values(), default=0.0)

    def rested(self, until: Mapping[str, float]) -> None:
        left = {one: at for one, at in self.held["fresh"].items() if one not in until or at > until[one]}
        self.held["fresh"] = left

    def made_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        pairs = sorted((source, one.id) for one in self.held["known"].values() for source in set(one.sources))
        wanted = set(ids)
        return {one: [by for source, by in pairs if source == one] for one in wanted if one in {s for s, _ in pairs}}

    def idle(self, since: float, until: float) -> list[str]:
        trails, known = self.held["trails"], self.held["known"]
        last = {one: trails[one].last_accessed if one in trails else known[one].created for one in known}
        return sorted(one for one, when in last.items() if since < when <= until)

    def compact(self) -> None:
        """There is nothing to tidy."""

    def vectors(self, ids: Iterable[str]) -> dict[str, Any]:
        rows = {one: self.held["vectors"].get((self.held["model"], one)) for one in ids}
        return {
            one: packed_vectors.mean([whole(row) for row in found]) for one, found in rows.items() if found is not None
        }

    def _drop_vectors(self, ident: str) -> None:
        self.held["vectors"] = {key: rows for key, rows in self.held["vectors"].items() if key[1] != ident}

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        found = {one: self.held["known"][one] for one in ids if one in self.held["known"]}
        return {one: replace(thought, superseded_by=self._successor(one)) for one, thought in found.items()}

    def _successor(self, ident: str) -> str:
        noted = (one.other for one in self._standing("superseded") if one.id == ident)
        return min((new for old, new in self.held["gone"] if old == ident), default="") or min(noted, default="")

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
        return sum(self._is_meant(one, scope) for one in self.held["known"].values())

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        found = []
        for one in self.held["known"].values():
            text = f"{one.title} {one.text} {one.context} {words.extra(one)}".casefold()
            score = sum(1 for term in terms if _has(text, term))
            if score and self._is_meant(one, scope):
                found.append(Hit(one.id, score + 1 / (1 + len(text))))
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[: max(0, most)]

    def nearest(self, vector: Any, scope: Scope, most: int, model: str = "") -> list[Hit]:
        found = []
        for (name, ident), rows in self.held["vectors"].items():
            fits = name == (model or self.held["model"]) and rows.shape[1] == len(vector)
            if fits and self._is_meant(self.held["known"][ident], scope):
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
                if one in self.held["known"] and self.held["known"][one].is_slept_on:
                    self.held["fresh"][one] = trails[one].last_accessed
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
        found = [hit for hit in found if self._is_meant(self.held["known"][hit.id], scope)]
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:most]

    def asked(self, since: float, most: int) -> list[Asked]:
        return [one for one in self.held["asked"] if one.time >= since][-most:]


def _said(one: Thought) -> tuple[str, ...]:
    return one.title, one.text, one.context, one.project


def _has(text: str, term: str) -> bool:
    there, wanted = re.findall(r"[^\W_]+", text), re.findall(r"[^\W_]+", term.casefold())
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there)))


def whole(row: Any) -> Any:
    """A vector as the whole numbers that it is packed into."""
    return numpy.frombuffer(packed_vectors.packed(row), dtype=numpy.int8, offset=4)
