"""A close with a silent model: the handoff is what was witnessed, its lessons are notes, a question leaves a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_drain import NOW, SHOP, Life

from holdfast.brief import reconstruction
from holdfast.capture import episodes, home, marks, once, story
from holdfast.capture.gate import BY_UPKEEP, BY_USER
from holdfast.errors import NotFound, UsageError
from holdfast.vault import history, lineage
from holdfast.vault.transaction import writing
from holdfast.witness import account_file


class Talk:
    """A transcript as Claude Code writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        path.write_text("")

    def line(self, **record: Any) -> Talk:
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        return self

    def asks(self, text: str) -> Talk:
        return self.line(type="user", message={"role": "user", "content": text})

    def says(self, text: str) -> Talk:
        return self.line(type="assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]})

    def sums_up(self, text: str) -> Talk:
        return self.line(type="user", isCompactSummary=True, message={"role": "user", "content": text})

    def uses(self, tool: str, given: dict[str, Any], printed: str = "", *, failed: bool = False) -> Talk:
        self.count += 1
        ident = f"call-{self.count}"
        use = {"type": "tool_use", "id": ident, "name": tool, "input": given}
        self.line(type="assistant", message={"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": ident, "content": printed, "is_error": failed}
        return self.line(type="user", message={"role": "user", "content": [result]})

    def runs(self, command: str, printed: str = "", *, failed: bool = False) -> Talk:
        return self.uses("Bash", {"command": command}, printed, failed=failed)


class Witnessed(Life):
    """A vault whose episodes have transcripts of Claude Code."""

    def talk(self, folder: Path, session: str = "s1", now: float = NOW) -> tuple[str, Talk]:
        talk = Talk(folder / f"{session}.jsonl")
        home.make_vault(self.vault)
        opened = episodes.Episode(
            "claude-code", session, 1, SHOP, str(folder), now - 100, transcript=str(talk.path), offset=0
        )
        return episodes.open_episode(self.state, opened).key, talk

    def ended(self, key: str, prompt: str, how: str = episodes.ENDED, now: float = NOW) -> None:
        story.add(self.state, key, now, prompt)
        self.end(key, how, now)


@pytest.fixture
def life(vault: str) -> Witnessed:
    return Witnessed(vault)


def work(talk: Talk) -> Talk:
    """An hour's work in a few lines."""
    talk.asks("Make carts wait less").uses("Edit", {"file_path": "src/cart.py", "old_string": "a", "new_string": "b"})
    talk.runs("pytest -q", "1 failed, 40 passed", failed=True)
    talk.says("The fixture `shop_db` is opened twice, so the second cart waits for ever.")
    talk.runs("pytest -q", "41 passed").runs("git commit -qam 'Reserve stock by version'")
    return talk.says("Carts no longer wait: `reserve` checks a version. 41 tests pass.")


@pytest.mark.slow
def test_the_handoff_of_a_silent_model_says_what_was_done_where_it_stands_and_what_was_learned(
    life: Witnessed, tmp_path: Path
) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    life.ended(key, "Make carts wait less")
    life.drain()
    (made,) = life.handoffs()
    assert made.author == lineage.MECHANICAL
    assert made.items("goals") == ('"Make carts wait less"',)
    assert made.items("done") == ("Reserve stock by version",)
    assert made.items("state") == (
        "`pytest` passed: 41 passed.",
        "Last answer: Carts no longer wait: `reserve` checks a version. 41 tests pass.",
    )
    assert made.items("learned") == ("The fixture `shop_db` is opened twice, so the second cart waits for ever.",)
    assert made.items("note") == ("Quoted by holdfast from what was said and done; nobody wrote a handoff.",)


@pytest.mark.slow
def test_lessons_become_notes_once_however_often_the_close_runs(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    life.ended(key, "Make carts wait less")
    life.drain()
    (path,) = life.notes()
    note = life.notes()[path]
    assert path.startswith("knowledge/the-fixture-shop-db-is-opened-twice")
    assert note.origin == "agent"
    assert note.sources[0].startswith("handoff:")
    before = life.tree()
    life.drain()
    assert life.tree() == before


@pytest.mark.slow
def test_one_lesson_is_taken_back_by_its_name_and_the_handoff_stays(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    life.ended(key, "Make carts wait less")
    life.drain()
    (path,) = life.notes()
    done = history.undo(life.vault, path, NOW + 20, by=BY_USER)
    assert done.by.files[-1] == path
    assert life.notes() == {}
    assert len(life.handoffs()) == 1


@pytest.mark.slow
def test_undo_by_name_is_only_for_what_came_out_of_a_handoff(life: Witnessed) -> None:
    life.session("the port is 8443")
    life.drain()
    (path,) = life.notes()
    with pytest.raises((NotFound, UsageError)):
        history.undo(life.vault, path, NOW + 20, by=BY_USER)


@pytest.mark.slow
def test_the_lessons_of_a_handoff_that_an_agent_wrote_become_notes_too(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    talk.asks("Decide").says("Decided.")
    made = lineage.Handoff(
        "Decide",
        lineage.iso(NOW),
        SHOP,
        host="claude-code",
        episode=key,
        author="agent",
        sections={
            "decisions": ("Orders use optimistic locking, because two carts waited for each other",),
            "learned": ("Staging is wiped every night at two (from web)", "ok"),
        },
    )
    with writing(life.vault, NOW) as writer:
        path = lineage.path_for(made, "m")
        writer.commit("handoff", {path: lineage.render(made)}, cause="handoff", planned_on={path: None}, by=BY_UPKEEP)
    life.ended(key, "Decide")
    life.drain()
    found = {note.body.strip().partition("\n")[0]: (note.kind, note.origin) for note in life.notes().values()}
    assert found == {
        "Orders use optimistic locking, because two carts waited for each other": ("project", "agent"),
        "Staging is wiped every night at two": ("knowledge", "web"),
    }


@pytest.mark.slow
def test_a_question_and_its_answer_leave_a_line_of_activity_and_no_handoff(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    life.ended(key, "Make carts wait less")
    life.drain()
    key, talk = life.talk(tmp_path, "s2", NOW + 500)
    talk.asks("What is a cart?").runs("cat src/cart.py", "class Cart").says("A basket with wheels.")
    life.ended(key, "What is a cart?", now=NOW + 500)
    life.drain()
    assert [one.title for one in life.handoffs()] == ["Make carts wait less"]
    assert [line.partition("] ")[2].partition("] ")[2] for line in life.activity()][-1].startswith("What is a cart?")


@pytest.mark.slow
def test_a_long_talk_is_handed_off_though_nothing_was_changed(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    for nth in range(5):
        talk.asks(f"And what of case {nth}?").says(f"Case {nth} is refused, because `reserve` would wait.")
    life.ended(key, "And what of case 0?")
    life.drain()
    assert len(life.handoffs()) == 1


@pytest.mark.slow
def test_after_outside_text_what_could_steer_says_where_it_came_from(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    once.first(life.state, key, once.TAINT, "web")
    work(talk)
    life.ended(key, "Make carts wait less")
    life.drain()
    (made,) = life.handoffs()
    assert made.items("learned")[0].endswith("waits for ever. (from web)")
    assert [note.origin for note in life.notes().values()] == ["web"]


@pytest.mark.slow
def test_secrets_in_what_is_quoted_never_reach_the_disk(life: Witnessed, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    key, talk = life.talk(tmp_path)
    talk.asks("Do it").uses("Write", {"file_path": "a.py", "content": "x"})
    talk.runs(f"git commit -m 'Use {secret}'", f"[main 1a2b3c4] Use {secret}\n").says(f"It uses {secret} for `a.py`.")
    life.ended(key, "Do it")
    assert account_file.keep(life.state, episodes.of_key(life.state, key), NOW)  # type: ignore[arg-type]
    life_files = [one for one in Path(life.state).rglob("*") if one.is_file()]
    life.drain()
    for path in [*life_files, *Path(life.vault).rglob("*.md")]:
        assert not path.exists() or secret.encode() not in path.read_bytes()


@pytest.mark.slow
def test_the_account_of_a_running_session_is_kept_and_goes_with_its_close(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    episode = episodes.of_key(life.state, key)
    assert episode
    assert account_file.keep(life.state, episode, NOW)
    found = account_file.read(life.state, key)
    assert found
    assert found.sections["done"] == ("Reserve stock by version",)
    life.ended(key, "Make carts wait less", episodes.DIED)
    life.drain()
    assert account_file.read(life.state, key) is None


def test_nothing_is_kept_of_a_session_that_only_talked(life: Witnessed, tmp_path: Path) -> None:
    key, talk = life.talk(tmp_path)
    talk.asks("What is a cart?").says("A basket.")
    assert not account_file.keep(life.state, episodes.of_key(life.state, key), NOW)  # type: ignore[arg-type]
    assert account_file.read(life.state, key) is None


def test_answers_after_the_account_are_told_by_the_very_next_start_without_their_secrets(
    life: Witnessed, tmp_path: Path
) -> None:
    key, talk = life.talk(tmp_path)
    work(talk)
    assert account_file.keep(life.state, episodes.of_key(life.state, key), NOW)  # type: ignore[arg-type]
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    talk.says("The export writes one file per tenant now, and the nightly job reads them in order.")
    talk.says(f"Ok. I put {secret} into the environment of the job, so that it can push its report.")
    talk.line(
        type="assistant",
        message={"content": [{"type": "tool_use", "id": "last", "name": "Bash", "input": {"command": "make ship"}}]},
    )
    life.ended(key, "Make carts wait less", episodes.DIED)
    told = "\n".join(text for text, _ in reconstruction.texts(life.state, marks.everywhere(life.state)))
    assert "Under way when it died, so look whether it took effect: Bash: $ make ship" in told
    assert "Said after that, newest first:\n- Ok. I put [" in told
    assert "- The export writes one file per tenant now, and the nightly job reads them in order." in told
    assert secret not in told
    assert told.count("one file per tenant") == 1
