"""Tasks in the browser: what is done and decided, and what a person may do, each change taken back again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Home
    from serve_support import Server
    from web_support import Tab

    from holdfast.tasks.page import View

pytestmark = pytest.mark.web
HOSTILE = "File 031 has <img src=x onerror=alert(1)>"


@pytest.fixture
def audit(home: Home) -> Home:
    """A task with progress, a decision that was superseded, a discovery and a next step, said by an agent's session."""
    home.hook(home.event("SessionStart", source="startup"))
    env = {"CLAUDE_CODE_SESSION_ID": "s1"}
    say = ("task", "checkpoint")
    for words in (
        ("task", "start", "audit", "Audit every order file", "--units", "files 001-120"),
        (*say, "--progress", "COMPLETED: files 001-047"),
        (*say, "--decision", "Keep the old table for a week"),
        (*say, "--discovery", HOSTILE),
        (*say, "--next", "Look at file 048 from line 200 on"),
    ):
        done = home.cli(*words, env=env)
        assert done.status == 0, done.err
    old = seen(home).in_force[0].id[-6:].lower()
    done = home.cli(*say, "--decision", "Keep the old table for a month", "--supersedes", old, env=env)
    assert done.status == 0, done.err
    return home


def seen(home: Home) -> View:
    return Memory.open(str(home.vault), str(home.project), env=home.env).tasks.show("audit")


def test_a_task_shows_how_far_it_is_what_holds_and_who_worked_on_it(
    audit: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "tasks")
    expect(tab.main).to_contain_text("47 of 120 completed")
    expect(tab.main).to_contain_text("Look at file 048 from line 200 on")
    tab.main.get_by_role("link", name="Audit every order file").click()
    expect(tab.main.locator("h1")).to_have_text("Audit every order file")
    expect(tab.main.locator("progress")).to_have_attribute("value", "47")
    force = tab.main.locator("section.card").filter(has_text="Decisions in force")
    expect(force).to_contain_text("Keep the old table for a month")
    expect(force.get_by_text("Superseded by: Keep the old table for a month")).to_be_hidden()
    force.get_by_text("1 superseded").click()
    expect(force.get_by_text("Superseded by: Keep the old table for a month")).to_be_visible()
    expect(tab.main).to_contain_text("claude-code,")
    expect(tab.main).to_contain_text("<img src=x onerror=alert(1)>")
    narrow = open_tab(server, "tasks", width=390)
    narrow.main.get_by_role("link", name="Audit every order file").click()
    expect(narrow.main.locator("h1")).to_have_text("Audit every order file")
    assert narrow.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert audit.errors() == []


def test_pausing_and_blocking_are_said_by_the_user_and_taken_back_by_a_key(
    audit: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "tasks/audit")
    tab.main.locator("#task-pause").click()
    tab.says("Task audit is paused.")
    expect(tab.main.locator("#task-resume")).to_be_visible()
    paused = seen(audit)
    assert paused.task.state == "paused"
    assert paused.states.entries[-1].origin == "user"
    tab.page.keyboard.press("u")
    expect(tab.main.locator("#task-pause")).to_be_visible()
    assert seen(audit).task.state == "resumed"
    tab.main.locator("#task-block").click()
    tab.main.get_by_label("What does it wait for?").fill("the nightly dump")
    tab.page.keyboard.press("Enter")
    expect(tab.main.locator(".notice")).to_contain_text("It waits: the nightly dump")
    expect(tab.main.locator("#task-ask form")).to_have_count(0)
    blocked = seen(audit)
    assert (blocked.task.state, blocked.states.entries[-1].text) == ("blocked", "the nightly dump")
    tab.main.locator("#task-resume").click()
    expect(tab.main.locator("#task-pause")).to_be_visible()
    assert seen(audit).task.state == "resumed"


def test_completing_shows_its_consequences_first_and_reopening_takes_it_back(
    audit: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "tasks/audit")
    archive = audit.vault / "outputs" / "session_memory_final_audit.md"
    folder = audit.vault / "tasks" / "audit"
    tab.main.locator("#task-complete").click()
    form = tab.main.locator("#task-ask form")
    expect(form).to_contain_text("Not all of task audit is done")
    expect(form).to_contain_text("Its decisions stay in force")
    form.get_by_role("button", name="Cancel").click()
    expect(form).to_have_count(0)
    assert seen(audit).task.state == "active"
    tab.main.locator("#task-complete").click()
    form.get_by_label("The final status").fill("The rest is not worth it")
    form.get_by_label("Keep the old table for a month").check()
    form.get_by_role("button", name="Complete the task").click()
    tab.says("Task audit is completed")
    expect(tab.main.locator("#task-reopen")).to_be_visible()
    assert "The rest is not worth it" in archive.read_text(encoding="utf-8")
    assert not folder.exists()
    assert "Keep the old table for a month" in audit.texts()
    tab.page.locator("#toasts [data-undo]").click()
    expect(tab.main.locator("#task-pause")).to_be_visible()
    assert folder.is_dir()
    assert not archive.exists()
    assert seen(audit).task.state == "reopened"
    tab.main.locator("#task-abandon").click()
    expect(form).to_contain_text("Its decisions bind nobody from then on.")
    form.get_by_role("button", name="Abandon the task").click()
    expect(tab.main.locator("#task-reopen")).to_be_visible()
    assert seen(audit).task.state == "abandoned"


def test_a_page_that_looks_only_offers_no_change_and_makes_none(
    audit: Home, server: Server, open_tab: Callable[..., Tab]
) -> None:
    tab = open_tab(server, "tasks/audit", read_only=True)
    expect(tab.main.locator("h1")).to_have_text("Audit every order file")
    expect(tab.main.locator(".task-actions")).to_have_count(0)
    tab.page.evaluate("htmx.ajax('POST', '/page/tasks/audit/move?what=pause', { target: '#main', swap: 'none' })")
    tab.says("This page may only look")
    assert seen(audit).task.state == "active"


def test_without_a_task_the_page_says_how_one_begins(tab: Tab) -> None:
    tab.go("tasks")
    expect(tab.main).to_contain_text("No task yet")
    expect(tab.main).to_contain_text("holdfast task start")
