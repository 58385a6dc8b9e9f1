"""The user asks to remember: their own words are kept at once, whatever the model does next."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

WISH = "remember: never push on Friday"


@both_hosts
def test_a_request_survives_a_model_that_ignores_it(desk: Desk, server: ModelServer) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    session = desk.ask(WISH, say("The weather is fine."))
    (flag,) = desk.waiting()
    assert (flag["kind"], flag["origin"], flag["session"]) == ("user-request", "user", session)
    assert "never push on Friday" in flag["text"]
    assert server.of()[0].knows("holdfast flag --for"), "the model is asked to put it properly"
    ignored = [one for one in desk.log("--kind", "nudge") if one["boundary"] == "user-request"]
    assert [one["decision"] for one in ignored] == ["said", "skipped"]
    following = desk.ask("Hello", say("Hello."))
    assert server.of("main", following)[0].knows("never push on Friday")
    desk.holdfast("close")
    assert desk.waiting() == []
    filed = [path for path in desk.vault.glob("*/*.md") if "never push on Friday" in path.read_text(encoding="utf-8")]
    assert filed, "the drain files the words as they are"
    assert desk.errors() == []


@both_hosts
def test_ordinary_words_are_no_request(desk: Desk) -> None:
    desk.extra["HOLDFAST_CLOSE"] = "off"
    desk.ask("Why does this always fail? Forget it, try `remember: nothing` instead", say("Hm."))
    assert desk.waiting() == []
