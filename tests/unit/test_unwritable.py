"""A part of the vault that this user may not write: nothing is called filed that is not, and it is said whose it is.

Permission bits do not stop root, so under root the commands run without its powers, as any other user does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doctor_support import ask
from hook_support import SOURCE, Done, Home, Terminal, run

from holdfast.capture import notices
from holdfast.errors import Unwritable
from holdfast.vault import damage, edits
from holdfast.vault.git import Repository

pytestmark = pytest.mark.slow  # it starts processes by the hundred


@pytest.fixture
def vault(fresh: Home, terminal: Terminal) -> Home:
    assert terminal("remember", "Deploys run from main", "--name", "deploys").status == 0
    return fresh


def powerless() -> list[str]:
    """What a command begins with so that permission bits count for it."""
    if os.geteuid():
        return []
    program = shutil.which("setpriv")
    words = [program or "", "--bounding-set=-all", "--inh-caps=-all"]
    if not program or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root cannot give up its powers here, and permission bits do not stop it")
    return words


def user(where: Home, *words: str) -> Done:
    command = [*powerless(), sys.executable, "-P", "-m", "holdfast", *words]
    return run(command, {**where.env, "PYTHONPATH": str(SOURCE)}, where.project)


def commits(where: Home) -> int:
    return int(Repository(str(where.vault)).text("rev-list", "--count", "HEAD"))


def flag(where: Home, text: str = "The gateway drops the first call") -> None:
    where.flag(text)


def test_a_close_that_can_file_nothing_fails_with_the_reason_and_commits_nothing(vault: Home) -> None:
    flag(vault)
    folder = vault.vault / "knowledge"
    folder.chmod(0o555)
    before = commits(vault)
    done = user(vault, "close")
    assert done.status == 1
    assert f"you may not write to {folder}" in done.err
    assert "Traceback" not in done.err
    assert "filed" not in done.out
    assert user(vault, "close").status == 1
    assert commits(vault) == before, "no commit for nothing"
    said = vault.answer(vault.event("SessionStart", source="startup"))
    assert "WARNING: since" in said
    assert "run `holdfast doctor`" in said


def test_after_the_documented_number_of_tries_it_is_a_dead_letter_and_comes_back_by_retry(vault: Home) -> None:
    flag(vault)
    (vault.vault / "knowledge").chmod(0o555)
    for _ in range(5):
        assert user(vault, "close").status == 1
    found = json.loads(user(vault, "queue", "--json").out)
    assert (len(found["waiting"]), len(found["dead"])) == (0, 1)
    assert "may not write" in ask(vault, "dead-letters").detail
    (vault.vault / "knowledge").chmod(0o700)
    assert user(vault, "queue", "retry").status == 0
    assert user(vault, "close").status == 0
    assert vault.waiting() == []
    assert not notices.are_there(vault.state), "what works again is no fault"


def test_what_was_not_remembered_is_not_in_the_map(vault: Home) -> None:
    (vault.vault / "knowledge").chmod(0o555)
    done = user(vault, "remember", "Backups run at night")
    assert done.status == Unwritable.exit_status
    assert "may not write" in done.err
    assert "Backups" not in (vault.vault / "BRAIN.md").read_text()
    assert "Backups" not in user(vault, "notes").out


def test_a_file_where_a_folder_should_be_is_no_place_for_notes(vault: Home, terminal: Terminal) -> None:
    shutil.rmtree(vault.vault / "knowledge")
    (vault.vault / "knowledge").write_text("mine\n")
    flag(vault)
    done = terminal("close")
    assert (done.status, "is no folder" in done.err) == (1, True)
    assert "deploys" not in (vault.vault / "BRAIN.md").read_text(), "the map lists what is there"
    before = commits(vault)
    assert terminal("close").status == 1
    assert commits(vault) == before
    assert (vault.vault / "knowledge").read_text() == "mine\n"
    assert "is no folder" in ask(vault, "note-folders").detail


def test_what_can_be_written_is_filed_and_the_rest_is_told(vault: Home, terminal: Terminal) -> None:
    """Rules go to another folder than lessons."""
    (vault.vault / "knowledge").chmod(0o555)
    terminal("flag", "--kind", "decision", "Prices are kept in cents")
    flag(vault)
    done = user(vault, "close")
    assert done.status == 1
    assert "closed in part" in done.err
    assert len(vault.waiting()) == 1
    brain = (vault.vault / "BRAIN.md").read_text()
    assert "cents" in brain
    assert "gateway" not in brain


def test_a_handoff_that_cannot_be_written_is_not_passed_over(vault: Home) -> None:
    vault.answer(vault.event("SessionStart", source="startup"))
    vault.answer(vault.event("UserPromptSubmit", prompt="Port the shop to the new gateway"))
    vault.answer(vault.event("SessionEnd", reason="exit"))
    (vault.vault / "lineage").mkdir()
    (vault.vault / "lineage").chmod(0o555)
    for _ in range(2):
        done = user(vault, "close")
        assert done.status == 1
        assert "lineage" in done.err
    (vault.vault / "lineage").chmod(0o700)
    assert user(vault, "close").status == 0
    assert list((vault.vault / "lineage").glob("*/*.md"))


@pytest.mark.parametrize("words", [("forget", "deploys", "--yes"), ("arm", "deploys", "--tool", "Bash")], ids=" ".join)
def test_a_change_of_a_note_that_may_not_be_changed_is_refused_with_the_reason(
    vault: Home, words: tuple[str, ...]
) -> None:
    (vault.vault / "knowledge").chmod(0o555)
    before = commits(vault)
    done = user(vault, *words)
    assert (done.status, "may not write" in done.err) == (Unwritable.exit_status, True)
    assert commits(vault) == before


@pytest.mark.parametrize("name", ["vault.lock", "queue/lock"])
def test_a_lock_that_is_not_ours_to_open_is_named(vault: Home, name: str) -> None:
    flag(vault)
    if name == "queue/lock":
        assert user(vault, "close").status == 0
        flag(vault, "Another")
    path = Path(vault.state, name)
    path.chmod(0o000)
    done = user(vault, "close")
    assert (done.status, str(path) in done.err, "Traceback" in done.err) == (1, True, False)
    found = json.loads(user(vault, "doctor", "--json").out)
    assert [check["level"] for check in found["checks"] if check["name"] == "locks"] == ["can-be-mended"]
    assert user(vault, "doctor", "--fix").out.startswith("--fix gave 1 file")
    assert user(vault, "close").status == 0


@pytest.mark.parametrize("name", ["tasks/index.db", "tasks"])
def test_a_task_index_that_cannot_be_written_is_named_without_a_traceback(
    vault: Home, terminal: Terminal, name: str
) -> None:
    assert terminal("task", "start", "port", "Port the shop").status == 0
    flag(vault)
    path = Path(vault.state, name)
    path.chmod(0o555 if path.is_dir() else 0o000)
    for words in (("close",), ("remember", "x y z"), ("task", "checkpoint", "--decision", "In cents")):
        done = user(vault, *words)
        assert (bool(done.status), "Traceback" in done.err) == (True, False), (words, done.err)
        assert "tasks" in done.err
    path.chmod(0o700 if path.is_dir() else 0o600)
    assert user(vault, "close").status == 0


def test_an_immutable_folder_is_seen_by_the_doctor(vault: Home, tmp_path: Path) -> None:
    """Not even root may write there."""
    folder = tmp_path / "vault" / "knowledge"
    folder.mkdir(parents=True)
    if (
        not shutil.which("chattr")
        or subprocess.run(["chattr", "+i", folder], capture_output=True, check=False).returncode
    ):
        pytest.skip("nothing can be made immutable here")
    try:
        assert damage.why_not(str(tmp_path / "vault"), "knowledge/x.md")
    finally:
        subprocess.run(["chattr", "-i", folder], check=True)
    assert not damage.why_not(str(tmp_path / "vault"), "knowledge/x.md")


def test_the_library_raises_what_the_command_says(vault: Home) -> None:
    shutil.rmtree(vault.vault / "knowledge")
    (vault.vault / "knowledge").write_text("mine\n")
    with pytest.raises(Unwritable, match="is no folder"):
        edits.remember(str(vault.vault), edits.Asked("More."), 1_790_000_000.0)


@pytest.mark.parametrize("name", ["knowledge", "rules", "lineage", "tasks", "quarantine", "discarded", "projects"])
def test_the_doctor_probes_every_folder_of_the_memory(vault: Home, name: str) -> None:
    assert ask(vault, "note-folders").ok
    shutil.rmtree(vault.vault / name, ignore_errors=True)
    (vault.vault / name).write_text("mine\n")
    found = ask(vault, "note-folders")
    assert not found.ok
    assert f"{name} is no folder" in found.detail
    assert found.level == "needs-you"
