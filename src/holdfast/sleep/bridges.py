"""Bridges: a question touched two clusters that are otherwise rarely read together, and a judge supposes why.

A bridge is a hypothesis that nobody has said: its origin says so wherever it is shown, no start and no first prompt
gets it, and it is kept only if it helps. The questions that were really asked are asked again with it: it stays if
something that was then used comes up higher for at least one of them and lower for none; else it is withdrawn, and the
figures are kept. Without a judge nothing is supposed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Words

from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.field.steps import BRIDGED, Step, step_id
from holdfast.field.thought import BRIDGE, HYPOTHESIS, SLEEP, Thought
from holdfast.sleep import clusters, replay, trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.handle import Field
    from holdfast.judge.seam import Question
    from holdfast.sleep.clusters import Cluster
    from holdfast.sleep.replay import Replay

JOB = "sleep-bridge"
MOST = 3  # bridges that one night tries
RARELY = 2  # questions that touch both clusters, at most
OFTEN = 2  # and each of them, at least
OF_EACH = 2  # thoughts from which a bridge starts on either side
LONGEST = 600
DEPTH = 20
TOLD = (
    "You see notes from two parts of a memory, A and B, that one question brought up together. If there is a real "
    "connection between the two that would help somebody who asks about one to find the other, state it in one or two "
    "plain sentences, in the words that such a person would use, and cite the notes on both sides that it rests on. "
    "It is kept as a hypothesis. State no number, name or date that is not in a cited note, and give no orders. If "
    "there is no such connection, answer with an empty text."
)


class Hypothesis(BaseModel):
    """The judge's answer; an empty text says that there is no connection."""

    model_config = ConfigDict(extra="forbid")
    text: str = Words(default="", max_length=2 * LONGEST)
    cites: list[str] = Words(default_factory=list, max_length=8)


