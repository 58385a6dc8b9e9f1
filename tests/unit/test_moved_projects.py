"""A project stays itself: its folder renamed or gone, its URL in another case; names in a close differ."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.capture import gitfiles, projects, same_project
from holdfast.memory import Memory
from holdfast.model import Project
from holdfast.vault import check


def found(fresh: Home, folder: Path) -> Project:
    return projects.find(str(folder), str(fresh.vault))


def knows_when_made(folder: Path) -> bool:
    return bool(same_project.identity(str(folder)))


# --- folders


def test_a_renamed_folder_without_a_repository_stays_its_project(fresh: Home) -> None:
    if not knows_when_made(fresh.folder):
        pytest.skip("this file system does not say when a folder was made")
    fresh.flag("one")
    before = found(fresh, fresh.project)
    after = fresh.folder / "store"
    fresh.project.rename(after)
    assert found(fresh, after).id == before.id
    assert found(fresh, after).id == before.id  # from the cache
    assert found(fresh, after).clash == ""


def test_a_folder_made_in_the_place_or_with_the_number_of_another_is_a_project_of_its_own(fresh: Home) -> None:
    before = found(fresh, fresh.project)
    fresh.project.rmdir()
    for name in ("a", "b", "c"):  # one of them gets the number that has become free
        (fresh.folder / name).mkdir()
        assert found(fresh, fresh.folder / name).id != before.id


def test_a_copy_beside_the_original_is_a_project_of_its_own(fresh: Home) -> None:
    before = found(fresh, fresh.project)
    copy = fresh.folder / "copy"
    copy.mkdir()
    assert found(fresh, copy).id != before.id


def test_a_session_whose_folder_moved_stays_its_project(fresh: Home) -> None:
    subprocess.run(["git", "init", "-q", str(fresh.project)], check=True)
    subprocess.run(
        ["git", "-C", str(fresh.project), "remote", "add", "origin", "https://github.com/ada/shop.git"], check=True
    )
    (fresh.project / "src").mkdir()
    before = found(fresh, fresh.project)
    fresh.project.rename(fresh.folder / "elsewhere")
    assert found(fresh, fresh.project).id == before.id
    assert found(fresh, fresh.project / "src").id == before.id
    assert found(fresh, fresh.folder / "elsewhere").id == before.id


def test_flags_of_a_session_whose_folder_moved_belong_to_its_project(fresh: Home) -> None:
    subprocess.run(["git", "init", "-q", str(fresh.project)], check=True)
    fresh.hook(fresh.event("SessionStart", source="startup"))
    project = fresh.episode().project
    away = fresh.folder / "elsewhere"
    fresh.project.rename(away)
    done = fresh.hook(fresh.event("UserPromptSubmit", prompt="Remember: the port is 8443."), cwd=away)
    assert done.status == 0
    assert [flag.project for flag in fresh.waiting()] == [project]


# --- URLs


@pytest.mark.parametrize("host", ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"])
def test_urls_of_hosts_without_case_compare_without_it(host: str) -> None:
    said = {gitfiles.normal_url(f"https://{host}/{path}") for path in ("Ada/Shop.git", "ada/shop", "ADA/shop.git")}
    said.add(gitfiles.normal_url(f"git@{host.upper()}:Ada/SHOP.git"))
    assert said == {f"{host}/ada/shop"}


def test_urls_of_other_hosts_keep_their_case() -> None:
    assert gitfiles.normal_url("https://git.example.org/Ada/Shop.git") == "git.example.org/Ada/Shop"


def test_a_project_that_an_older_version_registered_with_case_is_found(fresh: Home) -> None:
    fresh.vault.mkdir(parents=True)
    (fresh.vault / "projects.toml").write_text(
        '[[project]]\nid = "shop-old"\nslug = "shop"\nkeys = ["url:github.com/Ada/Shop"]\n'
    )
    subprocess.run(["git", "init", "-q", str(fresh.project)], check=True)
    subprocess.run(
        ["git", "-C", str(fresh.project), "remote", "add", "origin", "git@github.com:ADA/shop.git"], check=True
    )
    assert found(fresh, fresh.project).id == "shop-old"


# --- names


@pytest.mark.slow
def test_equal_first_words_do_not_make_equal_names_in_a_close(fresh: Home) -> None:
    same = "The nightly export of the order tables to the warehouse"
    for end in (
        "runs at two",
        "runs at two on Mondays",
        "fails when the disk is full",
        "fails when the disk is read-only",
    ):
        fresh.flag(f"{same} {end}")
    seen = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    seen.sessions.close(verbatim=True)
    names = [note.name for note in seen.notes.index().notes]
    assert len(names) == 4
    assert len({name.casefold() for name in names}) == 4
    report = check.check(str(fresh.vault), time.time(), {})
    assert [one for one in report.findings if one.code == "duplicate-name"] == []


# --- the list


def test_the_list_has_every_project_with_its_keys_and_what_there_is_of_it(fresh: Home) -> None:
    fresh.flag("one")
    other = fresh.folder / "other"
    other.mkdir()
    fresh.flag("two", cwd=other)
    fresh.flag("three", cwd=other)
    told = json.loads(fresh.cli("project", "list", "--json").out)
    here, there = fresh.project_id(), fresh.project_id(other)
    rows = {one["id"]: one for one in told["projects"]}
    assert (rows[here]["waiting"], rows[there]["waiting"]) == (1, 2)
    assert rows[here]["here"] is True
    assert rows[there]["here"] is False
    assert rows[here]["keys"][0].startswith("path:")
    said = fresh.cli("project", "list").out
    assert f"{here} (here)" in said
    assert "2 flags waiting" in said


def test_a_registry_that_cannot_be_read_is_said(fresh: Home) -> None:
    fresh.flag("one")
    (fresh.vault / "projects.toml").write_text("<<<<<<< mine\n")
    done = fresh.cli("project", "list")
    assert done.status == 1
    assert "projects.toml cannot be read" in done.err
    assert "Traceback" not in done.err


def test_without_projects_the_list_says_so(fresh: Home) -> None:
    assert fresh.cli("project", "list").out.startswith("No project")
    assert not fresh.vault.exists()
