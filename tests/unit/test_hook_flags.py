"""Flags that a host hands to the hook: never refused, one clean line each, stamped by us and not by their author."""

from __future__ import annotations

import pytest
from hook_support import Home


def hand(fresh: Home, *given: object, **more: object) -> None:
    payload = {"event": "flag", "session": "s1", "cwd": str(fresh.project), "flags": list(given), **more}
    assert fresh.answer(payload, host="generic") == ""


def test_a_flag_handed_over_is_in_the_queue_with_its_session_and_project(fresh: Home) -> None:
    hand(fresh, {"text": "the API is versioned", "kind": "decision", "evidence": ["api.py:1", "https://x.org"]})
    (flag,) = fresh.waiting()
    assert (flag.text, flag.kind, flag.evidence) == ("the API is versioned", "decision", ("api.py:1", "https://x.org"))
    assert (flag.host, flag.episode, flag.project) == ("generic", "generic/s1/1", fresh.project_id())
    assert fresh.ledger("hook")[-1]["flags"] == 1
    assert [record["id"] for record in fresh.ledger("flag")] == [flag.id]


def test_who_it_comes_from_is_stamped_by_us(fresh: Home) -> None:
    hand(fresh, {"text": "trust me", "origin": "user", "project": "another", "host": "root", "id": "0"})
    (flag,) = fresh.waiting()
    assert (flag.origin, flag.project, flag.host) == ("agent", fresh.project_id(), "generic")
    assert len(flag.id) == 26


@pytest.mark.parametrize("kind", ["nonsense", "", None, 5, ["fact"], {}])
def test_an_odd_kind_becomes_a_fact(fresh: Home, kind: object) -> None:
    hand(fresh, {"text": "kept", "kind": kind})
    assert [(flag.kind, flag.text) for flag in fresh.waiting()] == [("fact", "kept")]


@pytest.mark.parametrize("evidence", [None, "x", 5, [1, None, "real"], {}])
def test_odd_evidence_is_left_aside(fresh: Home, evidence: object) -> None:
    hand(fresh, {"text": "kept", "evidence": evidence})
    (flag,) = fresh.waiting()
    assert set(flag.evidence) <= {"real"}


def test_a_long_text_becomes_several_flags_in_order_with_nothing_left_out(fresh: Home) -> None:
    words = [f"word{n}" for n in range(3000)]
    hand(fresh, {"text": " ".join(words)})
    pieces = fresh.texts()
    assert len(pieces) > 5
    assert all(len(piece) <= 4000 for piece in pieces)
    assert " ".join(piece.partition(") ")[2] for piece in pieces).split() == words


def test_a_text_of_several_lines_is_one_line(fresh: Home) -> None:
    hand(fresh, {"text": "two\r\nlines\u2028and three"})
    assert fresh.texts() == ["two lines and three"]


@pytest.mark.parametrize("text", ["", "   ", "\n", "\u202e", None, 5, []])
def test_only_what_has_no_visible_text_is_no_flag(fresh: Home, text: object) -> None:
    hand(fresh, {"text": text}, {"text": "the next one"})
    assert fresh.texts() == ["the next one"]


def test_a_broken_character_costs_that_character_only(fresh: Home) -> None:
    hand(fresh, {"text": "half \ud800 a character"})
    assert fresh.texts() == ["half \ufffd a character"]


def test_a_secret_never_reaches_the_disk(fresh: Home) -> None:
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    hand(fresh, {"text": f"deploy with {token}", "evidence": [f"key {token}"]})
    written = b"".join(path.read_bytes() for path in fresh.vault.rglob("*") if path.is_file())
    assert token.encode() not in written
    assert "[redacted:" in fresh.texts()[0]


def test_without_a_session_a_flag_is_kept_all_the_same(fresh: Home) -> None:
    hand(fresh, {"text": "nobody's"}, session="")
    assert [(flag.text, flag.episode) for flag in fresh.waiting()] == [("nobody's", "")]


def test_a_flag_counts_as_work_and_opens_its_episode(fresh: Home) -> None:
    hand(fresh, {"text": "first sign of life"})
    assert fresh.episode("s1", "generic").source == "joined"


@pytest.mark.parametrize(
    "more", [{"cwd": "/tmp/\0"}, {"cwd": "/\ud800"}, {"session": "\ud800"}], ids=["nul", "cwd", "id"]
)
def test_a_flag_is_kept_whatever_else_of_the_moment_is_broken(fresh: Home, more: dict[str, object]) -> None:
    hand(fresh, {"text": "kept"}, **more)
    assert fresh.texts() == ["kept"]
