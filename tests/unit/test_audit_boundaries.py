"""The audit at boundaries: which came, what was injected, and whether a flag, a "nothing" or silence followed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hook_support import Agents, Home
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import home, ledger
from holdfast.health.boundaries import IN_A_ROW, Boundaries, Row
from holdfast.health.period import make as period
from holdfast.health.period import read


@pytest.fixture
def at_work(fresh: Home, agents: Agents) -> Home:
    """A home with a session that has begun."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    fresh.answer(fresh.event("SessionStart", source="startup"), pid=agents().pid)
    return fresh


def everything(_: object) -> bool:
    return True


def rows(where: Home) -> dict[str, Row]:
    told = read(where.state, period(time.time() + 1))
    return {row.kind: row for row in told.boundaries.rows(everything)}


def commits(where: Home, call: str) -> str:
    tool: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_use_id": call,
        "tool_input": {"command": "git commit -m x"},
        "tool_response": "",
    }
    return where.answer(where.event("PostToolUse", **tool))


def told(*records: dict[str, Any]) -> Boundaries:
    found = Boundaries()
    for nth, record in enumerate(records):
        one = {"t": nth, "project": "p", "episode": "h/s/1", **record}
        found.take(one, str(one["episode"]), float(one["t"]))
    return found


def nudge(boundary: str, decision: str = "said", **more: Any) -> dict[str, Any]:
    return {"kind": "nudge", "boundary": boundary, "decision": decision, **more}


def hook(event: str, **more: Any) -> dict[str, Any]:
    return {"kind": "hook", "event": event, **more}


FLAG = {"kind": "flag"}
STOP = hook("turn-stop")


def row(found: Boundaries, kind: str) -> Row:
    (one,) = [one for one in found.rows(everything) if one.kind == kind]
    return one


# --- through the real hook


def test_a_boundary_that_is_answered_by_a_flag_is_told_with_it(at_work: Home) -> None:
    at_work.answer(at_work.event("UserPromptSubmit", prompt="Fix the orders"))
    assert "holdfast flag" in commits(at_work, "c1")
    at_work.flag("Orders use optimistic locking", session="s1")
    at_work.answer(at_work.event("Stop"))
    found = rows(at_work)
    assert (found["session-start"].came, found["session-start"].injected) == (1, 1)
    assert (found["first-prompt"].came, found["first-prompt"].silent) == (1, 1)
    one = found["commit"]
    assert (one.came, one.injected, one.answered, one.flags, one.ignored) == (1, 1, 1, 1, 0)
    assert found["turn-stop"].came == 1


def test_a_boundary_that_nobody_answers_is_ignored_once_its_turn_is_over(at_work: Home) -> None:
    commits(at_work, "c1")
    assert rows(at_work)["commit"].ignored == 0
    at_work.answer(at_work.event("Stop"))
    assert rows(at_work)["commit"].ignored == 1
    commits(at_work, "c2")
    at_work.answer(at_work.event("Stop", last_assistant_message="Committed. Nothing to flag."))
    one = rows(at_work)["commit"]
    assert (one.came, one.declined, one.ignored) == (2, 1, 1)


def test_a_checkpoint_of_a_task_answers_a_boundary_too(at_work: Home) -> None:
    commits(at_work, "c1")
    ledger.append(at_work.state, "task", time.time(), episode="claude-code/s1/1", section="progress")
    at_work.answer(at_work.event("Stop"))
    one = rows(at_work)["commit"]
    assert (one.answered, one.flags, one.ignored) == (1, 0, 0)


def test_an_order_of_the_user_is_a_boundary_and_the_hooks_own_flag_is_no_answer(at_work: Home) -> None:
    at_work.answer(at_work.event("UserPromptSubmit", prompt="Remember: we deploy on Tuesdays"))
    at_work.answer(at_work.event("Stop"))
    one = rows(at_work)["user-request"]
    assert (one.came, one.injected, one.answered, one.ignored) == (1, 1, 0, 1)


def test_a_compaction_is_told_with_its_snapshot(at_work: Home) -> None:
    at_work.answer(at_work.event("PreCompact", trigger="auto"))
    at_work.answer(at_work.event("SessionStart", source="compact"))
    found = rows(at_work)
    assert (found["before-compaction"].came, found["before-compaction"].injected) == (1, 1)
    assert (found["after-compaction"].came, found["after-compaction"].injected) == (1, 1)
    assert found["session-start"].came == 1


# --- the rules of counting


