"""Where the demonstration is played, and its host: a home, a vault and a project in a temporary folder, and a process
of its own that does what Claude Code does around a model.

Nothing of the user's is read or written: of their environment only the search path, the time zone and the place for
temporary files are kept; without their language everything speaks UTF-8 and English. Whatever the play has started is
ended before its folder is removed, however it ended: also on Ctrl-C, on a signal, and when a step fails.

The host runs the line that `holdfast init` registers, with payloads as the real host sends them, runs the agent's
commands in between, and writes its transcript as it goes. It is the parent of all of that, so killing it means what it
means. Only the model is missing: its words stand in the story (install/demo).
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from holdfast.capture import codec, home, ledger, platform
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.install import launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = ("PATH", "TZ", "TMPDIR")
PATIENCE = 60.0  # seconds for any one thing: far more than it takes, and an answer instead of a wait without end
LOOK = 0.02  # seconds between two looks at what runs in the background
REPORT = "nothing of yours was touched. Please report it with what was printed above."
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
AUTHOR = (("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false"))
FILES = {
    "orders.py": "def reserve(order, stock):\n    stock.take(order.item)\n",
    "check.sh": "echo '2 passed, on a database of their own'\n",
}


@dataclass(frozen=True)
class Stage:
    """The folder, and the environment of everything that is started in it."""

    folder: Path
    env: dict[str, str]

    @property
    def project(self) -> Path:
        return self.folder / "shop"

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def run(self, *command: str) -> list[str]:
        """The output of a command that a person types in the project: a terminal is where it complains, and by that we
        know a person from an agent."""
        ours, theirs = os.openpty()
        try:
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": theirs}
            text: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
            done: subprocess.CompletedProcess[str] = subprocess.run(
                command, env=self.env, cwd=self.project, **streams, **text, check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired as error:
            raise HoldfastError(f"`{' '.join(command)}` took more than {PATIENCE:.0f} s; {REPORT}") from error
        finally:
            os.close(theirs)
            complained = _said(ours)
        if done.returncode:
            said = (complained or done.stdout).strip().removeprefix("holdfast: ")
            raise HoldfastError(f"`{' '.join(command)}` failed: {said}")
        return done.stdout.splitlines()

    def closed(self, session: str) -> dict[str, Any]:
        """The ledger's record of a session's close, as soon as the close in the background has written it."""
        wanted = ledger.Wanted(session=session, kinds=("close",))
        for _ in _patiently():
            for record in ledger.read(home.state(str(self.vault)), wanted):
                if record.get("error"):
                    raise HoldfastError(f"The close in the background failed ({record['error']}); {REPORT}")
                self.settle()
                return record
        raise HoldfastError(f"The close in the background did not end in {PATIENCE:.0f} s; {REPORT}")

    def settle(self) -> None:
        """Wait until nothing runs in the background. Such a process carries a mark of ours; a host does not."""
        for _ in _patiently():
            if not any(home.CHILD in environ for _, environ in self._processes()):
                return

    def clear(self) -> None:
        """End whatever still runs here; none of it is anybody else's, for it names this folder as its vault."""
        for _ in _patiently(5.0):
            found = self._processes()
            for pid, _environ in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    continue  # it has ended by itself
            if not found:
                return

    def _processes(self) -> list[tuple[int, dict[str, str]]]:
        """The processes that this stage has started, with their environment; none where there is no /proc to look."""
        found = []
        for name in platform.names("/proc"):
            if not name.isdecimal() or int(name) == os.getpid():
                continue
            try:
                raw = platform.read_file(f"/proc/{name}/environ")
            except OSError:
                continue  # somebody else's, or gone
            environ = dict(part.partition("=")[::2] for part in raw.decode("utf-8", "replace").split("\0"))
            if environ.get("HOLDFAST_HOME") == str(self.vault):
                found.append((int(name), environ))
        return found


