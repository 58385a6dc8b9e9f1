"""The stored index gives the answers of the plain one, whatever was written since, and a change costs the same of many
notes: counted in notes read, rows decoded and git processes, because times are the machine's."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import gate, git_process, home
from holdfast.text import folding
from holdfast.vault import edits, index, index_store, note_facets, notes, stored_index
from holdfast.vault.index import Index
from holdfast.vault.index_rows import StoredIndex
from holdfast.vault.transaction import take_in, writing

NOW = 1_800_000_000.0
PROJECTS = frozenset((notes.GLOBAL, "app-1"))
KINDS = ("knowledge", "rule", "feedback", "project", "identity")


def text(nth: int, **more: Any) -> str:
    kind = KINDS[nth % len(KINDS)]
    fields = {"name": f"note {nth % 7}", "description": f"Part {nth % 5} takes its lock before it reads", "kind": kind}
    fields |= {"body": f"Part {nth % 5} takes `orders.py` before it reads.", "day": f"2026-09-{nth % 28 + 1:02}"}
    fields |= {"project": notes.GLOBAL if nth % 3 else "app-1", "origin": "user" if nth % 2 else "agent"}
    return notes.new_text(**{**fields, "sources": [f"flag-{nth}"], **more})


def path_of(nth: int) -> str:
    return f"{notes.FOLDERS[KINDS[nth % len(KINDS)]]}/note-{nth}.md"


def fill(vault: str, count: int) -> None:
    """A vault whose notes are committed, and whose rows a writer has stored."""
    home.make_vault(vault)
    for nth in range(count):
        Path(vault, path_of(nth)).parent.mkdir(parents=True, exist_ok=True)
        Path(vault, path_of(nth)).write_text(text(nth), encoding="utf-8")
    remember(vault, "The first that is said.")
    remember(vault, "The second.")  # what was new by hand is read once more


def remember(vault: str, said: str) -> edits.Filed:
    return edits.remember(vault, edits.Asked(said, project="app-1"), NOW)


def answers(known: Index) -> dict[str, Any]:
    """All that anybody asks."""
    shelves = (note_facets.ALWAYS, note_facets.SAID, note_facets.OTHER)
    digests = {one.digest for one in known.known.values()}
    called = ("note 1", "NOTE-3", "rules/note-1", "nobody")
    return {
        "known": dict(sorted(known.known.items())),
        "broken": sorted(one.path for one in known.broken),
        "taken": [known.is_taken(one) for one in (path_of(1), path_of(1).upper(), "rules/none.md")],
        "saying": {one: known.saying(one) for one in sorted(digests)},
        "sources": {f"flag-{nth}": known.made_of(f"flag-{nth}") for nth in range(30)},
        "called": {one: known.called(one) for one in called},
        "under": known.under(notes.QUARANTINE),
        "armed": known.armed_lines(1000),
        "map": [known.on_map(group, 4) for group in range(7)],
        "shelves": [known.on_shelf(one, PROJECTS, 5) for one in shelves],
        "counts": [known.count(one, PROJECTS, active=yes) for one in shelves for yes in (False, True)],
        "waiting": known.waiting(PROJECTS),
        "projects": known.projects(),
        "like": known.like(folding.words("Part 2 takes its lock before it reads")),
        "listing": known.listing(),
    }


CHANGE = st.tuples(
    st.integers(0, 24),
    st.sampled_from(["gone", "other words", "superseded", "quarantined", "broken", "unconfirmed", "as it was"]),
)


def planned(changes: list[tuple[int, str]]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for nth, what in changes:
        path = path_of(nth)
        if what == "gone":
            found[path] = None
        elif what == "quarantined":
            found[f"quarantine/note-{nth}.md"] = text(nth, origin="web")
        elif what == "broken":
            found[path] = "no front matter"
        elif what in ("superseded", "unconfirmed"):
            found[path] = text(nth, status=what)
        else:
            found[path] = text(nth) if what == "as it was" else text(nth, body="Something else.", name=f"new {nth}")
    return found


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.lists(CHANGE, max_size=8), st.lists(CHANGE, max_size=4))
def test_rows_with_what_is_planned_over_them_answer_as_the_plain_index_does(
    tmp_path_factory: pytest.TempPathFactory, first: list[tuple[int, str]], then: list[tuple[int, str]]
) -> None:
    vault = str(tmp_path_factory.getbasetemp() / "rows")
    if not os.path.exists(vault):
        fill(vault, 20)
    plain = index.load(vault)
    rows = stored_index.as_left(vault)
    assert isinstance(rows, StoredIndex)
    for changes in ([], first, then):
        plain, rows = plain.with_texts(planned(changes)), rows.with_texts(planned(changes))
        assert answers(rows) == answers(plain)


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(st.lists(CHANGE, min_size=1, max_size=6), st.booleans())
def test_a_writer_sees_what_a_person_did_since_the_last_one(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, str]], commits: bool
) -> None:
    vault = str(tmp_path_factory.getbasetemp() / "hand")
    if not os.path.exists(vault):
        fill(vault, 20)
    for path, said in planned(changes).items():
        Path(vault, path).parent.mkdir(parents=True, exist_ok=True)
        if said is None:
            Path(vault, path).unlink(missing_ok=True)
        else:
            Path(vault, path).write_text(said, encoding="utf-8")
    if commits:
        git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.org", "-C", vault]
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "by hand", "--allow-empty"], check=True)
    assert answers(stored_index.current(vault)) == answers(index.load(vault, keep=False))
    with writing(vault, NOW) as writer:
        assert answers(writer.index) == answers(index.load(vault, keep=False))


@pytest.mark.slow
def test_a_change_that_was_taken_back_by_hand_is_not_believed(vault: str) -> None:
    fill(vault, 5)
    file = Path(vault, path_of(0))
    before = file.read_text(encoding="utf-8")
    file.write_text(text(0, body="For a moment."), encoding="utf-8")
    index.load(vault)  # a reader stores what it saw
    file.write_text(before, encoding="utf-8")
    with writing(vault, NOW) as writer:
        assert writer.index.known[path_of(0)].digest == index.body_digest(notes.from_text("", before).body)  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_note_that_git_is_told_to_ignore_is_read_all_the_same(vault: str) -> None:
    fill(vault, 3)
    with open(f"{vault}/.gitignore", "a", encoding="utf-8") as out:
        out.write("knowledge/own.md\n")
    Path(vault, "knowledge/own.md").write_text(text(40), encoding="utf-8")
    take_in(vault, NOW)
    Path(vault, "knowledge/own.md").write_text(text(40, name="another"), encoding="utf-8")
    with writing(vault, NOW) as writer:
        assert writer.index.known["knowledge/own.md"].note.name == "another"


@pytest.mark.slow
def test_rows_of_before_a_boot_are_compared_with_their_files(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(vault, 5)
    with sqlite3.connect(index_store.place(vault)) as db:
        db.execute("UPDATE note SET row = x'00', stamp = 'lost'")
    monkeypatch.setattr(stored_index, "_boot", lambda: "another boot")
    with writing(vault, NOW) as writer:
        assert answers(writer.index) == answers(index.load(vault, keep=False))


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["rows", "table", "file"])
def test_whatever_is_wrong_with_the_database_the_files_are_believed(vault: str, damage: str) -> None:
    fill(vault, 6)
    place = index_store.place(vault)
    with writing(vault, NOW) as writer:
        assert writer.index.known
        if damage == "file":
            Path(place).write_bytes(b"SQLite format 3\0" + b"x" * 5000)
        else:
            with sqlite3.connect(place) as db:
                db.execute("UPDATE note SET row = x'00'" if damage == "rows" else "DROP TABLE called")
    remember(vault, "Said after the damage.")
    with writing(vault, NOW) as writer:
        assert answers(writer.index) == answers(index.load(vault, keep=False))
    assert any(note.description == "Said after the damage." for note in index.load(vault).notes)


def spent(vault: str, monkeypatch: pytest.MonkeyPatch, said: str) -> Counter[str]:
    """What one `remember` does: git processes, notes read, rows decoded, whole looks at the vault."""
    counts: Counter[str] = Counter()

    def counted(module: Any, name: str, label: str) -> None:
        real = getattr(module, name)

        def count(*words: Any, **more: Any) -> Any:
            counts[label] += 1
            return real(*words, **more)

        monkeypatch.setattr(module, name, count)

    counted(git_process, "run", "git")
    counted(notes, "from_text", "read")
    counted(index, "recalled", "rows")
    counted(index, "looked_through", "whole looks")
    remember(vault, said)
    monkeypatch.undo()
    return counts


@pytest.mark.slow
def test_remembering_costs_the_same_of_many_notes(vault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = f"{tmp_path}/many"
    fill(vault, 200)
    fill(many, 1000)
    few = spent(vault, monkeypatch, "Said once.")
    lots = spent(many, monkeypatch, "Said once.")
    assert few["whole looks"] == lots["whole looks"] == 0
    assert few["git"] == lots["git"] <= 10
    assert lots["read"] == few["read"]
    assert few["rows"] < lots["rows"] + 1 < 450, "the first of the map and of the brief"


@pytest.mark.slow
def test_who_is_let_change_what_is_still_asked_of_the_rows(vault: str) -> None:
    fill(vault, 10)
    rule, outsider = path_of(1), gate.Asker(gate.AGENT, "web")
    with writing(vault, NOW) as writer:
        assert writer.index.known[rule].note.origin == "user"
        with pytest.raises(gate.Refused):
            writer.commit("away with it", {rule: None}, cause="test", by=outsider)
