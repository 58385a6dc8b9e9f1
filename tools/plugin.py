"""Writes the Claude Code plugin's files from the source, at the repository's root. Run it after changing either.

python3 tools/plugin.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from holdfast.cli import app  # noqa: E402
from holdfast.hosts.claude_code import plugin  # noqa: E402


def commands() -> set[str]:
    """What `holdfast --help` lists."""
    return set(app.listed())


if __name__ == "__main__":
    for changed in plugin.write(ROOT, commands()):
        print(f"written {changed}")
