"""Choosing a judge: from settings, by `holdfast judge`, at init; and what doctor says of it."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from doctor_support import ask as check
from doctor_support import installed
from hook_support import BARE, Home, Terminal, at_a_terminal
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import Server, refuses, says, sends

from holdfast import settings as machine
from holdfast.capture import config
from holdfast.cli.init import answered
from holdfast.errors import HoldfastError, UsageError
from holdfast.judge import choice, selection
from holdfast.judge.choice import Settings

READY = '{"ready": "yes"}'
LISTED = b'{"models": [{"name": "qwen3:4b"}, {"name": "other"}]}'


@pytest.fixture(autouse=True)
def _no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs on the machine of whoever tests."""
    monkeypatch.setattr(selection, "OLLAMA", ("127.0.0.1", 9))


def judged(**table: Any) -> dict[str, Any]:
    return {"judge": table}


def edited(text: str, wanted: Settings) -> str:
    return machine.edited(text, choice.SECTION, wanted.as_table(), choice.NAMES)


# --- settings


def test_without_settings_there_is_no_judge() -> None:
    assert choice.chosen({}, {}) is None
    assert choice.chosen(judged(name="verbatim"), {}) is None
    assert choice.chosen(judged(name=""), {}) is None
    assert choice.chosen({"judge": "claude-code"}, {}) is None, "no table"


@pytest.mark.parametrize("name", [one for one in choice.TITLES if one != "verbatim"])
def test_every_name_makes_its_judge(name: str) -> None:
    env = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b", "HOME": "/nowhere"}
    model = {"model": "qwen3:4b"} if name == "ollama" else {}
    judge = choice.chosen(judged(name=name, **model), env)
    assert judge is not None
    assert judge.name == name
    assert judge.model


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"name": "gpt"}, "is no judge"),
        ({"name": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"name": "openai"}, "OPENAI_API_KEY"),
        ({"name": "openai", "url": "http://host:8000"}, "needs a model"),
        ({"name": "ollama"}, "needs a model"),
        ({"name": "openai", "url": "nowhere", "model": "m"}, "is no address"),
        ({"name": "openai", "url": "http://h", "model": "m", "key_env": "NOT_SET"}, "NOT_SET"),
        ({"name": "codex", "url": "http://h"}, "its own address"),
    ],
)
def test_what_is_missing_is_one_sentence(table: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        choice.chosen(judged(**table), {})
    assert "nothing was changed" in str(refused.value)


def test_an_endpoint_of_ones_own_gets_no_key_that_was_not_named(token: str) -> None:
    with Server(says(READY)) as server:
        judge = choice.chosen(judged(name="openai", url=server.url, model="m"), {"OPENAI_API_KEY": token})
        assert judge is not None
        from holdfast.judge.selection import QUESTION

        judge.say(QUESTION, 5)
    assert "authorization" not in server.asked[0].headers
    assert server.asked[0].path == "/v1/chat/completions"


odd = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(["name", "model", "url", "key_env", "workers", "timeout"]), odd))
def test_settings_of_any_kind_are_used_or_refused(table: dict[str, Any]) -> None:
    try:
        found = choice.settings({"judge": table})
    except UsageError:
        return
    assert 1 <= found.workers <= 64
    assert 1 <= found.timeout <= 3600


# --- writing them down

OWN = """\
# my settings
mode = "strict"  # always

[nudge]
quiet_s = 5

[judge]  # who judges
name = "openai"
# a note of mine
model = "big"
url = "https://host/v1"

[spend]
tokens_per_day = 1000 # enough
"""


def test_comments_and_all_else_are_kept(state: str) -> None:
    Path(state).mkdir(parents=True)
    path = Path(config.path_of(state))
    path.write_text(OWN)
    selection.write(state, Settings("claude-code", workers=4))
    wanted = OWN.replace('name = "openai"', 'name = "claude-code"').replace(
        'model = "big"\nurl = "https://host/v1"\n', ""
    )
    left = path.read_text().replace("workers = 4\n", "")
    assert left == wanted
    assert tomllib.loads(path.read_text())["judge"] == {"name": "claude-code", "workers": 4}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    selection.write(state, Settings())
    assert tomllib.loads(path.read_text()) == {**tomllib.loads(OWN), "judge": {"name": "verbatim"}}


