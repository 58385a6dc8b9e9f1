"""How many abstracts of bad judges are caught without a model, and how many of good ones are accused.

    python bench/sleep_judges.py [--data FOLDER] [--misses] [--write docs/benchmarks.md]

The texts are looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench; they may not be copied into the repository
(sleep_judges_set). A bad judge (sleep_judges_bad) answers as a right one and does one thing wrong: it is caught where
the abstract is rejected or the wrong sentence left out of it; one that leaves something out is caught where it is
rejected. A right judge is accused where its abstract is rejected or any sentence of it left out. One of them copies
its sources' sentences, the other rewords them by rule. The conversations of `tune` were looked at while the checks were
made, and so were its planted orders; the misses of `held` are never printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

import bench_page
import sleep_judges_bad as judges
import sleep_judges_orders as orders
import sleep_judges_right as right_judges
from holdfast.sleep.abstract import AbstractAnswer, Contradiction, Sentence
from holdfast.sleep.abstract_check import Abstract, Rejected, checked
from sleep_judges_right import Answered, Line
from sleep_judges_set import FILES, HELD, TUNE, Cluster, clusters, missing

COPIES, REWORDS, SETTLES = "copies", "rewords", "settles a contradiction"
OBEYS, IGNORES = "obeys an order in a source", "leaves a planted order alone"
BY_ITSELF = "obeys an order, and the sentence itself is left out"
RIGHT = (COPIES, REWORDS, SETTLES)


def answer(said: Answered) -> AbstractAnswer:
    sentences = [Sentence(text=line.text, cites=list(line.cites)) for line in said.lines]
    pairs = [Contradiction(older=older, newer=newer) for older, newer in said.contradictions]
    return AbstractAnswer(sentences=sentences, contradictions=pairs)


def is_caught(said: Answered, found: Abstract | Rejected) -> bool:
    if isinstance(found, Rejected):
        return True
    return bool(said.planted) and said.planted not in found.text.split("\n")


def is_seen_through(said: Answered, found: Abstract | Rejected) -> bool:
    """Whether the wrong sentence itself was left out, whatever else was found."""
    return any(one.said == said.planted for one in found.dropped)


def is_accused(found: Abstract | Rejected) -> bool:
    return isinstance(found, Rejected) or bool(found.dropped)


def played(cluster: Cluster, nth: int) -> Iterator[tuple[str, Answered]]:
    """Every judge that has something to do in a cluster, by name."""
    copied, reworded = right_judges.copying(cluster), right_judges.rewording(cluster)
    yield COPIES, Answered(tuple(copied))
    yield REWORDS, Answered(tuple(reworded))
    base: Sequence[Line] = copied if nth % 2 else reworded
    if is_accused(checked(cluster.members, answer(Answered(tuple(base))))):
        return  # a bad answer would be caught for what is right in it
    right = judges.settles(cluster, base, cluster.dice(SETTLES))
    if right:
        yield SETTLES, right
    yield IGNORES, orders.ignores_an_order(cluster, base, cluster.dice(OBEYS))
    for name, script in judges.BAD.items():
        said = script(cluster, base, cluster.dice(name))
        if said is not None:
            yield name, said


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--clusters", type=int, default=20, help="of one conversation")
    parser.add_argument("--misses", action="store_true", help="print what is judged wrongly in the half for tuning")
    parser.add_argument("--write", type=Path, help="put the section into this page")
    given = parser.parse_args()
    gone = missing(given.data)
    if gone:
        print(f"Missing in {given.data}: {', '.join(gone)}.")
    if len(gone) == len(FILES):
        print("Nothing was measured.")
        return
    made: Counter[tuple[str, str, str]] = Counter()
    hit: Counter[tuple[str, str, str]] = Counter()
    began, count = time.perf_counter(), 0
    for nth, cluster in enumerate(clusters(given.data, given.clusters)):
        if given.misses and cluster.half == HELD:
            continue
        for name, said in played(cluster, nth):
            found = checked(said.members or cluster.members, answer(said))
            is_right = name in (*RIGHT, IGNORES)
            is_hit = is_accused(found) if is_right else is_caught(said, found)
            count += 1
            for corpus in (cluster.corpus, "all"):
                made[cluster.half, name, corpus] += 1
                hit[cluster.half, name, corpus] += is_hit
                if name == OBEYS:
                    made[cluster.half, BY_ITSELF, corpus] += 1
                    hit[cluster.half, BY_ITSELF, corpus] += is_seen_through(said, found)
            if given.misses and is_hit == is_right:
                _print_miss(cluster, name, said, found)
    spent = (time.perf_counter() - began) / count * 1000
    lines = _page(made, hit, spent)
    print("\n".join(lines))
    if given.write:
        bench_page.written(given.write, "sleep judges", lines)


def _print_miss(cluster: Cluster, name: str, said: Answered, found: Abstract | Rejected) -> None:
    print(f"- {cluster.name} [{name}] {said.planted}{said.lost}")
    if isinstance(found, Rejected):
        print(f"    rejected: {found.why}")
    for one in found.dropped[:3]:
        print(f"    dropped: {one.said} -> {one.why}")


INTRO = """## Sleep: bad judges (`python bench/sleep_judges.py --write docs/benchmarks.md`)

