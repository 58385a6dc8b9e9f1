"""The README's first example is what `holdfast demo` really prints; installing it is what tests/e2e does."""

from __future__ import annotations

from pathlib import Path

import pages
import pytest


@pytest.mark.slow
def test_the_readmes_demonstration_prints_what_the_readme_says(tmp_path: Path) -> None:
    found = [one for one in pages.examples((pages.ROOT / "README.md").read_text(encoding="utf-8")) if "demo" in one[0]]
    ((command, expected),) = found
    assert command.endswith("/holdfast demo")
    got = pages.run("holdfast demo", tmp_path)
    assert pages.matches(expected, got), got
    assert list(tmp_path.iterdir()) == [tmp_path / "shop"], "it touches nothing of the user's"
