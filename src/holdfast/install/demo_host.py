"""The host of the demonstration: a process of its own that does what Claude Code does around a model.

It runs the line that `holdfast init` registers, with payloads as the real host sends them, runs the agent's commands in
between, and writes its transcript as it goes. It is the parent of all of that, so killing it means what it means. Only
the model is missing: its words stand in the story (install/demo).
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
from holdfast.install.demo_stage import PATIENCE, REPORT

if TYPE_CHECKING:
    from holdfast.install.demo_stage import Stage

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
        line, output = self.process.stdin, self.process.stdout
        if line is None or output is None or "\n" in command:
            raise ValueError("a host runs one line at a time, and answers through a pipe")
        try:
            line.write(f"{command}\n".encode())
            line.flush()
        except BrokenPipeError as error:
            raise HoldfastError(f"The demo's host has ended by itself; {REPORT}") from error
        answer, ending, until = b"", f"\n{self.mark} ".encode(), time.monotonic() + PATIENCE
        while ending not in answer or not answer.endswith(b"\n"):
            if not select.select([output], [], [], max(0.0, until - time.monotonic()))[0]:
                raise HoldfastError(f"`{command[:200]}` took more than {PATIENCE:.0f} s; {REPORT}")
            read = os.read(output.fileno(), 1 << 16)
            if not read:
                raise HoldfastError(f"The demo's host has ended by itself; {REPORT}")
            answer += read
        said, _, status = answer.partition(ending)
        text = said.decode("utf-8", "replace").rstrip("\n")
        if status.decode().strip() != "0":
            raise HoldfastError(f"`{command[:200]}` failed in the demo's host: {text.strip()[:500]}")
        return text

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
