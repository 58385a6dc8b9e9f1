"""A thought as rows of the team's tables: itself, its tokens, and what all tokens count. Within a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.errors import Busy
from holdfast.field import words
from holdfast.field.postgres import tokens
from holdfast.field.postgres.schema import FREE
from holdfast.field.thought import (
    FIELDS,
    GLOBAL,
    LISTS,
    SLEEP,
    SLEPT_ON,
    SLEPT_ON_NOTES,
    WITHDRAWN,
    Thought,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.postgres.tokens import Tokens

HERE = "(SELECT holdfast.here())"
SEPARATOR = "\x1f"  # between the items of a list; texts have no control characters
COLUMNS = tuple(name for name in FIELDS if name != "superseded_by")
OWN = ("same", "extra", "thread", "size", "speaker", "said", "turn", "code", "terms", "length", "machine")
SUCCESSOR = (
    "coalesce((SELECT min(new) FROM holdfast.gone WHERE old = t.id), "
    "(SELECT min(other) FROM holdfast.standing WHERE kind = 'superseded' AND id = t.id))"
)
NAMED = f"{', '.join(f't.{name}' for name in COLUMNS)}, {SUCCESSOR}"
SLEPT = "(t.kind = ANY(%s) OR t.kind = 'note' AND t.category = ANY(%s))"
SLEPT_VALUES = (list(SLEPT_ON), list(SLEPT_ON_NOTES))
SPOKEN = ("title", "text", "context", "project")  # once one of these is another, its vectors are of what it said before
LOST = "@lost"  # the place of the word that a summary lost a source
RACED = "Another machine is sending the same thought; nothing was changed. It is sent again."


def thought(found: Sequence[Any]) -> Thought:
    """A thought from NAMED."""
    given: dict[str, Any] = dict(zip((*COLUMNS, "superseded_by"), found, strict=True))
    given.update({name: tuple(given[name].split(SEPARATOR)) if given[name] else () for name in LISTS})
    return Thought(**{**given, "superseded_by": given["superseded_by"] or ""})


def codes(db: Any, projects: Sequence[str]) -> dict[str, int]:
    """The numbers of projects in this team, made where there is none; every question asks for what is global too."""
    listed = sorted({*projects, GLOBAL})
    db.execute(
        f"INSERT INTO holdfast.project (team, name) SELECT {HERE}, one FROM unnest(%s::text[]) one "
        "WHERE one NOT IN (SELECT name FROM holdfast.project) ON CONFLICT DO NOTHING",
        (listed,),
    )
    return dict(db.execute("SELECT name, code FROM holdfast.project WHERE name = ANY(%s)", (listed,)).fetchall())


def put(db: Any, machine: str, place: str, thoughts: Sequence[Thought]) -> None:
    """Thoughts that a place of a machine holds now. One that somebody else holds stays as that one said it."""
    listed = sorted({one.id: one for one in thoughts}.values(), key=lambda one: one.id)
    ids = [one.id for one in listed]
    known = codes(db, [one.project for one in listed])
    made = tokens.of_texts([(one.title, one.text, one.context, words.extra(one)) for one in listed])
    before = {row[0]: row for row in db.execute(
        f"SELECT id, n, code, terms, length, {', '.join(SPOKEN)} FROM holdfast.thought WHERE id = ANY(%s) "
        "ORDER BY id FOR UPDATE",  # those that this person may write, and no others
        (ids,),
    )}  # fmt: skip
    names = (*COLUMNS, *OWN)
    numbers: dict[str, int] = {}
    with db.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO holdfast.thought (team, {', '.join(names)}) "
            f"VALUES ({HERE}, {', '.join(['%s'] * len(names))}) "
            f"ON CONFLICT (team, id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names[1:])}, "
            f"person = current_user WHERE {FREE} RETURNING id, n, xmax <> 0",
            [_row(one, known[one.project], said, machine) for one, said in zip(listed, made, strict=True)],
            returning=True,
        )
        while True:
            for ident, n, is_there in cursor.fetchall():
                if is_there and ident not in before:
                    raise Busy(RACED)
                numbers[ident] = n
            if not cursor.nextset():
                break
    unindexed(db, [row[1:5] for ident, row in before.items() if ident in numbers])
    indexed = [(one, said) for one, said in zip(listed, made, strict=True) if one.id in numbers]
    _index(db, [(numbers[one.id], known[one.project], said) for one, said in indexed])
    _many(
        db,
        f"INSERT INTO holdfast.held (team, id, machine, place) VALUES ({HERE}, %s, %s, %s) "
        "ON CONFLICT (team, id, machine) DO UPDATE SET place = excluded.place",
        [(one, machine, place) for one in ids],
    )
    _cite(db, [one for one, _ in indexed])
    spoken = {one.id: tuple(getattr(one, name) for name in SPOKEN) for one, _ in indexed}
    _speak(db, [ident for ident, said in spoken.items() if ident not in before or said != before[ident][5:]])


def _row(one: Thought, code: int, said: Tokens, machine: str) -> tuple[Any, ...]:
    given = [SEPARATOR.join(getattr(one, name)) if name in LISTS else getattr(one, name) for name in COLUMNS]
    facts = one.facts
    return (
        *given,
        *(words.sameness(one.text), words.extra(one), facts.thread, facts.words, facts.speaker, facts.created),
        *(facts.is_turn, code, sorted(said.spots), said.length, machine),
    )


def _cite(db: Any, listed: Sequence[Thought]) -> None:
    db.execute("DELETE FROM holdfast.cited WHERE by = ANY(%s)", ([one.id for one in listed],))
    _many(
        db,
        f"INSERT INTO holdfast.cited VALUES ({HERE}, %s, %s) ON CONFLICT DO NOTHING",
        [(source, one.id) for one in listed for source in dict.fromkeys(one.sources)],
    )


def _speak(db: Any, ids: list[str]) -> None:
    """These say something new: they have no vectors, and sleep has not seen them."""
    if not ids:
        return
    db.execute("DELETE FROM holdfast.vector WHERE id = ANY(%s)", (ids,))
    db.execute(f"INSERT INTO holdfast.bare SELECT {HERE}, unnest(%s::text[]) ON CONFLICT DO NOTHING", (ids,))
    db.execute(
        f"INSERT INTO holdfast.fresh SELECT {HERE}, t.id, t.created FROM holdfast.thought t WHERE t.id = ANY(%s) "
        f"AND {SLEPT} ON CONFLICT DO NOTHING",
        (ids, *SLEPT_VALUES),
    )


def drop(db: Any, machine: str, ids: list[str]) -> None:
    """The machine lets go of these; a thought that nobody holds any more goes, with all that belongs to it."""
    db.execute("DELETE FROM holdfast.held WHERE machine = %s AND id = ANY(%s)", (machine, ids))
    gone = db.execute(
        "DELETE FROM holdfast.thought WHERE id = ANY(%s) "
        "AND id NOT IN (SELECT id FROM holdfast.held WHERE id = ANY(%s)) "
        "RETURNING id, n, code, terms, length",
        (ids, ids),
    ).fetchall()
    unindexed(db, [row[1:] for row in gone])
    left = [row[0] for row in gone]
    # A night's summary quotes its sources: one that lost some is shown no more, until its own machine takes it away.
    db.execute(
        f"INSERT INTO holdfast.gone SELECT DISTINCT {HERE}, c.by, %s, %s, %s FROM holdfast.cited c "
        "JOIN holdfast.thought t ON t.id = c.by WHERE c.source = ANY(%s) AND t.contributor = %s ON CONFLICT DO NOTHING",
        (WITHDRAWN, machine, LOST, left, SLEEP),
    )
    for table, name in (("vector", "id"), ("bare", "id"), ("fresh", "id"), ("cited", "by")):
        db.execute(f"DELETE FROM holdfast.{table} WHERE {name} = ANY(%s)", (left,))


def _index(db: Any, listed: Sequence[tuple[int, int, Tokens]]) -> None:
    rows = [
        (term, code, n, said.freqs[term], said.length, "{" + ",".join(map(str, spots)) + "}")
        for n, code, said in listed
        for term, spots in said.spots.items()
    ]
    if rows:
        db.execute(
            f"INSERT INTO holdfast.posting SELECT {HERE}, term, code, n, freq, length, spots::int[] FROM "
            "unnest(%s::bigint[], %s::int[], %s::bigint[], %s::real[], %s::int[], %s::text[]) "
            "AS given (term, code, n, freq, length, spots)",
            [list(column) for column in zip(*rows, strict=True)],
        )
    _count(db, [(list(said.spots), said.length) for _, _, said in listed], 1)


def unindexed(db: Any, rows: Sequence[Sequence[Any]]) -> None:
    """The tokens of rows (number, project, tokens, length) go."""
    pairs = [(term, code, n) for n, code, terms, _ in rows for term in terms]
    if pairs:
        db.execute(
            "DELETE FROM holdfast.posting p USING unnest(%s::bigint[], %s::int[], %s::bigint[]) AS g (term, code, n) "
            "WHERE p.term = g.term AND p.code = g.code AND p.n = g.n",
            [list(column) for column in zip(*pairs, strict=True)],
        )
    _count(db, [(terms, length) for _, _, terms, length in rows], -1)


def _count(db: Any, texts: Sequence[tuple[Sequence[int], int]], sign: int) -> None:
    """Differences of counts, which nobody else waits for."""
    found: dict[int, int] = {}
    for terms, length in texts:
        for term, count in ((tokens.SIZES, 1), (tokens.LENGTHS, length), *((one, 1) for one in terms)):
            found[term] = found.get(term, 0) + sign * count
    if found:
        db.execute(
            f"INSERT INTO holdfast.tally_news SELECT {HERE}, term, docs FROM unnest(%s::bigint[], %s::bigint[]) "
            "AS given (term, docs)",
            (list(found), list(found.values())),
        )


def fold_counts(db: Any) -> None:
    """Add the differences up. By one at a time; whoever comes meanwhile leaves it to that one."""
    if not db.execute("SELECT pg_try_advisory_xact_lock(7460, holdfast.here())").fetchone()[0]:
        return
    db.execute(
        "WITH news AS (DELETE FROM holdfast.tally_news RETURNING term, docs) "
        f"INSERT INTO holdfast.tally SELECT {HERE}, term, sum(docs) FROM news GROUP BY term "
        "ON CONFLICT (team, term) DO UPDATE SET docs = tally.docs + excluded.docs"
    )


def _many(db: Any, query: str, rows: Sequence[Sequence[Any]]) -> None:
    if rows:
        with db.cursor() as cursor:
            cursor.executemany(query, rows)
