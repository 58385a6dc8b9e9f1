"""The map of rooms: which may import which, and the part of docs/architecture.md that shows them.

`python3 tools/rooms.py` prints that part from the sources, `--write` puts it into the page. Every import counts, also a
lazy one and one for types. A test compares both with what is there.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "holdfast"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- python3 tools/rooms.py --write -->", "<!-- end of the rooms -->"
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
SLEEP = CLOSE | {"sleep"}
TEAM = SLEEP | {"team"}
MEMORY = TEAM | {"memory"}
HEALTH = MEMORY | {"install", "health"}
OF_PAGE = HEALTH | {"page"}
# From the ground up: a room may import those below it, and the base.
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
    "judge": HOSTS | {"judge"},
    "field": FIELD,
    "close": CLOSE,
    "sleep": SLEEP,
    "team": TEAM,
    "install": HOSTS | {"judge", "install"},
    "memory": MEMORY,
    "health": HEALTH,
    "page": OF_PAGE,
    "serve": OF_PAGE | {"serve"},
    "cli": OF_PAGE | {"serve", "hook", "cli"},
    "__main__": BASE | {"cli"},
    "settings": CAPTURE,
    **dict.fromkeys(sorted(BASE - {"settings"}), BASE),
}


def imports(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.startswith("holdfast."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast"):
            for one in node.names:
                yield f"{node.module}.{one.name}"


def edges() -> dict[tuple[str, str], set[str]]:
    """The imports between rooms, as `room/module.py -> room.module`, by the pair of rooms."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        room = place.parts[0].removesuffix(".py")
        for name in imports(path):
            target = name.split(".")[1]
            is_ours = (SOURCE / target).is_dir() or (SOURCE / f"{target}.py").is_file()
            if is_ours and room not in ("__init__", target):
                found.setdefault((room, target), set()).add(f"{place} -> {'.'.join(name.split('.')[1:3])}")
    return found


def crossings() -> set[str]:
    """Imports that no room may have."""
    return {one for (room, target), names in edges().items() if target not in ALLOWED[room] for one in names}


def table() -> str:
    """The rooms from the top down: the first sentence of each package, and the rooms it really imports."""
    between = set(edges())
    rows = ["| room | what it holds | imports |", "|---|---|---|"]
    for room in reversed([name for name in ALLOWED if (SOURCE / name).is_dir()]):
        head = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
        said = " ".join(head.split("\n\n")[0].split()).partition(". ")[0].rstrip(".")
        below = [name for name in ALLOWED if (room, name) in between and (SOURCE / name).is_dir()]
        rows.append(f"| `{room}/` | {said} | {', '.join(below) or 'the base only'} |")
    return "\n".join(rows)


def picture() -> str:
    """The imports between rooms as a diagram; an arrow that follows from two others is left out."""
    below: dict[str, set[str]] = {}
    for room, target in edges():
        if (SOURCE / room).is_dir() and (SOURCE / target).is_dir() and target in ALLOWED[room]:
            below.setdefault(room, set()).add(target)

    def reached(room: str) -> set[str]:
        return set().union(*({one} | reached(one) for one in below.get(room, ())))

    lines = ["```mermaid", "flowchart TD"]
    for room in reversed([name for name in ALLOWED if name in below]):
        direct = below[room] - set().union(*(reached(one) for one in below[room]))
        lines += [f"    {room} --> {target}" for target in sorted(direct)]
    return "\n".join([*lines, "```"])


def part() -> str:
    return f"{BEGIN}\n{picture()}\n\n{table()}\n{END}"


def main() -> int:
    if sys.argv[1:] != ["--write"]:
        print(part())
        return 0
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + part() + rest.partition(END)[2], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
