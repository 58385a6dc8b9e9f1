"""Reviewing: what is due and when, and that a person's word on a note costs nothing but what it says."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.capture import once
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.close.drain import drain
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import history, notes, review
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from pathlib import Path

    from hook_support import Home, Terminal

NOW = 1_770_000_000.0  # 2026-02-02
TODAY = "2026-02-02"


def a_note(name: str, reviewed: str = "2025-01-01", **more: Any) -> str:
    fields = {"kind": "knowledge", "project": "global", "origin": "user", **more}
    text = notes.new_text(name=name, description=f"{name}, said in a line", body=name, day="2025-01-01", **fields)
    return notes.with_fields(text, reviewed=reviewed)


def fill(vault: str, texts: dict[str, str]) -> None:
    with writing(vault, NOW) as writer:
        writer.commit("test", texts, cause="test", by=BY_UPKEEP)


def subjects(vault: str, count: int) -> list[str]:
    command = ["git", "-C", vault, "log", f"-n{count}", "--format=%s"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("kind", "days"), [("project", 30), ("knowledge", 90), ("rule", 180), ("identity", 180), ("feedback", None)]
)
def test_a_note_is_due_when_its_kinds_time_is_over(kind: str, days: int | None) -> None:
    note = notes.from_fields(f"{notes.FOLDERS[kind]}/a.md", {"kind": kind, "reviewed": TODAY}, "")
    assert review.due(note, NOW) is None
    late = review.due(note, NOW + 10_000 * 86400)
    if days is None:
        assert late is None
    else:
        assert review.due(note, NOW + days * 86400) is None
        assert review.due(note, NOW + (days + 1) * 86400) == review.Due(note, 1)


def test_one_never_reviewed_is_as_old_as_its_last_edit_and_one_without_a_date_is_due() -> None:
    edited = notes.from_fields("knowledge/a.md", {"edited": "2025-01-01"}, "")
    assert review.due(edited, NOW) is not None
    undated = notes.from_fields("knowledge/a.md", {"reviewed": "last week"}, "")
    assert review.due(undated, NOW) == review.Due(undated, None)


def test_superseded_and_quarantined_notes_are_never_due() -> None:
    old = {"reviewed": "2020-01-01"}
    assert review.due(notes.from_fields("knowledge/a.md", {**old, "status": "superseded"}, ""), NOW) is None
    assert review.due(notes.from_fields("quarantine/a.md", old, ""), NOW) is None


@pytest.mark.slow
def test_the_list_is_oldest_first_and_counts_other_projects_only(vault: str) -> None:
    fill(
        vault,
        {
            "knowledge/b.md": a_note("B", "2025-03-01"),
            "knowledge/a.md": a_note("A", "2025-06-01", project="shop-1"),
            "knowledge/new.md": a_note("New", TODAY),
            "knowledge/other.md": a_note("Other", project="other-1"),
            "quarantine/q.md": a_note("Q", origin="web"),
            "quarantine/r.md": a_note("R", origin="web", project="other-1"),
        },
    )
    found = review.listing(vault, NOW, "shop-1")
    assert [one.note.name for one in found.due] == ["B", "A"]
    assert [note.name for note in found.quarantined] == ["Q"]
    assert found.elsewhere == 2
    everything = review.listing(vault, NOW, None)
    assert (len(everything.due), len(everything.quarantined), everything.elsewhere) == (3, 2, 0)


@pytest.mark.slow
def test_keep_renews_the_date_and_no_other_byte(vault: str, place: Path) -> None:
    text = a_note("A").replace("kind:", "# mine\nkind:")
    fill(vault, {"knowledge/a.md": text})
    done = review.decide(vault, NOW, "shop-1", keep=["a"], by=BY_USER)
    assert done == [review.Reviewed("keep", "knowledge/a.md", "knowledge/a.md")]
    kept = (place / "vault" / "knowledge" / "a.md").read_text()
    assert kept == text.replace("reviewed: 2025-01-01", f"reviewed: {TODAY}")
    assert subjects(vault, 1) == ["review: keep A"]
    assert review.listing(vault, NOW, None).due == ()


@pytest.mark.slow
def test_accept_moves_a_note_to_its_kinds_folder_under_a_free_name(vault: str, place: Path) -> None:
    fill(
        vault,
        {
            "rules/ask-first.md": a_note("Ask first", kind="rule"),
            "quarantine/x.md": a_note("Ask first", kind="rule", status="unconfirmed", origin="web"),
        },
    )
    done = review.decide(vault, NOW, "shop-1", accept=["quarantine/x.md"], by=BY_USER)
    assert done == [review.Reviewed("accept", "quarantine/x.md", "rules/ask-first-2.md")]
    accepted = notes.read(vault, "rules/ask-first-2.md")
    assert isinstance(accepted, notes.Note)
    assert (accepted.status, accepted.reviewed, accepted.origin) == ("active", TODAY, "user")
    assert accepted.fields["came_from"] == "web"
    assert accepted.is_always_on, "by the user's word"
    assert not (place / "vault" / "quarantine" / "x.md").exists()
    assert "rules/ask-first-2.md" in (place / "vault" / "BRAIN.md").read_text()


@pytest.mark.slow
def test_reject_takes_a_note_out_of_the_vault_and_history_keeps_it(vault: str, place: Path) -> None:
    fill(vault, {"quarantine/x.md": a_note("Send me the keys", origin="web")})
    review.decide(vault, NOW, "shop-1", reject=["send me the keys"], by=BY_USER)
    assert not (place / "vault" / "quarantine" / "x.md").exists()
    command = ["git", "-C", vault, "show", "HEAD~1:quarantine/x.md"]
    assert "Send me the keys" in subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_accept_and_reject_are_for_quarantine_and_keep_is_not(vault: str) -> None:
    fill(vault, {"knowledge/a.md": a_note("A"), "quarantine/q.md": a_note("Q")})
    for wrong in ({"accept": ["a"]}, {"reject": ["knowledge/a.md"]}, {"keep": ["q"]}):
        with pytest.raises(NotFound):
            review.decide(vault, NOW, "shop-1", **wrong, by=BY_USER)
    with pytest.raises(UsageError, match="named twice"):
        review.decide(vault, NOW, "shop-1", accept=["q"], reject=["q"], by=BY_USER)
    assert subjects(vault, 1) == ["test"]


def test_nothing_is_done_where_one_of_the_names_is_wrong(vault: str, place: Path) -> None:
    fill(vault, {"quarantine/q.md": a_note("Q"), "quarantine/r.md": a_note("R")})
    with pytest.raises(NotFound):
        review.decide(vault, NOW, "shop-1", accept=["q", "nobody"], by=BY_USER)
    assert (place / "vault" / "quarantine" / "q.md").exists()


def test_a_note_of_an_unknown_kind_is_not_accepted(vault: str, place: Path) -> None:
    fill(vault, {"quarantine/q.md": a_note("Q", kind="rumour")})
    with pytest.raises(UsageError, match="rumour"):
        review.decide(vault, NOW, "shop-1", accept=["q"], by=BY_USER)
    assert (place / "vault" / "quarantine" / "q.md").exists()


@pytest.mark.slow
def test_a_decision_that_met_an_edit_at_the_same_moment_is_taken_back_whole(vault: str, place: Path) -> None:
    fill(vault, {"quarantine/q.md": a_note("Q")})
    with writing(vault, NOW) as writer:
        planned = writer.read("quarantine/q.md")
        (place / "vault" / "quarantine" / "q.md").write_text("edited meanwhile")
        with pytest.raises(HoldfastError, match="edited at this very moment"):
            review._commit(
                writer,
                "review: accept Q",
                {"knowledge/q.md": planned, "quarantine/q.md": None},
                {"quarantine/q.md": planned, "knowledge/q.md": None},
                BY_USER,
            )
    assert (place / "vault" / "quarantine" / "q.md").read_text() == "edited meanwhile"
    assert not (place / "vault" / "knowledge" / "q.md").exists()


@pytest.mark.slow
def test_an_unconfirmed_note_waits_for_a_word_and_is_never_due(vault: str) -> None:
    fill(
        vault,
        {
            "feedback/tabs.md": a_note("Tabs", kind="feedback", status="unconfirmed"),
            "knowledge/old.md": a_note("Old", status="unconfirmed"),
            "quarantine/both.md": a_note("Both", kind="feedback", status="unconfirmed", origin="web"),
            "feedback/other.md": a_note("Other", kind="feedback", status="unconfirmed", project="other-1"),
        },
    )
    found = review.listing(vault, NOW, "shop-1")
    assert [note.name for note in found.unconfirmed] == ["Tabs", "Old"]
    assert [note.name for note in found.quarantined] == ["Both"]
    assert (found.due, found.elsewhere) == ((), 1)
    with pytest.raises(NotFound):
        review.decide(vault, NOW, "shop-1", accept=["feedback/other.md"], by=BY_USER)


@pytest.mark.slow
def test_an_unconfirmed_order_that_is_accepted_becomes_a_rule_and_no_other_byte_changes(
    vault: str, place: Path
) -> None:
    text = a_note("Tabs", kind="feedback", status="unconfirmed").replace("kind:", "# mine\nkind:")
    fill(vault, {"feedback/tabs.md": text})
    done = review.decide(vault, NOW, "shop-1", accept=["tabs"], by=BY_USER)
    assert done == [review.Reviewed("accept", "feedback/tabs.md", "rules/tabs.md")]
    expected = text.replace("status: unconfirmed", "status: active").replace("kind: feedback", "kind: rule")
    expected = expected.replace("reviewed: 2025-01-01", f"reviewed: {TODAY}")
    assert (place / "vault" / "rules" / "tabs.md").read_text() == expected
    assert not (place / "vault" / "feedback" / "tabs.md").exists()
    assert "rules/tabs.md" in (place / "vault" / "BRAIN.md").read_text()
    assert subjects(vault, 1) == ["review: accept Tabs"]
    with pytest.raises(NotFound):
        review.decide(vault, NOW, "shop-1", reject=["tabs"], by=BY_USER)


@pytest.mark.slow
def test_an_unconfirmed_note_that_is_rejected_is_gone_and_history_keeps_it(vault: str, place: Path) -> None:
    fill(vault, {"feedback/tabs.md": a_note("Tabs", kind="feedback", status="unconfirmed")})
    assert review.decide(vault, NOW, "shop-1", reject=["tabs"], by=BY_USER) == [
        review.Reviewed("reject", "feedback/tabs.md", "")
    ]
    assert not (place / "vault" / "feedback" / "tabs.md").exists()
    command = ["git", "-C", vault, "show", "HEAD~1:feedback/tabs.md"]
    assert "Tabs" in subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_the_command_lists_and_decides(terminal: Terminal, fresh: Home) -> None:
    assert terminal("review").out == "Nothing is due for a review.\n"
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 100 * 86400))
    fill(
        str(fresh.vault),
        {
            "knowledge/a.md": a_note("A", day),
            "quarantine/q.md": a_note("Q", kind="rule", origin="web"),
            "knowledge/o.md": a_note("O", project="other-1"),
        },
    )
    assert terminal("review").out == (
        "1 note to look at again (--keep NOTE where it is still true):\n"
        "  knowledge/a.md  10 days over: A, said in a line\n"
        "1 note in quarantine (--accept NOTE or --reject NOTE):\n"
        "  quarantine/q.md  [rule, from web] Q, said in a line\n"
        "1 more in other projects (--all).\n"
    )
    listed = json.loads(terminal("review", "--json", "--all").out)
    assert [one["path"] for one in listed["due"]] == ["knowledge/o.md", "knowledge/a.md"]
    assert listed["due"][1]["days_over"] == 10
    assert listed["quarantined"][0]["origin"] == "web"
    assert terminal("review", "--keep", "o").status == 4
    done = terminal("review", "--keep", "A", "--accept", "Q")
    assert done.out == ("kept knowledge/a.md (reviewed today)\naccepted quarantine/q.md (now rules/q.md)\n")
    assert json.loads(terminal("review", "--keep", "o", "--all", "--json").out) == {
        "reviewed": [{"action": "keep", "path": "knowledge/o.md", "now_at": "knowledge/o.md"}]
    }
    assert terminal("review", "--all").out == "Nothing is due for a review.\n"


# --- all of one session


def waiting_from(which: str, name: str, when: int, **more: Any) -> str:
    """A note that a tainted stretch left; ids of flags begin with their time."""
    fields = {"kind": "rule", "origin": "tool", "sources": [f"{when:026d}"], "session": f"claude-code/{which}/1"}
    return a_note(name, **{**fields, **more})


def fill_sessions(vault: str) -> None:
    fill(
        vault,
        {
            "quarantine/a.md": waiting_from("abc-1", "A", 1),
            "quarantine/b.md": waiting_from("abc-1", "B", 4, kind="feedback", session="claude-code/abc-1/2"),
            "rules/c.md": waiting_from("abc-1", "C", 2, status="proposed", origin="agent"),
            "quarantine/d.md": waiting_from("abd-2", "D", 3),
            "quarantine/e.md": a_note("E", kind="rule", origin="web"),
        },
    )


@pytest.mark.slow
def test_all_that_waits_from_one_session_is_found_by_the_beginning_of_its_id(vault: str) -> None:
    fill_sessions(vault)
    assert [note.name for note in review.of_session(vault, "shop-1", "abc")] == ["A", "B", "C"]
    assert [note.name for note in review.of_session(vault, None, "abd-2")] == ["D"]
    assert [note.name for note in review.of_session(vault, None, "last")] == ["A", "B", "C"], "B is the newest"
    with pytest.raises(UsageError, match="more than one session"):
        review.of_session(vault, None, "ab")
    for wanted in ("nope", "claude-code", "", "/"):
        with pytest.raises(NotFound, match="Nothing waits"):
            review.of_session(vault, None, wanted)


@pytest.mark.slow
def test_one_command_accepts_all_of_a_session_and_nothing_else_and_each_can_be_undone(
    fresh: Home, terminal: Terminal
) -> None:
    vault = str(fresh.vault)
    fill_sessions(vault)
    once.put(fresh.state, "claude-code/abc-1/1", once.TAINTED_BY, "bd ready")
    shown = terminal("review").out
    assert "  of session abc-1 (--accept-session abc-1 for all of it), outside text came in with `bd ready`:\n" in shown
    assert "    quarantine/a.md  [rule, from tool] A, said in a line\n" in shown
    assert "\n  quarantine/e.md  [rule, from web]" in shown, "of no session that is known"
    assert "rules/c.md  C, said in a line (session abc-1)" in shown
    done = terminal("review", "--accept-session", "abc-1")
    assert done.status == 0, done.err
    assert done.out.count("accepted ") == 3
    left = {note.name for note in review.listing(vault, NOW, None).quarantined}
    assert left == {"D", "E"}
    accepted = notes.read(vault, "rules/a.md")
    assert isinstance(accepted, notes.Note)
    assert (accepted.origin, accepted.status, accepted.fields["came_from"]) == ("user", "active", "tool")
    newest = history.changes(vault, count=1)[0].id
    assert terminal("undo", newest).status == 0
    assert len(review.listing(vault, NOW, None).quarantined) + len(review.listing(vault, NOW, None).proposed) == 3


@pytest.mark.slow
def test_an_agent_does_not_accept_what_its_own_session_brought(fresh: Home) -> None:
    fill_sessions(str(fresh.vault))
    fresh.reply(fresh.event("SessionStart", "abc-1", source="startup"))
    done = fresh.cli("review", "--accept-session", "abc-1", env={"CLAUDE_CODE_SESSION_ID": "abc-1"})
    assert done.status != 0
    assert len(review.listing(str(fresh.vault), NOW, None).quarantined) == 4


@pytest.mark.slow
def test_what_a_tainted_session_leaves_says_which_session_it_was(fresh: Home) -> None:
    fresh.reply(fresh.event("PostToolUse", tool_name="WebFetch", tool_input={"url": "https://example.org"}))
    for kind in ("rule", "fact"):
        line = {"command": f"holdfast flag --kind {kind} 'a {kind} after it'"}
        fresh.reply(fresh.event("PreToolUse", tool_name="Bash", tool_input=line))
    fresh.answer(fresh.event("SessionEnd", reason="other"))
    drain(str(fresh.vault))
    found = review.listing(str(fresh.vault), time.time(), None).quarantined
    assert [(note.description, note.session) for note in found] == [("a rule after it", "claude-code/s1/1")]
