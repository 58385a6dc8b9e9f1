"""Does ranking with pheromones help? A simulation of agents whose needs are skewed and drift.

    python bench/pheromone.py [--thoughts 2000] [--queries 20000] [--agents 10] [--least 0.92] [--most 1.25]
                              [--write docs/benchmarks.md] [--json]

Thoughts come in topics; those of a topic share most of their words, as notes on one part of a system do. Each agent
works on a few topics, in each of which few thoughts are needed often and most of them rarely; who needs what changes as
time goes on. A query has words of the topic and now and then one of the needed thought's own, so relevance alone leaves
several about equal. The agent gets five and uses the needed one if it is among them. All of it goes through the
product's own code: store, ranking, traffic log.

Printed are MRR and recall@5 of the same queries, ordered by relevance alone and with weights, over the whole time and
in the last quarter; and the same of a cold field, where nothing was read yet, thoughts are of any age and what is
needed has nothing to do with it: there weights may not be worse by more than noise. Intervals: a paired bootstrap.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench_page import written
from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

from holdfast import pheromone
from holdfast.capture import home
from holdfast.capture.ids import new_id
from holdfast.field import handle, intake, retrieval, traffic
from holdfast.field.handle import Field
from holdfast.field.store import Scope
from holdfast.field.thought import Thought

INTRO = """## Pheromones (`python bench/pheromone.py --write docs/benchmarks.md`)

Agents whose needs are skewed and drift ask a field in which several thoughts are about equally relevant; each gets five
and uses the needed one if it is among them. The same queries are ordered by relevance alone and with the weights of
use; and again in a cold field, where nothing was read yet and need is independent of age: there weights
may not be worse by more than noise. All of it goes through the product's own code, by words alone."""
NOW = 1_790_000_000.0
DAY = 86400.0
OF_A_TOPIC = 20
DAYS = 60  # that the simulation lasts
SHIFTS = 12  # times at which needs change meanwhile
SHOWN = 5
LOOKED_AT = 50
BOOTSTRAPS = 1000


@dataclass(frozen=True)
class Place:
    """Where the needed thought stood: 1 is first, 0 nowhere."""

    alone: int
    weighted: int


