"""Talking to the server of the Model Context Protocol with the official client: as a process, or within this one."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

import anyio
from hook_support import SOURCE, Home
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent, TextResourceContents

from holdfast.serve.mcp.peer import Peer
from holdfast.serve.mcp.server import AFTERWARDS, Shelf

T = TypeVar("T")
SERVER = ("-P", "-m", "holdfast.cli.mcp")


class Talk:
    """One connection."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **given: object) -> str:
        """What a tool answers, which must not be a refusal."""
        done = await self.client.call_tool(tool, given)
        assert not done.is_error, said(done)
        return said(done)

    async def refusal(self, tool: str, **given: object) -> str:
        """The sentence that a tool refuses with."""
        done = await self.client.call_tool(tool, given)
        assert done.is_error, said(done)
        return said(done)

    async def read(self, uri: str) -> str:
        (found,) = (await self.client.read_resource(uri)).contents
        assert isinstance(found, TextResourceContents)
        return found.text

    async def uris(self) -> list[str]:
        found, cursor = [], None
        while True:
            page = await self.client.list_resources(cursor=cursor)
            found += [one.uri for one in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                return found


def said(done: CallToolResult) -> str:
    (found,) = done.content
    assert isinstance(found, TextContent)
    return found.text


Work = Callable[[Talk], Awaitable[T]]


def by_process(home: Home, work: Work[T], env: Mapping[str, str] | None = None, stderr: IO[str] | None = None) -> T:
    """The real server as a host starts it."""
    given = {**home.env, "PYTHONPATH": str(SOURCE), **(env or {})}
    wanted = StdioServerParameters(command=sys.executable, args=[*SERVER], env=given, cwd=home.project)

    async def run(errlog: IO[str]) -> T:
        async with Client(stdio_client(wanted, errlog)) as client:  # type: ignore[arg-type]
            return await work(Talk(client))

    with tempfile.TemporaryFile("w+") as quiet:
        return anyio.run(run, stderr or quiet)


def within(home: Home, work: Work[T], env: Mapping[str, str] | None = None, cwd: Path | None = None) -> T:
    """The same server without a process for it."""
    peer = Peer({**home.env, **(env or {})}, str(cwd or home.project))

    async def run() -> T:
        async with Client(Shelf(lambda _: peer).server()) as client:
            return await work(Talk(client))

    done = anyio.run(run)
    finish_afterwards()
    return done


def finish_afterwards() -> None:
    """Wait for work that was put off until an answer was out, as the end of a process does."""
    for thread in threading.enumerate():
        if thread.name == AFTERWARDS:
            thread.join()


def asking(tool: str, **given: object) -> Work[str]:
    """Work of one call."""
    return partial(_asked, tool, given)


async def _asked(tool: str, given: dict[str, object], talk: Talk) -> str:
    return await talk.ask(tool, **given)


def refused(tool: str, **given: object) -> Work[str]:
    return partial(_refused, tool, given)


async def _refused(tool: str, given: dict[str, object], talk: Talk) -> str:
    return await talk.refusal(tool, **given)


def children() -> list[int]:
    """The processes that this one has started, now."""
    own = Path(f"/proc/{os.getpid()}/task")
    return [int(pid) for task in own.iterdir() for pid in (task / "children").read_text().split()]
