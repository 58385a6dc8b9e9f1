"""Real damage to the vault's repository: every kind of file in .git removed, emptied, cut short and zeroed, loose and
packed. Whatever it is, nothing is called well that is not, a start names the command, and that command leads back to a
vault that files, with every note as it was and everything that was flagged."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from doctor_support import place
from hook_support import Home, Terminal

from holdfast.capture import gate
from holdfast.health.doctor import mend
from holdfast.health.finding import LOST, Finding
from holdfast.health.history import check_history
from holdfast.vault import new_history

from .support import count

pytestmark = pytest.mark.crash

MENDED, BEGUN, HARMLESS, EITHER = "mended", "begun anew", "harmless", "mended or begun anew"
WAYS: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
}
OBJECTS = {
    "the last commit": "HEAD",
    "the last tree": "HEAD^{tree}",
    "the tree of a folder": "HEAD:knowledge",
    "the blob of a note": "HEAD:knowledge/nightly.md",
    "the first commit": "FIRST",
    "the blob of an older version": "FIRST~-1:knowledge/deploys.md",
}
LOOSE = {
    "HEAD": MENDED,
    "refs/heads/main": MENDED,
    "config": MENDED,
    "index": MENDED,
    "the last commit": BEGUN,
    "the last tree": MENDED,
    "the tree of a folder": MENDED,
    "the blob of a note": MENDED,
    "the first commit": BEGUN,
    "the blob of an older version": BEGUN,
    "logs/HEAD": HARMLESS,
    "logs/refs/heads/main": HARMLESS,
}
PACKED = {"packed-refs": MENDED, "a pack": EITHER, "the index of a pack": MENDED, "the commit graph": MENDED}


@pytest.fixture
def vault(fresh: Home, terminal: Terminal) -> Home:
    """A vault with a history: notes, one of them changed since, and a flag that is not filed yet."""
    for words in (
        ("remember", "Deploys run from main", "--name", "deploys"),
        ("remember", "Never force-push", "--kind", "rule", "--name", "pushes"),
        ("remember", "Deploys run at night", "--name", "nightly", "--supersedes", "deploys"),
    ):
        done = terminal(*words)
        assert done.status == 0, done.err
    terminal("flag", "--kind", "lesson", "The index is rebuilt after a restore")
    return fresh


def git(where: Home, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=where.vault, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def file_of(where: Home, part: str) -> Path:
    """The file below .git that a part is kept in."""
    folder = where.vault / ".git"
    first, second, *_ = git(where, "rev-list", "--reverse", "HEAD").split()
    if part in OBJECTS:
        ident = git(where, "rev-parse", OBJECTS[part].replace("FIRST~-1", second).replace("FIRST", first))
        path = folder / "objects" / ident[:2] / ident[2:]
    elif part in ("a pack", "the index of a pack"):
        (path,) = (folder / "objects" / "pack").glob("*.pack" if part == "a pack" else "*.idx")
    else:
        path = folder / {"the commit graph": "objects/info/commit-graph"}.get(part, part)
    path.chmod(0o600)
    return path


def notes_of(where: Home) -> dict[str, bytes]:
    return {str(path.relative_to(where.vault)): path.read_bytes() for path in sorted(where.vault.glob("*/*.md"))}


def look(where: Home) -> Finding:
    (found,) = check_history(place(where))
    return found


def start(where: Home) -> str:
    return where.answer(where.event("SessionStart", f"later-{time.time()}", source="startup"))


def assert_way_back(where: Home, terminal: Terminal, expected: str, head: str) -> None:
    """From the damage to a vault that files, by nothing but what holdfast itself says."""
    before = notes_of(where)
    found = look(where)
    assert found.ok == (expected == HARMLESS), f"called well, or called damaged and is not: {found}"
    audited = terminal("audit", "--all")
    assert ("- vault history" in audited.out) == (expected != HARMLESS), audited.out
    assert terminal("notes").status == 0, "looking needs no history"
    closed = terminal("close")
    assert "Traceback" not in closed.err
    if closed.status:
        assert "damaged" in closed.err, closed.err
        assert "`holdfast doctor --" in closed.err, closed.err
        refused = terminal("remember", "While it is broken")
        assert (refused.status, "`holdfast doctor --" in refused.err) == (17, True)
        said = start(where)
        assert "WARNING: since " in said, said
        assert "run `holdfast doctor --" in said
        assert before.items() <= notes_of(where).items()
        assert len(where.waiting()) == 1, "what waits still waits"
    outcome = HARMLESS if found.ok else MENDED
    if found.can_fix:
        assert not [one for one in mend(place(where), [found]) if "Traceback" in one]
        found = look(where)
    if not found.ok:
        assert (found.level, "--new-history" in found.fix) == (LOST, True), found
        begun = new_history.begin(str(where.vault), time.time(), by=gate.BY_USER)
        assert not begun.kept or (where.vault / begun.kept).exists(), "the old repository is kept"
        outcome = BEGUN
    assert outcome in expected
    assert look(where).ok
    again = terminal("close")
    assert again.status == 0, again.err
    after = notes_of(where)
    assert {path: after.get(path) for path in before} == before
    assert any(b"rebuilt after a restore" in text for text in after.values()), "what was flagged is filed"
    assert "WARNING: since" not in start(where)
    assert git(where, "status", "--porcelain") == ""
    if outcome == MENDED:
        assert head in git(where, "rev-list", "HEAD").split(), "the history goes on"
    if outcome == BEGUN:
        assert "A new history begins" in git(where, "log", "--format=%s")
    count("damaged history", **{"cases": 1, outcome.replace(" ", "_"): 1})


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", LOOSE)
def test_a_file_of_a_loose_repository(vault: Home, terminal: Terminal, part: str, way: str) -> None:
    head = git(vault, "rev-parse", "HEAD")
    WAYS[way](file_of(vault, part))
    assert_way_back(vault, terminal, LOOSE[part], head)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", PACKED)
def test_a_file_of_a_packed_repository(vault: Home, terminal: Terminal, part: str, way: str) -> None:
    git(vault, "gc", "-q")
    head = git(vault, "rev-parse", "HEAD")
    WAYS[way](file_of(vault, part))
    is_nothing = (part, way) == ("the commit graph", "removed")
    assert_way_back(vault, terminal, HARMLESS if is_nothing else PACKED[part], head)


@pytest.mark.parametrize(("folder", "expected"), [(".git", BEGUN), (".git/objects", BEGUN), (".git/refs", MENDED)])
def test_a_folder_that_is_gone(vault: Home, terminal: Terminal, folder: str, expected: str) -> None:
    head = git(vault, "rev-parse", "HEAD")
    shutil.rmtree(vault.vault / folder)
    assert_way_back(vault, terminal, expected, head)


def test_everything_that_is_derived_at_once(vault: Home, terminal: Terminal) -> None:
    head = git(vault, "rev-parse", "HEAD")
    parts = ("the last tree", "the blob of a note", "HEAD", "config", "index", "refs/heads/main")
    for path in [file_of(vault, part) for part in parts]:
        WAYS["emptied"](path)
    assert_way_back(vault, terminal, MENDED, head)


def test_a_history_that_somebody_began_anew_by_hand_is_not_taken_for_the_old_one(
    vault: Home, terminal: Terminal
) -> None:
    head = git(vault, "rev-parse", "HEAD")
    shutil.rmtree(vault.vault / ".git")
    git(vault, "init", "-q", "-b", "main")
    git(vault, "add", "BRAIN.md")
    git(vault, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "mine")
    assert head[:10] in look(vault).detail
    assert_way_back(vault, terminal, BEGUN, head)
