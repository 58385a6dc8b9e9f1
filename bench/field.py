"""What the field costs as it grows: taking in, asking in a warm process and in a fresh one, disk and memory.

    python bench/field.py [--sizes 1000,10000,100000,1000000] [--queries 200] [--fresh 15] [--seconds 10]
                          [--png docs/field-growth.png] [--write docs/benchmarks.md] [--json]
    python bench/field.py --notes [--sizes 200,2000,20000]
    python bench/field.py --serve [--sizes 200,2000,20000] [--clients 50] [--seconds 10]

Texts are generated, of words as frequent as in a language; vectors are generated too (256 parts, from the words), so
that it is the store that is measured and not a model. In each store two writers and four readers then work at once,
for some seconds, each a process of its own. `--notes` measures instead what a sync costs where nothing changed, in
vaults of so many notes, and `--serve` what a server of them answers to many clients at once. Targets: a retrieval with
its reinforcement takes at most 1.3 of one without; a sync without changes does not grow; nobody meets an error; the
99th percentile of many clients is at most 15 times that of one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import bench_page
import field_page
import field_serve
from support import ROOT, machine, median

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture import home
from holdfast.capture.ids import new_id
from holdfast.field import handle, intake, retrieval, think, traffic
from holdfast.field.embedders import unit
from holdfast.field.handle import Field
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.vault import notes

PROJECTS, VOCABULARY, PARTS = 10, 20_000, 256
BATCH = 1000
THINKS = 20
TARGET = 1.3
NOW = 1_790_000_000.0


class Generated:
    """Vectors without a model: each word is a direction of its own."""

    name = "generated-256"
    dimension = PARTS

    def __init__(self) -> None:
        import numpy

        self.numpy = numpy
        self.directions = numpy.random.default_rng(7).standard_normal((4096, PARTS), dtype=numpy.float32)

    def embed(self, texts: Sequence[str]) -> Any:
        rows = [self.directions[[zlib.crc32(word.encode()) % 4096 for word in text.split()]].sum(0) for text in texts]
        return unit(self.numpy.stack(rows))


def main() -> None:
    options = _options()
    if options.ask:
        _ask_once(options.ask, options.query)
        return
    if options.work:
        _work(options.work, options.query, options.seconds)
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=options.folder or None) as name:
        if options.notes or options.serve:
            look = _served if options.serve else _notes
            found = [look(Path(name) / str(size), size, options) for size in options.sizes or (200, 2000, 20_000)]
        else:
            sizes = options.sizes or (1000, 10_000, 100_000, 1_000_000)
            found = [_measured(Path(name) / str(size), size, options) for size in sizes]
    if options.png:
        field_page.plot(found, options.png)
    if options.write:
        bench_page.written(options.write, "cost", field_page.lines(found, TARGET, options.png))
    if options.json:
        print(json.dumps({"machine": machine(), "found": found}))
    elif options.notes:
        _print_notes(found)
    elif options.serve:
        print("\n".join([machine(), *field_serve.lines(found)]))
    else:
        print("\n".join(field_page.lines(found, TARGET, options.png)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=[])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--fresh", type=int, default=15)
    parser.add_argument("--folder", default="", help="where the vaults are made; the default is the temporary folder")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--clients", type=int, default=50, help="that ask a server at once")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long writers and readers work at once")
    parser.add_argument("--png", default="")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ask", default="", help=argparse.SUPPRESS)
    parser.add_argument("--query", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


class Speaker:
    """Says sentences of made-up words, a few of them frequent and most of them rare."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        letters = random.Random(1)
        sounds = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        self.words = ["".join(letters.choices(sounds, k=letters.randint(2, 4))) for _ in range(VOCABULARY)]

    def says(self, count: int) -> str:
        return " ".join(self.words[int(VOCABULARY ** self.dice.random()) - 1] for _ in range(count))


def _measured(folder: Path, size: int, options: argparse.Namespace) -> dict[str, Any]:
    vault = str(folder / "vault")
    home.make_vault(vault)
    speaker = Speaker(size)
    began = time.perf_counter()
    for begin in range(0, size, BATCH):
        now = NOW + begin
        made = [
            Thought(new_id(now, nth), speaker.says(20), project=f"project-{nth % PROJECTS}", agent="a", created=now)
            for nth in range(min(BATCH, size - begin))
        ]
        traffic.append(vault, made, now)
    written = time.perf_counter() - began
    with handle.opened(vault, Generated(), lambda: NOW + 2 * size) as field:
        began = time.perf_counter()
        intake.sync(field)
        taken = time.perf_counter() - began
        warm = _warm(field, speaker, options.queries)
        thinking = [_timed(partial(_think, field, speaker.says(20))) for _ in range(THINKS)]
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    fresh = [_fresh(vault, speaker.says(4)) for _ in range(options.fresh)]
    bare = [_bare() for _ in range(options.fresh)]
    together = _together(vault, options.seconds)
    disk = sum(path.stat().st_size for path in (folder / "vault" / ".state").glob("field.db*"))
    truth = sum(path.stat().st_size for path in (folder / "vault" / "thoughts").rglob("*.log"))
    return {
        "size": size,
        "written_per_s": size / written,
        "taken_per_s": size / taken,
        "disk_mb": disk / 1e6,
        "truth_mb": truth / 1e6,
        "peak_mb": resident,
        **warm,
        "think_p50_ms": median(thinking) * 1e3,
        "fresh_p50_ms": median(fresh) * 1e3,
        "fresh_max_ms": max(fresh) * 1e3,
        "bare_ms": median(bare) * 1e3,
        **together,
    }