def test_a_comment_behind_a_line_that_goes_stays_where_it_was() -> None:
    before = (
        '[judge]\nname = "openai"  # mine\nurl = "http://h/v1"  # rack 4\nmodel = "m" # big\n\n[spend]\na = 1 # b\n'
    )
    after = edited(before, Settings("codex"))
    assert after == '[judge]\nname = "codex"  # mine\n# rack 4\n# big\n\n[spend]\na = 1 # b\n'
    assert edited(after, Settings("codex")) == after
    same = '[judge]\nname = "codex"\ntimeout = 300 # slow\n'
    assert edited(same, Settings("codex", timeout=300.0)) == same


@pytest.mark.parametrize(
    "before", ["", "# only words\n", 'mode = "strict"', 'mode = "strict"\n[nudge]\nquiet_s = 5\n\n\n']
)
def test_a_file_without_the_section_gets_one_at_its_end(before: str) -> None:
    after = edited(before, Settings("ollama", "qwen3:4b", workers=2))
    assert after.startswith(before)
    assert tomllib.loads(after) == {
        **tomllib.loads(before),
        "judge": {"name": "ollama", "model": "qwen3:4b", "workers": 2},
    }


def test_the_same_choice_again_changes_no_byte(state: str) -> None:
    path = Path(selection.write(state, Settings("codex")))
    before = path.stat().st_mtime_ns
    selection.write(state, Settings("codex"))
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("text", ["[judge", "judge = 3\n", "a = 1\na = 2\n", "\x00"])
def test_a_file_that_cannot_be_read_is_left_as_it_is(state: str, text: str) -> None:
    Path(state).mkdir(parents=True)
    path = Path(config.path_of(state))
    path.write_text(text)
    with pytest.raises(HoldfastError, match="nothing was changed"):
        selection.write(state, Settings("codex"))
    assert path.read_text() == text
    path.unlink()
    path.symlink_to("/etc/hostname")
    with pytest.raises(HoldfastError, match="nothing was changed"):
        selection.write(state, Settings("codex"))


def test_inline_and_dotted_forms_of_the_section_are_edited_too() -> None:
    for text in ('judge = {name = "codex"}\n', 'judge.name = "codex"\n'):
        try:
            after = edited(text, Settings("claude-code"))
        except ValueError:
            continue  # refused is fine, lost is not
        assert tomllib.loads(after)["judge"]["name"] == "claude-code"


# --- the command


def test_without_a_name_it_shows_what_is_chosen_and_what_works(fresh: Home, terminal: Terminal, token: str) -> None:
    folder = fresh.folder / "bin"
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\nexit 1\n")
    (folder / "claude").chmod(0o755)
    env = {"PATH": f"{folder}:/usr/bin:/bin", "OPENAI_API_KEY": token}
    done = terminal("judge", env=env)
    assert done.status == 0
    assert done.out.startswith("verbatim: no model is used")
    assert "holdfast judge claude-code" in done.out
    assert "with the key in OPENAI_API_KEY" in done.out
    assert "codex" not in done.out
    assert token not in done.out
    answer = json.loads(terminal("judge", "--json", env=env).out)
    assert (answer["name"], answer["model"], answer["problem"]) == ("verbatim", "", "")
    assert [one["name"] for one in answer["works"]] == ["claude-code", "openai"]
    assert fresh.files() == []


@pytest.mark.slow
def test_a_judge_is_asked_once_and_then_written_down(fresh: Home, terminal: Terminal) -> None:
    with Server(says(READY)) as server:
        done = terminal("judge", "openai", "--url", server.url, "--model", "small", "--workers", "3", env=BARE)
    assert (done.status, done.err) == (0, "")
    assert "Asking openai one tiny question" in done.out
    assert "(120 tokens in, 9 out)" in done.out
    assert len(server.asked) == 1
    kept = config.load(fresh.state)["judge"]
    assert kept == {"name": "openai", "model": "small", "url": server.url, "workers": 3}
    (record,) = [json.loads(line) for line in terminal("log", "--json", "--kind", "model", env=BARE).out.splitlines()]
    assert (record["job"], record["judge"], record["tokens_in"], record["ok"]) == ("probe", "openai", 120, True)


def test_a_judge_that_does_not_answer_is_not_written_down(fresh: Home, terminal: Terminal) -> None:
    with Server(refuses(401, "who are you")) as server:
        words = ("judge", "openai", "--url", server.url, "--model", "small")
        done = terminal(*words, env=BARE)
        assert done.status == 11
        assert "Nothing was written" in done.err
        assert "who are you" in done.err
        assert "judge" not in config.load(fresh.state)
        assert terminal(*words, "--no-probe", env=BARE).status == 0
    assert config.load(fresh.state)["judge"]["name"] == "openai"


