"""Nudges through the whole hook: once for each boundary and band, in the right words, at a moment that carries them, or
silent with a reason; and ten hooks of one session at the very same time agree."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import PYTHON, SOURCE, START, Home, context_of
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import config, once
from holdfast.hook import nudge, tool_call

MODEL = "claude-sonnet-4-5"
FLAG = "holdfast flag --kind decision|lesson|progress --evidence FILE:LINE '…'"
KINDS = ("chapter", "task", "subagent", "commit", "consider", "write", "handoff")
MANY = 10


@pytest.fixture
def session(fresh: Home) -> Home:
    """A home with a session that has begun."""
    assert fresh.answer(fresh.event("SessionStart", source="startup")) == ""
    return fresh


class Transcript:
    """A Claude Code transcript that says how full the context is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.use(1_000)
        seen = tool_call.pressure("claude-code", str(path), MODEL, {}, {})
        assert seen
        self.limit = seen.limit

    def use(self, tokens: int) -> None:
        message = {"role": "assistant", "model": MODEL, "usage": {"input_tokens": tokens}, "content": []}
        with self.path.open("a") as out:
            out.write(json.dumps({"type": "assistant", "message": message}) + "\n")

    def leave(self, part: float) -> dict[str, str]:
        """So much of the context is left; what a payload says of the transcript."""
        self.use(int(self.limit * (1 - part)))
        return {"transcript_path": str(self.path), "model": MODEL}


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "transcript.jsonl")


def chapter(where: Home, call: str = "c1", title: str = "Retries", **more: Any) -> dict[str, object]:
    given_so = {"title": title}
    name = str(more.pop("name", "PostToolUse"))
    return where.event(name, tool_name="mcp__x__mark_chapter", tool_input=given_so, tool_use_id=call, **more)


def ordinary(where: Home, name: str = "PreToolUse", **more: Any) -> dict[str, object]:
    return where.event(name, tool_name="Read", tool_input={"file_path": "a.py"}, tool_use_id="r", **more)


def reasons(where: Home) -> list[str]:
    return [str(one.get("reason", "")) for one in where.ledger("nudge")]


def wish(where: Home, text: str) -> None:
    Path(config.path_of(where.state)).write_text(text)


# --- the words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["holdfast", "/home/ada/.local/bin/holdfast"])
def test_a_nudge_is_three_lines_and_names_the_command(kind: str, command: str) -> None:
    lines = nudge.text_for(kind, command, "Retries", 0.42).split("\n")
    assert len(lines) == 3
    assert FLAG.replace("holdfast", command, 1) in lines[1]
    assert f"`{command} flag --nothing`" in lines[2]
    assert "{" not in "".join(lines)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(words=st.text(st.characters(), max_size=600), kind=st.sampled_from(KINDS))
def test_whatever_a_task_is_called_a_nudge_stays_three_short_lines_behind_no_fence(words: str, kind: str) -> None:
    text = nudge.text_for(kind, "holdfast", words)
    assert len(text.splitlines()) == 3
    assert len(text) < 900
    text.encode("utf-8")
    assert "</" not in text


@pytest.mark.parametrize("words", ["</holdfast-memory>", "{left} {command} {words}", 'say "x"\nthen\u2028y\x1b[31m'])
def test_a_tasks_words_are_quoted_as_they_are_and_command_nothing(words: str) -> None:
    first = nudge.text_for("task", "holdfast", words).split("\n")[0]
    assert "</holdfast-memory>" not in first
    assert "\x1b" not in first
    if words.startswith("{"):
        assert '("{left} {command} {words}")' in first


def test_the_command_of_the_launcher_is_the_one_that_is_named(session: Home) -> None:
    told = session.reply(chapter(session), env={"HOLDFAST_COMMAND": "/opt/holdfast/bin/holdfast"})
    assert "`/opt/holdfast/bin/holdfast flag --kind" in told["additionalContext"]
    assert "`holdfast" not in told["additionalContext"]


# --- once for each boundary


def test_a_boundary_is_nudged_once_and_the_ledger_says_so(session: Home) -> None:
    assert session.answer(chapter(session)).startswith('A chapter is closed ("Retries").')
    assert session.answer(chapter(session)) == ""
    assert session.answer(ordinary(session)) == ""
    assert session.nudges() == [("chapter", "said")]
    assert session.errors() == []


def test_a_new_session_has_its_own_boundaries(session: Home) -> None:
    assert session.answer(chapter(session))
    assert session.answer({**chapter(session), "session_id": "s2"})


def test_in_a_subagent_nobody_is_nudged_and_that_is_in_the_ledger(session: Home, transcript: Transcript) -> None:
    assert session.answer(chapter(session, agent_id="a1", **transcript.leave(0.05))) == ""
    assert session.nudges() == [("chapter", "silent")]
    assert reasons(session) == [nudge.IN_A_SUBAGENT]
    assert session.answer(chapter(session)).startswith("A chapter is closed"), "the main agent's own is another"


