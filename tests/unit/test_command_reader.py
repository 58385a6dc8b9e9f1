"""A command's words by its signature: what people may type, and one sentence for what they may not."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import pytest
from hook_support import SOURCE, Home

from holdfast.cli import app, command
from holdfast.cli.command import Argument, Option
from holdfast.errors import UsageError


def made_up(
    name: Annotated[str, Argument(help="Of it.")],
    words: Annotated[list[str] | None, Argument(help="More.")] = None,
    count: Annotated[int, Option("--count -n", help="How many.", least=1, most=9)] = 3,
    share: Annotated[float | None, Option("--share", help="A part.", metavar="PART")] = None,
    tag: Annotated[list[str] | None, Option("--tag", help="May be repeated.")] = None,
    yes: Annotated[bool, Option("--yes -y", help="Do not ask.")] = False,
    follow: Annotated[bool, Option("--follow -f", help="Go on.")] = False,
    place: Annotated[bool | None, Option("--project/--global", help="Where.")] = None,
) -> None:
    """Do something that nobody needs.

    At length.
    """


DEFAULTS: dict[str, Any] = {
    "name": "a", "words": None, "count": 3, "share": None, "tag": None, "yes": False, "follow": False, "place": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("a", {}),
        ("a b c", {"words": ["b", "c"]}),
        ("--yes a --count 5 b", {"yes": True, "count": 5, "words": ["b"]}),
        ("a --count=5 --tag x --tag=y=z", {"count": 5, "tag": ["x", "y=z"]}),
        ("a -n5 -yf", {"count": 5, "yes": True, "follow": True}),
        ("a -n 5 -f", {"count": 5, "follow": True}),
        ("a --share 0.5", {"share": 0.5}),
        ("a --global", {"place": False}),
        ("a --project", {"place": True}),
        ("a --tag --yes", {"tag": ["--yes"]}),
        ("a -- --yes -n", {"words": ["--yes", "-n"]}),
        ("a -", {"words": ["-"]}),
        ("a --tag=", {"tag": [""]}),
    ],
)
def test_words_become_arguments(words: str, given: dict[str, Any]) -> None:
    assert command.read("made up", made_up, words.split()) == {**DEFAULTS, **given}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "NAME is missing; nothing was done. `holdfast made up --help` shows how it is used."),
        ("a --cuont 3", "has no option --cuont; nothing was done. Did you mean --count? --help lists them."),
        ("a -x", "has no option -x; nothing was done."),
        ("a --count", "--count needs a value; nothing was done."),
        ("a --count many", '--count takes a number, not "many"; nothing was done.'),
        ("a --count 0", "--count takes 1 or more, not 0; nothing was done."),
        ("a --count 10", "--count takes 9 or less, not 10; nothing was done."),
        ("a --yes=no", "--yes takes no value; nothing was done."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(words: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"nothing was done") as caught:
        command.read("made up", made_up, words.split())
    assert said in str(caught.value)


def test_a_word_too_many_is_said() -> None:
    def alone(name: Annotated[str, Argument()] = "") -> None: ...

    with pytest.raises(UsageError, match='"b" is one word too many'):
        command.read("alone", alone, ["a", "b"])


def test_the_help_has_every_argument_and_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert command.text("made up", made_up).splitlines() == [
        "Usage: holdfast made up [OPTIONS] NAME [WORDS...]",
        "",
        "  Do something that nobody needs.",
        "",
        "  At length.",
        "",
        "Arguments:",
        "  NAME        Of it.",
        "  [WORDS...]  More.",
        "",
        "Options:",
        "  -n, --count N        How many. (default: 3)",
        "  --share PART         A part.",
        "  --tag TEXT           May be repeated.",
        "  -y, --yes            Do not ask.",
        "  -f, --follow         Go on.",
        "  --global, --project  Where.",
        "  -h, --help           Show this.",
    ]


@pytest.mark.parametrize("name", sorted(app.COMMANDS))
def test_every_command_of_the_table_is_there_and_has_a_purpose(name: str) -> None:
    function = app.function_of(name)
    assert command.purpose(function).endswith(".")
    for one in command.parameters(function):
        assert one.about.help, one.name


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--version"], ["queue"], ["log"], ["notes"], ["show", "handoff"]])
def test_a_command_imports_only_what_it_needs(fresh: Home, words: list[str]) -> None:
    """Somebody waits for it: no framework, no YAML, no model of meaning, and no other command."""
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "holdfast", *words],
        env={**fresh.env, "PYTHONPATH": str(SOURCE)},
        cwd=fresh.project,
        capture_output=True,
        text=True,
        check=False,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert not imported & {"typer", "click", "pydantic", "rich", "yaml", "numpy", "holdfast.vault.named_calls"}
    commands = {f"holdfast.cli.{place.partition('.')[0]}" for place in app.COMMANDS.values()}
    assert len(imported & commands) <= 1
