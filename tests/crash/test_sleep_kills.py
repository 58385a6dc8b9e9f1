"""A night, an undo and a restore killed before any of their effects, and gone on with: nothing shows that it happened.

Effects are what our process does to the disk, each git process, before it and behind it, and the beginning and end of
each transaction of the index. The next run goes on, or is killed once more before that. Afterwards the vault's files,
its records, proposals and what was told are those of an undisturbed night at the same time, each once; and so is the
field: every thought, weight and mark, and the order, score and reason of every answer. Only names are compared loosely:
records may lie in another segment than they would have.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture.gate import BY_USER
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.field import steps
from holdfast.field.sqlite import schema
from holdfast.sleep import night, plan, undo
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

from . import child_night
from .child_night import NIGHT, NOW, believed, git, kept
from .support import NAME, SHARED_MEMORY, count, dice
from .support_effects import SHORT, in_a_child
from .test_vault_kills import Everything

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    Models = Callable[[str], "Model"]

pytestmark = [pytest.mark.crash, pytest.mark.timeout(3600)]

LOTS = 10
RANDOM = {"short": 2, "full": 100}[NAME]  # nights of each lot, killed at random points
EVERY = {"short": 12, "full": 1}[NAME]  # one in so many effects
BOUNDS = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")


class Night(Everything):
    """Every effect of a night; the bounds of a transaction are seen where SQLite begins a statement."""

    def put(self, patch: pytest.MonkeyPatch) -> None:
        super().put(patch)
        real = schema._connected

        def connected(path: str) -> sqlite3.Connection:
            db = real(path)
            db.set_trace_callback(lambda said: self._effect(said, lambda: None) if said in BOUNDS else None)
            return db

        patch.setattr(schema, "_connected", connected)


class Refusing(Night):
    """Effects that a disk can refuse: those of our own process, not what git and SQLite do with theirs."""

    def _effect(self, name: str, real: Callable[..., Any], *given: Any) -> Any:
        is_ours = name not in ("git", "after git", *BOUNDS)
        return super()._effect(name, real, *given) if is_ours else real(*given)


def sleep(vault: Path) -> None:
    """The night of this time, begun or gone on with; one that is over is not slept again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "new_id", lambda _: NIGHT)
        if plan.pending(str(vault)) or plan.last(str(vault)).night != NIGHT:
            child_night.sleep(str(vault))


def undone(vault: Path) -> None:
    with child_night.opened(str(vault), NOW) as field:
        (step,) = [one for one in steps.everything(str(vault)) if one.night == NIGHT and one.kind == steps.SUPERSEDED]
        (made,) = [one for one in steps.everything(str(vault)) if one.kind == steps.CONSOLIDATED and one.by == step.by]
        with suppress(UsageError):  # "was taken back already": the kill came after what counts
            undo.undo(field, made.id, by=BY_USER)


def restored(vault: Path) -> None:
    with child_night.opened(str(vault), NOW) as field:
        (step,) = [one for one in steps.everything(str(vault)) if one.night == NIGHT and one.kind == steps.ARCHIVED]
        with suppress(NotFound):  # "is not in the archive": the kill came after what counts
            undo.restore(field, step.ids, by=BY_USER)


WORKS: dict[str, Callable[[Path], None]] = {"sleep": sleep, "undo": undone, "restore": restored}


def killed(work: Callable[[Path], None], vault: Path, at: int) -> bool:
    def victim() -> None:
        with pytest.MonkeyPatch.context() as patch:
            Night(at).put(patch)
            work(vault)

    return in_a_child(victim) == signal.SIGKILL


def refused(vault: Path, effects: Refusing) -> str:
    """A night whose disk refuses one effect, or takes half of a write; the sentence in which it ended, if it did."""
    with pytest.MonkeyPatch.context() as patch, child_night.opened(str(vault), NOW) as field:
        patch.setattr(plan, "new_id", lambda _: NIGHT)
        effects.put(patch)
        try:
            night.Night(field).sleep()
        except HoldfastError as error:
            return str(error)
    return ""


def goes_on(work: Callable[[Path], None], vault: Path) -> None:
    assert in_a_child(lambda: work(vault)) == 0


