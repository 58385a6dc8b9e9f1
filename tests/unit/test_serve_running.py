"""The life of a server: one of a vault, on this machine, and gone without a remnant; killed, it loses nothing."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import wait_until
from serve_support import JSON, Server, answer_of, children_of, command, environment, mode_of, serve, serving

from holdfast.errors import Busy
from holdfast.field.store import Damaged
from holdfast.serve import process
from holdfast.serve.service import KEPT, Warm

if TYPE_CHECKING:
    from hook_support import Home


@pytest.mark.slow
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_it_listens_on_this_machine_only(fresh: Home, host: str) -> None:
    done = serve(fresh, "--host", host)
    assert done.status == 2
    assert "nothing was started" in done.err
    assert not (fresh.vault / ".state" / "serve.lock").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_leaves_nothing(fresh: Home, number: int) -> None:
    with serving(fresh) as server:
        assert server.get("/health").status == 200
        known = process.found(fresh.state)
        assert known
        assert (known.address, known.pid) == (server.address, server.process.pid)
        assert known.since == pytest.approx(os.stat(f"{fresh.state}/serve.lock").st_mtime, abs=60)
        assert children_of(server.process.pid) == []
        assert server.stop(number) == 0
        assert server.process.stderr
        assert server.process.stderr.read() == ""
    assert process.found(fresh.state) is None
    assert Path(f"{fresh.state}/serve.lock").read_bytes() == b""


@pytest.mark.slow
def test_it_goes_on_where_nobody_reads_what_it_says(fresh: Home) -> None:
    """As in `holdfast serve | true`."""
    ours, theirs = os.pipe()
    os.close(ours)
    words = command("--port", "0")
    started = subprocess.Popen(
        words, env=environment(fresh), cwd=fresh.project, stdout=theirs, stderr=subprocess.PIPE, text=True
    )
    os.close(theirs)
    try:
        wait_until("it says in its lock where it is", lambda: process.found(fresh.state) is not None)
        known = process.found(fresh.state)
        assert known
        token = (fresh.vault / ".state" / "serve.token").read_text(encoding="ascii").strip()
        server = Server(fresh, started, known.address, token)
        assert server.get("/health").status == 200
        assert server.stop() == 0
        assert started.stderr
        assert started.stderr.read() == ""
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


@pytest.mark.slow
def test_a_second_one_is_told_where_the_first_is(fresh: Home) -> None:
    with serving(fresh) as server:
        done = serve(fresh, "--port", "0")
        assert done.status == 8
        assert f"{server.address} by process {server.process.pid}" in done.err
        assert server.get("/health").status == 200


@pytest.mark.slow
def test_a_port_that_is_taken_is_a_sentence(fresh: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = serve(fresh, "--port", str(taken.getsockname()[1]))
    assert done.status == 8
    assert "nothing was started" in done.err
    assert process.found(fresh.state) is None


@pytest.mark.slow
def test_a_unix_socket_is_its_owners_alone_and_goes_with_the_server(fresh: Home) -> None:
    path = fresh.vault.parent / "hf.sock"
    with serving(fresh, "--socket", str(path)) as server:
        assert mode_of(path) == 0o600
        assert server.get("/health").status == 200
        assert server.get("/health", token="wrong").status == 401
        assert server.send("GET", "/health", [*server.headers(), ("Origin", "http://localhost")]).status == 403
        headers = [("Host", "evil.example"), ("Authorization", f"Bearer {server.token}")]
        assert server.send("GET", "/health", headers).status == 421
        assert server.stop(signal.SIGHUP) == 0  # its terminal was closed
    assert not path.exists()


@pytest.mark.slow
def test_what_a_killed_server_left_is_taken_over(fresh: Home) -> None:
    path = fresh.vault.parent / "hf.sock"
    with serving(fresh, "--socket", str(path)) as server:
        server.stop(signal.SIGKILL)
    assert path.is_socket()
    assert process.found(fresh.state) is None
    with serving(fresh, "--socket", str(path)) as server:
        assert server.get("/health").status == 200


@pytest.mark.slow
def test_a_file_in_the_sockets_place_is_left_alone(fresh: Home) -> None:
    path = fresh.project / "mine.txt"
    path.write_text("mine", encoding="utf-8")
    done = serve(fresh, "--socket", str(path))
    assert done.status == 2
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_a_socket_that_another_program_answers_on_is_left_to_it(fresh: Home) -> None:
    path = str(fresh.vault.parent / "other.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen()
        done = serve(fresh, "--socket", path)
        assert done.status == 8
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(path)


@pytest.mark.slow
def test_a_path_that_is_too_long_for_a_socket_is_a_sentence(fresh: Home) -> None:
    done = serve(fresh, "--socket", f"{fresh.project}/{'x' * 200}")
    assert done.status == 2
    assert "nothing was started" in done.err


@pytest.mark.slow
def test_a_request_under_way_is_finished_before_it_stops(fresh: Home) -> None:
    body = json.dumps({"text": "said while the server was told to stop"}).encode()
    with serving(fresh) as server:
        there = server.connection()
        there.putrequest("POST", "/think", skip_host=True)
        more = [("Content-Type", JSON), ("Content-Length", str(len(body))), ("Expect", "100-continue")]
        for name, said in [*server.headers(), *more]:
            there.putheader(name, said)
        there.endheaders()
        assert there.sock
        assert b"100 Continue" in there.sock.recv(1 << 12)  # it reads the body: the request is under way
        server.process.send_signal(signal.SIGTERM)
        there.send(body)
        answer = answer_of(there)
        there.close()
        assert (answer.status, answer.json["is_new"]) == (200, True)
        assert server.stop() == 0


def said_until_killed(server: Server, name: str, kept: dict[str, str], enough: threading.Event) -> None:
    number = 0
    while True:
        text = f"{name} has found out fact number {number} about the {name} of shelf {number * 7919}"
        try:
            answer = server.post("/think", {"text": text})
        except (OSError, http.client.HTTPException):
            return
        if answer.status == 200:
            kept[answer.json["thought"]["id"]] = answer.json["thought"]["text"]
        number += 1
        if len(kept) >= 40:
            enough.set()


@pytest.mark.slow
def test_kill_during_think_loses_nothing_that_was_acknowledged(fresh: Home) -> None:
    kept: dict[str, str] = {}
    enough = threading.Event()
    with serving(fresh) as server:
        talkers = [
            threading.Thread(target=said_until_killed, args=(server, name, kept, enough))
            for name in ("oats", "barley", "wheat")
        ]
        for one in talkers:
            one.start()
        assert enough.wait(60)
        server.stop(signal.SIGKILL)
        for one in talkers:
            one.join(60)
    with serving(fresh) as server:
        found = {ident: server.get(f"/thoughts/{ident}").json["thought"]["text"] for ident in kept}
    assert len(kept) >= 40
    assert found == kept


@pytest.mark.slow
def test_two_who_think_and_four_who_ask_at_once_are_all_answered(fresh: Home) -> None:
    with serving(fresh) as server:
        server.think("apples are sold by weight")

        def talk(name: str) -> list[int]:
            said = ({"text": f"{name} knows that crate {n} holds {n * 37} apples of kind {name}{n}"} for n in range(15))
            return [server.post("/think", one).status for one in said]

        def ask(_: str) -> list[int]:
            return [server.post("/retrieve", {"query": "which crate holds apples"}).status for _ in range(15)]

        with ThreadPoolExecutor(6) as pool:
            work = [pool.submit(talk, name) for name in ("gus", "ida")] + [pool.submit(ask, "") for _ in range(4)]
            statuses = [status for one in work for status in one.result(60)]
        assert statuses == [200] * 90
        assert server.stop() == 0


def test_stores_stay_open_between_requests_and_broken_ones_do_not(vault: str) -> None:
    warm = Warm(vault, None, lambda: 1.0)
    with warm.field() as first:
        store = first.store
    with warm.field() as again:
        assert again.store is store
        with warm.field() as beside:
            assert beside.store is not store
    with pytest.raises(Damaged), warm.field():
        raise Damaged
    held = [warm.field() for _ in range(KEPT + 3)]
    for one in held:
        one.__exit__()
    assert len({id(warm.field().store) for _ in range(KEPT)} - {id(one.store) for one in held}) == 0
    warm.stop()


@pytest.mark.slow
def test_a_socket_of_another_kind_is_left_to_its_program(fresh: Home) -> None:
    path = str(fresh.vault.parent / "log.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(path)
        done = serve(fresh, "--socket", path)
        assert done.status == 8
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
            probe.connect(path)


@pytest.mark.slow
def test_a_program_that_is_slow_to_answer_on_its_socket_is_not_waited_for(fresh: Home) -> None:
    path = str(fresh.vault.parent / "slow.sock")
    with socket.socket(socket.AF_UNIX) as other, socket.socket(socket.AF_UNIX) as first:
        other.bind(path)
        other.listen(0)
        first.connect(path)
        assert serve(fresh, "--socket", path).status == 8


def test_a_port_is_had_by_one_from_the_moment_it_is_taken() -> None:
    first, _, port = process.bound("127.0.0.1", 0)
    with first, pytest.raises(Busy):
        process.bound("127.0.0.1", port)


EARLY = """
import os, signal, socket, sys, uvicorn
from holdfast.serve import process
run = uvicorn.Server.run
def late(self, sockets=None):
    os.kill(os.getpid(), signal.SIGTERM)
    return run(self, sockets)
