"""A thought that is said again with more about it: what is new is kept, on every machine and after every rebuild the
same; what cannot be kept is said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from field_support import SHOP, Room, texts
from hypothesis import given
from hypothesis import strategies as st

from holdfast.field import coverage, intake, think, traffic
from holdfast.field.store import Scope
from holdfast.field.thought import Thought, joined
from holdfast.model import replace

TEXT = "Orders use optimistic locking"


@pytest.fixture
def room(vault: str) -> Iterator[Room]:
    made = Room(vault)
    yield made
    made.close()


def kept(room: Room, ident: str) -> Thought:
    return room.field.store.thoughts([ident])[ident]


def test_context_tags_category_and_sources_of_a_repetition_are_kept(room: Room) -> None:
    source = room.think("Row locks deadlocked the checkout").thought
    first = room.think(TEXT, context="after the outage", tags=("locking",)).thought
    again = room.think(
        f"{TEXT}.", context="in checkout too", tags=("orders",), category="decision", sources=(source.id,)
    )
    assert not again.is_new
    assert again.changes == ("added to the thought that is there: its context, tags, category and sources",)
    now = kept(room, first.id)
    assert now == again.thought
    assert now.context.split("\n") == ["after the outage", "in checkout too"]
    assert (now.tags, now.category, now.sources) == (("locking", "orders"), "decision", (source.id,))
    assert (now.text, now.created, now.start) == (first.text, first.created, first.start)
    assert room.field.store.count() == 2
    assert texts(room.ask("which decision, tagged orders, is in the checkout too", most=1)) == [TEXT]
    intake.rebuild(room.field)
    assert kept(room, first.id) == now
    assert coverage.look(room.vault).behind == ()


def test_a_repetition_that_brings_nothing_new_writes_nothing_and_says_nothing(room: Room) -> None:
    room.think(TEXT, context="after the outage of March", tags=("locking",), category="decision")
    size = traffic.logs(room.vault)
    again = room.think(TEXT, context="the outage", tags=("locking", "decision"), category="decision")
    assert (again.is_new, again.changes) == (False, ())
    assert traffic.logs(room.vault) == size


def test_another_category_becomes_a_tag(room: Room) -> None:
    first = room.think(TEXT, category="decision").thought
    room.think(TEXT, category="correction")
    now = kept(room, first.id)
    assert (now.category, now.tags) == ("decision", ("correction",))


def test_what_a_repetition_of_a_note_brings_is_said_not_to_be_kept(room: Room) -> None:
    path = room.note("locks", TEXT)
    again = room.think(TEXT, context="in checkout too", tags=("orders",))
    assert again.thought.path == path
    (said,) = again.changes
    assert said.startswith("not kept: its context and tags")
    assert again.thought.id in said
    assert traffic.logs(room.vault) == []


def test_outside_text_adds_nothing_to_what_the_user_said(room: Room) -> None:
    first = room.think(TEXT, origin="user").thought
    again = room.think(TEXT, origin="web", context="says the vendor")
    assert kept(room, first.id) == first
    assert again.changes[0].startswith("not kept: its context,")


def test_what_is_too_much_for_a_thought_is_said_and_the_rest_kept(room: Room) -> None:
    first = room.think(TEXT, context="x" * 1990).thought
    again = room.think(TEXT, context="y" * 20, tags=("orders",))
    assert again.changes[0] == "added to the thought that is there: its tags"
    assert again.changes[1].startswith("not kept: its context,")
    assert kept(room, first.id).tags == ("orders",)
    assert len(kept(room, first.id).context) <= think.LONGEST_CONTEXT


@pytest.mark.slow
def test_two_machines_that_add_at_once_add_both_whatever_is_read_first(room: Room, place: Path) -> None:
    first = room.think(TEXT).thought
    (path, _), *_ = traffic.logs(room.vault)
    base = Path(room.vault, path).read_bytes()
    room.think(TEXT, context="here", tags=("zebra",))
    added = Path(room.vault, path).read_bytes()
    theirs = Room(f"{place}/theirs")
    there = Path(theirs.vault, path)
    there.parent.mkdir(parents=True)
    there.write_bytes(base)
    theirs.think(TEXT, context="there", tags=("adder",))
    segments = {name: Path(theirs.vault, name).read_bytes() for name, _ in traffic.logs(theirs.vault)}
    theirs.close()
    wanted = None
    for nth, order in enumerate(permutations(("aa", "mm", "zz"))):
        one = Room(f"{place}/{nth}")
        for machine, raw in zip(order, (base, added, b"".join(segments.values())), strict=True):
            file = Path(one.vault, f"thoughts/{machine}/live/{nth}.log")
            file.parent.mkdir(parents=True)
            file.write_bytes(raw)
            intake.sync(one.field)
        live = kept(one, first.id)
        intake.rebuild(one.field)
        assert kept(one, first.id) == live
        wanted = wanted or live
        assert live == wanted
        one.close()
    assert wanted is not None
    assert (wanted.context, wanted.tags) == ("here\nthere", ("adder", "zebra"))


def test_a_machine_whose_log_is_gone_takes_only_its_own_words_with_it(room: Room) -> None:
    first = room.think(TEXT).thought
    more = replace(first, context="there", tags=("adder",))
    folder = Path(room.vault, "thoughts/other-machine/live")
    folder.mkdir(parents=True)
    file = folder / "1.log"
    other = Path(room.vault, traffic.logs(room.vault)[0][0])
    mine = other.read_bytes()
    traffic.append(room.vault, [more], room.now)
    file.write_bytes(other.read_bytes()[len(mine) :])
    other.write_bytes(mine)
    intake.sync(room.field)
    assert kept(room, first.id).context == "there"
    file.unlink()
    intake.sync(room.field)
    assert kept(room, first.id) == first
    assert len(room.field.store.lexical(["adder"], Scope(SHOP), 5)) == 0


def test_what_was_added_is_behind_until_the_index_has_it(room: Room) -> None:
    first = room.think(TEXT).thought
    traffic.append(room.vault, [replace(first, context="in checkout too")], room.now)
    (behind,) = coverage.look(room.vault).behind
    assert behind.place.startswith("thoughts/")
    intake.sync(room.field)
    assert coverage.look(room.vault).behind == ()


WORDS = st.sampled_from(["", "a", "b", "c"])
SAID = st.builds(
    lambda context, tags, category, sources, origin: Thought(
        "x", TEXT, context, tags=tuple(sorted(tags)), category=category, sources=tuple(sorted(sources)), origin=origin
    ),
    WORDS,
    st.sets(st.sampled_from("def")),
    WORDS,
    st.sets(st.sampled_from("ghi")),
    st.sampled_from(["user", "agent", "web"]),
)


@given(one=SAID, two=SAID, three=SAID)
def test_records_say_the_same_together_in_any_order_and_any_number_of_times(
    one: Thought, two: Thought, three: Thought
) -> None:
    wanted = joined(joined(one, two), three)
    for first, second, third in permutations((one, two, three)):
        assert joined(joined(first, second), third) == wanted
        assert joined(first, joined(second, third)) == wanted
    assert joined(wanted, two) == wanted
    assert joined(one, one) == one
