"""The context fills up: each band nudges once, measured to the point at which this host compacts by itself."""

from __future__ import annotations

import pytest

from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

CONSIDER, WRITE, HANDOFF = "Consider now what must survive", "Write down now what is not yet", "Hand off now"
# Of 167,000 and 244,800 tokens: a good deal left, then below a half, a fifth, a tenth.
USED = {"claude": (60_000, 100_000, 142_000, 158_000), "codex": (60_000, 150_000, 205_000, 230_000)}


@both_hosts
def test_each_band_nudges_once(desk: Desk, server: ModelServer, host: str) -> None:
    if host == "claude":
        desk.extra["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "200000"
    much, half, fifth, tenth = USED[host]
    filling = [much, half, half + 500, fifth, fifth + 500, tenth, tenth + 500]
    desk.ask("Look", *(desk.shell("ls", tokens=used) for used in filling), say("Nothing to flag.", tokens=tenth))
    asked = server.of()
    assert len(asked) == len(filling) + 1
    first = {text: next(at for at, one in enumerate(asked) if one.knows(text)) for text in (CONSIDER, WRITE, HANDOFF)}
    # Hosts write the tokens of an answer down while its calls already run: the nudge may be one call late, not more.
    assert [first[CONSIDER] in (2, 3), first[WRITE] in (4, 5), first[HANDOFF] in (6, 7)] == [True] * 3, first
    for text in (CONSIDER, WRITE, HANDOFF):
        assert len(asked[-1].places(text)) == 1
    assert server.of("summariser") == [], "the host has not compacted"
    bands = [one["boundary"] for one in desk.log("--kind", "nudge") if one["decision"] == "said"]
    assert bands == ["consider", "write", "handoff"]
    assert desk.errors() == []
