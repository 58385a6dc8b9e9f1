"""What the hook must not write down, and what it must not lose."""

from __future__ import annotations

import os
import random
import string
from pathlib import Path

import pytest
from hook_support import Agents, Home

from holdfast.capture import gitfiles, platform, segments
from holdfast.capture.gate import is_wrapper
from holdfast.errors import NotSaved

TOKEN = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


def everything_written(fresh: Home) -> bytes:
    found = b""
    for folder, _, names in os.walk(fresh.vault):
        for name in names:
            path = Path(folder, name)
            found += os.fsencode(path) + (b"" if path.is_symlink() else path.read_bytes())
    return found


@pytest.mark.slow
def test_no_field_of_a_payload_takes_a_secret_to_the_disk(fresh: Home) -> None:
    secret = {"transcript_path": f"/t/{TOKEN}", "source": TOKEN, "tool_name": TOKEN, "agent_id": TOKEN}
    fresh.hook(fresh.event("SessionStart", f"session-{TOKEN}", **secret))
    fresh.hook(fresh.event("PostToolUse", f"session-{TOKEN}", **secret))
    fresh.fast("flag", f"the key is {TOKEN}", env={"CLAUDE_CODE_SESSION_ID": f"session-{TOKEN}"})
    fresh.hook({**fresh.event("SessionEnd", f"session-{TOKEN}"), "reason": TOKEN})
    written = everything_written(fresh)
    assert b"redacted:" in written
    assert TOKEN.encode() not in written


def test_a_secret_that_a_cut_goes_through_leaves_no_half_behind(fresh: Home) -> None:
    fresh.hook(fresh.event("PostToolUse", tool_name="x" * 170 + " " + TOKEN))
    assert TOKEN[:24].encode() not in everything_written(fresh)


@pytest.mark.slow
def test_a_flag_of_a_session_with_a_secret_name_still_meets_its_episode(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", TOKEN))
    fresh.fast("flag", "mine", env={"CLAUDE_CODE_SESSION_ID": TOKEN})
    fresh.hook(fresh.event("SessionEnd", TOKEN))
    assert [mark.waiting for mark in fresh.marks()] == [1]


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("oauth2:SECRET@github.com:org/repo.git", "github.com/org/repo"),
        ("https://user:pa/SECRET@example.com/org/repo", "example.com/org/repo"),
        ("https://example.com:8443/@scope/repo", "example.com/@scope/repo"),
        ("git@example.com:org/@scope.git", "example.com/org/@scope"),
    ],
)
def test_an_address_never_keeps_its_password(url: str, normal: str) -> None:
    assert gitfiles.normal_url(url) == normal


def test_all_flags_of_a_call_are_kept_when_the_disk_fails_once(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    real, failures = segments.append, [1]

    def fail_once(*args: object, **more: object) -> str:
        if failures:
            failures.pop()
            raise NotSaved()
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(segments, "append", fail_once)
    flags = [{"text": text} for text in ("first", "second", "third")]
    fresh.answer({"event": "flag", "session": "s", "cwd": str(fresh.project), "flags": flags}, host="generic")
    assert sorted(fresh.texts()) == ["first", "second", "third"]


@pytest.mark.slow
def test_thousands_of_flags_in_one_call_are_kept_in_order(fresh: Home) -> None:
    texts = [f"fact {nth}" for nth in range(4000)]
    payload = {"event": "flag", "session": "s", "cwd": str(fresh.project), "flags": [{"text": text} for text in texts]}
    assert fresh.hook(payload, "generic").status == 0
    assert [flag.text for flag in sorted(fresh.waiting(), key=lambda flag: flag.id)] == texts


def test_a_folder_above_the_vault_that_cannot_be_synced_refuses_no_flag(
    fresh: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = platform.sync_folder

    def refuse_above(path: str) -> None:
        if not path.startswith(str(fresh.vault)):
            raise OSError(22, "Invalid argument")
        real(path)

    monkeypatch.setattr(platform, "sync_folder", refuse_above)
    fresh.answer(
        {"event": "flag", "session": "s", "cwd": str(fresh.project), "flags": [{"text": "kept"}]}, host="generic"
    )
    assert fresh.texts() == ["kept"]


@pytest.mark.slow
def test_a_segment_that_cannot_be_read_for_a_while_keeps_its_mark(fresh: Home, agents: Agents) -> None:
    agent = agents()
    fresh.hook(fresh.event("SessionStart"), env={"CLAUDE_PID": str(agent.pid)})
    fresh.fast("flag", "mine", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    agent.kill()
    assert "session s1 died" in fresh.hook(fresh.event("SessionStart", "s2")).context
    (segment,) = (Path(fresh.state) / "queue" / "live").glob("*.log")
    segment.rename(segment.with_suffix(".away"))
    segment.mkdir()
    fresh.hook(fresh.event("SessionStart", "s3"))
    segment.rmdir()
    segment.with_suffix(".away").rename(segment)
    assert "session s1 died" in fresh.hook(fresh.event("SessionStart", "s4")).context


@pytest.mark.slow
def test_a_flag_after_its_sessions_end_is_named_by_the_next_start(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart"))
    fresh.hook(fresh.event("SessionEnd"))
    fresh.fast("flag", "too late and yet kept", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert [(mark.waiting, mark.why) for mark in fresh.marks()] == [(1, "ended")]


def test_a_record_of_another_making_does_not_silence_a_start(fresh: Home) -> None:
    fresh.fast("flag", "mine")
    (segment,) = (Path(fresh.state) / "queue" / "live").glob("*.log")
    from holdfast.capture import codec, log

    odd = {"what": "claim", "ids": [{"id": 1}], "claim": "C", "until": 9e9, "t": 0}
    log.append(str(segment.with_suffix(".settled")), [codec.encode(odd)], durable=False)
    assert "mine" in fresh.hook(fresh.event("SessionStart")).context


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["bash", "-e", "-c", "hook"], True),
        (["bash", "--login", "-c", "hook"], True),
        (["bash", "-euo", "pipefail", "-c", "hook"], True),
        (["busybox", "sh", "-c", "hook"], True),
        (["bash", "--norc"], False),
        (["bash", "--rcfile", "/home/me/rc"], False),
        (["bash", "agent.sh"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_shell_is_a_wrapper_only_with_a_command_line(command: list[str], expected: bool) -> None:
    assert is_wrapper(command) is expected


def test_the_ledger_cannot_steer_a_terminal(fresh: Home) -> None:
    fresh.hook(fresh.event("PostToolUse", tool_name="\x1b]0;owned\x07"))
    assert "\x1b" not in fresh.cli("log").out
