"""What .git files say, read without git: each answer is held against what git itself says of a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.capture import gitfiles
from holdfast.capture.gitfiles import Checkout

OPTIONS = ("user.name=T", "user.email=t@example.com", "protocol.file.allow=always", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    settings = [word for option in OPTIONS for word in ("-c", option)]
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(["git", "-C", folder, *settings, *words], env=env, check=True, capture_output=True)
    return os.fsdecode(done.stdout.removesuffix(b"\n"))


def commit(folder: Path, *more: str) -> None:
    git(folder, "commit", "-q", "--allow-empty", "-m", "a commit", *more)


@pytest.fixture
def repo(place: Path) -> Path:
    """A repository with two commits, in a folder whose name needs care."""
    folder = place / "my app\n\udcff"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder)
    commit(folder)
    return folder


def asked(folder: Path) -> Checkout:
    """What git says."""
    common = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return Checkout(git(folder, "rev-parse", "--show-toplevel"), common)


def test_a_folder_below_lies_in_the_work_tree(repo: Path) -> None:
    deep = repo / "src" / "a b"
    deep.mkdir(parents=True)
    for folder in (repo, deep, f"{repo}/", f"{deep}/not/there"):
        assert gitfiles.checkout(str(folder)) == asked(repo)


def test_a_worktree_shares_the_repository_it_came_from(repo: Path, place: Path) -> None:
    tree = place / "other tree\n"
    git(repo, "worktree", "add", "-q", str(tree), "-b", "side")
    assert gitfiles.checkout(str(tree)) == asked(tree) == Checkout(str(tree), f"{repo}/.git")


@pytest.mark.slow
def test_a_submodule_is_a_repository_of_its_own_also_where_its_path_is_relative(repo: Path, place: Path) -> None:
    part = place / "part"
    part.mkdir()
    git(part, "init", "-q")
    commit(part)
    git(repo, "submodule", "--quiet", "add", str(part), "lib/part")
    inside = repo / "lib" / "part"
    assert (inside / ".git").read_text().startswith("gitdir: ../../.git/modules")
    assert gitfiles.checkout(str(inside)) == asked(inside)
    assert gitfiles.origin_url(asked(inside).common) == str(part)


def test_a_repository_kept_elsewhere_is_found(place: Path) -> None:
    (place / "tree").mkdir()
    git(place / "tree", "init", "-q", "--separate-git-dir", str(place / "store.git"))
    assert gitfiles.checkout(str(place / "tree")) == asked(place / "tree")


@pytest.mark.parametrize("content", ["", "nonsense", "gitdir", "x" * 9000])
def test_a_file_named_git_that_leads_nowhere_is_none(place: Path, content: str) -> None:
    (place / ".git").write_text(content)
    assert gitfiles.checkout(str(place)) is None
    assert gitfiles.checkout("/") is None
    assert gitfiles.checkout("") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://user:pa@ss@example.com:8443/team/app.git",
        "git@example.com:team/app.git",
        "../relative path/app",
        "https://example.com/a;b#c",
        " https://example.com/spaces ",
    ],
)
def test_the_origin_is_what_git_says_it_is(repo: Path, url: str) -> None:
    git(repo, "remote", "add", "upstream", "https://example.com/not/this")
    git(repo, "remote", "add", "origin", url)
    git(repo, "remote", "add", "zzz", "https://example.com/nor/this")
    assert gitfiles.origin_url(f"{repo}/.git") == git(repo, "config", "remote.origin.url") == url


@pytest.mark.parametrize(
    "config",
    [
        '[remote "origin"]\n\turl = u\n',
        '[REMOTE "origin"]\r\n  URL=u\r\n',
        '[core]\n[remote "origin"] url = u\n',
        '[remote "origin"]\n\tfetch = x\n\n# url = no\n\turl = "u" ; said by hand\n',
        '[remote "origin"]\n\turl = u\n\turl = second\n[branch "main"]\n\turl = no\n',
    ],
)
def test_a_config_that_a_person_wrote_is_read_too(place: Path, config: str) -> None:
    (place / "config").write_text(config, newline="")
    assert gitfiles.origin_url(str(place)) == "u"
    first = git(place, "config", "--file", str(place / "config"), "--get-all", "remote.origin.url").splitlines()[0]
    assert first == "u"


def test_a_remote_named_otherwise_is_not_the_origin(repo: Path) -> None:
    git(repo, "remote", "add", "Origin", "https://example.com/other")
    assert gitfiles.origin_url(f"{repo}/.git") == ""


def test_without_an_origin_or_a_config_there_is_no_url(repo: Path) -> None:
    git(repo, "remote", "add", "upstream", "https://example.com/team/app")
    assert gitfiles.origin_url(f"{repo}/.git") == ""
    assert gitfiles.origin_url(f"{repo}/nothing") == ""


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("/srv/app.git", "/srv/app.git"),
        ("file:///srv/app.git", "/srv/app.git"),
        ("../app", "/srv/app"),
        ("./a:b", "/srv/tree/a:b"),
        ("", ""),
        ("git@example.com:team/app", ""),
        ("https://example.com/", ""),
    ],
)
def test_an_origin_on_this_machine_is_a_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, url: str, folder: str
) -> None:
    (place / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    real = gitfiles.origin_url
    monkeypatch.setattr(gitfiles, "origin_url", lambda _: real(str(place)))
    assert gitfiles.local_origin("/srv/tree/.git") == folder


def test_a_repository_is_found_in_exactly_its_folder_bare_or_not(repo: Path, place: Path) -> None:
    git(place, "init", "-q", "--bare", "store.git")
    assert gitfiles.repository(str(repo)) == asked(repo)
    assert gitfiles.repository(f"{place}/store.git") == Checkout(f"{place}/store.git", f"{place}/store.git")
    for folder in (f"{repo}/src", str(place), "/nothing", "/a\0b"):
        assert gitfiles.repository(folder) is None


def test_a_repository_is_told_from_another_one_in_its_place_and_not_from_itself(repo: Path, place: Path) -> None:
    before = gitfiles.birth(f"{repo}/.git")
    commit(repo)
    git(repo, "remote", "add", "origin", "https://example.com/a/b")
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q")
    assert gitfiles.birth(f"{repo}/.git") == before != ""
    shutil.rmtree(repo / ".git")
    git(repo, "init", "-q")
    assert gitfiles.birth(f"{repo}/.git") != before
    assert gitfiles.birth(str(place)) == ""


def test_the_root_commit_is_the_first_whatever_happened_since(repo: Path) -> None:
    first = git(repo, "rev-list", "--max-parents=0", "HEAD")
    assert gitfiles.root_commit(f"{repo}/.git") == first
    git(repo, "checkout", "-q", "--detach", "HEAD")
    commit(repo)
    git(repo, "checkout", "-q", "--orphan", "fresh")
    commit(repo)
    assert gitfiles.root_commit(f"{repo}/.git") == first


def test_a_repository_with_longer_hashes_has_its_root_too(place: Path) -> None:
    git(place, "init", "-q", "--object-format=sha256")
    commit(place)
    assert gitfiles.root_commit(f"{place}/.git") == git(place, "rev-parse", "HEAD")


def test_where_the_history_of_head_does_not_begin_with_the_root_none_is_guessed(repo: Path, place: Path) -> None:
    git(place, "clone", "-q", str(repo), "clone")
    assert gitfiles.root_commit(f"{place}/clone/.git") == ""
    git(place, "init", "-q", "empty")
    assert gitfiles.root_commit(f"{place}/empty/.git") == ""
    Path(repo, ".git", "logs", "HEAD").unlink()
    assert gitfiles.root_commit(f"{repo}/.git") == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/team/app",
        "https://example.com/team/app.git",
        "https://example.com/team/app.git/",
        "https://EXAMPLE.com:443/team/app/",
        "http://user@example.com/team/app",
        "https://user:secret@example.com/team/app.git",
        "https://oauth2:gl@pat@example.com/team/app.git?token=secret",
        "ssh://git@example.com:2222/team/app.git",
        "git+ssh://git@example.com/team/app",
        "git://example.com//team/app",
        "git@example.com:team/app.git",
        "example.com:/team/app.git",
    ],
)
def test_one_repository_has_one_url_whatever_the_protocol_and_no_secret_in_it(url: str) -> None:
    assert gitfiles.normal_url(url) == "example.com/team/app"


@pytest.mark.parametrize(
    "url", ["", "/srv/app.git", "../app", "./a:b", "app", "file:///srv/app.git", "FILE://host/app", "https://", "a:"]
)
def test_a_local_path_is_no_url(url: str) -> None:
    assert gitfiles.normal_url(url) == ""


def test_a_port_is_dropped_from_a_numeric_address_too() -> None:
    assert gitfiles.normal_url("ssh://git@[2001:db8::1]:2222/app.git") == "[2001:db8::1]/app"
