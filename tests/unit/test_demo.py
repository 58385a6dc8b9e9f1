"""The demonstration: what it shows, that it notices when something does not work, and that it leaves nothing behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import home, platform, queue
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.install import demo as story
from holdfast.install import launcher
from holdfast.install.demo import WIDTH, Telling
from holdfast.install.demo_host import Host
from holdfast.install.demo_stage import Stage, stage

COMMAND = [sys.executable, "-P", "-m", "holdfast", "demo"]
PATIENCE = 60.0


def told(colour: bool = False) -> tuple[list[str], Telling]:
    lines: list[str] = []
    return lines, Telling(lines.append, colour)


# --- how it is printed


@pytest.mark.slow
@given(
    st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=400), st.sampled_from("scqt")
)
@settings(max_examples=200, deadline=None)
def test_no_line_is_wider_than_a_terminal_and_no_word_is_lost(text: str, how: str) -> None:
    lines, tell = told()
    {"s": tell.step, "c": tell.command, "q": lambda one: tell.quote([one]), "t": tell.then}[how](text)
    assert all(len(line) <= WIDTH or " " not in line.strip() or max(map(len, text.split())) > 60 for line in lines)
    shown = "\n".join(lines).split()
    assert shown[len(shown) - len(text.split()) :] == text.split()


def test_steps_are_numbered_and_set_apart() -> None:
    lines, tell = told()
    tell.step("one")
    tell.then("and more")
    tell.step("two")
    assert lines == ["1. one", "   and more", "", "2. two"]


def test_what_is_left_out_of_an_excerpt_is_to_be_seen() -> None:
    lines, tell = told()
    tell.excerpt(["a1", "b", "b", "a2", "a3", "b"], "a")
    assert [line.strip() for line in lines] == ["a1", "[...]", "a2", "a3", "[...]"]


def test_without_colour_there_is_no_escape_and_with_it_the_same_words() -> None:
    plain, tell = told()
    bright, tell_bright = told(colour=True)
    for one in (tell, tell_bright):
        one.step("a step")
        one.command("holdfast notes")
        one.quote(["WARNING: look", "usual"], loud="WARNING")
        one.close("the end")
    assert "\x1b" not in "".join(plain)
    assert [re.sub(r"\x1b\[\d*m", "", line) for line in bright] == plain
    assert bright != plain


# --- where it is played


@pytest.fixture
def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the demonstration makes its folder, and nobody else does."""
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    yield place
    assert processes_below(place) == [], "nothing that it started goes on"


def processes_below(folder: Path) -> list[int]:
    """The processes whose vault lies in a folder."""
    found = []
    for name in platform.names("/proc"):
        try:
            raw = platform.read_file(f"/proc/{name}/environ") if name.isdecimal() else b""
        except OSError:
            continue
        if f"HOLDFAST_HOME={folder}/".encode() in raw:
            found.append(int(name))
    return found


@pytest.mark.slow
def test_the_stage_is_gone_at_the_end_and_was_a_real_project(there: Path) -> None:
    with stage() as made:
        assert made.folder.parent == there
        assert made.run("git", "log", "--format=%s") == ["A shop"]
        assert made.run("git", "status", "--porcelain") == []
        assert made.run("holdfast", "queue") != []
    assert list(there.iterdir()) == []


@pytest.mark.slow
def test_nothing_of_the_users_environment_comes_along(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"HOLDFAST_HOME": "/nowhere/vault", "HOLDFAST": "off", "HOLDFAST_CLOSE": "off", "HOLDFAST_CHILD": "1"}
    agents = {"CLAUDE_CODE_SESSION_ID": "mine", "CLAUDE_CONFIG_DIR": "/nowhere", "CODEX_HOME": "/nowhere"}
    for name, text in {**own, **agents, "XDG_DATA_HOME": "/nowhere/data", "GIT_DIR": "/nowhere/git"}.items():
        monkeypatch.setenv(name, text)
    with stage() as made, Host(made, "s1") as host:
        assert "/nowhere" not in "".join(made.env.values())
        assert not {*own, *agents} - {"HOLDFAST_HOME"} & {*made.env}
        assert host.starts().text, "a session of the demo is not switched off by the user's switches"
    assert list(there.iterdir()) == []


