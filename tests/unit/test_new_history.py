"""A history that vanished or is damaged beyond mending: an error with the way out, and a new one only by the user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from doctor_support import everything, place
from hook_support import Agents, Home, Terminal

from holdfast.capture import gate, notices, once
from holdfast.errors import HistoryDamaged, NotFound
from holdfast.health.doctor import examine
from holdfast.health.history import check_history
from holdfast.vault import git_damage, git_settings, history, new_history, purge_history
from holdfast.vault.git import Repository

pytestmark = pytest.mark.slow  # it starts processes by the hundred

AGENT = {"CLAUDE_CODE_SESSION_ID": "s1"}


@pytest.fixture
def vault(fresh: Home, terminal: Terminal) -> Home:
    for text in ("Deploys run from main", "Backups run at night", "Prices are in cents"):
        assert terminal("remember", text).status == 0
    return fresh


def git(where: Home, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=where.vault, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def break_last_commit(where: Home) -> str:
    ident = git(where, "rev-parse", "HEAD")
    path = where.vault / ".git" / "objects" / ident[:2] / ident[2:]
    path.chmod(0o600)
    path.write_bytes(b"")
    return ident


# --- the last known commit


def test_the_last_commit_stands_in_the_state_after_each_change(vault: Home, terminal: Terminal) -> None:
    for text in ("One more", "And another"):
        terminal("remember", text)
        assert Path(vault.state, "head").read_text() == git(vault, "rev-parse", "HEAD") + "\n"
        assert Path(vault.state, "git-config").read_bytes() == (vault.vault / ".git" / "config").read_bytes()


def test_what_an_older_holdfast_left_serves_as_well(vault: Home, terminal: Terminal) -> None:
    Path(vault.state, "head").unlink()
    assert git_settings.known(str(vault.vault)) == git(vault, "rev-parse", "HEAD")
    shutil.rmtree(vault.vault / ".git")
    assert terminal("remember", "More").status == HistoryDamaged.exit_status


@pytest.mark.parametrize("gone", [".git", ".git/refs/heads/main"])
def test_a_history_that_is_gone_does_not_begin_anew_in_silence(vault: Home, terminal: Terminal, gone: str) -> None:
    path = vault.vault / gone
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    for words in (("remember", "More"), ("forget", "deploys", "--yes"), ("sync",)):
        done = terminal(*words)
        assert done.status
        assert "Traceback" not in done.err
        assert not path.exists(), words
    found = next(iter(check_history(place(vault))))
    assert not found.ok
    assert "gone" in found.detail
    assert terminal("audit", "--all").status == 1


def test_a_new_vault_and_one_whose_first_change_was_killed_have_no_history_to_miss(
    fresh: Home, terminal: Terminal
) -> None:
    assert terminal("remember", "The first").status == 0
    assert terminal("doctor", "--json").out.count('"name":"history"') == 1
    other = Home(fresh.folder / "other")
    subprocess.run(["git", "init", "-q", str(other.vault)], check=True)
    git_damage.refuse(Repository(str(other.vault)))


def test_a_purge_is_no_loss(vault: Home, terminal: Terminal) -> None:
    assert terminal("forget", "deploys", "--purge", "--yes").status == 0
    Path(vault.state, "head").write_text(f"{'1' * 40}\n")  # as if killed before it was noted
    gone = Path(vault.state, "purged")
    gone.write_text(f"{gone.read_text()}\n{'1' * 40}\n")
    assert terminal("remember", "More").status == 0


def test_commits_that_a_person_rewrites_with_git_are_theirs_to_rewrite(vault: Home, terminal: Terminal) -> None:
    git(vault, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-q", "--amend", "-m", "mine")
    assert terminal("remember", "More").status == 0


@pytest.mark.parametrize("words", [("history",), ("undo", "01ABC"), ("sync",)], ids=" ".join)
def test_a_history_that_is_gone_is_not_one_in_which_nothing_was_changed(
    vault: Home, terminal: Terminal, words: tuple[str, ...]
) -> None:
    shutil.rmtree(vault.vault / ".git")
    done = terminal(*words)
    assert (done.status, "is gone" in done.err) == (HistoryDamaged.exit_status, True)


def test_a_pipe_in_the_place_of_the_index_is_put_aside(vault: Home, terminal: Terminal) -> None:
    index = vault.vault / ".git" / "index"
    index.unlink()
    os.mkfifo(index)
    assert terminal("remember", "More").status
    terminal("doctor", "--fix")
    assert index.is_file()
    assert terminal("remember", "More").status == 0


def test_a_file_in_the_place_of_the_repository_is_kept_beside_the_new_one(vault: Home, terminal: Terminal) -> None:
    shutil.rmtree(vault.vault / ".git")
    (vault.vault / ".git").write_text("junk\n")
    assert "is no repository" in terminal("remember", "More").err
    done = terminal("doctor", "--new-history", "--yes", "--json")
    assert (vault.vault / json.loads(done.out)["kept"]).read_text() == "junk\n"
    assert terminal("remember", "More").status == 0


# --- only the user's word


def test_a_history_that_is_whole_is_never_replaced(vault: Home, terminal: Terminal) -> None:
    head = git(vault, "rev-parse", "HEAD")
    done = terminal("doctor", "--new-history", "--yes")
    assert (done.status, "Nothing in the history" in done.err) == (NotFound.exit_status, True)
    assert git(vault, "rev-parse", "HEAD") == head


@pytest.mark.parametrize("tainted", [False, True])
def test_an_agent_does_not_begin_a_new_history(
    vault: Home, terminal: Terminal, agents: Agents, *, tainted: bool
) -> None:
    vault.answer(vault.event("SessionStart", source="startup"), pid=agents().pid)
    if tainted:
        once.put(vault.state, vault.episode().key, once.TAINT, "web")
    break_last_commit(vault)
    done = terminal("doctor", "--new-history", "--yes", env=AGENT)
    assert "is the user's to do" in done.err
    assert not list(Path(vault.state).glob("history-*"))


def test_without_a_terminal_the_word_is_yes(vault: Home, terminal: Terminal) -> None:
    break_last_commit(vault)
    done = terminal("doctor", "--new-history")
    assert (done.status, "say --yes" in done.err) == (2, True)
    assert not list(Path(vault.state).glob("history-*"))


def test_as_much_as_is_whole_is_kept_and_the_old_repository_too(vault: Home, terminal: Terminal) -> None:
    before, lost = git(vault, "rev-parse", "HEAD~1"), break_last_commit(vault)
    refused = terminal("remember", "More")
    assert refused.status == HistoryDamaged.exit_status
    done = terminal("doctor", "--new-history", "--yes", "--json")
    said = json.loads(done.out)
    assert (done.status, said["base"]) == (0, before)
    kept = vault.vault / said["kept"]
    assert (kept / "objects" / lost[:2] / lost[2:]).exists() or list(Path(vault.state, "aside").rglob(lost[2:]))
    assert before in git(vault, "rev-list", "HEAD").split()
    assert git(vault, "status", "--porcelain") == ""
    assert terminal("remember", "More").status == 0
    assert not notices.are_there(vault.state)


def test_notes_that_the_lost_commits_had_made_are_not_taken_for_a_persons(vault: Home, terminal: Terminal) -> None:
    break_last_commit(vault)
    new_history.begin(str(vault.vault), time.time(), by=gate.BY_USER)
    assert not history.was_edited_by_hand(str(vault.vault), "knowledge/prices-are-in-cents.md")
    assert "cents" in terminal("notes").out


def test_the_remote_is_known_after_it(vault: Home, tmp_path: Path, terminal: Terminal) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote.git")], check=True)
    assert terminal("sync", "--remote", str(tmp_path / "remote.git")).status == 0
    terminal("remember", "More")
    shutil.rmtree(vault.vault / ".git")
    new_history.begin(str(vault.vault), time.time(), by=gate.BY_USER)
    assert "remote.git" in git(vault, "remote", "-v")


@pytest.mark.parametrize("gone", [".git/objects", "the last commit"])
@pytest.mark.parametrize("step", ["exchange", "_take_in", "rename"])
def test_a_new_history_that_is_killed_at_any_step_loses_nothing_and_is_done_again(
    vault: Home, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, step: str, gone: str
) -> None:
    if gone == "the last commit":
        break_last_commit(vault)
    else:
        shutil.rmtree(vault.vault / gone)
    (vault.vault / ".git" / "mine").write_text("kept\n")
    with monkeypatch.context() as killed:

        def kill(*_: object) -> None:
            raise KeyboardInterrupt

        where = {"exchange": purge_history, "rename": os}.get(step, new_history)
        killed.setattr(where, step, kill)
        with pytest.raises(KeyboardInterrupt):
            new_history.begin(str(vault.vault), time.time(), by=gate.BY_USER)
    done = terminal("doctor", "--new-history", "--yes")
    assert done.status == 0, done.err
    assert [path.read_text() for path in Path(vault.state).rglob("mine")] == ["kept\n"], "the old one is kept"
    assert terminal("remember", "More").status == 0
    assert git(vault, "status", "--porcelain") == ""
    assert next(iter(check_history(place(vault)))).ok


# --- the doctor


def test_the_doctor_changes_nothing_in_a_damaged_vault(vault: Home) -> None:
    ident = git(vault, "rev-parse", "HEAD:knowledge")
    (vault.vault / ".git" / "objects" / ident[:2] / ident[2:]).unlink()
    before = everything(vault.vault)
    examine(place(vault))
    assert everything(vault.vault) == before


def test_levels_and_statuses_tell_what_can_be_mended_from_what_is_lost(vault: Home, terminal: Terminal) -> None:
    (vault.vault / ".git" / "index").write_bytes(b"")
    said = json.loads(terminal("doctor", "--json").out)
    levels = {check["name"]: check["level"] for check in said["checks"]}
    assert (said["ok"], levels["history"]) == (False, "can-be-mended")
    fixed = terminal("doctor", "--fix")
    assert "fixed history" in fixed.out
    break_last_commit(vault)
    terminal("doctor", "--fix")
    done = terminal("doctor", "--json")
    said = json.loads(done.out)
    assert (done.status, said["worst"]) == (20, "lost")
    assert "LOST  history" in terminal("doctor").out


def test_a_broken_reference_of_a_remote_stops_no_close_and_is_mended(vault: Home, terminal: Terminal) -> None:
    path = vault.vault / ".git" / "refs" / "remotes" / "origin" / "main"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\0" * 41)
    assert terminal("remember", "More").status == 0
    assert "refs/remotes/origin/main" in next(iter(check_history(place(vault)))).detail
    terminal("doctor", "--fix")
    assert next(iter(check_history(place(vault)))).ok
    assert list(Path(vault.state, "aside").rglob("main")), "nothing is thrown away"
