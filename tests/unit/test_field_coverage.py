"""What of the vault the index has: by what is said, without a change to anything, whatever the index is like."""

from __future__ import annotations

import os
import posix
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doctor_support import everything
from field_support import Room, believe_times, save
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from task_support import AGENT, Desk

from holdfast.field import coverage, handle, intake
from holdfast.field.coverage import Behind, Coverage
from holdfast.tasks import states, task_end

EVER = 1.0  # everything changed after this
HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for said in ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE meta SET value = value", "COMMIT"):
    db.execute(said)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def only(found: Coverage) -> Behind:
    (one,) = found.behind
    return one


def field_db(room: Room) -> Path:
    return Path(handle.path_of(room.vault))


def left_alone(room: Room, **more: Any) -> Coverage:
    """A look that is checked to have changed nothing. What connections share while one is open is their own: of the
    log the bytes count."""
    before = seen(room)
    found = coverage.look(room.vault, **more)
    assert seen(room) == before
    return found


def seen(room: Room) -> dict[str, object]:
    found: dict[str, object] = dict(everything(Path(room.vault)))
    found.pop(f"{field_db(room)}-shm", None)
    log = Path(f"{field_db(room)}-wal")
    return {**found, str(log): log.read_bytes()} if log.exists() else found


# --- notes and handoffs


