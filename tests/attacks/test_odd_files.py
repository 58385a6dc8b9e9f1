"""Files that are not files: a pipe, a socket, a folder, a device, gigabytes of nothing, a link that goes round.

Each lies in each place where a file is expected, and every command that comes by there is a process with a time to end
in: hooks end in 0 and go on capturing, commands say in a sentence what is wrong or do without, and doctor names it.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture import platform
from holdfast.capture.gate import BY_UPKEEP
from holdfast.vault import notes
from holdfast.vault.transaction import writing

from . import support
from .desk import Desk, Done

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.attacks

TOPIC = "files that are not files"
HUGE = 5 << 30
NOTE = "---\nname: Carts\nkind: rule\n---\nCarts are kept for a day.\n"
HOOK_PATIENCE = 4.0  # seconds; the hook's own alarm, which must not be what ends it, rings after five


def pipe(path: Path) -> None:
    os.mkfifo(path)


def door(path: Path) -> None:
    """A socket; the path that one is bound to must be short, so it is moved there."""
    short = Path(f"/tmp/holdfast-{os.getpid()}-{time.monotonic_ns()}")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(short))
    short.rename(path) if short.stat().st_dev == path.parent.stat().st_dev else pipe(path)


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(HUGE)


def to_pipe(path: Path) -> None:
    os.mkfifo(f"{path}.real")
    path.symlink_to(f"{path}.real")


def to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def to_kernel(path: Path) -> None:
    path.symlink_to("/proc/self/pagemap")


def circle(path: Path) -> None:
    path.symlink_to(path)


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": pipe,
    "socket": door,
    "folder": folder,
    "huge": huge,
    "link to a pipe": to_pipe,
    "link to a device": to_device,
    "link to the kernel's": to_kernel,
    "circle": circle,
}


@dataclass(frozen=True)
class Spot:
    """A path below the desk where a file is expected, and the commands that come by there."""

    path: str
    commands: tuple[str, ...]


VAULT = "home/.holdfast"
STATE = f"{VAULT}/.state"
SPOTS = (
    Spot("shop/.holdfast.toml", ("start", "prompt", "flag", "trust")),
    Spot("shop/.git/config", ("start", "flag", "init", "close")),
    Spot("shop/.git/HEAD", ("start", "stop", "init", "boot")),
    Spot("shop/.git/index", ("init", "tool", "close")),
    Spot("shop/.git/packed-refs", ("remember", "init")),
    Spot("shop/.gitignore", ("init", "close", "start")),
    Spot("shop/.gitattributes", ("init", "close")),
    Spot("shop/CLAUDE.md", ("import", "start")),
    Spot("transcript.jsonl", ("start", "prompt", "stop", "end", "close")),
    Spot("home/.claude/settings.json", ("init", "start", "doctor")),
    Spot("home/.codex/config.toml", ("init", "start", "doctor")),
    Spot(f"{STATE}/config.toml", ("start", "tool", "flag", "close")),
    Spot(f"{STATE}/config.json", ("start", "flag")),
    Spot(f"{STATE}/armed", ("tool", "remember")),
    Spot(f"{STATE}/notes.index", ("start", "notes", "close")),
    Spot(f"{STATE}/vault.lock", ("remember", "close", "doctor")),
    Spot(f"{STATE}/trusted", ("start", "flag")),
    Spot(f"{STATE}/queue/lock", ("flag", "close")),
    Spot(f"{STATE}/background.log", ("end", "start")),
    Spot(f"{STATE}/live", ("start", "end")),
    Spot(f"{VAULT}/rules/odd.md", ("start", "notes", "check", "remember", "close")),
    Spot(f"{VAULT}/knowledge/odd.md", ("start", "recall", "check", "close")),
    Spot(f"{VAULT}/BRAIN.md", ("start", "remember", "boot")),
    Spot(f"{VAULT}/format", ("start", "flag", "remember")),
    Spot(f"{VAULT}/projects.toml", ("start", "flag", "remember")),
    Spot(f"{VAULT}/activity.log", ("end", "close", "start")),
    Spot(f"{VAULT}/.gitignore", ("remember", "close")),
    Spot(f"{VAULT}/.gitattributes", ("remember", "close")),
    Spot(f"{VAULT}/knowledge/.gitignore", ("remember",)),
    Spot(f"{VAULT}/.git/config", ("remember", "close", "history")),
    Spot(f"{VAULT}/.git/HEAD", ("remember", "doctor")),
    Spot(f"{VAULT}/.git/index", ("remember",)),
    Spot(f"{VAULT}/tasks/port/session_memory.md", ("task", "start", "close")),
    Spot(f"{STATE}/field.db", ("prompt", "recall", "close", "doctor")),
    Spot(f"{STATE}/tasks/index.db", ("start", "task", "close")),
    Spot("SEGMENT", ("flag", "queue", "start", "close")),
    Spot("LEDGER", ("start", "log", "audit", "flag")),
)
HOOKS = ("start", "prompt", "tool", "stop", "end")
NAMED_BY_DOCTOR = tuple(spot for spot in SPOTS if spot.path not in ("transcript.jsonl", "shop/CLAUDE.md"))


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk that has been worked at: a repository, notes, a task, flags, a session."""
    desk = Desk(tmp_path_factory.mktemp("used"))
    desk.git("init", "--quiet", "--initial-branch=main")
    (desk.project / "x.py").write_text("X = 1\n", encoding="utf-8")
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--message", "x")
    for name in (".claude", ".codex"):
        (desk.home / name).mkdir()
    (desk.vault / "rules").mkdir(parents=True)
    (desk.vault / "rules" / "carts.md").write_text(NOTE, encoding="utf-8")
    desk.holdfast("remember", "the limit is 30")
    desk.holdfast("task", "start", "port", "port it")
    desk.holdfast("flag", "a flag that waits")
    return desk


