"""The store is derived: whatever becomes of its file, the same field comes back from notes, thoughts and traffic."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from field_support import DAY, HOUR, SHOP, Directions, Room, garble, texts
from task_support import Desk

from holdfast.capture import platform
from holdfast.errors import NewerFormat
from holdfast.field import handle, intake, retrieval, traffic, words
from holdfast.field.sqlite import schema, search
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Damaged, Scope

HARMED = ("thought", "sqlite_autoindex_thought_1")
QUERIES = ("orders lock rows", "prices cached", "build node 22", "payment of order 73")


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def lived_in(room: Room) -> Room:
    """A field with all that there is: notes, a task, thoughts and those made of them, readings, uses, repetitions."""
    desk = Desk(room.vault)
    desk.start()
    desk.say("--decision", "Orders lock their rows because two workers write")
    desk.say("--discovery", "Order 73 has no payment")
    old = room.note("prices", "Prices are cached for a day")
    room.note("fresh-prices", "Prices are cached for an hour", supersedes=[old])
    intake.sync(room.field)
    first = room.think("The build needs Node 22", session="s1").thought
    room.now += HOUR
    room.think("Orders retry in the queue", agent="bob", session="s1", tags=("queue",))
    for nth in range(30):
        room.now += 7 * HOUR
        room.read(QUERIES[nth % 3], ("ada", "bob", "cid")[nth % 3], project=None)
    room.think("the build needs node 22", agent="cid")
    room.think("Builds need Node 22 or newer on CI", kind="refinement", sources=(first.id,))
    room.now += 2 * DAY
    intake.sync(room.field)
    return room


def everything(room: Room) -> dict[str, Any]:
    """All that a store says, as far as it can be asked."""
    store = room.field.store
    assert isinstance(store, SqliteStore)
    ids = sorted(row[0] for row in store.db.execute("SELECT id FROM thought"))
    vector = Directions().embed(["orders lock rows"])[0]
    return {
        "thoughts": store.thoughts(ids),
        "traffic": store.traffic(ids),
        "weights": {one: known.weight_at(room.now) for one, known in store.traffic(ids).items()},
        "asked": store.asked(0, 1000),
        "places": sorted(store.places()),
        "logs": {**store.places("thoughts/"), **store.places("task:")},
        "travelled": store.travelled(),
        "busiest": store.busiest(3, 2, Scope(), 20),
        "nearest": store.nearest(vector, Scope(), 20),
        "facts": store.facts(ids),
        "around": store.neighbours(ids, 2),
        "answers": [room.ask(query, None) for query in QUERIES],
        "scoped": [room.ask(query) for query in QUERIES],
    }


@pytest.mark.slow
def test_a_deleted_store_comes_back_as_it_was(room: Room) -> None:
    before = everything(lived_in(room))
    assert len(before["thoughts"]) == 7
    assert before["traffic"]
    room.close()
    for path in Path(room.vault, ".state").glob("field.db*"):
        path.unlink()
    room.reopen()
    assert room.field.store.count() == 0
    intake.sync(room.field)
    assert everything(room) == before


@pytest.mark.slow
def test_a_rebuild_makes_the_same(room: Room) -> None:
    before = everything(lived_in(room))
    steps: list[int] = []
    done = intake.rebuild(room.field, steps.append)
    assert (done.thoughts, done.embedded, done.broken) == (7, 7, 0)
    assert sum(steps) > 7
    assert everything(room) == before
    intake.rebuild(room.field)
    assert everything(room) == before


@pytest.mark.slow
def test_a_rebuild_that_fails_midway_leaves_the_field_as_it_was(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(lived_in(room))

    def stumble(*_: object, **__: object) -> None:
        raise OSError(5, "the disk is tired")

    monkeypatch.setattr(traffic, "travels", stumble)
    with pytest.raises(OSError, match="tired"):
        intake.rebuild(room.field)
    monkeypatch.undo()
    assert everything(room) == before


@pytest.mark.slow
def test_who_searches_while_it_is_rebuilt_sees_the_field_as_it_was(room: Room) -> None:
    lived_in(room)
    reader = Room(room.vault)
    reader.now = room.now
    before = texts(reader.ask("orders lock rows", None))
    with room.field.store.writing():
        room.field.store.clear()
        intake.take_in(room.field)
        assert texts(reader.ask("orders lock rows", None)) == before
    reader.close()


def test_what_a_thought_weighs_follows_from_the_traffic_log_alone(room: Room) -> None:
    """Somebody changes the day of a note that was read: what it weighs is what the log says, before and after."""
    path = room.note("prices", "Prices are cached")
    room.note("orders", "Orders use locking")
    intake.sync(room.field)
    ident = room.read("prices cached", most=1).results[0].thought.id
    before = room.weight(ident)
    file = Path(room.vault, path)
    file.write_text(file.read_text().replace("created: 2026-09-01", "created: 2026-01-01"))
    intake.sync(room.field, thorough=True)
    assert room.weight(ident) == before
    intake.rebuild(room.field)
    assert room.weight(ident) == before


def test_a_traffic_log_that_was_taken_away_is_not_remembered(room: Room) -> None:
    made = room.think("Orders use locking").thought
    room.read("orders")
    os.unlink(traffic.traffic_path(room.vault))
    intake.sync(room.field)
    assert room.field.store.traffic([made.id]) == {}
    room.read("orders")
    before = room.field.store.traffic([made.id])
    assert before[made.id].access_count == 1
    intake.rebuild(room.field)
    assert room.field.store.traffic([made.id]) == before


def test_a_damaged_record_in_the_traffic_log_costs_what_it_said_and_no_more(room: Room) -> None:
    made = room.think("Orders use locking").thought
    room.read("orders one")
    room.read("orders two")
    log = Path(traffic.traffic_path(room.vault))
    raw = log.read_bytes()
    at = raw.index(b"orders one")
    log.write_bytes(raw[:at] + b"ORDERS ONE" + raw[at + 10 :])
    intake.rebuild(room.field)
    assert room.field.store.traffic([made.id])[made.id].access_count == 1


def test_a_store_of_an_older_step_is_brought_up_with_what_it_has(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "STEPS", schema.STEPS[:1])
    os.makedirs(f"{vault}/.state")
    path = handle.path_of(vault)
    older = schema.opened(path)
    older.execute(
        "INSERT INTO thought (id, text, title, context, extra, scope) VALUES ('a', 'orders', '', '', '', 'p')"
    )
    older.close()
    monkeypatch.undo()
    store = SqliteStore(path)
    assert [hit.id for hit in store.lexical(["orders"], Scope(), 5)] == ["a"]
    assert store.db.execute("SELECT id FROM bare").fetchall() == [("a",)], "it waits for a vector"
    assert store.db.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS),)
    store.close()


def test_a_store_of_a_newer_step_is_refused_in_a_sentence_and_left_alone(room: Room) -> None:
    room.think("Orders use locking")
    room.close()
    path = handle.path_of(room.vault)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(NewerFormat, match=r"newer holdfast .*nothing was changed\. Upgrade"):
        SqliteStore(path)
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM thought").fetchone() == (1,)
    db.execute(f"PRAGMA user_version = {len(schema.STEPS)}")
    db.close()
    room.reopen()


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 100)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_somebody_else(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (a)")
    db.close()


@pytest.mark.slow
@pytest.mark.parametrize("harm", [garbage, cut_short, emptied, of_somebody_else])
def test_a_broken_file_is_made_anew(room: Room, harm: Any) -> None:
    before = everything(lived_in(room))
    room.close()
    harm(Path(handle.path_of(room.vault)))
    room.reopen()
    intake.synced(room.field)
    assert everything(room) == before


def harm_in_the_middle(room: Room) -> None:
    """So that it can be opened, and turns out broken in use."""
    room.close()
    garble(room.vault, f"name IN {HARMED}")
    room.reopen()


@pytest.mark.slow
def test_a_file_that_turns_out_broken_in_use_is_said_and_healed_by_a_rebuild(room: Room) -> None:
    before = everything(lived_in(room))
    harm_in_the_middle(room)
    with pytest.raises(Damaged, match="`holdfast rebuild` makes it"):
        room.ask("orders")
    assert intake.rebuild(room.field).thoughts == len(before["thoughts"])
    assert everything(room) == before


@pytest.mark.slow
def test_a_file_that_turns_out_broken_at_a_sync_is_healed_by_it(room: Room) -> None:
    before = everything(lived_in(room))
    harm_in_the_middle(room)
    room.note("new", "Zebras graze")
    assert intake.synced(room.field).taken
    os.unlink(f"{room.vault}/knowledge/new.md")
    intake.sync(room.field)
    assert everything(room) == before


def test_a_store_made_of_other_words_is_made_anew(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.think("Orders use locking")
    room.close()
    monkeypatch.setattr(words, "VERSION", words.VERSION + 1)
    room.reopen()
    assert room.field.store.count() == 0
    intake.sync(room.field)
    assert room.field.store.count() == 1


@pytest.mark.slow
def test_a_file_taken_away_under_an_open_store_is_made_and_filled_again(room: Room) -> None:
    before = everything(lived_in(room))
    for path in Path(room.vault, ".state").glob("field.db*"):
        path.unlink()
    intake.sync(room.field)
    assert everything(room) == before
    assert Path(handle.path_of(room.vault)).stat().st_mode & 0o777 == 0o600


def sidecars(room: Room) -> list[Path]:
    return sorted(Path(room.vault, ".state").glob("field.db.vectors-*"))


def vectors_gone(path: Path) -> None:
    path.unlink()


def vectors_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-57])


def vectors_of_another(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[:10] + b"!" + raw[11:])


@pytest.mark.slow
@pytest.mark.parametrize("harm", [vectors_gone, vectors_cut, garbage, emptied, vectors_of_another])
def test_whatever_becomes_of_the_file_of_vectors_the_nearest_are_the_same(room: Room, harm: Any) -> None:
    lived_in(room)
    vector = Directions().embed(["orders lock rows"])[0]
    before = room.field.store.nearest(vector, Scope(), 20)
    (path,) = sidecars(room)
    room.close()
    harm(path)
    room.reopen()
    assert room.field.store.nearest(vector, Scope(), 20) == before
    room.think("Zebras graze")
    assert len(room.field.store.nearest(vector, Scope(), 20)) == len(before) + 1
    again = room.field.store.nearest(vector, Scope(), 20)
    room.reopen()
    assert room.field.store.nearest(vector, Scope(), 20) == again


def test_vectors_that_their_file_has_not_yet_are_found_too(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.think("Orders use locking")
    monkeypatch.setattr(search.Search, "extend", lambda _: None)  # as after a kill between the two
    room.think("Prices are cached")
    vector = Directions().embed(["Prices are cached"])[0]
    assert len(room.field.store.nearest(vector, Scope(SHOP), 5)) == 2
    monkeypatch.undo()
    room.think("Zebras graze")
    assert len(room.field.store.nearest(vector, Scope(SHOP), 5)) == 3


def test_vectors_written_before_this_boot_are_not_believed(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The power may have taken rows that the database kept."""
    room.think("Orders use locking")
    (path,) = sidecars(room)
    raw = path.read_bytes()
    path.write_bytes(raw[:64] + b"\0" * (len(raw) - 64))
    vector = Directions().embed(["Orders use locking"])[0]
    monkeypatch.setattr(platform, "boot_id", lambda: "another boot")
    room.reopen()
    assert len(room.field.store.nearest(vector, Scope(), 5)) == 1


