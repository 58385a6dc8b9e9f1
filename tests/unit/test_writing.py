"""Nothing around the vault changes what we write: not the caller's environment, not git's settings, not a repository
around it, not what a person left half done; and what a person edited is theirs, in a commit of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hook_support import SOURCE, wait_until

from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.errors import Busy, GitFailed, HistoryDamaged, NewerFormat
from holdfast.vault import edits, new_history, notes
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from hook_support import Home

NOW = 1_800_000_000.0
DAY = "2027-01-15"
PATH = "knowledge/locks.md"


def remember(vault: str, text: str = "Orders use locks.") -> edits.Filed:
    return edits.remember(vault, edits.Asked(text, name=text), NOW)


def git(folder: str | Path, *words: str, may_fail: bool = False) -> str:
    """A person's own git in a folder."""
    base = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    who = {f"GIT_{role}_{what}": "ann@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=folder, env={**base, **who}, capture_output=True, text=True, check=False)
    assert may_fail or done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


def authors(vault: str, count: int = 20) -> list[str]:
    """The newest commits first: who, and which files."""
    raw = git(vault, "log", f"-n{count}", "--format=%x00%an", "--name-only", "--no-renames")
    parts = [one.split() for one in raw.split("\0") if one]
    return [f"{one[0]}: {' '.join(sorted(one[1:]))}" for one in parts]


def is_clean(vault: str) -> bool:
    return git(vault, "status", "--porcelain") == ""


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, place: Path) -> Path:
    """A home without any git settings."""
    home = place / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.mark.slow
def test_without_a_git_identity_both_ours_and_a_persons_edits_are_committed(vault: str, bare_machine: Path) -> None:
    assert remember(vault).commit
    Path(vault, "knowledge/mine.md").write_text("by hand\n")
    assert remember(vault, "More.").commit
    assert authors(vault)[:2] == ["Holdfast: BRAIN.md knowledge/more.md", "operator: knowledge/mine.md"]
    assert is_clean(vault)


HOSTILE = """[core]
    hooksPath = {hooks}
    excludesFile = {home}/ignore
    attributesFile = {home}/attributes
    autocrlf = true
    safecrlf = true
    eol = crlf
    pager = false
    editor = false
    fsmonitor = {hooks}/pre-commit
    quotepath = true
[commit]
    gpgsign = true
    template = {home}/ignore
    status = false
    cleanup = strip
[user]
    useConfigOnly = true
    name = Ann <>
    signingkey = none
[init]
    templateDir = {home}/template
    defaultBranch = trunk
[status]
    showUntrackedFiles = no
    relativePaths = true
    short = true
[color]
    ui = always
[i18n]
    commitEncoding = ISO-8859-1
[log]
    showSignature = true
    follow = true
[diff]
    noprefix = true
    external = false
[alias]
    commit = "!false"
[filter "spoil"]
    clean = tr a-z A-Z
    smudge = cat
"""


