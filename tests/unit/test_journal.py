"""A change is whole or not at all, and whatever a person wrote is still there, before, between and after ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import codec, quoting
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.capture.ids import digest
from holdfast.close.filing import Filing
from holdfast.errors import GitFailed, HoldfastError, UsageError
from holdfast.model import Flag
from holdfast.vault import edits, index, journal, note_facets, notes, review
from holdfast.vault.git import Repository
from holdfast.vault.journal import Change, File
from holdfast.vault.transaction import writing

NOW = 1_800_000_000.0
DAY = "2027-01-15"
PATH = "knowledge/locks.md"
FACT = "Orders use optimistic locking."
OWNED = ("sources", "edited", "reviewed", "status", "when")
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


def others(text: str) -> str:
    """A note's text without the fields that we own: what stands at their keys and in the lines that belong to them."""
    out: list[str] = []
    is_owned = False
    for line in text.splitlines(keepends=True):
        key = re.match(r"""["']?([\w-]+)["']?\s*:""", line)
        if key:
            is_owned = key[1] in OWNED
        elif not line.startswith((" ", "\t", "- ")):
            is_owned = False
        if not is_owned:
            out.append(line)
    return "".join(out)


SOURCES = ["sources: [a, b]   # mine", "sources:\n- a # why\n- b", "sources: []", "sources:", 'sources: ["a"]', ""]
EDITED = ["edited: 2026-01-01", "edited:   '2026-01-01'  # day", "edited:", ""]
REVIEWED = ["reviewed: 2026-01-01", "reviewed:", "reviewed: # when?", ""]
STATUS = ["status: active", 'status: "active" # yes', ""]
OWN_LINES = ["# a comment", "x-mine: |\n  lines\n   of mine", "tags: [ one,two ]", "weight:   5", "", "odd : key"]
BODIES = [
    "\nOrders use optimistic locking.\n",
    "Orders use optimistic locking.",
    "\n\nOrders use optimistic locking.\n\n\n",
]


@st.composite
def hand_written(draw: st.DrawFn) -> bytes:
    """A note as people write them, that says FACT."""
    fixed = ["name: Locks", "kind: knowledge", "description: how orders are locked", "project: shop"]
    owned = [draw(st.sampled_from(one)) for one in (SOURCES, EDITED, REVIEWED, STATUS)]
    own = draw(st.lists(st.sampled_from(OWN_LINES), max_size=4, unique=True))
    lines = draw(st.permutations([*fixed, *(one for one in owned if one), *own]))
    text = "---\n" + "".join(f"{line}\n" for line in lines) + "---\n" + draw(st.sampled_from(BODIES))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    raw = text.replace("\n", end).encode()
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + raw


OURS = ("sources", "review", "arm", "drain", "remember", "status", "forget another")
HAND = ("comment", "body", "key", "operator above", "operator below", "cut newline")


def do(vault: str, step: str, nth: int) -> None:
    """One write of ours."""
    if step == "remember":
        edits.remember(vault, edits.Asked(f"Another fact, {nth}."), NOW)
    elif step == "forget another":
        filed = edits.remember(vault, edits.Asked(f"Short-lived, {nth}."), NOW)
        edits.forget(vault, [filed.path], NOW, by=BY_USER)
    elif step == "review":
        review.decide(vault, NOW + nth * 86400, None, keep=[PATH], by=BY_USER)
    else:
        with writing(vault, NOW) as writer:
            text = writer.read(PATH) or ""
            if step == "drain":
                filing = Filing(writer.index, writer.read)
                filing.file(Flag(f"01ID{nth:022}", NOW, "cli", "", "shop", "fact", FACT))
                writer.commit("close", filing.texts, cause="close", planned_on=filing.planned_on, by=BY_UPKEEP)
                return
            changes: dict[str, dict[str, Any]] = {
                "sources": {"sources": [*(index.load(vault).known[PATH].note.sources), f"s{nth}"], "edited": DAY},
                "arm": {"when": {"tool": "Bash", "words": [f"w{nth}"]}},
                "status": {"status": "unconfirmed" if nth % 2 else "active"},
            }
            writer.commit(
                step,
                {PATH: notes.with_fields(text, **changes[step])},
                cause=step,
                planned_on={PATH: text},
                by=BY_UPKEEP,
            )


