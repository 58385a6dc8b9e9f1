"""Which project a folder belongs to, over real repositories: one project is one, two are never taken for one."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from holdfast.capture import gitfiles, platform, projects
from holdfast.model import Project, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

URL = "https://example.com/team/app.git"
OPTIONS = ("user.name=T", "user.email=t@example.com", "protocol.file.allow=always", "init.defaultBranch=main")


def git(folder: Path, *words: str, **more: str) -> None:
    settings = [word for option in OPTIONS for word in ("-c", option)]
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", **more}
    subprocess.run(["git", "-C", folder, *settings, *words], env=env, check=True, capture_output=True)


def commit(folder: Path, days_ago: int = 0) -> None:
    when = f"{int(time.time()) - days_ago * 86400} +0000"
    message = f"a commit in {folder.name!a}"
    git(folder, "commit", "-q", "--allow-empty", "-m", message, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)


def repository(folder: Path, url: str = "", commits: int = 0) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    if url:
        git(folder, "remote", "add", "origin", url)
    for _ in range(commits):
        commit(folder)
    return folder


def registry(vault: str) -> dict[str, Any]:
    return tomllib.loads(Path(vault, "projects.toml").read_text())


def find(folder: Path | str, vault: str) -> Project:
    """Asked twice, so that the cache is held against the first answer."""
    first = projects.find(str(folder), vault)
    assert projects.find(str(folder), vault) == first
    return first


def test_clones_worktrees_and_subfolders_are_one_project(place: Path, vault: str) -> None:
    one = repository(place / "one", URL, commits=1)
    known = find(one, vault)
    assert (known.slug, known.key, known.root) == ("app", "url:example.com/team/app", str(one))
    assert known.id.startswith("app-")
    (one / "src").mkdir()
    git(one, "worktree", "add", "-q", str(place / "tree"))
    urls = ["git@example.com:team/app", "ssh://git@example.com:22/team/app.git", "https://me:pw@example.com/team/app/"]
    clones = [repository(place / f"clone{n}", url) for n, url in enumerate(urls)]
    for folder in (one / "src", place / "tree", *clones):
        found = find(folder, vault)
        assert (found.id, found.key, found.clash) == (known.id, known.key, "")
    assert registry(vault) == {"project": [{"id": known.id, "slug": "app", "keys": [known.key]}]}


def test_other_repositories_are_other_projects_though_their_names_are_alike(place: Path, vault: str) -> None:
    folders = [
        repository(place / "a" / "app", URL),
        repository(place / "b" / "app", "https://example.com/other/app"),
        repository(place / "c" / "app", commits=1),
        repository(place / "d" / "app"),
        place / "e" / "app",
    ]
    assert len({find(folder, vault).id for folder in folders}) == len(folders)
    assert {find(folder, vault).slug for folder in folders} == {"app"}


@pytest.mark.slow
def test_a_submodule_is_a_project_of_its_own(place: Path, vault: str) -> None:
    part = repository(place / "part", commits=1)
    whole = repository(place / "whole", URL)
    git(whole, "submodule", "--quiet", "add", str(part), "lib/part")
    assert find(whole / "lib" / "part", vault).id != find(whole, vault).id


def test_two_machines_agree_without_talking(place: Path) -> None:
    one, other = repository(place / "one", URL), repository(place / "two", URL)
    assert find(one, f"{place}/vault1").id == find(other, f"{place}/vault2").id


def test_no_credential_of_an_origin_reaches_the_disk(place: Path, vault: str, token: str) -> None:
    folder = repository(place / "app", f"https://me:{token}@example.com/team/app.git?private={token}")
    assert token not in str(find(folder, vault))
    for path in Path(vault).rglob("*"):
        assert path.is_dir() or token[:12].encode() not in path.read_bytes()


def test_a_repository_that_gains_commits_and_then_an_origin_stays_what_it_was(place: Path, vault: str) -> None:
    folder = repository(place / "app")
    known = find(folder, vault)
    assert known.key == f"path:{platform.machine()}:{folder}"
    commit(folder)
    committed = find(folder, vault)
    git(folder, "remote", "add", "origin", URL)
    published = find(folder, vault)
    assert {known.id, committed.id, published.id} == {known.id}
    assert committed.key.startswith("root:")
    assert published.key == "url:example.com/team/app"
    assert registry(vault)["alias"] == [
        {"project": known.id, "key": committed.key},
        {"project": known.id, "key": published.key},
    ]
    shutil.rmtree(f"{vault}/.state")
    assert find(folder, vault).id == known.id, "the registry alone is enough"
    assert find(repository(place / "clone", URL), vault).id == known.id


def test_where_a_new_key_names_another_project_the_key_decides_and_the_clash_is_told(place: Path, vault: str) -> None:
    other = find(repository(place / "other", URL), vault)
    folder = repository(place / "app", commits=1)
    before = find(folder, vault)
    git(folder, "remote", "add", "origin", URL)
    after = find(folder, vault)
    assert after.id == other.id != before.id
    assert after.clash == f"this folder was project {before.id}, now its url says {other.id}; none was merged"
    assert "alias" not in registry(vault)


def test_another_repository_cloned_into_a_known_folder_is_another_project(place: Path, vault: str) -> None:
    folder = repository(place / "work", URL, commits=1)
    before = find(folder, vault)
    shutil.rmtree(folder)
    commit(repository(folder, "https://example.com/other/thing"), days_ago=1)
    after = find(folder, vault)
    assert after.id != before.id
    assert before.id in after.clash, "that the folder was another project is told"


def test_a_repository_whose_origin_moved_stays_what_it_was(place: Path, vault: str) -> None:
    folder = repository(place / "work", URL, commits=1)
    before = find(folder, vault)
    git(folder, "remote", "set-url", "origin", "https://example.com/new-home/app")
    after = find(folder, vault)
    assert (after.id, after.clash) == (before.id, "")
    assert after.key != before.key


def test_a_repository_whose_old_history_of_head_was_pruned_stays_what_it_was(place: Path, vault: str) -> None:
    folder = repository(place / "app")
    commit(folder, days_ago=200)
    commit(folder)
    before = find(folder, vault)
    git(folder, "reflog", "expire", "--expire=90.days", "--all")
    git(folder, "config", "any.change", "of the settings")
    after = find(folder, vault)
    assert (after.id, after.clash) == (before.id, "")


def test_a_clone_of_a_local_repository_is_the_same_project(place: Path, vault: str) -> None:
    one = repository(place / "one", commits=1)
    git(place, "clone", "-q", str(one), "two")
    assert find(place / "two", vault).id == find(one, vault).id


def test_repositories_that_are_each_others_origin_are_found_all_the_same(place: Path, vault: str) -> None:
    one, two = repository(place / "one", "../two"), repository(place / "two", "../one")
    assert find(one, vault).slug
    assert find(two, vault).slug


def test_clones_of_one_local_bare_repository_are_one_project(place: Path, vault: str) -> None:
    git(place, "init", "-q", "--bare", "store.git")
    for name in ("one", "two"):
        git(place, "clone", "-q", str(place / "store.git"), name)
    assert find(place / "one", vault).id == find(place / "two", vault).id


def test_a_bare_repository_kept_in_a_work_tree_is_not_that_work_tree(place: Path, vault: str) -> None:
    home = repository(place / "home", URL, commits=1)
    git(home, "init", "-q", "--bare", "store.git")
    git(place, "clone", "-q", str(home / "store.git"), "clone")
    assert find(place / "clone", vault).id != find(home, vault).id


DOUBLED = """
[[project]]
id = "a-1"
slug = "s"
keys = ["url:example.com/team/app"]

