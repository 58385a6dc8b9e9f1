"""The judge of a close, asked many questions at once, bounded by workers and by one deadline for all of them.

A question that fails costs only itself: its place stays None, and whoever asked files verbatim. Where the judge
cannot be reached at all, or the day's cap is reached, the rest is not asked. Answers come back in the order of the
questions, whichever was quicker, so nothing that is made of them depends on the machine's mood. An answer that was
paid for is kept until it is filed: a close that is killed and continued asks nothing twice.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture import codec, home, notices, platform
from holdfast.capture import config as machine
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.errors import CapReached, HoldfastError, JudgeFailed, Unusable
from holdfast.hosts import programs
from holdfast.judge import seam

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from holdfast.clock import Clock
    from holdfast.judge.seam import Judge, Meter, Question

    T = TypeVar("T", bound=BaseModel)

KEPT_FOR = 7 * 86400.0
MOST_UNUSABLE = 50
LARGEST = 1 << 20
WORKERS = 8
TIMEOUT = 120.0
PATIENCE = 400.0  # seconds for all questions of one round, second looks included: well within the lease on the flags
HOPELESS = 3  # failures in a row after which nothing more is asked
MOST_WORKERS = 64


def key_of(judge: Judge, question: Question[Any]) -> str:
    asked = (judge.name, judge.model, question.job, question.told, question.given, question.shape.__name__)
    return digest("\0".join(asked), 32)


def find(state: str, key: str, shape: type[T]) -> T | None:
    """The answer that was given before; None where there is none that can be used."""
    try:
        return shape.model_validate_json(platform.read_file(_path(state, key), LARGEST))
    except (OSError, ValueError):
        return None


def keep(state: str, key: str, raw: bytes) -> None:
    """Keep an answer, or, for a person, one that nobody could use."""
    path = _path(state, key)
    try:
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, raw, durable=False)
    except OSError:
        return  # then it is asked again


def drop(state: str, keys: Iterable[str]) -> None:
    """Their flags are filed."""
    for key in keys:
        platform.remove(_path(state, key))


def sweep(state: str, now: float) -> None:
    """Remove the answers that nobody came back for."""
    for folder, most in ((f"{state}/answers", 10_000), (f"{state}/answers/unusable", MOST_UNUSABLE)):
        try:
            aged = [(one.stat().st_mtime, one.path) for one in os.scandir(folder) if one.is_file(follow_symlinks=False)]
        except OSError:
            continue
        for at, (when, path) in enumerate(sorted(aged, reverse=True)):
            if at >= most or now - when > KEPT_FOR:
                platform.remove(path)


def _path(state: str, key: str) -> str:
    return f"{state}/answers/{key}"


@dataclass
class Court:
    """One judge for one close, with the fate of its questions."""

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
        key = key_of(self.judge, question)
        kept = find(self.state, key, question.shape)
        if kept is not None:
            self.keys.append(key)
            return kept  # type: ignore[no-any-return]
        if self._is_over or self.clock() >= deadline:
            self._note("" if self._is_over else "it took too long", was_asked=False)
            return None
        with self._lock:
            self.asked += 1
        try:
            answer = seam.ask(
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
            raw = redact(error.raw)[0][:LARGEST]
            record = {"t": self.now(), "job": question.job, "about": question.about, "answer": raw}
            keep(self.state, f"unusable/{key}", codec.encode(record))
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
            keep(self.state, key, answer.model_dump_json().encode("utf-8"))
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
    waiting = deque(range(count))
    broken: list[BaseException] = []

    def work() -> None:
        while not broken:
            try:
                at = waiting.popleft()
            except IndexError:
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


def court(
    vault: str,
    env: Mapping[str, str],
    clock: Clock,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Court | None:
    """The judge that this machine's config names, ready for a close; None where everything is filed verbatim."""
    state = home.state(vault)
    own = home.machine_state(env)
    config = machine.load(own)
    chosen = machine.section(config, "judge")
    if not chosen.get("name") or chosen.get("name") == "verbatim":
        return None
    from holdfast.close.budget import Budget
    from holdfast.judge import choice

    try:
        judge = choice.chosen(config, env)
    except HoldfastError as error:
        notices.leave(state, notices.JUDGE, f"WARNING: {error} Until then everything is filed verbatim.", clock())
        return None
    if judge is None:
        return None
    workers = int(machine.number(chosen, "workers", WORKERS))
    return Court(
        judge,
        Budget(own, config, clock, env, ledger=state),
        state,
        workers=max(1, min(workers, MOST_WORKERS)),
        timeout=max(1.0, machine.number(chosen, "timeout", TIMEOUT)),
        now=clock,
        progress=progress,
    )


@contextmanager
def ending_well() -> Iterator[None]:
    """While a close runs, SIGTERM ends it as Ctrl-C does: what was claimed is given back, and no judge works on for
    nobody."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
