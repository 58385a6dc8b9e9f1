"""A vault on a disk that takes no writes: everything can be looked at, and what cannot be done says the true cause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_support import Home, Terminal, fill_up, make_read_only, mounted

pytestmark = pytest.mark.slow  # it starts processes by the hundred

LOOKING = [
    *(("notes",), ("show", "deploys"), ("history",), ("boot",), ("check",), ("recall", "deploys"), ("queue",)),
    *(("task", "list"), ("task", "show"), ("loops",), ("review",), ("drafts",), ("log",), ("prompts",)),
]
WRITING = [("close",), ("remember", "More"), ("forget", "deploys", "--yes"), ("task", "checkpoint", "--next", "x")]


@pytest.fixture
def disk(fresh: Home, terminal: Terminal, tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", "8m") as folder:
        fresh.vault = folder / "vault"
        for words in (
            ("remember", "Deploys run from main", "--name", "deploys"),
            ("task", "start", "port", "Port the shop"),
            ("recall", "deploys"),
            ("flag", "--kind", "lesson", "The gateway drops the first call"),
        ):
            done = terminal(*words)
            assert done.status == 0, done.err
        yield folder


@pytest.mark.parametrize("how", ["read-only", "full"])
def test_looking_works_and_writing_names_the_true_cause(disk: Path, terminal: Terminal, how: str) -> None:
    if how == "full":
        fill_up(disk)
    else:
        make_read_only(disk)
    for words in LOOKING:
        done = terminal(*words)
        assert (done.status, "Traceback" in done.err) == (0, False), (words, done.err)
    for words in WRITING:
        done = terminal(*words)
        assert (bool(done.status), "Traceback" in done.err) == (True, False), (words, done.err)
        said = ("Read-only file system",) if how == "read-only" else ("No space left on device", "is full")
        assert any(one in done.err for one in said), (words, done.err)
    assert terminal("audit", "--all").status == 1, "nothing is called well"
    assert terminal("doctor").status
