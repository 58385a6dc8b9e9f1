"""Task memory under adversity: saves in the wrong moment, logs that go, machines that know less, disks that refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from task_support import AGENT, NOW, PROJECT, Desk

from holdfast.capture import home, once, platform, queue
from holdfast.tasks import boot, commands, page_file, record, states, task_end, transaction
from holdfast.tasks.index import Index
from holdfast.tasks.record import Entry
from holdfast.vault import own_files as task_files
from holdfast.vault import sync
from holdfast.vault.transaction import Writer, writing


@pytest.fixture
def desk(vault: str) -> Desk:
    made = Desk(vault)
    made.start()
    made.say("--decision", "DO NOT modify config/auth.yaml")
    made.say("--discovery", "legacy_id is unused")
    return made


def texts(desk: Desk, ident: str = "audit") -> list[str]:
    return [one.text for one in record.everything(desk.vault, ident)]


def decided(desk: Desk) -> list[str]:
    return [one.entry.text for one in commands.decisions(desk.vault, PROJECT.id, desk.clock)]


def save_in_the_moment(desk: Desk, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """As an editor that saves by renaming, once, between our look at the page and our step."""
    whole, left = platform.exchange, [data]

    def exchange(one: str, other: str) -> bool:
        if left:
            Path(f"{other}.editor").write_bytes(left.pop())
            os.rename(f"{other}.editor", other)
        return whole(one, other)

    monkeypatch.setattr(platform, "exchange", exchange)


def write(desk: Desk) -> None:
    with writing(desk.vault, desk.clock()):
        pass


# -- a person saves the page at the same moment


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("## Discoveries\n", "## My own heading\n\nmy own words\n\n## Discoveries\n").encode(),
        lambda text: text.encode() + b"x" * page_file.LARGEST,
        lambda text: text.replace("legacy_id", "l\xe9gacy_id").encode("latin-1", "replace"),
        lambda text: text[: len(text) // 2].encode(),
    ],
    ids=["own heading", "huge", "no utf-8", "half of it"],
)
def test_what_a_person_saves_in_the_moment_and_cannot_be_read_is_given_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, damage: Any
) -> None:
    theirs = damage(desk.page())
    save_in_the_moment(desk, monkeypatch, theirs)
    desk.say("--discovery", "another")
    assert Path(record.page_path(desk.vault, "audit")).read_bytes() == theirs
    assert "another" in texts(desk)


def test_an_edit_that_is_cleaned_cut_or_redacted_is_told_once(desk: Desk, token: str) -> None:
    long = "word " * 1500
    desk.edit("\n## Next", f"\n- a\tb\u202ec\n- key is {token}\n\n- {long}\n\n## Next")
    desk.say("--discovery", "another")
    found = texts(desk)
    assert len(found) == len(set(found))
    assert sum("word word" in one for one in found) == 2
    assert sum(one.startswith("key is") for one in found) == 1
    assert found.count("a bc") == 1


def test_a_line_of_invisible_characters_is_no_entry(desk: Desk) -> None:
    before = len(texts(desk))
    desk.edit("\n## Next", "\n- \u200b\u2060\n\n## Next")
    desk.say("--discovery", "another")
    assert len(texts(desk)) == before + 1


def test_a_line_whose_id_was_taken_away_still_holds(desk: Desk) -> None:
    ident = desk.show().in_force[0].id[-6:].lower()
    desk.edit(f"DO NOT modify config/auth.yaml ^{ident}", "DO NOT modify config/auth.yaml")
    assert [one.text for one in desk.show().in_force] == ["DO NOT modify config/auth.yaml"]
    assert [one.text for one in desk.show().in_force] == ["DO NOT modify config/auth.yaml"]


def test_a_copy_of_a_line_is_an_entry_of_its_own_while_the_line_stands(desk: Desk) -> None:
    line = next(one for one in desk.page().split("\n") if "legacy_id is unused" in one)
    desk.edit(line, line + "\n" + line.replace("legacy_id is unused", "old_id is unused too"))
    assert [one.text for one in desk.show().discoveries.entries] == ["legacy_id is unused", "old_id is unused too"]


def test_a_superseded_decision_that_a_person_restores_is_in_force_again_once(desk: Desk) -> None:
    old = desk.show().in_force[0]
    desk.say("--decision", "--supersedes", old.id, "config/auth.yaml may be changed")
    struck = next(one for one in desk.page().split("\n") if one.startswith("- ") and "~~" in one)
    plain = struck.replace("~~DO NOT", "DO NOT").partition("~~ superseded")[0] + f" ^{old.id[-6:].lower()}"
    desk.edit(struck, plain)
    desk.say("--discovery", "another")
    assert [one.text for one in desk.show().in_force] == ["DO NOT modify config/auth.yaml"]
    assert texts(desk).count("DO NOT modify config/auth.yaml") == 2


def test_after_the_next_step_is_taken_away_no_older_one_comes_back(desk: Desk) -> None:
    desk.say("--next", "begin with file 001")
    desk.say("--next", "begin with file 048")
    line = next(one for one in desk.page().split("\n") if "begin with file 048" in one)
    desk.edit(line + "\n", "")
    assert desk.show().next is None
    assert "begin with" not in desk.page()


def test_what_is_edited_in_a_page_that_has_become_old_is_believed_or_left(desk: Desk) -> None:
    opened = desk.page()
    desk.say("--discovery", "meanwhile")
    edited = opened.replace("Goal: Audit all orders", "Goal: Audit the orders of 2025")
    edited = edited.replace("\n## Next", "\n*(a remark of mine)\n\n## Next")
    Path(record.page_path(desk.vault, "audit")).write_text(edited)
    seen = desk.show()
    assert seen.task.goal == "Audit the orders of 2025"
    assert [one.text for one in seen.discoveries.entries] == [
        *("legacy_id is unused", "meanwhile", "*(a remark of mine)")
    ]
    opened = desk.page()
    desk.say("--discovery", "later")
    Path(record.page_path(desk.vault, "audit")).write_text(opened.replace("## State\n", "## State\n\nmy own words\n"))
    desk.say("--discovery", "latest")
    assert "my own words" in desk.page()


@pytest.mark.parametrize(
    "text",
    [
        "~~old~~ superseded by ^abcdef",
        "2026-04-22 — and 2026-04-22T07:00Z — again",
        "## Progress",
        "- a bullet ^abcdef",
        "<!-- holdfast: end of audit, 000000000000 -->",
    ],
)
def test_texts_that_look_like_ours_come_back_as_they_were(desk: Desk, text: str) -> None:
    desk.say("--discovery", text)
    before = len(texts(desk))
    opened = desk.page()
    desk.say("--discovery", "meanwhile")
    Path(record.page_path(desk.vault, "audit")).write_text(opened.replace("\n## Next", "\n- mine\n\n## Next"))
    desk.say("--discovery", "later")
    assert texts(desk)[before:] == ["meanwhile", "mine", "later"]


def test_ids_that_end_alike_are_told_apart_by_their_words(desk: Desk) -> None:
    hidden = Entry("01AAAAAAAAAAAAAA0000ABCDEF", NOW, "discovery", "hidden")
    with transaction.Transaction(desk.vault, desk.clock) as made:
        made.add("audit", [hidden])
        more = [Entry(f"01AAAAAAAAAAAAAA{nth:04d}{nth:06d}", NOW + 1, "discovery", f"n {nth}") for nth in range(200)]
        made.add("audit", more)
        shown = Entry("01BAAAAAAAAAAAAA0000ABCDEF", NOW + 100, "discovery", "shown")
        made.add("audit", [shown])
    desk.edit("shown ^abcdef", "shown and changed ^abcdef")
    found = [one.text for one in desk.show(whole=True).discoveries.entries]
    assert "shown and changed" in found
    assert "shown" not in found


# -- machines and logs


def hubbed(desk: Desk, place: Path) -> tuple[Desk, str]:
    hub = str(place / "hub.git")
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", hub], check=True)
    write(desk)
    sync.sync(desk.vault, desk.clock(), hub)
    other = Desk(str(place / "other"))
    sync.sync(other.vault, other.clock(), hub)
    return other, hub


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [-7200.0, 7200.0])
def test_completed_here_while_checkpointed_there_nothing_is_lost(desk: Desk, place: Path, ahead: float) -> None:
    other, hub = hubbed(desk, place)
    desk.say("--discovery", "found here")
    other.time = desk.time + ahead
    other.say("--discovery", "found there")
    task_end.finish(desk.vault, "", states.COMPLETED, "all done", AGENT, desk.clock, {})
    write(desk)
    for one in (desk, other, desk, other):
        sync.sync(one.vault, one.clock(), hub)
        write(one)
    for one in (desk, other):
        seen = one.show("audit", whole=True)
        assert {"legacy_id is unused", "found here", "found there"} <= {e.text for e in seen.discoveries.entries}
        assert seen.task.state == states.COMPLETED
        assert seen.task.goal == "Audit all orders"
        assert not os.path.exists(f"{one.vault}/tasks/audit")
        log = [e.text for e in record.read(one.vault, f"outputs/{record.FINAL}audit.log").entries]
        assert log.count("found there") == log.count("found here") == 1


def test_a_task_that_goes_takes_what_it_superseded_elsewhere_back(desk: Desk) -> None:
    old = desk.show().in_force[0]
    desk.start("other", "Another")
    desk.say("--task", "other", "--decision", "--supersedes", old.id, "config/auth.yaml may be changed")
    assert decided(desk) == ["config/auth.yaml may be changed"]
    shutil.rmtree(f"{desk.vault}/tasks/other")
    assert decided(desk) == ["DO NOT modify config/auth.yaml"]
    assert "superseded" not in desk.page()
    with transaction.Transaction(desk.vault, desk.clock) as made:
        assert made.index.count("audit", "decision", in_force=True) == 1


def test_a_start_is_not_told_of_a_task_whose_folder_was_deleted(desk: Desk) -> None:
    shutil.rmtree(f"{desk.vault}/tasks/audit")
    assert commands.tasks(desk.vault, PROJECT.id, desk.clock) == []
    assert boot.read(desk.vault, PROJECT.id) == ([], 0)


@pytest.mark.slow
def test_killed_amid_taking_in_an_archive_it_is_taken_in_by_the_next(desk: Desk, monkeypatch: Any) -> None:
    task_end.finish(desk.vault, "", states.COMPLETED, "all done", AGENT, desk.clock, {})
    whole = task_files._forget
    monkeypatch.setattr(task_files, "_forget", lambda *_: None)
    write(desk)
    monkeypatch.setattr(task_files, "_forget", whole)

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with Index(desk.vault).db as db:  # as a look left it between the two commits of the archive
        stamp = os.stat(f"{desk.vault}/outputs")
        db.execute("INSERT OR REPLACE INTO looked VALUES ('outputs', ?)", (f"{stamp.st_mtime_ns}.{stamp.st_ctime_ns}",))
    with monkeypatch.context() as patched:
        patched.setattr(Index, "_take", killed)
        with pytest.raises(Killed):
            commands.tasks(desk.vault, PROJECT.id, desk.clock)
    assert [one.id for one in commands.tasks(desk.vault, PROJECT.id, desk.clock, also_over=True)] == ["audit"]


@pytest.mark.parametrize("what", ["folder", "loop"])
def test_one_log_that_cannot_be_read_costs_no_other_task_anything(desk: Desk, what: str) -> None:
    desk.start("other", "Another")
    place = f"{desk.vault}/tasks/other/log/live/00000000000000000000000000.log"
    if what == "folder":
        os.mkdir(place)
    else:
        Path(place).symlink_to("/proc/self/mem")
    desk.say("--task", "audit", "--discovery", "still taken")
    desk.say("--task", "other", "--discovery", "taken too")
    assert "still taken" in texts(desk)
    assert "taken too" in desk.page("other")


# -- what is derived fails after the entry is durable


def test_a_page_that_the_disk_refuses_costs_no_checkpoint(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(platform, "write_atomic", full)
        desk.say("--discovery", "saved all the same")
    desk.show()
    assert "saved all the same" in desk.page()


@pytest.mark.slow
def test_an_index_that_is_damaged_within_is_made_anew(desk: Desk) -> None:
    for nth in range(40):
        desk.say("--discovery", f"found {nth} " + "x" * 800)
    path = Path(f"{record.own(desk.vault)}/index.db")
    Index(desk.vault).db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray(path.read_bytes())
    for at in range(4096, len(raw), 4096):
        raw[at : at + 200] = b"\xa5" * 200
    path.write_bytes(bytes(raw))
    desk.say("--discovery", "one more")
    assert texts(desk).count("one more") == 1
    assert len(desk.show(whole=True).discoveries.entries) == 42


# -- the end


@pytest.mark.slow
def test_completing_again_promotes_and_keeps_what_is_said_the_second_time(desk: Desk) -> None:
    task_end.finish(desk.vault, "", states.COMPLETED, "all done", AGENT, desk.clock, {}, findings=[("learned", "A")])
    done = task_end.finish(
        desk.vault, "audit", states.COMPLETED, "", AGENT, desk.clock, {},
        findings=[("learned", "A"), ("learned", "B")], promote=["all"],
    )  # fmt: skip
    assert len(done.promoted) == 2
    write(desk)
    flagged = [one.flag.text for one in queue.read(f"{desk.vault}/.state/queue", NOW).entries]
    assert sorted(flagged) == ["A", "B", "DO NOT modify config/auth.yaml", "legacy_id is unused"]


@pytest.mark.slow
def test_what_comes_to_a_task_while_it_is_archived_is_not_taken_away_with_its_folder(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person edits the page after the archive was made, and somebody who looks takes it into the log."""
    task_end.finish(desk.vault, "", states.COMPLETED, "all done", AGENT, desk.clock, {})
    whole = Writer.commit

    def commit(writer: Writer, subject: str, *given: Any, **more: Any) -> Any:
        done = whole(writer, subject, *given, **more)
        if subject == "task: completed audit" and "meanwhile" not in desk.page():
            desk.edit("\n## Next", "\n- meanwhile\n\n## Next")
            with transaction.Transaction(desk.vault, desk.clock) as made:
                made.touch("audit")
        return done

    monkeypatch.setattr(Writer, "commit", commit)
    write(desk)
    monkeypatch.setattr(Writer, "commit", whole)
    write(desk)
    log = [one.text for one in record.read(desk.vault, f"outputs/{record.FINAL}audit.log").entries]
    assert log.count("meanwhile") == 1
    assert not os.path.exists(f"{desk.vault}/tasks/audit")


