"""How many made-up flags are caught, and how many right ones are accused, in real sessions of a coding agent.

    python bench/verify_flags.py [--data FOLDER] [--misses]

The sessions are looked for in HOLDFAST_BENCH_DATA, else in ../shared/bench; they may not be copied into the repository.
verify_flags_set makes the flags of each by rule. A made-up flag is caught where it is found unverified, a right one
accused where it is. Sessions 1 and 2 were looked at while the check was made. Of session 3 no flag was read, but its
shares were printed after every change, and both the check and the set were chosen with them in view: it is no clean
hold-out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from support import ROOT, machine

sys.path.insert(0, str(ROOT / "src"))

import verify_flags_set
from holdfast.capture.episodes import ENDED, Episode
from holdfast.capture.story import Story
from holdfast.close.verify import evidence as proofs
from holdfast.close.verify import findings
from holdfast.close.verify.evidence import Evidence
from verify_flags_set import Made

HELD = "session-3"
WHEN = 1_770_900_000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("HOLDFAST_BENCH_DATA") or str(ROOT.parent / "shared" / "bench")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--misses", action="store_true", help="print what is judged wrongly in sessions 1 and 2")
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args()
    folder = given.data / "claude_sessions"
    sessions = sorted(folder.glob("session-*.jsonl.gz"))
    if not sessions:
        print(f"There are no sessions in {folder}, so nothing was measured.")
        return
    print(machine())
    for path in sessions:
        name = path.name.removesuffix(".jsonl.gz")
        began = time.perf_counter()
        found = judged(path, folder / "needed.jsonl", random.Random(f"{given.seed} {name}"))
        _print(name, found, time.perf_counter() - began)
        for one, why in found if given.misses and name != HELD else ():
            if bool(why) == one.is_right:
                print(f"  {'accused' if one.is_right else 'missed'} [{one.kind}] {one.text} -> {why}")


def judged(path: Path, facts: Path, dice: random.Random) -> list[tuple[Made, str]]:
    """The flags of one session, each with what is found to be wrong in it."""
    with tempfile.TemporaryDirectory(prefix="holdfast-flags-") as folder:
        evidence, lines = _session(path, Path(folder))
    true = [
        *verify_flags_set.right(lines, evidence, dice),
        *verify_flags_set.noted(facts, path.name.removesuffix(".jsonl.gz")),
    ]
    made = [*true, *verify_flags_set.wrong(true, evidence.known.lower, dice)]
    cuts: dict[int, Evidence] = {}
    return [(one, findings.flag_problem(one.text, _until(evidence, one.until, cuts))) for one in made]


def _session(path: Path, folder: Path) -> tuple[Evidence, list[tuple[int, dict[str, Any]]]]:
    """The evidence of a whole session, and its lines with their places. Its work tree is not there."""
    raw = gzip.decompress(path.read_bytes())
    file = folder / "transcript.jsonl"
    file.write_bytes(raw)
    lines, at = [], 0
    for line in raw.split(b"\n"):
        if line.strip():
            lines.append((at, json.loads(line)))
        at += len(line) + 1
    cwd = next(str(record["cwd"]) for _, record in lines if record.get("cwd"))
    episode = Episode("claude-code", "s", 1, "p", cwd, WHEN, transcript=str(file), state=ENDED, closed=WHEN)
    return proofs.gather(episode, Story((), ()), (), "", most=len(raw) + 1), lines


def _until(evidence: Evidence, until: int, cuts: dict[int, Evidence]) -> Evidence:
    """What a session had come to at a place."""
    spoken = tuple(said for said in evidence.spoken if said.at < until)
    if len(spoken) not in cuts:
        runs = tuple(run for run in evidence.runs if run.at < until)
        cuts[len(spoken)] = replace(evidence, spoken=spoken, runs=runs)
    return cuts[len(spoken)]


def _print(name: str, found: list[tuple[Made, str]], took: float) -> None:
    print(f"\n{name}{' (held out)' if name == HELD else ''}: {took / len(found) * 1000:.0f} ms a flag, no model asked")
    for is_right, what, verb in ((False, "made up", "caught"), (True, "right", "accused")):
        of: Counter[str] = Counter()
        hit: Counter[str] = Counter()
        for one, why in found:
            if one.is_right is is_right:
                of[one.kind] += 1
                hit[one.kind] += bool(why)
        for kind in (*sorted(of), "all"):
            count, total = (hit[kind], of[kind]) if kind != "all" else (hit.total(), of.total())
            print(f"  {what:8} {kind:15} {verb} {count:4} of {total:4}  {100 * count / max(1, total):5.1f} %")


if __name__ == "__main__":
    main()
