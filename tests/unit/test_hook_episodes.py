"""The life of an episode as the hook tells it: opened, continued, ended, died, revived; and the marks it leaves."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest
from hook_support import PYTHON, START, Agents, Home

from holdfast.capture import codec, episodes, flags, log, platform, queue
from holdfast.hosts import registration
from holdfast.install import launcher
from holdfast.model import Process, replace

HOUR = 3600.0


def flag(fresh: Home, text: str, session: str = "s1", cwd: Path | None = None) -> None:
    fresh.flag(text, session, cwd)


def start(fresh: Home, session: str, agent: object = None, source: str = "startup", now: float = 0.0) -> str:
    pid = getattr(agent, "pid", 0) or os.getpid()
    return fresh.answer(fresh.event("SessionStart", session, source=source), pid=pid, now=now)


def end(fresh: Home, session: str, now: float = 0.0, reason: str = "other") -> None:
    fresh.answer(fresh.event("SessionEnd", session, reason=reason), now=now)


# --- died

HOST = """
printf '%s' "$START" | {hook} > /dev/null
{flag} --kind decision "orders use optimistic locking"
echo ready
read -r forever
"""


@pytest.mark.slow
def test_a_host_killed_with_9_is_found_and_its_flag_is_named_at_the_next_start(fresh: Home) -> None:
    """All of it real: the host is a parent of hook and flag and tells nobody its pid; its session is in no variable."""
    launcher.write_launcher(fresh.env)
    script = fresh.folder / "agent.sh"
    line = registration.registered_line("claude-code", fresh.env)
    command = shlex.join([PYTHON, "-I", "-S", START, "--command", "flag"])
    script.write_text(HOST.format(hook=f"sh -c {shlex.quote(line)}", flag=command))
    payload = codec.encode(fresh.event("SessionStart", "killed", source="startup")).decode()
    with subprocess.Popen(
        ["/bin/sh", str(script)],
        env={**fresh.env, "START": payload},
        cwd=fresh.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdout
        assert "session claude-code/killed/1" in host.stdout.readline()
        assert host.stdout.readline() == "ready\n"
        alive = fresh.line(fresh.event("SessionStart", "beside it", source="startup"))
        assert "WARNING" not in alive.context, "while the host lives there is nothing to warn about"
        host.kill()
        host.wait()
    told = fresh.line(fresh.event("SessionStart", "next", source="startup")).context
    assert "WARNING: the claude-code session killed died without an end" in told
    assert "1 flag kept" in told
    assert "- [decision] orders use optimistic locking (" in told


def test_a_living_sessions_flags_are_not_warned_about(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "still at work")
    assert "WARNING" not in start(fresh, "s2")
    agent.kill()
    told = start(fresh, "s3")
    assert "WARNING" in told
    assert "still at work" in told


def test_of_other_projects_nothing_is_told(fresh: Home, agents: Agents) -> None:
    other = fresh.folder / "other"
    other.mkdir()
    agent = agents()
    fresh.answer({**fresh.event("SessionStart", "s1"), "cwd": str(other)}, pid=agent.pid)
    flag(fresh, "a secret of the other project", cwd=other)
    flag(fresh, "another secret of it", cwd=other)
    agent.kill()
    told = start(fresh, "s2")
    assert told == ""


def test_a_session_that_died_before_it_flagged_anything_is_told_once(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    agent.kill()
    assert "session s1 died without an end" in start(fresh, "s2")
    assert "it had flagged nothing" not in start(fresh, "s3")
    assert fresh.marks() == []


def test_a_session_that_died_with_flags_is_told_until_they_are_filed(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "one")
    agent.kill()
    for session in ("s2", "s3", "s4"):
        assert "session s1 died without an end" in start(fresh, session)
    assert fresh.file_everything() == 1
    assert start(fresh, "s5") == ""
    assert fresh.marks() == []


def test_the_death_is_one_record_however_many_starts_see_it(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "one")
    agent.kill()
    for session in ("s2", "s3", "s4"):
        start(fresh, session)
    died = [record for record in fresh.ledger("episode") if record["how"] == "died"]
    assert [record["episode"] for record in died] == ["claude-code/s1/1"]
    assert fresh.episode("s1").state == episodes.DIED


@pytest.mark.slow
def test_eight_starts_at_once_all_tell_of_the_same_death(fresh: Home, agents: Agents) -> None:
    agent, other = agents(), agents()
    start(fresh, "s1", agent)
    flag(fresh, "left behind")
    agent.kill()
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    env = {**fresh.env, "CLAUDE_PID": str(other.pid)}
    hooks = [
        subprocess.Popen(command, env=env, cwd=fresh.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(8)
    ]
    for nth, hook in enumerate(hooks):
        assert hook.stdin
        hook.stdin.write(codec.encode(fresh.event("SessionStart", f"n{nth}", source="startup")))
    told = [hook.communicate()[0].decode() for hook in hooks]
    assert [hook.returncode for hook in hooks] == [0] * 8
    assert ["left behind" in one for one in told] == [True] * 8
    assert fresh.errors() == []
    assert [(mark.episode, mark.why, mark.waiting) for mark in fresh.marks()] == [("claude-code/s1/1", "died", 1)]


def test_a_zombie_host_is_a_dead_one(fresh: Home) -> None:
    """A killed child that nobody has waited for is still listed, and will never speak again."""
    host = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    try:
        fresh.answer(fresh.event("SessionStart", "s1"), pid=host.pid)
        host.kill()
        os.waitid(os.P_PID, host.pid, os.WEXITED | os.WNOWAIT)
        assert "session s1 died without an end" in start(fresh, "s2")
    finally:
        host.communicate()


# --- taken for dead by mistake


def test_a_pid_that_now_belongs_to_another_process_is_no_sign_of_life(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    known = fresh.episode("s1")
    assert known.process
    earlier = replace(known.process, start=known.process.start - 1)
    episodes.open_episode(fresh.state, replace(known, session="reused", process=earlier))
    told = start(fresh, "s2")
    assert "session reused died without an end" in told
    assert "session s1" not in told


@pytest.mark.parametrize("where", ["machine", "namespace"])
def test_a_process_that_cannot_be_looked_at_is_dead_only_after_a_day_of_silence(fresh: Home, where: str) -> None:
    now = time.time()
    elsewhere = replace(this_process(), **{where: "elsewhere"}, pid=1 << 30)
    episodes.open_episode(fresh.state, an_episode(fresh, "far", now, elsewhere))
    assert start(fresh, "s2", now=now + 23 * HOUR) == ""
    assert "session far died without an end" in start(fresh, "s3", now=now + 25 * HOUR)


def test_a_moment_from_elsewhere_is_a_sign_of_life(fresh: Home) -> None:
    now = time.time()
    elsewhere = replace(this_process(), machine="elsewhere")
    episodes.open_episode(fresh.state, an_episode(fresh, "far", now, elsewhere))
    fresh.answer(fresh.event("PostToolUse", "far"), now=now + 20 * HOUR)
    assert start(fresh, "s2", now=now + 40 * HOUR) == ""


def test_a_session_from_before_the_last_boot_is_dead(fresh: Home) -> None:
    now = time.time()
    before = platform.booted_at(now) - 60
    episodes.open_episode(fresh.state, an_episode(fresh, "old", before, replace(this_process(), boot="another boot")))
    assert "session old died without an end" in start(fresh, "s2", now=now)


def test_a_host_that_could_not_be_found_is_dead_only_after_a_day_of_silence(fresh: Home) -> None:
    now = time.time()
    episodes.open_episode(fresh.state, an_episode(fresh, "unseen", now, None))
    assert start(fresh, "s2", now=now + 23 * HOUR) == ""
    assert "session unseen died without an end" in start(fresh, "s3", now=now + 25 * HOUR)


def test_a_late_moment_revives_an_episode_that_was_taken_for_dead(fresh: Home, agents: Agents) -> None:
    agent = agents()
    now = time.time()
    start(fresh, "s1", agent, now=now)
    flag(fresh, "it goes on")
    agent.kill()
    assert "session s1 died" in start(fresh, "s2", now=now + 1)

    fresh.answer(fresh.event("PostToolUse", "s1"), now=now + 2)
    known = fresh.episode("s1")
    assert (known.ordinal, known.state, known.process) == (1, episodes.OPEN, None)
    assert fresh.ledger("hook")[-1]["revived"] is True
    assert fresh.marks() == []
    assert "it goes on" in (told := start(fresh, "s3", now=now + 3))
    assert "WARNING" not in told, "it lives"

    assert "session s1 died" in start(fresh, "s4", now=now + 2 + 25 * HOUR), "from now on silence counts"


def test_an_end_that_comes_late_is_an_end_and_not_a_death(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "one")
    agent.kill()
    start(fresh, "s2")
    end(fresh, "s1")
    assert fresh.episode("s1").state == episodes.ENDED
    told = start(fresh, "s3")
    assert "session s1 ended and was not closed" in told
    assert "died" not in told


# --- ended


def test_an_end_with_flags_waiting_leaves_a_mark_that_the_next_start_tells(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "not yet filed")
    end(fresh, "s1", reason="logout")
    (mark,) = fresh.marks()
    assert (mark.episode, mark.why, mark.reason) == ("claude-code/s1/1", "ended", "logout")
    assert mark.waiting == 1
    told = start(fresh, "s2")
    assert "session s1 ended and was not closed" in told
    assert "not yet filed (" in told


def test_an_end_with_everything_filed_leaves_nothing(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "filed in time")
    fresh.file_everything()
    end(fresh, "s1")
    assert fresh.marks() == []
    assert start(fresh, "s2") == ""


def test_an_end_told_twice_is_one(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "one")
    end(fresh, "s1", reason="clear")
    end(fresh, "s1", reason="other")
    assert [record.get("repeated", False) for record in fresh.ledger("hook")[-2:]] == [False, True]
    assert [record["how"] for record in fresh.ledger("episode")] == ["ended"]
    assert fresh.episode("s1").reason == "clear"
    assert len(fresh.marks()) == 1


def test_the_end_of_a_session_nobody_saw_begin_opens_nothing(fresh: Home) -> None:
    end(fresh, "unheard")
    assert episodes.latest(fresh.state, "claude-code", "unheard") is None
    assert fresh.ledger("hook")[0]["episode"] == ""


def test_a_mark_goes_by_itself_once_the_queue_says_filed(fresh: Home) -> None:
    for session in ("s1", "s2"):
        start(fresh, session)
        flag(fresh, f"of {session}", session)
        end(fresh, session)
    assert len(fresh.marks()) == 2
    claim = fresh.settlement().claim(10, 60.0, lambda one: one.text == "of s1")
    assert claim
    assert "of s1" in start(fresh, "s3"), "a claim is no filing"
    fresh.settlement().acknowledge(claim, [claim.flags[0].id])
    told = start(fresh, "s4")
    assert "session s1" not in told
    assert "session s2 ended and was not closed" in told
    assert [mark.episode for mark in fresh.marks()] == ["claude-code/s2/1"]


def test_a_dead_letter_keeps_its_mark_and_is_named_as_one(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "cannot be filed")
    end(fresh, "s1")
    for _ in range(queue.TRIES):
        claim = fresh.settlement().claim(1, 60.0)
        assert claim
        fresh.settlement().release(claim, [claim.flags[0].id], error="the judge was out")
    told = start(fresh, "s2")
    assert "session s1 ended and was not closed" in told
    assert "(dead letter)" in told


def test_an_end_cut_short_before_its_mark_is_finished_by_the_next_start(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "its end was killed")
    episodes.end_episode(fresh.state, fresh.episode("s1"), episodes.ENDED, "other", time.time())
    assert fresh.marks() == []
    assert "session s1 ended and was not closed" in start(fresh, "s2")
    assert len(fresh.marks()) == 1
    assert [one.session for one, _ in episodes.in_live(fresh.state, time.time())] == ["s2"]


# --- stretches: resume, clear, fork, compact


def test_a_resume_in_another_process_is_a_new_episode_of_the_same_session(fresh: Home, agents: Agents) -> None:
    first, second = agents(), agents()
    start(fresh, "s1", first)
    flag(fresh, "of the first stretch")
    first.kill()
    told = start(fresh, "s1", second, source="resume")
    known = fresh.episode("s1")
    assert (known.ordinal, known.parent, known.source) == (2, "claude-code/s1/1", "resume")
    assert known.process
    assert known.process.pid == second.pid
    assert "WARNING: the claude-code session s1 died" in told, "its work may be half done"
    assert "of the first stretch" not in told, "it said so itself, and its host sends that again"
    assert [mark.episode for mark in fresh.marks()] == ["claude-code/s1/1"]


def test_a_resume_after_an_end_is_a_new_episode_of_the_same_session(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    end(fresh, "s1")
    start(fresh, "s1", agent, source="resume")
    known = fresh.episode("s1")
    assert (known.ordinal, known.parent, known.state) == (2, "claude-code/s1/1", episodes.OPEN)


def test_a_flag_after_a_resume_belongs_to_the_new_stretch(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    end(fresh, "s1")
    start(fresh, "s1", agent, source="resume")
    flag(fresh, "of the second stretch")
    assert [one.episode for one in fresh.waiting()] == ["claude-code/s1/2"]


@pytest.mark.parametrize("source", ["clear", "fork"])
def test_a_new_session_of_the_same_process_continues_the_one_before(fresh: Home, agents: Agents, source: str) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    end(fresh, "s1", reason="clear")
    start(fresh, "s2", agent, source=source)
    known = fresh.episode("s2")
    assert (known.ordinal, known.parent, known.source) == (1, "claude-code/s1/1", source)


def test_a_startup_continues_nothing(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    start(fresh, "s2", agent)
    assert fresh.episode("s2").parent == ""


def test_a_parent_that_the_host_names_is_kept(fresh: Home) -> None:
    payload = {"event": "session-start", "session": "child", "cwd": str(fresh.project), "parent": "generic/mother/1"}
    fresh.answer(payload, host="generic")
    assert fresh.episode("child", "generic").parent == "generic/mother/1"


def test_a_compaction_does_not_end_an_episode(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "before the compaction")
    fresh.answer(fresh.event("PreCompact", trigger="auto"))
    assert "before the compaction" in start(fresh, "s1", agent, source="compact")
    fresh.answer(fresh.event("PostCompact", trigger="auto"))
    known = fresh.episode("s1")
    assert (known.ordinal, known.state) == (1, episodes.OPEN)
    assert fresh.ledger("episode") == []


def test_a_compaction_seen_from_a_new_process_still_ends_nothing(fresh: Home, agents: Agents) -> None:
    first, second = agents(), agents()
    start(fresh, "s1", first)
    start(fresh, "s1", second, source="compact")
    assert fresh.episode("s1").ordinal == 1


def test_a_start_told_twice_by_one_process_is_one_episode(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    start(fresh, "s1", agent)
    assert fresh.episode("s1").ordinal == 1


def test_the_first_moment_seen_of_a_session_opens_it_as_joined(fresh: Home) -> None:
    fresh.answer(fresh.event("PostToolUse", tool_name="Bash"))
    known = fresh.episode("s1")
    assert (known.ordinal, known.source, known.state) == (1, "joined", episodes.OPEN)


@pytest.mark.parametrize(
    ("name", "ordinal"),
    [("UserPromptSubmit", 2), ("PreToolUse", 2), ("PostToolUse", 2), ("Stop", 1), ("PostCompact", 1)],
)
def test_work_after_an_end_begins_a_new_stretch_and_an_echo_does_not(fresh: Home, name: str, ordinal: int) -> None:
    start(fresh, "s1")
    end(fresh, "s1")
    fresh.answer(fresh.event(name))
    assert fresh.episode("s1").ordinal == ordinal


def test_an_episode_knows_where_its_transcript_stood_when_it_began(fresh: Home) -> None:
    transcript = fresh.folder / "transcript.jsonl"
    transcript.write_bytes(b"x" * 1234)
    fresh.answer(fresh.event("SessionStart", transcript_path=str(transcript)))
    known = fresh.episode("s1")
    assert (known.transcript, known.offset, known.cwd) == (str(transcript), 1234, str(fresh.project))


@pytest.mark.slow
def test_two_sessions_of_one_project_are_two_episodes(fresh: Home, agents: Agents) -> None:
    first, second = agents(), agents()
    start(fresh, "s1", first)
    start(fresh, "s2", second)
    flag(fresh, "of one", "s1")
    flag(fresh, "of two", "s2")
    second.kill()
    told = start(fresh, "s3")
    assert "session s2 died" in told
    assert "of two" in told
    assert "session s1" not in told


@pytest.mark.slow
def test_sixteen_hooks_at_once_open_one_episode(fresh: Home, agents: Agents) -> None:
    agent = agents()
    raw = codec.encode(fresh.event("PostToolUse", tool_name="Bash"))
    env = {**fresh.env, "CLAUDE_PID": str(agent.pid)}
    command = [PYTHON, "-I", "-S", START, "claude-code"]
    hooks = [subprocess.Popen(command, env=env, cwd=fresh.project, stdin=subprocess.PIPE) for _ in range(16)]
    for hook in hooks:
        hook.communicate(raw)
    assert [hook.returncode for hook in hooks] == [0] * 16
    assert fresh.episode("s1").ordinal == 1
    assert len(fresh.ledger("hook")) == 16
    assert fresh.errors() == []


# --- what could hide one


def test_a_stretch_that_another_process_took_over_is_closed(fresh: Home, agents: Agents) -> None:
    first, second = agents(), agents()
    start(fresh, "s1", first)
    start(fresh, "s1", second, source="resume")
    end(fresh, "s1")
    told = [codec.decode(payload) for payload in log.records(log.scan_file(log_of(fresh, "s1")))]
    closed = {record["ordinal"] for record in told if record["what"] in (episodes.ENDED, episodes.DIED)}
    assert closed == {record["ordinal"] for record in told if record["what"] == "opened"}


def test_the_straggler_of_a_killed_write_is_not_told_as_a_death_again_and_again(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    live = Path(fresh.state) / "episodes" / "live"
    (written,) = live.iterdir()
    (live / f"{written.name}.4711.0badcafe.tmp").write_bytes(written.read_bytes())
    agent.kill()
    assert "session s1 died without an end" in start(fresh, "s2")
    assert start(fresh, "s3") == ""


def test_a_start_elsewhere_does_not_hide_an_episode_that_is_just_being_opened(
    fresh: Home, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another start looks around between the live mark of a resume and its record."""
    agent = agents()
    start(fresh, "s1", agent)
    end(fresh, "s1")
    append = episodes._append

    def after_another_start(state: str, episode: episodes.Episode, record: dict[str, object]) -> None:
        monkeypatch.setattr(episodes, "_append", append)
        start(fresh, "rival")
        append(state, episode, record)

    monkeypatch.setattr(episodes, "_append", after_another_start)
    start(fresh, "s1", agent, source="resume")
    agent.kill()
    assert "session s1 died without an end" in start(fresh, "s2")