def edit_by_hand(vault: str, step: str, nth: int) -> None:
    note, own = Path(vault, PATH), Path(vault, note_facets.PATH)
    raw = note.read_bytes()
    end = b"\r\n" if b"\r\n" in raw else b"\n"
    mine = f"mine {nth}".encode()
    if step == "comment":
        note.write_bytes(raw.replace(b"name: Locks", b"# " + mine + end + b"name: Locks", 1))
    elif step == "key":
        note.write_bytes(raw.replace(b"name: Locks", b"k%d:  [ %s ]" % (nth, mine) + end + b"name: Locks", 1))
    elif step == "body":
        note.write_bytes(raw + end + mine)
    elif step == "cut newline":
        note.write_bytes(raw.rstrip())
    elif own.exists():
        text = own.read_bytes()
        own.write_bytes(mine + b"\n" + text if step == "operator above" else text + mine)


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(hand_written(), st.lists(st.sampled_from((*OURS, *HAND)), min_size=2, max_size=7))
def test_any_sequence_of_hand_edits_and_our_writes_keeps_what_a_person_wrote(raw: bytes, steps: list[str]) -> None:
    """Byte for byte, outside of the fields that we own and of the map; and each version of theirs is in the history."""
    vault = tempfile.mkdtemp(prefix="holdfast-unit-", dir=MEMORY)
    try:
        Path(vault, "knowledge").mkdir()
        note, own = Path(vault, PATH), Path(vault, note_facets.PATH)
        note.write_bytes(raw)
        for nth, step in enumerate(steps, 1):
            if step in HAND:
                edit_by_hand(vault, step, nth)
                continue
            before = note.read_bytes().decode()
            operator = "".join(quoting.around_map(own.read_text())) if own.exists() else note_facets.OPENING
            mine = note.read_bytes()
            do(vault, step, nth)
            assert others(note.read_bytes().decode()) == others(before)
            assert "".join(quoting.around_map(own.read_text())) == operator or operator.rstrip("\n") in own.read_text()
            kept = subprocess.run(
                ["git", "rev-list", "--objects", "HEAD", "--", PATH], cwd=vault, capture_output=True, check=True
            )
            assert hash_of(vault, mine) in kept.stdout.decode().split()
        assert isinstance(notes.read(vault, PATH), notes.Note)
    finally:
        shutil.rmtree(vault)


def hash_of(vault: str, raw: bytes) -> str:
    done = subprocess.run(["git", "hash-object", "--stdin"], cwd=vault, input=raw, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(vault: str, texts: dict[str, str | None]) -> journal.Applied:
    with writing(vault, NOW) as writer:
        return writer.commit("test", texts, cause="test", by=BY_UPKEEP)


PERSON = """
import os, sys, time
note = sys.argv[1]
nth = 0
while not os.path.exists(sys.argv[2]):
    nth += 1
    with open(note + ".tmp", "w") as fresh:
        fresh.write(f"---\\nname: x\\nsources: []\\n---\\nmine {nth}\\n")
    os.rename(note + ".tmp", note)
    until = time.monotonic() + 10
    while f"mine {nth}\\n" not in open(note).read():
        if time.monotonic() > until:
            sys.exit(f"the save {nth} is lost")
print(nth)
"""


@pytest.mark.slow
def test_no_save_of_a_person_is_lost_while_we_write_the_same_note(vault: str, place: Path) -> None:
    """An editor saves as editors do, by a new file in the old one's place, again and again, and looks at the file."""
    commit(vault, {PATH: "---\nname: x\nsources: []\n---\nbody\n"})
    note = Path(vault, PATH)
    command = [sys.executable, "-c", PERSON, str(note), str(place / "enough")]
    person = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wrote = 0
    try:
        with writing(vault, NOW) as writer:
            for nth in range(2000):
                text = writer.read(PATH) or ""
                wanted = re.sub("sources: .*", f"sources: [s{nth}]", text)
                wrote += journal._write(vault, File(PATH, journal.digest(text.encode()), wanted)) is None
    finally:
        (place / "enough").touch()
        said, wrong = person.communicate(timeout=20)
    assert wrong == ""
    assert int(said) > 100
    assert wrote > 10


def plan(vault: str, *files: File, ident: str = "01CHANGE") -> Change:
    return Change(ident, "test", files, "test")


def interrupted(vault: str, change: Change) -> None:
    """The vault as a kill right after the journal was written leaves it."""
    folder = Path(vault, ".state/writing")
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "v": 1,
        "id": change.id,
        "subject": change.subject,
        "files": [{"path": one.path, "before": one.before, "after": one.after} for one in change.files],
        "cause": change.cause,
        "author": list(change.author),
        "parents": list(change.parents),
    }
    (folder / "journal").write_bytes(codec.encode(record))