def test_it_is_kept_where_it_is_wanted(there: Path) -> None:
    with stage(keep=True) as made:
        pass
    assert made.project.is_dir()
    assert list(there.iterdir()) == [made.folder]


@pytest.mark.slow
def test_a_failing_step_leaves_nothing_and_ends_what_it_had_started(there: Path) -> None:
    def play() -> None:
        with stage() as made, Host(made, "s1") as host:
            host.starts()
            host.bash("setsid sleep 600 >/dev/null 2>&1 &")
            assert len(processes_below(there)) >= 2
            raise HoldfastError("a step failed")

    with pytest.raises(HoldfastError, match="a step failed"):
        play()
    assert list(there.iterdir()) == []
    assert processes_below(there) == []


def test_without_git_it_does_not_begin(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(there))
    with pytest.raises(HoldfastError, match="no git on PATH"), stage():
        raise AssertionError("it began")
    assert list(there.iterdir()) == []


# --- its host


@pytest.fixture
def made(there: Path) -> Iterator[Stage]:
    with stage() as one:
        yield one
    assert list(there.iterdir()) == []


@pytest.mark.slow
def test_its_host_is_the_process_that_the_hook_takes_for_the_host(made: Stage) -> None:
    with Host(made, "s1") as host:
        host.starts()
        assert host.bash("holdfast flag 'from within'").output.startswith("flagged ")
        (entry,) = queue.read(f"{home.state(str(made.vault))}/queue", time.time()).entries
        assert entry.flag.episode == "claude-code/s1/1"
        host.killed()
    with Host(made, "s2") as host:
        assert "WARNING: the claude-code session s1 died without an end" in host.starts().text
    made.closed("s1")


@pytest.mark.slow
def test_a_call_that_the_hook_denies_is_not_run(made: Stage) -> None:
    made.run("holdfast", "remember", "--kind", "rule", "--policy", "never", "--name", "No touching", "Do not touch it")
    made.run("holdfast", "arm", "rules/no-touching.md", "--tool", "Bash", "--word", "touch")
    with Host(made, "s1") as host:
        host.starts()
        assert host.bash("touch touched").before.decision == "deny"
        assert not (made.project / "touched").exists()
        assert host.bash("echo run").output == "run"


@pytest.mark.slow
def test_a_command_that_fails_in_the_host_is_one_sentence(made: Stage) -> None:
    with Host(made, "s1") as host, pytest.raises(HoldfastError, match="`false` failed in the demo's host"):
        host.bash("false")


def test_an_answer_that_is_no_reply_is_one_sentence(made: Stage) -> None:
    path = registration.launcher_path(made.env)
    path.write_text("#!/bin/sh\necho broken\n", encoding="utf-8")
    with Host(made, "s1") as host, pytest.raises(HoldfastError, match="'broken' at SessionStart"):
        host.starts()


# --- it notices


def failing(made: Stage) -> tuple[str, str]:
    """(what it printed, the one sentence) of a play that must not succeed."""
    lines, tell = told()
    with pytest.raises(HoldfastError) as error:
        story.Story(made, tell).play()
    assert "\n" not in str(error.value)
    return "\n".join(lines), str(error.value)


def test_a_hook_that_cannot_run_is_noticed_at_the_first_step(made: Stage) -> None:
    registration.launcher_path(made.env).chmod(0o600)
    printed, sentence = failing(made)
    assert "set TMPDIR to another folder" in sentence
    assert "2. " not in printed


