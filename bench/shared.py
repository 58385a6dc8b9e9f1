"""The shared field measured on a real PostgreSQL of its own, side by side with the embedded store.

    python bench/shared.py [--only speed,…] [--sizes 1000,100000,1000000] [--queries 200]

The server comes out of the wheel that the tests use, syncs as a real one does, and listens on a socket.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))

import shared_speed
import shared_world


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=lambda text: text.split(","), default=["speed"])
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=[1000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine(), "commit": commit()}
    with shared_world.a_team() as team:
        if "speed" in options.only:
            found["speed"] = shared_speed.measured(team, options.sizes, options.queries, tell)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
