"""The size of a run, a fresh home for each attack, and the table of counts at the end; see the package's docstring."""

from __future__ import annotations

import pytest
import worker_counts
from hook_fixtures import agents, fresh, terminal  # noqa: F401 - fixtures, for whoever names them

from .support import COUNTS, NAME, count


def pytest_report_header() -> str:
    return f"attacks: HOLDFAST_ATTACKS={NAME}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    worker_counts.hand_over(session, COUNTS)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    for topic, numbers in worker_counts.of(node).items():
        count(topic, *numbers)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not COUNTS:
        return
    terminalreporter.section(f"attacks: HOLDFAST_ATTACKS={NAME}")
    for topic, (tried, through) in sorted(COUNTS.items()):
        terminalreporter.line(f"{topic:<48} tried {tried:>6,} · got through {through:>4,}")