@pytest.mark.slow
def test_a_store_that_is_only_looked_at_while_it_is_rebuilt_follows(room: Room) -> None:
    lived_in(room)
    reader = Room(room.vault)
    vector = Directions().embed(["orders lock rows"])[0]
    before = reader.field.store.nearest(vector, Scope(), 20)
    intake.rebuild(room.field)
    assert reader.field.store.nearest(vector, Scope(), 20) == before
    room.think("Zebras graze")
    assert len(reader.field.store.nearest(vector, Scope(), 20)) == len(before) + 1
    reader.close()


@pytest.mark.slow
def test_where_nothing_may_be_written_what_is_there_is_found(room: Room) -> None:
    """As in a sandbox: run as somebody who has no right to the vault but to look."""
    lived_in(room)
    before = texts(room.ask("orders lock rows", None))
    room.close()
    for top, _, names in os.walk(room.vault):
        for name in names:
            os.chmod(f"{top}/{name}", 0o444)
        os.chmod(top, 0o555)
    os.chmod(Path(room.vault).parent, 0o755)
    child = os.fork()
    if not child:
        status = 1
        try:
            if not os.getuid():
                os.setuid(65534)
            looking = Room.__new__(Room)
            looking.vault, looking.now, looking.embedder = room.vault, room.now, Directions()
            looking.field = handle.opened(room.vault, looking.embedder, lambda: room.now)
            answer = looking.ask("orders lock rows", None)
            found = texts(answer) == before
            noted = retrieval.reinforce(looking.field, answer, "ada")
            status = 0 if found and not noted and intake.synced(looking.field).taken == 0 else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    for top, _, names in os.walk(room.vault):
        os.chmod(top, 0o755)
        for name in names:
            os.chmod(f"{top}/{name}", 0o644)
    room.reopen()
