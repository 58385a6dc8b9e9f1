"""Run the console examples of a page and write what they print into it: `python tools/page.py docs/a-month.md`.

What differs from run to run (ids, hashes, the machine's name) becomes `…`, which the tests take for anything. Look at
the difference before committing it: the page is only as true as this run.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "docs"))

VOLATILE = (
    (re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b"), "…"),  # ids
    (re.compile(r"(?<=commit )[0-9a-f]{10}\b"), "…"),
    (re.compile(r"(?<=T\d{4})\d{2}(?=Z-)"), "…"),  # the seconds in a handoff's name: a slow machine takes one more
    (re.compile(r"(?<=T\d{2}:\d{2}:)\d{2}(?=Z)"), "…"),
    (re.compile(r"(?<=\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}:)\d{2}(?=\])"), "…"),
    (re.compile(r"(?<=Z-)[a-z0-9-]+-(?=[0-9a-f]{6}\.md)"), "…-"),  # the machine in a handoff's name
    (re.compile(r"(?<=\()[0-9A-Z]{6}(?=, )"), "…"),  # the end of a flag's id
    (re.compile(r"(?<=\^)[0-9a-hjkmnp-tv-z]{6}\b"), "…"),  # of an entry of a task
    (re.compile(r"(?<=--supersedes )[0-9a-hjkmnp-tv-z]{6}\b"), "…"),
    (re.compile(r"(?<=, )[0-9a-f]{12}(?= -->)"), "…"),  # the seal of a task's page
    (re.compile(r"\b\d+ (?:s|min|h) old\b"), "… old"),
    (re.compile(r"(?<=\()0\.\d\d(?=\))"), "…"),  # a leg's share of a score
    (re.compile(r"(?<=; weight )\d\.\d\d"), "…"),
    (re.compile(r"(?<=--undo )[0-9A-HJKMNP-TV-Z]{8}\b"), "…"),  # and of a loop's
    (re.compile(r"\b(?<=[sbc]-)[0-9a-f]{24}\b"), "…"),  # of a step of sleep, a bridge, a summary
    (re.compile(r"(?<=sleep/\d{4}-\d{2}-\d{2}-)[a-z0-9-]+(?=\.md)"), "…"),  # the machine in a night's page
    (re.compile(r"/tmp/[\w./-]*?(?=/\.holdfast|/shop)"), "…"),
    (re.compile(r"(?<=shop-)[0-9a-f]{8}\b"), "…"),
    (re.compile(r"(?<=was true at )[0-9a-f]{10}\b"), "…"),
)


def main() -> int:
    import pages

    page = Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        fresh = pages.BLOCK.sub(lambda found: f"```console\n{_block(found[0], Path(folder))}```", text)
    page.write_text(fresh, encoding="utf-8")
    return 0


def _block(block: str, home: Path) -> str:
    import pages

    out = []
    for command, expected in pages.examples(block):
        if any(words in command for words in pages.NOT_HERE):
            got = expected
        else:
            got = pages.run(command, home)
            for pattern, instead in VOLATILE:
                got = pattern.sub(instead, got)
        first, *rest = command.split("\n")
        out.append("\n".join([f"$ {first}", *(f"> {line}" for line in rest)]) + "\n" + (f"{got}\n" if got else ""))
    return "".join(out)


if __name__ == "__main__":
    sys.exit(main())
