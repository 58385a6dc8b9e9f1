"""The backstop at the end of a turn: in strict mode the model is asked once, and "nothing" is an answer."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

QUESTION = "Before you stop: a boundary passed"


def decisions(desk: Desk) -> list[tuple[str, str]]:
    return [(one["boundary"], one["decision"]) for one in desk.log("--kind", "nudge") if one["decision"] != "silent"]


@pytest.mark.parametrize("answer", ["There is nothing to flag.", "I go on about the weather."])
@both_hosts
def test_in_strict_mode_the_model_is_asked_once(desk: Desk, server: ModelServer, answer: str) -> None:
    (desk.vault / ".state" / "config.toml").write_text('mode = "strict"\n', encoding="utf-8")
    desk.offer_chapters()
    desk.ask("Go on", *desk.chapter("Locking"), say("All is done."), say(answer))
    asked = server.of()
    assert [one.knows(QUESTION) for one in asked[-2:]] == [False, True]
    assert asked[-1].places(QUESTION).count("user") == 1  # Claude Code adds a note on the hook that blocked
    assert server.unplayed == 0, "and then the turn ended"
    last = ("chapter", "declined") if "nothing" in answer else ("turn-stop", "skipped")
    assert decisions(desk) == [("chapter", "said"), ("turn-stop", "said"), last]
    assert desk.errors() == []


@both_hosts
def test_by_default_the_skip_is_only_recorded(desk: Desk, server: ModelServer) -> None:
    desk.offer_chapters()
    desk.ask("Go on", *desk.chapter("Locking"), say("All is done."))
    assert not any(one.knows(QUESTION) for one in server.of())
    assert decisions(desk) == [("chapter", "said"), ("turn-stop", "skipped")]
