"""The tables in PostgreSQL, in numbered steps under a lock, and who may see which rows.

Every row belongs to a team. Its policies bind the tables' owner too: a connection that names no team, or one that its
role is no member of, sees no row and writes none. A row says which role wrote it, by default and by policy, so
nobody writes as somebody else. A schema of another number is named and left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.field import words
from holdfast.field.postgres.connection import Refused

if TYPE_CHECKING:
    from holdfast.field.postgres.connection import Server

PEOPLE = "holdfast_people"  # the role that every person is a member of: it may use the tables, within the policies
OLDEST = 160000  # of PostgreSQL: grants with SET and without INHERIT
LOCK = 0x486F6C64  # of whoever brings the schema up

FIRST = """
CREATE SCHEMA holdfast;
CREATE TABLE holdfast.meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE holdfast.team (code int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL);
CREATE TABLE holdfast.member (team int REFERENCES holdfast.team ON DELETE CASCADE, name text NOT NULL,
  person text NOT NULL, PRIMARY KEY (person, name));
CREATE TABLE holdfast.token (digest bytea PRIMARY KEY, name text UNIQUE NOT NULL, person text NOT NULL,
  team text NOT NULL, made timestamptz NOT NULL DEFAULT now(), used timestamptz, revoked timestamptz);
CREATE FUNCTION holdfast.here() RETURNS int LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT team FROM holdfast.member WHERE person = current_user
     AND name = nullif(current_setting('holdfast.team', true), '') $$;

CREATE TABLE holdfast.machine (team int, machine text, person text DEFAULT current_user, travelled bigint DEFAULT 0,
  number bigint DEFAULT 0, clock float8 DEFAULT 0, seen timestamptz DEFAULT now(), PRIMARY KEY (team, machine));
CREATE TABLE holdfast.setting (team int, name text, value text, PRIMARY KEY (team, name));
CREATE TABLE holdfast.place (team int, machine text, path text COLLATE "C", stamp text,
  PRIMARY KEY (team, machine, path));
CREATE TABLE holdfast.project (team int, code int GENERATED ALWAYS AS IDENTITY, name text, PRIMARY KEY (team, name));
CREATE TABLE holdfast.thought (team int, id text COLLATE "C", n bigint GENERATED ALWAYS AS IDENTITY, text text,
  context text, kind text, contributor text, agent text, session text, project text, space text, tags text,
  category text, sources text, origin text, created float8, path text, title text, start float8, same text, extra text,
  thread text, size int, speaker text, said float8, turn boolean, code int, terms bigint[], length int,
  machine text, person text DEFAULT current_user, PRIMARY KEY (team, id));
CREATE INDEX by_n ON holdfast.thought (team, n) INCLUDE (id);
CREATE INDEX by_same ON holdfast.thought (team, same);
CREATE INDEX by_thread ON holdfast.thought (team, thread, created, id) WHERE thread <> '';
CREATE INDEX by_time ON holdfast.thought (team, created);
CREATE INDEX by_code ON holdfast.thought (team, code);
CREATE TABLE holdfast.bare (team int, id text COLLATE "C", PRIMARY KEY (team, id));
CREATE TABLE holdfast.held (team int, id text COLLATE "C", machine text, place text, person text DEFAULT current_user,
  PRIMARY KEY (team, id, machine));
CREATE INDEX held_at ON holdfast.held (team, machine, place);
CREATE TABLE holdfast.gone (team int, old text COLLATE "C", new text COLLATE "C", machine text, place text,
  PRIMARY KEY (team, old, new, machine));
CREATE INDEX gone_at ON holdfast.gone (team, machine, place);
CREATE TABLE holdfast.cited (team int, source text COLLATE "C", by text COLLATE "C", PRIMARY KEY (team, source, by));
CREATE INDEX cited_by ON holdfast.cited (team, by);
CREATE TABLE holdfast.posting (team int, term bigint, code int, n bigint, freq real, length int, spots int[]);
CREATE UNIQUE INDEX posting_of ON holdfast.posting (team, term, code, n) INCLUDE (freq, length);
CREATE TABLE holdfast.tally (team int, term bigint, docs bigint, PRIMARY KEY (team, term));
CREATE TABLE holdfast.tally_news (team int, term bigint, docs bigint);
CREATE INDEX tally_news_of ON holdfast.tally_news (team, term) INCLUDE (docs);
CREATE TABLE holdfast.vector (team int, model text, code int, id text COLLATE "C", part smallint, scale real,
  meant halfvec, PRIMARY KEY (team, id, model, part));