@pytest.mark.slow
def test_a_machine_with_hostile_git_settings_writes_the_same_vault(vault: str, bare_machine: Path, place: Path) -> None:
    plain = f"{place}/plain"
    hooks = bare_machine / "hooks"
    (bare_machine / "template/info").mkdir(parents=True)
    (bare_machine / "template/hooks").mkdir()
    hooks.mkdir()
    for folder in (hooks, bare_machine / "template/hooks"):
        for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
            (folder / name).write_text(f"#!/bin/sh\necho ran >> {bare_machine}/ran\nexit 1\n")
            (folder / name).chmod(0o755)
    (bare_machine / "ignore").write_text("*.md\n*.log\n*\n")
    (bare_machine / "attributes").write_text("* text eol=crlf filter=spoil ident\n")
    (bare_machine / "template/info/exclude").write_text("*.md\n*.log\n")
    (bare_machine / "template/info/attributes").write_text("* filter=spoil\n")
    for where in (plain, vault):
        if where == vault:
            (bare_machine / ".gitconfig").write_text(HOSTILE.format(home=bare_machine, hooks=hooks))
        remember(where, "Orders use locks, é.\r\nSince the double booking.")
        Path(where, "activity.log").write_text("a line\r\n")
        Path(where, "knowledge/by-hand.md").write_bytes(b"---\r\nname: $Id$\r\n---\r\nby hand\r\n")
        remember(where, "More é.")
        assert is_clean(where)
    assert not (bare_machine / "ran").exists()
    assert tree(vault) == tree(plain)
    assert git(vault, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert Path(vault, "knowledge/by-hand.md").read_bytes() == b"---\r\nname: $Id$\r\n---\r\nby hand\r\n"
    assert git(vault, "log", "-1", "--format=%s%e") == "remember: More é"


def tree(vault: str) -> dict[str, str]:
    """Every committed file, the ids and days of a note aside."""
    listed = git(vault, "ls-tree", "-rz", "--name-only", "HEAD").strip("\0").split("\0")
    found = {name: git(vault, "show", f"HEAD:{name}") for name in listed}
    return {
        name: "\n".join(line for line in text.splitlines() if "sources:" not in line) for name, text in found.items()
    }


@pytest.mark.slow
def test_a_callers_git_variables_do_not_reach_the_vault(
    vault: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = place / "project"
    git(place, "init", "-q", str(outer))
    (outer / "a").write_text("a")
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "theirs")
    before = git(outer, "rev-parse", "HEAD"), git(outer, "status", "--porcelain")
    monkeypatch.setenv("GIT_DIR", str(outer / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(outer))
    monkeypatch.setenv("GIT_INDEX_FILE", str(outer / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(outer / ".git/objects"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "garbage")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", vault)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(place))
    assert remember(vault).commit
    assert is_clean(vault)
    assert (git(outer, "rev-parse", "HEAD"), git(outer, "status", "--porcelain")) == before


@pytest.mark.slow
def test_a_vault_inside_another_repository_and_the_outer_one_leave_each_other_alone(place: Path) -> None:
    outer = place / "dotfiles"
    git(place, "init", "-q", str(outer))
    (outer / ".gitattributes").write_text("* text eol=crlf\n")
    (outer / ".gitignore").write_text("*.md\n")
    (outer / "a").write_text("a")
    git(outer, "add", ".")
    git(outer, "commit", "-qm", "theirs")
    (outer / "a").write_text("b")
    before = git(outer, "rev-parse", "HEAD"), (outer / ".git/index").read_bytes()
    vault = str(outer / "memory")
    remember(vault)
    Path(vault, "knowledge/mine.md").write_text("by hand\n")
    remember(vault, "More.")
    assert (git(outer, "rev-parse", "HEAD"), (outer / ".git/index").read_bytes()) == before
    assert git(vault, "rev-parse", "--show-toplevel") == os.path.realpath(vault)
    head = git(vault, "rev-parse", "HEAD")
    git(outer, "commit", "-qam", "outer again")
    assert git(vault, "rev-parse", "HEAD") == head
    assert is_clean(vault)


@pytest.mark.slow
def test_a_vault_whose_history_was_deleted_begins_a_new_one_only_by_the_users_word(vault: str) -> None:
    filed = remember(vault)
    Path(vault, "knowledge/mine.md").write_text("by hand\n")
    subprocess.run(["rm", "-rf", f"{vault}/.git"], check=True)
    with pytest.raises(HistoryDamaged, match=r"is gone.*--new-history"):
        remember(vault, "More.")
    assert not Path(vault, ".git").exists()
    new_history.begin(vault, NOW, by=BY_USER)
    remember(vault, "More.")
    assert git(vault, "show", "HEAD:knowledge/mine.md") == "by hand"
    assert "Orders use locks." in git(vault, "show", f"HEAD:{filed.path}")
    assert is_clean(vault)


@pytest.mark.slow
@pytest.mark.parametrize("left", ["HEAD", "objects", "refs", "config"])
def test_a_repository_that_was_half_made_is_completed(vault: str, left: str) -> None:
    home = Path(vault, ".git")
    git(".", "init", "-q", vault)
    subprocess.run(["rm", "-rf", str(home / left)], check=True)
    (home / "config.lock").write_text("")
    assert remember(vault).commit
    assert is_clean(vault)


@pytest.mark.slow
def test_a_vault_that_is_a_linked_work_tree_is_written_like_any_other(vault: str, place: Path) -> None:
    git(place, "init", "-q", f"{place}/main")
    git(f"{place}/main", "commit", "-q", "--allow-empty", "-m", "first")
    git(f"{place}/main", "worktree", "add", "-q", "-b", "memory", vault)
    assert remember(vault).commit
    assert git(vault, "symbolic-ref", "HEAD") == "refs/heads/memory"
    assert is_clean(vault)
    assert not Path(place, "main/knowledge").exists()


@pytest.mark.slow
def test_our_machinery_is_never_committed_whatever_became_of_the_ignore_file(vault: str) -> None:
    remember(vault)
    git(vault, "rm", "-q", ".gitignore", ".gitattributes")
    git(vault, "commit", "-qm", "without")
    remember(vault, "More.")
    Path(vault, ".gitignore").write_text("")
    remember(vault, "Again.")
    assert ".state" not in git(vault, "log", "--all", "--name-only", "--format=")
    assert Path(vault, ".gitignore").read_text() == ""
    assert git(vault, "show", "HEAD:.gitattributes").startswith("* -text")


@pytest.mark.slow
def test_another_branch_is_written_where_it_is(vault: str) -> None:
    remember(vault)
    main = git(vault, "rev-parse", "main")
    git(vault, "checkout", "-q", "-b", "try")
    filed = remember(vault, "On a branch.")
    assert git(vault, "rev-parse", "try") == filed.commit
    assert git(vault, "rev-parse", "main") == main


@pytest.mark.slow
def test_on_no_branch_the_main_one_follows_so_that_a_checkout_hides_nothing(vault: str) -> None:
    remember(vault)
    git(vault, "checkout", "-q", "--detach")
    filed = remember(vault, "On no branch.")
    assert git(vault, "rev-parse", "main") == filed.commit
    git(vault, "checkout", "-q", "main")
    assert Path(vault, filed.path).exists()


@pytest.mark.slow
def test_at_an_old_commit_that_a_person_looks_at_nothing_is_written(vault: str) -> None:
    remember(vault)
    newest = remember(vault, "More.")
    git(vault, "checkout", "-q", "HEAD~1")
    with pytest.raises(GitFailed, match=r"apart from its branch main; nothing was changed. `git checkout main`"):
        remember(vault, "Not now.")
    assert is_clean(vault)
    git(vault, "checkout", "-q", "main")
    assert Path(vault, newest.path).exists()
    assert remember(vault, "Now.").commit


def conflict(vault: str) -> None:
    """Two versions of one note on two branches."""
    remember(vault, "Locks.")
    git(vault, "checkout", "-q", "-b", "side")
    Path(vault, PATH).write_text("side\n")
    git(vault, "commit", "-qam", "side")
    git(vault, "checkout", "-q", "main")
    Path(vault, PATH).write_text("main\n")
    git(vault, "commit", "-qam", "main")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "end", "what"),
    [
        (["merge", "side"], ["merge", "--abort"], "merge"),
        (["rebase", "side"], ["rebase", "--abort"], "rebase"),
        (["cherry-pick", "side"], ["cherry-pick", "--abort"], "cherry-pick"),
        (["revert", "--no-edit", "HEAD~1"], ["revert", "--abort"], "revert"),
    ],
)
def test_what_a_person_began_and_did_not_finish_is_not_ended_by_us(
    vault: str, begin: list[str], end: list[str], what: str
) -> None:
    conflict(vault)
    git(vault, *begin, may_fail=True)
    before = git(vault, "status", "--porcelain"), Path(vault, PATH).read_text(), git(vault, "rev-parse", "HEAD")
    assert before[0]
    with pytest.raises(GitFailed, match=f"A {what} that somebody began .* is not finished; nothing was changed"):
        remember(vault, "Not now.")
    assert (
        git(vault, "status", "--porcelain"),
        Path(vault, PATH).read_text(),
        git(vault, "rev-parse", "HEAD"),
    ) == before
    git(vault, *end)
    assert remember(vault, "Now.").commit


@pytest.mark.slow
def test_a_stash_that_conflicts_is_left_to_the_person(vault: str) -> None:
    remember(vault, "Locks.")
    Path(vault, PATH).write_text("stashed\n")
    git(vault, "stash")
    Path(vault, PATH).write_text("other\n")
    git(vault, "commit", "-qam", "other")
    git(vault, "stash", "pop", may_fail=True)
    with pytest.raises(GitFailed, match=f"{PATH} .* is in conflict; nothing was changed"):
        remember(vault, "Not now.")
    Path(vault, PATH).write_text("mended\n")
    git(vault, "add", PATH)
    assert remember(vault, "Now.").commit


@pytest.mark.slow
def test_a_persons_edits_of_every_sort_are_committed_as_theirs(vault: str) -> None:
    for name in ("one", "two", "three", "four", "five"):
        remember(vault, name)
    git(vault, "config", "user.name", "Ann")
    Path(vault, "knowledge/one.md").write_text("edited\n")
    Path(vault, "knowledge/two.md").unlink()
    Path(vault, "knowledge/three.md").rename(Path(vault, "rules.md"))
    Path(vault, "knowledge/four.md").chmod(0o755)
    Path(vault, "new\nname.md").write_text("new\n")
    Path(vault, "knowledge/five.md").unlink()
    Path(vault, "knowledge/five.md").mkdir()
    Path(vault, "knowledge/five.md/in.md").write_text("a folder now\n")
    Path(vault, "link.md").symlink_to("/etc/passwd")
    git(vault, "add", "knowledge/one.md")
    filed = remember(vault, "ours")
    ours, theirs = authors(vault, 2)
    assert ours == f"Holdfast: BRAIN.md {filed.path}"
    assert theirs.startswith("Ann: ")
    assert "Holdfast-Cause: hand" in git(vault, "log", "-1", "--format=%B", "HEAD~1")
    assert is_clean(vault)
    assert git(vault, "ls-tree", "HEAD", "knowledge/four.md").startswith("100755")
    assert git(vault, "show", "HEAD:link.md") == "/etc/passwd"


@pytest.mark.slow
def test_a_version_that_was_only_staged_is_kept_in_the_history(vault: str) -> None:
    remember(vault, "Locks.")
    Path(vault, PATH).write_text("staged\n")
    git(vault, "add", PATH)
    Path(vault, PATH).write_text("newer\n")
    Path(vault, "gone.md").write_text("only in the index\n")
    git(vault, "add", "gone.md")
    Path(vault, "gone.md").unlink()
    remember(vault, "ours")
    assert git(vault, "show", f"HEAD~1:{PATH}") == "newer"
    assert git(vault, "show", f"HEAD~2:{PATH}") == "staged"
    assert git(vault, "show", "HEAD~2:gone.md") == "only in the index"
    assert is_clean(vault)


@pytest.mark.slow
def test_our_change_of_the_file_that_a_person_just_edited_is_a_commit_of_its_own(vault: str) -> None:
    remember(vault, "Locks.")
    file = Path(vault, PATH)
    file.write_text(file.read_text().replace("kind:", "# mine\nkind:").replace("Locks.\n", "Locks, said I.\n"))
    file.chmod(0o644)
    edited = file.read_text()
    with writing(vault, NOW) as writer:
        text = writer.read(PATH) or ""
        assert writer.commit(
            "keep", {PATH: notes.with_fields(text, reviewed="2027-02-01")}, cause="review", by=BY_UPKEEP
        ).commit
    assert authors(vault, 2) == [f"Holdfast: BRAIN.md {PATH}", f"operator: {PATH}"]
    assert git(vault, "show", f"HEAD~1:{PATH}") + "\n" == edited
    assert file.read_text() == edited.replace("reviewed: 2027-01-15", "reviewed: 2027-02-01")
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.slow
def test_what_git_cannot_keep_does_not_stop_us(vault: str) -> None:
    remember(vault, "Locks.")
    inner = Path(vault, "knowledge/clone")
    git(vault, "init", "-q", str(inner))  # a repository without a commit
    other = Path(vault, "other")
    git(vault, "init", "-q", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    git(vault, "add", "other")
    (other / "dirty").write_text("x")
    Path(vault, PATH).unlink()
    os.mkfifo(f"{vault}/{PATH}")
    assert remember(vault, "ours").commit
    assert remember(vault, "again").commit


@pytest.mark.slow
def test_an_edit_that_leaves_everything_as_it_was_makes_no_commit(vault: str) -> None:
    head = remember(vault).commit
    os.utime(Path(vault, "BRAIN.md"))
    with writing(vault, NOW) as writer:
        assert writer.repository.head() == head
        assert writer.commit("nothing", {"BRAIN.md": writer.read("BRAIN.md")}, cause="x", by=BY_UPKEEP).commit == ""


@pytest.mark.slow
def test_files_that_hooks_append_to_are_ours_and_an_edit_of_them_is_the_persons(vault: str) -> None:
    remember(vault)
    Path(vault, "activity.log").write_text("one\n")
    assert authors(vault, 1) == ["Holdfast: BRAIN.md knowledge/orders-use-locks.md"]
    remember(vault, "More.")
    assert "activity.log" in authors(vault, 1)[0]
    Path(vault, "activity.log").write_text("one, corrected\n")
    remember(vault, "Again.")
    assert authors(vault, 2)[1] == "operator: activity.log"


@pytest.mark.slow
def test_a_lock_whose_owner_is_dead_is_removed(vault: str) -> None:
    remember(vault)
    for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock", "next-index-1234.lock"):
        Path(vault, ".git", name).write_text("")
    assert remember(vault, "More.").commit
    assert not list(Path(vault, ".git").rglob("*.lock"))


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_a_lock_whose_owner_lives_stays_and_says_so(vault: str, place: Path, stopped: bool) -> None:
    remember(vault, "Locks.")
    Path(vault, PATH).write_text("by hand\n")
    os.mkfifo(place / "go")
    env = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_EDITOR": f"cat {place}/go >", "GIT_AUTHOR_NAME": "Ann"}
    env |= {"GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@b.c"}
    person = subprocess.Popen(["git", "commit", "-qa"], cwd=vault, env=env)
    lock = Path(vault, ".git/index.lock")
    try:
        wait_until("git holds its lock", lock.exists)
        if stopped:
            person.send_signal(signal.SIGSTOP)
        with pytest.raises(GitFailed, match=r"git is at work in .* \(process \d+, git\); nothing was changed"):
            remember(vault, "Not now.")
        assert lock.exists()
        person.send_signal(signal.SIGCONT)
        (place / "go").write_text("my message\n")
        assert person.wait(20) == 0
    finally:
        person.kill()
        person.wait()
    assert remember(vault, "Now.").commit
    assert git(vault, "log", "--format=%s", "-2") == "remember: Now\nmy message"


def test_a_vault_that_somebody_else_writes_is_busy(vault: str) -> None:
    with (
        writing(vault, NOW),
        pytest.raises(Busy, match="Another holdfast process is writing"),
        writing(vault, NOW, patience=0.0),
    ):
        pass


def test_a_vault_of_a_newer_format_is_not_touched(vault: str) -> None:
    Path(vault).mkdir()
    Path(vault, "format").write_text("99\n")
    with pytest.raises(NewerFormat):
        remember(vault)
    assert os.listdir(vault) == ["format"]


def test_without_git_on_the_path_it_is_one_sentence(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(GitFailed, match="There is no git on PATH"):
        remember(vault)


REMEMBER = """
import sys
from holdfast.vault import edits
for nth in range(3):
    edits.remember(sys.argv[1], edits.Asked(f"Fact {nth} of process {sys.argv[2]}."), 1.8e9)
"""


@pytest.mark.slow
def test_eight_processes_that_remember_at_once_all_do_in_one_line_of_history(fresh: Home) -> None:
    env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", REMEMBER, str(fresh.vault)]
    started = [subprocess.Popen([*command, str(nth)], env=env, stderr=subprocess.PIPE) for nth in range(8)]
    for one in started:
        _, wrong = one.communicate(timeout=60)
        assert (one.returncode, wrong) == (0, b"")
    vault = str(fresh.vault)
    assert len(list(Path(vault, "knowledge").iterdir())) == 24
    assert git(vault, "rev-list", "--count", "HEAD") == "25"
    assert git(vault, "rev-list", "--count", "--min-parents=2", "HEAD") == "0"
    assert Path(vault, "BRAIN.md").read_text().count("\n- [") == 24
    assert is_clean(vault)
    assert Repository(vault).text("fsck", "--strict") == ""
