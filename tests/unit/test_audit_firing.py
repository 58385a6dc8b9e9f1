"""Sessions that no hook saw, found by what the hosts wrote themselves; and what looks like one and is none."""

from __future__ import annotations

import datetime
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Agents, Home

from holdfast.brief import brief_file
from holdfast.capture import home, ledger
from holdfast.health import audit, period, unseen_sessions
from holdfast.health.audit import Audit
from holdfast.health.finding import Finding, Place
from holdfast.hosts.host import registrar

DAY, HOUR = 86400.0, 3600.0
NOW = time.time()
CLAUDE, CODEX = "claude-code", "codex"
IDS = tuple(f"01a1e26f-a2a7-7b82-a2a1-{nth:012}" for nth in range(9))


@pytest.fixture
def quiet(fresh: Home) -> Home:
    """A home in which no end starts anything in the background."""
    home.make_vault(str(fresh.vault))
    (fresh.vault / ".state" / "upkeep").touch(0o600)
    return fresh


def look(where: Home, now: float = NOW, days: int = 7, **more: Any) -> Audit:
    place = Place(str(where.vault), str(where.project), where.env, clock=lambda: now)
    return audit.audit(place, period.make(now, days, **more))


def only(found: Audit) -> Finding:
    (one,) = found.findings
    assert one.name == "hooks-silent"
    return one


def put_lines(where: Home, host: str = CLAUDE, scope: Any = "user", cwd: Path | None = None) -> None:
    """Our lines in a host's settings."""
    for edit in registrar(host).edits(where.env, scope, str(cwd or where.project)):
        assert edit.after is not None
        Path(edit.path).parent.mkdir(parents=True, exist_ok=True)
        Path(edit.path).write_bytes(edit.after)


def heard(where: Home, when: float, host: str = CLAUDE, session: str = "s1", **more: object) -> None:
    """One whole session that was captured, closed and drained."""
    key, project = f"{host}/{session}/1", where.project_id()
    ledger.append(where.state, "hook", when, event="session-start", host=host, episode=key, project=project, **more)
    ledger.append(where.state, "episode", when + 1, episode=key, project=project, how="ended")


def stamp(when: float) -> str:
    return datetime.datetime.fromtimestamp(when, datetime.UTC).isoformat().replace("+00:00", "Z")


def wrote(where: Home, session: str, when: float, *lines: dict[str, Any], cwd: Path | None = None) -> Path:
    """A transcript of Claude Code, as far as it matters: what a start's hook said, the first prompt, and more."""
    folder = where.folder / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True, exist_ok=True)
    prompt = {"type": "user", "cwd": str(cwd or where.project), "timestamp": stamp(when)}
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (*lines, prompt)), encoding="utf-8")
    os.utime(path, (when, when))
    return path


def wrote_codex(where: Home, session: str, when: float, *lines: dict[str, Any], **more: Any) -> Path:
    folder = where.folder / ".codex" / "sessions" / time.strftime("%Y/%m/%d", time.gmtime(when))
    folder.mkdir(parents=True, exist_ok=True)
    about = {"id": session, "timestamp": stamp(when), "cwd": str(where.project), "source": "exec", **more}
    path = folder / f"rollout-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime(when))}-{session}.jsonl"
    records = ({"type": "session_meta", "timestamp": stamp(when), "payload": about}, *lines)
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    os.utime(path, (when, when))
    return path


def said_off(why: str = "HOLDFAST=off is set", when: float = NOW - DAY) -> dict[str, Any]:
    """The answer of a start where capture is off, as Claude Code keeps it."""
    told = json.dumps({"hookSpecificOutput": {"additionalContext": brief_file.said_off(why).text}})
    attachment = {"type": "hook_success", "hookEvent": "SessionStart", "stdout": told, "exitCode": 0}
    return {"type": "attachment", "attachment": attachment, "timestamp": stamp(when)}


# --- sessions that nobody saw


def test_sessions_after_the_last_hook_are_counted_and_named(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2.5 * DAY)
    wrote(quiet, "s1", NOW - 2.5 * DAY + 60)
    assert look(quiet).ok
    for nth in range(5):
        wrote(quiet, IDS[nth], NOW - DAY + nth)
    found = look(quiet)
    one = only(found)
    assert (one.about, one.count, found.unseen) == (CLAUDE, 5, 5)
    assert one.detail.startswith("no hook saw 5 sessions of Claude Code: ")
    assert one.detail.count(" in shop (01a1e26f-a2a7)") == 3
    assert "and 2 more; our lines are there and do not fire, the last did 2 days ago" in one.detail
    assert "holdfast doctor --agent claude-code" in one.fix


def test_hooks_that_died_before_the_period_are_said_too(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 9.5 * DAY)
    wrote(quiet, IDS[0], NOW - DAY)
    assert "the last did 9 days ago" in only(look(quiet)).detail
    assert only(look(quiet, project="shop", is_named=True)).count == 1