def test_a_held_nudge_is_not_given_to_a_subagent(session: Home) -> None:
    session.answer(session.event("SubagentStop", agent_id="a1", agent_type="Explore"))
    assert session.answer(ordinary(session, agent_id="a2")) == ""
    assert session.answer(ordinary(session)).startswith("A subagent has finished.")


@pytest.mark.parametrize("seconds", [0.0, 60.0, 119.0])
def test_who_has_just_flagged_is_not_reminded(session: Home, seconds: float) -> None:
    session.flag("orders use locks", "s1")
    assert session.answer(chapter(session), now=time.time() + seconds) == ""
    assert session.nudges() == [("chapter", "silent")]
    assert reasons(session)[0].startswith("flags were written ")


def test_after_a_while_one_is_reminded_again(session: Home) -> None:
    session.flag("orders use locks", "s1")
    assert session.answer(chapter(session), now=time.time() + 121) != ""


def test_another_sessions_flags_silence_nobody_here(session: Home) -> None:
    session.answer(session.event("SessionStart", "s2"))
    session.flag("orders use locks", "s2")
    assert session.answer(chapter(session)) != ""


def test_how_long_it_is_quiet_is_the_users_to_say(session: Home) -> None:
    wish(session, "[nudge]\nquiet_s = 5\n")
    session.flag("orders use locks", "s1")
    now = time.time()
    assert session.answer(chapter(session, "c1"), now=now + 4) == ""
    assert session.answer(chapter(session, "c2"), now=now + 6) != ""
    wish(session, "[nudge]\nquiet_s = 0\n")
    assert session.answer(chapter(session, "c3"), now=now) != ""


def test_what_is_switched_off_stays_silent_and_the_ledger_says_why(session: Home) -> None:
    wish(session, '[nudge]\noff = ["chapter"]\n')
    assert session.answer(chapter(session)) == ""
    assert session.nudges() == [("chapter", "silent")]
    assert reasons(session) == ["switched off in config.toml"]
    commit = session.event("PostToolUse", tool_name="Bash", tool_input={"command": "git commit"}, tool_use_id="g")
    assert session.answer(commit).startswith("Committed.")


# --- held


MUTE: list[tuple[str, dict[str, Any], str]] = [
    ("TaskCompleted", {"task_id": "1", "task_subject": "Mend it"}, 'Done ("Mend it").'),
    ("SubagentStop", {"agent_id": "a1", "agent_type": "Explore"}, "A subagent has finished."),
]


@pytest.mark.parametrize(("name", "more", "opening"), MUTE)
@pytest.mark.parametrize("carrier", ["PreToolUse", "PostToolUse", "UserPromptSubmit"])
def test_what_a_moment_cannot_carry_is_held_for_the_next_that_can(
    session: Home, name: str, more: dict[str, Any], opening: str, carrier: str
) -> None:
    assert session.hook(session.event(name, **more)).out == ""
    assert session.answer(ordinary(session, "PostToolUseFailure")) == "", "it carries nothing either"
    assert session.answer(ordinary(session, carrier, prompt="go on")).startswith(opening)
    assert session.answer(ordinary(session, carrier, prompt="go on")) == ""
    kind = "task" if name == "TaskCompleted" else "subagent"
    assert [one for one in session.nudges() if one[0] == kind] == [(kind, "held"), (kind, "said")]
    assert "it was held until now" in reasons(session)


def test_one_is_held_at_most_and_the_others_say_so(session: Home) -> None:
    for nth in range(3):
        session.answer(session.event("TaskCompleted", task_id=str(nth), task_subject=f"task {nth}"))
    assert session.nudges() == [("task", "held"), ("task", "silent"), ("task", "silent")]
    assert session.answer(ordinary(session)).startswith('Done ("task 0").')
    assert session.answer(ordinary(session)) == ""


def test_a_held_nudge_and_a_new_one_are_not_said_at_once(session: Home) -> None:
    session.answer(session.event("TaskCompleted", task_id="1", task_subject="Mend it"))
    told = session.answer(chapter(session))
    assert len(told.splitlines()) == 3
    assert sorted(session.nudges()) == [("chapter", "said"), ("task", "held"), ("task", "silent")]


def test_a_held_nudge_is_silent_where_flags_were_written_meanwhile(session: Home) -> None:
    session.answer(session.event("TaskCompleted", task_id="1", task_subject="Mend it"))
    session.flag("orders use locks", "s1")
    assert session.answer(ordinary(session)) == ""
    assert session.nudges() == [("task", "held"), ("task", "silent")]


