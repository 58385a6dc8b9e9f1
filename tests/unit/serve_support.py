"""A real `holdfast serve` in a process of its own, on loopback or a unix socket, and a client that sends exactly what
it is told."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hook_support import SOURCE, Done, Home, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATIENCE = 60.0
JSON = "application/json"


def command(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "holdfast", "serve", *words]


def environment(home: Home) -> dict[str, str]:
    return {**home.env, "PYTHONPATH": str(SOURCE)}


def serve(home: Home, *words: str, cwd: Path | None = None) -> Done:
    """The command, run to its end."""
    return run(command(*words), environment(home), cwd or home.project)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"])


@dataclass
class Server:
    """One that runs. `path` is that of its unix socket, else it has a port."""

    home: Home
    process: subprocess.Popen[str]
    address: str
    token: str
    more: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def connection(self) -> http.client.HTTPConnection:
        if self.address.startswith("unix:"):
            return UnixConnection(self.address.removeprefix("unix:"), PATIENCE)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def send(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes | None = None) -> Answer:
        """Exactly these headers, Host included, and what the length of the body needs."""
        there = self.connection()
        try:
            there.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, said in headers:
                there.putheader(name, said)
            if body is not None and not any(name.lower() == "content-length" for name, _ in headers):
                there.putheader("Content-Length", str(len(body)))
            there.endheaders(body)
            return answer_of(there)
        finally:
            there.close()

    @property
    def host(self) -> str:
        return "localhost" if self.address.startswith("unix:") else f"127.0.0.1:{self.port}"

    def headers(self, token: str | None = None) -> list[tuple[str, str]]:
        return [("Host", self.host), ("Authorization", f"Bearer {self.token if token is None else token}")]

    def get(self, path: str, token: str | None = None) -> Answer:
        return self.send("GET", path, self.headers(token))

    def post(self, path: str, said: object, token: str | None = None) -> Answer:
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
        return self.send("POST", path, [*self.headers(token), ("Content-Type", JSON)], raw)

    def think(self, text: str, token: str | None = None, **more: object) -> dict[str, Any]:
        done = self.post("/think", {"text": text, **more}, token)
        assert done.status == 200, done.body
        found: dict[str, Any] = done.json["thought"]
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Its status, once it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def answer_of(there: http.client.HTTPConnection) -> Answer:
    got = there.getresponse()
    return Answer(got.status, {name.lower(): said for name, said in got.getheaders()}, got.read())


@contextmanager
def serving(home: Home, *words: str, cwd: Path | None = None) -> Iterator[Server]:
    """A server of a home's vault, which answers; on any free port if nothing else is said."""
    given = words if "--socket" in words or "--port" in words else ("--port", "0", *words)
    process = subprocess.Popen(
        command(*given),
        env=environment(home),
        cwd=cwd or home.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        assert line.startswith("Serving on "), process.stderr.read()
        token = (home.vault / ".state" / "serve.token").read_text(encoding="ascii").strip()
        yield Server(home, process, line.split()[2].rstrip(";"), token)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def mode_of(path: Path | str) -> int:
    return os.lstat(path).st_mode & 0o777
