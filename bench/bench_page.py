"""docs/benchmarks.md: each bench writes its own section of it, between marks, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

TITLE = """# Benchmarks

Search quality and its cost; each section is written by the command in its heading. The data is other people's and is
not in this repository; the benches say where they look for it and what is missing.
"""


def begin(section: str) -> str:
    return f"<!-- {section}: begin -->"


def end(section: str) -> str:
    return f"<!-- {section}: end -->"


def written(path: Path, section: str, lines: Sequence[str]) -> None:
    """Put a section into the page, in place of what it was before; the rest of the page stays."""
    text = path.read_text(encoding="utf-8") if path.exists() else TITLE
    whole = "\n".join([begin(section), "", *lines, "", end(section)]) + "\n"
    before, mark, rest = text.partition(begin(section))
    after = rest.partition(end(section))[2].lstrip("\n") if mark else ""
    path.write_text(before.rstrip("\n") + "\n\n" + whole + ("\n" + after if after else ""), encoding="utf-8")