CREATE INDEX vector_of ON holdfast.vector (team, model, code);
CREATE TABLE holdfast.traffic (team int, id text COLLATE "C", count int DEFAULT 0, agents int DEFAULT 0,
  last float8 DEFAULT 0, weight float8 DEFAULT 1, rest text DEFAULT '', at float8, machine text COLLATE "C",
  number bigint, PRIMARY KEY (team, id));
CREATE INDEX busy ON holdfast.traffic (team, count, agents) WHERE count >= 3;
CREATE INDEX by_access ON holdfast.traffic (team, last);
CREATE TABLE holdfast.event (team int, machine text COLLATE "C", number bigint, at float8, time float8, kind text,
  agent text, session text, project text, query text, ids text[], new jsonb, person text DEFAULT current_user,
  PRIMARY KEY (team, machine, number));
CREATE INDEX asked ON holdfast.event (team, at, machine, number) WHERE kind = 'got';
CREATE TABLE holdfast.touch (team int, id text COLLATE "C", at float8, machine text COLLATE "C", number bigint,
  PRIMARY KEY (team, id, at, machine, number));
CREATE TABLE holdfast.mark (team int, machine text, step text, kind text, id text COLLATE "C", other text COLLATE "C",
  count float8, place text, PRIMARY KEY (team, kind, id, other, step, machine));
CREATE INDEX mark_at ON holdfast.mark (team, machine, place);
CREATE INDEX mark_of ON holdfast.mark (team, kind) WHERE kind IN ('undone', 'archived');
CREATE VIEW holdfast.standing WITH (security_invoker) AS
  SELECT DISTINCT ON (kind, id, other, step) team, kind, id, other, step, count FROM holdfast.mark
  WHERE step NOT IN (SELECT id FROM holdfast.mark WHERE kind = 'undone') ORDER BY kind, id, other, step, machine;
CREATE VIEW holdfast.archived WITH (security_invoker) AS
  SELECT DISTINCT a.id FROM holdfast.standing a WHERE a.kind = 'archived' AND NOT EXISTS
  (SELECT 1 FROM holdfast.standing r WHERE r.kind = 'restored' AND r.id = a.id AND r.count >= a.count);
