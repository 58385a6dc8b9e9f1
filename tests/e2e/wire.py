"""The APIs that hosts and judges speak, as far as they use them: Anthropic Messages, OpenAI Responses, and OpenAI's
chat completions, which any endpoint speaks that calls itself compatible.

Reading gives the role, the session and everything that was told; writing turns a step into the JSON body and the
server-sent events of its API.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

from .steps import MAIN, SMALL, SUBAGENT, SUMMARISER, Call, Step, Told

ANTHROPIC, OPENAI, CHAT = "anthropic", "openai", "chat"
ENDINGS = {"/messages": ANTHROPIC, "/responses": OPENAI, "/chat/completions": CHAT}
Json = dict[str, Any]
Event = tuple[str, Json]

SUMMARY = re.compile(r"create a detailed summary of (the|this|our) conversation|Do NOT call any tools", re.IGNORECASE)


def api_of(path: str) -> str:
    bare = path.partition("?")[0]
    return next((api for ending, api in ENDINGS.items() if bare.endswith(ending)), "")


# --- reading


def role_of(api: str, body: Json, headers: dict[str, str]) -> str:
    if api == OPENAI:
        turn = turn_metadata(body)
        if turn.get("request_kind") == "compaction":
            return SUMMARISER
        if turn.get("subagent_kind") or turn.get("thread_source") == "subagent":
            return SUBAGENT
        return MAIN if turn.get("thread_source") in ("user", None) else SMALL
    if api == CHAT or not body.get("tools"):
        return SMALL
    users = [text for place, text in _messages(body) if place == "user"]
    if users and SUMMARY.search(users[-1][-12000:]):
        return SUMMARISER
    return SUBAGENT if headers.get("x-claude-code-agent-id") else MAIN


def session_of(api: str, body: Json) -> str:
    if api == OPENAI:
        return str(turn_metadata(body).get("session_id", ""))
    try:
        return str(json.loads(body["metadata"]["user_id"])["session_id"])
    except (KeyError, TypeError, ValueError):
        return ""


def turn_metadata(body: Json) -> Json:
    try:
        found = json.loads(body["client_metadata"]["x-codex-turn-metadata"])
    except (KeyError, TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def told(api: str, body: Json) -> tuple[Told, ...]:
    """Everything that the model is told, in the order in which it is told."""
    tools = Told("tools", json.dumps(body.get("tools", [])))
    if api in (ANTHROPIC, CHAT):
        system = [Told("system", text) for _, text in _blocks("system", body.get("system", ""))]
        return (tools, *system, *(Told(place, text) for place, text in _messages(body)))
    given = body.get("input", [])
    items = [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else given
    return (
        tools,
        Told("system", str(body.get("instructions", ""))),
        *(Told(*pair) for one in items for pair in _item(one)),
    )


def _messages(body: Json) -> Iterator[tuple[str, str]]:
    for message in body.get("messages", []):
        yield from _blocks(message["role"], message.get("content", ""))


def _blocks(place: str, content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield place, content
        return
    for block in content or []:
        kind = block.get("type")
        if kind == "text":
            yield place, block.get("text", "")
        elif kind == "tool_result":
            yield from (("result", text) for _, text in _blocks("result", block.get("content", "")))
        elif kind == "tool_use":
            yield "call", json.dumps(block.get("input"))


def _item(item: Json) -> Iterator[tuple[str, str]]:
    kind = item.get("type", "message")
    if kind == "message":
        content = item.get("content", "")
        parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        yield from ((item.get("role", "user"), part) for part in parts)
    elif kind.endswith("_output"):
        output = item.get("output", "")
        yield "result", output if isinstance(output, str) else "\n".join(part.get("text", "") for part in output)
    elif kind.endswith("_call"):
        yield "call", str(item.get("arguments") or item.get("input") or "")
    else:
        yield "developer", json.dumps(item)


# --- writing


def error_of(step: Step) -> Json:
    kinds = {400: "invalid_request_error", 429: "rate_limit_error", 529: "overloaded_error"}
    return {"type": "error", "error": {"type": kinds.get(step.status, "api_error"), "message": step.text}}


def answer_of(api: str, step: Step, model: str) -> Json:
    return {ANTHROPIC: _message, OPENAI: _response, CHAT: _completion}[api](step, model)


def events_of(api: str, step: Step, model: str) -> Iterator[Event]:
    return _anthropic_events(_message(step, model)) if api == ANTHROPIC else _openai_events(_response(step, model))


def _message(step: Step, model: str) -> Json:
    content: list[Json] = [{"type": "text", "text": step.text}] if step.text else []
    content += [{"type": "tool_use", "id": _id("toolu"), "name": one.tool, "input": one.words} for one in step.calls]
    usage = {"input_tokens": step.tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if step.calls else "end_turn",
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 7},
    }


def _anthropic_events(message: Json) -> Iterator[Event]:
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": opened}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": stopped, "usage": message["usage"]}
    yield "message_stop", {}


def _response(step: Step, model: str) -> Json:
    said = {"type": "output_text", "text": step.text, "annotations": []}
    items = [{"type": "message", "id": _id("msg"), "role": "assistant", "content": [said]}] if step.text else []
    items += [_openai_call(one) for one in step.calls]
    return {
        "id": _id("resp"),
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": model,
        "output": [{**item, "status": "completed"} for item in items],
        "usage": {
            "input_tokens": step.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": step.tokens + 7,
        },
    }


def _completion(step: Step, model: str) -> Json:
    """For judges: they take no stream and have no tools."""
    return {
        "id": _id("chatcmpl"),
        "object": "chat.completion",
        "model": model,
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": step.text}},
        ],
        "usage": {"prompt_tokens": step.tokens, "completion_tokens": 7, "total_tokens": step.tokens + 7},
    }


def _openai_call(one: Call) -> Json:
    if one.raw:
        return {
            "type": "custom_tool_call",
            "id": _id("ctc"),
            "call_id": _id("call"),
            "name": one.tool,
            "input": one.raw,
        }
    space, _, name = one.tool.rpartition("/")  # a tool of a namespace is written space/name
    made: Json = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": name}
    return {**made, "arguments": json.dumps(one.words), **({"namespace": space} if space else {})}


def _openai_events(response: Json) -> Iterator[Event]:
    yield "response.created", {"response": {**response, "status": "in_progress", "output": [], "usage": None}}
    for index, item in enumerate(response["output"]):
        yield "response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}}
        if item["type"] == "message":
            where = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield "response.output_text.delta", {**where, "delta": item["content"][0]["text"]}
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield "response.completed", {"response": response}


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:16]}"
