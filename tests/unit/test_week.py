"""What must hold in every start of a week with a silent model, whatever else it says: a shortened week is played once,
through the real hook and in a real repository, and looked at from all sides."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from week_play import page, playing
from week_play.parts import FEED, MAIN, RECIPES

if TYPE_CHECKING:
    from week_play.playing import Start

pytestmark = pytest.mark.slow
MOST_CHARACTERS, MOST_LINES = 9_000, 200
ORDER = "run tools/lint.py before every commit"
COMMITS = {
    "Read the gauge feed": MAIN,
    "Find high and low water": MAIN,
    "Warn when a level passes warning or alarm": MAIN,
    "Convert station file 05": MAIN,
    "Read the JSON feed beside the CSV one": FEED,
    "Leave out gauges that are down": FEED,
}


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> list[Start]:
    return playing.play(tmp_path_factory.mktemp("week"), short=True)


def at(week: list[Start], when: str, place: str = MAIN) -> str:
    """What the start of that day and hour said."""
    (found,) = [one.text for one in week if one.when.startswith(when) and one.place == place]
    return " ".join(found.split())


def of_tidewatch(week: list[Start]) -> list[Start]:
    return [one for one in week if one.place != RECIPES]


def test_the_week_was_really_played(week: list[Start]) -> None:
    assert [one.when[:3] for one in week[:9]] == ["Mon"] * 3 + ["Tue"] * 3 + ["Wed"] * 3
    assert {one.place for one in week} == {MAIN, FEED, RECIPES}
    assert [one.source for one in week].count("resume") == 1
    assert all(f"## {one.when}" in page.render(week) for one in week)


def test_every_start_keeps_to_its_room(week: list[Start]) -> None:
    for one in week:
        assert len(one.text) <= MOST_CHARACTERS
        assert one.text.count("\n") < MOST_LINES


def test_an_order_of_the_user_is_in_every_start_after_it_in_the_users_words(week: list[Start]) -> None:
    later = [one for one in of_tidewatch(week)[1:] if one.source != "resume"]
    assert [one.when for one in later if ORDER not in " ".join(one.text.split())] == []


def test_no_fact_stands_twice_in_a_start(week: list[Start]) -> None:
    facts = (ORDER, "We keep the functions pure", "the gauges send UTC", "scripts/check.sh for that", *COMMITS)
    twice = [(one.when, fact) for one in week for fact in facts if " ".join(one.text.split()).count(fact) > 1]
    assert twice == []


def test_little_of_a_start_repeats(week: list[Start]) -> None:
    """The aim is a twentieth. Beyond it are the marks of the user's words, one for each day."""
    assert [(one.when, round(one.repeated, 3)) for one in week if one.repeated > 0.08] == []


def test_the_next_start_says_what_was_committed_and_what_is_next(week: list[Start]) -> None:
    told = at(week, "Tuesday 09")
    assert "Find high and low water" in told
    assert "TW-5" in told
    assert "folding runs of equal levels" in told, "the last answer says what was learned"
    assert "alerts (TW-3) are next" in told


def test_the_next_start_says_how_the_tests_stand_and_which_todo_is_open(week: list[Start]) -> None:
    told = at(week, "Tuesday 09")
    assert "check.sh" in told
    assert "passed: 7 tests" in told or "Ran 7 tests" in told
    assert "Mention extremes in the README" in told or "the README does not mention extremes yet" in told


def test_a_correction_in_the_form_of_a_question_is_in_the_next_start(week: list[Start]) -> None:
    assert "Don't we have scripts/check.sh for that?" in at(week, "Tuesday 09")


def test_a_wish_without_any_cue_word_is_in_the_next_start(week: list[Start]) -> None:
    assert "We keep the functions pure" in at(week, "Tuesday 09")


def test_work_that_is_not_committed_is_told_as_such(week: list[Start]) -> None:
    told = " ".join([one.text for one in week if one.place == MAIN][-1].split())
    assert "tidewatch/wind.py" in told
    assert "uncommitted" in told.lower() or "not committed" in told.lower()


def test_a_resume_is_not_told_again_what_its_conversation_has(week: list[Start]) -> None:
    told = at(week, "Tuesday 10")
    assert "Find high and low water" not in told
    assert len(told) < 1_500


def test_a_question_never_displaces_the_handoff(week: list[Start]) -> None:
    told = at(week, "Monday 14")
    assert "Read the gauge feed" in told
    assert "quick one" not in told.partition("Newest handoff")[2][:200]


def test_a_branch_gets_its_own_handoff_and_the_other_one_in_a_line(week: list[Start]) -> None:
    feed = at(week, "Thursday 13", FEED)
    assert "Read the JSON feed beside the CSV one" in feed
    assert "does not cope with that yet" in feed, "the last answer on this branch"
    main = at(week, "Wednesday 09")
    assert "Warn when a level passes warning or alarm" in main
    assert "does not cope with that yet" not in main, "that was the other work tree's"


def test_after_a_kill_the_very_next_start_says_how_far_it_was(week: list[Start]) -> None:
    told = at(week, "Wednesday 10")
    assert "died" in told or "killed" in told
    assert "Convert station file 05" in told
    assert any(word in told for word in ("station_06", "convert.py 06", "file 06"))


def test_units_that_were_seen_finished_are_not_the_next_step(week: list[Start]) -> None:
    told = at(week, "Wednesday 10")
    assert "legacy-files" in told
    assert "Next step: file 01" not in told
    assert "Next step: file 01" not in at(week, "Wednesday 14")


def test_a_rule_that_only_the_agent_made_is_shown_as_a_proposal(week: list[Start]) -> None:
    heading = ""
    for line in [one.text for one in week if one.place == MAIN][-1].lower().splitlines():
        heading = line if line.endswith(":") else heading
        if "levels are compared as decimal" in line:
            assert any(word in heading + line for word in ("propos", "not confirmed", "unconfirmed", "suggest"))


def test_nothing_of_another_project_is_in_any_start(week: list[Start]) -> None:
    for word in ("sourdough", "loaves", "bread", "240 degrees", "in grams"):
        assert [one.when for one in of_tidewatch(week) if word in one.text.lower()] == []
    for one in week:
        if one.place == RECIPES:
            assert "gauge" not in one.text
            assert "lint" not in one.text


def test_most_of_what_a_session_needs_is_in_its_start(week: list[Start]) -> None:
    needed = sum(len(one.needs) for one in week)
    found = sum(len(one.found) for one in week)
    missing = {one.when: [need.what for need in one.missing] for one in week if one.missing}
    assert found / needed >= 0.75, missing
