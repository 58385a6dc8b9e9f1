"""Today."""

from __future__ import annotations

from fastapi import APIRouter, Response

from holdfast.page.visit import Visits

router = APIRouter(include_in_schema=False)


@router.get("/page/today")
def view(visit: Visits) -> Response:
    return visit.show("today.html")
