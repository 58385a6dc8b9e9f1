"""Forgetting a thought: withdrawn by a record that counts wherever it stands, or purged from every log and history."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import NOW, SHOP, Room, texts
from hook_support import Home, Terminal

from holdfast.capture import codec, config, home, log
from holdfast.capture.gate import BY_USER
from holdfast.capture.purging import Scrubber
from holdfast.errors import NotFound, NotSaved
from holdfast.field import coverage, highways, intake, think, traffic
from holdfast.field.store import Scope
from holdfast.field.thought import WITHDRAWN, Thought, from_record, withdrawal
from holdfast.vault import own_files, purge, purge_history
from holdfast.vault.transaction import writing

SAID = "Orders are locked optimistically since the double booking"
OTHER = "Bounced mails are retried by the provider four times"
QUERY = "why are orders locked"


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def everything(vault: str) -> bytes:
    """All bytes below a vault, git's objects unpacked."""
    parts = []
    for top, _, names in os.walk(vault):
        for path in (Path(top, name) for name in names if not Path(top, name).is_symlink()):
            parts.append(path.read_bytes())
            if "/objects/" in f"{top}/" and parts[-1][:1] == b"x":
                parts.append(zlib.decompress(parts[-1]))
    whole = ["git", "-C", vault, "cat-file", "--batch-all-objects", "--batch"]
    return b"\n".join([*parts, subprocess.run(whole, capture_output=True, check=True).stdout])


def committed(vault: str) -> None:
    with writing(vault, NOW) as writer:
        own_files.commit(writer)
    assert b"thoughts/" in subprocess.run(["git", "-C", vault, "ls-files"], capture_output=True, check=True).stdout


def test_a_withdrawn_thought_is_found_by_nothing_and_its_log_keeps_it(room: Room) -> None:
    made = room.think(SAID).thought
    room.think(OTHER)
    for agent in ("ada", "bob", "eve"):
        room.read(QUERY, agent)
    assert [one.thought.id for one in highways.highways(room.field, Scope(SHOP), QUERY)][:1] == [made.id]
    assert think.withdraw(room.field, [made.id]) == (made.id,)
    assert SAID not in texts(room.ask(QUERY))
    assert made.id not in [one.thought.id for one in highways.highways(room.field, Scope(SHOP))]
    assert think.logged(room.vault)[made.id].text == SAID
    assert texts(room.ask("bounced mails"))[:1] == [OTHER]


@pytest.mark.parametrize("again", [SAID, f"{SAID} now"])
def test_said_again_after_it_was_withdrawn_it_is_a_new_thought(room: Room, again: str) -> None:
    first = room.think(SAID).thought
    think.withdraw(room.field, [first.id])
    second = room.think(again)
    assert second.is_new
    assert second.thought.id != first.id
    assert [one.thought.id for one in room.ask(QUERY).results] == [second.thought.id]


def test_what_was_withdrawn_is_no_source_of_anything(room: Room) -> None:
    first = room.think(SAID).thought
    think.withdraw(room.field, [first.id])
    with pytest.raises(NotFound, match="nothing was written"):
        room.think("Orders are locked and mails are retried", kind="refinement", sources=(first.id,))


def test_withdrawing_twice_writes_once(room: Room) -> None:
    made = room.think(SAID).thought
    assert think.withdraw(room.field, [made.id, made.id]) == (made.id,)
    before = traffic.logs(room.vault)
    assert think.withdraw(room.field, [made.id, "01NOBODY"]) == ()
    assert traffic.logs(room.vault) == before


def test_a_rebuild_gives_the_same(room: Room) -> None:
    made = room.think(SAID, context="after the outage").thought
    kept = room.think(OTHER).thought
    think.withdraw(room.field, [made.id])
    before = room.field.store.thoughts([made.id, kept.id])
    assert before[made.id].superseded_by == WITHDRAWN
    intake.rebuild(room.field)
    assert room.field.store.thoughts([made.id, kept.id]) == before
    assert SAID not in texts(room.ask(QUERY))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_records_of_several_machines_agree_in_any_order(room: Room, order: tuple[int, ...]) -> None:
    one = Thought("01ONE", SAID, project=SHOP, created=NOW)
    said = [one, withdrawal(one.id, NOW + 5), Thought("01ONE", SAID, "more of it", project=SHOP, created=NOW)]
    for machine, which in enumerate(order):
        path = Path(room.vault, "thoughts", f"m{machine}", "live", "01.log")
        path.parent.mkdir(parents=True)
        path.write_bytes(log.frame(codec.encode(said[which].as_record())))
        intake.synced(room.field)
    assert room.field.store.thoughts([one.id])[one.id].superseded_by == WITHDRAWN
    assert room.field.store.thoughts([one.id])[one.id].context == "more of it"
    assert room.ask(QUERY).results == ()
    assert think.meant(room.vault, "locked", Scope(SHOP)) == []


