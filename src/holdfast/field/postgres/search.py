"""Questions to the team's tables: BM25 over our own tokens, vectors by an exact scan within a scope.

The answers are those of the embedded store on the same texts. BM25 is FTS5's: k1 1.2, b 0.75, a token that most texts
have counts almost nothing, a phrase is a token of its own, and parts are added in the order of the query. Vectors are
ranked by pgvector in half precision with a margin, and the few that remain are scored as the embedded store does it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holdfast.field.postgres import tokens
from holdfast.field.store import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.field.store import Scope, Vector

    Run = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]

K1, B = 1.2, 0.75
FEW = 12  # parts of a query that are added one by one
SHOWN = "v.id <> ALL(ARRAY(SELECT id FROM holdfast.archived))"
ARCHIVES = "EXISTS (SELECT 1 FROM holdfast.mark WHERE kind = 'archived')"
SCORED = f"((p.freq::float8 * {K1 + 1.0}) / (p.freq::float8 + {K1} * (1 - {B} + {B} * p.length / %s::float8)))"
EVERYWHERE = (
    100_000  # vectors from which on a question over all projects goes by the approximate index, if there is one
)


def conditions(scope: Scope, *, projects: bool = True, hides: bool = True) -> tuple[str, list[Any]]:
    """A scope as SQL over `t`, to follow other conditions, and its values; `hides` is whether anything is archived."""
    said: list[str] = []
    values: list[Any] = []

    def also(condition: str, *given: Any) -> None:
        said.append(f" AND {condition}")
        values.extend(given)

    if projects and scope.projects:
        also("t.project = ANY(%s)", list(scope.projects))
    if scope.space:
        also("t.space = %s", scope.space)
    if scope.kinds:
        also("(t.kind = ANY(%s) OR t.category = ANY(%s))", list(scope.kinds), list(scope.kinds))
    if scope.trust:
        also("t.origin = ANY(%s)", list(scope.trust))
    if scope.agent:
        also("(t.agent = %s OR starts_with(t.agent, %s))", scope.agent, f"{scope.agent}/")
    if scope.since:
        also("t.created >= %s", scope.since)
    if scope.until:
        also("t.created <= %s", scope.until)
    if hides and not scope.archived:
        also("t.id NOT IN (SELECT id FROM holdfast.archived)")
    return "".join(said), values


def _within(codes: list[int] | None, alias: str) -> tuple[str, list[Any]]:
    """The projects of a scope, by their numbers: given as such they tell the planner how many rows that are."""
    return ("", []) if codes is None else (f" AND {alias}.code = ANY(%s)", [codes])


def lexical(run: Run, terms: Sequence[str], scope: Scope, most: int, codes: list[int] | None) -> list[Hit]:
    """`codes` are the numbers of the scope's projects; None is all."""
    asked = [found for found in tokens.of_terms(terms) if found]
    if not asked or most <= 0 or codes == []:
        return []
    single = sorted({found[0] for found in asked if len(found) == 1} | {tokens.SIZES, tokens.LENGTHS})
    counts: dict[int | None, int] = dict(
        run(
            "SELECT term, sum(docs)::bigint FROM (SELECT term, docs FROM holdfast.tally WHERE term = ANY(%s) UNION ALL "
            "SELECT term, docs FROM holdfast.tally_news WHERE term = ANY(%s) UNION ALL "
            f"SELECT NULL, 1 WHERE {ARCHIVES}) counted GROUP BY term",
            (single, single),
        )
    )
    total = counts.get(tokens.SIZES, 0)
    if not total:
        return []
    average = counts.get(tokens.LENGTHS, 0) / total
    within, given = _within(codes, "p")
    parts, values = [], list[Any]()
    plain = [(at, found[0]) for at, found in enumerate(asked) if len(found) == 1 and counts.get(found[0])]
    if plain:
        parts.append(
            f"SELECT p.n, q.at, q.idf * {SCORED} AS score FROM unnest(%s::int[], %s::bigint[], %s::float8[]) "
            f"AS q (at, term, idf) JOIN holdfast.posting p ON p.term = q.term{within}"
        )
        values += [average, [at for at, _ in plain], [one for _, one in plain]]
        values += [[_idf(total, counts[one]) for _, one in plain], *given]
    for at, found in enumerate(asked):
        if len(found) > 1 and (docs := _phrase_docs(run, found)):
            query, more = _phrase(found, within, given)
            parts.append(f"SELECT p.n, {at} AS at, {_idf(total, docs)!r}::float8 * {SCORED} AS score FROM ({query}) p")
            values += [average, *more]
    if not parts:
        return []
    where, filters = conditions(scope, projects=False, hides=None in counts)
    added = _added([at for at, _ in plain] + [at for at, found in enumerate(asked) if len(found) > 1])
    scored = f"SELECT n, {added} AS score FROM ({' UNION ALL '.join(parts)}) each GROUP BY n"
    if not where:  # only those that can be among the best are looked up by their numbers
        scored += " ORDER BY score DESC FETCH FIRST %s ROWS WITH TIES"
        values.append(most)
    rows = run(
        f"SELECT t.id, s.score FROM ({scored}) s JOIN holdfast.thought t ON t.n = s.n WHERE true{where} "
        "ORDER BY s.score DESC, t.id LIMIT %s",
        (*values, *filters, most),
    )
    return [Hit(str(ident), float(score)) for ident, score in rows]


