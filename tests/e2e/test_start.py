"""A session begins, and the model is told what is remembered."""

from __future__ import annotations

import json

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e


@both_hosts
def test_the_first_start_shows_the_brief(desk: Desk, server: ModelServer) -> None:
    desk.holdfast("remember", "--kind", "rule", "Orders use optimistic locking")
    session = desk.ask("Hello", say("Hello."))
    (asked,) = server.of("main")
    assert asked.knows("Orders use optimistic locking")
    assert desk.events(session) == ["session-start", "prompt", "turn-stop", "session-end"]
    assert desk.errors() == []


@both_hosts
def test_right_after_init_the_doctor_has_nothing_to_say(desk: Desk) -> None:
    found = json.loads(desk.holdfast("doctor", "--json", may_fail=True))
    assert [one for one in found["checks"] if not one["ok"]] == []
    assert found["ok"] is True
