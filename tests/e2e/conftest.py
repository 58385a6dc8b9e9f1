"""What the end-to-end tests share: the pinned agents, one installation of the wheel, a desk for each test.

`python3 tools/test.py e2e` prepares both with a network and then runs the tests without one; run by hand, pytest
prepares what is missing itself.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .processes import end_all_of
from .runners import Desk

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import agents  # noqa: E402

# Not a temporary folder: Codex lets any command write in those, and puts no programs of its own there.
OUTSIDE = Path("/var/tmp")
DESKS: dict[str, type[Desk]] = {"claude": ClaudeDesk, "codex": CodexDesk}


@pytest.fixture(scope="session")
def installed() -> Iterator[Path]:
    """A virtual environment with the wheel of this tree."""
    ready = os.environ.get("HOLDFAST_E2E_VENV")
    if ready:
        yield Path(ready)
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-e2e-", dir=OUTSIDE) as folder:
        yield agents.install_wheel(Path(folder), Path(sys.executable))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


@pytest.fixture
def desk_of(installed: Path, server: ModelServer) -> Iterator[Callable[[str], Desk]]:
    """Makes a desk with a named host, or puts that host on a desk that is there; everything that runs in its home is
    ended with the test."""
    homes: list[Path] = []

    def make(host: str, *, ready: bool = True, beside: Desk | None = None) -> Desk:
        if not agents.is_installed(host):
            if os.environ.get("HOLDFAST_NO_SKIP"):
                pytest.fail(f"{host} is not installed; run python3 tools/agents.py")
            pytest.skip(f"{host} is not installed; run python3 tools/agents.py")
        if beside:
            second = DESKS[host](beside.home, installed, agents.command(host), server)
            second.configure()
            second.register()
            return second
        home = Path(tempfile.mkdtemp(prefix="holdfast-e2e-", dir=OUTSIDE)) / "ada"
        homes.append(home.parent)
        desk = DESKS[host](home, installed, agents.command(host), server)
        if ready:
            desk.set_up()
        return desk

    yield make
    for folder in homes:
        end_all_of(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def desk(desk_of: Callable[[str], Desk], host: str) -> Desk:
    return desk_of(host)


@pytest.fixture
def claude(desk_of: Callable[[str], Desk]) -> ClaudeDesk:
    made = desk_of("claude")
    assert isinstance(made, ClaudeDesk)
    return made


@pytest.fixture
def codex(desk_of: Callable[[str], Desk]) -> CodexDesk:
    made = desk_of("codex")
    assert isinstance(made, CodexDesk)
    return made
