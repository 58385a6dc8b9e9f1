"""Contradictions that no summary settles: a judge names the pair, the newer stands, the older is found below it."""

from __future__ import annotations

from typing import Any

import pytest
from close_support import Scripted
from field_support import HOUR, SHOP, Room
from sleep_support import by_job, judged, of_kind, pairs, slept

from holdfast.capture.gate import BY_USER
from holdfast.errors import CapReached
from holdfast.field import steps
from holdfast.field.thought import Thought
from holdfast.judge.seam import Question
from holdfast.sleep import disputes, near_pairs, pair_question, pair_record, plan, undo
from holdfast.sleep.passages import Source

OSAKA = "The orders service runs in the region Osaka"
MONTREAL = "The orders service runs in the region Montreal"
DUBLIN = "The orders service runs in the region Dublin"
OTHER = "The invoices worker runs in the region Dublin"
QUESTION = "in which region does the orders service run"
CHANGED = (
    ("The API allows 100 requests per minute.", "Requests per minute on the API are now limited to 250."),
    ("Feature flags are not cached.", "Feature flags are cached in Redis."),
    ("Anna reviews the database migrations.", "Database migrations are reviewed by Ben."),
    ("Pagination is enabled on the search endpoint.", "Pagination is disabled on the search endpoint."),
    ("The default branch is master.", "The default branch is main."),
    ("Postgres is our primary store.", "MySQL replaced Postgres as the primary store."),
)
ALIKE = (
    ("The staging server is wiped every night by cron.", "Every night the staging server is wiped by cron."),
    ("Without an answer the mailer times out after 25 seconds.", "The mailer times out after 25 s without an answer."),
    ("Can you show me the orders of May?", "Can you show me the orders of June?"),
    ("Backups go to Frankfurt.", "The kitchen is painted green."),
)


def both(wanted: set[str], asked: Question[Any]) -> list[str]:
    return [handle for handle, texts in pairs(asked).items() if set(texts) <= wanted and len(set(texts)) == 2]


def naming(*texts: str) -> Scripted:
    """A judge that names the pairs of these texts, whichever two of them."""

    def answer(asked: Question[Any]) -> Any:
        if asked.job != pair_question.JOB:
            return {"apart": True} if asked.job == "sleep-abstract" else {}
        return {"contradict": both(set(texts), asked)}

    return Scripted(answer)


def think(room: Room, *texts: str, **more: Any) -> list[str]:
    """Thoughts an hour apart."""
    found = []
    for text in texts:
        room.now += HOUR
        found.append(room.think(text, **more).thought.id)
    return found


def pair_of(one: str, other: str) -> near_pairs.Pair | None:
    return near_pairs.pair(*(Source(text, Thought(text, text, created=at)) for at, text in enumerate((one, other))))


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_a_changed_value_is_worth_a_question_in_many_wordings(old: str, new: str) -> None:
    found = pair_of(old, new)
    assert found is not None
    assert found.ids == (old, new)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_says_the_same_asks_something_or_shares_no_subject_is_not(one: str, other: str) -> None:
    assert pair_of(one, other) is None


@pytest.mark.slow
def test_of_a_pair_that_makes_no_cluster_the_newer_stands_and_the_older_is_found_below(room: Room) -> None:
    old, new = think(room, OSAKA, MONTREAL)
    done = judged(room, naming(OSAKA, MONTREAL))
    (step,) = of_kind(done, steps.SUPERSEDED)
    assert (step.ids, step.by) == ((old,), new)
    assert "Contradicted each other" in done.page
    assert step.id in done.page
    for query in (QUESTION, OSAKA):
        ids = [one.thought.id for one in room.ask(query).results]
        assert ids.index(new) < ids.index(old)


@pytest.mark.slow
def test_an_outdated_thought_is_found_right_behind_its_successor_by_its_own_words(room: Room) -> None:
    services = [
        f"The {name} service runs in the region Osaka" for name in ["mail", "tariff", "audit", "image", "coupon"]
    ]
    old, new, *_ = think(room, OSAKA, MONTREAL, *services)
    judged(room, naming(OSAKA, MONTREAL))
    assert [one.thought.id for one in room.ask(OSAKA).results][:2] == [new, old]


