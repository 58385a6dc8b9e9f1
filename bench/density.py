"""Do others' traces help, and from which crowd on? Simulated agents with tastes and tasks over a real corpus.

    python bench/density.py [--data FOLDER] [--queries 20] [--seeds 5] [--least 0.92] [--most 1.25]
                            [--write docs/benchmarks.md] [--json]

The corpus is LoCoMo (bench/retrieval.py says where it is looked for): turns of ten long conversations, and questions
whose evidence is known. An agent needs the evidence of a question and asks it with half of its words, as people do, so
relevance leaves several turns about equal. With the probability `shared` its need is one that all agents have, few of
them often and most of them rarely; else it is of its own taste, which is skewed the same way over questions of its
own. It gets five turns and uses the evidence if that is among them. Everything else is the product's: ranking, the
arithmetic of weights, rho, the replay that measures the lift, the decision on the mode.

A cell is one talk of a conversation: the clusters of a field in which nobody had to guess them. `true` is the same lift
over all queries of the same time, which only a simulation knows; the product measures it over those whose evidence was
shown and used. Agents see everybody's order, as in a field that was never measured.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench_page import written
from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

from holdfast import pheromone
from holdfast.capture.field_mode import PERSONAL, SHARED
from holdfast.field import embedders, ranking, words
from holdfast.field.ranking import Question
from holdfast.field.traffic import GOT, USED, Event
from holdfast.sleep import density, lift
from holdfast.sleep.density import DAY, Settings
from holdfast.sleep.lift import Candidate, Lift, Places, Trail
from retrieval_data import SETS, Corpus, load

SET = "LoCoMo turns"
INTRO = """## Density (`python bench/density.py --write docs/benchmarks.md`)

