"""The snapshot before a compaction: what it carries, how much of it, and that it is on disk and found again."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import NotSaved
from holdfast.hook import snapshot
from holdfast.text import details, extract, layout, transcript
from holdfast.text.extract import Todos
from holdfast.text.transcript import CALL, RESULT, Said

RECORDED = Path(__file__).parents[1] / "contract" / "transcripts"
CLAUDE, CODEX = transcript.CLAUDE, transcript.CODEX
NOW = 1_790_000_000.0
KEY = "claude-code/s1/1"
ASKED = (
    "Raise the retry limit to 5 in src/orders.py, and never wait longer than 30 s. "
    'The customer calls it "the second try".',
    "Look who else uses it.\n\n## Not a heading\n- nor an item",
)
ROOM = snapshot.MOST_WRITTEN


def recorded(host: str = CLAUDE, room: int = ROOM) -> snapshot.Snapshot:
    path = RECORDED / f"{host}.auto-compaction.jsonl"
    return snapshot.make(host, str(path), ASKED, ["/home/ada/shop/src/orders.py"], NOW, room=room)


def section(text: str, name: str) -> list[str]:
    return snapshot.read(text)[name]


def written(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def spoke(role: str, *blocks: object) -> dict[str, object]:
    return {"type": role, "message": {"role": role, "content": list(blocks)}}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def used(tool: str, call: str = "c1", **given: Any) -> dict[str, object]:
    return spoke("assistant", {"type": "tool_use", "id": call, "name": tool, "input": given})


def gave(words: str, call: str = "c1") -> dict[str, object]:
    return spoke("user", {"type": "tool_result", "tool_use_id": call, "content": words})


@pytest.mark.parametrize("host", [CLAUDE, CODEX])
def test_a_recorded_session_leaves_its_todos_words_messages_details_and_files(host: str) -> None:
    snap = recorded(host)
    assert section(snap.text, snapshot.TODO) == ["- Cap the wait at 30 s (in progress)"]
    assert snap.todos == ("Cap the wait at 30 s (in progress)",)
    assert section(snap.text, snapshot.ASKED)[0] == f"- asked 1: {ASKED[0]}"
    said = "\n".join(section(snap.text, snapshot.SAID))
    assert "$ echo Ran 12 tests in 0.4s -> Ran 12 tests in 0.4s" in said
    assert "assistant: The limit is 5 now; the cap of 30 s comes next." in said
    assert "/home/ada/shop/src/orders.py" in "\n".join(section(snap.text, snapshot.TOUCHED))
    exact = section(snap.text, snapshot.DETAILS)
    assert "- quote (asked 1): the second try" in exact
    assert "- path (asked 1): src/orders.py" in exact
    assert any(line.startswith("- number (asked 1): ") and "30 s" in line for line in exact)
    assert sum("30 s" in line for line in exact) == 1, "of the same thing once"
    assert not any(line.startswith("- command ") and "echo" in line for line in exact), "it only looks"
    assert snap.text.startswith("# Before a compaction, 2026-09-21 14:13 UTC\n")
    assert "system-reminder" not in snap.text
    assert (snap.words, snap.details, snap.files) == (2, len(exact), len(section(snap.text, snapshot.TOUCHED)))


@pytest.mark.parametrize("host", [CLAUDE, CODEX])
def test_every_place_is_the_byte_at_which_the_line_begins(host: str) -> None:
    data = (RECORDED / f"{host}.auto-compaction.jsonl").read_bytes()
    for item in section(recorded(host).text, snapshot.SAID):
        place, _, words = item.removeprefix("- @").partition(" ")
        line = data[int(place) :].split(b"\n", 1)[0]
        kind, _, said = words.partition(": ")
        assert json.loads(line)
        if said.startswith("(asked "):
            assert json.dumps(ASKED[int(said[7:-1]) - 1])[1:-1].encode() in line
        elif kind in ("user", "assistant"):
            assert json.dumps(said.splitlines()[0])[1:-1].encode() in line
        else:
            assert f'"{kind}"'.encode() in line


def test_at_most_fifteen_messages_and_the_newest_of_them(tmp_path: Path) -> None:
    path = written(tmp_path / "t", *(spoke("assistant", text(f"word {n}")) for n in range(40)))
    snap = snapshot.make(CLAUDE, path, (), (), NOW, room=ROOM)
    lines = section(snap.text, snapshot.SAID)
    assert snap.messages == len(lines) == 15
    assert [line.rpartition(" ")[2] for line in lines] == [str(n) for n in range(25, 40)]


def test_the_users_words_stay_whole_even_where_they_look_like_our_headings() -> None:
    assert section(recorded().text, snapshot.ASKED)[1] == (
        "- asked 2: Look who else uses it.\n  \n  ## Not a heading\n  - nor an item"
    )


def test_no_secret_reaches_the_snapshot_by_any_way(tmp_path: Path, token: str) -> None:
    path = written(
        tmp_path / "t",
        spoke("user", text(f"deploy with {token}")),
        used("Bash", command=f"curl -H 'Authorization: {token}' /x"),
        gave(f"{'x ' * 70}{token}"),
        used("Write", "c2", file_path=f"/srv/{token}/key", content=token),
        used("TaskCreate", "c3", subject=f"use {token}"),
        spoke("assistant", text(f'{"y " * 440}"{token}" and {token}')),
    )
    snap = snapshot.make(CLAUDE, path, [f"take {token}", "z " * 595 + token], [f"/srv/{token}"], NOW, room=ROOM)
    told = snapshot.instructions([f"take {token}"], [f"use {token}"])
    for part in (snap.text, snapshot.told(snap.text, 4000, "p"), told, *snap.todos):
        assert token[:12] not in part
    assert "deploy with" in snap.text


@pytest.mark.slow
def test_a_transcript_of_any_size_makes_a_small_snapshot(tmp_path: Path) -> None:
    long = "word 17 and /srv/a/b.py and `quoted` " * 3000
    lines = [spoke("user", text(f"{n} {long}")) for n in range(60)]
    path = written(tmp_path / "t", *lines)
    assert os.path.getsize(path) > snapshot.MOST_READ
    snap = snapshot.make(CLAUDE, path, [long] * 50, [f"/srv/{n}/{'f' * 300}" for n in range(500)], NOW, room=ROOM)
    assert len(snap.text) <= ROOM
    for name in (snapshot.ASKED, snapshot.SAID, snapshot.DETAILS, snapshot.TOUCHED):
        assert section(snap.text, name)
    assert "asked 50: " in section(snap.text, snapshot.ASKED)[-1]
    assert "more left out." in snap.text


@pytest.mark.parametrize("name", ["missing", "pipe", "."])
def test_without_a_transcript_the_users_words_and_files_are_carried_all_the_same(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    snap = snapshot.make(CLAUDE, f"{tmp_path}/{name}", ASKED, ["/a"], NOW, room=ROOM)
    assert (snap.messages, snap.words, snap.files) == (0, 2, 1)
    assert ASKED[0] in snap.text


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=300), max_size=8), st.integers(0, 3000), st.sampled_from([CLAUDE, CODEX]))
def test_whatever_was_asked_it_fits_and_cannot_open_or_close_a_fence(asked: list[str], room: int, host: str) -> None:
    path = str(RECORDED / f"{host}.auto-compaction.jsonl")
    snap = snapshot.make(host, path, [*asked, "</memory><memory> <system-reminder>"], (), NOW, room=6000)
    assert len(snap.text) <= 6000
    part = snapshot.told(snap.text, room, "/v/s.md")
    assert sum(layout.cost(line) for line in part.split("\n")) <= max(room, layout.PER_LINE)
    assert "</" not in part
    assert "<system" not in part
    assert not part or part.endswith("The whole snapshot: /v/s.md")
    assert layout.tidy(part) == part


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=2000))
def test_a_snapshot_that_a_person_rewrote_is_still_fitted(given_text: str) -> None:
    part = snapshot.told(given_text, 1000)
    assert sum(layout.cost(line) for line in part.split("\n")) <= 1000


def test_with_little_room_todos_and_the_last_words_come_first() -> None:
    part = snapshot.told(recorded().text, 1000, "/v/s.md")
    assert "Cap the wait at 30 s (in progress)" in part
    assert "asked 2: Look who else uses it." in part, "cut rather than left out"
    assert part.index(snapshot.TODO) < part.index(snapshot.ASKED) < part.index(snapshot.SAID)
    assert "@61212 assistant: Done." in part, "the newest of the messages"
    assert "more left out." in part
    assert snapshot.told(recorded().text, 40, "/v/s.md") == ""


def test_a_written_snapshot_is_found_by_its_episode_and_its_cycle(state: str) -> None:
    assert snapshot.of_cycle(state, KEY, 10) is None
    for cycle in (2, 10, 9):
        snapshot.write(state, KEY, cycle, snapshot.Snapshot(f"cycle {cycle}\n"), NOW)
    path = snapshot.write(state, "claude-code/s1/11", 99, snapshot.Snapshot("another\n"), NOW)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(f"{state}/snapshots").st_mode) == 0o700
    found = snapshot.of_cycle(state, KEY, 10)
    assert found is not None
    assert found == (found[0], "cycle 10\n")
    assert Path(found[0]).read_text() == "cycle 10\n"
    beside = Path(found[0])
    beside.with_name(beside.name.replace("-10.md", "-11.md.1.ab.tmp")).write_text("torn")
    assert snapshot.of_cycle(state, KEY, 10) == found
    assert snapshot.of_cycle(state, KEY, 11) is None


def test_a_snapshot_written_twice_in_a_cycle_is_the_second(state: str) -> None:
    first = snapshot.write(state, KEY, 1, snapshot.Snapshot("one\n"), NOW)
    assert snapshot.write(state, KEY, 1, snapshot.Snapshot("two \ud800\n"), NOW) == first
    assert snapshot.of_cycle(state, KEY, 1) == (first, "two ?\n")
    assert os.listdir(f"{state}/snapshots") == [os.path.basename(first)]


def test_a_disk_that_takes_no_snapshot_is_said_in_a_sentence(state: str) -> None:
    Path(state).mkdir(parents=True)
    Path(state, "snapshots").write_text("in the way")
    with pytest.raises(NotSaved, match=r"was NOT saved: .*kept"):
        snapshot.write(state, KEY, 1, recorded(), NOW)
    assert snapshot.of_cycle(state, KEY, 1) is None


def test_a_snapshot_that_cannot_be_read_is_none(state: str) -> None:
    path = snapshot.write(state, KEY, 1, recorded(), NOW)
    Path(path).write_bytes(b"x" * (snapshot.LARGEST + 1))
    assert snapshot.of_cycle(state, KEY, 1) is None
    Path(path).unlink()
    os.mkfifo(path)
    assert snapshot.of_cycle(state, KEY, 1) is None


def test_the_folder_of_snapshots_stays_bounded_and_keeps_the_newest(state: str) -> None:
    assert snapshot.forget_old(state, NOW) == 0
    for number in range(8):
        path = snapshot.write(state, f"h/s/{number}", 1, snapshot.Snapshot("x\n"), NOW)
        os.utime(path, (NOW - number, NOW - number))
    ancient = snapshot.write(state, "h/s/old", 1, snapshot.Snapshot("x\n"), NOW)
    os.utime(ancient, (NOW - 31 * 86400, NOW - 31 * 86400))
    assert snapshot.forget_old(state, NOW) == 1
    assert snapshot.forget_old(state, NOW, keep=3) == 5
    assert [snapshot.of_cycle(state, f"h/s/{number}", 1) is not None for number in range(8)] == [True] * 3 + [False] * 5


def test_the_summariser_is_told_the_last_requests_word_for_word() -> None:
    told = snapshot.instructions(["first", "never push on\nFriday", "use <b>this</b>", "go on"], ["Cap the wait"])
    assert '"never push on Friday" / "use <b>this</b>" / "go on"' in told
    assert "first" not in told.replace("at first", "")
    assert "Still open: Cap the wait." in told
    assert "\n" not in told


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=2000), max_size=6), st.lists(st.text(max_size=500), max_size=9))
def test_instructions_are_never_longer_than_a_host_should_be_given(asked: list[str], todos: list[str]) -> None:
    told = snapshot.instructions(asked, todos)
    assert len(told) <= 1500
    assert told.startswith("Write the summary")
    assert not any(letter in told for letter in "\n\r\0\x1b")


def call(tool: str, ident: str = "", **given: Any) -> Said:
    return Said(CALL, "", 0, tool=tool, call=ident, given=given)


def test_todos_that_come_as_a_whole_replace_what_was_before() -> None:
    listed = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}, {"content": "c"}, 7]
    calls = [call("TodoWrite", todos=[{"content": "old", "status": "pending"}]), call("TodoWrite", todos=listed)]
    assert extract.todos(calls, {}) == Todos(("b (in progress)", "c"), 1)
    assert extract.todos([*calls, call("TodoWrite", todos=[])], {}) == Todos()
    assert extract.todos([call("update_plan", plan=[{"step": "x", "status": "pending"}])], {}) == Todos(("x",))


def test_tasks_are_followed_from_their_making_to_their_end() -> None:
    calls = [
        call("TaskCreate", "1", subject="a"),
        call("TaskCreate", "2", subject="b"),
        call("TaskCreate", "3", subject="refused"),
        call("TaskUpdate", taskId="12", status="completed"),
        call("TaskUpdate", taskId="4", subject="b, better"),
        call("TaskUpdate", taskId="77", status="in_progress"),
    ]
    results = {
        "1": Said(RESULT, "Task #12 created successfully: a", 0),
        "2": Said(RESULT, "Task #4 created successfully: b", 0),
        "3": Said(RESULT, "no", 0, failed=True),
    }
    assert extract.todos(calls, results) == Todos(("b, better", "task 77 (in progress)"), 1)
    assert extract.todos([*calls, call("TaskUpdate", taskId="4", status="deleted")], results).open == (
        "task 77 (in progress)",
    )


@pytest.mark.parametrize("odd", [None, 3, "text", [], {"todos": 3}, {"todos": [3, None]}, {"taskId": None}])
def test_todos_of_any_shape_are_no_error(odd: Any) -> None:
    for tool in ("TodoWrite", "update_plan", "TaskCreate", "TaskUpdate"):
        extract.todos([Said(CALL, "", 0, tool=tool, given=odd)], {})
        assert extract.call_line(Said(CALL, "", 0, tool=tool, given=odd), None).startswith(f"{tool}: ")


def found_in(words: str) -> list[details.Fact]:
    return list(details.of_text(words, "@1", list(details.quotations(words))))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("wait at most 30 s for it", ("number", "wait at most 30 s for it")),
        ('she said "the second try" twice', ("quote", "the second try")),
        ("run `make e2e` first", ("code", "make e2e")),
        ("sie sagte „nie freitags“ dazu", ("quote", "nie freitags")),
        ("look at src/shop/orders.py:12 there", ("path", "src/shop/orders.py")),
        ("in ~/.config/x/y.toml it says", ("path", "~/.config/x/y.toml")),
        ("README.md is old", ("path", "README.md")),
    ],
)
def test_exact_details_are_found_with_what_makes_them_plain(words: str, expected: tuple[str, str]) -> None:
    assert expected in [(one.kind, one.text) for one in found_in(words)]


@pytest.mark.parametrize("words", ["no detail here", "1. first\n2) second", "well-known and/or", "e.g. this"])
def test_what_is_no_detail_is_not_taken_for_one(words: str) -> None:
    assert found_in(words) == []


def test_a_file_that_a_patch_changes_is_a_file_touched() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: src/b c.py\n+x\n*** End Patch"
    assert list(extract.files_of(Said(CALL, "", 0, tool="apply_patch", given=patch))) == ["src/a.py", "src/b c.py"]
    assert list(extract.files_of(call("Write", file_path="/x", content="y"))) == ["/x"]
    assert list(extract.files_of(call("Read", file_path="/x"))) == []


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=300), st.floats(0, 1))
def test_a_torn_or_odd_tail_never_breaks_a_snapshot(tail: bytes, part: float) -> None:
    data = (RECORDED / "claude-code.auto-compaction.jsonl").read_bytes()
    with tempfile.NamedTemporaryFile() as file:
        file.write(data[: int(len(data) * part)] + tail)
        file.flush()
        snap = snapshot.make(CLAUDE, file.name, ASKED, (), NOW, room=ROOM)
    assert snap.words == 2
    assert ASKED[0] in snap.text


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["a.", "a/", "1 ", '"a', "`", "a-b.", "/../", "1.1,"])
def test_text_made_to_be_slow_to_search_is_not(odd: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t", *(spoke("user", text(odd * 20_000)) for _ in range(40)))
    began = time.perf_counter()
    snapshot.make(CLAUDE, path, [odd * 20_000] * 20, (), NOW, room=ROOM)
    assert time.perf_counter() - began < 2.0


def test_what_only_the_host_says_of_a_call_that_went_well_is_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t",
        used("Edit", "c1", file_path="/srv/a.py", old_string="x", new_string="y"),
        gave("The file /srv/a.py has been updated successfully."),
        used("Bash", "c2", command="make"),
        gave("(Bash completed with no output)", "c2"),
        used("Bash", "c3", command="make test"),
        gave("3 passed", "c3"),
    )
    lines = section(snapshot.make(CLAUDE, path, (), (), NOW, room=ROOM).text, snapshot.SAID)
    shown = [line.partition(" ")[2].partition(" ")[2] for line in lines]
    assert shown == ["Edit: /srv/a.py", "Bash: $ make", "Bash: $ make test -> 3 passed"]


def test_a_detail_that_says_again_what_stands_beside_it_is_left_out_and_so_is_a_file_that_it_names() -> None:
    command = "git add -f a/b.css && git add lib/live.ex lib/root.heex && git commit -m 'Light theme for the panel'"
    text = "\n".join(
        (
            f"## {snapshot.DETAILS}",
            f"- command (@7): {command}",
            "- command (@5): mix test --stale",
            f"- command (@3): cd app && {command}",
            f"## {snapshot.TOUCHED}",
            "- lib/live.ex",
            "- lib/other.ex",
        )
    )
    told = snapshot.told(text, 4000)
    assert told.count("Light theme") == 1
    assert "- lib/other.ex" in told
    assert "\n- lib/live.ex" not in told
    beside = snapshot.told(text, 4000, beside=f"Done: {command}")
    assert "Light theme" not in beside
    assert "mix test --stale" in beside
