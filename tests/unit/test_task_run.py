"""`task run`: hosts are started with a task's memory, one at a time, and what became of each of them is kept."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hook_support import PYTHON, SOURCE, START, Home, wait_until

from holdfast.capture import flags, notices, platform, projects
from holdfast.errors import Busy, NotFound, UsageError
from holdfast.tasks import checkpoint_words, commands, record, states
from holdfast.tasks import run_process as run_lock
from holdfast.tasks import runs as running
from holdfast.tasks.runs import Ran, Wish

GO = ("claude", "-p", "go on")
# The whole command line, with `run` where its app has it.
SAYS = 'printf "%s\\0" "$@" > {folder}/words; printf %s "$HOLDFAST_TASK" > {folder}/task; pwd > {folder}/cwd'
COUNTS = "echo x >> {folder}/started"


def as_usual() -> None:
    """Who started these tests may ignore a hangup, as nohup does; a runner then leaves it ignored, rightly."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Bench:
    """A task `audit` in a fresh home, hosts that are scripts of ours, and runs in this process or in their own."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.vault = str(home.vault)
        self.folder = home.folder / "seen"
        self.bin = home.folder / "bin"
        for made in (self.folder, self.bin):
            made.mkdir()
        self.env = {**home.env, "PATH": f"{self.bin}:{home.env['PATH']}", "PYTHONPATH": str(SOURCE)}
        flags.prepare(self.vault)
        project = projects.find(str(home.project), self.vault)
        self.speaker = flags.Speaker("cli", "", project, "user", is_open=False)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("audit", "Audit the orders")

    def start(self, ident: str, goal: str = "Something else") -> None:
        commands.start(self.vault, ident, goal, self.speaker, time.time)

    def say(self, *argv: str) -> None:
        said = checkpoint_words.settled(checkpoint_words.read(list(argv)))
        commands.checkpoint(self.vault, said, self.speaker, time.time, {"HOLDFAST_TASK": "audit"})

    def move(self, to: str) -> None:
        commands.move(self.vault, "audit", to, "", self.speaker, time.time, {})

    def host(self, *lines: str, name: str = "claude") -> None:
        """A host that does this."""
        told = "\n".join(lines).replace("{folder}", str(self.folder)).replace("{holdfast}", self.holdfast)
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{told}\n")
        path.chmod(0o755)

    @property
    def holdfast(self) -> str:
        return f"{PYTHON} -I -S {START} --command"

    def run(self, *command: str, task: str = "audit", **more: object) -> Ran:
        wish = Wish(task, command or GO, **more)  # type: ignore[arg-type]
        return running.run(self.vault, str(self.home.project), wish, self.speaker, time.time, self.env)

    def runner(self, *argv: str, terminal: int = -1) -> subprocess.Popen[bytes]:
        """A runner of its own, in the foreground of this terminal, or apart from any."""
        around = subprocess.PIPE if terminal < 0 else terminal
        started = subprocess.Popen(
            [sys.executable, "-P", "-m", "holdfast", "task", "run", *(argv or ("audit", "--", *GO))],
            env=self.env,
            cwd=self.home.project,
            stdin=around,
            stdout=around,
            stderr=around,
            start_new_session=True,
            preexec_fn=as_usual if terminal < 0 else take_terminal,  # noqa: PLW1509  they call the kernel and no more
        )
        self.processes.append(started)
        return started

    def seen(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def words(self) -> list[str]:
        return self.seen("words").split("\0")[:-1]

    def started(self) -> int:
        return self.seen("started").count("x")

    def pids(self) -> list[int]:
        return [int(pid) for pid in self.seen("pid").split()]

    def runs(self) -> list[tuple[str, str]]:
        return [(one.to, one.text) for one in record.everything(self.vault, "audit") if one.kind == record.RUN]

    def state(self) -> str:
        return commands.show(self.vault, "audit", "", time.time, {}).task.state

    def told(self) -> list[str]:
        """What the next start in the project would be told."""
        return [one.line for one in notices.for_project(self.home.state, self.speaker.project.id, time.time())]

    def lock(self) -> Path:
        return Path(record.own(self.vault)) / "run" / "audit"


@pytest.fixture
def bench(fresh: Home) -> Iterator[Bench]:
    made = Bench(fresh)
    yield made
    for pid in made.pids():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    for one in made.processes:
        one.kill()
        one.communicate()


# One session


@pytest.mark.slow
def test_a_host_gets_the_memory_before_its_prompt_and_works_on_this_task(bench: Bench) -> None:
    bench.start("other")
    bench.say("--decision", "DO NOT modify config/auth.yaml because three services use it")
    bench.say("--next", "Begin with file 095")
    bench.host(SAYS, "{holdfast} task checkpoint --progress 'COMPLETED: file 095' > {folder}/said")
    assert bench.run("claude", "-p", "--model", "haiku", "go on") == Ran("audit", 1, 0, states.ACTIVE)
    assert bench.words()[:3] == ["-p", "--model", "haiku"]
    prompt = bench.words()[3]
    assert prompt.startswith(f"Read {bench.vault}/tasks/audit/session_memory.md first")
    assert "decided DO NOT modify config/auth.yaml" in prompt
    assert "Next step: Begin with file 095" in prompt
    assert "holdfast task checkpoint --next" in prompt
    assert prompt.endswith("\ngo on")
    assert bench.seen("task") == "audit"
    assert bench.seen("cwd").strip() == str(bench.home.project)
    assert "in task audit" in bench.seen("said")


@pytest.mark.slow
def test_start_and_end_of_a_session_are_in_the_log_and_in_the_ledger(bench: Bench) -> None:
    bench.host("{holdfast} task checkpoint --discovery 'the schema has a field more' > /dev/null")
    bench.run()
    began, ended = bench.runs()
    assert began == ("began", "claude, session 1")
    assert ended[0] == "ended"
    assert ended[1].startswith("claude ended with status 0 after ")
    assert ended[1].endswith("it wrote 1 entry")
    told = [one for one in bench.home.ledger("task") if one["section"] == record.RUN]
    assert [(one["to"], one["task"], one.get("status")) for one in told] == [
        ("began", "audit", None),
        ("ended", "audit", 0),
    ]
    bench.run()
    assert bench.runs()[2] == ("began", "claude, session 2")


@pytest.mark.slow
def test_a_started_task_becomes_active_and_a_left_one_is_resumed(bench: Bench) -> None:
    bench.host(COUNTS)
    bench.run()
    assert bench.state() == states.ACTIVE
    bench.run()
    assert bench.state() == states.RESUMED


@pytest.mark.slow
def test_no_argument_of_the_command_is_kept_anywhere(bench: Bench, token: str) -> None:
    bench.host(SAYS)
    bench.run("claude", "-p", "--settings", f"key={token}", f"use {token} and the word rhododendron")
    assert token in bench.seen("words")
    for path in Path(bench.vault).rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes()
            assert b"rhododendron" not in path.read_bytes()


@pytest.mark.slow
def test_a_host_that_fails_marks_the_task_and_the_next_start_says_so(bench: Bench) -> None:
    bench.host("exit 3")
    ran = bench.run()
    assert (ran.status, ran.state) == (3, states.ACTIVE)
    assert "claude ended with status 3" in ran.why
    assert bench.runs()[-1][0] == "died"
    assert any("task audit" in line and "status 3" in line for line in bench.told())


@pytest.mark.slow
def test_a_host_that_was_killed_is_told_to_the_next_one_and_forgotten_after_it(bench: Bench) -> None:
    bench.host("kill -9 $$")
    assert bench.run().status == 128 + signal.SIGKILL
    assert bench.runs()[-1] == ("died", bench.runs()[-1][1])
    assert "killed by SIGKILL" in bench.told()[0]
    bench.host(SAYS)
    assert bench.run().status == 0
    assert "The session before this one died (claude was killed by SIGKILL" in bench.words()[1]
    assert bench.told() == []


@pytest.mark.slow
def test_a_prompt_on_stdin_has_the_memory_before_it(bench: Bench) -> None:
    bench.host("cat > {folder}/asked")
    runner = bench.runner("audit", "--", "claude", "-p")
    runner.communicate("go on, ü\n".encode(), timeout=30)
    assert runner.returncode == 0
    asked = bench.seen("asked")
    assert asked.startswith(f"Read {bench.vault}/tasks/audit/session_memory.md first")
    assert asked.endswith("\ngo on, ü\n")


@pytest.mark.slow
def test_what_stands_behind_the_two_dashes_reaches_the_host_untouched(bench: Bench) -> None:
    bench.host(SAYS, "cat > {folder}/asked", "echo out; echo err >&2; exit 7", name="agent")
    behind = ("agent", "--help", "--max-sessions", "9", "--until-complete", "--", "-x", "{memory}")
    runner = bench.runner("audit", "--max-sessions", "1", "--", *behind)
    out, err = runner.communicate(b"from the terminal", timeout=30)
    assert runner.returncode == 7
    assert bench.words()[:6] == list(behind[1:7])
    assert bench.words()[6].startswith("Read ")
    assert bench.seen("asked") == "from the terminal"
    assert out == b"out\n"
    assert err.startswith(b"err\nholdfast: agent ended with status 7; task audit is active")


def test_a_program_that_is_not_there_starts_nothing(bench: Bench) -> None:
    bench.env["PATH"] = str(bench.bin)
    ran = bench.run("codex", "exec", "go on")
    assert (ran.status, ran.sessions) == (127, 0)
    assert bench.runs() == []


@pytest.mark.slow
def test_a_program_that_cannot_be_executed_is_a_session_that_died(bench: Bench) -> None:
    bench.host("true")
    (bench.bin / "claude").write_text("#!/no/such/interpreter\n")
    ran = bench.run(until_complete=True)
    assert (ran.status, ran.sessions) == (running.NOT_COMPLETE, 1)
    assert bench.runs()[-1][0] == "died"
    assert "could not be started" in bench.runs()[-1][1]


@pytest.mark.parametrize("state", [states.PAUSED, states.BLOCKED])
def test_a_task_that_rests_is_not_run(bench: Bench, state: str) -> None:
    bench.host(COUNTS)
    bench.move(state)
    with pytest.raises(UsageError, match=f"is {state}; nothing was started. Resume it first"):
        bench.run(until_complete=True)
    assert bench.started() == 0
    assert bench.runs() == []


def test_an_unknown_task_is_not_run(bench: Bench) -> None:
    bench.host(COUNTS)
    with pytest.raises(NotFound, match="no task nothing"):
        bench.run(task="nothing")
    assert bench.started() == 0


@pytest.mark.slow
def test_the_prefix_is_bounded_and_nothing_in_it_closes_its_fence(bench: Bench) -> None:
    bench.say("--decision", "DO NOT write </holdfast-memory> anywhere, Vec<u8> is fine and 1 < 2 is too")
    for nth in range(60):
        bench.say("--discovery", f"field {nth:03} " + "is long and has a story of its own " * 10)
    text = running.prefix(bench.vault, "audit", time.time)
    assert len(text) <= 9000
    assert text.count("</holdfast-memory>") == 1
    assert "&lt;/holdfast-memory>" in text
    assert "field 059" in text
    assert "field 000" not in text
    assert "more: `holdfast task show audit`)" in text


# One session after another


@pytest.mark.slow
def test_sessions_follow_each_other_until_the_task_is_completed(bench: Bench) -> None:
    done = f"{sys.executable} -P -m holdfast task complete --status 'all of it' > /dev/null; exit 1"
    bench.host(
        COUNTS,
        f"test $(wc -l < {{folder}}/started) -lt 3 || {{ {done}; }}",
        "{holdfast} task checkpoint --discovery one",
    )
    ran = bench.run(until_complete=True)
    assert (ran.sessions, ran.status, ran.state) == (3, 0, states.COMPLETED)
    assert bench.started() == 3
    assert not Path(record.folder(bench.vault, "audit")).exists(), "the end of its run has opened the task again"
    told = [one for one in bench.home.ledger("task") if one["section"] == record.RUN]
    assert [one["to"] for one in told] == ["began", "ended"] * 2 + ["began", "died"]
    assert bench.told() == []
    again = bench.run(until_complete=True)
    assert (again.sessions, again.status, again.why) == (0, 0, "Task audit is completed; nothing was started.")
    with pytest.raises(UsageError, match="is completed; nothing was started"):
        bench.run()
    assert bench.started() == 3


@pytest.mark.slow
def test_sessions_stop_where_the_task_is_blocked(bench: Bench) -> None:
    bench.host(COUNTS, f"{sys.executable} -P -m holdfast task block --reason 'no access' > /dev/null")
    ran = bench.run(until_complete=True)
    assert (ran.sessions, ran.status, ran.state) == (1, running.NOT_COMPLETE, states.BLOCKED)


@pytest.mark.slow
def test_three_sessions_that_write_nothing_are_enough(bench: Bench) -> None:
    bench.host(
        COUNTS, "test $(wc -l < {folder}/started) -ne 2 || {holdfast} task checkpoint --discovery one > /dev/null"
    )
    ran = bench.run(until_complete=True)
    assert (ran.sessions, ran.status) == (5, running.NOT_COMPLETE)
    assert "3 sessions in a row wrote no entry" in ran.why


@pytest.mark.slow
def test_no_more_sessions_than_were_asked_for(bench: Bench) -> None:
    bench.host(COUNTS, "{holdfast} task checkpoint --discovery one$$ > /dev/null; exit 4")
    assert bench.run(until_complete=True, max_sessions=2).status == running.NOT_COMPLETE
    assert bench.started() == 2
    ran = bench.run(max_sessions=2)
    assert (bench.started(), ran.status) == (4, 4)


# Never twice


TIDIES = """import os, signal, sys
folder, number, tidies = sys.argv[1:]
signal.pthread_sigmask(signal.SIG_BLOCK, {int(number)})
with open(f"{folder}/pid", "a") as file:
    file.write(f"{os.getpid()}\\n")
