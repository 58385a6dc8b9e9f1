"""A start as model and person see it: in order, each fact once, only the change on resume, one line on screen."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .processes import end_all_of
from .runners import Desk, both_hosts
from .steps import say
from .terminal import Terminal
from .test_pressure import CONSIDER, USED

pytestmark = pytest.mark.e2e

RULE = "Deploys go through the staging ring"
FACT = "Orders use optimistic locking because row locks deadlock"
NIGHT = "The staging database is wiped every night"
READY = {"claude": "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}", "codex": "Ask Codex"}
FENCE = "<holdfast-memory>"
GOES_ON = "This conversation goes on"


def briefs(server: ModelServer, session: str) -> list[str]:
    """Every brief in the newest request of a session, in order."""
    return [one.text for one in server.of("main", session)[-1].told if FENCE in one.text]


@both_hosts
def test_a_start_is_in_order_says_each_fact_once_and_reaches_the_model_once(desk: Desk, server: ModelServer) -> None:
    desk.holdfast("remember", "--kind", "rule", RULE)
    desk.holdfast("remember", NIGHT)
    first = desk.ask("Lock it", desk.shell(f'holdfast flag --kind decision "{FACT}"'), say("Locked."))
    desk.wait_for_close(first)
    desk.holdfast("task", "start", "import", "Import all orders")
    second = desk.ask("What now?", say("This."))
    (told,) = briefs(server, second)
    wanted = (RULE, "Import all orders", FACT, NIGHT)
    assert sorted(wanted, key=told.index) == list(wanted)
    assert [told.count(fact) for fact in wanted] == [1, 1, 1, 1]
    assert "other project" not in told
    assert "WARNING" not in told
    assert desk.errors() == []


@both_hosts
def test_a_resume_is_told_only_what_has_changed(desk: Desk, server: ModelServer) -> None:
    desk.holdfast("remember", "--kind", "rule", RULE)
    session = desk.ask("Lock it", desk.shell(f'holdfast flag --kind decision "{FACT}"'), say("Locked."))
    desk.wait_for_close(session)
    desk.ask("And?", say("Nothing."), resume=session)
    begun, again = briefs(server, session)
    assert RULE in begun, "the host sends the first start again"
    assert GOES_ON in again
    assert "nothing that is remembered has changed" in again
    desk.wait_for_close(session, 2)
    desk.holdfast("remember", NIGHT)
    desk.ask("And now?", say("That."), resume=session)
    changed = briefs(server, session)[-1]
    assert GOES_ON in changed
    assert NIGHT in changed
    assert RULE not in changed
    assert FACT not in changed, "it said so itself"
    assert desk.errors() == []


@both_hosts
def test_a_fork_is_told_only_what_has_changed(desk: Desk, server: ModelServer) -> None:
    desk.holdfast("remember", "--kind", "rule", RULE)
    session = desk.ask("Lock it", say("Locked."))
    desk.holdfast("remember", NIGHT)
    forked = desk.ask("Another way", say("Tried."), fork=session)
    begun, again = briefs(server, forked)
    assert RULE in begun
    assert NIGHT in again
    assert RULE not in again
    assert desk.errors() == []


@both_hosts
def test_a_nudge_is_not_said_twice_in_one_conversation(desk: Desk, server: ModelServer, host: str) -> None:
    if host == "claude":
        desk.extra["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "200000"
    half = USED[host][1]
    steps = [desk.shell("ls", tokens=half), desk.shell("ls", tokens=half), desk.shell("ls", tokens=half)]
    session = desk.ask("Look", *steps, say("Seen.", tokens=half))
    desk.wait_for_close(session)
    desk.ask("Look again", *steps, say("Seen.", tokens=half), resume=session)
    assert len(server.of("main", session)[-1].places(CONSIDER)) == 1
    said = [one["boundary"] for one in desk.log("--kind", "nudge") if one["decision"] == "said"]
    assert said == ["consider"]
    assert desk.errors() == []


@both_hosts
def test_a_person_sees_one_line_and_can_switch_it_off(desk: Desk, server: ModelServer, host: str) -> None:
    desk.holdfast("remember", "--kind", "rule", RULE)
    for wished in (True, False):
        if not wished:
            (desk.vault / ".state" / "config.toml").write_text("[start]\nline = false\n", encoding="utf-8")
        with Terminal(desk, desk.terminal_words()) as terminal:
            terminal.wait(READY[host])
            server.play(say("Hello to you."))
            terminal.type("Hello")
            terminal.wait("Hello to you.")
            terminal.settle()
            assert ("Holdfast: 1 note" in terminal.screen()) is wished, terminal.screen()
        end_all_of(desk.home)
        asked = server.of("main")[-1]
        assert len(asked.places(RULE)) == 1, "the model gets the brief, and once"
        assert asked.places("Holdfast: 1 note") == [], "the line is for the person"
    assert desk.errors() == []
