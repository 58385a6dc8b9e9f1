"""The doctor at the vault: how a folder, a disk or a repository fails is named, and what is safe is mended."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from doctor_support import ask, failing, fix, installed, look, one, place
from hook_support import Home, fill_up, make_read_only, mounted, too_open

from holdfast.capture import home as vaults
from holdfast.capture import locks, platform
from holdfast.capture.gate import BY_UPKEEP
from holdfast.memory import Memory
from holdfast.vault import journal
from holdfast.vault.git import Repository
from holdfast.vault.journal import Change, File
from holdfast.vault.transaction import writing

pytestmark = pytest.mark.slow  # it starts processes by the hundred


@pytest.fixture
def healthy(fresh: Home) -> Home:
    made = installed(fresh)
    write(made, "knowledge/deploys.md", "Deploys run from main")
    return made


def write(where: Home, path: str, text: str) -> None:
    """One change to the vault, as any command makes it."""
    with writing(str(where.vault), time.time()) as writer:
        writer.commit(
            text, {path: f"---\nname: {text}\nkind: knowledge\n---\n\n{text}\n"}, cause="remember", by=BY_UPKEEP
        )


# --- the folder


def test_a_vault_that_is_gone_fails_and_is_made(fresh: Home) -> None:
    installed(fresh)
    fresh.more["HOLDFAST_HOME"] = str(fresh.folder / "elsewhere")
    at = place(fresh)
    assert not os.path.exists(fresh.env["HOLDFAST_HOME"])
    fresh.vault = Path(at.env["HOLDFAST_HOME"])
    assert "vault" in failing(look(fresh))
    assert one(fix(fresh), "vault").ok


def test_a_vault_that_is_a_file_fails_and_is_left(fresh: Home) -> None:
    installed(fresh)
    fresh.vault = fresh.folder / "file"
    fresh.vault.write_text("mine\n", encoding="utf-8")
    assert "is no folder" in one(fix(fresh), "vault").detail
    assert fresh.vault.read_text(encoding="utf-8") == "mine\n"


def test_a_newer_format_fails_and_nothing_is_mended_in_it(healthy: Home) -> None:
    (healthy.vault / "format").write_text("99\n", encoding="utf-8")
    report = fix(healthy)
    assert "format 99" in one(report, "vault").detail
    assert (healthy.vault / "format").read_text(encoding="utf-8") == "99\n"


def test_a_vault_of_somebody_else_fails(healthy: Home) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    os.chown(healthy.vault, 12345, -1)
    assert "user 12345" in ask(healthy, "vault").detail


# --- modes


def test_what_others_may_read_fails_and_is_given_back(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    healthy.vault.chmod(0o755)
    (healthy.vault / ".state" / "queue").chmod(0o777)
    for path in (healthy.vault / ".state" / "queue" / "live").iterdir():
        path.chmod(0o644)
    assert "vault-modes" in failing(look(healthy))
    report = fix(healthy)
    assert one(report, "vault-modes").ok
    assert too_open(healthy.vault / ".state") == []


def test_a_segment_that_its_owner_may_not_read_is_given_back(healthy: Home) -> None:
    healthy.flag("Orders use optimistic locking")
    (path,) = (healthy.vault / ".state" / "queue" / "live").iterdir()
    path.chmod(0o000)
    assert path.name in ask(healthy, "vault-modes").detail
    fix(healthy)
    assert path.stat().st_mode & 0o777 == 0o600


def test_notes_that_an_editor_made_readable_are_a_persons_own_business(healthy: Home) -> None:
    for path in healthy.vault.glob("*/*.md"):
        path.chmod(0o644)
    assert ask(healthy, "vault-modes").ok


# --- writing


def test_a_disk_that_takes_no_writes_fails(fresh: Home, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "4m") as disk:
        fresh.vault = disk / "vault"
        installed(fresh)
        assert ask(fresh, "vault-write").ok
        make_read_only(disk)
        said = ask(fresh, "vault-write")
        assert not said.ok
        assert "Read-only" in said.detail


def test_a_full_disk_fails_and_is_said_to_be_full(fresh: Home, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "1m") as disk:
        fresh.vault = disk / "vault"
        installed(fresh)
        fill_up(disk)
        report = look(fresh)
        assert {"vault-write", "space"} <= set(failing(report))


def test_the_probe_leaves_no_name_where_the_system_has_no_nameless_files(
    healthy: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    before = healthy.files()
    names: list[str] = []
    remove = platform.remove

    def watched(path: str) -> None:
        names.append(path)
        remove(path)

    monkeypatch.setattr(platform, "remove", watched)
    assert ask(healthy, "vault-write").ok
    assert healthy.files() == before
    assert names
    assert all(name.startswith(f"{healthy.vault}/.state/") for name in names)


# --- git


def test_a_machine_without_git_fails_in_one_sentence(healthy: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(healthy.folder / "bin"))
    said = one(look(healthy), "git")
    assert not said.ok
    assert "no git on PATH" in said.detail


def test_a_lock_of_a_dead_git_fails_and_is_removed(healthy: Home) -> None:
    lock = healthy.vault / ".git" / "index.lock"
    lock.touch()
    assert "index.lock" in ask(healthy, "git").detail
    assert lock.exists()
    assert one(fix(healthy), "git").ok
    assert not lock.exists()


def test_a_lock_whose_owner_lives_stays(healthy: Home) -> None:
    lock = healthy.vault / ".git" / "index.lock"
    lock.touch()
    with lock.open("r") as held, subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=held) as owner:
        report = fix(healthy)
        owner.communicate(b"")
    assert lock.exists()
    assert any(said.startswith("not mended: git is at work") for said in report.fixed)


def test_a_lock_while_somebody_writes_is_their_work(healthy: Home) -> None:
    (healthy.vault / ".git" / "index.lock").touch()
    held = locks.taken(f"{healthy.vault}/.state/vault.lock", 1.0)
    try:
        assert ask(healthy, "git").ok
    finally:
        os.close(held)


def test_a_merge_that_somebody_began_fails_and_is_left_to_them(healthy: Home) -> None:
    begun = healthy.vault / ".git" / "MERGE_HEAD"
    begun.write_text("0" * 40, encoding="utf-8")
    report = fix(healthy)
    assert "merge" in one(report, "git").detail
    assert begun.exists()


def test_a_vault_at_an_old_commit_fails(healthy: Home) -> None:
    write(healthy, "knowledge/backups.md", "Backups run at night")
    Repository(str(healthy.vault)).run("checkout", "--quiet", "HEAD~1")
    assert "old commit" in ask(healthy, "git").detail


# --- what was cut short, and what is compiled


def test_a_change_that_was_cut_short_fails_and_is_finished(healthy: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(str(healthy.vault))
    change = Change(
        "01CUT", "cut short", (File("knowledge/cut.md", None, "---\nkind: knowledge\n---\nCut.\n"),), "test"
    )
    with monkeypatch.context() as killed:
        killed.setattr(journal, "_carry_out", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            journal.apply(repository, change)
    assert "journal" in failing(look(healthy))
    assert not (healthy.vault / "knowledge" / "cut.md").exists()
    assert one(fix(healthy), "journal").ok
    assert (healthy.vault / "knowledge" / "cut.md").exists()


def test_a_journal_that_cannot_be_read_fails_and_stays(healthy: Home) -> None:
    kept = healthy.vault / ".state" / "writing" / "journal.unreadable-1"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(b"\x00")
    kept.chmod(0o600)
    assert "journal.unreadable-1" in one(fix(healthy), "journal").detail
    assert kept.exists()


def test_a_brief_that_cannot_be_read_fails_and_is_made_anew(healthy: Home) -> None:
    Memory.open(str(healthy.vault), str(healthy.project)).sessions.refresh_brief()
    brief = healthy.vault / ".state" / "brief" / "global"
    brief.write_bytes(b"{torn")
    assert "brief/global" in ask(healthy, "derived").detail
    assert one(fix(healthy), "derived").ok


def test_errors_that_the_last_check_found_are_a_note(healthy: Home) -> None:
    (healthy.vault / ".state" / "check").write_text("3\n", encoding="utf-8")
    assert ask(healthy, "notes").detail.startswith("note: the last check found 3 errors")


def test_a_vault_without_history_yet_is_well(fresh: Home) -> None:
    installed(fresh)
    assert vaults.format_of(str(fresh.vault))
    assert ask(fresh, "git").ok
