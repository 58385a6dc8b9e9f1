"""Claude Code: its hook events, and the places where it takes text or a decision from us.

Watched on 2.1: SessionStart, UserPromptSubmit and Pre/PostToolUse carry additionalContext to the model; what PreCompact
prints is appended to the summariser's instructions; Stop can be told to go on; every other event carries nothing.
"""

from __future__ import annotations

from holdfast.hosts import hook_json, shared, text_of, tools
from holdfast.model import Moment, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "claude-code"
EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-tool",
    "PostToolUse": "after-tool",
    "PostToolUseFailure": "after-tool",
    "SubagentStop": "subagent-stop",
    "TaskCompleted": "task-completed",
    "PreCompact": "before-compaction",
    "PostCompact": "after-compaction",
    "Stop": "turn-stop",
    "SessionEnd": "session-end",
}
READS = ("Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "ToolSearch", "BashOutput", "TaskOutput")
PLANS = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode")
WRITE_NOTHING = (*READS, *PLANS, "Task", "Agent")  # tools that only read, ask, or start what tells its own calls
HIDES_FAILURES = False
CHANGING = ("Edit", "MultiEdit", "NotebookEdit", "Write")


def folder(env: Mapping[str, str]) -> str:
    """The user's own, with its settings."""
    from holdfast.capture.home import user_home

    return (env.get("CLAUDE_CONFIG_DIR") or f"{user_home(env)}/.claude").rstrip("/")


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
        host=NAME,
        event=event,
        session=text_of(payload, "session_id") or env.get("CLAUDE_CODE_SESSION_ID", ""),
        cwd=text_of(payload, "cwd") or env.get("CLAUDE_PROJECT_DIR", ""),
        agent=text_of(payload, "agent_id"),
        prompt=prompt or tools.scheduled(payload),
        files=tools.changed(payload, CHANGING) if named == "PostToolUse" else (),
        pid=int(pid) if pid.isdecimal() else 0,
        asks=True,
        failed=named == "PostToolUseFailure",
        **shared(payload, named),
        **what,
    )


def reply(moment: Moment, reply: Reply) -> str:
    if moment.event == "before-compaction":
        return reply.text
    return hook_json(moment, reply, EVENTS)
