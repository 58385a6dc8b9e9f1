"""The index is only ever a help: whatever is in it, and whenever a file changed, the files are believed."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import codec
from holdfast.vault import index, index_store

OLD = time.time() - 3600


def text(body: str, name: str = "x") -> str:
    return f"---\nname: {name}\n---\n{body}\n"


def put(vault: str, path: str, content: str, when: float = OLD) -> Path:
    file = Path(vault, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    os.utime(file, (when, when))
    return file


def settled(vault: str) -> None:
    """Load until every stamp is believed: the time of change of a fresh file cannot be set, so it is waited for."""
    deadline = time.monotonic() + 10
    while read_again(vault):
        assert time.monotonic() < deadline


def read_again(vault: str) -> int:
    """How many files a load had to open."""
    opened: list[int] = []
    index.load(vault, opened.append)
    return sum(opened)


@pytest.fixture
def two(vault: str) -> str:
    Path(vault, ".state").mkdir(parents=True)
    put(vault, "knowledge/a.md", text("One. [b](b.md)\n\n[c](../rules/c.md#top)", "a"))
    put(vault, "knowledge/b.md", text("Two.", "b"))
    put(vault, "rules/broken.md", "none")
    return vault


@pytest.mark.slow
def test_a_note_that_did_not_change_is_not_opened_again(two: str) -> None:
    first = index.load(two)
    settled(two)
    assert index.load(two) == first
    assert first.known["knowledge/a.md"].links == (("b.md", 1), ("../rules/c.md", 3))
    assert [one.path for one in first.broken] == ["rules/broken.md"]


def test_an_edit_of_the_same_size_within_one_tick_is_seen(vault: str) -> None:
    Path(vault, ".state").mkdir(parents=True)
    for nth in range(30):
        put(vault, "knowledge/a.md", text("x", f"n{nth:03}"))
        assert index.load(vault).notes[0].name == f"n{nth:03}"


@pytest.mark.slow
def test_an_edit_of_the_same_size_with_its_old_time_restored_is_seen(two: str) -> None:
    settled(two)
    put(two, "knowledge/b.md", text("Two.", "B"))
    assert index.load(two).known["knowledge/b.md"].note.name == "B"


@pytest.mark.slow
def test_a_note_with_a_time_in_the_future_is_read_every_time(two: str) -> None:
    settled(two)
    put(two, "knowledge/b.md", text("Two.", "c"), time.time() + 86400)
    assert index.load(two).known["knowledge/b.md"].note.name == "c"
    assert read_again(two)


@pytest.mark.slow
def test_deleted_renamed_and_replaced_files_are_seen(two: str) -> None:
    settled(two)
    Path(two, "knowledge/a.md").unlink()
    Path(two, "knowledge/b.md").rename(Path(two, "rules/b.md"))
    put(two, "rules/broken.md", text("Mended.", "mended"))
    known = index.load(two)
    assert sorted(known.known) == ["rules/b.md", "rules/broken.md"]
    assert known.broken == ()
    Path(two, "rules/broken.md").unlink()
    assert sorted(index.load(two).known) == ["rules/b.md"]
    store = index_store.opened(two)
    assert store
    assert list(store.rows()) == ["rules/b.md"]
    store.close()


ROW = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=5), max_leaves=8
)


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=60) | st.dictionaries(st.sampled_from(["v", "notes"]), ROW).map(codec.encode))
def test_garbage_in_the_index_costs_nothing_but_time(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    vault = str(tmp_path_factory.getbasetemp() / "garbage")
    Path(vault, ".state").mkdir(parents=True, exist_ok=True)
    if not Path(vault, "knowledge").exists():
        put(vault, "knowledge/a.md", text("One."))
    Path(vault, ".state/notes.index").write_bytes(raw)
    assert [note.name for note in index.load(vault).notes] == ["x"]


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_an_index_with_one_wrong_byte_is_not_believed(
    tmp_path_factory: pytest.TempPathFactory, where: float, change: int
) -> None:
    vault = str(tmp_path_factory.getbasetemp() / "flipped")
    if not Path(vault, "knowledge").exists():
        Path(vault, ".state").mkdir(parents=True)
        put(vault, "knowledge/a.md", text("One."))
        settled(vault)
        shutil.copy(f"{vault}/.state/notes.index", f"{vault}/good")
    raw = bytearray(Path(vault, "good").read_bytes())
    raw[int(where * len(raw))] ^= change
    Path(vault, ".state/notes.index").write_bytes(raw)
    assert [(note.name, note.description) for note in index.load(vault).notes] == [("x", "One.")]


def test_an_index_that_cannot_be_written_or_is_a_folder_is_done_without(two: str) -> None:
    Path(two, ".state/notes.index").mkdir()
    assert len(index.load(two).notes) == 2
    assert len(index.load(f"{two}/nowhere").notes) == 0


def test_the_index_of_planned_texts_is_that_of_the_written_ones(two: str) -> None:
    texts = {
        "knowledge/a.md": None,
        "rules/new.md": text("New.", "new"),
        "rules/broken.md": text("Mended."),
        "knowledge/b.md": "no front matter",
        "BRAIN.md": "not a note",
        "identity/odd.md": "---\nname: \udcff\n---\n",
    }
    planned = index.load(two).with_texts(texts)
    for path, content in texts.items():
        if content is None:
            Path(two, path).unlink()
        else:
            Path(two, path).parent.mkdir(exist_ok=True)
            Path(two, path).write_bytes(content.encode("utf-8", "surrogateescape"))
    written = index.load(two)
    assert planned.known == dict(sorted(written.known.items()))
    assert {one.path for one in planned.broken} == {one.path for one in written.broken}


def test_words_are_told_apart_from_their_proof(two: str) -> None:
    assert index.body_digest("A fact.\n\nEvidence:\n- a:1\n") == index.body_digest("\nA fact.\n")
    assert index.body_digest("A fact") != index.body_digest("A fact.")
