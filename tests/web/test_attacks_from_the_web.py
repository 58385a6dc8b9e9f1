"""Pages of others against the page, in a real browser that is signed in: each is refused, and the disk stays."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hook_support import a_home
from hostile_texts import BREAKOUTS
from other_port import OtherPort, other_port
from page_routes import ask, changing, key_of, on_disk, reading
from playwright.sync_api import expect
from serve_support import serving
from web_support import CHROMIUM, Tab, link_of

from holdfast.page import frame, views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page, Response
    from serve_support import Server

pytestmark = pytest.mark.web

TRIES = Path(__file__).with_name("elsewhere.js").read_text(encoding="utf-8")
REMEMBERED = "The vanilla orchid opens at dawn"
HOSTILE = (
    "<script>window.owned = 1</script> owned by a script",
    "<img src=x onerror='window.owned = 1'> owned by a picture",
    "<svg onload='window.owned = 1'><style>* { display: none !important }</style>",
    "<button hx-post='/page/sign-out?everywhere=true' hx-trigger='load'>x</button>",
    "<a href='javascript:window.owned=1'>press</a> [press](javascript:window.owned=1)",
    '"><script src="http://127.0.0.1:1/x.js"></script>',
    *BREAKOUTS,
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, a_home(Path(folder)) as home:
        for text in (REMEMBERED, *HOSTILE):
            home.cli("remember", text)
        home.fast("flag", HOSTILE[0])
        with serving(home) as made:
            yield made


@pytest.fixture
def elsewhere() -> Iterator[OtherPort]:
    with other_port() as made:
        yield made


@pytest.fixture
def signed_in(open_tab: Callable[..., Tab], server: Server) -> Tab:
    return open_tab(server)


@pytest.fixture
def attacker(signed_in: Tab, elsewhere: OtherPort) -> Page:
    """A page of another port, in the same browser as one that is signed in."""
    made = signed_in.page.context.new_page()
    made.goto(elsewhere.address)
    made.evaluate(TRIES)
    return made


@pytest.fixture
def key(signed_in: Tab) -> str:
    """The key of the tab, as if it had been betrayed."""
    found = signed_in.page.evaluate("localStorage.getItem('holdfast-page')")
    assert found
    return str(found)


def statuses(context: BrowserContext, server: Server) -> list[tuple[str, str, int]]:
    """What our server answers to anything but GET in this browser, from now on."""
    seen: list[tuple[str, str, int]] = []

    def note(answer: Response) -> None:
        if answer.url.startswith(server.address) and answer.request.method != "GET":
            seen.append((answer.request.method, answer.url, answer.status))

    context.on("response", note)
    return seen


KINDS = ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]


def test_no_page_of_another_port_changes_anything_not_even_with_the_key(
    attacker: Page, signed_in: Tab, server: Server, key: str
) -> None:
    before, seen = on_disk(server.home), statuses(attacker.context, server)
    for path in [path for _, path in changing()] + ["/page/sign-in", "/think", "/retrieve", "/mcp"]:
        url = f"{server.address}{path}?everywhere=true"
        found = attacker.evaluate("sends", {"url": url, "key": key})
        assert len(found) == 20
        assert all(one in (["refused", 0], ["opaque", 0]) for one in found), (path, found)
        attacker.evaluate("posts", {"url": url, "kinds": KINDS})
    assert len([one for one in seen if one[2] == 403]) >= len(changing()) * 3, "they came, and were refused"
    assert {status for _, _, status in seen} <= {403, 401}
    assert on_disk(server.home) == before
    assert ask(server, "GET", "/page/today", key).status == 200
    signed_in.page.reload()
    expect(signed_in.main.locator("h1").first).to_have_text("Today")


def test_no_page_of_another_port_reads_anything_not_even_with_the_key(attacker: Page, server: Server, key: str) -> None:
    static = [frame.STATICS.url(name) for name in ("page.js", "page.css", "icon.svg")]
    for path in (*static, "/page/bar", "/page/live", "/page/today", "/notes"):
        tried = attacker.evaluate("reads", {"url": f"{server.address}{path}", "key": key})
        assert len(tried) >= 14
        assert not {name: said for name, said in tried.items() if said}, path
    assert "shop" in ask(server, "GET", "/page/bar", key).body.decode(), "there is something to read"


def test_a_window_that_somebody_opened_is_cut_off_from_its_opener(attacker: Page, server: Server) -> None:
    with attacker.context.expect_page() as opening:
        attacker.evaluate("(url) => { window.theirs = window.open(url); }", f"{server.address}/page/today")
    opened = opening.value
    expect(opened.locator("#main h1").first).to_have_text("Today")
    assert opened.evaluate("window.opener") is None
    assert attacker.evaluate("window.theirs.closed"), "to its opener it is gone"


def test_the_page_is_shown_in_no_frame(attacker: Page, server: Server, key: str) -> None:
    for path in reading():
        html = f'<iframe src="{server.address}{path}" width=600 height=400></iframe>'
        with attacker.expect_event("framenavigated", lambda one: one.parent_frame is not None):
            attacker.evaluate("(html) => { document.body.innerHTML = html; }", html)
        (inner,) = [one for one in attacker.frames if one.parent_frame]
        assert "Holdfast" not in inner.content(), path
        assert inner.url.startswith("chrome-error:"), path
    for path in reading():
        if path != "/page/live":
            answer = ask(server, "GET", path, key)
            assert "frame-ancestors 'none'" in answer.headers.get("content-security-policy", answer.body.decode()), path


def test_nothing_of_ours_goes_to_another_port(signed_in: Tab, elsewhere: OtherPort, server: Server, key: str) -> None:
    for path, _, _ in views.ALL:
        signed_in.go(path)
    assert signed_in.page.context.cookies() == []
    signed_in.page.evaluate(TRIES)
    signed_in.page.evaluate("leaves", f"{elsewhere.address}/out")
    signed_in.page.wait_for_url(f"{elsewhere.address}/out")
    assert signed_in.page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    assert signed_in.page.evaluate("document.referrer") == ""
    assert elsewhere.heard
    for line, headers in elsewhere.heard:
        told = line + repr(headers)
        assert not {"cookie", "authorization"} & set(headers), line
        assert key not in told
        assert f":{server.port}" not in told


def test_a_name_of_others_that_leads_to_us_is_answered_nothing(
    chromium: Browser, server: Server, open_tab: Callable[..., Tab]
) -> None:
    before = on_disk(server.home)
    rebound = chromium.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"]
    )
    try:
        page = rebound.new_page()
        address = f"http://evil.example:{server.port}"
        answer = page.goto(f"{address}/page/today")
        assert answer
        assert answer.status == 421
        page.evaluate(TRIES)
        paths = [*reading(), *(path for _, path in changing()), frame.STATICS.url("page.js"), "/notes", "/openapi.json"]
        found = page.evaluate("asks", {"paths": paths, "key": key_of(server)})
        assert len(found) == 2 * len(paths)
        assert all(one == [421, "host"] for one in found)
        assert page.evaluate("localStorage.length") == 0
    finally:
        rebound.close()
    after = {path: said for path, said in on_disk(server.home).items() if not path.endswith("page.keys")}
    assert after == {path: said for path, said in before.items() if not path.endswith("page.keys")}


def test_two_tabs_that_use_a_link_at_once_get_one_key(chromium: Browser, server: Server) -> None:
    contexts = [chromium.new_context() for _ in range(2)]
    try:
        tabs = [one.new_page() for one in contexts]
        for tab in tabs:
            tab.goto(f"{server.address}/page/today")
            tab.evaluate(TRIES)
            expect(tab.locator("#main")).to_contain_text("You are signed out")
        for _ in range(5):
            link, at = link_of(server), (time.time() + 0.4) * 1000
            for tab in tabs:
                tab.evaluate("uses", {"link": link, "at": at})
            found = [result_of(tab) for tab in tabs]
            assert sorted(status for status, _ in found) == [200, 401]
            assert len([key for _, key in found if key]) == 1
    finally:
        for one in contexts:
            one.close()


def result_of(tab: Page) -> list[Any]:
    until = time.monotonic() + 15
    while time.monotonic() < until:
        found: list[Any] | None = tab.evaluate("window.got")
        if found:
            return found
    raise AssertionError("no answer")


def test_signing_out_everywhere_ends_every_tab_and_its_stream(open_tab: Callable[..., Tab], server: Server) -> None:
    one, other = open_tab(server), open_tab(server)
    expect(other.page.locator("#live")).to_have_attribute("data-state", "on")
    asked: list[str] = []
    one.page.evaluate(TRIES)
    assert one.page.evaluate("signsOut", one.page.evaluate("localStorage.getItem('holdfast-page')")) == 200
    other.page.on("request", lambda request: asked.append(request.url) if "/page/live" in request.url else None)
    other.page.locator('#nav a[data-view="notes"]').click()
    expect(other.main).to_contain_text("You are signed out")
    assert other.page.evaluate("localStorage.getItem('holdfast-page')") is None
    other.page.reload()
    expect(other.main).to_contain_text("You are signed out")
    assert len(asked) <= 1, "a stream whose key has ended is not asked for again and again"


def test_remembered_text_is_shown_and_does_nothing(signed_in: Tab, server: Server, key: str) -> None:
    asked: list[str] = []
    signed_in.page.on("request", lambda request: asked.append(request.url))
    signed_in.page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    before = on_disk(server.home)
    for path, _, _ in views.ALL:
        signed_in.page.goto(f"{server.address}/page/{path}?project=all")
        expect(signed_in.main.locator("h1").first).to_be_visible()
        expect(signed_in.main).not_to_have_class("htmx-request")
        assert signed_in.page.evaluate("window.owned") is None, path
    assert not [one for one in asked if not one.startswith(server.address)]
    assert on_disk(server.home) == before
    assert ask(server, "GET", "/page/today", key).status == 200, "nothing signed out"
