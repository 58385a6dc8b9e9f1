"""What the tests of the capture room share: a vault in memory, where a sync costs nothing, and a secret that stands in
no file of this repository."""

from __future__ import annotations

import random
import resource
import shutil
import string
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_fixtures import agents, fresh, terminal  # noqa: F401 - fixtures, for whoever names them

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, in memory where there is such a thing."""
    if not SHARED_MEMORY.is_dir():
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="holdfast-unit-", dir=SHARED_MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def vault(place: Path) -> str:
    """Where a vault will be; nothing is there yet."""
    return f"{place}/vault"


@pytest.fixture
def state(vault: str) -> str:
    """The vault's own folder for what is not in git; nothing is there yet."""
    return f"{vault}/.state"


@pytest.fixture
def token() -> str:
    """A made-up secret in the shape of a GitHub token."""
    dice = random.Random("a made-up token")
    return "ghp_" + "".join(dice.choices(string.ascii_letters + string.digits, k=36))


@pytest.fixture
def no_file_over() -> Callable[[int], AbstractContextManager[None]]:
    """While it holds, the kernel lets no file of this process grow over so many bytes: a real short write."""

    @contextmanager
    def limit(size: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limit
