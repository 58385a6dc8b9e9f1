"""The field from the command line: what recall, think, highways and rebuild say, write, and refuse in one sentence."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hook_support import SOURCE, Home, Terminal

from holdfast.capture import config, home, once
from holdfast.cli import field as command
from holdfast.field import traffic as records
from holdfast.field.thought import Thought
from holdfast.vault import notes

LOCKS = "Orders are locked optimistically with 3 retries; row locks deadlocked the checkout"
MAILS = "Bounced mails are retried by the provider, the fourth bounce marks the address as dead"
QUERY = ("why", "are", "orders", "locked?")
SESSION = {"CLAUDE_CODE_SESSION_ID": "s1"}


def results(terminal: Terminal, *line: str) -> list[dict[str, Any]]:
    done = terminal("recall", "--json", *line)
    assert not done.err
    found: list[dict[str, Any]] = json.loads(done.out)["results"]
    assert done.status == (0 if found else 1)
    return found


def thought(terminal: Terminal, text: str, *more: str, **env: Any) -> dict[str, Any]:
    done = terminal("think", "--json", text, *more, **env)
    assert done.status == 0, done.err
    made: dict[str, Any] = json.loads(done.out)
    return made


def traffic(where: Home) -> list[Any]:
    return list(records.travels(str(where.vault), 0).found)


@pytest.fixture
def shop(fresh: Home) -> Home:
    """A vault with two notes, whose machine searches by words alone: a model takes its time to load."""
    home.make_vault(str(fresh.vault))
    Path(config.path_of(fresh.state)).write_text('[embed]\nname = "none"\n', encoding="utf-8")
    note(fresh, "locks", LOCKS)
    note(fresh, "mails", MAILS)
    return fresh


def note(where: Home, name: str, body: str, **more: Any) -> None:
    given = {"kind": "knowledge", "day": "2026-09-01", "project": where.project_id(), "origin": "user", **more}
    file = where.vault / f"knowledge/{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(notes.new_text(name=name, description=body, body=body, **given), encoding="utf-8")


# --- recall


def test_recall_says_what_it_found_where_it_lies_whose_it_is_and_why(shop: Home, terminal: Terminal) -> None:
    done = terminal("recall", *QUERY)
    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[:2] == ["1. locks", f"   {LOCKS}"]
    assert "knowledge/locks.md \u00b7 knowledge \u00b7 from user \u00b7 " in done.out
    assert " old" in done.out
    assert "found by its words" in done.out
    assert "never read" in done.out
    assert "\x1b" not in done.out, "plain where nobody watches"


def test_recall_as_json_has_the_names_that_others_build_on(shop: Home, terminal: Terminal) -> None:
    best = results(terminal, *QUERY)[0]
    assert {"id", "text", "path", "score", "why", "weight", "origin", "age_s", "superseded_by", "title"} <= set(best)
    assert best["text"] == LOCKS
    assert (shop.vault / best["path"]).is_file()


def test_what_was_shown_is_reinforced_by_the_session_that_asked(shop: Home, terminal: Terminal) -> None:
    terminal("recall", *QUERY, "--most", "1", env=SESSION)
    (event,) = traffic(shop)
    assert (event.kind, event.agent, event.session) == ("got", "claude-code/s1", "claude-code/s1/0")
    (best,) = results(terminal, *QUERY, "--most", "1")
    assert event.ids == (best["id"],)
    assert best["accesses"] == 1
    assert traffic(shop)[-1].agent == "operator"


@pytest.mark.slow
def test_with_the_model_that_comes_along_a_question_finds_what_it_means(fresh: Home, terminal: Terminal) -> None:
    terminal("think", LOCKS)
    terminal("think", MAILS)
    best = results(terminal, "a concurrency conflict in the database")[0]
    assert best["text"] == LOCKS
    assert "its meaning" in best["why"]


def test_read_only_and_paused_leave_no_trace(shop: Home, terminal: Terminal) -> None:
    results(terminal, *QUERY, "--read-only")
    (shop.vault / ".state" / "paused").touch()
    assert results(terminal, *QUERY), "looking is allowed"
    assert traffic(shop) == []


@pytest.mark.parametrize(
    "line", [("recall", "x"), ("recall", "x", "--json"), ("highways",), ("highways", "x", "--json")]
)
def test_where_no_vault_is_a_look_makes_none(fresh: Home, terminal: Terminal, line: tuple[str, ...]) -> None:
    done = terminal(*line)
    assert done.status == (1 if line[0] == "recall" else 0)
    assert done.out
    assert not fresh.vault.exists()


def test_an_empty_vault_has_nothing_and_gets_no_index(fresh: Home, terminal: Terminal) -> None:
    fresh.flag("something that waits")
    done = terminal("recall", "something")
    assert (done.status, done.out) == (1, f"{command.NOTHING}\n")
    assert not Path(fresh.state, "field.db").exists()


@pytest.mark.slow
def test_the_filters_are_the_scope_of_the_question(shop: Home, terminal: Terminal) -> None:
    made = thought(terminal, "Row locks are slow", "--space", "ops", "--category", "correction", env=SESSION)
    assert [one["id"] for one in results(terminal, "row", "locks", "--space", "ops")] == [made["id"]]
    assert [one["id"] for one in results(terminal, "row", "locks", "--kind", "correction")] == [made["id"]]
    assert [one["id"] for one in results(terminal, "row", "locks", "--kind", "original")] == [made["id"]]
    assert [one["id"] for one in results(terminal, "row", "locks", "--agent", "claude-code")] == [made["id"]]
    assert made["id"] not in [one["id"] for one in results(terminal, "row", "locks", "--kind", "knowledge")]
    assert results(terminal, "row", "locks", "--until", "2020-01-01") == []
    assert results(terminal, "row", "locks", "--trust", "import") == []
    assert len(results(terminal, "row", "locks", "--most", "1")) == 1


def test_of_other_projects_only_all_and_the_name_tell(shop: Home, terminal: Terminal) -> None:
    other = shop.folder / "other"
    other.mkdir()
    made = thought(terminal, "Row locks are fine over here", cwd=other)
    assert made["id"] not in [one["id"] for one in results(terminal, "row", "locks")]
    assert made["id"] in [one["id"] for one in results(terminal, "row", "locks", "--all")]
    assert made["id"] in [one["id"] for one in results(terminal, "row", "locks", "--project", made["project"])]


def test_what_was_superseded_says_by_what(shop: Home, terminal: Terminal) -> None:
    note(shop, "advisory", "Orders are locked by advisory locks since May", supersedes=("knowledge/locks.md",))
    done = terminal("recall", "orders", "locked", "row", "locks")
    assert "superseded by knowledge/advisory.md (advisory)" in done.out
    assert done.out.index("1. advisory") < done.out.index("2. locks"), "what took its place comes before it"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("recall", "x", "--trust", "me"), '"me" is no origin'),
        (("recall", "x", "--since", "soon"), '"soon" is no time'),
        (("recall", "x", "--since", "1d", "--until", "2d"), "--since is later than --until"),
        (("recall", "x", "--most", "0"), "Ask for 1 to"),
        (("recall", "x", "--all", "--project", "y"), "cannot both be meant"),
        (("recall", " "), "The query is empty"),
        (("think", " "), "The text is empty"),
        (("think", "x", "--kind", "odd"), "is no kind of thought"),
        (("think", "x", "--kind", "refinement"), "Name them with --source ID"),
        (("think", "x", "--source", "nobody"), 'no thought "nobody"'),
    ],
)
def test_bad_input_is_refused_in_one_sentence(shop: Home, terminal: Terminal, line: tuple[str, ...], said: str) -> None:
    done = terminal(*line)
    assert done.status in (2, 4)
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert done.out == ""
    assert not list((shop.vault / "thoughts").rglob("*.log"))


@pytest.mark.slow
def test_a_terminal_sees_weights_as_bars_and_no_colour_where_none_is_wanted(shop: Home) -> None:
    def seen(**env: str) -> str:
        ours, theirs = pty.openpty()
        words = [sys.executable, "-P", "-m", "holdfast", "recall", *QUERY, "--read-only"]
        given = {**shop.env, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color", **env}
        process = subprocess.Popen(words, env=given, cwd=shop.project, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        found: list[bytes] = []

        def drain() -> None:
            try:
                while data := os.read(ours, 4096):
                    found.append(data)
            except OSError:
                return  # how a terminal ends on Linux

        reader = threading.Thread(target=drain)
        reader.start()
        assert process.wait(60) == 0
        reader.join(10)
        os.close(ours)
        return b"".join(found).decode()

    coloured, plain = seen(), seen(NO_COLOR="1")
    assert "\x1b[1m1. locks" in coloured
    assert "\x1b" not in plain
    assert f"1. locks  {command.bar_of(0.1)}" in plain, "nobody has read it for months"


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("name", ["", "locks", "Orders are locked"])
def test_a_result_fits_its_terminal_and_says_nothing_twice(name: str, width: int) -> None:
    text = " ".join(f"word{nth}" for nth in range(99))
    one = Thought("a", f"Orders are locked {text}", title=name)
    head, *rest = command.shown(one, 1, width, 7)
    assert len(head) <= width - 7
    assert all(len(line) <= width for line in rest)
    assert 1 + len(rest) == command.LINES + (name == "locks")
    assert rest[-1].endswith(command.CUT)
    assert head.startswith("1. locks" if name == "locks" else "1. Orders are locked")
    assert "\n".join([head, *rest]).count("Orders are locked") == 1


def test_a_short_thought_is_one_line() -> None:
    assert command.shown(Thought("a", "Orders lock"), 3, 80) == ["3. Orders lock"]


def test_a_note_made_now_is_of_today(shop: Home, terminal: Terminal) -> None:
    note(shop, "rates", "Rates are limited to five", day=notes.day(time.time()))
    done = terminal("recall", "rates", "limited")
    assert " \u00b7 of today" in done.out
    assert "weight 1.00" in done.out


def test_recall_as_json_tells_relevance_from_score(shop: Home, terminal: Terminal) -> None:
    best = results(terminal, *QUERY)[0]
    assert best["relevance"] > best["score"] > 0, "nobody has read it for months"


def test_a_weight_is_a_bar_of_five() -> None:
    full = [command.bar_of(weight).count("\u25ae") for weight in (0.0, 0.1, 0.3, 1.0, 3.2, 10.0, 99.0)]
    assert full == [1, 1, 2, 3, 4, 5, 5]
    assert len(command.bar_of(1.0)) == command.BAR


# --- think


def test_a_thought_is_kept_and_found_and_one_that_is_there_is_reinforced(fresh: Home, terminal: Terminal) -> None:
    first = terminal("think", LOCKS, "--tag", "locks", "--context", "the incident of May")
    assert first.status == 0
    assert first.out.startswith("thought ")
    assert f"[original], for project {fresh.project_id()}" in first.out
    same = terminal("think", f"{LOCKS}.")
    ident = first.out.split()[1]
    assert same.out == f"already thought, and reinforced: {ident}\n"
    assert results(terminal, *QUERY)[0]["id"] == ident


def test_a_refinement_names_what_it_is_made_of(fresh: Home, terminal: Terminal) -> None:
    source = thought(terminal, LOCKS)
    made = thought(terminal, "Since May the retries are 5", "--kind", "refinement", "--source", source["id"])
    assert made["sources"] == [source["id"]]
    assert made["kind"] == "refinement"
    assert made["new"] is True


def test_a_thought_for_all_is_nobodys_and_one_from_a_tainted_session_says_so(fresh: Home, terminal: Terminal) -> None:
    assert thought(terminal, LOCKS, "--global")["project"] == ""
    fresh.answer(fresh.event("SessionStart", source="startup"))
    once.put(fresh.state, fresh.episode().key, once.TAINT, "web")
    assert thought(terminal, MAILS, env=SESSION)["origin"] == "web"


def test_a_secret_in_a_thought_is_not_kept(fresh: Home, terminal: Terminal, token: str) -> None:
    made = terminal("think", f"The deploy uses {token} as its key")
    assert "note: secrets were redacted" in made.out
    files = [path for path in fresh.vault.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if token.encode() in path.read_bytes()]


def test_while_capture_is_off_nothing_is_thought(fresh: Home, terminal: Terminal) -> None:
    done = terminal("think", LOCKS, env={"HOLDFAST": "off"})
    assert done.status != 0
    assert not (fresh.vault / "thoughts").exists()


def test_a_kind_that_nothing_is_of_is_refused_and_a_category_that_was_given_is_known(
    shop: Home, terminal: Terminal
) -> None:
    done = terminal("recall", "--kind", "nosuch", *QUERY)
    assert (done.status, done.out) == (2, "")
    assert 'Nothing here is of the kind "nosuch"; nothing was looked up. There are original, ' in done.err
    assert terminal("recall", "--kind", "decision", *QUERY).err == "", "there may be some one day"
    thought(terminal, "Orders are locked by their version", "--category", "nosuch")
    assert [one["category"] for one in results(terminal, "--kind", "nosuch", *QUERY)] == ["nosuch"]


@pytest.mark.slow
def test_of_a_long_note_each_word_is_shown_once_and_the_part_that_was_asked_for(shop: Home, terminal: Terminal) -> None:
    begins = "The exporter writes a table for the accountant every night at two, read from the replica. " * 3
    body = f"{begins}{'Nobody has to look at it. ' * 20}Rounding is half up; the zebra setting turns it off."
    assert terminal("remember", body).status == 0
    shown = terminal("recall", "zebra", "setting").out
    assert "the zebra setting turns it off" in shown
    assert shown.count("The exporter writes") == 1
    (best,) = results(terminal, "zebra", "setting")
    assert best["text"] == body, "its description is a beginning of it"


# --- highways, rebuild


def test_what_was_beside_it_once_says_once(shop: Home, terminal: Terminal) -> None:
    terminal("recall", "orders", "locked", "mails", "bounce")
    for env in (SESSION, SESSION):
        terminal("recall", "orders", "locked", env=env)
    assert "beside it once: mails" in terminal("highways").out


def test_a_highway_is_shown_with_who_used_it_and_what_lies_beside_it(shop: Home, terminal: Terminal) -> None:
    assert "no highway yet" in terminal("highways").out
    for env in ({}, SESSION, {"CODEX_THREAD_ID": "c1"}):
        terminal("recall", "orders", "locked", "mails", "bounce", env=env)
    done = terminal("highways")
    assert done.out.startswith(("1. locks", "1. mails"))
    assert "read 3 times by operator, claude-code/s1, codex/c1" in done.out
    assert "beside it 3 times: " in done.out
    assert terminal("highways", "sourdough", "recipe").out == "No highway bears on that.\n"
    found = json.loads(terminal("highways", "--json", "bounced", "mails").out)["highways"]
    assert found[0]["text"] == MAILS
    assert {"id", "path", "score", "weight", "accesses", "agents", "beside"} <= set(found[0])


def test_a_rebuild_gives_the_same_answers_and_weights(shop: Home, terminal: Terminal) -> None:
    thought(terminal, "Row locks are slow")
    for _ in range(3):
        terminal("recall", *QUERY)
    before = results(terminal, *QUERY, "--read-only")
    for path in Path(shop.state).glob("field.db*"):
        path.unlink()
    done = terminal("rebuild")
    assert done.status == 0
    assert "The field has 3 thoughts" in done.out
    after = results(terminal, *QUERY, "--read-only")
    still = ("id", "text", "accesses", "path")
    assert [[one[name] for name in still] for one in after] == [[one[name] for name in still] for one in before]
    assert [one["weight"] for one in after] == pytest.approx([one["weight"] for one in before], abs=0.01)
    assert json.loads(terminal("rebuild", "--json").out)["thoughts"] == 3


def test_a_rebuild_without_a_vault_makes_none(fresh: Home, terminal: Terminal) -> None:
    done = terminal("rebuild")
    assert done.status == 4
    assert "nothing was made" in done.err
    assert not fresh.vault.exists()
