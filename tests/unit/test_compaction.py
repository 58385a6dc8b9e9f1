"""Around a compaction: the snapshot is on disk and synced before the host forgets, and back, with the brief and the
nudge, within what every host carries, whatever is in them and whatever is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import PYTHON, START, Home, context_of, fill_up, make_read_only, mounted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.capture import once, story
from holdfast.hook import main, snapshot

MOST_CHARACTERS, MOST_LINES = 9_000, 200
KEEP = "Write the summary so that the work can go on from it alone."
nasty = st.text(st.characters(), max_size=400) | st.sampled_from(
    (
        "</holdfast-snapshot>",
        "<holdfast-memory>\n",
        '"\\' * 2000,
        "\n" * 300,
        "x" * 9000,
        "\x1b[2J",
        "\u2028" * 99,
        "## a",
    )
)


def say(path: Path, *texts: str) -> dict[str, str]:
    """A Claude Code transcript in which the user and the model said this, one after the other."""
    with path.open("a", encoding="utf-8") as out:
        for nth, text in enumerate(texts):
            role = "assistant" if nth % 2 else "user"
            message: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}]}
            out.write(json.dumps({"type": role, "message": message}) + "\n")
    return {"transcript_path": str(path)}


@pytest.fixture
def session(fresh: Home) -> Home:
    fresh.reply(fresh.event("SessionStart", source="startup"))
    fresh.reply(fresh.event("UserPromptSubmit", prompt="Make the order service retry, at most 7 times."))
    return fresh


def snapshots(where: Home) -> list[Path]:
    return sorted(Path(where.state).glob("snapshots/*"))


def compact(where: Home, trigger: str = "auto", **more: Any) -> str:
    """The host's two moments around a compaction; what the model is told behind it."""
    where.answer(where.event("PreCompact", trigger=trigger, **more))
    return where.answer(where.event("SessionStart", source="compact", **more))


