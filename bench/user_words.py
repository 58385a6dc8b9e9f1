"""How many of a user's lasting prompts a sentence is shown of, when only some of the sentences are shown.

    python bench/user_words.py [--fit] [--data FOLDER]

The prompts are real ones, labelled by a careful reader: order, correction, remember, fact, or nothing that lasts, with
the sentences that carry it. They are looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench, and may not be copied
into this repository.

A prompt counts as reached when a sentence is shown that carries what lasts in it; another sentence of the same prompt
does not count. The weights are fitted on all days but one, and the sentences of that day are scored with them, in turn;
the scores of all days together are then cut at a share of all sentences. The product itself is asked too, with a judge
that answers as labelled and makes something up (bench/user_words_judged.py). `--fit` prints the numbers that stand in
src/holdfast/text/sentence_score.py, fitted on all days.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from support import ROOT, machine

sys.path.insert(0, str(ROOT / "src"))

import user_words_judged
from holdfast.text import orders, own_words
from holdfast.text import sentence_score as scorer

FILE = "real_prompts.jsonl.gz"
RIDGE = 3.0  # on standardised features; from 1 to 30 it changes little
SHARES = (0.2, 0.4)


@dataclass(frozen=True)
class Row:
    """One sentence: whose prompt, of which day, its features, and whether it carries what lasts."""

    prompt: int
    day: int
    features: tuple[float, ...]
    lasts: bool


@dataclass(frozen=True)
class Fitted:
    bias: float
    weights: tuple[float, ...]

    def score(self, features: tuple[float, ...]) -> float:
        return self.bias + sum(weight * one for weight, one in zip(self.weights, features, strict=True))


def load(folder: Path) -> list[dict[str, object]]:
    path = folder / FILE
    if not path.exists():
        sys.exit(f"missing in the data folder: {FILE} (--data FOLDER or HOLDFAST_BENCH_DATA); nothing was measured.")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def places(prompt: str, spans: list[str]) -> list[tuple[int, int]]:
    """Where the labelled sentences stand, however their white space is broken."""
    found = []
    for span in spans:
        hit = re.search(r"\s+".join(re.escape(word) for word in span.split()), prompt)
        if hit:
            found.append(hit.span())
    return found


def sentences(data: list[dict[str, object]]) -> list[Row]:
    rows = []
    for number, one in enumerate(data):
        prompt = str(one["prompt"])
        lasting = places(prompt, [str(span) for span in one["spans"]])  # type: ignore[attr-defined]
        masked, found = scorer.spans(prompt)
        for start, end in found:
            lasts = any(begin < end and start < stop for begin, stop in lasting)
            rows.append(Row(number, int(str(one["day"])), scorer.features(masked[start:end]), lasts))
    return rows


def fit(rows: list[Row]) -> Fitted:
    """Logistic regression with a ridge, by Newton's method, on standardised features."""
    size = len(rows[0].features)
    means = [sum(row.features[at] for row in rows) / len(rows) for at in range(size)]
    spread = [
        math.sqrt(sum((row.features[at] - means[at]) ** 2 for row in rows) / len(rows)) or 1 for at in range(size)
    ]
    inputs = [[1.0, *((row.features[at] - means[at]) / spread[at] for at in range(size))] for row in rows]
    beta = [0.0] * (size + 1)
    for _ in range(20):
        gradient = [-RIDGE * one if at else 0.0 for at, one in enumerate(beta)]
        hessian = [[RIDGE if at == other and at else 0.0 for other in range(size + 1)] for at in range(size + 1)]
        for row, values in zip(rows, inputs, strict=True):
            chance = 1 / (1 + math.exp(-sum(b * x for b, x in zip(beta, values, strict=True))))
            error, weight = row.lasts - chance, chance * (1 - chance)
            for at, one in enumerate(values):
                gradient[at] += error * one
                line, part = hessian[at], weight * one
                for other in range(at + 1):
                    line[other] += part * values[other]
        for at in range(size + 1):
            for other in range(at):
                hessian[other][at] = hessian[at][other]
        step = solve(hessian, gradient)
        beta = [one + more for one, more in zip(beta, step, strict=True)]
        if max(map(abs, step)) < 1e-6:
            break
    weights = tuple(one / by for one, by in zip(beta[1:], spread, strict=True))
    return Fitted(beta[0] - sum(weight * mean for weight, mean in zip(weights, means, strict=True)), weights)


