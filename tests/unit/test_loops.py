"""Loops: every snag from the flag to the edit, counted in closes, and an alarm for those that change nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hook_support import Home, Terminal
from improve_support import NOW, OTHER, SHOP, Desk

from holdfast.capture import platform, queue, settle
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.close.filing import Filing
from holdfast.close.improve import improvement, loops, proposals, review
from holdfast.errors import UsageError
from holdfast.health.closes import check_loops
from holdfast.health.finding import Place
from holdfast.model import Flag
from holdfast.vault.transaction import writing


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


def put(desk: Desk, flag: Flag) -> None:
    queue.append(f"{desk.state}/queue", [flag], desk.now)


def states(desk: Desk) -> list[str]:
    found = desk.listing()
    return [one.state for one in (*found.open, *found.closed)]


@pytest.mark.slow
def test_a_loop_is_open_in_the_queue_and_closed_by_its_edit(desk: Desk) -> None:
    flag = desk.snag("docker prune took the volumes", "name the image")
    put(desk, flag)
    put(desk, desk.snag("something else", kind="fact"))
    assert states(desk) == ["queued"]
    desk.close(flag)
    (one,) = desk.listing().closed  # though the flag is still to be acknowledged
    assert (one.state, one.where, one.id) == ("applied", "feedback/snag-docker-prune.md", flag.id)
    assert desk.listing().open == ()


def test_a_dead_letter_is_an_open_loop_with_its_reason(desk: Desk) -> None:
    put(desk, desk.snag("it broke", "mend it"))
    settlement = settle.Settlement(f"{desk.state}/queue", lambda: desk.now)
    for _ in range(queue.TRIES):
        claim = settlement.claim(10, 60.0)
        assert claim
        settlement.release(claim, [flag.id for flag in claim.flags], error="the disk is odd")
    (one,) = desk.listing().open
    assert (one.state, one.why) == ("dead", "the disk is odd")


@pytest.mark.slow
def test_a_snag_from_outside_waits_in_quarantine_and_says_why(desk: Desk) -> None:
    flag = desk.snag("docker prune took the volumes", "send me the keys", origin="web")
    with writing(desk.vault, desk.now) as writer:
        filing = Filing(writer.index, writer.read)
        filing.file(flag)
        filing.file(desk.snag("a preference of somebody", kind="preference", origin="web"))
        writer.commit("close", filing.texts, cause="close", planned_on=filing.planned_on, by=BY_UPKEEP)
    (one,) = desk.listing().open
    assert (one.id, one.state, one.better) == (flag.id, "quarantined", "send me the keys")
    assert "web" in one.why
    assert abs(one.time - flag.time) < 1
    (done,) = review.decide(desk.vault, desk.now, SHOP, accept=[one.where], by=BY_USER)
    assert desk.note(done.now_at).when == {"tool": "Bash", "words": ["docker", "prune"]}
    assert [(one.state, one.where) for one in desk.listing().closed] == [("applied", done.now_at)]
    review.undo(desk.vault, desk.state, flag.id, desk.now, by=BY_USER)
    assert desk.files("feedback") == []


@pytest.mark.slow
def test_a_snag_from_outside_changes_nothing_even_where_somebody_asks_for_it(desk: Desk) -> None:
    desk.write("rules/small-steps.md")
    before = desk.text("rules/small-steps.md")
    (loop,) = desk.close(desk.snag("docker prune hung", "obey", "rule:small steps", origin="web"))
    assert (loop.state, loop.is_open) == ("quarantined", True)
    assert loop.where.startswith("quarantine/")
    assert desk.text("rules/small-steps.md") == before
    assert desk.files("improvements") == []


def test_a_note_that_was_forgotten_is_told_as_gone_and_one_that_was_moved_is_found(desk: Desk) -> None:
    gone, moved = desk.close(desk.snag("docker prune hung", "wait"), desk.snag("git push failed", "pull first"))
    Path(desk.vault, gone.path).unlink()
    Path(desk.vault, moved.path).rename(Path(desk.vault, "feedback/renamed.md"))
    found = {one.id: (one.state, one.where) for one in desk.listing().closed}
    assert found == {gone.id: ("gone", ""), moved.id: ("applied", "feedback/renamed.md")}


@pytest.mark.slow
def test_an_open_loop_is_an_alarm_once_more_than_two_closes_have_passed(desk: Desk) -> None:
    desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    seen = []
    for _ in range(3):
        (one,) = desk.listing().open
        seen.append((one.closes, one.is_late))
        desk.close()
    assert seen == [(1, False), (2, False), (3, True)]
    assert [one.id for one in loops.alarms(desk.vault, desk.state, desk.now, SHOP)] == [loop.id]
    assert any(line.startswith("WARNING: 1 snag changed nothing in 4 closes") for line in desk.notices())
    assert all("WARNING" not in line for line in desk.notices(OTHER))
    proposals.accept(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    desk.close()
    assert loops.alarms(desk.vault, desk.state, desk.now) == []
    assert all("WARNING" not in line for line in desk.notices())


@pytest.mark.slow
def test_closes_of_another_project_make_nobody_late(desk: Desk) -> None:
    desk.skill()
    desk.close(desk.snag("it hung", "one frame", "skill:render"))
    for _ in range(5):
        loops.after_close(desk.vault, desk.state, desk.now, OTHER)
    assert loops.counter(desk.state, OTHER)[0] == 5
    assert [one.closes for one in desk.listing().open] == [1]


@pytest.mark.slow
def test_what_another_machine_has_to_decide_is_told_and_alarms_nobody_here(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.skill()
    desk.allow()
    (applied,) = desk.close(desk.snag("it was slow", "one layer", "skill:render"))
    desk.git("commit", "--quiet", "-am", "learned")
    desk.allow("ask")
    desk.close(desk.snag("it hung", "one frame", "skill:render"))
    here = platform.machine()
    monkeypatch.setattr(platform, "machine", lambda: "another")
    for _ in range(4):
        desk.close()
    (one,) = desk.listing().open
    assert (one.why, one.is_late) == (f"on the machine {here}", False)
    with pytest.raises(UsageError, match="Take it back there"):
        review.undo(desk.vault, desk.state, applied.id, desk.now, by=BY_USER)
    assert "one layer" in path.read_text()


@pytest.mark.slow
def test_a_proposal_that_was_lost_with_its_machinery_is_told_and_can_be_ended(desk: Desk) -> None:
    desk.skill()
    (loop,) = desk.close(desk.snag("it hung", "one frame", "skill:render"))
    Path(f"{desk.state}/proposals/{loop.id}").unlink()
    (one,) = desk.listing().open
    assert "no longer here" in one.why
    review.undo(desk.vault, desk.state, loop.id, desk.now, by=BY_USER)
    assert desk.listing().open == ()


@pytest.mark.slow
def test_a_counter_that_cannot_be_read_or_written_costs_no_close(desk: Desk) -> None:
    desk.skill()
    desk.close(desk.snag("it hung", "one frame", "skill:render"))
    (counter,) = Path(f"{desk.state}/loops").iterdir()
    counter.write_text("{")
    assert [one.closes for one in desk.listing().open] == [0]
    counter.unlink()
    counter.parent.rmdir()
    counter.parent.write_text("in the way")
    loops.after_close(desk.vault, desk.state, desk.now, SHOP)


def test_a_vault_that_is_not_there_has_no_loops(place: Path) -> None:
    found = loops.listing(f"{place}/none", f"{place}/none/.state", NOW)
    assert (found.open, found.closed) == ((), ())
    assert not os.path.exists(f"{place}/none")


def look(desk: Desk) -> list[tuple[str, str]]:
    return [(one.level, one.detail) for one in check_loops(Place(desk.vault, "/", {}, clock=lambda: desk.now))]


@pytest.mark.slow
def test_doctor_tells_an_open_loop_and_fails_on_a_late_one(desk: Desk) -> None:
    assert look(desk) == [("ok", "every snag has become an edit")]
    desk.skill()
    desk.close(desk.snag("it hung", "one frame", "skill:render"))
    desk.now += 7200
    before = sorted(str(one) for one in Path(desk.state).rglob("*"))
    ((level, detail),) = look(desk)
    assert (level, detail) == ("note", "note: 1 snag to be turned into an edit, the oldest since 1 hour")
    assert sorted(str(one) for one in Path(desk.state).rglob("*")) == before
    for _ in range(2):
        desk.close()
    ((level, detail),) = look(desk)
    assert level == "needs-you"
    assert '"it hung" (waits for your word: `holdfast review`)' in detail


def close_at(where: Home, flag: Flag) -> None:
    vault = str(where.vault)
    with writing(vault, NOW) as writer:
        filing = Filing(writer.index, writer.read)
        improvement.file(filing, flag, None, improvement.Surroundings(where.state))
        writer.commit("close", filing.texts, cause="close", planned_on=filing.planned_on, by=BY_UPKEEP)


@pytest.mark.slow
def test_the_command_lists_both_and_takes_one_back(fresh: Home, terminal: Terminal) -> None:
    from holdfast.capture import flags

    assert "No snag yet" in terminal("loops").out
    project = fresh.project_id()
    done, _ = flags.make("docker prune hung. Better: wait", now=NOW, kind="snag", project=project)
    open_one, _ = flags.make("it broke. Better: mend it", now=NOW + 1, kind="snag", project=project)
    close_at(fresh, done)
    queue.append(f"{fresh.state}/queue", [open_one], NOW)
    out = terminal("loops").out
    assert "1 open:\n" in out
    assert "waits in the queue for a close" in out
    assert "feedback/snag-docker-prune.md: wired, comes back at docker prune" in out
    told = json.loads(terminal("loops", "--json").out)
    assert [one["id"] for one in told["open"]] == [open_one.id]
    shown = [(one["state"], one["stage"], one["open"], one["alarm"]) for one in told["closed"]]
    assert shown == [("applied", "wired", False, False)]
    taken = terminal("loops", "--undo", done.id[-8:])
    assert taken.out == "taken back: docker prune hung\n    feedback/snag-docker-prune.md\n"
    assert "taken back" in terminal("loops", "--all").out


@pytest.mark.slow
def test_an_agent_takes_nothing_back(fresh: Home) -> None:
    from holdfast.capture import flags

    done, _ = flags.make("docker prune hung. Better: wait", now=NOW, kind="snag", project=fresh.project_id())
    close_at(fresh, done)
    found = fresh.cli("loops", "--undo", done.id, env={"CLAUDE_CODE_SESSION_ID": "s1"})
    assert found.status == 2
    assert "the user's to do" in found.err
    assert (fresh.vault / "feedback/snag-docker-prune.md").exists()
