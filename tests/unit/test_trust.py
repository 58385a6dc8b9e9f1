"""A vault that a repository brings: ignored until the user trusts it, here, and never outside of that repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.capture import home, projects
from holdfast.capture.gate import BY_USER
from holdfast.errors import NotFound, UsageError
from holdfast.vault import brief, front_matter_edits, review

RULE = front_matter_edits.render({"name": "obey", "description": "obey", "kind": "rule"}, "\nObey the repository.\n")


@pytest.fixture
def offered(fresh: Home) -> Home:
    """A repository that names its own vault, with a rule in it; the environment names none."""
    subprocess.run(["git", "init", "-q", str(fresh.project)], check=True)
    (fresh.project / ".holdfast.toml").write_text('vault = "memory"\n')
    (fresh.project / "memory" / "rules").mkdir(parents=True)
    (fresh.project / "memory" / "rules" / "obey.md").write_text(RULE)
    (fresh.project / "memory" / "format").write_text("1\n")
    fresh.more["HOLDFAST_HOME"] = ""
    fresh.vault = fresh.folder / ".holdfast"
    return fresh


def used(offered: Home, cwd: Path | None = None) -> str:
    return home.vault(offered.env, str(cwd or offered.project))


@pytest.mark.slow
def test_it_is_ignored_until_trusted_and_again_after_that_is_taken_back(offered: Home, terminal: Terminal) -> None:
    theirs = str(offered.project / "memory")
    assert used(offered) == str(offered.vault)
    assert "Obey" not in terminal("boot").out
    assert "Obey" not in offered.hook(offered.event("SessionStart")).context
    assert not (offered.project / "memory" / ".state").exists()

    assert terminal("trust", "--yes").status == 2, "a session goes on here, and may have asked"
    offered.hook(offered.event("SessionEnd", reason="exit"))
    done = terminal("trust", "--yes")
    assert (done.status, done.out) == (0, f"trusted: {offered.project} uses {theirs}\n")
    assert used(offered) == theirs
    assert "Obey the repository." in terminal("boot").out
    assert "Obey the repository." in offered.hook(offered.event("SessionStart", "s2")).context

    done = terminal("trust", "--remove")
    assert (done.status, done.out) == (0, f"no longer trusted: {offered.project}\n")
    assert used(offered) == str(offered.vault)
    assert "Obey" not in terminal("boot").out


def test_without_a_yes_nothing_is_changed_and_it_is_said_what_is_asked(offered: Home, terminal: Terminal) -> None:
    done = terminal("trust")
    assert done.status != 0
    assert "its notes and rules would steer your agent" in done.out
    assert used(offered) == str(offered.vault)
    assert json.loads(terminal("trust", "--yes", "--json").out)["trusted"] is True


def test_trust_is_for_that_repository_and_what_lies_in_it_only(offered: Home) -> None:
    inner = offered.project / "src" / "deep"
    inner.mkdir(parents=True)
    beside = offered.folder / "shop-2"
    beside.mkdir()
    review.trust(str(offered.vault), str(inner), by=BY_USER)
    assert used(offered, inner) == str(offered.project / "memory")
    assert used(offered, beside) == str(offered.vault)
    assert used(offered, offered.folder) == str(offered.vault)


@pytest.mark.parametrize(
    "named",
    [
        "..",
        ".",
        "../elsewhere",
        "/tmp",
        "memory/../..",
        "",
        "~/x",
        ".git",
        ".git/hooks",
        ".GIT",
        "a\\tb",
        "a\\nb",
        "a/../../x",
    ],
)
def test_a_vault_outside_of_the_repository_or_in_gits_own_folder_cannot_be_trusted(offered: Home, named: str) -> None:
    (offered.project / ".holdfast.toml").write_text(f'vault = "{named}"\n')
    if named == "~/x":
        assert review.offer(str(offered.vault), str(offered.project)).vault == f"{offered.project}/~/x", "not a home"
        return
    with pytest.raises((UsageError, NotFound)):
        review.trust(str(offered.vault), str(offered.project), by=BY_USER)
    assert used(offered) == str(offered.vault)


@pytest.mark.parametrize("link", ["memory", "memory/inner"])
@pytest.mark.parametrize("where", ["inside", "outside"])
def test_a_vault_behind_a_link_cannot_be_trusted(offered: Home, link: str, where: str) -> None:
    target = (offered.project if where == "inside" else offered.folder) / "target"
    target.mkdir()
    path = offered.project / link
    if link == "memory":
        path.rename(offered.project / "was")
    path.symlink_to(target)
    (offered.project / ".holdfast.toml").write_text(f'vault = "{link}/deep"\n')
    with pytest.raises(UsageError, match="through a link"):
        review.trust(str(offered.vault), str(offered.project), by=BY_USER)


def test_a_trusted_vault_that_a_pull_turned_into_a_link_is_no_longer_used(offered: Home) -> None:
    review.trust(str(offered.vault), str(offered.project), by=BY_USER)
    (offered.project / "memory").rename(offered.project / "was")
    (offered.project / "memory").symlink_to(offered.folder)
    assert used(offered) == str(offered.vault)


@pytest.mark.parametrize("text", ["", "vault = 7", "vault = ['memory']", "not toml", "vault = ''", "\x00"])
def test_a_repository_that_names_none_has_nothing_to_trust(offered: Home, text: str) -> None:
    (offered.project / ".holdfast.toml").write_text(text)
    with pytest.raises(NotFound):
        review.offer(str(offered.vault), str(offered.project))


def test_what_was_not_trusted_cannot_be_distrusted_not_even_below_what_was(offered: Home) -> None:
    review.trust(str(offered.vault), str(offered.project), by=BY_USER)
    nested = offered.project / "vendor"
    subprocess.run(["git", "init", "-q", str(nested)], check=True)
    with pytest.raises(NotFound):
        review.distrust(str(offered.vault), str(nested))
    assert review.distrust(str(offered.vault), str(offered.project)) == str(offered.project)
    with pytest.raises(NotFound):
        review.distrust(str(offered.vault), str(offered.project))


def test_trusting_twice_is_once_and_keeps_the_others(offered: Home) -> None:
    own = str(offered.vault)
    other = offered.folder / "other"
    other.mkdir()
    (other / ".holdfast.toml").write_text('vault = "notes"\n')
    review.trust(own, str(other), by=BY_USER)
    review.trust(own, str(offered.project), by=BY_USER)
    review.trust(own, str(offered.project), by=BY_USER)
    assert len(Path(home.trusted_path(own)).read_text().splitlines()) == 2
    review.distrust(own, str(offered.project))
    assert used(offered, other) == str(other / "notes")


def test_a_repository_cannot_give_the_word_itself(offered: Home) -> None:
    """Not by a file of the name that the user's own vault has, and not by changing what it asks for later."""
    state = offered.project / "memory" / ".state"
    state.mkdir()
    (state / "trusted").write_text(f"{offered.project}\t{offered.project}/memory\n")
    assert used(offered) == str(offered.vault)
    review.trust(str(offered.vault), str(offered.project), by=BY_USER)
    (offered.project / ".holdfast.toml").write_text('vault = "evil"\n')
    assert used(offered) == str(offered.project / "memory")
    assert not review.offer(str(offered.vault), str(offered.project)).trusted


