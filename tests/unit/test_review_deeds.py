"""A person's word on what waits, as the page takes it, and the way back: afterwards everything is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.capture import drafts, home
from holdfast.capture.gate import BY_UPKEEP
from holdfast.close.improve import proposals
from holdfast.errors import NotFound
from holdfast.memory import Context, Memory
from holdfast.page import review_deeds
from holdfast.vault import notes
from holdfast.vault.transaction import writing

pytestmark = pytest.mark.slow  # each decision is a commit
NOW = 1_790_000_000.0  # 2026-09-21
PORT, THEIRS = "knowledge/port.md", "knowledge/port.theirs-abc1234.md"


def a_note(body: str, **more: str) -> str:
    fields = {"name": "Port", "kind": "knowledge", "project": "global", "origin": "user", "day": "2026-01-01", **more}
    return notes.new_text(description=body, body=body, **fields)


@pytest.fixture
def memory(vault: str) -> Memory:
    made = Memory(Context(vault, "/", {}, lambda: NOW, for_user=True))
    with writing(vault, NOW) as writer:
        texts = {PORT: a_note("The port is 80."), THEIRS: a_note("The port is 90.")}
        writer.commit("test", texts, cause="test", by=BY_UPKEEP)
    return made


def tree(memory: Memory) -> dict[str, str]:
    """All notes of the vault, and its map."""
    top = Path(memory.at.vault)
    return {str(one.relative_to(top)): one.read_text(encoding="utf-8") for one in top.rglob("*.md")}


def there_and_back(memory: Memory, key: str, word: str, text: str | None = None) -> dict[str, str]:
    """What a decision leaves; and that its way back leads to what was before."""
    before = tree(memory)
    done = review_deeds.decide(memory, key, word, text)
    after = tree(memory)
    assert after != before
    review_deeds.undo(memory, done.back)
    assert tree(memory) == before
    return after


def test_of_two_versions_one_is_taken_and_both_come_back(memory: Memory) -> None:
    taken = there_and_back(memory, f"beside:{THEIRS}", "accept")
    assert "The port is 90." in taken[PORT]
    assert THEIRS not in taken
    kept = there_and_back(memory, f"beside:{THEIRS}", "reject")
    assert "The port is 80." in kept[PORT]
    assert THEIRS not in kept
    both = there_and_back(memory, f"beside:{THEIRS}", "accept", a_note("The port is 80 or 90."))
    assert "The port is 80 or 90." in both[PORT]


def test_a_note_that_is_due_is_kept_reworded_or_forgotten(memory: Memory) -> None:
    assert "reviewed: 2026-09-21" in there_and_back(memory, f"due:{PORT}", "accept")[PORT]
    changed = there_and_back(memory, f"due:{PORT}", "accept", "The port is 8080.")[PORT]
    assert "reviewed: 2026-09-21" in changed
    assert changed.endswith("\nThe port is 8080.\n")
    assert PORT not in there_and_back(memory, f"due:{PORT}", "reject")


def test_an_edit_that_was_rejected_waits_again_and_may_be_proposed_again(memory: Memory) -> None:
    before = memory.notes.text_of(PORT)
    edit = proposals.Proposal(
        "abcd1234", NOW, "", "note", PORT, "said", before=before, after=before.replace("80.", "81.")
    )
    assert proposals.leave(memory.at.state, edit)
    done = review_deeds.decide(memory, "edit:abcd1234", "reject")
    assert proposals.listing(memory.at.state) == []
    assert not proposals.leave(memory.at.state, edit), "it was decided on"
    review_deeds.undo(memory, done.back)
    assert [one.id for one in proposals.listing(memory.at.state)] == ["abcd1234"]
    assert "is 82." in there_and_back(memory, "edit:abcd1234", "accept", before.replace("80.", "82."))[PORT]
    assert [one.id for one in proposals.listing(memory.at.state)] == ["abcd1234"]


def test_a_draft_is_let_go_or_kept_as_a_note_and_waits_again(memory: Memory) -> None:
    state, project = home.state(memory.at.vault), memory.at.project().id
    ident = drafts.keep(state, drafts.FLAG, "Use port 70.", "no kind", project, "", NOW, given="decision")
    done = review_deeds.decide(memory, f"draft:{ident}", "reject")
    assert memory.sessions.drafts() == []
    review_deeds.undo(memory, done.back)
    assert [one.id for one in memory.sessions.drafts()] == [ident]
    after = there_and_back(memory, f"draft:{ident}", "accept")
    assert "origin: user" in after["projects/use-port-70.md"]
    assert [one.id for one in memory.sessions.drafts()] == [ident]


def test_what_waits_no_more_is_said_to_be_decided(memory: Memory) -> None:
    for key in ("note:rules/gone.md", "edit:gone1234", "draft:GONE12", "odd:x", "beside:knowledge/gone.theirs-1.md"):
        with pytest.raises(NotFound):
            review_deeds.decide(memory, key, "accept")
