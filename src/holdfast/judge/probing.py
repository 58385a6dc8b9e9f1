"""One tiny question, to know that a judge really answers before it is chosen. It is metered like any other call."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from holdfast.judge import asking
from holdfast.judge.seam import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.judge.seam import Judge, Meter, Words

PATIENCE = 60.0


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ready: Literal["yes", "no"]


QUESTION = Question(
    "probe", 'You are asked whether you can be asked. Say "yes".', "Are you ready?", Answer, most_out=500, about="probe"
)


@dataclass(frozen=True)
class Probed:
    """What the tiny question took."""

    model: str
    tokens_in: int
    tokens_out: int
    took: float


@dataclass
class _Heard:
    """A meter before a meter: it remembers what was settled."""

    meter: Meter
    words: list[Words] = field(default_factory=list)

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        return self.meter.reserve(judge, question, tokens)

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        if words:
            self.words.append(words)
        self.meter.settle(ident, words, error)


def probe(
    judge: Judge,
    meter: Meter,
    *,
    timeout: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> Probed:
    """Ask it. Raises JudgeFailed, Unusable or CapReached."""
    heard = _Heard(meter)
    began = clock()
    asking.ask(judge, QUESTION, heard, timeout=timeout, deadline=began + timeout, clock=clock, wait=wait)
    taken, given = (sum(getattr(one, name) for one in heard.words) for name in ("tokens_in", "tokens_out"))
    return Probed(heard.words[-1].model, taken, given, clock() - began)