uvicorn.Server.run = late
async def app(scope, receive, send):
    while True:
        await send({"type": (await receive())["type"] + ".complete"})
with socket.create_server(("127.0.0.1", 0)) as listener:
    process._run(app, listener, lambda: None)
"""


def test_an_answer_is_sent_at_once_and_waits_for_no_acknowledgement() -> None:
    """asyncio turns Nagle off only where the socket names its protocol; an answer in two writes cost 40 ms more."""
    listener, _, _ = process.bound("127.0.0.1", 0)
    with listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.slow
def test_a_signal_that_comes_before_the_server_runs_ends_it_too(fresh: Home) -> None:
    subprocess.run([sys.executable, "-P", "-c", EARLY], env=environment(fresh), check=True, timeout=60)


@pytest.mark.slow
def test_a_vault_that_was_taken_away_is_not_made_anew(fresh: Home) -> None:
    with serving(fresh) as server:
        server.think("before it went")
        wait_until("the index is warm", lambda: b"holdfast_field_thoughts 1.0" in server.get("/metrics").body)
        aside = fresh.vault.with_name("aside")
        fresh.vault.rename(aside)
        for token in (None, "nobody"):
            assert server.get("/health", token).status == 503
        assert server.post("/think", {"text": "to nobody"}).status == 503
        assert not fresh.vault.exists()
        aside.rename(fresh.vault)
        assert server.get("/health").status == 200
        assert server.stop() == 0
    assert not (fresh.vault.parent / "aside").exists()


def test_a_field_that_is_kept_warm_is_not_made_where_there_is_no_vault(tmp_path: Path) -> None:
    looked = threading.Event()
    warm = Warm(str(tmp_path / "gone"), None, lambda: 1.0)

    class Once(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            looked.set()
            return super().wait(timeout)

    warm._stop = Once()
    warm.start()
    assert looked.wait(60)
    warm.stop()
    assert not (tmp_path / "gone").exists()
