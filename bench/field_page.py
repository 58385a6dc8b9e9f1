"""What docs/benchmarks.md says of bench/field.py, and the picture beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import commit, machine

COMMAND = "python bench/field.py --png docs/field-growth.png --write docs/benchmarks.md"
INTRO = """Texts and vectors are generated (words as frequent as in a language, 256 parts), so that the store is
measured and not a model; a tenth of the thoughts belong to the project that is asked. An answer is the best ten by
words and meaning; vectors are searched exactly, so its time grows with their number. "Noting it" is the write that
follows a retrieval's answer. A fresh process includes its start, which is named beside it. "At once" means two
processes that think and four that ask and note it."""


def lines(found: Sequence[dict[str, Any]], target: float, picture: str) -> list[str]:
    rows = (
        ("taken into the index, a second", "taken_per_s", ",.0f"),
        ("index on disk, MB", "disk_mb", ",.1f"),
        ("logs it is made of, MB", "truth_mb", ",.1f"),
        ("peak memory of the process that made it, MB", "peak_mb", ",.0f"),
        ("answer in a warm process, p50, ms", "warm_p50_ms", ",.1f"),
        ("answer in a warm process, p99, ms", "warm_p99_ms", ",.1f"),
        ("answer in a fresh process, p50, ms", "fresh_p50_ms", ",.0f"),
        ("answer in a fresh process, slowest, ms", "fresh_max_ms", ",.0f"),
        ("of which its start and imports, ms", "bare_ms", ",.0f"),
        ("noting it, ms", "noting_p50_ms", ",.2f"),
        (f"with reinforcement to without (target {target})", "ratio", ".2f"),
        ("sync where nothing changed, ms", "sync_p50_ms", ",.2f"),
        ("one thought more, synced to disk, ms", "think_p50_ms", ",.1f"),
        ("at once: thoughts a second", "thoughts_at_once_per_s", ",.1f"),
        ("at once: answers a second", "reads_at_once_per_s", ",.1f"),
        ("at once: processes that met an error", "errors_at_once", "d"),
    )
    head = "| thoughts | " + " | ".join(f"{one['size']:,}" for one in found) + " |"
    table = [f"| {title} | " + " | ".join(format(one[key], how) for one in found) + " |" for title, key, how in rows]
    met = "met" if all(one["ratio"] <= target for one in found) else "NOT met"
    shown = [f"![Growth of an answer's time and of disk with the number of thoughts]({Path(picture).name})", ""]
    return [
        f"## Cost (`{COMMAND}`)",
        "",
        INTRO,
        "",
        f"Commit {commit()}; {machine()}. The target for reinforcement is {met}.",
        "",
        head,
        "|---" * (len(found) + 1) + "|",
        *table,
        "",
        *(shown if picture else []),
    ][: None if picture else -1]


def plot(found: Sequence[dict[str, Any]], path: str) -> None:
    """How cost grows, as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4))
    sizes = [one["size"] for one in found]
    curves = (
        ("answer, warm", "warm_p50_ms"),
        ("p99", "warm_p99_ms"),
        ("fresh process", "fresh_p50_ms"),
        ("sync, no change", "sync_p50_ms"),
    )
    for label, key in curves:
        left.plot(sizes, [one[key] for one in found], marker="o", label=label)
    left.set(xscale="log", yscale="log", xlabel="thoughts", ylabel="ms")
    right.plot(sizes, [one["disk_mb"] for one in found], marker="o", label="index")
    right.plot(sizes, [one["truth_mb"] for one in found], marker="o", label="logs")
    right.set(xscale="log", yscale="log", xlabel="thoughts", ylabel="MB on disk")
    for one in (left, right):
        one.grid(alpha=0.3)
        one.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
