"""The close with a judge that the user chose, through the hooks of the real hosts: the next session's first request has
the consolidated notes, the judged handoff and the changed rule, and the judge itself is nobody's session."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from .claude_desk import ClaudeDesk
from .closes import (
    BETTER,
    CHANGED,
    FACTS,
    INVOICES,
    NEXT,
    ORDERS,
    TITLE,
    TOGETHER,
    WISH,
    Asked,
    asked_of,
    assert_the_judge_stayed_apart,
    assert_told_once,
    closed,
    failing,
    first_request,
    flagging,
    going_on,
    judging,
    killed,
    long_session,
    sensible,
)
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, wait_for
from .steps import Request, say

pytestmark = pytest.mark.e2e

NOTE = f"- {TOGETHER} (projects/what-is-known-of-orders.md): {'; '.join(ORDERS)}"
RULE = "rules/tests-have-an-end.md"
QUESTIONS = 5  # one group of flags, one snag, two for the handoff, the user's words; then comes the second look
ABOUT = {"consolidate", "handoff", "pending", "improve", "verify"}


def choose(desk: Desk, name: str, *options: str) -> None:
    """The user's own choice, before there is anything to judge."""
    desk.holdfast("judge", name, *options)


def assert_knows_what_was_judged(asked: Request) -> None:
    """One note for the flags that belong together, the handoff as the judge wrote it, the rule as it made it."""
    assert asked.knows(NOTE)
    assert not asked.knows("projects/orders-carry-a-version-column.md")
    assert asked.knows(TITLE)
    assert asked.knows(f"Next steps: {NEXT}")
    for text in ORDERS:
        assert asked.knows(text)
    for path in ("projects/what-is-known-of-orders.md", "projects/what-is-known-of-invoices.md"):
        assert asked.knows(path)
    assert asked.knows(INVOICES)
    assert asked.knows(f'{CHANGED}{RULE} now says "{BETTER}"')
    assert not asked.knows("WARNING")


def assert_judged(told: dict[str, Any], name: str) -> None:
    assert (told["judge"], told["filed"], told["jobs"]) == (name, 4, QUESTIONS)
    assert "fell_back" not in told, told["fell_back"]


def test_a_session_is_judged_by_claude_code_while_the_next_has_begun(claude: ClaudeDesk, server: ModelServer) -> None:
    """Verbatim for the one that starts at once, consolidated for the one after."""
    held = threading.Event()
    server.judge = judging(held=held)
    choose(claude, "claude-code", "--no-probe")
    session = claude.ask(WISH, *flagging(claude), say("Done."))
    try:
        with going_on(claude, "Go on") as (_, asked):
            for text in (*FACTS, BETTER):
                assert asked.knows(text), text
            assert not asked.knows(TOGETHER)
            held.set()
            assert_judged(closed(claude, session), "claude-code")
            assert_knows_what_was_judged(first_request(claude, "And now?"))
    finally:
        held.set()
    assert {job for job, _ in asked_of(claude)} >= ABOUT
    calls = claude.log("--kind", "model")
    assert {one["job"] for one in calls} >= ABOUT
    assert all(one["judge"] == "claude-code" and one["ok"] and one["tokens_in"] == 1000 for one in calls)
    assert_the_judge_stayed_apart(claude)