class Model:
    """A vault before a piece of work, and what there is to see after it was done undisturbed."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.work = folder, WORKS[name]
        self.before = folder / "before"
        in_a_child(lambda: child_night.filled(str(self.before)))
        if self.work is not sleep:
            goes_on(sleep, self.before)
        whole = self.copy("undisturbed")
        effects = Night()
        with pytest.MonkeyPatch.context() as patch:
            effects.put(patch)
            self.work(whole)
        self.effects = effects.done
        self.kept, self.believed = kept(str(whole)), believed(str(whole))
        self.before_it = believed(str(self.copy("as-it-was")))

    def copy(self, name: str) -> Path:
        vault = self.folder / name
        shutil.copytree(self.before, vault, symlinks=True)
        return vault

    def after(self, *points: int) -> tuple[int, list[str]]:
        """How many of the kills met it, and all that is not as it would have been."""
        vault = self.copy("killed")
        met = sum(killed(self.work, vault, at) for at in points)
        goes_on(self.work, vault)
        wrong = [f"killed before {points} of {self.effects}: {what}" for what in self.wrong(vault)]
        shutil.rmtree(vault)
        return met, wrong

    def after_refusal(self, at: int, how: int | str) -> tuple[str, list[str]]:
        """The sentence in which it ended, if it did, and all that is not as it would have been."""
        vault, told = self.copy("refused"), self.folder / "told"

        def victim() -> None:
            told.write_text(refused(vault, Refusing(at, how)))

        assert in_a_child(victim) == 0
        said = told.read_text()
        goes_on(self.work, vault)
        wrong = [f"refused at {at}: {what}" for what in self.wrong(vault)]
        wrong += [f"refused at {at}: no sentence: {said}"] if said and (not said.endswith(".") or "\n" in said) else []
        shutil.rmtree(vault)
        return said, wrong

    def wrong(self, vault: Path) -> list[str]:
        with writing(str(vault), NOW):
            pass  # the next writer commits records that were only appended, as it does those of thoughts
        found = kept(str(vault))
        others = [name for name in found if found[name] != self.kept[name]]
        wrong = [f"other {name}: {_other(self.kept[name], found[name])}" for name in others]
        wrong += [f"twice: {one}" for one, times in found["records"].items() if times > 1]
        wrong += ["something is not committed"] if git(str(vault), "status", "--porcelain") else []
        hands = [line for line in Repository(str(vault)).text("log", "--format=%s").splitlines() if "by hand" in line]
        wrong += [f"ours is taken for a person's: {hands}"] if hands else []
        wrong += ["a night is not over"] if plan.pending(str(vault)) else []
        for anew in (False, True):
            field = believed(str(vault), anew=anew)
            names = [name for name in field if field[name] != self.believed[name] and not (anew and name == "new")]
            wrong += [f"{'made anew, ' if anew else ''}other {name} in the field" for name in names]
        return wrong


def _other(wanted: Any, found: Any) -> str:
    if isinstance(wanted, list):
        return f"{[one for one in wanted if one not in found]} became {[one for one in found if one not in wanted]}"
    return f"{wanted} became {found}"


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    """The models, each made once, in memory where there is such a thing: nothing here depends on the disk."""
    made: dict[str, Model] = {}
    where = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="holdfast-crash-", dir=where) as top:

        def model(name: str) -> Model:
            if name not in made:
                made[name] = Model(Path(top, name), name)
            return made[name]

        yield model


def test_the_undisturbed_night_does_all_kinds_of_steps_and_loses_nothing(models: Models) -> None:
    model = models("sleep")
    kinds = {mark[1] for mark in model.believed["marks"]} - {mark[1] for mark in model.before_it["marks"]}
    assert kinds >= {steps.SUPERSEDED, steps.TIED}
    assert len(model.believed["archived"]) == len(model.before_it["archived"]) + 1
    assert model.kept["proposals"]
    assert model.effects > 100
    lost = [one for one in model.before_it["thoughts"] if one not in model.believed["thoughts"]]
    assert lost == []
    assert model.believed["traffic"] == model.before_it["traffic"]
    (page,) = [path for path in model.folder.glob("undisturbed/sleep/*.md") if NIGHT in path.read_text()]
    assert page.read_text().count(NIGHT) == 1


@pytest.mark.parametrize("name", list(WORKS))
def test_killed_before_any_effect_and_gone_on_with_nothing_shows(models: Models, name: str) -> None:
    model = models(name)
    first = dice(f"first of {name}").randint(1, EVERY)
    points = range(first, model.effects + 1, EVERY)
    done = [model.after(at) for at in points]
    wrong = [one for _, some in done for one in some]
    assert not wrong, "\n".join(wrong)
    met = sum(hits for hits, _ in done)
    assert met == len(points)
    count(f"{name} kills", effects=model.effects, killed=met, another_result=0)


@pytest.mark.parametrize("lot", range(LOTS))
def test_a_night_killed_at_random_points_again_and_again_nothing_shows(models: Models, lot: int) -> None:
    model, chance = models("sleep"), dice(f"nights {lot}")
    wrong, met = list[str](), 0
    for _ in range(RANDOM):
        points = [chance.randint(1, model.effects) for _ in range(chance.choice((1, 1, 2, 3)))]
        hits, found = model.after(*points)
        wrong, met = wrong + found, met + hits
    assert not wrong, "\n".join(wrong)
    count("sleep kills", nights_at_random_points=RANDOM, killed_in_them=met, lost=0)


@pytest.mark.parametrize("how", [28, SHORT], ids=["full", "short"])
def test_a_disk_that_refuses_any_effect_of_a_night_is_told_in_a_sentence_and_nothing_shows(
    models: Models, how: int | str
) -> None:
    model = models("sleep")
    counted = Refusing()
    assert refused(model.copy(f"counted-{how}"), counted) == ""
    points = range(dice(f"refused {how}").randint(1, EVERY), counted.done + 1, EVERY)
    done = [model.after_refusal(at, how) for at in points]
    wrong = [one for _, some in done for one in some]
    assert not wrong, "\n".join(wrong)
    count("sleep kills", refused_effects=len(points), said_in_a_sentence=sum(bool(said) for said, _ in done))