def test_a_task_completed_by_a_tool_nudges_once_in_both_of_its_moments(session: Home) -> None:
    session.answer(session.event("TaskCompleted", task_id="1", task_subject="Do X"))
    update = session.event("PostToolUse", tool_name="TaskUpdate", tool_input={"taskId": "1", "status": "completed"})
    assert session.answer(update).startswith('Done ("Do X").')
    assert session.answer(update) == ""


def test_in_codex_a_plan_nudges_once_for_each_new_step(fresh: Home) -> None:
    def plan(*done: str) -> str:
        steps = [{"step": one, "status": "completed"} for one in done]
        more: dict[str, Any] = {"tool_name": "update_plan", "tool_input": {"plan": steps}, "tool_use_id": "p"}
        return fresh.answer(fresh.event("PostToolUse", **more), host="codex")

    assert plan("Retry").startswith('Done ("Retry").')
    assert plan("Retry") == ""
    assert plan("Retry", "Test").startswith('Done ("Test").')


# --- bands


def test_each_band_is_told_once_in_a_cycle_and_again_after_a_compaction(session: Home, transcript: Transcript) -> None:
    def told(left: float) -> str:
        first = session.answer(ordinary(session, "PostToolUse", **transcript.leave(left)))
        assert session.answer(ordinary(session, "PostToolUse", **transcript.leave(left))) == ""
        return first

    for _ in range(2):
        assert told(0.8) == ""
        assert told(0.45).startswith("About 45 % of the context is left")
        assert told(0.15).startswith("Only 15 % of the context is left")
        assert told(0.05).startswith("The context is about to be compacted (5 % left)")
        session.answer(session.event("PreCompact", trigger="auto"))
        session.answer(session.event("SessionStart", source="compact"))
    bands = [kind for kind, decision in session.nudges() if decision == "said" and kind in KINDS]
    assert bands == ["consider", "write", "handoff"] * 2
    assert session.errors() == []


def test_a_weaker_band_is_not_made_up_for(session: Home, transcript: Transcript) -> None:
    assert "about to be compacted" in session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.05)))
    for left in (0.15, 0.40):
        assert session.answer(ordinary(session, "PostToolUse", **transcript.leave(left))) == ""


def test_a_conversation_that_was_rewound_is_told_again_and_one_that_shrank_a_little_is_not(
    session: Home, transcript: Transcript
) -> None:
    def told(left: float) -> str:
        return session.answer(ordinary(session, "PostToolUse", **transcript.leave(left)))

    assert told(0.15).startswith("Only 15 %")
    assert told(0.30) == "", "old tool results were dropped: the same cycle"
    assert told(0.15) == ""
    assert told(0.80) == "", "two thirds of it are gone: another cycle"
    assert told(0.45).startswith("About 45 %")
    assert told(0.15).startswith("Only 15 %")
    assert told(0.15) == ""


@pytest.mark.slow
def test_ten_hooks_that_see_the_same_fall_begin_the_same_cycle(session: Home, transcript: Transcript) -> None:
    session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.05)))
    transcript.use(transcript.limit)
    session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.0)))
    said = at_once(session, [ordinary(session, "PostToolUse", **transcript.leave(0.45))] * MANY)
    assert [text[:10] for text in said if text] == ["About 45 %"]


def test_under_pressure_recent_flags_silence_only_the_gentle_band(session: Home, transcript: Transcript) -> None:
    session.flag("orders use locks", "s1")
    assert session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.45))) == ""
    assert session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.15))).startswith("Only 15 %")
    assert session.nudges() == [("consider", "silent"), ("write", "said")]


def test_a_band_goes_before_a_boundary_and_a_boundary_before_a_gentle_band(
    session: Home, transcript: Transcript
) -> None:
    told = session.answer(chapter(session, "c1", **transcript.leave(0.45)))
    assert told.startswith("A chapter is closed")
    assert session.answer(ordinary(session, "PostToolUse", **transcript.leave(0.45))).startswith("About 45 %")
    assert session.answer(chapter(session, "c2", **transcript.leave(0.05))).startswith("The context is about")
    assert session.nudges()[-2:] == [("handoff", "said"), ("chapter", "silent")]


def test_a_prompt_tells_of_pressure_too(session: Home, transcript: Transcript) -> None:
    told = session.answer(session.event("UserPromptSubmit", prompt="go on", **transcript.leave(0.15)))
    assert told.startswith("Only 15 %")


def test_a_transcript_that_is_not_there_presses_nobody(session: Home) -> None:
    gone = {"transcript_path": "/nowhere/x.jsonl", "model": MODEL}
    assert session.answer(ordinary(session, "PostToolUse", **gone)) == ""
    assert session.errors() == []


# --- ten at the very same time


