"""Transcripts are read from their end: every whole line once, newest first, whatever the file is or becomes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hook_support import PYTHON, SOURCE
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.text import transcript
from holdfast.text.transcript import ASSISTANT, CALL, CLAUDE, CODEX, RESULT, USER

RECORDED = Path(__file__).parents[1] / "contract" / "transcripts"
PLENTY = 64 << 20


def lines_of(path: Path, most: int = PLENTY) -> list[tuple[int, bytes]]:
    return list(transcript.back(str(path), most))


def expected(data: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    for line in data.split(b"\n"):
        if line.strip():
            found.append((at, line))
        at += len(line) + 1
    return found[::-1]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=20),
    st.integers(1, 30),
    st.data(),
)
def test_every_line_is_given_once_newest_first_with_its_place(
    lines: list[bytes], block: int, data: st.DataObject
) -> None:
    text = b"\n".join(lines)
    most = data.draw(st.integers(0, len(text) + 5))
    with tempfile.NamedTemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript, "BLOCK", block)
        file.write(text)
        file.flush()
        assert lines_of(Path(file.name)) == expected(text)
        beyond = len(text) - most
        assert lines_of(Path(file.name), most) == [one for one in expected(text) if one[0] > beyond or beyond <= 0]


def test_a_line_of_five_megabytes_is_passed_and_what_is_before_it_found(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"first":1}\n' + b"x" * (5 << 20) + b'\n{"last":1}\n')
    assert [line[:12] for _, line in lines_of(path)] == [b'{"last":1}', b"x" * 12, b'{"first":1}']
    assert [line[:12] for _, line in lines_of(path, 1 << 20)] == [b'{"last":1}']


def test_what_is_no_plain_file_is_an_empty_transcript_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_text('{"a":1}\n')
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("missing", "pipe", ".", "link", "real/below", "odd\0name", "/dev/zero"):
        assert list(transcript.back(os.path.join(tmp_path, name), PLENTY)) == []


def test_a_transcript_that_is_cut_while_it_is_read_ends_there(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"n":1}\n' * 100_000)
    reading = transcript.back(str(path), PLENTY)
    assert next(reading)[1] == b'{"n":1}'
    os.truncate(path, 3)
    assert {line for _, line in reading} == {b'{"n":1}'}


@pytest.mark.parametrize("line", [b"", b'{"torn":', b"[]", b"7", b"\xff\xfe", b'"text"', b"[" * 100_000])
def test_a_line_that_is_no_record_is_an_empty_one(line: bytes) -> None:
    assert transcript.decoded(line) == {}


def heard(name: str, host: str) -> list[transcript.Said]:
    return list(transcript.said(host, str(RECORDED / name), PLENTY))[::-1]


def test_a_recorded_claude_session_is_heard_without_reminders_summaries_and_subagents() -> None:
    said = heard("claude-code.auto-compaction.jsonl", CLAUDE)
    assert [one.text for one in said if one.role == USER] == [
        "Raise the retry limit to 5 in src/orders.py, and never wait longer than 30 s. "
        'The customer calls it "the second try".',
        "Look who else uses it.",
        'Run the tests with `python3 -m unittest -v` and commit as "Raise the retry limit".',
    ]
    assert [one.tool for one in said if one.role == CALL][-4:] == ["TaskUpdate", "Agent", "Bash", "Bash"]
    results = {one.call: one for one in said if one.role == RESULT}
    (failed,) = [one for one in said if one.role == CALL and one.given == {"command": "false"}]
    assert results[failed.call].failed
    assert heard("claude-code.subagent.jsonl", CLAUDE) == []


@pytest.mark.parametrize("mark", ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"])
def test_a_line_that_is_marked_as_not_said_is_not_heard(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record = {"type": "user", "message": {"role": "user", "content": "plain words"}}
    path.write_text(json.dumps({**record, mark: True}) + "\n" + json.dumps({**record, mark: False}) + "\n")
    (only,) = transcript.said(CLAUDE, str(path), PLENTY)
    assert only.at > 0


def test_a_command_typed_to_the_host_is_not_the_users_words() -> None:
    said = heard("claude-code.manual-compaction.jsonl", CLAUDE)
    assert [one.text for one in said if one.role == USER][-2:] == ["second prompt", "after compaction"]


def test_a_recorded_codex_session_is_heard_without_what_the_host_and_hooks_put_in() -> None:
    said = heard("codex.auto-compaction.jsonl", CODEX)
    assert [one.text for one in said if one.role == USER] == [
        "Raise the retry limit to 5 in src/orders.py, and never wait longer than 30 s.",
        'Run the tests and call the commit "Raise the retry limit".',
    ]
    assert next(one.given for one in said if one.tool == "exec_command") == {"cmd": "cat src/orders.py"}
    assert [one.text for one in said if one.role == RESULT][-1] == "Ran 12 tests in 0.4s\n"
    assert next(one.text for one in heard("codex.basic.jsonl", CODEX) if one.role == USER) == "go"
    assert all("hook_prompt" not in one.text for one in heard("codex.basic.jsonl", CODEX))


@pytest.mark.parametrize(
    ("origin", "is_heard"), [("user", True), ("harness", False), ("agents_md", False), (None, True)]
)
def test_what_codex_says_it_wrote_itself_is_not_the_users_words(
    origin: str | None, is_heard: bool, tmp_path: Path
) -> None:
    beside = {"content_item_metadata": [{"provenance": {"type": origin}}]} if origin else None
    payload = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "words of nobody known"}]}
    payload["internal_chat_message_metadata_passthrough"] = beside  # type: ignore[assignment]
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"type": "response_item", "payload": payload}))
    assert bool(list(transcript.said(CODEX, str(path), PLENTY))) is is_heard


def test_a_failed_command_in_codex_is_known_as_one() -> None:
    result = transcript._codex_result(
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno", 0, "c"
    )
    assert (result.text, result.failed) == ("no", True)
    assert transcript._codex_result("Plan updated", 0, "c").text == "Plan updated"


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(RECORDED.glob("*.jsonl"))), st.floats(0, 1), st.binary(max_size=30))
def test_wherever_a_recording_is_torn_what_is_whole_is_heard(path: Path, part: float, tail: bytes) -> None:
    host = CODEX if path.name.startswith("codex") else CLAUDE
    whole = list(transcript.said(host, str(path), PLENTY))
    data = path.read_bytes()
    kept = data[: int(len(data) * part)]
    with tempfile.NamedTemporaryFile() as file:
        file.write(kept + tail)
        file.flush()
        found = list(transcript.said(host, file.name, PLENTY))
    ended = kept.rfind(b"\n") + 1
    assert [one for one in found if one.at < ended] == [one for one in whole if one.at < ended]


def test_reminders_between_the_users_words_are_left_out() -> None:
    text = "do this <system-reminder>be good\n</system-reminder>and that<system-reminder>never ends"
    assert transcript.without_reminders(text) == "do this and that"


@pytest.mark.parametrize("odd", [None, 7, "text", [], {}, [None, 3, {"type": "text"}, {"type": "text", "text": 5}]])
def test_content_of_any_shape_is_no_error(odd: object, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    claude = {"type": "assistant", "message": {"content": odd}}
    codex = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": odd}}
    called = {"type": "response_item", "payload": {"type": "function_call", "arguments": odd}}
    returned = {"type": "response_item", "payload": {"type": "function_call_output", "output": odd}}
    lines = [json.dumps(one) for one in (claude, codex, called, returned, {"type": "user", "message": odd})]
    path.write_text("\n".join(lines))
    claude_said = [one.text for one in transcript.said(CLAUDE, str(path), PLENTY) if one.role == ASSISTANT]
    assert claude_said == ([odd] if isinstance(odd, str) else [])
    assert [one.role for one in transcript.said(CODEX, str(path), PLENTY)] == [RESULT, CALL]


def test_a_look_imports_nothing_that_a_hook_cannot_afford() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "from holdfast.hook import tool_call\n"
        f"assert tool_call.pressure('claude-code', {str(RECORDED / 'claude-code.tasks.jsonl')!r}, '', {{}})\n"
        "print([name for name in ('re', 'json', 'os', 'enum', 'typing', 'dataclasses') if name in sys.modules])"
    )
    done = subprocess.run([PYTHON, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
