"""A clock that was ahead pins no handoff; a vault of a newer format says so to the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hook_support import Home

from holdfast.capture import notices, quoting
from holdfast.memory import Memory
from holdfast.vault import lineage

NOW = 1_795_000_000.0
HOUR, DAY = 3600.0, 86400.0
PROJECT = "shop-1"


@pytest.fixture
def write(vault: str) -> Callable[..., str]:
    def write(title: str, when: float, *parents: str) -> str:
        stems = tuple(quoting.stem(one) for one in parents)
        made = lineage.Handoff(title, lineage.iso(when), PROJECT, parents=stems, episode=f"cli/{title}/1")
        path = lineage.path_for(made, "laptop")
        Path(vault, path).parent.mkdir(parents=True, exist_ok=True)
        Path(vault, path).write_text(lineage.render(made), encoding="utf-8")
        return path

    return write


def newest(vault: str) -> str:
    found = lineage.newest(vault, PROJECT)
    assert found
    return found[0].title


def test_a_handoff_from_the_future_is_not_the_newest_once_another_was_written(
    vault: str, write: Callable[..., str]
) -> None:
    write("first", NOW - HOUR)
    write("ahead", NOW + 40 * DAY)
    lineage.note(vault, PROJECT, NOW)
    assert newest(vault) == "ahead"  # nothing is known to be later
    write("after", NOW + HOUR)
    lineage.note(vault, PROJECT, NOW + HOUR)
    assert newest(vault) == "after"
    assert [one.rpartition("/")[2][:4] for one in lineage.names(vault, PROJECT)]


def test_it_does_not_come_back_when_its_time_has_come(vault: str, write: Callable[..., str]) -> None:
    write("ahead", NOW + 2 * DAY)
    lineage.note(vault, PROJECT, NOW)
    write("after", NOW + HOUR)
    assert lineage.note(vault, PROJECT, NOW + 3 * DAY) == []
    assert newest(vault) == "after"


def test_one_that_continues_it_is_later_although_nobody_looked_in_between(
    vault: str, write: Callable[..., str]
) -> None:
    ahead = write("ahead", NOW + 2 * DAY)
    between = write("between", NOW + HOUR, ahead)
    write("after", NOW + 2 * HOUR, between)
    lineage.note(vault, PROJECT, NOW + 3 * HOUR)
    assert newest(vault) == "after"


def test_several_from_the_future_keep_their_order_by_parents(vault: str, write: Callable[..., str]) -> None:
    first = write("b first", NOW + 9 * DAY)
    second = write("a second", NOW + 8 * DAY, first)
    write("c third", NOW + HOUR, second)
    lineage.note(vault, PROJECT, NOW + 2 * HOUR)
    titles = [lineage.read(vault, one) for one in lineage.names(vault, PROJECT)]
    assert [one.title for one in titles if isinstance(one, lineage.Handoff)] == ["b first", "a second", "c third"]


def test_the_handoff_of_a_dead_session_that_is_written_late_keeps_its_own_time(
    vault: str, write: Callable[..., str]
) -> None:
    last = write("last", NOW)
    write("died before", NOW - HOUR, last)
    lineage.note(vault, PROJECT, NOW + HOUR)
    assert newest(vault) == "last"
    assert lineage.ranks_in(vault, PROJECT) == {}


def test_clocks_that_differ_by_minutes_are_no_matter(vault: str, write: Callable[..., str]) -> None:
    write("a little ahead", NOW + 60)
    assert lineage.note(vault, PROJECT, NOW) == []
    assert not Path(vault, ".state/ahead").exists()


def test_it_is_named_while_its_time_is_still_to_come(vault: str, write: Callable[..., str]) -> None:
    write("ahead", NOW + 2 * DAY)
    lineage.note(vault, PROJECT, NOW)
    (said,) = notices.for_project(f"{vault}/.state", PROJECT, NOW)
    assert "a clock was ahead" in said.line
    assert "nothing of it was changed" in said.line
    lineage.note(vault, PROJECT, NOW + 3 * DAY)
    assert notices.for_project(f"{vault}/.state", PROJECT, NOW + 3 * DAY) == []


@pytest.mark.slow
def test_a_start_tells_the_handoff_that_was_written_last(fresh: Home) -> None:
    ahead = NOW + 40 * DAY

    def handed(title: str, when: float) -> None:
        seen = Memory.open(str(fresh.vault), str(fresh.project), lambda: when, fresh.env)
        seen.sessions.handoff(
            f"# {title}\n\n## Next steps\n\n- go on with {title} in shop.py\n\n## Done\n\n- {title}", anyway=True
        )

    handed("the wrong clock", ahead)
    Memory.open(str(fresh.vault), str(fresh.project), lambda: NOW, fresh.env).sessions.refresh_brief()
    handed("the right clock", NOW + HOUR)
    said = fresh.answer(fresh.event("SessionStart", "s9", source="startup"), now=NOW + 2 * HOUR)
    assert said.index("go on with the right clock") < said.find("the wrong clock", said.index("go on with the right"))
    assert "a clock was ahead" in said


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_vault_of_a_newer_format_says_so_to_the_model(fresh: Home, host: str) -> None:
    fresh.flag("one")
    (fresh.vault / "format").write_text("2\n")
    said = fresh.hook(fresh.event("SessionStart", "s2", source="startup"), host).context
    assert "format 2" in said
    assert "upgrade holdfast" in said
    assert fresh.hook(fresh.event("UserPromptSubmit", "s2", prompt="go on"), host).context == ""
