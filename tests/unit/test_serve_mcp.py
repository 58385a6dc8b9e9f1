"""The Model Context Protocol beside the routes: on the same warm field, and with the same manners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from mcp_support import finish_afterwards
from serve_support import serving

from holdfast.serve import app
from holdfast.serve.guard import Guard
from holdfast.serve.mcp.peer import of_agent
from holdfast.serve.service import Lent, Serving
from holdfast.serve.tokens import Caller

if TYPE_CHECKING:
    from hook_support import Home

    from holdfast.field.handle import Field

KINDS = {"content-type": "application/json", "accept": "application/json"}
LOCKING = "Orders use optimistic locking"


def calling(tool: str, **given: object) -> bytes:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    return json.dumps(asked).encode()


def test_tools_and_routes_share_the_field_that_is_open(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Serving(str(fresh.vault), str(fresh.project), fresh.env)
    lent: list[Field] = []
    lend = made.warm.field

    def seen() -> Field:
        lent.append(lend())
        return lent[-1]

    monkeypatch.setattr(made.warm, "field", seen)
    mounts, running = app.mounts(made)

    async def called(scope: Any, receive: Any, send: Any) -> None:
        scope["state"] = {"caller": Caller("ada")}
        await mounts[app.PATH](scope, receive, send)

    async def ask(http: httpx2.AsyncClient, tool: str, **given: object) -> str:
        done = await http.post("http://127.0.0.1/mcp", headers=KINDS, content=calling(tool, **given))
        told = done.json()["result"]
        assert not told["isError"], told
        return str(told["content"][0]["text"])

    async def run() -> None:
        async with running(), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=called)) as http:
            await ask(http, "think", text=LOCKING)
            assert lent, "the thought went through it"
            before = len(lent)
            assert LOCKING in await ask(http, "recall", query="orders locking")
            assert len(lent) > before

    anyio.run(run)
    finish_afterwards()
    assert len({id(one.store) for one in lent}) == 1, "one that stays open"
    made.warm.stop()


def test_the_field_of_another_vault_is_not_used(fresh: Home, tmp_path: Path) -> None:
    made = Serving(str(fresh.vault), str(fresh.project), fresh.env)
    here = of_agent("ada", str(fresh.project), fresh.env, warm=made.warm).place()
    there = of_agent("ada", str(fresh.project), {**fresh.env, "HOLDFAST_HOME": str(tmp_path / "other")}, warm=made.warm)
    assert here.memory().field.opener is made.warm
    assert there.place().memory().field.opener is not made.warm
    with here.memory().field.open() as field:
        assert isinstance(field, Lent)
    made.warm.stop()


@pytest.mark.slow
def test_a_vault_of_a_newer_format_is_told_without_its_place_and_health_fails(fresh: Home) -> None:
    sentence = "The vault has format 99, this holdfast knows 1; nothing was changed. Upgrade holdfast on this machine."
    with serving(fresh) as server:
        assert server.get("/health").status == 200
        (fresh.vault / "format").write_text("99\n")
        health = server.get("/health")
        assert (health.status, health.json["ok"], health.json["why"]) == (503, False, sentence)
        notes = server.get("/notes")
        assert (notes.status, notes.json) == (503, {"error": "newer-format", "message": sentence})
        headers = [*server.headers(), *KINDS.items()]
        for tool, given in (("recall", {"query": "orders"}), ("remember", {"text": LOCKING})):
            told = server.send("POST", "/mcp", headers, calling(tool, **given)).json["result"]
            assert (told["isError"], told["content"][0]["text"]) == (True, sentence)
        assert b"holdfast_healthy 0.0" in server.get("/metrics").body
        (fresh.vault / "format").write_text("1\n")
        assert server.get("/health").status == 200


def test_whatever_breaks_at_the_door_is_json_and_goes_into_the_log() -> None:
    sent: list[Any] = []

    async def broken(_: Any, __: Any, ___: Any) -> None:
        raise RuntimeError("unforeseen")

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    class Anybody:
        def caller(self, _: str) -> Caller:
            return Caller("ada")

    headers = [(b"host", b"localhost"), (b"authorization", b"Bearer x")]
    door = Guard(broken, Anybody(), None, lambda *_: None)
    with pytest.raises(RuntimeError, match="unforeseen"):
        anyio.run(door, {"type": "http", "method": "GET", "headers": headers}, receive, send)
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"])["error"] == "internal"
    assert "unforeseen" not in str(sent)
