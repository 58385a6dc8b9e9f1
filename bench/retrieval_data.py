"""The data of bench/retrieval.py, and a corpus in memory that the product's own ranking runs on."""

from __future__ import annotations

import copy
import gzip
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from holdfast.field import embedders, words
from holdfast.field.embedders import Embedder
from holdfast.field.ranking import Facts
from holdfast.field.thought import Thought
from holdfast.model import replace

SMALL = Path(__file__).resolve().parent / "small_set.jsonl"
SETS = {
    "LoCoMo turns": "locomo.jsonl.gz",
    "LongMemEval_S, cut": "longmemeval_s_truncated.jsonl.gz",
    "LongMemEval, pooled": "longmemeval_pooled_sessions.jsonl.gz",
}


@dataclass(frozen=True)
class Query:
    id: str
    text: str
    gold: frozenset[str]
    category: str


@dataclass(frozen=True)
class Hit:
    id: str
    score: float


@dataclass
class Memory:
    """One group of a set: its texts are indexed, its queries asked."""

    docs: list[tuple[str, str]]
    queries: list[Query]
    is_held: list[bool]  # of the queries: whether nothing was tuned on it

    @property
    def tuned_on(self) -> list[Query]:
        return [query for query, is_held in zip(self.queries, self.is_held, strict=True) if not is_held]


def load(path: Path) -> list[Memory]:
    """A set, with its second half marked: of its groups, or of the queries where there is but one group."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    groups = [json.loads(line) for line in text.split("\n") if line.strip()]
    found = []
    for at, group in enumerate(groups):
        queries = [Query(ident, text, frozenset(gold), kind) for ident, text, gold, kind in group["queries"]]
        held = [
            at >= len(groups) // 2 if len(groups) > 1 else place >= len(queries) // 2 for place in range(len(queries))
        ]
        found.append(Memory([(ident, text) for ident, text in group["docs"]], queries, held))
    return found


@dataclass
class Corpus:
    """FTS5 in memory for words, a matrix for meaning; the threads are the texts that bear the same time."""

    docs: Sequence[tuple[str, str]]
    embedder: Embedder | None
    vectors: str = "passages"
    _lexical: dict[tuple[tuple[str, ...], int], list[Hit]] = field(default_factory=dict)
    _nearest: dict[bytes, list[Hit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids = [ident for ident, _ in self.docs]
        self.text = dict(self.docs)
        self.fact = {ident: _facts(text) for ident, text in self.docs}
        self.threads: dict[str, list[str]] = {}
        self.place: dict[str, int] = {}
        for ident, _ in self.docs:
            thread = self.threads.setdefault(self.fact[ident].thread or f"\0{ident}", [])
            self.place[ident] = len(thread)
            thread.append(ident)
        self._index()
        self._embed()

    @property
    def now(self) -> float:
        """The time of the newest text: the questions have none of their own."""
        return max((fact.created for fact in self.fact.values()), default=0.0)

    def _index(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, parts, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        rows = [(at, text, " ".join(_humps(text))) for at, (_, text) in enumerate(self.docs)]
        self.db.executemany("INSERT INTO words (rowid, text, parts) VALUES (?, ?, ?)", rows)

    def _embed(self) -> None:
        if self.embedder is None:
            return
        pieces = [embedders.cut(text) for _, text in self.docs]
        listed = [piece for some in pieces for piece in some]
        made = self.embedder.embed(listed)
        owner = numpy.repeat(numpy.arange(len(pieces)), [len(some) for some in pieces])
        whole = self.embedder.embed([text for _, text in self.docs])
        self.rows = {"passages": made, "whole": whole}
        self.owner = {"passages": owner, "whole": numpy.arange(len(pieces))}

    def seen(self, how: str) -> Corpus:
        """The same corpus with other vectors: one of each whole text."""
        other = copy.copy(self)
        other.vectors, other._nearest = how, {}
        return other

    def lexical(self, terms: Sequence[str], _scope: Any, most: int) -> list[Hit]:
        key = (tuple(terms), most)
        if key not in self._lexical:
            said = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
            rows = self.db.execute(
                "SELECT rowid, bm25(words, 1.0, 0.5) AS score FROM words WHERE words MATCH ? "
                "ORDER BY score, rowid LIMIT ?",
                (said, most),
            )
            self._lexical[key] = [Hit(self.ids[at], -score) for at, score in rows]
        return self._lexical[key]

    def nearest(self, vector: NDArray[numpy.float32], _scope: Any, most: int) -> list[Hit]:
        key = vector.tobytes()
        if key not in self._nearest:
            best = numpy.full(len(self.ids), -1.0, dtype=numpy.float32)
            numpy.maximum.at(best, self.owner[self.vectors], self.rows[self.vectors] @ vector)
            order = numpy.argsort(-best, kind="stable")[:most]
            self._nearest[key] = [Hit(self.ids[at], float(best[at])) for at in order if best[at] > -1.0]
        return self._nearest[key]

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        return {ident: self.text[ident] for ident in ids}

    def facts(self, ids: Iterable[str]) -> dict[str, Facts]:
        return {ident: self.fact[ident] for ident in ids}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, list[tuple[str, int]]]:
        found = {}
        for ident in ids:
            thread, at = self.threads[self.fact[ident].thread or f"\0{ident}"], self.place[ident]
            begin = max(0, at - reach)
            around = enumerate(thread[begin : at + reach + 1], begin)
            found[ident] = [(other, abs(place - at)) for place, other in around if place != at]
        return found


def _humps(text: str) -> list[str]:
    return [part for word in words.WORD.findall(text) for part in words.parts(word)]


def _facts(text: str) -> Facts:
    """What the product reads from the text itself; nobody tells it more."""
    return replace(Thought("", text).facts, words=len(words.WORD.findall(text)))
