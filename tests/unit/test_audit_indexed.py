"""Seen = closed = drained = indexed: real hooks, real closes, an index that is taken away, damaged or left behind."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from doctor_support import everything
from field_support import save
from hook_support import SOURCE, Agents, Home, run

from holdfast.capture import home, ledger
from holdfast.close import drain
from holdfast.field import intake
from holdfast.health import audit, period
from holdfast.health.audit import Audit
from holdfast.health.finding import Finding, Place
from holdfast.memory import Memory

LATER = 3600.0  # seconds: a close of the last minutes may be at it still
FACTS = {
    "s1": "Orders use optimistic locking",
    "s2": "Retries stop after five attempts",
    "s3": "Prices are cached for an hour",
}
# The commit is made, the flags are acknowledged, the ledger knows: and then the machine goes before the index.
KILLED = """
import os, signal, sys
from holdfast.memory import Memory
from holdfast.memory.field import Field
Field.catch_up = lambda self: os.kill(os.getpid(), signal.SIGKILL)
Memory.open(sys.argv[1], sys.argv[2]).sessions.close()
"""


@pytest.fixture
def desk(fresh: Home) -> Home:
    """A home in which no end starts anything in the background; search goes by words, since no model is the point."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    (fresh.vault / ".state" / "config.toml").write_text('[embed]\nname = "none"\n', encoding="utf-8")
    return fresh


def session(where: Home, name: str) -> None:
    """One as an agent has it, each hook a process of its own."""
    assert where.hook(where.event("SessionStart", name, source="startup")).status == 0
    assert where.hook(where.event("UserPromptSubmit", name, prompt=f"work on {name}")).status == 0
    where.flag(FACTS[name], session=name)
    assert where.hook(where.event("SessionEnd", name, reason="other")).status == 0


def close(where: Home) -> None:
    done = where.cli("close")
    assert done.status == 0, done.err


def memory(where: Home, ahead: float = 0.0) -> Memory:
    return Memory.open(str(where.vault), str(where.project), lambda: time.time() + ahead, where.env)


def three_sessions(where: Home) -> None:
    """The same within this process."""
    for name, fact in FACTS.items():
        where.answer(where.event("SessionStart", name, source="startup"), now=time.time())
        where.flag(fact, session=name)
        where.answer(where.event("SessionEnd", name, reason="other"), now=time.time())
    memory(where).sessions.close()


def look(where: Home, later: float = LATER, project: str = "") -> Audit:
    now = time.time() + later
    place = Place(str(where.vault), str(where.project), where.env, clock=lambda: now)
    return audit.audit(place, period.make(now, project=project))


def counts(found: Audit) -> tuple[int, int, int, int | None]:
    one = found.sessions
    return one.seen, one.closed, one.drained, found.indexed


def finding(found: Audit) -> Finding:
    (one,) = [one for one in found.findings if one.name == "not-indexed"]
    return one


def index(where: Home) -> Path:
    return where.vault / ".state" / "field.db"


def as_json(where: Home) -> tuple[int, dict[str, Any]]:
    done = where.cli("audit", "--json")
    return done.status, json.loads(done.out)


# --- the whole of it


@pytest.mark.slow
def test_three_sessions_are_seen_closed_drained_and_indexed_and_an_index_that_went_is_said_until_a_recall_makes_it(
    desk: Home,
) -> None:
    for name in FACTS:
        session(desk, name)
    close(desk)
    assert counts(look(desk)) == (3, 3, 3, 3)
    assert look(desk).ok, look(desk).findings
    status, said = as_json(desk)
    assert (status, said["sessions"]["indexed"]) == (0, 3)
    assert "drained 3  indexed 3 of 3" in desk.cli("audit").out

    for ending in ("", "-wal", "-shm"):
        Path(f"{index(desk)}{ending}").unlink(missing_ok=True)
    found = look(desk)
    assert counts(found) == (3, 3, 3, 0)
    one = finding(found)
    assert (one.count, one.about) == (3, "")
    assert "has no index; recall finds nothing of 3 sessions" in one.detail
    assert "holdfast recall" in one.fix
    assert "holdfast rebuild" in one.fix
    assert not index(desk).exists(), "a look makes none"

    assert "optimistic locking" in desk.cli("recall", "optimistic locking of orders").out
    assert counts(look(desk)) == (3, 3, 3, 3)
    assert look(desk).ok


@pytest.mark.slow
def test_a_close_that_was_killed_between_the_commit_and_the_index_is_named_until_a_recall_takes_it_in(
    desk: Home,
) -> None:
    session(desk, "s1")
    close(desk)
    session(desk, "s2")
    env = {**desk.env, "PYTHONPATH": str(SOURCE)}
    done = run([sys.executable, "-c", KILLED, str(desk.vault), str(desk.project)], env, desk.project)
    assert done.status == -signal.SIGKILL, done.err

    found = look(desk)
    assert counts(found) == (2, 2, 2, 1)
    one = finding(found)
    assert one.about == "claude-code/s2/1"
    assert "lineage/" in one.detail
    assert "knowledge/" in one.detail
    assert one.fix.startswith("the next `holdfast recall` or close takes it in")
    assert look(desk, later=0.0).ok, "a close of this moment may be at it still"

    assert "five attempts" in desk.cli("recall", "retries").out
    assert counts(look(desk)) == (2, 2, 2, 2)
    assert look(desk).ok


