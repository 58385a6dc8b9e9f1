"""Bad input and bad times: a night ends well or in one clear sentence, nothing is lost, and the next one goes on."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field_support import DAY, HOUR, NOW, SHOP, Directions, Room, garble
from hook_support import fill_up, make_read_only, mounted
from sleep_support import of_kind, slept

from holdfast.capture import platform
from holdfast.capture.gate import BY_USER
from holdfast.capture.ids import new_id
from holdfast.errors import HoldfastError, NewerFormat, NotSaved
from holdfast.field import intake, retrieval, steps, traffic
from holdfast.field.embedders import NoVectors
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.thought import Thought
from holdfast.model import replace
from holdfast.sleep import archive, night, plan, undo
from holdfast.sleep.night import Night

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCKS = tuple(
    f"Orders lock rows optimistically with a version column {one}" for one in ("in every table", "that counts", "now")
)
MORE = tuple(f"Orders lock rows optimistically with a version column for {one}" for one in ("invoices", "refunds"))
QUESTION = "how do orders lock rows"


@pytest.fixture
def room(place: Path) -> Iterator[Room]:
    made = Room(f"{place}/vault")
    yield made
    made.close()


def logged(vault: str) -> list[str]:
    """The ids of every record of thoughts and steps, as often as it is there."""
    thoughts = [one.id for path, _ in traffic.logs(vault) for one in traffic.read(vault, path).found]
    return sorted([*thoughts, *(one.id for path, _ in steps.logs(vault) for one in steps.read(vault, path).found)])


def answers(room: Room, query: str = QUESTION) -> list[tuple[str, float]]:
    intake.sync(room.field)
    return [(one.thought.id, one.score) for one in room.ask(query).results]


def is_a_sentence(error: pytest.ExceptionInfo[Any]) -> bool:
    said = str(error.value)
    return isinstance(error.value, HoldfastError) and said.endswith(".") and "\n" not in said


@pytest.mark.slow
def test_a_vault_with_nothing_in_it_sleeps_and_says_so(room: Room) -> None:
    done = slept(room)
    assert done.steps == ()
    assert "Looked at 0 thoughts; there was nothing to put together." in done.page


@pytest.mark.slow
@pytest.mark.parametrize("how", ["gone", "gone under an open field", "no database", "tables", "index of words"])
def test_an_index_that_is_gone_or_damaged_is_made_anew_and_the_night_is_the_same(room: Room, how: str) -> None:
    ids = {room.think(text).thought.id for text in LOCKS}
    room.close()
    if how in ("tables", "index of words"):
        garble(room.vault, {"tables": "name IN ('mark', 'fresh', 'thought')"}.get(how, "name = 'words_data'"))
    room.reopen()
    if how.startswith("gone"):
        if how == "gone":
            room.close()
        for path in Path(room.vault, ".state").glob("field.db*"):
            path.unlink()
        if how == "gone":
            room.reopen()
    if how == "no database":
        room.close()
        Path(room.vault, ".state/field.db").write_bytes(b"no database at all" * 500)
        room.reopen()
    (step,) = of_kind(slept(room), steps.CONSOLIDATED)
    assert set(step.ids) == ids
    assert step.by in dict(answers(room))
    assert room.field.store.unslept() == (0, 0.0)


@pytest.mark.slow
def test_a_clock_set_back_by_a_year_loses_nothing_and_raises_no_weight(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    slept(room)
    for agent in ("ada", "bob"):
        room.read(QUESTION, agent=agent)
    before, weights = dict(answers(room)), {one: room.weight(one) for one in dict(answers(room))}
    room.now -= 365 * DAY
    done = slept(room)
    assert {one.kind for one in done.steps} == {steps.TIED}
    assert "2 times" in done.page
    assert {one: room.weight(one) for one in weights} == weights
    assert dict(answers(room)).keys() == before.keys()
    late = room.think("Deploys run from the release branch").thought.id
    room.now += 365 * DAY + HOUR
    for text in MORE:
        room.think(text)
    (step,) = of_kind(slept(room), steps.CONSOLIDATED)
    assert len(step.ids) == 5
    found = room.ask("deploys branch", archived=True).results
    assert [one.thought.id for one in found][:1] == [late], "put away, as one that nobody has read for a year"
    room.now += HOUR
    assert slept(room).steps == ()


@pytest.mark.slow
def test_a_thought_is_fetched_back_also_while_the_clock_is_set_back(room: Room) -> None:
    lonely = room.think("The old printer was on the second floor").thought.id
    room.now += (archive.DAYS + 1) * DAY
    (put,) = of_kind(slept(room), steps.ARCHIVED)
    assert put.ids == (lonely,)
    room.now -= 30 * DAY
    undo.restore(room.field, [lonely], by=BY_USER)
    assert room.field.store.archived([lonely]) == set()
    assert lonely in dict(answers(room, "old printer floor"))


@pytest.mark.slow
def test_a_plan_that_cannot_be_read_is_set_aside_and_what_it_had_begun_is_made_whole(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in LOCKS:
        room.think(text)
    cut_short(room, monkeypatch)
    assert len(logged(room.vault)) == 4, "the summary is written, its step is not"
    file = Path(plan.folder(room.vault), "night")
    raw = file.read_bytes()[:-40]
    file.write_bytes(raw)
    room.now += HOUR
    done = slept(room)
    (step,) = of_kind(done, steps.CONSOLIDATED)
    aside = done.figures["set_aside"]
    assert Path(room.vault, aside).read_bytes() == raw
    assert f"its plan is damaged, and lies in {aside}" in done.page
    assert not file.exists()
    assert room.field.store.thoughts([step.by])[step.by].created == NOW
    assert step.by in dict(answers(room))
    undo.undo(room.field, step.id, by=BY_USER)
    assert step.by not in dict(answers(room))


def cut_short(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A night whose disk takes the summary and not its step."""

    def refuse(*_: object) -> str:
        raise NotSaved

    with monkeypatch.context() as patch:
        patch.setattr(steps, "append", refuse)
        with pytest.raises(NotSaved):
            slept(room)


