"""A night puts together what was thought, changes no source, and can be taken back step by step."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from field_support import DAY, HOUR, NOW, SHOP, Room
from sleep_support import LOCKS, of_kind, slept

from holdfast.capture import home, ledger, notices
from holdfast.capture.gate import BY_USER
from holdfast.field import intake, steps
from holdfast.field.steps import SUPERSEDED, Step
from holdfast.field.thought import CONSOLIDATION
from holdfast.memory import Memory
from holdfast.sleep import archive, clusters, material, night, plan, replay, trial, undo
from holdfast.sleep.trial import Change


def tree(vault: str) -> str:
    run = subprocess.run(["git", "ls-tree", "-r", "HEAD"], cwd=vault, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.mark.slow
def test_a_dense_cluster_becomes_one_thought_of_its_sources_own_lines(room: Room) -> None:
    sources = {room.think(text, agent=who).thought.id for text, who in zip(LOCKS, ("ada", "bob", "bob"), strict=True)}
    room.think("The kitchen is painted green")
    room.now += HOUR
    done = slept(room)
    (step,) = of_kind(done, steps.CONSOLIDATED)
    made = room.field.store.thoughts([step.by])[step.by]
    assert set(made.sources) == sources
    assert made.kind == CONSOLIDATION
    assert made.context == "made in sleep of 3 thoughts: 2 by bob, 1 by ada"
    assert {line.removeprefix("- ") for line in made.text.splitlines()} == set(LOCKS)
    assert room.field.store.thoughts(sources).keys() == sources
    assert made.id in [one.thought.id for one in room.ask("how do orders lock rows").results]


@pytest.mark.slow
def test_a_night_is_one_commit_with_its_page_and_the_next_start_hears_of_it(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    done = slept(room)
    said = Path(room.vault, done.path).read_text(encoding="utf-8")
    assert said == done.page
    assert "3 thoughts became 1 summary" in said
    log = subprocess.run(["git", "log", "--format=%s"], cwd=room.vault, capture_output=True, text=True, check=True)
    assert log.stdout.splitlines()[0].startswith("sleep: Looked at 3 thoughts: 3 thoughts became 1 summary")
    assert subprocess.run(["git", "status", "--short"], cwd=room.vault, capture_output=True, check=True).stdout == b""
    state = home.state(room.vault)
    (told,) = notices.for_project(state, SHOP, room.now)
    assert "3 thoughts became 1 summary" in told.line
    (record,) = ledger.newest(state, ledger.Wanted(kinds=("sleep",)), 5)
    assert (record["consolidations"], record["recall_before"]) == (1, 1.0)


@pytest.mark.slow
def test_a_second_night_over_the_same_thoughts_does_nothing(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    slept(room)
    room.now += HOUR
    done = slept(room)
    assert (done.steps, done.refusals) == ((), ())
    assert room.field.store.unslept() == (0, 0.0)


@pytest.mark.slow
def test_a_dry_run_changes_nothing_on_disk(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    intake.sync(room.field)
    before = sorted((path, path.read_bytes()) for path in Path(room.vault).rglob("*.log"))
    done = slept(room, is_dry=True)
    assert of_kind(done, steps.CONSOLIDATED)
    assert sorted((path, path.read_bytes()) for path in Path(room.vault).rglob("*.log")) == before
    assert not Path(plan.folder(room.vault), "night").exists()
    assert room.field.store.unslept()[0] == 3


@pytest.mark.slow
def test_near_duplicates_are_linked_and_the_repetition_comes_last(room: Room) -> None:
    first = room.think("Staging is wiped every night at 02:00 UTC").thought.id
    room.now += HOUR
    second = room.think("Staging is wiped every single night at 02:00 UTC").thought.id
    other = room.think("Staging has two servers behind one address").thought.id
    done = slept(room)
    (link,) = of_kind(done, steps.LINKED)
    assert (link.by, link.ids) == (first, (second,))
    answers = [one.thought.id for one in room.ask("when is staging wiped at night").results]
    assert answers.index(second) > answers.index(other)
    assert answers[0] == first


@pytest.mark.slow
def test_a_step_is_taken_back_alone_and_is_not_taken_again(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    (step,) = of_kind(slept(room), steps.CONSOLIDATED)
    undo.undo(room.field, step.id, by=BY_USER)
    assert step.by not in [one.thought.id for one in room.ask("how do orders lock rows").results]
    for one in range(3):
        room.read("how do orders lock rows", agent=f"agent-{one}")
    room.now += HOUR
    assert not of_kind(slept(room), steps.CONSOLIDATED)
    with pytest.raises(Exception, match="taken back already"):
        undo.undo(room.field, step.id, by=BY_USER)


@pytest.mark.slow
def test_a_cluster_that_grew_replaces_its_summary(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    (first,) = of_kind(slept(room), steps.CONSOLIDATED)
    room.now += DAY
    for text in (
        "Orders lock rows optimistically with a version column for invoices",
        "Orders lock rows optimistically with a version column for refunds",
    ):
        room.think(text)
    done = slept(room)
    (second,) = of_kind(done, steps.CONSOLIDATED)
    assert len(second.ids) == 5
    assert room.field.store.thoughts([first.by])[first.by].superseded_by == second.by


@pytest.mark.slow
def test_thoughts_of_two_projects_and_outside_text_are_kept_apart(room: Room) -> None:
    room.think(LOCKS[0])
    room.think(LOCKS[1], project="bank-2")
    room.think(LOCKS[2], origin="web")
    assert not slept(room).steps


@pytest.mark.slow
def test_pairs_that_were_read_together_are_tied_and_highways_show_it(room: Room) -> None:
    one = room.think("Staging is wiped every night").thought.id
    other = room.think("Staging has two servers").thought.id
    for agent in ("ada", "bob", "cleo"):
        room.read("staging", agent=agent)
    (tie,) = of_kind(slept(room), steps.TIED)
    assert {tie.by, *tie.ids} == {one, other}
    from holdfast.field import highways
    from holdfast.field.store import Scope

    road = highways.highways(room.field, Scope(SHOP))[0]
    assert [beside.strength for beside in road.beside] == [3.0]


@pytest.mark.slow
def test_what_nobody_reads_is_put_away_and_comes_back_as_it_was(room: Room) -> None:
    lonely = room.think("The old printer was on the second floor").thought
    named = room.think("The tape robot is in the cellar").thought.id
    room.think(f"See {named} for the tapes")
    room.now += (archive.DAYS + 1) * DAY
    done = slept(room)
    (step,) = of_kind(done, steps.ARCHIVED)
    assert lonely.id in step.ids
    assert named not in step.ids
    assert lonely.id not in [one.thought.id for one in room.ask("old printer floor").results]
    found = room.ask("old printer floor", archived=True).results[0].thought
    assert found == lonely
    undo.restore(room.field, [lonely.id], by=BY_USER)
    assert room.ask("old printer floor").results[0].thought == lonely


@pytest.mark.slow
def test_a_rebuild_gives_the_same_field_after_a_night(room: Room) -> None:
    for text in (
        *LOCKS,
        "Staging is wiped every night at 02:00 UTC",
        "Staging is wiped every night at 02:00 UTC always",
    ):
        room.think(text)
    slept(room)
    before = [(one.thought, round(one.score, 9)) for one in room.ask("orders lock rows staging").results]
    intake.rebuild(room.field)
    assert [(one.thought, round(one.score, 9)) for one in room.ask("orders lock rows staging").results] == before


@pytest.mark.slow
def test_two_notes_that_say_the_same_are_proposed_and_not_changed(room: Room) -> None:
    first = room.note("wipe", "Staging is wiped every night at 02:00 UTC by the cron job")
    room.note("wiping", "Staging is always wiped every night at 02:00 UTC by the cron job", day="2026-09-02")
    texts = {path: Path(path).read_text() for path in map(str, Path(room.vault, "knowledge").iterdir())}
    done = slept(room)
    (refusal,) = [one for one in done.refusals if one.path]
    assert refusal.path == "knowledge/wiping.md"
    assert first in refusal.why
    assert {path: Path(path).read_text() for path in texts} == texts
    waiting = json.loads(Path(home.state(room.vault), "proposals", refusal.id).read_text())
    assert "+status: superseded" in waiting["diff"]


@pytest.mark.slow
def test_a_session_that_begins_stops_the_night_and_it_goes_on_later(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    calls = 0

    def rest() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise night.Disturbed

    with pytest.raises(night.Disturbed):
        slept(room, rest=rest)
    begun = plan.pending(room.vault)
    assert begun is not None
    assert not begun.is_made
    room.now += 5 * HOUR
    done = slept(room)
    assert (done.night, done.now) == (begun.night, NOW)
    assert of_kind(done, steps.CONSOLIDATED)


@pytest.mark.slow
def test_a_change_that_hides_a_source_is_refused_and_leaves_no_trace(room: Room) -> None:
    old = room.think("Staging is wiped every night").thought
    decoys = [room.think(f"Staging server number {nth} is in the cellar").thought.id for nth in range(12)]
    marks = [Step(f"s-{one}", NOW, SUPERSEDED, (old.id,), one) for one in decoys]
    bad = Change("bad", (), (Step("s-bad", NOW, "archived", (old.id,)),))
    good = Change("good", (), (marks[0],))
    questions = replay.of_sources([old])
    found = trial.tried(room.field, [bad], questions)
    assert found.passed == ()
    assert f"{old.id} is no longer among the first 10 answers to its own description" in found.refused["bad"]
    assert trial.tried(room.field, [good], questions).passed == ("good",)
    assert room.field.store.thoughts([old.id])[old.id].superseded_by == ""
    assert room.field.store.archived([old.id]) == set()


@pytest.mark.slow
def test_the_figure_that_is_told_comes_from_questions_that_decided_nothing(room: Room) -> None:
    for nth in range(6):
        room.think(f"Fact {nth} about staging and its {nth} servers")
    for nth in range(8):
        room.read(f"which {nth} servers does staging have")
    asked = replay.logged(room.vault, 0, room.now)
    assert {one.decides for one in asked} == {True, False}
    figures = trial.tried(room.field, [], asked).figures
    assert (figures.questions, figures.deciding) == (
        sum(not one.decides for one in asked),
        sum(one.decides for one in asked),
    )


@pytest.mark.slow
def test_a_refused_change_waits_for_review_and_is_made_by_the_users_word(room: Room) -> None:
    from holdfast.close.improve import proposals

    old, new = (room.think(text).thought for text in ("Staging is wiped at 02:00", "Staging is wiped at 04:00"))
    step = Step("s-contradiction", NOW, SUPERSEDED, (old.id,), new.id)
    kept = plan.Refusal("sleep-s-contradiction", SHOP, "it costs recall", "+words", steps=(step,))
    state = home.state(room.vault)
    plan.keep_refusal(room.vault, kept)
    proposals.leave(state, proposals.Proposal(kept.id, NOW, SHOP, proposals.SLEEP, why=kept.why, diff=kept.diff))
    memory = Memory.open(room.vault, cwd=room.vault, clock=lambda: room.now, env={})
    (done,) = memory.notes.review(accept=[kept.id], everything=True)
    assert done.action == "accept"
    intake.sync(room.field)
    assert room.field.store.thoughts([old.id])[old.id].superseded_by == new.id
    assert proposals.listing(state) == []


@pytest.mark.slow
def test_the_window_goes_from_night_to_night_and_forgets_what_was_withdrawn(room: Room) -> None:
    from holdfast.field import think

    ids = [room.think(text).thought.id for text in LOCKS]
    slept(room)
    kept = clusters.load(f"{plan.folder(room.vault)}/window")
    assert {one.id for one in kept.seen} == set(ids)
    think.withdraw(room.field, ids[:1])
    found = material.gather(room.field, kept, room.now)
    assert {one.id for one in found.window.seen} == set(ids[1:])
