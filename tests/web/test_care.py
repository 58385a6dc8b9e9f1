"""Care in the browser: capture is paused and goes on, what is safe is mended, the meter is drawn, the ladder ticks
itself, and a change of the vault is taken back."""

from __future__ import annotations

import stat
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from holdfast.close import meter, prices
from holdfast.close.meter import Group
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


@pytest.fixture
def vault(home: Home) -> Home:
    home.cli("remember", "Deploys run on Mondays.")
    return home


@pytest.fixture
def spent(vault: Home) -> Home:
    """Calls of three days, one of them without any, as the budget writes them down."""
    (vault.vault / ".state" / "config.toml").write_text("[spend]\ntokens_per_day = 50000\n", encoding="utf-8")
    for back, tokens in ((2, 30_000), (0, 20_000)):
        when = time.time() - back * meter.DAY
        group = Group("anthropic", "<b>claude</b>", "tidy", "claude-code", prices.BY_TOKEN)
        with meter.lock(vault.state):
            day = meter.begin(vault.state, meter.day_of(when))
            told = {"id": f"c{back}", **group._asdict(), "tokens": tokens, "money": 2 * tokens}
            meter.append(vault.state, day, when, "reserve", about="claude-code/s1/1", **told)
            used = {"in": tokens - 500, "out": 500, "assumed": 0, "money": tokens}
            was = {"model": group.model, "billed": group.billed, "asked": tokens, "tokens": tokens, "money": 2 * tokens}
            done = {"id": f"c{back}", **group._asdict(), **used, "ok": True, "was": was}
            meter.append(vault.state, day, when, "settle", **done)
    return vault


def test_capture_is_paused_after_a_question_and_goes_on(
    vault: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "care")
    paused = vault.vault / ".state" / "paused"
    expect(tab.main).to_contain_text("Capture is on.")
    tab.main.locator("#capture-pause").click()
    tab.page.locator("#ask").get_by_role("button", name="Cancel").click()
    assert not paused.exists()
    tab.main.locator("#capture-pause").click()
    tab.confirm()
    expect(tab.main).to_contain_text("Capture is paused.")
    assert paused.exists()
    vault.hook(vault.event("SessionStart", source="startup"))
    assert vault.ledger("episode") == []
    tab.page.keyboard.press("u")
    expect(tab.main).to_contain_text("Capture is on.")
    assert not paused.exists()
    tab.page.keyboard.press("u")
    expect(tab.main).to_contain_text("Capture is paused.")
    tab.main.locator("#capture-resume").click()
    expect(tab.main).to_contain_text("Capture is on.")
    vault.hook(vault.event("SessionStart", source="startup"))
    assert vault.episode()


def test_what_is_safe_is_mended_by_a_button_and_the_rest_has_a_command(
    vault: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    vault.vault.chmod(0o755)
    tab = open_tab(server, "care")
    expect(tab.main).to_contain_text("Can be mended", timeout=60_000)
    row = tab.main.locator("li").filter(has_text="Who may read the vault")
    row.get_by_role("button", name="Mend: Who may read the vault").click()
    expect(tab.main.get_by_role("button", name="Mend: Who may read the vault")).to_have_count(0, timeout=60_000)
    assert stat.S_IMODE(vault.vault.stat().st_mode) == 0o700
    agents = tab.main.locator("li").filter(has=tab.page.get_by_text("Agents", exact=True))
    expect(agents.get_by_role("button", name="copy command holdfast init")).to_be_visible()
    tab.main.get_by_text("checks are fine").click()
    expect(tab.main.locator("li").filter(has_text="Who may read the vault")).to_be_visible()


def test_spend_is_drawn_by_day_beside_the_cap_and_told_in_tables(
    spent: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "care/spend")
    expect(tab.main).to_contain_text("20,000 of 50,000")
    expect(tab.main.locator("meter")).to_have_attribute("value", "20000")
    bars = tab.main.locator(".chart").first.locator("rect")
    expect(bars).to_have_count(3)
    assert [bool(float(one.get_attribute("height") or 0)) for one in bars.all()] == [True, False, True]
    assert bars.nth(0).get_attribute("height") == "160.0"
    expect(tab.main.locator("table").filter(has_text="<b>claude</b>")).to_be_visible()
    tab.main.get_by_text("Day by day, as a table").click()
    expect(tab.main.locator("details table tbody tr")).to_have_count(3)
    expect(tab.main).to_contain_text("spend.tokens_per_day")
    tab.main.get_by_role("link", name="30 days").click()
    expect(tab.main.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "page")
    narrow = open_tab(server, "care/spend", width=390)
    expect(narrow.main.locator(".chart").first).to_be_visible()
    assert narrow.page.evaluate("document.documentElement.scrollWidth") <= 390
    report = Memory.open(str(spent.vault), str(spent.project), env=spent.env).sessions.spent(14, "day")
    assert report.total.sums.tokens == 50_000


def test_a_box_of_the_ladder_ticks_itself_and_a_change_is_taken_back(
    vault: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "care/ladder")
    box = tab.main.locator("li.box").filter(has_text="Rules of the project are written down")
    expect(box).to_contain_text("Not yet:", timeout=60_000)
    expect(box).to_contain_text("Ticked by:")
    filed = vault.cli("remember", "--kind", "rule", "Never push on a Friday.", "--reason", "nobody is there")
    assert filed.status == 0, filed.err
    expect(box).to_contain_text("Ticked:", timeout=60_000)
    expect(box).not_to_contain_text("Ticked by:")
    memory = Memory.open(str(vault.vault), str(vault.project), env=vault.env)
    rules = vault.vault / "rules"
    assert len(list(rules.glob("*.md"))) == 1
    commit = memory.notes.history("", 1)[0][0].commit
    tab.page.evaluate(f"htmx.ajax('POST', '/page/undo?id={commit}', {{ target: '#main', swap: 'none' }})")
    tab.says("Taken back:")
    assert list(rules.glob("*.md")) == []
    expect(box).to_contain_text("Not yet:", timeout=60_000)
    tab.page.keyboard.press("u")
    expect(box).to_contain_text("Ticked:", timeout=60_000)
    assert len(list(rules.glob("*.md"))) == 1
    assert memory.notes.history("", 1)[0][0].subject.startswith("undo ")