@pytest.fixture
def desk(used: Desk, tmp_path: Path) -> Desk:
    """A copy of it, in which a link stays a link."""
    made = Desk(tmp_path / "copy")
    used.run(["cp", "-a", f"{used.folder}/.", str(made.folder)])
    return made


def place(desk: Desk, spot: Spot, what: str) -> Path:
    path = desk.folder / spot.path
    if spot.path == "SEGMENT":
        path = next((desk.state / "queue" / "live").glob("*.log"))
    if spot.path == "LEDGER":
        path = desk.state / "ledger" / f"{time.strftime('%Y-%m-%d', time.gmtime())}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        pytest.skip("a folder belongs there")
    path.unlink(missing_ok=True)
    ODD[what](path)
    return path


def run(desk: Desk, command: str) -> Done:
    transcript = str(desk.folder / "transcript.jsonl")
    tool: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "transcript_path": transcript}
    hooks: dict[str, Callable[[], Done]] = {
        "start": lambda: desk.hook("SessionStart", source="startup", transcript_path=transcript),
        "prompt": lambda: desk.hook("UserPromptSubmit", prompt="remember: ship on Monday", transcript_path=transcript),
        "tool": lambda: desk.hook("PreToolUse", **tool),
        "stop": lambda: desk.hook("Stop", transcript_path=transcript),
        "end": lambda: desk.hook("SessionEnd", reason="exit", transcript_path=transcript),
    }
    words: dict[str, tuple[str, ...]] = {
        "flag": ("flag", "said beside it"),
        "remember": ("remember", "said beside it"),
        "init": ("init", "--project", "--dry-run"),
        "close": ("close", "--all"),
        "import": ("import",),
        "recall": ("recall", "limit"),
        "task": ("task", "checkpoint", "--discovery", "it is odd"),
        "queue": ("queue",),
        "log": ("log",),
        "history": ("history",),
    }
    return hooks[command]() if command in hooks else desk.holdfast(*words.get(command, (command,)))


COMBINATIONS = [(spot, what) for spot in SPOTS for what in ODD]


