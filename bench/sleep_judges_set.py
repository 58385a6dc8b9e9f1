"""The clusters of bench/sleep_judges.py: real texts that are about nearly the same, the same ones at every run.

Three corpora that nobody here wrote: turns of LoCoMo, what users told an assistant in LongMemEval_S, and facts that
were noted about real sessions of a coding agent. They are split by conversation; a session of LongMemEval that occurs
in both halves counts for neither.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.field import thought as thoughts
from holdfast.field import words
from holdfast.field.thought import Thought

TUNE, HELD = "tune", "held"
LOCOMO, LONGMEMEVAL, FACTS = "LoCoMo", "LongMemEval_S", "facts of coding sessions"
FILES = {
    LOCOMO: "locomo.jsonl.gz",
    LONGMEMEVAL: "longmemeval_s_truncated.jsonl.gz",
    FACTS: "claude_sessions/needed.jsonl",
}
HELD_SESSION = "session-3"
SIZES = (3, 4, 5, 6, 8, 12)
FEWEST, MOST = 8, 90  # words of a text that says something and is one thought
BEGAN, STEP = 1_770_000_000.0, 3600.0
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
FIRST = re.compile(r"\b(?:I|my|we|our)\b")


@dataclass(frozen=True)
class Cluster:
    name: str
    corpus: str
    half: str
    members: tuple[Thought, ...]

    def dice(self, what: str) -> random.Random:
        """The same numbers at every run, for this cluster and this judge."""
        return random.Random(f"{self.name} {what}")


def speaker(one: Thought) -> str:
    return thoughts.of(one.text).speaker


def body(one: Thought) -> str:
    """The text behind the head of a turn."""
    return re.sub(r"^\[[^\]\n]{6,40}\]\s*", "", one.text).removeprefix(f"{speaker(one)}: ")


def sentences(one: Thought) -> list[str]:
    """The sentences that tell something; a question tells nothing, nor does one word."""
    found = (" ".join(part.split()) for part in SENTENCE.split(body(one)))
    return [part for part in found if len(part.split()) > 1 and not part.rstrip(" \"')]").endswith("?")]


def clusters(data: Path, per_conversation: int) -> Iterator[Cluster]:
    """All clusters, corpus by corpus. A corpus that is missing gives none."""
    for corpus, half, name, texts in _conversations(data):
        told = [one for one in texts if FEWEST <= len(body(one).split()) <= MOST and sentences(one)]
        for nth, members in enumerate(_near(told, per_conversation if corpus != LONGMEMEVAL else 1)):
            yield Cluster(f"{corpus} {name} {nth}", corpus, half, members)


def missing(data: Path) -> list[str]:
    return [name for name in FILES.values() if not (data / name).is_file()]


def _conversations(data: Path) -> Iterator[tuple[str, str, str, list[Thought]]]:
    path = data / FILES[LOCOMO]
    groups = _lines(path)
    for at, group in enumerate(groups):
        turns = [Thought(ident, text, created=BEGAN + nth * STEP) for nth, (ident, text) in enumerate(group["docs"])]
        yield LOCOMO, _half(at, len(groups)), str(group["group"]), turns
    groups = _lines(data / FILES[LONGMEMEVAL])
    seen = [{ident for group in part for ident, _ in group["docs"]} for part in _halves(groups)]
    both = seen[0] & seen[1] if seen else set()
    for at, group in enumerate(groups):
        if at % 2:  # every other one: there are more than enough
            continue
        docs = [(ident, text) for ident, text in group["docs"] if ident not in both]
        yield LONGMEMEVAL, _half(at, len(groups)), str(group["group"]), list(_told(docs))
    facts: dict[str, list[Thought]] = {}
    for one in _lines(data / FILES[FACTS]):
        listed = facts.setdefault(one["session"], [])
        listed.append(Thought(f"{one['session']}-{one['id']}", one["fact"], created=BEGAN + len(listed) * STEP))
    for name, listed in sorted(facts.items()):
        yield FACTS, HELD if name == HELD_SESSION else TUNE, name, listed


def _told(docs: Sequence[tuple[str, str]]) -> Iterator[Thought]:
    """What the user told of themselves, prompt by prompt; the last line of a text was cut."""
    for nth, (ident, text) in enumerate(docs):
        head, _, rest = text.partition("] ")
        for place, line in enumerate(rest.split("\n")[:-1]):
            if FIRST.search(line):
                yield Thought(f"{ident}-{place}", f"{head}] {line}", created=BEGAN + nth * STEP + place)


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _half(at: int, count: int) -> str:
    return HELD if at >= count // 2 else TUNE


def _halves(groups: Sequence[dict[str, Any]]) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]]]:
    return groups[: len(groups) // 2], groups[len(groups) // 2 :]


def _near(texts: Sequence[Thought], count: int) -> Iterator[tuple[Thought, ...]]:
    """Seeds at equal distances, each with the texts that share most of its rarer words, in the order of their time."""
    if len(texts) < SIZES[0]:
        return
    carried = [set(words.content(body(one))) for one in texts]
    often = Counter(word for some in carried for word in some)
    weight = {word: math.log(len(texts) / number) for word, number in often.items()}
    for nth in range(min(count, len(texts))):
        seed = nth * len(texts) // min(count, len(texts))
        size = SIZES[nth % len(SIZES)] if count > 1 else SIZES[len(texts) % len(SIZES)]
        scored = sorted(
            (-sum(weight[word] for word in sorted(carried[seed] & some)) / (10 + len(some)), at)
            for at, some in enumerate(carried)
            if at != seed
        )
        chosen = sorted([seed, *(at for _, at in scored[: size - 1])])
        yield tuple(texts[at] for at in chosen)
