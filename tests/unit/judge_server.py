"""A real HTTP server for the tests of judges: it answers, delays, limits, cuts, drips, lies, and keeps all questions.

A plan is a list of acts, one per request; the last goes on for ever. An act gets the handler and does what it likes
with the connection. It speaks both APIs: `said` wraps an answer as the one that was asked expects it. Beside it stands
what the tests of judges share: a question, a meter, and a look at whether a process still runs.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from holdfast.judge.seam import Judge, Question, Words

Act = Callable[["Handler"], None]
GOOD = '{"verdict": "keep", "ids": ["F1"]}'


class Verdict(BaseModel):
    """The shape that the tests ask for."""

    model_config = ConfigDict(extra="forbid")

    verdict: str
    ids: list[str]


def a_question(given: str = "F1: locks have versions", most_out: int = 300) -> Question[Verdict]:
    return Question("consolidate", "Decide what becomes of the flag.", given, Verdict, most_out, "claude-code/s1/1")


@dataclass
class Purse:
    """A meter that writes down what it is told."""

    reserved: list[int] = field(default_factory=list)
    jobs: list[tuple[str, str]] = field(default_factory=list)
    settled: list[tuple[Words | None, str]] = field(default_factory=list)

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        self.reserved.append(tokens)
        self.jobs.append((judge.name, question.job))
        return str(len(self.reserved))

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        assert int(ident) == len(self.settled) + 1, "each call is settled before the next is made"
        self.settled.append((words, error))


def runs(pid: int) -> bool:
    """A process that ended and that nobody has asked after does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(is_so: Callable[[], bool], seconds: float = 20.0) -> None:
    """The kernel ends a whole group, but not all of it in the same moment."""
    ends = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends, "it did not come to pass"
        threading.Event().wait(0.01)


@dataclass(frozen=True)
class Asked:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Server:
    """Start it as a context."""

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts) or [says(GOOD)]
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), Handler)
        self._http.own = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()

    def act(self, asked: Asked) -> Act:
        with self._lock:
            self.asked.append(asked)
            return self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    own: Server

    def handle_error(self, *_: object) -> None:
        """A client that has had enough is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): text for name, text in self.headers.items()}
        asked = Asked(self.path, headers, json.loads(raw) if raw else {})
        self.server.own.act(asked)(self)

    @property
    def over(self) -> threading.Event:
        return self.server.own.over

    def put(self, status: int, data: bytes, kind: str = "application/json", **more: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, text in more.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def reply(self, text: str, tokens: tuple[int, int] | None = (120, 9)) -> bytes:
        """An answer in the words of the API that was asked."""
        if self.path.endswith("/messages"):
            usage = {"usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]}} if tokens else {}
            made: dict[str, Any] = {"type": "message", "model": "small-1", "content": [{"type": "text", "text": text}]}
        else:
            usage = {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}} if tokens else {}
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            made = {"object": "chat.completion", "model": "small-1", "choices": [choice]}
        return json.dumps(made | usage).encode()


def says(text: str, tokens: tuple[int, int] | None = (120, 9)) -> Act:
    return lambda handler: handler.put(200, handler.reply(text, tokens))


def refuses(status: int, message: str = "no", **headers: str) -> Act:
    told = json.dumps({"error": {"type": "some_error", "message": message}}).encode()
    return lambda handler: handler.put(status, told, **headers)


def sends(status: int, data: bytes, kind: str = "application/json", **headers: str) -> Act:
    return lambda handler: handler.put(status, data, kind, **headers)


def never_answers(handler: Handler) -> None:
    handler.over.wait(30)
    handler.close_connection = True


def drips_headers(handler: Handler) -> None:
    """A byte at a time, and never the end of them: no single read ever takes long."""
    _drip(handler, b"HTTP/1.1 200 OK\r\nx-slow: ")


def drips_a_body(handler: Handler) -> None:
    _drip(handler, b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"choices"')


def _drip(handler: Handler, begin: bytes) -> None:
    handler.close_connection = True
    handler.connection.sendall(begin)
    while not handler.over.wait(0.02):
        handler.connection.sendall(b" ")


def cuts(handler: Handler) -> None:
    """Half of what was announced, then nothing."""
    whole = handler.reply(GOOD)
    handler.send_response(200)
    handler.send_header("content-length", str(len(whole)))
    handler.end_headers()
    handler.wfile.write(whole[: len(whole) // 2])
    handler.wfile.flush()
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hangs_up(handler: Handler) -> None:
    """Without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def floods(handler: Handler) -> None:
    """A body without end."""
    handler.close_connection = True
    handler.connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
    while not handler.over.is_set():
        handler.connection.sendall(b"1," * (1 << 17))


def speaks_no_http(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.sendall(b"\x00\xff garbage \r\n\r\n" * 10)
