"""The doctor at the field: what is wrong with the index is told, with what mends it, and nothing is changed by it."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import pytest
from doctor_support import everything, place
from hook_support import Home

from holdfast.capture import home as vaults
from holdfast.capture.gate import BY_UPKEEP
from holdfast.field import intake
from holdfast.health.doctor import examine_and_mend
from holdfast.health.field import check_field
from holdfast.health.finding import Finding
from holdfast.memory import Memory
from holdfast.vault.transaction import writing


@pytest.fixture
def indexed(fresh: Home) -> Home:
    """A vault with two notes and an index of them, by words alone."""
    vaults.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "config.toml").write_text('[embed]\nname = "none"\n', encoding="utf-8")
    write(fresh, "knowledge/deploys.md", "Deploys run from main")
    write(fresh, "knowledge/orders.md", "Orders use optimistic locking")
    memory(fresh).field.catch_up()
    return fresh


def memory(where: Home) -> Memory:
    return Memory.open(str(where.vault), str(where.project), env=where.env)


def write(where: Home, path: str, text: str) -> None:
    with writing(str(where.vault), time.time()) as writer:
        writer.commit(
            text, {path: f"---\nname: {text}\nkind: knowledge\n---\n\n{text}\n"}, cause="remember", by=BY_UPKEEP
        )


def looked(where: Home, now: float = 0.0) -> dict[str, Finding]:
    found = list(check_field(place(where, now=now)))
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def ask(where: Home, name: str = "field", now: float = 0.0) -> Finding:
    return looked(where, now)[name]


def file(where: Home) -> Path:
    return where.vault / ".state" / "field.db"


@pytest.mark.slow
def test_an_index_of_all_that_there_is_is_well_and_looking_changes_nothing(indexed: Home) -> None:
    before = everything(indexed.vault)
    found = looked(indexed)
    assert everything(indexed.vault) == before
    assert (found["field"].level, found["field"].detail) == ("ok", "2 thoughts, all of the vault as it is now")
    assert found["vectors"].level == "ok"
    assert "thoughts-damage" not in found


def test_where_nothing_is_remembered_yet_an_index_that_is_not_there_is_well(fresh: Home) -> None:
    assert looked(fresh) == {}
    vaults.make_vault(str(fresh.vault))
    assert ask(fresh).detail == "nothing to index yet"


@pytest.mark.slow
def test_an_index_that_is_missing_is_advice(indexed: Home) -> None:
    file(indexed).unlink()
    found = ask(indexed)
    assert (found.level, found.can_fix) == ("note", False)
    assert "there is no index yet; 2 places" in found.detail
    assert "the next question" in found.fix
    assert not file(indexed).exists()


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["bytes", "page"])
def test_an_index_that_is_damaged_fails_and_can_be_mended(indexed: Home, harm: str) -> None:
    data = bytearray(file(indexed).read_bytes())
    if harm == "bytes":
        data = bytearray(b"no index" * 1000)
    else:
        for page in range(4, len(data) // 4096):
            data[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    file(indexed).write_bytes(data)
    found = ask(indexed)
    assert (found.level, found.can_fix) == ("can-be-mended", True)
    assert "holdfast rebuild" in found.fix
    memory(indexed).field.rebuild()
    assert ask(indexed).level == "ok"


@pytest.mark.slow
def test_an_index_of_a_newer_holdfast_fails_and_is_left_to_it(indexed: Home) -> None:
    db = sqlite3.connect(file(indexed))
    with db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    found = ask(indexed)
    assert (found.level, found.can_fix) == ("needs-you", False)
    assert "newer holdfast" in found.detail
    assert found.fix == "upgrade holdfast on this machine"


@pytest.mark.slow
def test_an_index_that_may_not_be_read_is_advice(indexed: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posix.access", lambda *_: False)  # root may read everything
    assert ask(indexed).level == "note"
    assert "may not be read" in ask(indexed).detail


@pytest.mark.slow
def test_what_is_not_taken_in_yet_is_advice_with_how_long_it_waits(indexed: Home) -> None:
    write(indexed, "knowledge/retries.md", "Retries stop after five")
    since = os.stat(indexed.vault / "knowledge" / "retries.md").st_ctime
    found = ask(indexed, now=since + 3 * 3600 + 1)
    assert found.level == "note"
    assert "1 of 3 places to take in, the oldest change 3 hours ago" in found.detail


@pytest.mark.slow
def test_what_the_index_has_looked_past_fails(indexed: Home) -> None:
    with memory(indexed).field.open() as field:
        field.store.take("knowledge/orders.md", "a stamp of nothing", [])
        field.store.note_places({intake.WALK: f"{time.time() + 60} 0.001"})
    found = ask(indexed)
    assert (found.level, found.can_fix) == ("can-be-mended", True)
    assert "knowledge/orders.md" in found.detail


@pytest.mark.slow
def test_thoughts_without_a_vector_of_the_chosen_embedder_are_told(indexed: Home) -> None:
    (indexed.vault / ".state" / "config.toml").write_text('[embed]\nname = "wordllama"\n', encoding="utf-8")
    found = ask(indexed, "vectors")
    assert found.level == "note"
    assert found.detail.startswith("note: 2 of 2 thoughts have none of wordllama")
    memory(indexed).field.catch_up()
    assert ask(indexed, "vectors").level == "ok"


@pytest.mark.slow
def test_an_embedder_that_does_not_exist_is_told(indexed: Home) -> None:
    (indexed.vault / ".state" / "config.toml").write_text('[embed]\nname = "oracle"\n', encoding="utf-8")
    assert '"oracle" is no embedder' in ask(indexed, "vectors").detail


@pytest.mark.slow
def test_bytes_in_the_logs_of_thoughts_that_were_no_record_are_told(indexed: Home) -> None:
    aside = indexed.vault / ".state" / "thoughts" / "broken"
    aside.mkdir(parents=True)
    (aside / "x.1").write_bytes(b"???")
    found = ask(indexed, "thoughts-damage")
    assert found.level == "note"
    assert ".state/thoughts/broken" in found.fix


@pytest.mark.slow
def test_the_doctor_asks_for_the_field_and_makes_a_damaged_index_anew(indexed: Home) -> None:
    file(indexed).write_bytes(b"no index" * 1000)
    report = examine_and_mend(place(indexed))
    assert "made the index anew: 2 thoughts" in report.fixed
    (found,) = [one for one in report.checks if one.name == "field"]
    assert found.level == "mended"
