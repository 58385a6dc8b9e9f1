"""What redaction costs: microseconds a line, and milliseconds for the first secret of a process.

    python bench/redaction.py [--runs 40]

Medians of `time.perf_counter`; processes are timed in turn with a bare `python -I -S`, so that a noisy machine
disturbs both alike. The secret is made here at random.
"""

from __future__ import annotations

import argparse
import functools
import random
import string
import sys
import tempfile
import time
from pathlib import Path

from support import ROOT, interleaved, machine, median, once

sys.path.insert(0, str(ROOT / "src"))

from holdfast.capture.redaction import redact
from holdfast.capture.redaction_match import RULES

TOKEN = "ghp_" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=36))
LINES = {
    "an ordinary line": (
        "fixed the flaky retry in src/holdfast/capture/queue.py:142 by waiting for the lease to lapse first; "
        "test_claim_returns_expired_leases passes now on 3.11 and 3.12, commit 4f2c9e1 has the change"
    ),
    'a line with "token" and "key" in prose': (
        "the token expires after 5 minutes and the cache key is built from the path, so a stale entry is read twice "
        "when the worker restarts; see docs/recovery.md for what to do and who to ask about it"
    ),
    "a line with a secret": (
        f"the deploy failed because GITHUB_TOKEN={TOKEN} had expired, so I put a new one into the vault and ran the "
        "pipeline again, which passed"
    ),
}


def microseconds(line: str, runs: int) -> float:
    repeats = 500
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        for _ in range(repeats):
            redact(line)
        times.append((time.perf_counter() - began) / repeats * 1e6)
    return median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    print(f"{machine()}; {runs} runs each, {RULES} rules")
    for name, line in LINES.items():
        padded = line.ljust(200)[:200]
        print(f"  {name:40} {microseconds(padded, runs):7.1f} us")

    load = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); from holdfast.capture.redaction import redact; "
    programs = {
        "bare": "pass",
        "import": load,
        "ordinary": f"{load}redact({LINES['an ordinary line']!r})",
        "secret": f"{load}redact({LINES['a line with a secret']!r})",
    }
    with tempfile.TemporaryDirectory() as folder:
        candidates = {
            name: functools.partial(once, [sys.executable, "-I", "-S", "-c", code], {}, Path(folder))
            for name, code in programs.items()
        }
        times = {name: median(spent) * 1000 for name, spent in interleaved(candidates, runs).items()}
    print(f"  {'a fresh process, bare':40} {times['bare']:7.1f} ms")
    print(f"  {'and the import':40} {times['import'] - times['bare']:+7.1f} ms")
    print(f"  {'and an ordinary line':40} {times['ordinary'] - times['bare']:+7.1f} ms")
    print(f"  {'and a first secret (re, rules, patterns)':40} {times['secret'] - times['bare']:+7.1f} ms")


if __name__ == "__main__":
    main()