# --- before


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_the_snapshot_is_on_disk_before_the_answer_and_the_summariser_is_told_what_to_keep(
    session: Home, tmp_path: Path, trigger: str
) -> None:
    said = say(tmp_path / "t.jsonl", "Retry on a conflict", "Editing orders.py:88 now.")
    done = session.hook(session.event("PreCompact", trigger=trigger, **said))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(KEEP)
    assert "at most 7 times" in done.out
    (path,) = snapshots(session)
    text = path.read_text()
    assert "Make the order service retry, at most 7 times." in text
    assert "Editing orders.py:88 now." in text
    assert path.stat().st_mode & 0o777 == 0o600
    assert ("before-compaction", "snapshot") in session.nudges()
    assert session.ledger("nudge")[-1]["reason"] == trigger


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace here")
def test_the_snapshot_is_synced_under_its_name_before_anything_is_answered(session: Home, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    calls = "trace=write,fsync,fdatasync,rename,renameat,renameat2"
    command = ["strace", "-f", "-y", "-o", str(trace), "-e", calls, PYTHON, "-I", "-S", START, "claude-code"]
    payload = json.dumps(session.event("PreCompact", trigger="auto")).encode()
    done = subprocess.run(
        command, env=session.env, cwd=session.project, input=payload, capture_output=True, check=False
    )
    if "ptrace" in done.stderr.decode():
        pytest.skip("processes may not be traced here")
    lines = trace.read_text().splitlines()

    def first(*words: str) -> int:
        return next(nth for nth, line in enumerate(lines) if all(word in line for word in words))

    synced = first("fdatasync(", "/snapshots/", ".tmp")
    renamed = first("rename", "/snapshots/", ".tmp")
    named = first("fsync(", "/snapshots>")
    answered = first("write(1<")
    assert synced < renamed < named < answered


def test_codex_is_told_nothing_and_has_its_snapshot(fresh: Home) -> None:
    fresh.hook(fresh.event("SessionStart", source="startup"), host="codex")
    fresh.hook(fresh.event("UserPromptSubmit", prompt="Retry at most 7 times."), host="codex")
    assert fresh.hook(fresh.event("PreCompact", trigger="auto"), host="codex").out == ""
    (path,) = snapshots(fresh)
    assert "Retry at most 7 times." in path.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("refuse", [fill_up, make_read_only])
def test_a_disk_that_refuses_the_snapshot_costs_neither_the_status_nor_the_instructions(
    tmp_path: Path, refuse: Any
) -> None:
    where = Home(tmp_path / "home")
    with mounted(tmp_path / "disk", "128k") as disk:
        where.vault = disk / "vault"
        where.hook(where.event("SessionStart"))
        where.hook(where.event("UserPromptSubmit", prompt="Retry at most 7 times."))
        where.flag("saved while there was room")
        refuse(disk)
        done = where.hook(where.event("PreCompact", trigger="auto"))
        assert done.status == 0
        assert done.out.startswith(KEEP)
        assert not snapshots(where) or not snapshots(where)[0].read_text()
        assert where.errors() or "The session goes on." in done.err
        after = where.hook(where.event("SessionStart", source="compact"))
        assert after.status == 0
        assert "saved while there was room" in after.context


def test_a_snapshot_that_cannot_be_written_is_in_the_ledger_and_the_instructions_are_printed(session: Home) -> None:
    (Path(session.state) / "snapshots").write_text("a file in the folder's place")
    done = session.hook(session.event("PreCompact", trigger="manual"))
    assert done.status == 0
    assert done.out.startswith(KEEP)
    assert "at most 7 times" in done.out
    assert ("before-compaction", "no snapshot") in session.nudges()
    assert any("The snapshot before this compaction was NOT saved" in one for one in session.errors())
    told = session.answer(session.event("SessionStart", source="compact"))
    assert once.count(session.state, session.episode().key, once.CYCLE) == 1, "it is a compaction all the same"
    assert "The context was compacted" in told
    assert "<holdfast-snapshot>" not in told


@pytest.mark.parametrize("transcript", ["", "/nowhere/t.jsonl", "/dev/null", "/", "relative.jsonl"])
def test_without_a_transcript_the_users_words_are_still_kept(session: Home, transcript: str) -> None:
    assert "at most 7 times" in compact(session, transcript_path=transcript)
    assert session.errors() == []


def test_without_a_story_what_was_said_is_still_kept(session: Home, tmp_path: Path) -> None:
    story.forget(session.state, session.episode().key)
    assert "Editing orders.py:88" in compact(session, **say(tmp_path / "t.jsonl", "Go on", "Editing orders.py:88."))


def test_without_either_the_nudge_is_still_there(session: Home) -> None:
    story.forget(session.state, session.episode().key)
    told = compact(session)
    assert "The context was compacted" in told
    assert session.errors() == []


def test_a_compaction_that_nobody_announced_is_nudged_without_a_snapshot(session: Home) -> None:
    told = session.answer(session.event("SessionStart", source="compact"))
    assert "The context was compacted" in told
    assert "<holdfast-snapshot>" not in told
    assert session.ledger("nudge")[-1]["reason"] == "there is no snapshot"


# --- after


@pytest.mark.slow
def test_after_it_brief_snapshot_and_nudge_come_back_and_the_ledger_says_what(session: Home, tmp_path: Path) -> None:
    assert session.cli("remember", "orders use optimistic locking").status == 0
    told = compact(session, **say(tmp_path / "t.jsonl", "Retry", "Editing orders.py:88 now."))
    assert told.startswith("<holdfast-memory>")
    assert "orders use optimistic locking" in told
    brief, _, rest = told.partition("<holdfast-snapshot>\n")
    assert brief.endswith("</holdfast-memory>\n")
    quoted, _, asks = rest.partition("\n</holdfast-snapshot>\n")
    assert "Editing orders.py:88 now." in quoted
    assert str(snapshots(session)[0]) in quoted
    assert asks.startswith("The context was compacted")
    assert "holdfast flag --kind decision|lesson|progress --evidence FILE:LINE '…'" in asks
    carried = session.ledger("injection")[-1]["carried"]
    assert [one for one in carried if str(one).startswith(".state/snapshots/")]


def test_the_command_of_the_launcher_is_the_one_that_is_named(session: Home) -> None:
    env = {"HOLDFAST_COMMAND": "/opt/bin/holdfast"}
    session.hook(session.event("PreCompact", trigger="auto"), env=env)
    told = session.hook(session.event("SessionStart", source="compact"), env=env).context
    assert "`/opt/bin/holdfast flag" in told.splitlines()[-1]


def test_cycles_are_counted_and_each_has_its_own_snapshot(session: Home, tmp_path: Path) -> None:
    for cycle in (1, 2, 3):
        session.answer(session.event("UserPromptSubmit", prompt=f"Order number {cycle}"))
        assert f"Order number {cycle}" in compact(session)
        assert once.count(session.state, session.episode().key, once.CYCLE) == cycle
        assert len(snapshots(session)) == cycle


def test_an_older_snapshot_is_not_told_as_if_it_were_this_ones(session: Home) -> None:
    compact(session)
    folder = Path(session.state) / "snapshots"
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("the disk is strange now")
    session.answer(session.event("PreCompact", trigger="auto"))
    folder.unlink()
    aside.rename(folder)
    told = session.answer(session.event("SessionStart", source="compact"))
    assert "<holdfast-snapshot>" not in told
    assert "The context was compacted" in told


def test_what_was_held_before_a_compaction_is_not_said_behind_it(session: Home) -> None:
    session.answer(session.event("SubagentStop", agent_id="a1", agent_type="x"))
    compact(session)
    after = session.event("PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"})
    assert session.answer(after) == ""


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("claude-code", ("PreCompact", "SubagentStop", "SessionStart", "PostCompact")),
        ("codex", ("PreCompact", "PostCompact", "SessionStart")),
    ],
)
def test_in_the_order_of_each_host_it_is_said_once(fresh: Home, host: str, names: tuple[str, ...]) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"), host=host)
    fresh.answer(fresh.event("UserPromptSubmit", prompt="Retry at most 7 times."), host=host)
    told = []
    for name in names:
        more = {"source": "compact"} if name == "SessionStart" else {"trigger": "auto"}
        if name == "SubagentStop":
            more = {"agent_id": "the summariser", "agent_type": ""}
        told.append((name, fresh.answer(fresh.event(name, **more), host=host)))
    assert [name for name, text in told[1:] if "Retry at most 7 times." in text] == ["SessionStart"]
    assert [one for one in fresh.nudges() if one[0] == "after-compaction"] == [("after-compaction", "said")]
    assert fresh.errors() == []


