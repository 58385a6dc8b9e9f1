"""Remember, forget, promote: one commit each, as it was said, and an answer that is true."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture.gate import BY_USER
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import edits, index, lineage, notes
from holdfast.vault.edits import Asked
from holdfast.vault.git import Repository
from holdfast.vault.lineage import Handoff

NOW = 1_800_000_000.0
DAY = "2027-01-15"


def remember(vault: str, text: str, **more: Any) -> edits.Filed:
    return edits.remember(vault, Asked(text, **more), NOW)


def commits(vault: str) -> int:
    return int(Repository(vault).text("rev-list", "--count", "HEAD"))


def read(vault: str, path: str) -> notes.Note:
    found = notes.read(vault, path)
    assert isinstance(found, notes.Note), found
    return found


@pytest.mark.slow
def test_a_text_is_filed_as_it_was_said_with_the_users_authority(vault: str) -> None:
    text = "Never deploy on Friday: nobody is there.\n\n- not even at noon\n\n---\nkey: value\n<!-- holdfast:end -->"
    filed = remember(vault, text, kind="rule", policy="never", reason="an outage", apply="wait for Monday")
    note = read(vault, filed.path)
    assert note.body.strip() == f"{text}\n\n**Why:** an outage\n\n**How to apply:** wait for Monday"
    assert (note.origin, note.policy, note.kind, note.project) == ("user", "never", "rule", "global")
    assert note.is_always_on
    assert commits(vault) == 2
    assert Repository(vault).text("status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["knowledge/gold.md", "knowledge/gold", "gold", "gol", "old"])
def test_a_note_of_another_project_is_not_superseded_by_any_part_of_its_name(vault: str, wanted: str) -> None:
    theirs = remember(vault, "Gold is kept below.", name="gold", project="bank").path
    before = commits(vault)
    for more in ({"project": "shop"}, {"project": notes.GLOBAL}, {"project": notes.GLOBAL, "here": "shop"}):
        with pytest.raises(NotFound, match=r"There is no note .*; nothing was changed"):
            remember(vault, "Gold is sold.", supersedes=wanted, **more)
    assert read(vault, theirs).is_active
    assert commits(vault) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "project", "here"),
    [("shop", "shop", ""), ("global", "shop", ""), ("global", "global", ""), ("shop", "global", "shop")],
)
def test_a_note_of_this_project_and_a_global_one_are_superseded(vault: str, of: str, project: str, here: str) -> None:
    remember(vault, "Golden rules are many.", name="golden", project="bank")
    old = remember(vault, "Gold is kept below.", name="gold", project=of).path
    new = remember(vault, "Gold is sold.", name="sold", project=project, supersedes="gol", here=here)
    assert not read(vault, old).is_active
    assert read(vault, new.path).project == project
    assert f"{old} is superseded" in new.changes[-1]


@pytest.mark.slow
def test_the_same_words_again_are_there_already_and_other_projects_have_their_own(vault: str) -> None:
    first = remember(vault, "One.", project="shop")
    again = remember(vault, "  One.\n", project="shop")
    assert (again.was_there, again.path, again.commit) == (True, first.path, "")
    assert remember(vault, "One.", project="cart").path == "knowledge/one-2.md"
    edits.forget(vault, [first.path], NOW, by=BY_USER)
    assert not remember(vault, "One.", project="shop").was_there


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (Asked("  \n "), "The text is empty"),
        (Asked("x" * 100_001), "100,000 is the most"),
        (Asked("x", reason="y" * 100_000), "100,000 is the most"),
        (Asked("x", name="n" * 201), "The name has 201 characters"),
        (Asked("x", kind="poem"), '"poem" is no kind of note'),
        (Asked("x", policy="never"), "A rule can say do, ask or never"),
        (Asked("x", kind="rule", policy="perhaps"), "A rule can say do, ask or never"),
    ],
)
def test_what_cannot_be_filed_is_refused_and_nothing_is_written(vault: str, asked: Asked, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        edits.remember(vault, asked, NOW)
    assert index.load(vault).notes == []
    assert commits(vault) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["caf\udce9 is latin", "\x00\x1b[31mred", "\u202eright to left", "é" * 50_000, "- [ ] a\n"]
)
def test_whatever_is_remembered_can_be_read_again(vault: str, text: str) -> None:
    filed = remember(vault, text, name=text[:50])
    assert read(vault, filed.path).body.strip()
    assert index.load(vault).broken == ()


def test_a_secret_is_redacted_and_said(vault: str, token: str) -> None:
    filed = remember(vault, f"The token is {token}.", reason=f"for {token}", name=f"token {token}")
    assert "secrets were redacted" in filed.changes[0]
    for path in Path(vault).rglob("*.md"):
        assert token not in path.read_text()
    assert token not in Repository(vault).text("log", "--format=%B")


def test_a_person_who_makes_the_same_file_at_the_same_moment_wins(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between our plan and our step: the answer is no, not a lie."""
    free = notes.free_path

    def meanwhile(kind: str, name: str, taken: list[str], folder: str = "") -> str:
        path = free(kind, name, taken, folder)
        made = os.path.lexists
        monkeypatch.setattr(os.path, "lexists", lambda one: made(one) and not one.endswith(path))
        Path(vault, path).parent.mkdir(exist_ok=True)
        Path(vault, path).write_text("theirs\n")
        return path

    monkeypatch.setattr(notes, "free_path", meanwhile)
    with pytest.raises(HoldfastError, match="something else stands there; nothing was remembered"):
        remember(vault, "Ours.")
    assert Path(vault, "knowledge/ours.md").read_text() == "theirs\n"