def test_a_vault_that_was_taken_in_is_not_behind(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    room.note("retries", "Retries stop after five")
    intake.sync(room.field)
    found = left_alone(room)
    assert (found.state, found.places, found.behind, found.thoughts, found.oldest) == ("ready", 2, (), 2, 0.0)


def test_a_note_that_is_new_and_one_that_was_edited_are_behind_until_they_are_taken_in(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    fresh = room.note("retries", "Retries stop after five")
    known = room.note("locking", "Orders use pessimistic locking")
    found = left_alone(room)
    assert {one.place: one.is_known for one in found.behind} == {fresh: False, known: True}
    assert found.oldest == min(os.stat(f"{room.vault}/{path}").st_ctime for path in (fresh, known))
    intake.sync(room.field)
    assert left_alone(room).behind == ()


def test_a_file_that_was_only_touched_is_not_behind(room: Room) -> None:
    path = room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    os.utime(f"{room.vault}/{path}", (1.0, 1.0))
    assert coverage.look(room.vault).behind == ()


def test_a_note_that_is_gone_is_behind_while_the_index_still_finds_it(room: Room) -> None:
    path = room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    os.unlink(f"{room.vault}/{path}")
    found = coverage.look(room.vault)
    assert (only(found).place, only(found).is_gone, found.places) == (path, True, 0)
    intake.sync(room.field)
    assert coverage.look(room.vault).behind == ()


def test_what_is_no_note_is_not_waited_for(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    save(Path(room.vault) / "knowledge" / "README.md", "just words\n")
    before = coverage.look(room.vault).behind
    intake.sync(room.field)
    assert all(one.place != "knowledge/README.md" for one in before)
    assert coverage.look(room.vault).behind == ()


def test_the_flags_that_the_index_does_not_know_of_yet_are_named_and_those_it_knows_are_not(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking", sources=["f1"])
    intake.sync(room.field)
    room.note("locking", "Orders use optimistic locking, always", sources=["f1", "f2"])
    assert only(coverage.look(room.vault)).sources == {"f2"}
    room.note("locking", "Edited by a person", sources=["f1"])
    assert only(coverage.look(room.vault)).sources == frozenset()


def test_a_note_that_takes_the_place_of_another_is_behind_until_the_index_says_so(room: Room) -> None:
    old = room.note("old", "Retries stop after three")
    new = room.note("new", "Retries stop after five")
    intake.sync(room.field)
    text = (Path(room.vault) / new).read_text(encoding="utf-8")
    save(Path(room.vault) / new, text.replace("\n---\n", f"\nsupersedes: [{old}]\n---\n", 1))
    assert only(coverage.look(room.vault)).place == new
    intake.sync(room.field)
    assert coverage.look(room.vault).behind == ()


def test_what_the_index_has_looked_past_is_told_from_what_it_has_yet_to_see(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    believe_times(monkeypatch)
    path = room.note("locking", "Orders use optimistic locking")
    room.now = os.stat(f"{room.vault}/{path}").st_ctime + 3600
    intake.sync(room.field)
    with room.field.store.writing():
        room.field.store.take(path, "another stamp", [])
    assert only(coverage.look(room.vault)).was_passed
    room.now = os.stat(f"{room.vault}/{path}").st_ctime - 3600
    intake.sync(room.field, thorough=True)
    room.note("retries", "Retries stop after five")
    assert not only(coverage.look(room.vault)).was_passed


def test_beyond_the_files_that_may_be_read_the_rest_counts_as_behind(room: Room) -> None:
    paths = [room.note(f"n{nth}", f"Fact number {nth}") for nth in range(5)]
    intake.sync(room.field)
    for path in paths:
        os.utime(f"{room.vault}/{path}", (1.0, 1.0))
    assert len(coverage.look(room.vault, most=2).behind) == 3
    assert coverage.look(room.vault).behind == ()


# --- tasks and thoughts


def test_decisions_of_tasks_are_behind_until_they_are_taken_in_with_the_session_that_made_them(room: Room) -> None:
    desk = Desk(room.vault)
    desk.start()
    desk.say("--decision", "Use the ledger because it is synced")
    found = coverage.look(room.vault)
    assert only(found).place == "task:audit"
    assert only(found).sessions == {AGENT.episode}
    intake.sync(room.field)
    assert left_alone(room).behind == ()
    desk.say("--progress", "COMPLETED: file 1")
    assert coverage.look(room.vault).behind == (), "progress is no thought"
    desk.say("--discovery", "Order 73 has no payment")
    assert only(coverage.look(room.vault)).is_known
    intake.sync(room.field)
    task_end.finish(room.vault, "audit", states.ABANDONED, "over", AGENT, desk.clock, {})
    assert only(coverage.look(room.vault)).is_known, "what was decided there binds nobody now"
    intake.sync(room.field)
    assert coverage.look(room.vault).behind == ()


def test_thoughts_are_behind_by_what_their_logs_have_beyond_the_index(room: Room) -> None:
    room.think("Orders use optimistic locking")
    assert coverage.look(room.vault).behind == ()
    kept = field_db(room).read_bytes()
    room.close()
    before = field_db(room).read_bytes()
    assert len(before) >= len(kept) > 0
    room.reopen()
    room.think("Retries stop after five")
    room.close()
    field_db(room).write_bytes(before)
    assert only(coverage.look(room.vault)).place.startswith("thoughts/")
    room.reopen()


# --- an index that cannot be used


def test_without_an_index_everything_is_behind_and_whose_it_is_is_read_for_the_period_alone(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking", sources=["f1"])
    intake.sync(room.field)
    room.close()
    for ending in ("", "-wal", "-shm"):
        Path(f"{field_db(room)}{ending}").unlink(missing_ok=True)
    found = left_alone(room)
    assert (found.state, found.places, len(found.behind), only(found).sources) == ("missing", 1, 1, frozenset())
    assert only(coverage.look(room.vault, since=EVER)).sources == {"f1"}
    assert only(coverage.look(room.vault, since=4e9)).sources == frozenset()
    assert not field_db(room).exists()
    room.reopen()


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("PRAGMA user_version = 99", "newer"),
        ("PRAGMA user_version = 1", "outdated"),
        ("UPDATE meta SET value = '0' WHERE name = 'made'", "outdated"),
    ],
)
def test_an_index_of_another_version_is_told_and_left_as_it_is(room: Room, statement: str, state: str) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    room.close()
    db = sqlite3.connect(field_db(room))
    with db:
        db.execute(statement)
    db.close()
    found = left_alone(room)
    assert found.state == state
    assert (found.behind == ()) == (state == "newer"), "what a newer one has cannot be told"
    assert found.why


@pytest.mark.parametrize("content", [b"", b"no database at all, but quite some bytes" * 50])
def test_a_file_that_is_no_index_is_told_and_left_as_it_is(room: Room, content: bytes) -> None:
    room.note("locking", "Orders use optimistic locking")
    room.close()
    field_db(room).write_bytes(content)
    assert left_alone(room).state == ("damaged" if content else "outdated")
    assert field_db(room).read_bytes() == content


@pytest.mark.slow
def test_an_index_that_somebody_has_locked_is_not_waited_for_for_long(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    room.close()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, field_db(room)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        found = coverage.look(room.vault)
        other.communicate(b"")
    assert (found.state, found.behind) == ("unreadable", ())
    assert "locked" in found.why


def test_an_index_that_may_not_be_read_is_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    monkeypatch.setattr(posix, "access", lambda *_: False)  # root may read everything
    found = coverage.look(room.vault)
    assert found.state == "unreadable"
    assert "may not be read" in found.why


@pytest.mark.slow
def test_damage_inside_the_file_is_found_by_a_deep_look(room: Room) -> None:
    for nth in range(300):
        room.note(f"n{nth}", f"Fact number {nth} of {nth * 7919} about module {nth % 17}")
    intake.sync(room.field)
    room.close()
    assert coverage.look(room.vault, deep=True).flaw == ""
    data = bytearray(field_db(room).read_bytes())
    pages = len(data) // 4096
    for page in range(pages // 2, pages // 2 + 20):
        data[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    field_db(room).write_bytes(data)
    found = left_alone(room, deep=True)
    assert found.state == "damaged" or found.flaw


def test_what_a_killed_writer_left_beside_the_file_counts_and_stays(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.sync(room.field)
    log = Path(f"{field_db(room)}-wal")
    assert log.stat().st_size, "the room's own connection keeps it"
    copy = Path(room.vault).parent / "copy"
    shutil.copytree(room.vault, copy)
    (copy / ".state" / "field.db-shm").unlink()
    before = (copy / ".state" / "field.db-wal").read_bytes(), (copy / ".state" / "field.db").read_bytes()
    found = coverage.look(str(copy))
    assert (found.state, found.thoughts, found.behind) == ("ready", 1, ())
    assert ((copy / ".state" / "field.db-wal").read_bytes(), (copy / ".state" / "field.db").read_bytes()) == before


# --- vectors


def test_thoughts_without_a_vector_of_the_wanted_model_are_counted(room: Room) -> None:
    room.note("locking", "Orders use optimistic locking")
    intake.take_in(room.field)
    assert room.embedder
    assert coverage.look(room.vault, model=room.embedder.name).lacking == 1
    intake.sync(room.field)
    assert coverage.look(room.vault, model=room.embedder.name).lacking == 0
    assert coverage.look(room.vault, model="another-64").lacking == 1
    assert coverage.look(room.vault).lacking == 0


# --- all of it at once


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("wtdsk"), st.integers(0, 3), st.integers(0, 2)), max_size=12))
def test_whatever_was_written_the_look_agrees_with_what_a_sync_then_takes_in(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """w: write a note, t: think, d: remove a note, s: sync, k: a save of the same words."""
    room = Room(str(tmp_path_factory.mktemp("cover") / "vault"), meaning=False)
    try:
        for act, which, what in steps:
            path = Path(room.vault) / "knowledge" / f"n{which}.md"
            if act == "w":
                room.note(f"n{which}", f"Fact {which} in words {what}")
            elif act == "d" and path.exists():
                path.unlink()
            elif act == "k" and path.exists():
                save(path, path.read_text(encoding="utf-8"))
            elif act == "t":
                room.think(f"Thought {which} and {what}")
            elif act == "s":
                intake.sync(room.field, thorough=True)
                assert coverage.look(room.vault).behind == ()
        behind = coverage.look(room.vault).behind
        before = _all(room)
        intake.sync(room.field, thorough=True)
        assert bool(behind) == (_all(room) != before)
        assert coverage.look(room.vault).behind == ()
    finally:
        room.close()


def _all(room: Room) -> dict[str, Any]:
    store: Any = room.field.store
    return dict(store.thoughts(row[0] for row in store.db.execute("SELECT id FROM thought")))
