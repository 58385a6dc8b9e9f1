"""The close without a model, through the hooks of the real hosts: what a session flagged is known to the next,
at once by its own words, and as notes, handoff and changed rule as soon as the ledger shows the close."""

from __future__ import annotations

import pytest

from .claude_desk import ClaudeDesk
from .closes import (
    BETTER,
    CHANGED,
    FACTS,
    SHELVES,
    WISH,
    assert_told_once,
    closed,
    first_request,
    flagging,
    going_on,
    killed,
    long_session,
)
from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import Request, say

pytestmark = pytest.mark.e2e

RULE = ("--rule", "tests")


def assert_knows_what_was_closed(asked: Request) -> None:
    """The notes by name and place, the handoff, and the line about the rule that the snag made."""
    for text in FACTS:
        assert asked.knows(f"- {text} (projects/{text.lower().replace(' ', '-')}.md)"), text
    assert asked.knows("Newest handoff, session 1")
    assert asked.knows(WISH)
    assert asked.knows(f'{CHANGED}rules/tests.md now says "{BETTER}"')


@both_hosts
def test_the_next_session_knows_three_facts_and_a_snag_at_once(desk: Desk, server: ModelServer) -> None:
    desk.ask(WISH, *flagging(desk, *RULE), say("Done."))
    asked = first_request(desk, "Go on")
    for text in (*FACTS, BETTER):
        assert asked.knows(text), text
    assert server.unplayed == 0
    assert desk.errors() == []


@both_hosts
def test_once_it_is_closed_the_next_session_has_the_notes_the_handoff_and_the_changed_rule(
    desk: Desk, server: ModelServer
) -> None:
    session = desk.ask(WISH, *flagging(desk, *RULE), say("Done."))
    told = closed(desk, session)
    assert (told["filed"], told["judge"]) == (4, "verbatim")
    after = desk.ask("Go on", desk.shell("pytest --version"), say("I see."))
    asked, again = server.of("main", after)
    assert_knows_what_was_closed(asked)
    assert not asked.knows("WARNING")
    assert len(again.places(BETTER)) > len(asked.places(BETTER)), "the rule came back where it had gone wrong"
    assert desk.log("--kind", "model") == [], "nobody chose a model, so none was asked"
    assert desk.waiting() == []
    assert desk.errors() == []


@both_hosts
def test_a_session_that_was_killed_is_known_at_once_and_closed_by_the_next_start(desk: Desk) -> None:
    died = killed(desk, *RULE)
    with going_on(desk, "What happened?") as (_, asked):
        for text in (*FACTS, BETTER):
            assert asked.knows(text), text
        assert asked.knows(f"WARNING: the {desk.agent} session {died} died without an end")
        told = closed(desk, died)
        assert (told["filed"], told["judge"]) == (4, "verbatim")
        after = first_request(desk, "And now?")
        assert_knows_what_was_closed(after)
        assert after.knows("The session died without an end")
        assert not after.knows("WARNING")
    assert desk.waiting() == []
    assert desk.errors() == []


def test_a_long_session_is_filed_while_it_goes_on_and_its_story_is_told_once(claude: ClaudeDesk) -> None:
    session, midway = long_session(claude)
    notes = [path.read_text(encoding="utf-8") for path in claude.vault.glob("knowledge/*.md")]
    assert all(any(text in note for note in notes) for text in SHELVES)
    assert_told_once(claude, closed(claude, session), midway)