@pytest.mark.slow
def test_a_nudge_that_does_not_come_is_noticed(made: Stage) -> None:
    state = Path(home.state(str(made.vault)))
    state.mkdir(parents=True)
    (state / "config.toml").write_text('[nudge]\noff = ["commit"]\n', encoding="utf-8")
    printed, sentence = failing(made)
    assert sentence.startswith("It was to be seen that a commit makes the hook ask, and it was not; nothing of yours")
    assert "3. " not in printed


@pytest.mark.slow
def test_a_flag_that_is_not_taken_is_noticed(made: Stage) -> None:
    lines, tell = told()
    with Host(made, "s1") as host:
        host.starts()
        Path(home.paused_path(str(made.vault))).write_text("1\n", encoding="utf-8")
        with pytest.raises(HoldfastError, match="paused"):
            story.Story(made, tell)._flags(host)
    assert not any("flagged" in line for line in lines)


# --- all of it


def playing(there: Path, out: int, *words: str, **more: str) -> subprocess.Popen[bytes]:
    env = {"PATH": os.environ["PATH"], "HOME": str(there / "home"), "TMPDIR": str(there / "tmp"), "LANG": "C.UTF-8"}
    for name in ("home", "tmp"):
        (there / name).mkdir(exist_ok=True)
    source = str(launcher.script_path().parents[2])
    return subprocess.Popen(
        [*COMMAND, *words], env={**env, "PYTHONPATH": source, **more}, stdout=out, stderr=subprocess.STDOUT
    )


def nothing_is_left(there: Path) -> bool:
    return [*(there / "tmp").iterdir(), *(there / "home").iterdir(), *processes_below(there / "tmp")] == []


@pytest.mark.slow
def test_the_whole_life_is_played_in_under_a_minute_and_leaves_nothing(there: Path) -> None:
    began = time.monotonic()
    done = playing(there, subprocess.PIPE)
    out = done.communicate(timeout=2 * PATIENCE)[0].decode()
    assert done.returncode == 0, out
    assert time.monotonic() - began < PATIENCE
    seen = [
        "1. A session starts",
        "their words are kept as",
        "Committed. What was decided and why",
        "flagged ",
        "kill -9 ",
        "WARNING: the claude-code session demo-1 died",
        f"- [decision] {story.FACT}",
        "filed=3 judge=verbatim",
        "when: {tool: Bash, words: [npm, test]}",
        "close of session 1",
        f"+{story.FACT}",
        "The call has not run.",
        "Changed by a snag",
        "Newest handoff, session 1",
        "Under way when it died",
        "taken back: ",
        "undone ",
        "seen 3  open 0  closed 3  drained 3",
        "holdfast init",
    ]
    places = [out.find(text) for text in seen]
    assert -1 not in places, seen[places.index(-1)]
    assert places == sorted(places), "in this order"
    assert [line for line in out.splitlines() if len(line) > WIDTH and " " in line.strip()] == []
    assert "\x1b" not in out
    assert nothing_is_left(there)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_interrupted_in_a_terminal_it_leaves_nothing_and_had_colour(there: Path, ending: signal.Signals) -> None:
    master, slave = pty.openpty()
    process = playing(there, slave, NO_COLOR="1" if ending == signal.SIGHUP else "")
    os.close(slave)
    out = b""
    while b"5. The next session" not in out:  # its close runs in the background by now, or is about to
        out += os.read(master, 1 << 16)
    process.send_signal(ending)
    assert process.wait(PATIENCE) != 0
    os.close(master)
    assert (b"\x1b[1m1. A session starts" in out) == (ending != signal.SIGHUP)
    assert nothing_is_left(there)


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_it_and_leaves_nothing(there: Path) -> None:
    reader, writer = os.pipe()
    process = playing(there, writer)
    os.close(writer)
    assert os.read(reader, 10)
    os.close(reader)
    process.wait(PATIENCE)
    assert nothing_is_left(there)