def _think(field: Field, text: str) -> None:
    think.think(field, Thought("", text, agent="a", project="project-1"))


def _warm(field: Field, speaker: Speaker, queries: int) -> dict[str, float]:
    """Interleaved, so that a noisy machine disturbs them alike: the answer alone, what noting it takes after that, and
    a sync where nothing changed."""
    alone: list[float] = []
    noting: list[float] = []
    looking: list[float] = []
    for nth in range(queries + 5):
        query, scope = speaker.says(4), Scope(f"project-{nth % PROJECTS}")
        began = time.perf_counter()
        answer = retrieval.ask(field, query, scope)
        asked = time.perf_counter()
        retrieval.reinforce(field, answer, f"agent-{nth % 5}")
        noted = time.perf_counter()
        intake.sync(field)
        if nth >= 5:
            alone.append(asked - began)
            noting.append(noted - asked)
            looking.append(time.perf_counter() - noted)
    both = [one + other for one, other in zip(alone, noting, strict=True)]
    return {
        "warm_p50_ms": median(alone) * 1e3,
        "warm_p99_ms": _p99(alone) * 1e3,
        "noting_p50_ms": median(noting) * 1e3,
        "ratio": median(both) / median(alone),
        "sync_p50_ms": median(looking) * 1e3,
    }


def _p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def _fresh(vault: str, query: str) -> float:
    command = [sys.executable, __file__, "--ask", vault, "--query", query]
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _bare() -> float:
    """A process that imports what the fresh one imports, and asks nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, __file__, "--ask", "-"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _ask_once(vault: str, query: str) -> None:
    embedder = Generated()
    if vault == "-":
        return
    with handle.opened(vault, embedder, lambda: NOW) as field:
        print(json.dumps([one.as_record() for one in retrieval.ask(field, query, Scope("project-1")).results]))


def _together(vault: str, seconds: float) -> dict[str, float]:
    """Two who think and four who ask and note it, at once, each in a process of its own; one that meets an error ends
    with it."""
    works = ["think"] * 2 + ["read"] * 4
    command = [sys.executable, __file__, "--work", vault, "--seconds", str(seconds), "--query"]
    started = [subprocess.Popen([*command, work], stdout=subprocess.PIPE, text=True) for work in works]
    said = [(work, process.communicate()[0], process.returncode) for work, process in zip(works, started, strict=True)]
    done = {work: sum(int(out or 0) for one, out, _ in said if one == work) for work in ("think", "read")}
    return {
        "thoughts_at_once_per_s": done["think"] / seconds,
        "reads_at_once_per_s": done["read"] / seconds,
        "errors_at_once": sum(status != 0 for _, _, status in said),
    }


def _work(vault: str, work: str, seconds: float) -> None:
    speaker, done = Speaker(os.getpid()), 0
    with handle.opened(vault, Generated(), lambda: NOW) as field:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            if work == "think":
                _think(field, speaker.says(20))
            else:
                intake.sync(field)
                retrieval.reinforce(field, retrieval.ask(field, speaker.says(4), Scope("project-1")), work)
            done += 1
    print(done)


def _noted(folder: Path, size: int, project: str) -> str:
    """A vault with so many notes; returns its path."""
    vault = str(folder / "vault")
    home.make_vault(vault)
    os.makedirs(f"{vault}/knowledge")
    speaker = Speaker(size)
    for nth in range(size):
        text = speaker.says(20)
        made = notes.new_text(
            name=f"n{nth}",
            description=text,
            kind="knowledge",
            body=text,
            day="2026-09-01",
            project=project,
            origin="agent",
        )
        Path(f"{vault}/knowledge/n{nth}.md").write_text(made)
    return vault


def _served(folder: Path, size: int, options: argparse.Namespace) -> dict[str, Any]:
    vault = _noted(folder, size, notes.GLOBAL)
    speaker = Speaker(size + 1)
    asked = [speaker.says(4) for _ in range(2000)]
    return field_serve.measured(vault, size, asked, options.clients, options.seconds)


def _notes(folder: Path, size: int, _: argparse.Namespace) -> dict[str, Any]:
    """A sync with nothing to do, one with one note edited, and the look at every file."""
    vault = _noted(folder, size, "p")
    clock = [NOW]
    with handle.opened(vault, None, lambda: clock[0]) as field:
        time.sleep(0.2)  # until the times of the files can be believed
        first = _timed(lambda: intake.sync(field))
        idle = [_timed(lambda: intake.sync(field)) for _ in range(50)]
        everything = _timed(lambda: intake.sync(field, thorough=True))
    return {
        "size": size,
        "first_per_s": size / first,
        "idle_p50_ms": median(idle) * 1e3,
        "thorough_ms": everything * 1e3,
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _print_notes(found: list[dict[str, Any]]) -> None:
    print(f"{machine()}; a sync of notes")
    for one in found:
        print(f"  {one['size']:>9,} notes: the first {one['first_per_s']:,.0f}/s, then without changes", end=" ")
        print(f"{one['idle_p50_ms']:.2f} ms; a look at every file {one['thorough_ms']:.1f} ms")


if __name__ == "__main__":
    main()
