"""Claude Code: its hook events, and the two places where it takes text from us.

Watched on 2.1: SessionStart, UserPromptSubmit and Pre/PostToolUse carry additionalContext to the model; what PreCompact
prints is appended to the summariser's instructions; every other event carries nothing.
"""

from __future__ import annotations

from holdfast.hook.hosts import text_of
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
FILE_KEYS = ("file_path", "notebook_path")
CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")
CARRIERS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "before-tool": "PreToolUse",
    "after-tool": "PostToolUse",
}


def moment(payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment:
    named = text_of(payload, "hook_event_name")
    event = EVENTS.get(named, named)
    prompt = text_of(payload, "prompt")
    if event == "prompt" and prompt.lstrip().startswith("<task-notification>"):
        event = "task-notification"  # a background agent's result, not the user's words
    if event == "subagent-stop" and payload.get("agent_type") == "":
        event = "summariser-stop"  # the compaction's own helper
    pid = env.get("CLAUDE_PID", "")
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
        prompt=prompt,
        files=_changed(payload) if named == "PostToolUse" else (),
        pid=int(pid) if pid.isdecimal() else 0,
    )


def _changed(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The file that a tool has just changed."""
    given = payload.get("tool_input")
    if payload.get("tool_name") not in CHANGING or not isinstance(given, dict):
        return ()
    return tuple(text for text in (text_of(given, key) for key in FILE_KEYS) if text)


def reply(moment: Moment, reply: Reply) -> str:
    if not reply.text:
        return ""
    if moment.event == "before-compaction":
        return reply.text
    named = CARRIERS.get(moment.event, "")
    if not named or moment.called not in ("", named):
        return ""
    from holdfast.capture import codec

    carried = {"hookEventName": named, "additionalContext": reply.text}
    return codec.encode({"hookSpecificOutput": carried}).decode("utf-8")
