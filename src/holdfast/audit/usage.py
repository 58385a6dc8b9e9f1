"""What each call of a tool cost, as the host wrote it down with the response that made the call.

Claude Code writes the usage on every line of a response, Codex once the calls of a response are done. What no host says
is not guessed: a call without a usage is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.text import transcript
from holdfast.text.transcript import CODEX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True)
class Usage:
    """Of one response; `name` tells it from the others."""

    name: str
    sent: int
    got: int
    model: str = ""


def of_calls(host: str, path: str, begins: int, most: int) -> dict[str, Usage]:
    """By the id of a call, from a place in the transcript on, within its last `most` bytes."""
    return (_of_codex if host == CODEX else _of_claude)(path, begins, most)


def _of_claude(path: str, begins: int, most: int) -> dict[str, Usage]:
    """What the response of each call used. A response is several lines, each with its usage: the fullest counts."""
    responses: dict[str, Usage] = {}
    named: dict[str, str] = {}
    for at, line in transcript.back(path, most):
        if at < begins:
            break
        if b'"tool_use"' not in line or b'"usage"' not in line:
            continue
        record = transcript.decoded(line)
        message = _table(record.get("message"))
        usage, ident = _table(message.get("usage")), str(message.get("id") or at)
        if record.get("type") != "assistant" or not usage:
            continue
        sent, got = sum(_tokens(usage, name) for name in SENT), _tokens(usage, "output_tokens")
        known = responses.get(ident, Usage(ident, 0, 0))
        model = str(message.get("model") or "")
        responses[ident] = Usage(ident, max(sent, known.sent), max(got, known.got), model or known.model)
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_use":
                named[str(block.get("id"))] = ident
    return {call: responses[ident] for call, ident in named.items()}


def _of_codex(path: str, begins: int, most: int) -> dict[str, Usage]:
    """The same of Codex, which tells it once the calls of a response are done. Its input includes what is cached."""
    found: dict[str, Usage] = {}
    open_calls: list[str] = []
    total, model = 0, ""
    for at, record in _codex_records(path, begins, most):
        payload = _table(record.get("payload"))
        if record.get("type") == "turn_context":
            model = str(payload.get("model") or model)
        elif record.get("type") == "response_item" and payload.get("call_id"):
            if not str(payload.get("type")).endswith("_output"):
                open_calls.append(str(payload["call_id"]))
        elif payload.get("type") == "token_count":
            info = _table(payload.get("info"))
            now = _tokens(_table(info.get("total_token_usage")), "total_tokens")
            last = _table(info.get("last_token_usage"))
            if now > total:  # else it is told again, for another reason
                used = Usage(str(at), _tokens(last, "input_tokens"), _tokens(last, "output_tokens"), model)
                found.update(dict.fromkeys(open_calls, used))
                total, open_calls = now, []
    return found


def _codex_records(path: str, begins: int, most: int) -> list[tuple[int, dict[str, Any]]]:
    wanted = (b'"token_count"', b'"call_id"', b'"turn_context"')
    lines = []
    for at, line in transcript.back(path, most):
        if at < begins:
            break
        if any(word in line for word in wanted):
            lines.append((at, transcript.decoded(line)))
    return lines[::-1]


def _table(given: object) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _tokens(record: Mapping[str, Any], name: str) -> int:
    found = record.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
