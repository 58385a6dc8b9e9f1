"""Codex at a desk: its settings, its command lines, its tools, and the trust in hooks that its users give.

Trust is written by Codex itself: the test asks its app server for the hooks and their digests and has it store them,
which is what "Trust all and continue" does in the terminal (test_codex_trust gives it there).
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .runners import Desk
from .steps import TOKENS, Step, call

# A model of Codex's own list that calls its tools one by one; the newest write JavaScript that calls them.
MODEL = "gpt-5.5"
CONFIG = """\
model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1

# They wait for a network at the end of every run.
[features]
apps = false
plugins = false

[analytics]
enabled = false

# The offer of a newer model has been seen.
[notice.model_migrations]
"{model}" = "gpt-6-sol"

[projects."{project}"]
trust_level = "trusted"
"""


@dataclass
class CodexDesk(Desk):
    trusts: bool = True

    agent = "codex"
    shell_tool = "exec_command"

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "SCRIPTED_KEY": "not-a-key", **self.extra}

    @property
    def config(self) -> Path:
        return self.home / ".codex" / "config.toml"

    @property
    def hooks(self) -> Path:
        return self.home / ".codex" / "hooks.json"

    def configure(self) -> None:
        self.config.parent.mkdir(parents=True)
        self.config.write_text(CONFIG.format(model=MODEL, url=self.server.url, project=self.project), encoding="utf-8")

    def register(self) -> None:
        super().register()
        if self.trusts:
            self.trust()

    def trust(self) -> list[str]:
        """Trust every hook that needs it, as the terminal's dialog does; returns their keys."""
        words = [str(self.program), "app-server"]
        with subprocess.Popen(
            words,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            _ask(server, "initialize", clientInfo={"name": "holdfast-tests", "title": "tests", "version": "1"})
            (listed,) = _ask(server, "hooks/list", cwds=[str(self.project)])["data"]
            new = {
                hook["key"]: {"trusted_hash": hook["currentHash"]}
                for hook in listed["hooks"]
                if hook["trustStatus"] in ("untrusted", "modified")
            }
            edit = {"keyPath": "hooks.state", "value": new, "mergeStrategy": "upsert"}
            _ask(server, "config/batchWrite", edits=[edit], reloadUserConfig=True)
            assert server.stdin
            server.stdin.close()
            server.wait(10)
        return list(new)

    def add_config(self, top: str = "", tables: str = "") -> None:
        """Settings that a test needs: keys above all tables, and tables below them."""
        self.config.write_text(f"{top}\n{self.config.read_text(encoding='utf-8')}\n{tables}\n", encoding="utf-8")

    def trust_folder(self, folder: Path) -> None:
        self.add_config(tables=f'[projects."{folder}"]\ntrust_level = "trusted"')

    def offer_chapters(self) -> None:
        """An MCP server with a tool named mark_chapter."""
        script = str(Path(__file__).parent / "chapters.py")
        table = f'[mcp_servers.chapters]\ncommand = "{sys.executable}"\nargs = ["-I", "{script}"]'
        self.add_config(tables=table)

    def words(self, prompt: str, resume: str = "", fork: str = "") -> list[str]:
        before = ["fork", fork] if fork else ["resume", resume] if resume else []
        return [str(self.program), "exec", *self.options, *before, prompt]

    def terminal_words(self) -> list[str]:
        return [str(self.program)]

    def shell(self, command: str, tokens: int = TOKENS, held: threading.Event | None = None) -> Step:
        return call("exec_command", cmd=command, yield_time_ms=30000, tokens=tokens, held=held)

    def delegate(self, task: str) -> Step:
        return call("multi_agent_v1/spawn_agent", message=task)

    def chapter(self, title: str) -> list[Step]:
        return [call("mcp__chapters/mark_chapter", title=title)]


def _ask(server: subprocess.Popen[str], method: str, **params: Any) -> dict[str, Any]:
    """One request to the app server, and its answer; what it tells on its own is passed over."""
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == method:
            assert "result" in answer, answer
            found: dict[str, Any] = answer["result"]
            return found
    raise AssertionError(f"the app server ended before it answered {method}")
