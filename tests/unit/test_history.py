"""The history says who wrote what and why, and any one change can be taken back without the later ones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.errors import NotFound, UsageError
from holdfast.vault import history, note_facets, notes
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from hook_support import Home, Terminal

NOW = 1_800_000_000.0
PATH = "knowledge/locks.md"


def text(name: str = "locks", body: str = "One.\nTwo.\nThree.", project: str = notes.GLOBAL, **more: Any) -> str:
    return notes.new_text(
        name=name,
        description=name,
        kind="knowledge",
        body=body,
        day="2027-01-15",
        project=project,
        origin="user",
        **more,
    )


def write(vault: str, subject: str, texts: dict[str, str | None], cause: str = "remember") -> str:
    """One change; returns its id."""
    with writing(vault, NOW) as writer:
        assert writer.commit(subject, texts, cause=cause, by=BY_UPKEEP).commit
    return history.changes(vault, count=1)[0].id


def there(vault: str, path: str = PATH) -> str:
    return Path(vault, path).read_text(encoding="utf-8")


def test_a_vault_without_history_has_no_changes(vault: str) -> None:
    assert history.changes(vault) == []
    assert history.told(vault, "", 5, None) == ([], 0)
    assert not os.path.exists(vault)


@pytest.mark.slow
def test_a_change_names_its_cause_its_author_and_its_files(vault: str) -> None:
    ident = write(vault, "remember: locks", {PATH: text()})
    Repository(vault).run("config", "user.name", "Ann")
    Path(vault, "knowledge/mine.md").write_text("by hand\n", encoding="utf-8")
    write(vault, "arm: locks", {PATH: text(body="Four.")}, cause="arm")
    found = history.changes(vault)
    assert [entry.cause for entry in found] == ["arm", "hand", "remember", "init"]
    assert [entry.who for entry in found][:3] == ["Holdfast", "Ann", "Holdfast"]
    assert found[1].files == ("knowledge/mine.md",)
    assert found[2].id == ident
    assert found[2].files == ("BRAIN.md", PATH)
    assert found[0].subject == "arm: locks"
    assert found[0].time > 1_700_000_000


def test_a_commit_of_somebody_elses_is_known_by_its_short_hash(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    repository = Repository(vault)
    repository.run("commit", "--quiet", "--allow-empty", "-m", "odd\x1d name: é\n\nwith a body", who=("Ann", "a@b.c"))
    newest = history.changes(vault, count=1)[0]
    assert (newest.id, newest.who, newest.cause, newest.files) == (repository.head()[:7], "Ann", "", ())


@pytest.mark.slow
def test_the_history_of_a_note_follows_it_through_a_new_name_and_beyond_its_end(vault: str) -> None:
    body = "\n".join(f"Line {nth} of a note that is long enough to be recognised." for nth in range(20))
    write(vault, "remember: locks", {PATH: text(body=body)})
    write(vault, "other", {"knowledge/other.md": text("other")})
    write(vault, "rename", {PATH: None, "knowledge/latches.md": text(body=body)})
    write(vault, "forget", {"knowledge/latches.md": None})
    found = history.changes(vault, "knowledge/latches.md")
    assert [entry.subject for entry in found] == ["forget", "rename", "remember: locks"]
    assert found[0].files == ("BRAIN.md", "knowledge/latches.md")
    assert history.former_path(vault, "latches") == "knowledge/latches.md"
    assert history.former_path(vault, "../../etc/passwd") == ""
    assert history.former_path(vault, "knowledge/../../../etc/passwd") == ""
    assert history.former_path(vault, "never was") == ""


@pytest.mark.slow
def test_another_projects_changes_are_only_counted(vault: str) -> None:
    write(vault, "ours", {"knowledge/ours.md": text("ours", project="shop-1")})
    write(vault, "everybody's", {"knowledge/all.md": text("all")})
    write(vault, "theirs", {"knowledge/theirs.md": text("theirs", project="cart-2")})
    write(vault, "their handoff", {"lineage/cart-2/x.md": "---\ntitle: x\n---\n"})
    write(vault, "our handoff", {"lineage/shop-1/x.md": "---\ntitle: x\n---\n"})
    write(vault, "forget theirs", {"knowledge/theirs.md": None})
    found, others = history.told(vault, "", 20, "shop-1")
    assert [entry.subject for entry in found] == ["our handoff", "everybody's", "ours", "The vault begins"]
    assert others == 3
    assert len(history.told(vault, "", 20, None)[0]) == 7
    assert [entry.subject for entry in history.told(vault, "", 1, "shop-1")[0]] == ["our handoff"]


@pytest.mark.slow
def test_an_undo_takes_one_change_back_and_an_undo_of_it_brings_it_again(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    ident = write(vault, "longer", {PATH: text(body="One.\nTwo.\nThree.\nFour.")})
    done = history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault) == text()
    assert done.of.id == ident
    assert (done.by.cause, done.by.subject) == ("undo", f"undo {ident}: longer")
    history.undo(vault, done.by.id, NOW, by=BY_USER)
    assert there(vault) == text(body="One.\nTwo.\nThree.\nFour.")


@pytest.mark.slow
def test_a_note_that_was_forgotten_comes_back_and_is_in_the_map(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    ident = write(vault, "forget", {PATH: None}, cause="forget")
    assert PATH not in there(vault, "BRAIN.md")
    history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault) == text()
    assert PATH in there(vault, "BRAIN.md")


@pytest.mark.slow
def test_a_note_that_was_added_goes_and_leaves_the_map(vault: str) -> None:
    write(vault, "other", {"knowledge/other.md": text("other")})
    ident = write(vault, "remember: locks", {PATH: text()})
    write(vault, "third", {"knowledge/third.md": text("third")})
    history.undo(vault, ident, NOW, by=BY_USER)
    assert not Path(vault, PATH).exists()
    shown = there(vault, "BRAIN.md")
    assert (PATH in shown, "other.md" in shown, "third.md" in shown) == (False, True, True)


@pytest.mark.slow
def test_later_work_on_the_same_note_stays(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text(sources=["a"])})
    ident = write(vault, "first line", {PATH: text(body="1.\nTwo.\nThree.", sources=["a", "b"])})
    write(vault, "last line", {PATH: text(body="1.\nTwo.\n3.", sources=["a", "b", "c"])})
    history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault) == text(body="One.\nTwo.\n3.", sources=["a", "c"])


@pytest.mark.slow
def test_an_edit_by_hand_since_then_is_committed_as_theirs_and_stays(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    ident = write(vault, "first line", {PATH: text(body="1.\nTwo.\nThree.")})
    Path(vault, PATH).write_text(text(body="1.\nTwo.\nThree, says the person."), encoding="utf-8")
    history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault) == text(body="One.\nTwo.\nThree, says the person.")
    assert [entry.cause for entry in history.changes(vault, count=2)] == ["undo", "hand"]


@pytest.mark.slow
def test_a_change_that_was_built_upon_is_refused_whole(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    other = "knowledge/other.md"
    ident = write(vault, "both", {PATH: text(body="1."), other: text("other")})
    write(vault, "again", {other: text("other", body="changed since")})
    before = Repository(vault).head()
    with pytest.raises(UsageError, match=f"^{other} was changed again after {ident}.*nothing was changed"):
        history.undo(vault, ident, NOW, by=BY_USER)
    assert Repository(vault).head() == before
    assert there(vault) == text(body="1.")


@pytest.mark.slow
def test_what_is_undone_already_is_said_so(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    ident = write(vault, "longer", {PATH: text(body="Four.")})
    history.undo(vault, ident, NOW, by=BY_USER)
    with pytest.raises(UsageError, match="Nothing of the change"):
        history.undo(vault, ident, NOW, by=BY_USER)


@pytest.mark.slow
def test_the_lines_of_a_close_leave_the_activity_log_and_later_ones_stay(vault: str) -> None:
    first, second, third = (f"[2027-01-0{nth} 10:00:00] [shop] {nth}\n" for nth in (1, 2, 3))
    write(vault, "close 1", {"activity.log": first})
    ident = write(vault, "close 2", {"activity.log": first + second, PATH: text()})
    write(vault, "close 3", {"activity.log": first + second + third})
    history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault, "activity.log") == first + third


@pytest.mark.slow
def test_a_project_that_a_hook_registered_stays_registered(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    registered = '\n[[project]]\nid = "shop-1"\nslug = "shop"\nkeys = ["url:a"]\n'
    Path(vault, "projects.toml").write_text(registered, encoding="utf-8")
    ident = write(vault, "other", {"knowledge/other.md": text("other")})
    assert "projects.toml" in history.changes(vault, count=1)[0].files
    history.undo(vault, ident, NOW, by=BY_USER)
    assert there(vault, "projects.toml") == registered


@pytest.mark.slow
def test_the_operators_words_in_the_brain_come_back_and_the_map_stays_current(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    shown = there(vault, "BRAIN.md")
    Path(vault, "BRAIN.md").write_text(shown + "Never deploy on Fridays.\n", encoding="utf-8")
    write(vault, "other", {"knowledge/other.md": text("other")})
    by_hand = history.changes(vault, count=2)[1]
    assert by_hand.cause == "hand"
    history.undo(vault, by_hand.id, NOW, by=BY_USER)
    now = there(vault, "BRAIN.md")
    assert "Fridays" not in now
    assert "other.md" in now
    assert now.startswith(note_facets.OPENING)


@pytest.mark.slow
def test_a_change_is_found_by_a_beginning_of_its_id_in_any_case_or_of_its_commit(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    entry = history.changes(vault, count=1)[0]
    repository = Repository(vault)
    assert history.find(repository, entry.id[:24].lower()) == entry
    assert history.find(repository, entry.commit[:12]) == entry
    assert history.find(repository, entry.commit) == entry


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["", "abc", "../..", "-n1", "HEAD~", "--all", "abcd efgh"])
def test_what_is_no_id_is_refused(vault: str, wanted: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    with pytest.raises(UsageError, match="is no id of a change"):
        history.undo(vault, wanted, NOW, by=BY_USER)


@pytest.mark.slow
def test_an_unknown_id_and_an_ambiguous_one_are_one_sentence_each(vault: str) -> None:
    first = write(vault, "one", {PATH: text()})
    write(vault, "two", {PATH: text(body="Four.")})
    with pytest.raises(NotFound, match='There is no change "zzzz"'):
        history.undo(vault, "zzzz", NOW, by=BY_USER)
    with pytest.raises(NotFound, match=r"may be .*Say more of the id"):
        history.undo(vault, first[:6], NOW, by=BY_USER)


@pytest.mark.slow
def test_the_beginning_of_the_vault_and_a_merge_cannot_be_undone(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    with pytest.raises(UsageError, match="began the vault"):
        history.undo(vault, history.changes(vault)[-1].id, NOW, by=BY_USER)
    with writing(vault, NOW) as writer:
        tree = writer.repository.text("rev-parse", "HEAD^{tree}")
        other = writer.repository.text("commit-tree", tree, "-p", "HEAD~1", "-m", "elsewhere")
        writer.commit("sync", {}, cause="sync", parents=(other,), by=BY_UPKEEP)
    with pytest.raises(UsageError, match="joined two machines' work"):
        history.undo(vault, history.changes(vault, count=1)[0].id, NOW, by=BY_USER)


@pytest.mark.slow
def test_bytes_that_are_no_text_come_back_as_they_were(vault: str) -> None:
    write(vault, "remember: locks", {PATH: text()})
    Path(vault, "outputs").mkdir()
    Path(vault, "outputs/raw").write_bytes(b"\xff\x00\xfe")
    write(vault, "kept", {PATH: text(body="1.")})
    ident = write(vault, "removed", {"outputs/raw": None})
    history.undo(vault, ident, NOW, by=BY_USER)
    assert Path(vault, "outputs/raw").read_bytes() == b"\xff\x00\xfe"


@pytest.mark.slow
def test_the_command_shows_the_history_as_text_and_as_json(fresh: Home, terminal: Terminal) -> None:
    assert terminal("history").out == "Nothing was changed yet.\n"
    ident = write(str(fresh.vault), "remember: locks", {PATH: text()})
    write(str(fresh.vault), "elsewhere", {"knowledge/e.md": text("e", project="elsewhere-1")})
    shown = terminal("history")
    assert shown.status == 0
    assert f"{ident}  20" in shown.out
    assert "remember: locks  (Holdfast, remember)" in shown.out
    assert "elsewhere\n" not in shown.out
    assert "1 more in other projects (--all)." in shown.out
    assert "elsewhere  (Holdfast" in terminal("history", "--all").out
    found = json.loads(terminal("history", "locks", "--json", "--count", "1").out)
    assert found["changes"][0]["id"] == ident
    assert set(found["changes"][0]) == {"id", "commit", "time", "who", "cause", "subject", "files"}
    write(str(fresh.vault), "forget", {PATH: None})
    assert "forget" in terminal("history", "locks").out
    missing = terminal("history", "nothing-like-it")
    assert (missing.status, missing.out) == (4, "")
    assert "There is no note" in missing.err


@pytest.mark.slow
def test_the_command_shows_first_and_then_undoes(fresh: Home, terminal: Terminal) -> None:
    write(str(fresh.vault), "remember: locks", {PATH: text()})
    ident = write(str(fresh.vault), "longer", {PATH: text(body="One.\nTwo.\nThree.\nFour.")})
    head = Repository(str(fresh.vault)).head()
    shown = terminal("undo", ident, "--dry-run")
    assert shown.out.startswith(f"would undo {ident}: longer\n--- a/{PATH}\n+++ b/{PATH}\n")
    assert "\n-Four.\n" in shown.out
    assert "-Four." in json.loads(terminal("undo", ident, "--dry-run", "--json").out)["diff"]
    assert Repository(str(fresh.vault)).head() == head
    done = terminal("undo", ident)
    assert f"undone {ident}: longer" in done.out
    assert there(str(fresh.vault)) == text()
    again = json.loads(terminal("undo", done.out.split("`holdfast undo ")[1].split("`")[0], "--json").out)
    assert again["of"]["cause"] == "undo"
    assert again["files"] == [PATH]
    assert terminal("undo", "zzzz").status == 4


def test_an_undo_without_a_vault_makes_none(fresh: Home, terminal: Terminal) -> None:
    assert terminal("undo", "abcdef").status == 4
    assert terminal("undo", "abcdef", "--dry-run").status == 4
    assert not (fresh.vault / ".git").exists()


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_not_taken_for_one_that_was_removed(vault: str) -> None:
    other = "knowledge/other.md"
    ident = write(vault, "remember: two", {PATH: text(), other: text("other")})
    Path(vault, PATH).unlink()
    Path(vault, PATH).symlink_to(Path(vault, other))
    with pytest.raises(OSError, match="locks"):
        history.undo(vault, ident, NOW + 1, by=BY_USER)
    assert Path(vault, other).exists(), "nothing of it was taken back"
