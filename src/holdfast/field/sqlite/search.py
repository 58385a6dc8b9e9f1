"""Questions to the file: words by FTS5's BM25, vectors by an exact scan of the mapped file, and what use has left.

A field of few vectors is scored row by row instead: importing numpy takes longer than that.
"""

from __future__ import annotations

import struct
import sys
from contextlib import contextmanager
from functools import partial
from operator import mul
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.field import traffic, words
from holdfast.field.sqlite import queries, vectors
from holdfast.field.sqlite.queries import conditions, match, pieces, places, word
from holdfast.field.sqlite.schema import SLEPT_ON, broken_is_said
from holdfast.field.store import Asked, Hit, Scope
from holdfast.field.thought import FIELDS, LISTS, Thought, Traffic
from holdfast.field.traffic import GOT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.field.store import Vector
    from holdfast.field.traffic import Event


SEPARATOR = "\x1f"  # between the items of a list; texts have no control characters
COLUMNS = tuple(name for name in FIELDS if name != "superseded_by")
OWN = ("place", "same", "extra", "scope", "thread", "size", "speaker", "said", "turn")
SUCCESSOR = (
    "coalesce((SELECT min(new) FROM gone WHERE old = t.id), "
    "(SELECT min(other) FROM standing WHERE kind = 'superseded' AND id = t.id))"
)
NAMED = f"{', '.join(f't.{name}' for name in COLUMNS)}, {SUCCESSOR}"
PUT = (
    f"INSERT INTO thought ({', '.join((*COLUMNS, *OWN))}) VALUES ({places((*COLUMNS, *OWN))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in (*COLUMNS[1:], *OWN))}"
)


def row(one: Thought, place: str) -> tuple[Any, ...]:
    """A thought as PUT takes it."""
    given = [SEPARATOR.join(getattr(one, name)) if name in LISTS else getattr(one, name) for name in COLUMNS]
    facts = one.facts
    made = (words.sameness(one.text), words.extra(one), word(one.project))
    return (*given, place, *made, facts.thread, facts.words, facts.speaker, facts.created, facts.is_turn)


def thought(found: Sequence[Any]) -> Thought:
    """A thought from NAMED."""
    given: dict[str, Any] = dict(zip((*COLUMNS, "superseded_by"), found, strict=True))
    given.update({name: tuple(given[name].split(SEPARATOR)) if given[name] else () for name in LISTS})
    return Thought(**{**given, "superseded_by": given["superseded_by"] or ""})


MOST_ASKED = 20_000  # queries that are kept at hand; the traffic log has them all
WEIGHTS = "2.0, 1.0, 0.5, 0.5, 0.0"  # of title, text, context, extra; that of the project's word is none
MORE = 4  # times as many are looked at as are wanted, where a filter may take some away
FEW = 4000  # vectors that are scored without numpy, about 12 microseconds each
LACKING = "NOT EXISTS (SELECT 1 FROM vector v WHERE v.id = t.id AND v.model = ?)"  # of one model


