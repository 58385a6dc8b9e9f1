"""A tiny MCP server on stdio that offers one tool, mark_chapter: what an agent's notebook might offer."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "mark_chapter",
    "description": "Mark the end of a chapter of the work.",
    "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}},
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        about = {"name": "chapters", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "marked"}]}
    return {}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
