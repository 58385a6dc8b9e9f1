"""Logs of tasks that were rewritten, by a purge or an undo, here or on another machine: what they say now counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import Room, save, texts
from task_support import AGENT, Desk

from holdfast.capture import codec, log
from holdfast.capture.ids import new_id
from holdfast.field import coverage, intake
from holdfast.tasks import record, states, task_end
from holdfast.vault.transaction import writing

SECRET = "Order 73 holds a secret"
PAID = "Order 73 was paid in the end, by a friend of the house"


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


@pytest.fixture
def desk(room: Room) -> Desk:
    """A task with a discovery that the index has."""
    made = Desk(room.vault)
    made.start()
    made.say("--discovery", SECRET)
    intake.sync(room.field)
    assert texts(room.ask("order secret", None)) == [SECRET]
    return made


def rewritten(room: Room, path: str, *more: str) -> None:
    """The same entries with other words, and more after them: another log, longer than the one that was read."""
    known = [one.as_record() for one in record.read(room.vault, path).entries]
    changed = [{**one, "text": PAID if one["text"] == SECRET else one["text"]} for one in known]
    told = next(one for one in changed if one["text"] == PAID)
    changed += [{**told, "id": new_id(told["time"], nth), "text": text} for nth, text in enumerate(more, 1)]
    save(Path(room.vault, path), b"".join(log.frame(codec.encode(one)) for one in changed).decode())


def found(room: Room) -> list[str]:
    return sorted(texts(room.ask("order 73 secret paid in the end invoice", None)))


def test_a_log_that_was_rewritten_and_grew_is_read_from_its_beginning(room: Room, desk: Desk) -> None:
    ((path, _),) = record.logs(desk.vault, "audit")
    rewritten(room, path, "Order 74 has no invoice")
    (behind,) = coverage.look(room.vault).behind
    assert behind.place == "task:audit"
    intake.sync(room.field)
    assert found(room) == [PAID, "Order 74 has no invoice"]
    assert coverage.look(room.vault).behind == ()


def test_a_log_that_only_grew_is_read_from_where_it_was_left(
    room: Room, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[int] = []
    read = record.read

    def watched(vault: str, path: str, start: int = 0) -> record.Read:
        starts.append(start)
        return read(vault, path, start)

    monkeypatch.setattr(record, "read", watched)
    ((_, size),) = record.logs(desk.vault, "audit")
    desk.say("--discovery", "Order 74 has no invoice")
    starts.clear()
    intake.sync(room.field)
    assert size in starts
    assert 0 not in starts
    assert found(room) == [SECRET, "Order 74 has no invoice"]


@pytest.mark.slow
def test_the_log_of_a_finished_task_that_was_rewritten_is_read_anew(room: Room, desk: Desk) -> None:
    task_end.finish(desk.vault, "", states.COMPLETED, "done", AGENT, desk.clock, {})
    with writing(desk.vault, desk.clock()):
        pass  # whoever writes next archives it
    intake.sync(room.field)
    ((_, path),) = record.finished(room.vault)
    rewritten(room, path)
    intake.sync(room.field)
    assert SECRET not in found(room)
    assert PAID in found(room)