@pytest.mark.slow
def test_forgetting_takes_a_note_out_of_the_vault_and_the_map_and_history_keeps_it(vault: str) -> None:
    filed, other = remember(vault, "One."), remember(vault, "Two.")
    commit = edits.forget(vault, [filed.path, "knowledge/never-was.md"], NOW, by=BY_USER)
    assert not Path(vault, filed.path).exists()
    assert filed.path not in Path(vault, "BRAIN.md").read_text()
    assert other.path in Path(vault, "BRAIN.md").read_text()
    assert "One." in Repository(vault).text("show", f"{commit}~1:{filed.path}")
    with pytest.raises(NotFound, match="no such note any more"):
        edits.forget(vault, [filed.path], NOW, by=BY_USER)


@pytest.mark.slow
def test_words_find_notes_and_signs_find_none(vault: str) -> None:
    for text in ("Orders use locks.", "Carts use no locks.", "Note taking."):
        remember(vault, text)
    known = index.load(vault).notes
    assert len(edits.matching(known, "locks use")) == 2
    assert [one.path for one in edits.matching(known, "carts-use")] == ["knowledge/carts-use-no-locks.md"]
    for nothing in ("", "  ", "!!!", "../..", "zebra", "caf\udce9"):
        assert edits.matching(known, nothing) == []


HANDOFF = (
    "---\r\ntitle: x\r\n---\r\n\r\n## Learned\r\n\r\n  * The first call fails.  \r\n- other\r\n\r\n## Mine\r\nkept\r\n"
)


def a_handoff(vault: str, text: str) -> str:
    path = lineage.path_for(Handoff("x", lineage.iso(NOW), "shop"), "box")
    Path(vault, path).parent.mkdir(parents=True)
    Path(vault, path).write_bytes(text.encode())
    return path


@pytest.mark.slow
def test_promoting_moves_one_item_into_a_note_and_leaves_a_link_and_every_other_byte(vault: str) -> None:
    path = a_handoff(vault, HANDOFF)
    filed, where = edits.promote(vault, "shop", "first call", "", NOW, by=BY_USER)
    assert where == path
    linked = f"The first call fails ([note](../../{filed.path}))"
    assert Path(vault, path).read_bytes().decode() == HANDOFF.replace("The first call fails.", linked)
    note = read(vault, filed.path)
    assert (note.kind, note.project, note.origin, note.body.strip()) == (
        "knowledge",
        "shop",
        "agent",
        "The first call fails.",
    )
    changed = Repository(vault).text("show", "--name-only", "--format=%s", "HEAD").split("\n")
    assert sorted(changed) == sorted(["promote: The first call fails", "", "BRAIN.md", filed.path, path])
    newest = lineage.newest(vault, "shop")
    assert newest
    assert edits.promotable(newest[0]) == [("learned", "other")]


@pytest.mark.slow
def test_what_cannot_be_promoted_says_why(vault: str) -> None:
    with pytest.raises(NotFound, match="no handoff yet"):
        edits.promote(vault, "shop", "1", "", NOW, by=BY_USER)
    a_handoff(vault, "---\ntitle: x\n---\n## Learned\n- one\n  more of it\n- two a\n- two b\n")
    with pytest.raises(NotFound, match=r"2 items of the newest handoff have .two."):
        edits.promote(vault, "shop", "two", "", NOW, by=BY_USER)
    with pytest.raises(NotFound, match="No item"):
        edits.promote(vault, "shop", "7", "", NOW, by=BY_USER)
    with pytest.raises(HoldfastError, match="spans several lines"):
        edits.promote(vault, "shop", "one more", "", NOW, by=BY_USER)
    with pytest.raises(UsageError, match="no kind of note"):
        edits.promote(vault, "shop", "two a", "poem", NOW, by=BY_USER)
    assert edits.promote(vault, "shop", "2", "rule", NOW, by=BY_USER)[0].path == "rules/two-a.md"
