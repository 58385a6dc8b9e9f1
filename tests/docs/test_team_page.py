"""docs/team.md on a real PostgreSQL: two homes share a thought, its weight and a highway, and a server answers."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pages
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

if TYPE_CHECKING:
    from pg_cluster import Postgres

PAGE = pages.ROOT / "docs" / "team.md"


@pytest.mark.slow
def test_the_examples_of_the_team_page_print_what_it_says(tmp_path: Path, postgres_programs: Postgres) -> None:
    cluster = postgres_programs.cluster(tcp=True)
    here = tmp_path / "shop"
    here.mkdir()
    (here / "owner.dsn").write_text(f"{cluster.dsn()}\n", encoding="ascii")
    try:
        for command, expected in pages.examples(PAGE.read_text(encoding="utf-8")):
            got = pages.run(command, tmp_path)
            assert pages.matches(expected, got), f"$ {command}\n{got}"
    finally:
        _end(here / "serve.pid")
        cluster.kill()


def _end(noted: Path) -> None:
    """The server of the page, where the page did not come to end it."""
    try:
        os.kill(int(noted.read_text(encoding="ascii")), signal.SIGTERM)
    except (OSError, ValueError):
        pass
