"""Spoilt objects of the history: healed before a text is displaced, judged against the commit that will stand, named by
note and commit where they are lost, and an alarm that ends by the user's word."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from doctor_support import place
from hook_support import Agents, Home, Terminal

from holdfast.capture import gate, notices
from holdfast.errors import HistoryDamaged, NotFound
from holdfast.health.finding import CAN_MEND, LOST, Finding
from holdfast.health.history import check_history
from holdfast.vault import git_damage, git_settings, new_history
from holdfast.vault.git import Repository

pytestmark = pytest.mark.slow  # it starts processes by the hundred

NOTE = "knowledge/deploys.md"
AGENT = {"CLAUDE_CODE_SESSION_ID": "s1"}


@pytest.fixture
def vault(fresh: Home, terminal: Terminal) -> Home:
    for name, text in (
        ("deploys", "Deploys run from main"),
        ("backups", "Backups run at night"),
        ("prices", "Prices are in cents"),
    ):
        done = terminal("remember", text, "--name", name)
        assert done.status == 0, done.err
    return fresh


def git(where: Home, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    done = subprocess.run(["git", *who, *words], cwd=where.vault, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def spoil(where: Home, name: str) -> str:
    """Zero the object of this name; returns its id."""
    ident = git(where, "rev-parse", name)
    path = where.vault / ".git" / "objects" / ident[:2] / ident[2:]
    path.chmod(0o600)
    path.write_bytes(bytes(path.stat().st_size))
    return ident


def changed_note(where: Home) -> str:
    """A note whose first version only the history has; returns the commit that had it."""
    before = git(where, "rev-parse", "HEAD")
    path = where.vault / NOTE
    path.write_text(path.read_text().replace("from main", "from release"))
    return before


def look(where: Home) -> Finding:
    (found,) = check_history(place(where))
    return found


def start(where: Home) -> str:
    return where.answer(where.event("SessionStart", f"later-{time.time()}", source="startup"))


# --- a text is displaced only once git can read it


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_spoilt_object_is_healed_before_its_note_is_forgotten(
    vault: Home, terminal: Terminal, *, packed: bool
) -> None:
    text = (vault.vault / NOTE).read_bytes()
    ident = git(vault, "rev-parse", f"HEAD:{NOTE}")
    if packed:  # where git finds no whole copy at all
        (vault.vault / ".git" / "objects" / ident[:2] / ident[2:]).unlink()
    else:
        spoil(vault, f"HEAD:{NOTE}")
    done = terminal("forget", "deploys", "--yes")
    assert done.status == 0, done.err
    assert (
        subprocess.run(["git", "cat-file", "blob", ident], cwd=vault.vault, capture_output=True, check=True).stdout
        == text
    )
    change = json.loads(terminal("history", "--json").out)["changes"][0]["id"]
    assert terminal("undo", change).status == 0
    assert (vault.vault / NOTE).read_bytes() == text
    assert look(vault).ok


def test_the_spoilt_bytes_are_kept_aside(vault: Home, terminal: Terminal) -> None:
    ident = spoil(vault, f"HEAD:{NOTE}")
    assert terminal("forget", "deploys", "--yes").status == 0
    assert list(Path(vault.state, "aside").rglob(ident[2:]))


def test_an_undo_of_what_cannot_be_read_is_one_sentence_with_the_next_step(vault: Home, terminal: Terminal) -> None:
    assert terminal("forget", "deploys", "--yes").status == 0
    spoil(vault, f"HEAD~1:{NOTE}")
    change = json.loads(terminal("history", "--json").out)["changes"][0]["id"]
    done = terminal("undo", change)
    assert done.status == HistoryDamaged.exit_status
    assert "`holdfast doctor` says how to go on" in done.err
    assert NOTE in done.err
    assert "Traceback" not in done.err


def test_a_history_over_a_spoilt_folder_names_the_damage_and_the_command(vault: Home, terminal: Terminal) -> None:
    spoil(vault, "HEAD~1^{tree}")
    done = terminal("history")
    assert (done.status, "`holdfast doctor" in done.err) == (HistoryDamaged.exit_status, True)
    assert "inflate" not in done.err, done.err


@pytest.mark.parametrize("how", ["edited", "removed"])
def test_a_loss_that_a_hand_completes_is_told_at_the_next_start_and_names_the_note(
    vault: Home, terminal: Terminal, how: str
) -> None:
    spoil(vault, f"HEAD:{NOTE}")
    if how == "edited":
        changed_note(vault)
    else:
        (vault.vault / NOTE).unlink()
    assert terminal("close").status == 0
    terminal("remember", "A writer commits it")
    said = start(vault)
    assert "an older version in the vault's history is lost" in said, said
    assert NOTE in said
    found = look(vault)
    assert (found.level, NOTE in found.detail) == (LOST, True), found


# --- judged against the commit that will stand


@pytest.mark.parametrize("left", [0, 20])
def test_a_branch_that_was_cut_is_mended_and_nothing_is_called_lost(vault: Home, terminal: Terminal, left: int) -> None:
    head = git(vault, "rev-parse", "HEAD")
    path = vault.vault / ".git" / "refs" / "heads" / "main"
    path.write_bytes(path.read_bytes()[:left])
    found = look(vault)
    assert (found.level, "nothing is lost" in found.fix) == (CAN_MEND, True), found
    done = terminal("doctor", "--new-history", "--yes")
    assert (done.status, "`holdfast doctor --fix`" in done.err) == (4, True)
    assert path.stat().st_size == left, "nothing was changed, as it said"
    assert terminal("doctor", "--fix").out.count("stands at") == 1
    assert git(vault, "rev-parse", "HEAD") == head


def test_a_pack_that_was_cut_in_half_is_a_loss_before_any_mending(vault: Home, terminal: Terminal) -> None:
    git(vault, "gc", "-q")
    (pack,) = (vault.vault / ".git" / "objects" / "pack").glob("*.pack")
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[: pack.stat().st_size // 2])
    found = look(vault)
    assert found.level == LOST, found
    assert "nothing is lost" not in found.fix
    terminal("flag", "--kind", "lesson", "Waits")
    for words in (("close",), ("remember", "More")):
        done = terminal(*words)
        assert done.status == HistoryDamaged.exit_status
        assert "lost" in done.err, done.err
        assert "--fix` mends it" not in done.err
    assert "run `holdfast doctor --" in start(vault)
    fixed = terminal("doctor", "--fix")
    assert fixed.status == 20
    assert fixed.out.count("not mended") == 0, fixed.out
    assert fixed.out.count("LOST") == 1, fixed.out
    new_history.begin(str(vault.vault), time.time(), by=gate.BY_USER)
    assert look(vault).ok


def test_objects_that_somebody_removed_are_lost_also_after_a_git_init(vault: Home) -> None:
    shutil.rmtree(vault.vault / ".git" / "objects")
    git(vault, "init", "-q")
    assert look(vault).level == LOST


def test_damage_behind_damage_is_seen_at_once(vault: Home) -> None:
    idents = [git(vault, "rev-parse", name) for name in ("HEAD", "HEAD^{tree}")]
    for ident in idents:
        spoil(vault, ident)
    for part in ("config", "HEAD"):
        (vault.vault / ".git" / part).write_bytes(b"")
    found = look(vault)
    assert (found.level, "nothing is lost" in found.fix) == (LOST, False), found


def test_a_new_history_that_only_mends_says_what_it_did(vault: Home) -> None:
    (vault.vault / ".git" / "index").write_bytes(b"")
    with pytest.raises(NotFound, match=r"no new one was begun.*index made anew"):
        new_history.begin(str(vault.vault), time.time(), by=gate.BY_USER)
    assert look(vault).ok


# --- as much as is whole


def test_the_newest_whole_commit_is_found_without_any_record(vault: Home, terminal: Terminal) -> None:
    before = git(vault, "rev-parse", "HEAD~1")
    kept = int(git(vault, "rev-list", "--count", "HEAD")) - 1
    spoil(vault, "HEAD")
    shutil.rmtree(vault.vault / ".git" / "logs")
    done = terminal("doctor", "--new-history", "--yes")
    assert done.status == 0, done.err
    assert f"{kept} commits up to {before[:10]} are kept" in done.out, done.out
    assert before in git(vault, "rev-list", "HEAD").split()


def test_the_question_says_how_many_commits_are_kept_and_how_many_leave(vault: Home, terminal: Terminal) -> None:
    first = changed_note(vault)
    terminal("remember", "More", "--name", "more")
    every, kept = (int(git(vault, "rev-list", "--count", one)) for one in ("HEAD", first))
    spoil(vault, f"{first}:{NOTE}")
    base = git(vault, "log", "--format=%H", "-n1", "--diff-filter=A", "--", NOTE)
    whole = int(git(vault, "rev-list", "--count", f"{base}~1"))
    said = terminal("doctor", "--new-history").out
    assert f"{whole} commit" in said, said
    assert f"{every - whole} commits after it leave `history` and `undo`" in said, said
    assert "--accept-lost" in said
    assert every > kept > whole


def test_all_files_are_counted_and_no_old_history_is_promised_where_there_is_none(
    vault: Home, terminal: Terminal
) -> None:
    count = len(git(vault, "ls-files").splitlines())
    shutil.rmtree(vault.vault / ".git")
    said = terminal("doctor", "--new-history", "--yes").out
    assert "the old .git is kept" not in said
    assert f"with {count} files as they are" in said, said


# --- a loss that the user accepts


@pytest.fixture
def lacking(vault: Home, terminal: Terminal) -> Home:
    """A vault whose history lacks the first version of a note."""
    first = changed_note(vault)
    assert terminal("remember", "More", "--name", "more").status == 0
    spoil(vault, f"{first}:{NOTE}")
    return vault


def test_a_lost_version_is_named_by_its_note_and_its_commit(lacking: Home) -> None:
    commit = git(lacking, "log", "--format=%H", "-n1", "--diff-filter=A", "--", NOTE)
    found = look(lacking)
    assert (found.level, f"{NOTE} in commit {commit[:10]}" in found.detail) == (LOST, True), found
    assert "--accept-lost" in found.fix


def test_an_accepted_loss_is_no_alarm_and_every_commit_stays(lacking: Home, terminal: Terminal) -> None:
    commits = git(lacking, "rev-list", "HEAD")
    done = terminal("doctor", "--accept-lost", "--yes")
    assert (done.status, NOTE in done.out) == (0, True), done.err
    found = look(lacking)
    assert (found.ok, "accepted" in found.detail) == (True, True)
    assert git(lacking, "rev-list", "HEAD") == commits
    assert terminal("remember", "Still more").status == 0
    again = spoil(lacking, "HEAD:knowledge/more.md")
    (lacking.vault / "knowledge" / "more.md").write_text("---\nname: more\n---\nAnother.\n")
    assert look(lacking).level == LOST, "another loss is another alarm"
    assert again not in git_settings.accepted(str(lacking.vault))


@pytest.mark.parametrize("words", [("--accept-lost",), ("--new-history",)])
def test_without_a_terminal_nothing_is_accepted_unasked(
    lacking: Home, terminal: Terminal, words: tuple[str, ...]
) -> None:
    done = terminal("doctor", *words)
    assert (done.status, "say --yes" in done.err) == (2, True)
    assert look(lacking).level == LOST


def test_an_agent_accepts_no_loss(lacking: Home, terminal: Terminal, agents: Agents) -> None:
    lacking.answer(lacking.event("SessionStart", source="startup"), pid=agents().pid)
    done = terminal("doctor", "--accept-lost", "--yes", env=AGENT)
    assert "is the user's to do" in done.err
    assert not git_settings.accepted(str(lacking.vault))


def test_what_the_history_cannot_go_on_without_is_not_accepted(vault: Home, terminal: Terminal) -> None:
    spoil(vault, "HEAD")
    done = terminal("doctor", "--accept-lost", "--yes")
    assert (done.status, "`holdfast doctor --new-history`" in done.err) == (4, True)


# --- closes look, starts say


def test_a_close_finds_a_spoilt_object_and_the_next_start_says_it(vault: Home, terminal: Terminal) -> None:
    spoil(vault, f"HEAD:{NOTE}")
    assert terminal("close").status == 0
    said = start(vault)
    assert "can still be mended" in said, said
    assert "run `holdfast doctor --fix`" in said
    terminal("doctor", "--fix")
    assert look(vault).ok
    assert "WARNING: since" not in start(vault)


def test_a_close_tells_of_a_lost_version_until_the_user_accepts_it(lacking: Home, terminal: Terminal) -> None:
    assert terminal("close").status == 0
    assert "an older version in the vault's history is lost" in start(lacking)
    git_damage.accept_losses(str(lacking.vault), by=gate.BY_USER)
    assert terminal("close").status == 0
    assert "WARNING: since" not in start(lacking)


@pytest.mark.parametrize("part", ["HEAD", "index", "config", "refs/heads/main"])
def test_the_very_next_start_sees_an_emptied_file_of_git(vault: Home, part: str) -> None:
    (vault.vault / ".git" / part).write_bytes(b"")
    said = start(vault)
    assert "the vault's history looks damaged" in said, said
    assert f".git/{part} is empty" in said
    assert "run `holdfast doctor`" in said


def test_the_very_next_start_sees_that_the_history_is_gone(vault: Home) -> None:
    shutil.rmtree(vault.vault / ".git")
    assert ".git is gone" in start(vault)


def test_a_sound_history_is_not_suspected(vault: Home, terminal: Terminal) -> None:
    for words in (("gc", "-q"), ("pack-refs", "--all"), ("checkout", "-q", "--detach")):
        git(vault, *words)
        assert "looks damaged" not in start(vault), words
    git(vault, "checkout", "-q", "main")
    assert terminal("close").status == 0
    assert not notices.are_there(vault.state)


def test_a_close_without_work_over_a_damaged_history_says_so_and_one_that_works_ends_it(
    vault: Home, terminal: Terminal
) -> None:
    index = (vault.vault / ".git" / "index").read_bytes()
    (vault.vault / ".git" / "index").write_bytes(b"")
    done = terminal("close")
    assert (done.status, ".git/index is empty" in done.err) == (HistoryDamaged.exit_status, True), done
    assert done.err.startswith("not closed: The history of"), done.err
    assert notices.are_there(vault.state)
    (vault.vault / ".git" / "index").write_bytes(index)
    assert terminal("close").status == 0
    assert not notices.are_there(vault.state)


# --- a note that neither its file nor the history has


def test_a_note_that_is_lost_is_told_once_and_the_alarm_ends_with_one_fix(vault: Home, terminal: Terminal) -> None:
    spoil(vault, f"HEAD:{NOTE}")
    (vault.vault / NOTE).write_bytes(b"")
    terminal("close")
    seen = terminal("doctor", "--json")
    levels = {check["name"]: check["level"] for check in json.loads(seen.out)["checks"]}
    assert (seen.status, levels["memory-files"]) == (20, "lost")
    fixed = terminal("doctor", "--fix")
    assert f"{NOTE} is lost" in fixed.out, fixed.out
    assert list(Path(vault.state, "set-aside").iterdir())
    after = json.loads(terminal("doctor", "--json").out)
    assert {check["name"]: check["level"] for check in after["checks"]}["memory-files"] == "ok"
    assert after["worst"] != "lost", after
    assert terminal("close").status == 0
    assert "WARNING: since" not in start(vault)


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:knowledge"])
def test_files_wait_for_the_history_without_a_failure_of_their_own(vault: Home, terminal: Terminal, name: str) -> None:
    spoil(vault, name)
    found = {check["name"]: check for check in json.loads(terminal("doctor", "--json").out)["checks"]}
    assert found["memory-files"]["level"] in ("note", "ok"), found["memory-files"]
    assert "damaged" not in found["git"]["detail"], found["git"]
    assert not [one for one in found.values() if one["level"] == "needs-you" and one["name"] in ("git", "history")]


# --- the rest of the words


def test_failed_closes_count_as_errors(vault: Home, terminal: Terminal) -> None:
    terminal("flag", "--kind", "lesson", "Waits")
    (vault.vault / ".git" / "index").write_bytes(b"")
    assert terminal("close").status
    found = {check["name"]: check for check in json.loads(terminal("doctor", "--json").out)["checks"]}
    assert "a close failed" in found["errors"]["detail"]
    audited = terminal("audit", "--all").out
    assert "close-failed" in audited
    assert "once that is done" in audited


def test_what_the_user_remembers_meanwhile_stays_the_users_word(vault: Home, terminal: Terminal) -> None:
    index = (vault.vault / ".git" / "index").read_bytes()
    (vault.vault / ".git" / "index").write_bytes(b"")
    assert terminal("remember", "Deploys wait for the tide").status == HistoryDamaged.exit_status
    (vault.vault / ".git" / "index").write_bytes(index)
    assert terminal("close").status == 0
    (note,) = [path for path in vault.vault.glob("knowledge/*.md") if "tide" in path.read_text()]
    assert "origin: user" in note.read_text()
    said = start(vault)
    assert "was damaged at that time" in said, said
    assert "is damaged" not in said


def test_init_does_not_call_a_vault_in_place_whose_history_is_gone(vault: Home, terminal: Terminal) -> None:
    terminal("init", "--yes")
    shutil.rmtree(vault.vault / ".git")
    said = terminal("init", "--yes").out
    assert "Everything was in place" not in said
    assert "`holdfast doctor`" in said


def test_a_look_that_git_cannot_finish_promises_nothing(vault: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.errors import GitFailed
    from holdfast.vault import git_objects

    def fails(*_: object) -> None:
        raise GitFailed("git cat-file was killed.")

    monkeypatch.setattr(git_objects, "judge", fails)
    (vault.vault / ".git" / "index").write_bytes(b"")
    assert "nothing is lost" not in look(vault).fix
    assert git_damage.look(Repository(str(vault.vault)))[-1].goes_on
