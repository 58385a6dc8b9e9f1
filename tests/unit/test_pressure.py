"""Context pressure: what is used and what is left, as the hosts' own transcripts and settings tell it."""

from __future__ import annotations

import json
import os
import posix
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.hook import tool_call
from holdfast.hook.tool_call import Pressure
from holdfast.hosts import LARGEST_SETTINGS
from holdfast.hosts.claude_code import limits as claude_code
from holdfast.hosts.codex import limits as codex
from holdfast.text import transcript
from holdfast.text.transcript import Usage

NOWHERE = {"HOME": "/nowhere"}

RECORDED = Path(__file__).parents[1] / "contract" / "transcripts"
CLAUDE, CODEX = transcript.CLAUDE, transcript.CODEX
SMALL = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}  # as the recording was made with


def look(host: str, path: Path, model: str = "", env: dict[str, str] | None = None, **wishes: Any) -> Pressure | None:
    return tool_call.pressure(host, str(path), model, {"pressure": wishes}, env or {})


def until(name: str, mark: str, tmp_path: Path, *, with_it: bool) -> Path:
    """A recording as it was when the host had come to a line."""
    lines = (RECORDED / name).read_text(encoding="utf-8").splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if mark in line]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(lines[: at + with_it]), encoding="utf-8")
    return path


def answer(used: int, model: str = "claude-opus-4-6", **more: object) -> str:
    usage = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 2,
        "cache_read_input_tokens": used - 6,
        "output_tokens": 3,
    }
    return json.dumps({"type": "assistant", "message": {"model": model, "usage": usage}, **more}) + "\n"


def test_before_the_recorded_compaction_the_host_was_over_its_own_limit(tmp_path: Path) -> None:
    path = until("claude-code.auto-compaction.jsonl", "compact_boundary", tmp_path, with_it=False)
    assert look(CLAUDE, path, env=SMALL) == Pressure(195007, 67000, 0.0, "handoff", "claude-opus-5-5")


def test_after_a_compaction_the_use_of_before_is_never_told(tmp_path: Path) -> None:
    path = until("claude-code.auto-compaction.jsonl", "compact_boundary", tmp_path, with_it=True)
    seen = look(CLAUDE, path, env=SMALL)
    assert seen is not None
    assert 0 < seen.used < 10_000
    assert (seen.band, seen.model) == ("", "claude-opus-5-5")
    boundary = json.dumps({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "manual"}})
    path.write_text(answer(100_000) + boundary + "\n")
    assert look(CLAUDE, path) is None, "a host that does not say what it left"
    path.write_text(answer(100_000) + boundary + "\n" + answer(9_000))
    seen = look(CLAUDE, path)
    assert seen is not None
    assert seen.used == 9_000


def test_codex_is_measured_to_the_limit_in_its_own_settings(tmp_path: Path) -> None:
    path = until("codex.auto-compaction.jsonl", '"type":"compacted"', tmp_path, with_it=True)
    assert look(CODEX, path) is None, "nothing is known between a compaction and the next count"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = max(number for number, line in enumerate(lines) if '"total_tokens":20007' in line)
    path.write_text("\n".join(lines[: at + 1]) + "\n", encoding="utf-8")
    (tmp_path / "config.toml").write_text("model_auto_compact_token_limit = 25_000 # mine\n[x]\n")
    seen = look(CODEX, path, env={"CODEX_HOME": str(tmp_path)})
    assert seen == Pressure(20007, 25000, 1 - 20007 / 25000, "write", "")
    plain = look(CODEX, path)
    assert plain is not None
    assert plain.limit == 90000, "nine tenths of the 100,000 that the host shows as 95,000"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("model_auto_compact_token_limit = 5000", 5000),
        ("model_auto_compact_token_limit=+5_000", 5000),
        ("model_auto_compact_token_limit = 99999999", 90000),
        ("# model_auto_compact_token_limit = 5000", 90000),
        ("[profiles.x]\nmodel_auto_compact_token_limit = 5000", 90000),
        ("model_auto_compact_token_limit = -3", 90000),
        ("model_auto_compact_token_limit = 5000\nmodel_auto_compact_token_limit_scope = 'body_after_prefix'", 95000),
        ("\x00\udcff", 90000),
    ],
)
def test_the_limit_of_codex_is_read_from_the_top_of_its_settings(text: str, limit: int, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert codex.limit(Usage(0, "", 95000), {}, {"CODEX_HOME": str(tmp_path)}) == limit


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("claude-opus-4-6", 167_000),
        ("claude-sonnet-4-6", 167_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("claude-haiku-4-5", 200_000),
        ("claude-opus-4-5", 200_000),
        ("claude-3-5-haiku-20241022", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-opus-4-6[1m]", 1_000_000),
        ("claude-opus-4-8", 967_000),
        ("claude-opus-5-5", 967_000),
        ("claude-opus-5-5[1m]", 967_000),
        ("claude-sonnet-5", 967_000),
        ("claude-haiku-5-5", 967_000),
        ("a model nobody knows", 967_000),
        ("", 967_000),
    ],
)
def test_each_model_is_measured_to_where_claude_code_was_seen_to_compact(model: str, limit: int) -> None:
    assert claude_code.limit(Usage(0, model), {}, NOWHERE) == limit


@pytest.mark.parametrize(
    ("env", "limit"),
    [
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}, 67_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150k"}, 117_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "1M"}, 167_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "50000"}, 67_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "nonsense"}, 200_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150k", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}, 65_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "1M", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "99"}, 167_000),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}, 200_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "DISABLE_AUTO_COMPACT": "1"}, 200_000),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "DISABLE_AUTO_COMPACT": "0"}, 67_000),
    ],
)
def test_what_the_user_set_in_the_environment_moves_the_limit_as_it_moves_the_hosts(
    env: dict[str, str], limit: int
) -> None:
    assert claude_code.limit(Usage(0, "claude-sonnet-4-5"), {}, {**NOWHERE, **env}) == limit