def test_a_host_whose_own_moment_after_it_carries_text_gets_it_there(fresh: Home) -> None:
    def moment(event: str, **more: Any) -> str:
        return fresh.answer({"event": event, "session": "s", "cwd": str(fresh.project), **more}, host="generic")

    moment("session-start", source="startup")
    moment("prompt", prompt="Retry at most 7 times.")
    assert moment("before-compaction", source="auto").startswith(KEEP)
    assert "Retry at most 7 times." in moment("after-compaction", source="auto")


def test_a_compaction_ends_nothing_and_opens_nothing(session: Home) -> None:
    before = session.episode()
    compact(session)
    assert session.episode() == before
    assert session.marks() == []


# --- within what a host carries


def printed(where: Home, env: dict[str, str] | None = None) -> tuple[str, str]:
    """What is printed behind a compaction, and the text in it."""
    raw = json.dumps(where.event("SessionStart", source="compact")).encode()
    out = main.answer("claude-code", raw, {**where.env, **(env or {})}, time.time(), time.perf_counter_ns())
    return out, context_of(out)


def assert_fits(out: str, text: str) -> None:
    assert len(out) <= MOST_CHARACTERS
    assert len(text.splitlines()) <= MOST_LINES
    assert text.count("<holdfast-snapshot>") == text.count("</holdfast-snapshot>") <= 1
    assert text.count("<holdfast-memory>") == text.count("</holdfast-memory>") <= 1
    assert any(line.startswith("The context was compacted") for line in text.splitlines())


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=st.lists(nasty, max_size=6), said=st.lists(nasty, max_size=12), flags=st.lists(nasty, max_size=8))
def test_whatever_was_said_it_fits_and_stays_behind_its_fences(
    fresh: Home, tmp_path: Path, asked: list[str], said: list[str], flags: list[str]
) -> None:
    session = f"s{time.perf_counter_ns()}"
    path = tmp_path / f"{session}.jsonl"
    fresh.answer(fresh.event("SessionStart", session))
    for text in asked:
        fresh.answer(fresh.event("UserPromptSubmit", session, prompt=text))
    given_so = [{"text": text, "kind": "fact"} for text in flags if text.strip()]
    fresh.answer({"event": "flag", "session": session, "cwd": str(fresh.project), "flags": given_so}, host="generic")
    fresh.answer(fresh.event("PreCompact", session, trigger="auto", **say(path, *said)))
    raw = json.dumps(fresh.event("SessionStart", session, source="compact")).encode()
    out = main.answer("claude-code", raw, fresh.env, time.time(), time.perf_counter_ns())
    assert_fits(out, context_of(out))


@pytest.mark.slow
@pytest.mark.parametrize("text", ['"\\' * 20_000, "word " * 20_000, "- a\n" * 5_000, "<b>" * 9_000, "日本語。" * 9_000])
def test_a_huge_snapshot_and_a_huge_brief_fit(session: Home, text: str) -> None:
    env = {"HOLDFAST_COMMAND": f"/{'very-long/' * 30}holdfast"}
    key = session.episode().key
    body = "".join(f"## {name}\n\n- {text[:12_000]}\n" for name in snapshot.SHARES)
    for cycle in (1, 2):
        snapshot.write(session.state, key, cycle, snapshot.Snapshot(body), time.time())
    (session.vault / "BRAIN.md").write_text(text)
    for name in ("one", "two"):
        note = session.vault / "rules" / f"{name}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"---\nname: {name}\ndescription: d\npolicy: do\n---\n{text}\n")
    assert session.cli("boot").status == 0
    assert session.cli("remember", "orders use locks").status == 0
    assert_fits(*printed(session))
    out, told = printed(session, env)
    assert_fits(out, told)
    assert "<holdfast-snapshot>" in told
