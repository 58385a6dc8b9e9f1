"""A person's hand in session_memory.md: every edit is read back, and what cannot be read is never overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_support import Desk

from holdfast.tasks import page, page_file, record
from holdfast.tasks.record import Entry


@pytest.fixture
def desk(vault: str) -> Desk:
    made = Desk(vault)
    made.start("audit", "Audit all orders", "files 001-100")
    made.say("--decision", "DO NOT modify config/auth.yaml")
    made.say("COMPLETED: files 001-047")
    made.say("--discovery", "legacy_id is unused")
    made.say("--next", "begin with file 048")
    return made


def last(desk: Desk) -> Entry:
    return list(record.everything(desk.vault, "audit"))[-1]


def test_a_line_that_a_person_adds_becomes_an_entry_of_theirs(desk: Desk) -> None:
    desk.edit("legacy_id is unused", "legacy_id is unused", "audit")
    desk.edit("\n## Next Session Start", "\n* order_073 is truncated\n\n## Next Session Start")
    found = desk.show().discoveries.entries
    assert [(one.text, one.origin) for one in found] == [
        *(("legacy_id is unused", "agent"), ("order_073 is truncated", "user"))
    ]
    assert f"— order_073 is truncated ^{found[-1].id[-6:].lower()}" in desk.page()
    assert not page.is_edited(desk.page())


def test_a_paragraph_of_several_lines_is_one_entry(desk: Desk) -> None:
    desk.edit(
        "\n## Next Session Start",
        "\nAll failed orders have\na null payment_status\nbefore they fail.\n\n## Next Session Start",
    )
    assert desk.show().discoveries.entries[-1].text == "All failed orders have a null payment_status before they fail."


def test_a_changed_line_takes_the_place_of_the_entry_and_the_log_keeps_both(desk: Desk) -> None:
    desk.edit("legacy_id is unused", "legacy_id is read by reports/quarterly.py")
    found = desk.show().discoveries.entries
    assert [one.text for one in found] == ["legacy_id is read by reports/quarterly.py"]
    texts = [one.text for one in record.everything(desk.vault, "audit")]
    assert "legacy_id is unused" in texts


def test_a_changed_decision_supersedes_the_old_one(desk: Desk) -> None:
    old = desk.show().in_force[0]
    desk.edit("DO NOT modify config/auth.yaml", "config/auth.yaml may be changed after the audit")
    new = desk.show().in_force
    assert [(one.text, one.supersedes, one.origin) for one in new] == [
        ("config/auth.yaml may be changed after the audit", (old.id,), "user")
    ]
    assert "~~DO NOT modify config/auth.yaml~~ superseded by" in desk.page()


def test_a_line_that_is_taken_away_is_withdrawn_and_kept_in_the_log(desk: Desk) -> None:
    line = next(one for one in desk.page().splitlines() if "COMPLETED: files 001-047" in one and one.startswith("- "))
    desk.edit(line + "\n", "")
    assert desk.show().standing.completed == ()
    assert desk.show().step() == "begin with file 048"
    assert "COMPLETED: files 001-047" in [one.text for one in record.everything(desk.vault, "audit")]
    assert last(desk).kind == record.WITHDRAW


def test_a_line_that_is_moved_to_another_section_changes_its_kind(desk: Desk) -> None:
    line = next(one for one in desk.page().splitlines() if "legacy_id is unused" in one)
    desk.edit(line + "\n", "")
    desk.edit("## Progress\n", f"{line}\n\n## Progress\n")
    assert "legacy_id is unused" in [one.text for one in desk.show().in_force]
    assert desk.show().discoveries.entries == ()


def test_the_goal_may_be_changed_by_hand(desk: Desk) -> None:
    desk.edit("> Goal: Audit all orders", "> Goal: Audit the orders of 2025")
    assert desk.show().task.goal == "Audit the orders of 2025"


def test_the_headings_of_an_older_form_are_understood(desk: Desk) -> None:
    desk.edit("## Decisions\n", "## Decisions Made\n")
    desk.edit("## Discoveries\n", "## Key Discoveries\n\n- a new one\n")
    assert [one.text for one in desk.show().discoveries.entries] == ["legacy_id is unused", "a new one"]


def test_what_an_edit_says_is_believed_before_a_checkpoint_is_judged(desk: Desk) -> None:
    desk.edit("DO NOT modify config/auth.yaml", "DO NOT modify config/db.yaml")
    saved = desk.say("--decision", "write the timeouts into config/auth.yaml")
    assert saved.entry.text in [one.text for one in desk.show().in_force]


def test_an_edit_is_believed_once_though_its_page_was_never_rendered(desk: Desk) -> None:
    """As after a kill between the log and the page."""
    desk.edit("\n## Next Session Start", "\n- order_073 is truncated\n\n## Next Session Start")
    edited = desk.page()
    desk.show()
    Path(record.page_path(desk.vault, "audit")).write_text(edited)
    desk.show()
    assert [one.text for one in desk.show().discoveries.entries].count("order_073 is truncated") == 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("## Discoveries\n", "", 'the section "## Discoveries" is missing'),
        ("## Discoveries\n", "## Discoveries\n\n## Discoveries\n", "stands there twice"),
        ("## Discoveries\n", "## My own heading\n\n## Discoveries\n", "is no section of a task's memory"),
        ("> Read this first.", "Some words of mine.\n> Read this first.", "stands above the sections"),
        ("— started", "— begun", "stands where only holdfast writes"),
        ("## Discoveries\n", "<<<<<<< ours\n## Discoveries\n", "marks of a conflict"),
        ("<!-- holdfast: end of audit", "<!-- something", "its last line"),
    ],
)
def test_what_cannot_be_read_is_kept_reported_and_never_overwritten(desk: Desk, old: str, new: str, why: str) -> None:
    desk.edit(old, new)
    before = desk.page()
    saved = desk.say("--discovery", "still taken")
    assert desk.page() == before
    assert any(why in note and "it is left as it is" in note for note in saved.notes)
    assert desk.show().discoveries.entries[-1].text == "still taken"
    assert desk.page() == before


@pytest.mark.slow
def test_a_truncated_page_is_never_taken_for_withdrawn_entries(desk: Desk) -> None:
    whole = desk.page()
    path = record.page_path(desk.vault, "audit")
    for size in range(0, len(whole.encode()) - 2, 7):
        Path(path).write_bytes(whole.encode()[:size])
        desk.show()
        assert Path(path).read_bytes() == whole.encode()[:size]
    Path(path).write_text(whole)
    assert len(desk.show().in_force) == 1
    assert [one.kind for one in record.everything(desk.vault, "audit")].count(record.WITHDRAW) == 0


def test_once_it_is_mended_the_page_is_rendered_again(desk: Desk) -> None:
    desk.edit("## Discoveries\n", "## My own heading\n\n## Discoveries\n")
    desk.say("--discovery", "meanwhile")
    desk.edit("## My own heading\n\n", "")
    desk.show()
    assert "meanwhile" in desk.page()


def test_a_page_that_is_gone_is_written_anew(desk: Desk) -> None:
    before = desk.page()
    os.unlink(record.page_path(desk.vault, "audit"))
    desk.show()
    assert desk.page() == before


@pytest.mark.parametrize("what", ["link", "folder", "bytes", "pipe"])
def test_whatever_lies_in_the_place_of_a_page_a_checkpoint_is_taken(desk: Desk, what: str, tmp_path: Path) -> None:
    path = record.page_path(desk.vault, "audit")
    os.unlink(path)
    target = tmp_path / "mine.md"
    target.write_text("my own file")
    if what == "link":
        os.symlink(target, path)
    elif what == "folder":
        os.mkdir(path)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        Path(path).write_bytes(b"\xff\xfe\x00")
    saved = desk.say("--discovery", "taken")
    assert any("it is left as it is" in note for note in saved.notes)
    assert target.read_text() == "my own file"
    assert desk.show().discoveries.entries[-1].text == "taken"


def test_a_page_rendered_on_another_machine_withdraws_nothing(desk: Desk) -> None:
    """It may know less than this machine does."""
    other = desk.page()
    desk.say("--discovery", "found here")
    Path(record.page_path(desk.vault, "audit")).write_text(other)
    desk.show()
    assert "found here" in desk.page()
    lines = [line for line in other.splitlines() if "legacy_id" not in line]
    Path(record.page_path(desk.vault, "audit")).write_text("\n".join(lines) + "\n")
    desk.show()
    assert "legacy_id is unused" in desk.page()


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=40)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["insert", "delete", "change"]), st.integers(0, 60), WORDS), max_size=6))
def test_no_edit_of_a_page_is_lost_or_breaks_the_reading(changes: list[tuple[str, int, str]]) -> None:
    """Whatever is typed stands in an entry afterwards, or the page is refused whole."""
    known = {"DECIDE": Entry("01KPT00000000000000DECIDE0", 1.0, record.DECISION, "keep it")}
    body = (
        "# Session Memory — x\n\n> Goal: g\n> State: s\n> Read this first.\n\n## Decisions\n\n"
        "- 2026-04-22T07:12Z — keep it ^decide\n\n## Progress\n\n## Discoveries\n\n## Next Session Start\n\n## State\n"
    )
    base = page.sealed(body, "x")
    lines = base.split("\n")
    typed = []
    for what, place, text in changes:
        at = place % len(lines)
        if what == "delete":
            del lines[at]
        elif what == "insert":
            lines.insert(at, text)
            typed.append(text)
        else:
            lines[at] = text
            typed.append(text)
    try:
        found = page_file.read_edits("\n".join(lines), base, known.get)
    except page_file.Unreadable:
        return
    told = " ".join([*(text for _, text in found.fresh), *(text for _, _, text in found.changed), found.goal])
    for text in typed:
        for word in text.split():
            if text in lines and word.isalpha() and len(word) > 3 and text not in base and not text.startswith("## "):
                assert word in told
