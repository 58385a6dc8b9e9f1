"""What Prometheus is told: requests by route and status, the queue, the field. Counts only, of no project by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.serve import health

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.serve.serving import Serving

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NO_ROUTE = "none"  # refused at the door, or unknown: a path of the caller's making is no label
METHODS = ("GET", "POST")  # nor is a method of the caller's making


class Metrics:
    """One server's. Nothing is measured that is not asked for, but for the requests themselves."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.registry = CollectorRegistry(auto_describe=False)
        named = ("method", "route", "status")
        self.requests = Counter("holdfast_http_requests", "Requests answered.", named, registry=self.registry)
        self.seconds = Histogram(
            "holdfast_http_request_seconds", "How long answers took.", ("route",), registry=self.registry
        )
        ProcessCollector(registry=self.registry)
        self.registry.register(self)

    def seen(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests.labels(method if method in METHODS else "none", route or NO_ROUTE, str(status)).inc()
        self.seconds.labels(route or NO_ROUTE).observe(seconds)

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing ahead: registering must not look at the vault."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        state = health.look(self.serving)
        flags = GaugeMetricFamily("holdfast_queue_flags", "Flags that are not filed, by state.", labels=["state"])
        for name, count in state.counts.items():
            flags.add_metric([name], count)
        yield flags
        yield GaugeMetricFamily(
            "holdfast_queue_oldest_age_seconds", "The age of the oldest unprocessed flag.", state.oldest
        )
        yield GaugeMetricFamily("holdfast_healthy", "1 while /health answers 200.", float(state.is_well))
        yield GaugeMetricFamily(
            "holdfast_degraded", "1 while answers may lack something that is kept.", float(bool(state.degraded))
        )
        yield GaugeMetricFamily("holdfast_field_behind", "Changes that the index has not taken in.", state.behind)
        yield GaugeMetricFamily(
            "holdfast_field_oldest_behind_age_seconds", "The age of the oldest change not in the index.", state.lag
        )
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