Simulated agents ask for what they need in LoCoMo: with the probability of the column for a need that all have, else
for one of their own taste. Lift is the gain in mean reciprocal rank of what was then used, by everybody's traces
against the asker's own, as the product measures it; `true` is the same over all queries, which only a simulation
knows. rho is agents for each talk that they touched. [density.md](density.md) says what follows from it."""
NOW = 1_790_000_000.0
AGENTS = (1, 2, 5, 10, 20, 30, 45, 55, 65, 75, 100, 140, 200)
NEEDS = (0.0, 0.3, 0.6, 0.9)  # how much of what an agent needs all agents need
QUESTIONS, WORDINGS = 400, 2
SHOWN, LOOKED_AT = 5, 30
KEPT_WORDS = 0.5
OF_A_TASTE = 60  # needs; the n-th is asked for a n-th as often as the first
SHARES = tuple(itertools.accumulate(1 / (nth + 1) for nth in range(OF_A_TASTE)))
CHECKED = 8  # agents up to which the replay is compared with what was lived
WINDOWS = 20  # of a crowd whose size wavers around a threshold
WAVER = 0.25
WINDOW = 14 * DAY
STUDENT = {2: 12.7, 3: 4.3, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36}  # of 95 %, by the number of runs


@dataclass(frozen=True)
class Need:
    evidence: frozenset[str]
    wordings: tuple[tuple[Candidate, ...], ...]


@dataclass(frozen=True)
class Window:
    """One window of so many agents: what the product measures of it, and the lift that only a simulation knows."""

    agents: int
    rho: float
    measured: Lift
    true: Lift


class World:
    """The corpus, its questions in several wordings, and the cell of each turn."""

    def __init__(self, path: Path) -> None:
        dice = random.Random(7)
        docs: list[tuple[str, str]] = []
        asked: list[tuple[str, frozenset[str]]] = []
        for nth, memory in enumerate(load(path)):
            docs += [(f"{nth}:{ident}", text) for ident, text in memory.docs]
            asked += [(one.text, frozenset(f"{nth}:{ident}" for ident in one.gold)) for one in memory.queries]
        self.embedder = embedders.chosen({}, dict(os.environ))
        self.corpus = Corpus(docs, self.embedder)
        talks = {ident: f"{ident.partition(':')[0]} {fact.thread}" for ident, fact in self.corpus.fact.items()}
        self.cells = talks
        self.needs: list[Need] = []
        for text, evidence in dice.sample(asked, len(asked)):
            made = tuple(self._candidates(text, dice) for _ in range(WORDINGS))
            if all(any(one.id in evidence for one in listed) for listed in made):
                self.needs.append(Need(evidence, made))
            if len(self.needs) == QUESTIONS:
                break

    def _candidates(self, text: str, dice: random.Random) -> tuple[Candidate, ...]:
        told = words.WORD.findall(text)
        kept = [word for word in told if dice.random() < KEPT_WORDS] or told
        query = " ".join(kept)
        vector = self.embedder.embed([query])[0] if self.embedder else None
        found = ranking.rank(Question(query, vector, self.corpus.now), self.corpus, None, LOOKED_AT)
        return tuple(Candidate(one.id, one.score, 1.0, NOW) for one in found)

    def lived(self, agents: int, shared: float, each: int, seed: int) -> Window:
        """A window in which every agent asks so often, at any time, after one just like it; and what can be measured at
        its end."""
        dice = random.Random(f"{agents} {shared} {each} {seed}")
        tastes = [_taste(f"taste {nth} {seed}", len(self.needs)) for nth in range(agents)]
        common = _taste(f"common {seed}", len(self.needs))
        turns = sorted((dice.uniform(0, 2 * WINDOW), nth) for nth in range(agents) for _ in range(2 * each))
        since, until = NOW + WINDOW, NOW + 2 * WINDOW
        trail, events = Trail(), list[Event]()
        true, seen = dict[int, Places](), dict[int, Places]()  # of all evidence, and of what was shown and used
        listed: dict[int, tuple[Candidate, ...]] = {}
        for when, nth in turns:
            ours = common if dice.random() < shared else tastes[nth]
            need = self.needs[dice.choices(ours, cum_weights=SHARES)[0]]
            candidates, now, agent = dice.choice(need.wordings), NOW + when, f"agent-{nth}"
            order = trail.order(candidates, now)
            shown = tuple(order[:SHOWN])
            used = tuple(one for one in shown if one in need.evidence)
            if now >= since:
                own = trail.order(candidates, now, agent)
                true[len(events)] = _places(need.evidence, order, own)
                seen[len(events)] = _places(frozenset(used), order, own)
                listed[len(events)] = candidates
            new = {one: (1.0, NOW) for one in shown if one not in trail.began}
            made = [Event(now, GOT, shown, agent, query="q", new=new)]
            made += [Event(now, USED, used, agent)] if used else []
            for event in made:
                trail.take(event)
            events += made
        crowd, cells = density.crowd([one for one in events if one.time >= since], self.cells)
        asked = dict(list(lift.questions(events, since, until).items())[-density.MOST_QUERIES :])
        found = [seen[place] for place in asked]
        if agents <= CHECKED:  # the orders while it was lived are those of the product's replay
            at = {id(event): place for place, event in enumerate(events)}
            assert lift.replay(events, asked, lambda event: listed[at[id(event)]]) == found
        as_late = [one for place, one in true.items() if place >= min(asked, default=0)]
        return Window(agents, crowd / cells, lift.measured(found), _plain(as_late))


def _places(wanted: frozenset[str], order: Sequence[str], own: Sequence[str]) -> Places:
    return Places(lift.place_of(wanted, order), lift.place_of(wanted, own))


def _taste(seed: str, needs: int) -> list[int]:
    return random.Random(seed).sample(range(needs), len(SHARES))


def _plain(places: Sequence[Places]) -> Lift:
    """Over all queries, with the interval of a normal distribution: there are many."""
    everybody, own = [1 / one.everybody for one in places], [1 / one.own for one in places]
    gains = [one - other for one, other in zip(everybody, own, strict=True)]
    half = 1.96 * statistics.pstdev(gains) / len(gains) ** 0.5
    gain = statistics.fmean(gains)
    return Lift(len(gains), statistics.fmean(everybody), statistics.fmean(own), gain, gain - half, gain + half)


def runs(world: World, shared: float, options: argparse.Namespace) -> list[list[Window]]:
    """A window for each number of agents, in several runs with needs of their own."""
    return [[world.lived(agents, shared, options.queries, seed) for agents in AGENTS] for seed in range(options.seeds)]


def mean(lived: Sequence[Window]) -> Window:
    """The mean of the same crowd in several runs. Its interval is that between the runs: queries of one run share their
    needs, so they tell less than their number says."""
    rho = statistics.fmean(one.rho for one in lived)
    return Window(lived[0].agents, rho, _mean([one.measured for one in lived]), _mean([one.true for one in lived]))


def _mean(found: Sequence[Lift]) -> Lift:
    names = ("everybody", "own", "gain")
    everybody, own, gain = (statistics.fmean(getattr(one, name) for one in found) for name in names)
    half = (found[0].high - found[0].low) / 2
    if len(found) > 1:
        half = STUDENT.get(len(found), 2.0) * statistics.stdev(one.gain for one in found) / len(found) ** 0.5
    return Lift(sum(one.queries for one in found), everybody, own, gain, gain - half, gain + half)


def first_gain(found: Sequence[Window]) -> float | None:
    """The least rho at which others' traces surely help."""
    return next((one.rho for one in found if one.measured.low > 0), None)


