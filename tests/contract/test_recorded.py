"""Payloads recorded from the real Claude Code 2.1.325, paths replaced: each is understood and goes through the hook."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from holdfast.capture import home, ledger
from holdfast.hook import main
from holdfast.hosts import adapter

RECORDED = sorted((Path(__file__).parent / "payloads" / "recorded").glob("*.json"))
EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-tool",
    "PostToolUse": "after-tool",
    "PostToolUseFailure": "after-tool",
    "TaskCompleted": "task-completed",
    "SubagentStop": "summariser-stop",  # the only one in the recording is that of the compaction
    "PreCompact": "before-compaction",
    "PostCompact": "after-compaction",
    "Stop": "turn-stop",
    "SessionEnd": "session-end",
}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_payload_is_understood_and_leaves_one_record(path: Path, tmp_path: Path) -> None:
    payload = json.loads(path.read_text(encoding="utf-8"))
    moment = adapter("claude-code").moment(payload, {})
    expected = EVENTS.get(payload["hook_event_name"], payload["hook_event_name"])
    assert (moment.event, moment.session, moment.cwd) == (expected, payload["session_id"], "/home/dev/shop")
    env = {"HOME": str(tmp_path), "HOLDFAST_HOME": str(tmp_path / "vault")}
    main.answer("claude-code", path.read_bytes(), env, time.time(), time.perf_counter_ns())
    records = list(ledger.read(home.state(env["HOLDFAST_HOME"]), ledger.Wanted(kinds=("hook",))))
    assert [(record["kind"], record["event"]) for record in records] == [("hook", expected)]


def test_the_recording_has_every_boundary_of_one_session() -> None:
    seen = {json.loads(path.read_text(encoding="utf-8"))["hook_event_name"] for path in RECORDED}
    assert set(EVENTS) <= seen
