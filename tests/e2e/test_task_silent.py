"""A model that writes the files of a task and never checkpoints, killed at work: the next session of a real host is
told which units were seen done and nobody said so, which one was begun, and that it is next."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from .claude_desk import ClaudeDesk
from .codex_desk import CodexDesk
from .model_server import ModelServer
from .runners import Desk, wait_for
from .steps import Step, call, call_raw, say

pytestmark = pytest.mark.e2e

TASK, GOAL = "convert", "Convert all orders"
SEEN = "seen done by the hook, nobody said so:"
WHO = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.com"),
}


def shown(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(desk.holdfast("task", "show", TASK, "--json"))
    return found


def hangs(desk: Desk) -> str:
    """A command that says that it runs, and goes on until it is killed."""
    work = desk.project / "work.sh"
    work.write_text("#!/bin/sh\n: > started\nexec tail -f /dev/null\n", encoding="utf-8")
    work.chmod(0o755)
    return "./work.sh"


def killed(desk: Desk, *steps: Step) -> None:
    process = desk.begin("Convert the orders", *steps, desk.shell(hangs(desk)))
    wait_for("the work", (desk.project / "started").exists, more=lambda: [process.poll(), desk.log()[-6:]])
    desk.end(process, signal.SIGKILL)


def test_what_claude_wrote_and_committed_is_not_done_again_though_nobody_said_so(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    claude.extra.update(WHO)
    claude.options = ("--permission-mode", "acceptEdits")
    claude.allow("Bash(./work.sh)", "Bash(git add:*)", "Bash(git commit:*)")
    claude.holdfast("task", "start", TASK, GOAL, "--units", "files 001-010")

    def write(nth: int) -> Step:
        return call("Write", file_path=str(claude.project / "out" / f"{nth:03}.json"), content=f'{{"order": {nth}}}\n')

    killed(claude, write(1), write(2), claude.shell("git add out && git commit -qm 'Convert two'"), write(3))
    seen = shown(claude)["progress"]
    assert (seen["completed"], seen["seen"], seen["seen_begun"]) == ([], ["files 001-002"], ["file 003"])

    read = call("Read", file_path=str(claude.project / "out" / "003.json"))
    second = claude.ask("Go on", read, write(4), claude.shell("holdfast task is-done file 003"), say("File 4 is done."))
    begins, *_, last = server.of("main", second)
    assert begins.knows(f"Progress: {SEEN} files 001-002 · seen begun: file 003 · pending files 004-010")
    assert begins.knows("Next step: file 003: it was begun (out/003.json was written); look at what is there before")
    assert begins.knows(f"Its last session died; it can be gone on with: `holdfast task resume {TASK}`")
    assert "file 003: seen done by the hook, nobody said so" in last.last_result, "it was looked at, and passed"

    third = claude.ask("Go on", say("I see."))
    begins = server.of("main", third)[0]
    assert begins.knows(f"{SEEN} files 001-003 · seen begun: file 004 · pending files 005-010")
    assert begins.knows("Next step: file 004: it was begun")
    assert claude.errors() == []


def test_what_codex_patched_and_committed_is_not_done_again_though_nobody_said_so(
    codex: CodexDesk, server: ModelServer
) -> None:
    codex.extra.update(WHO)
    codex.holdfast("task", "start", TASK, GOAL, "--units", "src/users.py, src/items.py, src/carts.py")

    def write(name: str) -> Step:
        return call_raw("apply_patch", f"*** Begin Patch\n*** Add File: src/{name}.py\n+done = True\n*** End Patch")

    killed(codex, write("users"), write("items"))
    seen = shown(codex)["progress"]
    assert (seen["completed"], seen["seen"], seen["seen_begun"]) == ([], ["src/users.py"], ["src/items.py"])

    second = codex.ask("Go on", codex.shell("cat src/items.py"), write("carts"), say("One more is done."))
    begins = server.of("main", second)[0]
    assert begins.knows(f"{SEEN} src/users.py · seen begun: src/items.py · pending src/carts.py")
    assert begins.knows(
        "Next step: src/items.py: it was begun (src/items.py was written); look at what is there before"
    )

    third = codex.ask("Go on", say("I see."))
    begins = server.of("main", third)[0]
    assert begins.knows(f"{SEEN} src/users.py, src/items.py · seen begun: src/carts.py")
    assert begins.knows("Next step: src/carts.py: it was begun")
    assert codex.errors() == []
