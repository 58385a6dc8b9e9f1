"""Episodes: one that was opened is seen to end, or lies in live/ until it is found dead; nothing hides it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

from holdfast.capture import codec, episodes, log, platform
from holdfast.capture.episodes import DIED, ENDED, OPEN, Episode
from holdfast.model import Process, replace

NOW = 1_800_000_000.0
HERE = platform.process(os.getpid())
ODD_SESSIONS = ["", ".", "..", "../../etc/passwd", "a/b", "a~b", "x" * 300, "sp ace", "line\nbreak", "naïve", "\udcff"]


def episode(session: str = "s", ordinal: int = 1, **more: object) -> Episode:
    known: dict[str, object] = {"host": "generic", "project": "app-1", "cwd": "/app", "opened": NOW, **more}
    return Episode(session=session, ordinal=ordinal, **known)  # type: ignore[arg-type]


def opened(state: str, session: str = "s", ordinal: int = 1, **more: object) -> Episode:
    return episodes.open_episode(state, episode(session, ordinal, **more))


def live(state: str, now: float = NOW) -> list[str]:
    return [found.key for found, _ in episodes.in_live(state, now)]


def test_an_episode_comes_back_with_all_that_was_known_at_its_opening(state: str) -> None:
    known = episode(
        source="resume", transcript="/t/s.jsonl", offset=4711, parent="generic/before/2", process=HERE, opened=NOW + 0.5
    )
    assert episodes.open_episode(state, known) == known
    assert episodes.latest(state, "generic", "s") == known
    assert episodes.in_live(state, NOW) == [(known, NOW + 0.5)]
    assert known.key == "generic/s/1"


def test_nothing_is_known_of_a_session_that_was_never_seen(state: str) -> None:
    assert episodes.latest(state, "generic", "s") is None
    assert episodes.in_live(state, NOW) == []


@pytest.mark.parametrize("session", ["s", "a/b", "", "/"])
def test_the_session_is_read_from_a_key(session: str) -> None:
    assert episodes.session_of(episode(session).key) == session


def test_an_end_is_recorded_before_the_episode_leaves(state: str) -> None:
    one = opened(state)
    ended = episodes.end_episode(state, one, ENDED, "logout", NOW + 9)
    assert episodes.latest(state, "generic", "s") == ended == replace(one, state=ENDED, reason="logout", closed=NOW + 9)
    assert live(state) == ["generic/s/1"], "until all that its end asked for is done"
    episodes.leave(state, ended)
    episodes.leave(state, ended)
    assert live(state) == []


def test_the_first_end_counts_and_saying_it_again_is_harmless(state: str) -> None:
    one = opened(state)
    ended = episodes.end_episode(state, one, ENDED, "logout", NOW + 1)
    episodes.end_episode(state, one, DIED, "no sign of life", NOW + 2)
    assert episodes.latest(state, "generic", "s") == ended


def test_of_two_hooks_that_open_the_same_episode_the_quicker_one_counts_for_both(state: str) -> None:
    first = opened(state, cwd="/quick")
    assert opened(state, cwd="/slow") == first
    assert live(state) == ["generic/s/1"]


def test_a_later_stretch_of_a_session_is_an_episode_of_its_own(state: str) -> None:
    first = opened(state)
    episodes.end_episode(state, first, ENDED, "", NOW + 1)
    second = opened(state, ordinal=2, parent=first.key)
    episodes.end_episode(state, first, DIED, "late", NOW + 3)
    assert episodes.latest(state, "generic", "s") == second
    assert second.state == OPEN


def test_one_that_was_taken_for_dead_and_speaks_lives_and_from_then_on_only_silence_counts(state: str) -> None:
    dead = episodes.end_episode(state, opened(state, process=HERE), DIED, "no sign of life", NOW + 1)
    episodes.leave(state, dead)
    revived = episodes.revive(state, dead, NOW + 2)
    assert episodes.latest(state, "generic", "s") == revived
    assert (revived.state, revived.process, revived.reason, revived.closed) == (OPEN, None, "", 0.0)
    assert episodes.in_live(state, NOW) == [(revived, NOW + 2)]
    again = episodes.end_episode(state, revived, DIED, "silence", NOW + 3)
    assert episodes.latest(state, "generic", "s") == again


def test_one_that_ended_is_not_revived(state: str) -> None:
    ended = episodes.end_episode(state, opened(state), ENDED, "", NOW + 1)
    episodes.revive(state, ended, NOW + 2)
    known = episodes.latest(state, "generic", "s")
    assert known
    assert known.state == ENDED


def test_a_moment_is_noted_by_the_time_of_the_file_and_brings_back_one_that_is_missing(state: str) -> None:
    one = opened(state)
    assert episodes.touch(state, one, NOW + 60)
    assert episodes.in_live(state, NOW) == [(one, NOW + 60)]
    episodes.leave(state, one)
    assert not episodes.touch(state, one, NOW + 90)
    assert episodes.in_live(state, NOW) == [(one, NOW + 90)]


def test_it_is_among_the_living_durably_before_its_opening_is_written(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    real_folder, real_append = platform.sync_folder, log.append

    def sync_folder(path: str) -> None:
        real_folder(path)
        if path.endswith("/live") and os.listdir(path) == ["generic~s~1"]:
            order.append("live")

    def append(path: str, payloads: list[bytes], *, durable: bool) -> None:
        real_append(path, payloads, durable=durable)
        order.append(f"{codec.decode(payloads[0])['what']} {durable}")

    monkeypatch.setattr(platform, "sync_folder", sync_folder)
    monkeypatch.setattr(log, "append", append)
    one = opened(state)
    episodes.end_episode(state, one, ENDED, "", NOW)
    assert order == ["live", "opened True", "ended True"]


def test_a_crash_before_the_opening_was_written_leaves_nothing_that_is_mistaken_for_an_episode(state: str) -> None:
    episodes.touch(state, episode(), NOW)
    assert live(state, NOW + 60) == []
    assert opened(state)
    assert live(state, NOW + 60) == ["generic/s/1"]


def test_what_leads_to_no_episode_is_swept_away_after_an_hour_and_not_before(state: str) -> None:
    folder = Path(state, "episodes", "live")
    episodes.touch(state, episode(), NOW)
    (folder / "odd").write_bytes(b"{")
    os.utime(folder / "odd", (NOW, NOW))
    live(state, NOW + episodes.STRAGGLER)
    assert len(os.listdir(folder)) == 2, "an opening may just be being written"
    live(state, NOW + episodes.STRAGGLER + 1)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("session", ODD_SESSIONS)
def test_a_session_id_is_outside_text_and_never_leaves_its_folder(state: str, session: str) -> None:
    one = opened(state, session)
    other = opened(state, session + "2")
    episodes.end_episode(state, other, ENDED, "", NOW)
    assert episodes.latest(state, "generic", session) == one
    assert sorted(live(state)) == sorted([one.key, other.key])
    files = [path for path in Path(state).parent.parent.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files if "live" in path.parts} == {"live"}
    assert all(Path(state) in path.parents and len(path.name) < 100 for path in files)
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_hosts_do_not_share_sessions(state: str) -> None:
    opened(state)
    assert episodes.latest(state, "claude-code", "s") is None


def test_a_process_leads_to_the_episode_it_opened_last(state: str) -> None:
    assert HERE
    opened(state, "one", process=HERE)
    two = opened(state, "two", process=HERE)
    assert episodes.of_process(state, HERE.namespace, HERE.pid, HERE.start) == two
    assert episodes.of_process(state, HERE.namespace, HERE.pid, HERE.start + 1) is None, "the pid was reused"
    assert episodes.of_process(state, "pid:[1]", HERE.pid, HERE.start) is None, "a container's pid is another"


def test_what_leads_from_processes_that_are_gone_is_dropped_and_nothing_else(state: str) -> None:
    assert HERE
    child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    gone = platform.process(child.pid)
    child.communicate()
    assert gone
    foreign = replace(gone, namespace="pid:[1]")
    for session, process in (("here", HERE), ("gone", gone), ("foreign", foreign)):
        opened(state, session, process=process)

    def leads(process: Process) -> bool:
        return episodes.of_process(state, process.namespace, process.pid, process.start) is not None

    assert [leads(process) for process in (HERE, gone, foreign)] == [True, True, True]
    episodes.forget_processes(state)
    assert [leads(process) for process in (HERE, gone, foreign)] == [True, False, True]


def test_records_of_a_newer_version_and_broken_ones_cost_no_other(state: str) -> None:
    one = opened(state)
    path = next(Path(state, "episodes", "log").rglob("generic~s"))
    with path.open("ab") as file:
        file.write(log.frame(b"[]") + b"\nHF1 00" + log.frame(b"{"))
        for what, ordinal in (("paused", 1), ("forked", 9), ("ended", 9), ("revived", 9)):
            record = {"what": what, "ordinal": ordinal, "reason": "", "closed": 1.0}
            record.update(project="p", cwd="/", opened=1.0)
            file.write(log.frame(codec.encode(record)))
    assert episodes.latest(state, "generic", "s") == one
    ended = episodes.end_episode(state, one, ENDED, "", NOW + 1)
    assert episodes.latest(state, "generic", "s") == ended
    log.append(
        str(path),
        [
            codec.encode(
                {"v": 9, "what": "opened", "ordinal": 2, "project": "p", "cwd": "/", "opened": 1.0, "mood": "x"}
            )
        ],
        durable=False,
    )
    known = episodes.latest(state, "generic", "s")
    assert known
    assert known.ordinal == 2


def test_an_end_that_is_finished_late_does_not_hide_the_stretch_that_was_opened_since(state: str) -> None:
    ended = episodes.end_episode(state, opened(state), ENDED, "clear", NOW + 1)
    second = opened(state, ordinal=2)
    episodes.leave(state, ended)
    assert live(state) == [second.key]


def test_a_straggler_of_a_crashed_write_is_no_episode(state: str) -> None:
    one = opened(state)
    path = Path(state, "episodes", "live", "generic~s~1")
    shutil.copy(path, f"{path}.4711.0a1b2c3d.tmp")
    assert live(state) == [one.key]
    episodes.leave(state, episodes.end_episode(state, one, ENDED, "", NOW))
    assert live(state) == []
    live(state, time.time() + episodes.STRAGGLER + 60)
    assert os.listdir(path.parent) == [], "nor does it lie there for ever"


def test_a_very_long_session_id_does_not_hide_an_episode(state: str) -> None:
    one = opened(state, "s" * 5000)
    assert live(state) == [one.key]


def test_an_episode_whose_process_has_a_field_of_a_newer_version_is_still_seen(state: str) -> None:
    assert HERE
    one = opened(state, process=HERE)
    path = next(Path(state, "episodes", "log").rglob("generic~s"))
    (payload,) = log.records(log.scan_file(str(path)))
    record = codec.decode(payload)
    record["process"]["cgroup"] = "new"
    path.write_bytes(log.frame(codec.encode(record)))
    assert live(state) == [one.key]


def test_an_episode_whose_log_cannot_be_read_for_a_while_is_not_forgotten(state: str) -> None:
    one = opened(state)
    path = next(Path(state, "episodes", "log").rglob("generic~s"))
    aside = path.rename(f"{state}/aside")
    path.mkdir()
    live(state, NOW + 2 * episodes.STRAGGLER)
    path.rmdir()
    aside.rename(path)
    assert live(state, NOW + 2 * episodes.STRAGGLER) == [one.key]


def test_an_episode_whose_opening_is_damaged_does_not_vanish_in_silence(state: str) -> None:
    opened(state)
    path = next(Path(state, "episodes", "log").rglob("generic~s"))
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    live(state, NOW + 2 * episodes.STRAGGLER)
    assert os.listdir(f"{state}/episodes/live") == ["generic~s~1"]


def test_the_segments_with_flags_of_an_episode_are_noted_until_they_are_forgotten(state: str) -> None:
    for segment in ("B.log", "A.log", "B.log"):
        episodes.note_segment(state, "generic/../s/1", segment)
    episodes.note_segment(state, "generic/other/1", "C.log")
    assert sorted(episodes.noted_segments(state, "generic/../s/1")) == ["A.log", "B.log"]
    episodes.forget_segments(state, "generic/../s/1")
    episodes.forget_segments(state, "generic/../s/1")
    assert episodes.noted_segments(state, "generic/../s/1") == []
    assert len(os.listdir(f"{state}/episodes/segments")) == 1
    assert episodes.noted_segments(state, "generic/other/1") == ["C.log"]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Codex", "codex"),
        ("../../x", "x"),
        ("My Agent_2", "myagent_2"),
        ("", "generic"),
        ("é", "generic"),
        ("a" * 99, "a" * 40),
    ],
)
def test_a_host_has_one_spelling_that_is_safe_in_a_file_name(given: str, name: str) -> None:
    assert episodes.host_name(given) == name