@pytest.mark.slow
def test_without_a_judge_nothing_is_superseded(room: Room) -> None:
    think(room, OSAKA, MONTREAL)
    assert not of_kind(slept(room), steps.SUPERSEDED)


@pytest.mark.slow
def test_of_a_value_that_changed_twice_the_newest_stands_and_both_older_are_below(room: Room) -> None:
    first, second, third = think(room, OSAKA, MONTREAL, DUBLIN)
    done = judged(room, naming(OSAKA, MONTREAL, DUBLIN))
    assert {one.ids[0]: one.by for one in of_kind(done, steps.SUPERSEDED)} == {first: third, second: third}
    ids = [one.thought.id for one in room.ask(QUESTION).results]
    assert ids[0] == third
    assert {first, second} <= set(ids)


@pytest.mark.slow
def test_a_value_that_changes_in_two_nights_leaves_a_chain(room: Room) -> None:
    first, second = think(room, OSAKA, MONTREAL)
    judged(room, naming(OSAKA, MONTREAL))
    (third,) = think(room, DUBLIN)
    (step,) = of_kind(judged(room, naming(OSAKA, MONTREAL, DUBLIN)), steps.SUPERSEDED)
    assert (step.ids, step.by) == ((second,), third)
    ids = [one.thought.id for one in room.ask(QUESTION).results]
    assert ids[0] == third
    assert {first, second} <= set(ids)


@pytest.mark.slow
def test_repetitions_of_an_outdated_thought_go_with_it(room: Room) -> None:
    old, again, new = think(room, OSAKA, f"{OSAKA} currently", MONTREAL)
    done = judged(room, naming(OSAKA, MONTREAL))
    assert {one.ids[0]: one.by for one in of_kind(done, steps.SUPERSEDED)} == {old: new, again: new}


@pytest.mark.slow
def test_a_step_that_was_taken_back_is_neither_asked_for_nor_taken_again(room: Room) -> None:
    think(room, OSAKA, MONTREAL)
    (step,) = of_kind(judged(room, naming(OSAKA, MONTREAL)), steps.SUPERSEDED)
    undo.undo(room.field, step.id, by=BY_USER)
    room.read(QUESTION)
    room.now += HOUR
    judge = naming(OSAKA, MONTREAL)
    assert not of_kind(judged(room, judge), steps.SUPERSEDED)
    assert not judge.of(pair_question.JOB)


@pytest.mark.slow
def test_a_pair_that_was_answered_with_no_is_not_asked_again_when_it_is_read(room: Room) -> None:
    think(room, OSAKA, MONTREAL)
    first, second = naming(), naming(OSAKA, MONTREAL)
    judged(room, first)
    assert len(first.of(pair_question.JOB)) == 1
    room.read(QUESTION)
    room.now += HOUR
    assert not of_kind(judged(room, second), steps.SUPERSEDED)
    assert not second.of(pair_question.JOB)


@pytest.mark.slow
def test_a_pair_that_the_judge_did_not_answer_waits_for_the_next_night(room: Room) -> None:
    old, new = think(room, OSAKA, MONTREAL)

    def capped(_: Question[Any]) -> Any:
        raise CapReached("The cap is reached.")

    judged(room, capped)
    assert pair_record.load(room.vault).waiting == ((old, new),)
    room.now += HOUR
    assert of_kind(judged(room, naming(OSAKA, MONTREAL)), steps.SUPERSEDED)
    assert pair_record.load(room.vault).waiting == ()


@pytest.mark.slow
def test_pairs_beyond_the_cap_of_a_night_wait_and_are_asked_in_the_next(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disputes, "MOST", 1)
    think(room, OSAKA, MONTREAL, *CHANGED[0])
    for _ in range(2):
        judge = naming()
        judged(room, judge)
        assert len(judge.of(pair_question.JOB)) == 1
        room.now += HOUR
    assert len(pair_record.load(room.vault).asked) == 2