def test_a_nudge_that_was_held_came_once() -> None:
    found = told(nudge("task", "held"), nudge("task", reason="it was held until now"), FLAG, STOP)
    one = row(found, "task")
    assert (one.came, one.held, one.injected, one.answered) == (1, 1, 1, 1)


def test_within_a_turn_one_flag_answers_every_nudge_and_counts_for_the_newest() -> None:
    found = told(nudge("task"), nudge("write"), FLAG, FLAG, STOP)
    assert (row(found, "task").answered, row(found, "task").flags) == (1, 0)
    assert (row(found, "write").answered, row(found, "write").flags) == (1, 2)
    assert found.unasked == {}


def test_a_flag_that_nobody_asked_for_is_counted_apart_and_so_is_one_of_the_next_turn() -> None:
    found = told(FLAG, nudge("task"), STOP, FLAG)
    assert found.unasked == {"p": 2}
    assert row(found, "task").ignored == 1


def test_a_death_ends_a_turn_and_a_subagents_stop_does_not() -> None:
    assert row(told(nudge("task"), hook("turn-stop", agent="a1")), "task").ignored == 0
    assert row(told(nudge("task"), {"kind": "episode"}), "task").ignored == 1
    assert row(told(nudge("task"), hook("session-start", source="resume")), "task").ignored == 1


def test_an_end_that_a_host_tells_twice_came_once() -> None:
    assert row(told(hook("session-end"), hook("session-end", repeated=True)), "session-end").came == 1


def test_only_the_newest_nudges_in_a_row_without_an_answer_are_an_alarm() -> None:
    ignored = [nudge("task"), STOP]
    few = told(*ignored * (IN_A_ROW - 1))
    assert list(few.in_a_row(everything)) == []
    many = told(*ignored * 2, nudge("task"), FLAG, STOP, *ignored * IN_A_ROW)
    assert [(host, count) for host, count, _ in many.in_a_row(everything)] == [("h", IN_A_ROW)]
    healed = told(*ignored * 9, nudge("task"), nudge("task", "declined"), STOP)
    assert list(healed.in_a_row(everything)) == []
    other = told(*ignored * 9, {**nudge("task"), "project": "q"}, {**FLAG, "project": "q"})
    assert [count for _, count, _ in other.in_a_row(lambda project: project == "p")] == [9]


def test_words_that_may_be_an_order_need_no_answer() -> None:
    found = told(*[nudge("user-request"), STOP] * 9)
    assert list(found.in_a_row(everything)) == []
    assert row(found, "user-request").ignored == 9


def test_an_alarm_of_one_host_is_not_hidden_by_another() -> None:
    mine = [nudge("task", episode="codex/s/1"), {**STOP, "episode": "codex/s/1"}]
    found = told(*mine * IN_A_ROW, nudge("task"), FLAG, STOP)
    assert [(host, count) for host, count, _ in found.in_a_row(everything)] == [("codex", IN_A_ROW)]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.one_of(
            st.builds(
                nudge, st.sampled_from(("task", "commit", "turn-stop")), st.sampled_from(("said", "silent", "held"))
            ),
            st.just(FLAG),
            st.just(STOP),
            st.just(nudge("task", "declined")),
        ),
        max_size=40,
    )
)
def test_whatever_comes_every_flag_is_counted_once_and_no_nudge_twice(records: list[dict[str, Any]]) -> None:
    found = told(*records)
    shown = found.rows(everything)
    counted = sum(one.flags for one in shown) + sum(found.unasked.values())
    assert counted == sum(1 for one in records if one["kind"] == "flag")
    for one in shown:
        assert one.answered + one.declined + one.ignored <= one.injected
        assert one.kind == "turn-stop" or one.injected <= one.came


def test_a_checkpoint_of_a_task_answers_a_nudge() -> None:
    told = Boundaries()
    key = "claude-code/s1/1"
    for turn in range(IN_A_ROW):
        asked = {"kind": "nudge", "boundary": "checkpoint", "decision": "said", "project": "p"}
        told.take(asked, key, turn)
        told.take({"kind": "task", "task": "audit", "section": "progress", "project": "p"}, key, turn)
        told.take({"kind": "hook", "event": "turn-stop", "project": "p"}, key, turn)
    row = next(one for one in told.rows(everything) if one.kind == "checkpoint")
    assert (row.answered, row.ignored) == (IN_A_ROW, 0)
    assert not list(told.in_a_row(everything))