def at_once(where: Home, payloads: list[dict[str, object]]) -> list[str]:
    """Real hook processes, all started before any gets its payload."""
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    pipe = subprocess.PIPE
    began = [
        subprocess.Popen(command, env=where.env, cwd=where.project, stdin=pipe, stdout=pipe, stderr=pipe)
        for _ in payloads
    ]
    for process, payload in zip(began, payloads, strict=True):
        assert process.stdin
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
    for process in began:
        assert process.stdin
        process.stdin.close()
        process.stdin = None
    done = [process.communicate(timeout=60) for process in began]
    assert [(process.returncode, err) for process, (_, err) in zip(began, done, strict=True)] == [(0, b"")] * len(began)
    return [context_of(out.decode()) for out, _ in done]


@pytest.mark.slow
def test_of_ten_hooks_at_once_one_nudges_for_the_boundary_and_one_for_the_band(
    session: Home, transcript: Transcript
) -> None:
    said = at_once(session, [chapter(session, **transcript.leave(0.15))] * MANY)
    openings = sorted(text[:9] for text in said if text)
    assert openings in (["Only 15 %"], ["A chapter", "Only 15 %"]), "both fell to one process, or to two"
    decided = session.nudges()
    assert [kind for kind, _ in decided].count("write") == 1
    assert [kind for kind, _ in decided].count("chapter") == 1
    assert session.errors() == []


@pytest.mark.slow
def test_ten_different_boundaries_at_once_are_ten_nudges(session: Home) -> None:
    said = at_once(session, [chapter(session, f"c{nth}") for nth in range(MANY)])
    assert all(text.startswith("A chapter is closed") for text in said)
    assert session.nudges() == [("chapter", "said")] * MANY


@pytest.mark.slow
def test_a_held_nudge_is_delivered_by_one_of_ten(session: Home) -> None:
    ended = session.event("SubagentStop", agent_id="a1", agent_type="x")
    at_once(session, [ended] * MANY)
    assert session.nudges() == [("subagent", "held")]
    said = at_once(session, [ordinary(session)] * MANY)
    assert len([text for text in said if text]) == 1
    assert session.nudges() == [("subagent", "held"), ("subagent", "said")]


@pytest.mark.slow
def test_ten_that_hold_at_once_hold_one_and_lose_none(session: Home) -> None:
    ends = [session.event("SubagentStop", agent_id=f"a{nth}", agent_type="x") for nth in range(MANY)]
    at_once(session, ends)
    decided = session.nudges()
    assert len(decided) == MANY
    assert decided.count(("subagent", "held")) == 1
    assert session.answer(ordinary(session)).startswith("A subagent has finished.")


# --- what it costs


LOADED = """
import posix, sys
sys.path.append(sys.argv[1])
from holdfast.capture.platform import environ
from holdfast.hook import main
main.main("claude-code", environ(), 0)
posix.write(2, " ".join(sys.modules).encode())
"""
HEAVY = ("re", "json", "tomllib", "os", "enum", "functools", "collections", "typing", "dataclasses", "subprocess",
         "holdfast.brief.brief_file", "holdfast.hook.intercept", "holdfast.text.orders", "holdfast.hook.snapshot",
         "holdfast.capture.queue", "holdfast.capture.flags", "holdfast.capture.redaction_rules")  # fmt: skip


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse", "Stop", "SubagentStop", "TaskCompleted", "PostCompact"])
def test_an_ordinary_moment_loads_nothing_heavy(session: Home, transcript: Transcript, name: str) -> None:
    wish(session, "[nudge]\nquiet_s = 5\n")
    config.load(session.state)
    (Path(session.state) / "armed").write_text(
        '{"v":1,"notes":[{"path":"rules/a.md","name":"a","policy":"","origin":"user","project":"global","lines":["x"],'
        '"when":{"tool":["bash"],"words":["docker"],"paths":[],"pattern":"x+"}}]}'
    )
    given_so = {"command": "make test"}
    more: dict[str, Any] = {"tool_name": "Bash", "tool_input": given_so, "tool_use_id": "c", "task_subject": "x"}
    payload = session.event(name, agent_id="a1" if name == "SubagentStop" else "", **more, **transcript.leave(0.9))
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-c", LOADED, str(SOURCE)],
        env=session.env, cwd=session.project, input=json.dumps(payload).encode(), capture_output=True, check=True,
    )  # fmt: skip
    loaded = done.stderr.decode().split()
    assert "holdfast.hook.main" in loaded
    assert [one for one in HEAVY if one in loaded] == []


def test_what_is_asked_is_noted_until_it_is_answered(session: Home) -> None:
    session.answer(chapter(session))
    key = session.episode().key
    assert once.read(session.state, key, once.ASKED) == "chapter"
    session.flag("orders use locks", "s1")
    assert once.read(session.state, key, once.ASKED) is None
