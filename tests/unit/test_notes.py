"""A note is read whatever its file is, found by what a person means, and never leads out of the vault."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture.gate import BY_USER
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import armed, edits, index, notes
from holdfast.vault.notes import Broken, Note

if TYPE_CHECKING:
    from collections.abc import Callable

    from hook_support import Terminal

NOW = 1_800_000_000.0
GOOD = "---\nname: good\ndescription: a good one\nkind: knowledge\n---\n\nIt works.\n"


def put(vault: str, path: str, content: str | bytes = GOOD) -> Path:
    file = Path(vault, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """What `work` answers; fails where it still waits, as for a pipe that nobody writes to."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(work()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert answers, "it hangs, or failed"
    return answers[0]


def note(path: str = "knowledge/x.md", **fields: Any) -> Note:
    return notes.from_fields(path, fields, fields.pop("body", ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"---\nname: caf\xe9\n---\n", "not UTF-8"),
        (b"---\nname: x\n---\nline\n\xff\n", "not UTF-8"),
        (b"---\nname: x\n---\n" + b"x" * (5 << 20), "5,242,896 bytes; a note is one idea"),
        (b"---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b, *b]\n---\n", "anchors and aliases"),
        (b"---\n" + b"k: " + b"[" * 65_000 + b"\n---\n", "nested too deeply"),
        (b"---\nkey: " + b"v" * 70_000 + b"\n---\n", "65,536 is the most"),
        (b"no front matter\n", "the first line should be ---"),
        (b"", "no front matter"),
        (b"---\nname: x\nname: y\n---\n", "twice"),
        (b"---\n<<<<<<< HEAD\nname: x\n---\n", "key: value"),
    ],
)
def test_a_file_that_is_no_note_says_why_and_is_kept(vault: str, content: bytes, reason: str) -> None:
    file = put(vault, "knowledge/odd.md", content)
    put(vault, "rules/good.md")
    known = index.load(vault)
    assert [one.path for one in known.notes] == ["rules/good.md"]
    (broken,) = known.broken
    assert reason in broken.reason
    assert broken.line >= 1
    edits.remember(vault, edits.Asked("Something else."), NOW)
    assert file.read_bytes() == content


@pytest.mark.slow
def test_pipes_devices_and_links_are_reported_and_never_waited_for(vault: str, place: Path) -> None:
    put(vault, "rules/good.md")
    (place / "outside.md").write_text(GOOD)
    (place / "folder").mkdir()
    (place / "folder/secret.md").write_text(GOOD)
    Path(vault, "knowledge").mkdir()
    os.mkfifo(f"{vault}/knowledge/pipe.md")
    Path(vault, "knowledge/null.md").symlink_to("/dev/null")
    Path(vault, "knowledge/link.md").symlink_to(place / "outside.md")
    Path(vault, "knowledge/folder").symlink_to(place / "folder")
    Path(vault, "feedback").symlink_to(place / "folder")
    Path(vault, "knowledge/loop").symlink_to(".")
    Path(vault, "knowledge/round.md").symlink_to("round.md")
    Path(vault, "knowledge/dir.md").mkdir()
    put(vault, "knowledge/dir.md/in.md")
    known = within(20, lambda: index.load(vault))
    assert [one.path for one in known.notes] == ["rules/good.md", "knowledge/dir.md/in.md"]
    assert {one.path: one.reason for one in known.broken} == {
        "feedback": "it is a link; links are not followed",
        "knowledge/folder": "it is a link; links are not followed",
        "knowledge/loop": "it is a link; links are not followed",
        "knowledge/link.md": "it is a link; links are not followed",
        "knowledge/null.md": "it is a link; links are not followed",
        "knowledge/pipe.md": "it is a pipe, where a note should be",
        "knowledge/round.md": "it is a link; links are not followed",
    }
    filed = within(30, lambda: edits.remember(vault, edits.Asked("Beside all of it."), NOW))
    assert Path(vault, filed.path).exists()
    with pytest.raises(UsageError, match="does not lie in the vault, or lies behind a link"):
        edits.remember(vault, edits.Asked("Never through a link.", kind="feedback"), NOW)
    assert [one.name for one in (place / "folder").iterdir()] == ["secret.md"]
    assert edits.remember(vault, edits.Asked("The vault is not stuck."), NOW).commit


