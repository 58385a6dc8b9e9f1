"""Figures and words that the page's views make before a template shows them."""

from __future__ import annotations

from holdfast.health.finding import bad, good, lost, note
from holdfast.page import care, care_health, care_spend, handoffs, task_view
from holdfast.tasks.progress import Count, Standing
from holdfast.tasks.states import ABANDONED, COMPLETED


def test_the_highest_bar_fills_the_drawing_and_a_day_without_use_has_none() -> None:
    found = care_spend.bars([10, 0, 40, 0.001], ["a", "b", "c", "d"])
    assert [one.height for one in found] == [40, 0, care_spend.HEIGHT, care_spend.LEAST]
    assert all(one.y + one.height == care_spend.HEIGHT for one in found)
    assert [one.x for one in found] == sorted(one.x for one in found)


def test_no_days_draw_no_bars() -> None:
    assert care_spend.bars([], []) == ()


def test_checks_are_told_in_groups_with_the_worst_first() -> None:
    checks = (
        good("git", "at a commit"),
        note("judge", "none is chosen"),
        bad("vault-modes", "others may read it", "`holdfast doctor --fix`", can_fix=True),
        bad("trust", "Codex trusts it not", "run `codex` once"),
        lost("history", "3 versions are gone", "`holdfast doctor --accept-lost`"),
    )
    told = care_health.told(checks)
    assert [group.name for group in told.groups] == ["Lost", "Needs you", "Can be mended", "Good to know"]
    assert [one.name for one in told.fine] == ["git"]
    assert told.summary == "3 of 5 checks failed"
    assert told.kind == "bad"
    assert told.mendable == 1


def test_only_a_command_of_ours_is_offered_to_be_copied() -> None:
    ours, other = (
        care_health.told((bad("a", "x", "run `holdfast init`"), bad("b", "x", "run `rm -r /`"))).groups[0].checks
    )
    assert ours.command == "holdfast init"
    assert other.command == ""


def test_what_a_check_says_is_text_and_never_markup() -> None:
    check = care_health.told((bad("errors", "<script>alert(1)</script> `<b>`", "x"),)).groups[0].checks[0]
    assert "<script>" not in check.detail
    assert "<code>&lt;b&gt;</code>" in check.detail


def test_settings_that_are_secrets_are_not_shown() -> None:
    found = {one.name: one.value for one in care.settings({"mode": "strict", "team": {"dsn": "postgresql://u:p@h/d"}})}
    assert found["mode"] == "strict"
    assert "p@h" not in found["team.dsn"]


def test_a_meter_says_of_how_many_and_what_was_only_seen() -> None:
    counts = (Count("files {}", 47, 120, 2), Count("", 3, 0))
    first, second = task_view.meters(Standing(counts=counts))
    assert first.words == "47 of 120 completed, 2 more seen done"
    assert second.words == "3 completed, of how many is not known"
    assert "{}" not in first.name


def test_consequences_differ_between_an_end_that_keeps_decisions_and_one_that_lifts_them() -> None:
    assert any("stay in force" in one for one in task_view.consequences(COMPLETED, 0))
    assert any("bind nobody" in one for one in task_view.consequences(ABANDONED, 0))


def test_an_item_of_a_handoff_loses_the_marks_of_its_link_and_keeps_the_note() -> None:
    found = handoffs.item("Event ids are kept 30 days ([note](../../projects/event-ids.md))")
    assert found.text == "Event ids are kept 30 days"
    assert found.note == "projects/event-ids.md"


def test_a_link_elsewhere_is_only_its_words() -> None:
    assert handoffs.item("see [the docs](https://example.org/x)") == handoffs.Item("see the docs")