def test_a_session_that_was_killed_is_judged_by_the_close_that_the_next_start_begins(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    server.judge = judging()
    choose(claude, "claude-code", "--no-probe")
    died = killed(claude)
    with going_on(claude, "What happened?") as (_, asked):
        for text in (*FACTS, BETTER):
            assert asked.knows(text), text
        assert asked.knows(f"WARNING: the claude-code session {died} died without an end")
        assert_judged(closed(claude, died), "claude-code")
        after = first_request(claude, "And now?")
        assert_knows_what_was_judged(after)
        assert after.knows("The session died without an end")
        assert after.knows("Reconstructed by holdfast from the transcript of a session that died")
    # What is still to be done goes on from handoff to handoff; a session that did not speak of it is no doubt.
    told = closed(claude, asked.session)
    handoff = (claude.vault / told["handoff"]).read_text(encoding="utf-8")
    assert f"- {NEXT}\n" in handoff
    assert_the_judge_stayed_apart(claude)


def test_a_judge_that_is_turned_away_costs_no_flag_and_what_it_left_is_consolidated_later(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    server.judge = failing(500)
    choose(claude, "claude-code", "--no-probe")
    session = claude.ask(WISH, *flagging(claude), say("Done."))
    told = closed(claude, session)
    assert (told["filed"], told["judge"]) == (4, "verbatim")
    assert "500" in told["fell_back"]
    server.judge = judging()
    asked = first_request(claude, "Go on")
    assert asked.knows("WARNING: the last close could not use the judge claude-code/haiku")
    for text in FACTS:
        assert asked.knows(f"- {text} (projects/"), text
    assert asked.knows(CHANGED)
    assert not any(one["ok"] for one in claude.log("--kind", "model") if one["t"] < told["t"])

    wait_for("the consolidation", lambda: any("consolidated" in one for one in claude.commits()), 90)
    after = first_request(claude, "And now?")
    assert after.knows(NOTE)
    assert not after.knows(f"- {ORDERS[0]} (projects/orders-carry-a-version-column.md)")
    assert not after.knows("WARNING")
    assert_the_judge_stayed_apart(claude)


def test_a_close_that_is_killed_while_it_asks_is_continued_by_the_next_start(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    held = threading.Event()
    server.judge = judging(held=held)
    choose(claude, "claude-code", "--no-probe")
    session = claude.ask(WISH, *flagging(claude), say("Done."))
    wait_for("the questions", lambda: len(asked_of(claude)) >= QUESTIONS, more=lambda: claude.log()[-6:])
    os.kill(close_of(claude, "session-end"), signal.SIGKILL)
    held.set()
    with going_on(claude, "Go on") as (_, asked):
        for text in (*FACTS, BETTER):
            assert asked.knows(text), text
        assert_judged(closed(claude, session), "claude-code")
        assert_knows_what_was_judged(first_request(claude, "And now?"))
    assert claude.waiting() == []
    assert_the_judge_stayed_apart(claude)


def test_the_end_of_a_long_session_is_small_because_most_of_it_was_judged_on_the_way(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    server.judge = judging()
    choose(claude, "claude-code", "--no-probe")
    session, midway = long_session(claude)
    assert (midway["judge"], "fell_back" in midway) == ("claude-code", False)
    told = closed(claude, session)
    assert (told["judge"], "fell_back" in told) == ("claude-code", False)
    assert told["jobs"] <= 4, "at most the flag that came last, the handoff, and the user's words"
    assert_told_once(claude, told, midway)
    assert_the_judge_stayed_apart(claude)


def test_a_session_that_only_has_a_story_is_judged_once_however_many_starts_come(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    """It has no flags that a close could hold; the next start begins a close too, and leaves it to the first."""
    held = threading.Event()
    server.judge = judging(held=held)
    choose(claude, "claude-code", "--no-probe")
    try:
        session = claude.ask(WISH, say("Done."))
        jobs = ["handoff", "lasting", "pending"]
        wait_for("the questions", lambda: len(asked_of(claude)) >= len(jobs), more=lambda: claude.log()[-6:])
        with going_on(claude, "Go on"):
            second = close_of(claude, "session-start")
            wait_for("the second close", lambda: not is_running(second) or len(asked_of(claude)) > len(jobs))
            assert sorted(job for job, _ in asked_of(claude)) == jobs
            held.set()
            assert closed(claude, session)["judge"] == "claude-code"
    finally:
        held.set()
    assert len([one for one in claude.handoffs() if session in one]) == 1


def test_at_the_cap_nothing_is_asked_and_everything_is_filed_and_said(claude: ClaudeDesk, server: ModelServer) -> None:
    server.judge = judging()
    choose(claude, "claude-code", "--no-probe")
    with (claude.vault / ".state" / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[spend]\ntokens_per_day = 10\n")
    session = claude.ask(WISH, *flagging(claude), say("Done."))
    told = closed(claude, session)
    assert (told["filed"], told["judge"]) == (4, "verbatim")
    assert "cap" in told["fell_back"]
    asked = first_request(claude, "Go on")
    for text in FACTS:
        assert asked.knows(f"- {text} (projects/"), text
    assert asked.knows(CHANGED)
    assert asked.knows("cap")
    assert asked_of(claude) == []
    assert claude.errors() == []


def test_a_headless_run_waits_for_its_judge_too(claude: ClaudeDesk, server: ModelServer) -> None:
    """Where everything is gone with the host: a container, CI."""
    server.judge = judging()
    choose(claude, "claude-code", "--no-probe")
    session = claude.ask(WISH, *flagging(claude), say("Done."), env={"HOLDFAST_CLOSE": "wait"})
    (told,) = claude.log("--kind", "close")
    assert session in told["episode"]
    assert_judged(told, "claude-code")


def close_of(desk: Desk, event: str) -> int:
    """The process of the close that the newest such moment began."""
    return int([one for one in desk.log("--kind", "hook") if one["event"] == event and one.get("close")][-1]["close"])


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def test_a_session_of_codex_is_judged_by_codex(codex: CodexDesk, server: ModelServer) -> None:
    server.judge = judging()
    choose(codex, "codex")
    assert [job for job, _ in asked_of(codex)] == ["probe"]
    session = codex.ask(WISH, *flagging(codex), say("Done."))
    assert_judged(closed(codex, session), "codex")
    assert_knows_what_was_judged(first_request(codex, "Go on"))
    assert_the_judge_stayed_apart(codex)


def test_an_endpoint_of_ones_own_judges_and_what_it_makes_up_is_held_back_and_said(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    needs_http(claude)
    lie = "Sent 40 invoices to the customers"

    def lying(asked: Asked) -> dict[str, Any]:
        answer = sensible(asked)
        if asked.job == "pending":
            answer["items"].append({"text": lie, "cites": ["P1"], "state": "done"})
        if asked.job == "verify":
            (handle,) = [handle for handle, text in asked.of("C").items() if text == lie]
            answer["claims"] = [one for one in answer["claims"] if one["claim"] != handle]
            answer["claims"].append({"claim": handle, "verdict": "contradicted", "quote": WISH})
        return answer

    server.judge = judging(lying)
    choose(claude, "openai", "--url", f"{server.url}/v1", "--model", "small", "--no-probe")
    session = claude.ask(WISH, *flagging(claude), say("Done."))
    told = closed(claude, session)
    assert_judged(told, "openai")
    assert told["model"] == "small"
    asked = first_request(claude, "Go on")
    assert_knows_what_was_judged(asked)
    assert asked.knows("The last handoff was checked against its session: 1 claim is held back")
    assert not any(lie in text for text in claude.handoffs())
    assert {request.api for _, request in asked_of(claude)} == {"chat"}
    assert_the_judge_stayed_apart(claude)


def needs_http(desk: Desk) -> None:
    """Judges over HTTP need the extra of that name; an installation without it is whole all the same."""
    if desk.run([str(desk.venv / "bin" / "python"), "-c", "import httpx2"]).status:
        what = "the wheel under test is installed without its http extra"
        pytest.fail(what) if os.environ.get("HOLDFAST_NO_SKIP") else pytest.skip(what)
