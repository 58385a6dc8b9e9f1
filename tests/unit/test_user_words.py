"""The user's own words: asked about at a boundary, told by the next start, and never made a rule by a score."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.capture import config, once
from holdfast.capture.gate import BY_USER
from holdfast.close.drain import drain
from holdfast.hook import nudge
from holdfast.memory import Memory
from holdfast.vault import index, review
from holdfast.vault.notes import Note

SESSION = {"CLAUDE_CODE_SESSION_ID": "s1"}
POLICY = "We don't squash commits here, our reviewers read them one by one!"
DISLIKE = "I hate it when you drop a hundred lines of code on me without a word."
FACT = "Our staging database is wiped every night, you should know that."
OTHER = "Our billing folder belongs to another team, you should ask Ada about it."


def say(fresh: Home, words: str, session: str = "s1", **more: object) -> str:
    return fresh.answer(fresh.event("UserPromptSubmit", session, prompt=words, **more))


def commit(fresh: Home, session: str = "s1", nth: int = 1) -> str:
    """What a commit is answered with."""
    call = {"tool_name": "Bash", "tool_input": {"command": f"git commit -m 'step {nth}'"}, "tool_response": "ok"}
    return fresh.answer(fresh.event("PostToolUse", session, tool_use_id=f"t{nth}", **call))


def end(fresh: Home, session: str = "s1") -> list[Note]:
    fresh.answer(fresh.event("SessionEnd", session, reason="other"))
    drain(str(fresh.vault), time.time)
    return index.load(str(fresh.vault)).notes


def start(fresh: Home, session: str = "next") -> str:
    Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).sessions.refresh_brief()
    return fresh.answer(fresh.event("SessionStart", session, source="startup"))


def accept(fresh: Home, note: Note) -> None:
    """As the user does it in a terminal."""
    review.decide(str(fresh.vault), time.time(), fresh.project_id(), accept=[note.path], by=BY_USER)


def section(text: str) -> list[str]:
    """The lines of what the user said, in a start."""
    lines = text.split("\n")
    if user_said not in lines:
        return []
    rest = lines[lines.index(user_said) + 1 :]
    ends = next((at for at, line in enumerate(rest) if not line.startswith("- ")), len(rest))
    return rest[:ends]


user_said = "The user said (newest first, in the user's own words):"


# --- asked about at a boundary


def test_a_commit_asks_about_the_likeliest_sentences_and_never_twice(fresh: Home) -> None:
    for words in ("ok", POLICY, DISLIKE, FACT, OTHER, "go on"):
        say(fresh, words)
    first = commit(fresh)
    assert nudge.OPENING in first
    asked = [line for line in first.split("\n") if line[:3] in ("1. ", "2. ", "3. ", "4. ")]
    assert len(asked) == 3
    assert "`holdfast flag --for 1 --kind rule|preference|fact '…'`" in first
    second = commit(fresh, nth=2)
    assert [line[:3] for line in second.split("\n") if line[1:3] == ". "] == ["4. "]
    assert nudge.OPENING not in commit(fresh, nth=3)


def test_small_talk_is_not_asked_about(fresh: Home) -> None:
    say(fresh, "ok")
    say(fresh, "run the tests")
    assert nudge.OPENING not in commit(fresh)


@pytest.mark.slow
@pytest.mark.parametrize("by_hook", [False, True])
def test_an_answer_by_number_is_borne_out_by_the_users_quoted_words(
    fresh: Home, terminal: Terminal, by_hook: bool
) -> None:
    say(fresh, POLICY)
    say(fresh, FACT)
    shown = commit(fresh)
    number = next(line[0] for line in shown.split("\n") if POLICY in line)
    words = ("flag", "--for", number, "--kind", "rule", "Commits are not squashed")
    if by_hook:
        line = f"holdfast flag --for {number} --kind rule 'Commits are not squashed'"
        fresh.reply(fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": line}))
    assert terminal.fast(*words, env=SESSION).status == 0
    (rule,) = [note for note in end(fresh) if note.kind == "rule"]
    assert rule.is_always_on
    assert f'- the user: "{POLICY}"' in (fresh.vault / rule.path).read_text()
    told = start(fresh)
    assert "- Commits are not squashed" in told
    assert POLICY not in "\n".join(section(told)), "what was answered is not told again"
    assert any(FACT in line for line in section(told))


@pytest.mark.slow
def test_several_numbers_and_ids_may_be_answered_at_once(fresh: Home, terminal: Terminal) -> None:
    say(fresh, "Remember: Ada owns billing.")
    (heard,) = fresh.waiting()
    say(fresh, POLICY)
    say(fresh, DISLIKE)
    commit(fresh)
    done = terminal.fast("flag", "--for", f"1,2,{heard.id}", "--kind", "fact", "Put properly", env=SESSION)
    assert done.status == 0, done.err
    (note,) = end(fresh)
    text = (fresh.vault / note.path).read_text()
    assert all(f'- the user: "{one}"' in text for one in (POLICY, DISLIKE, heard.text))
    assert heard.id in note.sources


@pytest.mark.parametrize("named", ["1", "4", "0", "1,", "-1", "x"])
def test_a_number_that_was_never_shown_is_refused(fresh: Home, terminal: Terminal, named: str) -> None:
    say(fresh, "ok")
    commit(fresh)
    done = terminal.fast("flag", f"--for={named}", "--kind", "rule", "so says the user", env=SESSION)
    assert done.status == 2
    assert "nothing was written" in done.err
    assert fresh.texts() == []


def test_in_strict_mode_a_turn_that_changed_files_is_asked_before_it_stops(fresh: Home) -> None:
    fresh.answer(fresh.event("SessionStart", source="startup"))
    Path(config.path_of(fresh.state)).write_text('mode = "strict"\n')
    say(fresh, POLICY)
    assert fresh.reply(fresh.event("Stop", last_assistant_message="ok")) == {}
    write = {"tool_name": "Write", "tool_input": {"file_path": str(fresh.project / "a.py")}, "tool_response": "ok"}
    fresh.answer(fresh.event("PostToolUse", "s1", **write))
    asked = fresh.reply(fresh.event("Stop", last_assistant_message="done"))
    assert asked["decision"] == "block"
    assert POLICY.replace('"', "'") in asked["reason"]
    assert fresh.reply(fresh.event("Stop", last_assistant_message="done")) == {}


def test_after_a_compaction_the_words_are_asked_about(fresh: Home) -> None:
    say(fresh, POLICY)
    fresh.answer(fresh.event("PreCompact", trigger="auto"))
    told = fresh.answer(fresh.event("SessionStart", source="compact"))
    assert POLICY in told.partition(nudge.OPENING)[2]
    assert len(told) < 9000


# --- told by the next start


@pytest.mark.slow
def test_a_policy_without_any_cue_word_is_in_the_next_start(fresh: Home) -> None:
    say(fresh, POLICY)
    assert end(fresh) == [], "a score makes no note"
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert section(start(fresh)) == [f"- {POLICY} (said by the user on {day}, not confirmed)"]


def test_a_session_that_died_a_moment_ago_is_told_before_any_close(fresh: Home, agents: object) -> None:
    agent = agents()  # type: ignore[operator]
    fresh.answer(fresh.event("SessionStart", source="startup"), pid=agent.pid)
    fresh.answer(fresh.event("UserPromptSubmit", prompt=POLICY), pid=agent.pid)
    agent.kill()
    told = fresh.answer(fresh.event("SessionStart", "s2", source="startup"))
    assert POLICY in "\n".join(section(told))


@pytest.mark.slow
def test_an_order_that_was_heard_stays_at_the_top_until_it_is_accepted(fresh: Home) -> None:
    order = "From now on, always run make lint before you commit."
    say(fresh, order)
    (note,) = end(fresh)
    day = note.created
    assert section(start(fresh)) == [f"- {order} (said by the user on {day}, not confirmed)"]
    accept(fresh, note)
    told = start(fresh)
    assert section(told) == []
    assert f"- {order}" in told.split("\n")
    assert "confirmed" not in told


@pytest.mark.slow
def test_what_the_user_wants_remembered_does_not_fall_out_for_newer_notes(fresh: Home, terminal: Terminal) -> None:
    say(fresh, "Remember: staging is wiped every night")
    (note,) = end(fresh)
    assert note.path == "feedback/staging-is-wiped-every-night.md"
    assert note.name == note.description == "staging is wiped every night"
    for nth in range(30):
        terminal.fast("remember", f"Fact number {nth} about the parser")
    line = f"- staging is wiped every night (said by the user on {note.created})"
    assert line in section(start(fresh))
    told = start(fresh)
    assert told.partition("Notes for this project")[2].count("staging is wiped every night (feedback/") == 0


@pytest.mark.slow
def test_an_agents_own_rule_is_shown_as_a_proposal_and_is_not_always_on(fresh: Home, terminal: Terminal) -> None:
    say(fresh, "go on")
    terminal.fast("flag", "--kind", "rule", "Every function gets a docstring", env=SESSION)
    live = start(fresh)
    assert "(proposed by the agent, not confirmed by the user)" in live
    (note,) = end(fresh)
    assert (note.status, note.is_always_on) == ("proposed", False)
    told = start(fresh)
    (line,) = [line for line in told.split("\n") if "docstring" in line]
    assert line.endswith("(proposed by the agent, not confirmed by the user)")
    assert "1 rule proposed by an agent, not in force" in terminal("review").out
    accept(fresh, note)
    (rule,) = index.load(str(fresh.vault)).notes
    assert rule.is_always_on
    assert "proposed" not in start(fresh)


@pytest.mark.slow
def test_an_order_confirmed_after_a_close_is_nowhere_called_unconfirmed(fresh: Home, terminal: Terminal) -> None:
    say(fresh, "From now on, always run make lint before you commit.")
    (heard,) = fresh.waiting()
    terminal.fast("flag", "--for", heard.id, "--kind", "preference", "Run make lint before a commit", env=SESSION)
    assert "not confirmed" not in start(fresh)
    notes = end(fresh)
    assert [note.status for note in notes] == ["active"]
    told = start(fresh)
    assert "confirmed" not in told
    assert any(line.startswith("- Run make lint before a commit (said by the user on ") for line in section(told))
    assert "unconfirmed" not in "".join(path.read_text() for path in (fresh.vault / "lineage").rglob("*.md"))


# --- remember this


def test_remember_this_keeps_what_was_pasted_below_it(fresh: Home) -> None:
    say(fresh, "remember this:\n```\ngateway.internal 8443\n```")
    (flag,) = fresh.waiting()
    assert flag.text.startswith('"gateway.internal 8443" (pasted by the user')
    assert flag.origin == "user"


@pytest.mark.slow
def test_remember_this_keeps_the_end_of_what_the_agent_had_said(fresh: Home) -> None:
    say(fresh, "why is it slow?")
    fresh.answer(
        fresh.event("Stop", last_assistant_message="The index is rebuilt on every call; caching it halves it.")
    )
    say(fresh, "Remember this")
    (flag,) = fresh.waiting()
    assert flag.text.startswith('"The index is rebuilt on every call; caching it halves it." (the agent\'s own words')
    (note,) = end(fresh)
    assert note.path.startswith("feedback/the-index-is-rebuilt-on-every-call")
    assert any("caching it halves it" in line for line in section(start(fresh)))


def test_remember_this_with_nothing_around_it_is_kept_as_it_was_said(fresh: Home) -> None:
    say(fresh, "Remember this")
    assert fresh.texts() == ["Remember this"]


@pytest.mark.slow
def test_what_was_shown_is_forgotten_with_the_session(fresh: Home) -> None:
    say(fresh, POLICY)
    commit(fresh)
    key = fresh.episode().key
    assert once.read(fresh.state, key, once.SHOWN)
    end(fresh)
    assert once.read(fresh.state, key, once.SHOWN) is None


# --- said again


def sessions(fresh: Home, *prompts: str) -> list[Note]:
    """Each in a session of its own."""
    notes: list[Note] = []
    for nth, words in enumerate(prompts):
        say(fresh, words, session=f"again-{nth}")
        notes = end(fresh, f"again-{nth}")
    return notes


@pytest.mark.slow
def test_what_is_said_again_in_other_sessions_is_told_as_such_and_stays(fresh: Home) -> None:
    notes = sessions(
        fresh,
        POLICY,
        "Please don't squash our commits, the reviewers read them one by one!",
        "fix the parser",
        "You squashed the commits again, our reviewers read commits one by one!",
        *(f"have a look at module number {nth}" for nth in range(8)),
    )
    (note,) = notes
    assert (note.status, note.origin, note.is_always_on) == ("unconfirmed", "user", False)
    (line,) = [line for line in section(start(fresh)) if "squash" in line]
    assert line.endswith(f"(said three times, last on {note.created}, not confirmed)")


@pytest.mark.slow
def test_the_opposite_is_no_repetition_and_takes_the_place_of_what_nobody_confirmed(fresh: Home) -> None:
    before, later = "From now on, never squash the feature commits.", "From now on, always squash the feature commits."
    notes = sessions(fresh, before, later)
    assert sorted(note.description for note in notes) == sorted((before, later))
    (line,) = [line for line in section(start(fresh)) if "squash" in line]
    assert line.startswith(f"- {later}")
    (note,) = [note for note in notes if note.description == before]
    accept(fresh, note)
    told = start(fresh)
    assert before in told, "what the user confirmed is not lifted by a later word that nobody confirmed"
    assert later in told


@pytest.mark.slow
def test_a_later_policy_without_a_cue_takes_the_place_of_an_unconfirmed_order(fresh: Home) -> None:
    sessions(fresh, "From now on, never squash our commits, the reviewers read them one by one.")
    sessions(fresh, "We squash our commits, the reviewers read them as one.")
    (line,) = [line for line in section(start(fresh)) if "squash" in line]
    assert line.startswith("- We squash our commits")


@pytest.mark.slow
def test_a_small_request_that_comes_back_is_no_statement(fresh: Home) -> None:
    assert sessions(fresh, "run the tests", "run the tests", "run the tests") == []


@pytest.mark.slow
def test_saying_it_twice_in_one_session_is_not_again(fresh: Home) -> None:
    say(fresh, POLICY)
    say(fresh, POLICY)
    assert end(fresh) == []


@pytest.mark.slow
def test_an_order_that_was_heard_before_learns_that_it_was_said_again(fresh: Home) -> None:
    order = "From now on, always run make lint before you commit."
    (note,) = sessions(fresh, order, order, "You should run make lint before you commit, we agreed on that!")
    assert len(str(note.fields["said"]).split()) == 3
    assert "said three times" in "\n".join(section(start(fresh)))


@pytest.mark.slow
def test_the_same_in_other_words_is_found_by_meaning_where_the_field_is(fresh: Home, terminal: Terminal) -> None:
    sessions(fresh, POLICY)
    terminal("recall", "commits")  # the field is made
    (note,) = sessions(fresh, "x", "Reviewers want to see each commit separately, you should not squash them!")
    assert str(note.fields["said"]).count("-") == 4
