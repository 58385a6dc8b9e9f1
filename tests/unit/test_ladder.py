"""`holdfast ladder`: boxes are ticked by evidence, and a step is offered only for a limitation that was measured."""

from __future__ import annotations

import calendar
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hook_support import Agents, Home
from test_audit_boundaries import commits

from holdfast.capture import home, ledger
from holdfast.field.store import Asked
from holdfast.health import evidence, ladder, limitations
from holdfast.health.evidence import Evidence, FieldFacts
from holdfast.health.finding import Place
from holdfast.memory import Memory
from holdfast.vault.index import Known
from holdfast.vault.notes import Note

DAY = 86400.0
RULE = "Run make check before every commit"


@pytest.fixture
def at_home(fresh: Home) -> Home:
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    return fresh


def climbed(where: Home) -> dict[str, Any]:
    done = where.cli("ladder", "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def boxes(where: Home, rung: str) -> list[dict[str, Any]]:
    (one,) = [one for one in climbed(where)["rungs"] if one["rung"] == rung]
    return list(one["boxes"])


def put(where: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    ledger.append(where.state, kind, time.time() - ago, **{"project": where.project_id(), **what})


def looked(where: Home) -> Evidence:
    return evidence.gather(Place(str(where.vault), str(where.project), where.env))


# --- boxes, by real commands


def test_a_new_vault_has_nothing_ticked_and_every_box_says_what_ticks_it(at_home: Home) -> None:
    found = climbed(at_home)
    assert [one["rung"] for one in found["rungs"]] == ["Day 1", "Week 1", "Month 1", "Month 3+", "Month 6+"]
    every = [box for rung in found["rungs"] for box in rung["boxes"]]
    assert len(every) == 18
    assert [box["box"] for box in every if box["ticked"] or not box["ticks"] or not box["evidence"]] == []
    assert "holdfast remember --kind rule" in every[0]["ticks"]


@pytest.mark.slow
def test_after_remember_the_first_day_is_ticked_with_the_path_as_evidence(at_home: Home) -> None:
    assert at_home.cli("remember", "--kind", "rule", RULE).status == 0
    assert at_home.cli("close").status == 0
    rules, remembered = boxes(at_home, "Day 1")
    (path,) = (at_home.vault / "rules").glob("*.md")
    for box in (rules, remembered):
        assert (box["ticked"], box["ticks"]) == (True, "")
        assert f"newest rules/{path.name}, " in box["evidence"]
    assert rules["evidence"].endswith("given to no start yet")
    at_home.answer(at_home.event("SessionStart", source="startup"))
    assert "last given to a start on 20" in boxes(at_home, "Day 1")[0]["evidence"]


@pytest.mark.slow
def test_what_the_user_says_in_a_session_is_evidence_once_a_close_filed_it(at_home: Home, agents: Agents) -> None:
    at_home.answer(at_home.event("SessionStart", source="startup"), pid=agents().pid)
    at_home.answer(at_home.event("UserPromptSubmit", prompt="Remember: we deploy on Tuesdays"))
    assert not boxes(at_home, "Day 1")[1]["ticked"]
    at_home.answer(at_home.event("SessionEnd", reason="exit"))
    assert at_home.cli("close").status == 0
    assert boxes(at_home, "Day 1")[1]["ticked"]
    brain, _, handoffs, _ = boxes(at_home, "Week 1")
    assert brain["ticked"]
    assert (handoffs["ticked"], handoffs["evidence"].partition("; newest here lineage/")[0]) == (True, "1 handoff")


@pytest.mark.slow
def test_a_reminder_after_a_commit_ticks_its_box_only_where_somebody_answers(at_home: Home, agents: Agents) -> None:
    at_home.answer(at_home.event("SessionStart", source="startup"), pid=agents().pid)
    commits(at_home, "c1")
    at_home.answer(at_home.event("Stop"))
    unanswered = boxes(at_home, "Month 1")[0]
    assert (unanswered["ticked"], "1 reminder" in unanswered["evidence"]) == (False, True)
    commits(at_home, "c2")
    at_home.flag("Orders use optimistic locking", session="s1")
    answered = boxes(at_home, "Month 1")[0]
    assert (answered["ticked"], "1 answered (1 flag)" in answered["evidence"]) == (True, True)


@pytest.mark.slow
def test_questions_thoughts_and_weights_tick_the_boxes_of_the_field(at_home: Home) -> None:
    assert [box["ticks"] for box in boxes(at_home, "Month 3+")] == [
        "the first question to the field: `holdfast recall WORDS`"
    ] * 5
    assert at_home.cli("think", "Row locks deadlocked the checkout in March").status == 0
    assert at_home.cli("recall", "deadlocked checkout").status == 0
    by_name = {box["box"]: box for box in boxes(at_home, "Month 3+")}
    ticked = [name for name, box in by_name.items() if box["ticked"]]
    assert "Agents add thoughts of their own, with where they come from" in ticked
    assert "Questions are logged: who, when, what came together" in ticked
    assert "1 time, weight 1.05 then and 1.05 now" in by_name["Use strengthens and time fades"]["evidence"]
    assert "Highways show what several agents come back to" not in ticked


@pytest.mark.slow
def test_a_task_that_notes_a_discovery_ticks_its_box(at_home: Home) -> None:
    assert not boxes(at_home, "Month 1")[1]["ticked"]
    assert at_home.cli("task", "start", "move", "Move the orders").status == 0
    assert at_home.fast("task", "checkpoint", "--discovery", "The importer needs 2 GiB").status == 0
    assert boxes(at_home, "Month 1")[1]["ticked"]


@pytest.mark.slow
def test_a_night_in_the_ledger_ticks_the_box_of_sleep_with_its_figures(at_home: Home) -> None:
    figures = {"consolidations": 3, "bridges": 1, "archived": 2, "recall_before": 0.81, "recall_after": 0.84}
    put(at_home, "sleep", night="2026-07-01", **figures)
    memory = Memory.open(str(at_home.vault), str(at_home.project), env=at_home.env)
    first = memory.field.think("Row locks deadlocked the checkout in March").thought
    sleeps, sources, bridges = boxes(at_home, "Month 6+")
    said = "1 sleep, the last on 2026-07-01: consolidations 3, bridges 1, archived 2; recall 0.81 before and 0.84 after"
    assert (sleeps["ticked"], sleeps["evidence"]) == (True, said)
    assert not sources["ticked"]
    assert (bridges["ticked"], bridges["evidence"]) == (True, "1 tried in the last 30 days, 0 in the field")
    memory.field.think("Locks that wait on each other stop the checkout", kind="consolidation", sources=(first.id,))
    assert boxes(at_home, "Month 6+")[1]["ticked"]


def test_evidence_older_than_the_window_no_longer_ticks(at_home: Home) -> None:
    put(at_home, "sleep", ago=31 * DAY, night="2026-01-01", consolidations=1)
    assert not boxes(at_home, "Month 6+")[0]["ticked"]


@pytest.mark.slow
def test_a_path_of_another_project_is_never_evidence(at_home: Home) -> None:
    other = at_home.folder / "secret"
    other.mkdir()
    assert at_home.cli("remember", "--kind", "rule", RULE, cwd=other).status == 0
    rules = boxes(at_home, "Day 1")[0]
    assert (rules["ticked"], "rules/" in rules["evidence"]) == (True, False)


def test_looking_at_the_ladder_changes_nothing(at_home: Home) -> None:
    at_home.project_id()  # every command notes the folder that it is in
    before = at_home.files()
    climbed(at_home)
    assert at_home.files() == before


def test_without_a_vault_there_is_no_ladder_and_one_sentence(fresh: Home) -> None:
    done = fresh.cli("ladder")
    assert done.status == 4
    assert "There is no vault" in done.err
    assert not fresh.vault.exists()


@pytest.mark.slow
def test_the_doctor_has_the_ladder_in_its_json_and_says_why_where_it_cannot(at_home: Home) -> None:
    found = json.loads(at_home.cli("doctor", "--json").out)
    assert found["ladder"] == climbed(at_home)
    gone = json.loads(at_home.cli("doctor", "--json", env={"HOLDFAST_HOME": f"{at_home.folder}/none"}).out)
    assert "There is no vault" in gone["ladder"]["problem"]


# --- limitations


def test_where_no_limitation_is_measured_nothing_is_offered(at_home: Home) -> None:
    assert climbed(at_home)["limitations"] == []
    assert "No limitation was measured in the last 30 days, so there is nothing to add." in at_home.cli("ladder").out


@pytest.mark.slow
def test_questions_that_found_nothing_offer_a_better_model(at_home: Home) -> None:
    assert at_home.cli("remember", "Orders are locked optimistically with three retries").status == 0
    for words in ("zebra", "xylophone", "quokka"):
        assert climbed(at_home)["limitations"] == []
        assert at_home.cli("recall", words).status == 1
    assert at_home.cli("recall", "optimistically").status == 0
    (limit,) = climbed(at_home)["limitations"]
    assert (limit["rung"], limit["measured"]) == ("Month 3+", "3 of 4 questions found nothing in the notes")
    assert "holdfast embed" in limit["command"]


@pytest.mark.slow
def test_a_question_that_leaves_no_trace_measures_nothing(at_home: Home) -> None:
    assert at_home.cli("remember", "Orders are locked optimistically").status == 0
    for words in ("zebra", "xylophone", "quokka", "wombat"):
        assert at_home.cli("recall", "--read-only", words).status == 1
    assert climbed(at_home)["limitations"] == []


def test_sessions_without_a_handoff_offer_a_close(at_home: Home) -> None:
    for nth in range(4):
        put(at_home, "episode", 600, episode=f"claude-code/s{nth}/1", how="ended", story=True)
    put(at_home, "episode", 600, episode="claude-code/idle/1", how="ended", story=False)
    put(at_home, "close", 500, episode="claude-code/s0/1", handoff="lineage/shop/a.md")
    (limit,) = limitations.measured(looked(at_home))
    assert (limit.rung, limit.measured) == ("Week 1", "3 of 4 sessions ended without a handoff")
    assert "holdfast close" in limit.command


def test_a_session_that_ended_a_moment_ago_is_not_without_a_handoff_yet(at_home: Home) -> None:
    for nth in range(4):
        put(at_home, "episode", 10, episode=f"claude-code/s{nth}/1", how="ended", story=True)
    assert list(limitations.measured(looked(at_home))) == []


def test_reminders_that_nobody_answers_offer_the_strict_mode(at_home: Home) -> None:
    for nth in range(3):
        key = f"claude-code/s{nth}/1"
        put(at_home, "nudge", 60, boundary="write", decision="said", episode=key)
        put(at_home, "hook", 50, event="turn-stop", host="claude-code", episode=key)
    (limit,) = limitations.measured(looked(at_home))
    assert (limit.rung, limit.measured) == ("Week 1", "3 of 3 reminders under context pressure got no answer")


def note(path: str, said: str, **more: Any) -> Known:
    return Known(Note(path, path, said, "knowledge", "", created="2026-07-01", reviewed="2026-07-01", **more), "")


def facts(asked: tuple[Asked, ...], model: str = "") -> FieldFacts:
    return FieldFacts(10, model, 0, 0, 0, 0, 0, 0, asked, None)


@pytest.fixture
def seen(at_home: Home) -> Evidence:
    """The evidence of a new vault, on a day on which no note is due for a review."""
    return replace(looked(at_home), now=calendar.timegm((2026, 7, 2, 0, 0, 0)))


TWICE = [
    *(f"Orders of the shop are locked optimistically, with {nth} retries" for nth in ("three", "seven", "eleven")),
    *(f"With {nth} retries, orders of the shop are locked optimistically" for nth in ("three", "seven", "eleven")),
]


def test_notes_that_say_the_same_words_make_sleep_due(seen: Evidence) -> None:
    known = tuple(note(f"knowledge/{nth}.md", said, project="p") for nth, said in enumerate(TWICE))
    (limit,) = limitations.measured(replace(seen, known=known))
    assert (limit.measured, limit.command) == ("6 notes, 3 said twice: sleep is due", "`holdfast sleep`")
    assert list(limitations.measured(replace(seen, known=known[:5]))) == []  # two may be chance


def test_notes_of_two_projects_are_not_said_twice(seen: Evidence) -> None:
    known = tuple(note(f"knowledge/{nth}.md", said, project=f"p{nth}") for nth, said in enumerate(TWICE))
    assert list(limitations.measured(replace(seen, known=known))) == []


def test_notes_that_a_sleep_has_seen_do_not_make_another_due(seen: Evidence) -> None:
    known = tuple(note(f"knowledge/{nth}.md", said, project="p") for nth, said in enumerate(TWICE))
    seen.tally.nights.append({"night": "2026-07-02"})
    assert list(limitations.measured(replace(seen, known=known))) == []


def test_a_denial_is_not_the_same_said_twice(seen: Evidence) -> None:
    said = [f"Deploy the {name} service on Fridays" for name in ("orders", "mail", "search")]
    said += [one.replace("Deploy", "Never deploy") for one in said]
    known = tuple(note(f"knowledge/{nth}.md", one, project="p") for nth, one in enumerate(said))
    assert list(limitations.measured(replace(seen, known=known))) == []


def test_notes_that_nobody_reviewed_in_time_offer_a_review(seen: Evidence) -> None:
    known = tuple(note(f"knowledge/{nth}.md", f"Fact number {nth} of many") for nth in range(3))
    late = replace(seen, known=known, now=seen.now + 365 * DAY)
    (limit,) = limitations.measured(late)
    assert (limit.rung, limit.command) == ("Month 1", "`holdfast review --all`")
    assert limit.measured.startswith("3 of 3 notes")


def question(*ids: str) -> Asked:
    return Asked(1.0, "operator", "p", "words", ids)


@pytest.mark.parametrize(
    ("asked", "model", "command"),
    [
        ((question(),) * 3, "", "`holdfast embed wordllama`"),
        ((question(),) * 2, "", ""),
        ((*(question(),) * 3, *(question("n-1"),) * 28), "", ""),
        ((question(),) * 3, "an-own-model", ""),
    ],
    ids=["words alone", "two may be chance", "less than a tenth", "a chosen model is no rung"],
)
def test_questions_without_an_answer_count_from_a_share_on(
    seen: Evidence, asked: tuple[Asked, ...], model: str, command: str
) -> None:
    found = limitations.measured(replace(seen, facts=facts(asked, model)))
    assert [one.command for one in found] == ([command] if command else [])


def test_what_the_user_asked_for_and_no_close_has_filed_is_the_first_thing(seen: Evidence) -> None:
    (limit,) = limitations.measured(replace(seen, waiting=2))
    assert (limit.rung, limit.measured) == ("Day 1", "2 requests of the user not filed yet")


def test_a_limitation_is_printed_with_its_command_and_rung(seen: Evidence) -> None:
    found = ladder.Ladder((), tuple(limitations.measured(replace(seen, waiting=1))))
    assert list(ladder.lines(found))[-1] == "- 1 request of the user not filed yet: `holdfast close --all` (Day 1)"
