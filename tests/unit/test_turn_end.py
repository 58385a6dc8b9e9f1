"""The end of a turn: the skip of a boundary is recorded once; in strict mode the model is asked once, and never in a
loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home

from holdfast.capture import config

SKIPPED = ("turn-stop", "skipped")
ASKED = ("turn-stop", "said")


@pytest.fixture
def session(fresh: Home) -> Home:
    """A session that has begun its first turn."""
    fresh.answer(fresh.event("SessionStart", source="startup"))
    fresh.answer(fresh.event("UserPromptSubmit", prompt="Mend it"))
    return fresh


@pytest.fixture
def strict(session: Home) -> Home:
    Path(config.path_of(session.state)).write_text('mode = "strict"\n')
    return session


def boundary(where: Home, call: str = "c1", **more: Any) -> dict[str, Any]:
    given_so = {"title": "Retries"}
    event = where.event("PostToolUse", tool_name="mark_chapter", tool_input=given_so, tool_use_id=call, **more)
    return where.reply(event)


def stop(where: Home, said: str = "Done.", *, again: bool = False, host: str = "claude-code", **more: Any) -> str:
    """What a turn's end answers: the question, or "" where the turn may end."""
    event = where.event("Stop", last_assistant_message=said, stop_hook_active=again, **more)
    reply = where.reply(event, host=host)
    assert reply == {} or reply["decision"] == "block"
    return str(reply.get("reason", ""))


def decisions(where: Home) -> list[tuple[str, str]]:
    return [one for one in where.nudges() if one[0] in ("turn-stop", "user-request", "chapter")]


# --- the default


def test_by_default_a_skip_is_recorded_once_and_the_turn_ends(session: Home) -> None:
    boundary(session)
    assert stop(session) == ""
    assert stop(session) == ""
    assert decisions(session) == [("chapter", "said"), SKIPPED]
    assert session.ledger("nudge")[-1]["reason"] == ("a boundary passed (chapter) and nothing was flagged or declined")


def test_a_turn_without_a_boundary_skips_nothing(session: Home) -> None:
    assert stop(session) == ""
    assert SKIPPED not in session.nudges()
    assert session.ledger("hook")[-1]["stop"] == "nothing was due"


def test_who_flagged_has_skipped_nothing(session: Home) -> None:
    boundary(session)
    session.flag("orders use locks", "s1")
    stop(session)
    assert SKIPPED not in session.nudges()


