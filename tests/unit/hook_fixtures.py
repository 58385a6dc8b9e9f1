"""Fixtures of the command line and the hook, for every group that drives them: its conftest imports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hook_support import Agents, Home, Terminal, a_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@pytest.fixture
def agents() -> Iterator[Agents]:
    with Agents() as made:
        yield made


@pytest.fixture
def terminal(fresh: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(fresh, monkeypatch, capfd)
