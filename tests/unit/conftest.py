"""What the tests of the capture room share: a vault in memory, where a sync costs nothing, and a secret that stands in
no file of this repository."""

from __future__ import annotations

import gc
import os
import random
import resource
import shutil
import string
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import forked
import pytest
from hook_fixtures import agents, fresh, terminal  # noqa: F401 - fixtures, for whoever names them

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from field_support import Room

SHARED_MEMORY = Path("/dev/shm")
FEW = 10


def pytest_configure() -> None:
    for is_fast in (True, False):
        forked.parent(is_fast)  # it imports the product while the tests are collected


def pytest_collection_finish() -> None:
    gc.freeze()  # the tests live to the end, and looking through all of them again and again costs a tenth


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Property tests try few examples in the fast group (HOLDFAST_EXAMPLES=few), and all of theirs in the slow one."""
    if os.environ.get("HOLDFAST_EXAMPLES") != "few" or "hypothesis" not in sys.modules:
        return
    from hypothesis import is_hypothesis_test, settings

    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            is_machine = hasattr(item.cls, "settings")
            holder: Any = item.cls if is_machine else item.obj
            name = "settings" if is_machine else "_hypothesis_internal_use_settings"  # as Hypothesis's own plugin does
            own = getattr(holder, name)
            setattr(holder, name, settings(own, max_examples=min(own.max_examples, FEW)))


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A vault with its field open, on a real store, with a clock that a test sets."""
    from field_support import Room

    made = Room(f"{tmp_path}/vault")
    yield made
    made.close()


@pytest.fixture(scope="session", autouse=True)
def one_tokenizer() -> None:
    """The model that comes along is loaded once for all tests of a process, not for every close and every question."""
    forked.share_the_model()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads would be missing in a fork


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
