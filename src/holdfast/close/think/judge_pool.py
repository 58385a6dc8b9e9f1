"""Asking many questions at once, bounded by workers and by one deadline for all of them.

A question that fails costs only itself: its place stays None, and whoever asked files verbatim. Where the judge cannot
be reached at all, or the day's cap is reached, the rest is not asked. Answers come back in the order of the questions,
whichever was quicker, so nothing that is made of them depends on the machine's mood.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.close.think import answers
from holdfast.errors import CapReached, HoldfastError, JudgeFailed, Unusable
from holdfast.judge import asking, programs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from holdfast.judge.seam import Judge, Meter, Question

WORKERS = 8
TIMEOUT = 120.0
PATIENCE = 400.0  # seconds for all questions of one round, second looks included: well within the lease on the flags
HOPELESS = 3  # failures in a row after which nothing more is asked


@dataclass
class Court:
    """One judge for one close, and what became of its questions."""

    judge: Judge
    meter: Meter
    state: str
    workers: int = WORKERS
    timeout: float = TIMEOUT
    patience: float = PATIENCE
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    progress: Callable[[int, int], None] = lambda _done, _all: None
    why: str = ""  # the first failure, as a sentence
    asked: int = 0
    failed: int = 0
    heard: int = 0  # of those that were asked: the judge answered, whether or not that could be used
    is_capped: bool = False  # the budget has said so already
    keys: list[str] = field(default_factory=list)
    _until: float = 0.0
    _in_a_row: int = 0
    _is_over: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.begin_round()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked: the cap is reached, or the judge does not answer."""
        return self._is_over

    @property
    def by(self) -> str:
        return f"{self.judge.name}/{self.judge.model}" if self.judge.model else self.judge.name

    def begin_round(self) -> None:
        """From now on the patience counts, for all that is asked until the next round."""
        self._until = self.clock() + self.patience
        self.why = ""

    def ask_all(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """The answers, None where there is none."""
        found: list[Any] = [None] * len(questions)
        deadline = self._until
        done = 0

        def carry_out(at: int) -> None:
            nonlocal done
            found[at] = self._ask(questions[at], deadline)
            with self._lock:
                done += 1
                self.progress(done, len(questions))

        at_once(carry_out, len(questions), self.workers)
        return found

    def _ask(self, question: Question[Any], deadline: float) -> BaseModel | None:
        key = answers.key_of(self.judge, question)
        kept = answers.find(self.state, key, question.shape)
        if kept is not None:
            self.keys.append(key)
            return kept  # type: ignore[no-any-return]
        if self._is_over or self.clock() >= deadline:
            self._note("" if self._is_over else "it took too long", was_asked=False)
            return None
        with self._lock:
            self.asked += 1
        try:
            answer = asking.ask(
                self.judge,
                question,
                self.meter,
                timeout=self.timeout,
                deadline=deadline,
                clock=self.clock,
                wait=self.wait,
            )
        except Unusable as error:
            self.heard += 1
            answers.keep_unusable(self.state, key, question, error.raw, self.now())
            self._note(str(error))
        except JudgeFailed as error:
            self.is_capped = self.is_capped or isinstance(error, CapReached)
            self._note(str(error), is_final=isinstance(error, CapReached) or error.final)
        except (HoldfastError, OSError) as error:
            self._note(str(error), is_final=True)
        else:
            self._in_a_row = 0
            self.heard += 1
            self.keys.append(key)
            answers.keep(self.state, key, answer)
            return answer  # type: ignore[no-any-return]
        return None

    def _note(self, why: str, *, is_final: bool = False, was_asked: bool = True) -> None:
        with self._lock:
            self.failed += 1
            self._in_a_row += was_asked
            self.why = self.why or why
            self._is_over = self._is_over or is_final or self._in_a_row >= HOPELESS


def at_once(carry_out: Callable[[int], None], count: int, workers: int) -> None:
    """Every number below `count`, by at most so many threads. An interruption ends the programs that they wait for, and
    leaves the threads to end by themselves: they hold nothing that the next close would wait for."""
    if workers <= 1 or count <= 1:
        for at in range(count):
            carry_out(at)
        return
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for at in range(count):
        waiting.put(at)
    broken: list[BaseException] = []

    def work() -> None:
        while not broken:
            try:
                at = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                carry_out(at)
            except BaseException as error:
                broken.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, count))]
    try:
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    except BaseException:
        programs.end_all()  # an interruption must not leave a model at work for nobody
        raise
    if broken:
        raise broken[0]
