"""What /openapi.json promises holds: schemathesis asks every route with data that fits and data that does not, in order
and in chains, and every one of its checks is made of every answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit"))
from hook_support import a_home
from serve_support import serving

from holdfast.memory import Memory
from holdfast.vault.edits import Asked

EXAMPLES = 20
RUN = ("run", "--mode", "all", "--max-examples", str(EXAMPLES), "--generation-deterministic", "--no-color")


@pytest.mark.slow
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    with a_home(tmp_path) as home:
        memory = Memory.open(str(home.vault), str(home.project), env=home.env)
        memory.notes.remember(Asked("The shop deploys on Mondays.", project=memory.at.project().id))
        memory.tasks.start("0", "Move the shop.", ["files 1-3"])
        home.flag("the shop has 3 clerks")
        with serving(home) as server:
            server.think("orders are locked by row")
            where = [f"{server.address}/openapi.json", "--header", f"Authorization: Bearer {server.token}"]
            done = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", *RUN, *where],
                cwd=tmp_path,
                env={**os.environ, "HOME": str(tmp_path)},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
            assert "13 selected / 13 total" in done.stdout
            assert server.get("/health").status == 200
            assert server.stop() == 0
            assert server.process.stderr
            assert "Traceback" not in server.process.stderr.read()
