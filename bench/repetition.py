"""How much of a start's text says again what it has said already.

    python bench/repetition.py FILE          or - for stdin, as in: holdfast boot | python bench/repetition.py -

A character repeats if it is in a run of eight words that stood earlier in the text, or in a line that says the same as
an earlier one by the brief's own measure (text/folding). Aim: at most 5 %.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from support import ROOT

sys.path.insert(0, str(ROOT / "src"))

from holdfast.text import folding

WORD = re.compile(r"\w+")
RUN = 8  # words
FEWEST = 4  # words of a line that can be the same as another


def repetition(text: str) -> float:
    """The share of characters that repeat, from 0 to 1."""
    return len(_repeated(text)) / len(text) if text else 0.0


def _repeated(text: str) -> set[int]:
    """The places of the characters that repeat."""
    found: set[int] = set()
    words = [(one.group().casefold(), one.start(), one.end()) for one in WORD.finditer(text)]
    seen: set[tuple[str, ...]] = set()
    for at in range(len(words) - RUN + 1):
        run = tuple(word for word, _, _ in words[at : at + RUN])
        if run in seen:
            found.update(range(words[at][1], words[at + RUN - 1][2]))
        seen.add(run)
    lines = []
    start = 0
    for line in text.split("\n"):
        if len(WORD.findall(line)) >= FEWEST:
            lines.append((start, line))
        start += len(line) + 1
    for (begin, line), into in zip(lines, folding.fold([folding.Thing(line) for _, line in lines]), strict=True):
        if into >= 0:
            found.update(range(begin, begin + len(line)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", help="a text, or - for stdin")
    name = parser.parse_args().file
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    print(f"{len(text):,} characters, {repetition(text):.1%} of them repeat (aim: at most 5 %)")


if __name__ == "__main__":
    main()
