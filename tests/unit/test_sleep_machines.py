"""Two machines that sleep on copies of one vault come to the same memory, whoever sleeps, syncs or takes back first."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field_support import DAY, HOUR, SHOP, Room

from holdfast.capture import platform
from holdfast.capture.gate import BY_USER
from holdfast.field import intake, retrieval, steps
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope
from holdfast.field.thought import BRIDGE, CONSOLIDATION, HYPOTHESIS, Thought, joined
from holdfast.model import replace
from holdfast.sleep import archive, undo
from holdfast.sleep.night import Night, Slept
from holdfast.vault.sync import sync

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCKS = tuple(f"Orders lock rows optimistically with a version column {one}" for one in ("in tables", "now", "always"))
WIPES = tuple(f"Staging is wiped every {one} at 02:00 UTC" for one in ("night", "single night"))
QUESTIONS = ("how do orders lock rows", "when is staging wiped", "old printer floor")


class Machine:
    """One of two machines: its own vault and name, and a field with a clock."""

    def __init__(self, name: str, vault: str, shared: str, patch: pytest.MonkeyPatch) -> None:
        self.name, self.shared, self.patch = name, shared, patch
        with self.at_work():
            self.room = Room(vault)

    @property
    def vault(self) -> str:
        return self.room.vault

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with self.patch.context() as patch:
            patch.setattr(platform, "machine", lambda: self.name)
            yield

    def think(self, *texts: str) -> list[str]:
        with self.at_work():
            return [self.room.think(text).thought.id for text in texts]

    def sleep(self) -> Slept:
        with self.at_work():
            return Night(self.room.field).sleep()

    def sync(self) -> None:
        with self.at_work():
            assert sync(self.vault, self.room.now, self.shared).conflicts == ()

    def undo(self, step: steps.Step) -> None:
        with self.at_work():
            undo.undo(self.room.field, step.id, by=BY_USER)

    def files(self) -> dict[str, bytes]:
        """The files of thoughts and sleep, as they lie there."""
        found = [path for top in ("thoughts", "sleep") for path in Path(self.vault, top).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.vault)): path.read_bytes() for path in found}

    def memory(self) -> dict[str, Any]:
        """The field: thoughts, marks, what is put away, and what answers in which order, how well and why."""
        intake.sync(self.room.field)
        store = self.room.field.store
        assert isinstance(store, SqliteStore)
        ids = [row[0] for row in store.db.execute("SELECT id FROM thought ORDER BY id")]
        return {
            "thoughts": store.thoughts(ids),
            "marks": sorted(store.db.execute("SELECT step, kind, id, other, count FROM mark").fetchall()),
            "archived": store.archived(ids),
            "answers": [
                [(one.thought, one.score, one.why) for one in retrieval.ask(self.room.field, query, scope).results]
                for query in QUESTIONS
                for scope in (Scope(SHOP), Scope(SHOP, archived=True))
            ],
        }


@pytest.fixture
def machines(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Machine, Machine]]:
    shared = f"{place}/shared.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", shared], check=True)
    one, two = (Machine(name, f"{place}/{name}", shared, monkeypatch) for name in ("attic", "cellar"))
    yield one, two
    one.room.close()
    two.room.close()


def begun(one: Machine, two: Machine) -> None:
    """Both have the same thoughts, some of which lie there for long."""
    one.think("The old printer was on the second floor")
    for machine in (one, two):
        machine.room.now += (archive.DAYS + 1) * DAY
    one.think(*LOCKS[:2], *WIPES[:1])
    one.sync()
    two.sync()
    two.think(*LOCKS[2:], *WIPES[1:])
    two.sync()
    one.sync()


def at_rest(one: Machine, two: Machine) -> None:
    """Synced until nothing moves; then both have the same files and the same field."""
    for machine in (one, two, one, two):
        machine.sync()
    assert one.files() == two.files()
    assert one.memory() == two.memory()


def of_kind(done: Slept, kind: str) -> list[steps.Step]:
    return [one for one in done.steps if one.kind == kind]


@pytest.mark.slow
@pytest.mark.parametrize(
    "order", ["both, then sync", "one after the other", "the other way round", "at different times"]
)
def test_two_machines_that_sleep_on_synced_copies_converge(machines: tuple[Machine, Machine], order: str) -> None:
    one, two = machines
    begun(one, two)
    first, second = (two, one) if order == "the other way round" else (one, two)
    if order == "at different times":
        second.room.now += 5 * HOUR
    done = first.sleep()
    assert {step.kind for step in done.steps} == {steps.CONSOLIDATED, steps.LINKED, steps.ARCHIVED}
    if order in ("one after the other", "the other way round"):
        first.sync()
        second.sync()
        assert second.sleep().steps == ()
    else:
        assert {step.id for step in second.sleep().steps} & {step.id for step in done.steps}
    one.room.now = two.room.now = max(one.room.now, two.room.now)
    at_rest(one, two)
    summaries = [thought for thought in one.memory()["thoughts"].values() if thought.kind == CONSOLIDATION]
    assert len(summaries) == 1
    for machine in (one, two):
        machine.room.now += HOUR
        assert machine.sleep().steps == ()


@pytest.mark.slow
def test_two_that_read_differently_choose_other_centres_and_still_say_a_thing_once(
    machines: tuple[Machine, Machine],
) -> None:
    one, two = machines
    begun(one, two)
    ids = sorted(ident for ident, thought in one.memory()["thoughts"].items() if thought.text in WIPES)
    for machine, ident in ((one, ids[0]), (two, ids[1])):
        for _ in range(3):
            read = machine.room.ask(QUESTIONS[1])
            only = tuple(result for result in read.results if result.thought.id == ident)
            retrieval.reinforce(machine.room.field, replace(read, results=only), machine.name)
    links = [of_kind(machine.sleep(), steps.LINKED)[0] for machine in (one, two)]
    assert {link.by for link in links} == set(ids)
    one.sync()
    two.sync()
    one.sync()
    assert one.files() == two.files()
    assert one.memory()["thoughts"] == two.memory()["thoughts"]
    assert one.memory()["marks"] == two.memory()["marks"]
    other = one.think("Staging has two servers behind one address")[0]
    answers = [result.thought.id for result in one.room.ask(QUESTIONS[1]).results]
    first, second = sorted(answers.index(ident) for ident in ids)
    assert first == 0
    assert second > answers.index(other)


@pytest.mark.slow
def test_a_step_undone_on_one_machine_is_undone_on_the_other_and_not_taken_again(
    machines: tuple[Machine, Machine],
) -> None:
    one, two = machines
    begun(one, two)
    done = one.sleep()
    at_rest(one, two)
    (made,), (put,) = of_kind(done, steps.CONSOLIDATED), of_kind(done, steps.ARCHIVED)
    two.undo(made)
    two.undo(put)
    at_rest(one, two)
    assert one.memory()["archived"] == set()
    assert made.by not in [result.thought.id for result in one.room.ask(QUESTIONS[0]).results]
    for machine in (one, two):
        machine.room.now += HOUR
        assert machine.sleep().steps == ()


@pytest.mark.slow
def test_an_undo_counts_in_whatever_order_it_and_the_step_arrive(
    machines: tuple[Machine, Machine], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machines
    begun(one, two)
    (made,) = of_kind(one.sleep(), steps.CONSOLIDATED)
    at_rest(one, two)
    two.undo(made)
    at_rest(one, two)
    wanted = one.memory()
    logs = [path for path, _ in steps.logs(one.vault)]
    assert len(logs) == 2
    for nth, order in enumerate(permutations(logs)):
        third = Machine("shed", f"{place}/third-{nth}", "", monkeypatch)
        shutil.copytree(f"{one.vault}/thoughts", f"{third.vault}/thoughts")
        third.room.now = one.room.now
        for path in order:
            Path(third.vault, path).parent.mkdir(parents=True)
            shutil.copy(f"{one.vault}/{path}", f"{third.vault}/{path}")
            third.memory()
        assert third.memory() == wanted
        third.room.close()


@pytest.mark.slow
def test_a_thought_fetched_back_on_one_machine_is_not_put_away_by_the_other(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    begun(one, two)
    (put,) = of_kind(one.sleep(), steps.ARCHIVED)
    with one.at_work():
        undo.restore(one.room.field, put.ids, by=BY_USER)
    one.sync()
    two.sync()
    assert of_kind(two.sleep(), steps.ARCHIVED) == []
    at_rest(one, two)
    assert two.memory()["archived"] == set()


@pytest.mark.slow
def test_a_step_of_two_machines_stands_while_one_of_their_logs_is_there(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    begun(one, two)
    one.sleep()
    two.sleep()
    at_rest(one, two)
    before = [mark for mark in one.memory()["marks"] if mark[1] == steps.CONSOLIDATED]
    for gone in ("cellar", "attic"):
        kept = Path(one.vault, "sleep", gone).rename(Path(one.vault, "kept"))
        assert [mark for mark in one.memory()["marks"] if mark[1] == steps.CONSOLIDATED] == before
        kept.rename(Path(one.vault, "sleep", gone))
        assert [mark for mark in one.memory()["marks"] if mark[1] == steps.CONSOLIDATED] == before


@pytest.mark.slow
def test_a_field_made_anew_gives_the_same_answers_and_weights_and_the_next_night_does_nothing(
    machines: tuple[Machine, Machine],
) -> None:
    one, two = machines
    begun(one, two)
    for agent in ("ada", "bob", "cleo"):
        one.room.read(QUESTIONS[0], agent=agent)
    assert of_kind(one.sleep(), steps.TIED)
    before, ids = one.memory(), list(one.memory()["thoughts"])
    weights = one.room.field.store.traffic(ids)
    one.room.close()
    for path in Path(one.vault, ".state").glob("field.db*"):
        path.unlink()
    one.room.reopen()
    assert one.memory() == before
    assert one.room.field.store.traffic(ids) == weights
    one.room.now += HOUR
    done = one.sleep()
    assert (done.steps, done.refusals) == ((), ())


def test_two_records_of_one_summary_are_the_same_one_in_either_order() -> None:
    one = Thought("c-1", "Orders lock rows", kind=CONSOLIDATION, sources=("a", "b"), created=5.0, start=1.5)
    other = replace(one, start=1.2, sources=("b", "a"))
    assert joined(one, other) == joined(other, one)


def test_a_bridge_that_two_machines_made_stays_a_hypothesis() -> None:
    one = Thought("b-1", "Locks make staging slow", kind=BRIDGE, sources=("a", "b"), origin=HYPOTHESIS, created=5.0)
    assert joined(one, replace(one, created=6.0)).origin == HYPOTHESIS
    assert joined(replace(one, origin="web"), replace(one, origin="agent")).origin == "web"
