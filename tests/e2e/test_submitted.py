"""Nothing that an agent submits is lost, nor believed as it stands: what shells eat, what is refused or made up."""

from __future__ import annotations

import pytest

from .closes import closed, first_request
from .model_server import ModelServer
from .runners import Desk, both_hosts
from .steps import say

pytestmark = pytest.mark.e2e

WORDS = "run `zqlint --all` and keep $ZQ_HOME, it costs $5"
UNFIT = "# Locks\n\n## Done\n\n- Orders lock optimistically\n\n## Next steps\n\n- Maybe look at the invoices\n"
MADE_UP = "The gateway answers within 4711 ms, says Imke Vandersteen"


@both_hosts
def test_a_flag_with_backticks_and_dollars_in_double_quotes_survives_verbatim(
    desk: Desk, server: ModelServer, host: str
) -> None:
    """Codex runs it, and a shell eats half of it. Claude Code asks before it runs what has a substitution in it."""
    flag = desk.shell(f'holdfast flag --kind lesson "{WORDS}"')
    session = desk.ask("Note what you learned", flag, desk.shell("ls"), say("Noted."))
    came = server.of("main", session)[1].last_result
    if host == "codex":
        assert "the shell changed your words; the raw ones are kept" in came
    else:
        assert "flagged" not in came
    closed(desk, session)
    (note,) = [path.read_text(encoding="utf-8") for path in desk.vault.glob("knowledge/*.md")]
    assert f"\n{WORDS}\n" in note
    asked = first_request(desk, "Go on")
    assert asked.knows(WORDS)
    assert asked.knows("never came through its shell") is (host == "claude")
    assert desk.errors() == []


@both_hosts
def test_a_refused_handoff_is_told_at_the_next_start_and_used_by_the_close(desk: Desk, server: ModelServer) -> None:
    refused = desk.shell(f"holdfast handoff <<'END'\n{UNFIT}END")
    session = desk.ask("Hand off", refused, say("It was refused; I leave it at that."))
    assert 'Next step 1 says "Maybe"' in server.of()[-1].last_result
    assert "Your words are kept as a draft" in server.of()[-1].last_result
    told = closed(desk, session)
    text = (desk.vault / told["handoff"]).read_text(encoding="utf-8")
    assert "- Orders lock optimistically (of a handoff that was refused)" in text
    asked = first_request(desk, "Go on")
    assert asked.knows('was refused (The handoff was not written: Next step 1 says "Maybe"')
    assert asked.knows("holdfast drafts")
    assert asked.knows("Maybe look at the invoices (of a handoff that was refused)")
    assert not first_request(desk, "And on").knows("was refused (")


@both_hosts
def test_a_made_up_flag_is_filed_as_unverified(desk: Desk) -> None:
    real = "The suite has 42 tests in orders.py"
    steps = (desk.shell("echo 42 tests in orders.py"), desk.shell(f"holdfast flag '{real}'"))
    session = desk.ask("Count the tests", *steps, desk.shell(f"holdfast flag '{MADE_UP}'"), say("Counted."))
    closed(desk, session)
    notes = {path.stem: path.read_text(encoding="utf-8") for path in desk.vault.glob("knowledge/*.md")}
    (right,) = [text for text in notes.values() if real in text]
    (wrong,) = [text for text in notes.values() if MADE_UP in text]
    assert "unverified:" not in right
    assert 'unverified: "4711 ms occurs nowhere in its session"' in wrong
    assert first_request(desk, "Go on").knows("(unverified: 4711 ms occurs nowhere in its session)")
