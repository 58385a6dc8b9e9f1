"""A place at the server is for those who ask: a connection that says nothing, or never ends what it says, is closed.
What the door never sees is refused as the door refuses."""

from __future__ import annotations

import asyncio
import json

import pytest
import uvicorn
from uvicorn.server import ServerState

from holdfast.serve.app import Connection

ANSWERED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Hasty(Connection):
    silence = 0.02


async def answer(_: object, __: object, send: object) -> None:
    """As the door refuses: without a look at the body."""
    assert callable(send)
    await asyncio.sleep(0)
    await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"no"})


@pytest.mark.parametrize(
    ("said", "then"),
    [
        (b"", b""),
        (b"GET / HT", b""),
        (ANSWERED, b"GET / HT"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", b"a"),
    ],
    ids=["nothing", "half a head", "half a second head", "a body of one letter"],
)
def test_whoever_does_not_get_on_with_a_request_loses_the_place(said: bytes, then: bytes) -> None:
    async def run() -> bytes:
        config = uvicorn.Config(answer, http=Hasty, lifespan="off", log_level="error")
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Hasty(config, ServerState(), {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(said)
        found = await reader.readuntil(b"no") if b"\r\n\r\n" in said else b""
        writer.write(then)
        async with asyncio.timeout(60):  # it ends only if the server closes
            found += await reader.read()
        writer.close()
        server.close()
        return found

    found = asyncio.run(run())
    assert found.count(b"401") == (1 if b"\r\n\r\n" in said else 0)


@pytest.mark.parametrize(
    ("said", "most", "status", "code"),
    [
        (b"no HTTP at all\r\n\r\n", None, 400, "malformed"),
        (b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 20_000, None, 400, "malformed"),
        (ANSWERED, 1, 503, "busy"),
    ],
    ids=["no request", "a head without an end", "more than are answered at once"],
)
def test_what_never_reaches_the_door_is_refused_in_json_too(
    said: bytes, most: int | None, status: int, code: str
) -> None:
    async def run() -> bytes:
        config = uvicorn.Config(answer, http=Connection, lifespan="off", log_level="critical", limit_concurrency=most)
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(config, ServerState(), {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(said)
        async with asyncio.timeout(60):  # it closes
            found = await reader.read()
        writer.close()
        server.close()
        return found

    head, _, body = asyncio.run(run()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-type: application/json" in head.lower()
    if b"transfer-encoding: chunked" in head.lower():
        body = body.partition(b"\r\n")[2].partition(b"\r\n")[0]
    assert json.loads(body)["error"] == code


def test_with_room_for_it_a_request_is_answered() -> None:
    async def run() -> bytes:
        config = uvicorn.Config(answer, http=Connection, lifespan="off", log_level="critical", limit_concurrency=2)
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(config, ServerState(), {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(ANSWERED)
        async with asyncio.timeout(60):
            found = await reader.readuntil(b"no")
        writer.close()
        server.close()
        return found

    assert asyncio.run(run()).startswith(b"HTTP/1.1 401")


@pytest.mark.slow
def test_who_waits_for_an_answer_keeps_the_place() -> None:
    async def run() -> bytes:
        looks = asyncio.Event()
        seen = 0

        class Counting(Hasty):
            def _look(self) -> None:
                nonlocal seen
                super()._look()
                seen += 1
                if seen == 5:
                    looks.set()

        async def slow(scope: object, receive: object, send: object) -> None:
            await looks.wait()
            await answer(scope, receive, send)

        config = uvicorn.Config(slow, http=Counting, lifespan="off", log_level="error")
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Counting(config, ServerState(), {}), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(ANSWERED)
        async with asyncio.timeout(60):
            found = await reader.readuntil(b"no")
        writer.close()
        server.close()
        return found

    assert asyncio.run(run()).startswith(b"HTTP/1.1 401")
