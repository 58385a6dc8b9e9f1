"""Git as a reader of a repository that is not ours: the answers of git itself, in every form of a repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.capture import git_process, gitfiles

WHO = {f"GIT_{role}_{what}": "ann@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
QUESTIONS = (
    ("rev-list", "--format=%ct %s", "HEAD"),
    ("ls-files", "-z", "--cached"),
    ("ls-files", "-z", "--others", "--exclude-standard"),
    ("status", "--porcelain", "--ignore-submodules=all"),
    ("grep", "-l", "-F", "-w", "-e", "LIMIT"),
    ("ls-files", "-v"),
)


def git(folder: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", **WHO}
    command = ["git", "-c", "protocol.file.allow=always", *words]
    return subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


def filled(folder: Path, *more: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", *more)
    for name, text in {"pay.py": "LIMIT = 30\n", "src/ä b.py": "x\n", ".gitignore": "*.log\n"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    (folder / "pay.py").write_text("LIMIT = 31\n", encoding="utf-8")
    (folder / "new.py").write_text("LIMIT\n", encoding="utf-8")
    (folder / "a.log").write_text("", encoding="utf-8")
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/exclude").write_text("*.private\n", encoding="utf-8")
    (folder / "x.private").write_text("", encoding="utf-8")
    return folder


def plain(place: Path) -> Path:
    return filled(place / "shop")


def packed(place: Path) -> Path:
    made = filled(place / "shop")
    git(made, "gc", "--quiet")
    git(made, "pack-refs", "--all")
    return made


def detached(place: Path) -> Path:
    made = filled(place / "shop")
    git(made, "checkout", "--quiet", "--detach")
    return made


def unborn(place: Path) -> Path:
    (place / "shop").mkdir()
    git(place / "shop", "init", "--quiet")
    (place / "shop/x").write_text("x", encoding="utf-8")
    return place / "shop"


def long_ids(place: Path) -> Path:
    return filled(place / "shop", "--object-format=sha256")


def worktree(place: Path) -> Path:
    made = filled(place / "shop")
    git(made, "worktree", "add", "--quiet", "-b", "other", str(place / "tree"))
    (place / "tree/pay.py").write_text("LIMIT = 32\n", encoding="utf-8")
    return place / "tree"


def shallow(place: Path) -> Path:
    made = filled(place / "shop")
    git(made, "commit", "--quiet", "--all", "--message", "two")
    git(place, "clone", "--quiet", "--depth=1", f"file://{made}", "copy")
    return place / "copy"


def split(place: Path) -> Path:
    made = filled(place / "shop")
    git(made, "update-index", "--split-index")
    return made


def borrowed(place: Path) -> Path:
    made = filled(place / "shop")
    git(place, "clone", "--quiet", "--shared", str(made), "copy")
    return place / "copy"


FORMS = (plain, packed, detached, unborn, long_ids, worktree, shallow, split, borrowed)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_the_answers_are_gits_own(form: object, place: Path) -> None:
    assert callable(form)
    folder = form(place)
    for words in QUESTIONS:
        asked = git_process.ask(str(folder), *words)
        env = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        own = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, check=False)
        assert asked is not None, words
        assert (asked.returncode, asked.stdout) == (own.returncode, own.stdout), words
    head = subprocess.run(["git", "rev-parse", "-q", "--verify", "HEAD"], cwd=folder, capture_output=True, check=False)
    assert gitfiles.head_commit(str(folder)) == head.stdout.decode().strip()


def test_nothing_is_written_to_the_repository(place: Path) -> None:
    folder = plain(place)
    before = {path: path.lstat().st_mtime_ns for path in (folder / ".git").rglob("*")}
    for words in QUESTIONS:
        git_process.ask(str(folder), *words)
    assert {path: path.lstat().st_mtime_ns for path in (folder / ".git").rglob("*")} == before


def test_without_a_repository_or_with_what_is_no_file_in_it_nothing_is_asked(place: Path) -> None:
    assert git_process.ask(str(place), "status") is None
    folder = plain(place)
    (folder / ".git/index").unlink()
    os.mkfifo(folder / ".git/index")
    found = gitfiles.checkout(str(folder))
    assert found
    assert git_process.trouble(found) == f"{folder}/.git/index is a pipe"
    assert git_process.ask(str(folder), "status") is None


def test_the_users_own_list_of_ignored_files_counts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plain(place)
    (place / "mine").write_text("new.py\n", encoding="utf-8")
    (place / ".gitconfig").write_text(f"[core]\n\texcludesFile = {place}/mine\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    assert git_process.users_excludes() == f"{place}/mine"
    done = git_process.ask(str(folder), "check-ignore", "-q", "--", "new.py", excludes=f"{place}/mine")
    assert done is not None
    assert done.returncode == 0
    done = git_process.ask(str(folder), "check-ignore", "-q", "--", "new.py")
    assert done is not None
    assert done.returncode == 1