@pytest.mark.slow
def test_a_persons_version_that_was_displaced_when_we_were_killed_comes_back(vault: str) -> None:
    commit(vault, {PATH: "old\n", "knowledge/gone.md": "old\n"})
    old = journal.digest(b"old\n")
    interrupted(vault, plan(vault, File(PATH, old, "ours\n"), File("knowledge/gone.md", old, None)))
    folder = Path(vault, ".state/writing")
    for path, now in ((PATH, "ours\n"), ("knowledge/gone.md", None)):
        (folder / f"displaced-{digest(path)}").write_text(f"theirs, {path}\n")
        if now is None:
            Path(vault, path).unlink()
        else:
            Path(vault, path).write_text(now)
    commit(vault, {"knowledge/other.md": "x\n"})
    assert Path(vault, PATH).read_text() == f"theirs, {PATH}\n"
    assert Path(vault, "knowledge/gone.md").read_text() == "theirs, knowledge/gone.md\n"
    assert not list(folder.iterdir())
    who = Repository(vault).text("log", "--format=%an", "-1", "HEAD~1", "--", PATH)
    assert who != "Holdfast"


@pytest.mark.slow
def test_half_a_file_that_we_were_killed_at_is_nobodys(vault: str) -> None:
    commit(vault, {PATH: "old\n"})
    interrupted(vault, plan(vault, File(PATH, journal.digest(b"old\n"), "ours\n")))
    Path(vault, f".state/writing/displaced-{digest(PATH)}.fresh").write_text("ou")
    commit(vault, {"knowledge/other.md": "x\n"})
    assert Path(vault, PATH).read_text() == "ours\n"
    assert Repository(vault).text("log", "--format=%s", "-3") == "test\ntest\ntest"


@pytest.mark.slow
def test_a_file_edited_since_a_change_was_cut_short_is_the_persons(vault: str) -> None:
    commit(vault, {PATH: "old\n"})
    interrupted(vault, plan(vault, File(PATH, journal.digest(b"old\n"), "ours\n"), File("knowledge/n.md", None, "n\n")))
    Path(vault, PATH).write_text("theirs\n")
    commit(vault, {"knowledge/other.md": "x\n"})
    assert Path(vault, PATH).read_text() == "theirs\n"
    assert Path(vault, "knowledge/n.md").read_text() == "n\n"


@pytest.mark.slow
@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"v":1}', b"\xff\xfe", b'{"files":[{"path":"../x"}]}'])
def test_a_journal_that_cannot_be_read_is_kept_and_blocks_one_time_only(vault: str, raw: bytes) -> None:
    commit(vault, {PATH: "old\n"})
    Path(vault, ".state/writing/journal").write_bytes(raw)
    with pytest.raises(HoldfastError, match=r"cannot be finished .* it is kept as"):
        commit(vault, {PATH: "new\n"})
    (kept,) = Path(vault, ".state/writing").iterdir()
    assert kept.read_bytes() == raw
    assert commit(vault, {PATH: "new\n"}).commit


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/x.md", ".git/config", ".state/x", "a/../../x", "", "a//b", "./a", "a\0b"]
)
def test_no_change_leaves_the_vault_or_reaches_our_machinery(vault: str, place: Path, path: str) -> None:
    commit(vault, {PATH: "old\n"})
    with pytest.raises(UsageError, match="does not lie in the vault"):
        commit(vault, {path: "x"})
    with pytest.raises(OSError, match="outside of the vault"):
        journal.content(vault, path)
    assert commit(vault, {PATH: "new\n"}).commit
    assert sorted(one.name for one in place.iterdir()) == ["vault"]


