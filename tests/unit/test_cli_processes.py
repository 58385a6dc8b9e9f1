"""Each command once as the process that a shell starts; the other tests fork theirs (forked.py)."""

from __future__ import annotations

import pytest
from hook_support import Home

from holdfast.cli import app, fast

pytestmark = pytest.mark.slow  # it starts processes by the hundred


@pytest.mark.parametrize("name", sorted({*app.COMMANDS, *fast.COMMANDS}))
def test_a_started_command_says_what_a_forked_one_says(fresh: Home, name: str) -> None:
    forked = fresh.cli(*name.split(), "--help")
    fresh.real = True
    started = fresh.cli(*name.split(), "--help")
    assert (started.status, started.out, started.err) == (forked.status, forked.out, forked.err)
    assert (started.status, started.err) == (0, "")


@pytest.mark.parametrize("name", sorted(fast.COMMANDS))
def test_a_started_command_of_the_fast_path_says_what_a_forked_one_says(fresh: Home, name: str) -> None:
    forked = fresh.fast(*name.split(), "--help")
    fresh.real = True
    started = fresh.fast(*name.split(), "--help")
    assert (started.status, started.out, started.err) == (forked.status, forked.out, forked.err)


def test_started_commands_keep_a_flag_file_it_and_find_it_again(fresh: Home) -> None:
    fresh.real = True
    assert fresh.hook(fresh.event("SessionStart", source="startup")).status == 0
    assert fresh.fast("flag", "--kind", "decision", "Orders are written to Postgres first.").status == 0
    assert "Orders are written to Postgres first." in fresh.cli("queue").out
    assert fresh.cli("close").status == 0
    assert "Orders are written to Postgres first." in fresh.cli("recall", "where are orders written").out
    assert "Orders are written to Postgres first." in fresh.hook(fresh.event("SessionStart", "s2")).context


@pytest.mark.parametrize("host", ["claude-code", "codex", "generic"])
def test_a_started_hook_answers_as_a_forked_one(fresh: Home, host: str) -> None:
    payload = fresh.event("SessionStart", source="startup")
    forked = fresh.hook(payload, host)
    fresh.real = True
    started = fresh.hook(payload, host)
    assert (started.status, started.out, started.err) == (forked.status, forked.out, forked.err)