def _added(places: list[int]) -> str:
    """The sum over the parts of a query, in its order: sums in any order would differ in their last digits."""
    if len(places) > FEW:
        return "sum(score ORDER BY at)"
    return " + ".join(f"coalesce(max(score) FILTER (WHERE at = {at}), 0)" for at in sorted(places))


def _idf(total: int, docs: int) -> float:
    found = math.log((total - docs + 0.5) / (docs + 0.5))
    return found if found > 0 else 1e-6


def _phrase(found: list[int], within: str = "", given: Sequence[Any] = ()) -> tuple[str, list[Any]]:
    """The texts in which these tokens stand one after the other, with what that counts."""
    joins = "".join(
        f" JOIN holdfast.posting p{at} ON p{at}.term = %s AND p{at}.code = p.code AND p{at}.n = p.n"
        for at in range(1, len(found))
    )
    follows = "".join(f" AND spot + {at} = ANY(p{at}.spots)" for at in range(1, len(found)))
    weight = "CASE spot / {apart} {cases} END".format(
        apart=tokens.APART,
        cases=" ".join(f"WHEN {at} THEN {tokens.WEIGHTS[name]}" for at, name in enumerate(tokens.COLUMNS)),
    )
    query = (
        f"SELECT p.n, p.length, sum({weight})::real AS freq FROM holdfast.posting p{joins} "
        f"CROSS JOIN LATERAL unnest(p.spots) spot WHERE p.term = %s{within}{follows} GROUP BY p.n, p.length"
    )
    return query, [*found[1:], found[0], *given]


def _phrase_docs(run: Run, found: list[int]) -> int:
    query, values = _phrase(found)
    return int(run(f"SELECT count(*) FROM ({query}) p", values)[0][0])


MARGIN = 0.001  # by which a score in half precision may differ: twice 2^-11, for vectors of length one
MORE = 4


def nearest(run: Run, vector: Vector, scope: Scope, most: int, model: str, codes: list[int] | None) -> list[Hit]:
    """Exactly the nearest: more are looked at until no other can be among them."""
    if most <= 0 or codes == []:
        return []
    wanted = _wanted(vector)
    where, filters = conditions(scope, projects=False, hides=False)
    joined = f" JOIN holdfast.thought t ON t.id = v.id WHERE v.model = %s{where}" if where else " WHERE v.model = %s"
    hidden = "" if scope.archived else f" AND {SHOWN}"
    within, given = _within(codes, "v")
    look = most + most // 8 + 32
    while True:
        rows = run(
            "SELECT v.id, v.meant, v.scale, (v.meant <#> %s::halfvec) * v.scale AS score FROM holdfast.vector v"
            f"{joined}{within}{hidden} ORDER BY score LIMIT %s",
            (_said(wanted), model, *filters, *given, look),
        )
        hits = _exact(rows, wanted)
        if len(rows) < look or (len(hits) >= most and hits[most - 1].score > MARGIN - float(rows[-1][3])):
            return hits[:most]
        look *= MORE


