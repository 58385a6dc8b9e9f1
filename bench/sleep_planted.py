"""A planted field: real sentences as filler, and facts about made-up services that were said again and again.

Each fact is said in one of several wordings, and each wording again with words that only fill. Facts about one service
and facts of one sort about several services lie close together, as they do in a project. Some values were changed a day
later: the older and the newer are both said, at known times. A fact that is said once stands beside those said 31
times, so that what repetition pushes away is seen.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from holdfast.field.thought import Thought
from sleep_world import HOUR, NOW, Clash, Question, World, sentences

PROJECT = "planted"
AREAS = (
    *("orders", "invoices", "search", "mail", "billing", "catalogue", "session", "upload", "report", "payment"),
    *("shipping", "tariff", "calendar", "contact", "export", "import", "audit", "image", "coupon", "refund"),
)
ROLES = ("service", "worker", "gateway")
TIMES = (1, 2, 3, 5, 8, 13, 20, 31)  # how often a fact is said
FILLED = ("", "currently", "actually", "now", "always", "as agreed", "at the moment")


@dataclass(frozen=True)
class Sort:
    """A sort of fact: its question, its wordings ({s} the service, {v} the value), and the values it can have."""

    question: str
    wordings: tuple[str, ...]
    values: tuple[str, ...]


def _numbers(*given: int) -> tuple[str, ...]:
    return tuple(map(str, given))


SORTS = (
    Sort(
        "How often does the {s} repeat a call that went wrong?",
        (
            "The {s} retries a failed call {v} times before giving up",
            "A failed call of the {s} is retried {v} times before giving up",
            "Before giving up, the {s} retries each failed call {v} times",
        ),
        _numbers(2, 3, 4, 6, 7, 9),
    ),
    Sort(
        "On which port does the {s} listen?",
        ("The {s} listens on port {v}", "Port {v} is where the {s} listens", "On port {v} listens the {s}"),
        _numbers(7001, 7040, 7113, 8092, 8425, 9310),
    ),
    Sort(
        "Who is responsible for the {s}?",
        (
            "The {s} is owned by the {v} team",
            "The {v} team is the owner of the {s}",
            "Owner of the {s} is the {v} team",
        ),
        ("Falcon", "Harbour", "Lantern", "Meadow", "Granite", "Willow"),
    ),
    Sort(
        "Where does the {s} keep its data?",
        (
            "The {s} stores its records in {v}",
            "Records of the {s} are stored in {v}",
            "In {v} the {s} stores all of its records",
        ),
        ("PostgreSQL", "MariaDB", "Cassandra", "DynamoDB", "SQLite", "CockroachDB"),
    ),
    Sort(
        "When is the {s} rolled out?",
        (
            "The {s} is deployed each {v} after the standup",
            "Each {v} after the standup the {s} is deployed",
            "Deployment of the {s} happens each {v} after the standup",
        ),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday"),
    ),
    Sort(
        "How long does the {s} wait for an answer?",
        (
            "The {s} times out after {v} seconds without an answer",
            "After {v} seconds without an answer the {s} times out",
            "Without an answer the {s} times out after {v} seconds",
        ),
        _numbers(4, 11, 17, 25, 48, 75),
    ),
    Sort(
        "For how many days are logs of the {s} kept?",
        (
            "Logs of the {s} are kept for {v} days",
            "The {s} keeps its logs for {v} days",
            "For {v} days the logs of the {s} are kept",
        ),
        _numbers(14, 21, 35, 60, 90, 180),
    ),
    Sort(
        "In which region does the {s} run?",
        (
            "The {s} runs in the region {v}",
            "Region {v} is where the {s} runs",
            "In the region {v} the {s} runs",
        ),
        ("Frankfurt", "Dublin", "Oregon", "Singapore", "Montreal", "Osaka"),
    ),
)


@dataclass(frozen=True)
class _Fact:
    key: str
    service: str
    sort: Sort
    value: str

    def says(self, nth: int, dice: random.Random) -> str:
        text = self.sort.wordings[nth % len(self.sort.wordings)].format(s=self.service, v=self.value)
        filled = dice.choice(FILLED)
        if not filled or dice.random() < 0.5:
            return f"{text} {filled}".strip()
        return f"{filled.capitalize()} {text[0].lower()}{text[1:]}"

    @property
    def sentence(self) -> str:
        return f"{self.sort.wordings[0].format(s=self.service, v=self.value)}."


def world(data: Path, size: int, facts: int, clashes: int, seed: int = 7) -> World:
    """A field of so many thoughts. Two questions of three ask for one fact, every third for two of one service."""
    dice = random.Random(seed)
    listed = [_Fact(f"{at}", *one) for at, one in enumerate(_pairs(dice, facts + clashes))]
    said: list[Thought] = []
    meaning: dict[str, tuple[str, str]] = {}
    holders: dict[str, set[str]] = {}

    def say(fact: _Fact, times: int, begin: float, end: float) -> tuple[str, ...]:
        ids = []
        for nth in range(times):
            ident = f"f{fact.key}-{nth}"
            text = f"{fact.says(nth, dice)}."
            when = dice.uniform(begin, end)
            said.append(Thought(ident, text, agent=f"agent-{nth % 4}", project=PROJECT, created=when))
            meaning[ident] = fact.key, fact.sentence
            ids.append(ident)
        holders[fact.key] = set(ids)
        return tuple(ids)

    plain, changed = listed[:facts], listed[facts:]
    for at, fact in enumerate(plain):
        say(fact, TIMES[at % len(TIMES)], NOW - 40 * HOUR, NOW - HOUR)
    found = []
    for at, fact in enumerate(changed):
        value = dice.choice([one for one in fact.sort.values if one != fact.value])
        newer = _Fact(f"{fact.key}n", fact.service, fact.sort, value)
        older_ids = say(fact, 1 + at % 3, NOW - 40 * HOUR, NOW - 30 * HOUR)
        newer_ids = say(newer, 1 + (at // 3) % 2, NOW - 12 * HOUR, NOW - HOUR)
        found.append(Clash(fact.sort.question.format(s=fact.service), PROJECT, older_ids, newer_ids))
    filler = sentences(data, size - len(said))
    dice.shuffle(filler)
    for nth, text in enumerate(filler):
        when = dice.uniform(NOW - 40 * HOUR, NOW - HOUR)
        said.append(Thought(f"x{nth}", text, agent="bench", project=PROJECT, created=when))
    questions = _questions(plain, holders)
    return World(f"planted, {len(said):,} thoughts", tuple(said), tuple(questions), tuple(found), meaning)


def _pairs(dice: random.Random, wanted: int) -> list[tuple[str, Sort, str]]:
    """Each a service, a sort and a value; all sorts of a service come before the next service, so that a service has
    facts that were said once and facts that were said often."""
    services = [f"{area} {role}" for area in AREAS for role in ROLES]
    dice.shuffle(services)
    return [(service, sort, dice.choice(sort.values)) for service in services for sort in SORTS][:wanted]


def _questions(facts: list[_Fact], holders: dict[str, set[str]]) -> list[Question]:
    found = []
    for at, fact in enumerate(facts):
        text, wanted = fact.sort.question.format(s=fact.service), [fact]
        other = facts[(at + 3) % len(facts)]
        if at % 3 == 2 and other.service == fact.service:
            text, wanted = f"{text} {other.sort.question.format(s=other.service)}", [fact, other]
        many = max(len(holders[one.key]) for one in wanted) > 1
        found.append(Question(text, PROJECT, tuple(frozenset(holders[one.key]) for one in wanted), many))
    return found
