"""The field, kept warm: one embedder for all requests, stores that stay open, and an index that is up to date.

Another embedder in this machine's settings counts from the next request on, without a restart: its vectors are made by
a process of its own, and until then the one before answers. A request borrows a store and gives it back; one that broke
is closed. Whatever others wrote since is taken in now and then in the background, so that no question has to wait for
it. Writers take turns here: the lock of the store itself is between processes, and asks again and again.

Questions are answered a few at a time, by threads of their own, in the order in which they came: each needs memory for
as long as it is worked on, and more at once are no faster than there are processors. The same question, asked again
while it is being answered, gets the same answer.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture import home
from holdfast.errors import HoldfastError
from holdfast.field import indexing, opening, reembedding
from holdfast.field.embed import choice, known
from holdfast.field.opening import Field
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.field.embed.seam import Embedder

AT_WORK = max(2, min(4, os.cpu_count() or 2))  # questions that are answered at once
KEPT = AT_WORK  # stores that wait for the next request
REFRESH = 30.0  # seconds between two looks at what others wrote
FAREWELL = 10.0
T = TypeVar("T")


class _Stopped(Exception):
    """The server stops: what is not taken in yet is taken in by the next look of anybody."""


@dataclass(frozen=True)
class Lent(Field):
    """A field that goes back to where it came from."""

    owner: Warm | None = None

    def __exit__(self, kind: object = None, error: object = None, *_: object) -> None:
        is_sound = error is None or (isinstance(error, HoldfastError) and not isinstance(error, Damaged))
        if self.owner is None or not is_sound or not self.owner.take_back(self):
            self.store.close()


class Warm:
    """All that requests share of the field. `embedder` counts until the settings are changed."""

    def __init__(
        self,
        vault: str,
        embedder: Embedder | None,
        clock: Callable[[], float],
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.vault = vault
        self.embedder = embedder
        self.clock = clock
        self._env = os.environ if env is None else env
        self._state = home.machine_state(self._env)
        self._wishes = choice.wished(self._state)
        self._former = known.Former(self._state, self._env)
        self._later = reembedding.Background(vault, self._env, clock)
        if self._wishes:
            known.keep(self._state, embedder, self._wishes)
        self.writer = threading.Lock()
        self._answering = ThreadPoolExecutor(AT_WORK, "holdfast-answer")
        self._under_way: dict[object, Future[Any]] = {}
        self._idle: list[Lent] = []
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def field(self) -> Field:
        """To be used as a context. Raises NewerFormat, Busy, Damaged."""
        with self._guard:
            embedder = self._chosen()
            if self._idle:
                return replace(self._idle.pop(), embedder=embedder, former=self._former)
            former = self._former
        made = opening.opened(self.vault, embedder, self.clock, former, self._later)
        return Lent(made.vault, made.store, made.embedder, made.clock, made.former, made.later, self)

    def _chosen(self) -> Embedder | None:
        """The embedder of the settings as they are now; settings that name nobody leave search to the words."""
        wishes = choice.wished(self._state)
        if wishes != self._wishes:
            self._wishes, self._former = wishes, known.Former(self._state, self._env)
            self.embedder = choice.at_hand(wishes, self._env) if wishes else None
            if wishes:
                known.keep(self._state, self.embedder, wishes)
        return self.embedder

    def answered(self, question: object, work: Callable[[], T]) -> T:
        """What `work` answers to a question, in its turn. Raises what it raises."""
        with self._guard:
            found: Future[T] | None = self._under_way.get(question)
            if found is None:
                found = self._under_way[question] = self._answering.submit(work)
                found.add_done_callback(lambda _: self._under_way.pop(question, None))
        return found.result()

    def take_back(self, field: Lent) -> bool:
        with self._guard:
            if self._stop.is_set() or len(self._idle) >= KEPT:
                return False
            self._idle.append(field)
            return True

    def start(self) -> None:
        self._thread = threading.Thread(target=self._keep_up, name="holdfast-field", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._answering.shutdown(wait=True, cancel_futures=True)
        if self._thread:
            self._thread.join(FAREWELL)
        with self._guard:
            idle, self._idle = self._idle, []
        for field in idle:
            field.store.close()

    def _keep_up(self) -> None:
        while not self._stop.is_set():
            try:
                if home.format_of(self.vault):  # one that was taken away is not made anew
                    with self.field() as field:
                        field.vector("warm")
                        indexing.sync(field, progress=self._go_on)
            except (_Stopped, HoldfastError, OSError):
                pass  # a question that meets the same says so
            self._stop.wait(REFRESH)

    def _go_on(self, _: int) -> None:
        if self._stop.is_set():
            raise _Stopped
