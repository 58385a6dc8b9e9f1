"""Notes in the browser: found, read, edited, forgotten, brought back, purged; nobody loses words to another."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from serve_support import serving

from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

pytestmark = pytest.mark.web
AN_AGENT = {"CLAUDE_CODE_SESSION_ID": "s1"}


def memory(home: Home) -> Memory:
    return Memory.open(str(home.vault), str(home.project), env=home.env)


def git(home: Home, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(home.vault), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def filled(home: Home) -> Path:
    made = memory(home).notes
    made.remember("The port of the staging gateway is 80.", project="global", name="The port")
    made.remember("Never force-push main.", project="global", kind="rule", policy="never", name="No force")
    made.remember("Orders lock by version. See [the port](the-port.md).", name="Orders lock")
    return home.vault


def test_a_note_is_found_edited_taken_back_forgotten_and_brought_back(
    filled: Path, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab, path = open_tab(server, "notes"), filled / "knowledge" / "the-port.md"
    rows = tab.main.locator("li[data-row]")
    expect(rows).to_have_count(3)
    tab.main.get_by_role("searchbox").fill("force")
    expect(rows).to_have_count(1)
    expect(tab.page).to_have_url(re.compile("q=force"))
    tab.main.get_by_role("searchbox").fill("")
    tab.main.locator("select[name=kind]").select_option("knowledge")
    expect(rows).to_have_count(2)

    rows.get_by_role("link", name="The port").click()
    expect(tab.main.get_by_role("heading", name="The port", exact=True)).to_be_visible()
    expect(tab.main).to_contain_text("From your own words")
    expect(tab.main.get_by_role("link", name="Orders lock")).to_be_visible()  # the way back
    tab.main.get_by_role("link", name="Edit", exact=True).click()
    box = tab.main.locator("textarea")
    before = path.read_text(encoding="utf-8")
    assert box.input_value() == before, "as an editor would show it"
    box.fill(before.replace("is 80.", "is 8080."))
    tab.main.get_by_role("button", name="Save").click()
    tab.says("Saved.")
    expect(tab.main.locator(".note-words")).to_have_text("The port of the staging gateway is 8080.")
    assert "is 8080." in path.read_text(encoding="utf-8")
    assert "Holdfast-Cause: hand" in git(server.home, "log", "-n1", "--format=%B")
    tab.main.locator("details summary").first.click()
    expect(tab.main.locator(".diff .added").last).to_have_text("+The port of the staging gateway is 8080.")
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(tab.main.locator(".note-words")).to_have_text("The port of the staging gateway is 80.")
    assert path.read_text(encoding="utf-8") == before

    tab.main.get_by_role("button", name="Forget").click()
    expect(tab.page.locator("#ask")).to_contain_text("No session hears of it")
    tab.confirm()
    tab.says("Forgotten.")
    expect(tab.main.get_by_role("heading", name="Notes")).to_be_visible()
    expect(rows).to_have_count(2)
    assert not path.exists()
    tab.page.locator("#toasts [data-undo]").last.click()
    expect(rows).to_have_count(3)
    assert path.read_text(encoding="utf-8") == before


def test_a_purge_says_what_it_takes_and_leaves_nothing(
    filled: Path, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "notes/purge?note=knowledge/the-port.md")
    expect(tab.main).to_contain_text("It cannot be undone")
    expect(tab.main).to_contain_text("1 commit written anew without it")
    expect(tab.main).to_contain_text("shared with no remote")
    tab.main.get_by_role("button", name="Purge for good").click()
    expect(tab.page.locator("#ask")).to_contain_text("Nobody can bring it back")
    tab.page.locator("#ask").get_by_role("button", name="Cancel").click()
    assert (filled / "knowledge" / "the-port.md").exists()
    tab.main.get_by_role("button", name="Purge for good").click()
    tab.confirm()
    tab.says("Purged.")
    expect(tab.page.locator("#toasts [data-undo]")).to_have_count(0)
    assert not (filled / "knowledge" / "the-port.md").exists()
    assert git(server.home, "log", "--all", "--format=%H", "-S", "The port of the staging gateway is 80.") == ""


def test_two_tabs_and_a_command_line_change_one_note_and_nothing_is_lost(
    filled: Path, server: Server, open_tab: Callable[..., Tab]
) -> None:
    path = filled / "knowledge" / "the-port.md"
    first, second = (open_tab(server, "notes/edit?note=knowledge/the-port.md") for _ in range(2))
    base = path.read_text(encoding="utf-8")
    first.main.locator("textarea").fill(base.replace("is 80.", "is 81."))
    second.main.locator("textarea").fill(base.replace("is 80.", "is 82."))
    first.main.get_by_role("button", name="Save").click()
    first.says("Saved.")
    second.main.get_by_role("button", name="Save").click()
    expect(second.main.get_by_role("alert")).to_contain_text("Not saved")
    assert "is 81." in path.read_text(encoding="utf-8")
    assert "is 82." in second.main.locator("textarea").input_value(), "what was typed is still there"
    expect(second.main.locator(".diff .removed").last).to_have_text("-The port of the staging gateway is 81.")

    assert server.home.cli("review", "--keep", "the-port").status == 0  # a third, while the second decides
    path.write_text(path.read_text(encoding="utf-8").replace("is 81.", "is 83."), encoding="utf-8")  # and an editor
    second.main.get_by_role("button", name="Save mine over theirs").click()
    expect(second.main.locator(".diff .removed").last).to_have_text("-The port of the staging gateway is 83.")
    assert "is 83." in path.read_text(encoding="utf-8")
    second.main.get_by_role("button", name="Save mine over theirs").click()
    second.says("Saved.")
    assert "is 82." in path.read_text(encoding="utf-8")
    found = git(server.home, "log", "-p", "--format=", "--", "knowledge/the-port.md")
    ports = [port for port in (80, 81, 82, 83) if f"+The port of the staging gateway is {port}." in found]
    assert ports == [80, 81, 82, 83], "each is in the history"


def test_what_is_remembered_in_the_page_is_the_users_word_even_in_a_server_of_an_agent(
    home: Home, open_tab: Callable[..., Tab]
) -> None:
    home.more.update(AN_AGENT)
    home.hook(home.event("SessionStart", "s1", source="startup"))
    home.hook(home.event("PostToolUse", "s1", tool_name="WebFetch", tool_input={"url": "http://x.example"},
                         tool_response="words of a page"))  # fmt: skip
    assert memory(home).at.asker().who == "agent", "the environment is an agent's"
    with serving(home) as server:
        tab = open_tab(server, "notes")
        expect(tab.main).to_contain_text("No notes yet")
        tab.main.get_by_role("link", name="Remember something").click()
        tab.main.get_by_label("What should be remembered?").fill("Never push on a Friday.")
        tab.main.locator("select[name=kind]").select_option("rule")
        tab.main.get_by_role("button", name="Remember").click()
        tab.says("Remembered.")
        expect(tab.main.locator(".note-words")).to_have_text("Never push on a Friday.")
        (note,) = memory(home).notes.index().notes
        assert (note.origin, note.status, note.kind, note.project) == ("user", "active", "rule", home.project_id())
        tab.page.locator("#toasts [data-undo]").click()
        expect(tab.main).to_contain_text("This note is gone")
        assert memory(home).notes.index().notes == []


def test_pages_follow_each_other_and_nothing_is_shown_twice(
    home: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    made = memory(home).notes
    made.remember("First.", project="global")
    for nth in range(1, 60):
        text = (home.vault / "knowledge" / "first.md").read_text(encoding="utf-8").replace("First", f"Number {nth:02}")
        (home.vault / "knowledge" / f"number-{nth:02}.md").write_text(text, encoding="utf-8")
    made.remember("Last.", project="global")
    tab = open_tab(server, "notes?sort=name")
    rows = tab.main.locator("li[data-row]")
    expect(rows).to_have_count(50)
    first = set(rows.evaluate_all("all => all.map(one => one.dataset.row)"))
    tab.main.get_by_role("link", name="Next page").click()
    expect(rows).to_have_count(11)
    second = set(rows.evaluate_all("all => all.map(one => one.dataset.row)"))
    assert (len(first | second), first & second) == (61, set())
