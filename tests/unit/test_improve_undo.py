"""Taking one snag's edit back: exactly that one, as a commit of its own, and whatever others added stays."""

from __future__ import annotations

import uuid
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from improve_support import NOW, SHOP, SKILL, Desk

from holdfast.capture import platform
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.close.improve import edit_record, proposals, review
from holdfast.errors import NotFound, UsageError
from holdfast.vault import merge
from holdfast.vault.transaction import writing

DOCKER = ("docker prune took the volumes", "name the image")


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


def without_records(tree: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in tree.items() if not path.startswith("improvements/")}


@pytest.mark.slow
def test_a_note_that_was_made_goes_and_with_it_what_armed_it(desk: Desk) -> None:
    desk.write("rules/other.md")
    before = desk.tree()
    (loop,) = desk.close(desk.snag(*DOCKER))
    done = review.undo(desk.vault, desk.state, loop.id[-8:], desk.now, by=BY_USER)
    assert done.paths == ("feedback/snag-docker-prune.md",)
    assert without_records(desk.tree()) == before
    assert "docker" not in Path(f"{desk.state}/armed").read_text()
    assert desk.log(form="%s|%(trailers:key=Holdfast-Cause,valueonly)")[0].startswith("undo a snag: docker prune")
    assert [one.state for one in desk.listing().closed] == ["undone"]
    assert desk.notices() == []


@pytest.mark.slow
def test_of_two_snags_in_one_commit_only_the_one_that_is_named_goes(desk: Desk) -> None:
    first, second = desk.close(desk.snag(*DOCKER), desk.snag("docker prune ran for an hour", "prune images only"))
    review.undo(desk.vault, desk.state, first.id, desk.now, by=BY_USER)
    note = desk.note("feedback/snag-docker-prune.md")
    assert note.body == "\nSnag: docker prune ran for an hour. Better: prune images only\n"
    assert note.sources == (second.id,)
    assert note.when  # the other one still waits for that call
    review.undo(desk.vault, desk.state, second.id, desk.now, by=BY_USER)
    assert desk.files("feedback") == []


@pytest.mark.slow
def test_lines_that_came_to_a_rule_go_and_the_rule_is_as_it_was(desk: Desk) -> None:
    desk.write("rules/small-steps.md", body="Keep it small.\n\nAlways.")
    before = desk.note("rules/small-steps.md").body
    (loop,) = desk.close(desk.snag("too big", "split it", "rule:small steps"))
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    note = desk.note("rules/small-steps.md")
    assert (note.body, note.sources) == (before, ())


@pytest.mark.slow
def test_a_persons_words_in_a_note_that_a_snag_made_stay(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag(*DOCKER))
    path = Path(desk.vault, loop.path)
    path.write_text(path.read_text() + "\nAsk Ops first.\n")
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    note = desk.note(loop.path)
    assert note.body.strip() == "Ask Ops first."
    assert note.when is None


@pytest.mark.slow
def test_a_note_that_is_only_listed_goes_too(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag("forgot to ask", "ask first"))
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert desk.files("feedback") == []


@pytest.mark.slow
def test_the_same_snag_twice_is_one_line_that_either_takes_back(desk: Desk) -> None:
    (first,) = desk.close(desk.snag(*DOCKER))
    (again,) = desk.close(desk.snag(*DOCKER))
    review.undo(desk.vault, desk.state, again.id, desk.now, by=BY_USER)
    assert desk.note("feedback/snag-docker-prune.md").sources == (first.id,)
    assert "Snag:" in desk.text("feedback/snag-docker-prune.md")
    review.undo(desk.vault, desk.state, first.id, desk.now, by=BY_USER)
    assert desk.files("feedback") == []


@pytest.mark.slow
def test_what_was_undone_or_is_unknown_is_said_and_changes_nothing(desk: Desk) -> None:
    (loop,) = desk.close(desk.snag(*DOCKER))
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    head = desk.log(form="%H")
    with pytest.raises(UsageError, match="taken back before"):
        review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    for wanted in ("ZZZZZZZZ", "", "x"):
        with pytest.raises(NotFound, match="nothing was changed"):
            review.undo(desk.vault, desk.state, wanted, desk.now, by=BY_USER)
    assert desk.log(form="%H") == head


@pytest.mark.slow
def test_a_flag_that_comes_again_after_its_undo_is_not_filed_again(desk: Desk) -> None:
    flag = desk.snag(*DOCKER)
    (loop,) = desk.close(flag)
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    tree = desk.tree()
    (again,) = desk.plan(flag)[0]
    assert again.state == "undone"
    assert desk.tree() == tree


@pytest.mark.slow
def test_what_waits_as_a_proposal_is_asked_no_more_once_its_snag_is_taken_back(desk: Desk) -> None:
    desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    assert len(proposals.listing(desk.state)) == 1
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert proposals.listing(desk.state) == []
    assert desk.files("feedback") == []


@pytest.mark.slow
def test_an_accepted_edit_of_the_operators_rule_can_be_taken_back_too(desk: Desk) -> None:
    desk.write("rules/mine.md", origin="user")
    before = desk.note("rules/mine.md").body
    (loop,) = desk.close(desk.snag(*DOCKER, "rule:mine"))
    proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert desk.note("rules/mine.md").body == before


