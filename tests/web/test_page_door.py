"""The door of the page, tried by a program that sends what it likes: it is shown nothing, and changes nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import SOURCE, a_home
from page_routes import all_routes, ask, changing, is_frame, key_of, on_disk, reading
from serve_support import JSON, serving
from web_support import link_of

from holdfast.capture import gate, locks
from holdfast.page import frame, sign_in, views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serve_support import Answer, Server

pytestmark = pytest.mark.web

REMEMBERED = "The vanilla orchid opens at dawn"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, a_home(Path(folder)) as home:
        done = home.cli("remember", REMEMBERED)
        assert done.status == 0, done.err
        with serving(home) as made:
            yield made


def tells(server: Server, answer: Answer) -> list[bytes]:
    """What of the vault is in an answer."""
    home = server.home
    secrets = (REMEMBERED, "vanilla", str(home.vault), str(home.project), home.project.name + "-", server.token)
    everything = answer.body + repr(answer.headers).encode()
    return [one.encode() for one in secrets if one.encode() in everything]


def test_without_a_key_every_route_says_the_same_and_nothing_remembered(server: Server) -> None:
    assert len(reading()) >= len(views.ALL) + 2
    assert tells(server, ask(server, "GET", "/page/bar", key_of(server))), "what is looked for would be seen"
    for path in reading():
        plain = ask(server, "GET", path, site="none")
        assert (plain.status, is_frame(plain)) == (200, True), path
        assert plain.headers["content-security-policy"] == frame.POLICY
        assert plain.headers["cache-control"] == "no-store"
        for more in ((("HX-Request", "true"),), (("Authorization", f"Bearer {server.token}"),)):
            part = ask(server, "GET", path, more=more)
            assert (part.status, part.error) == (401, "signed-out"), path
            assert not tells(server, part)
    for method, path in changing():
        assert ask(server, method, path).status == 401, path


@pytest.mark.parametrize(
    "kind", ["Holdfast-Page {}x", "Holdfast-Page x", "Basic {}", "Bearer {}", "{}", "Holdfast-Page"]
)
def test_a_wrong_key_is_told_so_and_gets_no_frame(server: Server, kind: str) -> None:
    given = (("Authorization", kind.format(key_of(server))),)
    for path in reading():
        answer = ask(server, "GET", path, more=given)
        assert (answer.status, answer.error, tells(server, answer)) == (401, "signed-out", []), path


def test_a_key_that_may_only_look_changes_nothing_on_any_route(server: Server) -> None:
    key = key_of(server, read_only=True)
    assert ask(server, "GET", "/page/today", key).status == 200
    before = on_disk(server.home)
    assert changing()
    for method, path in changing():
        answer = ask(server, method, f"{path}?everywhere=true", key)
        assert (answer.status, answer.error) == (403, "look-only"), path
    assert on_disk(server.home) == before
    assert ask(server, "GET", "/page/today", key).status == 200


@pytest.mark.parametrize("site", ["same-site", "cross-site", "none", "", "Same-Origin"])
def test_a_change_that_comes_from_elsewhere_is_refused_even_with_a_key(server: Server, site: str) -> None:
    key = key_of(server)
    before = on_disk(server.home)
    for method, path in changing():
        answer = ask(server, method, f"{path}?everywhere=true", key, site=site)
        assert (answer.status, answer.error) == (403, "origin"), path
    assert on_disk(server.home) == before


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{}"])
def test_a_change_without_our_origin_is_refused_even_with_a_key(server: Server, origin: str | None) -> None:
    key = key_of(server)
    before = on_disk(server.home)
    for method, path in (*changing(), ("POST", "/page/sign-in")):
        if (origin, path) != (None, "/page/sign-in"):  # a program without a browser may use a link that it has
            answer = ask(server, method, path, key, origin=origin and origin.format(server.port), site=None)
            assert (answer.status, answer.error) == (403, "origin"), path
    assert on_disk(server.home) == before


def test_tokens_of_the_api_and_keys_of_the_page_do_not_open_each_other(server: Server) -> None:
    key = key_of(server)
    before = on_disk(server.home)
    for method, path in changing():
        answer = ask(server, method, path, more=(("Authorization", f"Bearer {server.token}"),))
        assert (answer.status, answer.error) == (401, "signed-out"), path
        assert ask(server, method, path, server.token).status == 401
    routes = server.get("/openapi.json").json["paths"]
    assert not [path for path in routes if path.startswith("/page")]
    for path, methods in {**routes, "/mcp": {"post": 0}, "/metrics": {"get": 0}}.items():
        for method in methods:
            for kind in ("Bearer", "Holdfast-Page"):
                sent = [("Host", server.host), ("Authorization", f"{kind} {key}"), ("Content-Type", JSON)]
                answer = server.send(method.upper(), path, sent, b"{}")
                assert (answer.status, answer.error) == (401, "token"), path
    assert on_disk(server.home) == before


def test_a_key_ends_when_it_signs_out_and_all_end_everywhere(server: Server) -> None:
    one, other, third = (key_of(server) for _ in range(3))
    link = link_of(server)
    assert ask(server, "POST", "/page/sign-out", one).status == 200
    assert [ask(server, "GET", "/page/today", key).status for key in (one, other, third)] == [401, 200, 200]
    assert ask(server, "POST", "/page/sign-out?everywhere=true", other).status == 200
    assert [ask(server, "GET", "/page/today", key).status for key in (one, other, third)] == [401, 401, 401]
    assert sign_in_by(server, link).status == 401
    assert ask(server, "GET", "/page/today", key_of(server)).status == 200


def sign_in_by(server: Server, link: str) -> Answer:
    body = b'{"link": "%s"}' % link.encode()
    return ask(server, "POST", "/page/sign-in", more=(("Content-Type", JSON),), body=body)


def test_a_link_counts_once_and_not_when_it_is_old(server: Server) -> None:
    link = link_of(server)
    assert sign_in_by(server, link).status == 200
    again = sign_in_by(server, link)
    assert (again.status, again.error) == (401, "signed-out")
    assert "`holdfast page`" in again.json["message"]
    old = sign_in.make_link(server.home.state, time.time() - sign_in.LINK_LASTS, by=gate.BY_USER)
    assert sign_in_by(server, old).status == 401


def test_guessing_writes_nothing_and_keeps_nobody_out(server: Server) -> None:
    key, before = key_of(server), on_disk(server.home)
    with locks.held(f"{server.home.state}/{sign_in.FILE}.lock"):
        began = time.monotonic()
        for nth in range(50):
            assert sign_in_by(server, f"guess{nth}").status == 401
        assert ask(server, "GET", "/page/today", key).status == 200
        assert time.monotonic() - began < sign_in.PATIENCE, "no guess waited for the lock"
    assert on_disk(server.home) == before


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"link": 7}', b'{"link": "\\ud800"}', b'{"link": null}', b"\xff", b"link=x"]
)
@pytest.mark.parametrize("kind", [JSON, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_is_no_link_is_a_sentence(server: Server, body: bytes, kind: str) -> None:
    answer = ask(server, "POST", "/page/sign-in", more=(("Content-Type", kind),), body=body)
    assert answer.status in (400, 401, 422)
    assert answer.json["message"].endswith(".")


TRICKS = (
    *("//page/today", "/page/", "/page//today", "/page/today/", "/PAGE/today", "/page;x/today", "/page.html", "/pagex"),
    *("/page%2ftoday", "/page%2f..%2fnotes", "/page/../notes", "/page/..%2fnotes", "/page/%2e%2e/health", "/%2fpage"),
    *("/page/./../metrics", "/page/..", "/page/../../ledger", "/page\\..\\notes", "/page/%00", "/page/%ff%fe"),
    *("/page/static/x/..%2f..%2fsign_in.py", "/page/static/..", "/page/static//etc/passwd", "/page/frame.html"),
    *("http://127.0.0.1:{port}/page/../notes", "http://evil.example/page/bar", "/page/static/{digest}/..%2fframe.py"),
    *("/page/static/{digest}/htmx.LICENSE", "/page/mcp", "/page/openapi.json", "/page/health", "/page/notes/../../x"),
)  # fmt: skip


@pytest.mark.parametrize("path", TRICKS)
def test_no_spelling_of_a_path_leads_past_the_door(server: Server, path: str) -> None:
    asked = path.format(port=server.port, digest=frame.STATICS.digest)
    for headers in ([], [("HX-Request", "true")]):
        answer = server.send("GET", asked, [("Host", server.host), *headers])
        assert answer.status in (400, 401, 404) or is_frame(answer), (path, answer.status)
        assert not tells(server, answer)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
def test_no_other_method_does_anything(server: Server, method: str) -> None:
    key = key_of(server)
    before = on_disk(server.home)
    for path in {path for _, path in all_routes()} - {path for known, path in changing() if known == method}:
        answer = ask(server, method, path, key, more=(("Access-Control-Request-Method", "POST"),))
        assert answer.status == 405, path
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert not tells(server, answer)
    assert on_disk(server.home) == before


@pytest.mark.parametrize("host", ["evil.example:{}", "127.0.0.1", "127.0.0.1.nip.io:{}", "localhost.:{}", "0.0.0.0:{}"])
def test_under_another_name_not_even_the_frame_is_there(server: Server, host: str) -> None:
    for path in ("/", "/page", "/page/today", frame.STATICS.url("page.js")):
        answer = server.send("GET", path, [("Host", host.format(server.port))])
        assert (answer.status, answer.error) == (421, "host")


def test_no_answer_sets_a_cookie_or_shares_itself(server: Server) -> None:
    key = key_of(server)
    for path in ("/", "/page", frame.STATICS.url("page.css"), *reading()):
        if path == "/page/live":
            continue  # a stream without an end; the browser's test looks at it
        for given in ("", key):
            answer = ask(server, "GET", path, given)
            assert "set-cookie" not in answer.headers
            assert not [name for name in answer.headers if name.startswith("access-control")]
            if answer.status in (200, 303):
                for name, said in frame.HEADERS.items():
                    assert answer.headers[name] == said, (path, name)
    assert "set-cookie" not in sign_in_by(server, link_of(server)).headers


def test_the_figures_name_routes_and_no_path_of_a_caller(server: Server) -> None:
    for path in ("/page/evil-label", "/page/static/evil-label/x", "/page/notes/evil-label", "/evil-label"):
        ask(server, "GET", path)
    told = server.get("/metrics").body
    assert b'route="/page/today"' in told
    assert b"evil-label" not in told


def test_on_a_unix_socket_the_page_changes_nothing_and_is_not_opened(tmp_path: Path) -> None:
    with a_home(tmp_path) as home, serving(home, "--socket", str(tmp_path / "s")) as server:
        key = key_of(server)
        before = on_disk(home)
        for method, path in changing():
            for origin in ("http://localhost", "http://127.0.0.1:8317", None):
                sent = [("Host", server.host), ("Authorization", f"Holdfast-Page {key}")]
                sent += [("Origin", origin)] if origin else []
                assert server.send(method, path, sent, b"").status == 403
        done = home.cli("page", "--no-browser")
        assert done.status == 2
        assert "which a browser cannot open" in done.err
        both = home.cli("serve", "--open", "--socket", str(tmp_path / "other"))
        assert both.status == 2
        assert on_disk(home) == before, "no link was made for nobody"


def test_no_agent_opens_the_page(server: Server) -> None:
    home, before = server.home, on_disk(server.home)
    given = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    for words in (
        ("page", "--no-browser"),
        ("page", "--read-only", "--no-browser"),
        ("serve", "--open", "--port", "0"),
    ):
        done = home.cli(*words, env=given)
        assert done.status != 0
        assert "is the user's to do" in done.err
        assert "#link=" not in done.out
    assert on_disk(home) == before


def test_the_link_goes_to_standard_output_alone(server: Server) -> None:
    env = {**server.home.env, "PYTHONPATH": str(SOURCE), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    command = [sys.executable, "-P", "-m", "holdfast", "page"]
    done = subprocess.run(command, env=env, cwd=server.home.project, capture_output=True, text=True, check=True)
    assert f"{server.address}/page/today#link=" in done.stdout
    assert "ssh -L" in done.stdout
    assert done.stderr == ""
