"""The health of a team's server: the database it reaches, the standbys there, and what this replica is behind with.

It fails while the database does not answer or cannot be written to. A standby that is behind or away, and thoughts that
meaning does not find yet, only degrade: everything acknowledged is safe. The servers of the DSN are asked for at most a
part of the time, however often somebody looks.
"""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Response
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily

from holdfast import __version__
from holdfast.errors import HoldfastError
from holdfast.field.postgres import hosts
from holdfast.serve import shapes
from holdfast.serve.health import Requests
from holdfast.serve.service import Asks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.serve.team_service import TeamServing

HOLDS = 5.0  # seconds that a look at the servers is good for
BEHIND = 16 << 20  # bytes of the log that a standby may have to apply: one segment
router = APIRouter(tags=["watch"])


@dataclass(frozen=True)
class State:
    """`behind` counts thoughts without a vector, of the teams that this replica has served."""

    servers: tuple[hosts.Host, ...]
    schema: int = 0
    behind: int = 0
    failing: str = ""

    @property
    def role(self) -> str:
        """Of the server that is written to."""
        return hosts.PRIMARY if any(one.role == hosts.PRIMARY for one in self.servers) else "none"

    @property
    def lag(self) -> float:
        return max((one.lag for one in self.servers), default=0.0)

    @property
    def degraded(self) -> str:
        away = [one.name for one in self.servers if one.role == hosts.AWAY]
        late = [one.name for one in self.servers if one.behind > BEHIND]
        said = [
            *([f"{', '.join(away)} does not answer"] if away else []),
            *([f"{', '.join(late)} is behind by {max(one.behind for one in self.servers):,} bytes"] if late else []),
            *([f"{self.behind:,} thoughts have no vector yet"] if self.behind else []),
        ]
        return f"Degraded: {'; '.join(said)}. Nothing is lost." if said else ""


class Watch:
    """Looks at the database, and remembers for a moment what it saw."""

    def __init__(self) -> None:
        self._until = 0.0
        self._found: tuple[hosts.Host, ...] = ()
        self._guard = threading.Lock()

    def look(self, serving: TeamServing) -> State:
        with self._guard:
            if time.monotonic() >= self._until:
                self._found = tuple(hosts.look(serving.server))
                self._until = time.monotonic() + HOLDS
            found = self._found
        follower = serving.follower
        try:
            with serving.server.connection() as db:
                row = db.execute("SELECT value FROM holdfast.meta WHERE name = 'schema'").fetchone()
        except HoldfastError:
            return State(found, failing="The team's database does not answer; nothing that was acknowledged is lost.")
        is_up = any(one.role == hosts.PRIMARY for one in found)
        failing = "" if is_up else "No server of the database can be written to."
        return State(found, int(row[0]), follower.behind, failing)


def _state(serving: TeamServing) -> State:
    return serving.watch.look(serving)


@router.get(
    "/health", response_model=shapes.TeamHealth, operation_id="health", responses={503: {"model": shapes.TeamHealth}}
)
def health(asking: Asks, response: Response, _: Annotated[shapes.Asked, Query()]) -> dict[str, Any]:
    """Fails, with 503, while no server of the database can be written to. `degraded`: a standby is away or behind, or
    some thoughts cannot be found by meaning yet."""
    found = _state(asking.serving)
    response.status_code = 503 if found.failing else 200
    return {
        "ok": not found.failing,
        "degraded": bool(found.degraded),
        "why": found.failing or found.degraded,
        "role": found.role,
        "schema_number": found.schema,
        "replay_lag_s": found.lag,
        "behind": found.behind,
        "servers": [asdict(one) for one in found.servers],
    }


class TeamMetrics(Requests):
    def __init__(self, serving: TeamServing) -> None:
        self.serving = serving
        self.registry = CollectorRegistry(auto_describe=False)
        super().__init__(self.registry)
        ProcessCollector(registry=self.registry)
        self.registry.register(self)

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing ahead: registering must not look at the database."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        state = _state(self.serving)
        for name, title, figure in (
            ("healthy", "1 while /health answers 200.", not state.failing),
            ("degraded", "1 while a standby is behind, or answers may lack something.", bool(state.degraded)),
            ("field_behind", "Thoughts that meaning does not find yet.", state.behind),
            ("replay_lag_seconds", "Of the standby that is furthest behind.", state.lag),
        ):
            yield GaugeMetricFamily(f"holdfast_{name}", title, float(figure))
        build = GaugeMetricFamily("holdfast_build_info", "The version that runs.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build

    def text(self) -> bytes:
        return generate_latest(self.registry)