def test_a_log_of_another_machine_that_was_rewritten_brings_nothing_back(room: Room) -> None:
    made = room.think(SAID).thought
    think.withdraw(room.field, [made.id])
    path = Path(room.vault, "thoughts", "other", "live", "01.log")
    path.parent.mkdir(parents=True)
    theirs = [Thought(f"01OTHER{nth}", f"{OTHER} {nth}", project=SHOP, created=NOW) for nth in range(2)]
    for some in (theirs, theirs[1:]):
        path.write_bytes(b"".join(log.frame(codec.encode(one.as_record())) for one in some))
        intake.synced(room.field)
    assert room.field.store.thoughts([one.id for one in theirs]).keys() == {theirs[1].id}
    assert room.field.store.thoughts([made.id])[made.id].superseded_by == WITHDRAWN


def test_a_withdrawal_that_the_index_has_not_read_is_told_as_behind(room: Room) -> None:
    made = room.think(SAID).thought
    assert not any(coverage.segments(room.vault, room.field.store))
    traffic.append(room.vault, [withdrawal(made.id, NOW)], NOW)
    assert any(coverage.segments(room.vault, room.field.store))
    intake.synced(room.field)
    assert not any(coverage.segments(room.vault, room.field.store))


def test_a_withdrawal_comes_back_from_its_record_and_has_no_word_of_the_thought() -> None:
    made = withdrawal("01ONE", NOW)
    assert from_record(made.as_record()) == made
    assert made.is_withdrawal
    assert "text" not in made.as_record()


def test_the_index_may_be_broken_and_the_word_still_counts(room: Room) -> None:
    made = room.think(SAID).thought
    room.close()
    Path(room.vault, ".state/field.db").write_bytes(b"no database" * 500)
    room.reopen()
    assert think.withdraw(room.field, [made.id]) == (made.id,)
    intake.synced(room.field)
    assert SAID not in texts(room.ask(QUERY))


