"""Import: shown first, written in one commit, the same when done again, and nothing changed at the source."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hook_support import Home, Terminal

from holdfast.vault import instructions, notes
from holdfast.vault.git import Repository
from holdfast.vault.notes import Note

CLAUDE = """# Shop

A shop that sells boots. It has no cart.

## Build

Run `make build` first. Then wait.

```sh
# not a heading
make build
```

## Style

- never use tabs
- keep lines short

## Empty

<!-- to do -->
"""


@pytest.fixture
def shop(fresh: Home) -> Path:
    (fresh.project / "CLAUDE.md").write_text(CLAUDE)
    return fresh.project


def listed(terminal: Terminal, *words: str) -> list[dict[str, Any]]:
    done = terminal("import", "--json", *words)
    assert done.status == 0, done.err
    items: list[dict[str, Any]] = json.loads(done.out)["items"]
    return items


def problems(terminal: Terminal, *words: str) -> list[str]:
    found: list[str] = json.loads(terminal("import", "--json", *words).out)["problems"]
    return found


def note_at(home: Home, path: str) -> Note:
    found = notes.read(str(home.vault), path)
    assert isinstance(found, Note), found
    return found


def actions(items: list[dict[str, Any]]) -> dict[str, str]:
    return {item["name"]: item["action"] for item in items}


def test_without_a_terminal_it_only_shows_what_would_be_imported(terminal: Terminal, shop: Path, fresh: Home) -> None:
    done = terminal("import")
    assert done.status == 0
    assert f"new        knowledge  Build  [{fresh.project_id()}]  CLAUDE.md:5-13" in done.out
    assert done.out.endswith("Nothing was written; --yes writes it.\n")
    assert not [path for path in fresh.files() if path.endswith(".md")]


@pytest.mark.slow
def test_each_section_becomes_one_note_with_its_words_as_they_are(terminal: Terminal, shop: Path, fresh: Home) -> None:
    assert terminal("import", "--yes").status == 0
    assert [path for path in fresh.files() if path.startswith("knowledge/")] == [
        "knowledge/build.md",
        "knowledge/shop.md",
        "knowledge/style.md",
    ]
    build = note_at(fresh, "knowledge/build.md")
    assert build.name == "Build"
    assert build.description == "Run `make build` first."
    assert build.body == "\nRun `make build` first. Then wait.\n\n```sh\n# not a heading\nmake build\n```\n"
    assert build.sources == ("import:CLAUDE.md#Build",)
    assert (build.kind, build.origin, build.project) == ("knowledge", "import", fresh.project_id())
    assert note_at(fresh, "knowledge/style.md").description == "never use tabs"
    assert (shop / "CLAUDE.md").read_text() == CLAUDE


@pytest.mark.slow
def test_one_import_is_one_commit_that_names_its_cause(terminal: Terminal, shop: Path, fresh: Home) -> None:
    terminal("import", "--yes")
    message = Repository(str(fresh.vault)).text("log", "-1", "--format=%B")
    assert message.startswith("import 3 notes from CLAUDE.md\n")
    assert "Holdfast-Cause: import" in message


@pytest.mark.slow
def test_importing_again_changes_nothing(terminal: Terminal, shop: Path, fresh: Home) -> None:
    terminal("import", "--yes")
    head = Repository(str(fresh.vault)).head()
    assert set(actions(listed(terminal, "--yes")).values()) == {"unchanged"}
    assert Repository(str(fresh.vault)).head() == head


@pytest.mark.slow
def test_a_changed_section_is_brought_up_to_date_and_nothing_else_in_its_note(
    terminal: Terminal, shop: Path, fresh: Home
) -> None:
    terminal("import", "--yes")
    path = fresh.vault / "knowledge" / "build.md"
    path.write_text(path.read_text().replace("name: Build\n", "name: Build  # mine\nmood: calm\n"))
    (shop / "CLAUDE.md").write_text(CLAUDE.replace("make build", "just build"))
    assert actions(listed(terminal, "--yes")) == {"Shop": "unchanged", "Build": "changed", "Style": "unchanged"}
    text = path.read_text()
    assert "name: Build  # mine\nmood: calm\n" in text
    assert "just build" in text
    assert "make build" not in text
    assert set(actions(listed(terminal)).values()) == {"unchanged"}


@pytest.mark.slow
def test_a_note_that_a_person_edited_is_left_as_it_is_and_reported(terminal: Terminal, shop: Path, fresh: Home) -> None:
    terminal("import", "--yes")
    path = fresh.vault / "knowledge" / "build.md"
    path.write_text(path.read_text() + "\nBut on Fridays never.\n")
    before = path.read_text()
    (shop / "CLAUDE.md").write_text(CLAUDE.replace("make build", "just build"))
    done = terminal("import", "--yes")
    assert "edited     knowledge  Build" in done.out
    assert path.read_text() == before


@pytest.mark.slow
def test_a_copy_under_another_name_is_imported_once(terminal: Terminal, shop: Path) -> None:
    (shop / "AGENTS.md").write_text(CLAUDE)
    (shop / "CLAUDE.local.md").symlink_to("CLAUDE.md")
    assert [item["action"] for item in listed(terminal)] == ["new"] * 3 + ["unchanged"] * 3
    assert [item["action"] for item in listed(terminal, "--yes")] == ["new"] * 3 + ["unchanged"] * 3


@pytest.mark.slow
def test_an_imported_note_is_never_always_on_but_the_users_own_rules_are(
    terminal: Terminal, shop: Path, fresh: Home
) -> None:
    terminal("import", "--yes")
    assert not note_at(fresh, "knowledge/style.md").is_always_on
    (shop / "rules.md").write_text("## Fridays\n\nNever deploy on a Friday.\n")
    terminal("import", "--yes", "--as-rules", "--global", "rules.md")
    rule = note_at(fresh, "rules/fridays.md")
    assert (rule.kind, rule.origin, rule.project, rule.is_always_on) == ("rule", "user", "global", True)


@pytest.mark.slow
def test_the_users_own_files_become_global_and_auto_memory_belongs_to_the_project(
    terminal: Terminal, fresh: Home
) -> None:
    (fresh.folder / ".claude").mkdir()
    (fresh.folder / ".claude/CLAUDE.md").write_text("# Me\n\nI like short answers.\n")
    (fresh.folder / ".codex").mkdir()
    (fresh.folder / ".codex/AGENTS.md").write_text("No heading at all, only words.\n")
    memory = fresh.folder / ".claude/projects" / str(fresh.project).replace("/", "-") / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("# Memory\n\n- [Ports](ports.md): which ports are used\n")
    (memory / "ports.md").write_text(
        "---\nname: ports\ndescription: Which ports are used\ntype: project\n---\n\n# Ports\n\nUse 8443.\n"
    )
    found = {item["name"]: (item["project"], item["file"]) for item in listed(terminal, "--yes")}
    folder = f"~/.claude/projects/{memory.parent.name}/memory"
    assert found == {
        "Me": ("global", "~/.claude/CLAUDE.md"),
        "AGENTS.md": ("global", "~/.codex/AGENTS.md"),
        "ports": (fresh.project_id(), f"{folder}/ports.md"),
    }
    assert note_at(fresh, "knowledge/ports.md").description == "Which ports are used"


def test_files_that_are_named_inside_the_project_are_followed_and_others_are_not(
    terminal: Terminal, fresh: Home
) -> None:
    (fresh.project / "docs").mkdir()
    (fresh.project / "docs/api.md").write_text("# API\n\nVersioned by date.\n\n@../CLAUDE.md\n")
    (fresh.folder / "outside.md").write_text("# Outside\n\nNot of this project.\n")
    (fresh.project / "CLAUDE.md").write_text("# Shop\n\nWords.\n\n@docs/api.md\n- @../outside.md\n@~/outside.md\n")
    (fresh.project / "AGENTS.md").symlink_to("../outside.md")
    assert set(actions(listed(terminal))) == {"Shop", "API"}
    assert problems(terminal) == [
        "CLAUDE.md names @../outside.md, which lies outside of the project; it was left out.",
        "CLAUDE.md names @~/outside.md, which lies outside of the project; it was left out.",
        f"AGENTS.md leads out of {fresh.project}; it was left out.",
    ]


@pytest.mark.slow
def test_secrets_are_redacted_before_anything_is_written(terminal: Terminal, fresh: Home, token: str) -> None:
    (fresh.project / "CLAUDE.md").write_text(f"# Deploy\n\nUse the key {token} for it.\n")
    done = terminal("import", "--yes")
    assert "secrets will be redacted: github-" in done.out
    assert token not in done.out
    assert "[redacted:github-" in note_at(fresh, "knowledge/deploy.md").body
    everything = b"".join(path.read_bytes() for path in fresh.vault.rglob("*") if path.is_file())
    assert token.encode() not in everything


def test_what_cannot_be_read_is_left_out_with_a_sentence(terminal: Terminal, fresh: Home) -> None:
    (fresh.project / "CLAUDE.md").write_bytes(b"# A\n\n\xff\xfe words\n")
    (fresh.project / "AGENTS.md").write_bytes(b"x" * (1 << 20) + b"y")
    (fresh.project / "GEMINI.md").write_bytes(b"a\0b")
    (fresh.project / "QWEN.md").symlink_to("QWEN.md")
    (fresh.project / ".cursorrules").mkdir()
    assert listed(terminal, "--all-hosts") == []
    assert problems(terminal, "--all-hosts") == [
        "CLAUDE.md was left out: line 3 is not UTF-8.",
        "AGENTS.md was left out: it has 1,048,577 bytes, 1,048,576 is the most.",
        "GEMINI.md was left out: it is binary.",
        "QWEN.md was left out: Too many levels of symbolic links.",
        ".cursorrules was left out: it is a folder; name its files.",
    ]


def test_a_named_file_that_is_not_there_is_an_error(terminal: Terminal) -> None:
    done = terminal("import", "nowhere.md")
    assert done.status == 4
    assert "There is no file nowhere.md" in done.err


@pytest.mark.slow
def test_two_projects_keep_their_sections_apart(terminal: Terminal, shop: Path, fresh: Home) -> None:
    other = fresh.folder / "other"
    other.mkdir()
    (other / "CLAUDE.md").write_text("## Build\n\nRun cargo build.\n")
    terminal("import", "--yes")
    assert terminal("import", "--yes", cwd=other).status == 0
    assert note_at(fresh, "knowledge/build-2.md").project == fresh.project_id(other)
    assert "make build" in note_at(fresh, "knowledge/build.md").body


@pytest.mark.slow
def test_a_name_that_another_note_has_gets_its_file_added(terminal: Terminal, shop: Path, fresh: Home) -> None:
    (shop / "AGENTS.md").write_text("## Build\n\nAnother way to build.\n")
    terminal("import", "--yes")
    assert note_at(fresh, "knowledge/build-agents-md.md").name == "Build (AGENTS.md)"
    assert set(actions(listed(terminal)).values()) == {"unchanged"}


@pytest.mark.slow
def test_a_heading_cannot_lead_out_of_the_vault(terminal: Terminal, fresh: Home) -> None:
    (fresh.project / "CLAUDE.md").write_text("# ../../../etc/passwd\n\nSome words here.\n")
    terminal("import", "--yes")
    assert note_at(fresh, "knowledge/etc-passwd.md").name == "../../../etc/passwd"


def test_sections_know_their_lines_and_repeated_headings() -> None:
    found = instructions.cut("above\n\n# A\none\n\n# A #\ntwo\n~~~\n# code\n```\n~~~\n### B\nthree", "x.md")
    assert [(one.heading, one.text.strip(), one.first, one.last) for one in found] == [
        ("x.md", "above", 1, 2),
        ("A", "one", 3, 5),
        ("A (2)", "two\n~~~\n# code\n```\n~~~", 6, 11),
        ("B", "three", 12, 13),
    ]


def test_a_long_section_is_cut_between_paragraphs_without_losing_a_letter() -> None:
    paragraphs = [f"paragraph {nth} " + "word " * 900 for nth in range(12)] + ["x" * 45_000]
    found = instructions.cut("# Long\n" + "\n\n".join(paragraphs), "x.md")
    assert len(found) > 3
    assert found[0].heading == f"Long (1/{len(found)})"
    assert all(len(one.text) <= instructions.LONGEST for one in found)
    assert "".join(one.text for one in found) == "\n\n".join(paragraphs)


@pytest.mark.slow
def test_on_a_terminal_it_asks_and_a_no_writes_nothing(shop: Path, fresh: Home) -> None:
    import pty
    import sys

    from hook_support import SOURCE

    for answer, written in ((b"n\n", False), (b"y\n", True)):
        child, fd = pty.fork()
        if not child:
            os.chdir(shop)
            env = {**fresh.env, "PYTHONPATH": str(SOURCE)}
            os.execve(sys.executable, [sys.executable, "-P", "-m", "holdfast", "import"], env)
        os.write(fd, answer)
        said = b""
        try:
            while part := os.read(fd, 4096):
                said += part
        except OSError:
            pass  # how a terminal ends
        os.close(fd)
        os.waitpid(child, 0)
        assert b"Write these 3 notes?" in said
        assert (fresh.vault / "knowledge/build.md").exists() is written
