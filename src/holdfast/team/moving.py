"""A whole field moves into a team's store, for `serve --store`, and back into the embedded one.

Forth: everything of this vault, all projects, under the ids it has here, in small transactions; killed midway it goes
on where it was. Back: thoughts and use that came in through a server join this vault's own logs, and the index is made
anew from them. Both end with a comparison of every thought and every weight. The store that was left stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, log, platform, purging, vault_id
from holdfast.capture.ids import digest
from holdfast.errors import Busy, UsageError
from holdfast.field import intake, traffic
from holdfast.field.thought import WITHDRAWN, withdrawal
from holdfast.model import replace
from holdfast.team import shipping
from holdfast.team.acknowledged import Acknowledged
from holdfast.team.names import Names
from holdfast.team.outgoing import Outgoing
from holdfast.team.settings import Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.store import PostgresStore
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought
    from holdfast.field.traffic import Event

EVER = 1e18  # seconds: before and after everything
AT_ONCE = 500
EVENTS = "SELECT time, kind, agent, session, project, query, ids, new FROM holdfast.event ORDER BY at, machine, number"


class Different(Busy):
    """The two stores do not hold the same after the move; both are as they are, and nothing was switched."""


@dataclass(frozen=True)
class Moved:
    """How many thoughts were compared, the digest that both stores gave, and how many records went over."""

    thoughts: int
    digest: str
    records: int
    left: int = 0  # notes of other machines, which have no place in this vault


class WholeField(Names):
    """Everything, under the names that it has here."""

    is_whole = True

    def is_of(self, _: str) -> bool:
        return True

    def out(self, ident: str) -> str:
        return ident

    def has(self, _: Thought) -> bool:
        return True

    def sent(self, one: Thought) -> Thought:
        return replace(one, superseded_by="")

    def event(self, one: Event, _: Sequence[str]) -> Event:  # type: ignore[override]
        return one


def _names(vault: str, team: str, person: str) -> WholeField:
    suffix = digest(vault_id.id_of(vault) or vault, 8)
    return WholeField(Share("", team), person, f"{platform.machine()}.{suffix}", suffix, ("",))


def forth(field: Field, server: Server, team: str, progress: Callable[[int], None] = lambda _: None) -> Moved:
    """Raises Away, Refused, Busy, Different."""
    from holdfast.field.postgres import schema
    from holdfast.field.postgres.store import PostgresStore

    named = _names(field.vault, team, "")
    store = PostgresStore(server, team, named.store)
    with shipping.turn(field.vault):
        schema.check(server)
        intake.synced(field)
        with Acknowledged(field.vault, named.share) as sent:
            shipping.agree(store, sent)
            out = Outgoing(field.vault, named, sent, field.store, store, progress)
            intake.take_in(replace(field, store=out))
            out.finish()
        shipping.embed(field, store)
    is_alone = not store.ask("SELECT 1 FROM holdfast.machine WHERE machine <> %s LIMIT 1", (named.store,))
    ids = _ids(field.store)
    return replace(_compared(field.store, store, ids, weights=is_alone), records=out.count)


def back(field: Field, server: Server, team: str, progress: Callable[[int], None] = lambda _: None) -> Moved:
    """Raises Away, Refused, Busy, Different, and UsageError where this machine shares projects one by one."""
    from holdfast.field.postgres import rows
    from holdfast.field.postgres.store import PostgresStore

    named = _names(field.vault, team, "")
    store = PostgresStore(server, team, named.store)
    with shipping.turn(field.vault):
        intake.synced(field)
        known = set(_ids(field.store))
        foreign = [rows.thought(row) for row in store.ask(f"SELECT {rows.NAMED} FROM holdfast.thought t ORDER BY t.id")]
        new = [one for one in foreign if one.id not in known and not one.path]
        for at in range(0, len(new), AT_ONCE):
            some = new[at : at + AT_ONCE]
            gone = [withdrawal(one.id, field.clock()) for one in some if one.superseded_by == WITHDRAWN]
            traffic.append(field.vault, [*(replace(one, superseded_by="") for one in some), *gone], field.clock())
            progress(len(some))
        events = _events(store)
        if len(events) > len(traffic.travels(field.vault, 0).found):
            payloads = [codec.encode(one.as_record()) for one in events]
            path = traffic.traffic_path(field.vault)
            platform.make_folders(path.rpartition("/")[0])
            platform.write_atomic(path, b"".join(log.frame(one) for one in payloads), durable=True)
            purging.count(home.state(field.vault))  # whoever knew how far the log was read begins anew
    intake.rebuild(field, progress)
    ids = [one.id for one in foreign if one.id in known or not one.path]
    done = _compared(store, field.store, ids, weights=True)
    return replace(done, records=len(new), left=len(foreign) - len(ids))


def refuse_shared(shares: Sequence[Share]) -> None:
    """Raises UsageError: use that came from others would be sent to a team as this machine's."""
    if shares:
        raise UsageError(
            f"This machine shares {shares[0].project} with {shares[0].team}; nothing was changed. `holdfast unshare` "
            "it first, then move the field back."
        )


def _events(store: PostgresStore) -> list[Event]:
    """All use in the order in which it counts; the first event of a thought says what it began with."""
    found = [
        traffic.Event(
            when, kind, tuple(ids), agent, session, project, query, {one: (a, b) for one, (a, b) in (new or {}).items()}
        )
        for when, kind, agent, session, project, query, ids, new in store.ask(EVENTS)
    ]
    began: dict[str, tuple[float, float]] = {}
    for one in found:
        for ident, first in one.new.items():
            began.setdefault(ident, first)
    made, seen = [], set[str]()
    for one in found:
        new = {ident: began[ident] for ident in one.ids if ident in began and ident not in seen}
        seen.update(one.ids)
        made.append(replace(one, new=new))
    return made


def _ids(store: Store) -> list[str]:
    return store.idle(-EVER, EVER)


def _compared(one: Store, other: Store, ids: Sequence[str], *, weights: bool) -> Moved:
    """Raises Different where a thought or a weight of one is not that of the other."""
    first, second = (_digest(store, ids, weights=weights) for store in (one, other))
    if first != second:
        counts = [sum(len(store.thoughts(some)) for some in _parts(ids)) for store in (one, other)]
        raise Different(
            f"After the move the two stores differ: {counts[0]:,} thoughts in the old, {counts[1]:,} of them in the "
            "new, or other texts or weights; both are kept as they are. Run the same command again: it goes on from "
            "there."
        )
    return Moved(len(ids), first, 0)


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE)]


def _digest(store: Store, ids: Sequence[str], *, weights: bool) -> str:
    made = sha256()
    for some in _parts(sorted(ids)):
        found, use = store.thoughts(some), store.traffic(some) if weights else {}
        for ident in some:
            said: list[Any] = [found[ident].as_record()] if ident in found else []
            if ident in use:
                known = use[ident]
                said += [known.access_count, known.last_accessed, known.weight, sorted(known.agents)]
            made.update(codec.encode(said))
    return made.hexdigest()[:32]