@dataclass(frozen=True)
class Bridged:
    """The bridges that are kept, and a step for each that was tried."""

    thoughts: tuple[Thought, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Gap:
    """Two clusters that a question touched, by the thoughts that it touched there."""

    ends: tuple[tuple[Thought, ...], tuple[Thought, ...]]

    @property
    def sources(self) -> tuple[Thought, ...]:
        return (*self.ends[0], *self.ends[1])


def planned(
    field: Field,
    found: Sequence[Cluster],
    asked: Sequence[Replay],
    court: Court | None,
    night: str,
    now: float,
    rest: Callable[[], None],
) -> Bridged:
    """Raises what `rest` raises."""
    if court is None:
        return Bridged()
    gaps = [gap for gap in weak(field, found, asked) if _ident(gap) not in field.store.thoughts([_ident(gap)])][:MOST]
    answers = court.ask_all([question(gap, court.state) for gap in gaps])
    thoughts: list[Thought] = []
    steps: list[Step] = []
    for gap, answer in zip(gaps, answers, strict=True):
        rest()
        if answer is None or not answer.text.strip():
            continue
        made = _thought(gap, " ".join(answer.text.split())[:LONGEST], now)
        why = refused(gap, made.text, answer.cites)
        figures: dict[str, Any] = {"text": made.text}
        if not why:
            tested = tried(field, made, [one for one in asked if one.used])
            figures |= tested
            why = _verdict(tested)
        kept = figures.get("raised", 0) > 0 and not figures.get("lowered", 0)
        thoughts += [made] if kept else []
        ids, by = made.sources, made.id if kept else ""
        steps.append(Step(step_id(BRIDGED, ids, by or night), now, BRIDGED, ids, by, (), night, why, figures))
    return Bridged(tuple(thoughts), tuple(steps))


def weak(field: Field, found: Sequence[Cluster], asked: Sequence[Replay]) -> list[Gap]:
    """The pairs of clusters of one project that few questions touched together, and each of them more often."""
    cells, groups = clusters.cells(found), {one.centre: one.group for one in found}
    each: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    touched: dict[tuple[str, str], list[str]] = {}
    for one in asked:
        here = sorted({cells[ident] for ident in one.returned if ident in cells})
        each.update(here)
        for pair in combinations(here, 2):
            if groups[pair[0]] == groups[pair[1]] and not groups[pair[0]].endswith("outside"):
                both[pair] += 1
                touched.setdefault(pair, []).extend(one.returned)
    listed = sorted(
        (pair for pair, count in both.items() if count <= RARELY and min(each[one] for one in pair) >= OFTEN),
        key=lambda pair: (-min(each[one] for one in pair), pair),
    )
    gaps = []
    for pair in listed[: 4 * MOST]:
        sides = [[one for one in dict.fromkeys(touched[pair]) if cells.get(one) == centre][:OF_EACH] for centre in pair]
        known = field.store.thoughts([one for side in sides for one in side])
        ends = tuple(tuple(known[one] for one in side if one in known) for side in sides)
        if all(ends):
            gaps.append(Gap((ends[0], ends[1])))
    return gaps


def _ident(gap: Gap) -> str:
    return f"b-{digest(' '.join(sorted(one.id for one in gap.sources)), 24)}"


def _handles(gap: Gap) -> dict[str, Thought]:
    return {f"{side}{nth}": one for side, end in zip("ab", gap.ends, strict=True) for nth, one in enumerate(end, 1)}


def question(gap: Gap, state: str) -> Question[Hypothesis]:
    from holdfast.judge.reading import Fence, nonce_for
    from holdfast.judge.seam import Question

    fence = Fence(nonce_for(state, f"sleep {_ident(gap)}"))
    given = "\n".join(fence.around(f"note {handle}", redact(one.text)[0]) for handle, one in _handles(gap).items())
    return Question(JOB, f"{TOLD}\n{fence.explained}", given, Hypothesis, 600, _ident(gap))


def refused(gap: Gap, text: str, cites: Sequence[str]) -> str:
    """The reason why a hypothesis is not even tried; "" where there is none."""
    from holdfast.close.verify.evidence import Evidence
    from holdfast.close.verify.findings import SUPPORTED, check_note, order

    known = _handles(gap)
    if not all(one in known for one in cites) or {one[:1] for one in cites} != {"a", "b"}:
        return "it does not cite notes on both sides"
    sources = [known[one].text for one in cites]
    wrong = next((one for one in check_note(text, sources, Evidence()) if one.verdict != SUPPORTED), None)
    return wrong.why if wrong else order(text, (), (), ())


def _thought(gap: Gap, text: str, now: float) -> Thought:
    first = gap.sources[0]
    return Thought(
        _ident(gap),
        text,
        kind=BRIDGE,
        contributor=SLEEP,
        project=first.project,
        space=first.space,
        sources=tuple(one.id for one in gap.sources),
        origin=HYPOTHESIS,
        created=now,
    )


def tried(field: Field, made: Thought, questions: Sequence[Replay]) -> dict[str, Any]:
    """How many questions bring up what was then used higher with a bridge, and how many lower."""
    before = replay.asked(field, questions, DEPTH)
    with trial.shadow(field, [trial.Change(made.id, (made,), ())]):
        after = replay.asked(field, questions, DEPTH)
    moves = [_moved(one, was, now) for one, was, now in zip(questions, before, after, strict=True)]
    raised, lowered = sum(up for up, _ in moves), sum(down for _, down in moves)
    return {"questions": len(questions), "raised": raised, "lowered": lowered}


def _moved(question: Replay, before: Sequence[str], after: Sequence[str]) -> tuple[bool, bool]:
    """Whether anything that was used came up higher, and whether anything came up lower."""
    places = [
        (before.index(one) if one in before else DEPTH, after.index(one) if one in after else DEPTH)
        for one in question.wants
    ]
    return any(now < was for was, now in places), any(now > was for was, now in places)


def _verdict(figures: Mapping[str, Any]) -> str:
    if not figures["questions"]:
        return "there was no question with evidence of use to try it on"
    many = f"{figures['questions']} question{'' if figures['questions'] == 1 else 's'}"
    return f"tried on {many}: higher for {figures['raised']}, lower for {figures['lowered']}"
