"""The doctor at what is captured: what waits too long, what is dead or broken, and sessions without a known end."""

from __future__ import annotations

import json
import os
import time

import pytest
from doctor_support import DAY, ask, failing, fix, installed, look, one
from hook_support import Agents, Home

from holdfast.capture import ledger, queue


@pytest.fixture
def healthy(fresh: Home) -> Home:
    return installed(fresh)


# --- the queue


@pytest.mark.slow
def test_a_flag_that_waits_for_hours_is_well_and_for_more_than_a_day_fails(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    assert "1 flag to be filed" in ask(healthy, "queue-age", now=time.time() + DAY / 2).detail
    assert ask(healthy, "queue-age", now=time.time() + DAY / 2).ok
    late = look(healthy, now=time.time() + DAY + 60)
    assert failing(late) == ["queue-age"]
    assert "1 day" in one(late, "queue-age").detail


def test_while_closes_are_switched_off_an_old_flag_is_a_note(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    healthy.more["HOLDFAST_CLOSE"] = "off"
    assert ask(healthy, "queue-age", now=time.time() + 3 * DAY).level == "note"


@pytest.mark.slow
def test_fix_files_what_waited_too_long(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    report = fix(healthy, now=time.time() + DAY + 60)
    assert one(report, "queue-age").ok
    assert healthy.texts() == []
    assert any("1 flag filed" in said for said in report.fixed)


@pytest.mark.slow
def test_a_dead_letter_fails_with_its_last_error_and_fix_does_not_retry_it(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    settlement = healthy.settlement()
    for _ in range(queue.TRIES):
        claim = settlement.claim(10, 60.0)
        assert claim
        settlement.release(claim, [flag.id for flag in claim.flags], error="the shelf broke")
    said = one(fix(healthy), "dead-letters")
    assert not said.ok
    assert "the shelf broke" in said.detail
    assert "holdfast queue retry" in said.fix


def test_bytes_in_the_queue_that_are_no_record_fail_and_a_torn_end_is_a_note(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    (path,) = (healthy.vault / ".state" / "queue" / "live").glob("*.log")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    assert ask(healthy, "queue-damage").level == "note"
    path.write_bytes(whole.replace(b"optimistic", b"pessimist!"))
    said = ask(healthy, "queue-damage")
    assert not said.ok
    assert path.name in said.detail


# --- sessions


@pytest.mark.slow
def test_a_session_that_ended_undrained_is_told_and_closed_by_fix(healthy: Home) -> None:
    healthy.more["HOLDFAST_CLOSE"] = "off"
    (healthy.vault / ".state" / "upkeep").touch(0o600)
    healthy.answer(healthy.event("SessionStart", source="startup"))
    healthy.flag("Orders use optimistic locking", session="s1")
    healthy.answer(healthy.event("SessionEnd", reason="other"))
    later = time.time() + 3600
    assert "claude-code/s1/1" in ask(healthy, "marks", now=later).detail
    healthy.more["HOLDFAST_CLOSE"] = ""
    assert "marks" in failing(look(healthy, now=later + DAY))
    report = fix(healthy, now=later + DAY)
    assert one(report, "marks").level == "mended"
    assert healthy.marks() == []


def test_a_session_that_is_being_closed_is_not_worried_about(healthy: Home) -> None:
    healthy.more["HOLDFAST_CLOSE"] = "off"
    (healthy.vault / ".state" / "upkeep").touch(0o600)
    healthy.answer(healthy.event("SessionStart", source="startup"))
    healthy.flag("Orders use optimistic locking", session="s1")
    healthy.answer(healthy.event("SessionEnd", reason="other"))
    assert ask(healthy, "marks").level == "ok"


@pytest.mark.slow
def test_a_session_that_died_unnoticed_is_told_and_not_buried_by_a_look(healthy: Home, agents: Agents) -> None:
    agent = agents()
    healthy.more["HOLDFAST_CLOSE"] = "off"
    healthy.answer(healthy.event("SessionStart", source="startup"), pid=agent.pid)
    healthy.flag("Orders use optimistic locking", session="s1")
    assert ask(healthy, "marks").level == "ok"
    agent.kill()
    said = ask(healthy, "marks")
    assert said.level == "note"
    assert "claude-code/s1/1" in said.detail
    assert healthy.marks() == []
    fix(healthy)
    assert healthy.texts() == []


@pytest.mark.slow
def test_a_mark_that_cannot_be_read_fails_and_stays_where_it_is(healthy: Home) -> None:
    odd = healthy.vault / ".state" / "marks" / "odd"
    odd.parent.mkdir(0o700, exist_ok=True)
    odd.write_bytes(b"no mark")
    odd.chmod(0o600)
    assert failing(look(healthy)) == ["marks"]
    assert os.listdir(odd.parent) == ["odd"]


def test_sessions_seen_closed_and_drained_are_counted(healthy: Home, agents: Agents) -> None:
    healthy.more["HOLDFAST_CLOSE"] = "off"
    (healthy.vault / ".state" / "upkeep").touch(0o600)
    for session in ("s1", "s2"):
        healthy.answer(healthy.event("SessionStart", session, source="startup"))
        healthy.answer(healthy.event("SessionEnd", session, reason="other"))
    healthy.answer(healthy.event("SessionStart", "s3", source="startup"), pid=agents().pid)
    said = ask(healthy, "sessions")
    assert said.ok
    assert "3 seen in the last 7 days, 1 open, 2 closed, 2 drained" in said.detail


def test_a_session_without_a_known_end_that_is_not_open_fails(healthy: Home) -> None:
    state = healthy.state
    ledger.append(state, "hook", time.time(), event="prompt", host="claude-code", episode="claude-code/lost/1")
    said = ask(healthy, "sessions")
    assert not said.ok
    assert "claude-code/lost/1" in said.detail


def test_errors_of_the_last_day_are_a_note_with_the_newest_sentence(healthy: Home) -> None:
    now = time.time()
    for ago, what in ((2 * DAY, "long ago"), (7200.0, "the first"), (60.0, "the newest")):
        ledger.append(healthy.state, "error", now - ago, host="claude-code", event="prompt", error=what)
    said = ask(healthy, "errors", now=now)
    assert said.level == "note"
    assert "2 errors" in said.detail
    assert said.detail.endswith("the newest")


@pytest.mark.slow
def test_the_ledger_of_a_busy_week_is_read_in_a_moment(healthy: Home) -> None:
    now = time.time()
    for day in range(7):
        moments: list[dict[str, object]] = [
            {"event": "after-tool", "host": "claude-code", "episode": f"claude-code/s{day}/1", "us": 900}
            for _ in range(3000)
        ]
        ledger.append_all(healthy.state, "hook", now - day * DAY, moments)
        ledger.append(healthy.state, "episode", now - day * DAY, episode=f"claude-code/s{day}/1", how="ended")
    began = time.perf_counter()
    said = ask(healthy, "sessions", now=now)
    assert time.perf_counter() - began < 5.0  # of which most is for a busy machine
    assert "7 seen" in said.detail


@pytest.mark.slow
def test_json_of_a_report_with_failures_can_be_read(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    report = look(healthy, now=time.time() + 2 * DAY)
    said = json.loads(json.dumps(report.as_record()["checks"]))
    assert {"name": "queue-age", "ok": False}.items() <= next(one for one in said if one["name"] == "queue-age").items()