CREATE TABLE holdfast.fresh (team int, id text COLLATE "C", at float8, PRIMARY KEY (team, id));
CREATE INDEX fresh_at ON holdfast.fresh (team, at, id);
CREATE SEQUENCE holdfast.change;
"""
SHARED = (
    *("machine", "setting", "place", "project", "thought", "held", "gone", "cited", "posting", "tally", "tally_news"),
    *("bare", "vector", "traffic", "event", "touch", "mark", "fresh"),
)
SIGNED = ("machine", "thought", "held", "event")  # rows that say who wrote them
# Rows of a machine, which are its person's alone: else another could take the next number of its log, or move how far
# it was taken in, and what it sends then would be passed over as known.
OF_MACHINES = ("place", "held", "gone", "event", "touch", "mark")
MINE = "machine IN (SELECT m.machine FROM holdfast.machine m WHERE m.person = current_user)"
# A thought of somebody who no longer holds it may be written by whoever does, and taken away when nobody does.
FREE = """(thought.person = current_user OR NOT EXISTS (SELECT 1 FROM holdfast.held h
  WHERE h.team = thought.team AND h.id = thought.id AND h.person = thought.person))"""


def _policies() -> str:
    said = []
    for table in SHARED:
        name, ours = f"holdfast.{table}", "team = (SELECT holdfast.here())"
        own = f"{ours} AND {FREE if table == 'thought' else 'person = current_user' if table in SIGNED else 'true'}"
        signed = f"{ours} AND person = current_user" if table in SIGNED else ours
        if table in OF_MACHINES:
            own, signed = f"{own} AND {MINE}", f"{signed} AND {MINE}"
        said.append(
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY; ALTER TABLE {name} FORCE ROW LEVEL SECURITY;"
            f"CREATE POLICY reads ON {name} FOR SELECT USING ({ours});"
            f"CREATE POLICY adds ON {name} FOR INSERT WITH CHECK ({signed});"
            f"CREATE POLICY changes ON {name} FOR UPDATE USING ({own}) WITH CHECK ({signed});"
            f"CREATE POLICY drops ON {name} FOR DELETE USING ({own});"
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON {name} TO {PEOPLE};"
        )
    said.append(
        "ALTER TABLE holdfast.member ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY own ON holdfast.member FOR SELECT USING (person = current_user);"
        f"GRANT USAGE ON SCHEMA holdfast TO {PEOPLE};"
        f"GRANT SELECT ON holdfast.meta, holdfast.member, holdfast.standing, holdfast.archived TO {PEOPLE};"
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA holdfast TO {PEOPLE};"
    )
    return "\n".join(said)


STEPS = (FIRST + _policies(),)
ROLE = f"""DO $$ BEGIN CREATE ROLE {PEOPLE} NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"""


def prepare(server: Server) -> int:
    """Bring the schema up, one step in one transaction; its number. With the DSN of an owner. Raises Refused, Away."""
    import psycopg

    with server.owner() as db:
        _refuse_old(db.info.server_version)
        try:
            db.execute("CREATE EXTENSION IF NOT EXISTS vector")
            db.execute(ROLE)
        except psycopg.errors.InsufficientPrivilege as error:
            raise Refused(
                "This role may not prepare the database: it has to create the extension vector and roles; nothing was "
                "changed. Use the DSN of a superuser, or let one run CREATE EXTENSION vector and grant CREATEROLE."
            ) from error
        except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
            raise Refused(
                "The server has no pgvector; nothing was changed. Install it there (Debian: postgresql-16-pgvector)."
            ) from error
        for number in range(1, len(STEPS) + 1):
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                if _number(db) >= number:
                    continue
                db.execute(STEPS[number - 1].encode())
                said = {"schema": str(number), "words": str(words.VERSION)}
                for name, value in said.items():
                    db.execute(
                        "INSERT INTO holdfast.meta VALUES (%s, %s) ON CONFLICT (name) "
                        "DO UPDATE SET value = excluded.value",
                        (name, value),
                    )
        _refuse_other(db)
        return _number(db)


def check(server: Server) -> None:
    """Raises Refused where this holdfast cannot use the database as it is, with the reason; Away."""
    with server.owner() as db:
        _refuse_old(db.info.server_version)
        _refuse_other(db)


def _refuse_old(version: int) -> None:
    if version < OLDEST:
        raise Refused(
            f"The server is PostgreSQL {version // 10000}; nothing was changed. A team's field needs 16 or newer."
        )


def _refuse_other(db: Any) -> None:
    number = _number(db)
    if number == 0:
        raise Refused(
            "The database is not prepared; nothing was changed. Run `holdfast team prepare DSN` as its owner."
        )
    if number != len(STEPS):
        which = "a newer" if number > len(STEPS) else "an older"
        todo = "Upgrade holdfast here." if number > len(STEPS) else "Run `holdfast team prepare DSN` as its owner."
        raise Refused(
            f"The database was prepared by {which} holdfast (step {number}, this one knows {len(STEPS)}); nothing was "
            f"changed. {todo}"
        )
    made = db.execute("SELECT value FROM holdfast.meta WHERE name = 'words'").fetchone()[0]
    if made != str(words.VERSION):
        raise Refused(
            f"The database was filled by a holdfast that splits words in another way ({made}, here {words.VERSION}); "
            "nothing was changed. Bring all machines to one version, then `holdfast rebuild --store` on each."
        )


def _number(db: Any) -> int:
    there = db.execute("SELECT to_regclass('holdfast.meta') IS NOT NULL").fetchone()[0]
    if not there:
        return 0
    row = db.execute("SELECT value FROM holdfast.meta WHERE name = 'schema'").fetchone()
    return int(row[0]) if row else 0


def index_everything(server: Server, dimension: int) -> None:
    """An approximate index of vectors of a length, for questions over all projects of a large team. It takes minutes
    for a million, and others go on meanwhile. With the DSN of the owner."""
    from holdfast.field.postgres.search import near_index

    size = int(dimension)
    with server.owner() as db:
        db.execute(
            f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {near_index(size)} ON holdfast.vector USING hnsw "
            f"((meant::halfvec({size})) halfvec_cosine_ops) WHERE vector_dims(meant) = {size} AND scale > 0"
        )