class Search:
    """One connection's searches, and the files of vectors it has mapped."""

    path: str
    db: sqlite3.Connection

    def begin(self, db: sqlite3.Connection) -> None:
        """Everything that was known of another connection goes."""
        self.db = db
        self._files: dict[tuple[str, str], vectors.Sidecar] = {}
        self._grown: set[str] = set()

    def meta(self, name: str) -> str:
        found = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    @broken_is_said()
    def serving(self) -> str:
        return self.meta("model")

    def conditions(self, scope: Scope, *, projects: bool = True) -> tuple[str, list[Any]]:
        """As SQL over `t`, without what is put away unless the scope asks for it."""
        where, values = conditions(scope, projects=projects)
        hides = not scope.archived and self.db.execute("SELECT 1 FROM archived LIMIT 1").fetchone()
        return (f"{where} AND t.id NOT IN (SELECT id FROM archived)" if hides else where), values

    @broken_is_said()
    def lexical(self, terms: Sequence[str], scope: Scope, most: int) -> list[Hit]:
        if not terms or most <= 0:
            return []
        where, values = self.conditions(scope, projects=False)
        # By id also where it is cut: their numbers in the file are others after a rebuild.
        rows = self.db.execute(
            f"SELECT t.id, bm25(words, {WEIGHTS}) AS score FROM words JOIN thought t ON t.n = words.rowid "
            f"WHERE words MATCH ?{where} ORDER BY score, t.id LIMIT ?",
            (match(terms, scope), *values, most),
        )
        return [Hit(str(ident), -score) for ident, score in rows]

    def around(self, ident: str, thread: str, created: float, reach: int) -> list[tuple[str, int]]:
        """Those of a thread before and after one, with how many steps away they are."""
        found: list[tuple[str, int]] = []
        for sign, way in (("<", "DESC"), (">", "ASC")):
            rows = self.db.execute(
                f"SELECT id FROM thought WHERE thread = ? AND thread <> '' AND (created, id) {sign} (?, ?) "
                f"ORDER BY created {way}, id {way} LIMIT ?",
                (thread, created, ident, reach),
            )
            found += [(str(row[0]), step) for step, row in enumerate(rows, 1)]
        return found

    @broken_is_said()
    def nearest(self, vector: Vector, scope: Scope, most: int, model: str = "") -> list[Hit]:
        with self._one_look():
            model = model or self.serving()
            file = self._file(model, len(vector)) if model and most > 0 else None
            if file is None:
                return []
            is_small = "numpy" not in sys.modules and vectors.last_number(self.db) <= FEW
            found = self._few(vector, scope, model) if is_small else self._many(file, vector, scope, most, model)
        return sorted((Hit(*pair) for pair in found.items()), key=lambda hit: (-hit.score, hit.id))[:most]

    @contextmanager
    def _one_look(self) -> Iterator[None]:
        """Everything within sees the database as it was at its beginning."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def _few(self, vector: Any, scope: Scope, model: str) -> dict[str, float]:
        where, values = self.conditions(scope)
        query = f"SELECT v.id, v.v FROM vector v JOIN thought t ON t.id = v.id WHERE v.model = ?{where}"
        found: dict[str, float] = {}
        for ident, blob in self.db.execute(query, (model, *values)):
            (scale,) = struct.unpack_from("<f", blob)
            if scale > 0:  # of a text with several passages the best one counts
                score = sum(map(mul, memoryview(blob)[4:].cast("b"), vector)) * scale
                found[ident] = max(score, found.get(ident, -9.0))
        return found

    def _many(self, file: vectors.Sidecar, vector: Any, scope: Scope, most: int, model: str) -> dict[str, float]:
        import numpy

        wanted = numpy.ascontiguousarray(vector, dtype=numpy.float32)
        codes = self._codes(scope.projects)
        if scope.projects and not codes:
            return {}
        table = file.table()
        count = 0 if table is None else len(table.rows)
        tables: list[tuple[vectors.Table, Sequence[int]]] = [] if table is None else [(table, range(1, count + 1))]
        late = list(self._beyond(model, count))
        if late:
            tables.append(file.read(late))
        found: dict[str, float] = {}
        for one, numbers in tables:
            for ident, score in self._best(one, numbers, wanted, codes, scope, most, model).items():
                found[ident] = max(score, found.get(ident, -9.0))
        return found

    def _best(
        self,
        table: vectors.Table,
        numbers: Sequence[int],
        vector: Any,
        codes: tuple[int, ...],
        scope: Scope,
        most: int,
        model: str,
    ) -> dict[str, float]:
        """The best of all that the scope lets through: looked at in growing steps, until there are enough of them."""
        import numpy

        where, values = self.conditions(scope, projects=False)
        tables = "vector v JOIN thought t ON t.id = v.id" if where else "vector v"
        part = table.part(codes)
        meant, scores = part.places, vectors.scores(table, vector, part)
        step = most * (1 if scope.is_wide else MORE) + 16
        best: dict[str, float] = {}
        looked = 0
        while looked < len(scores):
            looked = min(len(scores), step)
            some = meant[numpy.argpartition(-scores, looked - 1)[:looked]] if looked < len(scores) else meant
            exact = vectors.exact(table.rows.take(some), vector)
            by = {numbers[at]: score for at, score in zip(some, exact, strict=True)}
            best = {}
            for listed in pieces(by):
                query = f"SELECT v.n, v.id FROM {tables} WHERE v.n IN ({places(listed)}) AND v.model = ?{where}"
                for n, name in self.db.execute(query, (*listed, model, *values)):
                    best[name] = max(float(by[n]), best.get(name, -9.0))
            if len(best) >= most:
                break
            step *= MORE
        return best

    def _codes(self, projects: Sequence[str]) -> tuple[int, ...]:
        """The numbers of projects in the files of vectors; none of one that has no vectors."""
        query = f"SELECT code FROM project WHERE name IN ({places(projects)})"
        return tuple(row[0] for row in self.db.execute(query, projects))

    @broken_is_said()
    def unembedded(self, model: str, most: int) -> list[Thought]:
        if self.serving() in ("", model):
            rows = self.db.execute(f"SELECT {NAMED} FROM bare b JOIN thought t ON t.id = b.id LIMIT ?", (most,))
        else:
            query = f"SELECT {NAMED} FROM thought t WHERE {LACKING} ORDER BY t.n LIMIT ?"
            rows = self.db.execute(query, (model, most))
        return [thought(row) for row in rows.fetchall()]

    @broken_is_said()
    def lacking(self, model: str) -> int:
        if self.serving() in ("", model):
            return int(self.db.execute("SELECT count(*) FROM bare").fetchone()[0])
        return int(self.db.execute(f"SELECT count(*) FROM thought t WHERE {LACKING}", (model,)).fetchone()[0])

    def put_vectors(self, model: str, given: Mapping[str, Vector], *, serves: bool) -> None:
        """Vectors of thoughts that are there; those that they had under this model go. Within a transaction."""
        for some in pieces(given):
            query = f"SELECT id, project FROM thought WHERE id IN ({places(some)})"
            projects = dict(self.db.execute(query, some).fetchall())
            self.db.executemany("DELETE FROM vector WHERE id = ? AND model = ?", [(one, model) for one in projects])
            names = sorted(set(projects.values()))
            self.db.executemany("INSERT OR IGNORE INTO project (name) VALUES (?)", [(name,) for name in names])
            codes = {name: self._codes((name,))[0] for name in names}
            rows = [
                (one, model, codes[project], vectors.packed(row))
                for one, project in projects.items()
                for row in vectors.rows_of(given[one])
            ]
            self.db.executemany("INSERT INTO vector (id, model, project, v) VALUES (?, ?, ?, ?)", rows)
            if serves:
                self.db.executemany("DELETE FROM bare WHERE id = ?", [(one,) for one in projects])
        self._grown.add(model)

    def keep_only(self, model: str) -> None:
        """This model serves from now on. Within a transaction."""
        self.db.execute("DELETE FROM vector WHERE model <> ?", (model,))
        vectors.ask_again(self.db)
        self.db.execute("DELETE FROM bare")
        self.db.execute("INSERT INTO bare SELECT id FROM thought WHERE id NOT IN (SELECT id FROM vector)")
        self._grown.add(model)  # so that the files of the others go once this is committed

    def extend(self) -> None:
        """After a commit, under the lock: the files follow the database. Also where the file of the model that serves
        is not believed: it is of before this boot, or whoever numbered the vectors anew was killed."""
        serving = {self.meta("model")} - {""}
        for model in self._grown | serving:
            file = self._file(model)
            if file is None or (model not in self._grown and file.rows()):
                continue
            last = self.db.execute("SELECT n FROM vector WHERE model = ? ORDER BY n DESC LIMIT 1", (model,)).fetchone()
            if last:
                file.extend(last[0], partial(self._beyond, model))
        if self._grown:
            vectors.sweep(self.path, self._grown | serving)
        self._grown.clear()

    def _beyond(self, model: str, have: int) -> Iterable[tuple[int, bytes]]:
        rows = self.db.execute("SELECT n, project, v FROM vector WHERE n > ? AND model = ? ORDER BY n", (have, model))
        return ((n, vectors.row_of(blob, code)) for n, code, blob in rows)

    def _file(self, model: str, dimension: int = 0) -> vectors.Sidecar | None:
        """The file of a model; None where it has no vectors, or ones of another length."""
        store = self.meta("store")
        file = self._files.get((model, store))
        if file is None:
            row = self.db.execute("SELECT v FROM vector WHERE model = ? LIMIT 1", (model,)).fetchone()
            if row is None:
                return None
            file = vectors.Sidecar(self.path, store, model, vectors.dimension_of(row[0]))
            self._files = {(model, store): file}  # of one model at a time, as a rule
        return file if dimension in (0, file.dimension) else None

    @broken_is_said()
    def traffic(self, ids: Iterable[str], *, whole: bool = True) -> dict[str, Traffic]:
        found: dict[str, Traffic] = {}
        for some in pieces(ids):
            query = (
                f"SELECT id, count, last, weight{', rest' if whole else ''} FROM traffic WHERE id IN ({places(some)})"
            )
            found.update({row[0]: _traffic(*row[1:]) for row in self.db.execute(query, some)})
        return found

    def put_traffic(self, events: Sequence[Event]) -> None:
        """Take in events, in their order, and the newest queries. Within a transaction."""
        known = self.traffic(one for event in events for one in event.ids)
        changed: dict[str, Traffic] = {}
        for event in events:
            for one in event.ids:
                before = changed.get(one) or known.get(one) or traffic.beginning(event, one)
                changed[one] = traffic.after(before, event, one)
        rows = [
            (one, now.access_count, len(now.agents), now.last_accessed, now.weight, _rest(now))
            for one, now in changed.items()
        ]
        self.db.executemany("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?, ?, ?, ?)", rows)
        read = [(one, now.last_accessed, one) for one, now in changed.items()]
        again = f"INSERT OR REPLACE INTO fresh SELECT ?, ? FROM thought t WHERE t.id = ? AND {SLEPT_ON}"
        self.db.executemany(again, read)
        asked = [(one.time, one.agent, one.project, one.query, " ".join(one.ids)) for one in events if one.kind == GOT]
        self.db.executemany("INSERT INTO asked (time, agent, project, query, ids) VALUES (?, ?, ?, ?, ?)", asked)
        if asked:
            self.db.execute("DELETE FROM asked WHERE n <= (SELECT max(n) FROM asked) - ?", (MOST_ASKED,))

    @broken_is_said()
    def marks(self, kind: str, ids: Iterable[str]) -> dict[str, dict[str, float]]:
        return queries.marks(self.db, kind, ids)

    @broken_is_said()
    def archived(self, ids: Iterable[str]) -> set[str]:
        return queries.archived(self.db, ids)

    @broken_is_said()
    def fresh(self, until: float, most: int) -> list[tuple[str, float]]:
        return queries.fresh(self.db, until, most)

    @broken_is_said()
    def unslept(self) -> tuple[int, float]:
        return queries.unslept(self.db)

    @broken_is_said()
    def made_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        return queries.made_of(self.db, ids)

    @broken_is_said()
    def idle(self, since: float, until: float) -> list[str]:
        return queries.idle(self.db, since, until)

    @broken_is_said()
    def vectors(self, ids: Iterable[str]) -> dict[str, Vector]:
        return queries.vectors(self.db, self.serving(), ids)

    @broken_is_said()
    def asked(self, since: float, most: int) -> list[Asked]:
        query = "SELECT time, agent, project, query, ids FROM asked WHERE time >= ? ORDER BY n DESC LIMIT ?"
        rows = self.db.execute(query, (since, most)).fetchall()
        return [Asked(when, who, project, said, tuple(ids.split())) for when, who, project, said, ids in reversed(rows)]

    @broken_is_said()
    def busiest(self, accesses: int, agents: int, scope: Scope, most: int) -> list[Hit]:
        where, values = self.conditions(scope)
        rows = self.db.execute(
            "SELECT t.id, r.count * r.agents FROM traffic r JOIN thought t ON t.id = r.id "
            f"WHERE r.count >= 3 AND r.count >= ? AND r.agents >= ?{where} ORDER BY 2 DESC, 1 LIMIT ?",
            (accesses, agents, *values, most),
        )
        return [Hit(str(ident), float(score)) for ident, score in rows]


def _traffic(count: int, last: float, weight: float, rest: str = "") -> Traffic:
    if not rest:
        return Traffic(count, last, weight)
    agents, log, together = codec.decode(rest)
    return Traffic(count, last, weight, tuple(agents), tuple((when, who) for when, who in log), together)


def _rest(known: Traffic) -> str:
    # A dict keeps the order in which others were first met: the oldest of equals goes first.
    return codec.encode([known.agents, known.log, known.together]).decode("utf-8")
