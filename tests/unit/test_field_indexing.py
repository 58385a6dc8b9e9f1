"""Notes, handoffs, tasks and thoughts as thoughts: what is taken in, when, and what it costs where nothing changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from field_support import DAY, SHOP, Directions, Room, believe_times, save, texts
from task_support import AGENT, PROJECT, Desk

from holdfast.capture import log
from holdfast.capture.gate import BY_USER
from holdfast.errors import Busy
from holdfast.field import intake, retrieval, sources, traffic, words
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, note_id
from holdfast.tasks import states, task_end
from holdfast.vault import lineage, notes, prompts, purge
from holdfast.vault.lineage import Handoff
from holdfast.vault.transaction import writing


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def found(room: Room, query: str, project: str | None = SHOP) -> list[str]:
    """What has any of these words once everything is taken in, by path."""
    intake.sync(room.field)
    hits = room.field.store.lexical(query.split(), Scope(project), 20)
    known = room.field.store.thoughts(hit.id for hit in hits)
    return [known[hit.id].path for hit in hits]


def test_a_note_is_a_thought_with_its_title_kind_and_day(room: Room) -> None:
    path = room.note("Locking", "Orders use optimistic locking", "rule", origin="user", sources=["01F"])
    assert found(room, "orders") == [path]
    one = room.ask("orders").results[0].thought
    assert (one.id, one.title, one.kind, one.category) == (note_id(path), "Locking", "note", "rule")
    assert (one.project, one.origin, one.sources) == (SHOP, "user", ("01F",))
    assert one.created == 1_788_220_800.0 + DAY - 1, "the end of the first of September 2026"
    assert one.text == "Orders use optimistic locking"


def test_a_global_note_is_everybodys_and_one_of_no_project_nobodys(room: Room) -> None:
    room.note("a", "Orders lock", project="global")
    room.note("b", "Orders lock too", project="other")
    room.note("c", "Orders lock three")
    path = Path(room.vault, "knowledge/c.md")
    path.write_text(path.read_text().replace(f"project: {SHOP}", "project: [x]"))
    assert found(room, "orders lock") == ["knowledge/a.md"]
    assert len(found(room, "orders lock", None)) == 3


def test_the_proof_below_a_note_is_not_what_it_says(room: Room) -> None:
    room.note("a", "Orders lock\n\nEvidence:\n- said in violet", description="Orders lock")
    assert found(room, "orders") == ["knowledge/a.md"]
    assert "violet" not in room.ask("orders").results[0].thought.text


@pytest.mark.parametrize(
    ("status", "told"),
    [("unconfirmed", "(said by the user, not confirmed)"), ("proposed", "(proposed by an agent, not accepted)")],
)
def test_what_does_not_bind_yet_says_so_where_it_is_recalled(room: Room, status: str, told: str) -> None:
    path = room.note("a", "Orders lock", "feedback", status=status)
    assert found(room, "orders") == [path]
    assert room.ask("orders").results[0].thought.text.endswith(told)


def test_an_edited_note_is_found_by_its_new_words_only(room: Room) -> None:
    path = room.note("a", "Orders use locking")
    room.note("b", "Prices are cached")
    assert found(room, "locking") == [path]
    room.note("a", "Orders use versions")
    assert found(room, "versions") == [path]
    assert found(room, "locking") == []


def test_a_note_saved_in_place_is_seen_at_the_next_look_in_a_small_vault(room: Room) -> None:
    """Its folder does not change, and nobody of ours wrote it."""
    path = room.note("a", "Orders use locking")
    found(room, "orders")
    stamp = os.stat(f"{room.vault}/knowledge").st_mtime_ns
    file = Path(room.vault, path)
    with file.open("r+") as opened:
        text = opened.read()
        opened.seek(0)
        opened.write(text.replace("locking", "turnips"))
    room.now += 1
    assert os.stat(f"{room.vault}/knowledge").st_mtime_ns == stamp
    assert found(room, "turnips") == [path]


def test_two_edits_within_one_tick_of_the_clock_are_both_seen(room: Room) -> None:
    path = room.note("a", "Orders use locking")
    file = Path(room.vault, path)
    text = file.read_text()
    for word in ("turnips", "carrots"):
        file.write_text(text.replace("locking", word))
        assert found(room, word) == [path]


def test_notes_that_are_removed_renamed_or_quarantined_are_gone(room: Room) -> None:
    room.note("a", "Orders lock a"), room.note("b", "Orders lock b"), room.note("c", "Orders lock c")
    assert len(found(room, "orders lock")) == 3
    top = Path(room.vault)
    os.unlink(top / "knowledge/a.md")
    os.rename(top / "knowledge/b.md", top / "knowledge/renamed.md")
    os.makedirs(top / "quarantine")
    os.rename(top / "knowledge/c.md", top / "quarantine/c.md")
    assert found(room, "orders lock") == ["knowledge/renamed.md"]


def test_notes_in_folders_below_are_found_and_links_are_not_followed(room: Room, tmp_path: Path) -> None:
    deep = Path(room.vault, "knowledge/deep/er")
    deep.mkdir(parents=True)
    room.note("a", "Orders lock")
    os.rename(f"{room.vault}/knowledge/a.md", deep / "a.md")
    (tmp_path / "outside.md").write_text("Orders lock outside")
    os.symlink(tmp_path, f"{room.vault}/knowledge/link")
    os.symlink(tmp_path / "outside.md", f"{room.vault}/knowledge/link.md")
    assert found(room, "orders") == ["knowledge/deep/er/a.md"]
    room.note("b", "Orders lock below")
    os.rename(f"{room.vault}/knowledge/b.md", deep / "b.md")
    assert sorted(found(room, "orders")) == ["knowledge/deep/er/a.md", "knowledge/deep/er/b.md"]


def test_a_file_that_is_no_note_is_left_aside_until_it_is_one(room: Room) -> None:
    room.note("good", "Orders lock")
    bad = Path(room.vault, "knowledge/bad.md")
    bad.write_bytes(b"\xff\xfe orders lock")
    assert found(room, "orders lock") == ["knowledge/good.md"]
    save(bad, Path(room.vault, "knowledge/good.md").read_text())
    assert sorted(found(room, "orders lock")) == ["knowledge/bad.md", "knowledge/good.md"]


def test_a_handoff_is_a_thought_of_its_project(room: Room) -> None:
    handoff = Handoff(
        "Checkout rewritten", "2026-09-20T10:00:00Z", SHOP, host="codex", episode="codex/s9/1", author="agent",
        sections={"decisions": ("orders use optimistic locking",), "next_steps": ("measure checkout",)},
    )  # fmt: skip
    path = Path(room.vault, lineage.path_for(handoff, "box"))
    path.parent.mkdir(parents=True)
    path.write_text(lineage.render(handoff))
    intake.sync(room.field)
    one = room.ask("optimistic locking").results[0].thought
    assert (one.category, one.title, one.agent, one.session) == ("handoff", "Checkout rewritten", "codex", "codex/s9/1")
    assert one.path == str(path.relative_to(room.vault))
    assert "Next steps: measure checkout" in one.text
    assert [hit.id for hit in room.field.store.lexical(["checkout"], Scope(SHOP, kinds=("handoff",)), 5)] == [one.id]


PROMPT = "Why does the checkout deadlock on row locks"
DIED = f"The session died without an end, so its work may be half done. Its last request was: {PROMPT}"


def handed(room: Room, **sections: tuple[str, ...]) -> str:
    asked = {"goals": (PROMPT,), "in_progress": (DIED,), "note": ("Written by holdfast from flags and prompts",)}
    made = Handoff(
        PROMPT, "2026-09-20T10:00:00Z", SHOP, host="codex", episode="codex/s9/1", author=lineage.MECHANICAL,
        sections={**asked, **sections},
    )  # fmt: skip
    path = Path(room.vault, lineage.path_for(made, "box"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lineage.render(made))
    return str(path.relative_to(room.vault))


def test_a_handoff_that_only_repeats_a_prompt_does_not_answer_it(room: Room) -> None:
    answer = room.note("locks", "Row locks deadlocked the checkout; orders are locked optimistically")
    handed(room)
    assert found(room, PROMPT) == [answer]


def test_of_a_mechanical_handoff_what_its_session_did_is_found_and_a_prompt_only_as_its_title(room: Room) -> None:
    path = handed(room, decisions=("orders are locked by their version",), files_modified=("src/orders.py",))
    intake.sync(room.field)
    (one,) = [one.thought for one in room.ask("locked by version").results]
    assert (one.path, one.title) == (path, PROMPT)
    assert one.text == f"{PROMPT}\nDecisions: orders are locked by their version\nFiles modified: src/orders.py"


def test_decisions_and_discoveries_of_tasks_are_thoughts_and_say_what_superseded_them(room: Room) -> None:
    desk = Desk(room.vault)
    desk.start()
    desk.say("--decision", "Orders lock their rows because two workers write")
    desk.say("--discovery", "Order 73 has no payment")
    desk.say("--progress", "COMPLETED: file 1")
    intake.sync(room.field)
    first = room.ask("orders rows lock", PROJECT.id).results[0].thought
    assert (first.category, first.kind, first.title) == ("decision", "note", "audit")
    assert first.path == "tasks/audit/session_memory.md"
    assert first.session == AGENT.episode
    assert room.ask("order 73 payment", PROJECT.id).results[0].thought.category == "discovery"
    assert room.field.store.count() == 2, "progress is no thought"
    desk.say("--decision", "Orders lock nothing because versions tell", "--supersedes", first.id[-6:])
    intake.sync(room.field)
    said = {one.thought.text[:18]: one.thought for one in room.ask("orders lock rows", PROJECT.id).results}
    assert said["Orders lock their "].superseded_by == said["Orders lock nothin"].id
    ordered = texts(room.ask("orders lock their rows because two workers write", PROJECT.id))
    assert ordered.index("Orders lock nothing because versions tell") < ordered.index(first.text)


def test_what_a_person_strikes_from_a_task_is_not_shown(room: Room) -> None:
    desk = Desk(room.vault)
    desk.start()
    desk.say("--discovery", "Order 73 has no payment")
    intake.sync(room.field)
    line = next(one for one in desk.page().splitlines() if "Order 73" in one)
    desk.edit(f"{line}\n", "")
    desk.show()
    intake.sync(room.field)
    assert texts(room.ask("order 73 payment", PROJECT.id)) == []


def finish(desk: Desk, to: str) -> None:
    task_end.finish(desk.vault, "", to, "over", AGENT, desk.clock, {})
    with writing(desk.vault, desk.clock()):
        pass


@pytest.mark.slow
def test_a_task_that_was_archived_keeps_its_thoughts_and_their_traffic(room: Room) -> None:
    desk = Desk(room.vault)
    desk.start()
    desk.say("--decision", "Orders lock their rows because two workers write")
    intake.sync(room.field)
    before = room.read("orders lock rows", project=PROJECT.id).results[0].thought
    finish(desk, states.COMPLETED)
    intake.sync(room.field)
    after = next(one for one in room.ask("orders lock rows", PROJECT.id).results if one.thought.id == before.id)
    assert after.thought.path == "outputs/session_memory_final_audit.md"
    assert after.accesses == 1


@pytest.mark.slow
def test_what_was_decided_in_a_task_that_was_given_up_binds_nobody(room: Room) -> None:
    desk = Desk(room.vault)
    desk.start()
    desk.say("--decision", "Orders lock their rows because two workers write")
    desk.say("--discovery", "Orders have no payment")
    intake.sync(room.field)
    assert room.field.store.count(Scope(kinds=("decision",))) == 1
    finish(desk, states.ABANDONED)
    intake.sync(room.field)
    assert room.field.store.count(Scope(kinds=("decision",))) == 0
    assert room.field.store.count(Scope(kinds=("discovery",))) == 1


def test_thoughts_of_another_machine_come_with_a_sync(room: Room, place: Path) -> None:
    room.think("Orders use locking")
    other = Room(f"{place}/other")
    theirs = other.think("Prices are cached").thought
    (path, _), *_ = traffic.logs(other.vault)
    there = Path(room.vault, "thoughts/other-machine/live")
    there.mkdir(parents=True)
    there.joinpath(Path(path).name).write_bytes(Path(other.vault, path).read_bytes())
    intake.sync(room.field)
    assert room.ask("prices").results[0].thought == theirs
    os.unlink(there / Path(path).name)
    intake.sync(room.field)
    assert texts(room.ask("prices")) == []
    other.close()


def test_a_damaged_record_is_set_aside_and_said_and_the_others_are_there(room: Room) -> None:
    room.think("Orders use locking")
    room.think("Prices are cached")
    (name, _), *_ = traffic.logs(room.vault)
    path = Path(room.vault, name)
    raw = bytearray(path.read_bytes())
    raw[60] ^= 1
    path.write_bytes(raw)
    with room.field.store.writing():
        room.field.store.clear()
    done = intake.sync(room.field)
    assert [(where, one.what) for where, one in done.broken] == [(name, log.DAMAGE)]
    assert texts(room.ask("prices orders")) == ["Prices are cached"]
    assert len(list(Path(room.vault, ".state/thoughts/broken").iterdir())) == 1


def test_a_torn_tail_costs_nothing_and_what_follows_it_is_found(room: Room) -> None:
    room.think("Orders use locking")
    (name, _), *_ = traffic.logs(room.vault)
    with Path(room.vault, name).open("ab") as file:
        file.write(log.frame(b'{"v":1}')[:12])
    assert intake.sync(room.field).broken == ()
    assert room.think("Prices are cached").is_new
    assert sorted(texts(room.ask("prices orders"))) == ["Orders use locking", "Prices are cached"]


@pytest.mark.slow
def test_what_is_purged_is_gone_from_thoughts_traffic_and_store(room: Room) -> None:
    said = "Zebras graze beside the checkout of the northern shop every single morning"
    room.think(said)
    room.think("Prices are cached for a day")
    path = room.note("zebra", said)
    intake.sync(room.field)
    room.read(said)
    room.close()
    purge.carry_out(room.vault, purge.plan(room.vault, path), room.now, by=BY_USER)
    room.reopen()
    assert intake.sync(room.field).broken == ()
    assert texts(room.ask("zebras prices", None)) == ["Prices are cached for a day"]
    room.close()
    for file in Path(room.vault).rglob("*"):
        assert not file.is_file() or b"northern shop" not in file.read_bytes(), file
    room.reopen()


def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every file that a sync reads, in order."""
    seen: list[str] = []
    real = sources.read

    def read(vault: str, path: str) -> tuple[list[Thought], list[tuple[str, str]]]:
        seen.append(path)
        return real(vault, path)

    monkeypatch.setattr(sources, "read", read)
    return seen