def test_the_long_window_can_be_switched_off() -> None:
    assert (
        claude_code.limit(Usage(0, "claude-opus-5-5"), {}, {**NOWHERE, "CLAUDE_CODE_DISABLE_1M_CONTEXT": "1"})
        == 167_000
    )


@pytest.mark.parametrize(
    ("user", "local", "limit"),
    [
        ('{"autoCompactWindow": 120000}', "", 87_000),
        ('{"autoCompactWindow": 120000}', '{"autoCompactWindow": 150000}', 117_000),
        ('{"autoCompactEnabled": false}', "", 200_000),
        ('{"autoCompactEnabled": false}', '{"autoCompactEnabled": true, "autoCompactWindow": 150000}', 117_000),
        ('{"autoCompactWindow": 120000, broken', "", 167_000),
        ('{"modelSettings": {"claude-opus-4-6": {"autoCompactWindow": 110000}}}', "", 77_000),
        ('{"autoCompactWindow": "auto"}', "", 167_000),
        ('["autoCompactWindow"]', "", 167_000),
    ],
)
def test_settings_files_move_the_limit_the_local_ones_last(user: str, local: str, limit: int, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / "settings.json").write_text(user)
    (tmp_path / ".claude" / "settings.local.json").write_text(local)
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path), "CLAUDE_PROJECT_DIR": str(tmp_path)}
    assert claude_code.limit(Usage(0, "claude-opus-4-6"), {}, env) == limit


def test_a_settings_file_that_is_a_pipe_or_too_large_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")
    assert codex.limit(Usage(0, "", 95000), {}, {"CODEX_HOME": str(tmp_path)}) == 90000
    (tmp_path / "settings.json").write_text('{"autoCompactEnabled": false, "x": "' + "x" * LARGEST_SETTINGS + '"}')
    assert claude_code.limit(Usage(0, "claude-opus-4-6"), {}, {"CLAUDE_CONFIG_DIR": str(tmp_path)}) == 167_000


