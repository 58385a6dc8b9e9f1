"""The demonstration's host: a process of its own that does what Claude Code does around a model.

It runs the line that `holdfast init` registers, with payloads as the real host sends them, runs the agent's commands in
between, and writes its transcript as it goes. It is the parent of all of that, so killing it means what it means. Only
the model is missing: what it would type stands in the story.
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from holdfast.capture import codec
from holdfast.errors import HoldfastError
from holdfast.hosts import registration
from holdfast.install.demo.stage import PATIENCE, REPORT

if TYPE_CHECKING:
    from holdfast.install.demo.stage import Stage

HOST = "claude-code"
SCRIPT = """export CLAUDE_PID=$$
while read -r line; do
  eval "$line"
  printf '\\n%s %s\\n' "$1" "$?"
done
"""


@dataclass(frozen=True)
class Reply:
    """What the hook answered: the text that the model is given, and `deny` where the call may not run."""

    text: str = ""
    decision: str = ""

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True)
class Call:
    """One tool call: what it printed, and what the hook said before and after it."""

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

    @property
    def pid(self) -> int:
        return self.process.pid

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
        before, ident = self.begins("Write", file_path=str(path), content=text)
        path.write_text(text, encoding="utf-8")
        given = {"file_path": str(path), "content": text}
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
        """What a command prints that the host's process runs."""
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
        now = time.gmtime()
        record = {
            "type": role,
            "isSidechain": False,
            "message": {"role": role, "content": content},
            "uuid": str(uuid.uuid4()),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", now),
            "cwd": str(self.stage.project),
            "sessionId": self.session,
            "userType": "external",
        }
        self._transcript.parent.mkdir(parents=True, exist_ok=True)
        with self._transcript.open("ab") as file:
            file.write(codec.encode(record) + b"\n")
