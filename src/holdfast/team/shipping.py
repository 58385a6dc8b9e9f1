"""Shipping: what is new in a shared project goes to the team's store; what is no longer shared is withdrawn.

Promise: capture never waits for it. Everything is written to the vault first, and a shipment reads it from there, in
order, one process at a time for each vault. It may be killed at any moment, and a server may be away for a week: the
next one goes on where the store stands. A purge here sends the whole use of the project anew without the purged, and a
withdrawal that could not be made is kept on disk until it is.
"""

from __future__ import annotations

import posix
import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import codec, home, locks, platform, purging
from holdfast.capture.ids import digest
from holdfast.field import embedding, intake
from holdfast.field.embedders import Absent, NoVectors
from holdfast.field.handle import Field
from holdfast.model import replace
from holdfast.team import names
from holdfast.team.acknowledged import SENT, Acknowledged, folder
from holdfast.team.outgoing import Outgoing
from holdfast.team.settings import Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from holdfast.field.postgres.connection import Server
    from holdfast.field.postgres.store import PostgresStore
    from holdfast.field.thought import Thought
    from holdfast.team.settings import Settings

HANDOVER = 2.0  # seconds that one waits for another that is about to end
LARGEST = 1 << 14


@dataclass(frozen=True)
class Unsent:
    """What the team does not have yet of one project: how many records, and the time of the oldest, 0.0 for none."""

    share: Share
    count: int = 0
    oldest: float = 0.0
    purged: bool = False  # a purge that has not reached the store


@contextmanager
def turn(vault: str, patience: float = HANDOVER) -> Iterator[None]:
    """One shipper at a time for a vault. Raises Busy."""
    platform.make_folders(folder(vault))
    sentence = "Another process is sending to the team; nothing is lost. Run the same command again."
    held = locks.taken(f"{folder(vault)}/lock", patience, sentence)
    try:
        yield
    finally:
        posix.close(held)


