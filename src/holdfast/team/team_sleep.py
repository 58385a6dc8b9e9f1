"""A team's sleep: any member's machine has the night, one at a time, and its effects are everybody's.

The night works in a folder of its own beside the vault, as on a vault: there are its plan, its pages and a copy of the
team's use. Thoughts and steps go from there into the team's store. The lock is the database's and goes with its holder,
and what was not dealt with is still marked as new there: so whoever comes next takes over the work of one that died.
Nobody's texts are archived or edited from here: only their owner knows what still refers to them.
"""

from __future__ import annotations

import math
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, log, platform, vault_id
from holdfast.capture.ids import digest
from holdfast.errors import Busy, NotFound
from holdfast.field import traffic
from holdfast.field.handle import Field
from holdfast.field.postgres import people
from holdfast.field.postgres.store import PostgresStore
from holdfast.model import replace
from holdfast.team import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.postgres.connection import Server
    from holdfast.field.traffic import Event
    from holdfast.sleep import density
    from holdfast.sleep.night import Slept

NIGHT = "night"  # what a machine is called in the store for what its nights made
COPIED = "copied"
LARGEST = 1 << 20
AT_ONCE = 5_000
TAKEN = "Another machine has this team's night; nothing was changed. Its page will be there when it is done."


class NightStore(PostgresStore):
    """A team's store for a night: use is everybody's, and comes from the store; none goes back."""

    def travel(self, events: Sequence[Event], end: int) -> None:
        del events
        with self.writing():
            self._db.execute("UPDATE holdfast.machine SET travelled = %s WHERE machine = %s", (end, self.machine))

    def forget_traffic(self) -> None:
        self.travel((), 0)


def folder(vault: str, team: str) -> str:
    return f"{home.state(vault)}/team/nights/{digest(team, 16)}"


@contextmanager
def turn(server: Server, team: str) -> Iterator[None]:
    """The team's one turn to sleep, for as long as this connection lives; one that ends well gives it back at once,
    since a server notices only later that a connection has gone. Raises Busy."""
    number = int(digest(f"sleep\0{team}", 15), 16)
    with server.owner() as db:
        if not db.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()[0]:
            raise Busy(TAKEN)
        yield
        db.execute("SELECT pg_advisory_unlock(%s)", (number,))


@contextmanager
def server(env: Mapping[str, str], vault: str) -> Iterator[Server]:
    """The database of this machine's settings. Raises NotFound, Refused."""
    from holdfast.field.postgres.connection import Server

    found = settings.joined(env, vault)
    made = Server(found.dsn)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def opened(field: Field, server: Server, team: str) -> Iterator[Field]:
    """The team's field as a night and a measurement of density see it, with a copy of all use. Raises Refused."""
    me = people.me(server)
    if team not in me.teams:
        raise NotFound(
            f'{me.person} is no member of a team "{team}"; nothing was changed. There are: '
            f"{', '.join(me.teams) or 'none'}."
        )
    place = folder(field.vault, team)
    home.make_vault(place)
    suffix = digest(vault_id.id_of(field.vault) or field.vault, 8)
    store = NightStore(server, team, f"{platform.machine()}.{suffix}/{NIGHT}-{me.person}")
    _copy_use(store, place)
    yield replace(field, vault=place, store=store, later=None)


def sleep(
    field: Field,
    server: Server,
    team: str,
    court: Court | None = None,
    *,
    dry_run: bool = False,
    rest: Callable[[], None] = lambda: None,
) -> Slept:
    """One night of a team. Raises Busy, Away, Refused, Disturbed."""
    from holdfast.sleep.night import Night, Settings

    with turn(server, team), opened(field, server, team) as theirs:
        if not dry_run:
            _drop_unborne(theirs)
        return Night(theirs, court, Settings(archive_days=math.inf), rest, is_dry=dry_run).sleep()


def measured(field: Field, server: Server, team: str, wish: density.Settings) -> density.Density:
    """How crowded a team's field is, and whether others' traces help there. It changes no mode: that is each vault's
    own. Raises Busy, Away, Refused, NotFound."""
    from holdfast.sleep import density, material

    with turn(server, team), opened(field, server, team) as theirs:
        return density.measure(theirs, wish, material.cells(theirs.vault, theirs.clock()), write=False)


def _copy_use(store: PostgresStore, place: str) -> None:
    """Events that the folder has not yet, each machine's in its order. Written with their marks in one go: a kill in
    between copies some twice, which a night counts as one reading more and nothing else."""
    path = f"{home.state(place)}/{COPIED}"
    marks: dict[str, int] = {str(one): int(at) for one, at in codec.read(path, LARGEST).get("machines", {}).items()}
    platform.make_folders(os.path.dirname(traffic.traffic_path(place)))
    while found := _events(store, marks):
        payloads = [codec.encode(event.as_record()) for _, _, event in found]
        log.append(traffic.traffic_path(place), payloads, durable=False)
        for machine, number, _ in found:
            marks[machine] = max(number, marks.get(machine, 0))
        codec.write(path, {"v": 1, "machines": marks}, durable=False)


def _events(store: PostgresStore, marks: Mapping[str, int]) -> list[tuple[str, int, Event]]:
    rows = store.ask(
        "SELECT e.machine, e.number, e.time, e.kind, e.ids, e.agent, e.project, e.query, e.new FROM holdfast.event e "
        "LEFT JOIN unnest(%s::text[], %s::bigint[]) AS m (machine, number) ON m.machine = e.machine "
        "WHERE e.number > coalesce(m.number, 0) ORDER BY e.at, e.machine, e.number LIMIT %s",
        (list(marks), list(marks.values()), AT_ONCE),
    )
    return [(machine, number, _event(*rest)) for machine, number, *rest in rows]


def _event(time: float, kind: str, ids: list[str], agent: str, project: str, query: str, new: Any) -> Event:
    began = {one: (float(pair[0]), float(pair[1])) for one, pair in (new or {}).items()}
    return traffic.Event(time, kind, tuple(ids), agent, "", project, query, began)


def _drop_unborne(field: Field) -> None:
    """What this machine's nights made of thoughts that are gone since: somebody withdrew them, so this goes too."""
    store = field.store
    assert isinstance(store, PostgresStore)
    rows = store.ask(
        "SELECT h.id FROM holdfast.held h JOIN holdfast.thought t ON t.id = h.id WHERE h.machine = %s AND EXISTS "
        "(SELECT 1 FROM holdfast.cited c WHERE c.by = h.id AND c.source NOT IN (SELECT id FROM holdfast.thought))",
        (store.machine,),
    )
    if unborne := sorted(str(row[0]) for row in rows):
        from holdfast.field import think

        think.withdraw(field, unborne)
