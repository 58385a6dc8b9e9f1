"""Attempts of a team's member to read or write another team's rows with their own address, as lists of statements.

The member knows everything but the other team's texts: its number, the ids of its rows, the names of tables, roles and
functions. Each attempt is something done to the session first, then a statement, for every table.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

from holdfast.field.postgres.schema import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator

TEAM, PERSON, VICTIM = "{team}", "hf_ada", "shop"  # {team} is the other team's number
HIDDEN = ("member", "team", "token")
VIEWS = ("standing", "archived")
BEFORE = {
    "as one is": [],
    "the team is named": [f"SELECT set_config('holdfast.team', '{VICTIM}', false)"],
    "the team is set": [f"SET holdfast.team = '{VICTIM}'"],
    "both teams are named": [f"SET holdfast.team = 'rivals,{VICTIM}'"],
    "a quote in the team": [f"SELECT set_config('holdfast.team', 'rivals'' OR name=''{VICTIM}', false)"],
    "another person": [f"SET ROLE {PERSON}", f"SET holdfast.team = '{VICTIM}'"],
    "everybody": ["SET ROLE holdfast_people", f"SET holdfast.team = '{VICTIM}'"],
    "the server": ["SET ROLE hf_server"],
    "the owner": ["SET ROLE postgres"],
    "another session": [f"SET SESSION AUTHORIZATION {PERSON}", f"SET holdfast.team = '{VICTIM}'"],
    "no row security": ["SET row_security = off"],
    "a replica's session": ["SET session_replication_role = replica"],
    "a grant to oneself": [f"GRANT {PERSON} TO hf_eve", f"SET ROLE {PERSON}", f"SET holdfast.team = '{VICTIM}'"],
    "a right of one's own": ["ALTER ROLE hf_eve BYPASSRLS"],
    "a member by hand": [f"INSERT INTO holdfast.member VALUES ({TEAM}, '{VICTIM}', 'hf_eve')",
                         f"SET holdfast.team = '{VICTIM}'"],
    "another search path": ["CREATE TEMP TABLE member (team int, name text, person text)",
                            f"INSERT INTO pg_temp.member VALUES ({TEAM}, '{VICTIM}', 'hf_eve')",
                            "SET search_path = pg_temp, holdfast, pg_catalog", f"SET holdfast.team = '{VICTIM}'"],
    "another here": [f"CREATE OR REPLACE FUNCTION holdfast.here() RETURNS int LANGUAGE sql AS 'SELECT {TEAM}'"],
    "a here before ours": [f"CREATE FUNCTION pg_temp.here() RETURNS int LANGUAGE sql AS 'SELECT {TEAM}'",
                           "SET search_path = pg_temp, holdfast"],
    "an operator that always holds": [
        "CREATE FUNCTION pg_temp.yes(text, name) RETURNS bool LANGUAGE sql AS 'SELECT true'",
        "CREATE OPERATOR pg_temp.= (leftarg = text, rightarg = name, function = pg_temp.yes)",
        "SET search_path = pg_temp, pg_catalog", f"SET holdfast.team = '{VICTIM}'"],
    "no policies": ["ALTER TABLE holdfast.{table} DISABLE ROW LEVEL SECURITY"],
    "not for owners": ["ALTER TABLE holdfast.{table} NO FORCE ROW LEVEL SECURITY"],
    "a policy of one's own": ["CREATE POLICY mine ON holdfast.{table} USING (true)"],
    "an owner": ["ALTER TABLE holdfast.{table} OWNER TO hf_eve"],
    "a definer": ["CREATE FUNCTION pg_temp.all() RETURNS SETOF text SECURITY DEFINER LANGUAGE sql AS "
                  "'SELECT t::text FROM holdfast.{table} t'", f"SET holdfast.team = '{VICTIM}'",
                  "SELECT pg_temp.all()"],
}  # fmt: skip
LEAK = (
    "CREATE OR REPLACE FUNCTION pg_temp.leak(text) RETURNS bool COST 0.0000001 LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$"
)
READS = {
    "select": ["SELECT t::text FROM holdfast.{table} t"],
    "the other's number": [f"SELECT t::text FROM holdfast.{{table}} t WHERE team = {TEAM}"],
    "a condition that is always so": ["SELECT t::text FROM holdfast.{table} t WHERE true OR team IS NULL"],
    "a cheap function that tells": [LEAK, "SELECT 1 FROM holdfast.{table} t WHERE pg_temp.leak(t::text)"],
    "a function before a limit": [LEAK, "SELECT 1 FROM holdfast.{table} t ORDER BY pg_temp.leak(t::text) LIMIT 1"],
    "an error that tells": ["SELECT 1 FROM holdfast.{table} t WHERE t::text::int = 1"],
    "an error in an order": ["SELECT 1 FROM holdfast.{table} t ORDER BY (t::text)::xml::text::int"],
    "a division that tells": ["SELECT 1 / (CASE WHEN t::text LIKE '%zanzi%' THEN 0 ELSE 1 END) "
                              "FROM holdfast.{table} t"],
    "copy": ["COPY holdfast.{table} TO STDOUT"],
    "copy of a question": ["COPY (SELECT t::text FROM holdfast.{table} t) TO STDOUT"],
    "a cursor": ["DECLARE c CURSOR WITH HOLD FOR SELECT t::text FROM holdfast.{table} t", "FETCH ALL FROM c"],
    "a cursor from before": ["SET holdfast.team = 'rivals'",
                             "DECLARE c CURSOR WITH HOLD FOR SELECT t::text FROM holdfast.{table} t",
                             f"SET holdfast.team = '{VICTIM}'", "FETCH ALL FROM c"],
    "prepared": ["PREPARE p AS SELECT t::text FROM holdfast.{table} t", f"SET holdfast.team = '{VICTIM}'",
                 "EXECUTE p", "DEALLOCATE p"],
    "explained": ["EXPLAIN (ANALYZE, VERBOSE, BUFFERS) SELECT t::text FROM holdfast.{table} t"],
    "a view": ["CREATE TEMP VIEW v AS SELECT t::text AS said FROM holdfast.{table} t", "SELECT * FROM v"],
    "a copy of one's own": ["CREATE TEMP TABLE mine AS SELECT * FROM holdfast.{table}", "SELECT m::text FROM mine m"],
    "xml": ["SELECT query_to_xml('SELECT * FROM holdfast.{table}', true, true, '')"],
    "json": ["SELECT json_agg(t) FROM holdfast.{table} t"],
    "statistics": ["SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE tablename = '{table}'"],
    "bare statistics": ["SELECT stavalues1::text FROM pg_statistic"],
    "others at work": ["SELECT query FROM pg_stat_activity"],
    "a place in the file": ["SELECT t::text FROM holdfast.{table} t WHERE ctid = '(0,1)'"],
    "a sample": ["SELECT t::text FROM holdfast.{table} t TABLESAMPLE SYSTEM (100)"],
    "for update": ["SELECT t::text FROM holdfast.{table} t FOR UPDATE"],
    "a join": ["SELECT a::text FROM holdfast.member m RIGHT JOIN holdfast.{table} a ON true"],
    "a lateral one": ["SELECT x::text FROM (SELECT 1) one, LATERAL (SELECT * FROM holdfast.{table}) x"],
    "a file": ["SELECT pg_read_file('PG_VERSION')", "COPY holdfast.{table} TO '/tmp/out-of-the-database'"],
    "a page": ["SELECT get_raw_page('holdfast.{table}', 0)::text"],
    "an update that returns": ["UPDATE holdfast.{table} t SET team = team RETURNING t::text"],
    "a delete that returns": [f"DELETE FROM holdfast.{{table}} t WHERE team = {TEAM} RETURNING t::text"],
}  # fmt: skip
WRITES = {
    "update": [f"UPDATE holdfast.{{table}} SET team = team WHERE team = {TEAM}"],
    "take": [f"UPDATE holdfast.{{table}} SET team = (SELECT holdfast.here()) WHERE team = {TEAM}"],
    "push": [f"UPDATE holdfast.{{table}} SET team = {TEAM}"],
    "delete": ["DELETE FROM holdfast.{table}"],
    "delete by number": [f"DELETE FROM holdfast.{{table}} WHERE team = {TEAM}"],
    "truncate": ["TRUNCATE holdfast.{table}"],
    "drop": ["DROP TABLE holdfast.{table} CASCADE"],
    "insert": [f"INSERT INTO holdfast.{{table}} (team) VALUES ({TEAM})"],
    "insert what is there": [f"INSERT INTO holdfast.thought (team, id, text) VALUES ({TEAM}, 's1', 'x')"],
    "insert or change": [f"INSERT INTO holdfast.thought (team, id, text) VALUES ({TEAM}, 's1', 'x') "
                         "ON CONFLICT (team, id) DO UPDATE SET text = 'x' RETURNING thought::text"],
    "insert and look for a clash": [f"INSERT INTO holdfast.{{table}} (team) VALUES ({TEAM}) ON CONFLICT DO NOTHING"],
    "merge": [f"MERGE INTO holdfast.{{table}} t USING (SELECT {TEAM} AS team) s ON t.team = s.team "
              "WHEN MATCHED THEN DELETE"],
    "copy in": ["COPY holdfast.{table} FROM STDIN"],
    "a trigger": ["CREATE TRIGGER t BEFORE INSERT ON holdfast.{table} "
                  "EXECUTE FUNCTION suppress_redundant_updates_trigger()"],
    "a rule": ["CREATE RULE r AS ON SELECT TO holdfast.{table} DO INSTEAD SELECT 1"],
    "another table below": ["CREATE TEMP TABLE below () INHERITS (holdfast.{table})"],
    "a foreign key that asks": ["CREATE TEMP TABLE k (team int, id text, FOREIGN KEY (team, id) "
                                "REFERENCES holdfast.thought (team, id))",
                                f"INSERT INTO k VALUES ({TEAM}, 's1')"],
    "the number of changes": ["SELECT setval('holdfast.change', 1)"],
    "one's own token": [f"INSERT INTO holdfast.token (digest, name, person, team) VALUES ('x', 'mine', '{PERSON}', "
                        f"'{VICTIM}')", "UPDATE holdfast.token SET revoked = NULL"],
    "a code block": [f"DO $$ BEGIN DELETE FROM holdfast.{{table}} WHERE team = {TEAM}; END $$"],
    "a function": [f"CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE sql AS "
                   f"$$ DELETE FROM holdfast.{{table}} WHERE team = {TEAM} $$", "SELECT pg_temp.f()"],
}  # fmt: skip


def attempts(team: int) -> list[tuple[str, list[str]]]:
    """Every attempt with its name; several thousand."""
    made = []
    ways = {**READS, **WRITES}
    tables = (*SHARED, *HIDDEN, *VIEWS)
    for (first, before), (then, after), table in product(BEFORE.items(), ways.items(), tables):
        said = [one.replace("{table}", table).replace(TEAM, str(team)) for one in (*before, *after)]
        made.append((f"{first}, {then}, {table}", said))
    return made


def mixed(team: int, seed: int, most: int) -> Iterator[tuple[str, list[str]]]:
    """Two preparations and two statements together, drawn at random."""
    draw, tables = random.Random(seed), (*SHARED, *HIDDEN, *VIEWS)
    for at in range(most):
        some = [*draw.sample(sorted(BEFORE), 2)]
        then = [draw.choice(sorted({**READS, **WRITES})) for _ in range(2)]
        said = [*BEFORE[some[0]], *BEFORE[some[1]], *{**READS, **WRITES}[then[0]], *{**READS, **WRITES}[then[1]]]
        table = draw.choice(tables)
        listed = [one.replace("{table}", table).replace(TEAM, str(team)) for one in said]
        yield f"mixed {seed}.{at}: {some}, {then}, {table}", listed
