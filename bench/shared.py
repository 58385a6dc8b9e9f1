"""The shared field measured on a real PostgreSQL of its own, side by side with the embedded store.

    python bench/shared.py [--only speed,agents,week] [--sizes 1000,100000,1000000] [--queries 200]
                           [--seconds 600] [--kills 2] [--records 50000]

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
sys.path.insert(0, str(ROOT / "tests" / "unit"))  # the tests' servers are the bench's too

import shared_agents
import shared_speed
import shared_week
import shared_world


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=lambda text: text.split(","), default=["speed", "agents", "week"])
    parser.add_argument("--sizes", type=lambda text: [int(one) for one in text.split(",")], default=[1000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long the agents work")
    parser.add_argument("--kills", type=int, default=2, help="of the primary meanwhile")
    parser.add_argument("--records", type=int, default=50_000, help="that the machine sends that was away")
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine(), "commit": commit()}
    if "speed" in options.only:
        with shared_world.a_team() as team:
            found["speed"] = shared_speed.measured(team, options.sizes, options.queries, tell)
    if "agents" in options.only:
        found["agents"] = shared_agents.measured(options.seconds, options.kills, tell)
    if "week" in options.only:
        with shared_world.a_team() as team:
            found["week"] = shared_week.measured(team, options.records, tell)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