@pytest.mark.parametrize(
    ("spot", "what"),
    support.sample(COMBINATIONS, 16),
    ids=lambda one: one.path.replace("home/.holdfast", "vault") if isinstance(one, Spot) else one,
)
def test_nothing_waits_for_what_is_no_file(desk: Desk, spot: Spot, what: str) -> None:
    place(desk, spot, what)
    at = COMBINATIONS.index((spot, what))
    most = 1 if support.NAME == "full" else 2  # the kinds go round the commands
    chosen = [spot.commands[(at + nth) % len(spot.commands)] for nth in range(min(most, len(spot.commands)))]
    failed = []
    for command in dict.fromkeys(chosen):
        began = time.monotonic()
        done = run(desk, command)
        took = time.monotonic() - began
        lines = [line for line in done.err.splitlines() if line.strip()]
        if not done.ended or "Traceback" in done.err or len(lines) > 6:
            failed.append(f"{command}: {done}")
        goes_on = not done.err or done.err.endswith("The session goes on.\n")
        if command in HOOKS and (done.status or took > HOOK_PATIENCE or not goes_on):
            failed.append(f"{command} took {took:.1f} s: {done}")
    support.count(TOPIC, len(chosen), len(failed))
    assert failed == []


@pytest.mark.parametrize("what", support.sample(list(ODD), 3))
@pytest.mark.parametrize("name", [".holdfast.toml", ".git/config", ".git/HEAD"])
def test_a_hook_goes_on_capturing(desk: Desk, name: str, what: str) -> None:
    place(desk, Spot(f"shop/{name}", ()), what)
    done = run(desk, "prompt")
    assert (done.status, done.err) == (0, "")
    flagged = desk.holdfast("flag", "said beside it")
    assert flagged.status == 0, flagged.err
    waiting = desk.holdfast("queue", "--all", "--json").out
    support.count(TOPIC, 2, 0 if "ship on Monday" in waiting and "said beside it" in waiting else 1)
    assert "ship on Monday" in waiting
    assert "said beside it" in waiting


def test_a_start_says_what_the_projects_own_file_is(desk: Desk) -> None:
    place(desk, Spot("shop/.holdfast.toml", ()), "pipe")
    told = desk.hook("SessionStart", source="startup").out
    assert "/shop/.holdfast.toml cannot be read (it is a pipe)" in told


@pytest.mark.parametrize(
    ("spot", "what"),
    support.sample([(spot, what) for spot in NAMED_BY_DOCTOR for what in ("pipe", "folder", "huge", "circle")], 5),
    ids=lambda one: one.path if isinstance(one, Spot) else one,
)
def test_doctor_names_it(desk: Desk, spot: Spot, what: str) -> None:
    if spot.path.endswith(("/live", "config.json", ".db", "knowledge/.gitignore", "vault/.git/index")):
        pytest.skip("ours to make anew, or said by git's own check")
    if what == "folder" and spot.path.endswith("odd.md"):
        pytest.skip("notes may lie in folders, whatever these are called")
    path = place(desk, spot, what)
    done = desk.holdfast("doctor")
    support.count(f"{TOPIC}, named by doctor", 1, int(not done.ended or path.name not in done.out))
    assert done.ended
    assert done.status == 1
    assert path.name in done.out, done.out


@pytest.mark.parametrize("what", ["huge", "pipe"])
def test_the_history_takes_what_is_a_file_and_leaves_the_rest(tmp_path: Path, what: str) -> None:
    vault = str(tmp_path / "vault")
    with writing(vault, 1_790_000_000.0) as writer:
        writer.commit("remember", {"knowledge/one.md": NOTE}, cause="remember", by=BY_UPKEEP)
    ODD[what](tmp_path / "vault" / "knowledge" / "odd.md")
    (tmp_path / "vault" / "knowledge" / "hand.md").write_text(NOTE, encoding="utf-8")
    with writing(vault, 1_790_000_100.0) as writer:
        kept = writer.repository.text("ls-files").split()
    assert "knowledge/hand.md" in kept
    assert "knowledge/odd.md" not in kept
    found = notes.read(vault, "knowledge/odd.md")
    assert isinstance(found, notes.Broken)
    assert found.reason.startswith("it ")


@pytest.mark.parametrize("what", list(ODD))
def test_reading_refuses_in_words(tmp_path: Path, what: str) -> None:
    path = tmp_path / "odd"
    ODD[what](path)
    with pytest.raises(OSError) as refused:
        platform.read_file(str(path))
    assert refused.value.strerror
    if what not in ("circle", "link to the kernel's"):
        assert refused.value.strerror.startswith("it ")
        assert platform.oddity(str(path))
