"""The store of a team: everything asked is of the whole team, everything written is of one machine.

How far a machine was taken in stands beside its rows, so that what it sends again changes nothing. A thought that
several machines hold, in a vault that they sync, is there once, and goes when the last of them lets go of it. Machines
do not wait for each other: counts that all of them change are kept as differences, and added up when they are read.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture.ids import digest
from holdfast.errors import NotFound
from holdfast.field import words
from holdfast.field.postgres import rows, search, slept, use
from holdfast.field.postgres.rows import HERE, NAMED, SLEPT, SLEPT_VALUES, SUCCESSOR, thought
from holdfast.field.ranking import Facts
from holdfast.field.sqlite import vectors as packing
from holdfast.field.store import Hit, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.postgres.connection import Server
    from holdfast.field.store import Asked, Mark, Vector
    from holdfast.field.thought import Thought, Traffic
    from holdfast.field.traffic import Event

PATIENCE = 20.0
LACKING = "NOT EXISTS (SELECT 1 FROM holdfast.vector v WHERE v.id = t.id AND v.model = %s)"
MANY = 20_000  # differences of counts that are worth adding up
SERVES = "SELECT value FROM holdfast.setting WHERE name = 'model'"


def _listed(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))


class PostgresStore:
    """A team's field, seen and written from one machine; `person` where the server acts for somebody. By one thread at
    a time."""

    def __init__(self, server: Server, team: str, machine: str, *, person: str = "") -> None:
        self.server, self.team, self.machine, self.person = server, team, machine, person
        self._db: Any = None  # the connection of the transaction that is open
        self._numbers: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        self.is_approximate = False  # whether the last search for the nearest went by the approximate index

    def close(self) -> None:
        """The server stays open: others use it."""

    def discard(self) -> None:
        raise NotFound(
            "A team's field is not thrown away from here; `holdfast rebuild --store` sends this machine's part."
        )

    def flaw(self, within: float) -> str | None:
        from holdfast.field.postgres import schema

        schema.check(self.server)
        return "" if within else None

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows that answer a question, of this transaction or of one of its own."""
        if self._db is not None:
            return list(self._db.execute(query, values, binary=True).fetchall())
        return self.server.again(lambda: self.server.asked(query, values, self.team, self.person))

    @contextmanager
    def writing(self, patience: float = PATIENCE) -> Iterator[None]:
        if self._db is not None:
            yield
            return
        with self.server.transaction(self.team, person=self.person) as db:
            db.execute(f"SET LOCAL lock_timeout = {max(1, int(patience * 1000))}")
            db.execute("SELECT pg_advisory_xact_lock(%s)", (int(digest(f"{self.team}\0{self.machine}", 15), 16),))
            db.execute(
                f"INSERT INTO holdfast.machine (team, machine) VALUES ({HERE}, %s) ON CONFLICT (team, machine) "
                "DO UPDATE SET seen = now()",
                (self.machine,),
            )
            self._db = db
            try:
                yield
                db.execute("SELECT nextval('holdfast.change')")
            finally:
                self._db = None

    def change(self) -> int:
        """A number that grows with every write of anybody; warm copies look at it."""
        return int(self.ask("SELECT last_value FROM holdfast.change")[0][0])

    def clear(self) -> None:
        """What this machine brought goes, and nothing else."""
        self.forget_traffic()
        held = "SELECT id FROM holdfast.held WHERE machine = %s"
        rows.drop(self._db, self.machine, [row[0] for row in self.ask(held, (self.machine,))])
        for table in ("gone", "mark", "place"):
            self._db.execute(f"DELETE FROM holdfast.{table} WHERE machine = %s", (self.machine,))
        self._db.execute(
            "DELETE FROM holdfast.setting WHERE name = 'model' AND NOT EXISTS (SELECT 1 FROM holdfast.vector)"
        )

    # Places

    def places(self, prefix: str = "") -> dict[str, str]:
        query = "SELECT path, stamp FROM holdfast.place WHERE machine = %s AND path >= %s AND path < %s"
        return dict(self.ask(query, (self.machine, prefix, f"{prefix}\U0010ffff")))

    def note_places(self, stamps: Mapping[str, str]) -> None:
        with self.writing():
            self._db.execute(
                f"INSERT INTO holdfast.place SELECT {HERE}, %s, path, stamp FROM unnest(%s::text[], %s::text[]) "
                "AS given (path, stamp) ON CONFLICT (team, machine, path) DO UPDATE SET stamp = excluded.stamp",
                (self.machine, list(stamps), list(stamps.values())),
            )

    def take(
        self,
        place: str,
        stamp: str,
        thoughts: Sequence[Thought],
        supersedes: Sequence[tuple[str, str]] = (),
        *,
        anew: bool = True,
    ) -> None:
        with self.writing():
            if anew:
                self._drop(place, {one.id for one in thoughts})
            if thoughts:
                rows.put(self._db, self.machine, place, thoughts)
            pairs = list(dict.fromkeys(supersedes))
            self._db.execute(
                f"INSERT INTO holdfast.gone SELECT {HERE}, old, new, %s, %s FROM unnest(%s::text[], %s::text[]) "
                "AS given (old, new) ON CONFLICT (team, old, new, machine) DO UPDATE SET place = excluded.place",
                (self.machine, place, [old for old, _ in pairs], [new for _, new in pairs]),
            )
            self.note_places({place: stamp})

    def forget(self, place: str) -> None:
        with self.writing():
            self._drop(place, set())
            self._db.execute("DELETE FROM holdfast.place WHERE machine = %s AND path = %s", (self.machine, place))

    def _drop(self, place: str, but: set[str]) -> None:
        held = self.ask("SELECT id FROM holdfast.held WHERE machine = %s AND place = %s", (self.machine, place))
        if lost := sorted(row[0] for row in held if row[0] not in but):
            rows.drop(self._db, self.machine, lost)
        for table in ("gone", "mark"):
            self._db.execute(f"DELETE FROM holdfast.{table} WHERE machine = %s AND place = %s", (self.machine, place))

    # Thoughts

    def thoughts(self, ids: Iterable[str]) -> dict[str, Thought]:
        found = self._of(NAMED, ids)
        return {str(row[0]): thought(row) for row in found}

    def _of(self, columns: str, ids: Iterable[str]) -> list[tuple[Any, ...]]:
        listed = _listed(ids)
        return self.ask(f"SELECT {columns} FROM holdfast.thought t WHERE t.id = ANY(%s)", (listed,)) if listed else []

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return dict(self._of("t.id, t.text", ids))

    def authors(self, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """For each the person who wrote it, and the machine."""
        return {row[0]: (row[1], row[2]) for row in self._of("t.id, t.person, t.machine", ids)}

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        found = self._of("t.id, t.size, t.speaker, t.thread, t.said, t.turn", ids)
        return {ident: Facts(size, who, thread, said, bool(turn)) for ident, size, who, thread, said, turn in found}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        listed = _listed(ids)
        sides = " UNION ALL ".join(
            f"(SELECT {at} AS side, row_number() OVER (ORDER BY b.created {way}, b.id {way}) AS step, b.id FROM "
            f"(SELECT created, id FROM holdfast.thought WHERE thread = a.thread AND thread <> '' "
            f"AND (created, id) {sign} (a.created, a.id) ORDER BY created {way}, id {way} LIMIT %s) b)"
            for at, (sign, way) in enumerate((("<", "DESC"), (">", "ASC")))
        )
        found = self.ask(
            f"SELECT a.id, n.step, n.id, a.thread FROM holdfast.thought a LEFT JOIN LATERAL ({sides}) n ON true "
            "WHERE a.id = ANY(%s) AND a.thread <> '' ORDER BY a.id, n.side, n.step",
            (reach, reach, listed),
        )
        beside: dict[str, list[tuple[str, int]]] = {row[0]: [] for row in found}
        for ident, step, other, _ in found:
            if other is not None:
                beside[ident].append((other, int(step)))
        return beside

    def same(self, text: str, project: str, space: str) -> str:
        found = self.ask(
            "SELECT t.id FROM holdfast.thought t WHERE t.same = %s AND t.project = %s AND t.space = %s "
            f"AND {SUCCESSOR} IS NULL ORDER BY t.created, t.id LIMIT 1",
            (words.sameness(text), project, space),
        )
        return str(found[0][0]) if found else ""

    def count(self, scope: Scope = Scope()) -> int:  # noqa: B008  a frozen value
        where, values = search.conditions(scope)
        return int(self.ask(f"SELECT count(*) FROM holdfast.thought t WHERE true{where}", values)[0][0])

    # Search

    def _codes(self, scope: Scope) -> list[int] | None:
        """The numbers of a scope's projects, which never change once they are there; None is all."""
        if not scope.projects:
            return None
        if missing := [one for one in scope.projects if one not in self._numbers]:
            query = "SELECT name, code FROM holdfast.project WHERE name = ANY(%s)"
            found = dict(self.ask(query, (missing,)))
            if self._db is not None:  # one that is made in this transaction may be taken back with it
                return [code for one in scope.projects if (code := self._numbers.get(one) or found.get(one))]
            self._numbers.update(found)
        return [self._numbers[one] for one in scope.projects if one in self._numbers]

    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        return search.lexical(self.ask, terms, scope, most, self._codes(scope))

    def nearest(self, vector: Vector, scope: Scope, most: int, model: str = "") -> list[Hit]:
        named = model or self.serving()
        self.is_approximate = False
        if not named or self._length(named) != len(vector):
            return []
        self.is_approximate = most > 0 and search.is_vast(self.ask, scope, len(vector))
        if self.is_approximate:
            return search.nearly(self.ask, vector, most, named, archived=scope.archived)
        return search.nearest(self.ask, vector, scope, most, named, self._codes(scope))

    def _length(self, model: str) -> int:
        """Of a model's vectors, which never changes."""
        if not self._lengths.get(model):
            self._lengths[model] = search.dimension(self.ask, model)
        return self._lengths[model]

    # Sleep

    def mark(self, place: str, stamp: str, marks: Sequence[Mark], *, anew: bool = True) -> None:
        with self.writing():
            if anew:
                self._db.execute("DELETE FROM holdfast.mark WHERE machine = %s AND place = %s", (self.machine, place))
            with self._db.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO holdfast.mark VALUES ({HERE}, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT "
                    "(team, kind, id, other, step, machine) "
                    "DO UPDATE SET count = excluded.count, place = excluded.place",
                    [(self.machine, one.step, one.kind, one.id, one.other, one.count, place) for one in marks],
                )
            self.note_places({place: stamp})

    def marks(self, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
        return slept.marks(self.ask, kind, ids)

    def archived(self, ids: Iterable[str]) -> set[str]:
        return slept.archived(self.ask, ids)

    def fresh(self, until: float, most: int) -> list[tuple[str, float]]:
        return slept.fresh(self.ask, until, most)

    def unslept(self) -> tuple[int, float]:
        return slept.unslept(self.ask)

    def rested(self, until: Mapping[str, float]) -> None:
        with self.writing():
            slept.rested(self._db, until)

    def made_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        return slept.made_of(self.ask, ids)

    def idle(self, since: float, until: float) -> list[str]:
        return slept.idle(self.ask, since, until)

    def compact(self) -> None:
        with self.writing():
            rows.fold_counts(self._db)

    def vectors(self, ids: Iterable[str]) -> dict[str, Vector]:
        return slept.vectors(self.ask, self.serving(), ids)

    # Vectors

    def unembedded(self, model: str, most: int) -> list[Thought]:
        if self.serving() in ("", model):
            query = f"SELECT {NAMED} FROM holdfast.bare b JOIN holdfast.thought t ON t.id = b.id LIMIT %s"
            found = self.ask(query, (most,))
        else:
            query = f"SELECT {NAMED} FROM holdfast.thought t WHERE {LACKING} ORDER BY t.n LIMIT %s"
            found = self.ask(query, (model, most))
        return [thought(row) for row in found]

    def lacking(self, model: str) -> int:
        if self.serving() in ("", model):
            return int(self.ask("SELECT count(*) FROM holdfast.bare")[0][0])
        return int(self.ask(f"SELECT count(*) FROM holdfast.thought t WHERE {LACKING}", (model,))[0][0])

    def embed(self, model: str, vectors: Mapping[str, Vector]) -> None:
        with self.writing():
            serving = self.serving()
            known = {row[0]: row[1] for row in self._of("t.id, t.code", vectors)}
            self._db.execute("DELETE FROM holdfast.vector WHERE model = %s AND id = ANY(%s)", (model, list(known)))
            made = [
                (model, code, ident, part, *halved(row))
                for ident, code in known.items()
                for part, row in enumerate(packing.rows_of(vectors[ident]))
            ]
            with self._db.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO holdfast.vector VALUES ({HERE}, %s, %s, %s, %s, %s, %s::halfvec) "
                    "ON CONFLICT DO NOTHING",
                    made,
                )
            if serving in ("", model):
                self._db.execute("DELETE FROM holdfast.bare WHERE id = ANY(%s)", (list(known),))
            if not serving:
                self._note("model", model)

    def serve(self, model: str) -> None:
        with self.writing():
            self._note("model", model)
            self._db.execute("DELETE FROM holdfast.vector WHERE model <> %s", (model,))
            self._db.execute("DELETE FROM holdfast.bare")
            self._db.execute(
                f"INSERT INTO holdfast.bare SELECT {HERE}, t.id FROM holdfast.thought t WHERE {LACKING}", (model,)
            )

    def serving(self) -> str:
        found = self.ask(SERVES)
        return str(found[0][0]) if found else ""

    def _note(self, name: str, value: str) -> None:
        self._db.execute(
            f"INSERT INTO holdfast.setting VALUES ({HERE}, %s, %s) ON CONFLICT (team, name) DO UPDATE SET "
            "value = excluded.value",
            (name, value),
        )

    # Traffic

    def travelled(self) -> int:
        found = self.ask("SELECT travelled FROM holdfast.machine WHERE machine = %s", (self.machine,))
        return int(found[0][0]) if found else 0

    def travel(self, events: Sequence[Event], end: int) -> None:
        with self.writing():
            query = "SELECT number, clock FROM holdfast.machine WHERE machine = %s"
            number, clock = use.put(self._db, self.machine, events, *self.ask(query, (self.machine,))[0])
            self._db.execute(
                "UPDATE holdfast.machine SET travelled = %s, number = %s, clock = %s WHERE machine = %s",
                (end, number, clock, self.machine),
            )
            self._freshen({one for event in events for one in event.ids})

    def _freshen(self, ids: set[str]) -> None:
        self._db.execute(
            f"INSERT INTO holdfast.fresh SELECT {HERE}, t.id, r.last FROM holdfast.thought t JOIN holdfast.traffic r "
            f"ON r.id = t.id WHERE t.id = ANY(%s) AND {SLEPT} ORDER BY t.id "
            "ON CONFLICT (team, id) DO UPDATE SET at = excluded.at",
            (sorted(ids), *SLEPT_VALUES),
        )

    def forget_traffic(self) -> None:
        with self.writing():
            use.forget(self._db, self.machine)
            self._db.execute(
                "UPDATE holdfast.machine SET travelled = 0, number = 0, clock = 0 WHERE machine = %s", (self.machine,)
            )

    def traffic(self, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:
        return use.known(self.ask, ids, whole=whole)

    def busiest(self, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
        where, values = search.conditions(scope)
        found = self.ask(
            "SELECT t.id, r.count * r.agents FROM holdfast.traffic r JOIN holdfast.thought t ON t.id = r.id "
            f"WHERE r.count >= 3 AND r.count >= %s AND r.agents >= %s{where} ORDER BY 2 DESC, 1 LIMIT %s",
            (accesses, agents, *values, most),
        )
        return [Hit(str(ident), float(score)) for ident, score in found]

    def asked(self, since: float, most: int) -> list[Asked]:
        return use.asked(self.ask, since, most)


def halved(row: Any) -> tuple[float, str]:
    """A vector as its scale and its parts as whole numbers, which half precision holds exactly."""
    import struct

    packed = packing.packed(row)
    parts = memoryview(packed)[4:].cast("b")
    return struct.unpack_from("<f", packed)[0], "[" + ",".join(map(str, parts)) + "]"
