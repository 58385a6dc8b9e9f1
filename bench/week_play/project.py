"""The developer's projects as they are before the week: a small tide-gauge tool with a linter, a check script and a
ticket script of its own, and a collection of recipes that has nothing to do with it."""

from __future__ import annotations

from pathlib import Path

from week_play.stage import Stage

LEGACY = "# station {:02}\n2026-11-01 06:00 {:.2f}\n2026-11-01 12:10 {:.2f}\n"
TIDEWATCH = {
    "README.md": "# tidewatch\n\nReads tide gauges, finds high and low water, warns.\n",
    "tidewatch/__init__.py": '"""Tide gauges."""\n',
    "tests/__init__.py": "",
    "tools/lint.py": '''"""A small linter: long lines, tabs, blanks at the end, names imported and never used."""

import ast
import pathlib
import sys

found = 0
for path in sorted([*pathlib.Path("tidewatch").rglob("*.py"), *pathlib.Path("tests").rglob("*.py")]):
    text = path.read_text()
    for nth, line in enumerate(text.splitlines(), 1):
        if len(line) > 100 or line != line.rstrip() or "\\t" in line:
            print(f"{path}:{nth}: long line, tab or trailing blank")
            found += 1
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.value.id for node in ast.walk(tree) if isinstance(getattr(node, "value", 0), ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in node.names:
                word = (name.asname or name.name).split(".")[0]
                if word not in used and path.name != "__init__.py":
                    print(f"{path}:{node.lineno}: {word} is imported and never used")
                    found += 1
print(f"lint: {found} problem{'s' * (found != 1)}")
sys.exit(bool(found))
''',
    "tools/tickets.py": '''"""Tickets of this project: `tickets.py list`, `tickets.py close ID --reason TEXT`."""

import json
import pathlib
import sys

path = pathlib.Path("tickets.json")
tickets = json.loads(path.read_text())
if sys.argv[1] == "close":
    tickets[sys.argv[2]]["state"] = f"closed: {sys.argv[4]}"
    path.write_text(json.dumps(tickets, indent=1) + "\\n")
for name, one in tickets.items():
    print(name, one["state"], "-", one["title"])
''',
    "tickets.json": (
        '{\n "TW-3": {"title": "Warn when a level passes the station threshold", "state": "open"},\n'
        ' "TW-5": {"title": "Highs are found twice on a plateau", "state": "open"},\n'
        ' "TW-8": {"title": "Convert the legacy station files", "state": "open"}\n}\n'
    ),
    "scripts/check.sh": "#!/bin/sh\nset -e\npython tools/lint.py\npython -m unittest -q\n",
    **{f"data/legacy/station_{nth:02}.txt": LEGACY.format(nth, 1.2 + nth / 10, 4 + nth / 10) for nth in range(1, 13)},
}
RECIPES = {
    "README.md": "# recipes\n\nBread and soups.\n",
    "bread.md": "# Bread\n\nflour 500 g, water 350 g, salt 10 g\n",
}


def prepare(stage: Stage) -> None:
    """Both repositories with a first commit each, and the second work tree of tidewatch."""
    for name, files in (("tidewatch", TIDEWATCH), ("recipes", RECIPES)):
        folder = stage.home / "work" / name
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (folder / "scripts").mkdir(exist_ok=True)
        for script in folder.glob("scripts/*.sh"):
            script.chmod(0o755)
        _git(stage, folder, "git init -q -b main . && git add -A && git commit -q -m 'First files'")


def add_worktree(stage: Stage) -> Path:
    """The second work tree, made by the developer in a terminal when it is first wanted."""
    folder = stage.home / "work" / "tidewatch-feed"
    if not folder.exists():
        _git(stage, stage.home / "work" / "tidewatch", f"git worktree add -q -b feed-v2 {folder}")
    return folder


def start_task(stage: Stage) -> None:
    """The developer starts the long task themselves; the agent never says how far it is."""
    words = 'task start legacy-files "Convert the legacy station files to CSV" --units "files 01-12"'
    _git(stage, stage.home / "work" / "tidewatch", f"holdfast {words}")


def _git(stage: Stage, folder: Path, command: str) -> None:
    status, out = stage.run(command, folder)
    if status:
        raise SystemExit(f"{command}: {out}")