def test_hooks_that_were_dead_for_days_and_fire_again_are_said_too(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 5 * DAY)
    for nth in range(4):
        wrote(quiet, IDS[nth], NOW - (4 - nth) * DAY)
    heard(quiet, NOW - 60, session="s2")
    wrote(quiet, "s2", NOW - 30)
    one = only(look(quiet))
    assert one.count == 4
    assert "they fire again" in one.detail


def test_hooks_that_never_fired_since_their_lines_were_written_are_said(quiet: Home) -> None:
    put_lines(quiet, CODEX)
    wrote_codex(quiet, IDS[0], NOW - DAY)
    assert look(quiet).ok  # it ran before the lines were there
    wrote_codex(quiet, IDS[1], NOW + HOUR)
    one = only(look(quiet, now=NOW + 2 * HOUR))
    assert (one.about, one.count) == (CODEX, 1)
    assert "none of them ever fired" in one.detail


def test_lines_that_are_gone_from_a_project_that_had_them_are_said(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    wrote(quiet, IDS[0], NOW - DAY)
    (quiet.folder / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    one = only(look(quiet))
    assert "our lines are not there any more" in one.detail
    assert "holdfast init --agent claude-code" in one.fix


def test_a_session_that_went_on_after_its_end_without_a_start_is_one(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY, session=IDS[0])
    path = wrote(quiet, IDS[0], NOW - 2 * DAY)
    later = {"type": "user", "cwd": str(quiet.project), "timestamp": stamp(NOW - DAY)}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(later) + "\n", encoding="utf-8")
    assert only(look(quiet)).count == 1
    title = {"type": "custom-title", "timestamp": stamp(NOW - DAY)}
    wrote(quiet, IDS[0], NOW - 2 * DAY)
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(title) + "\n", encoding="utf-8")
    assert look(quiet).ok


