"""Which handoff a start loads: that of its branch first; and what the very next start tells after a kill."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hook_support import Home
from test_brief import memory, start
from test_witnessed_close import Talk, work

from holdfast.capture import episodes, platform
from holdfast.vault import lineage
from holdfast.vault.lineage import Handoff
from holdfast.witness import account_file


def hand_off(fresh: Home, title: str, branch: str, hour: int, **sections: tuple[str, ...]) -> None:
    made = Handoff(
        title,
        f"2026-11-01T{hour:02d}:00:00Z",
        fresh.project_id(),
        branch=branch,
        host="claude-code",
        episode=f"claude-code/{title}/1",
        started=f"2026-11-01T{hour:02d}:00:00Z",
        sections=sections or {"done": (f"All of {title}",)},
    )
    path = fresh.vault / lineage.path_for(made, "box")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lineage.render(made))


def switch(folder: Path, branch: str) -> None:
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    if not (folder / ".git").exists():
        subprocess.run(["git", "init", "-q", "-b", branch, str(folder)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    else:
        subprocess.run([*git, "switch", "-q", "-c", branch], check=True)


def loaded(told: str) -> str:
    """The title of the handoff that is told in full."""
    (line,) = [line for line in told.splitlines() if line.startswith("Newest handoff")]
    return line.rpartition("): ")[2]


def test_the_handoff_of_this_branch_is_loaded_and_another_branchs_gets_a_line(fresh: Home) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    hand_off(fresh, "Carts", "main", 9)
    hand_off(fresh, "Refunds", "refunds", 11)
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert loaded(told) == "Carts"
    assert "All of Carts" in told
    assert "All of Refunds" not in told
    assert "session 2 (refunds): Refunds" in told


def test_another_branch_is_known_at_the_very_next_start(fresh: Home) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    hand_off(fresh, "Carts", "main", 9)
    hand_off(fresh, "Refunds", "refunds", 8)
    memory(fresh).sessions.refresh_brief()
    switch(fresh.project, "refunds")
    assert loaded(start(fresh)) == "Refunds"


def test_a_branch_without_a_handoff_gets_the_newest(fresh: Home) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    hand_off(fresh, "Carts", "main", 9)
    hand_off(fresh, "Refunds", "refunds", 11)
    memory(fresh).sessions.refresh_brief()
    switch(fresh.project, "fresh-idea")
    assert loaded(start(fresh)) == "Refunds"


def test_what_an_earlier_handoff_of_the_branch_decided_is_told_while_there_is_room(fresh: Home) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    hand_off(fresh, "Carts", "main", 9, decisions=("Carts are versioned",), next_steps=("Long done",))
    hand_off(fresh, "Version", "main", 11, done=("Version 0.3.1",))
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert loaded(told) == "Version"
    assert "Carts are versioned" in told
    assert "Before that, session 1 (2026-11-01): Carts" in told


def kill(fresh: Home, talk: Talk, session: str) -> None:
    """A session that worked, whose account was kept, and whose process is gone."""
    fresh.answer({**fresh.event("SessionStart", session, source="startup"), "transcript_path": str(talk.path)})
    fresh.answer(fresh.event("UserPromptSubmit", session, prompt="Make carts wait less"))
    work(talk)
    (episode,) = [one for one, _ in episodes.in_live(fresh.state, 0.0) if one.session == session]
    assert account_file.keep(fresh.state, episode, episode.opened + 60)
    episodes.end_episode(fresh.state, episode, episodes.DIED, "no sign of life", episode.opened + 90)


def test_the_very_next_start_after_a_kill_tells_what_was_done(fresh: Home, tmp_path: Path) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    kill(fresh, Talk(tmp_path / "t.jsonl"), "dead")
    told = start(fresh)
    assert "The claude-code session dead died and is not closed yet. Quoted from what was said and done up to " in told
    assert "- Reserve stock by version" in told
    assert "Carts no longer wait: `reserve` checks a version." in told


def test_an_account_that_is_torn_costs_the_start_nothing(fresh: Home, tmp_path: Path) -> None:
    switch(fresh.project, "main")
    memory(fresh)
    kill(fresh, Talk(tmp_path / "t.jsonl"), "dead")
    (path,) = platform.names(f"{fresh.state}/episodes/account")
    Path(f"{fresh.state}/episodes/account/{path}").write_bytes(b'{"v":1,"epis')
    told = start(fresh)
    assert "WARNING: the claude-code session dead died" in told
    assert "Reserve stock" not in told
