"""Health and figures for whoever watches: memory is kept while no flag waits too long to be filed.

A queue that cannot be read is not well either: how old is what it holds is then anybody's guess. Nor is a vault of
a newer format, of which nothing else is answered. An index that is behind costs answers and no memory, so it only
degrades: it is said, and the status stays 200. It is looked at for at most a hundredth of the time, however often
somebody asks. Prometheus gets counts only, of no project by name.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily

from holdfast import __version__
from holdfast.capture import home, queue
from holdfast.capture.queue import CLAIMED, DEAD, UNREADABLE, WAITING
from holdfast.errors import HoldfastError, NewerFormat
from holdfast.field import coverage
from holdfast.serve import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.coverage import Coverage
    from holdfast.field.store import Store
    from holdfast.serve.service import Serving

INDEX_AGE = 3600.0  # seconds that something may lie in the vault and not in the index; a server looks twice a minute
SHARE = 100
MOST_READ = 200  # files that a look compares by their words


@dataclass(frozen=True)
class State:
    """`why` says in a sentence what is wrong, `degraded` what is not as it should be while memory is kept; "" for
    neither. `lag` is the age of the oldest change that the index has not taken in, `behind` how many those are."""

    counts: dict[str, int]
    oldest: float
    limit: float
    failing: str
    degraded: str = ""
    lag: float = 0.0
    behind: int = 0

    @property
    def is_well(self) -> bool:
        return not self.failing

    @property
    def why(self) -> str:
        return self.failing or self.degraded


def look(serving: Serving) -> State:
    """Of all projects: a flag that is forgotten is one too many, whosoever it is."""
    now = serving.clock()
    view = queue.read(f"{serving.state}/queue", now)
    counts = {state: len(view.of(state)) for state in (WAITING, CLAIMED, DEAD)}
    oldest = max((now - entry.flag.time for entry in view.entries), default=0.0)
    unreadable = sum(1 for _, found in view.broken if found.what == UNREADABLE)
    failing = _newer(serving.vault) or _failing(counts, oldest, serving.health_age, unreadable)
    found = _covered(serving)
    lag = max(0.0, now - found.oldest) if found.oldest else 0.0
    return State(counts, max(0.0, oldest), serving.health_age, failing, _degraded(found, lag), lag, len(found.behind))


def _newer(vault: str) -> str:
    try:
        home.refuse_newer(vault)
    except NewerFormat as error:
        return problems.without(vault, str(error))
    return ""


def _failing(counts: dict[str, int], oldest: float, limit: float, unreadable: int) -> str:
    if unreadable:
        return f"{unreadable} files of the queue cannot be read; nothing in them is lost. `holdfast doctor` says more."
    if oldest <= limit:
        return ""
    waits = sum(counts.values())
    flags = "flag is" if waits == 1 else "flags are"
    dead = f", {counts[DEAD]} dead" if counts[DEAD] else ""
    return (
        f"{waits} {flags} not filed{dead}, the oldest for {oldest / 3600:.1f} hours (limit {limit / 3600:.1f}); "
        "nothing is lost. `holdfast close` files what waits, `holdfast queue` shows it."
    )


def _degraded(found: Coverage, lag: float) -> str:
    if found.state in (coverage.DAMAGED, coverage.NEWER):
        return f"Degraded: {found.why}"
    if lag <= INDEX_AGE:
        return ""
    return (
        f"Degraded: the index is behind the vault with {len(found.behind)} of {found.places}, the oldest for "
        f"{lag / 3600:.1f} hours (limit {INDEX_AGE / 3600:.1f}); nothing is lost. `holdfast rebuild` makes it anew."
    )


_looked: WeakKeyDictionary[Serving, tuple[float, Coverage]] = WeakKeyDictionary()  # until when it holds, and what


@contextmanager
def _lent(serving: Serving) -> Iterator[Store]:
    with serving.warm.field() as field:
        yield field.store


def _covered(serving: Serving) -> Coverage:
    began = time.monotonic()
    until, found = _looked.get(serving, (0.0, coverage.Coverage(coverage.MISSING)))
    if began >= until:
        found = coverage.look(serving.vault, most=MOST_READ, borrowed=lambda: _lent(serving))
        ended = time.monotonic()
        _looked[serving] = ended + (ended - began) * SHARE, found
    return found


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NO_ROUTE = "none"  # refused at the door, or unknown: a path of the caller's making is no label
METHODS = ("GET", "POST")  # nor is a method of the caller's making


class Requests:
    """The requests that were answered, and how long that took."""

    def __init__(self, registry: CollectorRegistry) -> None:
        named = ("method", "route", "status")
        self.requests = Counter("holdfast_http_requests", "Requests answered.", named, registry=registry)
        self.seconds = Histogram(
            "holdfast_http_request_seconds", "How long answers took.", ("route",), registry=registry
        )

    def seen(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests.labels(method if method in METHODS else "none", route or NO_ROUTE, str(status)).inc()
        self.seconds.labels(route or NO_ROUTE).observe(seconds)


class Metrics(Requests):
    """One server's. Nothing is measured that is not asked for, but for the requests themselves."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.registry = CollectorRegistry(auto_describe=False)
        super().__init__(self.registry)
        ProcessCollector(registry=self.registry)
        self.registry.register(self)

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing ahead: registering must not look at the vault."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        state = look(self.serving)
        flags = GaugeMetricFamily("holdfast_queue_flags", "Flags that are not filed, by state.", labels=["state"])
        for name, count in state.counts.items():
            flags.add_metric([name], count)
        yield flags
        for name, title, figure in (
            ("queue_oldest_age_seconds", "The age of the oldest unprocessed flag.", state.oldest),
            ("healthy", "1 while /health answers 200.", state.is_well),
            ("degraded", "1 while answers may lack something that is kept.", bool(state.degraded)),
            ("field_behind", "Changes that the index has not taken in.", state.behind),
            ("field_oldest_behind_age_seconds", "The age of the oldest change not in the index.", state.lag),
        ):
            yield GaugeMetricFamily(f"holdfast_{name}", title, float(figure))
        try:
            with self.serving.warm.field() as field:
                yield GaugeMetricFamily("holdfast_field_thoughts", "Thoughts in the field.", field.store.count())
        except (HoldfastError, OSError):
            pass  # a field that cannot be read has no size; the rest is told all the same
        build = GaugeMetricFamily("holdfast_build_info", "The version that runs.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build

    def text(self) -> bytes:
        return generate_latest(self.registry)