[[project]]
id = "b-2"
slug = "s"
keys = ["url:example.com/team/app"]
"""


def test_a_key_that_a_sync_brought_under_two_projects_is_a_clash(place: Path, vault: str) -> None:
    folder = repository(place / "app", URL)
    Path(vault).mkdir()
    Path(vault, "projects.toml").write_text(DOUBLED)
    found = find(folder, vault)
    assert found.id == "a-1"
    assert "a-1" in found.clash
    assert "b-2" in found.clash


def test_a_clash_of_others_is_not_told_here_and_keeps_nobody_from_being_registered(place: Path, vault: str) -> None:
    Path(vault).mkdir()
    Path(vault, "projects.toml").write_text(DOUBLED)
    found = find(repository(place / "mine", "https://example.com/my/own"), vault)
    assert found.clash == ""
    assert found.id in Path(vault, "projects.toml").read_text()


def test_a_detached_head_or_another_branch_changes_nothing(place: Path, vault: str) -> None:
    folder = repository(place / "app", commits=2)
    known = find(folder, vault)
    git(folder, "checkout", "-q", "--detach", "HEAD~1")
    assert find(folder, vault) == known
    git(folder, "checkout", "-q", "-b", "side")
    assert find(folder, vault) == known


@pytest.mark.parametrize(
    "text", ["[[project]\n", "project = 3\n", "[[project]]\nname = 1\n", "\udcff = 1", "a = 1\na = 2"]
)
def test_a_registry_that_does_not_parse_costs_the_aliases_and_is_left_as_the_person_wrote_it(
    place: Path, vault: str, text: str
) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    path = Path(vault, "projects.toml")
    good, bad = path.read_bytes(), os.fsencode(text)
    path.write_bytes(bad)
    found = find(folder, vault)
    assert found.id == known.id
    assert "projects.toml cannot be read" in found.clash
    assert find(place / "new", vault).slug == "new"
    assert path.read_bytes() == bad
    path.write_bytes(good)
    assert find(folder, vault) == known


def test_a_repository_that_gains_an_origin_while_the_registry_does_not_parse_is_aliased_when_it_does(
    place: Path, vault: str
) -> None:
    folder = repository(place / "app", commits=1)
    known = find(folder, vault)
    path = Path(vault, "projects.toml")
    good = path.read_bytes()
    path.write_bytes(b"[[project]\n")
    git(folder, "remote", "add", "origin", URL)
    assert find(folder, vault).id == known.id
    assert path.read_bytes() == b"[[project]\n"
    path.write_bytes(good)
    assert find(folder, vault).id == known.id
    assert registry(vault)["alias"] == [{"project": known.id, "key": "url:example.com/team/app"}]


def test_a_project_known_by_an_alias_stays_what_it_was_while_the_registry_does_not_parse(
    place: Path, vault: str
) -> None:
    folder = repository(place / "app", commits=1)
    known = find(folder, vault)
    git(folder, "remote", "add", "origin", URL)
    assert find(folder, vault).id == known.id
    with Path(vault, "projects.toml").open("a") as file:
        file.write("[[project\n")
    assert find(folder, vault).id == known.id


def test_a_registry_that_was_lost_is_written_again(place: Path, vault: str) -> None:
    known = find(repository(place / "app", URL), vault)
    before = registry(vault)
    Path(vault, "projects.toml").unlink()
    assert find(place / "app", vault) == known
    assert registry(vault) == before


def test_a_vault_of_a_newer_format_is_read_and_not_written(place: Path, vault: str) -> None:
    Path(vault).mkdir()
    Path(vault, "format").write_text("2\n")
    Path(vault, "projects.toml").write_text('[[project]]\nid = "x-1"\nkeys = ["url:example.com/team/app"]\n')
    before = Path(vault, "projects.toml").read_bytes()
    assert find(repository(place / "known", URL), vault).id == "x-1"
    assert find(repository(place / "unknown"), vault).slug == "unknown"
    assert Path(vault, "projects.toml").read_bytes() == before


def test_a_persons_edit_of_the_registry_is_believed_at_the_next_look(place: Path, vault: str) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    path = Path(vault, "projects.toml")
    path.write_text(path.read_text().replace(known.id, "tools-9").replace('"app"', '"tools"') + "# by hand\n")
    found = find(folder, vault)
    assert (found.id, found.slug, found.clash) == ("tools-9", "tools", "")
    find(place / "another", vault)
    assert "# by hand" in path.read_text()


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("off = true\n", True),
        ('off = true\nid = "evil"\nslug = "evil"\nkeys = ["url:evil"]\nvault = "/evil"\n', True),
        ("off = false\n", False),
        ('off = "true"\n', True),
        ("off = 1\n", True),
        ("[holdfast]\noff = true\n", True),
        ("off\n", False),
        ("", False),
    ],
)
def test_a_project_may_switch_itself_off_and_nothing_else_it_says_is_believed(
    place: Path, vault: str, text: str, off: bool
) -> None:
    folder = repository(place / "app", URL)
    before = find(folder, vault)
    assert not before.off
    (folder / ".holdfast.toml").write_text(text)
    assert find(folder, vault) == replace(before, off=off)
    (folder / "src").mkdir()
    assert projects.find(f"{folder}/src", vault).off == off
    (folder / ".holdfast.toml").unlink()
    assert find(folder, vault) == before


def test_of_a_project_that_is_off_not_even_the_name_is_written_down(place: Path, vault: str) -> None:
    folder = repository(place / "private", URL)
    (folder / ".holdfast.toml").write_text("off = true\n")
    assert find(folder, vault).off
    assert not Path(vault).exists()


def test_the_usual_look_reads_the_cache_and_any_file_that_said_so_invalidates_it(
    place: Path, vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    looked: list[str] = []
    real = gitfiles.origin_url

    def look(common: str) -> str:
        looked.append(common)
        return real(common)

    monkeypatch.setattr(gitfiles, "origin_url", look)
    find(folder, vault)
    assert looked == []
    for path in (folder / ".git" / "config", folder / ".holdfast.toml", Path(vault, "projects.toml")):
        path.touch()
        with path.open("a") as file:
            file.write("\n")
        before = len(looked)
        assert find(folder, vault) == known
        assert len(looked) == before + 1, path


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"stamps":[],"project":{}}', b'{"project":7}'])
def test_a_cache_that_cannot_be_read_is_made_again(place: Path, vault: str, content: bytes) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    (cache,) = Path(vault, ".state", "projects").iterdir()
    cache.write_bytes(content)
    assert find(folder, vault) == known
    assert cache.read_bytes() != content


ODD_NAMES = [
    "with space",
    "line\nbreak",
    "no utf-8 \udcff",
    "größe",
    'quote " \\ back',
    "tab\t\x7f",
    "-",
    "…",
    "x" * 200,
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
@pytest.mark.parametrize("kind", ["folder", "repository", "committed", "published"])
def test_a_folder_of_any_name_has_a_project(place: Path, vault: str, name: str, kind: str) -> None:
    folder = place / name
    if kind == "folder":
        folder.mkdir()
    else:
        repository(folder, URL if kind == "published" else "", commits=int(kind == "committed"))
    found = find(folder, vault)
    assert found.root == str(folder)
    assert found.clash == ""
    assert set(found.id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert registry(vault)["project"] == [{"id": found.id, "slug": found.slug, "keys": [found.key]}]
    shutil.rmtree(f"{vault}/.state")
    assert find(folder, vault) == found


def test_a_vault_that_cannot_be_written_keeps_no_project_from_being_known(place: Path, vault: str) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    (place / "file").write_text("in the way")
    (place / "half").mkdir()
    (place / "half" / ".state").write_text("in the way")
    for odd in ("file", "file/vault", "half"):
        assert find(folder, f"{place}/{odd}").id == known.id


@pytest.fixture
def busy(vault: str) -> Iterator[IO[str]]:
    """The registry is being written by somebody else."""
    platform.make_folders(f"{vault}/.state")
    with open(f"{vault}/.state/projects.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def test_a_project_that_could_not_be_registered_is_registered_at_the_next_look(
    place: Path, vault: str, busy: IO[str]
) -> None:
    folder = repository(place / "app", URL)
    known = find(folder, vault)
    assert not Path(vault, "projects.toml").exists()
    fcntl.flock(busy, fcntl.LOCK_UN)
    assert find(folder, vault) == known
    assert registry(vault)["project"][0]["id"] == known.id


def test_an_alias_that_could_not_be_written_does_not_split_the_project(place: Path, vault: str, busy: IO[str]) -> None:
    fcntl.flock(busy, fcntl.LOCK_UN)
    folder = repository(place / "app", commits=1)
    known = find(folder, vault)
    fcntl.flock(busy, fcntl.LOCK_EX)
    git(folder, "remote", "add", "origin", URL)
    assert find(folder, vault).id == known.id
    fcntl.flock(busy, fcntl.LOCK_UN)
    find(place / "another", vault)
    assert find(folder, vault).id == known.id
    assert registry(vault)["alias"]


@pytest.mark.parametrize("folder", ["/a\0b", "/half \ud83d character"])
def test_a_folder_that_cannot_exist_does_not_make_it_fail(vault: str, folder: str) -> None:
    assert find(folder, vault).root == folder


def test_a_hostile_settings_file_does_not_make_it_fail(place: Path, vault: str) -> None:
    folder = repository(place / "app", URL)
    (folder / ".holdfast.toml").write_text("a = " + "[" * 30_000)
    assert not find(folder, vault).off


def test_a_settings_file_in_conflict_stays_off(place: Path, vault: str) -> None:
    folder = repository(place / "app", URL)
    (folder / ".holdfast.toml").write_text("<<<<<<< ours\noff = true\n=======\n>>>>>>> theirs\n")
    assert find(folder, vault).off
