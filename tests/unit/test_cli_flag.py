"""`holdfast flag`: what it takes, what it answers, whose flag it is, and how it refuses."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hook_support import PYTHON, START, Agents, Home, Terminal, make_read_only, mounted

from holdfast.errors import NotSaved, UsageError
from holdfast.model import KINDS

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def test_a_flag_is_answered_with_its_id_kind_and_project(fresh: Home, terminal: Terminal) -> None:
    done = terminal.fast("flag", "orders use optimistic locking")
    (flag,) = fresh.waiting()
    assert (done.status, done.err) == (0, "")
    assert done.out == f"flagged {flag.id} [fact] in project {fresh.project_id()}\n"
    assert flag.text == "orders use optimistic locking"


def test_each_text_is_a_flag_of_its_own_in_order(fresh: Home, terminal: Terminal) -> None:
    assert terminal.fast("flag", "one", "two", "three").out.count("flagged ") == 3
    assert fresh.texts() == ["one", "two", "three"]
    assert sorted(flag.id for flag in fresh.waiting()) == [flag.id for flag in fresh.waiting()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_taken(fresh: Home, terminal: Terminal, kind: str) -> None:
    assert terminal.fast("flag", "--kind", kind, "text").status == 0
    assert [flag.kind for flag in fresh.waiting()] == [kind]


@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "rule", "text"),
        ("--kind=rule", "text"),
        ("text", "--kind", "rule"),
        ("-k", "rule", "text"),
        ("--kind", "snag", "--kind", "rule", "text"),
    ],
    ids=" ".join,
)
def test_the_kind_may_stand_anywhere_and_the_last_one_counts(
    fresh: Home, terminal: Terminal, words: tuple[str, ...]
) -> None:
    assert terminal.fast("flag", *words).status == 0
    assert [(flag.kind, flag.text) for flag in fresh.waiting()] == [("rule", "text")]


def test_evidence_may_be_repeated_and_belongs_to_every_text(fresh: Home, terminal: Terminal) -> None:
    terminal.fast("flag", "one", "--evidence", "orders.py:241", "two", "--evidence=https://x.org/?a=b")
    assert [flag.evidence for flag in fresh.waiting()] == [("orders.py:241", "https://x.org/?a=b")] * 2


def test_after_two_dashes_everything_is_text(fresh: Home, terminal: Terminal) -> None:
    assert terminal.fast("flag", "--kind", "rule", "--", "--json", "--kind", "--help", "--").status == 0
    assert fresh.texts() == ["--json", "--kind", "--help", "--"]


def test_a_sentence_that_begins_with_dashes_is_a_text(fresh: Home, terminal: Terminal) -> None:
    assert terminal.fast("flag", "--json prints stable names", "- a bullet").status == 0
    assert fresh.texts() == ["--json prints stable names", "- a bullet"]


def test_as_json_it_answers_with_what_was_saved_and_what_was_changed(fresh: Home, terminal: Terminal) -> None:
    done = terminal.fast("flag", "--json", "--evidence", "a.py:1", "two\nlines")
    answer = json.loads(done.out)
    assert set(answer) == {"saved", "changes", "by"}
    assert answer["by"] == "command"
    assert answer["changes"] == ["line breaks became spaces"]
    (saved,) = answer["saved"]
    names = {"v", "id", "time", "host", "episode", "project", "kind", "text", "evidence", "origin"}
    assert set(saved) == names
    assert (saved["id"], saved["text"], saved["evidence"]) == (fresh.waiting()[0].id, "two lines", ["a.py:1"])


def test_what_was_changed_is_said(fresh: Home, terminal: Terminal) -> None:
    done = terminal.fast("flag", "two\nlines\twith \u202econtrols")
    assert "note: line breaks became spaces\n" in done.out
    assert "text-direction controls were dropped" in done.out
    assert fresh.texts() == ["two lines with controls"]


def test_a_secret_is_replaced_before_anything_is_written_and_it_is_said(fresh: Home, terminal: Terminal) -> None:
    done = terminal.fast("flag", f"the key is {SECRET}", "--evidence", f"{SECRET} in .env")
    assert done.status == 0
    assert "secrets were redacted before writing: " in done.out
    assert SECRET not in done.out
    written = b"".join(path.read_bytes() for path in fresh.vault.rglob("*") if path.is_file())
    assert SECRET.encode() not in written


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "There is no text; nothing was written."),
        (("--json",), "There is no text; nothing was written."),
        (("--",), "There is no text; nothing was written."),
        (("",), "The text is empty; nothing was written."),
        (("  \n\t ",), "The text is empty; nothing was written."),
        (("\u202e\u200b",), "The text is empty; nothing was written."),
        (("x" * 4001,), "The text has 4,001 characters, 4,000 is the most; nothing was written."),
        (("fine", ""), "The text is empty; nothing was written."),
        (("fine", "x" * 4001), "The text has 4,001 characters"),
        (("--kind", "nonsense", "text"), '"nonsense" is no kind of flag; nothing was written.'),
        (("--kind=", "text"), '"" is no kind of flag; nothing was written.'),
        (("text", "--kind"), "--kind needs a value; nothing was written."),
        (("text", "--evidence"), "--evidence needs a value; nothing was written."),
        (("--nonsense", "text"), '"--nonsense" is no option of flag; nothing was written.'),
        (("--json=yes", "text"), '"--json=yes" is no option of flag; nothing was written.'),
    ],
    ids=lambda given: str(given)[:40],
)
def test_what_cannot_be_taken_is_refused_in_one_sentence_and_nothing_is_written(
    fresh: Home, terminal: Terminal, words: tuple[str, ...], sentence: str
) -> None:
    done = terminal.fast("flag", *words)
    assert (done.status, done.out) == (UsageError.exit_status, "")
    assert done.err.startswith(f"holdfast flag: {sentence.rstrip('.')}")
    assert done.err.count("\n") == 1
    assert fresh.texts() == []


def test_four_thousand_characters_are_taken(fresh: Home, terminal: Terminal) -> None:
    assert terminal.fast("flag", "x" * 4000).status == 0
    assert fresh.texts() == ["x" * 4000]


def test_its_help_is_its_own(terminal: Terminal) -> None:
    done = terminal.fast("flag", "text", "--help")
    assert done.status == 0
    assert done.out.startswith("Usage: holdfast flag [OPTIONS] TEXT...\n")
    assert all(kind in done.out for kind in KINDS)


def test_the_whole_command_line_takes_the_same_words(fresh: Home, terminal: Terminal) -> None:
    assert terminal("flag", "--kind", "rule", "--evidence", "a.py:1", "one", "--json").status == 0
    assert [(flag.text, flag.kind, flag.evidence) for flag in fresh.waiting()] == [("one", "rule", ("a.py:1",))]
    assert terminal("flag", "--kind=nonsense", "x").status == UsageError.exit_status
    assert terminal("flag").status == UsageError.exit_status
    assert terminal("flag", "--help").out == terminal.fast("flag", "--help").out


@pytest.mark.slow
def test_words_that_are_no_utf8_cost_those_letters_only(fresh: Home) -> None:
    command = [os.fsencode(word) for word in (PYTHON, "-I", "-S", START, "--command", "flag")]
    done = subprocess.run(
        [*command, b"the caf\xe9 is closed"], env=fresh.env, cwd=fresh.project, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"broken characters were replaced" in done.stdout
    assert fresh.texts() == ["the caf\ufffd is closed"]


# --- whose flag it is


def test_a_session_named_by_the_environment_is_its_session(fresh: Home, terminal: Terminal) -> None:
    fresh.answer(fresh.event("SessionStart", "s1"), pid=os.getpid())
    done = terminal.fast("flag", "one", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert done.out.endswith(f"in project {fresh.project_id()}, session claude-code/s1/1\n")
    terminal.fast("flag", "two", env={"HOLDFAST_SESSION": "g1", "HOLDFAST_HOST": "pi", "CLAUDE_CODE_SESSION_ID": "s1"})
    assert [flag.episode for flag in fresh.waiting()] == ["claude-code/s1/1", "pi/g1/0"]


def test_a_session_is_found_by_the_host_process_among_our_ancestors(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", "s1"), pid=os.getpid())
    other = fresh.folder / "other"
    other.mkdir()
    assert fresh.fast("flag", "said in another folder", cwd=other).status == 0
    (flag,) = fresh.waiting()
    assert (flag.host, flag.episode) == ("claude-code", "claude-code/s1/1")
    assert flag.project == fresh.project_id(), "outside any repository the session's project counts"


def test_in_a_repository_the_folder_decides_which_project_it_is(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", "s1"), pid=os.getpid())
    other = fresh.folder / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert fresh.fast("flag", "said in another repository", cwd=other).status == 0
    assert [(flag.episode, flag.project) for flag in fresh.waiting()] == [("claude-code/s1/1", fresh.project_id(other))]


def test_a_session_is_found_as_the_living_one_of_this_project(fresh: Home, terminal: Terminal, agents: Agents) -> None:
    agent = agents()
    fresh.answer(fresh.event("SessionStart", "s1"), pid=agent.pid)
    terminal.fast("flag", "beside it")
    agent.kill()
    terminal.fast("flag", "after it")
    assert [flag.episode for flag in fresh.waiting()] == ["claude-code/s1/1", ""]


def test_what_a_person_types_at_a_terminal_is_the_users_word(fresh: Home) -> None:
    """Only where no session is found, and only where somebody watches."""
    ours, theirs = os.openpty()
    try:
        command = [PYTHON, "-I", "-S", START, "--command", "flag", "typed"]
        subprocess.run(command, env=fresh.env, cwd=fresh.project, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    finally:
        os.close(ours)
        os.close(theirs)
    fresh.fast("flag", "piped")
    assert [(flag.text, flag.origin) for flag in fresh.waiting()] == [("typed", "user"), ("piped", "agent")]


def test_a_session_that_the_environment_names_does_not_hide_the_tainted_one_that_runs_us(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", "s1"), pid=os.getpid())
    fresh.answer(fresh.event("PostToolUse", "s1", tool_name="WebFetch", tool_input={"url": "x"}))
    for env in ({}, {"HOLDFAST_SESSION": "clean"}, {"CLAUDE_CODE_SESSION_ID": "s1"}, {"CODEX_THREAD_ID": "clean"}):
        assert fresh.fast("flag", "said", env=env).status == 0
    assert [flag.origin for flag in fresh.waiting()] == ["web"] * 4


# --- nothing to flag


def test_nothing_to_flag_is_an_answer_and_goes_without_a_text(fresh: Home, terminal: Terminal) -> None:
    session = {"CLAUDE_CODE_SESSION_ID": "s1"}
    fresh.answer(fresh.event("PostToolUse", tool_name="mark_chapter", tool_input={"title": "x"}))
    done = terminal.fast("flag", "--nothing", "--json", env=session)
    assert json.loads(done.out) == {"saved": [], "declined": "chapter"}
    assert terminal.fast("flag", "--nothing", env=session).out == "Nothing to flag; noted.\n"
    assert [one for one in fresh.nudges() if one[1] == "declined"] == [("chapter", "declined"), ("none", "declined")]
    assert terminal.fast("flag", "--nothing", "but this", env=session).status == UsageError.exit_status
    assert fresh.texts() == []


# --- disks and folders


def test_a_disk_that_refuses_is_status_3_and_not_saved(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "64k") as disk:
        fresh.vault = disk / "vault"
        terminal.fast("flag", "while there was room")
        make_read_only(disk)
        done = terminal.fast("flag", "too late")
        assert (done.status, done.out) == (NotSaved.exit_status, "")
        assert done.err.startswith("holdfast flag: NOT saved: ")
        fresh.vault = disk / "another vault"
        done = terminal.fast("flag", "nowhere to go")
        assert (done.status, done.out) == (NotSaved.exit_status, "")
        assert "cannot be made (Read-only file system)" in done.err
        fresh.vault = disk / "vault"
        assert fresh.texts() == ["while there was room"]


def test_a_reader_that_has_gone_does_not_matter(fresh: Home) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        command = [PYTHON, "-I", "-S", START, "--command", "flag", "kept"]
        done = subprocess.run(
            command, env=fresh.env, cwd=fresh.project, stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert fresh.texts() == ["kept"]


def test_an_error_reads_the_same_through_the_whole_command_line(terminal: Terminal) -> None:
    """As in an editable installation; the docs quote it, and their examples are run there."""
    assert terminal("flag", "").err == terminal.fast("flag", "").err


# --- what once went wrong


def test_a_vault_that_is_a_file_is_told_in_one_sentence(fresh: Home) -> None:
    fresh.vault.parent.mkdir(exist_ok=True)
    fresh.vault.write_text("not a folder")
    done = fresh.fast("flag", "nowhere to go")
    assert done.status == NotSaved.exit_status
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1


def test_a_state_folder_that_is_a_file_is_told_in_one_sentence(fresh: Home) -> None:
    fresh.vault.mkdir(parents=True)
    (fresh.vault / ".state").write_text("not a folder")
    done = fresh.fast("flag", "nowhere to go", env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert done.status == NotSaved.exit_status
    assert "Traceback" not in done.err


def test_a_flag_from_a_folder_that_was_deleted_is_kept(fresh: Home) -> None:
    gone = fresh.folder / "gone"
    gone.mkdir()
    code = f"cd {gone} && rmdir {gone} && exec {PYTHON} -I -S {START} --command flag 'kept'"
    done = subprocess.run(["/bin/sh", "-c", code], env=fresh.env, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert fresh.texts() == ["kept"]


def test_an_answer_that_cannot_be_printed_is_no_traceback(fresh: Home) -> None:
    command = [PYTHON, "-I", "-S", START, "--command", "flag", "kept"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, env=fresh.env, cwd=fresh.project, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert fresh.texts() == ["kept"]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("word", ["-h", "-x", "-j"])
def test_a_short_option_it_does_not_know_is_not_saved_as_a_fact(fresh: Home, terminal: Terminal, word: str) -> None:
    terminal.fast("flag", word)
    assert fresh.texts() == []


def test_two_dashes_mean_the_same_through_the_whole_command_line(fresh: Home, terminal: Terminal) -> None:
    """As in an editable installation, where the fast path is not found."""
    done = terminal("flag", "--", "--weird")
    assert done.status == 0
    assert fresh.texts() == ["--weird"]


def test_with_debug_a_refused_flag_shows_where(terminal: Terminal) -> None:
    with pytest.raises(UsageError):
        terminal("--debug", "flag", "")
