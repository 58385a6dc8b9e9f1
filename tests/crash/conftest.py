"""Sizes, seeds and the summary of counts; see the package's docstring."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import own_state  # noqa: F401
import pytest
import worker_counts
from hook_fixtures import fresh, terminal  # noqa: F401 - fixtures, for whoever names them

from .support import COUNTS, NAME, SEED, SHARED_MEMORY, count

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_report_header() -> str:
    return f"crash suite: HOLDFAST_CRASH={NAME} HOLDFAST_SEED={SEED}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    worker_counts.hand_over(session, COUNTS)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    for topic, numbers in worker_counts.of(node).items():
        count(topic, **numbers)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not COUNTS:
        return
    terminalreporter.section(f"crash suite: HOLDFAST_CRASH={NAME} HOLDFAST_SEED={SEED}")
    for topic, numbers in COUNTS.items():
        shown = " · ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in numbers.items())
        terminalreporter.line(f"{topic:<16} {shown}")


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one, for what does not depend on the disk: there a sync costs nothing."""
    if not SHARED_MEMORY.is_dir():
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="holdfast-crash-", dir=SHARED_MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def strace() -> str:
    found = shutil.which("strace")
    if found is None:
        if os.environ.get("HOLDFAST_NO_SKIP"):
            pytest.fail("strace is not installed, and nothing may be skipped here")
        pytest.skip("strace is not installed; system calls can neither be failed nor recorded without it")
    return found
