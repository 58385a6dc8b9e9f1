"""The map holds: rooms import downwards only, but for a list that may only shrink."""

from __future__ import annotations

import rooms

# Imports that still go the wrong way. A new one fails the test, and so does one that is gone and still stands here.
LEFT = {
    "audit/boundaries.py -> hook.nudge",
    "cli/fast.py -> hook.main",
    "field/embed/choice.py -> judge.openai",
    "field/embed/endpoint.py -> judge.http",
    "field/embed/endpoint.py -> judge.openai",
    "hook/recall.py -> field.prompt_by_words",
    "hook/start.py -> cli.fast",
    "hook/using.py -> field.prompt_by_words",
    "memory.py -> hook.composing",
    "memory.py -> hook.lifecycle",
    "memory.py -> hook.live",
    "memory.py -> hook.scene",
    "serve/hookside.py -> hook.recall",
    "serve/hookside.py -> hook.recall_asked",
    "vault/brief_reasons.py -> hook.composing",
    "vault/note_order.py -> field.prompt_by_words",
}


def test_rooms_import_downwards_only() -> None:
    found = rooms.crossings()
    assert sorted(found - LEFT) == [], "see ALLOWED in tests/docs/rooms.py for what may import what"
    assert sorted(LEFT - found) == [], "gone, so take it out of LEFT"


def test_every_room_is_on_the_map() -> None:
    there = {
        path.name.removesuffix(".py") for path in rooms.SOURCE.iterdir() if path.name not in ("__pycache__", "py.typed")
    }
    assert there - {"__init__"} == set(rooms.ALLOWED)
