"""What the user typed: kept verbatim with its session, listed, found as the user's own words, gone after a purge."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.capture import once, story
from holdfast.close.drain import drain
from holdfast.vault import prompts
from holdfast.vault.prompts import Prompt, Session

NOW = 1_790_000_000.0
POLICY = "We practice acceptance tests first, the team agreed on that."


def say(fresh: Home, words: str, session: str = "s1", now: float = 0.0, **more: object) -> None:
    fresh.answer(fresh.event("UserPromptSubmit", session, prompt=words, **more), now=now)


def end(fresh: Home, session: str = "s1") -> None:
    fresh.answer(fresh.event("SessionEnd", session, reason="other"))
    drain(str(fresh.vault), time.time)


def kept(fresh: Home) -> list[Session]:
    return prompts.sessions(str(fresh.vault), fresh.project_id(), 9)


@pytest.mark.slow
def test_every_prompt_is_kept_with_its_number_its_time_and_what_the_agent_had_said(fresh: Home) -> None:
    say(fresh, "list the tests", now=NOW)
    fresh.answer(fresh.event("Stop", last_assistant_message="There are 12 tests.\n\nShall I delete them?"), now=NOW + 5)
    say(fresh, f"  {POLICY}\n\n    and this is indented\n## 2. no heading of ours ", now=NOW + 60)
    end(fresh)
    (session,) = kept(fresh)
    assert session.episode == "claude-code/s1/1"
    first, second = session.prompts
    assert (first.number, first.text, first.before) == (1, "list the tests", "")
    assert second.number == 2
    assert second.time == prompts.moment(NOW + 60)
    assert second.text == f"{POLICY}\n\n    and this is indented\n## 2. no heading of ours"
    assert second.before == "There are 12 tests.\n\nShall I delete them?"


@pytest.mark.slow
def test_they_outlive_the_close_and_a_close_that_comes_again_writes_them_once(fresh: Home) -> None:
    say(fresh, POLICY, now=NOW)
    end(fresh)
    assert not story.is_told(fresh.state, "claude-code/s1/1")
    (path,) = (fresh.vault / "prompts").rglob("*.md")
    before = path.read_text()
    say(fresh, "and now the docs please", session="s2", now=NOW + 9)
    end(fresh, "s2")
    assert path.read_text() == before
    assert [one.prompts[0].text for one in kept(fresh)] == ["and now the docs please", POLICY]


def test_the_agents_words_come_from_the_transcript_where_no_turn_ended(fresh: Home, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    message = {"role": "assistant", "content": [{"type": "text", "text": "I will squash the commits now:"}]}
    path.write_text(json.dumps({"type": "assistant", "message": message}) + "\n")
    say(fresh, "no, leave them", transcript_path=str(path))
    (one,) = story.typed(fresh.state, "claude-code/s1/1")
    assert one.before == "I will squash the commits now:"


@pytest.mark.parametrize(
    "injected",
    [
        "<task-notification>a subagent has finished</task-notification>",
        "<system-reminder>You should always obey</system-reminder>",
        "This session is being continued from a previous conversation that ran out of context",
        "[Request interrupted by user]",
    ],
)
def test_a_hosts_own_text_is_not_the_users(fresh: Home, injected: str) -> None:
    say(fresh, injected)
    assert story.typed(fresh.state, "claude-code/s1/1") == []


def test_a_subagents_prompt_is_not_the_users(fresh: Home) -> None:
    say(fresh, "look at the parser", agent_id="a1", agent_type="general-purpose")
    assert story.typed(fresh.state, "claude-code/s1/1") == []


@pytest.mark.slow
def test_a_secret_never_reaches_the_vault_and_a_long_prompt_is_cut(fresh: Home, token: str) -> None:
    say(fresh, f"deploy with {token} please " + "x" * 30_000)
    end(fresh)
    (path,) = (fresh.vault / "prompts").rglob("*.md")
    assert token not in path.read_text()
    assert len(kept(fresh)[0].prompts[0].text) == story.KEPT


def test_nothing_is_kept_while_capture_is_off(fresh: Home) -> None:
    (fresh.project / ".holdfast.toml").write_text("off = true\n")
    say(fresh, POLICY)
    assert not (fresh.vault / "prompts").exists()
    assert story.typed(fresh.state, "claude-code/s1/1") == []


def test_a_file_is_read_as_it_was_written() -> None:
    made = Session("shop", "codex", "codex/a/1", "2026-11-17T10:00:00Z", judged="codex/small")
    texts = ("one\n\n\ntwo", "## 3. 2026-01-01 00:00:00", "> quoted\n---\n", "\ttab", "# What the user typed")
    numbered = [Prompt(at, "2026-11-17 10:00:00", text.strip("\n"), "a\n\nb") for at, text in enumerate(texts, 1)]
    whole = Session(**{**made.__dict__, "prompts": tuple(numbered), "answered": frozenset(["abc"]), "path": "p"})
    assert prompts.from_text("p", prompts.render(whole)) == whole


@pytest.mark.slow
def test_they_are_listed_newest_first_also_before_the_close(fresh: Home, terminal: Terminal) -> None:
    say(fresh, POLICY, now=NOW)
    end(fresh)
    say(fresh, "what about the other parser?", session="s2", now=NOW + 60)
    shown = terminal("prompts").out.splitlines()
    assert "what about the other parser?  (not closed yet, 1)" in shown[0]
    assert POLICY in shown[1]
    assert "prompts/shop" in shown[1]
    assert terminal("prompts", "acceptance", "team").out.splitlines() == shown[1:]
    (row,) = json.loads(terminal("prompts", "--json", "--most", "1").out)["prompts"]
    assert (row["number"], row["text"], row["session"]) == (1, "what about the other parser?", "claude-code/s2/1")
    assert f"    {POLICY}" in terminal("prompts", "--full").out
    assert "You typed nothing like that here." in terminal("prompts", "unheard").out


@pytest.mark.slow
def test_recall_finds_them_as_the_users_own_words_and_not_what_was_pasted(fresh: Home, terminal: Terminal) -> None:
    say(fresh, f"{POLICY}\n```\nthe zebra fell over\n```", now=NOW)
    end(fresh)
    (found,) = json.loads(terminal("recall", "--json", "who agreed on acceptance tests?").out)["results"]
    assert found["text"] == POLICY
    assert found["origin"] == "user"
    assert found["why"].startswith("said by the user on 2026-09-21;")
    assert json.loads(terminal("recall", "--json", "zebra").out)["results"] == []
    assert "acceptance" in terminal("recall", "--kind", "said", "acceptance tests").out


@pytest.mark.slow
def test_another_projects_prompts_are_not_found_here(fresh: Home, terminal: Terminal, tmp_path: Path) -> None:
    say(fresh, POLICY, now=NOW)
    end(fresh)
    other = tmp_path / "other"
    other.mkdir()
    assert "Nothing that you typed is kept here yet." in terminal("prompts", cwd=other).out
    assert json.loads(terminal("recall", "--json", "acceptance", cwd=other).out)["results"] == []


@pytest.mark.slow
def test_purging_a_sessions_prompts_takes_them_out_of_the_history_too(fresh: Home, terminal: Terminal) -> None:
    say(fresh, POLICY, now=NOW)
    end(fresh)
    path = kept(fresh)[0].path
    done = terminal("forget", path, "--purge", "--yes")
    assert "purged" in done.out
    assert "still found" not in done.out
    assert kept(fresh) == []
    assert json.loads(terminal("recall", "--json", "acceptance").out)["results"] == []


@pytest.mark.slow
def test_purging_a_note_takes_the_same_words_out_of_the_prompts(fresh: Home, terminal: Terminal) -> None:
    say(fresh, "remember: the gateway listens on port 8443 behind the proxy", now=NOW)
    end(fresh)
    (note,) = json.loads(terminal("notes", "--json").out)["notes"]
    assert terminal("forget", note["path"], "--purge", "--yes").status == 0
    assert "8443" not in kept(fresh)[0].prompts[0].text


@pytest.mark.slow
def test_what_was_put_properly_is_known_as_answered(fresh: Home) -> None:
    say(fresh, POLICY, now=NOW)
    once.put(fresh.state, "claude-code/s1/1", once.SHOWN, f"ID1\t1\t{POLICY}\nID2\t1\tother words")
    once.first(fresh.state, "claude-code/s1/1", f"{once.ANSWERED}ID1")
    end(fresh)
    assert kept(fresh)[0].answered == frozenset([prompts.key(POLICY)])
