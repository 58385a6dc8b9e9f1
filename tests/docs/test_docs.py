"""The docs cannot lie: their console examples run, and every command, option and error is in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pages
import pytest

import rooms
from holdfast import errors
from holdfast.cli import app

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_OPTIONS = ("demo", "pause", "resume", "hook", "mcp", "task protocol")
COMMAND_PAGES = ("commands.md", "commands-field.md", "commands-task.md", "commands-team.md", "commands-vault.md")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands() -> list[str]:
    return [
        *(name for name in app.listed() if name not in app.GROUPS),
        *(one for group in ("project", "task", "team", "field") for one in app.listed(group)),
    ]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "team.md" and pages.examples(text_of(page))],
    ids=lambda page: page.name,
)
def test_the_examples_of_a_page_print_what_it_says(page: Path, tmp_path: Path) -> None:
    for command, expected in pages.examples(text_of(page)):
        if any(words in command for words in pages.NOT_HERE):
            continue
        got = pages.run(command, tmp_path)
        assert pages.matches(expected, got), f"$ {command}\n{got}"


@pytest.mark.slow
def test_the_examples_of_the_library_answer_what_the_page_says(tmp_path: Path) -> None:
    blocks = pages.PYTHON.findall(text_of(ROOT / "docs" / "library.md"))
    assert len(blocks) > 5
    (tmp_path / "library.txt").write_text("\n".join(blocks), encoding="utf-8")
    done = pages.run(f"PYTHONPATH={ROOT}/src {sys.executable} -m doctest {tmp_path}/library.txt", tmp_path)
    assert done == ""


def test_every_command_is_documented() -> None:
    page = "".join(text_of(ROOT / "docs" / name) for name in COMMAND_PAGES)
    names = commands()
    headings = " ".join(line for line in page.splitlines() if line.startswith("## "))
    assert names
    assert [name for name in names if f"holdfast {name}" not in headings] == []


@pytest.mark.slow
def test_every_option_of_every_command_is_documented(tmp_path: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "NO_COLOR": "1", "COLUMNS": "200"}
    for name in [name for name in commands() if name not in WITHOUT_OPTIONS]:
        words = [sys.executable, "-m", "holdfast", *name.split(), "--help"]
        shown = subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)) - {"--help"}
        assert options, name
        assert {option for option in options if option not in text} == set(), name


def test_every_error_is_in_the_recovery_page_with_its_status() -> None:
    page = (ROOT / "docs" / "recovery.md").read_text(encoding="utf-8")
    classes: list[type[errors.HoldfastError]] = [errors.HoldfastError, *errors.HoldfastError.__subclasses__()]
    assert len({one.exit_status for one in classes}) == len(classes)
    for one in classes:
        assert f"| {one.exit_status} | `{one.code}` |" in page, one


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", re.sub(r"(?ms)^```.*?^```|`[^`]*`", "", text_of(page))):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_module_that_a_page_names_exists() -> None:
    room = f"(?:{'|'.join(rooms.ALLOWED)})"
    module = re.compile(rf"`(?:src/holdfast/)?({room}/[\w/]+\.py|{room}/)`")
    named = {(page.name, name) for page in PAGES for name in module.findall(text_of(page))}
    assert len({name for page, name in named if page == "architecture.md"}) > 30
    assert [(page, name) for page, name in named if not (rooms.SOURCE / name).exists()] == []


def test_no_module_outgrows_its_room() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert {str(path): size for path, size in sizes.items() if size > 400} == {}


def test_every_module_says_what_it_promises() -> None:
    silent = [path for path in (ROOT / "src").rglob("*.py") if not path.read_text(encoding="utf-8").startswith('"""')]
    assert silent == []