def test_a_session_with_a_very_long_id_is_found_dead_like_any_other(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s" * 5000, agent)
    agent.kill()
    assert "died without an end" in start(fresh, "s2")


def test_a_file_that_vanishes_while_a_start_looks_around_is_nobodys_death(fresh: Home) -> None:
    """Another hook may end its episode between our listing and our look; a dangling link is that moment, held still."""
    live = Path(fresh.state) / "episodes" / "live"
    live.mkdir(parents=True)
    (live / "claude-code~s1~1").symlink_to("gone")
    assert episodes.in_live(fresh.state, time.time()) == []


def fill_the_queue(fresh: Home, project: str, later: float = 1.0) -> None:
    """More flags of another project than a hook reads of the queue."""
    now = time.time() + later
    one, _ = flags.make("x" * 3900, now=now, project=project)
    many = [replace(one, id=one.id[:-6] + f"{n:06d}") for n in range((1 << 20) // 3900 + 50)]
    for at in range(0, len(many), 50):
        queue.append(f"{fresh.state}/queue", many[at : at + 50], now + at / 1000)


@pytest.mark.slow
def test_an_end_leaves_its_mark_however_much_others_have_flagged_since(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "older than a megabyte of others")
    fill_the_queue(fresh, "other")
    end(fresh, "s1")
    assert "session s1 ended and was not closed" in start(fresh, "s2")


@pytest.mark.slow
def test_a_dead_sessions_flag_is_named_however_much_others_have_flagged_since(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    flag(fresh, "older than all that others said")
    fill_the_queue(fresh, "other")
    agent.kill()
    told = start(fresh, "s2")
    assert "session s1 died without an end" in told
    assert "older than all that others said" in told


@pytest.mark.slow
def test_all_of_a_dead_sessions_flags_are_named_wherever_in_the_queue_they_lie(fresh: Home, agents: Agents) -> None:
    agent = agents()
    start(fresh, "s1", agent)
    for text, later in (("in the first segment", 1.0), ("in a later one", 10.0)):
        flag(fresh, text)
        fill_the_queue(fresh, "other", later)
    agent.kill()
    told = start(fresh, "s2")
    assert "in the first segment" in told
    assert "in a later one" in told


@pytest.mark.slow
def test_a_mark_goes_once_its_flags_are_filed_however_long_the_queue_is(fresh: Home) -> None:
    start(fresh, "s1")
    flag(fresh, "filed long ago")
    end(fresh, "s1")
    assert fresh.file_everything() == 1
    fill_the_queue(fresh, "other")
    assert "session s1" not in start(fresh, "s2")


def test_a_flag_meets_the_episode_of_a_host_with_an_odd_name(fresh: Home) -> None:
    env = {"HOLDFAST_HOST": "My Agent", "HOLDFAST_SESSION": "s1"}
    fresh.hook({"event": "session-start", "cwd": str(fresh.project)}, "generic", env=env)
    fresh.fast("flag", "mine", env=env)
    assert [one.episode for one in fresh.waiting()] == ["myagent/s1/1"]


def this_process() -> Process:
    found = platform.process(os.getpid())
    assert found
    return found


def an_episode(fresh: Home, session: str, opened: float, process: Process | None) -> episodes.Episode:
    return episodes.Episode("claude-code", session, 1, fresh.project_id(), str(fresh.project), opened, process=process)


def log_of(fresh: Home, session: str) -> str:
    (path,) = (Path(fresh.state) / "episodes" / "log").rglob(f"*~{session}")
    return str(path)
