"""Whatever a host sends: status 0, valid or empty output, and the failure where `holdfast log` shows it."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest
from hook_support import PROMPT, PYTHON, START, Done, Home

HUGE = 50 << 20


def assert_harmless(done: Done) -> None:
    assert done.status == 0, done.err
    assert not done.out or isinstance(json.loads(done.out), dict)
    assert done.err == ""
    assert done.seconds < PROMPT


@pytest.mark.parametrize("host", ["claude-code", "generic"])
@pytest.mark.parametrize(
    ("raw", "error"),
    [
        pytest.param(b"{", "JSON", id="an open brace"),
        pytest.param(b"[]", "a JSON object was expected, not list", id="a list"),
        pytest.param(b"null", "a JSON object was expected, not NoneType", id="null"),
        pytest.param(b"12", "a JSON object was expected, not int", id="a number"),
        pytest.param(b'"text"', "a JSON object was expected, not str", id="a text"),
        pytest.param(b"{} {}", "more than one JSON value", id="two values"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="deeply nested lists"),
        pytest.param(b'{"a":' * 100_000, "nested too deeply", id="deeply nested objects"),
        pytest.param(b'{"cwd": "\xff', "JSON", id="cut in a broken character"),
        pytest.param(b"\xff\xfe{\x00}\x00", "JSON", id="UTF-16"),
        pytest.param(b"\0" * 100, "JSON", id="zero bytes"),
    ],
)
def test_broken_input_is_answered_with_nothing_and_told_in_the_ledger(
    fresh: Home, host: str, raw: bytes, error: str
) -> None:
    done = fresh.hook(raw, host)
    assert_harmless(done)
    assert done.out == ""
    (told,) = fresh.errors()
    assert error in told


@pytest.mark.parametrize("raw", [b"", b" \n\t ", b"{}"], ids=["nothing", "blanks", "an empty object"])
def test_empty_input_is_noted_as_a_moment_without_a_name(fresh: Home, raw: bytes) -> None:
    done = fresh.hook(raw)
    assert_harmless(done)
    assert done.out == ""
    (record,) = fresh.ledger()
    assert (record["kind"], record["event"], record["episode"]) == ("hook", "", "")


@pytest.mark.slow
def test_fifty_megabytes_of_nonsense_take_no_time_to_speak_of(fresh: Home) -> None:
    done = fresh.hook(b"a" * HUGE)
    assert_harmless(done)
    assert ["JSON" in told for told in fresh.errors()] == [True]


@pytest.mark.slow
def test_a_tool_response_of_fifty_megabytes_is_a_moment_like_any_other(fresh: Home) -> None:
    done = fresh.hook(fresh.event("PostToolUse", tool_name="Bash", tool_response={"stdout": "x" * HUGE}))
    assert_harmless(done)
    (record,) = fresh.ledger()
    assert (record["event"], record["tool"]) == ("after-tool", "Bash")
    assert sum(path.stat().st_size for path in fresh.vault.rglob("*") if path.is_file()) < 20_000


@pytest.mark.slow
def test_more_than_the_hook_will_hold_is_read_to_its_end_and_refused(fresh: Home) -> None:
    """A host that writes into a closed pipe could fail; so all of it is taken."""
    from holdfast.hook.main import LARGEST

    command = [PYTHON, "-I", "-S", START, "generic"]
    host = subprocess.Popen(command, env=fresh.env, cwd=fresh.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    block = b"a" * (1 << 20)
    assert host.stdin
    assert host.stdout
    with host.stdin as stdin, host.stdout as stdout:
        for _ in range(LARGEST // len(block) + 2):
            stdin.write(block)
        stdin.close()
        assert stdout.read() == b""
    assert host.wait() == 0
    (told,) = fresh.errors()
    assert "is too large" in told


def test_invalid_utf8_within_a_text_costs_that_text_only(fresh: Home) -> None:
    raw = (
        json.dumps(fresh.event("PostToolUse", tool_name="Bash", tool_response="@")).encode().replace(b"@", b"\xff\xc3(")
    )
    assert_harmless(fresh.hook(raw))
    (record,) = fresh.ledger()
    assert (record["kind"], record["event"], record["episode"]) == ("hook", "after-tool", "claude-code/s1/1")


def test_a_byte_order_mark_and_bare_control_characters_are_read_over(fresh: Home) -> None:
    raw = b"\xef\xbb\xbf" + json.dumps(fresh.event("PostToolUse", tool_response="@")).encode().replace(b"@", b"a\tb\nc")
    assert_harmless(fresh.hook(raw))
    assert [record["event"] for record in fresh.ledger()] == ["after-tool"]


@pytest.mark.parametrize("name", ["TeleportCompleted", "", "session-start\n", "x" * 100_000, "日本"])
def test_an_unknown_event_is_noted_under_its_own_name(fresh: Home, name: str) -> None:
    done = fresh.hook(fresh.event(name))
    assert_harmless(done)
    assert done.out == ""
    (record,) = fresh.ledger()
    assert (record["kind"], record["event"]) == ("hook", name[:200])


@pytest.mark.parametrize("host", ["pi", "", "../../etc/passwd", "HOST WITH SPACES", "x" * 5000])
def test_an_unknown_host_speaks_the_generic_shape(fresh: Home, host: str) -> None:
    done = fresh.hook({"event": "session-start", "session": "s1", "cwd": str(fresh.project)}, host)
    assert_harmless(done)
    (record,) = fresh.ledger("hook")
    assert (record["kind"], record["event"]) == ("hook", "session-start")


def test_no_host_at_all_is_the_generic_one(fresh: Home) -> None:
    done = subprocess.run(
        [PYTHON, "-I", "-S", START], env=fresh.env, cwd=fresh.project, input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_without_a_session_id_there_is_no_episode_and_a_start_is_answered_all_the_same(fresh: Home) -> None:
    fresh.flag("said before")
    done = fresh.hook({"hook_event_name": "SessionStart", "source": "startup", "cwd": str(fresh.project)})
    assert_harmless(done)
    assert "said before" in done.context
    assert [record["episode"] for record in fresh.ledger("hook")] == [""]


def test_without_a_cwd_the_hooks_own_counts(fresh: Home) -> None:
    fresh.flag("said before")
    done = fresh.hook({"hook_event_name": "SessionStart", "session_id": "s1"})
    assert_harmless(done)
    assert "said before" in done.context


def test_a_relative_cwd_is_not_believed(fresh: Home) -> None:
    assert_harmless(fresh.hook({"event": "prompt", "session": "s1", "cwd": "some/where"}, "generic"))
    assert fresh.episode("s1", "generic").cwd == str(fresh.project)


def test_a_cwd_that_no_longer_exists_is_a_project_all_the_same(fresh: Home) -> None:
    gone = {**fresh.event("SessionStart"), "cwd": str(fresh.folder / "gone" / "long ago")}
    assert_harmless(fresh.hook(gone))
    assert fresh.episode().project.startswith("long-ago-")
    assert fresh.errors() == []


@pytest.mark.slow
def test_a_working_directory_deleted_under_the_hook_does_not_matter(fresh: Home) -> None:
    gone = fresh.folder / "gone"
    gone.mkdir()
    hook = [PYTHON, "-I", "-S", START, "claude-code"]
    code = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); os.execv({PYTHON!r}, {hook!r})"
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-c", code],
        env=fresh.env,
        input=json.dumps(fresh.event("SessionStart")).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert fresh.episode().state == "open"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"session": 5, "cwd": [], "source": {}, "pid": "x", "flags": 7}, id="other types"),
        pytest.param({"session": None, "cwd": None, "pid": None, "flags": None}, id="nulls"),
        pytest.param({"pid": 10**30}, id="a pid beyond any kernel"),
        pytest.param({"pid": -1}, id="a negative pid"),
        pytest.param({"pid": True}, id="a truth for a pid"),
        pytest.param({"pid": 1.5e300}, id="a float for a pid"),
        pytest.param({"flags": [1, None, "x", [], {}]}, id="flags that are none"),
        pytest.param({"session": "../../../../etc/passwd"}, id="a session id that is a path"),
        pytest.param({"session": "a" * 300}, id="a session id longer than a file name"),
        pytest.param({"session": "."}, id="a session id that is a folder"),
        pytest.param({"session": "日本\n語"}, id="a session id of two lines"),
    ],
)
def test_fields_of_odd_types_and_sizes_are_survived(fresh: Home, more: dict[str, object]) -> None:
    payload = {"event": "session-start", "session": "s1", "cwd": str(fresh.project), **more}
    assert_harmless(fresh.hook(payload, "generic"))
    assert fresh.errors() == []
    assert [record["event"] for record in fresh.ledger("hook")] == ["session-start"]
    assert not (fresh.folder.parent / "etc").exists()


def test_an_integer_beyond_what_python_reads_is_told_and_hurts_nobody(fresh: Home) -> None:
    raw = b'{"hook_event_name": "PostToolUse", "duration_ms": ' + b"9" * 5000 + b"}"
    assert_harmless(fresh.hook(raw))
    assert len(fresh.ledger()) == 1


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"transcript_path": "/tmp/\0x"}, id="a transcript with a zero byte"),
        pytest.param({"transcript_path": "/tmp/\ud800"}, id="a transcript with half a character"),
        pytest.param({"cwd": "/tmp/\0x"}, id="a cwd with a zero byte"),
        pytest.param({"cwd": "/tmp/\ud800"}, id="a cwd with half a character"),
        pytest.param({"session_id": "s\ud800"}, id="a session id with half a character"),
    ],
)
def test_a_start_with_a_broken_field_still_opens_an_episode(fresh: Home, more: dict[str, object]) -> None:
    assert_harmless(fresh.hook({**fresh.event("SessionStart", source="startup"), **more}))
    assert [bool(record["episode"]) for record in fresh.ledger("hook")] == [True]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_the_registered_line_survives_closed_streams(fresh: Home, closed: str) -> None:
    from holdfast.hosts import registration
    from holdfast.install import launcher

    launcher.write_launcher(fresh.env)
    line = f"( {registration.registered_line('claude-code', fresh.env)} ) {closed}"
    done = subprocess.run(["/bin/sh", "-c", line], env=fresh.env, cwd=fresh.project, input=b"{}", check=False)
    assert done.returncode == 0


def test_the_hook_itself_ends_in_0_with_its_output_closed(fresh: Home) -> None:
    code = f"exec {PYTHON} -I -S {START} claude-code >&-"
    done = subprocess.run(
        ["/bin/sh", "-c", code], env=fresh.env, cwd=fresh.project, input=b"{}", stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_host_that_no_longer_reads_is_noted_not_raised(fresh: Home) -> None:
    """The read end is closed before the hook answers; its write meets a broken pipe."""
    fresh.flag("something to say at a start")
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [PYTHON, "-I", "-S", START, "claude-code"],
            env=fresh.env,
            cwd=fresh.project,
            input=json.dumps(fresh.event("SessionStart")).encode(),
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert ["BrokenPipeError" in told for told in fresh.errors()] == [True]


@pytest.fixture(scope="module")
def left_open(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, int, float]:
    """A hook whose host never closes its stdin: where it ran, its status, and how long it waited."""
    where = Home(tmp_path_factory.mktemp("open") / "home")
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    host = subprocess.Popen(command, env=where.env, cwd=where.project, stdin=subprocess.PIPE)
    assert host.stdin
    began = time.perf_counter()
    with host.stdin as stdin:
        stdin.write(b'{"hook_event_name": "SessionStart"')
        stdin.flush()
        return where, host.wait(timeout=30), time.perf_counter() - began


@pytest.mark.slow
def test_a_host_that_never_closes_stdin_is_left_after_five_seconds(left_open: tuple[Home, int, float]) -> None:
    _, status, seconds = left_open
    assert status == 0
    assert 4 < seconds < 8


@pytest.mark.slow
def test_a_hook_that_the_alarm_ended_is_in_the_ledger(left_open: tuple[Home, int, float]) -> None:
    assert len(left_open[0].errors()) == 1
