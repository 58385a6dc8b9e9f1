"""What every compaction must carry over, however it came about."""

from __future__ import annotations

from .model_server import ModelServer
from .runners import Desk

WISH = "Lock the orders with 3 retries, never with row locks"
RULE = "Deploys go through the staging ring"
AFTER = "The context was compacted"


def assert_carried_over(desk: Desk, server: ModelServer, session: str) -> None:
    """The order of things, what was on disk, and what came back."""
    (summary,) = server.of("summariser")
    # Claude Code may announce a compaction that it then puts off; the newest announcement is that of this one.
    before = [one for one in desk.log("--session", session, "--kind", "hook") if one["event"] == "before-compaction"][
        -1
    ]
    path = desk.vault / before["snapshot"]
    assert before["t"] <= path.stat().st_mtime < summary.time, "on disk before the host goes on"
    text = path.read_text(encoding="utf-8")
    assert WISH in text
    assert "cat orders.py" in text
    asked = [one for one in server.of("main", session) if one.number > summary.number]
    (told,) = [one.text for one in asked[0].told if "<holdfast-snapshot>" in one.text]
    assert WISH in told
    assert RULE in told, "the brief is back too"
    assert AFTER in told
    assert len(asked[-1].places(AFTER)) == 1
    (injected,) = [one for one in desk.log("--kind", "injection") if before["snapshot"] in one["carried"]]
    assert injected["characters"] <= 9000
    events = desk.events(session)
    assert events.index("before-compaction") < events.index("after-compaction")
    assert desk.errors() == []