@pytest.mark.slow
def test_what_stands_in_the_way_is_skipped_and_named_and_the_rest_is_written(vault: str, place: Path) -> None:
    (place / "out.md").write_text("outside\n")
    commit(vault, {PATH: "old\n"})
    Path(vault, "feedback").write_text("a file where a folder should be\n")
    Path(vault, "knowledge/dir.md").mkdir()
    Path(vault, "knowledge/link.md").symlink_to(place / "out.md")
    os.mkfifo(f"{vault}/knowledge/pipe.md")
    odd = ["feedback/x.md", "knowledge/dir.md", "knowledge/link.md", "knowledge/pipe.md"]
    applied = commit(vault, {**dict.fromkeys(odd, "ours\n"), PATH: "new\n"})
    assert sorted(applied.skipped) == odd
    assert Repository(vault).text("show", f"HEAD:{PATH}") == "new"
    assert (place / "out.md").read_text() == "outside\n"
    assert commit(vault, {PATH: "newer\n"}).commit


@pytest.mark.slow
def test_a_folder_that_is_a_link_within_the_vault_is_refused_before_anything_is_written(vault: str) -> None:
    commit(vault, {PATH: "old\n"})
    Path(vault, "rules").symlink_to("knowledge")
    with pytest.raises(UsageError, match="behind a link"):
        commit(vault, {"rules/x.md": "x\n"})
    assert commit(vault, {PATH: "new\n"}).commit


def test_bytes_that_are_no_text_come_back_as_they_were(vault: str) -> None:
    raw = b"mine \xff\xfe\xed\xa0\x80\n"
    Path(vault).mkdir()
    Path(vault, note_facets.PATH).write_bytes(raw)
    commit(
        vault,
        {
            PATH: notes.new_text(
                name="x", description="x", kind="rule", body="x", day=DAY, project="global", origin="user"
            )
        },
    )
    assert Path(vault, note_facets.PATH).read_bytes().startswith(raw)


@pytest.mark.slow
def test_where_two_files_cannot_change_places_in_one_step_two_steps_do(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ctypes

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())  # a system without the call
    commit(vault, {PATH: "old\n"})
    assert commit(vault, {PATH: "new\n"}).commit
    assert Path(vault, PATH).read_text() == "new\n"
    assert not list(Path(vault, ".state/writing").iterdir())


@pytest.mark.slow
def test_the_last_note_of_a_folder_takes_the_folder_with_it_and_a_commit_with_a_git_that_fails_is_finished_later(
    vault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(vault, {PATH: "old\n"})
    with writing(vault, NOW) as writer:
        monkeypatch.setenv("PATH", "/nonexistent")
        with pytest.raises(GitFailed):
            writer.commit("forget", {PATH: None}, cause="forget", by=BY_UPKEEP)
    monkeypatch.undo()
    assert not Path(vault, "knowledge").exists()
    with writing(vault, NOW) as writer:
        assert writer.repository.text("log", "-1", "--format=%s") == "forget"


@pytest.mark.slow
def test_a_merge_cut_short_keeps_their_version_beside_one_that_a_person_has_edited_since(vault: str) -> None:
    commit(vault, {PATH: "old\n", "knowledge/other.md": "old\n"})
    repository = Repository(vault)
    theirs = repository.head()
    before = journal.digest(b"old\n")
    change = Change(
        "01MERGE", "sync", (File(PATH, before, "theirs\n"), File("knowledge/other.md", before, "new\n")), "sync"
    )
    interrupted(vault, replace(change, parents=(theirs,)))
    Path(vault, PATH).write_text("a person's\n")
    with writing(vault, NOW):
        pass
    assert Path(vault, PATH).read_text() == "a person's\n"
    assert Path(vault, "knowledge/other.md").read_text() == "new\n"
    (beside,) = Path(vault, PATH).parent.glob("*.theirs-*.md")
    assert beside.read_text() == "theirs\n"
    assert repository.run("status", "--porcelain") == b""
