"""Claude Code at a desk: its settings, its command lines, its tools."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .runners import Desk
from .steps import TOKENS, Step, call

KEY = "not-a-key"
CHAPTER = "mcp__chapters__mark_chapter"


@dataclass
class ClaudeDesk(Desk):
    agent = "claude-code"
    shell_tool = "Bash"

    @property
    def env(self) -> dict[str, str]:
        quiet = ("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING")
        return {
            **super().env,
            "ANTHROPIC_BASE_URL": self.server.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(quiet, "1"),
            **self.extra,
        }

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def own(self) -> Path:
        """What Claude Code keeps about its user."""
        return self.home / ".claude.json"

    def configure(self) -> None:
        """What the first-run dialogs would have asked; nothing that allows anything."""
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        self.settings.parent.mkdir(parents=True)
        _write(
            self.own,
            {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "projects": {str(self.project): trusted},
                "customApiKeyResponses": {"approved": [KEY], "rejected": []},
            },
        )

    def allow(self, *rules: str) -> None:
        """Rules for a tool that a test needs and is not about; in the project's settings, beside what init wrote."""
        _write(self.project / ".claude" / "settings.json", {"permissions": {"allow": list(rules)}})

    def offer_chapters(self) -> None:
        """An MCP server with a tool named mark_chapter, allowed."""
        script = str(Path(__file__).parent / "chapters.py")
        own = json.loads(self.own.read_text(encoding="utf-8"))
        own["mcpServers"] = {"chapters": {"type": "stdio", "command": sys.executable, "args": ["-I", script]}}
        _write(self.own, own)
        self.allow(CHAPTER)

    def words(self, prompt: str, resume: str = "", fork: str = "") -> list[str]:
        before = ["--resume", fork, "--fork-session"] if fork else ["--resume", resume] if resume else []
        return [str(self.program), "-p", *self.options, *before, prompt]

    def terminal_words(self) -> list[str]:
        return [str(self.program)]

    def shell(self, command: str, tokens: int = TOKENS, held: threading.Event | None = None) -> Step:
        return call("Bash", command=command, description="As asked", tokens=tokens, held=held)

    def delegate(self, task: str) -> Step:
        return call("Agent", description=task, prompt=task, subagent_type="general-purpose")

    def chapter(self, title: str) -> list[Step]:
        """It has to load the tool first, as it does with all tools of MCP servers."""
        return [call("ToolSearch", query=f"select:{CHAPTER}"), call(CHAPTER, title=title)]


def _write(path: Path, thing: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(thing, indent=2), encoding="utf-8")
