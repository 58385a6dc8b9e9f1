"""This machine's settings: parsed when they change and never else, harmless whatever stands in them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hook_support import PYTHON, SOURCE, Home, make_read_only, mounted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.capture import config

LOADED = """
import sys
sys.path.append(sys.argv[1])
from holdfast.capture import config
found = config.load(sys.argv[2])
print(sorted(found), "tomllib" in sys.modules, "re" in sys.modules)
"""


def loaded_in_a_process(state: str) -> str:
    """What a fresh `python -I -S` reads, and whether it had to load a parser for that."""
    command = [PYTHON, "-I", "-S", "-c", LOADED, str(SOURCE), state]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def write(state: str, text: str) -> Path:
    Path(state).mkdir(parents=True, exist_ok=True)
    path = Path(config.path_of(state))
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_there_is_nothing_and_nothing_is_written(state: str) -> None:
    assert config.load(state) == {}
    assert not Path(state).exists()


def test_an_unchanged_file_is_not_parsed_again(state: str) -> None:
    write(state, 'mode = "strict"\n[nudge]\nquiet_s = 5\n')
    assert loaded_in_a_process(state) == "['mode', 'nudge'] True True"
    assert loaded_in_a_process(state) == "['mode', 'nudge'] False False"


def test_a_changed_file_is_read_at_once_even_where_its_size_and_time_are_the_same(state: str) -> None:
    path = write(state, "[nudge]\nquiet_s = 5\n")
    before = path.stat()
    assert config.section(config.load(state), "nudge") == {"quiet_s": 5}
    path.write_text("[nudge]\nquiet_s = 7\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert config.section(config.load(state), "nudge") == {"quiet_s": 7}


@pytest.mark.parametrize(
    "text", ["[nudge\n", "mode = strict", "\x00", "a = 1\na = 2", "[" * 5000, "x = '" + "y" * 300_000]
)
def test_a_broken_file_changes_nothing_says_so_and_is_tried_once(state: str, text: str) -> None:
    write(state, text)
    found = config.load(state)
    assert list(found) == ["problem"]
    assert "the defaults hold" in found["problem"]
    assert loaded_in_a_process(state) == "['problem'] False False"


def test_bytes_that_are_no_text_change_nothing(state: str) -> None:
    write(state, "").write_bytes(b"mode = '\xff\xfe'")
    assert list(config.load(state)) == ["problem"]


def test_a_folder_a_pipe_or_a_link_in_its_place_changes_nothing(state: str) -> None:
    path = Path(config.path_of(state))
    path.mkdir(parents=True)
    assert list(config.load(state)) == ["problem"]
    path.rmdir()
    os.mkfifo(path)
    assert list(config.load(state)) == ["problem"]
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert list(config.load(state)) == ["problem"]


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b"null", b'{"v":1}', b'{"stamp":1,"config":3}', b"\xff" * 100])
def test_a_broken_copy_is_made_anew(state: str, kept: bytes) -> None:
    write(state, 'mode = "strict"')
    (Path(state) / "config.json").write_bytes(kept)
    assert config.load(state) == {"mode": "strict"}
    assert json.loads((Path(state) / "config.json").read_bytes())["config"] == {"mode": "strict"}


def test_what_json_cannot_hold_is_read_each_time(state: str) -> None:
    write(state, 'mode = "strict"\nsince = 2026-01-01\nlimit = nan\n')
    for _ in range(2):
        assert config.load(state)["mode"] == "strict"


def test_a_disk_that_takes_nothing_does_not_keep_it_from_being_read(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "64k") as disk:
        write(str(disk), 'mode = "strict"')
        make_read_only(disk)
        assert config.load(str(disk)) == {"mode": "strict"}


odd = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers() | st.text())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=odd)
def test_a_setting_of_another_type_is_as_good_as_none(value: object) -> None:
    given_so = {"nudge": value, "off": value, "quiet_s": value}
    assert isinstance(config.section(given_so, "nudge"), dict)
    assert all(isinstance(one, str) for one in config.texts(given_so, "off", ("x",)))
    assert isinstance(config.number(given_so, "quiet_s", 1.0), float)


def test_a_number_too_large_for_any_clock_is_as_good_as_none() -> None:
    assert config.number({"quiet_s": 10**400}, "quiet_s", 120.0) == 120.0
    assert config.number({"quiet_s": True}, "quiet_s", 120.0) == 120.0
    assert config.number({"quiet_s": 0}, "quiet_s", 120.0) == 0.0


def test_a_broken_file_leaves_the_hook_as_it_was(fresh: Home) -> None:
    fresh.reply(fresh.event("SessionStart"))
    write(fresh.state, "[nudge\nquiet_s = 5")
    told = fresh.reply(fresh.event("PostToolUse", tool_name="mcp__x__mark_chapter", tool_input={"title": "one"}))
    assert "A chapter is closed" in told["additionalContext"]
    assert fresh.errors() == []
