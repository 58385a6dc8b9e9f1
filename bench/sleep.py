"""What sleep does to recall, to the context that an answer takes, and to values that changed; and what a night costs.

    python bench/sleep.py [--quick] [--data FOLDER] [--nights 6] [--only recall|cost] [--jobs 2] [--write FILE]

The texts are looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench; they may not be copied into this repository.
Each field is asked its questions, slept over, and asked again: without a
judge, with a scripted perfect one and with a scripted lazy one (sleep_scripted). No question is logged, so the gate of
sleep, which tries changes on logged questions and on sources' own words, has seen none of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # so that the processor's time is that of one

import numpy

from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

import sleep_cost
import sleep_figures
import sleep_planted
import sleep_world
from bench_page import written
from holdfast.field import embedders
from retrieval_data import SETS
from sleep_cost import Cost
from sleep_figures import MEASURES, Slept, difference
from sleep_page import INTRO, SHORT
from sleep_scripted import LAZY, NONE, PERFECT
from sleep_world import World

JUDGES = (NONE, PERFECT, LAZY)
AIM = 1.5


def worlds(data: Path, quick: bool) -> list[World]:
    if quick:
        return [
            sleep_world.of_set("LoCoMo turns", data, 1, 100),
            sleep_planted.world(data, 1500, 64, 16),
        ]
    return [
        sleep_world.of_set("LoCoMo turns", data, 2, 300),
        sleep_world.of_set("LongMemEval_S, cut", data, 40, 40),
        sleep_planted.world(data, 10_000, 64, 24),
    ]


def run(given: tuple[World, str], nights: int) -> Slept:
    """One field under one judge, in a process of its own."""
    world, judge = given
    embedder = embedders.chosen({"embed": {"name": embedders.DEFAULT}}, os.environ)
    clock = [sleep_world.NOW]
    with sleep_world.made(world, embedder, clock) as field:
        return sleep_figures.slept(field, world, judge, clock, nights, partial(print, file=sys.stderr, flush=True))


def recall_lines(fields: Sequence[World], jobs: int, nights: int) -> list[str]:
    asked = [(world, judge) for world in fields for judge in JUDGES]
    with ProcessPoolExecutor(jobs) as pool:
        found = list(pool.map(partial(run, nights=nights), asked))
    slept = {(world.name, judge): one for (world, judge), one in zip(asked, found, strict=True)}
    lines = ["### Recall before and after", ""]
    for world in fields:
        lines += _recall(world, {judge: slept[world.name, judge] for judge in JUDGES})
    lines += ["### Context that holds all evidence", ""]
    lines += _tokens(fields, slept)
    lines += ["### Values that changed", ""]
    lines += [line for world in fields if world.clashes for line in _clashes(world, slept)]
    return lines


def _recall(world: World, slept: dict[str, Slept]) -> list[str]:
    lines = [
        f"**{world.name}**: {len(world.thoughts):,} thoughts, {len(world.questions):,} questions.",
        "",
        "| judge | evidence is | " + " | ".join(f"{one}: before, after, difference (95 %)" for one in MEASURES) + " |",
        "|---" * (len(MEASURES) + 2) + "|",
    ]
    for judge, one in slept.items():
        for how, shown in (("linked", "itself or a linked duplicate"), ("carried", "or a summary that carries it")):
            cells = [_cell(getattr(one.after, how)[:, at], one.before.itself[:, at]) for at in range(len(MEASURES))]
            lines.append(f"| {judge} | {shown} | " + " | ".join(cells) + " |")
    lines.append("")
    for judge, one in slept.items():
        counts = one.counts
        own = ", ".join(f"{before:.1%} to {after:.1%}" for before, after in one.own_recall)
        lines.append(
            f"- {judge}: {one.nights} nights, {counts.get('consolidated', 0)} summaries ({counts.get('abstracts', 0)} "
            f"of them abstracts of the judge), {counts.get('linked', 0)} links, {counts.get('superseded', 0)} "
            f"superseded, {counts.get('refused', 0)} proposals; the gate's own figure, night by night: {own}."
        )
    return [*lines, ""]


def _cell(after: sleep_figures.Rows, before: sleep_figures.Rows) -> str:
    mean, low, high = difference(after, before)
    return (
        f"{before.mean() * 100:.1f}, {after.mean() * 100:.1f}, "
        f"{mean * 100:+.1f} ({low * 100:+.1f} to {high * 100:+.1f})"
    )


def _tokens(fields: Sequence[World], slept: dict[tuple[str, str], Slept]) -> list[str]:
    lines = [
        "| field | judge | questions | median tokens | mean tokens | ratio of means | all evidence in the first 50 |",
        "|---|---|---|---|---|---|---|",
    ]
    for world in fields:
        groups = {"all": numpy.ones(len(world.questions), dtype=bool)}
        many = numpy.array([one.many for one in world.questions])
        if many.any():
            groups["about what was said again and again"] = many
        for judge in JUDGES:
            one = slept[world.name, judge]
            for name, chosen in groups.items():
                was, now = one.before.tokens[chosen], one.after.tokens[chosen]
                held = one.before.held[chosen].mean(), one.after.held[chosen].mean()
                lines.append(
                    f"| {world.name} | {judge} | {name} | {numpy.median(was):.0f}, {numpy.median(now):.0f} | "
                    f"{was.mean():.0f}, {now.mean():.0f} | {was.mean() / now.mean():.2f} | "
                    f"{held[0]:.1%}, {held[1]:.1%} |"
                )
    return [*lines, ""]


def _clashes(world: World, slept: dict[tuple[str, str], Slept]) -> list[str]:
    lines = [
        "| judge | newer above older: before | after | of those that one summary has both of | "
        "older in the first 10 by its own words: before | after |",
        "|---|---|---|---|---|---|",
    ]
    for judge in JUDGES:
        one = slept[world.name, judge]
        was, now = one.clashes_before, one.clashes_after
        lines.append(
            f"| {judge} | {was.newer_first} of {was.all} | {now.newer_first} of {now.all} | "
            f"{now.judged_newer_first} of {now.judged} | {was.older_found} | {now.older_found} |"
        )
    return [*lines, ""]


def cost_lines(costs: Sequence[Cost]) -> list[str]:
    small, large = costs
    lines = [
        "### Cost of a night with 1,000 new thoughts",
        "",
        f"| part | {small.size:,} thoughts: wall, CPU s | {large.size:,} thoughts: wall, CPU s | ratio of CPU |",
        "|---|---|---|---|",
    ]
    for name in small.parts:
        pairs = small.parts[name], large.parts.get(name, (0.0, 0.0))
        lines.append(_cost_row(name, *pairs))
    lines.append(_cost_row("**whole night**", (small.wall, small.cpu), (large.wall, large.cpu)))
    said = "reached" if large.cpu <= AIM * small.cpu else "not reached"
    return [
        *lines,
        "",
        f"The aim was a ratio of at most {AIM}: {large.cpu / small.cpu:.2f}, {said}. The nights took {small.steps} and "
        f"{large.steps} steps.",
        "",
    ]


def _cost_row(name: str, small: tuple[float, float], large: tuple[float, float]) -> str:
    ratio = f"{large[1] / small[1]:.2f}" if small[1] >= 0.05 else "-"
    return f"| {name} | {small[0]:.2f}, {small[1]:.2f} | {large[0]:.2f}, {large[1]:.2f} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--quick", action="store_true", help="small fields: it shows that everything runs")
    parser.add_argument("--only", choices=("recall", "cost"))
    parser.add_argument("--nights", type=int, default=6, help="of each field at most; the heaviest clusters come first")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path, help="put the section into this page")
    given = parser.parse_args()
    missing = [file for file in SETS.values() if not (given.data / file).is_file()]
    if missing:
        sys.exit(f"Missing in {given.data}: {', '.join(missing)} (--data FOLDER). Nothing was measured.")
    began = time.perf_counter()
    embedder = embedders.chosen({"embed": {"name": embedders.DEFAULT}}, os.environ)
    lines = [f"Commit {commit()}; {machine()}; embedder {embedder.name if embedder else 'none'}.", ""]
    if given.only != "cost":
        lines += recall_lines(worlds(given.data, given.quick), given.jobs, given.nights)
    if given.only != "recall":
        sizes = (1000, 10_000) if given.quick else (10_000, 100_000)
        lines += cost_lines(sleep_cost.measured(given.data, sizes, embedder))
    lines.append(f"All of it took {time.perf_counter() - began:.0f} s.")
    print("\n".join(lines))
    if given.write:
        written(given.write, "sleep", [INTRO, *lines, "", SHORT])


if __name__ == "__main__":
    main()
