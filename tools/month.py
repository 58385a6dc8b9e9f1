"""A home with a month of memory, played from the commands of a page of docs/ as a user types them.

python tools/month.py FOLDER [PAGE]      the vault is FOLDER/.holdfast, the project FOLDER/shop
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = "a-month.md"


def play(home: Path, page: str = PAGE) -> Path:
    """The home, which is made."""
    sys.path.insert(0, str(ROOT / "tests" / "docs"))
    import pages

    home.mkdir(parents=True, exist_ok=True)
    for command, _ in pages.examples((ROOT / "docs" / page).read_text(encoding="utf-8")):
        pages.run(command, home)
    return home


if __name__ == "__main__":
    print(play(Path(sys.argv[1]).absolute(), *sys.argv[2:3]))
