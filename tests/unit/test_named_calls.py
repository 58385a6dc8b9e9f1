"""The calls that a sentence names: the way and the reason are not what it is about, and plain talk arms nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.vault import armed, named_calls, notes

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))


def named(text: str, kind: str = "project", **fields: str) -> dict[str, Any]:
    return named_calls.as_record(notes.from_fields("projects/a.md", {"kind": kind, **fields}, text), text)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("DO NOT modify config/auth.yaml — used by 3 services", {"writes": ["config/auth.yaml"]}),
        ("Leave docs/legacy.md alone", {"writes": ["docs/legacy.md"]}),
        ("The vendor directory is read-only", {"writes": ["vendor/"]}),
        ("Never commit .env", {"runs": ["git add|commit .env"]}),
        ("Never read secrets/prod.pem", {"opens": ["secrets/prod.pem"]}),
        ("Never run scripts/wipe.sh", {"runs": ["wipe.sh"]}),
        ("Never force-push main or release", {"runs": ["git push --force [main|release]"]}),
        ("Don't run `docker system prune -af`", {"runs": ["docker system prune -af"]}),
        ("Run `make lint` before you commit", None),
        ("Before `git commit` run `make lint`", {"runs": ["git commit"]}),
        ("After touching proto/*.proto run `buf generate`", {"writes": ["proto/*.proto"]}),
        ("auth.timeout stays 30", {"settings": ["auth.timeout"]}),
        ("SESSION_TTL is 3600 on purpose", {"settings": ["SESSION_TTL"]}),
        ("Do not install left-pad", {"packages": ["left-pad"]}),
        ("Do not install " + "x" * 400, None),
        ("We use httpx, not requests", {"runs": ["requests"], "packages": ["requests"]}),
        ("gen/api.go comes from `make proto`", {"writes": ["gen/api.go"]}),
        ("Use tests/fakes/billing.py for billing", None),
        ("We like small functions and/or short names", None),
        ("Never write comments that repeat the code", None),
        ("See docs/adr/0007.md for why", None),
        ("Tests must be fast; 3.5 s is the limit", None),
    ],
)
def test_a_decision_names_these_calls(text: str, when: dict[str, Any] | None) -> None:
    assert named(text).get("named") == when


def test_of_a_note_that_decides_nothing_only_what_forbids_counts() -> None:
    assert named("config/auth.yaml has 30 lines", kind="knowledge") == {}
    assert named("config/auth.yaml has 30 lines", kind="project")["named"] == {"writes": ["config/auth.yaml"]}
    assert named("Do not touch config/auth.yaml", kind="knowledge")["named"] == {"writes": ["config/auth.yaml"]}
    assert named("Never touch config/auth.yaml", kind="identity") == {}


def test_the_proof_below_a_note_names_nothing() -> None:
    assert named("Keep it small.\n\nEvidence:\n- do not touch config/auth.yaml\n") == {}


def test_only_what_is_forbidden_is_stopped() -> None:
    found = named("Never DEBUG=true in prod.\nThe port is set in config/port.toml.", kind="rule", policy="never")
    assert found["forbidden"] == {"settings": ["DEBUG=true"]}
    assert found["named"]["writes"] == ["config/port.toml"]
    assert named("Force-pushing to main", kind="rule", policy="never")["forbidden"]["runs"] == [
        "git push --force [main]"
    ]
    assert named("We decided on config/a.toml", kind="rule")["forbidden"] is None


@pytest.mark.parametrize("when", ["on a Friday", "unless CI is green", "during the freeze", "if the tests fail"])
def test_a_condition_that_no_call_shows_is_recalled_and_not_enforced(when: str) -> None:
    found = named(f"Never push to main {when}", kind="rule", policy="never")
    assert found["forbidden"] is None
    assert found["named"] == {"runs": ["git push @main"]}


def test_not_without_asking_asks() -> None:
    assert named("Never run `npm publish` without asking me", kind="rule", policy="never")["asks"] is True
    assert "asks" not in named("Never run `npm publish`", kind="rule", policy="never")


def test_a_long_note_is_read_to_its_bound_and_names_a_bounded_number() -> None:
    text = "\n".join(f"Do not modify src/part{nth}.py" for nth in range(500))
    found = named(text)
    assert len(found["named"]["writes"]) == named_calls.MOST
    assert len(found["lines"]) <= armed.MOST_LINES
    assert sum(map(len, found["lines"])) <= armed.MOST_LETTERS


@pytest.mark.parametrize(
    "text", ["`", "``", "`a", "(", "- ", "never", "no", "`" * 50, "=" * 50, "a/b/c" * 400, "\x00", "—"]
)
def test_nothing_in_a_note_breaks_it(text: str) -> None:
    found = named(text)
    assert all(not armed.problems_of(when) for when in (found.get("named"), found.get("forbidden")) if when)


@pytest.mark.parametrize("half", ["tune", "second", "third", "held"])
def test_labelled_pairs_are_caught(half: str, vault: str) -> None:
    import armed as bench  # the one in bench/

    counts, _ = bench.pairs(vault, bench.cases(BENCH / "armed_set" / f"{half}.txt"))
    assert counts["caught"] / counts["should"] >= 0.9
    assert counts["false"] / counts["others"] <= 0.05
