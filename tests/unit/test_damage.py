"""Files of the vault that no person and no writer leaves so are never committed, are named, and come back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.capture import locks, log
from holdfast.vault import damage, edits
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

NOW = 1_790_000_000.0
NOTE = "knowledge/tests-need-redis.md"
OTHER = "knowledge/the-port-is-8080.md"
LOG = "thoughts/machine/live/01.log"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with three notes and an append-only log, all committed."""
    path = tmp_path / "vault"
    for text in ("Tests need redis", "The port is 8080", "Deploys run at night"):
        edits.remember(str(path), edits.Asked(text), NOW)
    (path / LOG).parent.mkdir(parents=True)
    (path / LOG).write_bytes(b"".join(log.frame(b'{"n":%d}' % number) for number in range(5)))
    settle(path)
    assert head_has(path, LOG)
    return path


def settle(vault: Path) -> None:
    """Another writer comes by, and commits what people changed."""
    with writing(str(vault), NOW + 60):
        pass


def head_has(vault: Path, path: str) -> bytes:
    done = subprocess.run(["git", "-C", str(vault), "show", f"HEAD:{path}"], capture_output=True, check=False)
    return done.stdout


def found(vault: Path) -> dict[str, str]:
    return {one.path: one.why for one in damage.find(Repository(str(vault)))}


def restore(vault: Path) -> list[str]:
    held = locks.taken(f"{vault}/.state/vault.lock", 5)
    try:
        repository = Repository(str(vault), held)
        return list(damage.restore(repository, damage.find(repository)))
    finally:
        os.close(held)


@pytest.mark.slow
def test_a_sound_vault_has_no_damage(vault: Path) -> None:
    assert found(vault) == {}
    assert restore(vault) == []


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"", bytes(80), b"---\nname: x\x00\x01\x02\n---\n"])
def test_a_note_that_a_power_loss_emptied_is_not_committed_and_comes_back(vault: Path, data: bytes) -> None:
    before = (vault / NOTE).read_bytes()
    (vault / NOTE).write_bytes(data)
    settle(vault)
    assert head_has(vault, NOTE) == before
    assert list(found(vault)) == [NOTE]
    said = restore(vault)
    assert said[0].startswith(f"{NOTE} is back from the history")
    assert (vault / NOTE).read_bytes() == before
    assert found(vault) == {}


@pytest.mark.slow
def test_the_damaged_file_is_kept_beside(vault: Path) -> None:
    (vault / NOTE).write_bytes(b"half\x00")
    restore(vault)
    kept = list((vault / ".state" / "set-aside").iterdir())
    assert [path.read_bytes() for path in kept] == [b"half\x00"]


@pytest.mark.slow
def test_an_edit_of_a_person_is_committed_as_ever(vault: Path) -> None:
    text = (vault / NOTE).read_text().replace("redis", "valkey")
    (vault / NOTE).write_text(text)
    settle(vault)
    assert head_has(vault, NOTE).decode() == text
    assert found(vault) == {}


@pytest.mark.slow
def test_a_note_that_a_person_removed_is_gone(vault: Path) -> None:
    (vault / NOTE).unlink()
    assert found(vault) == {}
    settle(vault)
    assert head_has(vault, NOTE) == b""


@pytest.mark.slow
def test_a_whole_folder_that_is_gone_waits_for_a_word_even_when_new_notes_fill_it(vault: Path) -> None:
    texts = {path.name: path.read_bytes() for path in (vault / "knowledge").iterdir()}
    for path in (vault / "knowledge").iterdir():
        path.unlink()
    (vault / "knowledge").rmdir()
    settle(vault)
    for number in range(4):
        edits.remember(str(vault), edits.Asked(f"Fresh fact {number} of today"), NOW + 100 + number)
    assert set(found(vault).values()) == {damage.GONE}
    restore(vault)
    for name, text in texts.items():
        assert (vault / "knowledge" / name).read_bytes() == text


@pytest.mark.slow
def test_a_folder_that_was_removed_on_purpose_is_let_go_by_a_commit(vault: Path) -> None:
    git = ["git", "-C", str(vault), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "rm", "-qr", "knowledge"], check=True)
    subprocess.run([*git, "commit", "-qm", "start over"], check=True)
    assert found(vault) == {}


@pytest.mark.slow
def test_a_log_that_was_cut_gets_back_what_the_history_has_and_keeps_what_came_since(vault: Path) -> None:
    whole = (vault / LOG).read_bytes()
    (vault / LOG).write_bytes(whole[: len(whole) // 2] + log.frame(b'{"n":99}'))
    settle(vault)
    assert head_has(vault, LOG) == whole
    assert list(found(vault)) == [LOG]
    restore(vault)
    assert (vault / LOG).read_bytes() == whole + log.frame(b'{"n":99}')


@pytest.mark.slow
def test_a_log_that_only_grew_is_sound(vault: Path) -> None:
    with (vault / LOG).open("ab") as out:
        out.write(log.frame(b'{"n":6}'))
    assert found(vault) == {}
    settle(vault)
    assert head_has(vault, LOG) == (vault / LOG).read_bytes()


@pytest.mark.slow
def test_something_else_where_a_folder_was_is_moved_aside(vault: Path) -> None:
    before = (vault / NOTE).read_bytes()
    for path in (vault / "knowledge").iterdir():
        path.unlink()
    (vault / "knowledge").rmdir()
    (vault / "knowledge").write_text("not a folder")
    settle(vault)
    assert head_has(vault, NOTE) == before
    assert NOTE in found(vault)
    restore(vault)
    assert (vault / NOTE).read_bytes() == before
    assert any(path.read_text() == "not a folder" for path in (vault / ".state" / "set-aside").iterdir())


@pytest.mark.slow
def test_a_version_that_was_committed_broken_long_ago_is_passed_over(vault: Path) -> None:
    before = (vault / NOTE).read_bytes()
    (vault / NOTE).write_bytes(bytes(50))
    git = ["git", "-C", str(vault), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "commit", "-qam", "by hand"], check=True)
    assert list(found(vault)) == [NOTE]
    restore(vault)
    assert (vault / NOTE).read_bytes() == before


@pytest.mark.slow
def test_other_notes_are_filed_while_one_is_damaged(vault: Path) -> None:
    (vault / NOTE).write_bytes(b"")
    filed = edits.remember(str(vault), edits.Asked("Backups are encrypted"), NOW + 5)
    assert head_has(vault, filed.path)


@pytest.mark.slow
def test_starts_tell_of_a_damaged_file_until_it_is_put_right(vault: Path) -> None:
    from holdfast.capture import notices

    state = str(vault / ".state")
    (vault / NOTE).write_bytes(b"")
    settle(vault)
    told = notices.standing(state)
    assert [(one.name, one.detail) for one in told] == [(notices.FILES, f"{NOTE} is empty")]
    restore(vault)
    settle(vault)
    assert notices.standing(state) == []
