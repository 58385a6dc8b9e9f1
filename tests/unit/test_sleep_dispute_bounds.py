"""Bounds of settling contradictions: notes are a person's, an undo stays, a repetition hides nothing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from close_support import Scripted
from field_support import DAY, HOUR, Room
from sleep_support import judged, of_kind, pairs, slept, told
from test_sleep_disputes import DUBLIN, MONTREAL, OSAKA, both, naming, think

from holdfast.capture.gate import BY_USER
from holdfast.field import steps
from holdfast.field.thought import Thought
from holdfast.judge.seam import Question
from holdfast.sleep import near_pairs, pair_question, pair_record, undo
from holdfast.sleep.night import Night
from holdfast.sleep.passages import Source

pytestmark = pytest.mark.slow


def every_pair() -> Scripted:
    """A judge that names every pair but the control."""

    def answer(asked: Question[Any]) -> Any:
        if asked.job != pair_question.JOB:
            return {"apart": True} if asked.job == "sleep-abstract" else {}
        return {"contradict": [handle for handle, texts in pairs(asked).items() if len(set(texts)) == 2]}

    return Scripted(answer)


def outdated(room: Room, judge: Scripted) -> dict[str, str]:
    return {one.ids[0]: one.by for one in of_kind(judged(room, judge), steps.SUPERSEDED)}


def day(room: Room, ago: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(room.now - ago * DAY))


def test_a_note_is_never_outdated_by_a_night_and_the_contradiction_waits_for_a_person(room: Room) -> None:
    path = room.note("region", OSAKA, day=day(room, 5))
    think(room, MONTREAL)
    done = judged(room, every_pair())
    assert not of_kind(done, steps.SUPERSEDED)
    (refused,) = done.refusals
    assert path in refused.why
    assert "Osaka" in refused.diff
    assert "Montreal" in refused.diff
    assert "Waits for you" in done.page


def test_a_note_that_a_person_corrected_stands_before_an_older_thought(room: Room) -> None:
    path = room.note("region", OSAKA, day=day(room, 5))
    think(room, f"{OSAKA} again")
    room.now += 2 * DAY
    file = Path(room.vault, path)
    file.write_text(file.read_text().replace("Osaka", "Montreal"))
    assert outdated(room, every_pair()) == {}


def test_a_note_that_nobody_has_accepted_takes_no_place(room: Room) -> None:
    think(room, "Database migrations are reviewed by Anna before a merge")
    room.now += DAY
    path = room.note("two", "Database migrations are reviewed by Ben before a merge", day=day(room, 0))
    file = Path(room.vault, path)
    file.write_text(file.read_text().replace("status: active", "status: proposed"))
    judge = every_pair()
    assert outdated(room, judge) == {}
    assert not judge.of(pair_question.JOB)


def test_a_step_that_was_taken_back_does_not_come_again_with_another_successor(room: Room) -> None:
    first, _, third = think(room, OSAKA, MONTREAL, DUBLIN)

    def judge() -> Scripted:
        def answer(asked: Question[Any]) -> Any:
            if asked.job != pair_question.JOB:
                return {"apart": True} if asked.job == "sleep-abstract" else {}
            return {"contradict": [*both({OSAKA, MONTREAL}, asked), *both({OSAKA, DUBLIN}, asked)]}

        return Scripted(answer)

    (step,) = of_kind(judged(room, judge()), steps.SUPERSEDED)
    assert (step.ids, step.by) == ((first,), third)
    think(room, "The kitchen is painted green and blue")
    judged(room, judge())
    undo.undo(room.field, step.id, by=BY_USER)
    room.now += HOUR
    assert outdated(room, judge()) == {}


def test_a_night_that_was_continued_leaves_the_same_record_of_pairs(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    think(room, OSAKA, MONTREAL)
    with monkeypatch.context() as patched:
        patched.setattr(Night, "_carried_out", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judged(room, every_pair())
    judged(room, every_pair())
    assert len(pair_record.load(room.vault).asked) == 1


def test_an_abstract_that_is_not_used_keeps_the_contradictions_that_its_judge_named(room: Room) -> None:
    begins = "Orders lock rows optimistically with a version column"
    texts = [f"{begins} {rest}" for rest in ("and retry 3 times", "and wait 20 seconds", "and wait 50 seconds")]
    texts += [f"{begins} in every table", f"{begins} since the booking"]
    ids = think(room, *texts)
    audit = "Since the audit the retry of orders lock rows is 9 times"
    (newest,) = think(room, audit)

    def answer(asked: Question[Any]) -> Any:
        if asked.job == pair_question.JOB:
            return {"contradict": both({texts[0], audit}, asked)}
        handles = {text: handle for handle, text in told(asked).items()}
        if asked.job != "sleep-abstract" or texts[1] not in handles:
            return {"apart": True} if asked.job == "sleep-abstract" else {}
        said = [{"text": f"{text}.", "cites": [handle]} for text, handle in handles.items() if text != texts[1]]
        return {"sentences": said, "contradictions": [{"older": handles[texts[1]], "newer": handles[texts[2]]}]}

    done = judged(room, answer)
    found = {one.ids[0]: one.by for one in of_kind(done, steps.SUPERSEDED)}
    assert found == {ids[0]: newest, ids[1]: ids[2]}
    made = room.field.store.thoughts([one.by for one in of_kind(done, steps.CONSOLIDATED)])
    assert not any("wait 20 seconds" in one.text for one in made.values())


def test_a_repetition_is_asked_about_though_the_first_to_say_it_left_the_window(room: Room) -> None:
    think(room, OSAKA)
    room.now += 10 * DAY
    (again,) = think(room, f"{OSAKA} currently")
    assert of_kind(slept(room), steps.LINKED)
    room.now += 20 * DAY
    (new,) = think(room, MONTREAL)
    assert outdated(room, every_pair())[again] == new


def test_links_both_ways_leave_one_that_stands() -> None:
    linked = {"a": {"b": 1.0}, "b": {"a": 1.0}}
    assert near_pairs.standing(linked, (), {"a", "b", "c"}) == {"b": "a"}
    assert near_pairs.standing({}, (("x", "c1"), ("c1", "c2")), {"x", "c1"}) == {"x": "c1"}


def test_the_users_newer_word_stands_though_an_agent_repeated_it(room: Room) -> None:
    (old,) = think(room, OSAKA, origin="user")
    (new,) = think(room, MONTREAL, origin="user")
    think(room, f"{MONTREAL} currently")
    assert outdated(room, naming(OSAKA, MONTREAL)) == {old: new}


def test_a_secret_at_the_edge_of_a_long_text_is_hidden_before_it_is_cut() -> None:
    token = "ghp" + "_" + "a1B2c3D4e5" * 4
    text = f"{OSAKA} {'word ' * 465}{token}"
    found = near_pairs.pair(
        Source("a", Thought("a", text, created=1.0)), Source("b", Thought("b", MONTREAL, created=2.0))
    )
    assert found is not None
    assert "ghp" not in pair_question.question([found], "").given