class World:
    """Thoughts in topics, and agents that need some of them more than others."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.dice = random.Random(options.seed)
        self.topics = [
            [self._thought(topic, nth) for nth in range(OF_A_TOPIC)] for topic in range(options.thoughts // OF_A_TOPIC)
        ]
        self.agents = options.agents
        self.shift(0)

    def _word(self, *key: object) -> str:
        dice = random.Random(f"{key}")
        return "".join(dice.choice("bdfgklmnprstvz") + dice.choice("aeiou") for _ in range(4))

    def _thought(self, topic: int, nth: int) -> Thought:
        shared = [self._word("topic", topic, at) for at in range(8)]
        own = [self._word("own", topic, nth, at) for at in range(4)]
        others = [self._word("any", self.dice.randrange(500)) for _ in range(6)]
        said = [*self.dice.sample(shared, 6), *own, *others]
        self.dice.shuffle(said)
        created = NOW - self.dice.uniform(0, DAYS) * DAY
        return Thought(new_id(created, nth), " ".join(said), project="p", created=created, tags=(f"{topic}-{nth}",))

    def shift(self, when: int) -> None:
        """From now on agents work on other topics, and need other thoughts in them."""
        dice = random.Random(f"shift {when}")
        self.work = [dice.sample(range(len(self.topics)), 4) for _ in range(self.agents)]
        self.order = [dice.sample(range(OF_A_TOPIC), OF_A_TOPIC) for _ in self.topics]

    def need(self) -> tuple[int, Thought, str]:
        """An agent, the thought it needs, and what it asks."""
        agent = self.dice.randrange(self.agents)
        is_work = self.dice.random() < 0.9
        topic = self.dice.choice(self.work[agent]) if is_work else self.dice.randrange(len(self.topics))
        rank = min(OF_A_TOPIC - 1, int(self.dice.paretovariate(1.1)) - 1)
        return agent, *self.about(topic, self.order[topic][rank])

    def anything(self) -> tuple[Thought, str]:
        return self.about(self.dice.randrange(len(self.topics)), self.dice.randrange(OF_A_TOPIC))

    def about(self, topic: int, nth: int) -> tuple[Thought, str]:
        words = [self._word("topic", topic, at) for at in self.dice.sample(range(8), 3)]
        if self.dice.random() < 0.4:
            words.append(self._word("own", topic, nth, self.dice.randrange(4)))
        return self.topics[topic][nth], " ".join(words)


def main() -> None:
    options = _options()
    pheromone.LEAST, pheromone.MOST = options.least, options.most
    world = World(options)
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=memory) as name:
        vault = f"{name}/vault"
        home.make_vault(vault)
        traffic.append(vault, [one for topic in world.topics for one in topic], NOW)
        clock = [NOW]
        with handle.opened(vault, None, lambda: clock[0]) as field:
            intake.sync(field)
            cold = [_asked(field, *world.anything())[0] for _ in range(options.cold)]
            warm = _lived(field, world, clock, options.queries)
    _print(options, cold, warm)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, number in (("thoughts", 2000), ("queries", 20_000), ("agents", 10), ("cold", 2000), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--least", type=float, default=pheromone.LEAST)
    parser.add_argument("--most", type=float, default=pheromone.MOST)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _lived(field: Field, world: World, clock: list[float], queries: int) -> list[Place]:
    found: list[Place] = []
    for nth in range(queries):
        if nth and nth % (queries // SHIFTS) == 0:
            world.shift(nth)
        clock[0] = NOW + nth * DAYS * DAY / queries
        agent, needed, query = world.need()
        place, answer = _asked(field, needed, query)
        found.append(place)
        retrieval.reinforce(field, replace(answer, results=answer.results[:SHOWN]), f"agent-{agent}")
        if 0 < place.weighted <= SHOWN:
            retrieval.used(field, [needed.id], f"agent-{agent}")
    return found


def _asked(field: Field, needed: Thought, query: str) -> tuple[Place, retrieval.Answer]:
    """One query, ordered both ways: the candidates are the same."""
    answer = retrieval.ask(field, query, Scope("p"), LOOKED_AT)
    alone = sorted(answer.results, key=lambda one: (-one.relevance, one.thought.id))
    orders = [[one.thought.id for one in listed] for listed in (alone, answer.results)]
    places = [order.index(needed.id) + 1 if needed.id in order else 0 for order in orders]
    return Place(*places), answer


WORTH: dict[str, Callable[[int], float]] = {
    "mrr": lambda place: 1 / place if place else 0.0,
    "recall@5": lambda place: float(0 < place <= SHOWN),
}


def _figures(places: list[Place]) -> dict[str, float]:
    """Both figures of both orders, and the gain with its interval of 95 %."""
    dice = random.Random(3)
    found: dict[str, float] = {}
    for name, worth in WORTH.items():
        alone = [worth(one.alone) for one in places]
        weighted = [worth(one.weighted) for one in places]
        gains = [other - one for one, other in zip(alone, weighted, strict=True)]
        means = sorted(statistics.fmean(dice.choices(gains, k=len(gains))) for _ in range(BOOTSTRAPS))
        found |= {f"{name} alone": statistics.fmean(alone), f"{name} weighted": statistics.fmean(weighted)}
        found |= {f"{name} gain": statistics.fmean(gains), f"{name} low": means[25], f"{name} high": means[-26]}
    return found


def _print(options: argparse.Namespace, cold: list[Place], warm: list[Place]) -> None:
    parts = {"whole time": warm, "last quarter": warm[-len(warm) // 4 :], "cold field": cold}
    figures = {name: _figures(places) for name, places in parts.items() if places}
    if options.json:
        print(json.dumps({"machine": machine(), "options": vars(options), "figures": figures}))
        return
    lines = [
        f"Commit {commit()}; {machine()}; {options.thoughts:,} thoughts, {options.queries:,} queries, "
        f"{options.agents} agents, {DAYS} days, needs change {SHIFTS} times; weights move a score by "
        f"{options.least} to {options.most}.",
        "",
        "| | | by relevance alone | with weights | gain | 95 % |",
        "|---|---|---|---|---|---|",
    ]
    for part, found in figures.items():
        for name in ("mrr", "recall@5"):
            both = f"{found[f'{name} alone']:.3f} | {found[f'{name} weighted']:.3f} | {found[f'{name} gain']:+.4f}"
            lines.append(f"| {part} | {name} | {both} | {found[f'{name} low']:+.4f} to {found[f'{name} high']:+.4f} |")
    print("\n".join(lines))
    if options.write:
        written(options.write, "pheromones", [INTRO, "", *lines])


if __name__ == "__main__":
    main()