def ship(
    field: Field,
    server: Server,
    settings: Settings,
    share: Share,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Send what is new of one project; how many records. Within `turn`. Raises Away, Refused, Busy."""
    named = names.of(field.vault, share, settings.person)
    store = _store(server, share, named)
    intake.synced(field)
    with Acknowledged(field.vault, share) as sent:
        agree(store, sent)
        purges = str(purging.counted(home.state(field.vault)))
        is_purged = bool(sent.note("mark")) and sent.note("purges") != purges
        if not is_purged:
            sent.keep(purges=purges)
        out = Outgoing(field.vault, named, sent, field.store, store, progress)
        if is_purged:
            out.forget_traffic()
        intake.take_in(replace(field, store=out), thorough=is_purged)
        out.finish()
        embed(field, store)
        sent.keep(purges=purges, last=repr(field.clock()))
        return out.count


def _store(server: Server, share: Share, named: names.Names) -> PostgresStore:
    from holdfast.field.postgres.store import PostgresStore

    return PostgresStore(server, share.team, named.store)


def agree(store: PostgresStore, sent: Acknowledged) -> None:
    """The store's own record counts, wherever the one here says something else."""
    mark, travelled = store.places(SENT).get(SENT, ""), store.travelled()
    if mark != sent.note("mark") or travelled != sent.travelled:
        known = {place: stamp for place, stamp in store.places().items() if not place.startswith("@")}
        sent.begin_anew(known, travelled, mark)


def unsent(field: Field, settings: Settings, share: Share) -> Unsent:
    """Nobody is asked for it but this machine. The field has to be up to date."""
    with Acknowledged(field.vault, share) as sent:
        purges = str(purging.counted(home.state(field.vault)))
        named = names.of(field.vault, share, settings.person)
        out = Outgoing(field.vault, named, sent, field.store)
        intake.take_in(replace(field, store=out))
        is_purged = bool(sent.note("mark")) and sent.note("purges") != purges
        return Unsent(share, out.count, out.oldest, is_purged)


class _Own:
    """A team's store with nothing to embed but what this machine sent."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def unembedded(self, _: str, most: int) -> list[Thought]:
        from holdfast.field.postgres import rows

        query = (
            f"SELECT {rows.NAMED} FROM holdfast.bare b JOIN holdfast.thought t ON t.id = b.id "
            "WHERE t.machine = %s LIMIT %s"
        )
        return [rows.thought(row) for row in self._store.ask(query, (self._store.machine, most))]


def embed(field: Field, store: PostgresStore) -> None:
    """Vectors for what this machine sent, where its embedder is the one that serves the team, or the first. Without
    them others find it by its words."""
    chosen = field.embedder
    if chosen is None or isinstance(chosen, Absent) or store.serving() not in ("", chosen.name):
        return
    with suppress(NoVectors):
        embedding.give(replace(field, store=_Own(store)), chosen)


def withdraw(
    vault: str, server: Server, person: str, share: Share, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Take back everything that this machine sent of a project, place by place; how many places. Within `turn`."""
    named = names.of(vault, share, person)
    store = _store(server, share, named)
    gone = 0
    for place in sorted(store.places()):
        if not place.startswith("@"):
            store.forget(place)
            gone += 1
            progress(1)
    with store.writing():
        store.clear()
    forget_record(vault, share)
    return gone


def begin_anew(vault: str, server: Server, person: str, share: Share) -> None:
    """This machine's part of the team's store goes, to be sent again."""
    store = _store(server, share, names.of(vault, share, person))
    with store.writing():
        store.clear()
    forget_record(vault, share)


def forget_record(vault: str, share: Share) -> None:
    Acknowledged(vault, share).remove()


# Withdrawals that wait for the server


def _path(vault: str, share: Share) -> str:
    return f"{folder(vault)}/withdraw/{digest(f'{share.team} {share.project}', 24)}"


def note_withdrawal(vault: str, share: Share) -> None:
    """Keep on disk that a project is to be withdrawn. Raises OSError."""
    platform.make_folders(f"{folder(vault)}/withdraw")
    codec.write(_path(vault, share), {"v": 1, "project": share.project, "team": share.team}, durable=True)


def drop_withdrawal(vault: str, share: Share) -> None:
    platform.remove(_path(vault, share))


def withdrawals(vault: str) -> list[Share]:
    """Those that the server has not heard of yet."""
    found = []
    for name in sorted(platform.names(f"{folder(vault)}/withdraw")):
        record = codec.read(f"{folder(vault)}/withdraw/{name}", LARGEST)
        with suppress(KeyError):
            found.append(Share(str(record["project"]), str(record["team"])))
    return found


@dataclass(frozen=True)
class Shipment:
    """What one shipment sent and took back, by share."""

    sent: dict[Share, int]
    withdrawn: dict[Share, int]


def everything(
    field: Field,
    server: Server,
    settings: Settings,
    shares: Sequence[Share] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Shipment:
    """Withdraw what is to be withdrawn, then send what is new. Raises Away, Refused, Busy."""
    from holdfast.field.postgres import schema

    with turn(field.vault):
        schema.check(server)
        taken = {}
        for share in withdrawals(field.vault):
            taken[share] = withdraw(field.vault, server, settings.person, share, progress)
            drop_withdrawal(field.vault, share)
        wanted = settings.shares if shares is None else shares
        return Shipment({share: _shipped(field, server, settings, share, progress) for share in wanted}, taken)


def _shipped(field: Field, server: Server, settings: Settings, share: Share, progress: Callable[[int], None]) -> int:
    """The record here is derived: one that turns out broken in use is begun anew from what the store says."""
    try:
        return ship(field, server, settings, share, progress)
    except sqlite3.DatabaseError:
        forget_record(field.vault, share)
        return ship(field, server, settings, share, progress)


def is_at_work(vault: str) -> bool:
    return locks.is_held(f"{folder(vault)}/lock")
