"""The size of a run, a fresh home for each attack, and the table of counts at the end; see the package's docstring."""

from __future__ import annotations

import pytest
from hook_fixtures import agents, fresh, terminal  # noqa: F401 - fixtures, for whoever names them

from .support import COUNTS, NAME


def pytest_report_header() -> str:
    return f"attacks: HOLDFAST_ATTACKS={NAME}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not COUNTS:
        return
    terminalreporter.section(f"attacks: HOLDFAST_ATTACKS={NAME}")
    for topic, (tried, through) in sorted(COUNTS.items()):
        terminalreporter.line(f"{topic:<48} tried {tried:>6,} · got through {through:>4,}")
