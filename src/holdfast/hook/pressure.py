"""How much of its context a session has left before the host compacts, and which nudge that calls for.

Read from the transcript's tail at every tool call, so a look costs the same at 10 KB and at 200 MB. What cannot be told
is None: an unknown host, a transcript that is not there, a compaction whose first answer has not come.

Whether a band was told already is the caller's to know (hook/tool_call keeps it by compaction cycle). It must not look
at the very moment of a compaction: Claude Code runs its hooks for the compacted start before the transcript knows of
the compaction, so the use of before would be told.
"""

from __future__ import annotations

from holdfast.hosts import limits
from holdfast.model import value
from holdfast.text import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST = 8 << 20  # of a transcript's tail: enough to pass a pasted image behind the newest usage
BANDS = (("handoff", 0.1), ("write", 0.2), ("consider", 0.5))  # the part that is left, below which each begins
COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


@value
class Pressure:
    """Tokens in use, the tokens at which the host compacts, the part of those that is left, and the band it is in."""

    used: int
    limit: int
    left: float
    band: str
    model: str = ""


@value
class Usage:
    used: int
    model: str = ""
    window: int = 0


def look(
    host: str, path: str, model: str, config: Mapping[str, Any], env: Mapping[str, str] | None = None
) -> Pressure | None:
    """The pressure on a session now, or None where it cannot be told. `model` is what the host said, "" if nothing."""
    if host not in (transcript.CLAUDE, transcript.CODEX) or not path:
        return None
    usage = _claude(path) if host == transcript.CLAUDE else _codex(path)
    if usage is None:
        return None
    if env is None:
        from holdfast.capture import platform

        env = platform.environ()
    # The transcript knows the model of now, the host's own word also whether its window was asked to be long.
    name = f"{usage.model}{limits.LONG}" if model.lower().endswith(limits.LONG) else usage.model
    wishes = config.get("pressure")
    wishes = wishes if isinstance(wishes, dict) else {}
    own = _own(wishes, name)
    limit = limits.claude(name, own, env) if host == transcript.CLAUDE else limits.codex(usage.window, own, env)
    if host == transcript.CLAUDE and usage.used > limits.SMALL >= limit and not own:
        limit = limits.LARGE  # more than fits into the small window: it is a long one, and nobody told us
    left = min(1.0, max(0.0, 1 - usage.used / limit)) if limit > 0 else 0.0
    return Pressure(usage.used, limit, left, band_of(left, wishes), name)


def band_of(left: float, wishes: Mapping[str, Any]) -> str:
    """The band for what is left; the operator may move each bound."""
    for name, usual in BANDS:
        given = wishes.get(name)
        bound = float(given) if isinstance(given, int | float) and 0 <= given <= 1 else usual
        if left < bound:
            return name
    return ""


def _own(wishes: Mapping[str, Any], model: str) -> Mapping[str, Any]:
    table = wishes.get("models")
    if not isinstance(table, dict):
        return {}
    found = table.get(limits.longest_beginning(model, table))
    return found if isinstance(found, dict) else {}


def _claude(path: str) -> Usage | None:
    """Of the newest answer on the main chain; after a compaction what the host says it left, or nothing."""
    left = 0
    for _, line in transcript.back(path, MOST):
        if b'"compact_boundary"' in line:
            record = transcript.decoded(line)
            if record.get("type") == "system" and record.get("subtype") == "compact_boundary":
                left = left or _tokens(_field(record, "compactMetadata"), "postTokens")
                if not left:
                    return None
        elif b'"usage"' in line and b'"assistant"' in line:
            record = transcript.decoded(line)
            if record.get("type") != "assistant" or record.get("isSidechain") or record.get("isApiErrorMessage"):
                continue
            message = _field(record, "message")
            usage = _field(message, "usage")
            used = sum(_tokens(usage, name) for name in COUNTED)
            if used:
                model = message.get("model")
                return Usage(left or used, model if isinstance(model, str) else "")
    return Usage(left) if left else None


def _codex(path: str) -> Usage | None:
    for _, line in transcript.back(path, MOST):
        if b'"token_count"' in line:
            payload = _field(transcript.decoded(line), "payload")
            info = _field(payload, "info")
            used = _tokens(_field(info, "last_token_usage"), "total_tokens")
            if payload.get("type") == "token_count" and used:
                return Usage(used, "", _tokens(info, "model_context_window"))
        elif b'"compacted"' in line and transcript.decoded(line).get("type") == "compacted":
            return None
    return None


def _field(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _tokens(record: Mapping[str, Any], name: str) -> int:
    found = record.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