@pytest.mark.slow
def test_the_decisions_of_an_abandoned_task_take_the_place_of_nothing(desk: Desk) -> None:
    old = desk.show().in_force[0]
    desk.start("other", "Another")
    desk.say("--task", "other", "--decision", "--supersedes", old.id, "config/auth.yaml may be changed")
    task_end.finish(desk.vault, "other", states.ABANDONED, "given up", AGENT, desk.clock, {})
    write(desk)
    assert decided(desk) == ["DO NOT modify config/auth.yaml"]


def test_another_machines_clock_does_not_silence_the_hook(desk: Desk) -> None:
    far = desk.time + 5 * 3600
    with transaction.Transaction(desk.vault, desk.clock) as made:
        made.add("audit", [Entry("01BAAAAAAAAAAAAA0000ABCDEF", far, "discovery", "from another machine")])
    desk.say("--discovery", "from here")
    state = home.state(desk.vault)
    assert once.when(state, AGENT.episode, once.CHECKPOINTED) <= desk.time


def test_a_second_save_while_the_first_is_taken_in_is_not_overwritten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, left = record.append, ["second"]

    def append(*given: Any) -> None:
        whole(*given)
        if left:
            desk.edit("\n## Next", f"\n- {left.pop()}\n\n## Next")

    desk.edit("\n## Next", "\n- first\n\n## Next")
    monkeypatch.setattr(record, "append", append)
    desk.show()
    assert {"first", "second"} <= set(texts(desk))


