"""A host ends in the middle of a tool call: the next start says so if nobody else could, and nothing is lost."""

from __future__ import annotations

import signal

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts, wait_for
from .steps import say

pytestmark = pytest.mark.e2e

FACT = "The deploy hangs without a lock file"
# Whose end the host still tells us of; the others leave no event at all.
TOLD = {"claude": (signal.SIGINT, signal.SIGTERM, signal.SIGHUP), "codex": (signal.SIGINT,)}
WAYS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


@pytest.mark.parametrize("how", WAYS, ids=lambda how: how.name)
@both_hosts
def test_killed_in_the_middle_of_a_tool_call_and_healed_by_the_next_start(
    desk: Desk, server: ModelServer, host: str, how: signal.Signals
) -> None:
    deploy = desk.project / "deploy.sh"
    deploy.write_text("#!/bin/sh\n: > started\nexec tail -f /dev/null\n", encoding="utf-8")
    deploy.chmod(0o755)
    desk.allow("Bash(./deploy.sh)")
    process = desk.begin("Deploy it", desk.shell(f'holdfast flag "{FACT}"'), desk.shell("./deploy.sh"))
    started = desk.project / "started"
    wait_for("the tool call", started.exists, more=lambda: [process.poll(), desk.log()])
    desk.end(process, how)
    died = server.of()[0].session
    following = desk.ask("What happened?", say("It died."))
    (asked,) = server.of("main", following)
    assert asked.knows(FACT), "before any close came to it"
    assert asked.knows(f"the {desk.agent} session {died} died without an end") == (how not in TOLD[host])
    closed = desk.wait_for_close(died)
    assert closed["filed"] == 1
    (episode,) = [one for one in desk.log("--kind", "episode") if f"/{died}/" in one["episode"]]
    assert episode["how"] == ("ended" if how in TOLD[host] else "died")
    healed = desk.ask("And now?", say("All is well."))
    (asked,) = server.of("main", healed)
    assert asked.knows(FACT)
    assert not asked.knows("WARNING")
    assert desk.waiting() == []
    assert desk.errors() == []
