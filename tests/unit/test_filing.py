"""Flags into notes: verbatim, once, added to what a person wrote without changing a byte of it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import flags
from holdfast.close import filing
from holdfast.close.filing import Filing
from holdfast.model import Flag
from holdfast.vault import index, notes
from holdfast.vault.index import Index

NOW = 1_790_000_000.0
DAY = "2026-09-21"


@dataclass
class Shelf:
    """A vault's files in memory, as a close sees them."""

    texts: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def flag(self, text: str, **more: Any) -> Flag:
        self.count += 1
        return flags.make(text, now=NOW, project=more.pop("project", "shop-1"), nth=self.count, **more)[0]

    def file(self, *given: Flag, **more: Any) -> Filing:
        """One close: plan, and write what was planned."""
        made = Filing(Index({}, ()).with_texts(self.texts), self.texts.get, **more)
        for flag in given:
            made.file(flag)
        for path, text in made.texts.items():
            assert made.planned_on[path] == self.texts.get(path)
            assert text is not None
            self.texts[path] = text
        return made

    def note(self, path: str) -> notes.Note:
        found = notes.from_text(path, self.texts[path])
        assert isinstance(found, notes.Note)
        return found


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.mark.parametrize(("kind", "folder"), [(kind, notes.FOLDERS[into]) for kind, into in notes.OF_FLAGS.items()])
def test_the_authors_kind_says_where_it_goes(shelf: Shelf, kind: str, folder: str) -> None:
    made = shelf.flag("some words", kind=kind)
    path = shelf.file(made).placed[made.id]
    assert path.startswith(f"{folder}/")
    assert shelf.note(path).sources == (made.id,)
    assert (shelf.note(path).created, shelf.note(path).origin, shelf.note(path).project) == (DAY, "agent", "shop-1")


def test_a_kind_of_a_newer_version_is_knowledge(shelf: Shelf) -> None:
    made = Flag("0" * 25 + "X", NOW, "", "", "shop-1", "vision", "some words")
    assert shelf.file(made).placed[made.id] == "knowledge/some-words.md"


def test_filing_the_same_flags_again_plans_nothing(shelf: Shelf) -> None:
    given = [shelf.flag(f"words {nth}", kind=kind) for nth, kind in enumerate(notes.OF_FLAGS)]
    first = shelf.file(*given)
    again = shelf.file(*given)
    assert again.texts == {}
    assert again.placed == first.placed


def test_more_of_the_same_than_a_note_names_is_still_filed_once(shelf: Shelf) -> None:
    given = [shelf.flag("again and again") for _ in range(filing.MOST_SOURCES + 50)]
    shelf.file(*given)
    assert list(shelf.texts) == ["knowledge/again-and-again.md"]
    assert len(shelf.note("knowledge/again-and-again.md").sources) == filing.MOST_SOURCES
    assert shelf.file(*given).texts == {}


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_a_note_edited_by_hand_keeps_every_byte(shelf: Shelf, ending: str) -> None:
    text = (
        "---\n# mine\nname:   'Odd  Name'   # why\nkind: knowledge\nproject: shop-1\nmood: good\nstatus: active\n"
        f"edited: 2020-01-01\nsources:\n  - A\n  # kept\n  - B\n---\nsome words{ending}"
    )
    shelf.texts["knowledge/x.md"] = text
    made = shelf.flag("some words", evidence=("p.py:3",))
    assert shelf.file(made).placed[made.id] == "knowledge/x.md"
    after = shelf.texts["knowledge/x.md"]
    assert shelf.note("knowledge/x.md").sources == ("A", "B", made.id)
    for line in ("# mine", "name:   'Odd  Name'   # why", "mood: good", f"edited: {DAY}"):
        assert f"{line}\n" in after
    assert "---\nsome words\n" in after
    assert after.endswith("\nEvidence:\n- p.py:3\n")


def test_new_proof_joins_the_old_and_what_a_person_wrote_below_stays_below(shelf: Shelf) -> None:
    shelf.file(shelf.flag("some words", evidence=("a.py",)))
    shelf.texts["knowledge/some-words.md"] += "\nMy own remark"
    shelf.file(shelf.flag("some words", evidence=("a.py:2", "a.py", "b.py")))
    body = shelf.note("knowledge/some-words.md").body
    assert body == "\nsome words\n\nEvidence:\n- a.py\n- a.py:2\n- b.py\n\nMy own remark"


@pytest.mark.parametrize(
    "fields", ["sources: just one", "sources: {a: b}", "sources: [&x a]", "status: superseded", "status: unconfirmed"]
)
def test_a_note_that_cannot_or_must_not_be_added_to_gets_a_neighbour(shelf: Shelf, fields: str) -> None:
    text = f"---\nname: x\nkind: knowledge\nproject: shop-1\n{fields}\n---\n\nsome words\n"
    shelf.texts["knowledge/some-words.md"] = text
    made = shelf.flag("some words")
    assert shelf.file(made).placed[made.id] == "knowledge/some-words-2.md"
    assert shelf.texts["knowledge/some-words.md"] == text


def test_front_matter_that_a_person_filled_to_the_brim_gets_a_neighbour(shelf: Shelf) -> None:
    text = f"---\nname: x\nkind: knowledge\nproject: shop-1\nlong: {'x' * 65_000}\n---\n\nsome words\n"
    shelf.texts["knowledge/some-words.md"] = text
    shelf.file(*(shelf.flag("some words") for _ in range(30)))
    assert shelf.texts["knowledge/some-words.md"] == text
    assert len(shelf.note("knowledge/some-words-2.md").sources) == 30


