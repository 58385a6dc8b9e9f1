"""The views of the page, in its order: each is a module of its own with a router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.page import care, field, lineage, live, notes, recall, review, start, tasks, thought, today, undo

if TYPE_CHECKING:
    from fastapi import APIRouter

ALL = (  # the path, the name, the key behind `g` that opens it
    ("today", "Today", "t"),
    ("review", "Review", "v"),
    ("notes", "Notes", "n"),
    ("start", "Start", "s"),
    ("recall", "Recall", "q"),
    ("lineage", "Handoffs", "h"),
    ("field", "Field", "f"),
    ("tasks", "Tasks", "k"),
    ("care", "Care", "c"),
)


def routers() -> list[APIRouter]:
    return [
        one.router for one in (today, review, notes, start, recall, lineage, field, thought, tasks, care, live, undo)
    ]