def test_the_operators_own_table_wins_by_its_longest_beginning(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(answer(60_000, "claude-opus-4-6"))
    models = {"claude-": {"limit": 1}, "claude-opus-4": {"limit": 100_000}, "claude-opus-9": {"limit": 2}, "x": 3}
    seen = look(CLAUDE, path, models=models)
    assert seen is not None
    assert (seen.limit, seen.band) == (100_000, "consider")
    seen = look(CLAUDE, path, models={"": {"window": 133_000}})
    assert seen is not None
    assert seen.limit == 100_000


@pytest.mark.parametrize(
    ("left", "band"),
    [
        (1.0, ""),
        (0.5, ""),
        (0.499, "consider"),
        (0.2, "consider"),
        (0.199, "write"),
        (0.1, "write"),
        (0.099, "handoff"),
        (0, "handoff"),
    ],
)
def test_the_bands_begin_where_the_design_says(left: float, band: str) -> None:
    assert tool_call.band_of(left, {}) == band


def test_the_operator_may_move_the_bands_and_nonsense_moves_none(tmp_path: Path) -> None:
    assert tool_call.band_of(0.7, {"consider": 0.8}) == "consider"
    assert tool_call.band_of(0.4, {"consider": 0}) == ""
    for odd in ("0.9", None, 7, -1, [0.9]):
        assert tool_call.band_of(0.7, {"consider": odd}) == ""
    path = tmp_path / "t.jsonl"
    path.write_text(answer(1000))
    odd_ones: list[dict[str, Any]] = [{}, {"pressure": 3}, {"pressure": {"models": []}}]
    for config in (*odd_ones, {"pressure": {"models": {"claude": 3}}}):
        assert tool_call.pressure(CLAUDE, str(path), "", config, {}) is not None


def test_subagents_refusals_and_answers_without_a_count_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    others = answer(150_000, isSidechain=True) + answer(150_000, isApiErrorMessage=True)
    zero = json.dumps({"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0}}}) + "\n"
    quoting = json.dumps({"type": "user", "message": {"content": answer(160_000)}, "usage": {"assistant": 1}}) + "\n"
    path.write_text(answer(100_000) + others + zero + quoting + '{"type":"assistant","usage"')
    seen = look(CLAUDE, path)
    assert seen is not None
    assert seen.used == 100_000


def test_a_pasted_image_behind_the_newest_count_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    image = json.dumps({"type": "user", "message": {"content": [{"type": "image", "data": "A" * (5 << 20)}]}})
    path.write_text(answer(100_000) + image + "\n")
    seen = look(CLAUDE, path)
    assert seen is not None
    assert seen.used == 100_000


def test_the_hosts_word_for_the_model_adds_the_long_window_but_an_older_model_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(answer(100_000, "claude-sonnet-4-5"))
    limits_seen = []
    for model in ("claude-sonnet-4-5[1m]", "claude-opus-4-6", ""):
        seen = look(CLAUDE, path, model)
        assert seen is not None
        limits_seen.append(seen.limit)
    assert limits_seen == [1_000_000, 200_000, 200_000]


@pytest.mark.parametrize("name", ["missing", "pipe", "folder", "empty", "odd\0name", ""])
def test_a_transcript_that_tells_nothing_is_no_answer(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    for host in (CLAUDE, CODEX, "gemini-cli"):
        assert tool_call.pressure(host, f"{tmp_path}/{name}" if name else "", "", {}, {}) is None


def test_a_look_at_200_megabytes_reads_no_more_than_at_ten_kilobytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    really = posix.pread

    def counted(fd: int, size: int, at: int) -> bytes:
        read.append(size)
        return really(fd, size, at)

    monkeypatch.setattr(posix, "pread", counted)
    sizes = []
    for size in (0, 200 << 20):
        path = tmp_path / f"{size}.jsonl"
        path.touch()
        os.truncate(path, size)
        with path.open("a") as file:
            file.write("\n" + answer(100_000) * 100)
        assert look(CLAUDE, path) is not None
        sizes.append(sum(read))
        read.clear()
    assert sizes[0] == sizes[1] == transcript.BLOCK


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200), st.sampled_from([CLAUDE, CODEX]))
def test_no_bytes_at_the_end_of_a_transcript_break_a_look(tail: bytes, host: str) -> None:
    name = "claude-code.tasks.jsonl" if host == CLAUDE else "codex.basic.jsonl"
    with tempfile.NamedTemporaryFile() as file:
        file.write((RECORDED / name).read_bytes() + tail)
        file.flush()
        seen = tool_call.pressure(host, file.name, "", {}, {})
    assert seen is not None
    assert seen.used == 1007


@pytest.mark.parametrize("odd", [None, "12", -5, True, 1.5, [], {}])
def test_counts_of_an_odd_shape_are_no_counts(odd: object, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record = {"type": "assistant", "message": {"model": 7, "usage": {"input_tokens": odd}}}
    info = {"last_token_usage": {"total_tokens": odd}, "model_context_window": odd}
    event = {"type": "event_msg", "payload": {"type": "token_count", "info": info}}
    path.write_text(json.dumps(record) + "\n" + json.dumps(event) + "\n")
    assert look(CLAUDE, path) is None
    assert look(CODEX, path) is None
