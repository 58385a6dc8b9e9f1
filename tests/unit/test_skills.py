"""Skill files: found where they may be, changed only with permission, only clean, and never under somebody's hands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from improve_support import NOW, SHOP, SKILL, Desk

from holdfast.capture import platform
from holdfast.capture.gate import BY_USER
from holdfast.close.improve import edit_record, improvement, proposals, review, skills
from holdfast.close.improve.skills import HEADING
from holdfast.vault.transaction import Writer

LINE = "Snag: it hung. Better: one frame"


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


def learn(desk: Desk) -> str:
    """One snag for the skill, closed; the state that its loop comes to."""
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    record = edit_record.find(desk.vault, loop.id)
    assert record
    return record.state


@pytest.mark.slow
def test_without_permission_the_edit_waits_as_a_diff_and_the_file_is_untouched(desk: Desk) -> None:
    path = desk.skill()
    assert learn(desk) == "proposed"
    assert path.read_text() == SKILL
    (proposal,) = proposals.listing(desk.state)
    assert f"+- {LINE}\n" in proposal.diff
    assert "user decides with `holdfast review`" in " ".join(desk.notices())
    assert [desk.note(f"feedback/{one}").is_active for one in desk.files("feedback")] == [True]  # it works meanwhile


@pytest.mark.slow
def test_with_permission_the_working_file_changes_and_nothing_is_staged_or_committed(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    path.chmod(0o640)
    head = desk.git("rev-parse", "HEAD")
    assert learn(desk) == "applied"
    assert path.read_text() == f"{SKILL}\n{HEADING}\n\n- {LINE}\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert desk.git("status", "--porcelain") == f" M {path.relative_to(desk.root)}\n"
    assert desk.git("rev-parse", "HEAD") == head
    assert sorted(os.listdir(path.parent)) == ["SKILL.md"]
    assert f"Changed by a snag: {path} now says" in " ".join(desk.notices())
    (record,) = desk.files("improvements")
    text = desk.text(f"improvements/{record}")
    assert f"\n+- {LINE}\n" in text
    assert f"\n-- {LINE}\n" in text


@pytest.mark.slow
def test_the_vault_has_the_patch_before_the_file_is_touched(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    assert path.read_text() == SKILL
    (one,) = desk.listing().open
    assert one.state == "waiting"
    assert f"+- {LINE}" in desk.text(f"improvements/{one.id}.md")
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)  # the next close
    assert (done.state, done.is_open) == ("applied", False)
    assert LINE in path.read_text()
    assert improvement.apply_pending(desk.vault, desk.state, desk.now) == []


@pytest.mark.slow
def test_a_close_that_was_killed_behind_the_file_is_finished_by_the_next(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    path.write_text(skills.with_lines(SKILL, (LINE,)))
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert done.state == "applied"
    assert path.read_text().count(LINE) == 1


@pytest.mark.slow
@pytest.mark.parametrize("module", [platform, skills, Writer], ids=["keeping a copy", "the file", "the record"])
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "behind"])
def test_wherever_a_close_is_killed_the_next_one_ends_with_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, module: Any, is_done: bool
) -> None:
    desk.allow()
    path = desk.skill()
    flag = desk.snag("it hung", "one frame", "skill:render")
    desk.plan(flag)
    name = {platform: "write_atomic", skills: "write", Writer: "commit"}[module]
    real = getattr(module, name)

    def killed(*args: Any, **more: Any) -> None:
        if is_done:
            real(*args, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, name, killed)
    with pytest.raises(KeyboardInterrupt):
        improvement.apply_pending(desk.vault, desk.state, desk.now)
    monkeypatch.setattr(module, name, real)
    desk.close(flag)  # nothing was acknowledged, so the flag comes again
    assert path.read_text() == f"{SKILL}\n{HEADING}\n\n- {LINE}\n"
    assert [one.state for one in desk.listing().closed] == ["applied"]
    assert desk.listing().open == ()
    assert proposals.listing(desk.state) == []


@pytest.mark.slow
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "behind"])
def test_a_close_that_is_killed_at_its_last_commit_leaves_one_sentence(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    desk.allow()
    path = desk.skill()
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    real = Writer.commit

    def killed(*args: Any, **more: Any) -> None:
        if is_done:
            real(*args, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "commit", killed)
    with pytest.raises(KeyboardInterrupt):
        improvement.apply_pending(desk.vault, desk.state, desk.now)
    monkeypatch.setattr(Writer, "commit", real)
    improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert [str(path) in line for line in desk.notices()] == [True]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["edited", "committed", "dirty", "forbidden", "gone", "link"])
def test_a_file_that_is_not_what_it_was_planned_on_is_left_and_the_edit_waits(desk: Desk, how: str) -> None:
    desk.allow()
    path = desk.skill()
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    if how in ("edited", "committed"):
        path.write_text("# Mine now\n")
        desk.git(*(("commit", "--quiet", "-am", "mine") if how == "committed" else ("status",)))
    elif how == "dirty":
        desk.git("rm", "--quiet", "--cached", str(path.relative_to(desk.root)))
    elif how == "forbidden":
        desk.allow("ask")
    else:
        path.unlink()
    if how == "link":
        elsewhere = desk.folder / "elsewhere.md"
        elsewhere.write_text(SKILL)
        path.symlink_to(elsewhere)
    before = path.read_text() if path.exists() else None
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert (done.state, bool(done.why)) == ("proposed", True)
    assert (path.read_text() if path.exists() else None) == before
    assert done.is_open


@pytest.mark.slow
def test_another_machine_leaves_it_to_the_one_that_has_the_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.allow()
    path = desk.skill()
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    monkeypatch.setattr(platform, "machine", lambda: "another")
    assert improvement.apply_pending(desk.vault, desk.state, desk.now) == []
    assert path.read_text() == SKILL


@pytest.mark.slow
@pytest.mark.parametrize("how", ["changed", "staged", "untracked"])
def test_a_file_with_unfinished_work_is_never_changed(desk: Desk, how: str) -> None:
    desk.allow()
    path = desk.skill()
    if how == "untracked":
        desk.git("rm", "--quiet", "--cached", "-r", ".claude")
        desk.git("commit", "--quiet", "-m", "no longer")
    else:
        path.write_text(SKILL + "Mine.\n")
    if how == "staged":
        desk.git("add", "-A")
    before = path.read_bytes()
    assert learn(desk) == "proposed"
    assert path.read_bytes() == before
    (proposal,) = proposals.listing(desk.state)
    assert proposal.why == "it has changes that are not committed"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ignored", "--skip-worktree", "--assume-unchanged"])
def test_a_file_that_git_does_not_look_at_changes_by_its_persons_word_alone(desk: Desk, how: str) -> None:
    desk.allow()
    if how == "ignored":
        (desk.root / ".gitignore").write_text(".claude/\n")
    path = desk.skill()
    if how != "ignored":
        desk.git("update-index", how, str(path.relative_to(desk.root)))
        path.write_text(SKILL + "Mine.\n")  # git says that it is clean
        assert desk.git("status", "--porcelain") == ""
    before = path.read_text()
    assert learn(desk) == "proposed"
    assert path.read_text() == before
    (proposal,) = proposals.listing(desk.state)
    assert ("git ignores it" if how == "ignored" else "overlook its changes") in proposal.why
    proposals.accept(desk.vault, desk.state, proposal.id, desk.now, by=BY_USER)
    assert path.read_text() == f"{before}\n{HEADING}\n\n- {LINE}\n"


@pytest.mark.slow
def test_a_file_of_the_home_that_is_in_no_repository_may_change(desk: Desk) -> None:
    desk.allow()
    mine = desk.skill("tidy", top=desk.user, folder=".agents")
    desk.close(desk.snag("it was messy", "sort it", "skill:tidy"))
    assert "Better: sort it" in mine.read_text()


@pytest.mark.slow
def test_a_repositorys_vault_permits_nothing_and_the_users_own_does(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = desk.folder / "own"
    (own / ".state").mkdir(parents=True)
    monkeypatch.setenv("HOLDFAST_HOME", str(own))
    path = desk.skill()
    desk.allow()  # as the repository says in the vault that it brings
    assert learn(desk) == "proposed"
    assert path.read_text() == SKILL
    (own / ".state/config.toml").write_text('[improve]\nskills = "apply"\n')
    desk.plan(flag := desk.snag("it froze", "two frames", "skill:render"))
    assert not Path(f"{desk.state}/skills").exists()  # what is planned is not kept there either
    (own / ".state/config.toml").write_text("")
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert (done.id, done.state) == (flag.id, "proposed")
    assert path.read_text() == SKILL
    (own / ".state/config.toml").write_text('[improve]\nskills = "apply"\n')
    desk.close(desk.snag("it crashed", "three frames", "skill:render"))
    assert "three frames" in path.read_text()


def waiting(desk: Desk, path: Path, added: str, **fields: Any) -> edit_record.Record:
    """A record as somebody who can push to the vault writes one, for this very machine."""
    text = path.read_text()
    given = {"file": str(path), "top": str(desk.user), "machine": platform.machine(), "added": (added,), **fields}
    given["before"] = edit_record.text_digest(text)
    made = edit_record.Record("0" * 25 + "A", "waiting", SHOP, NOW, "w", "b", **given)
    Path(desk.vault, "improvements").mkdir(exist_ok=True)
    Path(desk.vault, made.path).write_text(edit_record.render(made))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("is_skill", [False, True])
def test_a_record_that_came_by_a_sync_writes_into_no_file(desk: Desk, is_skill: bool) -> None:
    desk.allow()
    path = desk.skill(top=desk.user) if is_skill else desk.user / ".profile"
    path.write_text("# mine\n")
    record = waiting(desk, path, "x; touch owned")
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert (done.state, done.why) == ("proposed", "this machine has planned no such edit")
    assert path.read_text() == "# mine\n"
    assert desk.notices() == []
    assert proposals.listing(desk.state) == []
    review.undo(desk.vault, desk.state, record.id, desk.now, by=BY_USER)  # and it can be ended
    assert desk.listing().open == ()
    assert path.read_text() == "# mine\n"


@pytest.mark.slow
def test_a_record_that_was_changed_on_its_way_changes_neither_the_file_nor_the_words(desk: Desk) -> None:
    desk.allow()
    path = desk.skill()
    (loop,) = desk.plan(desk.snag("it hung", "one frame", "skill:render"))[0]
    record = Path(desk.vault, f"improvements/{loop.id}.md")
    mine = desk.user / ".profile"
    mine.write_text("# mine\n")
    planned = record.read_text()
    record.write_text(planned.replace(f"file: {path}", f"file: {mine}"))
    assert record.read_text() != planned
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert done.state == "proposed"
    assert (mine.read_text(), path.read_text()) == ("# mine\n", SKILL)
    record.write_text(planned.replace("one frame", "no frame at all"))
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert done.state == "applied"
    assert path.read_text() == f"{SKILL}\n{HEADING}\n\n- {LINE}\n"


@pytest.mark.slow
def test_a_skill_whose_name_leads_elsewhere_by_now_is_left(desk: Desk) -> None:
    desk.allow()
    path = desk.skill(top=desk.user)
    desk.plan(desk.snag("it hung", "one frame", "skill:render"))
    ours = desk.skill()  # the project has one of its own now
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert done.state == "proposed"
    assert (path.read_text(), ours.read_text()) == (SKILL, SKILL)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "{", '{"v":1}', '{"v":1,"id":"x"}'])
def test_a_plan_that_cannot_be_read_is_none(desk: Desk, text: str) -> None:
    desk.allow()
    path = desk.skill()
    (loop,) = desk.plan(desk.snag("it hung", "one frame", "skill:render"))[0]
    Path(f"{desk.state}/skills/{loop.id}").write_text(text)
    assert skills.find_plan(loop.id) is None
    assert skills.find_plan("../up") is None
    (done,) = improvement.apply_pending(desk.vault, desk.state, desk.now)
    assert (done.state, path.read_text()) == ("proposed", SKILL)


def test_the_projects_own_skill_goes_before_the_users(desk: Desk) -> None:
    ours, mine = desk.skill(), desk.skill(top=desk.user)
    assert skills.find("render", str(desk.root), str(desk.user)) == skills.Skill(str(ours), str(desk.root), SKILL)
    ours.unlink()
    found = skills.find("render", str(desk.root), str(desk.user))
    assert found
    assert found.path == str(mine)


def test_a_link_within_the_project_is_followed_and_one_that_leaves_it_is_not(desk: Desk) -> None:
    real = desk.skill(folder=".agents")
    (desk.root / ".claude").mkdir()
    (desk.root / ".claude/skills").symlink_to("../.agents/skills")
    found = skills.find("render", str(desk.root), "")
    assert found
    assert found.path == str(real)
    outside = desk.folder / "outside" / "out"
    outside.mkdir(parents=True)
    (outside / "SKILL.md").write_text(SKILL)
    (desk.root / ".agents/skills/out").symlink_to(outside)
    (desk.root / ".agents/skills/file").mkdir()
    (desk.root / ".agents/skills/file/SKILL.md").symlink_to(real)
    for name in ("out", "file", "../render", "", ".", "none", "a\0b"):
        assert skills.find(name, str(desk.root), str(desk.user)) is None


def test_what_is_no_plain_text_file_is_no_skill(desk: Desk) -> None:
    path = desk.skill()
    path.write_bytes(b"\xff\xfe")
    assert skills.find("render", str(desk.root), "") is None
    path.write_bytes(b"x" * (skills.LARGEST + 1))
    assert skills.find("render", str(desk.root), "") is None
    path.unlink()
    os.mkfifo(path)
    assert skills.find("render", str(desk.root), "") is None


def test_a_save_between_look_and_swap_wins(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.skill()
    swap = platform.exchange

    def saved_meanwhile(one: str, other: str) -> bool:
        monkeypatch.setattr(platform, "exchange", swap)
        path.write_text("# Mine\n")
        return swap(one, other)

    monkeypatch.setattr(platform, "exchange", saved_meanwhile)
    assert skills.write(str(path), SKILL, "ours") is False
    assert path.read_text() == "# Mine\n"
    assert os.listdir(path.parent) == ["SKILL.md"]


@given(st.text(alphabet="ab #-\n`", max_size=60), st.booleans())
@settings(deadline=None, max_examples=150)
def test_lines_that_come_can_go_again_and_come_only_once(text: str, has_section: bool) -> None:
    given = f"{text}\n{HEADING}\n\n- Old one\n\n## More\n\nwords\n" if has_section else text
    after = skills.with_lines(given, (LINE,))
    assert after.splitlines().count(f"- {LINE}") == 1
    assert skills.with_lines(after, (LINE,)) == after
    back = skills.without_lines(after, (LINE,))
    assert back.strip("\n") == given.strip("\n")
    if has_section and "`" not in text:
        assert after.index(LINE) < after.index("## More")
