"""What was learned comes back at the very call it is about, and a rule that says never stops it."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import Step, call, call_raw, say

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


def remote(desk: Desk) -> None:
    """A remote whose history a forced push could rewrite, with one commit more than the project has."""
    other = desk.home / "remote.git"
    desk.git("init", "-q", "--bare", "-b", "main", str(other))
    desk.git("remote", "add", "origin", str(other))
    desk.git("push", "-q", "origin", "main")
    desk.git("commit", "-q", "--allow-empty", "-m", "Theirs")
    desk.git("push", "-q", "origin", "main")
    desk.git("reset", "-q", "--hard", "HEAD~1")
    desk.allow("Bash(git push:*)")


def theirs(desk: Desk) -> str:
    return desk.git("log", "-1", "--format=%s", "origin/main").strip()


def forced(desk: Desk, server: ModelServer) -> None:
    """In the next session a forced push is stopped with the user's words."""
    desk.ask("Publish it", desk.shell("git push --force origin main"), say("It may not be forced."))
    refused = server.of()[-1]
    assert refused.knows("ever force-push main")
    assert refused.knows("Only the user lifts it: `holdfast disarm")
    assert desk.git("ls-remote", "origin", "main").split()[0] == desk.git("rev-parse", "origin/main").strip()
    assert theirs(desk) == "Theirs", "their commit is still there"
    assert desk.errors() == []


@both_hosts
def test_a_never_of_the_user_stops_a_forced_push_without_being_armed(desk: Desk, server: ModelServer) -> None:
    remote(desk)
    said = desk.holdfast("remember", "(never) Never force-push main")
    assert "it stops `git push --force`" in said
    forced(desk, server)


@both_hosts
def test_a_never_that_the_user_asked_to_remember_in_a_prompt_stops_it_in_the_next_session(
    desk: Desk, server: ModelServer
) -> None:
    remote(desk)
    desk.extra["HOLDFAST_CLOSE"] = "off"
    desk.ask("Remember: never force-push main", say("Fine."))
    desk.holdfast("close")
    forced(desk, server)


def edited(desk: Desk, nth: int) -> Step:
    """An edit of config/auth.yaml with the host's own tool."""
    if desk.agent == "codex":
        patch = "*** Begin Patch\n*** Update File: config/auth.yaml\n@@\n-timeout: {0}\n+timeout: {1}\n*** End Patch\n"
        return call_raw("apply_patch", patch.format(nth, nth + 1))
    path = str(desk.project / "config" / "auth.yaml")
    return call("Edit", file_path=path, old_string=f"timeout: {nth}", new_string=f"timeout: {nth + 1}")


def look(desk: Desk) -> Step:
    if desk.agent == "codex":
        return desk.shell("cat config/auth.yaml")
    return call("Read", file_path=str(desk.project / "config" / "auth.yaml"))


AUTH = "DO NOT modify config/auth.yaml, it is used by 3 services"


@both_hosts
def test_a_decision_comes_back_at_the_first_edit_of_its_file_and_not_once_it_is_superseded(
    desk: Desk, server: ModelServer
) -> None:
    (desk.project / "config").mkdir()
    (desk.project / "config" / "auth.yaml").write_text("timeout: 1\n", encoding="utf-8")
    desk.allow("Edit", "Read")
    desk.extra["HOLDFAST_CLOSE"] = "off"
    desk.holdfast("flag", "--kind", "decision", AUTH)
    desk.holdfast("close")
    session = desk.ask("Raise the timeout", look(desk), edited(desk, 1), edited(desk, 2), say("Raised."))
    asked = server.of("main", session)
    assert [one.places(BACK) != [] for one in asked] == [False, False, True, True]
    assert len(asked[-1].places(BACK)) == 1, "at the first edit, and not at the second"
    assert asked[2].knows(AUTH)
    changed = (desk.project / "config" / "auth.yaml").read_text(encoding="utf-8")
    assert changed == "timeout: 3\n", "a decision reminds and stops nothing"
    desk.holdfast("close")
    words = ("--kind", "project", "--supersedes", "do-not-modify", "The services read their own copies now")
    desk.holdfast("remember", *words)
    later = desk.ask("Raise it again", look(desk), edited(desk, 3), say("Raised."))
    assert not any(one.places(BACK) for one in server.of("main", later))
    assert desk.errors() == []