def test_who_declined_by_command_has_skipped_nothing(session: Home) -> None:
    boundary(session)
    done = session.fast("flag", "--nothing", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert done.out == "Nothing to flag; noted.\n"
    stop(session)
    assert decisions(session) == [("chapter", "said"), ("chapter", "declined")]


@pytest.mark.parametrize(
    "said",
    [
        "Done. Nothing to flag.",
        "nothing durable came of it",
        "x" * 20_000 + "\nNothing to flag.",
        "NOTHING TO REMEMBER",
    ],
)
def test_who_declined_in_words_has_skipped_nothing(session: Home, said: str) -> None:
    boundary(session)
    assert stop(session, said) == ""
    assert decisions(session) == [("chapter", "said"), ("chapter", "declined")]


def test_words_at_another_turn_decline_nothing_that_comes_later(session: Home) -> None:
    stop(session, "Nothing to flag.")
    boundary(session)
    stop(session, "All tests pass.")
    assert SKIPPED in session.nudges()


# --- strict


def test_strict_asks_once_a_turn_and_names_the_command(strict: Home) -> None:
    boundary(strict)
    asked = stop(strict)
    assert asked.startswith("Before you stop: a boundary passed (chapter) and nothing was flagged.")
    assert "`holdfast flag --kind decision|lesson|progress --evidence FILE:LINE '…'`" in asked
    assert "`holdfast flag --nothing`" in asked
    assert len(asked.splitlines()) <= 3
    assert stop(strict, again=True) == ""
    assert stop(strict) == ""
    assert decisions(strict) == [("chapter", "said"), ASKED, SKIPPED]


def test_strict_never_asks_in_a_turn_that_goes_on_because_a_hook_asked(strict: Home) -> None:
    boundary(strict)
    assert stop(strict, again=True) == ""
    assert decisions(strict) == [("chapter", "said"), SKIPPED]


def test_however_often_a_turn_would_stop_it_is_asked_once(strict: Home) -> None:
    for nth in range(6):
        boundary(strict, f"c{nth}")
        stop(strict, again=nth % 2 == 1)
    assert strict.nudges().count(ASKED) == 1


def test_the_next_turn_may_be_asked_again(strict: Home) -> None:
    for nth in range(3):
        boundary(strict, f"c{nth}")
        assert stop(strict)
        assert stop(strict, again=True) == ""
        strict.answer(strict.event("UserPromptSubmit", prompt=f"Go on {nth}"))
    assert strict.nudges().count(ASKED) == 3


def test_a_background_result_or_a_subagents_task_begins_no_turn(strict: Home) -> None:
    boundary(strict)
    assert stop(strict)
    strict.answer(strict.event("UserPromptSubmit", prompt="<task-notification>done</task-notification>"))
    boundary(strict, "c2")
    assert stop(strict) == ""


def test_an_answer_in_words_ends_it(strict: Home) -> None:
    boundary(strict)
    assert stop(strict)
    assert stop(strict, "Nothing to flag.", again=True) == ""
    assert decisions(strict) == [("chapter", "said"), ASKED, ("chapter", "declined")]


def test_an_answer_by_flag_ends_it(strict: Home) -> None:
    boundary(strict)
    assert stop(strict)
    strict.flag("orders use locks", "s1")
    assert stop(strict, again=True) == ""
    assert SKIPPED not in strict.nudges()


def test_who_said_that_there_is_nothing_is_not_asked(strict: Home) -> None:
    boundary(strict)
    assert stop(strict, "Nothing to flag.") == ""


def test_nothing_due_is_nothing_asked(strict: Home) -> None:
    assert stop(strict) == ""


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_subagents_end_is_never_asked(strict: Home, host: str) -> None:
    strict.answer(strict.event("SessionStart", source="startup"), host=host)
    boundary(strict)
    ended = strict.event("SubagentStop", agent_id="a1", agent_type="Explore", stop_hook_active=False)
    assert strict.reply(ended, host=host) == {}
    assert stop(strict, agent_id="a1", host=host) == ""
    assert ASKED not in strict.nudges()


def test_what_was_held_is_not_asked_a_second_time(strict: Home) -> None:
    strict.answer(strict.event("SubagentStop", agent_id="a1", agent_type="Explore"))
    assert "a boundary passed (subagent)" in stop(strict)
    read = strict.event("PreToolUse", tool_name="Read", tool_input={"file_path": "a.py"})
    assert strict.answer(read) == ""


def test_by_default_what_was_held_is_still_said_in_the_next_turn(session: Home) -> None:
    session.answer(session.event("SubagentStop", agent_id="a1", agent_type="Explore"))
    stop(session)
    told = session.answer(session.event("UserPromptSubmit", prompt="Go on"))
    assert told.startswith("A subagent has finished.")


def test_codex_is_asked_in_its_own_shape(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"), host="codex")
    Path(config.path_of(fresh.state)).write_text('mode = "strict"\n')
    plan = {"plan": [{"step": "Retry", "status": "completed"}]}
    fresh.answer(fresh.event("PostToolUse", tool_name="update_plan", tool_input=plan), host="codex")
    done = fresh.hook(fresh.event("Stop", stop_hook_active=False, last_assistant_message="Done."), host="codex")
    reply = json.loads(done.out)
    assert sorted(reply) == ["decision", "reason"]
    assert reply["decision"] == "block"


@pytest.mark.parametrize("mode", ['"Strict"', '"on"', "true", "1", '""'])
def test_only_the_word_strict_is_strict(session: Home, mode: str) -> None:
    Path(config.path_of(session.state)).write_text(f"mode = {mode}\n")
    boundary(session)
    assert stop(session) == ""


# --- what the user ordered


def order(where: Home) -> str:
    told = where.answer(where.event("UserPromptSubmit", prompt="Remember: never push on Friday."))
    assert "`holdfast flag --for " in told
    return where.waiting()[-1].id


def test_an_order_that_the_model_did_not_put_properly_is_recorded_once(session: Home) -> None:
    order(session)
    assert stop(session) == ""
    assert stop(session) == ""
    assert session.nudges().count(("user-request", "skipped")) == 1
    assert "the close files the user's own words" in session.ledger("nudge")[-1]["reason"]


def test_strict_asks_for_the_order_by_its_id(strict: Home) -> None:
    ident = order(strict)
    asked = stop(strict)
    assert f"`holdfast flag --for {ident} --kind rule|preference" in asked
    assert stop(strict, again=True) == ""
    assert strict.nudges().count(("user-request", "skipped")) == 1


def test_an_order_that_was_put_properly_is_not_asked_for(strict: Home) -> None:
    ident = order(strict)
    done = strict.fast("flag", "--for", ident, "--kind", "rule", "Never push on Friday.",
                       env={"CLAUDE_CODE_SESSION_ID": "s1"})  # fmt: skip
    assert done.status == 0, done.err
    assert stop(strict) == ""
    assert ("user-request", "skipped") not in strict.nudges()
