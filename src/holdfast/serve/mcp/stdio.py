"""The first answers of the server on standard streams, from the standard library alone.

A host asks what we offer at each of its own starts, and waits for it; most sessions then call nothing. What is always
the same is answered from opening.json, the list of notes by the vault itself, and the protocol's library, which takes
as long to import as a turn of the host, is loaded at the first call. Promise: the same answers as the library's, which
a test compares; whatever is asked in another way is left to it.
"""

from __future__ import annotations

import os

from holdfast.capture import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HANDSHAKE = "handshake"  # the sessions that begin with `initialize`; others say their version in each request
VERSION = "io.modelcontextprotocol/protocolVersion"
BY_ITSELF = ("server/discover", "tools/list", "resources/templates/list", "ping")
CHUNK = 1 << 16


class Wire:
    """The client's streams, on descriptors of our own: what a library prints or a child reads does not meet them."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self.left = bytearray()  # read, and not yet a line

    @classmethod
    def claim(cls) -> Wire:
        incoming, outgoing = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return cls(incoming, outgoing)

    def lines(self) -> Iterator[bytes]:
        while True:
            line, is_whole, rest = bytes(self.left).partition(b"\n")
            if is_whole:
                self.left[:] = rest
                yield line
                continue
            got = os.read(self.incoming, CHUNK)
            if not got:
                return
            self.left.extend(got)

    def write(self, record: dict[str, Any]) -> None:
        data = memoryview(codec.encode(record) + b"\n")
        while data:
            data = data[os.write(self.outgoing, data) :]


class Begun:
    """A conversation until the whole server takes it over: the lines that it has to hear too, and the id of the request
    among them whose answer the client has already."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.heard: list[bytes] = []
        self.answered: str | int | None = None


def serve(wire: Wire) -> Begun | None:
    """Answer until something is asked that needs the whole server; None where the client went before."""
    begun, opening = Begun(wire), _opening()
    for line in wire.lines():
        answer = _answer(line, opening, begun)
        if answer is None:
            begun.heard.append(line)
            return begun
        if answer:
            wire.write(answer)
    return None


def _opening() -> dict[str, Any]:
    return codec.read(f"{__file__.rpartition('/')[0]}/opening.json")


def _answer(line: bytes, opening: dict[str, Any], begun: Begun) -> dict[str, Any] | None:
    """The answer to a line, {} where it wants none, None where it is for the whole server."""
    try:
        if any(one < 32 for one in line.strip()):
            return None  # no JSON, though our own reader is lenient
        asked = codec.decode(line.decode())
        method, params = asked["method"], asked.get("params") or {}
        ident = asked.get("id")
        if ident is None:
            begun.heard.append(line)
            return {}
        said = (params.get("_meta") or {}).get(VERSION, HANDSHAKE)
        known = opening["answers"].get(said) or {}
        if method == "initialize" and not begun.heard and params["protocolVersion"] in opening["versions"]:
            begun.heard.append(line)
            begun.answered = ident
            return _record(ident, {**known[method], "protocolVersion": params["protocolVersion"]})
        is_open = said != HANDSHAKE or begun.answered is not None
        if not is_open or method not in known or params.get("cursor"):
            return None
        if method in BY_ITSELF:
            return _record(ident, known[method])
        if method == "resources/list":
            rows = _resources(known[method]["resources"])
            return None if rows is None else _record(ident, {**known[method], "resources": rows})
    except Exception:  # the whole server says what is wrong with it
        return None
    return None


def _record(ident: object, result: dict[str, Any]) -> dict[str, Any]:
    import holdfast

    info = {"name": "holdfast", "version": holdfast.__version__}
    if "serverInfo" in result:
        result = {**result, "serverInfo": info}
    if "_meta" in result:
        result = {**result, "_meta": {"io.modelcontextprotocol/serverInfo": info}}
    return {"jsonrpc": "2.0", "id": ident, "result": result}


def _resources(always: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The brief and the notes; None where they need more than one page."""
    from urllib.parse import quote

    from holdfast.serve.mcp.peer import MARKDOWN, NOTE_URI, PER_PAGE, listed, of_process

    notes = listed(of_process().place().memory())
    if len(notes) > PER_PAGE:
        return None
    return always + [
        {"uri": NOTE_URI + quote(note.path), "name": note.path, "description": note.description, "mimeType": MARKDOWN}
        for note in notes
    ]
