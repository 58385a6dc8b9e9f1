"""A sample of the verify set: what the checks catch and whom they accuse may not get worse (bench/verify has all)."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
sys.path.append(str(BENCH))

import verify as bench  # noqa: E402
import verify_set  # noqa: E402

SAMPLE = 56  # of each half and kind


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    found: Counter[str] = Counter()
    for case in verify_set.cases(SAMPLE):
        accused = {one.claim.text for one in bench.findings(case) if one.verdict != "supported"}
        if case.error:
            found["wrong"] += 1
            found["caught"] += case.planted in accused
        else:
            found["right"] += 1
            found["accused"] += bool(accused)
    return found


@pytest.mark.slow
def test_nine_of_ten_wrong_handoffs_are_caught(counts: Counter[str]) -> None:
    assert counts["wrong"] == 2 * SAMPLE
    assert counts["caught"] >= 0.9 * counts["wrong"]


@pytest.mark.slow
def test_hardly_any_right_handoff_is_accused(counts: Counter[str]) -> None:
    assert counts["right"] == 2 * SAMPLE
    assert counts["accused"] <= 0.08 * counts["right"]


@pytest.mark.slow
def test_every_wrong_handoff_has_exactly_one_line_that_no_right_one_has() -> None:
    for case in verify_set.cases(SAMPLE):
        if case.error:
            assert [text for _, text in case.items].count(case.planted) == 1
