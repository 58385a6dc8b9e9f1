"""A start as it is read: in order, each fact once, the room used, and a reason for every line."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hook_support import Home, Terminal, context_of
from test_brief import hand_off, memory, put, start, write

from holdfast.brief import composition, prompt_by_words
from holdfast.capture import ids, once
from holdfast.model import Project
from holdfast.text.layout import Item, Section
from holdfast.vault import brief

RULE = "Never force-push main."
FACT = "Orders use optimistic locking because row locks deadlock"


def order_of(told: str, *words: str) -> list[str]:
    return sorted(words, key=told.index)


# Order


@pytest.mark.slow
def test_the_sections_come_in_the_order_of_their_weight(fresh: Home) -> None:
    write(fresh, "rules/force.md", RULE)
    write(fresh, "identity/me.md", "I am Ada.")
    write(fresh, "feedback/heard.md", "Use tabs", status="unconfirmed", origin="user")
    write(fresh, "knowledge/locks.md", FACT)
    (fresh.vault / "BRAIN.md").write_text("My own words.\n")
    hand_off(fresh, done=["the refund page"])
    assert fresh.cli("task", "start", "import", "Import all orders").status == 0
    put(fresh, ["a flag that waits"])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    wanted = ("My own words.", "I am Ada.", RULE, "The user said", "Import all orders", "the refund page",
              "a flag that waits", FACT)  # fmt: skip
    assert order_of(told, *wanted) == list(wanted)
    headings = [line for line in told.splitlines()[3:] if line.endswith(":") and not line.startswith(("-", " "))]
    assert len(headings) <= 6


def test_notes_come_by_whose_word_they_are(fresh: Home) -> None:
    days = {"created": "2026-11-01", "reviewed": "2026-11-01"}
    write(fresh, "knowledge/fact.md", "a plain fact here", **days, origin="agent")
    write(fresh, "knowledge/web.md", "a claim of a page", **days, origin="web")
    write(fresh, "feedback/lesson.md", "a lesson was learned", **days, origin="agent")
    write(fresh, "projects/decision.md", "a decision was made", **days, origin="agent")
    write(fresh, "projects/shop-progress-2026-11.md", "- did a thing", **days, origin="agent")
    write(fresh, "knowledge/kept.md", "a person kept this", **(days | {"reviewed": "2026-11-09"}), origin="agent")
    write(fresh, "knowledge/users.md", "the user wants this", **days, origin="user")
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    names = ("users", "kept", "decision", "lesson", "fact", "web", "shop-progress-2026-11")
    assert order_of(told, *(f"/{name}.md" for name in names)) == [f"/{name}.md" for name in names]
    assert "[outside text, from web]" in told
    assert "a claim of a page" not in told, "outside text is a line, and never more"


def test_of_the_same_authority_the_used_one_comes_first_then_the_newest(
    fresh: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for nth, name in enumerate(("old", "used", "middle", "faded", "new")):
        write(fresh, f"knowledge/{name}.md", f"about {name} things", edited=f"2026-11-0{nth + 1}", origin="agent")
    Path(fresh.state, "field.db").touch()
    weights = {"knowledge/used.md": (1.4, 8), "knowledge/faded.md": (0.3, 2)}
    monkeypatch.setattr(prompt_by_words, "used", lambda *_: weights)
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    names = [f"/{name}.md" for name in ("used", "new", "faded", "middle", "old")]
    assert order_of(told, *names) == names


@pytest.mark.slow
def test_use_is_read_from_the_field_where_there_is_one(fresh: Home, terminal: Terminal) -> None:
    for text in ("staging is wiped every night", "refunds are paid by hand"):
        assert terminal("remember", text).status == 0
    assert terminal("recall", "refunds").status == 0
    assert terminal("recall", "refunds").status == 0
    (path,) = prompt_by_words.used(fresh.state, time.time())
    assert path == "knowledge/refunds-are-paid-by-hand.md"
    told = terminal("boot").out
    assert order_of(told, "refunds are paid", "staging is wiped") == ["refunds are paid", "staging is wiped"]
    assert prompt_by_words.used(f"{fresh.state}/nowhere", time.time()) == {}


# Each fact once


def test_a_flag_that_is_also_a_note_stands_there_once(fresh: Home) -> None:
    write(fresh, "projects/locks.md", FACT, description=FACT)
    put(fresh, [FACT, "something else that was found"])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert told.count("optimistic locking") == 1
    assert "(projects/locks.md)" in told
    assert "something else that was found" in told


def test_what_a_folded_flag_carries_is_carried_by_the_one_that_says_it(fresh: Home) -> None:
    write(fresh, "projects/locks.md", FACT, description=FACT)
    put(fresh, [FACT])
    memory(fresh).sessions.refresh_brief()
    start(fresh)
    (flag,) = fresh.waiting()
    carried = fresh.ledger("injection")[-1]["carried"]
    assert f"{flag.id}:{ids.digest(FACT)}" in carried


def test_a_decision_in_the_handoff_that_is_also_a_note_stands_there_once(fresh: Home) -> None:
    said = "Decided for optimistic locking, and put in other words by a judge"
    write(fresh, "projects/locks.md", said, description=said)
    hand_off(fresh, decisions=[f"{FACT} ([note](../../projects/locks.md))", "use tabs everywhere in here"])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert FACT in told
    assert "in other words" not in told, "it is the same note"
    assert "use tabs everywhere in here" in told


def test_where_a_fact_came_from_makes_it_no_other_fact(fresh: Home) -> None:
    write(fresh, "knowledge/locks.md", FACT, description=FACT, origin="tool")
    hand_off(fresh, learned=[f"{FACT} (from tool)", "another thing (from web)"])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert told.count("optimistic") == 1
    assert f"{FACT} (from tool)" in told


def test_a_rule_that_is_also_in_the_users_own_words_and_in_the_handoff_stands_there_once(fresh: Home) -> None:
    (fresh.vault).mkdir(parents=True, exist_ok=True)
    write(fresh, "rules/force.md", RULE)
    (fresh.vault / "BRAIN.md").write_text(f"{RULE}\n")
    hand_off(fresh, learned=["never force-push main", "the other thing"], note=["Never force-push main!", "x"])
    memory(fresh).sessions.refresh_brief()
    assert start(fresh).lower().count("force-push") == 1


@pytest.mark.slow
def test_what_is_folded_comes_back_where_the_other_has_no_room(fresh: Home) -> None:
    """Nothing that is flagged may be missing because a note that says it too was left out."""
    texts = [f"part {n} of the order service takes lock number {n} before it reads" for n in range(200)]
    for nth, text in enumerate(texts):
        write(fresh, f"knowledge/n{nth:03d}.md", f"{text}\n" + "more of it\n" * 200, description=text)
    put(fresh, texts[-3:])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert all(text in told for text in texts[-3:])


def test_a_note_whose_lines_changed_is_not_folded_away(fresh: Home) -> None:
    (fresh.project / "orders.py").write_text("LIMIT = 3\n")
    from holdfast.vault import anchors

    made = anchors.make(str(fresh.project), "orders.py:1")
    write(fresh, "knowledge/limit.md", FACT, description=FACT, project=fresh.project_id(), anchors=[made])
    hand_off(fresh, decisions=[FACT, "another one of those"])
    memory(fresh).sessions.refresh_brief()
    assert "(knowledge/limit.md)" not in start(fresh, session="before")
    (fresh.project / "orders.py").write_text("LIMIT = 4\n")
    assert "orders.py:1 changed since" in start(fresh)


def test_a_session_whose_handoff_is_told_has_no_line_of_activity(fresh: Home) -> None:
    path = hand_off(fresh, "Orders")
    ident = path.stem.rpartition("-")[2]
    (fresh.vault / "activity.log").write_text(
        f"[2026-11-01 10:00:00] [{fresh.project_id()}] Orders (claude-code, {ident})\n"
        f"[2026-11-01 09:00:00] [{fresh.project_id()}] Refunds (claude-code, abc123)\n"
    )
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert told.count("Orders") == 1
    assert "- a session ended 2026-11-01 09:00: Refunds" in told


def test_what_a_session_was_about_is_not_said_again_where_something_else_says_it(fresh: Home) -> None:
    topic = "Make the refunds safe against two clerks"
    write(fresh, "knowledge/refunds.md", topic, description=topic)
    line = f"[2026-11-01 09:00:00] [{fresh.project_id()}] {topic} (claude-code, abc123)\n"
    (fresh.vault / "activity.log").write_text(line)
    memory(fresh).sessions.refresh_brief()
    assert start(fresh).count(topic) == 1


# The room


@pytest.mark.slow
def test_notes_are_shown_with_their_text_where_there_is_room_and_as_lines_where_not(fresh: Home) -> None:
    body = "First the lock is taken.\n\nThen the row is read, " + "and read again, " * 20
    for nth in range(3):
        write(fresh, f"knowledge/n{nth}.md", f"{body}{nth}", description=f"about lock {nth}")
    memory(fresh).sessions.refresh_brief()
    assert start(fresh, session="a").count("Then the row is read") == 3
    for nth in range(3, 24):
        write(fresh, f"knowledge/n{nth}.md", f"{body}{nth}", description=f"about lock {nth}")
    hand_off(fresh, done=[f"thing {n} " + "was done " * 20 for n in range(30)])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh, session="b")
    assert told.count("(knowledge/n") > told.count("Then the row is read")
    assert len(told) > 8000


def test_a_rich_handoff_gets_most_of_the_room_item_by_item(fresh: Home) -> None:
    write(fresh, "rules/force.md", RULE)
    items = [f"thing {n} was done in file{n}.py and passed {n} tests " + "as planned " * 12 for n in range(60)]
    hand_off(fresh, done=items[:30], learned=items[30:], next_steps=["ship the refunds", "ask Ada"])
    memory(fresh).sessions.refresh_brief()
    told = start(fresh)
    assert len(told) > 8000
    shown = [n for n in range(60) if f"thing {n} was done" in told]
    assert len(shown) > 25
    assert shown == list(range(len(shown))), "cut from the end, not as a whole"
    assert "ship the refunds" in told
    assert "more left out; `holdfast show handoff` has all of it.)" in told


@pytest.mark.parametrize("short", ["", "- in short"])
def test_a_title_stands_once_above_what_is_shown_below_it_and_is_paid_for(short: str) -> None:
    items = tuple(Item(f"- item {n} " + "x" * 200, short and f"{short} {n}", under="Done:") for n in range(100))
    from holdfast.text import layout

    text, _ = layout.lay_out(("<a>",), [Section("", items, 10)], ("</a>",), 3000)
    assert text.count("Done:") == 1
    assert text.splitlines()[1] == "Done:"
    assert len(text) <= 3000


def test_the_same_title_stands_in_each_part_that_has_it() -> None:
    from holdfast.text import layout

    items = [Item("New.", part="a"), Item("- one", under="Done:", part="a"), Item("- two", under="Done:", part="a")]
    items += [Item("Before that.", part="b"), Item("- three", under="Done:", part="b")]
    text, _ = layout.lay_out(("<a>",), [Section("", tuple(items), 10)], ("</a>",), 3000)
    assert text.splitlines()[1:-1] == ["New.", "Done:", "- one", "- two", "Before that.", "Done:", "- three"]


# The same conversation


def resume(fresh: Home, session: str = "s1", source: str = "resume", host: str = "claude-code") -> str:
    return fresh.answer(fresh.event("SessionStart", session, source=source), host=host)


@pytest.fixture
def conversation(fresh: Home) -> Home:
    write(fresh, "rules/force.md", RULE)
    write(fresh, "knowledge/locks.md", FACT, description=FACT)
    memory(fresh).sessions.refresh_brief()
    told = fresh.answer(fresh.event("SessionStart", "s1", source="startup"))
    assert RULE in told
    return fresh


def end(fresh: Home, session: str = "s1") -> None:
    fresh.answer(fresh.event("SessionEnd", session, reason="exit"))


def test_a_resume_where_nothing_changed_is_one_line(conversation: Home) -> None:
    end(conversation)
    first, line, last = resume(conversation).splitlines()
    assert (first, last) == ("<holdfast-memory>", "</holdfast-memory>")
    assert line.startswith("This conversation goes on; nothing that is remembered has changed since 20")


@pytest.mark.slow
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_resume_tells_what_is_new_changed_and_gone_and_nothing_else(conversation: Home, is_closed: bool) -> None:
    write(conversation, "rules/tabs.md", "Indent with tabs.")
    memory(conversation).sessions.refresh_brief()
    end(conversation)
    resume(conversation)
    if is_closed:
        memory(conversation).sessions.close()
        Path(conversation.state, "check").unlink()  # it finds that these notes are not ours
    write(conversation, "rules/force.md", "Force-push only after asking.")
    (conversation.vault / "rules/tabs.md").unlink()
    write(conversation, "knowledge/new.md", "Refunds are paid by hand", description="Refunds are paid by hand")
    conversation.flag("said in another session", "s2")
    memory(conversation).sessions.refresh_brief()
    end(conversation)
    told = resume(conversation)
    for said in ("Force-push only after asking.", "Refunds are paid by hand", "said in another session",
                 "No longer in force: rules/tabs.md"):  # fmt: skip
        assert said in told
    assert "optimistic" not in told
    assert "Keep what lasts" not in told
    end(conversation)
    assert "nothing that is remembered has changed" in resume(conversation)


@pytest.mark.slow
def test_what_the_conversation_did_itself_is_no_news_to_it(conversation: Home) -> None:
    conversation.answer(conversation.event("UserPromptSubmit", prompt="Lock the orders"))
    conversation.flag("The retry loop is in orders.py", "s1")
    end(conversation)
    memory(conversation).sessions.close()
    Path(conversation.state, "check").unlink()
    memory(conversation).sessions.refresh_brief()
    assert "nothing that is remembered has changed" in resume(conversation)
    other = start(conversation, session="other")
    assert "The retry loop is in orders.py" in other


@pytest.mark.slow
def test_after_a_compaction_a_resume_knows_what_was_told_behind_it(conversation: Home) -> None:
    conversation.answer(conversation.event("PreCompact", "s1", trigger="auto"))
    told = resume(conversation, source="compact")
    assert RULE in told
    end(conversation)
    assert "nothing that is remembered has changed" in resume(conversation)


def test_a_conversation_that_nobody_has_seen_is_told_everything(conversation: Home) -> None:
    assert RULE in resume(conversation, "never-seen")
    assert RULE in resume(conversation, "cleared", source="clear")


def test_a_fork_is_told_what_its_parent_does_not_know(conversation: Home) -> None:
    end(conversation)
    write(conversation, "rules/tabs.md", "Indent with tabs.")
    memory(conversation).sessions.refresh_brief()
    key = conversation.episode("s1").key
    from holdfast.brief import reconstruction
    from holdfast.capture import episodes
    from holdfast.capture.episodes import Scene
    from holdfast.model import Moment

    forked = episodes.Episode("claude-code", "s2", 1, conversation.project_id(), "/", time.time(), "fork", parent=key)
    project = memory(conversation).at.project()
    moment = Moment("claude-code", "session-start", "s2", str(conversation.project), source="fork")
    scene = Scene(moment, str(conversation.vault), conversation.state, project, time.time(), {}, [])
    from holdfast.brief import brief_file as kept
    from holdfast.brief import live

    cached = kept.load(scene.vault, scene.state, project)
    before = reconstruction.before(scene, forked, cached)
    assert before is not None
    found = live.gather(scene.state, project, scene.now, set(), closes=False)
    told = composition.compose(scene.vault, found, cached, before=before).text
    assert "Indent with tabs." in told
    assert RULE not in told


@pytest.mark.slow
def test_a_todo_that_was_nudged_for_is_not_nudged_for_again_when_the_session_is_resumed(conversation: Home) -> None:
    todos = [{"content": "Lock the orders", "status": "completed"}]
    call = conversation.event("PostToolUse", "s1", tool_name="TodoWrite", tool_input={"todos": todos}, tool_use_id="t1")
    assert "Done" in conversation.answer(call)
    end(conversation)
    memory(conversation).sessions.close()
    resume(conversation)
    assert conversation.answer({**call, "tool_use_id": "t2"}) == ""
    more = [*todos, {"content": "Ship it", "status": "completed"}]
    again = conversation.event("PostToolUse", "s1", tool_name="TodoWrite", tool_input={"todos": more}, tool_use_id="t3")
    assert "Ship it" in conversation.answer(again)


def test_what_was_said_in_one_stretch_counts_in_the_next_of_the_same_conversation(state: str) -> None:
    assert once.first(state, "c/s/1", "band-1-write")
    assert once.first(state, "c/s/1", "first-prompt")
    once.put(state, "c/s/1", once.CYCLE, "1")
    once.touch(state, "c/s/1", once.CHECKPOINTED, 5.0)
    once.forget(state, "c/s/1")
    once.go_on(state, "c/s/1", "c/s/2")
    assert not once.first(state, "c/s/2", "band-1-write")
    assert once.is_noted(state, "c/s/2", "band-1-write")
    assert once.first(state, "c/s/2", "first-prompt"), "a new stretch has a first prompt of its own"
    assert once.count(state, "c/s/2", once.CYCLE) == 1
    assert once.when(state, "c/s/2", once.CHECKPOINTED) == 0.0
    once.go_on(state, "c/s/2", "c/s/3")
    assert not once.first(state, "c/s/3", "band-1-write"), "and in the one after it"
    assert once.first(state, "c/s/4", "band-1-write")


# For the person


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_person_sees_one_line_and_the_model_does_not(fresh: Home, host: str) -> None:
    write(fresh, "rules/force.md", RULE)
    write(fresh, "feedback/heard.md", "Use tabs", status="unconfirmed", origin="user")
    hand_off(fresh)
    memory(fresh).sessions.refresh_brief()
    now = 1793527200.0 + 7200  # two hours after the handoff
    from holdfast.hook import main

    raw = json.dumps(fresh.event("SessionStart", source="startup")).encode()
    out = main.answer(host, raw, fresh.env, now, time.perf_counter_ns())
    assert json.loads(out)["systemMessage"] == "Holdfast: 1 note, last handoff 2 h ago, 1 to review"
    assert "Holdfast: " not in context_of(out)
    Path(fresh.state, "config.toml").write_text("[start]\nline = false\n")
    raw = json.dumps(fresh.event("SessionStart", "s2", source="startup")).encode()
    out = main.answer(host, raw, fresh.env, now, time.perf_counter_ns())
    assert set(json.loads(out)) == {"hookSpecificOutput"}
    assert RULE in context_of(out)


def test_the_line_is_not_shown_after_a_compaction(fresh: Home) -> None:
    write(fresh, "rules/force.md", RULE)
    memory(fresh).sessions.refresh_brief()
    fresh.reply(fresh.event("SessionStart", source="startup"))
    from holdfast.hook import main

    raw = json.dumps(fresh.event("SessionStart", source="compact")).encode()
    out = main.answer("claude-code", raw, fresh.env, time.time(), time.perf_counter_ns())
    assert RULE in context_of(out)
    assert "systemMessage" not in out


# Why


@pytest.mark.slow
def test_every_line_has_a_reason_and_everything_left_out_too(fresh: Home, terminal: Terminal) -> None:
    write(fresh, "rules/force.md", RULE, origin="user")
    write(fresh, "projects/locks.md", FACT, description=FACT, origin="agent")
    hand_off(fresh, decisions=[FACT, "use tabs everywhere in here"])
    for nth in range(40):
        write(fresh, f"knowledge/n{nth:02d}.md", f"fact number {nth} of many", origin="agent")
    put(fresh, ["a flag that waits"])
    booted = json.loads(terminal("boot", "--json").out)
    found = json.loads(terminal("boot", "--explain", "--json").out)
    assert found["characters"] == booted["characters"]
    assert found["room"] >= found["characters"]
    for line in found["lines"]:
        assert line["why"]
        assert line["text"].rstrip("…") in " ".join(booted["text"].split()), line
    rule = next(line for line in found["lines"] if line["source"] == "rules/force.md")
    assert (rule["section"], rule["origin"], rule["authority"], rule["form"]) == (
        "rules",
        "user",
        "the user's",
        "whole",
    )
    flag = next(line for line in found["lines"] if line["section"] == "flags")
    assert (flag["age_days"], flag["origin"]) == (0, "agent")
    folded = next(line for line in found["left_out"] if line["source"] == "projects/locks.md")
    assert folded["why"].startswith("said by: ")
    assert any("more than a brief lists" in line["why"] for line in found["left_out"])
    sizes = {one["name"]: one for one in found["sections"]}
    assert sizes["map"]["shown"] + sizes["map"]["left_out"] == 40
    said = terminal("boot", "--explain").out
    assert f"{found['characters']:,} characters of" in said
    assert "always applies; rules/force.md; the user's; by user" in said
    assert "left out:" in said


def test_where_capture_is_off_there_is_nothing_to_explain(fresh: Home, terminal: Terminal) -> None:
    done = terminal("boot", "--explain", env={"HOLDFAST": "off"})
    assert done.status == 2
    assert "captures nothing here" in done.err


def test_an_older_cache_without_reasons_and_counts_is_still_read(fresh: Home) -> None:
    write(fresh, "rules/force.md", RULE)
    path = Path(memory(fresh).sessions.refresh_brief())
    record = json.loads(path.read_bytes())
    del record["counts"]
    for one in record["sources"]:
        one.pop("w", None)
        one.pop("e", None)
    path.write_text(json.dumps(record))
    assert RULE in start(fresh)
    assert fresh.errors() == []


def test_a_brief_of_a_place_never_seen_has_no_figures_of_another(fresh: Home) -> None:
    write(fresh, "knowledge/k.md", "text", project=fresh.project_id())
    memory(fresh).sessions.refresh_brief()
    elsewhere = fresh.folder / "elsewhere"
    elsewhere.mkdir()
    said = fresh.hook({**fresh.event("SessionStart"), "cwd": str(elsewhere)}).out
    assert json.loads(said)["systemMessage"] == "Holdfast: nothing is remembered here yet"


def test_the_making_of_a_brief_needs_no_field(fresh: Home) -> None:
    write(fresh, "knowledge/k.md", "text")
    assert not os.path.exists(f"{fresh.state}/field.db")
    assert brief.refresh(str(fresh.vault), Project("p", "p", "", str(fresh.project)))
