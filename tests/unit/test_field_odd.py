"""The field under odd input and odd luck: half characters, foreign records, harm to its file, clocks set back, ties."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from field_support import NOW, SHOP, Directions, Room, garble, texts
from hook_support import Home, Terminal

from holdfast.capture import codec, config, home, log, platform, segments
from holdfast.field import handle, highways, intake, traffic, words
from holdfast.field.sqlite import schema
from holdfast.field.store import Scope
from holdfast.field.thought import Thought
from holdfast.field.traffic import GOT, Event
from holdfast.vault import journal, notes

HALF = "x\udcff"  # as a byte that is no UTF-8 comes in from a command line
OTHER = "thoughts/other/live"


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def from_elsewhere(room: Room, *said: dict[str, Any], folder: str = OTHER) -> None:
    """Another machine's thoughts, as a sync puts them there: another file takes the place of the one before."""
    live = Path(room.vault) / folder
    live.mkdir(parents=True, exist_ok=True)
    base = {"v": 1, "kind": "original", "created": NOW, "project": SHOP}
    raw = b"".join(log.frame(codec.encode({**base, **one})) for one in said)
    (live / "fresh").write_bytes(raw)
    os.replace(live / "fresh", live / "01.log")


def harm(vault: str) -> None:
    """The tables of thoughts are garbage; the file can be opened all the same."""
    garble(vault, "tbl_name = 'thought'")


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The billing cluster runs in eu-west-1", "The billing cluster runs in us-west-1"),
        ("Team B owns the payments service and its rota", "Team A owns the payments service and its rota"),
        ("Retry when status != 200 in the client loop", "Retry when status == 200 in the client loop"),
        ("Alert when latency > 300 ms on the gateway", "Alert when latency < 300 ms on the gateway"),
        ("The parser of the importer is written in C#", "The parser of the importer is written in C++"),
        ("The offset of the time zone is -5", "The offset of the time zone is +5"),
        ("Deploy of billing \u2705", "Deploy of billing \u274c"),
        ("Is the cache shared between workers?", "The cache is shared between workers"),
        ("We rejected the plan to store tokens in Redis", "We plan to store tokens in Redis"),
        ("Stop using mocks in the tests of the payments", "Using mocks in the tests of the payments"),
        ("Il server non supporta HTTP2 sul gateway", "Il server supporta HTTP2 sul gateway"),
        ("We used Redis for sessions", "We use Redis for sessions"),
        ("\u0926\u093f\u0928", "\u0926\u0940\u0928"),  # two words of Hindi that differ in a vowel
    ],
)
def test_a_sign_or_a_word_that_matters_makes_another_thought(room: Room, first: str, other: str) -> None:
    assert room.think(first).is_new
    assert room.think(other).is_new
    assert not room.think(other).is_new


@pytest.mark.parametrize(
    ("first", "other"),
    [("10\u00b2 rows", "102 rows"), ("\u00bd a cup", "12 a cup"), ("step \u2460", "step 1"), ("x\u2082", "x2")],
)
def test_a_raised_ringed_or_broken_digit_is_another_one(room: Room, first: str, other: str) -> None:
    assert words.normal(first) != words.normal(other)
    assert not words.adds_nothing(first, other)
    assert room.think(first).is_new
    assert room.think(other).is_new


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("the \uff21\uff30\uff29 key is 12", "the API key is \uff11\uff12"),
        ("caf\u00e9 orders", "cafe\u0301 orders"),
        ("the o\ufb03ce \ufb01le", "the office file"),
        ("\uff76\uff9e\uff72\uff84\uff9e", "\u30ac\u30a4\u30c9"),
        ("two\u00a0words", "two words"),
        ("Stra\u00dfe", "STRASSE"),
    ],
)
def test_the_same_sign_written_in_another_way_is_the_same(room: Room, first: str, again: str) -> None:
    assert words.normal(first) == words.normal(again)
    assert words.adds_nothing(again, first)
    assert room.think(first).is_new
    assert not room.think(again).is_new


def test_words_that_only_fill_may_be_left_out_and_not_put_in(room: Room) -> None:
    room.think("We always run every test on the old machine")
    assert not room.think("Run test on the old machine").is_new
    room.think("Orders are retried by the worker")
    assert room.think("Orders are always retried by the worker").is_new


def test_outside_text_does_not_stand_for_the_word_of_the_user(room: Room) -> None:
    said = "The vendor allows 100 calls a minute"
    room.think(said, origin="web")
    assert room.think(said, origin="user").thought.origin == "user"
    assert not room.think(said, origin="user").is_new
    assert not room.think(said, origin="web").is_new
    assert texts(room.ask("vendor calls", trust=("user",))) == [said]