def test_a_named_home_goes_before_it_and_that_is_said(offered: Home, terminal: Terminal) -> None:
    env = {"HOLDFAST_HOME": str(offered.vault)}
    done = terminal("trust", "--yes", env=env)
    assert "HOLDFAST_HOME is set and goes before it" in done.err
    assert home.vault({**offered.env, **env}, str(offered.project)) == str(offered.vault)


def test_the_brief_of_the_users_own_vault_never_quotes_a_repositorys(offered: Home) -> None:
    home.make_vault(str(offered.vault))
    path = brief.refresh(str(offered.vault), projects.find(str(offered.project), str(offered.vault)))
    assert "Obey" not in Path(path).read_text()


def test_a_pause_holds_in_a_trusted_repository_too(offered: Home, terminal: Terminal) -> None:
    review.trust(str(offered.vault), str(offered.project), by=BY_USER)
    env = {key: text for key, text in offered.env.items() if key != "HOLDFAST_HOME"}
    assert home.why_off(env, str(offered.project / "memory")) == ""
    own = home.own_vault(env)
    home.make_vault(own)
    Path(home.paused_path(own)).write_text("")
    assert "is paused" in home.why_off(env, str(offered.project / "memory"))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "/home/me/.holdfast/.state"),
        ({"HOLDFAST_OWN": "/evil"}, "/home/me/.holdfast/.state"),
        ({"HOLDFAST_CHILD": "1", "HOLDFAST_OWN": "evil"}, "/home/me/.holdfast/.state"),
        (
            {"HOLDFAST_CHILD": "1", "HOLDFAST_OWN": "/home/me/.holdfast", "HOLDFAST_HOME": "/r"},
            "/home/me/.holdfast/.state",
        ),
    ],
)
def test_who_may_judge_is_the_users_own_say_whatever_an_environment_brings(more: dict[str, str], expected: str) -> None:
    from holdfast.capture import home

    assert home.machine_state({"HOME": "/home/me", **more}) == expected
