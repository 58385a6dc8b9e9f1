"""A model that says nothing to us: it flags nothing, hands nothing off, answers no reminder. The next start in the real
host still has what was done, where it stands and what was asked, because the hook saw it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from .closes import going_on
from .model_server import ModelServer
from .runners import Desk, both_hosts, wait_for
from .steps import Step, say

pytestmark = pytest.mark.e2e

WISH = "place_order has to answer 'done', the invoice page looks for that word"
COMMIT = "Orders answer done"
ANSWER = (
    "place_order answers done now and the test is green; the invoice page still looks for the old word in two places."
)
OTHER_WISH = "Number the invoices per year on this branch"
OTHER_COMMIT = "Invoices are numbered per year"
OTHER_ANSWER = "Invoices are numbered per year on this branch; the archive keeps the old numbers."
FENCE = "<holdfast-memory>"
SUITE = "python3 -m unittest -q"
TEST = """import unittest
from orders import place_order


class Orders(unittest.TestCase):
    def test_it_is_done(self):
        self.assertEqual(place_order(), "done")
"""
# Nothing is asked before a command, and commands may write in the repository: what is allowed is not the question here.
FREE = {"claude": ("--allowedTools=Bash",), "codex": ("--sandbox", "danger-full-access")}


@pytest.fixture
def free(desk: Desk, host: str) -> Desk:
    desk.options = FREE[host]
    (desk.project / "test_orders.py").write_text(TEST, encoding="utf-8")
    for name, text in (("user.name", "Ada"), ("user.email", "ada@example.com")):
        desk.git("config", name, text)
    desk.git("add", ".")
    desk.git("commit", "-qm", "A test that fails")
    return desk


def work(desk: Desk) -> list[Step]:
    """A failing suite, the change, the suite again, a commit: all of it really run."""
    commands = (
        SUITE,
        "sed -i s/placed/done/ orders.py",
        SUITE,
        f"git commit -qam '{COMMIT}' -m 'As the page expects.'",
    )
    return [desk.shell(one) for one in commands]


def start_of(desk: Desk, server: ModelServer, prompt: str, cwd: Path | None = None) -> str:
    """What our start told the model in a new session; a host tells it of the newest commits by itself."""
    session = desk.ask(prompt, say("I see."), cwd=cwd)
    told = [one.text for one in server.of("main", session)[0].told]
    (found,) = [text.partition(FENCE)[2].partition("</holdfast-memory>")[0] for text in told if FENCE in text]
    return " ".join(found.split())


def drain(desk: Desk) -> None:
    """What the background does at an end, waited for."""
    desk.holdfast("close")


def assert_is_told(told: str, *, answered: bool = True) -> None:
    assert COMMIT in told
    assert "the invoice page looks for that word" in told, "what was asked for"
    assert "unittest" in told, "which suite was run"
    assert any(word in told for word in ("Ran 1 test", "passed", "OK")), "and how it ended"
    assert ("still looks for the old word in two places" in told) == answered


@both_hosts
def test_the_next_start_has_the_commit_the_answer_the_test_and_the_wish(free: Desk, server: ModelServer) -> None:
    free.wait_for_close(free.ask(WISH, *work(free), say(ANSWER)))
    assert free.git("log", "-1", "--format=%s").strip() == COMMIT, "it was really done"
    assert_is_told(start_of(free, server, "Go on"))
    assert free.waiting() == [], "and nobody flagged anything"
    assert free.errors() == []


def _account(desk: Desk) -> str:
    """What is kept of a session that goes on."""
    folder = desk.vault / ".state" / "episodes" / "account"
    return "".join(one.read_text() for one in folder.iterdir()) if folder.exists() else ""


@both_hosts
def test_after_a_kill_the_very_next_start_has_it_too(free: Desk, server: ModelServer) -> None:
    with going_on(free, WISH, *work(free)) as (process, _):
        wait_for("the account of its commit", lambda: COMMIT in _account(free), more=lambda: free.log()[-6:])
        free.end(process, signal.SIGKILL)
    assert_is_told(start_of(free, server, "What happened?"), answered=False)
    assert free.errors() == []


@both_hosts
def test_a_question_in_between_does_not_displace_it(free: Desk, server: ModelServer) -> None:
    free.wait_for_close(free.ask(WISH, *work(free), say(ANSWER)))
    free.ask("What does place_order answer?", say("It answers done."))
    drain(free)
    assert_is_told(start_of(free, server, "Go on"))


@both_hosts
def test_a_work_tree_on_another_branch_gets_its_own_story_first(free: Desk, server: ModelServer) -> None:
    tree = free.home / "invoices"
    free.git("worktree", "add", "-q", "-b", "invoices", str(tree))
    free.trust_folder(tree)
    free.wait_for_close(free.ask(WISH, *work(free), say(ANSWER)))
    made = f"echo 'YEARLY = True' > invoices.py && git add -A && git commit -qm '{OTHER_COMMIT}'"
    free.wait_for_close(free.ask(OTHER_WISH, free.shell(made), say(OTHER_ANSWER), cwd=tree))
    there = start_of(free, server, "Go on", cwd=tree)
    assert OTHER_COMMIT in there
    assert "the archive keeps the old numbers" in there
    assert "still looks for the old word in two places" not in there, "the other branch has a line, not its story"
    here = start_of(free, server, "Go on")
    assert_is_told(here)
    assert "the archive keeps the old numbers" not in here
