"""How well the field finds what was meant, on data that nobody here wrote, each part left out in turn, beside others.

    python bench/retrieval.py [--data FOLDER] [--embedder NAME] [--peers FILE] [--write docs/benchmarks.md]

The data is looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench; it may not be copied into this repository.
Where it is missing, that is said, and a small set of the project's own is asked instead: it shows that everything
runs, not how good anything is. Constants were tuned on the first half of each set only: of its groups, or of its
queries where it is one group. `held` is the other half. Figures are of texts found, without any model that answers or
reranks.

`--peers FILE` adds the answers of other systems, as lines of {"system", "set", "query", "ids"}, which
bench/retrieval_peers.py makes.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

import retrieval_local
from bench_page import written
from holdfast.field import embedders, ranking
from holdfast.field import words as tokens
from holdfast.field.embedders import Embedder
from holdfast.field.ranking import ALL, Parts, Question
from retrieval_data import SETS, SMALL, Corpus, Memory, Query, load
from retrieval_page import INTRO
from retrieval_product import answers

DEPTH = 20
DRAWS = 2000
OURS, WORDS = "holdfast", "FTS5 BM25 alone"
INSTALLED = "holdfast as installed"
LEFT_OUT = ("lexical", "semantic", "turns", "neighbours", "threads", "names", "dates")
AIMS = {"LoCoMo turns": ("any@10", 80.0), "LongMemEval_S, cut": ("any@5", 97.5)}  # on the held half
COLUMNS = ("any@1", "any@5", "any@10", "all@5", "all@10", "R@1", "R@5", "R@10", "NDCG@10", "MRR")
Vector = NDArray[numpy.float32]
System = Callable[[Corpus, Query, "Vector | None"], list[str]]


@dataclass
class Asked:
    """One group, ready to be asked by every system."""

    corpus: Corpus
    plain: Corpus
    memory: Memory
    vectors: Sequence[Vector | None]


@dataclass
class Table:
    """What one system reached on one set: a row of figures for each query."""

    rows: list[list[float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def figures(found: Sequence[str], gold: frozenset[str]) -> list[float]:
    """In the order of COLUMNS."""
    places = sorted(found.index(one) if one in found else DEPTH * 1000 for one in gold)
    first, last = places[0], places[-1]
    recall = [sum(place < k for place in places) / len(places) for k in (1, 5, 10)]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(places))))
    gain = sum(1 / math.log2(place + 2) for place in places if place < 10) / ideal
    reciprocal = 1 / (first + 1) if first < DEPTH else 0.0
    return [first < 1, first < 5, first < 10, last < 5, last < 10, *recall, gain, reciprocal]


def ours(parts: Parts, corpus_of: str = "corpus") -> Callable[[Asked, int], list[str]]:
    def ask(asked: Asked, at: int) -> list[str]:
        corpus: Corpus = getattr(asked, corpus_of)
        question = Question(asked.memory.queries[at].text, asked.vectors[at], corpus.now)
        return [one.id for one in ranking.rank(question, corpus, None, DEPTH, parts)]

    return ask


def bm25(asked: Asked, at: int) -> list[str]:
    hits = asked.corpus.lexical(tokens.terms(asked.memory.queries[at].text), None, 600)
    return [hit.id for hit in hits[:DEPTH]]


def embedder_alone(corpus_of: str) -> Callable[[Asked, int], list[str]]:
    def ask(asked: Asked, at: int) -> list[str]:
        vector = asked.vectors[at]
        return (
            [] if vector is None else [hit.id for hit in getattr(asked, corpus_of).nearest(vector, None, 600)[:DEPTH]]
        )

    return ask


def reciprocal_ranks(asked: Asked, at: int) -> list[str]:
    """Plain reciprocal-rank fusion, k = 60, of FTS5 and the embedder as it comes."""
    legs = [asked.corpus.lexical(tokens.terms(asked.memory.queries[at].text), None, 600)]
    vector = asked.vectors[at]
    if vector is not None:
        legs.append(asked.plain.nearest(vector, None, 600))
    scores: dict[str, float] = {}
    for leg in legs:
        for place, hit in enumerate(leg):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (60 + place + 1)
    return sorted(scores, key=lambda one: (-scores[one], one))[:DEPTH]


def bm25s_of(asked: Asked) -> Callable[[Asked, int], list[str]]:
    """With the stemmer that it knows, where that is installed."""
    bm25s = importlib.import_module("bm25s")  # neither says anything of its types
    stemmer = importlib.import_module("Stemmer").Stemmer("english") if _has("Stemmer") else None
    told: dict[str, Any] = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize([text for _, text in asked.corpus.docs], **told), show_progress=False)

    def ask(one: Asked, at: int) -> list[str]:
        words = bm25s.tokenize([one.memory.queries[at].text], **told)
        found, scores = engine.retrieve(words, k=min(DEPTH, len(one.corpus.ids)), show_progress=False)
        return [one.corpus.ids[place] for place, score in zip(found[0], scores[0], strict=True) if score > 0]

    return ask


def systems(has_vectors: bool) -> dict[str, Callable[[Asked, int], list[str]]]:
    """Everything that is asked, in the order of the table."""
    found: dict[str, Callable[[Asked, int], list[str]]] = {OURS: ours(ALL)}
    for part in LEFT_OUT:
        if has_vectors or part != "semantic":
            found[f"  without {part}"] = ours(Parts(**{part: False}))
    if has_vectors:
        found["  without passages"] = ours(ALL, "plain")
    found[WORDS] = bm25
    if has_vectors:
        found["embedder alone, passages"] = embedder_alone("corpus")
        found["embedder alone, as it comes"] = embedder_alone("plain")
        found["plain RRF of both"] = reciprocal_ranks
    return found


def prepared(memory: Memory, embedder: Embedder | None) -> Asked:
    texts = [query.text for query in memory.queries]
    vectors: Sequence[Vector | None] = list(embedder.embed(texts)) if embedder else [None] * len(texts)
    corpus = Corpus(memory.docs, embedder)
    return Asked(corpus, corpus.seen("whole"), memory, vectors)


def measured(memories: Sequence[Memory], embedder: Embedder | None) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    has_bm25s = _has("bm25s")
    for memory in memories:
        asked = prepared(memory, embedder)
        listed = systems(embedder is not None)
        if has_bm25s:
            listed["bm25s"] = bm25s_of(asked)
        for name, system in listed.items():
            table = tables.setdefault(name, Table())
            for at, query in enumerate(memory.queries):
                began = time.perf_counter()
                found = system(asked, at)
                table.seconds.append(time.perf_counter() - began)
                table.rows.append(figures(found, query.gold))
        asked_of_it = answers(memory, embedder, asked.corpus.now, DEPTH)
        installed = tables.setdefault(INSTALLED, Table())
        installed.rows += [figures(one, query.gold) for one, query in zip(asked_of_it, memory.queries, strict=True)]
    return {name: tables[name] for name in sorted(tables, key=lambda one: one not in (OURS, INSTALLED))}


def of_peers(path: Path | None, name: str, memories: Sequence[Memory]) -> dict[str, Table]:
    """The answers of other systems; one that did not answer every query is left out."""
    if path is None:
        return {}
    answers: dict[str, dict[str, list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if one["set"] == name:
            answers.setdefault(one["system"], {})[one["query"]] = one["ids"][:DEPTH]
    queries = [query for memory in memories for query in memory.queries]
    return {
        system: Table([figures(found[query.id], query.gold) for query in queries])
        for system, found in answers.items()
        if all(query.id in found for query in queries)
    }


def bootstrap(mine: NDArray[Any], theirs: NDArray[Any]) -> tuple[float, float, float]:
    """The mean difference of paired figures and its 95 % interval, with the same dice in every run."""
    difference = mine - theirs
    dice = numpy.random.default_rng(7)
    draws = difference[dice.integers(0, len(difference), (DRAWS, len(difference)))].mean(axis=1)
    low, high = numpy.percentile(draws, [2.5, 97.5])
    return float(difference.mean()), float(low), float(high)


def lines_of(name: str, memories: Sequence[Memory], tables: dict[str, Table], tuned: frozenset[str]) -> list[str]:
    """The section of one set; `tuned` are the questions that were tuned on in any."""
    held = numpy.array([one for memory in memories for one in memory.is_held])
    kinds = numpy.array([query.category for memory in memories for query in memory.queries])
    lines = [
        f"### {name}",
        "",
        f"{int((~held).sum())} queries were tuned on, {int(held.sum())} are held out. " + _spent(tables[OURS]),
        "",
    ]
    lines += _aim(name, tables, held) + _half("Held out", tables, held)
    elsewhere = numpy.array([query.id in tuned for memory in memories for query in memory.queries])
    if (held & elsewhere).any():
        lines += [
            f"{int((held & elsewhere).sum())} of the held questions were tuned on in another set, over other texts.",
            "",
        ]
        lines += _half("Held out everywhere", {one: tables[one] for one in (OURS, WORDS)}, held & ~elsewhere)
    lines += _half("Tuned on", tables, ~held)
    lines += _categories(tables, held, kinds) + _paired(tables, held)
    return lines


def _aim(name: str, tables: dict[str, Table], held: NDArray[Any]) -> list[str]:
    if name not in AIMS:
        return []
    column, wanted = AIMS[name]
    reached = numpy.array(tables[OURS].rows, dtype=float)[held, COLUMNS.index(column)].mean() * 100
    said = "reached" if reached >= wanted else "not reached"
    return [f"The aim was {column} of {wanted:g} on the held half: {reached:.1f}, {said}.", ""]


def _half(title: str, tables: dict[str, Table], chosen: NDArray[Any]) -> list[str]:
    lines = [f"| {title} | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for system, table in tables.items():
        means = numpy.array(table.rows, dtype=float)[chosen].mean(axis=0) * 100
        label = system.replace("  ", "&nbsp;&nbsp;", 1) if system.startswith("  ") else f"**{system}**"
        lines.append(f"| {label} | " + " | ".join(f"{one:.1f}" for one in means) + " |")
    return [*lines, ""]


def _spent(table: Table) -> str:
    """Of ours alone: the systems after it find the answers of the index in memory."""
    middle, slow = numpy.percentile(numpy.array(table.seconds) * 1000, [50, 99])
    return f"A query of ours took {middle:.1f} ms, the slowest of a hundred {slow:.1f} ms."


def _categories(tables: dict[str, Table], held: NDArray[Any], kinds: NDArray[Any]) -> list[str]:
    shown = ("any@5", "any@10", "all@10", "NDCG@10")
    lines = ["| Held out, by category | n | " + " | ".join(f"{one}: ours / BM25" for one in shown) + " |"]
    lines.append("|---" * (len(shown) + 2) + "|")
    mine, theirs = (numpy.array(tables[one].rows, dtype=float) for one in (OURS, WORDS))
    for kind in sorted(set(kinds)):
        chosen = held & (kinds == kind)
        if chosen.any():
            pairs = [
                (mine[chosen, COLUMNS.index(one)].mean(), theirs[chosen, COLUMNS.index(one)].mean()) for one in shown
            ]
            cells = " | ".join(f"{own * 100:.1f} / {other * 100:.1f}" for own, other in pairs)
            lines.append(f"| {kind} | {int(chosen.sum())} | {cells} |")
    return [*lines, ""]


def _paired(tables: dict[str, Table], held: NDArray[Any]) -> list[str]:
    """Ours against each of the others on the held half: NDCG@10, whole interval."""
    at = COLUMNS.index("NDCG@10")
    mine = numpy.array(tables[OURS].rows, dtype=float)[held, at]
    lines = ["| NDCG@10 on the held half: ours minus | mean | 95 % | |", "|---|---|---|---|"]
    for system, table in tables.items():
        if system == OURS:
            continue
        mean, low, high = bootstrap(mine, numpy.array(table.rows, dtype=float)[held, at])
        said = "better" if low > 0 else "worse" if high < 0 else "no difference shown"
        lines.append(f"| {system.strip()} | {mean * 100:+.1f} | {low * 100:+.1f} to {high * 100:+.1f} | {said} |")
    return [*lines, ""]


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def paths(folder: Path) -> dict[str, Path]:
    """The sets that are there; what is missing is said."""
    found = {name: folder / file for name, file in SETS.items() if (folder / file).is_file()}
    missing = [file for name, file in SETS.items() if name not in found]
    if missing:
        print(
            f"missing in the data folder: {', '.join(missing)} (--data FOLDER or HOLDFAST_BENCH_DATA)", file=sys.stderr
        )
    if not found:
        print("asking the project's own small set instead: it shows that everything runs, no more", file=sys.stderr)
        found = {"the project's own small set": SMALL}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--embedder", default=embedders.DEFAULT, choices=embedders.TITLES)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    embedder = embedders.chosen({"embed": {"name": given.embedder}}, os.environ)
    began = time.perf_counter()
    lines = [f"Commit {commit()}; {machine()}; embedder {embedder.name if embedder else 'none'}; one thread.", ""]
    sets = {name: load(path) for name, path in paths(given.data).items()} | retrieval_local.load()
    tuned = frozenset(query.id for name in sets for memory in sets[name] for query in memory.tuned_on)
    for name, memories in sets.items():
        tables = measured(memories, embedder) | of_peers(given.peers, name, memories)
        lines += lines_of(name, memories, tables, tuned)
    lines.append(f"All of it took {time.perf_counter() - began:.0f} s.")
    print("\n".join(lines))
    if given.write:
        written(given.write, "retrieval", [INTRO, *lines])


if __name__ == "__main__":
    main()
