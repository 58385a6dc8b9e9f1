"""What the hook takes from a tool call: once, for the right project, and never two flags or none after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hook_support import SOURCE, Home, Terminal, make_read_only, mounted

from holdfast.capture import flag_words, once

SESSION = {"CLAUDE_CODE_SESSION_ID": "s1"}
FLAG = "orders use optimistic locking"
LINE = f"holdfast flag '{FLAG}'"
BY_HOOK = "(the hook had taken it from this call before it ran)"

# A hook that is killed at one of its own steps, as a host's timeout, an OOM killer or a closed terminal would.
KILLED = """
import os, signal, sys, time
from holdfast.capture import once, ledger, queue
from holdfast.hook import main

def dies(real, when):
    def do(*args, **more):
        if when == "after":
            real(*args, **more)
        if when == "late":
            print("here", flush=True)
            os.read(2, 1)
            return real(*args, **more)
        os.kill(os.getpid(), signal.SIGKILL)
    return do

when, _, step = sys.argv[1].partition(" ")
steps = {"first": (once, "first"), "append": (queue, "append"), "put": (once, "put")}
steps["ledger"] = (ledger, "append_all")
if step in steps:
    room, name = steps[step]
    setattr(room, name, dies(getattr(room, name), when))
main.answer("claude-code", sys.stdin.buffer.read(), dict(os.environ), time.time(), time.perf_counter_ns())
"""
STEPS = [f"{when} {step}" for step in ("first", "append", "ledger", "put") for when in ("before", "after")]


def call(fresh: Home, line: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    """The hook sees a tool call of Claude Code."""
    env = more.pop("env", None)
    now = more.pop("now", 0.0)
    event = fresh.event("PreToolUse", session, tool_name="Bash", tool_input={"command": line}, **more)
    return fresh.reply(event, env=env, now=now)


def course_files(fresh: Home) -> list[Path]:
    return [path for path in (Path(fresh.state) / "episodes" / "course").rglob("*") if path.is_file()]


def said_files(fresh: Home) -> list[Path]:
    return [path for path in course_files(fresh) if path.name.startswith(flag_words.SAID)]


# --- the hook and the command


def test_a_flag_in_a_tool_call_is_in_the_queue_before_the_call_runs(fresh: Home) -> None:
    call(fresh, f"holdfast flag --kind decision --evidence orders.py:241 '{FLAG}'")
    (flag,) = fresh.waiting()
    assert (flag.text, flag.kind, flag.evidence) == (FLAG, "decision", ("orders.py:241",))
    assert (flag.origin, flag.episode, flag.project) == ("agent", "claude-code/s1/1", fresh.project_id())
    assert fresh.ledger("hook")[-1]["flags"] == 1


def test_the_command_that_then_runs_says_so_and_writes_nothing_more(fresh: Home, terminal: Terminal) -> None:
    call(fresh, LINE)
    done = terminal.fast("flag", FLAG, env=SESSION)
    (flag,) = fresh.waiting()
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"flagged {flag.id} [fact] in project {fresh.project_id()}")
    assert done.out.endswith(f"{BY_HOOK}\n")
    assert said_files(fresh) == []


def test_as_json_it_says_which_of_the_two_has_kept_it(fresh: Home, terminal: Terminal) -> None:
    call(fresh, LINE)
    taken = json.loads(terminal.fast("flag", "--json", FLAG, env=SESSION).out)
    assert (taken["by"], [one["id"] for one in taken["saved"]]) == ("hook", [fresh.waiting()[0].id])
    assert json.loads(terminal.fast("flag", "--json", "another", env=SESSION).out)["by"] == "command"


def test_the_same_words_flagged_again_later_are_a_flag_again(fresh: Home, terminal: Terminal) -> None:
    for _ in range(2):
        call(fresh, LINE)
        terminal.fast("flag", FLAG, env=SESSION)
    assert fresh.texts() == [FLAG, FLAG]


def test_a_call_that_was_refused_and_is_tried_again_is_one_flag(fresh: Home, terminal: Terminal) -> None:
    for _ in range(3):
        call(fresh, LINE)
    assert fresh.texts() == [FLAG]
    assert BY_HOOK in terminal.fast("flag", FLAG, env=SESSION).out
    assert fresh.texts() == [FLAG]


def test_two_commands_in_one_call_are_two_flags_however_alike(fresh: Home, terminal: Terminal) -> None:
    call(fresh, f"{LINE}; holdfast snag 'it hung' --better 'set TZ'; {LINE}")
    done = [terminal.fast("flag", FLAG, env=SESSION).out for _ in range(2)]
    assert BY_HOOK in done[0]
    assert BY_HOOK not in done[1]
    assert Counter(fresh.texts()) == {FLAG: 2, "it hung. Better: set TZ": 1}


def test_each_text_of_one_command_has_its_own_id(fresh: Home, terminal: Terminal) -> None:
    call(fresh, "holdfast flag one two three")
    done = terminal.fast("flag", "one", "two", "three", env=SESSION)
    assert [flag.text for flag in fresh.waiting()] == ["one", "two", "three"]
    assert [line.split()[1] for line in done.out.splitlines()] == [flag.id for flag in fresh.waiting()]


def test_the_path_that_the_launcher_names_is_heard_also_with_a_space_in_it(fresh: Home) -> None:
    call(fresh, "'/opt/my tools/holdfast' flag here", env={"HOLDFAST_COMMAND": "'/opt/my tools/holdfast'"})
    call(fresh, "/opt/holdfast flag there", env={"HOLDFAST_COMMAND": "/opt/holdfast"})
    call(fresh, "/elsewhere/holdfast flag nowhere", env={"HOLDFAST_COMMAND": "/opt/holdfast"})
    assert fresh.texts() == ["here", "there"]


@pytest.mark.slow
def test_two_hooks_at_once_keep_it_once(fresh: Home) -> None:
    """As where a plugin and the settings have both registered us."""
    call(fresh, "true")
    event = fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": LINE})
    command = [sys.executable, "-c", KILLED, "never"]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    both = [subprocess.Popen(command, env=env, cwd=fresh.project, stdin=subprocess.PIPE) for _ in range(2)]
    for one in both:
        assert one.stdin
        one.stdin.write(json.dumps(event).encode())
        one.stdin.flush()
    for one in both:
        one.communicate()
    assert fresh.texts() == [FLAG]


# --- killed


@pytest.mark.parametrize("step", STEPS)
def test_a_hook_killed_at_any_step_leaves_neither_two_flags_nor_none(
    fresh: Home, terminal: Terminal, step: str
) -> None:
    call(fresh, "true")
    event = fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": LINE})
    command = [sys.executable, "-c", KILLED, step]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=env, cwd=fresh.project, input=json.dumps(event).encode(), check=False)
    assert done.returncode == -signal.SIGKILL
    told = terminal.fast("flag", FLAG, env=SESSION)
    assert told.status == 0
    assert fresh.texts() == [FLAG]
    assert (BY_HOOK in told.out) == (step not in ("before first", "after first", "before append"))
    assert said_files(fresh) == []


@pytest.mark.parametrize("step", STEPS)
def test_after_a_kill_the_next_hook_that_hears_it_keeps_it_once(fresh: Home, step: str) -> None:
    """The host runs the call again, and this time refuses it."""
    call(fresh, "true")
    event = fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": LINE})
    command = [sys.executable, "-c", KILLED, step]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    subprocess.run(command, env=env, cwd=fresh.project, input=json.dumps(event).encode(), check=False)
    call(fresh, LINE)
    assert fresh.texts() == [FLAG]


def test_a_hook_that_goes_on_after_the_command_saves_no_second_one(fresh: Home, terminal: Terminal) -> None:
    """The host lost patience with it and ran the command; both give the flag the same id."""
    call(fresh, "true")
    event = fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": LINE})
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", KILLED, "late append"]
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        command, env=env, cwd=fresh.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=ours
    ) as hook:
        os.close(ours)
        assert hook.stdin
        assert hook.stdout
        hook.stdin.write(json.dumps(event).encode())
        hook.stdin.close()
        assert hook.stdout.readline() == b"here\n"
        assert terminal.fast("flag", FLAG, env=SESSION).status == 0
        assert fresh.texts() == [FLAG]
        os.write(theirs, b"go")
        os.close(theirs)
        hook.wait()
    assert fresh.texts() == [FLAG]


def test_an_empty_word_of_the_hook_is_no_word(fresh: Home, terminal: Terminal) -> None:
    """A disk that was full when the word was to be left: the file is there, the ids are not."""
    call(fresh, "true")
    name = flag_words.read("flag", [FLAG]).name
    once.first(fresh.state, fresh.episode().key, name)
    assert BY_HOOK not in terminal.fast("flag", FLAG, env=SESSION).out
    assert fresh.texts() == [FLAG]


# --- a sandbox that cannot write


def test_in_a_vault_that_cannot_be_written_the_command_says_that_the_hook_has_it(
    fresh: Home, terminal: Terminal, tmp_path: Path
) -> None:
    with mounted(tmp_path / "disk", "2m") as disk:
        fresh.vault = disk / "vault"
        call(fresh, f"{LINE}; holdfast flag --nothing")
        make_read_only(disk)
        for _ in range(2):  # the word stays: nobody can take it away
            done = terminal.fast("flag", FLAG, env=SESSION)
            assert (done.status, done.err) == (0, "")
            assert BY_HOOK in done.out
        assert terminal.fast("flag", "--nothing", env=SESSION).status == 0
        done = terminal.fast("flag", "nobody has heard this", env=SESSION)
        assert (done.status, done.out) == (3, "")
        assert done.err.startswith("holdfast flag: NOT saved: ")
        assert fresh.texts() == [FLAG]


def test_a_hook_that_could_not_write_leaves_no_word_that_it_did(
    fresh: Home, terminal: Terminal, tmp_path: Path
) -> None:
    with mounted(tmp_path / "disk", "2m") as disk:
        fresh.vault = disk / "vault"
        call(fresh, "true")
        make_read_only(disk)
        call(fresh, LINE)
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        done = terminal.fast("flag", FLAG, env=SESSION)
        assert done.status == 0
        assert BY_HOOK not in done.out
        assert fresh.texts() == [FLAG]


# --- what is not taken


@pytest.mark.parametrize(
    "line",
    [
        *("test -f x || holdfast flag x", "holdfast flag $HOME", "if true; then holdfast flag x; fi"),
        *("cd nowhere && holdfast flag x", "HOLDFAST_SESSION=s2 holdfast flag x", "exit; holdfast flag x"),
    ],
)
def test_what_only_the_shell_knows_is_left_to_it_and_the_ledger_says_so(fresh: Home, line: str) -> None:
    call(fresh, line)
    assert fresh.texts() == []
    assert fresh.ledger("hook")[-1]["unheard"] == "only the shell knows what will be run"


@pytest.mark.parametrize(
    "line",
    [
        *("holdfast handoff <<'EOF'\nholdfast flag x\nEOF", "cat <<EOF\nholdfast flag x\nEOF", "echo holdfast flag x"),
        *("holdfast flag --kind nonsense x", "holdfast flag ''", "holdfast flag", "holdfast flag --help x"),
        *("holdfast recall x", "holdfast notes", "git commit -m 'holdfast flag x'", "# holdfast flag x"),
    ],
)
def test_what_is_no_flag_is_not_taken_for_one(fresh: Home, line: str) -> None:
    call(fresh, line)
    assert fresh.texts() == []
    assert said_files(fresh) == []
    assert fresh.errors() == []


def test_where_capture_is_off_in_the_folder_nothing_is_taken(fresh: Home) -> None:
    other = fresh.project / "private"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (other / ".holdfast.toml").write_text("off = true\n")
    call(fresh, "cd private && holdfast flag x")
    assert fresh.texts() == []


# --- whose it is


def test_behind_a_cd_it_belongs_to_the_project_that_the_command_would_say(fresh: Home, terminal: Terminal) -> None:
    other = fresh.folder / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (fresh.project / "sub").mkdir()
    call(
        fresh, f"cd {other} && holdfast flag there; cd {fresh.project}/sub; holdfast flag here; cd ..; holdfast flag up"
    )
    mine = fresh.project_id()
    assert [(flag.text, flag.project) for flag in fresh.waiting()] == [
        ("there", fresh.project_id(other)),
        ("here", mine),
        ("up", mine),
    ]
    for text, folder in (("there", other), ("here", fresh.project / "sub"), ("up", fresh.project)):
        assert BY_HOOK in terminal.fast("flag", text, env=SESSION, cwd=folder).out


def test_nothing_to_flag_is_heard_in_the_call_too(fresh: Home, terminal: Terminal) -> None:
    fresh.reply(fresh.event("PostToolUse", tool_name="mcp__x__mark_chapter", tool_input={"title": "Retries"}))
    call(fresh, "holdfast flag --nothing")
    assert fresh.nudges() == [("chapter", "said"), ("chapter", "declined")]
    assert terminal.fast("flag", "--nothing", env=SESSION).out == "Nothing to flag; noted.\n"
    assert fresh.nudges() == [("chapter", "said"), ("chapter", "declined")], "told once"
    fresh.reply(fresh.event("Stop"))
    assert fresh.ledger("hook")[-1]["stop"] == "nothing was due"


def test_what_the_hook_has_taken_answers_a_boundary(fresh: Home) -> None:
    now = time.time()
    chapter = fresh.event("PostToolUse", tool_name="mcp__x__mark_chapter", tool_input={"title": "Retries"})
    fresh.reply(chapter, now=now)
    call(fresh, LINE, now=now + 1)
    fresh.reply(fresh.event("Stop"), now=now + 2)
    assert fresh.nudges() == [("chapter", "said")]


# --- secrets


@pytest.mark.parametrize(
    "line",
    [
        "holdfast flag 'the key is {token}' --evidence 'see {token}'",
        "holdfast snag 'pushed {token}' --better 'rotate {token}'",
        'holdfast flag "$X {token}"',
        "export KEY={token}; holdfast flag x",
        "cat <<EOF\nholdfast flag {token}\nEOF",
        "holdfast flag --kind {token} x",
        "cd {token} && holdfast flag x",
        "holdfast flag --for {token} x",
        "git commit -m {token} && holdfast flag --nothing",
    ],
)
def test_a_secret_in_a_tool_call_never_reaches_the_disk(fresh: Home, token: str, line: str) -> None:
    said = line.replace("{token}", token)
    call(fresh, said, tool_use_id="c1")
    fresh.reply(fresh.event("PostToolUse", tool_name="Bash", tool_input={"command": said}, tool_use_id="c1"))
    written = b"".join(path.read_bytes() for path in fresh.vault.rglob("*") if path.is_file())
    names = "\n".join(fresh.files())
    assert token.encode() not in written
    assert token not in names
    assert written