def crossover(found: Sequence[Window]) -> float | None:
    """The rho from which on they surely help every larger crowd; None where there is none."""
    place = None
    for one in reversed(found):
        if one.measured.low <= 0:
            break
        place = one.rho
    return place


def switches(found: Sequence[Window], wish: Settings) -> tuple[float | None, float | None]:
    """The rho at which the mode becomes shared as a crowd grows, and personal again as it shrinks."""
    mode, up, down = PERSONAL, None, None
    for one in [*found, *reversed(found)]:
        before, (mode, _) = mode, density.decide(mode, one.rho, one.measured, wish)
        if mode != before and mode == SHARED:
            up = one.rho if up is None else up
        elif mode != before:
            down = one.rho
    return up, down


def near(found: Sequence[Window]) -> int:
    """The crowd whose rho is nearest to the threshold."""
    return min(found, key=lambda one: abs(one.rho - Settings().rho_c)).agents


def changes(world: World, shared: float, at: int, options: argparse.Namespace) -> dict[str, int]:
    """How often the mode changes in a row of windows whose crowd wavers around a size, with hysteresis and without."""
    dice = random.Random(11)
    sizes = [max(1, round(at * dice.uniform(1 - WAVER, 1 + WAVER))) for _ in range(WINDOWS)]
    lived = [world.lived(size, shared, options.queries, 100 + nth) for nth, size in enumerate(sizes)]
    counts = {}
    for name, wish in (("with", Settings()), ("without", replace(Settings(), hysteresis=0.0))):
        modes = [PERSONAL]
        for one in lived:
            modes.append(density.decide(modes[-1], one.rho, one.measured, wish)[0])
        counts[name] = sum(one != other for one, other in itertools.pairwise(modes))
    return counts


