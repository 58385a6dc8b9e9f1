"""What importing costs a fresh process: why the fast path imports so little.

    python bench/imports.py [--runs 40]

Each as a ratio to a bare `python -I -S -c pass`, interleaved medians.
"""

from __future__ import annotations

import argparse
import functools
import sys
import tempfile
from pathlib import Path

from support import ROOT, interleaved, machine, median, once

sys.path.insert(0, str(ROOT / "src"))

from holdfast.install.launcher import interpreter

MODULES = ("pass", "import _json", "import posix, zlib, fcntl", "import os", "import re", "import json",
           "import dataclasses", "import typing", "import argparse", "import tomllib", "import sqlite3")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        candidates = {
            code: functools.partial(once, [interpreter(), "-I", "-S", "-c", code], {}, Path(folder)) for code in MODULES
        }
        times = interleaved(candidates, runs)
    bare = median(times["pass"])
    print(f"{machine()}; {runs} runs each, interleaved; bare {bare * 1000:.1f} ms")
    for code, spent in times.items():
        print(f"  {code:30} {median(spent) / bare:.2f} x")


if __name__ == "__main__":
    main()