def test_where_nothing_can_be_written_nothing_is_withdrawn(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    made = room.think(SAID).thought

    def full(*_: object, **__: object) -> None:
        raise NotSaved("NOT saved: the disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(log, "write", full)
        with pytest.raises(NotSaved):
            think.withdraw(room.field, [made.id])
    assert texts(room.ask(QUERY))[:1] == [SAID]


def test_words_mean_this_projects_thoughts_and_the_global_ones(room: Room) -> None:
    mine = room.think(SAID).thought
    room.now += 1
    everyones = room.think("Locked files are skipped", project="").thought
    theirs = room.think("Locked doors", project="other-1").thought
    room.think(OTHER)
    assert [one.id for one in think.meant(room.vault, "LOCKED", Scope(SHOP))] == [mine.id, everyones.id]
    assert think.meant(room.vault, theirs.id, Scope(SHOP)) == []
    assert think.meant(room.vault, theirs.id, Scope(None)) == [theirs]
    assert think.meant(room.vault, " ", Scope(None)) == []


def test_a_withdrawn_one_is_meant_by_its_id_and_by_words_only_where_a_purge_asks(room: Room) -> None:
    made = room.think(SAID).thought
    think.withdraw(room.field, [made.id])
    assert think.meant(room.vault, "locked", Scope(SHOP)) == []
    for wanted in (made.id, "locked"):
        (found,) = think.meant(room.vault, wanted, Scope(SHOP), withdrawn=True)
        assert found.id == made.id


@pytest.mark.slow
@pytest.mark.parametrize("said", [SAID, "Ask Zoe"])
@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_nothing_of_a_purged_thought_is_left_in_logs_history_queries_and_index(
    room: Room, said: str, is_withdrawn: bool
) -> None:
    made = room.think(said, context="Said by nobody but Zoe in the corridor").thought
    kept = room.think(OTHER).thought
    room.think(said, tags=("more",))
    committed(room.vault)
    room.read(said)
    if is_withdrawn:
        think.withdraw(room.field, [made.id])
    done = purge.carry_out(room.vault, purge.plan(room.vault, thoughts=[made.id]), NOW, by=BY_USER)
    assert (done.left, done.thoughts) == ((), (made.id,))
    held = everything(room.vault)
    assert said.encode() not in held or said == "Ask Zoe", "a query of two words is nobody's secret"
    assert b"corridor" not in held
    assert list(think.logged(room.vault)) == [kept.id]
    room.reopen()
    intake.synced(room.field)
    assert room.field.store.thoughts([made.id, kept.id]) == {kept.id: kept}
    assert room.think(said).is_new


@pytest.mark.slow
def test_a_thought_of_two_words_goes_and_the_words_stay_elsewhere(room: Room) -> None:
    made = room.think("Ask Zoe").thought
    path = room.note("whom", "Whom to ask: Ask Zoe or Bob about the proxy")
    committed(room.vault)
    purge.carry_out(room.vault, purge.plan(room.vault, thoughts=[made.id]), NOW, by=BY_USER)
    assert "Ask Zoe or Bob" in Path(room.vault, path).read_text(encoding="utf-8")
    assert made.id.encode() not in b"".join(Path(room.vault, one).read_bytes() for one, _ in traffic.logs(room.vault))


def test_a_plan_names_what_quotes_a_thought_and_not_its_own_log(room: Room) -> None:
    made = room.think(SAID).thought
    path = room.note("locking", f"It was said that: {SAID}. More of it follows")
    plan = purge.plan(room.vault, thoughts=[made.id])
    assert (plan.quoted, plan.records, plan.notes) == ((path,), 1, ())
    assert plan.lines()[:2] == ["1 thought: every record, in the history too", "1 record of the logs"]


@pytest.mark.slow
def test_a_thought_that_nobody_committed_yet_is_purged_and_its_neighbours_stay(room: Room) -> None:
    made = room.think(SAID).thought
    kept = room.think(OTHER).thought
    assert purge.carry_out(room.vault, purge.plan(room.vault, thoughts=[made.id]), NOW, by=BY_USER).left == ()
    assert SAID.encode() not in everything(room.vault)
    assert list(think.logged(room.vault)) == [kept.id]


@pytest.mark.slow
def test_what_is_thought_while_a_purge_replaces_the_log_is_kept(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    made = room.think(SAID).thought
    committed(room.vault)
    meanwhile: list[Thought] = []
    scrub = purge_history.scrub

    def slowly(raw: bytes, scrubber: Scrubber) -> bytes:
        after = scrub(raw, scrubber)
        if after != raw and not meanwhile:
            meanwhile.append(room.think(OTHER).thought)
        return after

    plan = purge.plan(room.vault, thoughts=[made.id])
    monkeypatch.setattr(purge_history, "scrub", slowly)
    assert purge.carry_out(room.vault, plan, NOW, by=BY_USER).left == ()
    assert list(think.logged(room.vault)) == [one.id for one in meanwhile] != []


def killed_at(vault: str, ident: str, nth: int) -> None:
    """Carry the purge out in a process that is killed at its n-th step."""
    child = os.fork()
    if not child:
        steps = itertools.count(1)

        def die(_: str) -> None:
            if next(steps) == nth:
                os.kill(os.getpid(), signal.SIGKILL)

        purge.carry_out(vault, purge.plan(vault, thoughts=[ident]), NOW, die, by=BY_USER)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("nth", range(1, 8))
def test_a_purge_killed_between_two_steps_is_finished_by_the_next(room: Room, nth: int) -> None:
    made = room.think(SAID).thought
    kept = room.think(OTHER).thought
    committed(room.vault)
    room.close()
    killed_at(room.vault, made.id, nth)
    later = purge.unfinished(room.vault)
    assert (later is None) == (nth == 7), "the last step is when all is done"
    if later:
        assert purge.carry_out(room.vault, later, NOW, by=BY_USER).left == ()
    assert SAID.encode() not in everything(room.vault)
    assert list(think.logged(room.vault)) == [kept.id]
    room.reopen()


@pytest.fixture
def shop(fresh: Home) -> Home:
    """A vault whose machine searches by words alone: a model takes its time to load."""
    home.make_vault(str(fresh.vault))
    Path(config.path_of(fresh.state)).write_text('[embed]\nname = "none"\n', encoding="utf-8")
    return fresh


def thought(terminal: Terminal, text: str, *more: str) -> str:
    return str(json.loads(terminal("think", "--json", text, *more).out)["id"])


def test_show_prints_a_thought_with_where_it_is_from_and_leaves_no_trace(terminal: Terminal, shop: Home) -> None:
    first = thought(terminal, OTHER)
    ident = thought(terminal, SAID, "--context", "after the outage", "--tag", "orders", "--source", first)
    before = traffic.travels(str(shop.vault), 0)
    done = terminal("show", ident)
    assert (done.status, done.err) == (0, "")
    project = shop.project_id()
    assert f"thought {ident} [original], for project {project}, weight 1.00" in done.out
    for line in ("context: after the outage", "tags: orders", f"sources: {first}", SAID):
        assert line in done.out.splitlines()
    told = json.loads(terminal("show", "--json", ident).out)
    assert (told["text"], told["context"], told["weight"]) == (SAID, "after the outage", 1.0)
    assert traffic.travels(str(shop.vault), 0) == before


def test_show_knows_another_projects_thought_only_with_all(terminal: Terminal, tmp_path: Path, shop: Home) -> None:
    ident = thought(terminal, SAID)
    assert shop.vault.exists()
    done = terminal("show", ident, cwd=tmp_path)
    assert (done.status, SAID in done.out) == (4, False)
    assert SAID in terminal("show", "--all", ident, cwd=tmp_path).out


@pytest.mark.usefixtures("shop")
def test_show_says_of_a_forgotten_thought_that_it_is_withdrawn(terminal: Terminal) -> None:
    ident = thought(terminal, SAID)
    terminal("forget", ident)
    assert "superseded by: withdrawn" in terminal("show", ident).out


@pytest.mark.usefixtures("shop")
def test_forget_takes_an_id_unasked_and_says_that_the_log_keeps_it(terminal: Terminal) -> None:
    ident = thought(terminal, SAID)
    done = terminal("forget", ident)
    assert (done.status, done.err) == (0, "")
    assert SAID in done.out
    assert "its log keeps it" in done.out
    assert terminal("recall", QUERY).status == 1
    assert terminal("forget", ident).status == 0, "twice is as once"


@pytest.mark.slow
@pytest.mark.usefixtures("shop")
def test_forget_lists_thoughts_beside_notes_and_asks_where_words_were_given(terminal: Terminal) -> None:
    terminal("remember", "Locked orders are shown in grey")
    ident = thought(terminal, SAID)
    done = terminal("forget", "locked")
    assert done.status == 2
    assert "Forget these 2?" in done.err
    assert f"thought {ident}: {SAID}" in done.out
    told = json.loads(terminal("forget", "--yes", "--json", "locked").out)
    assert told["forgotten"] == ["knowledge/locked-orders-are-shown-in-grey.md", ident]
    assert terminal("forget", "locked").status == 4


@pytest.mark.slow
@pytest.mark.usefixtures("shop")
def test_the_whole_name_of_a_note_means_no_thought(terminal: Terminal) -> None:
    terminal("remember", "Locked orders")
    ident = thought(terminal, "Locked orders are locked optimistically")
    assert ident not in terminal("forget", "locked-orders").out
    assert ident in terminal("forget", "optimistically").out


@pytest.mark.slow
def test_forget_purge_takes_words_and_leaves_nothing(terminal: Terminal, shop: Home) -> None:
    ident = thought(terminal, SAID)
    kept = thought(terminal, OTHER)
    terminal("recall", SAID)
    terminal("forget", ident)
    done = terminal("forget", "--purge", "--yes", "--json", "double", "booking")
    assert done.status == 2, "several words are one argument"
    told = json.loads(terminal("forget", "--purge", "--yes", "--json", "double booking").out)
    assert (told["purged"], told["left"]) == ([ident], [])
    assert SAID.encode() not in everything(str(shop.vault))
    assert terminal("forget", "--purge", "--yes", ident).status == 4
    assert json.loads(terminal("recall", "--json", "bounced mails").out)["results"][0]["id"] == kept


def test_another_projects_thought_is_nobodys_to_forget_without_all(
    terminal: Terminal, tmp_path: Path, shop: Home
) -> None:
    ident = thought(terminal, SAID)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for line in (("forget", ident), ("forget", "--purge", "--yes", "locked")):
        assert terminal(*line, cwd=elsewhere).status == 4
    assert list(think.logged(str(shop.vault))) == [ident]
    assert terminal("forget", "--all", ident, cwd=elsewhere).status == 0
