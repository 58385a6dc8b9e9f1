"""One contract for every host adapter: whatever it is sent is a Moment, whatever it answers the host can read.

The payloads beside this file are shaped as the hosts send them; test_recorded has what one really sent. A new adapter
brings its own, named `<host>.<what>.json`, and a line for each in NORMALISED.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.brief import brief_file
from holdfast.capture import home, ledger
from holdfast.hook import main
from holdfast.hosts import HOSTS, adapter, text_of
from holdfast.model import EVENTS, Moment, Reply

PAYLOADS = sorted((Path(__file__).parent / "payloads").glob("*.json"))
EVERY_HOST = pytest.mark.parametrize("host", sorted(HOSTS))
EVERY_PAYLOAD = pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)

ADA = "7f3c2a10-5b1e-4c55-9d0e-2f6f5a1b9c34"
CLAUDE = {
    "session": ADA,
    "cwd": "/home/ada/shop",
    "host": "claude-code",
    "transcript": f"/home/ada/.claude/projects/-home-ada-shop/{ADA}.jsonl",
}
PI = {"session": "thread-42", "cwd": "/home/ada/shop", "host": "pi"}
THREAD = "019f2c1a-7b3e-7d10-8a55-2f6f5a1b9c34"
SAGAN = "019f2c1a-9e44-7a30-b1c2-8e9300d2c970"  # a subagent's thread
CODEX = {"session": THREAD, "cwd": "/home/ada/shop", "host": "codex"}
COMMON = {"claude-code": CLAUDE, "codex": CODEX, "generic": PI}
ADAS_TEST = {"call": "toolu_01A9xq", "command": "make test", "input": "make test\nRun the tests", "asks": True}
CODEX_TEST = {"tool": "Bash", "call": "call_30914718a474", "command": "make test", "input": "make test", "asks": False}
PATCHED = ("orders.py", "tests/test_retry.py")
STEP = "Retry on a version conflict"
NORMALISED: dict[str, dict[str, object]] = {
    "claude-code.instructions-loaded": {"event": "InstructionsLoaded"},
    "claude-code.message-display": {"event": "MessageDisplay"},
    "claude-code.permission-request": {"event": "PermissionRequest", "tool": "Bash"},
    "claude-code.post-compact": {"event": "after-compaction", "source": "auto"},
    "claude-code.post-tool-batch": {"event": "PostToolBatch"},
    "claude-code.post-tool-use": {"event": "after-tool", "tool": "Bash", **ADAS_TEST, "carries": True},
    "claude-code.post-tool-use-failure": {
        "event": "after-tool",
        "tool": "Bash",
        "command": "make deploy",
        "failed": True,
        "carries": False,
    },
    "claude-code.pre-compact-auto": {"event": "before-compaction", "source": "auto"},
    "claude-code.pre-compact-manual": {"event": "before-compaction", "source": "manual"},
    "claude-code.pre-tool-use": {"event": "before-tool", "tool": "Bash", **ADAS_TEST, "carries": True},
    "claude-code.pre-tool-use-in-subagent": {
        "event": "before-tool",
        "tool": "Read",
        "agent": "a4c81d2",
        "paths": ("/home/ada/shop/orders.py",),
    },
    "claude-code.session-end-clear": {"event": "session-end", "reason": "clear"},
    "claude-code.session-end-logout": {"event": "session-end", "reason": "logout"},
    "claude-code.session-end-other": {"event": "session-end", "reason": "other"},
    "claude-code.session-end-prompt-input-exit": {"event": "session-end", "reason": "prompt_input_exit"},
    "claude-code.session-end-resume": {"event": "session-end", "reason": "resume"},
    "claude-code.session-start-clear": {"event": "session-start", "source": "clear"},
    "claude-code.session-start-compact": {"event": "session-start", "source": "compact"},
    "claude-code.session-start-fork": {"event": "session-start", "source": "fork"},
    "claude-code.session-start-resume": {"event": "session-start", "source": "resume"},
    "claude-code.session-start-startup": {"event": "session-start", "source": "startup"},
    "claude-code.stop": {"event": "turn-stop", "said": "Retries are in place and the tests pass.", "is_again": False},
    "claude-code.subagent-stop": {"event": "subagent-stop", "agent": "a4c81d2", "carries": False},
    "claude-code.subagent-stop-of-the-summariser": {"event": "summariser-stop", "agent": "c0ffee1"},
    "claude-code.task-completed": {"event": "task-completed", "completed": (STEP,), "call": "3", "carries": False},
    "claude-code.task-created": {"event": "TaskCreated"},
    "claude-code.user-prompt-submit": {"event": "prompt"},
    "claude-code.user-prompt-submit-task-notification": {"event": "task-notification"},
    "codex.interrupt": {"event": "Interrupt", "carries": False},
    "codex.permission-request": {"event": "PermissionRequest", "tool": "Bash", "command": "make deploy"},
    "codex.post-compact-auto": {"event": "after-compaction", "source": "auto", "carries": False},
    "codex.post-compact-manual": {"event": "after-compaction", "source": "manual", "carries": False},
    "codex.post-tool-use": {"event": "after-tool", **CODEX_TEST, "carries": True, "model": "gpt-5.5"},
    "codex.post-tool-use-apply-patch": {
        "event": "after-tool",
        "tool": "apply_patch",
        "files": PATCHED,
        "paths": PATCHED,
        "command": "",
    },
    "codex.post-tool-use-mcp": {
        "event": "after-tool",
        "tool": "mcp__chapters__mark_chapter",
        "call": "call_37c80e740561",
        "input": "Retries",
    },
    "codex.post-tool-use-spawn-agent": {"event": "after-tool", "tool": "spawn_agent", "agent": ""},
    "codex.post-tool-use-update-plan": {"event": "after-tool", "tool": "update_plan", "completed": (STEP,)},
    "codex.pre-compact-auto": {"event": "before-compaction", "source": "auto", "carries": False},
    "codex.pre-compact-manual": {"event": "before-compaction", "source": "manual", "carries": False},
    "codex.pre-tool-use": {"event": "before-tool", **CODEX_TEST, "carries": True},
    "codex.pre-tool-use-apply-patch": {"event": "before-tool", "tool": "apply_patch", "paths": PATCHED, "files": ()},
    "codex.pre-tool-use-in-subagent": {"event": "before-tool", "agent": SAGAN, "command": "rg place_order"},
    "codex.pre-tool-use-mcp": {"event": "before-tool", "tool": "mcp__chapters__mark_chapter", "input": "Retries"},
    "codex.pre-tool-use-update-plan": {"event": "before-tool", "tool": "update_plan"},
    "codex.session-end-other": {"event": "session-end", "reason": "other"},
    "codex.session-start-clear": {"event": "session-start", "source": "clear", "carries": True},
    "codex.session-start-compact": {"event": "session-start", "source": "compact", "carries": True},
    "codex.session-start-fork": {"event": "session-start", "source": "fork"},
    "codex.session-start-resume": {"event": "session-start", "source": "resume"},
    "codex.session-start-startup": {"event": "session-start", "source": "startup", "model": "gpt-5.5"},
    "codex.stop": {"event": "turn-stop", "said": "Retries are in place and the tests pass.", "is_again": False},
    "codex.stop-again": {"event": "turn-stop", "said": "Nothing to flag.", "is_again": True},
    "codex.subagent-start": {"event": "SubagentStart", "agent": SAGAN},
    "codex.subagent-stop": {"event": "subagent-stop", "agent": SAGAN, "carries": False},
    "codex.user-prompt-submit": {"event": "prompt", "turn": "019f2c1a-7b61-7e02-9c11-5d00b2ae91be", "agent": ""},
    "codex.user-prompt-submit-in-subagent": {"event": "subagent-prompt", "agent": SAGAN},
    "generic.after-compaction": {"event": "after-compaction", "source": "auto"},
    "generic.after-tool": {"event": "after-tool", "tool": "shell", "agent": "scout-1"},
    "generic.before-compaction": {"event": "before-compaction", "source": "auto"},
    "generic.before-tool": {"event": "before-tool", "tool": "shell"},
    "generic.flag": {"event": "flag"},
    "generic.prompt": {"event": "prompt", "prompt": "Make the order service retry on a version conflict."},
    "generic.session-end": {"event": "session-end", "reason": "quit"},
    "generic.session-start": {"event": "session-start", "source": "startup", "pid": 4242},
    "generic.subagent-stop": {"event": "subagent-stop", "agent": "scout-1"},
    "generic.task-completed": {"event": "task-completed"},
    "generic.turn-stop": {"event": "turn-stop"},
}

# What the first moment of a session already has to say, by its beginning; every other payload is answered with nothing.
REMEMBERED = "The user wants this remembered; their words are kept as "
COMPACTED = "The context was compacted: what is not above is gone."
KEEP = "Write the summary so that the work can go on from it alone."
SAID = {
    "claude-code.pre-compact-auto": KEEP,
    "claude-code.pre-compact-manual": KEEP,
    "claude-code.session-start-compact": COMPACTED,
    "claude-code.user-prompt-submit": REMEMBERED,
    "codex.post-tool-use-mcp": 'A chapter is closed ("Retries").',
    "codex.post-tool-use-update-plan": f'Done ("{STEP}").',
    "codex.session-start-compact": COMPACTED,
    "codex.user-prompt-submit": REMEMBERED,
    "generic.after-compaction": COMPACTED,
    "generic.before-compaction": KEEP,
}

TEXTS = tuple(name for name, kind in Moment.__annotations__.items() if kind == "str")
LISTS = tuple(name for name, kind in Moment.__annotations__.items() if kind == "tuple[str, ...]")
SWITCHES = tuple(name for name, kind in Moment.__annotations__.items() if kind == "bool")
LONGEST_INPUT = 1 << 16
# The names that any of our hosts gives a field, so that odd values meet the code that reads them.
FIELDS = sorted(
    {name for path in PAYLOADS for name in json.loads(path.read_text(encoding="utf-8"))}
    | {"pid", "flags", "files", "parent", "paths", "completed", "command", "input", "call", "said", "model", "turn"}
    | {"again", "asks", "failed", "carries", "todos", "plan"}
)
# Within a tool's input: what the adapters look for.
INPUTS = ("command", "cmd", "script", "file_path", "notebook_path", "path", "paths", "cwd", "workdir", "todos", "plan")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
step = st.fixed_dictionaries(
    {"content": json_values, "step": json_values, "status": st.just("completed") | json_values}
)
inputs = st.dictionaries(
    st.sampled_from(INPUTS) | st.text(max_size=8), json_values | st.lists(step, max_size=3), max_size=6
)
tools = st.sampled_from(
    ("Bash", "shell", "Edit", "Write", "apply_patch", "TodoWrite", "update_plan", "mark_chapter", "")
)
calls = st.fixed_dictionaries({}, optional={"tool_name": tools, "tool_input": inputs})
plain = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), json_values, max_size=12)
payloads = st.builds(lambda fields, call: {**fields, **call}, plain, calls)
texts = st.text(st.characters(), max_size=300)  # lone surrogates included: JSON can spell them


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory where there is one: what is asked here does not depend on a disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="holdfast-contract-", dir=memory) as folder:
        yield Path(folder)


def surroundings(place: Path) -> dict[str, str]:
    """An environment in which nothing is started in the background: it would outlive its folder, and make it anew."""
    upkeep = place / "vault" / ".state" / "upkeep"
    upkeep.parent.mkdir(parents=True, exist_ok=True)
    upkeep.touch()  # not due
    return {"HOME": str(place), "HOLDFAST_HOME": str(place / "vault"), "HOLDFAST_CLOSE": "off"}


def load(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def host_of(path: Path) -> str:
    return path.stem.partition(".")[0]


def assert_a_moment(found: object) -> Moment:
    assert isinstance(found, Moment)
    for name in TEXTS:
        text = getattr(found, name)
        assert type(text) is str, name
        assert len(text) <= LONGEST_INPUT or name == "prompt", name
        if name not in ("host", "session", "cwd"):  # which the environment may have given
            assert_clean(text)
    for name in LISTS:
        listed = getattr(found, name)
        assert type(listed) is tuple, name
        assert len(listed) <= 64, name
        for one in listed:
            assert type(one) is str, name
            assert_clean(one)
    for name in SWITCHES:
        assert type(getattr(found, name)) is bool, name
    assert type(found.pid) is int
    assert 0 <= found.pid < 1 << 31
    assert isinstance(found.flags, tuple)
    assert all(isinstance(one, dict) for one in found.flags)
    assert found.host
    assert "/" not in found.host, "a host's name is part of a file's name and of an episode's key"
    return found


def assert_clean(text: str) -> None:
    """Neither halves of characters nor zero bytes: no file name, terminal or record could hold them."""
    assert "\0" not in text
    text.encode("utf-8")


def assert_readable(reply: str, text: str) -> str:
    """A reply is nothing, or one JSON object that carries the text, or the plain text; returns which."""
    if not reply:
        return "nothing"
    if reply == text:
        return "plain"
    found = json.loads(reply)
    assert isinstance(found, dict)
    assert "\n" not in reply
    assert text in _strings(found)
    return "json"


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    return [value] if isinstance(value, str) else []


# --- every host


@EVERY_HOST
def test_an_empty_object_is_a_moment(host: str) -> None:
    moment = assert_a_moment(adapter(host).moment({}, {}))
    assert (moment.event, moment.session, moment.pid, moment.flags) == ("", "", 0, ())


@pytest.mark.slow
@EVERY_HOST
@settings(max_examples=60, deadline=None)
@given(payload=payloads)
def test_any_object_is_a_moment(host: str, payload: dict[str, Any]) -> None:
    assert_a_moment(adapter(host).moment(payload, {}))


@pytest.mark.slow
@EVERY_HOST
@settings(max_examples=60, deadline=None)
@given(payload=payloads, more=st.dictionaries(st.text(max_size=8).map(lambda name: f"x-{name}"), json_values))
def test_fields_that_nobody_knows_change_nothing(host: str, payload: dict[str, Any], more: dict[str, Any]) -> None:
    speak = adapter(host)
    assert speak.moment({**payload, **more}, {}) == speak.moment(payload, {})


@EVERY_HOST
@pytest.mark.parametrize("value", [None, True, 0, -1, 10**400, 1.5, "", "x", [], [[]], {}, {"a": {}}], ids=repr)
def test_every_field_may_be_of_any_type(host: str, value: object) -> None:
    for name in FIELDS:
        assert_a_moment(adapter(host).moment({name: value}, {}))


@EVERY_HOST
@pytest.mark.parametrize("event", ["Teleport", "session_start", "SESSIONSTART", "日本", "a b\nc", "x" * 4_000])
def test_an_event_that_nobody_knows_keeps_its_name(host: str, event: str) -> None:
    payload = {"hook_event_name": event, "event": event}
    assert adapter(host).moment(payload, {}).event == event


@EVERY_HOST
def test_a_moment_is_the_same_each_time(host: str) -> None:
    payload = {"hook_event_name": "Stop", "event": "turn-stop", "session_id": "s", "session": "s"}
    speak = adapter(host)
    assert speak.moment(payload, {}) == speak.moment(payload, {})


@EVERY_HOST
def test_the_environment_may_say_anything(host: str) -> None:
    odd = {"CLAUDE_PID": "x", "CLAUDE_CODE_SESSION_ID": "\udcff", "HOLDFAST_HOST": "../..", "HOLDFAST_SESSION": ""}
    assert_a_moment(adapter(host).moment({}, odd))
    assert_a_moment(adapter(host).moment({}, {"CLAUDE_PID": "-1", "HOLDFAST_HOST": "/"}))


@EVERY_HOST
@pytest.mark.parametrize("event", [*EVENTS, "", "Teleport", "task-notification", "summariser-stop"])
def test_nothing_to_say_is_said_with_nothing(host: str, event: str) -> None:
    moment = Moment(host, event, "s", "/")
    assert adapter(host).reply(moment, Reply()) == ""


@EVERY_HOST
@settings(max_examples=60, deadline=None)
@given(event=st.sampled_from(EVENTS) | texts, text=texts.filter(bool))
def test_any_text_is_carried_whole_or_not_at_all(host: str, event: str, text: str) -> None:
    assert_readable(adapter(host).reply(Moment(host, event, "s", "/"), Reply(text)), text)


@EVERY_HOST
def test_a_start_and_a_prompt_reach_the_model(host: str) -> None:
    for event in ("session-start", "prompt"):
        reply = adapter(host).reply(Moment(host, event, "s", "/"), Reply("said"))
        assert assert_readable(reply, "said") == "json"


@EVERY_HOST
def test_an_end_carries_nothing_that_could_block_it(host: str) -> None:
    for event in ("session-end", "turn-stop", "before-compaction"):
        reply = adapter(host).reply(Moment(host, event, "s", "/"), Reply("said"))
        for word in ("decision", "block", "continue", "stopReason"):
            assert word not in reply


@EVERY_HOST
def test_every_host_has_payloads_of_its_own(host: str) -> None:
    assert [path for path in PAYLOADS if host_of(path) == host]


@pytest.mark.slow
@EVERY_HOST
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=payloads)
def test_the_whole_hook_answers_any_object(host: str, payload: dict[str, Any], place: Path) -> None:
    """Through to the disk: what is odd is noted, never raised, and the answer can be read."""
    raw = json.dumps(payload).encode("utf-8", "surrogatepass")
    env = surroundings(place)
    out = main.answer(host, raw, env, time.time(), time.perf_counter_ns())
    assert out == "" or isinstance(json.loads(out), dict)


def test_a_host_that_nobody_knows_speaks_the_generic_shape() -> None:
    assert adapter("hal-9000") is adapter("generic")


def test_a_field_is_text_or_nothing() -> None:
    assert text_of({"a": "x"}, "a") == "x"
    assert text_of({"a": 5, "b": None, "c": ["x"]}, "a") == text_of({}, "a") == ""


# --- every payload


def test_every_payload_has_its_line_here() -> None:
    assert sorted(path.stem for path in PAYLOADS) == sorted(NORMALISED)


@EVERY_PAYLOAD
def test_a_payload_is_normalised(path: Path) -> None:
    found = adapter(host_of(path)).moment(load(path), {})
    expected = {**COMMON[host_of(path)], **NORMALISED[path.stem]}
    assert {name: getattr(found, name) for name in expected} == expected
    assert_a_moment(found)


@EVERY_PAYLOAD
def test_a_payload_goes_through_the_whole_hook(path: Path, place: Path) -> None:
    env = surroundings(place)
    project = place / "shop"
    project.mkdir()
    raw = json.dumps({**load(path), "cwd": str(project)}).encode()
    out = main.answer(host_of(path), raw, env, time.time(), time.perf_counter_ns())
    said = " ".join(_strings(json.loads(out))) if out.startswith("{") else out
    assert SAID.get(path.stem, "") in said
    assert bool(out) == (path.stem in SAID or brief_file.NOTHING in said)
    records = list(ledger.read(home.state(env["HOLDFAST_HOME"]), ledger.Wanted()))
    assert [record for record in records if record["kind"] == "error"] == []
    (hook,) = [record for record in records if record["kind"] == "hook"]
    assert hook["event"] == NORMALISED[path.stem]["event"]


@EVERY_PAYLOAD
def test_a_payload_without_any_one_field_is_still_a_moment(path: Path) -> None:
    payload = load(path)
    for name in payload:
        assert_a_moment(adapter(host_of(path)).moment({key: payload[key] for key in payload if key != name}, {}))


@pytest.mark.parametrize("path", [path for path in PAYLOADS if host_of(path) != "generic"], ids=lambda path: path.stem)
def test_a_host_is_answered_under_the_name_it_called_or_not_at_all(path: Path) -> None:
    """It refuses a reply that names another event than the one that is running."""
    payload = load(path)
    speak = adapter(host_of(path))
    reply = speak.reply(speak.moment(payload, {}), Reply("said"))
    if assert_readable(reply, "said") == "json":
        assert json.loads(reply) == {
            "hookSpecificOutput": {"hookEventName": payload["hook_event_name"], "additionalContext": "said"}
        }


def test_what_claude_code_prints_before_a_compaction_is_plain() -> None:
    """It is appended to the summariser's instructions as it is."""
    moment = adapter("claude-code").moment(
        load(Path(__file__).parent / "payloads" / "claude-code.pre-compact-auto.json"), {}
    )
    assert adapter("claude-code").reply(moment, Reply("keep the plan")) == "keep the plan"