@pytest.mark.slow
def test_one_whose_folder_is_gone_counts_where_all_projects_are_asked_for(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    wrote(quiet, IDS[0], NOW - DAY, cwd=quiet.folder / "gone")
    assert only(look(quiet)).count == 1
    mine = look(quiet, project=quiet.project_id())
    assert mine.ok
    assert [one.name for one in mine.notes] == ["other-projects"]
    assert "gone" not in mine.notes[0].detail


# --- what was meant to be so


@pytest.mark.parametrize(
    "why", ["HOLDFAST=off is set", "holdfast is paused (`holdfast resume` ends it)", home.PROJECT_OFF]
)
def test_a_session_whose_start_said_that_capture_is_off_is_a_note(quiet: Home, why: str) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    wrote(quiet, IDS[0], NOW - DAY, said_off(why))
    found = look(quiet)
    assert found.ok
    assert found.unseen == 0
    (note,) = found.notes
    assert note.name == "capture-off"
    assert note.detail == f"1 session of Claude Code ran while capture was off: {why}"


def test_codex_keeps_that_word_as_a_developers_message(quiet: Home) -> None:
    put_lines(quiet, CODEX)
    heard(quiet, NOW - 2 * DAY, CODEX)
    text = {"type": "input_text", "text": brief_file.said_off("HOLDFAST=off is set").text}
    for nth, role in enumerate(("developer", "user")):
        said = {"type": "response_item", "payload": {"type": "message", "role": role, "content": [text]}}
        wrote_codex(quiet, IDS[nth], NOW - DAY, said)
    found = look(quiet)
    assert only(found).count == 1  # who quotes the sentence switches nothing off
    assert [one.count for one in found.notes] == [1]


def test_a_person_or_a_file_that_quotes_the_sentence_hides_no_session(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    quoted = {"type": "user", "cwd": str(quiet.project), "message": {"content": brief_file.said_off("x").text}}
    wrote(quiet, IDS[0], NOW - DAY, quoted)
    assert only(look(quiet)).count == 1


def test_the_real_hook_says_what_is_looked_for(quiet: Home) -> None:
    out = quiet.hook(quiet.event("SessionStart", source="startup"), env={"HOLDFAST": "off"}).out
    line = json.dumps({"type": "attachment", "attachment": {"hookEvent": "SessionStart", "stdout": out}}).encode()
    assert unseen_sessions._off(CLAUDE, line, json.loads(line)) == "HOLDFAST=off is set"


def test_a_project_that_is_off_now_is_a_note(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    away = quiet.folder / "away"
    away.mkdir()
    (away / ".holdfast.toml").write_text("off = true\n", encoding="utf-8")
    wrote(quiet, IDS[0], NOW - DAY, cwd=away)
    found = look(quiet)
    assert found.ok
    assert [one.name for one in found.notes] == ["capture-off"]


def test_an_open_session_that_went_quiet_is_a_note_since_a_pause_does_that(quiet: Home, agents: Agents) -> None:
    put_lines(quiet)
    quiet.answer(quiet.event("SessionStart", IDS[0], source="startup"), pid=agents().pid, now=NOW - 5 * HOUR)
    wrote(quiet, IDS[0], NOW - HOUR)
    found = look(quiet)
    assert found.ok, found.findings
    assert [one.name for one in found.notes] == ["went-quiet"]


@pytest.mark.slow
def test_sessions_before_our_lines_and_where_there_are_none_are_not_held_against_the_hooks(quiet: Home) -> None:
    (quiet.project / ".git").mkdir()
    put_lines(quiet, scope="project")
    heard(quiet, NOW - 2 * DAY)
    wrote(quiet, IDS[0], NOW - 3 * DAY)
    elsewhere = quiet.folder / "elsewhere"
    elsewhere.mkdir()
    wrote(quiet, IDS[1], NOW - DAY, cwd=elsewhere)
    found = look(quiet)
    assert found.ok, found.findings
    assert [one.name for one in found.notes] == ["no-hooks-there"]
    wrote(quiet, IDS[2], NOW - DAY)
    assert only(look(quiet)).count == 1


def test_what_is_no_session_of_the_users_own_is_left_aside(quiet: Home) -> None:
    for host in (CLAUDE, CODEX):
        put_lines(quiet, host)
        heard(quiet, NOW - 2 * DAY, host)
    path = wrote(quiet, "agent-1", NOW - DAY)
    (path.parent / "s1").mkdir()
    path.rename(path.parent / "s1" / "agent.jsonl")
    wrote(quiet, "agent-2", NOW - DAY)
    wrote(quiet, IDS[0], NOW - DAY, {"type": "user", "isSidechain": True})
    (path.parent / "title.jsonl").write_text('{"type":"summary","cwd":"/x"}\n', encoding="utf-8")
    (path.parent / "empty.jsonl").touch()
    (path.parent / "notes.txt").write_text("no transcript", encoding="utf-8")
    os.mkfifo(path.parent / "pipe.jsonl")
    wrote_codex(quiet, IDS[1], NOW - DAY, source={"subagent": {"thread_spawn": {}}}, thread_source="subagent")
    found = look(quiet)
    assert found.ok, found.findings
    assert found.notes == ()


def test_one_that_begins_while_the_audit_looks_is_not_unseen(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    wrote(quiet, IDS[0], NOW - 10)
    assert look(quiet).ok


@pytest.mark.slow
def test_a_folder_with_a_vault_of_its_own_is_not_this_vaults(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    env = {name: text for name, text in quiet.env.items() if name != "HOLDFAST_HOME"}
    own = quiet.folder / ".holdfast"
    own.symlink_to(quiet.vault)
    theirs = quiet.folder / "theirs"
    (theirs / "memory").mkdir(parents=True)
    Path(home.trusted_path(str(own))).write_text(f"{theirs}\t{theirs}/memory\n", encoding="utf-8")
    wrote(quiet, IDS[0], NOW - DAY, cwd=theirs)
    place = Place(str(own), str(quiet.project), env, clock=lambda: NOW)
    assert audit.audit(place, period.make(NOW)).ok
    Path(home.trusted_path(str(own))).unlink()
    assert not audit.audit(place, period.make(NOW)).ok


# --- what looking costs, and changes


@pytest.mark.slow
def test_thousands_of_transcripts_are_known_by_name_and_only_few_are_opened(
    quiet: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    first = wrote(quiet, "first", NOW - DAY)
    for nth in range(3000):
        os.link(first, first.parent / f"{nth:08}.jsonl")
    opened: list[unseen_sessions.Written] = []
    real = unseen_sessions.opening

    def opening(one: unseen_sessions.Written) -> unseen_sessions.Opening:
        opened.append(one)
        return real(one)

    monkeypatch.setattr(unseen_sessions, "opening", opening)
    found = look(quiet)
    assert len(opened) == unseen_sessions.MOST_OPENED
    assert only(found).count == unseen_sessions.MOST_OPENED
    (note,) = found.notes
    assert (note.name, note.count) == ("not-looked-at", 3001 - unseen_sessions.MOST_OPENED)


def test_a_folder_that_no_hook_knows_is_not_entered_anywhere_by_looking(quiet: Home) -> None:
    put_lines(quiet)
    heard(quiet, NOW - 2 * DAY)
    unknown = quiet.folder / "unknown"
    unknown.mkdir()
    wrote(quiet, IDS[0], NOW - DAY, cwd=unknown)
    before = {path: path.read_bytes() for path in quiet.vault.rglob("*") if path.is_file()}
    assert only(look(quiet)).count == 1
    assert {path: path.read_bytes() for path in quiet.vault.rglob("*") if path.is_file()} == before
