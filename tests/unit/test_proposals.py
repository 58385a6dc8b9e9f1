"""Edits that wait for a person: kept until they decide, made only where they still fit, and never without them."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hook_support import Home, Terminal
from improve_support import NOW, OTHER, SHOP, SKILL, Desk

from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.close.improve import edit_record, proposals
from holdfast.close.improve.proposals import Proposal
from holdfast.errors import HoldfastError, NotFound, UsageError

PATH = "knowledge/port.md"


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


def a_proposal(desk: Desk, ident: str = "abcd1234", **fields: object) -> Proposal:
    if not Path(desk.vault, PATH).exists():
        desk.write(PATH, kind="knowledge", body="The port is 80.\n\nIt is open.\n\nAsk Ops.")
    before = desk.text(PATH)
    after = before.replace("The port is 80.", "The port is 8080.")
    known = {"id": ident, "time": NOW, "project": SHOP, "kind": "note", "path": PATH, "before": before, "after": after}
    made = Proposal(**{**known, "why": "a judge said so", **fields})  # type: ignore[arg-type]
    assert proposals.leave(desk.state, made)
    return made


@pytest.mark.slow
def test_what_is_left_is_read_back_with_its_diff_and_for_its_owner_only(desk: Desk) -> None:
    made = a_proposal(desk)
    (found,) = proposals.listing(desk.state, SHOP)
    assert found.diff.endswith("-The port is 80.\n+The port is 8080.\n \n It is open.\n \n")
    assert (found.id, found.before, found.after) == (made.id, made.before, made.after)
    assert stat.S_IMODE(os.stat(f"{desk.state}/proposals/{made.id}").st_mode) == 0o600


@pytest.mark.slow
def test_each_project_sees_its_own_and_what_is_of_none(desk: Desk) -> None:
    for nth, project in enumerate((SHOP, OTHER, "")):
        a_proposal(desk, f"number{nth}", project=project)
    assert [one.id for one in proposals.listing(desk.state, SHOP)] == ["number0", "number2"]
    assert len(proposals.listing(desk.state)) == 3


@pytest.mark.slow
def test_to_accept_is_to_make_the_edit_as_one_commit(desk: Desk) -> None:
    a_proposal(desk)
    done = proposals.accept(desk.vault, desk.state, "ABCD", desk.now, by=BY_USER)
    assert (done.action, done.path) == ("accept", PATH)
    assert "The port is 8080." in desk.text(PATH)
    assert proposals.listing(desk.state) == []
    assert desk.log() == [f"review: accept an edit of {PATH}"]


@pytest.mark.slow
def test_what_a_person_wrote_meanwhile_stays_and_a_clash_is_theirs_to_settle(desk: Desk) -> None:
    a_proposal(desk)
    path = Path(desk.vault, PATH)
    path.write_text(path.read_text().replace("Ask Ops.", "Ask nobody."))
    proposals.accept(desk.vault, desk.state, "abcd1234", desk.now, by=BY_USER)
    assert "The port is 8080.\n\nIt is open.\n\nAsk nobody.\n" in path.read_text()
    a_proposal(desk, after=path.read_text().replace("8080", "9090"))
    path.write_text(path.read_text().replace("8080", "7070"))
    with pytest.raises(HoldfastError, match="still waits"):
        proposals.accept(desk.vault, desk.state, "abcd1234", desk.now, by=BY_USER)
    assert "7070" in path.read_text()
    assert len(proposals.listing(desk.state)) == 1


def test_to_reject_is_to_hear_no_more_of_it(desk: Desk) -> None:
    made = a_proposal(desk)
    before = desk.text(PATH)
    proposals.reject(desk.vault, desk.state, made.id, desk.now, by=BY_USER)
    assert proposals.listing(desk.state) == []
    assert not proposals.leave(desk.state, made)
    assert desk.text(PATH) == before
    assert Path(f"{desk.state}/proposals/decided/{made.id}").exists()


def test_a_claim_without_a_text_is_only_known_and_then_gone(desk: Desk) -> None:
    a_proposal(desk, kind="claim", path="lineage/x.md", before=None, after=None, diff="said: 5, found: 6")
    head = desk.log(form="%H")
    proposals.accept(desk.vault, desk.state, "abcd1234", desk.now, by=BY_USER)
    assert proposals.listing(desk.state) == []
    assert desk.log(form="%H") == head


@pytest.mark.parametrize("path", ["../up.md", "/etc/passwd", ".state/config.toml", ".git/config", "a//b.md"])
def test_no_path_leaves_the_vault(desk: Desk, path: str) -> None:
    a_proposal(desk, path=path, before=None, after="x", diff="x")
    with pytest.raises(UsageError, match="does not lie in the vault"):
        proposals.accept(desk.vault, desk.state, "abcd1234", desk.now, by=BY_USER)


@pytest.mark.parametrize("ident", ["", "../x", "a/b", "x" * 101, "a b", "ä"])
def test_an_id_that_is_no_name_of_a_file_is_refused(desk: Desk, ident: str) -> None:
    with pytest.raises(UsageError, match="no id"):
        proposals.leave(desk.state, Proposal(ident, NOW, SHOP, "note"))


def test_ids_that_begin_alike_are_asked_for_again(desk: Desk) -> None:
    a_proposal(desk, "abcd1111")
    a_proposal(desk, "abcd2222")
    with pytest.raises(NotFound, match="Say more of the id"):
        proposals.accept(desk.vault, desk.state, "abcd", desk.now, by=BY_USER)
    assert proposals.find(desk.state, "2222") is not None
    for wanted in ("zzzz", "ab", ""):
        with pytest.raises(NotFound, match="no proposal"):
            proposals.accept(desk.vault, desk.state, wanted, desk.now, by=BY_USER)


def test_what_is_no_proposal_is_passed_over(desk: Desk) -> None:
    a_proposal(desk)
    for name, text in (("half", "{"), ("other", '{"id":"x"}'), ("a.1.tmp", "")):
        Path(f"{desk.state}/proposals/{name}").write_text(text)
    assert [one.id for one in proposals.listing(desk.state)] == ["abcd1234"]


@pytest.mark.slow
def test_a_skill_is_changed_by_a_persons_word_and_the_loop_closes(desk: Desk) -> None:
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_text().endswith("- Snag: it hung. Better: one frame\n")
    assert [one.state for one in desk.listing().closed] == ["applied"]
    assert desk.notices() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["dirty", "gone"])
def test_a_skill_that_may_not_change_now_keeps_its_proposal(desk: Desk, how: str) -> None:
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    if how == "dirty":
        path.write_text(SKILL.replace("# Render", "# Mine"))
    else:
        path.unlink()
    before = path.read_text() if path.exists() else ""
    with pytest.raises(HoldfastError):
        proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert (path.read_text() if path.exists() else "") == before
    assert len(proposals.listing(desk.state)) == 1
    assert [one.state for one in desk.listing().open] == ["proposed"]


@pytest.mark.slow
def test_a_skill_that_was_committed_meanwhile_gets_both(desk: Desk) -> None:
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    path.write_text(SKILL.replace("# Render", "# Mine"))
    desk.git("commit", "--quiet", "-am", "mine")
    proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert "# Mine" in path.read_text()
    assert "one frame" in path.read_text()


@pytest.mark.parametrize("is_skill", [False, True])
def test_an_edit_outside_the_vault_that_this_machine_has_not_planned_is_not_made(desk: Desk, is_skill: bool) -> None:
    path = desk.skill(top=desk.user) if is_skill else desk.user / ".profile"
    path.write_text("# mine\n")
    a_proposal(desk, kind="skill", path=str(path), before="# mine\n", after="# theirs\n", diff="harmless")
    with pytest.raises(HoldfastError, match="has not planned"):
        proposals.accept(desk.vault, desk.state, "abcd1234", desk.now, by=BY_USER)
    assert path.read_text() == "# mine\n"


@pytest.mark.slow
def test_an_edit_of_a_skill_is_made_only_as_it_was_planned(desk: Desk) -> None:
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    (found,) = proposals.listing(desk.state)
    proposals.leave(desk.state, replace(found, after="# theirs\n"))
    with pytest.raises(HoldfastError, match="has not planned"):
        proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_text() == SKILL
    proposals.reject(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert list(Path(f"{desk.state}/skills").iterdir()) == []


@pytest.mark.slow
def test_a_rejected_edit_closes_its_loop(desk: Desk) -> None:
    desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    proposals.reject(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    (one,) = desk.listing().closed
    assert (one.state, one.why) == ("rejected", "a person rejected it")
    record = edit_record.find(desk.vault, loop.id)
    assert record
    assert "one frame" in record.patch


def fill(where: Home) -> str:
    """One edit that waits in the project of a home."""
    vault = str(where.vault)
    from holdfast.vault import notes
    from holdfast.vault.transaction import writing

    text = notes.new_text(
        name="Port", description="x", kind="knowledge", body="80", day="2026-01-01", project="global", origin="agent"
    )
    with writing(vault, NOW) as writer:
        writer.commit("test", {PATH: text}, cause="test", by=BY_UPKEEP)
    made = Proposal("abcd1234", NOW, where.project_id(), "note", PATH, "why", "", text, text.replace("80", "8080"))
    proposals.leave(where.state, made)
    return made.id


@pytest.mark.slow
def test_review_lists_edits_shows_one_whole_and_takes_the_word_on_it(fresh: Home, terminal: Terminal) -> None:
    ident = fill(fresh)
    out = terminal("review").out
    assert f"  {ident}  [note] {PATH}: why\n      -80\n      +8080\n" in out
    assert f"--- a/{PATH}\n+++ b/{PATH}\n" in terminal("review", "--diff", "abcd").out
    assert json.loads(terminal("review", "--json").out)["proposals"][0]["id"] == ident
    assert terminal("review", "--accept", ident).out == f"accepted {PATH} (now {PATH})\n"
    assert "8080" in (fresh.vault / PATH).read_text()
    assert "[note]" not in terminal("review").out
    assert terminal("review", "--diff", "abcd").status == 4


@pytest.mark.slow
def test_review_rejects_edits_and_still_decides_on_notes(fresh: Home, terminal: Terminal) -> None:
    fill(fresh)
    done = terminal("review", "--reject", "abcd1234", "--keep", PATH)
    assert done.status == 0
    assert f"kept {PATH}" in done.out
    assert f"rejected {PATH}" in done.out


@pytest.mark.slow
@pytest.mark.parametrize("word", ["--accept", "--reject"])
def test_an_agent_decides_on_no_edit(fresh: Home, word: str) -> None:
    ident = fill(fresh)
    done = fresh.cli("review", word, ident, env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert done.status == 2
    assert "the user's to do" in done.err
    assert len(proposals.listing(fresh.state)) == 1