def test_claude_codes_environment_fills_what_its_payload_lacks() -> None:
    env = {"CLAUDE_CODE_SESSION_ID": "s1", "CLAUDE_PROJECT_DIR": "/home/ada/shop", "CLAUDE_PID": "4242"}
    found = adapter("claude-code").moment({"hook_event_name": "Stop"}, env)
    assert (found.session, found.cwd, found.pid) == ("s1", "/home/ada/shop", 4242)
    told = adapter("claude-code").moment({"session_id": "s2", "cwd": "/elsewhere"}, env)
    assert (told.session, told.cwd) == ("s2", "/elsewhere")


@pytest.mark.parametrize(
    ("named", "host"),
    [
        ("pi", "pi"),
        ("My Agent", "myagent"),
        ("../../etc", "etc"),
        ("日本", "generic"),
        ("", "generic"),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_generic_hosts_name_is_made_a_plain_one(named: str, host: str) -> None:
    assert adapter("generic").moment({"host": named}, {}).host == host
    assert adapter("generic").moment({}, {"HOLDFAST_HOST": named}).host == host


def test_the_generic_shape_takes_its_session_from_the_environment_where_it_is_not_told() -> None:
    assert adapter("generic").moment({}, {"HOLDFAST_SESSION": "s1"}).session == "s1"
    assert adapter("generic").moment({"session": "s2"}, {"HOLDFAST_SESSION": "s1"}).session == "s2"


# --- what a tool is asked to do


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_huge_tool_input_is_cut_and_costs_next_to_nothing(host: str) -> None:
    given = {
        "command": "x" * (8 << 20),
        "file_path": "y" * (1 << 20),
        "paths": ["z" * 9000] * 9000,
        "deep": [["w"] * 999],
    }
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": given}
    began = time.perf_counter()
    found = assert_a_moment(adapter(host).moment(payload, {}))
    assert time.perf_counter() - began < 1
    assert len(found.command) == len(found.input) == LONGEST_INPUT
    assert {len(one) for one in found.paths} <= {4096}


def test_a_deep_tool_input_is_looked_into_only_so_far() -> None:
    deep: Any = "the bottom"
    for _ in range(400):
        deep = [deep]
    payload = {"hook_event_name": "PreToolUse", "tool_name": "x", "tool_input": {"top": "seen", "deep": deep}}
    assert adapter("claude-code").moment(payload, {}).input == "seen"


ODD = "\ud800\0é"


@EVERY_HOST
def test_halves_of_characters_and_zero_bytes_stay_outside(host: str) -> None:
    listed = [{"content": ODD, "step": ODD, "status": "completed"}]
    given = {"command": ODD, "file_path": ODD, "paths": [ODD], "todos": listed, "plan": listed, ODD: ODD}
    payload: dict[str, Any] = dict.fromkeys(FIELDS, ODD)
    payload |= {"files": [ODD], "paths": [ODD], "completed": [ODD], "pid": True, "agent_type": "x"}
    for tool in ("Bash", "apply_patch", "Edit", "TodoWrite"):
        for event in ("PostToolUse", "TaskCompleted", "Stop", "after-tool"):
            call = {"tool_name": tool, "tool_input": given, "hook_event_name": event, "event": event, "host": "pi"}
            assert_a_moment(adapter(host).moment({**payload, **call}, {}))


@pytest.mark.parametrize("host", ["claude-code", "codex", "generic"])
def test_of_a_long_last_message_the_end_is_kept(host: str) -> None:
    said = "x" * 50_000 + " nothing to flag"
    found = adapter(host).moment({"last_assistant_message": said, "said": said}, {})
    assert found.said.endswith(" nothing to flag")
    assert len(found.said) <= 4096


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "make test"}, "make test"),
        ({"cmd": "make test"}, "make test"),
        ({"command": ["bash", "-lc", "make test && true"]}, "make test && true"),
        ({"command": ["make", "test", 7, None]}, "make test"),
        ({"command": []}, ""),
        ({"command": {"a": 1}}, ""),
        ({"command": None, "script": "make"}, "make"),
    ],
)
def test_the_command_of_a_shell_tool_is_found_in_its_spellings(given: dict[str, Any], command: str) -> None:
    for tool in ("Bash", "shell", "exec_command"):
        assert adapter("codex").moment({"tool_name": tool, "tool_input": given}, {}).command == command
    assert adapter("codex").moment({"tool_name": "Write", "tool_input": given}, {}).command == ""


