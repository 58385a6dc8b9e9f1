"""The whole way: a snag on the command line, a real close, and the hook that stops the same mistake next time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, Terminal
from improve_support import SKILL

from holdfast.capture import projects
from holdfast.close.drain import drain
from holdfast.close.improve import improvement, loops
from holdfast.vault import lineage, notes


def close(where: Home) -> None:
    project = projects.find(str(where.project), str(where.vault))
    done = drain(str(where.vault), also_open=True, roots={project.id: project.root})
    assert [one.error for one in done if one.error] == []


def closed(where: Home) -> list[tuple[str, str]]:
    found = loops.listing(str(where.vault), where.state, time.time(), where.project_id())
    assert found.open == ()
    return [(one.state, one.where) for one in found.closed]


@pytest.mark.slow
def test_what_snagged_comes_back_at_the_next_such_call_and_the_next_start_hears_of_it(
    fresh: Home, terminal: Terminal
) -> None:
    terminal.fast("snag", "docker prune took the volumes", "--better", "name the image")
    close(fresh)
    assert closed(fresh) == [("applied", "feedback/snag-docker-prune.md")]
    told = fresh.answer(fresh.event("SessionStart", source="startup"))
    assert 'Changed by a snag: feedback/snag-docker-prune.md now says "name the image"' in told
    call: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_use_id": "1",
        "tool_input": {"command": "docker system prune -af"},
    }
    said = fresh.reply(fresh.event("PreToolUse", **call))
    assert said["permissionDecision"] == "deny"
    assert "Snag: docker prune took the volumes. Better: name the image" in said["permissionDecisionReason"]


@pytest.mark.slow
def test_the_hook_hears_for_whom_a_snag_is_even_where_its_command_is_refused(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"))
    line = "holdfast snag 'it was too big' --better 'split it' --rule 'Small steps'"
    call: dict[str, Any] = {"tool_name": "Bash", "tool_use_id": "1", "tool_input": {"command": line}}
    fresh.reply(fresh.event("PreToolUse", **call))
    assert [flag.evidence for flag in fresh.waiting()] == [("rule:Small steps",)]
    close(fresh)
    assert closed(fresh) == [("applied", "rules/small-steps.md")]


@pytest.mark.slow
@pytest.mark.parametrize("word", ["apply", "ask"])
def test_a_skill_of_the_project_learns_by_permission_alone(fresh: Home, terminal: Terminal, word: str) -> None:
    path = fresh.project / ".claude/skills/render/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(SKILL)
    terminal.fast("snag", "the render hung", "--better", "one frame first", "--skill", "render")
    Path(f"{fresh.state}/config.toml").write_text(f'[improve]\nskills = "{word}"\n')
    close(fresh)
    if word == "apply":
        assert path.read_text().endswith("- Snag: the render hung. Better: one frame first\n")
        assert closed(fresh) == [("applied", str(path))]
    else:
        assert path.read_text() == SKILL
        assert "1 edit waiting for your word" in terminal("review").out


@pytest.mark.slow
def test_a_close_that_is_repeated_changes_nothing_more(fresh: Home, terminal: Terminal) -> None:
    terminal.fast("snag", "docker prune took the volumes", "--better", "name the image")
    terminal.fast("snag", "forgot to ask", "--better", "ask first")
    close(fresh)
    before = sorted(notes.paths(str(fresh.vault)))
    close(fresh)
    assert sorted(notes.paths(str(fresh.vault))) == before
    assert lineage.names(str(fresh.vault), fresh.project_id()) == []
    assert improvement.apply_pending(str(fresh.vault), fresh.state, time.time()) == []
