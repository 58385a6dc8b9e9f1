"""The map holds: rooms import downwards only, but for the one import that docs/adr/0037 defends."""

from __future__ import annotations

import pytest

import rooms

DEFENDED = {
    "hook/start.py -> cli.fast",
}


@pytest.mark.slow
def test_rooms_import_downwards_only() -> None:
    found = rooms.crossings()
    assert sorted(found - DEFENDED) == [], "see ALLOWED in tools/rooms.py for what may import what"
    assert sorted(DEFENDED - found) == [], "gone, so defend it no longer"


def test_every_room_is_on_the_map() -> None:
    there = {
        path.name.removesuffix(".py") for path in rooms.SOURCE.iterdir() if path.name not in ("__pycache__", "py.typed")
    }
    assert there - {"__init__"} == set(rooms.ALLOWED)


@pytest.mark.slow
def test_the_architecture_page_shows_the_rooms_as_they_are() -> None:
    assert rooms.part() in rooms.PAGE.read_text(encoding="utf-8"), "run: python3 tools/rooms.py --write"
