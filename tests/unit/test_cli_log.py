"""`holdfast log`: the ledger with its filters, as lines for people and as JSON, and as it is written."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import SOURCE, Done, Home, Terminal

from holdfast.capture import home, ledger, log
from holdfast.errors import UsageError

HOUR = 3600.0


def put(fresh: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    home.make_vault(str(fresh.vault))
    ledger.append(fresh.state, kind, time.time() - ago, **what)


def as_json(terminal: Terminal, *words: str) -> list[dict[str, Any]]:
    done = terminal("log", "--json", *words)
    assert (done.status, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def events(terminal: Terminal, *words: str) -> list[str]:
    return [str(record["event"]) for record in as_json(terminal, *words)]


def test_without_a_ledger_there_is_nothing_to_say(terminal: Terminal) -> None:
    done = terminal("log")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_every_moment_and_every_flag_is_there(fresh: Home, terminal: Terminal) -> None:
    fresh.answer(fresh.event("SessionStart"))
    fresh.flag("one", "s1")
    fresh.answer(fresh.event("PostToolUse", tool_name="Bash"))
    records = as_json(terminal)
    assert [record["kind"] for record in records] == ["injection", "hook", "flag", "hook"]
    assert all(record["t"] > 0 for record in records)
    assert all(record["us"] > 0 for record in records[1:])
    lines = terminal("log").out.splitlines()
    assert len(lines) == 4
    assert "hook session-start claude-code/s1/1" in lines[1]
    assert lines[3].endswith(" us")


def test_a_session_is_chosen_by_a_beginning_of_its_id(fresh: Home, terminal: Terminal) -> None:
    for session in ("abc-1", "abd-2", "xyz/with slash"):
        put(fresh, "hook", event=session, episode=f"claude-code/{session}/1")
    assert events(terminal, "--session", "abc-1") == ["abc-1"]
    assert events(terminal, "--session", "ab") == ["abc-1", "abd-2"]
    assert events(terminal, "--session", "xyz/with") == ["xyz/with slash"]
    assert events(terminal, "--session", "bc") == []


def test_kinds_may_be_repeated(fresh: Home, terminal: Terminal) -> None:
    for kind in ("hook", "error", "flag"):
        put(fresh, kind, event=kind)
    assert events(terminal, "--kind", "error") == ["error"]
    assert events(terminal, "--kind", "error", "--kind", "flag") == ["error", "flag"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--since", "30m"), ["now"]),
        (("--since", "2h"), ["hour", "now"]),
        (("--since", "3d"), ["day", "hour", "now"]),
        (("--since", "1w"), ["day", "hour", "now"]),
        (("--since", "5400s"), ["hour", "now"]),
        (("--since", "1.5h"), ["hour", "now"]),
        (("--until", "30m"), ["day", "hour"]),
        (("--since", "2h", "--until", "30m"), ["hour"]),
        (("--since", "2000-01-01"), ["day", "hour", "now"]),
        (("--until", "2000-01-01T00:00"), []),
        (("--since", "2000-01-01T00:00+02:00"), ["day", "hour", "now"]),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_times_choose(fresh: Home, terminal: Terminal, words: tuple[str, ...], expected: list[str]) -> None:
    for event, ago in (("day", 26 * HOUR), ("hour", HOUR), ("now", 0.0)):
        put(fresh, "hook", ago, event=event)
    assert events(terminal, *words) == expected


def test_the_newest_are_shown_and_the_oldest_of_them_first(fresh: Home, terminal: Terminal) -> None:
    for nth in range(60):
        put(fresh, "hook", event=str(nth))
    assert events(terminal) == [str(nth) for nth in range(10, 60)]
    assert events(terminal, "-n", "2") == ["58", "59"]
    assert len(events(terminal, "--number", "1000")) == 60


def test_the_newest_reach_over_midnight(fresh: Home, terminal: Terminal) -> None:
    for days in (3, 2, 1, 0):
        put(fresh, "hook", days * 24 * HOUR, event=str(days))
    assert events(terminal, "-n", "3") == ["2", "1", "0"]


@pytest.mark.parametrize(
    "words",
    [("--kind", "nonsense"), ("--since", "yesterday"), ("--until", "2026-13-01"), ("-n", "0"), ("-n", "x"), ("extra",)],
    ids=" ".join,
)
def test_what_is_not_understood_is_status_2_and_one_sentence(terminal: Terminal, words: tuple[str, ...]) -> None:
    done = terminal("log", *words)
    assert (done.status, done.out) == (UsageError.exit_status, "")
    assert done.err
    assert "Traceback" not in done.err


def test_damage_in_the_ledger_is_shown_and_hides_nothing(fresh: Home, terminal: Terminal) -> None:
    put(fresh, "hook", event="before")
    path = Path(ledger.day_path(fresh.state, time.time()))
    with path.open("ab") as out:
        out.write(b"\nHF1 zzzz garbage")
    put(fresh, "hook", event="after")
    records = as_json(terminal)
    assert [record.get("event") for record in records] == ["before", None, "after"]
    assert "damage bytes" in records[1]["error"]
    assert terminal("log").status == 0


def test_days_past_their_time_are_shown_as_counts(fresh: Home, terminal: Terminal) -> None:
    from holdfast.capture import background

    for _ in range(3):
        put(fresh, "hook", 100 * 24 * HOUR, event="after-tool")
    put(fresh, "hook", event="today")
    background.run(str(fresh.vault), time.time())
    done = terminal("log", "--counts")
    assert "hook=3 hook:after-tool=3" in done.out
    (day,) = as_json(terminal, "--counts")
    assert day["counts"] == {"hook": 3, "hook:after-tool": 3}
    assert events(terminal, "--kind", "hook") == ["today"]


def test_a_long_ledger_is_read_from_its_end(fresh: Home, terminal: Terminal) -> None:
    put(fresh, "hook", event="first")
    path = Path(ledger.day_path(fresh.state, time.time()))
    record = log.frame(b'{"v":1,"t":%d,"kind":"hook","event":"many"}' % time.time())
    with path.open("ab") as out:
        out.write(record * 200_000)
    put(fresh, "hook", event="last")
    began = time.perf_counter()
    assert events(terminal, "-n", "2") == ["many", "last"]
    assert time.perf_counter() - began < 1.0


@pytest.mark.slow
def test_following_shows_records_as_they_are_written_and_ends_quietly(fresh: Home) -> None:
    put(fresh, "hook", event="before")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "holdfast", "log", "--json", "--follow", "--kind", "hook"],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert json.loads(process.stdout.readline())["event"] == "before"
        # What is written between the listing and the first look is not promised, so it is written until it is seen.
        deadline = time.monotonic() + 30
        while not select.select([process.stdout], [], [], 0.1)[0]:
            assert time.monotonic() < deadline
            put(fresh, "flag", event="not wanted")
            put(fresh, "hook", event="as it is written")
        assert json.loads(process.stdout.readline())["event"] == "as it is written"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, "")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_reader_that_has_gone_ends_it_quietly(fresh: Home) -> None:
    for nth in range(2000):
        put(fresh, "hook", event=f"{nth} " + "x" * 100)
    line = f"{sys.executable} -P -m holdfast log -n 2000 | head -1"
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_a_newer_format_is_status_5(fresh: Home, terminal: Terminal) -> None:
    fresh.vault.mkdir()
    (fresh.vault / "format").write_text("999\n")
    done: Done = terminal("log")
    assert done.status == 5


def test_what_an_injection_carried_is_a_number_for_people_and_whole_as_json(fresh: Home, terminal: Terminal) -> None:
    carried = [f"rules/r{nth}.md:b13d{nth}" for nth in range(9)]
    put(fresh, "injection", event="session-start", carried=carried, characters=12)
    put(fresh, "injection", event="session-start", carried=[])
    first, second = terminal("log").out.splitlines()
    assert "carried=9 characters=12" in first
    assert "rules/" not in first
    assert "carried" not in second
    assert [record["carried"] for record in as_json(terminal)] == [carried, []]