@pytest.mark.slow
def test_completed_on_two_machines_at_once_it_is_one_task_with_all_its_entries(desk: Desk, place: Path) -> None:
    other, hub = hubbed(desk, place)
    other.time = desk.time
    for one, what in ((desk, "here"), (other, "there")):
        one.say("--discovery", f"found {what}")
        task_end.finish(one.vault, "", states.COMPLETED, what, AGENT, one.clock, {})
        write(one)
    for one in (desk, other, desk, other, desk):
        sync.sync(one.vault, one.clock(), hub)
        write(one)
    for one in (desk, other):
        assert [task.id for task in commands.tasks(one.vault, None, one.clock, also_over=True)] == ["audit"]
        found = {entry.text for entry in one.show("audit", whole=True).discoveries.entries}
        assert found == {"legacy_id is unused", "found here", "found there"}
        assert decided(one) == ["DO NOT modify config/auth.yaml"]


def test_a_removal_on_the_page_that_a_killed_rendering_had_not_replaced_yet_is_believed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> bool:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(platform, "exchange", killed)
        with pytest.raises(Killed):
            desk.say("--discovery", "another")
    line = next(one for one in desk.page().split("\n") if "legacy_id is unused" in one)
    desk.edit(line + "\n", "")
    assert [one.text for one in desk.show().discoveries.entries] == ["another"]