def test_half_a_character_in_a_name_harms_nothing(room: Room) -> None:
    made = room.think("Zebras graze", space=HALF, category=f"{HALF}\n\x1b[31m", contributor=HALF, tags=(HALF,)).thought
    assert made.category == "x\ufffd [31m"
    assert texts(room.ask("zebras", space=HALF)) == ["Zebras graze"]
    assert not room.think("Zebras graze", space=HALF).is_new
    room.think("Bears sleep", space="den " * 40)
    assert texts(room.ask("bears", space="den " * 40)) == ["Bears sleep"]


def test_half_a_character_in_a_question_harms_no_later_one(room: Room) -> None:
    room.think("Zebras graze")
    assert texts(room.read(f"zebras {HALF}")) == ["Zebras graze"]
    room.ask("zebras", agent=HALF, kinds=(HALF,), trust=(HALF,))
    room.ask("zebras", project=HALF)
    assert highways.highways(room.field, Scope(HALF), f"zebras {HALF}") == []
    assert intake.rebuild(room.field).thoughts == 1
    assert room.field.store.asked(0, 9)[0].query == "zebras x?"


@pytest.mark.parametrize(
    "strange",
    [
        {"origin": ["user"]},
        {"context": None},
        {"project": 5},
        {"space": {}},
        {"start": "much"},
        {"start": 10**400},
        {"agent": 2**70},
        {"created": 10**400},
    ],
)
def test_a_record_that_is_no_thought_is_set_aside_and_the_others_are_there(room: Room, strange: dict[str, Any]) -> None:
    from_elsewhere(room, {"id": "a", "text": "Zebras graze", **strange}, {"id": "b", "text": "Bears sleep"})
    assert len(intake.sync(room.field).broken) == 1
    assert texts(room.ask("zebras bears")) == ["Bears sleep"]


def test_half_a_character_that_another_machine_wrote_costs_that_character(room: Room) -> None:
    from_elsewhere(room, {"id": "a", "text": f"Zebras graze {HALF}", "category": HALF})
    intake.sync(room.field)
    assert texts(room.ask("zebras")) == ["Zebras graze x?"]


def test_a_log_that_was_rewritten_and_grew_is_read_anew(room: Room) -> None:
    lions = {"id": "a", "text": "Lions hunt"}
    from_elsewhere(room, lions, {"id": "b", "text": "Zebras hold a secret"})
    intake.sync(room.field)
    from_elsewhere(room, lions, {"id": "c", "text": "Bears fish all summer long"}, {"id": "d", "text": "Owls watch"})
    assert not intake.sync(room.field).broken
    assert texts(room.ask("zebras secret")) == []
    assert texts(room.ask("bears")) == ["Bears fish all summer long"]


def test_a_thought_of_a_clock_that_was_set_back_is_found(room: Room) -> None:
    for nth in range(traffic.NEWEST + 1):
        room.think(f"Matter{nth} lies in drawer{nth}")
        os.unlink(f"{traffic.own(room.vault)}/current")  # the next one goes to a new segment
        room.now += 100
    room.now -= 1e6
    room.think("Penguins swim north")
    room.think("Walruses bask")
    assert texts(room.ask("walruses bask", most=1)) == ["Walruses bask"]
    assert not room.think("Walruses bask").is_new


def test_a_store_that_is_broken_refuses_no_thought(room: Room) -> None:
    room.think("Zebras graze")
    room.close()
    harm(room.vault)
    room.reopen()
    assert room.think("Bears sleep").is_new
    assert set(texts(room.ask("zebras bears"))) == {"Zebras graze", "Bears sleep"}


