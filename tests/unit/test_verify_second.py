"""The second judge: what it is shown, and how far its word goes."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.close import draft
from holdfast.close.verify.claims import Claim
from holdfast.close.verify.evidence import Evidence
from holdfast.close.verify.findings import CONTRADICTED, SUPPORTED, UNSUPPORTED, Finding
from holdfast.judge.reading import Fence
from holdfast.text.transcript import ASSISTANT, CALL, RESULT, USER, Said

SPOKEN = (
    Said(USER, "Please raise the retry limit of the order service", 0),
    Said(CALL, "", 10, "Bash", "1", {"command": "pytest -q orders"}),
    Said(RESULT, "3 failed", 20, call="1", failed=True),
    Said(ASSISTANT, "We decided against Redis.\nThe limit stays at seven.", 30),
)
EVIDENCE = Evidence(spoken=SPOKEN, flags=("the limit is seven",))
DECISION = Finding(Claim("decisions", "We decided to use Redis for the limit"))
DOUBTED = Finding(Claim("done", "Raised the retry limit"), UNSUPPORTED, "no edit, commit or run for it was seen")
NUMBER = Finding(Claim("done", "The limit is 9"), UNSUPPORTED, "9 was not found")
WRONG = Finding(Claim("done", "All tests pass"), CONTRADICTED, "the last run failed")


def verdicts(*said: tuple[str, str, str]) -> draft.Verdicts:
    rows: list[dict[str, Any]] = [
        {"claim": claim, "verdict": verdict, "quote": quote} for claim, verdict, quote in said
    ]
    return draft.Verdicts.model_validate({"claims": rows})


def test_it_sees_the_claims_and_the_lines_that_bear_on_them_and_nothing_else() -> None:
    asked = draft.second_question([DECISION, WRONG], EVIDENCE, Fence("n0nce"), "h/s/1")
    assert "We decided to use Redis" in asked.given
    assert "assistant: We decided against Redis." in asked.given
    assert "pytest" not in asked.given
    assert "All tests pass" not in asked.given  # the rules have settled that
    assert asked.job == "verify"


def test_a_contradiction_with_its_words_counts() -> None:
    found = draft.combined([DECISION], verdicts(("C1", "contradicted", "We decided against Redis.")), EVIDENCE)
    assert found[0].verdict == CONTRADICTED
    assert "We decided against Redis" in found[0].why


@pytest.mark.parametrize("quote", ["", "against", "We decided against Postgres.", "The user said: no Redis"])
def test_a_quotation_that_is_not_there_counts_for_nothing(quote: str) -> None:
    assert draft.combined([DECISION], verdicts(("C1", "contradicted", quote)), EVIDENCE) == [DECISION]


def test_it_can_answer_a_doubt_about_what_was_done_but_not_make_a_number_true() -> None:
    said = verdicts(
        ("C1", "supported", "raise the retry limit of the order service"),
        ("C2", "supported", "The limit stays at seven."),
    )
    done, number = draft.combined([DOUBTED, NUMBER], said, EVIDENCE)
    assert done.verdict == SUPPORTED
    assert number.verdict == UNSUPPORTED


def test_what_the_rules_contradict_stays_so_and_handles_that_nobody_gave_are_not_heard() -> None:
    said = verdicts(
        ("C1", "supported", "The limit stays at seven."), ("C9", "contradicted", "The limit stays at seven.")
    )
    assert draft.combined([WRONG], said, EVIDENCE) == [WRONG]


def test_not_found_in_a_few_lines_is_held_against_nobody() -> None:
    assert draft.combined([DECISION], verdicts(("C1", "not-found", "")), EVIDENCE) == [DECISION]


def test_a_long_session_stays_a_short_question() -> None:
    long = Evidence(spoken=tuple(Said(ASSISTANT, f"the limit of case {nth} is {nth} " * 20, nth) for nth in range(500)))
    claims = [Finding(Claim("learned", f"the limit of case {nth}")) for nth in range(50)]
    assert len(draft.second_question(claims, long, Fence("n0nce")).given) < draft.ROOM + 10_000