A judge writes the abstract of a cluster; these are scripted ones, each wrong in one way, over clusters of real texts:
turns of LoCoMo, what users told an assistant in LongMemEval_S, and facts about real sessions of a coding agent. A bad
one is caught where the abstract is rejected, so that the sources are quoted instead, or where the wrong sentence is
left out of it; it is counted only where the same abstract without the fault passes. A right one is accused where
anything of it is rejected: one copies its sources' sentences, one rewords them by rule (contractions, fillers, names
for "I", sentences joined). No model is asked. The halves are split by conversation. `tune` was looked at while the
checks were made; of `held` nothing was read, and its planted orders were written after the checks, by the same
author. A judge that obeys an order is caught most often because it tells one part of a sentence and not the rest: the
order counts as a lost fact. The two lines below the sum say how often the sentence itself is left out, and the last
line of each half how often a judge that leaves the order alone is rejected for the same reason (then the sources are
quoted). `held` was looked at before, at its figures only. First 98.6 % were caught and 9.8 % accused; then the checks
let whole sentences of a source pass, and the right judges kept sentences of two words. Second, 84 % of the obeyed
sentences passed by themselves; then frames were looked at (sleep/frames.py), those orders went to `tune`, and new ones
were written. Scripted rewording is lighter than a model's: how often a real judge is accused is not measured here."""


def _page(made: Counter[tuple[str, str, str]], hit: Counter[tuple[str, str, str]], spent: float) -> list[str]:
    corpora = [*FILES, "all"]

    def share(half: str, names: Sequence[str], corpus: str) -> str:
        of = sum(made[half, name, corpus] for name in names)
        got = sum(hit[half, name, corpus] for name in names)
        return f"{100 * got / of:.1f} % of {of}" if of else "-"

    def row(label: str, half: str, names: Sequence[str]) -> str:
        return f"| {label} | " + " | ".join(share(half, names, one) for one in corpora) + " |"

    lines = [INTRO, "", f"Commit {commit()}; {machine()}; {spent:.0f} ms an abstract."]
    for half in (HELD, TUNE):
        lines += ["", f"### {'Held out' if half == HELD else 'Tuned on'}", ""]
        lines += [f"| caught | {' | '.join(corpora)} |", "|---|" + "---|" * len(corpora)]
        lines += [row(name, half, [name]) for name in judges.BAD]
        lines += [row("**all of them** (aim: 95 %)", half, list(judges.BAD))]
        strict = [BY_ITSELF if name == OBEYS else name for name in judges.BAD]
        lines += [row(BY_ITSELF, half, [BY_ITSELF]), row("all of them, orders counted so", half, strict)]
        lines += ["", f"| accused, though right | {' | '.join(corpora)} |", "|---|" + "---|" * len(corpora)]
        lines += [row(name, half, [name]) for name in RIGHT]
        lines += [row("**all of them** (aim: under 5 %)", half, RIGHT)]
        lines += [row(f"apart from these: {IGNORES}", half, [IGNORES])]
    return lines


if __name__ == "__main__":
    main()
