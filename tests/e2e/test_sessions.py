"""A session ends, goes on, is forked; two run at once: each stretch is an episode that is closed once."""

from __future__ import annotations

import time

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

FACT = "Orders use optimistic locking"


def flag(text: str) -> str:
    return f'holdfast flag --kind decision "{text}"'


@both_hosts
def test_the_end_of_a_session_is_closed_behind_its_back_and_a_resume_begins_anew(
    desk: Desk, server: ModelServer
) -> None:
    session = desk.ask("Lock the orders", desk.shell(flag(FACT)), say("Locked."))
    returned = time.time()
    closed = desk.wait_for_close(session)
    assert closed["filed"] == 1
    (handoff,) = desk.handoffs()
    assert FACT in handoff
    assert "Lock the orders" in handoff
    assert any("close of session 1" in subject for subject in desk.commits())
    (ended,) = [one for one in desk.log("--kind", "hook") if one["event"] == "session-end"]
    assert ended["us"] < 1_500_000, "the host was not kept waiting"
    assert closed["t"] >= ended["t"]
    assert returned - ended["t"] < 3, "the host did not wait for the close"
    assert desk.waiting() == []

    again = desk.ask("And retry", desk.shell(flag("Retries are three")), say("Done."), resume=session)
    assert again == session
    assert desk.wait_for_close(session, 2)["filed"] == 1
    asked = server.of("main", session)
    assert [one.knows(f"Decisions: {FACT}") for one in asked] == [False] * 4, "it said so itself"
    assert [one.knows("This conversation goes on") for one in asked] == [False, False, True, True]
    assert len(desk.handoffs()) == 2
    opened = [one for one in desk.log("--kind", "hook") if one.get("opened")]
    assert [(one["episode"].rpartition("/")[2], one["source"]) for one in opened] == [("1", "startup"), ("2", "resume")]
    assert desk.errors() == []


@both_hosts
def test_a_resume_before_the_close_has_both_stretches_closed(desk: Desk, server: ModelServer) -> None:
    session = desk.ask("Lock the orders", desk.shell(flag(FACT)), say("Locked."), env={"HOLDFAST_CLOSE": "off"})
    assert [one["text"] for one in desk.waiting()] == [FACT]
    desk.ask("And retry", desk.shell(flag("Retries are three")), say("Done."), resume=session)
    resumed = server.of("main", session)[2]
    assert resumed.knows("This conversation goes on")
    assert not resumed.knows(f"The {desk.agent} session {session} ended"), "it is seen to, so nobody has to be warned"
    assert [desk.wait_for_close(session, ordinal)["filed"] for ordinal in (1, 2)] == [1, 1]
    assert desk.waiting() == []
    assert desk.errors() == []


@both_hosts
def test_a_headless_run_can_wait_for_its_close(desk: Desk) -> None:
    """Where everything is gone with the host: a container, CI."""
    desk.ask("Lock the orders", desk.shell(flag(FACT)), say("Locked."), env={"HOLDFAST_CLOSE": "wait"})
    (handoff,) = desk.handoffs()
    assert FACT in handoff
    assert desk.waiting() == []


@both_hosts
def test_a_fork_is_an_episode_of_its_own(desk: Desk, server: ModelServer) -> None:
    session = desk.ask("Lock the orders", desk.shell(flag(FACT)), say("Locked."))
    desk.wait_for_close(session)
    forked = desk.ask("Try another way", say("Tried."), fork=session)
    assert forked != session
    assert server.of("main", forked)[0].knows("This conversation goes on"), "what its parent said is in its context"
    (opened,) = [one for one in desk.log("--session", forked, "--kind", "hook") if one.get("opened")]
    assert (opened["episode"], opened["source"]) == (f"{desk.agent}/{forked}/1", "fork")
    desk.wait_for_close(forked)
    assert len(desk.handoffs()) == 1, "nothing was changed in the fork, so it displaces none"
    assert desk.errors() == []


@both_hosts
def test_two_sessions_at_once_in_two_worktrees_share_a_project_and_nothing_else(
    desk: Desk, server: ModelServer
) -> None:
    left, right = desk.home / "left", desk.home / "right"
    for tree in (left, right):
        desk.git("worktree", "add", "-q", str(tree))
        desk.trust_folder(tree)
    server.play(desk.shell(flag("The left way works")), say("Done."), about="Go left")
    server.play(desk.shell(flag("The right way works")), say("Done."), about="Go right")
    both = [desk.begin("Go left", cwd=left), desk.begin("Go right", cwd=right)]
    for process in both:
        desk.finish(process)
    sessions = {one.session for one in server.of()}
    assert len(sessions) == 2
    for session in sessions:
        assert desk.wait_for_close(session)["filed"] == 1
    records = [one for one in desk.log("--kind", "hook") if one.get("opened")]
    assert len({one["project"] for one in records}) == 1, "two worktrees are one project"
    assert {one["session"] for one in desk.waiting()} == set()
    told = "\n".join(desk.handoffs())
    assert told.count("The left way works") == told.count("The right way works") == 1
    assert desk.errors() == []
    third = desk.ask("What do we know?", say("This."))
    (asked,) = server.of("main", third)
    assert asked.knows("The left way works")
    assert asked.knows("The right way works")
