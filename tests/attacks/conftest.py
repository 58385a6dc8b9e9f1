"""The size of a run, a fresh home for each attack, and the table of counts at the end; see the package's docstring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hook_support import Agents, Home, Terminal, a_home

from .support import COUNTS, NAME

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


def pytest_report_header() -> str:
    return f"attacks: HOLDFAST_ATTACKS={NAME}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not COUNTS:
        return
    terminalreporter.section(f"attacks: HOLDFAST_ATTACKS={NAME}")
    for topic, (tried, through) in sorted(COUNTS.items()):
        terminalreporter.line(f"{topic:<48} tried {tried:>6,} · got through {through:>4,}")
