"""Flags held against their session: what occurs nowhere before one is marked wherever it is shown, and binds nobody."""

from __future__ import annotations

from typing import Any

import pytest
from hook_support import Home, Terminal
from test_authored import lines

from holdfast.close.verify import findings
from holdfast.close.verify.claims import atoms
from holdfast.close.verify.evidence import Evidence
from holdfast.memory import Memory
from holdfast.model import Flag
from holdfast.text.transcript import ASSISTANT, CALL, USER, Said

SAID = (
    ("user", "Make it retry, Tom Becker asked for it on 2026-11-16"),
    ("bash", ("pytest -q", "2 failed, 40 passed", True)),
    ("bash", ("git commit -m x", " 4 files changed, 87 insertions(+)", False)),
    ("assistant", "That was the first half of the work; the second follows now. " * 5),
    ("bash", ("git commit -m y", " 9 files changed, 311 insertions(+)", False)),
    (
        "assistant",
        'Tasks 1-3 are open. It said "limit of 250 ms exceeded"; see src/orders.py and `retry_limit`.',
    ),
)
RIGHT = (
    "40 tests pass and 2 fail",
    "Tom Becker asked for the retry on 2026-11-16",
    "The limit is 250 ms (`retry_limit` in src/orders.py)",
    'The server answered "limit of 250 ms exceeded"',
    "Task 2 is open",
    "The commit has 4 files with 87 insertions",
    "Retries are a good idea because the gateway is flaky",
)
WRONG = (
    ("41 tests pass", "41 tests"),
    ("Imke Vandersteen asked for the retry", "Imke Vandersteen"),
    ("It is due on 2026-12-24", "2026-12-24"),
    ("The limit is 260 ms", "260 ms"),
    ('The server answered "limit of requests exceeded"', "limit of requests exceeded"),
    ("See src/ledger.py", "src/ledger.py"),
    ("`retry_ledger` holds it", "retry_ledger"),
    ("Task 7 is open", "7"),
    ("The commit has 4 files with 311 insertions", "together"),
)


def begin(fresh: Home, *said: tuple[str, Any]) -> None:
    path = fresh.folder / "t.jsonl"
    path.write_text("")
    fresh.more["CLAUDE_CODE_SESSION_ID"] = "s1"
    fresh.reply(fresh.event("SessionStart", source="startup", transcript_path=str(path)))
    fresh.reply(fresh.event("UserPromptSubmit", prompt="Make it retry", transcript_path=str(path)))
    path.write_text(lines(*SAID, *said))


def close(fresh: Home) -> Memory:
    fresh.reply(fresh.event("SessionEnd", reason="exit"))
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    memory.sessions.close()
    return memory


def doubts(memory: Memory) -> dict[str, str]:
    return {note.description.partition(" (unverified")[0]: note.unverified for note in memory.notes.index().notes}


@pytest.mark.slow
def test_what_stands_in_the_session_is_believed_and_what_stands_nowhere_is_not(fresh: Home, terminal: Terminal) -> None:
    calls = [("bash", (f"holdfast flag '{text}'", "flagged", False)) for text in (*RIGHT, *(one for one, _ in WRONG))]
    begin(fresh, *calls)
    for _, (line, _, _) in calls:
        terminal.fast("flag", line.partition("'")[2].removesuffix("'"))
    found = doubts(close(fresh))
    assert {text: found[text] for text in RIGHT} == dict.fromkeys(RIGHT, "")
    for text, part in WRONG:
        assert part in found[text], text
        assert "session" in found[text] or "together" in found[text]


@pytest.mark.slow
def test_what_is_said_only_after_a_flag_is_no_evidence_for_it(fresh: Home, terminal: Terminal) -> None:
    text = "The p99 latency is 45 ms"
    begin(fresh, ("bash", (f"holdfast flag '{text}'", "flagged", False)), ("assistant", f"Noted: {text}."))
    terminal.fast("flag", text)
    assert doubts(close(fresh))[text] == "45 ms occurs nowhere in its session"


@pytest.mark.slow
def test_without_a_transcript_nobody_is_accused(fresh: Home, terminal: Terminal) -> None:
    fresh.more["CLAUDE_CODE_SESSION_ID"] = "s1"
    fresh.reply(fresh.event("SessionStart", source="startup"))
    terminal.fast("flag", "The p99 latency is 45 ms")
    assert set(doubts(close(fresh)).values()) == {""}


def test_of_a_session_that_was_read_in_part_nobody_is_accused() -> None:
    flag = Flag("F", 0.0, "h", "e", "p", "fact", "It takes 45 ms")
    spoken = (Said(USER, "go", 0),)
    assert findings.unverified([flag], Evidence(spoken=spoken)) == {"F": "45 ms occurs nowhere in its session"}
    assert findings.unverified([flag], Evidence(spoken=spoken, is_partial=True)) == {}
    assert findings.unverified([flag], Evidence()) == {}


