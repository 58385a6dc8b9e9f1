"""Whether the mechanism runs: queue, ledger, health, and figures for Prometheus. Looking only; it leaves no trace."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from holdfast.capture.queue import CLAIMED, DEAD, WAITING
from holdfast.serve import answers, shapes
from holdfast.serve import health as condition
from holdfast.serve import ledger as records
from holdfast.serve import metrics as figures
from holdfast.serve.asking import JSON, PROBLEMS, Asks

router = APIRouter(tags=["watch"])


@router.get("/queue", response_model=answers.Queue, operation_id="queue")
def queue(asking: Asks, asked: Annotated[shapes.Listed, Query()]) -> dict[str, Any]:
    """The flags that are not filed yet, the oldest first; of other projects how many."""
    memory = asking.placed(asked)
    view, ids, now = memory.queue(), memory.project().ids, memory.clock()
    mine = [entry for entry in view.entries if asked.everything or entry.flag.project in ids]
    shown = mine[: asked.limit]
    return {
        **{state: [one.as_record(now) for one in shown if one.state == state] for state in (WAITING, CLAIMED, DEAD)},
        "oldest_age_s": max((now - entry.flag.time for entry in mine), default=0.0),
        "other_projects": len(view.entries) - len(mine),
        "broken": len(view.broken),
        "more": len(mine) - len(shown),
    }


@router.get("/ledger", response_model=answers.Ledger, operation_id="ledger")
def ledger(asking: Asks, asked: Annotated[shapes.LedgerAsked, Query()]) -> dict[str, Any]:
    """What really fired in this project, the newest last; of what is not of this project how many were passed over."""
    found, other = records.newest(asking.placed(asked), asked)
    return {"records": found, "other": other}


@router.get("/health", response_model=answers.Health, operation_id="health", responses={503: {"model": answers.Health}})
def health(asking: Asks, response: Response, _: Annotated[shapes.Asked, Query()]) -> dict[str, Any]:
    """Fails, with 503, on the age of the oldest unprocessed flag of any project, or where the vault is of a newer
    format, and says why. `degraded`: memory is
    kept, and answers may lack something, because the index is behind the vault or cannot be read."""
    found = condition.look(asking.serving)
    response.status_code = 200 if found.is_well else 503
    told = {"ok": found.is_well, "why": found.why, "oldest_age_s": found.oldest, "limit_s": found.limit}
    field = {"degraded": bool(found.degraded), "behind": found.behind, "index_age_s": found.lag}
    return {**told, **field, **{name: found.counts[name] for name in (WAITING, CLAIMED, DEAD)}}


class Plain(Response):
    media_type = figures.CONTENT_TYPE


PROBLEM = {"schema": {"$ref": f"#/components/schemas/{answers.Problem.__name__}"}}
REFUSED: dict[int | str, dict[str, Any]] = {  # what is refused is JSON here too
    status: {"description": said["description"], "content": {JSON: PROBLEM}} for status, said in PROBLEMS.items()
}


@router.get("/metrics", response_class=Plain, operation_id="metrics", responses=REFUSED)
def metrics(request: Request, _: Annotated[shapes.Asked, Query()]) -> Response:
    """Figures for Prometheus."""
    found: figures.Metrics = request.app.state.metrics
    return Plain(found.text())
