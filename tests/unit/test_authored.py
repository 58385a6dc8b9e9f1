"""A handoff that its own author is wrong about: refused while they can mend it, marked where they insist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home

from holdfast.capture import notices
from holdfast.errors import Unfit
from holdfast.memory import Memory

FORM = {
    "title": "The retry",
    "done": ["All tests pass"],
    "next_steps": ["Release it in orders.py"],
    "goals": ["Make it retry"],
}


def lines(*said: tuple[str, Any]) -> str:
    """A Claude Code transcript: words, and commands with what came back and whether they failed."""
    out = []
    for nth, (role, what) in enumerate(said):
        if role in ("user", "assistant"):
            out.append({"type": role, "message": {"role": role, "content": [{"type": "text", "text": what}]}})
            continue
        command, output, failed = what
        call = {"type": "tool_use", "id": f"c{nth}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"c{nth}", "content": output, "is_error": failed}
        out.append({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
        out.append({"type": "user", "message": {"role": "user", "content": [result]}})
    return "".join(json.dumps(one) + "\n" for one in out)


@pytest.fixture
def session(fresh: Home) -> Home:
    """One in which the tests fail at the end."""
    path = fresh.folder / "t.jsonl"
    path.write_text("")
    fresh.more["CLAUDE_CODE_SESSION_ID"] = "s1"
    fresh.reply(fresh.event("SessionStart", source="startup", transcript_path=str(path)))
    fresh.reply(fresh.event("UserPromptSubmit", prompt="Make it retry", transcript_path=str(path)))
    path.write_text(
        lines(
            ("user", "Make it retry"),
            ("bash", ("pytest -q", "2 failed, 40 passed", True)),
            ("assistant", "The tests fail still, in orders.py."),
            ("bash", (f"holdfast handoff '{json.dumps(FORM)}'", "", False)),
        )
    )
    return fresh


def hand_off(where: Home, form: dict[str, Any], *, anyway: bool = False) -> None:
    Memory.open(str(where.vault), str(where.project), env=where.env).sessions.handoff(json.dumps(form), anyway=anyway)


def written(where: Home) -> str:
    return "".join(path.read_text() for path in where.vault.glob("lineage/*/*.md"))


def test_what_the_session_contradicts_is_said_to_the_author_and_nothing_is_written(session: Home) -> None:
    with pytest.raises(Unfit, match='"All tests pass" is contradicted by the session'):
        hand_off(session, FORM)
    assert written(session) == ""


@pytest.mark.slow
def test_where_the_author_insists_the_contradiction_stands_beside_it_and_the_next_start_says_so(session: Home) -> None:
    hand_off(session, FORM, anyway=True)
    assert "All tests pass (contradicted by the session" in written(session)
    (said,) = notices.for_project(session.state, session.project_id(), 0.0)
    assert "checked against its session" in said.line


@pytest.mark.slow
def test_what_is_nowhere_to_be_found_is_marked(session: Home) -> None:
    form = {**FORM, "done": [], "learned": ["The limit is 7421 requests"]}
    hand_off(session, form)
    assert "The limit is 7421 requests (unverified" in written(session)


@pytest.mark.slow
def test_a_handoff_that_is_right_is_filed_as_it_is(session: Home) -> None:
    form = {**FORM, "done": [], "in_progress": ["2 tests fail still, in orders.py"]}
    hand_off(session, form)
    assert "unverified" not in written(session)
    assert notices.for_project(session.state, session.project_id(), 0.0) == []


@pytest.mark.slow
def test_outside_of_a_session_there_is_nothing_to_hold_against_it(fresh: Home) -> None:
    hand_off(fresh, FORM)
    assert Path(fresh.vault, "lineage").is_dir()


def test_a_test_whose_name_has_the_command_in_it_is_evidence_all_the_same(session: Home) -> None:
    path = session.folder / "t.jsonl"
    path.write_text(lines(("user", "Make it retry"), ("bash", ("pytest tests/test_handoff.py", "1 failed", True))))
    with pytest.raises(Unfit, match="contradicted"):
        hand_off(session, FORM)
