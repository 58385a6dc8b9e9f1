"""One session of Claude Code as its hook meets it: a transcript in the host's own shape, and a payload per event.

The model is a script, and a silent one: it answers no reminder, flags nothing and writes no handoff. Its commands are
really run in the real repository, and its edits really made; what comes back stands in the transcript.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from week_play.stage import START, Stage

MODEL, VERSION = "claude-sonnet-4-5", "2.1.325"
NO_OUTPUT = "(Bash completed with no output)"  # as the host spells it
LONGEST_OUTPUT = 30_000  # as the host cuts a command's output


@dataclass
class Told:
    """What one start, or one moment after a compaction, told the model."""

    when: str
    source: str
    text: str


@dataclass
class Session:
    """From its start to its end or death; `killed` and `ended` say which."""

    stage: Stage
    folder: Path
    ident: str
    told: list[Told] = field(default_factory=list)
    is_over: bool = False
    _parent: str | None = None
    _tokens: int = 14_000

    def __post_init__(self) -> None:
        self.host = subprocess.Popen(["sleep", "3600"], start_new_session=True)

    # --- what the user and the model do

    def starts(self, source: str = "startup") -> str:
        more: dict[str, object] = {"context_tokens": self._tokens} if source == "resume" else {}
        said = self._hook("SessionStart", source=source, **more)
        when = time.strftime("%A %H:%M", time.gmtime(self.stage.now))
        self.told.append(Told(when, source, _context(said)))
        return self.told[-1].text

    def user(self, prompt: str) -> None:
        self._write("user", prompt)
        self._hook("UserPromptSubmit", prompt=prompt, permission_mode="acceptEdits")

    def says(self, text: str) -> None:
        self._write("assistant", [{"type": "text", "text": text}])

    def bash(self, command: str, description: str = "", *, fails: bool = False) -> str:
        """A command that is run for the model; what it gave. The script knows whether it fails, or it would not be
        true what the model says of it."""
        given = {"command": command, **({"description": description} if description else {})}
        ident = self._call("Bash", given)
        status, out = self.stage.run(command, self.folder, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.ident})
        out = out[:LONGEST_OUTPUT]
        if bool(status) != fails:
            raise SystemExit(f"`{command}` ended with {status} in {self.folder.name}: {out}")
        if status:
            error = f"Exit code {status}\n{out}"
            self._result(ident, error, f"Error: {error}", failed=True)
            self._hook("PostToolUseFailure", tool_name="Bash", tool_input=given, tool_use_id=ident, error=error)
        else:
            came = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
            self._result(ident, out or NO_OUTPUT, came)
            self._hook("PostToolUse", tool_name="Bash", tool_input=given, tool_use_id=ident, tool_response=came)
        return out

    def read(self, name: str) -> str:
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        shown = "\n".join(f"{nth:6}\t{line}" for nth, line in enumerate(text.splitlines(), 1))
        came = {"type": "text", "file": {"filePath": str(path), "content": text, "numLines": text.count("\n")}}
        self._tool("Read", {"file_path": str(path)}, shown, came)
        return text

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = "update" if path.exists() else "create"
        given = {"file_path": str(path), "content": text}
        ident = self._call("Write", given)
        path.write_text(text, encoding="utf-8")
        told = f"The file {path} has been {'updated' if kind == 'update' else 'created'} successfully."
        self._done(ident, "Write", given, told, {"type": kind, "filePath": str(path), "content": text})

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        before = path.read_text(encoding="utf-8")
        if before.count(old) != 1:
            raise SystemExit(f"{name} has {before.count(old)} places that read {old!r}")
        given = {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": False}
        ident = self._call("Edit", given)
        path.write_text(before.replace(old, new), encoding="utf-8")
        came = {"filePath": str(path), "oldString": old, "newString": new, "replaceAll": False}
        self._done(ident, "Edit", given, f"The file {path} has been updated successfully.", came)

    def todos(self, **states: str) -> None:
        """The whole list, as TodoWrite gives it: the words (with _ for blanks) and how each stands."""
        listed = [
            {"content": words.replace("_", " "), "status": state, "activeForm": words.replace("_", " ")}
            for words, state in states.items()
        ]
        told = "Todos have been modified successfully. Ensure that you continue to use the todo list."
        self._tool("TodoWrite", {"todos": listed}, told, {"oldTodos": [], "newTodos": listed})

    def answers(self, text: str) -> None:
        """The last words of a turn: the model stops, and stays silent about every reminder."""
        self.says(text)
        self._hook("Stop", stop_hook_active=False, last_assistant_message=text)

    # --- how it goes on, or ends

    def compacts(self, summary: str) -> str:
        """The host's own compaction: its summary is in the transcript, and a start with source compact follows."""
        self._hook("PreCompact", trigger="auto", custom_instructions="")
        meta = {"trigger": "auto", "preTokens": 167_400, "postTokens": 9_200}
        boundary = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
        self._line({**boundary, "isMeta": False, "level": "info", "compactMetadata": meta})
        head = "This session is being continued from a previous conversation that ran out of context."
        more = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
        self._line({"type": "user", "message": {"role": "user", "content": f"{head} {summary}"}, **more})
        self._tokens = 9_200
        told = self.starts("compact")
        self._hook("PostCompact", trigger="auto", compact_summary=summary)
        return told

    def ends(self, reason: str = "prompt_input_exit") -> None:
        self._hook("SessionEnd", reason=reason)
        self._over()

    def killed_during(self, command: str) -> None:
        """SIGKILL while a command runs: no hook is told, the call has no result, the command dies with its host."""
        self._call("Bash", {"command": command})
        child = subprocess.Popen(
            ["/bin/sh", "-c", command],
            env=self.stage.passes(),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.kill(self.host.pid, signal.SIGKILL)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self._over()

    def _over(self) -> None:
        self.is_over = True
        self.host.kill()
        self.host.wait()
        self.stage.settle()

    # --- the host's part

    def _tool(self, tool: str, given: dict[str, Any], told: str, came: object) -> None:
        self._done(self._call(tool, given), tool, given, told, came)

    def _call(self, tool: str, given: dict[str, Any]) -> str:
        ident = f"toolu_{uuid.uuid4().hex[:22]}"
        self._write("assistant", [{"type": "tool_use", "id": ident, "name": tool, "input": given}])
        self._hook("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=ident)
        return ident

    def _done(self, ident: str, tool: str, given: dict[str, Any], told: str, came: object) -> None:
        self._result(ident, told, came)
        self._hook("PostToolUse", tool_name=tool, tool_input=given, tool_use_id=ident, tool_response=came)

    def _result(self, ident: str, told: str, came: object, *, failed: bool = False) -> None:
        block = {"type": "tool_result", "tool_use_id": ident, "content": told, "is_error": failed}
        self._tokens += 400 + len(told) // 4
        self._line({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": came})

    def _write(self, role: str, content: Any) -> None:
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            self._tokens += 300 + len(json.dumps(content)) // 4
            usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": self._tokens}
            ident = f"msg_{uuid.uuid4().hex[:22]}"
            message |= {"id": ident, "type": "message", "model": MODEL, "usage": {**usage, "output_tokens": 200}}
        self._line({"type": role, "message": message})

    def _line(self, record: dict[str, Any]) -> None:
        own = str(uuid.uuid4())
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.stage.now))
        place = {"isSidechain": False, "userType": "external", "cwd": str(self.folder), "sessionId": self.ident}
        line = {"parentUuid": self._parent, **place, "version": VERSION, **record, "uuid": own, "timestamp": stamp}
        self._parent = own
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    @property
    def transcript(self) -> Path:
        name = str(self.folder).replace("/", "-").replace(".", "-")
        return self.stage.home / ".claude" / "projects" / name / f"{self.ident}.jsonl"

    def _hook(self, event: str, **more: object) -> str:
        known = {"session_id": self.ident, "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        named = {"CLAUDECODE": "1", "CLAUDE_PID": str(self.host.pid), "CLAUDE_PROJECT_DIR": str(self.folder)}
        done = subprocess.run(
            [str(self.stage.python), "-I", "-S", str(START), "claude-code"],
            input=json.dumps({**known, "hook_event_name": event, **more}).encode(),
            env={**self.stage.passes(), **named},
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        if done.returncode or done.stderr:
            raise SystemExit(f"the hook said at {event}: status {done.returncode}, {done.stderr.decode()}")
        return done.stdout.decode("utf-8")


def _context(said: str) -> str:
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said.strip() else ""