def dimension(run: Run, model: str) -> int:
    """The length of a model's vectors; 0 where there are none."""
    rows = run("SELECT vector_dims(meant) FROM holdfast.vector WHERE model = %s LIMIT 1", (model,))
    return int(rows[0][0]) if rows else 0


def _wanted(vector: Vector) -> Any:
    import numpy

    return numpy.ascontiguousarray(vector, dtype=numpy.float32)


def _said(wanted: Any) -> str:
    return "[" + ",".join(f"{one:.8g}" for one in wanted) + "]"


def is_vast(run: Run, scope: Scope, dimension: int) -> bool:
    """Whether a question is too wide for an exact scan, and there is an index that answers it approximately."""
    if scope.projects or not scope.is_wide:
        return False
    query = (
        "SELECT to_regclass(%s) IS NOT NULL AND (SELECT coalesce(sum(docs), 0) FROM (SELECT docs FROM holdfast.tally "
        "WHERE term = %s UNION ALL SELECT docs FROM holdfast.tally_news WHERE term = %s) counted) >= %s"
    )
    return bool(run(query, (f"holdfast.{near_index(dimension)}", tokens.SIZES, tokens.SIZES, EVERYWHERE))[0][0])


def near_index(dimension: int) -> str:
    return f"vector_near_{dimension}"


def nearly(run: Run, vector: Vector, most: int, model: str, *, archived: bool) -> list[Hit]:
    """Almost the nearest, of all projects, by the approximate index; those that are found have their exact scores."""
    wanted = _wanted(vector)
    size = len(wanted)
    rows = run(
        "SELECT v.id, v.meant, v.scale FROM (SELECT set_config('hnsw.iterative_scan', 'strict_order', true), "
        "set_config('hnsw.ef_search', '200', true)) s CROSS JOIN LATERAL "
        "(SELECT v.id, v.meant, v.scale FROM holdfast.vector v "
        f"WHERE vector_dims(v.meant) = {size} AND v.model = %s AND v.scale > 0{'' if archived else f' AND {SHOWN}'} "
        f"ORDER BY v.meant::halfvec({size}) <=> %s::halfvec({size}) LIMIT %s) v",
        (model, _said(wanted), 2 * most + 64),
    )
    return _exact(rows, wanted)[:most]


def _exact(rows: Sequence[Sequence[Any]], wanted: Any) -> list[Hit]:
    """The hits of rows (id, vector, scale), scored as the embedded store does it; of several passages the best."""
    import numpy

    from holdfast.field.sqlite import vectors

    kept = [row for row in rows if row[2] > 0]  # else it says nothing, and is near nothing
    if not kept:
        return []
    table = numpy.zeros(len(kept), dtype=[("scale", "<f4"), ("parts", "i1", (len(wanted),))])
    table["scale"] = [row[2] for row in kept]
    table["parts"] = whole([row[1] for row in kept])
    best: dict[str, float] = {}
    for row, score in zip(kept, vectors.exact(table, wanted), strict=True):
        best[row[0]] = max(float(score), best.get(row[0], -9.0))
    return sorted((Hit(*pair) for pair in best.items()), key=lambda hit: (-hit.score, hit.id))


def whole(sent: Sequence[bytes]) -> Any:
    """Vectors as pgvector sends them: four bytes of head, then half floats, here whole numbers that fit a byte."""
    import numpy

    halves = numpy.frombuffer(b"".join(bytes(one)[4:] for one in sent), dtype=">f2")
    return halves.astype(numpy.int8).reshape(len(sent), -1)
