"""What the hook sees of a task's units, through the whole hook: an agent that never checkpoints does nothing again that
was seen done, and is told to look at what was only begun; what is said stays apart from what was seen."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Agents, Home, imported_by

from holdfast.capture import config, flags, home, locks, projects
from holdfast.tasks import boot, checkpoint_words, commands, record, watch
from holdfast.tasks.page import View

TASK, GOAL = "audit", "Check the orders of 2026"
SEEN = "seen done by the hook, nobody said so:"


def speaker(where: Home, session: str = "") -> flags.Speaker:
    home.make_vault(str(where.vault))
    project = projects.find(str(where.project), str(where.vault))
    return flags.Speaker("claude-code", f"claude-code/{session}/1" if session else "", project, "agent")


def begin(where: Home, *units: str, task: str = TASK) -> None:
    commands.start(str(where.vault), task, GOAL, speaker(where), time.time, pending=units)


def say(where: Home, *line: str) -> None:
    said = checkpoint_words.settled(checkpoint_words.read(list(line)))
    commands.checkpoint(str(where.vault), said, speaker(where), time.time, {})


def show(where: Home, task: str = TASK) -> View:
    return commands.show(str(where.vault), task, where.project_id(), time.time, {})


def done(where: Home, unit: str) -> commands.Done:
    return commands.is_done(str(where.vault), unit, TASK, where.project_id(), time.time, {})


def start(where: Home, session: str = "s1", **more: Any) -> str:
    return where.answer(where.event("SessionStart", session, source="startup"), **more)


def write(where: Home, path: str, session: str = "s1", text: str = "x", tool: str = "Write", **more: Any) -> str:
    """The agent writes a file, with a tool of its own."""
    at = where.project / path
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(text)
    given = {"file_path": str(at), "content": text}
    return where.answer(where.event("PostToolUse", session, tool_name=tool, tool_input=given, **more))


def run(where: Home, command: str, session: str = "s1", *, host: str = "claude-code", failed: bool = False) -> str:
    """The agent runs a command, really, if it can be run here."""
    if not failed:
        subprocess.run(["sh", "-c", command], cwd=where.project, env=where.env, capture_output=True, check=False)
    name = "PostToolUseFailure" if failed else "PostToolUse"
    return where.answer(where.event(name, session, tool_name="Bash", tool_input={"command": command}), host=host)


def read(where: Home, path: str, session: str = "s1") -> str:
    given = {"file_path": str(where.project / path)}
    return where.answer(where.event("PostToolUse", session, tool_name="Read", tool_input=given))


def kept(where: Home, task: str = TASK) -> list[tuple[str, str]]:
    """What was seen, as the log has it."""
    return [(one.to, one.text) for one in record.everything(str(where.vault), task) if one.kind == record.SEEN]


@pytest.fixture
def shop(fresh: Home) -> Home:
    """A project with git, a task of twenty files, and a session at work."""
    git(fresh, "init", "-q", "-b", "main")
    begin(fresh, "files 001-020")
    start(fresh)
    return fresh


def git(where: Home, *argv: str) -> None:
    who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.com"}
    who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@example.com"}
    where.more.update(who)
    subprocess.run(["git", *argv], cwd=where.project, env=where.env, check=True, capture_output=True)


# --- what counts as done, and what as begun


def test_a_unit_that_was_written_is_begun_and_one_that_was_followed_by_another_is_seen_done(shop: Home) -> None:
    write(shop, "out/001.json")
    assert (show(shop).standing.seen, show(shop).standing.seen_begun) == ((), ("file 001",))
    write(shop, "out/001.json", text="xy")
    write(shop, "out/002.json")
    write(shop, "out/003.json")
    seen = show(shop)
    assert seen.standing.seen == ("files 001-002",)
    assert seen.standing.seen_begun == ("file 003",)
    assert seen.standing.completed == (), "nobody said so"
    assert seen.step() == (
        "file 003: it was begun (out/003.json was written); look at what is there before doing it again"
    )
    assert kept(shop) == [
        *[("written", "file 001"), ("followed", "file 001"), ("written", "file 002")],
        *[("followed", "file 002"), ("written", "file 003")],
    ]


@pytest.mark.slow
def test_the_next_start_after_a_kill_says_what_was_seen_and_what_is_next(shop: Home, agents: Agents) -> None:
    agent = agents()
    start(shop, "s2", pid=agent.pid)
    for nth in (1, 2, 3):
        write(shop, f"out/{nth:03}.json", "s2")
    agent.kill()
    told = start(shop, "s3", pid=os.getpid())
    assert "Next step: file 003: it was begun (out/003.json was written); look at what is there" in told
    assert f"Progress: {SEEN} files 001-002 · seen begun: file 003 · pending files 004-020" in told
    assert "Its last session died" in told
    assert shop.cli("close").status == 0, "which a start begins in the background, where one died"
    page = Path(record.page_path(str(shop.vault), TASK)).read_text()
    assert f"{SEEN} files 001-002" in page, "what the agent reads first says the same"
    assert shop.errors() == []


def told_of(where: Home) -> list[tuple[tuple[str, str, int], ...]]:
    return [one.items for one in boot.read(str(where.vault), where.project_id())[0]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_start_that_finds_the_log_ahead_says_what_the_index_says_of_it(fresh: Home, seed: int) -> None:
    dice = random.Random(seed)
    git(fresh, "init", "-q", "-b", "main")
    begin(fresh, "files 001-012", "order_001.json - order_009.json", "src/a.py, src/b.py, docs/*.md, orders/batch_4/")
    say(fresh, "Next: begin with file 001")
    for line in dice.sample(
        ["COMPLETED: file 003", "IN_PROGRESS: files 005-007", "FAILED: src/b.py", "SKIPPED: file 009"], 2
    ):
        say(fresh, line)
    paths = [f"out/{nth:03}.json" for nth in range(1, 13)] + [f"csv/order_{nth:03}.csv" for nth in range(1, 10)]
    paths += ["src/a.py", "src/b.py", "docs/x.md", "docs/y.md", "orders/batch_4/z.json"]
    start(fresh)
    for nth in range(dice.randrange(1, 14)):
        if dice.random() < 0.25:
            run(
                fresh,
                dice.choice(["git add -A && git commit -qm more", "git commit --allow-empty -qm 'files 001-012'"]),
            )
        else:
            write(fresh, dice.choice(paths), text=f"{nth}")
    ahead = told_of(fresh)
    standing = show(fresh).standing
    assert told_of(fresh) == ahead, f"{seed}: {standing}"
    assert fresh.errors() == []


def test_a_start_that_finds_the_log_ahead_opens_no_database(shop: Home) -> None:
    write(shop, "out/001.json")
    names = imported_by(shop, shop.event("SessionStart", "s2", source="startup"))
    assert not {one for one in names if "sqlite" in one or "ctypes" in one}


def test_whoever_looked_at_a_begun_unit_and_goes_on_to_a_fresh_one_has_passed_it(shop: Home) -> None:
    write(shop, "out/001.json")
    write(shop, "out/002.json")
    start(shop, "s2")
    read(shop, "out/002.json", "s2")
    assert show(shop).standing.seen_begun == ("file 002",), "a look alone is nothing"
    write(shop, "out/003.json", "s2")
    assert show(shop).standing.seen == ("files 001-002",)


def test_a_begun_unit_that_nobody_looked_at_stays_begun(shop: Home) -> None:
    write(shop, "out/001.json")
    start(shop, "s2")
    write(shop, "out/002.json", "s2")
    write(shop, "out/003.json", "s2")
    seen = show(shop).standing
    assert seen.seen == ("file 002",)
    assert seen.next_unit == "file 001"


def test_a_begun_unit_that_is_finished_by_the_next_session_does_not_pass_the_others_it_looked_at(shop: Home) -> None:
    write(shop, "out/001.json")
    start(shop, "s2")
    write(shop, "out/002.json", "s2")
    start(shop, "s3")
    read(shop, "out/001.json", "s3")
    read(shop, "out/002.json", "s3")
    write(shop, "out/001.json", "s3", text="whole")
    assert show(shop).standing.seen_begun == ("files 001-002",)
    write(shop, "out/002.json", "s3", text="whole")
    write(shop, "out/003.json", "s3")
    assert show(shop).standing.seen == ("files 001-002",)


@pytest.mark.slow
def test_a_commit_that_contains_a_unit_or_names_it_ends_it(shop: Home) -> None:
    write(shop, "out/001.json")
    run(shop, "git add -A && git commit -qm 'one more'")
    assert show(shop).standing.seen == ("file 001",)
    write(shop, "out/002.json")
    (shop.project / "other.txt").write_text("x")
    run(shop, "git add other.txt && git commit -qm 'something else'")
    assert show(shop).standing.seen_begun == ("file 002",), "it is not in that commit"
    run(shop, "git commit -qm 'Convert file 005' --allow-empty")
    assert show(shop).standing.seen == ("file 001", "file 005")


@pytest.mark.parametrize("message", ["WIP file 001", "Revert file 001", "Half of file 001", "start on file 001"])
def test_a_commit_that_calls_itself_unfinished_ends_nothing(shop: Home, message: str) -> None:
    write(shop, "out/001.json")
    run(shop, f"git add -A && git commit -qm '{message}'")
    assert show(shop).standing.seen_begun == ("file 001",)


def test_a_commit_of_a_whole_range_ends_only_what_was_begun(shop: Home) -> None:
    write(shop, "out/002.json")
    run(shop, "git commit -qm 'A list for files 001-020' --allow-empty")
    assert show(shop).standing.seen == ("file 002",)


def test_a_commit_that_failed_ends_nothing(shop: Home) -> None:
    write(shop, "out/001.json")
    run(shop, "git commit -m 'Convert file 001'", failed=True)
    assert show(shop).standing.seen == ()


@pytest.mark.slow
def test_a_passing_command_that_names_a_written_unit_ends_it_and_a_look_does_not(shop: Home) -> None:
    write(shop, "out/001.json")
    for command in ("cat out/001.json", "python check.py out/001.json | tail -1", "python check.py out/001.json; true"):
        run(shop, command)
    run(shop, "python check.py out/001.json", failed=True)
    assert show(shop).standing.seen == ()
    run(shop, "cd . && python check.py out/001.json")
    assert show(shop).standing.seen == ("file 001",)
    write(shop, "out/001.json", text="again")
    assert show(shop).standing.seen_begun == ("file 001",), "it is being changed"


@pytest.mark.slow
def test_a_command_that_makes_the_file_itself_counts_as_work_and_the_next_ends_it(shop: Home) -> None:
    run(shop, "mkdir -p out && echo x > out/001.json")
    run(shop, "cat > out/002.json <<'EOF'\n{}\nEOF")
    run(shop, "python convert.py 003")
    seen = show(shop).standing
    assert (seen.seen, seen.seen_begun) == (("files 001-002",), ("file 003",))


@pytest.mark.slow
def test_codex_does_not_say_whether_a_command_failed_so_only_files_and_commits_count(shop: Home) -> None:
    start(shop, "c1", host="codex")
    run(shop, "python convert.py 003", "c1", host="codex")
    assert kept(shop) == []
    (shop.project / "out").mkdir()
    (shop.project / "out" / "004.json").write_text("{}")
    patch = "*** Begin Patch\n*** Add File: out/004.json\n+{}\n*** Delete File: out/005.json\n*** End Patch"
    event = shop.event("PostToolUse", "c1", tool_name="apply_patch", tool_input={"command": patch})
    shop.answer(event, host="codex")
    assert kept(shop) == [("written", "file 004")], "a file that was deleted is no work"


def test_two_agents_at_once_do_not_end_each_others_units(shop: Home) -> None:
    write(shop, "out/001.json", agent_id="a1")
    write(shop, "out/002.json", agent_id="a2")
    assert show(shop).standing.seen == ()
    write(shop, "out/003.json", agent_id="a1")
    assert show(shop).standing.seen == ("file 001",)


# --- which units there are


@pytest.mark.parametrize(
    ("units", "paths", "seen"),
    [
        ("order_001.json - order_009.json", ("orders/order_001.json", "out/order_002.csv"), ("order_001.json",)),
        ("src/a.py, src/b.py", ("src/a.py", "src/b.py"), ("src/a.py",)),
        ("users, orders, items", ("docs/users.md", "docs/orders.md", "docs/items.md"), ("users", "orders")),
        ("files 1-9", ("out/report_1.md", "out/report_2.md", "out/report_3.md"), ("files 1-2",)),
        ("step 1 of 9", ("steps/step1.md", "steps/step2.md"), ("step 1",)),
        ("docs/*.md", ("docs/a.md", "docs/b.md"), ("docs/a.md",)),
        ("orders/batch_4/", ("orders/batch_4/a.json", "orders/batch_4/b.json"), ("orders/batch_4/a.json",)),
    ],
)
def test_units_are_seen_however_they_were_declared(
    fresh: Home, units: str, paths: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    begin(fresh, units)
    start(fresh)
    for path in paths:
        write(fresh, path)
    found = show(fresh).standing
    assert found.seen == seen
    assert len(found.seen_begun) == 1


def test_one_file_in_another_place_is_no_unit_yet(fresh: Home) -> None:
    begin(fresh, "src/users.py, src/orders.py")
    start(fresh)
    write(fresh, "docs/users.md")
    write(fresh, "docs/users.md")
    assert kept(fresh) == []
    write(fresh, "src/models/orders.py")
    assert kept(fresh) == []


@pytest.mark.slow
def test_the_rest_of_a_folder_is_next_and_what_was_seen_done_of_it_is_named(fresh: Home) -> None:
    begin(fresh, "docs/*.md")
    start(fresh)
    for name in ("a", "b", "c"):
        write(fresh, f"docs/{name}.md")
    assert show(fresh).step().startswith("docs/c.md: it was begun")
    run(fresh, "git init -q . && git add -A && git -c user.name=A -c user.email=a@b.c commit -qm docs")
    assert show(fresh).step() == f"docs/*.md: of it {SEEN} docs/a.md, docs/b.md, docs/c.md; do the rest"
    assert done(fresh, "docs/b.md").is_seen
    assert not done(fresh, "docs/z.md").is_seen


def test_units_that_earlier_lines_named_go_on_where_nobody_said_how_many_there_are(fresh: Home) -> None:
    begin(fresh)
    say(fresh, "COMPLETED: files 1-3")
    start(fresh)
    write(fresh, "out/file_4.txt")
    write(fresh, "out/file_5.txt")
    found = show(fresh).standing
    assert (found.completed, found.seen, found.next_unit) == (("files 1-3",), ("file 4",), "file 5")


def test_what_was_said_to_be_completed_is_not_watched_any_more(shop: Home) -> None:
    say(shop, "COMPLETED: files 001-004")
    write(shop, "out/002.json")
    assert kept(shop) == []


def test_of_two_tasks_the_one_that_the_host_was_started_for_gets_it(shop: Home) -> None:
    begin(shop, "files 001-020", task="other")
    at = shop.project / "001.json"
    at.write_text("x")
    event = shop.event("PostToolUse", tool_name="Write", tool_input={"file_path": str(at)})
    shop.reply(event, env={"HOLDFAST_TASK": TASK})
    assert (kept(shop), kept(shop, "other")) == ([("written", "file 001")], [])


# --- said and seen are kept apart


@pytest.mark.slow
def test_a_later_word_takes_the_place_of_what_was_seen_and_a_plan_does_not(shop: Home) -> None:
    for nth in (1, 2, 3, 4):
        write(shop, f"out/{nth:03}.json")
    say(shop, "PENDING: files 001-020")
    assert show(shop).standing.seen == ("files 001-003",)
    say(shop, "COMPLETED: file 001")
    say(shop, "IN_PROGRESS: file 002")
    say(shop, "REOPENED: file 003")
    found = show(shop).standing
    assert (found.completed, found.in_progress, found.seen) == (("file 001",), ("file 002",), ())
    assert "file 003" in found.pending[0]


def test_what_is_seen_later_takes_the_place_of_an_older_word_but_not_of_completed(shop: Home) -> None:
    say(shop, "IN_PROGRESS: files 001-005")
    say(shop, "FAILED: file 006")
    for nth in (1, 2, 6, 7):
        write(shop, f"out/{nth:03}.json")
    found = show(shop).standing
    assert found.seen == ("files 001-002", "file 006")
    assert found.in_progress == ("files 003-005",)
    assert found.failed == ()


@pytest.mark.slow
def test_is_done_tells_said_from_seen(shop: Home) -> None:
    say(shop, "COMPLETED: file 001")
    write(shop, "out/002.json")
    write(shop, "out/003.json")
    assert [(done(shop, f"file {nth:03}").is_said, done(shop, f"file {nth:03}").is_seen) for nth in (1, 2, 3)] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    told = shop.fast("task", "is-done", "file", "002")
    assert (told.status, told.out) == (0, "file 002: seen done by the hook, nobody said so\n")
    assert shop.fast("task", "is-done", "--claimed", "file", "002").status == 1
    assert json.loads(shop.fast("task", "is-done", "file", "002", "--json").out)["seen"] is True
    assert shop.fast("task", "is-done", "files", "001-002").out == (
        "files 001-002: seen done by the hook, nobody said so\n"
    )
    assert shop.fast("task", "is-done", "file", "003").status == 1


@pytest.mark.slow
def test_next_and_show_keep_it_apart_in_json(shop: Home) -> None:
    for nth in (1, 2):
        write(shop, f"out/{nth:03}.json")
    told = json.loads(shop.fast("task", "next", "--json").out)
    assert (told["unit"], told["begun"], told["seen"]) == (
        "file 002",
        True,
        {"done": ["file 001"], "begun": ["file 002"]},
    )
    shown = json.loads(shop.cli("task", "show", "--json").out)["progress"]
    assert (shown["completed"], shown["seen"], shown["seen_begun"]) == ([], ["file 001"], ["file 002"])
    assert "file: 0 of 20 completed, 1 more seen done" in shop.cli("task", "show").out


@pytest.mark.slow
def test_where_all_that_is_left_was_seen_done_that_is_said_instead_of_a_next_step(fresh: Home) -> None:
    begin(fresh, "files 001-002")
    start(fresh)
    write(fresh, "out/001.json")
    write(fresh, "out/002.json")
    run(fresh, "python check.py out/002.json")
    seen = show(fresh)
    assert seen.step() == ""
    assert seen.no_step().startswith(f"nothing is left, but {SEEN} files 001-002")


def test_an_authors_next_step_gives_way_to_work_that_was_seen_after_it(shop: Home) -> None:
    say(shop, "Next: begin with file 001")
    assert show(shop).step() == "Next: begin with file 001"
    write(shop, "out/001.json")
    write(shop, "out/002.json")
    assert show(shop).step().startswith("file 002: it was begun")


def test_the_index_made_anew_from_the_log_says_the_same(shop: Home) -> None:
    for nth in (1, 2, 3):
        write(shop, f"out/{nth:03}.json")
    run(shop, "git add -A && git commit -qm 'files 001-003'")
    say(shop, "COMPLETED: file 002")
    before = show(shop)
    for path in Path(record.own(str(shop.vault))).glob("index.db*"):
        path.unlink()
    assert show(shop).standing == before.standing
    assert before.standing.seen == ("file 001", "file 003")


# --- what it costs, and what can go wrong


def test_where_no_task_is_open_nothing_is_imported_for_it(fresh: Home) -> None:
    start(fresh)
    at = fresh.project / "001.json"
    at.write_text("x")
    names = imported_by(fresh, fresh.event("PostToolUse", tool_name="Write", tool_input={"file_path": str(at)}))
    assert not {one for one in names if "task" in one}


def test_a_call_that_shows_a_unit_opens_no_database_and_waits_for_nobody(shop: Home) -> None:
    at = shop.project / "001.json"
    at.write_text("x")
    event = shop.event("PostToolUse", tool_name="Write", tool_input={"file_path": str(at)})
    names = imported_by(shop, event)
    assert not {one for one in names if "sqlite" in one} | (
        names & {"json", "re", "typing", "subprocess", "dataclasses"}
    )
    lock = locks.taken(f"{record.own(str(shop.vault))}/lock", 1.0)
    write(shop, "002.json")
    os.close(lock)
    assert [how for how, _ in kept(shop)] == ["written", "followed", "written"]


def test_the_user_can_switch_it_off(shop: Home) -> None:
    Path(config.path_of(shop.state)).write_text("[task]\nseen = false\n")
    write(shop, "out/001.json")
    assert kept(shop) == []


def test_a_task_of_before_units_were_watched_is_watched_from_the_next_start_on(shop: Home) -> None:
    path = Path(home.tasks_path(shop.state, shop.project_id()))
    known = json.loads(path.read_bytes())
    for one in known["tasks"]:
        del one["watched"]
    path.write_text(json.dumps(known))
    Path(watch.path_of(shop.state, shop.project_id())).unlink()
    write(shop, "out/001.json")
    assert kept(shop) == []
    start(shop, "s2")
    write(shop, "out/001.json", "s2")
    assert kept(shop) == [("written", "file 001")]


def test_a_watch_file_of_nobody_we_know_costs_nothing(shop: Home) -> None:
    path = Path(watch.path_of(shop.state, shop.project_id()))
    for data in (b"", b"{", b'{"v": 99}', b'{"v": 1, "project": 3}', b"\xff" * 100):
        path.write_bytes(data)
        write(shop, "out/001.json")
    assert kept(shop) == []
    assert shop.errors() == []


def test_what_the_agent_writes_into_the_vault_is_no_unit(shop: Home) -> None:
    at = shop.vault / "001.json"
    at.write_text("x")
    shop.answer(shop.event("PostToolUse", tool_name="Write", tool_input={"file_path": str(at)}))
    assert kept(shop) == []


@pytest.mark.slow
def test_a_task_that_is_over_gets_no_folder_again(shop: Home) -> None:
    stale = Path(watch.path_of(shop.state, shop.project_id())).read_bytes()
    boot = Path(home.tasks_path(shop.state, shop.project_id())).read_bytes()
    shop.cli("task", "complete", TASK, "--anyway")
    for path, data in (
        (watch.path_of(shop.state, shop.project_id()), stale),
        (home.tasks_path(shop.state, shop.project_id()), boot),
    ):
        Path(path).write_bytes(data)
    write(shop, "out/001.json")
    assert not (shop.vault / "tasks" / TASK).exists()


@pytest.mark.slow
def test_with_more_units_than_a_start_keeps_it_still_says_what_was_seen(fresh: Home) -> None:
    begin(fresh, ", ".join(f"src/part_{chr(97 + nth // 26)}{chr(97 + nth % 26)}.py" for nth in range(90)))
    start(fresh)
    for nth in range(60):
        write(fresh, f"src/part_{chr(97 + nth // 26)}{chr(97 + nth % 26)}.py")
    told = start(fresh, "s2")
    assert "Next step: src/part_ch.py: it was begun (src/part_ch.py was written)" in told
    assert len(show(fresh).standing.seen) == 40, "it names the newest"
