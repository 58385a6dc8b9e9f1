"""Init and uninstall on whole homes: byte for byte, killed anywhere, with other people's changes in between."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.errors import HoldfastError, UsageError
from holdfast.hosts import json_hooks, jsonc, registration
from holdfast.hosts.claude_code import settings as claude_code
from holdfast.hosts.host import registrar
from holdfast.install import launcher, plan, removal, settings_files

pytestmark = pytest.mark.slow  # it starts processes by the hundred

CLAUDE = (
    '\ufeff{\r\n\t// mine\r\n\t"model": "x", /* best */\r\n\t"hooks": {"Stop": [], "Other": [{"hooks": []}]},\r\n}\r\n'
)
CODEX = 'model = "x" # mine\n\n[sandbox_workspace_write]\nnetwork_access = true'
EFFECTS = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink", "os.chmod")


class Killed(BaseException):
    """What no code of ours catches, as nothing catches a kill."""


class Axe:
    """Falls before the n-th change of the file system."""

    left = -1

    def watch(self, event: str, _arguments: object) -> None:
        if self.left >= 0 and event in EFFECTS:
            self.left -= 1
            if self.left < 0:
                raise Killed

    @contextmanager
    def falls_before(self, number: int) -> Iterator[list[bool]]:
        fell = [False]
        self.left = number
        try:
            yield fell
        except Killed:
            fell[0] = True
        finally:
            self.left = -1


AXE = Axe()
sys.addaudithook(AXE.watch)


@pytest.fixture
def fresh(place: Path) -> Home:
    """In memory: these tests write every file many times."""
    return Home(place / "home")


@pytest.fixture
def env(fresh: Home) -> dict[str, str]:
    """A home with both hosts in use, a place for the link, and settings of its own."""
    for name in (".claude", ".codex", ".local/bin"):
        (fresh.folder / name).mkdir(parents=True)
    (fresh.folder / ".profile").write_text('PATH="$HOME/.local/bin:$PATH"\n')
    (fresh.folder / ".claude" / "settings.json").write_bytes(CLAUDE.encode())
    (fresh.folder / ".codex" / "config.toml").write_text(CODEX)
    path = f"{fresh.folder}/.local/bin:/usr/local/bin:/usr/bin:/bin"
    return {**fresh.env, "PATH": path, "SHELL": "/bin/sh"}


def tree(folder: Path) -> dict[str, object]:
    """Every file, link and folder below, but not the vault and a repository's own."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.startswith(".holdfast") or (".git/" in name and not name.endswith("info/exclude")):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            mode = stat.S_IMODE(path.stat().st_mode)
            found[name] = mode if path.is_dir() else (mode, path.read_bytes())
    return found


def init(env: dict[str, str], cwd: Path, *agents: str, project: bool = False) -> plan.InstallPlan:
    made = plan.make(env, str(cwd), agents, "project" if project else "user")
    plan.apply(made, env)
    return made


def uninstall(env: dict[str, str], cwd: Path, *agents: str, project: bool = False) -> removal.Removal:
    made = removal.make(env, str(cwd), agents, "project" if project else "user")
    removal.apply(made, env)
    return made


def without_data(found: dict[str, object]) -> dict[str, object]:
    """Not the folders on the way to the launcher, which are the user's data folders."""
    return {name: what for name, what in found.items() if name not in (".local/share", ".local")}


# --- there and back


def test_uninstall_gives_back_every_byte(fresh: Home, env: dict[str, str]) -> None:
    before = tree(fresh.folder)
    init(env, fresh.project)
    assert tree(fresh.folder) != before
    gone = uninstall(env, fresh.project)
    assert all(one.is_exact for one in gone.files)
    assert without_data(tree(fresh.folder)) == without_data(before)
    assert (fresh.vault / "format").is_file(), "the vault stays"


