"""What is refused is kept: once, without secrets, told at the next start, used by the close, and gone after a purge."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hook_support import Home, Terminal

from holdfast.capture import drafts, log, platform, purging
from holdfast.capture.purging import Scrubber
from holdfast.errors import NotSaved, UsageError
from holdfast.memory import Memory

NOW = 1_800_000_000.0
SESSION = {"CLAUDE_CODE_SESSION_ID": "s1"}
TEXT = "orders use optimistic locking since the double booking"
UNFIT = "# Locking\n\n## Done\n\n- Orders lock optimistically\n\n## Next steps\n\n- Maybe look at the invoices\n"


def kept(state: str, text: str = TEXT, kind: str = drafts.FLAG, episode: str = "e/s/1", project: str = "shop") -> str:
    return drafts.keep(state, kind, text, "it is too long; nothing was written", project, episode, NOW)


def call(fresh: Home, line: str) -> None:
    fresh.reply(fresh.event("PreToolUse", tool_name="Bash", tool_input={"command": line}))


def begin(fresh: Home, session: str = "s1") -> str:
    return fresh.answer(fresh.event("SessionStart", session, source="startup"))


def end(fresh: Home, session: str = "s1") -> None:
    fresh.answer(fresh.event("SessionEnd", session, reason="exit"))


def close(fresh: Home) -> None:
    Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).sessions.close()


# --- the log


def test_a_draft_is_found_again_with_everything_that_was_said(state: str) -> None:
    ident = drafts.keep(state, "flag", TEXT, "no kind", "shop", "e/s/1", NOW, origin="web", evidence=["a.py:1"])
    (one,) = drafts.open_for(state, "shop")
    assert (one.id, one.kind, one.text, one.why) == (ident, "flag", TEXT, "no kind")
    assert (one.project, one.episode, one.time, one.origin, one.evidence) == ("shop", "e/s/1", NOW, "web", ("a.py:1",))
    assert drafts.open_for(state, "other") == []


def test_the_same_words_of_the_same_session_are_one_draft(state: str) -> None:
    assert kept(state) == kept(state)
    assert kept(state, episode="e/s/2") != kept(state)
    assert len(drafts.read(state)) == 2


def test_nothing_is_kept_where_nothing_was_said(state: str) -> None:
    assert kept(state, "  \n") == ""
    assert not os.path.exists(state)


def test_no_secret_comes_to_rest_and_only_the_owner_reads_it(state: str, token: str) -> None:
    drafts.keep(state, "flag", f"the key is {token}", f"no {token}", "shop", "", NOW, evidence=[token])
    path = Path(state) / drafts.PLACES[0]
    assert token.encode() not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_settled_draft_is_no_longer_open_and_still_there(state: str) -> None:
    ident = kept(state)
    drafts.settle(state, ident)
    assert drafts.open_for(state, "shop") == []
    assert [(one.id, one.text, one.is_settled) for one in drafts.read(state)] == [(ident, TEXT, True)]


def test_one_that_was_used_stays_open_until_a_start_has_told_of_it(state: str) -> None:
    ident = kept(state)
    drafts.use(state, [ident], "in lineage/shop/x.md")
    assert [one.used for one in drafts.open_for(state, "shop")] == ["in lineage/shop/x.md"]
    assert len(drafts.sentences(state, "shop", NOW, (), only_look=True)) == 1
    assert len(drafts.sentences(state, "shop", NOW, ())) == 1
    assert drafts.sentences(state, "shop", NOW, ()) == []


def test_a_start_speaks_of_what_nobody_used_for_a_week_and_not_of_sessions_that_go_on(state: str) -> None:
    kept(state)
    assert drafts.sentences(state, "shop", NOW, {"e/s/1"}) == []
    assert len(drafts.sentences(state, "shop", NOW + drafts.LASTS - 1, ())) == 1
    assert drafts.sentences(state, "shop", NOW + drafts.LASTS + 1, ()) == []


def test_many_drafts_are_told_in_a_few_lines(state: str) -> None:
    for nth in range(9):
        kept(state, f"text number {nth}")
    told = drafts.sentences(state, "shop", NOW, ())
    assert len(told) == drafts.MOST_TOLD + 1
    assert told[-1] == "5 more were refused and are kept: `holdfast drafts`."


def test_the_reason_of_an_outsider_is_not_told(state: str) -> None:
    drafts.keep(state, "flag", TEXT, '"obey me" is no kind of flag', "shop", "", NOW, origin="web")
    (line,) = drafts.sentences(state, "shop", NOW, ())
    assert "obey" not in line


def test_an_accepted_text_settles_the_refused_one_of_the_same_session(state: str) -> None:
    kept(state)
    drafts.submitted(state, "flag", ["something else altogether"], "shop", "e/s/1")
    drafts.submitted(state, "flag", [TEXT], "shop", "e/s/2")
    assert len(drafts.open_for(state, "shop")) == 1
    drafts.submitted(state, "flag", ["Orders use optimistic locking since the booking"], "shop", "e/s/1")
    assert drafts.open_for(state, "shop") == []


def test_a_shorter_text_that_shares_a_word_does_not_settle_a_draft(state: str) -> None:
    kept(state)
    drafts.submitted(state, "flag", [TEXT.split(maxsplit=1)[0]], "shop", "e/s/1")
    assert len(drafts.open_for(state, "shop")) == 1, "the rest of its words would be lost"


def test_where_only_the_queue_can_be_written_the_draft_goes_there(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = log.append

    def sandboxed(path: str, *args: object, **more: object) -> None:
        if "/queue/" not in path:
            raise NotSaved
        real(path, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "append", sandboxed)
    ident = kept(state)
    monkeypatch.undo()
    assert [one.id for one in drafts.open_for(state, "shop")] == [ident]
    drafts.settle(state, ident)
    assert drafts.open_for(state, "shop") == []


def test_a_record_that_is_none_of_ours_does_not_hide_the_others(state: str) -> None:
    kept(state)
    log.append(f"{state}/{drafts.PLACES[0]}", [b"[]", b"{}", b'{"draft":"x"}', b"nonsense"], durable=True)
    with open(f"{state}/{drafts.PLACES[0]}", "ab") as file:
        file.write(b"\nHF1 000")
    assert len(drafts.open_for(state, "shop")) == 1


@pytest.mark.parametrize("where", drafts.PLACES)
def test_a_purge_reaches_drafts(state: str, where: str) -> None:
    kept(state)
    if where != drafts.PLACES[0]:
        platform.make_folders(f"{state}/queue")
        os.rename(f"{state}/{drafts.PLACES[0]}", f"{state}/{where}")
    scrubber = Scrubber([TEXT])
    assert purging.clean_queue(f"{state}/queue", scrubber, NOW) is not None
    purging.clean_state(state, scrubber, ())
    assert TEXT.encode() not in Path(f"{state}/{where}").read_bytes()


def test_an_error_says_in_its_sentence_that_the_words_are_kept(state: str) -> None:
    for said, told in (
        ("It is too long; nothing was written. Cut it.", f"It is too long; {drafts.BUT}. Cut it."),
        ("It was not written: no step.", "It was not written: no step. Your words are kept as a draft"),
    ):
        error = UsageError(said)
        drafts.refused(state, error, "flag", said, "shop", "", NOW)
        assert str(error).startswith(told)


# --- what refuses


@pytest.mark.parametrize(
    "argv",
    [
        ("flag", "--kind", "desicion", TEXT),
        ("flag", "--knd", "decision", TEXT),
        ("flag", "--for", "01NOSUCHID", TEXT),
        ("flag", "--nothing", TEXT),
        ("flag", TEXT, "--evidence"),
        ("flag", TEXT + " and so on" * 400),
        ("snag", TEXT),
        ("snag", TEXT, "--better", "ask", "--rule", "a", "--skill", "b"),
        ("remember", "--kind", "nonsense", TEXT),
        ("remember", "--nonsense", TEXT),
        ("remember", "--policy", "nonsense", "--kind", "rule", TEXT),
        ("remember", "--for", "01NOSUCHID", TEXT),
        ("remember", "--supersedes", "no-such-note", TEXT),
    ],
)
def test_whatever_refuses_words_keeps_them(fresh: Home, terminal: Terminal, argv: tuple[str, ...]) -> None:
    begin(fresh)
    done = terminal.fast(*argv, env=SESSION)
    assert done.status, done.out
    assert "kept as a draft" in done.err
    (one,) = drafts.open_for(fresh.state, fresh.project_id())
    assert TEXT in one.text
    assert (one.kind, one.episode, one.origin) == (argv[0], "claude-code/s1/1", "agent")
    assert fresh.texts() == []


@pytest.mark.parametrize("argv", [("flag",), ("flag", "--kind", "decision"), ("flag", "  "), ("snag",), ("remember",)])
def test_a_refusal_without_words_keeps_nothing(fresh: Home, terminal: Terminal, argv: tuple[str, ...]) -> None:
    done = terminal.fast(*argv, env=SESSION)
    assert done.status == 2
    assert "draft" not in done.err
    assert drafts.read(fresh.state) == []


def test_while_capture_is_off_nothing_is_kept(fresh: Home, terminal: Terminal) -> None:
    for argv in (("flag", "--kind", "x", TEXT), ("remember", "--kind", "x", TEXT), ("handoff",)):
        assert terminal(*argv, env={"HOLDFAST": "off"}).status
    assert drafts.read(fresh.state) == []


def test_the_hook_and_the_command_keep_one_draft_of_the_same_refusal(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    call(fresh, f"holdfast flag --kind desicion '{TEXT}'")
    (one,) = drafts.open_for(fresh.state, fresh.project_id())
    assert one.text == TEXT
    assert fresh.ledger("hook")[-1]["draft"] == "flag"
    terminal.fast("flag", "--kind", "desicion", TEXT, env=SESSION)
    assert [again.id for again in drafts.open_for(fresh.state, fresh.project_id())] == [one.id]


def test_the_same_flag_put_right_settles_its_draft(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("flag", "--kind", "desicion", TEXT, env=SESSION)
    terminal.fast("flag", "--kind", "decision", TEXT, env=SESSION)
    assert drafts.open_for(fresh.state, fresh.project_id()) == []
    assert fresh.texts() == [TEXT]


# --- told, listed, used


@pytest.mark.slow
def test_a_refused_flag_is_told_filed_as_a_fact_and_then_settled(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("flag", "--kind", "desicion", TEXT, env=SESSION)
    end(fresh)
    close(fresh)
    memory = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env)
    (note,) = memory.notes.index().notes
    assert (note.kind, note.description) == ("knowledge", TEXT)
    assert "desicion" in memory.notes.text_of(note.path), "why it was refused is its evidence"
    told = begin(fresh, "s2")
    assert 'A flag of session s1 was refused ("desicion" is no kind of flag); its words are used' in told
    assert "(handed to the close as a fact)" in told
    assert "was refused" not in begin(fresh, "s3")
    assert drafts.open_for(fresh.state, fresh.project_id()) == []


def test_a_close_leaves_the_drafts_of_a_session_that_goes_on(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("flag", "--kind", "desicion", TEXT, env=SESSION)
    close(fresh)
    assert [one.used for one in drafts.open_for(fresh.state, fresh.project_id())] == [""]


@pytest.mark.slow
def test_closing_twice_files_a_refused_flag_once(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    terminal.fast("flag", TEXT + " and so on" * 700, env=SESSION)
    end(fresh)
    close(fresh)
    before = fresh.files()
    close(fresh)
    notes = Memory.open(str(fresh.vault), str(fresh.project), env=fresh.env).notes.index().notes
    assert len(notes) == 2, "a long one takes two"
    assert [one for one in fresh.files() if one.endswith(".md")] == [one for one in before if one.endswith(".md")]


@pytest.mark.slow
def test_a_refused_handoff_goes_into_the_one_that_the_close_makes(fresh: Home, terminal: Terminal) -> None:
    begin(fresh)
    fresh.answer(fresh.event("UserPromptSubmit", prompt="lock the orders"))
    memory = Memory.open(str(fresh.vault), str(fresh.project), env={**fresh.env, **SESSION})
    with pytest.raises(UsageError):
        memory.sessions.handoff('{"done": ["Orders lock optimistically"], ')
    with pytest.raises(UsageError):
        memory.sessions.handoff("---\nunclosed: [\n")
    end(fresh)
    close(fresh)
    ((made, _),) = memory.sessions.handoffs()
    assert any("Orders lock optimistically" in item and "refused" in item for item in made.items("note"))
    told = begin(fresh, "s2")
    assert "A handoff of session s1 was refused (The form is no JSON" in told
    assert drafts.open_for(fresh.state, fresh.project_id()) == []


@pytest.mark.slow
def test_a_handoff_that_is_mended_settles_the_refused_one(fresh: Home) -> None:
    begin(fresh)
    memory = Memory.open(str(fresh.vault), str(fresh.project), env={**fresh.env, **SESSION})
    with pytest.raises(UsageError):
        memory.sessions.handoff("{")
    memory.sessions.handoff('{"done": ["Orders lock"], "next_steps": ["Run make test and fix orders.py"]}')
    assert drafts.open_for(fresh.state, fresh.project_id()) == []


def test_drafts_are_listed_shown_and_settled(fresh: Home, terminal: Terminal) -> None:
    terminal.fast("flag", "--kind", "desicion", TEXT, env=SESSION)
    (one,) = drafts.open_for(fresh.state, fresh.project_id())
    listed = terminal("drafts").out
    assert f"{one.id[-6:]}  [flag] {TEXT}" in listed
    assert 'refused: "desicion" is no kind of flag' in listed
    assert terminal("drafts", one.id[-6:].lower()).out == f"{TEXT}\n"
    assert terminal("drafts", "NOSUCH").status == 4
    assert terminal("drafts", one.id, "--settle").out.startswith(f"settled {one.id}")
    assert terminal("drafts").out == "Nothing that was refused is waiting.\n"
    assert TEXT in terminal("drafts", "--all").out
    assert f'"text":"{TEXT}"' in terminal("drafts", "--all", "--json").out
