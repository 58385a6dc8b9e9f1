"""Which room may import which, read from the sources: every import counts, also a lazy one and one for types."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).resolve().parents[2] / "src" / "holdfast"
BASE = {"model", "errors", "clock", "settings", "module_loader", "pheromone"}
CAPTURE = BASE | {"capture"}
TEXT = CAPTURE | {"text"}
HOSTS = TEXT | {"hosts"}
TASKS = HOSTS | {"tasks"}
WITNESS = TASKS | {"witness"}
BRIEF = WITNESS | {"brief"}
VAULT = BRIEF | {"vault"}
FIELD = VAULT | {"judge", "field"}
CLOSE = FIELD | {"close"}
MEMORY = CLOSE | {"memory"}
HEALTH = MEMORY | {"install", "health"}
# From the ground up: a room may import what stands below it, and the base.
ALLOWED = {
    "capture": CAPTURE,
    "text": TEXT,
    "hosts": HOSTS,
    "tasks": TASKS,
    "witness": WITNESS,
    "brief": BRIEF,
    "taint": HOSTS | {"taint"},
    "hook": BRIEF | {"taint", "hook"},
    "vault": VAULT,
    "field": FIELD,
    "judge": HOSTS | {"judge"},
    "close": CLOSE,
    "install": HOSTS | {"judge", "install"},
    "memory": MEMORY,
    "health": HEALTH,
    "serve": MEMORY | {"serve"},
    "cli": HEALTH | {"serve", "hook", "cli"},
    "__main__": BASE | {"cli"},
    "settings": CAPTURE,
    "model": BASE,
    "errors": BASE,
    "clock": BASE,
    "module_loader": BASE,
    "pheromone": BASE,
}


def imports(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.startswith("holdfast."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast"):
            for one in node.names:
                yield f"{node.module}.{one.name}"


def crossings() -> set[str]:
    """Imports that no room may have, as `room/module.py -> room.module`."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        room = place.parts[0].removesuffix(".py")
        for name in imports(path):
            target = name.split(".")[1]
            is_ours = (SOURCE / target).is_dir() or (SOURCE / f"{target}.py").is_file()
            if is_ours and room != "__init__" and target not in ALLOWED[room]:
                found.add(f"{place} -> {'.'.join(name.split('.')[1:3])}")
    return found
