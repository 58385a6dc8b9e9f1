"""Somebody at a desk with a real agent: a home of their own, a git project, the installed holdfast, a scripted model.

Nothing of the developer who runs the tests is used: the environment is made from nothing, and the home lies outside the
temporary folders, because Codex's sandbox lets commands write in those and a test of it would prove nothing. Hosts run
in their default permission and sandbox modes; what `holdfast init` adds is all that they allow.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from .model_server import ModelServer
from .steps import TOKENS, Step

T = TypeVar("T")
PATIENCE = 30.0
POLL = 0.03
both_hosts = pytest.mark.parametrize("host", ["claude", "codex"])


@dataclass(frozen=True)
class Done:
    """A program that has ended."""

    status: int
    out: str
    err: str
    seconds: float


def wait_for(what: str, look: Callable[[], T], patience: float = PATIENCE, more: Callable[[], object] = str) -> T:
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what}; {more()}"
        time.sleep(POLL)
    return found


@dataclass
class Desk:
    """What both hosts have in common; the subclasses know their host's words."""

    home: Path
    venv: Path
    program: Path
    server: ModelServer
    extra: dict[str, str] = field(default_factory=dict)  # of the environment
    options: tuple[str, ...] = ()  # of the host's command line, for one turn without a terminal

    agent = ""  # as our ledger calls the host
    shell_tool = ""

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def vault(self) -> Path:
        return self.home / ".holdfast"

    @property
    def env(self) -> dict[str, str]:
        paths = (self.home / ".local" / "bin", self.program.parent)
        return {
            "HOME": str(self.home),
            "PATH": f"{':'.join(map(str, paths))}:{os.defpath}",
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **self.extra,
        }

    def set_up(self) -> None:
        """A project with one commit, the host's own settings, then holdfast as a user installs it."""
        self.put_on_path()
        self.make_project()
        self.configure()
        self.register()

    def make_project(self) -> None:
        self.project.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        (self.project / "orders.py").write_text("def place_order():\n    return 'placed'\n", encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-qm", "Orders")

    def put_on_path(self) -> None:
        """As pipx and uv do it, with the lines that a distribution gives its users: hosts run login shells."""
        folder = self.home / ".local" / "bin"
        folder.mkdir(parents=True)
        (folder / "holdfast").symlink_to(self.venv / "bin" / "holdfast")
        (self.home / ".profile").write_text('PATH="$HOME/.local/bin:$PATH"\n', encoding="utf-8")

    def configure(self) -> None:
        raise NotImplementedError

    def register(self) -> None:
        self.holdfast("init", "--yes", "--agent", self.agent)

    # --- programs

    def git(self, *words: str, cwd: Path | None = None) -> str:
        who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada")
        mail = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.com")
        done = self.run(["git", *words], cwd=cwd, env={**who, **mail})
        assert done.status == 0, done.err
        return done.out

    def holdfast(self, *words: str, env: Mapping[str, str] | None = None, may_fail: bool = False) -> str:
        """A command that a person types in the project, which must succeed unless it `may_fail`."""
        done = self.run([str(self.venv / "bin" / "holdfast"), *words], env=env)
        assert may_fail or done.status == 0, f"holdfast {' '.join(words)}: {done.out}{done.err}"
        return done.out

    def start(
        self, words: list[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """In a group of its own, so that it can be ended with all that it started."""
        return subprocess.Popen(
            words,
            cwd=cwd or self.project,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(
        self, words: list[str], cwd: Path | None = None, env: Mapping[str, str] | None = None, patience: float = 90
    ) -> Done:
        began = time.monotonic()
        process = self.start(words, cwd, env)
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{words[:4]} took over {patience} s\n{out[-2000:]}\n{err[-2000:]}") from None
        return Done(process.returncode, out, err, time.monotonic() - began)

    # --- the agent

    def words(self, prompt: str, resume: str = "", fork: str = "") -> list[str]:
        """The command line of one turn without a terminal."""
        raise NotImplementedError

    def ask(
        self,
        prompt: str,
        *steps: Step,
        resume: str = "",
        fork: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """One turn without a terminal; the model does `steps`. Returns the session."""
        before = len(self.server.requests)
        self.server.play(*steps)
        done = self.run(self.words(prompt, resume, fork), cwd, env)
        assert done.status == 0, f"{done.out[-3000:]}\n{done.err[-3000:]}"
        asked = self.server.requests[before:]
        assert asked or prompt.startswith("/"), f"the model was not asked\n{done.out[-3000:]}\n{done.err[-3000:]}"
        return next((one.session for one in asked if one.role == "main"), resume)

    def begin(self, prompt: str, *steps: Step, cwd: Path | None = None) -> subprocess.Popen[str]:
        """A turn that goes on while the test does something else; see `finish` and `kill`."""
        self.server.play(*steps)
        return self.start(self.words(prompt), cwd)

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> None:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, f"{out[-3000:]}\n{err[-3000:]}"

    @staticmethod
    def end(process: subprocess.Popen[str], how: signal.Signals) -> int:
        """Send a signal to the host; returns its status. Only SIGKILL goes to its launcher and itself alike: a
        launcher hands every other signal on."""
        if how == signal.SIGKILL:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        process.communicate(timeout=20)
        return process.returncode

    def shell(self, command: str, tokens: int = TOKENS, held: threading.Event | None = None) -> Step:
        """The model runs a command."""
        raise NotImplementedError

    def delegate(self, task: str) -> Step:
        """The model starts a subagent."""
        raise NotImplementedError

    def chapter(self, title: str) -> list[Step]:
        """The model marks a chapter with a tool of an MCP server; see `offer_chapters`."""
        raise NotImplementedError

    def offer_chapters(self) -> None:
        """An MCP server with a tool named mark_chapter."""
        raise NotImplementedError

    def allow(self, *rules: str) -> None:
        """Rules for a tool that a test needs and is not about, where the host would ask somebody."""

    def trust_folder(self, folder: Path) -> None:
        """What the host asks at the first start in a folder."""

    def terminal_words(self) -> list[str]:
        """The command line of the terminal interface."""
        raise NotImplementedError

    # --- the vault, as a person would look at it

    def log(self, *words: str) -> list[dict[str, Any]]:
        """Records of the ledger, oldest first."""
        return [json.loads(line) for line in self.holdfast("log", "--json", "-n", "1000000", *words).splitlines()]

    def events(self, session: str) -> list[str]:
        return [str(one["event"]) for one in self.log("--session", session, "--kind", "hook")]

    def waiting(self) -> list[dict[str, Any]]:
        """Flags that are not filed yet."""
        found: list[dict[str, Any]] = json.loads(self.holdfast("queue", "--json"))["waiting"]
        return found

    def errors(self) -> list[dict[str, Any]]:
        return self.log("--kind", "error")

    def wait_for_close(self, session: str, ordinal: int = 1) -> dict[str, Any]:
        """Until the ledger shows that the episode was closed."""
        key = f"{self.agent}/{session}/{ordinal}"

        def closed() -> list[dict[str, Any]]:
            return [one for one in self.log("--kind", "close") if one["episode"] == key]

        return wait_for(f"the close of {key}", closed, more=lambda: self.log()[-12:])[0]

    def handoffs(self) -> list[str]:
        """The texts of the handoffs, oldest first."""
        return [path.read_text(encoding="utf-8") for path in sorted(self.vault.glob("lineage/*/*.md"))]

    def commits(self) -> list[str]:
        return self.git("log", "--format=%s", cwd=self.vault).splitlines()

    def state(self, name: str) -> list[Path]:
        return sorted((self.vault / ".state" / name).rglob("*"))