def main() -> None:
    options = _options()
    path = options.data / SETS[SET]
    if not path.is_file():
        print(f"missing in the data folder: {SET} (--data FOLDER or HOLDFAST_BENCH_DATA)", file=sys.stderr)
        return
    pheromone.LEAST, pheromone.MOST = options.least, options.most
    world = World(path)
    made = {shared: runs(world, shared, options) for shared in NEEDS}
    curves = {shared: [mean(some) for some in zip(*lived, strict=True)] for shared, lived in made.items()}
    flapping = {shared: changes(world, shared, near(found), options) for shared, found in curves.items()}
    turned = {shared: [switches(one, Settings()) for one in lived] for shared, lived in made.items()}
    if options.json:
        record = {
            str(shared): {
                "curve": [{"agents": one.agents, "rho": one.rho, "lift": vars(one.measured), "true": vars(one.true)}
                          for one in found],
                "first gain": first_gain(found), "crossover": crossover(found),
                "switches": turned[shared], "changes": flapping[shared],
            }
            for shared, found in curves.items()
        }  # fmt: skip
        print(json.dumps({"machine": machine(), "commit": commit(), "curves": record}))
        return
    lines = [_setting(options, world), "", *_curve_table(curves), "", *_mode_table(curves, turned, flapping), ""]
    lines.append(
        f"The last column is the crowd of the table that is nearest to rho_c = {Settings().rho_c}, {WAVER:.0%} more or "
        f"fewer agents from window to window. The mode becomes shared at rho {Settings().enter:.3f} and a lift surely "
        f"above 0, and personal below {Settings().leave:.3f} or with a lift surely below 0."
    )
    print("\n".join(lines))
    if options.write:
        written(options.write, "density", [INTRO, "", *lines])


def _setting(options: argparse.Namespace, world: World) -> str:
    return (
        f"Commit {commit()}; {machine()}; {len(world.corpus.ids):,} turns in {len(set(world.cells.values()))} talks, "
        f"{len(world.needs)} questions, {options.queries} queries of each agent in 14 days after 14 days like them, "
        f"{options.seeds} runs (intervals are those between runs); weights move a score by {options.least} to "
        f"{options.most}."
    )


def _curve_table(curves: dict[float, list[Window]]) -> Iterator[str]:
    yield "| agents | rho | " + " | ".join(f"lift, needs shared {shared:.0%}" for shared in NEEDS) + " |"
    yield "|---|---|" + "---|" * len(NEEDS)
    for at, agents in enumerate(AGENTS):
        row = [curves[shared][at] for shared in NEEDS]
        told = [f"{_told(one.measured)}; true {one.true.gain:+.3f}" for one in row]
        yield f"| {agents} | {_range([one.rho for one in row])} | " + " | ".join(told) + " |"


def _mode_table(
    curves: dict[float, list[Window]],
    turned: dict[float, list[tuple[float | None, float | None]]],
    flapping: dict[float, dict[str, int]],
) -> Iterator[str]:
    yield (
        "| needs shared | surely helps first at rho | and at every larger | most it helps | shared mode from rho | "
        f"personal again at rho | mode changes in {WINDOWS} windows: with hysteresis, without |"
    )
    yield "|---|---|---|---|---|---|---|"
    for shared, found in curves.items():
        best = max(found, key=lambda one: one.measured.gain)
        ups, downs = ([one[way] for one in turned[shared]] for way in (0, 1))
        yield (
            f"| {shared:.0%} | {_range([first_gain(found)])} | {_range([crossover(found)])} | "
            f"{best.measured.share:+.1%} at {best.rho:.3f} | {_range(ups)} | {_range(downs)} | "
            f"{flapping[shared]['with']}, {flapping[shared]['without']} |"
        )


def _range(found: Sequence[float | None]) -> str:
    """From the least to the greatest, and in how many runs where not in all."""
    known = [one for one in found if one is not None]
    if not known:
        return "never"
    least, most = f"{min(known):.3f}", f"{max(known):.3f}"
    some = f" ({len(known)} of {len(found)} runs)" if len(known) < len(found) else ""
    return f"{least}{some}" if least == most else f"{least} to {most}{some}"


def _told(found: Lift) -> str:
    return f"{found.gain:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--least", type=float, default=pheromone.LEAST)
    parser.add_argument("--most", type=float, default=pheromone.MOST)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
