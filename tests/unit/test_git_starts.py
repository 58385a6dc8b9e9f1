"""Every place in the source that starts a program, by name: git is started in one of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import holdfast

SOURCE = Path(holdfast.__file__).parent
GIT = "capture/git_process.py"
# Which module starts what. A new one is looked at by a person before it is written down here.
STARTS = {
    GIT: "git",
    "capture/background.py": "our own commands, detached",
    "capture/platform.py": "ps and sysctl, on a Mac",
    "cli/init.py": "our own page, on what the demonstration played",
    "cli/session.py": "the user's editor",
    "health/probe.py": "the registered line, an agent's --version, and our own server as registered",
    "install/launcher.py": "an agent's own command line",
    "install/crontab.py": "the user's crontab program, with the lines of sleep's timer",
    "install/systemd_timer.py": "systemctl, about the user's own units",
    "install/demo_host.py": "our own hook in the demonstration, in a home made for it",
    "install/demo_stage.py": "what a person types in the demonstration, in a home made for it",
    "hosts/programs.py": "an agent's own command line as a judge",
    "tasks/run_process.py": "the command that `task run` was given",
}
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
SYSTEM = ("system", "popen", "posix_spawn", "posix_spawnp", "spawnv", "spawnve", "spawnvp", "execv", "execve", "execvp")


def starts_a_program(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if (owner == "subprocess" and name in STARTERS) or (owner in ("os", "posix", "asyncio") and name in SYSTEM):
            return True
        if name.startswith("create_subprocess") or (not owner and name in ("Popen", "posix_spawn", "execve")):
            return True
    return False


def words_of_git(tree: ast.AST) -> list[int]:
    """Lines with a command that begins with git, or with a look for the program."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.List) and node.elts and _is_git(node.elts[0]):
            found.append(node.lineno)
        if isinstance(node, ast.Call) and node.args and _is_git(node.args[0]):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("which", *STARTERS):
                found.append(node.lineno)
    return found


def _is_git(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.rpartition("/")[2] == "git"


def trees() -> dict[str, ast.AST]:
    found = sorted(SOURCE.rglob("*.py"))
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8")) for path in found}


@pytest.mark.slow
def test_every_start_of_a_program_is_known_and_git_is_started_in_one_place() -> None:
    known = trees()
    starting = {name for name, tree in known.items() if starts_a_program(tree)}
    assert starting == set(STARTS), "say what it starts, and why that is safe in a folder that is not ours"
    exempt = (GIT, "install/demo_stage.py")
    named = {name: lines for name, tree in known.items() if (lines := words_of_git(tree)) and name not in exempt}
    assert named == {}, "git is started by capture/git_process alone"


def test_a_start_that_nobody_knows_of_would_be_seen() -> None:
    for text in ('subprocess.run(["git", "status"])', 'shutil.which("git")', 'stage.run("/usr/bin/git", "x")'):
        assert words_of_git(ast.parse(text))
    for text in ("subprocess.Popen(x)", "os.execve(a, b, c)", "asyncio.create_subprocess_exec(x)", "Popen(x)"):
        assert starts_a_program(ast.parse(text))
