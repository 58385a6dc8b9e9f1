"""The host seam: one small file per host turns its event into a Moment and our Reply into its JSON.

A host's raw JSON never leaves its adapter. An adapter takes whatever the host sends: missing and unknown fields,
other types, unknown events.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol, cast

    from holdfast.model import Moment, Reply

    class Host(Protocol):
        def moment(self, payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment: ...

        def reply(self, moment: Moment, reply: Reply) -> str: ...
else:

    def cast(_kind, thing):
        return thing


LONGEST = 4096  # of any field but the user's own words: a path is no longer
HOSTS = {"claude-code": "claude_code", "codex": "codex", "generic": "generic"}


def adapter(name: str) -> Host:
    """The adapter of a host; a host we do not know speaks the generic shape. Only the one needed is imported."""
    module = HOSTS.get(name, "generic")
    return cast("Host", __import__(f"holdfast.hosts.{module}", fromlist=["moment"]))


def text_of(payload: Mapping[str, Any], name: str) -> str:
    """A field as text; "" where it is missing or something else.

    JSON can hold halves of characters and zero bytes, which no path, file name or terminal can: they are replaced here,
    so that nothing behind the adapter stumbles over them.
    """
    found = payload.get(name)
    if not isinstance(found, str):
        return ""
    return clean(found if name == "prompt" else found[:LONGEST])


def end_of(payload: Mapping[str, Any], name: str) -> str:
    """The end of a long field: what a model says last is what counts."""
    found = payload.get(name)
    return clean(found[-LONGEST:]) if isinstance(found, str) else ""


def clean(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def hook_json(moment: Moment, reply: Reply, events: Mapping[str, str], carriers: tuple[str, ...]) -> str:
    """A reply in the JSON that Claude Code made and others took over; "" where it says nothing at this event."""
    from holdfast.capture import codec

    named = moment.called or next((name for name, event in events.items() if event == moment.event), "")
    if reply.decision == "go-on":
        return codec.encode({"decision": "block", "reason": reply.reason}).decode("utf-8") if named == "Stop" else ""
    said: dict[str, str] = {}
    if reply.decision and named == "PreToolUse":
        said["permissionDecision"] = reply.decision
        said["permissionDecisionReason"] = reply.reason
    if reply.text and named in carriers:
        said["additionalContext"] = reply.text
    out: dict[str, object] = {"hookSpecificOutput": {"hookEventName": named, **said}} if said else {}
    if reply.line and moment.event == "session-start":
        out["systemMessage"] = reply.line
    return codec.encode(out).decode("utf-8") if out else ""
