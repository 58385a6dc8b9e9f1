"""What sleep must not do: bring back what was forgotten or purged, overrule the user, mix projects, undo an undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from field_support import HOUR, NOW, SHOP, Room
from sleep_support import of_kind, slept

from holdfast.capture import home, purging
from holdfast.capture.gate import BY_USER
from holdfast.errors import Busy
from holdfast.field import intake, steps, think, words
from holdfast.field.thought import Thought
from holdfast.sleep import consolidation, links, page, plan, undo
from holdfast.sleep.contradictions import settled
from holdfast.sleep.night import Night
from holdfast.sleep.passages import Source

LOCKS = tuple(
    f"Orders lock rows optimistically with a version column {end}"
    for end in ("in every table", "that counts up", "since the booking", "for invoices")
)


@pytest.mark.slow
def test_a_forgotten_thought_is_not_told_by_its_summary(room: Room) -> None:
    ids = [room.think(text).thought.id for text in LOCKS]
    (step,) = of_kind(slept(room), steps.CONSOLIDATED)
    assert step.by in [one.thought.id for one in room.ask("orders lock rows version column").results]
    think.withdraw(room.field, ids[:1])
    found = room.ask("orders lock rows version column").results
    assert not any(LOCKS[0] in one.thought.text for one in found)


@pytest.mark.slow
def test_a_purge_during_a_night_ends_it_and_nothing_of_it_is_written(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
    intake.sync(room.field)
    before = sorted((path, path.read_bytes()) for path in Path(room.vault).rglob("*.log"))
    state = Path(home.state(room.vault))
    calls = 0

    def rest() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            with (state / "purges").open("a") as file:
                file.write(".")

    was = purging.counted(str(state))
    with pytest.raises(Busy, match="purged while the memory slept"):
        Night(room.field, rest=rest).sleep()
    assert purging.counted(str(state)) == was + 1
    assert sorted((path, path.read_bytes()) for path in Path(room.vault).rglob("*.log")) == before
    assert plan.pending(room.vault) is None
    assert of_kind(slept(room), steps.CONSOLIDATED)


def test_an_agent_does_not_take_the_users_word_back_and_the_user_does() -> None:
    def source(ident: str, text: str, origin: str, when: float) -> Source:
        return Source(ident, Thought(ident, text, origin=origin, created=when))

    mine = source("t1", "The release is frozen on Friday.", "user", NOW)
    theirs = source("t2", "The release is frozen on Monday.", "agent", NOW + HOUR)
    later = source("t3", "The release is frozen on Tuesday.", "user", NOW + 2 * HOUR)
    assert settled(mine, theirs) is None
    clash = settled(theirs, later)
    assert clash is not None
    assert clash.newer.thought.id == "t3"


@pytest.mark.slow
def test_a_link_that_was_taken_back_is_not_made_again_by_a_third_that_says_the_same(room: Room) -> None:
    first = room.think("Staging is wiped every night at 02:00 UTC").thought.id
    room.now += HOUR
    second = room.think("Staging is wiped every single night at 02:00 UTC").thought.id
    (link,) = of_kind(slept(room), steps.LINKED)
    undo.undo(room.field, link.id, by=BY_USER)
    room.now += HOUR
    third = room.think("Staging is wiped every blessed night at 02:00 UTC").thought.id
    for _ in range(2):
        room.read("when is staging wiped at night")
        room.now += HOUR
    done = slept(room)
    assert [(one.ids, one.by) for one in of_kind(done, steps.LINKED)] == [((third,), first)]
    assert room.field.store.marks(steps.LINKED, [second]) == {}
    room.read("when is staging wiped at night")
    room.now += HOUR
    assert not of_kind(slept(room), steps.LINKED)


@pytest.mark.slow
def test_two_that_are_like_a_third_are_no_repetition_of_each_other(room: Room) -> None:
    texts = ("replica bucket", "primary replica bucket", "secondary replica bucket")
    ids = [room.think(f"Backups go nightly from here to the {text} in Frankfurt by rsync").thought.id for text in texts]
    intake.sync(room.field)
    done = slept(room)
    pairs = {frozenset((*one.ids, one.by)) for one in of_kind(done, steps.LINKED)}
    assert frozenset(ids[1:]) not in pairs
    for group in ([*one.ids, one.by] for one in of_kind(done, steps.LINKED)):
        first, second = room.field.store.texts(group).values()
        assert words.are_alike(first, second, links.ALIKE)


def test_a_digest_quotes_whole_lines_only_and_names_all_that_it_quotes() -> None:
    sources = [Thought(f"x{nth}", f"Orders lock rows, part {nth}", origin="user") for nth in range(3)]
    long = Thought("long", "An agent's remark " * 60, origin="agent")
    text = consolidation.digest([long, *sources])
    assert "remark" not in text
    assert [one.id for one in consolidation.carried(text, [long, *sources])] == ["x0", "x1", "x2"]


@pytest.mark.slow
def test_a_page_shows_a_project_its_own_part_and_of_others_only_that_they_are_there(room: Room) -> None:
    for text in LOCKS:
        room.think(text)
        room.think(f"{text} at the bank", project="bank-2")
    done = slept(room)
    mine = page.seen_from(done.page, (SHOP,))
    assert "at the bank" in done.page
    assert "at the bank" not in mine
    assert LOCKS[0] in mine
    assert "not shown: 1" in mine
    assert "Recall in the first ten" in mine


@pytest.mark.slow
def test_outside_text_says_so_on_the_page(room: Room) -> None:
    for text in LOCKS:
        room.think(text, origin="web")
    assert "[web, outside text]" in slept(room).page