@contextmanager
def stage(*, keep: bool = False) -> Iterator[Stage]:
    """A stage that is set, and struck at the end unless it is to be kept."""
    if not shutil.which("git"):
        raise HoldfastError("There is no git on PATH, and a memory's history needs it; nothing was begun. Install git.")
    # A signal that would end us at once unwinds us instead, so that nothing is left behind.
    with _answering(ENDINGS, _end):
        folder = Path(tempfile.mkdtemp(prefix="holdfast-demo-")).resolve()
        made = Stage(folder, _environment(folder))
        try:
            _set(made)
            yield made
        finally:
            # Tidying up takes a moment, and impatience must not leave half of it.
            with _answering((signal.SIGINT, *ENDINGS), signal.SIG_IGN):
                made.clear()
                if not keep:
                    _remove(folder)


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name in KEPT}
    env = {**kept, "HOME": str(folder), "HOLDFAST_HOME": str(folder / "vault"), "NO_COLOR": "1", "COLUMNS": "80"}
    command = launcher.installed_command()
    # From a source tree there is no command yet: the stable one, which `init` writes, stands in for it.
    programs = command.parent if command else registration.command_path(env).parent
    env["PATH"] = f"{programs}:{kept.get('PATH', os.defpath)}"
    return env


def _set(made: Stage) -> None:
    """The launcher as `init` writes it, and a project with a first commit."""
    launcher.ensure(made.env, "")
    made.project.mkdir()
    for name, text in FILES.items():
        (made.project / name).write_text(text, encoding="utf-8")
    made.run("git", "init", "--quiet")
    for name, text in AUTHOR:
        made.run("git", "config", name, text)
    made.run("git", "add", "--all")
    made.run("git", "commit", "--quiet", "--message", "A shop")


def _patiently(seconds: float = PATIENCE) -> Iterator[None]:
    """Look again and again, for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield
        time.sleep(LOOK)


def _remove(folder: Path) -> None:
    """Remove all of it; once more where something was still being written at that moment."""
    for _ in _patiently(5.0):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    raise HoldfastError(f"{folder} could not be removed whole; it is the demo's own and holds nothing of yours.")


@contextmanager
def _answering(signals: tuple[signal.Signals, ...], handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only there may handlers be set, and only there do signals arrive
        return
    before = {one: signal.signal(one, handler) for one in signals}
    try:
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _said(terminal: int) -> str:
    """The text that was written to a terminal whose last writer has gone."""
    said = b""
    try:
        while part := os.read(terminal, 1 << 16):
            said += part
    except OSError:
        pass  # how a terminal says so
    os.close(terminal)
    return said.decode("utf-8", "replace").replace("\r\n", "\n")


HOST = "claude-code"
SCRIPT = """export CLAUDE_PID=$$
while read -r line; do
  eval "$line"
  printf '\\n%s %s\\n' "$1" "$?"
done
"""


@dataclass(frozen=True)
class Reply:
    """The hook's answer: the text that the model is given, and `deny` where the call may not run."""

    text: str = ""
    decision: str = ""

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True)
class Call:
    """One tool call: its output, and the hook's answers before and after it."""

    output: str
    before: Reply
    after: Reply