@pytest.mark.parametrize(
    "name", ["BRAIN.md", "activity.log", "projects.toml", "lineage/p/20270115T000000Z-m-abc123.md"]
)
def test_a_pipe_where_one_of_our_files_should_be_is_left_alone(vault: str, name: str) -> None:
    Path(vault, name).parent.mkdir(parents=True)
    os.mkfifo(f"{vault}/{name}")
    filed = within(30, lambda: edits.remember(vault, edits.Asked("All the same."), NOW))
    assert filed.commit
    assert Path(vault, name).is_fifo()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["--amend.md", "a*[b].md", ":(exclude)x.md", "new\nline.md", ":!x.md", '"q".md', " .md", "-.md", "a\\b.md"]
)
def test_an_odd_file_name_is_a_note_like_any_other(vault: str, name: str) -> None:
    path = f"knowledge/{name}"
    put(vault, path)
    put(vault, "knowledge/good.md", GOOD.replace("good", "other"))
    filed = edits.remember(vault, edits.Asked("Beside it."), NOW)
    assert filed.commit
    assert path in index.load(vault).known
    assert all(line.startswith(("- [", "#", "<!--")) or not line for line in brain_map(vault))
    found = notes.find(index.load(vault).notes, path)
    assert edits.forget(vault, [found.path], NOW, by=BY_USER)
    assert not Path(vault, path).exists()
    assert Path(vault, "knowledge/good.md").exists()


def brain_map(vault: str) -> list[str]:
    text = Path(vault, "BRAIN.md").read_text()
    return text[text.index("<!-- holdfast:map") :].splitlines()


@pytest.mark.slow
def test_a_name_that_is_no_utf_8_is_reported_and_breaks_nothing(vault: str, terminal: Terminal) -> None:
    vault = str(terminal.home.vault)
    put(vault, "knowledge/good.md")
    Path(os.fsdecode(os.fsencode(vault) + b"/knowledge/caf\xe9.md")).write_text(GOOD)
    assert terminal("remember", "Beside it.").status == 0
    (broken,) = index.load(vault).broken
    assert "its name is not UTF-8" in broken.reason
    said = terminal("notes")
    assert (said.status, "its name is not UTF-8" in said.err) == (0, True)
    assert terminal("notes", "--json").status == 0
    Path(vault, "BRAIN.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["../../etc/passwd", "/etc/passwd", "knowledge/../../outside", "..", "", "!!!", "."])
def test_no_name_leads_out_of_the_vault(vault: str, place: Path, wanted: str) -> None:
    put(vault, "knowledge/note-taking.md")
    (place / "outside.md").write_text(GOOD)
    with pytest.raises(NotFound):
        notes.find(index.load(vault).notes, wanted)
    with pytest.raises(HoldfastError):
        armed.arm(vault, NOW, wanted, "p", {"tool": "Bash", "words": ["deploy"]}, by=BY_USER)
    with pytest.raises(HoldfastError):
        edits.forget(vault, [wanted], NOW, by=BY_USER)
    assert (place / "outside.md").exists()


@pytest.mark.slow
def test_a_note_remembered_under_a_path_stays_in_its_folder(vault: str) -> None:
    asked = edits.Asked("The text.", name="../../etc/passwd", kind="rule")
    assert edits.remember(vault, asked, NOW).path == "rules/etc-passwd.md"
    assert edits.remember(vault, edits.Asked("More.", name="--amend"), NOW).path == "knowledge/amend.md"
    assert edits.remember(vault, edits.Asked("Signs.", name="…/…"), NOW).path == "knowledge/note.md"


@pytest.mark.slow
def test_names_that_differ_in_case_or_spelling_only_do_not_share_a_file(vault: str) -> None:
    put(vault, "knowledge/Caf\u00e9.md")
    taken = [one.path for one in index.load(vault).notes]
    assert notes.free_path("knowledge", "CAFE\u0301", taken) == "knowledge/caf\u00e9-2.md"
    Path(vault, "knowledge/orders.md").mkdir()
    filed = edits.remember(vault, edits.Asked("x y z", name="Orders"), NOW)
    assert filed.path == "knowledge/orders-2.md"


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=100), st.integers(8, 80))
def test_a_slug_is_a_safe_file_name(text: str, longest: int) -> None:
    name = notes.slug(text, longest)
    assert 0 < len(name.encode("utf-8", "surrogatepass")) <= longest
    assert "/" not in name
    assert not name.startswith((".", "-"))
    assert name == notes.slug(name, longest)


