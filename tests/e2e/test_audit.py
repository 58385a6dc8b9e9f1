"""The audit beside real agents: a session that ran without our hooks is found, one with capture off is left alone."""

from __future__ import annotations

import time

import pytest

from holdfast.health import audit, period
from holdfast.health.audit import Audit
from holdfast.health.finding import Place

from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e
LATER = 600.0  # seconds: a session of the last minute may have begun while the audit looked, so it is not judged


def audited(desk: Desk) -> Audit:
    now = time.time() + LATER
    place = Place(str(desk.vault), str(desk.project), desk.env, clock=lambda: now)
    return audit.audit(place, period.make(now))


@both_hosts
def test_a_session_with_capture_off_is_told_from_one_that_no_hook_saw(desk: Desk) -> None:
    desk.ask("Hello", say("Hello."))
    desk.ask("This is nobody's business", say("It is not."), env={"HOLDFAST": "off"})
    found = audited(desk)
    assert [one.name for one in found.notes] == ["capture-off"]
    assert found.unseen == 0
    unheard = desk.ask("Is anybody there?", say("No."), env={"HOLDFAST_CHILD": "1"})
    found = audited(desk)
    (one,) = [one for one in found.findings if one.name == "hooks-silent"]
    assert (one.about, one.count) == (desk.agent, 1)
    assert unheard[:13] in one.detail
