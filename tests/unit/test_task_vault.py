"""Tasks in the vault: commits, the archive, two machines, undo, export, purge and check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from task_support import AGENT, NOW, PROJECT, Desk

from holdfast.capture import notices, queue
from holdfast.errors import UsageError
from holdfast.memory import Memory
from holdfast.tasks import boot, page, record, states, task_end
from holdfast.vault import check, own_files, sync
from holdfast.vault.git import Repository
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from hook_support import Home, Terminal


@pytest.fixture
def desk(vault: str) -> Desk:
    return Desk(vault)


def git(vault: str, *words: str) -> str:
    return Repository(vault).text(*words)


def write(desk: Desk) -> None:
    with writing(desk.vault, desk.clock()):
        pass


def waiting(vault: str) -> list[tuple[str, str]]:
    return [(one.flag.kind, one.flag.text) for one in queue.read(f"{vault}/.state/queue", NOW).entries]


def finish(desk: Desk, to: str = states.COMPLETED, status: str = "all done", **more: Any) -> task_end.Finished:
    done = task_end.finish(desk.vault, "", to, status, AGENT, desk.clock, {}, **more)
    write(desk)
    return task_end.looked_at(desk.vault, done, desk.clock)


@pytest.mark.slow
def test_what_checkpoints_wrote_is_committed_as_ours_by_the_next_writer(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "one")
    write(desk)
    assert git(desk.vault, "log", "-1", "--format=%an %s") == "Holdfast task: audit"
    assert git(desk.vault, "status", "--porcelain") == ""
    desk.say("--discovery", "two")
    write(desk)
    assert git(desk.vault, "show", "HEAD:tasks/audit/session_memory.md") == desk.page().rstrip("\n")


@pytest.mark.slow
def test_a_page_that_cannot_be_read_is_committed_as_the_persons(desk: Desk) -> None:
    desk.start()
    write(desk)
    desk.edit("## Discoveries\n", "## My own heading\n\n## Discoveries\n")
    write(desk)
    assert git(desk.vault, "log", "-1", "--format=%s").startswith("edited by hand: tasks/audit/session_memory.md")
    assert "My own heading" in desk.page()


@pytest.mark.slow
def test_a_person_who_edits_a_page_is_read_back_by_whoever_writes_next(desk: Desk) -> None:
    desk.start()
    write(desk)
    desk.edit("## Next Session Start\n", "- seen by a person\n\n## Next Session Start\n")
    write(desk)
    assert [one.text for one in desk.show().discoveries.entries] == ["seen by a person"]
    assert git(desk.vault, "status", "--porcelain") == ""


@pytest.mark.slow
def test_a_completed_task_is_archived_committed_and_then_its_folder_goes(desk: Desk) -> None:
    desk.start("audit", "Audit all orders", "files 001-003")
    desk.say("--decision", "DO NOT modify config/auth.yaml")
    desk.say("COMPLETED: files 001-003")
    done = finish(desk, status="all batches processed")
    assert (done.task.state, done.left) == ("completed", "")
    assert not os.path.exists(f"{desk.vault}/tasks/audit")
    text = Path(f"{desk.vault}/{done.archive}").read_text()
    assert "## TASK COMPLETE — 2026-04-22T07:00Z" in text
    assert "Final status: all batches processed" in text
    assert "DO NOT modify config/auth.yaml" in text
    subjects = git(desk.vault, "log", "--format=%s").splitlines()
    assert subjects[:2] == ["task: the working folder of audit goes", "task: completed audit"]
    with pytest.raises(UsageError, match=r"outputs/session_memory_final_audit\.md"):
        desk.say("--task", "audit", "--discovery", "too late")
    with pytest.raises(UsageError, match="is completed"):
        desk.start()


@pytest.mark.slow
def test_every_entry_of_a_long_task_is_in_its_archive(desk: Desk) -> None:
    desk.start()
    from holdfast.tasks.record import DISCOVERY, Entry

    made = [Entry(f"01KPT{nth:021d}", NOW + 1 + nth / 1e4, DISCOVERY, f"fact {nth} " + "x" * 90) for nth in range(900)]
    record.append(desk.vault, "audit", made, NOW)
    done = finish(desk)
    text = Path(f"{desk.vault}/{done.archive}").read_text()
    assert all(f"fact {nth} " in text for nth in range(900))
    (name,) = [path for task, path in record.finished(desk.vault) if task == "audit"]
    assert len([one for one in record.read(desk.vault, name).entries if one.kind == DISCOVERY]) == 900


@pytest.mark.slow
def test_decisions_outlive_the_task_that_made_them(desk: Desk) -> None:
    desk.start()
    desk.say("--decision", "DO NOT modify config/auth.yaml")
    finish(desk)
    memory = Memory.open(desk.vault, "/", desk.clock)
    assert [one.entry.text for one in memory.tasks.decisions(everything=True)] == ["DO NOT modify config/auth.yaml"]
    for name in os.listdir(record.own(desk.vault)):
        if name.startswith("index.db"):
            os.unlink(f"{record.own(desk.vault)}/{name}")
    assert [one.entry.text for one in memory.tasks.decisions(everything=True)] == ["DO NOT modify config/auth.yaml"]


@pytest.mark.slow
def test_an_abandoned_task_is_archived_and_its_decisions_bind_nobody(desk: Desk) -> None:
    desk.start("first")
    desk.say("--decision", "DO NOT modify config/auth.yaml")
    done = finish(desk, states.ABANDONED, "not needed any more")
    assert "TASK ABANDONED" in Path(f"{desk.vault}/{done.archive}").read_text()
    desk.start("second")
    assert desk.say("--decision", "change config/auth.yaml freely").entry.text


@pytest.mark.slow
def test_findings_are_flagged_for_the_close_and_promoted_entries_too(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "legacy_id is read by reports")
    keep = desk.say("--decision", "DO NOT remove legacy_id").entry
    findings = [("learned", "null comes before failed"), ("change", "run the audit weekly")]
    done = finish(desk, findings=findings, promote=[keep.id[-6:].lower()])
    assert [one.entry.text for one in done.offers] == ["legacy_id is read by reports"]
    assert sorted(waiting(desk.vault)) == [
        ("decision", "DO NOT remove legacy_id"),
        ("lesson", "null comes before failed"),
        ("snag", "Task audit (Audit all orders) showed what should change. Better: run the audit weekly"),
    ]
    text = Path(f"{desk.vault}/{done.archive}").read_text()
    assert "Study, learned: null comes before failed" in text
    assert "Act, to change: run the audit weekly" in text


@pytest.mark.slow
def test_a_completion_that_was_killed_before_the_archive_is_finished_by_the_next_writer(desk: Desk) -> None:
    desk.start()
    task_end.finish(desk.vault, "", states.COMPLETED, "done", AGENT, desk.clock, {}, findings=[("learned", "one")])
    assert os.path.exists(f"{desk.vault}/tasks/audit")
    write(desk)
    assert not os.path.exists(f"{desk.vault}/tasks/audit")
    assert waiting(desk.vault) == [("lesson", "one")]


@pytest.mark.slow
def test_killed_between_archive_and_removal_nothing_is_flagged_or_archived_twice(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "one")
    task_end.finish(desk.vault, "", states.COMPLETED, "done", AGENT, desk.clock, {}, findings=[("learned", "one")])
    kept = f"{desk.vault}-kept"
    shutil.copytree(f"{desk.vault}/tasks/audit", kept, symlinks=True)
    write(desk)
    first = Path(f"{desk.vault}/outputs/session_memory_final_audit.md").read_text()
    shutil.copytree(kept, f"{desk.vault}/tasks/audit", symlinks=True)
    write(desk)
    assert not os.path.exists(f"{desk.vault}/tasks/audit")
    assert Path(f"{desk.vault}/outputs/session_memory_final_audit.md").read_text() == first
    assert len({one.flag.id for one in queue.read(f"{desk.vault}/.state/queue", NOW).entries}) == 1


@pytest.mark.slow
def test_something_that_a_person_put_into_the_folder_stays(desk: Desk) -> None:
    desk.start()
    write(desk)
    folder = Path(f"{desk.vault}/tasks/audit")
    (folder / "notes.txt").write_text("mine")
    done = finish(desk)
    assert os.listdir(folder) == ["notes.txt"]
    assert (folder / "notes.txt").read_text() == "mine"
    assert done.left == str(folder)
    before = git(desk.vault, "rev-parse", "HEAD")
    write(desk)
    assert git(desk.vault, "rev-parse", "HEAD") == before


@pytest.mark.slow
def test_the_start_no_longer_tells_of_a_task_that_is_over(desk: Desk) -> None:
    desk.start()
    assert boot.read(desk.vault, PROJECT.id)[0]
    finish(desk)
    assert boot.read(desk.vault, PROJECT.id) == ([], 0)


@pytest.mark.slow
def test_two_machines_that_checkpoint_one_task_end_with_the_same_page(desk: Desk, place: Path) -> None:
    desk.start("audit", "Audit", "files 001-010")
    hub = str(place / "hub.git")
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", hub], check=True)
    write(desk)
    sync.sync(desk.vault, desk.clock(), hub)
    other = Desk(str(place / "other"))
    sync.sync(other.vault, other.clock(), hub)
    other.time = desk.time
    desk.say("COMPLETED: files 001-002")
    other.say("--discovery", "found on the other machine")
    for one in (desk, other, desk, other):
        sync.sync(one.vault, one.clock(), hub)
    assert desk.page() == other.page()
    assert "found on the other machine" in desk.page()
    assert desk.show().standing == other.show().standing
    assert git(desk.vault, "rev-parse", "HEAD^{tree}") == git(other.vault, "rev-parse", "HEAD^{tree}")
    assert not [path for path in git(desk.vault, "ls-files").splitlines() if ".conflict" in path or "beside" in path]


@pytest.mark.slow
def test_an_archive_of_the_vault_brings_the_tasks_along(desk: Desk, place: Path) -> None:
    desk.start("audit", "Audit", "files 001-010")
    desk.say("COMPLETED: files 001-002")
    memory = Memory.open(desk.vault, "/", desk.clock)
    memory.notes.export(f"{place}/all.tar.gz")
    there = Memory.open(f"{place}/restored", "/", desk.clock)
    there.notes.restore(f"{place}/all.tar.gz")
    copy = Desk(f"{place}/restored")
    copy.time = desk.time
    assert copy.show().standing == desk.show().standing
    assert copy.say("COMPLETED: file 003").task.state == states.ACTIVE
    assert desk.show().standing.completed == ("files 001-002",)


def test_check_names_a_page_that_cannot_be_read_and_a_damaged_log(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "one")
    assert check.check(desk.vault, NOW).ok
    desk.edit("## Discoveries\n", "## My own heading\n\n## Discoveries\n")
    path, size = record.logs(desk.vault, "audit")[0]
    with open(f"{desk.vault}/{path}", "r+b") as file:
        file.seek(size - 10)
        file.write(b"XXXX")
    found = {one.code: one for one in check.check(desk.vault, NOW).findings}
    assert "is no section of a task's memory" in found["task-page"].what
    assert found["task-page"].line > 1
    assert found["task-log"].what.startswith("damage at bytes")
    assert found["task-log"].project == PROJECT.id


@pytest.mark.slow
def test_purging_a_note_takes_its_words_out_of_the_tasks_too(fresh: Home, terminal: Terminal) -> None:
    words = "the launch code of the blue rocket is seventeen"
    assert terminal("task", "start", "audit", "Audit").status == 0
    assert terminal.fast("task", "checkpoint", "--discovery", words).status == 0
    filed = json.loads(terminal.fast("remember", "--json", words).out)
    done = terminal("forget", filed["path"], "--purge", "--yes")
    assert done.status == 0, done.err
    for top, _, names in os.walk(fresh.vault):
        for name in names:
            if not os.path.islink(f"{top}/{name}"):
                assert words.encode() not in Path(f"{top}/{name}").read_bytes()
    shown = json.loads(terminal("task", "show", "--json").out)
    assert [one["text"] for one in shown["discoveries"]] == ["[purged]"]
    assert not page.is_edited(Path(f"{fresh.vault}/tasks/audit/session_memory.md").read_text())


@pytest.mark.slow
def test_undoing_the_removal_brings_the_folder_back(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "one")
    finish(desk)
    memory = Memory.open(desk.vault, "/", desk.clock)
    entries, _ = memory.notes.history("", 5, everything=True)
    removal = next(one for one in entries if "working folder" in one.subject)
    memory.notes.undo(removal.id)
    assert os.path.exists(f"{desk.vault}/tasks/audit/session_memory.md")


def test_ours_are_logs_archives_and_pages_as_they_were_rendered(desk: Desk) -> None:
    desk.start()
    path, _ = record.logs(desk.vault, "audit")[0]
    assert own_files.is_ours(desk.vault, path)
    assert own_files.is_ours(desk.vault, "tasks/audit/session_memory.md")
    assert not own_files.is_ours(desk.vault, "tasks/audit/notes.txt")
    assert not own_files.is_ours(desk.vault, "knowledge/x.md")
    desk.edit("## Discoveries\n", "## Other\n")
    assert not own_files.is_ours(desk.vault, "tasks/audit/session_memory.md")


@pytest.mark.slow
def test_what_an_abandoned_task_had_superseded_in_another_holds_again(desk: Desk) -> None:
    desk.start("server", "Build the server")
    old = desk.say("--decision", "Use port 8080 for the mock server").entry.id
    desk.start("port", "Try another port")
    desk.say("--task", "port", "--decision", "--supersedes", old, "Use port 9090 for the mock server")
    assert desk.show("server").in_force == ()
    task_end.finish(desk.vault, "port", states.ABANDONED, "", AGENT, desk.clock, {})
    write(desk)
    assert [one.id for one in desk.show("server").in_force] == [old]
    assert "~~" not in desk.page("server")
    for name in Path(desk.vault, ".state/tasks").glob("index.db*"):
        name.unlink()
    assert [one.id for one in desk.show("server").in_force] == [old], "made anew it answers the same"


@pytest.mark.slow
def test_completing_says_what_was_redacted_and_that_a_page_could_not_be_read(desk: Desk) -> None:
    desk.start()
    desk.say("--discovery", "one")
    desk.edit("## Discoveries", "## My own\n\n- mine\n\n## Discoveries")
    done = finish(desk, status="the key was ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    assert [note.partition(" ")[0] for note in done.notes] == ["secrets", "session_memory.md"]
    assert "- mine" in desk.page(), "it is a person's, so it stays"
    (found,) = check.check(desk.vault, NOW).findings
    assert (found.path, found.level) == ("tasks/audit/session_memory.md", "warning")


@pytest.mark.slow
def test_a_task_that_is_over_warns_no_start(desk: Desk) -> None:
    desk.start()
    state = f"{desk.vault}/.state"
    for name in (record.LATE, record.DEAD):
        notices.leave(state, f"{name}audit", "look at the tree", NOW, project=PROJECT.id)
    finish(desk)
    assert notices.for_project(state, PROJECT.id, NOW) == []
