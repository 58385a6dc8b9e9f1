"""A field for the tests: a clock that stands until it is moved, vectors without a model, words as agents say them."""

from __future__ import annotations

import os
import sqlite3
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from holdfast.capture import home
from holdfast.field import handle, intake, retrieval, think
from holdfast.field.embedders import unit
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.vault import notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from holdfast.field.handle import Field
    from holdfast.field.retrieval import Answer
    from holdfast.field.think import Thinking

NOW = 1_790_000_000.0
HOUR, DAY = 3600.0, 86400.0
SHOP = "shop-1"


class Directions:
    """An embedder of its own making: each word is a direction, a text the sum of its words."""

    def __init__(self, name: str = "directions-32", dimension: int = 32) -> None:
        self.name = name
        self.dimension = dimension
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        rows = numpy.zeros((len(texts), self.dimension), dtype=numpy.float32)
        for at, text in enumerate(texts):
            for word in text.casefold().split():
                dice = numpy.random.default_rng(zlib.crc32(word.encode()))
                rows[at] += dice.standard_normal(self.dimension, dtype=numpy.float32)
        return unit(rows)


class Room:
    """The field of one vault, and a clock."""

    def __init__(self, vault: str, *, meaning: bool = True) -> None:
        self.vault = vault
        self.now = NOW
        self.embedder = Directions() if meaning else None
        home.make_vault(vault)
        self.field: Field = handle.opened(vault, self.embedder, lambda: self.now)

    def reopen(self) -> None:
        self.field.store.close()
        self.field = handle.opened(self.vault, self.embedder, lambda: self.now)

    def close(self) -> None:
        self.field.store.close()

    def think(self, text: str, **more: Any) -> Thinking:
        return think.think(self.field, Thought("", text, **{"agent": "ada", "project": SHOP, **more}))

    def ask(self, query: str, project: str | None = SHOP, most: int = 10, **scope: Any) -> Answer:
        return retrieval.ask(self.field, query, Scope(project, **scope), most)

    def read(self, query: str, agent: str = "ada", **more: Any) -> Answer:
        """Ask, and note that it was answered."""
        answer = self.ask(query, **more)
        assert retrieval.reinforce(self.field, answer, agent)
        return answer

    def weight(self, ident: str) -> float:
        return self.field.store.traffic([ident])[ident].weight_at(self.now)

    def note(self, name: str, body: str, kind: str = "knowledge", **more: Any) -> str:
        """A note as the vault writes it; its path."""
        path = f"{notes.FOLDERS[kind]}/{name}.md"
        given = {"day": "2026-09-01", "project": SHOP, "origin": "agent", "description": body, **more}
        file = Path(self.vault) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        save(file, notes.new_text(name=name, kind=kind, body=body, **given))
        return path


def save(file: Path, text: str) -> None:
    """As most editors do: another file takes its place."""
    fresh = file.with_suffix(".tmp")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, file)


def garble(vault: str, tables: str) -> None:
    """Pages of the closed index are overwritten, those of tables by a condition on sqlite_master: it can be opened, and
    turns out broken in use."""
    path = Path(handle.path_of(vault))
    db = sqlite3.connect(path)
    pages = [row[0] for row in db.execute(f"SELECT rootpage FROM sqlite_master WHERE rootpage AND {tables}")]
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    assert pages
    raw = bytearray(path.read_bytes())
    for page in pages:
        raw[(page - 1) * 4096 : page * 4096] = b"\x5a" * 4096
    path.write_bytes(raw)


def believe_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of files are believed at once, as they are a moment later."""
    monkeypatch.setattr(intake, "RACY", 0)


def texts(answer: Answer) -> list[str]:
    return [one.thought.text for one in answer.results]