def test_the_paths_of_a_call_are_those_of_its_fields_and_of_its_command() -> None:
    given = {"command": "cat src/a.py ./b --out=x 'c d/e' https://x.dev/y ; ls -la", "workdir": "/w"}
    found = adapter("codex").moment({"tool_name": "Bash", "tool_input": given}, {})
    assert found.paths == ("/w", "src/a.py", "./b", "d/e")


# --- decisions


@pytest.mark.parametrize("decision", ["allow", "ask", "deny"])
def test_claude_code_takes_every_decision_before_a_tool(decision: str) -> None:
    moment = adapter("claude-code").moment({"hook_event_name": "PreToolUse"}, {})
    said = json.loads(adapter("claude-code").reply(moment, Reply("text", decision=decision, reason="why")))
    assert said == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": "why",
            "additionalContext": "text",
        }
    }


@pytest.mark.parametrize("decision", ["allow", "ask"])
def test_codex_is_told_nothing_that_it_cannot_do(decision: str) -> None:
    moment = adapter("codex").moment({"hook_event_name": "PreToolUse"}, {})
    assert adapter("codex").reply(moment, Reply(decision=decision, reason="why")) == ""


@pytest.mark.parametrize("host", ["claude-code", "codex"])
@pytest.mark.parametrize(
    "name", ["PostToolUse", "SessionStart", "PreCompact", "SubagentStop", "SessionEnd", "Stop", "X"]
)
def test_a_decision_is_given_only_where_it_belongs(host: str, name: str) -> None:
    moment = adapter(host).moment({"hook_event_name": name, "agent_type": "x"}, {})
    assert adapter(host).reply(moment, Reply(decision="deny", reason="why")) == ""
    asked = adapter(host).reply(moment, Reply(decision="go-on", reason="why"))
    assert asked == ('{"decision":"block","reason":"why"}' if name == "Stop" else "")


def test_the_generic_shape_has_all_of_a_reply() -> None:
    moment = adapter("generic").moment({"event": "before-tool"}, {})
    said = json.loads(adapter("generic").reply(moment, Reply("text", decision="deny", reason="why")))
    assert said == {"context": "text", "decision": "deny", "reason": "why"}
