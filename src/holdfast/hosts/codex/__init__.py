"""Codex: events and replies in Claude Code's shape, with differences that bite.

Watched on 0.166: a subagent's own task arrives as UserPromptSubmit with an agent's id; PreCompact takes no text; a
decision before a tool is deny or nothing, for it can ask nobody on our behalf. SIGTERM fires nothing. A command that
failed is told like any other, so that a commit came to nothing is read from git's own words.
"""

from __future__ import annotations

from holdfast.hosts import hook_json, shared, text_of, tools
from holdfast.model import Moment, Reply, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "codex"
EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-tool",
    "PostToolUse": "after-tool",
    "PreCompact": "before-compaction",
    "PostCompact": "after-compaction",
    "SubagentStop": "subagent-stop",
    "Stop": "turn-stop",
    "SessionEnd": "session-end",
}
WRITE_NOTHING = ()
HIDES_FAILURES = True  # a command that failed is told as any other
NOTHING_COMMITTED = ("nothing to commit", "nothing added to commit", "no changes added to commit", "fatal: ")
MOST_BYTES = 9600  # over 2,500 tokens, which it reckons as a quarter of the bytes, the model gets a preview only


def folder(env: Mapping[str, str]) -> str:
    """The user's own, with its settings."""
    from holdfast.capture.home import user_home

    return (env.get("CODEX_HOME") or f"{user_home(env)}/.codex").rstrip("/")


def moment(payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment:  # noqa: ARG001
    named = text_of(payload, "hook_event_name")
    event = EVENTS.get(named, named)
    agent = text_of(payload, "agent_id") or text_of(payload, "agent_type")
    if event == "prompt" and agent:
        event = "subagent-prompt"  # the words of the agent that started it
    return Moment(
        host=NAME,
        event=event,
        session=text_of(payload, "session_id"),
        cwd=text_of(payload, "cwd"),
        agent=agent,
        prompt=text_of(payload, "prompt"),
        files=tools.changed(payload, ()) if named == "PostToolUse" else (),
        turn=text_of(payload, "turn_id"),
        most_bytes=MOST_BYTES,
        failed=named == "PostToolUse" and _failed(payload),
        **shared(payload, named),
        **tools.about(payload),
    )


def _failed(payload: Mapping[str, Any]) -> bool:
    told = payload.get("tool_response")
    if not isinstance(told, str) or "commit" not in str(tools.input_of(payload).get("command")):
        return False
    return any(line.startswith(NOTHING_COMMITTED) for line in told[-tools.MOST_TEXT :].splitlines())


def reply(moment: Moment, reply: Reply) -> str:
    if reply.decision in ("allow", "ask"):
        reply = replace(reply, decision="", reason="")
    return hook_json(moment, reply, EVENTS)