def test_names_that_are_taken_get_a_number_whatever_their_case(shelf: Shelf) -> None:
    given = [shelf.flag(text) for text in ("Port 1!", "PORT 1?", "port 1")]
    assert list(shelf.file(*given).placed.values()) == [f"knowledge/port-1{end}.md" for end in ("", "-2", "-3")]
    broken = Index({}, (notes.Broken("knowledge/half.md", 1, "half"),))
    made = Filing(broken, lambda _: None)
    assert made.file(shelf.flag("half")) == "knowledge/half-2.md"


def test_a_hand_on_a_note_sends_its_flags_to_another(shelf: Shelf) -> None:
    shelf.file(shelf.flag("some words"), shelf.flag("done", kind="progress"))
    busy = frozenset(shelf.texts)
    before = dict(shelf.texts)
    shelf.file(shelf.flag("some words"), shelf.flag("done too", kind="progress"), avoid=busy)
    assert {path: shelf.texts[path] for path in busy} == before
    assert set(shelf.texts) - busy == {"knowledge/some-words-2.md", f"projects/shop-1-progress-{DAY[:7]}-2.md"}


@pytest.mark.slow
def test_projects_whose_long_names_begin_alike_do_not_share_their_progress(shelf: Shelf) -> None:
    projects = [f"{'a-very-long-name-of-a-project-' * 3}{nth}" for nth in range(3)]
    for project in projects * 2:
        shelf.file(shelf.flag(f"done in {project[-1]}", kind="progress", project=project))
    found = {shelf.note(path).project: shelf.note(path).body for path in shelf.texts}
    assert set(found) == set(projects)
    assert all(body.count("done in") == 1 and f"done in {project[-1]}" in body for project, body in found.items())


def test_the_same_progress_on_the_same_day_is_one_line(shelf: Shelf) -> None:
    given = [shelf.flag("tests are green", kind="progress", evidence=("make test",)) for _ in range(3)]
    shelf.file(*given)
    (path,) = shelf.texts
    assert shelf.note(path).body == f"\n- {DAY} tests are green (make test)\n"
    assert shelf.note(path).sources == tuple(flag.id for flag in given)


@pytest.mark.slow
def test_notes_never_grow_so_large_that_they_cannot_be_read(shelf: Shelf) -> None:
    long = "字" * 3900
    shelf.file(*(shelf.flag(f"{long}{nth}", kind="progress") for nth in range(100)))
    shelf.file(*(shelf.flag("same", evidence=tuple(f"{long}{nth}.{k}" for k in range(4))) for nth in range(60)))
    shelf.file(shelf.flag("one", evidence=tuple(f"{long}{nth}" for nth in range(500))))
    assert max(len(text.encode()) for text in shelf.texts.values()) < notes.LARGEST
    named = [source for path in shelf.texts for source in shelf.note(path).sources]
    assert len(named) == len(set(named)) == 161


def test_evidence_in_the_projects_files_becomes_an_anchor_without_a_process(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    made = shelf.flag("it is two", evidence=("a.py:2", "/etc/passwd", "no such thing"))
    asked: list[Any] = []
    real = subprocess.run

    def run(*words: Any, **more: Any) -> Any:
        asked.append(words)
        return real(*words, **more)

    monkeypatch.setattr(subprocess, "run", run)
    shelf.file(made, shelf.flag("and one", evidence=("a.py:1",)), root=str(tmp_path))
    (anchor,) = shelf.note("knowledge/it-is-two.md").anchors
    assert (anchor["path"], anchor["lines"]) == ("a.py", "2")
    assert asked == []


def test_a_title_is_short_cut_at_a_word_and_never_empty() -> None:
    assert notes.title("short.") == "short"
    assert notes.title("---") == notes.title("...") == notes.title("") == "note"
    assert notes.title("word " * 30) == "word " * 8 + "word"
    assert len(notes.title("x" * 100)) == notes.LONGEST_TITLE


@pytest.mark.slow
@settings(deadline=None, max_examples=120)
@given(
    texts=st.lists(st.text(min_size=1, max_size=60).filter(lambda text: flags.clean(text)[0]), min_size=1, max_size=6),
    kinds=st.lists(st.sampled_from(sorted(notes.OF_FLAGS)), min_size=6, max_size=6),
    cut=st.integers(0, 6),
)
def test_any_words_are_filed_verbatim_and_in_one_close_or_two_come_out_alike(
    texts: list[str], kinds: list[str], cut: int
) -> None:
    at_once, in_two = Shelf(), Shelf()
    given = [at_once.flag(text, kind=kind, evidence=(text,)) for text, kind in zip(texts, kinds, strict=False)]
    given += [at_once.flag(flag.text, kind=flag.kind) for flag in given]
    placed = at_once.file(*given).placed
    in_two.file(*given[:cut])
    in_two.file(*given[cut:])
    assert in_two.texts == at_once.texts
    for flag in given:
        note = at_once.note(placed[flag.id])
        assert flag.id in note.sources
        assert flag.text in note.body
        assert placed[flag.id].count("/") == 1
        if flag.kind != "progress":
            assert index.body_digest(note.body) == index.body_digest(flag.text)


def test_a_long_word_of_any_script_names_its_file(shelf: Shelf) -> None:
    made = shelf.flag("字" * 100)
    assert shelf.file(made).placed[made.id] == f"knowledge/{'字' * 20}.md"