@pytest.mark.slow
def test_a_skill_that_is_as_we_left_it_comes_back_byte_for_byte(desk: Desk) -> None:
    desk.allow()
    path = desk.skill(text=SKILL.replace("\n", "\r\n"))
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    assert b"one frame\r\n" in path.read_bytes()
    done = review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_bytes() == SKILL.replace("\n", "\r\n").encode()
    assert str(path) in done.paths
    assert desk.git("status", "--porcelain") == ""


@pytest.mark.slow
def test_a_skill_that_was_edited_since_keeps_that_edit(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    path.write_text(path.read_text().replace("# Render", "# Render plans"))
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_text() == SKILL.replace("# Render", "# Render plans")
    assert list(Path(f"{desk.state}/skills").iterdir()) == []  # nobody can have it made again


@pytest.mark.slow
def test_a_skill_whose_plan_this_machine_has_lost_is_left_to_its_person_and_then_the_rest_goes(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    Path(f"{desk.state}/skills/{loop.id}").unlink()
    text = path.read_text()
    with pytest.raises(UsageError, match="does not know of an edit"):
        review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_text() == text
    path.write_text(SKILL)
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert desk.files("feedback") == []


@pytest.mark.slow
@pytest.mark.parametrize("is_in_a_skills_folder", [False, True])
def test_a_record_that_came_by_a_sync_takes_nothing_out_of_a_file(desk: Desk, is_in_a_skills_folder: bool) -> None:
    text = "# mine\n- keep this\n"
    path = desk.skill(text=text) if is_in_a_skills_folder else desk.user / ".profile"
    path.write_text(text)
    fields = {"file": str(path), "top": str(path.parent), "machine": platform.machine(), "added": ("keep this",)}
    record = edit_record.Record("0" * 25 + "A", "applied", SHOP, NOW, "w", "b", **fields)  # type: ignore[arg-type]
    Path(desk.vault, "improvements").mkdir()
    Path(desk.vault, record.path).write_text(edit_record.render(record))
    with pytest.raises(UsageError, match="nothing was changed"):
        review.undo(desk.vault, desk.state, record.id, desk.now, by=BY_USER)
    assert path.read_text() == text


def rewrite(desk: Desk, body: str, into: str) -> edit_record.Record:
    """A note whose words a judge's edit has replaced."""
    desk.write("knowledge/deploy.md", kind="knowledge", body=body)
    before = desk.text("knowledge/deploy.md")
    after = before.replace(body, into)
    assert after != before
    patch = merge.whole_patch("knowledge/deploy.md", before, after)
    fields = {"note": "knowledge/deploy.md", "whole": True, "patch": patch}
    record = edit_record.Record("0" * 25 + "A", "applied", SHOP, NOW, "w", "b", **fields)  # type: ignore[arg-type]
    with writing(desk.vault, desk.now) as writer:
        writer.commit(
            "close", {record.note: after, record.path: edit_record.render(record)}, cause="close", by=BY_UPKEEP
        )
    return record


@pytest.mark.slow
def test_a_rewritten_note_with_a_block_like_the_fence_of_its_record_comes_back_whole(desk: Desk) -> None:
    body = "Run:\n\n~~~~~~\nmake deploy\n~~~~~~\n\nDeploy on Monday."
    record = rewrite(desk, body, body.replace("Monday", "Friday"))
    review.undo(desk.vault, desk.state, record.id, desk.now, by=BY_USER)
    assert desk.note("knowledge/deploy.md").body == f"\n{body}\n"


@pytest.mark.slow
def test_a_record_that_lost_a_part_of_its_patch_takes_nothing_back_and_says_so(desk: Desk) -> None:
    record = rewrite(desk, "Deploy on Monday.\n\nAsk Ops.", "Deploy on Friday.\n\nAsk Ops.")
    path = Path(desk.vault, record.path)
    path.write_text(path.read_text().replace("\n Ask Ops.", ""))
    with pytest.raises(UsageError, match="does not have both texts"):
        review.undo(desk.vault, desk.state, record.id, desk.now, by=BY_USER)
    assert "Deploy on Friday." in desk.text("knowledge/deploy.md")
    known = edit_record.find(desk.vault, record.id)
    assert known
    assert known.state == "applied"


@pytest.mark.slow
def test_a_skill_whose_own_line_was_rewritten_is_left_to_its_person(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    text = (
        path.read_text().replace("one frame\n", "one frame\nor two\n").replace("## Snags and better paths", "## Traps")
    )
    path.write_text(text)
    with pytest.raises(UsageError, match="by hand"):
        review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert path.read_text() == text
    record = edit_record.find(desk.vault, loop.id)
    assert record
    assert record.state == "applied"


WORDS = st.sampled_from(["docker prune hung", "git push failed", "it broke", "pytest was slow", "edited a/b.py"])
ORDERS = st.lists(st.tuples(WORDS, st.sampled_from(["wait", "ask", "use ci"])), min_size=1, max_size=5)


@pytest.mark.slow
@given(ORDERS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_filed_and_taken_back_in_any_order_leaves_nothing(
    place: Path, words: list[tuple[str, str]], dice: Random
) -> None:
    desk = Desk(place / uuid.uuid4().hex)
    desk.write("rules/other.md")
    before = desk.tree()
    ids = [loop.id for one in words for loop in desk.close(desk.snag(*one))]
    dice.shuffle(ids)
    for ident in ids:
        review.undo(desk.vault, desk.state, ident, desk.now, by=BY_USER)
    assert without_records(desk.tree()) == before
    assert {one.state for one in desk.listing().closed} == {"undone"}
    assert SHOP in {one.project for one in desk.listing().closed}