def test_the_probe_is_paid_by_the_judge_that_is_wanted_not_by_the_one_before(fresh: Home, terminal: Terminal) -> None:
    terminal("judge", "openai", "--url", "http://127.0.0.1:9", "--model", "small", "--no-probe", env=BARE)
    path = Path(config.path_of(fresh.state))
    path.write_text(f"{path.read_text()}\n[spend]\nmoney_per_day = 0.0\n")
    done = terminal("judge", "openai", "--url", "http://192.0.2.1", "--model", "gpt-6-sol", env=BARE)
    assert done.status == 11
    assert "the cap of 0.00 USD a day is reached" in done.err
    assert config.load(fresh.state)["judge"]["model"] == "small"


def test_a_key_in_the_settings_of_no_judge_is_not_shown(fresh: Home, terminal: Terminal) -> None:
    Path(fresh.state).mkdir(parents=True)
    Path(config.path_of(fresh.state)).write_text('[judge]\nname = "verbatim"\nkey_env = "corp-llm-9f8e"\n')
    assert "corp-llm" not in terminal("judge", env=BARE).out + terminal("judge", "--json", env=BARE).out


def test_the_same_judge_keeps_what_is_not_named_and_another_begins_anew(fresh: Home, terminal: Terminal) -> None:
    terminal("judge", "openai", "--url", "http://h:1", "--model", "small", "--workers", "3", "--no-probe", env=BARE)
    terminal("judge", "--model", "large", "--no-probe", env=BARE)
    assert config.load(fresh.state)["judge"] == {"name": "openai", "model": "large", "url": "http://h:1", "workers": 3}
    terminal("judge", "claude-code", "--no-probe", env=BARE)
    assert config.load(fresh.state)["judge"] == {"name": "claude-code", "workers": 3}
    done = terminal("judge", "verbatim", env=BARE)
    assert "No model is used from now on" in done.out
    assert choice.chosen(config.load(fresh.state), {}) is None


def test_a_dry_run_writes_and_asks_nothing(fresh: Home, terminal: Terminal) -> None:
    with Server() as server:
        done = terminal("judge", "openai", "--url", server.url, "--model", "small", "--dry-run", env=BARE)
        told = terminal("judge", "codex", "--dry-run", "--json", env=BARE)
    assert '  name = "openai"' in done.out
    assert json.loads(told.out)["written"] is False
    assert server.asked == []
    assert fresh.files() == []


@pytest.mark.parametrize(
    "words", [("gpt",), ("verbatim", "--model", "x"), ("codex", "--url", "http://h"), ("openai", "--url", "http://h:1")]
)
def test_what_cannot_be_chosen_is_one_sentence(fresh: Home, terminal: Terminal, words: tuple[str, ...]) -> None:
    done = terminal("judge", *words, "--no-probe", env=BARE)
    assert done.status == 2
    assert "nothing was changed" in done.err
    assert fresh.files() == []


def test_an_agent_may_look_and_not_choose(fresh: Home, terminal: Terminal) -> None:
    env = {**BARE, "CLAUDE_CODE_SESSION_ID": "s1"}
    assert terminal("judge", env=env).status == 0
    done = terminal("judge", "claude-code", "--no-probe", env=env)
    assert done.status == 2
    assert "is the user's to do" in done.err
    assert "judge" not in config.load(fresh.state)


def test_a_choice_that_cannot_be_used_is_shown_with_what_is_wrong(fresh: Home, terminal: Terminal) -> None:
    terminal("judge", "ollama", "--model", "x", "--no-probe", env=BARE)
    path = Path(config.path_of(fresh.state))
    path.write_text('[judge]\nname = "gpt"\n')
    assert '"gpt" is no judge' in terminal("judge", env=BARE).out
    path.write_text('[judge]\nname = "anthropic"\n')
    done = terminal("judge", env=BARE)
    assert "ANTHROPIC_API_KEY" in done.out
    assert done.out.startswith("anthropic:")


def test_a_vault_of_a_repository_has_no_say(fresh: Home) -> None:
    """What is chosen stands in the user's own vault, whatever vault is used here."""
    found = selection.wanted({}, "claude-code")
    assert found == Settings("claude-code")
    assert selection.write(fresh.state, found) == f"{fresh.state}/config.toml"


# --- what works here


