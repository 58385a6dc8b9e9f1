"""Hostile notes in the browser: whatever was remembered is shown as text, nothing of it runs, and no page breaks.

The fixture `open_tab` fails a test for any message of the console, so also for one about the content policy.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hostile_texts import ALL
from playwright.sync_api import expect

from holdfast.capture import drafts
from holdfast.close.improve import proposals
from holdfast.memory import Memory
from holdfast.vault import notes
from holdfast.vault.transaction import take_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web
MARK = "window.owned=1"
TAGS = (
    f"<script>{MARK}</script>",
    f"<img src=x onerror={MARK}>",
    f"<svg onload={MARK}><style>*{{display:none}}</style>",
    "<style>main{display:none}</style><link rel=stylesheet href=//evil.example/x.css>",
    f'"><details open ontoggle={MARK}>',
    f"[click me](javascript:{MARK}) and [me](data:text/html,<script>{MARK}</script>) and [there](//evil.example/x)",
    "![](http://evil.example/?q=1) [in](../../.state/serve.token)",
    "<form action=http://evil.example><button autofocus>Save</button></form><base href=http://evil.example>",
    f"<a hx-get=/page/notes hx-trigger=load hx-on:click={MARK}>x</a> <div data-press=a data-row=x>{{{{ 7*7 }}}}</div>",
    "\u202egnp.exe \u2066hidden\u2069 zero\u200bwidth \x1b[2J",
    "`" * 500 + "[" * 500 + "*" * 500,
)


@pytest.fixture
def hostile(home: Home) -> Path:
    memory = Memory.open(str(home.vault), str(home.project), env=home.env)
    memory.notes.remember("Nothing special.", project="global")
    for nth, text in enumerate((*TAGS, *ALL)):
        kind = "rule" if nth % 2 else "knowledge"
        folder = "quarantine" if nth % 2 else "knowledge"
        made = notes.new_text(
            name=text[:150], description=text, kind=kind, body=text, day="2026-01-01", project="global",
            origin="web", session=f"claude-code/{text[:30]}/1", sources=[text[:40]],
        )  # fmt: skip
        path = home.vault / folder / f"hostile-{nth:02}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(made.encode("utf-8", "surrogatepass"))
    long = notes.new_text(
        name="One line", description="One line", kind="knowledge", body="x" * 1_000_000, day="2026-01-01",
        project="global", origin="web",
    )  # fmt: skip
    (home.vault / "knowledge" / "one-line.md").write_text(long, encoding="utf-8")
    for nth, text in enumerate(TAGS):
        proposal = proposals.Proposal(f"hostile{nth}", time.time(), "", "claim", text[:60], text, f"-{text}\n+{text}\n")
        assert proposals.leave(home.state, proposal)
        drafts.keep(home.state, drafts.FLAG, text, text, home.project_id(), f"claude-code/{text[:20]}/1", time.time())
    take_in(str(home.vault), time.time(), 60.0)
    return home.vault


def harmless(tab: Tab) -> None:
    assert tab.page.evaluate("window.owned === undefined")
    inside = "script, style, iframe, object, embed, base, form[action^=http], img, a[href^=javascript], a[href^=data]"
    assert tab.main.locator(inside).count() == 0
    assert tab.main.locator("[hx-on\\:click], [onerror], [onload], [ontoggle]").count() == 0
    links = tab.main.locator("a[href]").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert [one for one in links if not one.startswith(("/page/", "http://", "https://"))] == []
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing scrolls sideways"
    assert "\u202e" not in tab.main.inner_text()


def test_lists_and_cards_show_it_as_text(hostile: Path, server: Server, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(server, "notes?past=1", width=390)
    expect(tab.main.locator("li[data-row]")).to_have_count(50)
    harmless(tab)
    expect(tab.main).to_contain_text(TAGS[1])
    tab.go("review")
    expect(tab.main.locator("li[data-row]").first).to_be_visible()
    harmless(tab)
    expect(tab.main).to_contain_text(TAGS[0])
    expect(tab.main).to_contain_text("⟨U+202E⟩")


def test_each_note_its_edit_and_its_history_show_it_as_text(
    hostile: Path, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "notes")
    for path in sorted(hostile.glob("*/hostile-0*.md")) + sorted(hostile.glob("*/hostile-10.md")):
        tab.page.goto(f"{server.address}/page/notes/note?project=all&note={path.parent.name}/{path.name}")
        expect(tab.main.locator("h1")).to_be_visible()
        tab.main.locator("details summary").last.click()
        expect(tab.main.locator(".diff").first).to_be_visible()
        harmless(tab)
    text = (hostile / "knowledge" / "hostile-00.md").read_text(encoding="utf-8")
    tab.page.goto(f"{server.address}/page/notes/edit?project=all&note=knowledge/hostile-00.md")
    expect(tab.main.locator("textarea")).to_have_value(text)
    harmless(tab)


def test_a_line_of_a_megabyte_is_cut_and_the_whole_comes_in_parts(
    hostile: Path, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "notes/note?note=knowledge/one-line.md", width=390)
    expect(tab.main).to_contain_text("These are the first 20,000 characters")
    expect(tab.main).to_contain_text("Too long to edit here")
    assert len(tab.main.inner_html()) < 60_000
    harmless(tab)
    tab.main.get_by_role("link", name="The whole file").click()
    expect(tab.main).to_contain_text("characters 1 to 100,000 of 1,000,")
    harmless(tab)
    tab.main.get_by_role("link", name="More").click()
    expect(tab.main).to_contain_text("characters 100,001 to 200,000")
