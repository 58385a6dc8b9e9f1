"""Handoffs: one file each, the newest is the last name, and what cannot be read is passed over, never in the way."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.vault import lineage
from holdfast.vault.lineage import SECTIONS, Handoff
from holdfast.vault.notes import Broken

NOW = 1_800_000_000.0
FOLDER = "lineage/shop"


def handoff(nth: int = 0, **more: object) -> Handoff:
    made = Handoff(f"title {nth}", lineage.iso(NOW + nth), "shop", episode=f"claude-code/s{nth}/1")
    return replace(made, **more)  # type: ignore[arg-type]


def put(vault: str, made: Handoff, machine: str = "box.1") -> str:
    path = lineage.path_for(made, machine)
    Path(vault, path).parent.mkdir(parents=True, exist_ok=True)
    Path(vault, path).write_text(lineage.render(made), encoding="utf-8")
    return path


def test_the_newest_is_the_one_that_ended_last_and_two_machines_never_share_a_name(vault: str) -> None:
    paths = [put(vault, handoff(nth), f"machine{nth % 2}.x") for nth in range(5)]
    assert put(vault, handoff(4), "other") != paths[4]
    assert lineage.names(vault, "shop")[:4] == paths[:4]
    found = lineage.newest(vault, "shop")
    assert found
    assert (found[0].title, found[1]) == ("title 4", 6)
    assert lineage.newest(vault, "another") is None


def test_the_newest_that_can_be_read_is_loaded(vault: str) -> None:
    put(vault, handoff(1))
    for nth, raw in enumerate(
        (b"no front matter", b"---\nx: [\n---\n", b"\xff" * (1 << 19), b"---\na: &a x\n---\n"), 2
    ):
        Path(vault, f"{FOLDER}/2027012{nth}T000000Z-box-aaaaaa.md").write_bytes(raw)
    Path(vault, f"{FOLDER}/20280101T000000Z-box-bbbbbb.md").symlink_to("/etc/hostname")
    os.mkfifo(f"{vault}/{FOLDER}/20280102T000000Z-box-cccccc.md")
    Path(vault, f"{FOLDER}/20280103T000000Z-box-dddddd.md").mkdir()
    found = lineage.newest(vault, "shop")
    assert found
    assert found[0].title == "title 1"
    broken = [lineage.read(vault, path) for path in lineage.names(vault, "shop")[1:]]
    assert all(isinstance(one, Broken) for one in broken)


def test_an_archive_that_is_a_link_out_of_the_vault_is_not_read(vault: str, place: Path) -> None:
    put(str(place / "other"), handoff())
    Path(vault, "lineage").mkdir(parents=True)
    Path(vault, FOLDER).symlink_to(place / "other" / FOLDER)
    assert lineage.names(vault, "shop") == []
    name = next(iter(os.listdir(place / "other" / FOLDER)))
    assert isinstance(lineage.read(vault, f"{FOLDER}/{name}"), Broken)


def test_an_episode_is_told_from_another_with_the_same_six_letters(vault: str) -> None:
    mine = handoff(1)
    path = put(vault, mine)
    assert lineage.of_episode(vault, lineage.names(vault, "shop"), mine.episode) == path
    text = Path(vault, path).read_text()
    Path(vault, path).write_text(text.replace(mine.episode, "claude-code/another/1"))
    assert lineage.of_episode(vault, lineage.names(vault, "shop"), mine.episode) == ""
    Path(vault, path).write_text("a person is in the middle of it")
    assert lineage.of_episode(vault, lineage.names(vault, "shop"), mine.episode) == path


LINE = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20).filter(
    lambda text: text.strip("-*#")
)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(list(SECTIONS)), st.lists(LINE, min_size=1, max_size=3).map(tuple)), LINE)
def test_what_is_written_is_read_back(sections: dict[str, tuple[str, ...]], title: str) -> None:
    made = handoff(1, sections=sections, title=title, parents=("a", "b"), branch="main", host="claude-code")
    found = lineage.from_text("", lineage.render(made))
    assert found == made


@pytest.mark.parametrize("heading", ["## Next steps", "## next_steps:", "# NEXT STEPS", "### Next", "## Next Actions"])
def test_headings_are_known_as_people_spell_them(heading: str) -> None:
    body = f"{heading}\n\n- one\n  and more\n* two\nthree\n\n## Unknown\n- lost\n"
    assert lineage.sections_of(body) == {"next_steps": ("one and more", "two", "three")}
    kept = lineage.sections_of(f"before\n{body}", others="note")
    assert kept["note"] == ("before", "Unknown: lost")


def test_a_form_keeps_what_has_no_section_and_reads_tables() -> None:
    form = {
        "decisions": [{"decision": "Use SQLite", "reason": "no server"}, None, ""],
        "Next steps": "run make",
        "risks": ["the disk", ["a", "b"]],
        "branch": "ignored, we see it",
        "done": 5,
    }
    assert lineage.from_form(form) == {
        "decisions": ("Use SQLite: no server",),
        "next_steps": ("run make",),
        "note": ("risks: the disk", "risks: a, b"),
        "done": ("5",),
    }