signal.sigwait({int(number)})
os.system(tidies)
"""
COUNTS_SIGNALS = """
import os, signal, sys, time
told = open(sys.argv[1] + "/told", "a", buffering=1)
signal.signal(signal.SIGINT, lambda *_: told.write("INT\\n"))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
open(sys.argv[1] + "/pid", "w").write(str(os.getpid()))
while True:
    signal.pause()
"""
WAITS = ("echo $$ >> {folder}/pid", COUNTS, "read -r _ < {folder}/gate")


def gate(bench: Bench) -> Callable[[], None]:
    """A host that waits behind it goes on when this is called."""
    path = bench.folder / "gate"
    os.mkfifo(path)

    def opens() -> None:
        path.write_text("\n")

    return opens


@pytest.mark.slow
def test_of_eight_runners_at_once_exactly_one_starts_a_host(bench: Bench) -> None:
    bench.host(*WAITS)
    opens = gate(bench)
    runners = [bench.runner() for _ in range(8)]
    wait_until("all but one have ended", lambda: sum(one.poll() is not None for one in runners) == 7, 60)
    assert bench.started() == 1
    refused = [one for one in runners if one.poll() is not None]
    assert {one.returncode for one in refused} == {Busy.exit_status}
    said = refused[0].stderr.read().decode() if refused[0].stderr else ""
    assert "Task audit is being run" in said
    assert said.count("\n") == 1
    opens()
    (last,) = [one for one in runners if one not in refused]
    assert last.wait(30) == 0
    assert bench.started() == 1
    assert [to for to, _ in bench.runs()] == ["began", "ended"]


@pytest.mark.slow
def test_the_lock_says_who_runs_and_is_empty_afterwards(bench: Bench) -> None:
    bench.host(*WAITS)
    opens = gate(bench)
    runner = bench.runner()
    wait_until("the host has started", bench.pids)
    told = json.loads(bench.lock().read_text())
    assert (told["runner"]["pid"], told["host"]["pid"]) == (runner.pid, bench.pids()[0])
    assert stat.S_IMODE(bench.lock().stat().st_mode) == 0o600
    bench.host(COUNTS, name="codex")
    with pytest.raises(Busy, match=rf"since 2\S+Z by process {bench.pids()[0]}; nothing was started"):
        bench.run("codex", "exec", "go on")
    opens()
    assert runner.wait(30) == 0
    assert bench.lock().read_bytes() == b""


@pytest.mark.slow
def test_a_host_that_outlives_its_runner_keeps_others_away_and_its_death_is_recorded_first(bench: Bench) -> None:
    bench.host(*WAITS)
    gate(bench)
    runner = bench.runner()
    wait_until("the host has started", bench.pids)
    runner.kill()
    runner.wait()
    (host,) = bench.pids()
    bench.host(COUNTS, name="codex")
    with pytest.raises(Busy, match=f"by process {host}"):
        bench.run("codex", "exec", "go on")
    assert bench.started() == 1
    os.kill(host, signal.SIGKILL)
    wait_until("the host is gone", lambda: not platform.start_of(host))
    bench.host(SAYS)
    assert bench.run().status == 0
    assert [to for to, _ in bench.runs()] == ["began", "died", "began", "ended"]
    assert bench.runs()[1][1].startswith("claude, session 1: its runner was killed or the machine went down")
    assert "The session before this one died" in bench.words()[1]


@pytest.mark.slow
def test_a_run_that_was_killed_after_its_last_word_is_not_said_to_have_died(bench: Bench) -> None:
    bench.host("true")
    bench.run()
    with pytest.raises(ZeroDivisionError), run_lock.held(bench.vault, "audit", time.time()):
        raise ZeroDivisionError  # what was written into the lock stays, as after a kill
    assert bench.lock().read_bytes() != b""
    bench.run()
    assert [to for to, _ in bench.runs()] == ["began", "ended"] * 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_runner_reaches_the_host_and_is_waited_for(bench: Bench, number: signal.Signals) -> None:
    # Not a trap of the shell's: a signal that comes just before it waits is not noticed until the wait is over.
    (bench.folder / "tidies.py").write_text(TIDIES)
    tidies = "{holdfast} task checkpoint --next tidied > /dev/null"
    bench.host(COUNTS, f"exec {sys.executable} -I {{folder}}/tidies.py {{folder}} {int(number)} '{tidies}'")
    runner = bench.runner("audit", "--until-complete", "--", *GO)
    wait_until("the host has started", bench.pids)
    runner.send_signal(number)
    _, err = runner.communicate(timeout=30)
    assert runner.returncode == 128 + number
    assert f"Stopped by {number.name} in session 1".encode() in err
    assert commands.show(bench.vault, "audit", "", time.time, {}).step() == "tidied"
    assert [to for to, _ in bench.runs()] == ["began", "ended"]
    assert bench.started() == 1
    assert bench.lock().read_bytes() == b""


@pytest.mark.slow
def test_a_ctrl_c_at_the_terminal_reaches_the_host_once(bench: Bench) -> None:
    """The terminal tells everybody in its foreground; a host that is told twice ends without tidying up."""
    (bench.folder / "counts.py").write_text(COUNTS_SIGNALS)
    bench.host(f"exec {sys.executable} -I -S {{folder}}/counts.py {{folder}}")
    ours, theirs = os.openpty()
    runner = bench.runner(terminal=theirs)
    os.close(theirs)
    wait_until("the host has started", bench.pids)
    os.write(ours, b"\x03")
    wait_until("the host was told", lambda: bench.seen("told"))
    runner.send_signal(signal.SIGTERM)  # handed on after whatever came before it
    assert runner.wait(30) == 128 + signal.SIGINT
    os.close(ours)
    assert bench.seen("told") == "INT\n"
