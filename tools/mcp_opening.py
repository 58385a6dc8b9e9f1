"""Writes what `holdfast mcp` answers before the protocol's library is there, as that library answers it.

python3 tools/mcp_opening.py

Run it after a change of the tools or of the library; a test compares.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

PAGE = ROOT / "src" / "holdfast" / "serve" / "mcp" / "opening.json"
ASKED = ("tools/list", "resources/list", "resources/templates/list")


def opening() -> dict[str, Any]:
    """The answers of the whole server in an empty vault, by the version of the protocol and the method."""
    import anyio
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

    from holdfast.serve.mcp.stdio import HANDSHAKE

    with tempfile.TemporaryDirectory() as folder:
        newest = HANDSHAKE_PROTOCOL_VERSIONS[-1]
        first = {"protocolVersion": newest, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        begins: list[dict[str, Any]] = [
            {"id": 0, "method": "initialize", "params": first},
            {"method": "notifications/initialized"},
        ]
        shaken: list[dict[str, Any]] = [
            *begins,
            {"id": 1, "method": "ping"},
            *({"id": one, "method": one} for one in ASKED),
        ]
        answers = anyio.run(_answers, folder, shaken)
        old = {"initialize": answers[0], "ping": answers[1], **{one: answers[one] for one in ASKED}}
        del old["initialize"]["protocolVersion"]
        meta = {
            "io.modelcontextprotocol/protocolVersion": LATEST_MODERN_VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        modern = ("server/discover", *ASKED)
        found = anyio.run(_answers, folder, [{"id": one, "method": one, "params": {"_meta": meta}} for one in modern])
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "answers": {HANDSHAKE: old, LATEST_MODERN_VERSION: {one: found[one] for one in modern}},
    }


async def _answers(folder: str, requests: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """What the whole server answers to each request, by its id."""
    import anyio
    from mcp.server.stdio import stdio_server

    from holdfast.serve.mcp.peer import Peer
    from holdfast.serve.mcp.server import Shelf

    env = {"HOME": folder, "HOLDFAST_HOME": f"{folder}/vault", "PATH": "/usr/bin:/bin"}
    server = Shelf(lambda _: Peer(env, folder)).server()
    wanted = len([one for one in requests if "id" in one])
    found: dict[Any, dict[str, Any]] = {}
    done = anyio.Event()

    class Incoming:
        async def __aiter__(self) -> Any:
            for one in requests:
                yield json.dumps({"jsonrpc": "2.0", **one})
            await done.wait()

    class Outgoing:
        async def write(self, text: str) -> None:
            record = json.loads(text)
            found[record["id"]] = record["result"]
            if len(found) == wanted:
                done.set()

        async def flush(self) -> None:
            return

    incoming: Any = Incoming()
    outgoing: Any = Outgoing()
    async with stdio_server(incoming, outgoing) as (read, write):
        await server.run(read, write, server.create_initialization_options())
    return found


if __name__ == "__main__":
    PAGE.write_text(json.dumps(opening(), indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    print(f"written {PAGE.relative_to(ROOT)}")
