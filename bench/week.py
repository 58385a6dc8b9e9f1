"""A week of one developer with a silent model, played through the real hook; what every start says.

    python bench/week.py [--short] [--page docs/a-week.md] [--json] [--keep FOLDER]

Twenty sessions in a real repository with real commands: the model answers no reminder, hands nothing off, and flags
once. Prints a table: per start its characters, the share of them that repeats, and how many of the facts are in it that
the session needs; the facts stand beside each session in bench/week_play. `--page` writes what every start said.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from support import commit
from week_play import page, playing


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="only the sessions that the tests look at")
    parser.add_argument("--page", type=Path, help="write what every start said to this file")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="play in this folder, and leave it")
    options = parser.parse_args()
    if options.keep:
        starts = playing.play(options.keep, short=options.short)
    else:
        with tempfile.TemporaryDirectory(prefix="holdfast-week-") as name:
            starts = playing.play(Path(name), short=options.short)
    if options.page:
        options.page.write_text(page.render(starts), encoding="utf-8")
    if options.json:
        json.dump([one.figures() for one in starts], sys.stdout, indent=1)
        return
    print(f"the hook of {commit()}, {len(starts)} starts")
    print("\n".join(page.table(starts)))


if __name__ == "__main__":
    main()
