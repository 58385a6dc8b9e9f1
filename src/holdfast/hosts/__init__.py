"""Agents' programs, one folder each: events in, replies out, settings, limits, how one is started and how it judges.

holdfast.hosts.host says what else a folder holds. A host's raw JSON never leaves its adapter, which takes whatever the
host sends: missing and unknown fields, other types, unknown events.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol, cast

    from holdfast.model import Moment, Reply
    from holdfast.text.transcript import Usage

    class Adapter(Protocol):
        WRITE_NOTHING: tuple[str, ...]
        HIDES_FAILURES: bool

        def moment(self, payload: Mapping[str, Any], env: Mapping[str, str]) -> Moment: ...

        def reply(self, moment: Moment, reply: Reply) -> str: ...

    class Limits(Protocol):
        def used(self, path: str, model: str) -> Usage | None:
            """The tokens in use by a transcript; `model` is what the host said, "" if nothing."""

        def limit(self, usage: Usage, own: Mapping[str, Any], env: Mapping[str, str]) -> int:
            """The tokens at which it compacts; `own` is the operator's own entry for the model."""
else:

    def cast(_kind, thing):
        return thing


CARRIERS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")  # events that take text for the model
LARGEST_SETTINGS = 256 << 10
LONGEST = 4096  # of any field but the user's own words: a path is no longer
HOSTS = {"claude-code": "claude_code", "codex": "codex", "generic": "generic"}
KNOWN = tuple(name for name in HOSTS if name != "generic")  # those with a folder of their own


def adapter(name: str) -> Adapter:
    """The adapter of a host; a host we do not know speaks the generic shape. Only the one needed is imported."""
    module = HOSTS.get(name, "generic")
    return cast("Adapter", __import__(f"holdfast.hosts.{module}", fromlist=["moment"]))


def limits_of(name: str) -> Limits | None:
    """At how many tokens a host compacts; None for one of which nothing is known."""
    if name not in KNOWN:
        return None
    return cast("Limits", __import__(f"holdfast.hosts.{HOSTS[name]}.limits", fromlist=["limit"]))


def longest_beginning(name: str, table: Mapping[str, object]) -> str:
    """The key of `table` that `name` begins with, the longest of several; "" where there is none."""
    return max((key for key in table if name.startswith(key)), key=len, default="")


def small_file(path: str) -> bytes:
    """A settings file; b"" where there is none to read. A link is followed: people keep their settings elsewhere."""
    import posix

    from holdfast.capture.platform import A_FILE, FILE_TYPE

    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        seen = posix.fstat(fd)
        if seen.st_mode & FILE_TYPE != A_FILE or seen.st_size > LARGEST_SETTINGS:
            return b""
        return posix.read(fd, LARGEST_SETTINGS)
    except OSError:
        return b""
    finally:
        posix.close(fd)


def text_of(payload: Mapping[str, Any], name: str) -> str:
    """A field as text; "" where it is missing or something else. JSON can hold halves of characters and zero bytes,
    which no path, file name or terminal can: they are replaced here, so that nothing behind the adapter stumbles."""
    found = payload.get(name)
    return clean(found if name == "prompt" else found[:LONGEST]) if isinstance(found, str) else ""


def end_of(payload: Mapping[str, Any], name: str) -> str:
    """The end of a long field: what a model says last is what counts."""
    found = payload.get(name)
    return clean(found[-LONGEST:]) if isinstance(found, str) else ""


def clean(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def shared(payload: Mapping[str, Any], named: str) -> dict[str, Any]:
    """The fields of a Moment that come as Claude Code made them, and others took over; `named` is the host's event."""
    return {
        "called": named,
        "source": text_of(payload, "source") or text_of(payload, "trigger"),
        "reason": text_of(payload, "reason"),
        "transcript": text_of(payload, "transcript_path"),
        "tool": text_of(payload, "tool_name"),
        "model": text_of(payload, "model"),
        "is_again": payload.get("stop_hook_active") is True,
        "said": end_of(payload, "last_assistant_message"),
        "carries": named in CARRIERS,
    }


def hook_json(moment: Moment, reply: Reply, events: Mapping[str, str]) -> str:
    """A reply in the JSON that Claude Code made and others took over; "" where it says nothing at this event."""
    from holdfast.capture import codec

    named = moment.called or next((name for name, event in events.items() if event == moment.event), "")
    if reply.decision == "go-on":
        return codec.encode({"decision": "block", "reason": reply.reason}).decode("utf-8") if named == "Stop" else ""
    said: dict[str, str] = {}
    if reply.decision and named == "PreToolUse":
        said |= {"permissionDecision": reply.decision, "permissionDecisionReason": reply.reason}
    if reply.text and named in CARRIERS:
        said["additionalContext"] = reply.text
    out: dict[str, object] = {"hookSpecificOutput": {"hookEventName": named, **said}} if said else {}
    if reply.line and moment.event == "session-start":
        out["systemMessage"] = reply.line
    return codec.encode(out).decode("utf-8") if out else ""
