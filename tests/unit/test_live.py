"""What a start can only know at that moment: unfinished sessions and unfiled flags, of this project alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import Agents, Home, Terminal

from holdfast.brief import live
from holdfast.capture import home, marks
from holdfast.model import Project

if TYPE_CHECKING:
    from holdfast.brief.live import Live


def gather(fresh: Home, *, closes: bool = False, now: float = 0.0, only_look: bool = False) -> Live:
    project = Project(fresh.project_id(), "shop", "", str(fresh.project))
    return live.gather(fresh.state, project, now or time.time(), set(), closes=closes, only_look=only_look)


def warned(found: Live) -> list[str]:
    return [item.text for item in found.warnings.items]


def flagged(found: Live) -> list[str]:
    return [item.text for item in found.flags.items]


def left(fresh: Home, session: str, why: str = "ended", *, ago: float = 0.0, waiting: int = 0) -> None:
    home.make_vault(str(fresh.vault))
    mark = marks.Mark(
        f"claude-code/{session}/1", fresh.project_id(), why, "", time.time() - ago, waiting, (), story=True
    )
    marks.leave(fresh.state, mark)


def test_a_vault_without_anything_has_nothing_to_tell(fresh: Home) -> None:
    found = gather(fresh)
    assert (warned(found), flagged(found), found.to_close) == ([], [], False)


def test_flags_come_newest_first_with_kind_origin_and_a_short_id(fresh: Home) -> None:
    first, second = fresh.flag("said first"), fresh.flag("said second")
    assert flagged(gather(fresh)) == [
        f"- [fact] said second ({second.id[-6:]}, agent)",
        f"- [fact] said first ({first.id[-6:]}, agent)",
    ]


def test_flags_of_a_session_that_goes_on_are_told_as_such(fresh: Home, agents: Agents) -> None:
    agent = agents()
    fresh.answer(fresh.event("SessionStart"), pid=agent.pid)
    fresh.flag("of the living", "s1")
    still = "(of a session that still runs)"
    told = fresh.answer(fresh.event("SessionStart", "s2"))
    assert "of the living" in told
    assert still in told
    agent.kill()
    told = fresh.answer(fresh.event("SessionStart", "s3"))
    assert "of the living" in told
    assert still not in told


def test_claimed_flags_are_told_and_a_close_that_holds_them_is_no_warning(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart"))
    fresh.flag("held by a close", "s1")
    fresh.answer(fresh.event("SessionEnd"))
    claim = fresh.settlement().claim(10, 60.0)
    assert claim
    found = gather(fresh)
    assert any("held by a close" in line for line in flagged(found))
    assert warned(found) == []


def test_dead_letters_are_told_as_such(fresh: Home) -> None:
    flag = fresh.flag("failed too often")
    for _ in range(5):
        claim = fresh.settlement().claim(10, 60.0)
        assert claim
        fresh.settlement().release(claim, [flag.id], error="no")
    (line,) = flagged(gather(fresh))
    assert line.endswith("(dead letter)")


@pytest.mark.parametrize(
    ("closes", "ago", "words"),
    [
        (True, 500.0, "its close is started now"),
        (False, 1.0, "`holdfast close` files what it left"),
        (True, -5000.0, "its close is started now"),
    ],
)
def test_what_is_said_of_an_ended_session_is_what_will_happen(
    fresh: Home, closes: bool, ago: float, words: str
) -> None:
    left(fresh, "s1", ago=ago)
    (line,) = warned(gather(fresh, closes=closes))
    assert words in line


def test_a_close_that_is_under_way_is_no_warning(fresh: Home) -> None:
    left(fresh, "s1", ago=1.0)
    found = gather(fresh, closes=True)
    assert warned(found) == []
    assert found.to_close, "should it have been killed, the next one continues it"


def test_flags_of_other_projects_are_told_once_they_have_waited_for_a_day(fresh: Home) -> None:
    other = fresh.folder / "other"
    other.mkdir()
    fresh.flag("theirs", cwd=other)
    assert warned(gather(fresh)) == []
    (line,) = warned(gather(fresh, now=time.time() + 90_000))
    assert line.startswith("1 flag of 1 other project waits for more than a day")
    assert "theirs" not in line


def test_a_conversation_that_goes_on_is_not_told_its_own_flags(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart"))
    fresh.flag("said here", "s1")
    fresh.flag("said elsewhere", "s2")
    project = Project(fresh.project_id(), "shop", "", str(fresh.project))
    found = live.gather(fresh.state, project, time.time(), set(), closes=False, own="claude-code/s1/")
    assert ["said elsewhere" in line for line in flagged(found)] == [True]


def test_looking_takes_no_mark_away_and_a_start_does(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))
    marks.leave(fresh.state, marks.Mark("claude-code/s1/1", fresh.project_id(), "died", "", time.time(), 0, ()))
    first = warned(gather(fresh, only_look=True))
    assert warned(gather(fresh, only_look=True)) == first
    assert first[0].startswith("WARNING: the claude-code session s1 died")
    assert warned(gather(fresh)) == first
    assert warned(gather(fresh)) == []


def test_boot_does_not_use_up_what_is_told_once(fresh: Home, terminal: Terminal) -> None:
    home.make_vault(str(fresh.vault))
    marks.leave(fresh.state, marks.Mark("claude-code/s1/1", fresh.project_id(), "died", "", time.time(), 0, ()))
    booted = terminal("boot").out
    assert "WARNING: the claude-code session s1 died" in booted
    assert booted == fresh.answer(fresh.event("SessionStart", "next")) + "\n"


def test_what_there_is_one_of_is_not_crowded_out_by_dead_sessions(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))
    Path(fresh.state, "check").write_text("3")
    for nth in range(60):
        left(fresh, f"{nth:036d}", "died", ago=9_000)
    told = fresh.answer(fresh.event("SessionStart"))
    assert "The last check found 3 errors" in told
    assert told.count("WARNING: ") >= 5


def test_session_names_cannot_break_the_line_they_stand_in(fresh: Home) -> None:
    left(fresh, "a\nb\x1b[31m" + "c" * 500, ago=9_000)
    (line,) = warned(gather(fresh))
    assert line.isprintable()
    assert len(line) < 300


def test_a_close_is_due_for_marks_and_for_flags_that_nobody_owns(fresh: Home) -> None:
    assert not gather(fresh).to_close
    fresh.flag("of no session")
    assert gather(fresh).to_close
    fresh.file_everything()
    assert not gather(fresh).to_close
    left(fresh, "s1")
    assert gather(fresh).to_close


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("3\n", ["The last check found 3 errors in the vault; `holdfast check` lists them."]),
        ("1", ["The last check found 1 error in the vault; `holdfast check` lists them."]),
        ("0\n", []),
        ("", []),
        ("many", []),
        ("\ufffd", []),
    ],
)
def test_errors_that_the_last_check_found_are_told(fresh: Home, text: str, lines: list[str]) -> None:
    home.make_vault(str(fresh.vault))
    Path(fresh.state, "check").write_text(text)
    assert warned(gather(fresh)) == lines
