"""A day of sessions, quiet, a night that nobody asked for, and a start that tells of it."""

from __future__ import annotations

import json

import pytest

from .claude_desk import ClaudeDesk
from .model_server import ModelServer
from .runners import wait_for
from .steps import say

pytestmark = pytest.mark.e2e

FACTS = (
    "The invoice import retries a failed row three times before it gives up",
    "The invoice import keeps every failed row in the table import_errors",
    "The invoice import reports a failed row to the channel #billing",
)
QUESTION = "what happens to a failed row of the invoice import"


def _told(claude: ClaudeDesk) -> list[str]:
    """Everything that says why there was no night."""
    state = claude.vault / ".state"
    files = [state / "background.log", state / "sleep" / "looked"]
    texts = [path.read_text(encoding="utf-8")[-2000:] for path in files if path.exists()]
    return [*texts, claude.holdfast("sleep", "--due", may_fail=True), *map(str, claude.log()[-6:])]


def test_a_day_is_slept_over_by_itself_and_one_answer_holds_what_took_three(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    with (claude.vault / ".state" / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[sleep]\nleast = 3\nidle_minutes = 0\n")
    for nth, fact in enumerate(FACTS):
        claude.holdfast("think", fact)
        claude.ask(f"Look at the invoice import, part {nth}", say("Noted."))

    def slept() -> list[dict[str, object]]:
        return [one for one in claude.log("--kind", "sleep") if one["consolidations"]]

    (night,) = wait_for("a night", slept, 120.0, more=lambda: _told(claude))
    assert night["recall_after"] >= night["recall_before"]  # type: ignore[operator]
    session = claude.ask(
        "What happens to failed rows?", claude.shell(f"holdfast recall --most 3 '{QUESTION}'"), say("I see.")
    )
    first, second = server.of("main", session)[:2]
    assert first.knows("the memory slept")
    assert all(second.knows(fact) for fact in FACTS)
    found = json.loads(claude.holdfast("recall", "--json", "--read-only", "--most", "3", QUESTION))["results"]
    (summary,) = [one for one in found if one["kind"] == "consolidation"]
    assert all(fact in summary["text"] for fact in FACTS), "one answer holds all three"
    page = claude.holdfast("sleep", "--last")
    assert "3 thoughts became 1 summary" in page
    assert claude.errors() == []