def test_a_second_init_changes_no_byte_and_no_file(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    before = {path: path.lstat().st_ino for path in fresh.folder.rglob("*")}
    again = init(env, fresh.project)
    assert not again.changes
    assert {path: path.lstat().st_ino for path in fresh.folder.rglob("*")} == before


def test_a_second_uninstall_finds_nothing(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    uninstall(env, fresh.project)
    before = tree(fresh.folder)
    assert not uninstall(env, fresh.project).changes
    assert tree(fresh.folder) == before


def test_a_link_and_its_targets_mode_stay(fresh: Home, env: dict[str, str]) -> None:
    dots = fresh.folder / "dots"
    dots.mkdir()
    path = fresh.folder / ".claude" / "settings.json"
    path.rename(dots / "claude.json")
    path.symlink_to("../dots/claude.json")
    (dots / "claude.json").chmod(0o640)
    init(env, fresh.project)
    assert os.readlink(path) == "../dots/claude.json"
    assert stat.S_IMODE((dots / "claude.json").stat().st_mode) == 0o640
    assert b"holdfast-hook" in (dots / "claude.json").read_bytes()
    uninstall(env, fresh.project)
    assert os.readlink(path) == "../dots/claude.json"
    assert (dots / "claude.json").read_bytes() == CLAUDE.encode()


def test_a_link_to_a_file_that_is_not_there_yet(fresh: Home, env: dict[str, str]) -> None:
    path = fresh.folder / ".claude" / "settings.json"
    path.unlink()
    path.symlink_to("../dots/claude.json")
    init(env, fresh.project)
    assert path.is_symlink()
    assert b"holdfast-hook" in (fresh.folder / "dots" / "claude.json").read_bytes()
    uninstall(env, fresh.project)
    assert path.is_symlink()
    assert not (fresh.folder / "dots").exists()


def test_files_and_folders_that_we_made_go(fresh: Home, env: dict[str, str]) -> None:
    (fresh.folder / ".codex" / "config.toml").unlink()
    (fresh.folder / ".codex").rmdir()
    init(env, fresh.project, "codex")
    assert (fresh.folder / ".codex" / "hooks.json").is_file()
    uninstall(env, fresh.project)
    assert not (fresh.folder / ".codex").exists()


def test_a_folder_of_ours_that_somebody_uses_by_now_stays(fresh: Home, env: dict[str, str]) -> None:
    (fresh.folder / ".codex" / "config.toml").unlink()
    (fresh.folder / ".codex").rmdir()
    init(env, fresh.project, "codex")
    (fresh.folder / ".codex" / "auth.json").write_text("{}")
    uninstall(env, fresh.project)
    assert [path.name for path in (fresh.folder / ".codex").iterdir()] == ["auth.json"]


@pytest.mark.parametrize("found", [b"", b"\n", b"{}", b"{ }", b"{\n}\n", b"{ // mine\n}"])
def test_settings_with_nothing_in_them(fresh: Home, env: dict[str, str], found: bytes) -> None:
    path = fresh.folder / ".claude" / "settings.json"
    path.write_bytes(found)
    init(env, fresh.project)
    assert {event for event, _ in json_hooks.listed(path.read_text())} == set(claude_code.EVENTS)
    path.write_text(path.read_text() + "\n")
    uninstall(env, fresh.project)
    assert path.read_bytes().strip() in (found.strip(), b"{}")


def test_a_folder_that_was_made_for_the_link_stays_where_somebody_uses_it(fresh: Home, env: dict[str, str]) -> None:
    (fresh.folder / ".local" / "bin").rmdir()
    init(env, fresh.project)
    assert launcher.made_link(env)
    (fresh.folder / ".local" / "bin" / "theirs").write_text("")
    uninstall(env, fresh.project)
    assert [path.name for path in (fresh.folder / ".local" / "bin").iterdir()] == ["theirs"]


def test_a_folder_for_the_link_that_was_there_stays_though_it_is_empty(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    uninstall(env, fresh.project)
    assert (fresh.folder / ".local" / "bin").is_dir()


def test_a_link_that_cannot_be_made_costs_nothing_but_the_short_name(fresh: Home, env: dict[str, str]) -> None:
    made = plan.make(env, str(fresh.project))
    assert made.command.link
    (fresh.folder / ".local" / "bin").rmdir()
    (fresh.folder / ".local" / "bin").write_text("in the way")
    plan.apply(made, env)
    assert registration.nudged(env) == str(registration.command_path(env))
    assert registrar("claude-code").registered(env, str(fresh.project))
    init(env, fresh.project)
    assert registrar("claude-code").allowed(env, str(fresh.project)), "the next init allows what is named now"


# --- other people's changes


def test_a_change_in_between_is_kept(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    path = fresh.folder / ".claude" / "settings.json"
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"y"'))
    config = fresh.folder / ".codex" / "config.toml"
    config.write_text(config.read_text() + "\n[tui]\nvim = true\n")
    gone = uninstall(env, fresh.project)
    assert [one.is_exact for one in gone.files if one.edit.path in (str(path), str(config))] == [False, False]
    assert path.read_bytes() == CLAUDE.replace('"x"', '"y"').encode()
    assert config.read_text() == CODEX + "\n[tui]\nvim = true\n"


def test_a_file_that_another_tool_wrote_anew_keeps_its_look(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    path = fresh.folder / ".claude" / "settings.json"
    value = jsonc.parse(path.read_text()).value
    path.write_text(json.dumps({**value, "theme": "dark"}, indent=2))
    uninstall(env, fresh.project)
    kept = {**jsonc.parse(CLAUDE).value, "theme": "dark"}
    assert path.read_text() == json.dumps(kept, indent=2)


def test_a_file_of_ours_that_another_tool_only_wrote_anew_goes(fresh: Home, env: dict[str, str]) -> None:
    path = fresh.folder / ".claude" / "settings.json"
    path.unlink()
    init(env, fresh.project)
    path.write_text(json.dumps(json.loads(path.read_text())))
    uninstall(env, fresh.project)
    assert not path.exists()


def test_settings_that_are_gone_by_now_are_not_made_again(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    (fresh.folder / ".claude" / "settings.json").unlink()
    uninstall(env, fresh.project)
    assert not (fresh.folder / ".claude" / "settings.json").exists()
    assert settings_files.records(env) == []


def test_a_change_at_the_very_moment_is_kept(fresh: Home, env: dict[str, str]) -> None:
    made = plan.make(env, str(fresh.project))
    path = fresh.folder / ".claude" / "settings.json"
    path.write_text('{"theirs": 1}')
    with pytest.raises(HoldfastError, match="its change was kept"):
        plan.apply(made, env)
    assert path.read_text() == '{"theirs": 1}'
    init(env, fresh.project)
    uninstall(env, fresh.project)
    assert path.read_text() == '{"theirs": 1}'


def test_lines_without_a_record_go_too(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    for one in settings_files.records(env):
        settings_files.drop_record(env, one.path)
    uninstall(env, fresh.project)
    assert registrar("claude-code").registered(env, str(fresh.project)) == []
    assert registrar("codex").registered(env, str(fresh.project)) == []
    assert not registration.launcher_path(env).exists()


def test_a_record_that_is_broken_is_as_good_as_none(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    for path in settings_files.records_folder(env).iterdir():
        path.write_text("{")
    uninstall(env, fresh.project)
    assert registrar("claude-code").registered(env, str(fresh.project)) == []


def test_events_that_a_later_version_adds_go_with_the_others(
    fresh: Home, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    every = dict(claude_code.EVENTS)
    monkeypatch.setattr(claude_code, "EVENTS", {"Stop": 0})
    before = tree(fresh.folder)
    init(env, fresh.project)
    monkeypatch.setattr(claude_code, "EVENTS", every)
    assert init(env, fresh.project).changes
    assert all(one.is_exact for one in uninstall(env, fresh.project).files)
    assert without_data(tree(fresh.folder)) == without_data(before)


# --- broken settings


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        (".claude/settings.json", '{\n  "a": 1,,\n}', "line 2, column 10"),
        (".codex/hooks.json", "{", "line 1, column 2"),
        (".codex/config.toml", "a = 1\nb =\n", "line 2, column 4"),
    ],
)
def test_broken_settings_are_named_and_nothing_is_changed_anywhere(
    fresh: Home, env: dict[str, str], name: str, text: str, where: str
) -> None:
    (fresh.folder / name).write_text(text)
    before = tree(fresh.folder)
    with pytest.raises(jsonc.Broken) as told:
        init(env, fresh.project)
    assert str(told.value).startswith(f"{fresh.folder}/{name}, {where}: ")
    assert tree(fresh.folder) == before
    assert not fresh.vault.exists()


def test_settings_that_were_broken_after_init_stop_uninstall(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    path = fresh.folder / ".claude" / "settings.json"
    path.write_bytes(path.read_bytes()[:-5])
    before = tree(fresh.folder)
    with pytest.raises(jsonc.Broken):
        uninstall(env, fresh.project)
    assert tree(fresh.folder) == before


def test_an_agent_that_nobody_knows_is_refused(fresh: Home, env: dict[str, str]) -> None:
    with pytest.raises(UsageError, match='"emacs" is no agent that we know; nothing was changed'):
        plan.make(env, str(fresh.project), ["emacs"])


# --- killed anywhere


@pytest.fixture(params=["", "without a folder for the link"])
def folders(request: pytest.FixtureRequest, fresh: Home, env: dict[str, str]) -> None:
    """The folder for the link is there, or is one more thing to be made and taken away."""
    if request.param:
        (fresh.folder / ".local" / "bin").rmdir()


def killed_everywhere(fresh: Home, env: dict[str, str], again: str) -> int:
    before, number = without_data(tree(fresh.folder)), 0
    while True:
        with AXE.falls_before(number) as fell:
            init(env, fresh.project)
        if again == "init":
            init(env, fresh.project)
            for host in ("claude-code", "codex"):
                assert len(registrar(host).registered(env, str(fresh.project))) == len(registrar(host).EVENTS)
        uninstall(env, fresh.project)
        assert without_data(tree(fresh.folder)) == before, f"killed before change {number}"
        if not fell[0]:
            return number
        number += 1


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("again", ["init", "uninstall"])
def test_an_init_killed_before_any_change_is_completed_or_undone(fresh: Home, env: dict[str, str], again: str) -> None:
    assert killed_everywhere(fresh, env, again) > 10


@pytest.mark.usefixtures("folders")
def test_an_uninstall_killed_before_any_change_is_completed_by_the_next(fresh: Home, env: dict[str, str]) -> None:
    before, number = without_data(tree(fresh.folder)), 0
    while True:
        init(env, fresh.project)
        with AXE.falls_before(number) as fell:
            uninstall(env, fresh.project)
        uninstall(env, fresh.project)
        assert without_data(tree(fresh.folder)) == before, f"killed before change {number}"
        if not fell[0]:
            break
        number += 1
    assert number > 8


# --- one host of two


def test_one_host_leaves_and_the_other_keeps_the_launcher(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project)
    uninstall(env, fresh.project, "claude-code")
    assert registrar("claude-code").registered(env, str(fresh.project)) == []
    assert registrar("codex").registered(env, str(fresh.project))
    assert registration.launcher_path(env).exists()
    assert launcher.made_link(env)
    uninstall(env, fresh.project, "codex")
    assert not registration.launcher_path(env).exists()
    assert not launcher.made_link(env)


def test_only_the_named_host_is_registered(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, "codex")
    assert (fresh.folder / ".claude" / "settings.json").read_bytes() == CLAUDE.encode()
    assert registrar("codex").registered(env, str(fresh.project))


def test_a_named_host_is_registered_though_it_was_not_found(fresh: Home, env: dict[str, str]) -> None:
    (fresh.folder / ".claude" / "settings.json").unlink()
    (fresh.folder / ".claude").rmdir()
    assert [agent.name for agent in plan.make(env, str(fresh.project)).agents] == ["codex"]
    init(env, fresh.project, "claude-code")
    assert registrar("claude-code").registered(env, str(fresh.project))


# --- one project


def git(folder: Path, *words: str) -> str:
    options = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", "-C", folder, *options, *words], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repo(fresh: Home) -> Path:
    git(fresh.project, "init", "-q")
    (fresh.project / "file").write_text("x")
    git(fresh.project, "add", ".")
    git(fresh.project, "commit", "-qm", "first")
    return fresh.project


def test_a_projects_settings_do_not_show_in_git(fresh: Home, env: dict[str, str], repo: Path) -> None:
    before = tree(fresh.folder)
    init(env, repo, project=True)
    assert (repo / ".claude" / "settings.local.json").is_file()
    assert (repo / ".codex" / "hooks.json").is_file()
    assert git(repo, "status", "--porcelain") == ""
    assert (fresh.folder / ".claude" / "settings.json").read_bytes() == CLAUDE.encode()
    uninstall(env, repo, project=True)
    assert without_data(tree(fresh.folder)) == without_data(before)


def test_from_a_folder_below_it_is_the_same_project(fresh: Home, env: dict[str, str], repo: Path) -> None:
    (repo / "deep" / "er").mkdir(parents=True)
    init(env, repo / "deep" / "er", project=True)
    assert (repo / ".claude" / "settings.local.json").is_file()
    assert not init(env, repo, project=True).changes


def test_a_plain_uninstall_takes_the_projects_lines_too(fresh: Home, env: dict[str, str], repo: Path) -> None:
    before = tree(fresh.folder)
    init(env, repo, project=True)
    uninstall(env, fresh.folder)
    assert without_data(tree(fresh.folder)) == without_data(before)


def test_a_projects_uninstall_leaves_the_users_lines(fresh: Home, env: dict[str, str], repo: Path) -> None:
    init(env, repo, "claude-code", project=True)
    init(env, repo)
    uninstall(env, repo, project=True)
    assert not (repo / ".claude").exists()
    assert registrar("claude-code").registered(env, str(repo))
    assert registrar("codex").allowed(env, str(repo))
    assert registration.launcher_path(env).exists()


def test_what_two_projects_need_stays_until_the_last_one_leaves(fresh: Home, env: dict[str, str], repo: Path) -> None:
    other = fresh.folder / "other"
    other.mkdir()
    init(env, repo, project=True)
    init(env, other, project=True)
    uninstall(env, repo, project=True)
    assert registrar("codex").allowed(env, str(other)), "the sandbox's root is the user's, and the other needs it"
    assert registration.launcher_path(env).exists()
    uninstall(env, other, project=True)
    assert not registration.launcher_path(env).exists()


def test_what_git_ignores_already_needs_no_line(fresh: Home, env: dict[str, str], repo: Path) -> None:
    (repo / ".gitignore").write_text(".claude/settings.local.json\n.codex/\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "ignore")
    before = (repo / ".git" / "info" / "exclude").read_bytes()
    init(env, repo, project=True)
    assert (repo / ".git" / "info" / "exclude").read_bytes() == before
    assert git(repo, "status", "--porcelain") == ""


def test_a_file_that_git_tracks_is_refused(fresh: Home, env: dict[str, str], repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude" / "settings.local.json").write_text("{}")
    git(repo, "add", "-f", ".")
    git(repo, "commit", "-qm", "tracked")
    before = tree(fresh.folder)
    with pytest.raises(HoldfastError, match="is tracked by git"):
        init(env, repo, project=True)
    assert tree(fresh.folder) == before


def test_a_work_tree_of_its_own_uses_the_shared_exclude_file(fresh: Home, env: dict[str, str], repo: Path) -> None:
    side = fresh.folder / "side"
    git(repo, "worktree", "add", "-q", str(side))
    init(env, side, project=True)
    assert (side / ".claude" / "settings.local.json").is_file()
    assert git(side, "status", "--porcelain") == ""
    assert git(repo, "status", "--porcelain") == ""


def test_outside_of_git_the_folder_is_the_project(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, project=True)
    assert (fresh.project / ".claude" / "settings.local.json").is_file()
    assert not plan.make(env, str(fresh.project), (), "project").project


def test_a_line_that_somebody_added_to_the_exclude_file_stays(fresh: Home, env: dict[str, str], repo: Path) -> None:
    path = repo / ".git" / "info" / "exclude"
    init(env, repo, project=True)
    path.write_text(path.read_text() + "mine\n")
    uninstall(env, repo, project=True)
    assert path.read_text().endswith("mine\n")
    assert "settings.local.json" not in path.read_text()


def test_an_exclude_file_without_an_end_gets_its_line_on_its_own(fresh: Home, env: dict[str, str], repo: Path) -> None:
    path = repo / ".git" / "info" / "exclude"
    path.write_text("mine")
    init(env, repo, project=True)
    assert path.read_text().startswith("mine\n/.claude/")
    uninstall(env, repo, project=True)
    assert path.read_text() == "mine"


def test_a_line_that_somebody_added_between_two_inits_stays(fresh: Home, env: dict[str, str], repo: Path) -> None:
    path = repo / ".git" / "info" / "exclude"
    before = path.read_text()
    init(env, repo, "claude-code", project=True)
    path.write_text(path.read_text() + "mine\n")
    init(env, repo, "codex", project=True)
    uninstall(env, repo)
    assert path.read_text() == before + "mine\n"


@pytest.mark.parametrize("later", ["", "more\n"])
def test_a_line_that_was_the_users_own_stays(fresh: Home, env: dict[str, str], repo: Path, later: str) -> None:
    path = repo / ".git" / "info" / "exclude"
    path.write_text("/.claude/settings.local.json\n")
    init(env, repo, project=True)
    path.write_text(path.read_text() + later)
    uninstall(env, repo, project=True)
    assert path.read_text() == "/.claude/settings.local.json\n" + later


@pytest.mark.parametrize("first", ["repo", "side"])
def test_a_line_that_two_work_trees_share_goes_with_the_last(
    fresh: Home, env: dict[str, str], repo: Path, first: str
) -> None:
    side, path = fresh.folder / "side", repo / ".git" / "info" / "exclude"
    git(repo, "worktree", "add", "-q", str(side))
    before = path.read_bytes()
    init(env, repo, project=True)
    init(env, side, project=True)
    one, other = (repo, side) if first == "repo" else (side, repo)
    uninstall(env, one, project=True)
    assert git(other, "status", "--porcelain") == ""
    uninstall(env, other, project=True)
    assert path.read_bytes() == before
    assert settings_files.records(env) == []


@pytest.mark.parametrize("way", ["uninstall", "init"])
def test_lines_that_leave_a_project_leave_no_trace_wherever_it_is_killed(
    fresh: Home, env: dict[str, str], repo: Path, way: str
) -> None:
    """By an uninstall, or by an init for all projects."""
    before, number = without_data(tree(fresh.folder)), 0
    while True:
        init(env, repo, "codex", project=True)
        with AXE.falls_before(number) as fell:
            uninstall(env, repo, project=True) if way == "uninstall" else init(env, fresh.folder, "codex")
        uninstall(env, repo)
        assert without_data(tree(fresh.folder)) == before, f"killed before change {number}"
        assert settings_files.records(env) == []
        if not fell[0]:
            break
        number += 1
    assert number > 5


def test_a_work_tree_that_is_gone_needs_no_line(fresh: Home, env: dict[str, str], repo: Path) -> None:
    side, path = fresh.folder / "side", repo / ".git" / "info" / "exclude"
    before = path.read_bytes()
    git(repo, "worktree", "add", "-q", str(side))
    init(env, repo, project=True)
    init(env, side, project=True)
    git(repo, "worktree", "remove", "--force", str(side))
    uninstall(env, repo, project=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("later", [b"", b"mine\n"])
def test_one_agents_line_stays_while_it_is_needed(fresh: Home, env: dict[str, str], repo: Path, later: bytes) -> None:
    path = repo / ".git" / "info" / "exclude"
    before = path.read_bytes()
    init(env, repo, project=True)
    path.write_bytes(path.read_bytes() + later)
    uninstall(env, repo, "codex", project=True)
    assert git(repo, "status", "--porcelain") == ""
    assert b".codex" not in path.read_bytes()
    uninstall(env, repo, project=True)
    assert path.read_bytes() == before + later


def test_a_record_from_before_lines_were_on_record_is_understood(fresh: Home, env: dict[str, str], repo: Path) -> None:
    path = repo / ".git" / "info" / "exclude"
    before = path.read_bytes()
    init(env, repo, project=True)
    for file in settings_files.records_folder(env).iterdir():
        file.write_text(
            json.dumps({name: one for name, one in json.loads(file.read_text()).items() if name != "lines"})
        )
    path.write_bytes(path.read_bytes() + b"mine\n")
    uninstall(env, repo, project=True)
    assert path.read_bytes() == before + b"mine\n"


def test_without_git_there_is_nothing_to_keep_out(fresh: Home, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert registration.root(str(repo)) == str(repo)
    assert settings_files.exclusion(str(repo), [f"{repo}/x"]) is None


# --- Codex runs each line, so a project's go when the user's come


def test_a_projects_lines_leave_when_the_users_come(fresh: Home, env: dict[str, str], repo: Path) -> None:
    before = tree(fresh.folder)
    init(env, repo, "codex", project=True)
    local, kept_out = repo / ".codex" / "hooks.json", (repo / ".git" / "info" / "exclude").read_bytes()
    assert local.is_file()
    init(env, fresh.folder, "codex")
    assert [one.path for one in registrar("codex").registered(env, str(repo))] == [
        f"{fresh.folder}/.codex/hooks.json" for _ in registrar("codex").EVENTS
    ]
    assert not local.parent.exists()
    assert (repo / ".git" / "info" / "exclude").read_bytes() != kept_out
    assert not init(env, fresh.folder, "codex").changes
    uninstall(env, fresh.folder)
    assert without_data(tree(fresh.folder)) == without_data(before)


def test_hooks_that_a_project_has_of_its_own_stay(fresh: Home, env: dict[str, str]) -> None:
    local = fresh.project / ".codex" / "hooks.json"
    local.parent.mkdir()
    local.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}')
    before = local.read_text()
    init(env, fresh.project, "codex", project=True)
    local.write_text(local.read_text() + "\n")
    init(env, fresh.project, "codex")
    assert local.read_text() == before + "\n"


def test_a_project_whose_settings_are_broken_does_not_stop_init(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, "codex", project=True)
    (fresh.project / ".codex" / "hooks.json").write_text("{")
    init(env, fresh.project, "codex")
    assert (fresh.project / ".codex" / "hooks.json").read_text() == "{"
    assert registrar("codex").registered(env, str(fresh.project))


def test_where_the_home_folder_was_the_project_its_lines_are_the_users(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.folder, "codex", project=True)
    init(env, fresh.folder, "codex")
    assert len(registrar("codex").registered(env, str(fresh.folder))) == len(registrar("codex").EVENTS)


def test_claude_code_runs_a_line_once_and_a_projects_may_stay(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, "claude-code", project=True)
    before = (fresh.project / ".claude" / "settings.local.json").read_bytes()
    init(env, fresh.project)
    assert (fresh.project / ".claude" / "settings.local.json").read_bytes() == before


# --- Codex's writable root, whichever vault it is of


def test_the_root_goes_though_the_vault_is_another_by_now(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, "codex")
    config = fresh.folder / ".codex" / "config.toml"
    config.write_text(config.read_text() + "\n[tui]\nvim = true\n")
    uninstall({**env, "HOLDFAST_HOME": f"{fresh.folder}/.holdfast-2"}, fresh.project)
    assert config.read_text() == CODEX + "\n[tui]\nvim = true\n"


def test_the_roots_of_two_vaults_both_go(fresh: Home, env: dict[str, str]) -> None:
    init(env, fresh.project, "codex")
    config = fresh.folder / ".codex" / "config.toml"
    config.write_text(config.read_text() + "\n[tui]\nvim = true\n")
    init({**env, "HOLDFAST_HOME": f"{fresh.folder}/.holdfast-2"}, fresh.project, "codex")
    assert config.read_text().count("/.state/queue") == 2
    uninstall(env, fresh.project)
    assert config.read_text() == CODEX + "\n[tui]\nvim = true\n"


# --- files that cannot be written


def test_a_settings_file_that_cannot_be_read_stops_everything(fresh: Home, env: dict[str, str]) -> None:
    path = fresh.folder / ".claude" / "settings.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(HoldfastError, match="cannot be read"):
        init(env, fresh.project)
    assert not registration.launcher_path(env).exists()


def test_a_replace_that_fails_leaves_the_file_as_it_was(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place / "settings.json"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", _refuse)
    with pytest.raises(HoldfastError, match="it is as it was"):
        settings_files.put_in_place(str(path), b"old", b"new")
    assert path.read_text() == "old"
    assert [one.name for one in place.iterdir()] == ["settings.json"]


def _refuse(*_: object) -> None:
    raise OSError(28, "No space left on device")