def solve(matrix: list[list[float]], values: list[float]) -> list[float]:
    rows = [[*line, value] for line, value in zip(matrix, values, strict=True)]
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda nth: abs(rows[nth][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for nth in range(len(rows)):
            if nth != at:
                factor = rows[nth][at] / rows[at][at]
                rows[nth] = [one - factor * other for one, other in zip(rows[nth], rows[at], strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def left_out(rows: list[Row]) -> list[float]:
    """The score of each sentence by weights that have not seen its day."""
    fitted = {day: fit([row for row in rows if row.day != day]) for day in {row.day for row in rows}}
    return [fitted[row.day].score(row.features) for row in rows]


def beside(rows: list[Row], scores: list[float], less: float) -> list[float]:
    """The scores as the product ranks them: each further sentence of a prompt counts for less."""
    ranked = sorted(range(len(rows)), key=lambda at: -scores[at])
    seen: dict[int, int] = {}
    out = list(scores)
    for at in ranked:
        rank = seen.get(rows[at].prompt, 0)
        seen[rows[at].prompt] = rank + 1
        out[at] = scores[at] - less * rank
    return out


def reached(rows: list[Row], scores: list[float], share: float) -> set[int]:
    """The prompts of which a sentence that lasts is shown."""
    top = sorted(range(len(rows)), key=lambda at: -scores[at])[: round(len(rows) * share)]
    return {rows[at].prompt for at in top if rows[at].lasts}


def told(label: str, found: list[set[int]], lasting: list[int], clear: list[int]) -> str:
    cells = [
        f"{len(one & set(lasting)) / len(lasting):7.0%} {len(one & set(clear)) / len(clear):7.0%}" for one in found
    ]
    return f"  {label:56}" + "   ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="print the weights, fitted on all days")
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    given = parser.parse_args()
    data = load(given.data)
    rows = sentences(data)
    if given.fit:
        print_fit(rows)
        return
    lasting = [at for at, one in enumerate(data) if one["labels"]]
    clear = [at for at in lasting if data[at]["confidence"] == "high"]
    print(machine())
    print(
        f"{len(data)} prompts of {len({row.day for row in rows})} days, {len(rows):,} sentences; {len(lasting)} prompts"
    )
    print(
        f"carry something that lasts, {len(clear)} of them clearly. Share of these of which such a sentence is shown:"
    )
    print(f"  {'':56}{'a fifth shown':>15}   {'two fifths shown':>15}")
    print(f"  {'each day scored by weights fitted on the others':56}{'all':>7} {'clear':>7}   {'all':>7} {'clear':>7}")
    scores = left_out(rows)
    for label, less in (
        ("the likeliest of all sentences", 0.0),
        ("one prompt after the other (as the product does)", scorer.BESIDE),
    ):
        ranked = beside(rows, scores, less)
        print(told(label, [reached(rows, ranked, share) for share in SHARES], lasting, clear))
    heard = {at for at, one in enumerate(data) if orders.find(str(one["prompt"]))}
    print(told("heard by patterns (whatever is shown)", [heard], lasting, clear))
    judged, rules, invented = user_words_judged.shown(data)
    print(told("through the product, a judge that answers as labelled", [judged], lasting, clear))
    print_doubts(data, lasting)
    print(f"rules in force after that: {rules}; spans that the judge made up and that were filed: {invented}")
    print(f"a sentence costs {microseconds(data):.0f} us, masking and splitting included")


def print_doubts(data: list[dict[str, object]], lasting: list[int]) -> None:
    """What quoting costs: prompts taken for pasted, and lasting ones with no sentence that is surely the user's."""
    typed: list[str] = []
    pasted = set()
    unsure = set()
    for at, one in enumerate(data):
        prompt = str(one["prompt"])
        if own_words.is_paste(prompt, lambda: typed):
            pasted.add(at)
            continue
        typed.append(prompt)
        masked, found = scorer.spans(prompt)
        surely = scorer.sure(prompt)
        carry = places(prompt, [str(span) for span in one["spans"]])  # type: ignore[attr-defined]
        mine = [(start, end) for start, end in found if any(begin < end and start < stop for begin, stop in carry)]
        if mine and not any(scorer.is_sure(masked, surely, start, end) for start, end in mine):
            unsure.add(at)
    print(
        f"taken for pasted: {len(pasted)} prompts, {len(pasted & set(lasting))} of them lasting; "
        f"told as perhaps quoted: {len(unsure & set(lasting))} of {len(lasting)} lasting ones"
    )


def print_fit(rows: list[Row]) -> None:
    fitted = fit(rows)
    ranked = sorted(beside(rows, [fitted.score(row.features) for row in rows], scorer.BESIDE), reverse=True)
    print(f"NAMES = {scorer.NAMES}")
    print(f"WEIGHTS = ({', '.join(f'{one:.2f}' for one in fitted.weights)})")
    print(f"BIAS = {fitted.bias:.2f}")
    cuts = [ranked[round(len(ranked) * share)] for share in SHARES]
    print(f"FIFTH, TWO_FIFTHS = {', '.join(f'{one:.2f}' for one in cuts)}")


def microseconds(data: list[dict[str, object]]) -> float:
    prompts = [str(one["prompt"]) for one in data]
    count = sum(len(scorer.of_prompt(one)) for one in prompts)
    began = time.perf_counter()
    for one in prompts:
        scorer.of_prompt(one)
    return (time.perf_counter() - began) / count * 1e6


if __name__ == "__main__":
    main()