def test_a_text_without_spaces_still_gives_a_name() -> None:
    assert notes.slug("注文は楽観ロックを使う。二重予約のため、必ずバージョンを確認すること") != "note"
    assert notes.slug("x" * 200) == "x" * 60


def test_a_person_finds_a_note_by_what_they_remember_of_it(vault: str) -> None:
    known = [
        note("knowledge/order-locks.md", name="Order locks"),
        note("rules/order-of-work.md", name="Order of work"),
        note("rules/deploy.md", name="Deploy"),
        note("knowledge/deploy.md", name="Deploy"),
    ]
    for wanted in (
        "knowledge/order-locks.md",
        "./knowledge/order-locks",
        "Order locks",
        "order locks",
        "order-l",
        "locks",
    ):
        assert notes.find(known, wanted).path == "knowledge/order-locks.md"
    assert notes.find(known, "rules/deploy.md").path == "rules/deploy.md"
    with pytest.raises(
        NotFound, match=r"may be rules/deploy.md, knowledge/deploy.md; nothing was changed. Say the path"
    ):
        notes.find(known, "deploy")
    with pytest.raises(NotFound, match="There is no note"):
        notes.find(known, "nothing of the kind")


def test_odd_values_become_defaults_and_a_name_is_one_line() -> None:
    odd = note(name="two\nlines", description=["a"], kind=7, status=None, sources="one", anchors="a:1", created=5)
    assert (odd.name, odd.description, odd.kind, odd.status) == ("two lines", "", "7", "active")
    assert (odd.sources, odd.anchors, odd.created) == (("one",), ("a:1",), "5")
    assert note("rules/x.md").kind == "rule"
    assert not note("quarantine/x.md").is_active
    assert isinstance(notes.from_text("a.md", "x"), Broken)


@pytest.mark.parametrize(
    ("fields", "always"),
    [
        ({"kind": "identity", "origin": "user"}, True),
        ({"kind": "identity", "origin": "web"}, False),
        ({"kind": "rule", "origin": "agent"}, True),
        ({"kind": "rule", "origin": "import"}, False),
        ({"kind": "rule", "origin": "user", "when": {"tool": "Bash"}}, False),
    ],
)
def test_what_came_from_outside_is_never_always_on(fields: dict[str, object], always: bool) -> None:
    assert notes.from_fields("rules/x.md", fields, "x").is_always_on is always
    assert not notes.from_fields("rules/x.theirs-1a2b3c4.md", fields, "x").is_always_on


@pytest.mark.parametrize("project", [["p-1"], {"p": 1}])
def test_a_project_that_is_no_name_makes_a_note_of_nowhere_not_of_everywhere(project: object) -> None:
    found = notes.from_fields("knowledge/x.md", {"project": project}, "x")
    assert not found.applies_to("p-1")
    assert not found.applies_to(notes.GLOBAL)
