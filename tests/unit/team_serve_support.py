"""Replicas of a team's server in processes of their own, on a real database, and tokens for them."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hook_support import SOURCE
from serve_support import PATIENCE, Answer, Server, command

from holdfast.field.postgres import connection, people, schema, serve_tokens
from holdfast.serve.team_service import digest_of
from holdfast.serve.tokens import new_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hook_support import Home

    Address = Callable[..., str]  # of a role: user=, password=


@dataclass
class TeamServers:
    """A prepared database and the people in it. `dsn(user=…)` is its address for a role."""

    home: Home
    dsn: Address
    owner: connection.Server = field(init=False)

    def __post_init__(self) -> None:
        self.owner = connection.Server(self.dsn())
        schema.prepare(self.owner)
        self.password = people.add_server(self.owner)

    def member(self, person: str, team: str) -> str:
        """A member of a team; the password where the person is new."""
        people.add_team(self.owner, team)
        password = people.add_person(self.owner, person)
        people.join(self.owner, team, person)
        return password

    def token(self, person: str, team: str, name: str = "") -> str:
        made = new_token()
        serve_tokens.add(self.owner, name or f"{person}-{team}", person, team, digest_of(made))
        return made

    @property
    def address(self) -> str:
        return self.dsn(user=people.SERVER, password=self.password)

    @contextmanager
    def replica(self, *words: str) -> Iterator[Server]:
        process = subprocess.Popen(
            command("--store", self.address, "--port", "0", *words),
            env={**self.home.env, "PYTHONPATH": str(SOURCE)},
            cwd=self.home.project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        assert process.stderr
        try:
            line = process.stdout.readline()
            assert line.startswith("Serving on "), process.stderr.read()
            yield Server(self.home, process, line.split()[2].rstrip(";"), "")
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
            process.stdout.close()
            process.stderr.close()

    def close(self) -> None:
        self.owner.close()


def tool(server: Server, token: str, name: str, **given: object) -> Any:
    """What a tool answered over the Model Context Protocol: its result, as it was sent."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
    return rpc(server, token, asked).json


def rpc(server: Server, token: str, asked: object) -> Answer:
    import json

    headers = [*server.headers(token), ("Content-Type", "application/json"), ("Accept", "application/json")]
    return server.send("POST", "/mcp", headers, json.dumps(asked).encode())
