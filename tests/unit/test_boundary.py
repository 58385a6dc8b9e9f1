"""Which moments are boundaries: something was finished, seen for the first time, by whoever it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hook_support import Home
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import config
from holdfast.hook import boundary
from holdfast.hook.boundary import Boundary
from holdfast.hosts import adapter
from holdfast.text import shell_programs

EPISODE = "claude-code/s1/1"


def of(
    state: str,
    payload: dict[str, Any],
    *,
    host: str = "claude-code",
    config: dict[str, Any] | None = None,
    chapter_tools: tuple[str, ...] = (),
) -> Boundary | None:
    moment = adapter(host).moment({"session_id": "s1", "cwd": "/", **payload}, {})
    return boundary.of(moment, config or {}, state, EPISODE, chapter_tools)


def after(tool: str, given: dict[str, Any], call: str = "", **more: Any) -> dict[str, Any]:
    return {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": given, "tool_use_id": call, **more}


def todos(*done: str, pending: tuple[str, ...] = (), call: str = "") -> dict[str, Any]:
    listed = [{"content": one, "status": "completed", "activeForm": one} for one in done]
    listed += [{"content": one, "status": "pending", "activeForm": one} for one in pending]
    return after("TodoWrite", {"todos": listed}, call)


# --- todos, tasks, plans


def test_a_list_of_todos_counts_when_one_is_newly_done(state: str) -> None:
    assert of(state, todos(pending=("a", "b"))) is None
    assert of(state, todos("a", pending=("b",))) == Boundary("task", "a", "a")
    assert of(state, todos("a", pending=("b",), call="again")) is None
    assert of(state, todos("a", "b")) == Boundary("task", "b", "b")
    assert of(state, todos("b", "a")) is None


def test_several_todos_done_at_once_are_one_boundary(state: str) -> None:
    assert of(state, todos("a", "b", "c")) == Boundary("task", "c", "c")
    for done in (("a",), ("b",), ("a", "b", "c")):
        assert of(state, todos(*done)) is None


def test_a_list_that_was_refused_has_finished_nothing(state: str) -> None:
    assert of(state, {**todos("a"), "hook_event_name": "PostToolUseFailure"}) is None
    assert of(state, todos("a")) is not None


def test_a_subagents_todo_does_not_use_up_the_main_agents_of_the_same_words(state: str) -> None:
    assert of(state, {**todos("Run the tests"), "agent_id": "a1"})
    assert of(state, todos("Run the tests"))


def test_a_list_before_it_is_written_is_no_boundary(state: str) -> None:
    assert of(state, {**todos("a"), "hook_event_name": "PreToolUse"}) is None


@pytest.mark.parametrize(
    "given_so",
    [{"todos": None}, {"todos": "a"}, {"todos": [None, 3, {}, {"status": "completed"}]}, {"plan": "a plan in words"},
     {"todos": [{"content": 7, "status": "completed"}]}, {"todos": [{"content": "x", "status": ["completed"]}]}],
)  # fmt: skip
def test_an_odd_list_is_no_boundary(state: str, given_so: dict[str, Any]) -> None:
    assert of(state, after("TodoWrite", given_so)) is None


def test_a_task_completed_and_the_tool_that_completed_it_are_one_boundary(state: str) -> None:
    done = {"hook_event_name": "TaskCompleted", "task_id": "1", "task_subject": "Do X", "task_description": "of X"}
    assert of(state, done) == Boundary("task", "Do X", "1Do X")
    assert of(state, after("TaskUpdate", {"taskId": "1", "status": "completed"})) is None
    assert of(state, done) is None


def test_two_tasks_of_the_same_words_are_two(state: str) -> None:
    done = {"hook_event_name": "TaskCompleted", "task_subject": "Run the tests"}
    assert of(state, {**done, "task_id": "1"})
    assert of(state, {**done, "task_id": "2"})
    assert of(state, {**done, "task_id": "2"}) is None


def test_a_task_without_a_subject_is_known_by_its_number(state: str) -> None:
    assert of(state, {"hook_event_name": "TaskCompleted", "task_id": "7"}) == Boundary("task", "7", "77")
    assert of(state, {"hook_event_name": "TaskCompleted"}) is None


def test_a_step_of_a_codex_plan_counts_once(state: str) -> None:
    def plan(*done: str) -> dict[str, Any]:
        steps = [{"step": one, "status": "completed"} for one in done]
        return after("update_plan", {"plan": [*steps, {"step": "last", "status": "in_progress"}]})

    assert of(state, plan(), host="codex") is None
    assert of(state, plan("Retry"), host="codex") == Boundary("task", "Retry", "Retry")
    assert of(state, plan("Retry"), host="codex") is None
    assert of(state, plan("Retry", "Test"), host="codex") == Boundary("task", "Test", "Test")


# --- chapters


@pytest.mark.parametrize(
    "tool",
    ["mark_chapter", "mcp__notes__mark_chapter", "mcp__a__b__mark_chapter", "notes/mark_chapter", "notes.mark_chapter",
     "mcp__ccd_session__mark_chapter"],
)  # fmt: skip
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_chapter_tool_of_any_server_closes_a_chapter(state: str, tool: str, host: str) -> None:
    found = of(state, after(tool, {"title": "Retries\nmore", "summary": "x"}, "c1"), host=host)
    assert found == Boundary("chapter", "Retries", "c1")
    assert of(state, after(tool, {"title": "Retries"}, "c1"), host=host) is None
    assert of(state, after(tool, {"title": "Retries"}, "c2"), host=host)


@pytest.mark.parametrize("tool", ["mark_chapters", "mcp__x__remark_chapter", "mcp__mark_chapter__list", "Mark", ""])
def test_another_tool_closes_none(state: str, tool: str) -> None:
    assert of(state, after(tool, {"title": "Retries"}, "c1")) is None


def test_a_chapter_tool_without_any_input_is_told_apart_by_its_call(state: str) -> None:
    assert of(state, after("mark_chapter", {}, "c1"))
    assert of(state, after("mark_chapter", {}, "c2"))
    assert of(state, after("mark_chapter", {}, "c2")) is None


def test_a_chapter_tool_that_failed_closes_none(state: str) -> None:
    failed = {**after("mark_chapter", {"title": "x"}, "c1"), "hook_event_name": "PostToolUseFailure"}
    assert of(state, failed) is None


def test_the_user_names_the_chapter_tools_and_a_project_adds_its_own(state: str) -> None:
    mine = {"nudge": {"chapter_tools": ["close_part", "mcp__notes__section"]}}
    assert of(state, after("mcp__x__close_part", {}, "c1"), config=mine)
    assert of(state, after("mcp__notes__section", {}, "c2"), config=mine), "by its whole name"
    assert of(state, after("mcp__other__section", {}, "c3"), config=mine) is None
    assert of(state, after("mark_chapter", {}, "c4"), config=mine) is None, "the user's list replaces the default"
    assert of(state, after("mcp__x__wrap_up", {}, "c5"), config=mine, chapter_tools=("wrap_up",))
    assert of(state, after("mark_chapter", {}, "c6"), chapter_tools=("wrap_up",)), "a project's adds to it"
    assert of(state, after("", {}, "c7"), config={"nudge": {"chapter_tools": [""]}}) is None


def test_a_projects_own_file_names_a_chapter_tool(fresh: Home) -> None:
    (fresh.project / ".holdfast.toml").write_text('chapter_tools = ["wrap_up"]\n')
    told = fresh.reply(fresh.event("PostToolUse", tool_name="mcp__x__wrap_up", tool_input={"title": "Retries"}))
    assert told["additionalContext"].startswith('A chapter is closed ("Retries").')


# --- subagents


def test_a_subagent_finishes_once(state: str) -> None:
    stop = {"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": "Explore"}
    assert of(state, stop) == Boundary("subagent", "", "a1")
    assert of(state, stop) is None
    assert of(state, {**stop, "agent_id": "a2"})


def test_the_summariser_of_a_compaction_is_no_subagent(state: str) -> None:
    assert of(state, {"hook_event_name": "SubagentStop", "agent_id": "a1", "agent_type": ""}) is None


# --- commits

COMMITS = [
    'cd "$(git rev-parse --show-toplevel)" && git commit -m x',
    '[ -n "$(git status --porcelain)" ] && git commit -am x',
    'echo "`date`" && git commit -m x',
    'a "$(b "$(c)")" && git commit -m x',
    "git commit",
    "git commit -m x",
    "git  commit\t-m x",
    "/usr/bin/git commit -m x",
    "git -C sub commit -m x",
    'git -C "my folder" commit -m x',
    "git -c user.name=a -c user.email=b commit --amend",
    "git --git-dir .git --work-tree . commit -m x",
    "git --no-pager --git-dir=.git commit -m x",
    "git add -A && git commit -m 'add --dry-run'",
    'git commit -m "say -h and --help; git log"',
    "git add a;git commit -m x",
    "make test && (cd sub && git commit -qm x)",
    "cd sub\ngit commit -F - <<'EOF'\nwhy\nEOF",
    "git commit -m \"$(cat <<'EOF'\nMend the lock\n\nIt said --dry-run\nEOF\n)\"",
    "GIT_AUTHOR_DATE=now git commit -m x",
    "env -i A=b git commit -m x",
    "sudo -E git commit -m x",
    "timeout 60 git commit -m x",
    "time git commit -m x",
    "git add \\\n  a && \\\n  git commit \\\n  -m x",
    "if make; then git commit -m x; fi",
    "git status || git commit -m x",
    "git commit -m it\\'s",
]
NO_COMMITS = [
    "",
    "commit",
    "git",
    "git log --grep commit",
    "git log -- commit",
    "git show commit",
    "git commit --dry-run",
    "git commit -m x --dry-run",
    "git -C x commit --help",
    "git commit -h",
    "git commit --short",
    "git commit --porcelain",
    "git commit-tree abc",
    "git commit-graph write",
    "echo git commit",
    "echo 'git commit'",
    'echo "; git commit -m x"',
    "grep -r 'git commit' docs",
    "man git commit",
    "# git commit",
    "git stash push -m commit",
    "git config commit.gpgsign true",
    "digit commit -m x",
    "git-lfs commit",
    "git --version; commit",
    "git -C commit status",
    "git -c commit log",
    "svn commit -m x",
    "echo \\; git commit",
]


@pytest.mark.parametrize("command", COMMITS)
def test_a_commit_in_any_spelling_is_one(command: str) -> None:
    assert shell_programs.is_commit(command)


@pytest.mark.parametrize("command", NO_COMMITS)
def test_what_only_speaks_of_a_commit_is_none(command: str) -> None:
    assert not shell_programs.is_commit(command)


@settings(max_examples=200, deadline=None)
@given(command=st.text(st.sampled_from("git commit-m'\"\\;&|()\n$ `{}="), max_size=60) | st.text(max_size=60))
def test_any_command_line_is_a_commit_or_not(command: str) -> None:
    assert shell_programs.is_commit(command) in (True, False)


def test_a_huge_command_line_is_looked_through_in_no_time() -> None:
    assert not shell_programs.is_commit("'" * (1 << 20) + " commit")
    assert shell_programs.is_commit("git commit -m '" + "x" * (1 << 20))


def test_each_commit_counts_and_a_failed_one_does_not(state: str) -> None:
    one = after("Bash", {"command": "git commit -m x"}, "c1")
    assert of(state, {**one, "hook_event_name": "PostToolUseFailure"}) is None
    assert of(state, one) == Boundary("commit", "", "c1")
    assert of(state, one) is None
    assert of(state, {**one, "tool_use_id": "c2"})


def test_a_commit_is_one_only_in_a_shell(state: str) -> None:
    assert of(state, after("Write", {"file_path": "x.sh", "command": "git commit -m x"}, "c1")) is None


@pytest.mark.parametrize(
    ("told", "is_one"),
    [
        ("[main 1a2b3c4] Mend the lock\n 1 file changed\n", True),
        ("", True),
        ("On branch main\nnothing to commit, working tree clean\n", False),
        ("Changes not staged:\n\nno changes added to commit (use git add)\n", False),
        ("fatal: not a git repository\n", False),
        ("[main 1a2b3c4] Explain 'nothing to commit'\n", True),
    ],
)
def test_in_codex_a_commit_that_came_to_nothing_is_known_by_gits_words(state: str, told: str, is_one: bool) -> None:
    payload = {**after("Bash", {"command": "git commit -m x"}, "c1"), "tool_response": told}
    assert (of(state, payload, host="codex") is not None) == is_one


def test_codex_may_hand_over_an_argument_list(state: str) -> None:
    payload = after("shell", {"command": ["bash", "-lc", "git add -A && git commit -m x"]}, "c1")
    assert of(state, payload, host="codex") == Boundary("commit", "", "c1")


def test_an_ordinary_moment_leaves_nothing_on_disk(state: str) -> None:
    assert of(state, after("Bash", {"command": "make test"}, "c1")) is None
    assert not Path(state).exists()


def test_a_tool_that_the_user_named_completes_a_task(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart"))
    Path(config.path_of(fresh.state)).write_text('[nudge]\ntask_tools = ["close_ticket"]\n')
    call: dict[str, Any] = {"tool_name": "mcp__tracker__close_ticket", "tool_input": {"title": "Locks"}}
    assert 'Done ("Locks")' in fresh.answer(fresh.event("PostToolUse", tool_use_id="c1", **call))
    other = {**call, "tool_name": "mcp__tracker__open_ticket"}
    assert fresh.answer(fresh.event("PostToolUse", tool_use_id="c2", **other)) == ""