def test_a_sync_reads_only_what_changed(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    believe_times(monkeypatch)
    for nth in range(30):
        room.note(f"n{nth}", f"Orders lock {nth}")
    seen = looks(monkeypatch)
    assert intake.sync(room.field).taken == 30
    seen.clear()
    assert intake.sync(room.field, thorough=True).taken == 0
    assert seen == []
    room.note("n7", "Orders lock seven")
    assert intake.sync(room.field).taken == 1
    assert seen == ["knowledge/n7.md"]


def test_where_nothing_changed_no_file_is_looked_at_and_nothing_written(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    believe_times(monkeypatch)
    for nth in range(30):
        room.note(f"n{nth}", f"Orders lock {nth}")
    room.think("Orders use locking")
    intake.sync(room.field)
    intake.sync(room.field)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("every file was looked at")

    monkeypatch.setattr(intake, "files", refuse)
    monkeypatch.setattr(type(room.field.store), "writing", refuse)
    assert intake.sync(room.field).taken == 0


def test_the_folders_that_are_looked_through_are_those_of_notes_handoffs_and_prompts() -> None:
    assert (*notes.FOLDERS.values(), lineage.FOLDER, prompts.FOLDER) == intake.TOPS


def test_looks_at_every_file_take_at_most_a_hundredth_of_the_time(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    believe_times(monkeypatch)
    room.note("a", "Orders lock")
    intake.sync(room.field)
    room.field.store.note_places({intake.WALK: f"{room.now} 1.5"})  # as in a vault where a look takes so long
    looked: list[float] = []
    real = intake.files

    def files(vault: str, now_ns: int, folders: dict[str, str]) -> Iterator[tuple[str, str]]:
        looked.append(room.now)
        return real(vault, now_ns, folders)

    monkeypatch.setattr(intake, "files", files)
    began = room.now
    for _ in range(400):
        room.now += 1
        intake.sync(room.field)
        if looked:
            break
    assert room.now - began == pytest.approx(151, abs=2)
    room.now = began - 500
    looked.clear()
    intake.sync(room.field)
    assert looked, "a clock that was set back must not put it off"


def test_a_sync_meets_another_writer_with_a_sentence(room: Room) -> None:
    second = Room(room.vault)
    room.note("a", "Orders lock")
    with room.field.store.writing(), pytest.raises(Busy, match="kept and is taken in later"):
        intake.sync(second.field, patience=0.01)
    second.close()


def test_another_embedder_takes_over_and_search_goes_on(room: Room) -> None:
    for nth in range(10):
        room.think(f"Orders lock table {nth}")
    assert room.embedder
    old = room.embedder
    assert room.field.store.serving() == old.name
    room.embedder = Directions("other-16", 16)
    room.reopen()
    intake.embed(room.field, most=4)
    assert room.field.store.serving() == old.name
    assert room.ask("orders lock table 7").results
    steps: list[int] = []
    intake.embed(room.field, progress=steps.append)
    assert sum(steps) == 6
    assert room.field.store.serving() == "other-16"
    asked = room.embedder.asked
    intake.sync(room.field)
    assert room.embedder.asked == asked, "nothing is embedded twice"


def test_a_long_text_is_found_by_the_best_of_its_passages(room: Room) -> None:
    room.think(
        "Filler about nothing. " * 60 + "Zebras graze beside the checkout in the rain. " * 16 + "More filler. " * 60
    )
    room.think("Prices are cached")
    vector = Directions().embed(["Zebras graze beside the checkout in the rain."])[0]
    best, *_ = room.field.store.nearest(vector, Scope(SHOP), 2)
    assert room.field.store.thoughts([best.id])[best.id].text.startswith("Filler")


def test_an_empty_note_is_embedded_once_and_for_all(room: Room) -> None:
    file = Path(room.vault, "knowledge/empty.md")
    file.parent.mkdir()
    file.write_text("")
    intake.sync(room.field)
    assert room.embedder
    assert room.field.store.unembedded(room.embedder.name, 5) == []
    assert retrieval.ask(room.field, "orders", Scope(SHOP)).results == ()
    assert words.embedded(Thought("a", "")) == ""
