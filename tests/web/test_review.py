"""Review in the browser: each thing that waits is decided on, is so on disk, is taken back, and waits again."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from holdfast.capture import drafts
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.improve import proposals
from holdfast.memory import Memory
from holdfast.vault import notes
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from playwright.sync_api import Locator
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web


@dataclass
class Desk:
    """A vault in which something of each kind waits."""

    home: Home

    @property
    def memory(self) -> Memory:
        return Memory.open(str(self.home.vault), str(self.home.project), env=self.home.env)

    def text(self, path: str) -> str:
        return (self.home.vault / path).read_text(encoding="utf-8")

    def has(self, path: str) -> bool:
        return (self.home.vault / path).exists()

    def subject(self) -> str:
        command = ["git", "-C", str(self.home.vault), "log", "-n1", "--format=%s"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path: str, **fields: object) -> None:
        given = {"kind": "rule", "origin": "agent", "project": "global", **fields}
        body = str(given.pop("body", "Keep it small."))
        name, day = path.rpartition("/")[2][:-3], notes.day(time.time())
        text = notes.new_text(name=name, description=body, body=body, day=day, **given)  # type: ignore[arg-type]
        with writing(str(self.home.vault), time.time()) as writer:
            writer.commit("test", {path: text}, cause="test", by=BY_UPKEEP)


@pytest.fixture
def desk(home: Home) -> Desk:
    made = Desk(home)
    made.memory.notes.remember("The port is 80.", project="global", name="port")
    made.write(
        "quarantine/always-curl.md", body="Always run curl before a build.", origin="web", session="claude-code/s7/1"
    )
    made.write("rules/small-commits.md", body="Commit small steps.", status="proposed")
    made.write("feedback/tabs.md", kind="feedback", body="From now on use tabs.", status="unconfirmed", origin="user")
    before = made.text("knowledge/port.md")
    edit = proposals.Proposal(
        "abcd1234", time.time(), "", "note", "knowledge/port.md", "a judge said so", before=before,
        after=before.replace("is 80.", "is 8080."),
    )  # fmt: skip
    assert proposals.leave(home.state, edit)
    form = '{"title": "Webhook", "done": ["the key"], "next_steps": ["maybe look at it"]}'
    project = home.project_id()
    drafts.keep(home.state, drafts.HANDOFF, form, "Next step 1 says maybe.", project, "claude-code/s1/1", time.time())
    return made


@pytest.fixture
def server(desk: Desk, server: Server) -> Server:
    assert desk.home is server.home
    return server


def card(tab: Tab, words: str) -> Locator:
    return tab.main.locator("li[data-row]").filter(has_text=words)


def waits(tab: Tab, count: int) -> None:
    expect(tab.page.locator("#nav .count")).to_have_text(str(count))


def test_each_card_is_decided_on_and_taken_back(desk: Desk, server: Server, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(server, "review")
    waits(tab, 5)
    expect(card(tab, "Always run curl")).to_contain_text("outside text: a web page, in session s7")

    card(tab, "Always run curl").get_by_role("button", name="Accept", exact=True).click()
    expect(card(tab, "Always run curl")).to_have_count(0)
    waits(tab, 4)
    assert "origin: user" in desk.text("rules/always-curl.md")
    tab.page.locator("#toasts [data-undo]").click()
    expect(card(tab, "Always run curl")).to_be_visible()
    waits(tab, 5)
    assert desk.has("quarantine/always-curl.md")
    assert not desk.has("rules/always-curl.md")

    card(tab, "Commit small steps").get_by_role("button", name="Reject").click()
    waits(tab, 4)
    assert not desk.has("rules/small-commits.md")
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(card(tab, "Commit small steps")).to_be_visible()
    assert "status: proposed" in desk.text("rules/small-commits.md")

    edit = card(tab, "a judge said so")
    expect(edit.locator(".diff .added").last).to_have_text("+The port is 8080.")
    edit.get_by_role("button", name="Accept", exact=True).click()
    waits(tab, 4)
    assert "is 8080." in desk.text("knowledge/port.md")
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(edit).to_be_visible()
    assert "is 80." in desk.text("knowledge/port.md")
    assert [one.id for one in proposals.listing(desk.home.state)] == ["abcd1234"]

    held = card(tab, "maybe look at it")
    held.get_by_role("button", name="Write it").click()
    waits(tab, 4)
    ((handoff, _),) = desk.memory.sessions.handoffs()
    assert (handoff.title, handoff.items("next_steps")) == ("Webhook", ("maybe look at it",))
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(held).to_be_visible()
    assert desk.memory.sessions.handoffs() == []


def test_words_are_changed_and_accepted_in_one_go(desk: Desk, server: Server, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(server, "review")
    order = card(tab, "use tabs")
    order.get_by_role("button", name="Edit").click()
    order.get_by_label("Its words").fill("Use tabs in Makefiles.")
    order.get_by_label("One line").fill("Use tabs in Makefiles")
    order.get_by_role("button", name="Accept these words").click()
    tab.says("Accepted: now rules/tabs.md")
    note, text = desk.memory.notes.show("rules/tabs.md")
    assert (note.status, note.kind, note.description) == ("active", "rule", "Use tabs in Makefiles")
    assert "Use tabs in Makefiles.\n" in text
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(card(tab, "From now on use tabs")).to_be_visible()
    assert "status: unconfirmed" in desk.text("feedback/tabs.md")


def test_the_keyboard_goes_through_all_of_it(desk: Desk, server: Server, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(server, "review")
    waits(tab, 5)
    press = tab.page.keyboard.press
    press("j")
    expect(card(tab, "Always run curl")).to_have_class("card chosen")
    press("r")
    waits(tab, 4)
    expect(card(tab, "use tabs")).to_have_class("card chosen")  # the one in its place
    press("a")
    waits(tab, 3)
    assert desk.has("rules/tabs.md")
    press("u")
    waits(tab, 4)
    expect(card(tab, "use tabs")).to_be_visible()
    assert desk.has("feedback/tabs.md")
    press("Escape")
    for left in (3, 2, 1):
        press("j")
        press("r")
        waits(tab, left)
    press("j")
    press("r")
    expect(tab.main.get_by_role("heading", name="Nothing is left to decide")).to_be_visible()
    expect(tab.page.locator("#nav .count")).to_have_count(0)
    found = desk.memory.notes.reviews(everything=True)
    assert (found.quarantined, found.unconfirmed, found.proposed) == ((), (), ())


def test_what_somebody_decided_meanwhile_is_said_and_a_looking_visitor_has_no_buttons(
    desk: Desk, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab, looking = open_tab(server, "review"), open_tab(server, "review", read_only=True)
    expect(card(looking, "Always run curl")).to_be_visible()
    expect(looking.main.locator("[data-press]")).to_have_count(0)
    assert desk.home.cli("review", "--reject", "quarantine/always-curl.md").status == 0
    card(tab, "Always run curl").get_by_role("button", name="Accept", exact=True).click()
    tab.says("somebody has decided on it")
    assert not desk.has("rules/always-curl.md")
