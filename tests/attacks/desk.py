"""One user at a machine of their own: a home, a project, a vault, and every command of ours as the process that it is.

A process that does not end in time has failed its test: nothing may wait for what lies in a repository or in a vault.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.install import launcher

SOURCE = launcher.script_path().parents[2]
PATIENCE = 25.0  # seconds; a command that waits for a pipe would take for ever
WHO = {f"GIT_{role}_{what}": "ann@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@dataclass(frozen=True)
class Done:
    """What a process left. `ended` is False where it had to be killed."""

    status: int
    out: str
    err: str
    ended: bool = True


@dataclass
class Desk:
    folder: Path
    more: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home, self.project = self.folder / "home", self.folder / "shop"
        self.vault = self.home / ".holdfast"
        self.state = self.vault / ".state"
        for one in (self.home, self.project):
            one.mkdir(parents=True, exist_ok=True)

    @property
    def env(self) -> dict[str, str]:
        path = os.environ.get("PATH", os.defpath)
        base = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "HOLDFAST_CLOSE": "off"}
        return {**base, "HOLDFAST_HOME": str(self.vault), "PYTHONPATH": str(SOURCE), **self.more}

    @property
    def git_head(self) -> str:
        """The commit that the project stands at, read without obeying the project."""
        return (self.project / ".git" / "refs" / "heads" / "main").read_text(encoding="ascii").strip()

    def holdfast(self, *words: str, stdin: bytes = b"", cwd: Path | None = None) -> Done:
        return self.run([sys.executable, "-P", "-m", "holdfast", *words], stdin, cwd)

    def hook(self, name: str, session: str = "s1", **more: object) -> Done:
        event = {"hook_event_name": name, "session_id": session, "cwd": str(self.project), **more}
        script = str(launcher.script_path())
        return self.run([sys.executable, "-I", "-S", script, "claude-code"], json.dumps(event).encode())

    def run(self, command: list[str], stdin: bytes = b"", cwd: Path | None = None) -> Done:
        process = subprocess.Popen(
            command,
            env=self.env,
            cwd=cwd or self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Done(-9, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), ended=False)
        return Done(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def git(self, *words: str, cwd: Path | None = None) -> str:
        """The user's own git, in the project before it turns hostile."""
        base = {"PATH": self.env["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", **WHO}
        done = subprocess.run(
            ["git", *words], cwd=cwd or self.project, env=base, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()
