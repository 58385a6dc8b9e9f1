"""The audit: sessions seen, closed and drained, and everything that did not run as it was meant to."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Agents, Home

from holdfast.capture import codec, flags, home, ledger, log, queue
from holdfast.close import drain
from holdfast.errors import NotFound, UsageError
from holdfast.health import audit, period, unseen_sessions
from holdfast.health.audit import Audit
from holdfast.health.finding import Finding, Place

DAY = 86400.0
NOW = time.time()
A, B = "shop-11111111", "other-22222222"


@pytest.fixture
def quiet(fresh: Home) -> Home:
    """A home in which no end starts anything in the background."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    return fresh


def look(where: Home, now: float = 0.0, days: int = 7, everything: bool = True, **more: Any) -> Audit:
    at = now or time.time()
    place = Place(str(where.vault), str(where.project), where.env, clock=lambda: at)
    project = "" if everything else where.project_id()
    return audit.audit(place, period.make(at, days, **{"project": project, **more}))


def put(where: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    ledger.append(where.state, kind, NOW - ago, **what)


def kinds(found: Audit) -> list[str]:
    return [one.name for one in found.findings]


def only(found: Audit, kind: str) -> Finding:
    (one,) = [one for one in found.findings if one.name == kind]
    return one


def a_session(where: Home, session: str = "s1", *, flagged: str = "", now: float = 0.0) -> None:
    """One that starts, may flag, and ends."""
    now = now or time.time()
    where.answer(where.event("SessionStart", session, source="startup"), now=now)
    if flagged:
        where.flag(flagged, session=session)
    where.answer(where.event("SessionEnd", session, reason="other"), now=now + 1)


# --- sessions


def test_an_empty_vault_has_nothing_to_say(quiet: Home) -> None:
    found = look(quiet)
    assert found.ok
    assert found.as_record()["sessions"] == {
        **dict.fromkeys(("seen", "open", "closed", "closing", "drained"), 0),
        "indexed": 0,
        "unseen": 0,
    }


@pytest.mark.slow
def test_sessions_that_ran_and_were_closed_are_seen_closed_and_drained(quiet: Home, agents: Agents) -> None:
    a_session(quiet, "s1", flagged="Orders use optimistic locking")
    a_session(quiet, "s2")
    quiet.answer(quiet.event("SessionStart", "s3", source="startup"), pid=agents().pid)
    drain.drain(str(quiet.vault))
    found = look(quiet)
    assert found.ok, found.findings
    sessions = found.sessions
    assert (sessions.seen, sessions.open, sessions.closed, sessions.drained) == (3, 1, 2, 2)
    (closed,) = found.verbatim
    assert (closed.filed, closed.judge) == (1, "verbatim")


def test_a_session_that_ended_a_moment_ago_is_being_closed_and_later_it_is_a_skip(quiet: Home) -> None:
    a_session(quiet, flagged="Orders use optimistic locking")
    assert look(quiet).ok
    assert look(quiet).sessions.closing == 1
    late = look(quiet, now=time.time() + 1.5 * 3600)
    one = only(late, "not-drained")
    assert one.about == "claude-code/s1/1"
    assert one.detail.startswith("it ended 1 hour ago; 1 flag not filed")
    assert "HOLDFAST_CLOSE=off" in one.detail
    assert "holdfast close" in one.fix
    assert late.sessions.drained == 0


def test_a_close_that_was_started_and_left_no_record_is_named_as_the_cause(quiet: Home) -> None:
    a_session(quiet, flagged="Orders use optimistic locking")
    later = {"event": "session-start", "host": "claude-code", "episode": "claude-code/s2/1", "source": "startup"}
    ledger.append(quiet.state, "hook", time.time() + 5, **later, close=4711)
    quiet.more["HOLDFAST_CLOSE"] = ""
    one = only(look(quiet, now=time.time() + 3600), "not-drained")
    assert "process 4711" in one.detail
    assert "left no record" in one.detail
    assert "background.log" in one.fix
    put(
        quiet, "close", -1.0, episode="claude-code/s1/1", project=quiet.project_id(), filed=0, error="the vault is busy"
    )
    failed = look(quiet, now=time.time() + 3600)
    assert "its close failed: the vault is busy" in only(failed, "not-drained").detail
    assert only(failed, "close-failed").detail == "the vault is busy"


def test_no_close_at_all_is_said_too(quiet: Home) -> None:
    a_session(quiet, flagged="Orders use optimistic locking")
    quiet.more["HOLDFAST_CLOSE"] = ""
    assert "no close was started for it" in only(look(quiet, now=time.time() + 3600), "not-drained").detail


def test_a_session_that_died_unnoticed_is_not_closed_and_not_buried_by_a_look(quiet: Home, agents: Agents) -> None:
    agent = agents()
    quiet.answer(quiet.event("SessionStart", source="startup"), pid=agent.pid)
    agent.kill()
    one = only(look(quiet), "not-closed")
    assert "no start has noticed" in one.detail
    assert quiet.marks() == []
    assert look(quiet).sessions.closed == 0


def test_a_death_that_a_start_noticed_is_told_from_an_end(quiet: Home, agents: Agents) -> None:
    agent = agents()
    quiet.answer(quiet.event("UserPromptSubmit", prompt="build it"), pid=agent.pid)
    agent.kill()
    quiet.answer(quiet.event("SessionStart", "s2", source="startup"), pid=agents().pid)
    one = only(look(quiet, now=time.time() + 3600), "not-drained")
    assert one.detail.startswith("it died ")
    assert "its handoff is not written" in one.detail


def test_a_session_of_which_no_end_is_known_is_a_skip(quiet: Home) -> None:
    put(quiet, "hook", 3600, event="prompt", host="claude-code", episode="claude-code/lost/1", project=A)
    one = only(look(quiet), "not-closed")
    assert one.about == "claude-code/lost/1"
    assert "holdfast log --session lost" in one.fix


def test_a_mark_from_before_the_period_is_said_all_the_same(quiet: Home) -> None:
    a_session(quiet, flagged="Orders use optimistic locking", now=time.time() - 30 * DAY)
    found = look(quiet)
    assert found.sessions.seen == 0
    one = only(found, "not-drained")
    assert "29 days ago, and its mark still stands; 1 flag not filed" in one.detail
    assert look(quiet, days=31).sessions.seen == 1


def test_a_mark_that_cannot_be_read_is_a_skip(quiet: Home) -> None:
    odd = quiet.vault / ".state" / "marks" / "odd"
    odd.parent.mkdir(exist_ok=True)
    odd.write_bytes(b"no mark")
    assert only(look(quiet), "mark").count == 1
    assert os.listdir(odd.parent) == ["odd"]


def test_dead_letters_are_said_once_for_each_error(quiet: Home) -> None:
    for nth in range(3):
        quiet.flag(f"flag {nth}")
    settlement = quiet.settlement()
    for _ in range(queue.TRIES):
        claim = settlement.claim(10, 60.0)
        assert claim
        settlement.release(claim, [flag.id for flag in claim.flags], error="the shelf broke")
    one = only(look(quiet), "dead-letter")
    assert one.count == 3
    assert "the shelf broke" in one.detail
    assert "queue retry" in one.fix


def test_a_flag_of_no_session_that_waits_for_days_is_a_skip(quiet: Home) -> None:
    quiet.flag("Orders use optimistic locking")
    quiet.more["HOLDFAST_CLOSE"] = ""
    assert look(quiet, now=time.time() + 3600).ok
    assert "1 flag to be filed" in only(look(quiet, now=time.time() + 2 * DAY), "queue-age").detail


# --- projects


def test_of_other_projects_nothing_is_told_unless_asked_for(quiet: Home) -> None:
    for project, session in ((A, "mine"), (B, "theirs")):
        put(
            quiet, "hook", 3600, event="session-start", host="h", episode=f"h/{session}/1", project=project, opened=True
        )
    mine = look(quiet, project=A)
    assert [one.about for one in mine.findings] == ["h/mine/1"]
    assert [row.came for row in mine.rows] == [1]
    assert look(quiet).sessions.seen == 2


def test_a_session_that_went_to_another_folder_belongs_to_where_it_was_opened(quiet: Home) -> None:
    put(quiet, "hook", 30, event="session-start", host="h", episode="h/s/1", project=A, opened=True)
    put(quiet, "hook", 20, event="prompt", host="h", episode="h/s/1", project=B)
    assert look(quiet, project=A).sessions.seen == 1
    assert look(quiet, project=B).sessions.seen == 0


def test_a_project_can_be_named_without_the_letters_at_its_end_and_a_wrong_name_is_refused(quiet: Home) -> None:
    put(quiet, "hook", 30, event="session-start", host="h", episode="h/s/1", project=A, opened=True)
    assert look(quiet, project="shop", is_named=True).period.project == A
    with pytest.raises(NotFound, match="shpo"):
        look(quiet, project="shpo", is_named=True)


# --- errors, closes, older days


def test_errors_of_hooks_are_said_once_each_with_how_often(quiet: Home) -> None:
    for ago in (50, 40, 30):
        put(quiet, "error", ago, host="codex", event="prompt", error="OSError: no room")
    put(quiet, "error", 9 * DAY, host="codex", event="prompt", error="long ago")
    one = only(look(quiet), "hook-error")
    assert (one.about, one.count) == ("codex prompt", 3)
    assert one.detail.startswith("OSError: no room (3 times")


def test_an_error_of_another_project_is_not_told_and_one_of_nobody_knows_which_is(quiet: Home) -> None:
    put(quiet, "hook", 90, event="session-start", host="h", episode="h/s/1", project=B, opened=True)
    put(quiet, "episode", 80, episode="h/s/1", project=B, how="ended")
    put(quiet, "error", 60, host="h", event="prompt", error="theirs", project=B)
    put(quiet, "error", 60, host="h", event="prompt", error="theirs too", episode="h/s/1")
    assert look(quiet, project=A).ok
    put(quiet, "error", 50, host="h", event="prompt", error="whose?")
    put(quiet, "error", 40, host="h", event="prompt", error="mine", project=A)
    assert [one.detail.partition(" (")[0] for one in look(quiet, project=A).findings] == ["mine", "whose?"]
    assert len(look(quiet).findings) == 4


def test_errors_of_another_project_do_not_crowd_out_ones_own(quiet: Home) -> None:
    for nth in range(60):
        put(quiet, "error", 60, host="h", event="prompt", error=f"error {nth}", project=B)
    put(quiet, "error", 40, host="h", event="prompt", error="mine", project=A)
    assert only(look(quiet, project=A), "hook-error").detail.startswith("mine")


def test_many_different_errors_stay_few_lines(quiet: Home) -> None:
    for nth in range(60):
        put(quiet, "error", 30, host="codex", event="prompt", error=f"error {nth}")
    found = look(quiet)
    assert len(found.findings) == period.MOST_ERRORS + 1
    assert found.findings[-1].count == 60 - period.MOST_ERRORS


def test_damage_in_the_ledger_is_an_error_and_hides_nothing(quiet: Home) -> None:
    put(quiet, "hook", 30, event="session-start", host="h", episode="h/s/1", project=A, opened=True)
    put(quiet, "episode", 20, episode="h/s/1", project=A, how="ended")
    path = Path(ledger.day_path(quiet.state, NOW - 20))
    path.write_bytes(path.read_bytes() + b"\nHF1 zzzz garbage")
    put(quiet, "flag", 19, id="x", flag="fact", episode="h/s/1", project=A)
    found = look(quiet)
    assert found.sessions.drained == 1
    assert found.unasked == 1
    assert "damage" in only(found, "hook-error").detail


def test_closes_by_a_judge_are_told_with_their_jobs_and_tokens_and_why_they_fell_back(quiet: Home) -> None:
    common = {"project": A, "filed": 4, "jobs": 3, "workers": 8, "took": 2.5}
    put(quiet, "close", 60, episode="h/s/1", judge="claude-code", model="haiku", **common)
    put(quiet, "close", 50, episode="h/s/2", judge="verbatim", fell_back="the cap is reached", **common)
    for about in ("h/s/1", "h/of-another/1"):
        tokens = {"tokens_in": 1000, "tokens_out": 200, "money": None, "about": about, "ok": about == "h/s/1"}
        put(quiet, "model", 55, job="consolidate", judge="claude-code", model="haiku", **tokens)
    found = look(quiet, project=A)
    assert [one.judge for one in found.judged] == ["claude-code/haiku"]
    assert found.calls["claude-code/haiku"].tokens_in == 1000
    assert look(quiet).calls["claude-code/haiku"].failed == 1
    one = only(found, "fell-back")
    assert "1 close filed verbatim what was meant for the judge: the cap is reached" in one.detail
    record = found.as_record()["closes"]
    assert (record["parallel"], record["verbatim"], record["failed"]) == (1, 1, 0)


def test_a_close_that_failed_and_was_done_later_is_not_held_against_it(quiet: Home) -> None:
    put(quiet, "close", 60, episode="h/s/1", project=A, filed=0, error="the disk is full")
    assert kinds(look(quiet)) == ["close-failed"]
    put(quiet, "close", 50, episode="h/s/1", project=A, filed=2)
    assert look(quiet).ok


def test_a_fallback_that_a_later_close_put_right_is_no_alarm(quiet: Home) -> None:
    put(quiet, "close", 60, episode="h/s/1", project=A, filed=3, judge="verbatim", fell_back="answered 429")
    put(quiet, "close", 55, episode="h/s/1", project=B, filed=1, judge="verbatim", fell_back="answered 429")
    assert only(look(quiet), "fell-back").count == 2
    put(quiet, "close", 50, episode="h/s/1", project=A, filed=0, judge="openai", model="m", jobs=1)
    assert look(quiet, project=A).ok
    assert only(look(quiet), "fell-back").count == 1


def test_a_judge_that_took_up_what_was_left_put_it_right_and_one_that_fell_back_again_did_not(quiet: Home) -> None:
    put(quiet, "close", 60, episode="h/s/1", project=A, filed=3, judge="verbatim", fell_back="the cap is reached")
    put(quiet, "close", 50, episode="h/s/2", project=A, filed=3, judge="openai", fell_back="one of 3 jobs failed")
    assert sorted(one.detail.rpartition(": ")[2] for one in look(quiet).findings) == [
        "one of 3 jobs failed",
        "the cap is reached",
    ]
    put(quiet, "close", 45, episode="h/s/3", project=A, filed=0, judge="openai", error="the disk is full")
    put(quiet, "close", 44, episode="h/s/3", project=A, filed=2, judge="verbatim")
    assert kinds(look(quiet)) == ["fell-back", "fell-back"]
    put(quiet, "close", 40, episode="", project=A, filed=0, judge="openai", jobs=2, tidied=5)
    assert look(quiet).ok


def test_days_that_are_only_counted_are_told_apart(quiet: Home) -> None:
    old = NOW - 95 * DAY
    ledger.append_all(quiet.state, "hook", old, [{"event": "session-start", "episode": "h/old/1"}] * 3)
    ledger.retire(quiet.state, NOW)
    found = look(quiet, days=100)
    assert found.counted == {"days": 1, "counts": {"hook": 3, "hook:session-start": 3}}
    assert found.sessions.seen == 0
    assert look(quiet, days=7).counted["days"] == 0


def test_a_snag_that_waits_longer_than_two_closes_is_an_alarm(quiet: Home) -> None:
    from holdfast.close.improve import loops

    flag = flags.make("The build hung. Better: cap it at 60 s", now=NOW, kind="snag", project=A)[0]
    queue.append(f"{quiet.state}/queue", [flag], NOW)
    ledger.append(quiet.state, "flag", NOW, id=flag.id, flag="snag")
    found = look(quiet)
    stages = {"noted": 0, "reopened": 0, "wired": 0, "proven": 0}
    assert found.as_record()["loops"] == {"open": 1, "closed": 0, **stages}
    assert found.ok
    for _ in range(3):
        loops.after_close(str(quiet.vault), quiet.state, NOW, A)
    one = only(look(quiet, project=A), "open-loop")
    assert one.about == flag.id
    assert "holdfast loops" in one.fix


def test_a_part_that_cannot_be_looked_at_is_said_in_a_line(quiet: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/home/ada/.claude")

    monkeypatch.setattr(unseen_sessions, "look", broken)
    one = only(look(quiet), "hook-error")
    assert one.detail == "hooks could not be looked at (PermissionError: Permission denied: /home/ada/.claude)"


# --- the period, and what looking costs


def test_a_period_is_days_or_a_date_and_nothing_else() -> None:
    assert period.make(NOW).since == NOW - 7 * DAY
    assert period.make(NOW, 3).since == NOW - 3 * DAY
    assert period.make(1_790_000_000.0, since="2026-09-01").since == 1_788_220_800.0
    assert period.make(1_790_000_000.0, since="2026-09-01T02:00+02:00").since == 1_788_220_800.0
    for wrong in ({"since": "yesterday"}, {"since": "2999-01-01"}, {"days": 3, "since": "2026-01-01"}):
        with pytest.raises(UsageError):
            period.make(NOW, **wrong)


def test_looking_changes_nothing(quiet: Home) -> None:
    a_session(quiet, flagged="Orders use optimistic locking")
    quiet.project_id()

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in quiet.vault.rglob("*") if path.is_file()}

    look(quiet)  # what is compiled for reading may be made at the first look
    before = files()
    look(quiet, now=time.time() + 3600)
    assert files() == before


def test_odd_records_are_counted_as_far_as_they_can_be_read(quiet: Home) -> None:
    odd: list[dict[str, object]] = [
        {"kind": "hook", "episode": 7, "event": ["x"], "host": {}, "close": "pid"},
        {"kind": "close", "filed": "many", "jobs": None, "took": -1, "judge": 3},
        {"kind": "model", "tokens_in": "x", "ok": None},
        {"kind": "nudge", "boundary": None, "decision": None},
        {"kind": "flag"},
        {"kind": "episode"},
    ]
    path = ledger.day_path(quiet.state, NOW)
    log.append(path, [codec.encode({"v": 1, "t": NOW, **one}) for one in odd], durable=False)
    assert look(quiet, now=NOW + 1).records == len(odd)


@pytest.mark.slow
def test_a_hundred_thousand_records_are_counted_and_the_rest_of_a_long_list_is_said(quiet: Home) -> None:
    for day in range(7):
        moments: list[dict[str, object]] = [
            {"event": "after-tool", "host": "h", "episode": f"h/s{day}-{nth % 40}/1", "project": A, "us": 900}
            for nth in range(14_286)
        ]
        payload = [codec.encode({"v": 1, "t": NOW - day * DAY, "kind": "hook", **one}) for one in moments]
        log.append(ledger.day_path(quiet.state, NOW - day * DAY), payload, durable=False)
    found = look(quiet, now=NOW + 1)
    assert found.records > 100_000
    assert found.sessions.seen == 280
    assert len(found.findings) == audit.MOST_LISTED
    assert found.left_out == {"not-closed": 280 - audit.MOST_LISTED}
