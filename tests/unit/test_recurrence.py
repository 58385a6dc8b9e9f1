"""Loops after they were wired: proven by a session, or come again, and then wider; all of it can be taken back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home
from improve_support import NOW, SHOP, Desk

from holdfast.capture import flags, queue
from holdfast.capture.gate import BY_USER
from holdfast.close.drain import drain
from holdfast.close.improve import edit_record, loops, review, snags

HUNG = "Snag: docker prune hung. Better: `docker image rm`"


@pytest.fixture
def desk(place: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOLDFAST_HOME", f"{place}/vault")
    return Desk(place)


# --- wider


@pytest.mark.parametrize(
    ("when", "after"),
    [
        ({"paths": ["src/api/users.py"]}, {"paths": ["src/api/"]}),
        ({"paths": ["src/api/"]}, {"paths": ["src/"]}),
        ({"paths": ["plan.dwg"]}, {"paths": ["*.dwg"]}),
        ({"paths": ["*.dwg"]}, None),
        ({"tool": "Bash", "words": ["docker", "system", "prune"]}, {"tool": "Bash", "words": ["docker", "system"]}),
        ({"tool": "Bash", "words": ["git", "push"]}, None),
        ({"tool": "Bash", "words": ["pytest"]}, None),
        ({"tool": "mcp__cad__render"}, {"tool": "mcp__cad__*"}),
        ({"tool": "mcp__cad__*"}, None),
        ({"tool": "WebFetch"}, None),
    ],
)
def test_each_step_is_one_wider_and_never_every_day(when: dict[str, Any], after: dict[str, Any] | None) -> None:
    assert snags.wider(when) == after


def test_it_goes_as_far_as_the_later_wording_needs() -> None:
    first, later = {"paths": ["src/api/v1/users.py"]}, {"paths": ["src/api/v2/users.py"]}
    assert snags.wider(first, later) == {"paths": ["src/api/"]}


@pytest.mark.slow
def test_a_snag_that_comes_again_reopens_and_widens(desk: Desk) -> None:
    (first,) = desk.close(desk.snag("rendering src/cad/plan.dwg hung", "render one frame"))
    assert first.when == {"paths": ["src/cad/plan.dwg"]}
    later = desk.snag("Rendering src/cad/plan.dwg hung again", "render one frame")
    queue.append(f"{desk.state}/queue", [later], desk.now)
    assert [one.state for one in desk.listing().open] == ["queued"], "open again, until a close has dealt with it"
    (again,) = desk.close(later)
    assert (again.state, again.stage, again.again) == ("applied", "wired", first.id)
    assert again.path == first.path
    assert desk.note(first.path).when == {"paths": ["src/cad/"]}
    assert desk.note(first.path).body.count("Snag:") == 1, "it is said once"
    assert any("came again" in line and "src/cad/" in line for line in desk.notices())
    record = edit_record.find(desk.vault, first.id)
    assert record
    assert record.recurred == later.id
    assert {one.id: one.stage for one in desk.listing().closed} == {first.id: "wired", again.id: "wired"}


@pytest.mark.slow
def test_a_widening_can_be_taken_back_alone(desk: Desk) -> None:
    (first,) = desk.close(desk.snag("rendering src/cad/plan.dwg hung", "render one frame"))
    before = desk.text(first.path)
    (again,) = desk.close(desk.snag("rendering src/cad/plan.dwg hung", "render one frame"))
    assert desk.note(first.path).when == {"paths": ["src/cad/"]}
    review.undo(desk.vault, desk.state, again.id, desk.now, by=BY_USER)
    assert desk.note(first.path).when == {"paths": ["src/cad/plan.dwg"]}
    assert desk.note(first.path).body == before.partition("---\n")[2].partition("---\n")[2]


@pytest.mark.slow
def test_the_same_words_twice_in_one_close_are_no_recurrence(desk: Desk) -> None:
    both = [desk.snag("docker prune hung", "wait") for _ in range(2)]
    found = desk.close(*both)
    assert [one.again for one in found] == ["", ""]
    assert desk.note(found[0].path).when == {"tool": "Bash", "words": ["docker", "prune"]}


@pytest.mark.slow
def test_one_that_cannot_be_wider_stays_open_and_says_why(desk: Desk) -> None:
    desk.close(desk.snag("git push failed", "pull first"))
    (again,) = desk.close(desk.snag("git push failed", "pull first"))
    assert (again.state, again.is_open) == ("noted", True)
    assert "cannot wait for more calls" in again.why
    assert desk.note(again.path).when == {"tool": "Bash", "words": ["git", "push"]}


@pytest.mark.slow
def test_a_close_that_is_run_again_widens_once(desk: Desk) -> None:
    desk.close(desk.snag("rendering src/cad/plan.dwg hung", "render one frame"))
    later = desk.snag("rendering src/cad/plan.dwg hung", "render one frame")
    desk.plan(later)
    before = desk.tree()
    desk.close(later)
    assert desk.tree() == before


@pytest.mark.slow
def test_another_projects_snag_is_another(desk: Desk) -> None:
    desk.close(desk.snag("rendering src/cad/plan.dwg hung", "render one frame"))
    (other,) = desk.close(desk.snag("rendering src/cad/plan.dwg hung", "one frame", project="other-22222222"))
    assert other.again == ""


# --- noted and wired by hand


@pytest.mark.slow
def test_a_noted_loop_is_wired_once_its_note_is_armed_and_noted_again_when_disarmed(desk: Desk) -> None:
    from holdfast.vault import armed

    (loop,) = desk.close(desk.snag("forgot to ask", "ask first"))
    assert [(one.stage, one.is_open, one.is_late) for one in desk.listing().open] == [("noted", True, False)]
    armed.arm(desk.vault, desk.now, loop.path, SHOP, {"tool": ["WebFetch"]}, by=BY_USER)
    assert [one.stage for one in desk.listing().closed] == ["wired"]
    armed.disarm(desk.vault, desk.now, loop.path, SHOP, by=BY_USER)
    assert [one.stage for one in desk.listing().open] == ["noted"]


# --- proven


def told(path: str = "feedback/a.md", how: str = "told first", at: float = 1.0) -> dict[str, Any]:
    return {"kind": "injection", "armed": how, "carried": [path], "t": at}


def called(how: str, path: str = "feedback/a.md", at: float = 2.0) -> dict[str, Any]:
    return {"kind": "armed", "path": path, "how": how, "t": at}


@pytest.mark.parametrize(
    ("calls", "outcome"),
    [
        ([], "proven"),
        (["other"], "proven"),
        (["better"], "proven"),
        (["again", "better"], "proven"),
        (["again"], ""),
        (["other", "again"], ""),
        (["failed"], "recurred"),
        (["better", "failed"], "recurred"),
    ],
)
def test_what_is_called_after_a_note_was_told_says_whether_its_lesson_was_taken(calls: list[str], outcome: str) -> None:
    records = [told(), *(called(how, at=2.0 + nth) for nth, how in enumerate(calls))]
    assert loops.outcomes(records) == {"feedback/a.md": (outcome, 1.0 + len(calls) if calls else 1.0)}


def test_what_was_not_told_proves_nothing() -> None:
    assert loops.outcomes([called("better"), {"kind": "injection", "carried": ["feedback/a.md"], "t": 1.0}]) == {}


def wire(where: Home) -> str:
    """A snag of an earlier session, wired; returns the id of its loop."""
    began = time.time() - 60  # the hooks have the machine's own clock
    flag = flags.make(HUNG, now=began, kind="snag", project=where.project_id())[0]
    queue.append(f"{where.state}/queue", [flag], began)
    drain(str(where.vault))
    return flag.id


def play(where: Home, session: str, *commands: str, fails: bool = False) -> None:
    where.reply(where.event("UserPromptSubmit", prompt="Make room on the disk, please.", session=session))
    for command in commands:
        given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": command}, "session": session}
        said = where.reply(where.event("PreToolUse", **given))
        if said.get("permissionDecision") != "deny":
            where.reply(where.event("PostToolUseFailure" if fails else "PostToolUse", **given))
    where.reply(where.event("SessionEnd", reason="exit", session=session))
    drain(str(where.vault))


def stage(where: Home, loop: str) -> str:
    found = loops.listing(str(where.vault), where.state, NOW)
    return next(one.stage for one in (*found.open, *found.closed) if one.id == loop)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commands", "fails", "expected"),
    [
        (("docker ps",), False, "wired"),
        (("docker system prune",), False, "proven"),
        (("docker system prune", "docker image rm old"), False, "proven"),
        (("docker system prune", "docker system prune --filter until=24h"), False, "proven"),
        (("docker system prune", "docker system prune"), False, "wired"),
        (("docker system prune", "docker system prune"), True, "reopened"),
    ],
)
def test_a_session_proves_a_loop_or_reopens_it(
    fresh: Home, commands: tuple[str, ...], fails: bool, expected: str
) -> None:
    loop = wire(fresh)
    assert stage(fresh, loop) == "wired"
    play(fresh, "s1", *commands, fails=fails)
    assert stage(fresh, loop) == expected
    drain(str(fresh.vault))
    assert stage(fresh, loop) == expected


@pytest.mark.slow
def test_a_loop_that_came_again_is_closed_by_a_later_proof(fresh: Home) -> None:
    loop = wire(fresh)
    play(fresh, "s1", "docker system prune", "docker system prune", fails=True)
    found = loops.listing(str(fresh.vault), fresh.state, NOW)
    (one,) = found.open
    assert (one.id, one.state, one.is_late) == (loop, "reopened", False)
    assert "claude-code/s1/1" in one.why
    play(fresh, "s2", "docker system prune", "docker image rm old")
    assert stage(fresh, loop) == "proven"
    assert fresh.errors() == []


@pytest.mark.slow
def test_the_line_of_a_wired_snag_leaves_the_brief_once_told(fresh: Home) -> None:
    wire(fresh)
    starts = [fresh.hook(fresh.event("SessionStart", source="startup", session=f"s{nth}")).context for nth in range(2)]
    assert ["Changed by a snag" in one for one in starts] == [True, False]
