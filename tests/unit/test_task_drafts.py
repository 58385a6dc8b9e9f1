"""A checkpoint that is refused is not lost: its words are a draft, told at the next start, used by the close, and
settled when the same is said so that it can be taken."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import drafts
from holdfast.tasks import checkpoint_words
from holdfast.tasks.checkpoint_words import submission

if TYPE_CHECKING:
    from hook_support import Home, Terminal


def kept(where: Home) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in drafts.open_for(where.state, where.project_id())]


@pytest.fixture
def audit(terminal: Terminal) -> Terminal:
    terminal("task", "start", "audit", "Check the orders")
    terminal("task", "checkpoint", "DO NOT modify config/auth.yaml")
    return terminal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["renamed some more of them"], "renamed some more of them"),
        (["--decision", "Use config/auth.yaml for timeouts"], "Use config/auth.yaml for timeouts"),
        (["--task", "other", "COMPLETED: file 3"], "COMPLETED: file 3"),
        (["--supersedes", "ZZZZZZ", "keep the ids"], "keep the ids"),
    ],
)
def test_the_words_of_a_refused_checkpoint_are_kept_and_the_refusal_says_so(
    audit: Terminal, fresh: Home, argv: list[str], text: str
) -> None:
    done = audit("task", "checkpoint", *argv)
    assert done.status != 0
    assert "your words are kept as a draft (`holdfast drafts`)" in done.err
    assert kept(fresh) == [(drafts.CHECKPOINT, text)]


@pytest.mark.slow
def test_said_again_so_that_it_can_be_taken_nothing_is_left_of_it(audit: Terminal, fresh: Home) -> None:
    audit("task", "checkpoint", "renamed some more of them")
    assert audit("task", "checkpoint", "--progress", "renamed some more of them").status == 0
    assert kept(fresh) == []


def test_what_the_hook_hears_and_cannot_take_is_kept_once_and_told_to_the_next_session(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"))
    command = {"command": "holdfast task checkpoint 'the port is taken by the old server'"}
    for _ in range(2):
        fresh.answer(fresh.event("PreToolUse", tool_name="Bash", tool_input=command))
    assert kept(fresh) == [(drafts.CHECKPOINT, "the port is taken by the old server")]
    fresh.answer(fresh.event("SessionEnd", reason="other"))
    told = fresh.answer(fresh.event("SessionStart", "s2", source="startup"), now=time.time() + 60)
    assert "A checkpoint of session s1 was refused" in told
    assert "`holdfast drafts" in told


@pytest.mark.slow
def test_a_checkpoint_in_a_document_is_heard_by_the_hook(audit: Terminal, fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"))
    command = {"command": "holdfast task checkpoint --discovery - <<'END'\nthe `id` costs $5\nEND"}
    fresh.answer(fresh.event("PreToolUse", tool_name="Bash", tool_input=command))
    assert "the `id` costs $5" in audit("task", "show").out


@pytest.mark.slow
def test_the_close_files_it_in_its_own_words(audit: Terminal, fresh: Home) -> None:
    audit("task", "checkpoint", "the port is taken by the old server")
    assert audit("close").status == 0
    assert "the port is taken by the old server" in audit("notes").out
    (draft,) = [one for one in drafts.read(fresh.state) if one.kind == drafts.CHECKPOINT]
    assert draft.used


def test_only_help_is_no_submission() -> None:
    assert submission(["--help", "x"]) == ""
    assert submission(["-t", "a", "--task=b", "--json", "--", "--json", "x"]) == "--json x"
    assert submission(["-"], "from a pipe") == "from a pipe"
    assert checkpoint_words.submission(["--supersedes", "ABCD", "--next", "two", "words"]) == "two words"