@pytest.mark.slow
def test_an_ollama_is_found_by_its_list_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for act, names in (
        (sends(200, LISTED), ["ollama"]),
        (sends(200, b'{"models": []}'), []),
        (sends(200, b"<html>", "text/html"), []),
        (sends(200, b"[" * 100_000), []),
        (refuses(404), []),
    ):
        with Server(act) as server:
            place = ("127.0.0.1", int(server.url.rpartition(":")[2]))
            found = selection.found({"PATH": "/nowhere"}, place)
        assert [one.name for one in found] == names
    assert selection.found({"PATH": "/nowhere"}, ("127.0.0.1", 9)) == []


def test_the_offer_of_an_ollama_names_its_model() -> None:
    offer = selection.JudgeOffer("ollama", "qwen3:4b", "")
    assert offer.command == "holdfast judge ollama --model qwen3:4b"
    assert offer.settings == Settings("ollama", "qwen3:4b")
    assert selection.JudgeOffer("codex", "small", "").settings == Settings("codex")


# --- init


def test_init_stays_without_a_model_and_says_the_command_that_changes_it(
    fresh: Home, terminal: Terminal, token: str
) -> None:
    done = terminal("init", "--yes", env={**BARE, "ANTHROPIC_API_KEY": token})
    assert "judge     verbatim, no model" in done.out
    assert "`holdfast judge anthropic` changes it" in done.out
    assert token not in done.out
    assert "judge" not in config.load(fresh.state)
    answer = json.loads(terminal("init", "--json", env=BARE).out)
    assert answer["judge"] == {"name": "verbatim", "works": []}


def test_init_says_what_was_chosen_before(fresh: Home, terminal: Terminal) -> None:
    terminal("judge", "codex", "--no-probe", env=BARE)
    assert "judge     codex (as you chose" in terminal("init", "--yes", env=BARE).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "name"),
    [("", "verbatim"), ("0", "verbatim"), ("what?", "verbatim"), ("9", "verbatim"), ("openai", "openai")],
)
def test_at_a_terminal_init_asks_and_no_model_is_the_default(fresh: Home, token: str, answer: str, name: str) -> None:
    env = {"OPENAI_API_KEY": token}
    status, said = at_a_terminal(fresh, f"{answer}\n".encode() * 2 + b"0\nn\n", "init", env=env)
    assert status == 0, said
    assert "Which [0]:" in said
    assert token not in said
    assert config.load(fresh.state)["judge"]["name"] == name
    _, again = at_a_terminal(fresh, b"\n\n", "init", env=env)
    assert "Which" not in again, "who has answered once is not asked again"


@pytest.mark.slow
def test_with_yes_init_does_not_ask_even_at_a_terminal(fresh: Home, token: str) -> None:
    _, said = at_a_terminal(fresh, b"", "init", "--yes", env={"OPENAI_API_KEY": token})
    assert "Which" not in said
    assert "judge" not in config.load(fresh.state)


def test_an_answer_is_a_number_or_a_name() -> None:
    listed = [selection.JudgeOffer("claude-code", "haiku", ""), selection.JudgeOffer("ollama", "qwen3:4b", "")]
    assert [answered(text, listed) for text in ("1", " 2 ", "ollama")] == [listed[0], listed[1], listed[1]]
    assert [answered(text, listed) for text in ("", "0", "3", "-1", "y", "²")] == [None] * 6


# --- doctor


def test_doctor_says_that_there_is_no_model(fresh: Home) -> None:
    found = check(installed(fresh), "judge")
    assert (found.ok, found.level) == (True, "ok")
    assert "no model is used" in found.detail


@pytest.mark.slow
def test_doctor_looks_at_the_chosen_one_and_spends_nothing(fresh: Home) -> None:
    installed(fresh)
    with Server(sends(200, b'{"data": [{"id": "small"}, {"id": "tiny"}]}')) as server:
        selection.write(fresh.state, Settings("openai", "small", server.url))
        found = check(fresh, "judge")
        assert (found.ok, found.detail) == (True, f"openai: {server.url.removeprefix('http://')} answers and has small")
        selection.write(fresh.state, Settings("openai", "large", server.url))
        missing = check(fresh, "judge")
        assert (missing.ok, "It said: it has small, tiny" in missing.detail) == (False, True)
    assert {asked.path for asked in server.asked} == {"/v1/models"}
    gone = check(fresh, "judge")
    assert not gone.ok
    assert "cannot be reached" in gone.detail
    assert "holdfast judge verbatim" in gone.fix


def test_doctor_names_a_choice_that_cannot_be_used(fresh: Home) -> None:
    installed(fresh)
    selection.write(fresh.state, Settings("anthropic"))
    found = check(fresh, "judge")
    assert not found.ok
    assert "ANTHROPIC_API_KEY" in found.detail
