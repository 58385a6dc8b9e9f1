"""Another program on this machine: a web server on a port of its own, which keeps what browsers send to it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = b"<!doctype html><title>elsewhere</title><body><p>A page of somebody else.</p></body>"


@dataclass
class OtherPort:
    """`heard` is each request that came: its line and its headers, in lower case."""

    port: int
    heard: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def other_port() -> Iterator[OtherPort]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            known.heard.append((self.requestline, {name.lower(): said for name, said in self.headers.items()}))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        do_GET = do_POST = _answer  # noqa: N815  its base names them so

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = OtherPort(listening.server_address[1])
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