@pytest.mark.slow
def test_a_night_of_a_newer_holdfast_is_left_to_it(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    file = Path(plan.folder(room.vault), "night")
    plan.begin(room.vault, room.now)
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "v": record["v"] + 1, "night": {"of": "another form"}}))
    kept, before = file.read_bytes(), logged(room.vault)
    with pytest.raises(NewerFormat, match=r"begun by a newer holdfast .* nothing was changed\. Upgrade") as error:
        slept(room)
    assert is_a_sentence(error)
    assert (file.read_bytes(), logged(room.vault)) == (kept, before)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["whole", "gone", "noise", "cut short", "of another model"])
def test_a_window_that_is_damaged_or_gone_costs_the_next_night_nothing(
    room: Room, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {room.think(text).thought.id for text in LOCKS}
    slept(room)
    file = Path(plan.folder(room.vault), "window")
    raw = file.read_bytes()
    if how == "gone":
        file.unlink()
    elif how == "of another model":
        assert room.embedder
        monkeypatch.setattr(room.embedder, "name", "directions-of-another-name")
        intake.sync(room.field)
    elif how != "whole":
        file.write_bytes({"noise": b"\x5a" * 999, "cut short": raw[: len(raw) // 2]}[how])
    room.now += DAY
    ids |= {room.think(text).thought.id for text in MORE}
    done = slept(room)
    (step,) = of_kind(done, steps.CONSOLIDATED)
    assert set(step.ids) == ids
    assert len(of_kind(done, steps.SUPERSEDED)) == 1


@pytest.mark.slow
def test_a_full_disk_ends_a_night_in_a_sentence_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "12m") as disk, opened(f"{disk}/vault") as room:
        ids = {room.think(text).thought.id for text in LOCKS}
        before = logged(room.vault)
        fill_up(disk)
        with pytest.raises(HoldfastError) as error:
            slept(room)
        assert is_a_sentence(error)
        (disk / "filler").unlink()
        assert logged(room.vault) == before
        (step,) = of_kind(slept(room), steps.CONSOLIDATED)
        assert set(step.ids) == ids
        assert len(logged(room.vault)) == len(set(logged(room.vault))) == len(before) + 2


@contextmanager
def opened(vault: str) -> Iterator[Room]:
    room = Room(vault)
    try:
        yield room
    finally:
        room.close()


@pytest.mark.slow
def test_a_vault_that_may_only_be_read_is_left_as_it_is_and_said_so(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "12m") as disk:
        with opened(f"{disk}/vault") as room:
            for text in LOCKS:
                room.think(text)
            before = logged(room.vault)
        make_read_only(disk)
        room.reopen()
        with pytest.raises(HoldfastError) as error:
            slept(room)
        room.close()
        assert is_a_sentence(error)
        assert "cannot be written" in str(error.value)
        assert logged(room.vault) == before


@pytest.mark.slow
@pytest.mark.parametrize("with_state", [True, False])
@pytest.mark.parametrize("is_cut_short", [True, False])
def test_a_vault_copied_from_another_machine_sleeps_on_without_doing_a_thing_twice(
    room: Room, place: Path, monkeypatch: pytest.MonkeyPatch, with_state: bool, is_cut_short: bool
) -> None:
    for text in LOCKS:
        room.think(text)
    if is_cut_short:
        cut_short(room, monkeypatch)
    else:
        slept(room)
    room.close()
    ignored = shutil.ignore_patterns() if with_state else shutil.ignore_patterns(".state")
    shutil.copytree(room.vault, f"{place}/copy", symlinks=True, ignore=ignored)
    monkeypatch.setattr(platform, "machine", lambda: "another-machine")
    with opened(f"{place}/copy") as copy:
        copy.now += HOUR
        done = slept(copy)
        (made,) = {one.by for one in steps.everything(copy.vault) if one.kind == steps.CONSOLIDATED}
        assert [one.by for one in of_kind(done, steps.CONSOLIDATED)] == ([made] if is_cut_short else [])
        assert done.path == f"sleep/2026-09-21-{traffic.machine()}.md"
        ids = [one.id for one in steps.everything(copy.vault)]
        assert len(ids) == len(set(ids)) == 1
        assert made in dict(answers(copy))
        copy.now += HOUR
        assert slept(copy).steps == ()
    room.reopen()


@pytest.mark.slow
def test_thoughts_without_vectors_wait_for_them_and_are_then_put_together(place: Path) -> None:
    plain = Room(f"{place}/vault", meaning=False)
    ids = {plain.think(text).thought.id for text in LOCKS}
    plain.think("The old printer was on the second floor")
    for agent in ("ada", "bob"):
        plain.read(QUESTION, agent=agent)
    done = slept(plain)
    assert {one.kind for one in done.steps} == {steps.TIED}
    assert plain.field.store.unslept() == (0, 0.0), "it is not due again and again for want of a model"
    plain.close()
    with opened(plain.vault) as room:
        room.now += DAY
        (step,) = of_kind(slept(room), steps.CONSOLIDATED)
        assert set(step.ids) == ids


@pytest.mark.slow
def test_a_model_that_cannot_be_reached_costs_a_night_its_clusters_and_nothing_else(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: object) -> None:
        raise NoVectors

    with monkeypatch.context() as patch:
        patch.setattr(room.embedder, "embed", absent)
        ids = {room.think(text).thought.id for text in LOCKS}
        assert slept(room).steps == ()
    room.now += HOUR
    (step,) = of_kind(slept(room), steps.CONSOLIDATED)
    assert set(step.ids) == ids


@pytest.mark.slow
def test_a_disturbed_night_leaves_later_questions_to_the_next_one(room: Room) -> None:
    room.think("Staging is wiped every night")
    room.think("Staging has two servers")
    for agent in ("ada", "bob", "cleo"):
        room.read("staging", agent=agent)

    def rest() -> None:
        raise night.Disturbed

    with pytest.raises(night.Disturbed):
        Night(room.field, rest=rest).sleep()
    room.now += HOUR
    for agent in ("ada", "bob"):
        room.read("staging", agent=agent)
    counts = [of_kind(slept(room), steps.TIED)[0].counts for _ in range(2)]
    assert counts == [(3.0,), (2.0,)]


@pytest.mark.slow
def test_a_traffic_log_that_was_taken_away_is_read_from_its_beginning(room: Room) -> None:
    room.think("Staging is wiped every night")
    room.think("Staging has two servers")
    for agent in ("ada", "bob", "cleo", "dora"):
        room.read("staging", agent=agent)
    slept(room)
    Path(traffic.traffic_path(room.vault)).unlink()
    for agent in ("ada", "bob"):
        room.read("staging", agent=agent)
    room.now += HOUR
    (tie,) = of_kind(slept(room), steps.TIED)
    assert tie.counts == (2.0,)


@pytest.mark.slow
def test_half_an_undo_is_made_whole_by_the_next_try(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    (first,) = of_kind(slept(room), steps.CONSOLIDATED)
    room.now += DAY
    for text in MORE:
        room.think(text)
    (second,) = of_kind(slept(room), steps.CONSOLIDATED)
    half = steps.Step(steps.step_id(steps.UNDONE, (), second.id), room.now, steps.UNDONE, (second.by,), second.id)
    steps.append(room.vault, [half], room.now)
    intake.sync(room.field)
    assert room.field.store.thoughts([first.by])[first.by].superseded_by == second.by
    undo.undo(room.field, second.id, by=BY_USER)
    assert room.field.store.thoughts([first.by])[first.by].superseded_by == ""
    with pytest.raises(HoldfastError, match="was taken back already; nothing was changed") as error:
        undo.undo(room.field, second.id, by=BY_USER)
    assert is_a_sentence(error)


@pytest.mark.slow
def test_ten_thousand_thoughts_at_once_are_slept_on_and_the_rest_is_left_to_the_next_night(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night, "MOST_SUBJECTS", 6)
    room.embedder = Directions("directions-256", 256)  # in fewer some would be alike by chance
    room.reopen()
    subjects, each = 8, 5
    alike = [f"subject{nth} part{nth} rows{nth} locked{nth} {one}{nth}" for nth in range(subjects) for one in "abcde"]
    alone = [f"lone{nth} word{nth} fact{nth} thing{nth}" for nth in range(10_000 - subjects * each)]
    made = [
        Thought(new_id(NOW, nth), text, agent="ada", project=SHOP, created=NOW)
        for nth, text in enumerate([*alike, *alone])
    ]
    for at in range(0, len(made), 500):
        traffic.append(room.vault, made[at : at + 500], NOW)
    store = room.field.store
    assert isinstance(store, SqliteStore)
    done = [slept(room)]
    assert done[0].figures["looked"] == 10_000
    assert len(of_kind(done[0], steps.CONSOLIDATED)) + len(done[0].refusals) == 6
    assert store.unslept()[0] == 2 * each
    room.now += HOUR
    done.append(slept(room))
    assert store.unslept() == (0, 0.0)
    covered = {one for night in done for step in night.steps if step.kind == steps.CONSOLIDATED for one in step.ids}
    waiting = {one for night in done for refusal in night.refusals for one in refusal.sources}
    assert covered | waiting >= {one.id for one in made[: subjects * each]}
    assert {one.id: replace(one, superseded_by="") for one in store.thoughts(one.id for one in made).values()} == {
        one.id: one for one in made
    }
    assert retrieval.ask(room.field, "subject3 rows").results