@dataclass
class Host:
    """One session of the host, from its start to its end or its death."""

    stage: Stage
    session: str
    process: subprocess.Popen[bytes] = field(init=False)
    mark: str = field(default_factory=lambda: f"done-{uuid.uuid4().hex}")
    _left: bytes = b""

    def __post_init__(self) -> None:
        script = self.stage.folder / "host.sh"
        script.write_text(SCRIPT, encoding="utf-8")
        named = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session}
        self.process = subprocess.Popen(
            ["/bin/sh", str(script), self.mark],
            env={**self.stage.env, **named, "CLAUDE_PROJECT_DIR": str(self.stage.project)},
            cwd=self.stage.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the demonstration, which then ends its host itself
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever happened, no host goes on without its demonstration."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()

    def starts(self) -> Reply:
        return self.hook("SessionStart", source="startup")

    def asked(self, prompt: str) -> Reply:
        """The user types; the host writes it down and tells the hook before the model."""
        self._write("user", prompt)
        return self.hook("UserPromptSubmit", prompt=prompt, permission_mode="default")

    def says(self, text: str) -> None:
        self._write("assistant", [{"type": "text", "text": text}])

    def begins(self, tool: str, **given: str) -> tuple[Reply, str]:
        """A tool call up to where it would run: the hook's answer, and the call's id."""
        ident = f"toolu_{uuid.uuid4().hex[:20]}"
        self._write("assistant", [{"type": "tool_use", "id": ident, "name": tool, "input": given}])
        return self.hook("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=ident), ident

    def bash(self, command: str) -> Call:
        """A command of the agent's, run where the hook lets it run."""
        before, ident = self.begins("Bash", command=command)
        if before.decision == "deny":
            self._result(ident, before.text)
            return Call("", before, Reply())
        output = self._eval(command)
        response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return Call(output, before, self._ran(ident, "Bash", {"command": command}, response, output))

    def writes(self, name: str, text: str) -> Call:
        """A file of the project's, written by the agent."""
        path = self.stage.project / name
        given = {"file_path": str(path), "content": text}
        before, ident = self.begins("Write", **given)
        path.write_text(text, encoding="utf-8")
        response = {"type": "update", "filePath": str(path)}
        return Call("", before, self._ran(ident, "Write", given, response, f"{name} has been updated."))

    def _ran(self, ident: str, tool: str, given: dict[str, str], response: dict[str, Any], told: str) -> Reply:
        self._result(ident, told)
        return self.hook("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, tool_use_id=ident)

    def ends(self) -> None:
        """The session ends as it should: the hook is told, then the process goes."""
        self.hook("SessionEnd", reason="prompt_input_exit")
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()

    def killed(self) -> None:
        """SIGKILL: no handler runs, no hook is told, nobody says goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def hook(self, event: str, **fields: Any) -> Reply:
        """One event through the registered line, and the answer as the host reads it."""
        named = {"session_id": self.session, "transcript_path": str(self._transcript), "cwd": str(self.stage.project)}
        payload = codec.encode({**named, "hook_event_name": event, **fields}).decode("utf-8")
        line = registration.registered_line(HOST, self.stage.env)
        said = self._eval(f"printf %s {shlex.quote(payload)} | /bin/sh -c {shlex.quote(line)}")
        if not said:
            return Reply()
        try:
            answer = codec.decode(said)["hookSpecificOutput"]
        except (ValueError, KeyError, TypeError) as error:
            raise HoldfastError(f"The hook answered {said[:200]!r} at {event}, which is no reply; {REPORT}") from error
        reason = str(answer.get("permissionDecisionReason", ""))
        return Reply(reason or str(answer.get("additionalContext", "")), str(answer.get("permissionDecision", "")))

    def _eval(self, command: str) -> str:
        """The output of a command that the host's process runs."""
        if self.process.stdin is None or "\n" in command:
            raise ValueError("a host runs one line at a time")
        try:
            self.process.stdin.write(f"{command}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise HoldfastError(f"The demo's host has ended by itself; {REPORT}") from error
        said, status = self._answer(command)
        if status != "0":
            raise HoldfastError(f"`{command[:200]}` failed in the demo's host: {said.strip()[:500]}")
        return said

    def _answer(self, command: str) -> tuple[str, str]:
        if self.process.stdout is None:
            raise ValueError("a host's output is a pipe")
        ending, until = f"\n{self.mark} ".encode(), time.monotonic() + PATIENCE
        while ending not in self._left or not self._left.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                raise HoldfastError(f"`{command[:200]}` took more than {PATIENCE:.0f} s; {REPORT}")
            read = os.read(self.process.stdout.fileno(), 1 << 16)
            if not read:
                raise HoldfastError(f"The demo's host has ended by itself; {REPORT}")
            self._left += read
        said, _, status = self._left.partition(ending)
        self._left = b""
        return said.decode("utf-8", "replace").rstrip("\n"), status.decode().strip()

    @property
    def _transcript(self) -> Any:
        name = str(self.stage.project).replace("/", "-")
        return self.stage.folder / ".claude" / "projects" / name / f"{self.session}.jsonl"

    def _result(self, ident: str, text: str) -> None:
        self._write("user", [{"type": "tool_result", "tool_use_id": ident, "content": text}])

    def _write(self, role: str, content: Any) -> None:
        """One line of the transcript; what the host writes down before it goes on is what a death leaves."""
        record = {"type": role, "isSidechain": False, "message": {"role": role, "content": content}}
        record |= {"uuid": str(uuid.uuid4()), "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
        record |= {"cwd": str(self.stage.project), "sessionId": self.session, "userType": "external"}
        self._transcript.parent.mkdir(parents=True, exist_ok=True)
        with self._transcript.open("ab") as file:
            file.write(codec.encode(record) + b"\n")
