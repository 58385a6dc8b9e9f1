"""The compose file of a team: its services' own scripts run here, on a real database, with the environment it gives."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from pg_cluster import PASSWORD, Cluster, Postgres, a_free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
TEXT = "Orders are locked optimistically, with three retries"
VARIABLE = re.compile(r"\$\{(\w+)(?::[-?]([^}]*))?\}")


@pytest.fixture(scope="module")
def database(postgres_programs: Postgres) -> Iterator[Cluster]:
    made = postgres_programs.cluster(tcp=True)
    yield made
    made.kill()


class Desk:
    """What compose would do, without containers: a service's words with the environment that the file gives it."""

    def __init__(self, database: Cluster, home: Path) -> None:
        self.home = home
        self.set = {"HOLDFAST_DB_PASSWORD": PASSWORD, "HOLDFAST_DB_PORT": str(database.port)}

    def words(self, service: str, *more: str) -> list[str]:
        said = SERVICES[service]
        words = [*said.get("entrypoint", ()), *(more or said.get("command", ()))]
        return [word.replace("/deploy/", f"{DEPLOY}/") for word in words]

    def environment(self, service: str) -> dict[str, str]:
        given = {name: VARIABLE.sub(lambda at: self.set[at[1]], said) for name, said in self.said(service).items()}
        given = {name: said.replace("/run/holdfast", str(self.home)) for name, said in given.items()}
        return {"HOME": str(self.home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **given}

    def said(self, service: str) -> dict[str, str]:
        said: dict[str, str] = SERVICES[service]["environment"]
        return said

    def run(self, service: str, *more: str) -> str:
        done = subprocess.run(
            self.words(service, *more),
            env=self.environment(service),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def asked(port: int, token: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(
        "POST", path, json.dumps(body), {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    )
    answer = connection.getresponse()
    said: dict[str, Any] = json.loads(answer.read())
    assert answer.status == 200, said
    connection.close()
    return said


def test_the_services_bring_up_a_team_that_shares_a_thought(database: Cluster, tmp_path: Path) -> None:
    desk = Desk(database, tmp_path)
    assert "prepared" in desk.run("prepare")
    address = tmp_path / "address"
    first = address.read_text(encoding="utf-8")
    assert address.stat().st_mode & 0o077 == 0
    desk.run("prepare")
    assert address.read_text(encoding="utf-8") == first, "a second start would lock out the servers that run"
    assert "is a member of crew" in desk.run("owner", "team", "add", "crew", "ada")
    token = desk.run("owner", "serve", "token", "add", "robot", "--person", "ada").strip()
    port = a_free_port()
    served = subprocess.Popen(
        [*desk.words("serve")[:-1], str(port)],
        env=desk.environment("serve"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert served.stdout
        assert f"127.0.0.1:{port} for a team" in served.stdout.readline()
        asked(port, token, "/think", {"text": TEXT})
        end = time.monotonic() + 20
        found: list[Any] = []
        while not found and time.monotonic() < end:
            found = asked(port, token, "/retrieve", {"query": "how are orders locked"})["results"]
        assert [one["text"] for one in found] == [TEXT]
    finally:
        served.terminate()
        served.communicate(timeout=30)
    assert served.returncode == 0


def test_nothing_listens_beyond_this_machine_and_servers_do_not_know_the_owner() -> None:
    assert all(port.startswith("127.0.0.1:") for one in SERVICES.values() for port in one.get("ports", ()))
    assert [name for name in SERVICES if "serve" in name] == ["serve", "serve-two"]
    for name in ("serve", "serve-two"):
        assert list(SERVICES[name]["environment"]) == ["HOLDFAST_ADDRESS"]
        assert SERVICES[name]["command"][-1] in SERVICES[name]["healthcheck"]["test"][-1]


def test_every_file_and_volume_that_is_named_is_there() -> None:
    copied = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    for service in SERVICES.values():
        for word in (*service.get("entrypoint", ()), *service.get("command", ())):
            if word.startswith("/deploy/"):
                assert (DEPLOY / word.removeprefix("/deploy/")).is_file()
                assert word.removeprefix("/") in copied
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in COMPOSE["volumes"]
        assert set(service.get("depends_on", ())) <= set(SERVICES)
    assert (DEPLOY.parent / COMPOSE["x-holdfast"]["build"]["dockerfile"]).is_file()
