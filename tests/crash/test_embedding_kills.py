"""One embedder taking over from another, killed with SIGKILL: between any two of its steps, and the real process at any
moment.

What serves afterwards is the old model, whole, or the new one, whole. What was made is kept, and the next one goes on;
in the end the field says what one says that was made anew under the new model.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture import home, platform
from holdfast.field import embedding, embedding_process, handle, intake
from holdfast.field.embedder_models import WordLlama
from holdfast.field.embedders import WORDLLAMA as DEFAULT
from holdfast.field.handle import Field
from holdfast.field.sqlite.store import SqliteStore
from holdfast.field.store import Scope

from .child_field import WORDS, Directions
from .support import NAME, count, dice
from .support_effects import in_a_child

pytestmark = pytest.mark.crash

NOTES = 40
STEP = 8
KILLS = {"short": 8, "full": 100}[NAME]


class Coming(Directions):
    """The model that takes over."""

    name = "coming-24"
    dimension = 24


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Fatal(Coming):
    """One that is killed before it makes a lot of vectors."""

    def __init__(self, at: int) -> None:
        self.left = at

    def embed(self, texts: Any) -> Any:
        self.left -= 1
        if not self.left:
            die()
        return super().embed(texts)


def filled(vault: Path, notes: int = NOTES) -> None:
    """A vault of notes, with vectors of the model that serves."""
    home.make_vault(str(vault))
    (vault / "knowledge").mkdir()
    for nth in range(notes):
        fact = f"{WORDS[nth % 10]} and {WORDS[nth // 10 % 10]} of shop {nth}"
        text = f"---\nname: fact-{nth}\nkind: knowledge\ndescription: {fact}\n---\n\n{fact}\n"
        platform.write_atomic(f"{vault}/knowledge/fact-{nth}.md", text.encode(), durable=False)
    with handle.opened(str(vault), Directions()) as field:
        intake.sync(field)


def near(field: Field, embedder: Any) -> list[Any]:
    return [field.store.nearest(embedder.embed([word])[0], Scope(), 10_000, embedder.name) for word in WORDS]


def wrong_with(vault: Path, coming: Any, notes: int = NOTES) -> list[str]:
    """What does not hold right after a kill."""
    with handle.opened(str(vault), None) as field:
        store = field.store
        assert isinstance(store, SqliteStore)
        wrong = []
        if store.serving() not in (Directions.name, coming.name):
            wrong.append(f"nobody serves: {store.serving()!r}")
        if store.lacking(store.serving()):
            wrong.append(f"{store.serving()} serves without {store.lacking(store.serving())} vectors")
        if store.db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            wrong.append("the file is damaged")
        if any(
            len(hits) != notes for hits in near(field, Directions() if store.serving() == Directions.name else coming)
        ):
            wrong.append("not all are found by their meaning")
        made = notes - store.lacking(coming.name)
        if made and embedding.nature_of(store, coming.name) is None:
            wrong.append("nothing is known of a model that has vectors")
    return wrong


def finished(vault: Path, coming: Any) -> list[Any]:
    """What the field says once the next one has gone on."""
    with handle.opened(str(vault), coming) as field:
        assert embedding.everything(field, coming)
        assert field.store.serving() == coming.name
        assert list(field.store.places(embedding.KEPT)) == [f"{embedding.KEPT}{coming.name}"]
        return near(field, coming)


def made_anew(vault: Path, coming: Any) -> list[Any]:
    for path in (vault / ".state").glob("field.db*"):
        path.unlink()
    with handle.opened(str(vault), coming) as field:
        intake.sync(field)
        return near(field, coming)


def points() -> list[tuple[str, int]]:
    steps = NOTES // STEP
    before = [("before it embeds", nth) for nth in range(1, steps + 1)]
    after = [("after it has written", nth) for nth in range(1, steps + 1)]
    return [*before, *after, ("before it serves", 0), ("before that is whole", 0), ("after it serves", 0)]


def killed_at(vault: Path, where: str, at: int) -> None:
    with handle.opened(str(vault), None) as field:
        store: Any = field.store
        embedder = Fatal(at) if where == "before it embeds" else Coming()
        steps = 0

        def tell(_: int) -> None:
            nonlocal steps
            steps += 1
            if where == "after it has written" and steps == at:
                die()

        if where == "before it serves":
            store.serve = lambda _: die()
        if where == "before that is whole":
            store.forget = lambda _: die()
        assert embedding.give(field, embedder, step=STEP, progress=tell)
        embedding.finish(field, embedder)
        die()


def test_killed_between_any_two_steps_it_serves_whole_and_is_gone_on_with(memory_path: Path) -> None:
    vault, kept = memory_path / "vault", memory_path / "kept"
    filled(vault)
    shutil.copytree(vault, kept, symlinks=True)
    anew = made_anew(vault, Coming())
    wrong = []
    for where, at in points():
        shutil.rmtree(vault)
        shutil.copytree(kept, vault, symlinks=True)
        assert in_a_child(lambda where=where, at=at: killed_at(vault, where, at)) == signal.SIGKILL  # type: ignore[misc]
        wrong += [f"{where} {at}: {one}" for one in wrong_with(vault, Coming())]
        with handle.opened(str(vault), None) as field:
            left = field.store.lacking(Coming.name)
        lots = {"before it embeds": at - 1, "after it has written": at}.get(where, NOTES // STEP)
        wrong += [] if left == NOTES - lots * STEP else [f"{where} {at}: {left} are left"]
        wrong += [] if finished(vault, Coming()) == anew else [f"{where} {at}: another field than one made anew"]
    assert not wrong, "\n".join(wrong)
    count("embedding", killed_between_steps=len(points()))


def killed_after(vault: Path, env: dict[str, str], so_many: int) -> None:
    """The process, killed once it has told of so many, or is done."""
    Path(vault, ".state", embedding_process.FILE).unlink(missing_ok=True)
    pid = embedding_process.start(str(vault), env)
    waited = os.pidfd_open(pid)
    while not select.select([waited], [], [], 0.001)[0]:
        told = embedding_process.progress(str(vault))
        if told and told.done >= so_many:
            break
    os.close(waited)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    embedding_process.STARTED.discard(pid)


def test_the_process_itself_killed_at_any_moment_is_gone_on_with(memory_path: Path) -> None:
    vault, kept = memory_path / "vault", memory_path / "kept"
    notes = 1500
    filled(vault, notes)
    shutil.copytree(vault, kept, symlinks=True)
    chance = dice("embedding kills")
    env = {"HOME": str(memory_path), "HOLDFAST_HOME": str(vault), "PATH": os.defpath}
    coming = WordLlama()
    anew = made_anew(vault, coming)
    shutil.rmtree(vault)
    shutil.copytree(kept, vault, symlinks=True)
    killed, midway, wrong = 0, 0, []
    for _ in range(KILLS):
        killed += 1
        killed_after(vault, env, chance.randrange(0, notes))
        assert not embedding_process.is_at_work(str(vault)), "the kernel let go of its lock"
        wrong += wrong_with(vault, coming, notes)
        with handle.opened(str(vault), None) as field:
            left = field.store.lacking(DEFAULT)
            midway += 0 < left < notes
            if field.store.serving() == DEFAULT:
                break
    embedding_process.work(str(vault), env)
    last = embedding_process.progress(str(vault))
    assert last
    assert (last.done, last.total, last.problem) == (notes, notes, "")
    assert not wrong, "\n".join(wrong)
    assert finished(vault, coming) == anew
    count("embedding", processes_killed=killed, of_them_midway=midway)