@pytest.mark.slow
def test_a_judge_that_names_everything_names_the_control_too_and_nothing_counts(room: Room) -> None:
    think(room, OSAKA, MONTREAL, OTHER)

    def yes(asked: Question[Any]) -> Any:
        return {"contradict": [*pairs(asked)]} if asked.job == pair_question.JOB else {"apart": True}

    assert not of_kind(judged(room, yes), steps.SUPERSEDED)


@pytest.mark.slow
def test_a_handle_that_was_not_given_names_nothing(room: Room) -> None:
    think(room, OSAKA, MONTREAL)
    assert not of_kind(judged(room, by_job(pair=lambda _: {"contradict": ["p7", "t1"]})), steps.SUPERSEDED)


@pytest.mark.slow
def test_an_agent_that_is_newer_does_not_take_the_users_word_back(room: Room) -> None:
    think(room, OSAKA, origin="user")
    think(room, MONTREAL)
    judge = naming(OSAKA, MONTREAL)
    assert not of_kind(judged(room, judge), steps.SUPERSEDED)
    assert not judge.of(pair_question.JOB)


@pytest.mark.slow
def test_two_projects_and_trusted_and_outside_texts_are_never_a_pair(room: Room) -> None:
    think(room, OSAKA)
    think(room, MONTREAL, project="bank-2")
    think(room, DUBLIN, origin="web")
    judge = naming(OSAKA, MONTREAL, DUBLIN)
    assert not of_kind(judged(room, judge), steps.SUPERSEDED)
    assert not judge.of(pair_question.JOB)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["refused", "too large"])
def test_a_cluster_whose_abstract_is_refused_or_not_asked_for_hides_no_contradiction(room: Room, how: str) -> None:
    more = " with " + "many words " * 900 if how == "too large" else ""
    texts = (OSAKA, MONTREAL, f"The orders service runs in a region that is near{more}", f"{DUBLIN} on Sundays{more}")
    old, new, *_ = think(room, *texts)

    def answer(asked: Question[Any]) -> Any:
        return {"contradict": both({OSAKA, MONTREAL}, asked)} if asked.job == pair_question.JOB else {"sentences": []}

    done = judged(room, answer)
    assert (old, new) in [(one.ids[0], one.by) for one in of_kind(done, steps.SUPERSEDED)]
    summaries = room.field.store.thoughts([one.by for one in of_kind(done, steps.CONSOLIDATED)])
    assert not any(OSAKA in one.text for one in summaries.values())


@pytest.mark.slow
def test_a_night_that_was_killed_asks_nothing_twice(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    think(room, OSAKA, MONTREAL)
    judge = naming(OSAKA, MONTREAL)
    with monkeypatch.context() as patched:
        patched.setattr(plan, "made", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            judged(room, judge)
    asked = len(judge.of(pair_question.JOB))
    assert of_kind(judged(room, judge), steps.SUPERSEDED)
    assert len(judge.of(pair_question.JOB)) == asked == 1


def test_a_record_grows_by_the_pairs_of_a_night_and_a_damaged_one_is_empty(room: Room) -> None:
    kept = pair_record.Record((("a", "b", "1"), ("a", "c", "2")), (("a", "b"),))
    plan.keep(room.vault, plan.Plan("n", 1.0))
    pair_record.keep(room.vault, kept)
    pair_record.keep(room.vault, pair_record.Record((("c", "d", "3"),)))
    assert pair_record.load(room.vault) == pair_record.Record((*kept.asked, ("c", "d", "3")))
    assert pair_record.from_record({"asked": [["a"]], "waiting": []}) == pair_record.Record()


def test_a_question_shows_a_long_text_by_the_sentences_that_differ_and_hides_secrets() -> None:
    filler = "Nothing of this has anything to do with it. " * 40
    found = near_pairs.pair(
        Source("a", Thought("a", f"{filler}{OSAKA}.", created=1.0, project=SHOP)),
        Source("b", Thought("b", f"{MONTREAL}.", created=2.0, project=SHOP)),
    )
    assert found is not None
    asked = pair_question.question([found], "")
    assert "Osaka" in asked.given
    assert "anything to do" not in asked.given
    assert sorted(map(len, map(set, pairs(asked).values()))) == [1, 2]
