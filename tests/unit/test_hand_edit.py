"""An edit by hand from a form: nobody's words are lost, and what is saved is the person's own change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.capture import gate, once
from holdfast.errors import Conflict, NotFound, UsageError
from holdfast.memory import Context, Memory
from holdfast.vault import notes

NOW = 1_800_000_000.0
AN_AGENT = {"CLAUDE_CODE_SESSION_ID": "s1"}


def users(vault: str, env: dict[str, str] | None = None) -> Memory:
    """The memory of somebody who came with a key, in a process whose environment is an agent's."""
    return Memory(Context(vault, "/", {**AN_AGENT, **(env or {})}, lambda: NOW, for_user=True))


def a_note(vault: str, text: str = "The port is 80.") -> tuple[str, str]:
    path = users(vault).notes.remember(text, project="global").path
    return path, Path(vault, path).read_text(encoding="utf-8")


def newest(vault: str, form: str) -> str:
    command = ["git", "-C", vault, "log", "-n1", f"--format={form}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
def test_it_is_the_persons_own_change_and_one_undo_takes_it_back(vault: str) -> None:
    path, base = a_note(vault)
    commit = users(vault).notes.edit(path, base.replace("80.", "8080."), base)
    assert "8080." in Path(vault, path).read_text(encoding="utf-8")
    assert newest(vault, "%H") == commit
    assert "Holdfast-Cause: hand" in newest(vault, "%B")
    assert newest(vault, "%an") != "Holdfast", "as an edit in an editor"
    users(vault).notes.undo(commit)
    assert Path(vault, path).read_text(encoding="utf-8") == base


@pytest.mark.slow
def test_whoever_comes_later_is_told_and_what_was_saved_before_stays(vault: str) -> None:
    path, base = a_note(vault)
    Path(vault, path).write_text(base.replace("80.", "81."), encoding="utf-8")  # an editor, not committed yet
    with pytest.raises(Conflict, match="was changed since you were shown it"):
        users(vault).notes.edit(path, base.replace("80.", "82."), base)
    assert "81." in Path(vault, path).read_text(encoding="utf-8")
    assert newest(vault, "%s").startswith("edited by hand"), "and it is in the history"
    Path(vault, path).unlink()
    with pytest.raises(NotFound, match="is gone"):
        users(vault).notes.edit(path, base, base)


@pytest.mark.slow
def test_saved_by_an_editor_at_that_very_moment_the_editor_wins(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, base = a_note(vault)
    look = notes.from_text

    def slow(name: str, text: str) -> object:
        Path(vault, path).write_text(base.replace("80.", "81."), encoding="utf-8")
        return look(name, text)

    monkeypatch.setattr(notes, "from_text", slow)
    with pytest.raises(Conflict):
        users(vault).notes.edit(path, base.replace("80.", "82."), base)
    assert "81." in Path(vault, path).read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_same_text_makes_no_commit_and_one_that_is_no_note_is_refused(vault: str) -> None:
    path, base = a_note(vault)
    head = newest(vault, "%H")
    assert users(vault).notes.edit(path, base, base) == ""
    for text in (base.replace("\nkind:", "\n  kind: ["), base.partition("\n---\n")[0] + "\n---\n", "x" * (1 << 21)):
        with pytest.raises(UsageError, match="nothing was changed"):
            users(vault).notes.edit(path, text, base)
    for odd in ("BRAIN.md", "../x.md", "knowledge/../../x.md", ".state/config.toml"):
        with pytest.raises((UsageError, NotFound)):
            users(vault).notes.edit(odd, "words", "words")
    assert newest(vault, "%H") == head


@pytest.mark.slow
def test_an_agent_may_not(vault: str) -> None:
    path, base = a_note(vault)
    theirs = Memory(Context(vault, "/", AN_AGENT, lambda: NOW))
    with pytest.raises(gate.Refused):
        theirs.notes.edit(path, base.replace("80.", "82."), base)
    assert Path(vault, path).read_text(encoding="utf-8") == base


@pytest.mark.slow
def test_words_of_somebody_with_a_key_are_the_users_whatever_entered_the_session_around(vault: str) -> None:
    a_note(vault)
    state = f"{vault}/.state"
    once.first(state, "claude-code/s1/0", once.TAINT, "web")
    rule = users(vault).notes.remember("Never push on a Friday.", kind="rule")
    note = notes.read(vault, rule.path)
    assert isinstance(note, notes.Note)
    assert (note.origin, note.status, note.path.partition("/")[0]) == ("user", "active", "rules")
    assert users(vault).at.asker() == gate.BY_USER
    agents = Memory(Context(vault, "/", AN_AGENT, lambda: NOW)).notes.remember("Always push on a Friday.", kind="rule")
    assert agents.path.startswith("quarantine/"), "the same call without the key"
