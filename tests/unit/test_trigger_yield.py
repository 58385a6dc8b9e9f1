"""`holdfast audit --yield`: which boundary brought a flag, what became of it, and what a used note cost."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hook_support import Agents, Home
from test_audit_boundaries import FLAG, STOP, commits, hook, nudge, told

from holdfast.capture import home, ledger
from holdfast.health import trigger_table, trigger_yield
from holdfast.health.period import Period
from holdfast.health.trigger_yield import FEWEST, KINDS, Row, Yield
from holdfast.hook import nudge as reminders

KEY = "claude-code/s1/1"
LOCKS = "Orders use optimistic locking with three retries"


@pytest.fixture
def at_work(fresh: Home, agents: Agents) -> Home:
    """A home with a session that has begun."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    fresh.answer(fresh.event("SessionStart", source="startup"), pid=agents().pid)
    return fresh


def rows(where: Home, *words: str) -> dict[str, dict[str, Any]]:
    done = where.cli("audit", "--yield", "--json", *words)
    assert done.status == 0, done.err
    return {one["trigger"]: one for one in json.loads(done.out)["triggers"]}


def brought(*records: dict[str, Any]) -> list[str]:
    return [one.boundary for one in told(*records).flagged]


def close(where: Home) -> None:
    where.answer(where.event("SessionEnd", reason="exit"))
    assert where.cli("close").status == 0


# --- whose a flag is


def test_a_flag_belongs_to_the_newest_reminder_of_its_turn() -> None:
    assert brought(nudge("task"), nudge("write"), FLAG) == ["write"]


def test_a_flag_of_another_session_belongs_to_no_reminder_of_this_one() -> None:
    assert brought(nudge("task"), {**FLAG, "episode": "h/other/1"}) == [""]


def test_a_flag_after_the_turn_is_unprompted() -> None:
    assert brought(nudge("task"), STOP, FLAG) == [""]


def test_a_reminder_that_was_not_said_brings_nothing() -> None:
    assert brought(nudge("task", "silent"), FLAG) == [""]


def test_the_users_own_words_are_a_request_whatever_was_asked_before() -> None:
    assert brought(nudge("write"), {**FLAG, "origin": "user"}, {**FLAG, "flag": "user-request"}) == ["user-request"] * 2


def test_a_flag_after_the_end_of_its_session_belongs_to_that_end() -> None:
    assert brought(nudge("task"), {"kind": "episode"}, FLAG) == ["session-end"]
    assert brought(hook("session-end"), hook("session-start"), FLAG) == [""]


def test_after_a_compaction_the_reminder_costs_the_text_that_carries_it() -> None:
    found = told(nudge("after-compaction", t=5.0), {"kind": "injection", "t": 5.0, "characters": 4000})
    assert [one.characters for one in found.asked] == [4000]
    later = told(nudge("after-compaction", t=5.0), {"kind": "injection", "t": 6.0, "characters": 4000})
    assert [one.characters for one in later.asked] == [0]


def test_every_kind_of_boundary_that_reminds_is_of_exactly_one_trigger() -> None:
    listed = [kind for kinds in KINDS.values() for kind in kinds]
    assert len(listed) == len(set(listed))
    assert {*reminders.OPENINGS, "user-request", "after-compaction", "turn-stop"} <= set(listed)


# --- through the real hook, commands and close


@pytest.mark.slow
def test_a_reminder_that_brought_a_note_which_was_read_tells_its_cost(at_work: Home) -> None:
    said = commits(at_work, "c1")
    at_work.flag(LOCKS, session="s1")
    at_work.answer(at_work.event("Stop"))
    before = rows(at_work)["post-task"]
    assert (before["flags"], before["waiting"], before["filed"], before["used"]) == (1, 1, 0, 0)
    close(at_work)
    filed = rows(at_work)["post-task"]
    assert (filed["waiting"], filed["filed"], filed["read"], filed["tokens_per_used_note"]) == (0, 1, 0, None)
    assert at_work.cli("recall", "optimistic locking").status == 0
    found = rows(at_work)["post-task"]
    assert (found["reminders"], found["unsized"], found["read"], found["used"], found["notes_used"]) == (1, 0, 1, 1, 1)
    assert found["reminder_tokens"] == round(len(said) / 4)
    assert found["tokens_per_used_note"] == found["reminder_tokens"]
    assert rows(at_work)["unprompted"]["flags"] == 0


@pytest.mark.slow
def test_a_note_that_an_agent_opens_counts_as_read(at_work: Home) -> None:
    at_work.flag(LOCKS, session="s1")
    close(at_work)
    assert at_work.cli("recall", "nothing of that sort").status == 1  # makes the index
    assert rows(at_work)["unprompted"]["read"] == 0
    (path,) = (at_work.vault / "knowledge").glob("*.md")
    tool = {"tool_name": "Read", "tool_input": {"file_path": str(path)}}
    at_work.answer(at_work.event("PostToolUse", session="s2", **tool))
    assert rows(at_work)["unprompted"]["read"] == 1


@pytest.mark.slow
def test_what_the_user_asked_to_remember_is_the_yield_of_the_request(at_work: Home) -> None:
    at_work.answer(at_work.event("UserPromptSubmit", prompt="Remember: we deploy on Tuesdays, never on Fridays"))
    close(at_work)
    found = rows(at_work)["user request"]
    assert (found["reminders"], found["flags"], found["filed"]) == (1, 1, 1)
    assert found["reminder_tokens"] > 0


