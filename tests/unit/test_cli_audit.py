"""`holdfast audit`: the table for people, the JSON for programs, and the exit status for both."""

from __future__ import annotations

import json
import os
import shutil
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home

from holdfast.brief import brief_file
from holdfast.capture import home, ledger
from holdfast.cli import command, doctor
from holdfast.errors import NewerFormat, NotFound, UsageError
from holdfast.hosts.host import registrar

DAY = 86400.0


@pytest.fixture
def at_home(fresh: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """In the project's folder, with nothing of the environment but a fresh home's."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    for name in set(os.environ) - set(fresh.env):
        monkeypatch.delenv(name)
    for name, text in fresh.env.items():
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(fresh.project)
    return fresh


def run(*words: str) -> tuple[int, str]:
    out, status = StringIO(), 0
    with redirect_stdout(out):
        try:
            doctor.audit(**command.read("audit", doctor.audit, words))
        except SystemExit as ended:
            status = int(str(ended.code))
    return status, out.getvalue()


def as_json(*words: str) -> tuple[int, dict[str, Any]]:
    status, out = run("--json", *words)
    found = json.loads(out)
    assert isinstance(found, dict)
    return status, found


def put(where: Home, kind: str, ago: float = 0.0, **what: object) -> None:
    ledger.append(where.state, kind, time.time() - ago, **{"project": where.project_id(), **what})


def a_week(where: Home) -> None:
    """Sessions with a nudge that was answered, a close by a judge, and one that nobody closed."""
    for session in ("s1", "lost"):
        key = f"claude-code/{session}/1"
        put(where, "injection", 60, event="session-start", episode=key)
        put(where, "hook", 60, event="session-start", host="claude-code", episode=key, opened=True)
    put(where, "nudge", 50, boundary="commit", decision="said", event="after-tool", episode="claude-code/s1/1")
    put(where, "flag", 40, flag="fact", episode="claude-code/s1/1")
    put(where, "hook", 30, event="turn-stop", host="claude-code", episode="claude-code/s1/1")
    put(where, "episode", 20, episode="claude-code/s1/1", how="ended")
    judged = {"judge": "claude-code", "model": "haiku", "jobs": 3, "workers": 8, "took": 2.25}
    put(where, "close", 10, episode="claude-code/s1/1", filed=1, **judged)
    put(where, "model", 11, judge="claude-code", model="haiku", tokens_in=900, tokens_out=80, about="claude-code/s1/1")


def test_where_nothing_ran_it_does_not_say_that_it_went_well(at_home: Home) -> None:
    status, out = run()
    assert status == 0
    assert "as it should be" not in out
    assert "\nNothing ran in this time that could be audited" in out


def test_where_all_is_well_it_says_so_and_ends_in_0(at_home: Home) -> None:
    put(at_home, "injection", 60, event="session-start", episode="claude-code/s1/1")
    put(at_home, "hook", 60, event="session-start", host="claude-code", episode="claude-code/s1/1", opened=True)
    put(at_home, "episode", 20, episode="claude-code/s1/1", how="ended")
    put(at_home, "close", 10, episode="claude-code/s1/1")
    status, out = run()
    assert status == 0
    assert out.endswith("All of it is as it should be.\n")
    status, found = as_json()
    assert (status, found["ok"], found["skips"], found["alarms"]) == (0, True, [], [])


@pytest.mark.parametrize("words", [(), ("--all",), ("--project", "x")], ids=" ".join)
def test_without_a_vault_nothing_is_said_to_be_well_and_none_is_made(at_home: Home, words: tuple[str, ...]) -> None:
    shutil.rmtree(at_home.vault)
    with pytest.raises(NotFound, match="no vault"):
        run(*words)
    assert not at_home.vault.exists()


def test_the_fields_that_others_build_on_are_there(at_home: Home) -> None:
    a_week(at_home)
    status, found = as_json()
    assert status == 1
    counts = {"seen": 2, "open": 0, "closed": 1, "closing": 0, "drained": 1, "indexed": 1, "unseen": 0}
    assert found["sessions"] == counts
    assert found["notes"] == []
    assert found["loops"] == {"open": 0, "closed": 0, "noted": 0, "reopened": 0, "wired": 0, "proven": 0}
    (skip,) = found["skips"]
    assert skip["about"] == "claude-code/lost/1"
    assert set(skip) == {"kind", "about", "why", "fix", "count", "last"}
    assert found["closes"]["parallel"] == 1
    assert found["closes"]["calls"]["claude-code/haiku"]["tokens_in"] == 900
    commit = next(row for row in found["boundaries"] if row["kind"] == "commit")
    assert (commit["came"], commit["answered"], commit["flags"]) == (1, 1, 1)


def test_people_get_a_table_and_below_it_what_to_do(at_home: Home) -> None:
    a_week(at_home)
    status, out = run()
    assert status == 1
    lines = out.splitlines()
    assert "sessions          seen 2  open 0  closed 1  drained 1  indexed 1 of 1" in lines
    assert "closes            parallel 1  verbatim 0  inline 0" in lines
    assert "                  3 jobs by up to 8 workers, the slowest close 2.2 s" in lines
    assert "                  claude-code/haiku: 1 call, 900 tokens in, 80 out" in lines
    assert lines[lines.index("NOT AS IT SHOULD BE (1):") + 1].startswith(
        "- not-closed claude-code/lost/1: no end of it"
    )
    (row,) = [line.split() for line in lines if line.startswith("commit ")]
    assert row == ["commit", "1", "1", "1", "1", "-", "-", "-", "-"]
    assert max(map(len, lines[: lines.index("NOT AS IT SHOULD BE (1):")])) < 110
    assert "\x1b" not in out


def test_closes_without_the_judge_are_told_with_how_many_were_put_right(at_home: Home) -> None:
    for nth, ago in enumerate((60, 40)):
        put(at_home, "close", ago, episode=f"h/s{nth}/1", filed=2, fell_back="the cap is reached")
        put(at_home, "close", ago - 10 + 20 * nth, episode=f"h/t{nth}/1", filed=2, judge="openai", jobs=1)
    status, out = run()
    assert status == 0
    assert (
        "                  2 closes had to do without the judge, 2 of them put right by a later one" in out.splitlines()
    )
    put(at_home, "close", 1, episode="h/last/1", filed=2, fell_back="the cap is reached")
    status, out = run()
    assert status == 1
    assert "3 closes had to do without the judge, 2 of them put right by a later one" in out


@pytest.mark.slow
def test_a_note_is_said_and_changes_no_verdict(at_home: Home) -> None:
    lines = registrar("claude-code").edits(at_home.env, "user", str(at_home.project))
    for edit in lines:
        Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
        Path(edit.path).write_bytes(edit.after or b"")
    put(at_home, "hook", DAY, event="session-start", host="claude-code", episode="")
    folder = at_home.folder / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    told = brief_file.said_off("HOLDFAST=off is set").text
    said = {"type": "attachment", "attachment": {"hookEvent": "SessionStart", "content": [told]}}
    prompt = {"type": "user", "cwd": str(at_home.project)}
    path = folder / "away.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (said, prompt)), encoding="utf-8")
    os.utime(path, (time.time() - 3600,) * 2)
    status, out = run()
    assert status == 0
    assert "Worth knowing:\n- capture-off claude-code: 1 session of Claude Code ran while capture was off" in out
    assert as_json()[1]["notes"][0]["kind"] == "capture-off"
    path.write_text(json.dumps(prompt) + "\n", encoding="utf-8")
    os.utime(path, (time.time() - 3600,) * 2)
    status, out = run()
    assert status == 1
    assert "indexed 0 of 0  unseen 1\n" in out


def test_words_from_outside_cannot_steer_the_terminal(at_home: Home) -> None:
    put(at_home, "error", 30, host="codex", event="prompt", error="\x1b[2Jgone\nNOT AS IT SHOULD BE (0):")
    put(at_home, "nudge", 30, boundary="\x1b[31mred", decision="said", episode="h/\x1b/1")
    _, out = run()
    assert "\x1b" not in out
    assert len([line for line in out.splitlines() if line.startswith("NOT AS IT SHOULD BE")]) == 1


def test_the_period_and_the_project_can_be_chosen(at_home: Home) -> None:
    project = at_home.project_id()
    put(at_home, "hook", 10 * DAY, event="session-start", host="h", episode="h/old/1", opened=True)
    put(at_home, "hook", 60, event="session-start", host="h", episode="h/other/1", opened=True, project="x-12345678")
    assert as_json()[1]["sessions"]["seen"] == 0
    assert as_json("--days", "11")[1]["sessions"]["seen"] == 1
    assert as_json("--since", "2020-01-01")[1]["sessions"]["seen"] == 1
    assert as_json("--since", "2020-01-01", "--all")[1]["sessions"]["seen"] == 2
    named = as_json("--project", "x")[1]
    assert (named["sessions"]["seen"], named["period"]["project"]) == (1, "x-12345678")
    assert as_json("--days", "11", "--project", project)[1]["sessions"]["seen"] == 1


@pytest.mark.parametrize(
    "words", [("--since", "soon"), ("--days", "2", "--since", "2020-01-01"), ("--all", "--project", "x")], ids=" ".join
)
@pytest.mark.usefixtures("at_home")
def test_what_is_not_understood_is_a_usage_error(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        run(*words)


@pytest.mark.usefixtures("at_home")
def test_a_project_that_nobody_saw_is_not_found() -> None:
    with pytest.raises(NotFound):
        run("--project", "shpo")


def test_a_newer_vault_is_not_looked_at(at_home: Home) -> None:
    (at_home.vault / "format").write_text("999\n")
    with pytest.raises(NewerFormat):
        run()
