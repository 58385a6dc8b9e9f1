"""Claude Code: its hook events, and the places where it takes text or a decision from us.

Watched on 2.1: SessionStart, UserPromptSubmit and Pre/PostToolUse carry additionalContext to the model; what PreCompact
prints is appended to the summariser's instructions; Stop can be told to go on; every other event carries nothing.
"""

from __future__ import annotations

from holdfast.hosts import end_of, hook_json, text_of, tools
from holdfast.model import Moment, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-tool",
    "PostToolUse": "after-tool",
    "PostToolUseFailure": "after-tool",
    "TaskCompleted": "task-completed",
    "SubagentStop": "subagent-stop",
    "PreCompact": "before-compaction",
    "PostCompact": "after-compaction",
    "Stop": "turn-stop",
    "SessionEnd": "session-end",
}
CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")
CARRIERS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")


def moment(payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment:
    named = text_of(payload, "hook_event_name")
    event = EVENTS.get(named, named)
    prompt = text_of(payload, "prompt")
    if event == "prompt" and prompt.lstrip().startswith("<task-notification>"):
        event = "task-notification"  # a background agent's result, not the user's words
    if event == "subagent-stop" and payload.get("agent_type") == "":
        event = "summariser-stop"  # the compaction's own helper
    pid = env.get("CLAUDE_PID", "")
    what = tools.about(payload)
    if event == "task-completed":
        subject = text_of(payload, "task_subject") or text_of(payload, "task_id")
        what["completed"] = (subject,) if subject else ()
        what["call"] = text_of(payload, "task_id")
    return Moment(
        host="claude-code",
        event=event,
        called=named,
        session=text_of(payload, "session_id") or env.get("CLAUDE_CODE_SESSION_ID", ""),
        cwd=text_of(payload, "cwd") or env.get("CLAUDE_PROJECT_DIR", ""),
        source=text_of(payload, "source") or text_of(payload, "trigger"),
        reason=text_of(payload, "reason"),
        transcript=text_of(payload, "transcript_path"),
        agent=text_of(payload, "agent_id"),
        tool=text_of(payload, "tool_name"),
        prompt=prompt or tools.scheduled(payload),
        files=tools.changed(payload, CHANGING) if named == "PostToolUse" else (),
        pid=int(pid) if pid.isdecimal() else 0,
        model=text_of(payload, "model"),
        is_again=payload.get("stop_hook_active") is True,
        said=end_of(payload, "last_assistant_message"),
        carries=named in CARRIERS,
        asks=True,
        failed=named == "PostToolUseFailure",
        **what,
    )


def reply(moment: Moment, reply: Reply) -> str:
    if moment.event == "before-compaction":
        return reply.text
    return hook_json(moment, reply, EVENTS, CARRIERS)