def test_a_store_that_a_stranger_holds_refuses_no_thought(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.think("Zebras graze")
    monkeypatch.setattr(schema, "PATIENCE", 0.0)
    room.reopen()
    stranger = sqlite3.connect(handle.path_of(room.vault), isolation_level=None)
    stranger.execute("BEGIN IMMEDIATE")
    assert room.think("Bears sleep").is_new
    stranger.execute("ROLLBACK")
    stranger.close()
    intake.sync(room.field)
    assert texts(room.ask("bears")) == ["Bears sleep"]


@pytest.mark.slow
def test_where_scores_are_equal_a_rebuild_cuts_at_the_same_place(room: Room) -> None:
    ids = [f"t{nth * 7 % 1000:03}" for nth in range(1000)]
    made = [{"id": one, "text": f"redis word{nth % 40}"} for nth, one in enumerate(ids)]
    from_elsewhere(room, *made[:500], folder="thoughts/zeta/live")
    intake.sync(room.field)
    from_elsewhere(room, *made[500:], folder="thoughts/alpha/live")
    intake.sync(room.field)
    before = room.field.store.lexical(["redis"], Scope(SHOP), 600)
    intake.rebuild(room.field)
    assert room.field.store.lexical(["redis"], Scope(SHOP), 600) == before


def test_the_vectors_of_a_model_that_served_go_with_it(room: Room) -> None:
    room.think("Zebras graze")
    room.embedder = Directions("other-16", 16)
    room.reopen()
    intake.sync(room.field)
    assert len(list(Path(home.state(room.vault)).glob("field.db.vectors-*"))) == 1
    assert texts(room.ask("zebras")) == ["Zebras graze"]


def test_what_lies_beside_a_highway_is_not_told_from_another_project(room: Room) -> None:
    room.think("Orders use locking")
    room.think("Orders of the bank are secret", project="bank-1")
    for agent in ("ada", "bob", "cid"):
        room.read("orders", agent, project=None)
    (here,) = highways.highways(room.field, Scope(SHOP))
    assert here.beside == ()
    assert all(one.beside for one in highways.highways(room.field, Scope()))


@pytest.mark.slow
def test_the_highway_of_a_question_need_not_be_among_the_busiest_of_all(room: Room) -> None:
    made = [Thought(f"t{nth}", f"Topic{nth} is known", project=SHOP, created=NOW) for nth in range(highways.POOL + 1)]
    traffic.append(room.vault, made, NOW)
    for one in made:
        for nth in range(3 if one is made[-1] else 4):
            traffic.travel(room.vault, Event(NOW, GOT, (one.id,), "ab"[nth % 2], "", SHOP))
    intake.sync(room.field)
    assert highways.highways(room.field, Scope(SHOP), f"topic{highways.POOL}")[0].thought == made[-1]


def test_whoever_replaces_a_live_log_waits_for_who_is_about_to_write(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.think("The moon base opens its gates in March")
    platform.make_folders(journal._folder(room.vault))
    (log,) = Path(room.vault).glob("thoughts/*/live/*.log")
    folder = f"{room.vault}/thoughts/{traffic.machine()}"
    begun: list[int] = []
    exchange = journal._exchange

    def meanwhile(*paths: str) -> None:
        begun.append(segments._open_current(folder, segments.ROLL_AT, f"{traffic.own(room.vault)}/current")[0])
        exchange(*paths)

    monkeypatch.setattr(journal, "_exchange", meanwhile)
    change = journal.File(str(log.relative_to(room.vault)), journal.digest(log.read_bytes()), "")
    assert journal._write(room.vault, change) is None
    assert begun
    assert all(fd < 0 for fd in begun), "a writer got into a file that is about to go"


# --- the command line


@pytest.fixture
def bare(fresh: Home) -> Home:
    """A vault whose machine searches by words alone."""
    home.make_vault(str(fresh.vault))
    Path(config.path_of(fresh.state)).write_text('[embed]\nname = "none"\n', encoding="utf-8")
    return fresh


@pytest.mark.slow
def test_what_a_note_says_does_not_steer_the_terminal(bare: Home, terminal: Terminal) -> None:
    terminal("remember", "Zebras graze")
    (path,) = (bare.vault / "knowledge").glob("*.md")
    text = path.read_text(encoding="utf-8") + "\nand \x1b]0;owned\x07 \x1b[2J sleep \x9b31m\n"
    path.with_name("evil\x1b[31m.md").write_text(text, encoding="utf-8")
    for env in ({}, {"CLAUDE_CODE_SESSION_ID": "s1"}, {"CODEX_THREAD_ID": "c1"}):
        shown = terminal("recall", "zebras", env=env).out
        assert "sleep" in shown
        assert all(line.isprintable() for line in shown.splitlines())
    shown = terminal("highways").out
    assert "evil" in shown
    assert all(line.isprintable() for line in shown.splitlines())


@pytest.mark.slow
def test_what_took_the_place_of_a_note_is_not_told_from_another_project(bare: Home, terminal: Terminal) -> None:
    terminal("remember", "Zebras graze in the morning")
    (path,) = (bare.vault / "knowledge").glob("*.md")
    given: dict[str, Any] = {
        "kind": "knowledge",
        "day": "2026-09-01",
        "origin": "user",
        "supersedes": [f"knowledge/{path.name}"],
    }
    said = "The bank is sold"
    secret = notes.new_text(name="secret", description=said, body=said, project="bank", **given)
    (bare.vault / "knowledge/secret.md").write_text(secret, encoding="utf-8")
    shown = terminal("recall", "zebras").out
    assert "superseded by" in shown
    assert "secret" not in shown
    assert "secret" in terminal("recall", "zebras", "--all").out


@pytest.mark.parametrize("command", ["recall", "highways"])
def test_an_index_that_turns_out_damaged_is_made_anew_by_whoever_asks(
    bare: Home, terminal: Terminal, command: str
) -> None:
    terminal("think", "Zebras graze")
    harm(str(bare.vault))
    assert terminal(command, "zebras").err == ""
    assert "Zebras graze" in terminal("recall", "zebras").out


def test_a_rebuild_heals_a_damaged_index(bare: Home, terminal: Terminal) -> None:
    terminal("think", "Zebras graze")
    harm(str(bare.vault))
    done = terminal("rebuild")
    assert (done.status, done.err) == (0, "")
    assert "Zebras graze" in terminal("recall", "zebras").out