def test_the_users_own_words_are_not_accused() -> None:
    told = [
        Flag("A", 0.0, "h", "e", "p", "fact", "It takes 45 ms", origin="user"),
        Flag("B", 0.0, "h", "e", "p", "rule", "Always wait 45 ms", answers="01X"),
    ]
    assert findings.unverified(told, Evidence(spoken=(Said(USER, "go", 0),))) == {}


def test_what_the_session_was_told_at_its_start_is_evidence() -> None:
    flag = Flag("F", 0.0, "h", "e", "p", "fact", "Staging listens on port 5433")
    evidence = Evidence(spoken=(Said(USER, "go", 0),))
    assert findings.unverified([flag], evidence, ["Staging runs on port 5433"]) == {}
    assert findings.unverified([flag], evidence)


def test_other_flags_are_no_evidence() -> None:
    call = Said(CALL, "", 1, tool="Bash", call="c", given={"command": "holdfast flag 'It takes 45 ms'"})
    answer = Said(ASSISTANT, "It takes 45 ms.", 2)
    flag = Flag("F", 0.0, "h", "e", "p", "fact", "It takes 45 ms in all")
    assert findings.unverified([flag], Evidence(spoken=(Said(USER, "go", 0), call), flags=("It takes 45 ms",)))
    assert findings.unverified([flag], Evidence(spoken=(Said(USER, "go", 0), answer))) == {}


RULE = "Wait 45 ms before every deploy"


@pytest.fixture
def marked(fresh: Home, terminal: Terminal) -> Memory:
    """A vault with one lesson that nobody can verify."""
    begin(fresh)
    terminal.fast("flag", "--kind", "lesson", RULE)
    return close(fresh)


MARK = "(unverified: 45 ms occurs nowhere in its session)"


@pytest.mark.slow
def test_the_mark_stands_wherever_the_note_is_shown(marked: Memory, terminal: Terminal, fresh: Home) -> None:
    (note,) = marked.notes.index().notes
    assert f"{RULE} {MARK}" in terminal("notes").out
    assert 'unverified: "45 ms occurs nowhere in its session"' in terminal("show", note.path).out
    assert MARK in terminal("recall", "wait before every deploy").out
    assert MARK in terminal("recall", "--json", "wait before every deploy").out
    assert MARK in terminal("boot").out
    assert MARK in (fresh.vault / "BRAIN.md").read_text()
    assert MARK in next(fresh.vault.glob("lineage/*/*.md")).read_text()


@pytest.mark.slow
def test_an_unverified_rule_is_not_always_on_and_denies_nothing(
    marked: Memory, terminal: Terminal, fresh: Home
) -> None:
    (note,) = marked.notes.index().notes
    path = fresh.vault / note.path
    path.write_text(path.read_text().replace("kind: knowledge", "kind: rule\npolicy: never"))
    (note,) = marked.notes.index().notes
    assert (note.kind, note.policy, note.is_active, note.is_always_on) == ("rule", "never", True, False)
    assert terminal("arm", note.path, "--tool", "Bash", "--word", "deploy").status == 0
    fresh.reply(fresh.event("SessionStart", "s2", source="startup"))
    call = fresh.event("PreToolUse", "s2", tool_name="Bash", tool_input={"command": "make deploy"})
    said = fresh.reply(call)
    assert "permissionDecision" not in said
    assert MARK in said["additionalContext"]


@pytest.mark.slow
def test_an_unverified_snag_is_a_note_and_changes_no_rule(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("snag", "the deploy takes 45 ms", "--better", "run make warm before git push")
    memory = close(fresh)
    (note,) = memory.notes.index().notes
    assert note.unverified
    assert note.when is None


@pytest.mark.slow
def test_progress_that_is_unverified_says_so_in_its_line(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("flag", "--kind", "progress", "The deploy takes 45 ms now")
    memory = close(fresh)
    (note,) = memory.notes.index().notes
    assert f"The deploy takes 45 ms now {MARK}" in memory.notes.text_of(note.path)


def test_a_label_and_a_name_with_its_arity_are_one_thing() -> None:
    assert [one.label for one in atoms("see task 6 of it")] == ["task"]
    known = Evidence(spoken=(Said(ASSISTANT, "def classify_line(text, depth): tasks 4-6 and 9 are done", 0),))
    for text in ("`classify_line/2` is new", "task 5 is done", "task 9 is done", "`classify_line(..., depth)`"):
        assert findings.flag_problem(text, known) == "", text
    assert findings.flag_problem("task 8 is done", known)
