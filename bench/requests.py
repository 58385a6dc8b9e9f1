"""How well user requests are heard, by language and by kind, and what hearing costs.

    python bench/requests.py [--misses]

The labelled prompts are tests/requests/*.tsv. `tune` is what the tables of src/holdfast/text/order_words.py were made
with: far wider patterns once heard all of it, and the tables keep the explicit forms (docs/adr/0040). `held` was
written later by the same authors.

`fresh` was written by somebody who had not seen what is heard. Its prompts were not read while the tables were made,
but its totals were seen after each change, and those of `held` too, so both are somewhat too good. Its misses are
never printed: once they are worked on, it measures nothing any more. None of the prompts is from a user's session.

`outside.jsonl` holds prompts in which somebody else's words ask for something.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import time
from pathlib import Path

from support import ROOT, interleaved, machine, median, once

sys.path.insert(0, str(ROOT / "src"))

from holdfast.text import orders

LABELLED = ROOT / "tests" / "requests"
ALL = "all"
ORDINARY = (
    "the retry in src/queue.py waits for the lease first, and test_claim fails since then; find out why and fix it"
)
ABOUT = "why does this always fail on CI? it never did before the upgrade"
ORDER = "remember: never push on Friday"


def rows(part: str) -> list[tuple[str, str, str]]:
    """Language, kind and prompt of each labelled line."""
    found = []
    for path in sorted(LABELLED.glob(f"*_{part}.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, prompt = line.partition("\t")
            found.append((path.name[:2], kind, prompt.replace("\\n", "\n")))
    return found


def counted(part: str, misses: bool) -> dict[tuple[str, str], list[int]]:
    """Hits, false alarms and misses by language and kind."""
    counts: dict[tuple[str, str], list[int]] = {}
    for language, label, prompt in rows(part):
        wanted = {label} - {"none"}
        heard = {request.kind for request in orders.find(prompt)}
        for kind in wanted | heard:
            column = 0 if kind in wanted & heard else 1 if kind in heard else 2
            for place in ((language, kind), (language, ALL), (ALL, kind), (ALL, ALL)):
                counts.setdefault(place, [0, 0, 0])[column] += 1
        if misses and wanted != heard:
            print(f"  {language} {label:9} heard {', '.join(sorted(heard)) or 'nothing':9} {prompt!r}")
    return counts


def share(count: int, of: int) -> str:
    return f"{count / of:.3f}" if of else "    -"


def print_table(part: str, misses: bool) -> None:
    counts = counted(part, misses)
    print(f"{part}: {len(rows(part))} prompts; precision / recall")
    kinds = ("remember", "standing", "forget", ALL)
    print(f"  {'':4}" + "".join(f"{kind:>17}" for kind in kinds))
    for language in (*sorted({language for language, _ in counts} - {ALL}), ALL):
        cells = []
        for kind in kinds:
            hits, alarms, missed = counts.get((language, kind), [0, 0, 0])
            cells.append(f"{share(hits, hits + alarms)} / {share(hits, hits + missed)}")
        print(f"  {language:4}" + "".join(f"{cell:>17}" for cell in cells))


def microseconds(prompt: str) -> float:
    times = []
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(100):
            orders.find(prompt)
        times.append((time.perf_counter() - began) * 1e4)
    return median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--misses", action="store_true", help="print each prompt of tune and held that is heard wrongly"
    )
    misses = parser.parse_args().misses
    print(machine())
    for part in ("tune", "held", "fresh"):
        print_table(part, misses and part != "fresh")
    outside = [json.loads(line) for line in (LABELLED / "outside.jsonl").read_text(encoding="utf-8").splitlines()]
    right = sum([one.text for one in orders.find(row["prompt"])] == row["requests"] for row in outside)
    print(f"outside text: {right} of {len(outside)} prompts heard exactly")

    prompts = {"an ordinary prompt": ORDINARY, "a question with always and never": ABOUT, "an order": ORDER}
    load = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from holdfast.text import orders; "
    programs = {"import": load} | {name: f"{load}orders.find({prompt!r})" for name, prompt in prompts.items()}
    with tempfile.TemporaryDirectory() as folder:
        candidates = {
            name: functools.partial(once, [sys.executable, "-I", "-S", "-c", code], {}, Path(folder))
            for name, code in programs.items()
        }
        times = {name: median(spent) * 1000 for name, spent in interleaved(candidates, 20).items()}
    for name, prompt in prompts.items():
        first = times[name] - times["import"]
        print(f"  {name:34} {microseconds(prompt):7.1f} us, {first:+6.1f} ms when first in a process")


if __name__ == "__main__":
    main()
