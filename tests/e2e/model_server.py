"""A scripted model on loopback: it answers the hosts by the script of a test, and keeps everything it was asked.

A script is a queue of steps per role, and where several sessions run at once per words that only one of them is told
(`server.play(..., about="left")`). A role without steps left answers harmlessly, so the small calls that a host makes
beside the conversation never take a step from it.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import wire
from .steps import JUDGE, MAIN, SMALL, SUBAGENT, SUMMARISER, Request, Step, Told, say

PATIENCE = 120.0  # seconds that a step is held at most: a test that fails must not leave a host waiting for ever
DEFAULTS = {
    MAIN: say("Done."),
    SUBAGENT: say("The subagent is done."),
    SUMMARISER: say("<summary>The work so far, in short.</summary>", tokens=900),
    SMALL: say("A title"),
}


class ModelServer:
    """Start it as a context; hosts reach it at `url`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.other: list[tuple[str, str]] = []  # method and path of what is no question to a model
        # Answers the questions of our own judges; None where it is asked by somebody else.
        self.judge: Callable[[tuple[Told, ...]], Step | None] = lambda _: None
        self._scripts: list[tuple[str, str, deque[Step]]] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.model = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def play(self, *steps: Step, role: str = MAIN, about: str = "") -> None:
        """What the model does next. With `about`, only where it was told these words."""
        with self._lock:
            for known_role, known_about, queue in self._scripts:
                if (known_role, known_about) == (role, about):
                    queue.extend(steps)
                    return
            self._scripts.append((role, about, deque(steps)))

    def forget(self) -> None:
        """Drop the steps that nobody will come for: their host is gone."""
        with self._lock:
            self._scripts.clear()

    @property
    def unplayed(self) -> int:
        """Steps that nobody came for."""
        with self._lock:
            return sum(len(queue) for _, _, queue in self._scripts)

    def of(self, role: str = MAIN, session: str = "") -> list[Request]:
        """The requests of one role, and of one session if it is named."""
        return [one for one in list(self.requests) if one.role == role and session in ("", one.session)]

    def answer(self, api: str, body: dict[str, Any], headers: dict[str, str]) -> Step:
        role, told = wire.role_of(api, body, headers), wire.told(api, body)
        with self._lock:
            judged = self.judge(told)
            role = JUDGE if judged else role
            step = judged or self._next(role, lambda words: any(words in one.text for one in told))
            session = wire.session_of(api, body)
            kept = Request(len(self.requests), time.time(), api, role, session, body, told, step)
            self.requests.append(kept)
        if step.held:
            step.held.wait(PATIENCE)
        return step

    def _next(self, role: str, is_told: Any) -> Step:
        """The step of the script that says most about this request."""
        fitting = [one for one in self._scripts if one[0] == role and one[2] and (not one[1] or is_told(one[1]))]
        if not fitting:
            return DEFAULTS[role]
        return max(fitting, key=lambda one: len(one[1]))[2].popleft()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    model: ModelServer

    def handle_error(self, *_: object) -> None:
        """A host that was killed in the middle of an answer is no trouble of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._other()

    def do_GET(self) -> None:
        self._other()

    def do_POST(self) -> None:
        raw = self._body()
        api = wire.api_of(self.path)
        if not api:
            self._other()
            return
        body = json.loads(raw)
        step = self.server.model.answer(api, body, {name.lower(): value for name, value in self.headers.items()})
        model = str(body.get("model", ""))
        if step.status != 200:
            self._json(wire.error_of(step), step.status)
        elif body.get("stream"):
            self._stream(wire.events_of(api, step, model))
        else:
            self._json(wire.answer_of(api, step, model))

    def _other(self) -> None:
        self.server.model.other.append((self.command, self.path))
        if self.path.partition("?")[0].endswith("/count_tokens"):
            self._json({"input_tokens": 1000})
        elif self.path.partition("?")[0].endswith("/models"):
            self._json({"object": "list", "data": [], "models": []})
        else:
            self._json({}, 404)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def _json(self, thing: object, status: int = 200) -> None:
        data = b"" if self.command == "HEAD" else json.dumps(thing).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Any) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, (name, data) in enumerate(events):
            line = json.dumps({"type": name, "sequence_number": number, **data})
            self.wfile.write(f"event: {name}\ndata: {line}\n\n".encode())
        self.wfile.flush()
