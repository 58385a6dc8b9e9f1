"""Claims against their session: what is made up is found, what is said in other words is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.close.verify import claims
from holdfast.close.verify.claims import Claim
from holdfast.close.verify.decisions import amends
from holdfast.close.verify.evidence import Evidence, Run
from holdfast.close.verify.findings import (
    CONTRADICTED,
    SUPPORTED,
    UNSUPPORTED,
    Finding,
    check_note,
    mark,
    told,
    verify,
)
from holdfast.text.extract import Todos
from holdfast.text.transcript import ASSISTANT, CALL, RESULT, USER, Said
from holdfast.vault.notes import Note

ASKED = (
    "Raise the retry limit to 5 in src/orders/retry.py and never wait longer than 30 s. The budget is $1,800 a month. "
    'Marta (marta@example.org) calls it "the second chance". Release v2.4.1 on 16 November 2026.'
)
DECIDED = (
    "Use the database instead of Redis. Don't touch the public API. Run the backfill before the deploy, not after."
)


def session(*more: Said, **fields: object) -> Evidence:
    """A session that edited one file, ran its tests and committed."""
    spoken = (
        Said(USER, ASKED, 0),
        Said(CALL, "", 1, tool="Edit", call="e", given={"file_path": "src/orders/retry.py", "new_string": "LIMIT = 5"}),
        Said(RESULT, "The file has been updated", 2, call="e"),
        Said(CALL, "", 3, tool="Bash", call="r", given={"command": "pytest -q"}),
        Said(RESULT, "41 passed in 1.9s", 4, call="r"),
        Said(ASSISTANT, "The limit is 5 and the wait is capped at 30 seconds.", 5),
        Said(USER, DECIDED, 6),
        *more,
    )
    known: dict[str, object] = {
        "spoken": spoken,
        "asked": tuple(one.text for one in spoken if one.role == USER),
        "answered": tuple(one.text for one in spoken if one.role == ASSISTANT),
        "runs": (
            Run("pytest -q", "41 passed in 1.9s", False, True, 3),
            Run("git commit -m 'Raise the limit'", "[main 4f2c9e1] Raise the limit", False, True, 6),
        ),
        "edited": ("src/orders/retry.py",),
        "read": ("src/orders/api.py",),
        "commits": ("4f2c9e1",),
        "names": frozenset({"src/orders/retry.py", "src/orders/api.py", "docs/retry.md", "README.md"}),
        **fields,
    }
    return Evidence(**known)  # type: ignore[arg-type]


def judged(section: str, text: str, evidence: Evidence | None = None, in_force: tuple[Note, ...] = ()) -> Finding:
    (found,) = verify([Claim(section, text)], evidence or session(), in_force)
    assert bool(found.why) == (found.verdict != SUPPORTED)
    return found


def note(text: str) -> Note:
    return Note("projects/d.md", "A decision", text, "project", text)


RIGHT = [
    ("learned", "The retry limit is five now; 1. First of all the 2nd try matters"),
    ("goals", "Wait at most 30 seconds, spend no more than 1800 USD per month"),
    ("goals", "Budget: $1,800"),
    ("learned", "See retry.py:12 and `src/orders/api.py`, or README.md"),
    ("note", "“the second chance” is what Marta calls it"),
    ("note", 'In her words: "The second chance"'),
    ("next_steps", "Release 2.4.1 on 2026-11-16, and/or ask marta@example.org about the Node.js client"),
    ("next_steps", "Release on Nov 16"),
    ("done", "LIMIT is 5 in src/orders/retry.py, and 41 tests pass"),
    ("done", "1 file changed, committed as 4f2c9e1"),
    ("done", "Committed"),
    ("note", 'The user said: "Use the database … Don\'t touch the public API"'),
    ("decisions", "Redis is not used, the database is"),
    ("decisions", "Leave the public API alone"),
    ("decisions", "The backfill runs before the deploy"),
    ("files_modified", "src/orders/retry.py"),
]


@pytest.mark.parametrize(("section", "text"), RIGHT)
def test_what_was_said_in_other_words_is_left_alone(section: str, text: str) -> None:
    assert judged(section, text) == Finding(Claim(section, text))


WRONG = [
    ("learned", "The retry limit is 7 now", "7"),
    ("goals", "Wait at most 45 seconds", "45 seconds"),
    ("goals", "The budget is 2,400 € a month", "2,400 €"),
    ("learned", "See src/orders/backoff.py", "src/orders/backoff.py"),
    ("note", 'Marta calls it "the third chance"', "the third chance"),
    ("note", "Priya approved the limit", "Priya"),
    ("note", "Agreed with Elena Petrova", "Elena Petrova"),
    ("next_steps", "Release v2.5.0", "v2.5.0"),
    ("next_steps", "Release on 17 November 2026", "17 November 2026"),
    ("next_steps", "Write to marta@example.com", "marta@example.com"),
    ("learned", "Run `make frobnicate` first", "make frobnicate"),
    ("learned", "Commit 0ab12cd has it", "0ab12cd"),
    ("learned", "Fixed by #4711", "#4711"),
    ("files_modified", "src/orders/api.py", "src/orders/api.py"),
    ("done", "Raised the limit in src/orders/api.py", "src/orders/api.py"),
    ("done", "Pushed to origin", "push"),
    ("done", "Translated the invoices into Polish", "no edit"),
]


@pytest.mark.parametrize(("section", "text", "named"), WRONG)
def test_what_is_nowhere_to_be_found_is_unsupported_and_named(section: str, text: str, named: str) -> None:
    found = judged(section, text)
    assert found.verdict == UNSUPPORTED
    assert named in found.why


INVERTED = [
    "Use Redis instead of the database",
    "Redis is used, not the database",
    "Touch the public API",
    "The public API is to be changed",
    "Run the backfill after the deploy, not before",
]


@pytest.mark.parametrize("text", INVERTED)
def test_a_decision_turned_round_is_contradicted_by_what_was_said(text: str) -> None:
    found = judged("decisions", text)
    assert found.verdict != SUPPORTED
    assert "the session says" in found.why


@pytest.mark.parametrize(
    ("said", "text", "is_right"),
    [
        (
            "Store times in UTC, show them in the user's zone.",
            "Times are stored in UTC and shown in the user's zone",
            True,
        ),
        (
            "Store times in UTC, show them in the user's zone.",
            "Times are stored in the user's zone and shown in UTC",
            False,
        ),
        ("Autoscaling stays off.", "No autoscaling", True),
        ("Autoscaling stays off.", "Autoscaling is enabled", False),
        ("Dubletten bitte nicht löschen, nur markieren.", "Dubletten werden markiert, nicht gelöscht", True),
        ("Dubletten bitte nicht löschen, nur markieren.", "Duplicates are deleted, not marked", False),
        ("Should we use Redis instead of the database?", "Use the database instead of Redis", True),
        ("I have not started the final run yet.", "Final run without early stopping", True),
    ],
)
def test_decisions_are_compared_by_what_they_say_of_their_words(said: str, text: str, is_right: bool) -> None:
    (found,) = verify([Claim("decisions", text)], Evidence(asked=(said,)))
    assert (found.verdict == SUPPORTED) is is_right


def test_a_decision_in_force_stands_unless_the_session_changed_it() -> None:
    old = note("Invoices are sent on Mondays, never on Fridays.")
    assert judged("decisions", "Invoices are never sent on Mondays", in_force=(old,)).verdict == CONTRADICTED
    changed = session(Said(USER, "Invoices are never sent on Mondays any more.", 9))
    assert judged("decisions", "Invoices are never sent on Mondays", changed, (old,)).verdict == SUPPORTED
    assert judged("decisions", "Invoices are sent on Mondays", in_force=(old,)).verdict == SUPPORTED


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Use Redis for failed orders", "Use the database instead of Redis for failed orders", True),
        ("The retry limit is 3 tries", "The retry limit is 5 tries", True),
        ("Logs are kept for 30 days", "Logs are not kept", True),
        ("The retry limit is 3 tries", "The retry limit is 3 tries, as before", False),
        ("Invoices are sent on Mondays", "The cart rounds once, at the end", False),
    ],
)
def test_a_new_decision_amends_the_old_one_on_its_matter_and_no_other(old: str, new: str, expected: bool) -> None:
    assert amends(note(old), new) is expected


def test_tests_pass_is_contradicted_by_the_last_run_that_failed_even_behind_a_pipe() -> None:
    runs = (
        Run("pytest -q", "41 passed", False, True, 1),
        Run("pytest -q | tail -1", "2 failed, 39 passed", False, True, 2),
        Run("cat tests/test_a.py", "", False, True, 3),
    )
    assert judged("done", "All tests pass", session(runs=runs)) == Finding(
        Claim("done", "All tests pass"), CONTRADICTED, "the last test run failed"
    )
    assert judged("done", "All tests pass", session(runs=runs[:1])).verdict == SUPPORTED
    assert judged("done", "All tests pass", session(runs=())).verdict == UNSUPPORTED


def test_what_the_session_says_is_not_done_is_contradicted() -> None:
    listed = session(todos=Todos(("Document the retry in docs/retry.md",), 1))
    assert judged("done", "Documented the retry in docs/retry.md", listed).verdict == CONTRADICTED
    said = session(Said(ASSISTANT, "The alert on pool waits is not built yet.", 9))
    assert judged("done", "Built the alert on pool waits", said).verdict == CONTRADICTED


def test_where_only_a_part_of_a_session_was_read_the_mark_says_so() -> None:
    part = session(is_partial=True)
    for section, text, _ in WRONG:
        found = judged(section, text, part)
        assert found.verdict == CONTRADICTED or "only a part of the session" in found.why
    assert judged("decisions", "Touch the public API", part).verdict == CONTRADICTED


def test_without_any_evidence_nothing_is_accused() -> None:
    assert {one.verdict for one in verify([Claim(section, text) for section, text, _ in WRONG], Evidence())} == {
        SUPPORTED
    }


def test_a_consolidated_note_has_what_its_flags_or_the_session_have() -> None:
    sources = ["pool size is 25 connections, see conf/db.toml"]
    text = (
        "# Pool\n\nThe pool has 25 connections (conf/db.toml).\nThe retry limit is 5.\nThe pool has 26 connections.\n"
    )
    verdicts = [(one.verdict, one.why) for one in check_note(text, sources, session())]
    assert verdicts[:2] == [(SUPPORTED, ""), (SUPPORTED, "")]
    assert verdicts[2] == (UNSUPPORTED, "26 connections was not found")


def test_unsupported_items_are_marked_and_contradicted_ones_held_back_and_both_are_told() -> None:
    items = [Claim("learned", "right"), Claim("learned", "doubtful", ("f1",)), Claim("decisions", "wrong")]
    findings = [
        Finding(items[0]),
        Finding(items[1], UNSUPPORTED, "7 was not found"),
        Finding(items[2], CONTRADICTED, "x" * 500),
    ]
    kept, held = mark(items, findings)
    assert kept == [items[0], Claim("learned", "doubtful (unverified: 7 was not found)", ("f1",))]
    assert held == [items[2]]
    sentence = told(findings)
    assert "1 claim is marked unverified, the first because 7 was not found" in sentence
    assert '1 claim is held back, the first ("wrong")' in sentence
    assert len(sentence) < 500
    assert told([Finding(items[0])]) == ""


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    st.text(max_size=120), st.text(max_size=120), st.sampled_from(["done", "decisions", "learned", "files_modified"])
)
def test_whatever_is_claimed_of_whatever_there_is_a_finding(text: str, said: str, section: str) -> None:
    (found,) = verify([Claim(section, text)], Evidence(asked=(said,)), (note(said),))
    assert found.verdict in (SUPPORTED, UNSUPPORTED, CONTRADICTED)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(ASKED.split()), min_size=3, max_size=12))
def test_any_run_of_the_users_words_may_be_quoted_and_none_that_was_not_said(picked: list[str]) -> None:
    known = claims.Known(tuple(map(claims.comparable, [ASKED])))
    words = ASKED.replace('"', "").split()
    for begin in range(len(words) - 3):
        assert known.says(" ".join(words[begin : begin + 4]))
    quoted = " ".join(picked)
    assert known.says(quoted) == (quoted.strip(" ,;:.!?[]()").replace('"', "") in " ".join(words)) or "..." in quoted


@pytest.mark.parametrize(
    ("digits", "value"), [("1,000", 1000.0), ("1.000", 1000.0), ("1 000", 1000.0), ("0.85", 0.85), ("12,5", 12.5)]
)
def test_a_number_means_the_same_however_it_is_spelled(digits: str, value: float) -> None:
    assert value in claims.values(digits)