@pytest.mark.slow
def test_an_armed_note_counts_as_used_and_one_that_was_replaced_as_superseded(at_work: Home) -> None:
    at_work.flag(LOCKS, session="s1")
    close(at_work)
    (path,) = (at_work.vault / "knowledge").glob("*.md")
    note = str(path.relative_to(at_work.vault))
    assert at_work.cli("arm", note, "--tool", "Bash", "--word", "migrate").status == 0
    found = rows(at_work)["unprompted"]
    assert (found["armed"], found["used"], found["read"]) == (1, 1, 0)
    path.write_text(path.read_text(encoding="utf-8").replace("status: active", "status: superseded"), encoding="utf-8")
    found = rows(at_work)["unprompted"]
    assert (found["superseded"], found["armed"]) == (1, 0)


def put(where: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    ledger.append(where.state, kind, time.time() - ago, **{"project": where.project_id(), "episode": KEY, **what})


@pytest.mark.slow
def test_what_a_judge_left_out_is_discarded_and_what_is_nowhere_unknown(at_work: Home) -> None:
    ident = "01M7Q3PNNC00049GX8SM9BV6R1"
    put(at_work, "flag", id=ident, flag="fact", origin="agent")
    put(at_work, "flag", id="01M7Q3PNNC00049GX8SM9BV6R2", flag="fact", origin="agent")
    folder = at_work.vault / "discarded"
    folder.mkdir()
    month = time.strftime("%Y-%m", time.gmtime())
    line = f"- {month}-01 [fact] The tests are green ({ident}, agent): no news\n"
    (folder / f"shop-{month}-here.md").write_text(f"# Left out\n\n{line}", encoding="utf-8")
    found = rows(at_work)["unprompted"]
    assert (found["flags"], found["discarded"], found["unknown"]) == (2, 1, 1)


@pytest.mark.slow
def test_a_judges_tokens_are_shared_among_the_flags_of_their_session(at_work: Home) -> None:
    put(at_work, "nudge", boundary="commit", decision="said", event="after-tool", characters=400)
    put(at_work, "flag", id="A" * 26, flag="fact", origin="agent")
    put(at_work, "flag", id="B" * 26, flag="user-request", origin="user")
    put(at_work, "model", judge="j", model="m", tokens_in=900, tokens_out=100, about=KEY)
    put(at_work, "hook", episode="claude-code/s9/1", event="prompt", host="claude-code")
    put(at_work, "model", judge="j", model="m", tokens_in=70, tokens_out=7, about="claude-code/s9/1")
    found = rows(at_work)
    assert (found["post-task"]["reminder_tokens"], found["post-task"]["judge_tokens"]) == (100, 500)
    assert found["user request"]["judge_tokens"] == 500
    out = at_work.cli("audit", "--yield").out
    assert "Judges took 77 tokens more for sessions that flagged nothing." in out


@pytest.mark.slow
def test_only_the_period_and_the_project_that_were_asked_for_count(at_work: Home) -> None:
    put(at_work, "flag", ago=3 * 86400, id="A" * 26, flag="fact", origin="agent")
    put(at_work, "flag", id="B" * 26, flag="fact", origin="agent", project="another")
    assert rows(at_work)["unprompted"]["flags"] == 1
    assert rows(at_work, "--days", "1")["unprompted"]["flags"] == 0
    assert rows(at_work, "--all")["unprompted"]["flags"] == 2


def test_looking_at_the_yield_changes_nothing(at_work: Home) -> None:
    at_work.flag(LOCKS, session="s1")
    before = at_work.files()
    rows(at_work)
    assert at_work.files() == before


# --- the ranking


def table(*given: Row) -> str:
    by_name = {row.trigger: row for row in given}
    made = [by_name.get(name, Row(name)) for name in KINDS]
    return "\n".join(trigger_table.lines(Yield(Period(0, 86400.0), tuple(trigger_yield.ranked(made)), 0)))


def test_the_ranking_is_by_the_share_that_was_used_and_stands_beside_the_published_one() -> None:
    often, rarely = Row("post-task", flags=40, used=10), Row("user request", flags=FEWEST, used=4)
    lines = table(often, rarely).splitlines()
    first = next(line for line in lines if line.startswith("1 "))
    assert first.split("  ")[-1].strip() == "user request: 4 of 5"
    assert "post-task consolidation" in first
    assert next(line for line in lines if line.startswith("2 ")).endswith("post-task: 10 of 40")


def test_a_trigger_with_too_few_flags_is_not_ranked() -> None:
    lines = table(Row("post-task", flags=FEWEST - 1, used=FEWEST - 1), Row("user request", flags=FEWEST, used=0))
    assert "user request: 0 of 5" in lines
    assert f"Not ranked, with fewer than {FEWEST} flags or no known use: post-task ({FEWEST - 1})" in lines


def test_reminders_of_which_the_length_is_unknown_are_said() -> None:
    assert "The length of 2 reminders was not recorded" in table(Row("post-task", reminders=2, unsized=2))


def test_where_nothing_happened_no_table_is_printed() -> None:
    assert table().endswith("No trigger reminded anybody, and nothing was flagged in this time.")
