"""What was learned comes back at the very call it is about, and a rule that says never stops it."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

BACK = "Remembered for this very call"


def script(desk: Desk, name: str) -> None:
    path = desk.project / name
    path.write_text(f"#!/bin/sh\necho ran >> {name}.ran\n", encoding="utf-8")
    path.chmod(0o755)
    desk.allow(f"Bash(./{name}:*)")


@both_hosts
def test_an_armed_note_reaches_the_model_before_the_matching_call_runs_and_at_no_other(
    desk: Desk, server: ModelServer
) -> None:
    script(desk, "deploy.sh")
    desk.holdfast("remember", "--name", "Deploys hang", "Without the lock file a deploy hangs: touch it first")
    desk.holdfast("arm", "deploys-hang", "--tool", "Bash", "--word", "deploy")
    desk.ask("Deploy", desk.shell("ls"), desk.shell("./deploy.sh"), desk.shell("./deploy.sh"), say("Deployed."))
    asked = server.of()
    assert [one.places(BACK) != [] for one in asked] == [False, False, True, True]
    assert len(asked[-1].places(BACK)) == 1, "once in an episode"
    assert "touch it first" in asked[2].last_result, "instead of a result"
    assert (desk.project / "deploy.sh.ran").read_text(encoding="utf-8") == "ran\n", "the second time, and only then"
    assert desk.errors() == []


@both_hosts
def test_a_rule_that_says_never_stops_the_call_and_says_why(desk: Desk, server: ModelServer) -> None:
    script(desk, "push.sh")
    desk.holdfast("remember", "--kind", "rule", "--policy", "never", "--name", "No force", "Force-pushing lost a week")
    desk.holdfast("arm", "no-force", "--tool", "Bash", "--word", "force")
    forced, plain = desk.shell("./push.sh --force"), desk.shell("./push.sh")
    desk.ask("Push", forced, say("It may not be forced."))
    assert not (desk.project / "push.sh.ran").exists()
    refused = server.of()[-1]
    assert refused.knows("Force-pushing lost a week")
    assert refused.knows("Only the user lifts it: `holdfast disarm no-force`")
    desk.ask("Push", plain, say("Pushed."))
    assert (desk.project / "push.sh.ran").exists()
    assert desk.errors() == []