# --- an index that cannot be used


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "said", "fix"),
    [
        (lambda file: file.write_bytes(b"no index" * 1000), "cannot be read", "`holdfast rebuild`"),
        (lambda file: _execute(file, "UPDATE meta SET value = 0"), "another holdfast", "the next `holdfast recall`"),
    ],
    ids=["damaged", "older"],
)
def test_an_index_that_cannot_be_used_has_nothing_of_any_session(desk: Home, harm: Any, said: str, fix: str) -> None:
    three_sessions(desk)
    harm(index(desk))
    before = everything(desk.vault)
    found = look(desk)
    assert everything(desk.vault) == before
    assert counts(found) == (3, 3, 3, 0)
    assert said in finding(found).detail
    assert finding(found).fix.startswith(fix)
    memory(desk).field.rebuild()
    assert counts(look(desk)) == (3, 3, 3, 3)


@pytest.mark.slow
def test_what_a_newer_index_has_cannot_be_told_and_that_is_said(desk: Home) -> None:
    three_sessions(desk)
    _execute(index(desk), "PRAGMA user_version = 99")
    found = look(desk)
    assert counts(found) == (3, 3, 3, None)
    assert "newer holdfast" in finding(found).detail
    assert "upgrade" in finding(found).fix
    assert "indexed -" in desk.cli("audit").out


@pytest.mark.slow
def test_an_index_that_may_not_be_looked_at_is_worth_knowing_and_no_skip(
    desk: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_sessions(desk)
    monkeypatch.setattr("posix.access", lambda *_: False)  # root may read everything
    found = look(desk)
    assert found.ok
    assert found.indexed is None
    assert [one.name for one in found.notes] == ["not-looked-at"]


@pytest.mark.slow
def test_whatever_breaks_while_the_field_is_looked_at_hides_nothing_else(
    desk: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_sessions(desk)

    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr("holdfast.field.coverage.look", breaks)
    found = look(desk)
    assert counts(found) == (3, 3, 3, None)
    assert "the disk is on fire" in "".join(one.detail for one in found.findings)


# --- whose it is


@pytest.mark.slow
def test_an_edit_by_a_person_is_worth_knowing_and_no_skip_of_the_session(desk: Home) -> None:
    three_sessions(desk)
    (path,) = [one for one in desk.vault.glob("knowledge/*.md") if "optimistic" in one.read_text(encoding="utf-8")]
    save(path, path.read_text(encoding="utf-8").replace("optimistic", "pessimistic"))
    found = look(desk)
    assert found.ok, found.findings
    assert counts(found) == (3, 3, 3, 3)
    (note,) = [one for one in found.notes if one.name == "index-behind"]
    assert (note.count, note.about) == (1, "")
    assert "holdfast recall" in note.fix
    assert str(path.name) not in note.detail, "it may be of another project"


def test_a_session_that_left_nothing_has_nothing_to_be_indexed(desk: Home) -> None:
    desk.answer(desk.event("SessionStart", "quiet", source="startup"), now=time.time())
    desk.answer(desk.event("SessionEnd", "quiet", reason="other"), now=time.time())
    memory(desk).sessions.close()
    for ending in ("", "-wal", "-shm"):
        Path(f"{index(desk)}{ending}").unlink(missing_ok=True)
    found = look(desk)
    assert counts(found) == (1, 1, 1, 1)
    assert found.ok


@pytest.mark.slow
def test_what_a_session_that_goes_on_gave_is_not_called_a_change_that_nobody_made(desk: Home, agents: Agents) -> None:
    three_sessions(desk)
    desk.answer(desk.event("SessionStart", "open", source="startup"), pid=agents().pid, now=time.time())
    desk.flag("Carts expire after a day", session="open")
    drain.drain(str(desk.vault), project=desk.project_id(), also_open=True)
    found = look(desk)
    assert found.sessions.open == 1
    assert found.notes == ()
    assert counts(found) == (4, 3, 3, 3)


@pytest.mark.slow
def test_sessions_of_other_projects_are_not_told(desk: Home) -> None:
    three_sessions(desk)
    index(desk).unlink()
    ledger.append(desk.state, "hook", time.time(), event="session-start", host="h", episode="h/x/1", project="other-1")
    found = look(desk, project="other-1")
    assert [one for one in found.findings if one.name == "not-indexed"] == []
    assert counts(found)[3] == 0


@pytest.mark.slow
def test_what_the_index_looked_past_needs_a_rebuild_and_says_so(desk: Home) -> None:
    three_sessions(desk)
    with memory(desk).field.open() as field:
        for place in field.store.places("knowledge/"):
            field.store.take(place, "a stamp of nothing", [])
        field.store.note_places({intake.WALK: f"{time.time() + 60} 0.001"})
    found = look(desk)
    assert found.indexed == 0
    assert {one.fix for one in found.findings if one.name == "not-indexed"} == {
        "`holdfast rebuild` makes it anew from the vault"
    }


def _execute(file: Path, statement: str) -> None:
    db = sqlite3.connect(file)
    with db:
        db.execute(statement)
    db.close()
