"""`holdfast queue`: what waits, how long, what is dead; retry; and what in the queue is no record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, Terminal

from holdfast.capture import queue
from holdfast.errors import NewerFormat, NotFound
from holdfast.model import Flag

FIELDS = {"id", "kind", "text", "session", "project", "age_s"}  # DESIGN: others build on these names


def as_json(terminal: Terminal, *words: str) -> dict[str, Any]:
    done = terminal("queue", *words, "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def kill_letter(fresh: Home, flag: Flag, error: str = "the judge was out") -> None:
    """Fail to file a flag as often as makes it dead."""
    for _ in range(queue.TRIES):
        claim = fresh.settlement().claim(1, 60.0, lambda one: one.id == flag.id)
        assert claim
        fresh.settlement().release(claim, [flag.id], error=error)


def test_an_empty_queue_says_that_nothing_waits(terminal: Terminal) -> None:
    assert terminal("queue").out == "Nothing waits in this project.\n"
    assert terminal("queue", "--all").out == "Nothing waits.\n"
    found = as_json(terminal)
    assert found == {
        "waiting": [],
        "claimed": [],
        "dead": [],
        "oldest_age_s": 0.0,
        "other_projects": 0,
        "broken": [],
    }


def test_as_json_it_has_the_names_that_others_build_on(fresh: Home, terminal: Terminal) -> None:
    flag = fresh.flag("orders use optimistic locking", "s1")
    found = as_json(terminal)
    (one,) = found["waiting"]
    assert set(one) >= FIELDS
    assert (one["id"], one["kind"], one["text"]) == (flag.id, "fact", "orders use optimistic locking")
    assert (one["session"], one["project"]) == ("s1", fresh.project_id())
    assert 0 <= one["age_s"] < 60
    assert found["dead"] == []
    assert found["oldest_age_s"] >= one["age_s"]


def test_for_a_person_it_lists_what_waits_the_oldest_first(fresh: Home, terminal: Terminal) -> None:
    terminal.fast("flag", "--evidence", "a.py:1", "one")
    terminal.fast("flag", "two", "--kind", "decision")
    lines = terminal("queue").out.splitlines()
    assert lines[0].startswith("2 waiting, the oldest since ")
    assert "[fact] one  (" in lines[1]
    assert lines[2] == "      evidence: a.py:1"
    assert "[decision] two  (" in lines[3]
    assert len(lines) == 4


def test_other_projects_are_a_number_unless_all_are_asked_for(fresh: Home, terminal: Terminal) -> None:
    other = fresh.folder / "other"
    other.mkdir()
    fresh.flag("of this one")
    fresh.flag("of the other", cwd=other)
    done = terminal("queue")
    assert "of this one" in done.out
    assert "of the other" not in done.out
    assert "1 more in other projects (--all)." in done.out
    assert as_json(terminal)["other_projects"] == 1
    assert {one["text"] for one in as_json(terminal, "--all")["waiting"]} == {"of this one", "of the other"}
    assert "of the other" in terminal("queue", "--all").out


def test_what_is_filed_is_gone_and_what_is_claimed_is_shown_as_claimed(fresh: Home, terminal: Terminal) -> None:
    fresh.flag("filed")
    fresh.file_everything()
    fresh.flag("claimed")
    assert fresh.settlement().claim(1, 60.0)
    fresh.flag("waiting")
    found = as_json(terminal)
    assert {state: [one["text"] for one in found[state]] for state in ("waiting", "claimed", "dead")} == {
        "waiting": ["waiting"],
        "claimed": ["claimed"],
        "dead": [],
    }


def test_a_dead_letter_is_shown_with_its_tries_and_its_error(fresh: Home, terminal: Terminal) -> None:
    kill_letter(fresh, fresh.flag("undeliverable"))
    done = terminal("queue")
    assert "1 dead, the oldest since " in done.out
    assert f"tried {queue.TRIES} times: the judge was out" in done.out
    assert "`holdfast queue retry` lets the dead ones wait again." in done.out
    (one,) = as_json(terminal)["dead"]
    assert set(one) >= FIELDS
    assert (one["tries"], one["error"]) == (queue.TRIES, "the judge was out")


def test_a_retry_revives_all_that_is_dead(fresh: Home, terminal: Terminal) -> None:
    for text in ("one", "two"):
        kill_letter(fresh, fresh.flag(text))
    assert terminal("queue", "retry").out == "2 flags wait again.\n"
    assert [one["text"] for one in as_json(terminal)["waiting"]] == ["one", "two"]
    assert terminal("queue", "retry").out == "Nothing is dead.\n"


@pytest.mark.parametrize("letters", [26, 25])
def test_a_retry_by_a_beginning_of_the_id_revives_that_one(fresh: Home, terminal: Terminal, letters: int) -> None:
    first, second = fresh.flag("one"), fresh.flag("two")
    for flag in (first, second):
        kill_letter(fresh, flag)
    answer = json.loads(terminal("queue", "retry", first.id[:letters].lower(), "--json").out)
    assert answer == {"retried": [first.id]}
    found = as_json(terminal)
    assert ([one["text"] for one in found["waiting"]], [one["text"] for one in found["dead"]]) == (["one"], ["two"])


@pytest.mark.parametrize(("word", "sentence"), [("ZZZ", "No dead flag begins with"), ("0", "More than one dead flag")])
def test_a_retry_of_nothing_certain_changes_nothing(fresh: Home, terminal: Terminal, word: str, sentence: str) -> None:
    for text in ("one", "two"):
        kill_letter(fresh, fresh.flag(text))
    done = terminal("queue", "retry", word)
    assert (done.status, done.out) == (NotFound.exit_status, "")
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert len(as_json(terminal)["dead"]) == 2


def test_a_retry_of_several_is_all_or_nothing(fresh: Home, terminal: Terminal) -> None:
    flag = fresh.flag("one")
    kill_letter(fresh, flag)
    assert terminal("queue", "retry", flag.id, "ZZZ").status == NotFound.exit_status
    assert len(as_json(terminal)["dead"]) == 1


@pytest.mark.parametrize(
    ("bytes_", "what"),
    [(b"\nHF1 0000", "torn"), (b"some garbage", "damage"), (b"\nHF1 00000002 00000000 {}", "damage")],
)
def test_what_is_no_record_is_set_aside_and_shown(fresh: Home, terminal: Terminal, bytes_: bytes, what: str) -> None:
    fresh.flag("before")
    (segment,) = (Path(fresh.state) / "queue" / "live").glob("*.log")
    with segment.open("ab") as out:
        out.write(bytes_)
    fresh.flag("after")
    before = segment.read_bytes()
    done = terminal("queue")
    assert done.status == 0
    (path,) = as_json(terminal)["broken"]
    assert f"not a record, kept for you to look at: {path}\n" in done.out
    assert path.endswith(f".{what}")
    assert Path(path).read_bytes() == bytes_
    assert segment.read_bytes() == before, "the original stays as it is"
    assert [one["text"] for one in as_json(terminal)["waiting"]] == ["before", "after"]


def test_a_vault_of_a_newer_format_is_status_5_and_nothing_is_touched(fresh: Home, terminal: Terminal) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("999\n")
    for words in (("queue",), ("queue", "--json"), ("queue", "retry")):
        done = terminal(*words)
        assert (done.status, done.out) == (NewerFormat.exit_status, "")
        assert done.err.startswith("holdfast: ")
        assert "has format 999" in done.err
        assert done.err.count("\n") == 1
    assert fresh.files() == ["format"]
