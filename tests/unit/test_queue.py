"""The queue as it is read: what waits, what is broken, and how much of it was looked at. Leases: test_settle."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.capture import codec, log, queue, segments, settle
from holdfast.capture.ids import new_id
from holdfast.model import Flag, replace

NOW = 1_800_000_000.0


@pytest.fixture
def folder(place: Path) -> str:
    return f"{place}/queue"


def flag(text: str, nth: int = 0, when: float = NOW) -> Flag:
    return Flag(new_id(when, nth), when, "generic", "generic/s/1", "app-1", "lesson", text, ("a.py:3",), "agent")


def put(folder: str, *texts: str, when: float = NOW, roll_at: int = segments.ROLL_AT) -> list[Flag]:
    flags = [flag(text, nth, when) for nth, text in enumerate(texts)]
    queue.append(folder, flags, when, roll_at)
    return flags


def texts(view: queue.View) -> list[str]:
    return [entry.flag.text for entry in view.entries]


def add_record(path: str, record: object) -> None:
    log.append(path, [codec.encode(record)], durable=False)


def test_flags_come_back_as_they_went_in_and_in_their_order(folder: str) -> None:
    flags = put(folder, "first", "zwölf Boxkämpfer 👩‍👩‍👧‍👦", 'quotes " and \\ and \t')
    view = queue.read(folder, NOW)
    assert [entry.flag for entry in view.entries] == flags
    assert {entry.state for entry in view.entries} == {queue.WAITING}
    assert view.complete
    assert view.broken == ()


def test_a_queue_that_is_not_there_is_empty(folder: str) -> None:
    assert queue.read(folder, NOW) == queue.View((), (), True)
    assert not os.path.exists(folder), "looking makes nothing"


def test_segments_are_read_oldest_first(folder: str) -> None:
    for second in range(3):
        put(folder, f"flag {second}", when=NOW + second, roll_at=0)
    assert texts(queue.read(folder, NOW)) == ["flag 0", "flag 1", "flag 2"]


def test_of_a_long_queue_only_the_newest_bytes_are_read_and_it_says_so(folder: str) -> None:
    for second in range(4):
        put(folder, f"flag {second}", when=NOW + second, roll_at=0)
    sizes = [os.path.getsize(path) for path in segments.live(folder)]
    for count in range(1, 5):
        view = queue.read(folder, NOW, newest=sum(sizes[-count:]))
        assert texts(view) == [f"flag {n}" for n in range(4 - count, 4)]
        assert view.complete == (count == 4)
        short = queue.read(folder, NOW, newest=sum(sizes[-count:]) - 1)
        assert texts(short) == [f"flag {n}" for n in range(5 - count, 4)], "a flag is there whole or not at all"
        assert not short.complete


def test_segments_beyond_the_newest_bytes_are_not_even_opened(folder: str) -> None:
    put(folder, "old")
    put(folder, "new", when=NOW + 1, roll_at=0)
    old, new = map(Path, segments.live(folder))
    size = new.stat().st_size
    old.unlink()
    old.mkdir()  # it cannot be read
    assert queue.read(folder, NOW, newest=size) == queue.View(queue.read(folder, NOW).entries, (), False)


def test_what_became_of_flags_is_known_though_only_the_newest_are_read(folder: str) -> None:
    put(folder, "filed", "waits")
    owner = settle.Settlement(folder, lambda: NOW)
    claim = owner.claim(1, 60)
    assert claim
    owner.acknowledge(claim, [claim.flags[0].id])
    size = os.path.getsize(segments.live(folder)[0])
    assert texts(queue.read(folder, NOW, newest=size - 5)) == ["waits"]


def test_a_flag_that_was_written_twice_is_one(folder: str) -> None:
    (one,) = put(folder, "once")
    queue.append(folder, [one], NOW)
    queue.append(folder, [one], NOW + 1, roll_at=0)
    assert texts(queue.read(folder, NOW)) == ["once"]


def test_fields_of_a_newer_version_are_left_aside(folder: str) -> None:
    (one,) = put(folder, "old")
    add_record(segments.live(folder)[0], {**one.as_record(), "v": 9, "id": new_id(NOW, 7), "mood": "sunny"})
    assert texts(queue.read(folder, NOW)) == ["old", "old"]


@pytest.mark.parametrize("record", [[], {}, {"text": "no id"}, None, "words", 7])
def test_a_record_that_is_no_flag_is_named_and_costs_no_other(folder: str, record: object) -> None:
    put(folder, "before")
    path = segments.live(folder)[0]
    add_record(path, record)
    put(folder, "after")
    view = queue.read(folder, NOW)
    assert texts(view) == ["before", "after"]
    assert [(where, one.payload) for where, one in view.broken] == [(path, codec.encode(record))]


def test_what_is_torn_or_damaged_is_named_with_its_place(folder: str) -> None:
    put(folder, "before")
    path = segments.live(folder)[0]
    with open(path, "ab") as file:
        file.write(b"\nHF1 0000" + b'\nHF1 {"id":"A"}')
    put(folder, "after")
    settled = queue.settled_path(path)
    Path(settled).write_bytes(b'{"what":"retry","ids":[]}' + log.frame(b"[]") + log.frame(b'{"what":"claim"}'))
    view = queue.read(folder, NOW)
    assert texts(view) == ["before", "after"]
    assert sorted((where, one.what) for where, one in view.broken) == [
        (path, log.DAMAGE),
        (path, log.TORN),
        (settled, log.DAMAGE),
        (settled, log.RECORD),
        (settled, log.RECORD),
    ]


def test_an_event_that_this_version_does_not_know_changes_nothing(folder: str) -> None:
    (one,) = put(folder, "waits")
    add_record(queue.settled_path(segments.live(folder)[0]), {"v": 9, "what": "promote", "ids": [one.id]})
    assert [entry.state for entry in queue.read(folder, NOW).entries] == [queue.WAITING]


@pytest.mark.parametrize("odd", [{"until": "soon"}, {"t": None}, {"owner": "me"}, {"owner": {"pid": 1}}])
def test_a_lease_that_cannot_be_understood_holds_as_far_as_it_can_be(folder: str, odd: dict[str, object]) -> None:
    (one,) = put(folder, "waits")
    event = {"what": "claim", "ids": [one.id], "claim": "C", "t": NOW, "until": NOW + 60, "owner": None, **odd}
    add_record(queue.settled_path(segments.live(folder)[0]), event)
    held = [entry.state for entry in queue.read(folder, NOW).entries]
    assert held == [queue.CLAIMED if "owner" in odd else queue.WAITING]
    assert [entry.state for entry in queue.read(folder, NOW + 60).entries] == [queue.WAITING]


def test_an_orphan_of_an_archived_segment_is_harmless(folder: str) -> None:
    put(folder, "waits")
    Path(folder, "live", "00000000000000000000000000.settled").write_bytes(b"of long ago")
    assert texts(queue.read(folder, NOW)) == ["waits"]


def claim_first_segment(folder: str) -> tuple[settle.Settlement, settle.Claim]:
    """Two segments, the older one claimed whole: acknowledging its flag sends it to the archive."""
    put(folder, "filed")
    put(folder, "waits", when=NOW + 1, roll_at=0)
    owner = settle.Settlement(folder, lambda: NOW)
    claim = owner.claim(1, 60)
    assert claim
    return owner, claim


def test_a_segment_archived_between_the_listing_and_the_look_holds_nothing_that_waits(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, claim = claim_first_segment(folder)
    listed = segments.live(folder)
    owner.acknowledge(claim, [claim.flags[0].id])
    assert len(segments.live(folder)) == 1
    monkeypatch.setattr(segments, "live", lambda _folder: listed)
    assert texts(queue.read(folder, NOW)) == ["waits"]


def test_a_segment_archived_while_it_is_read_does_not_come_back_to_life(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two of the looks that reading takes, somebody acknowledges the last flag of the segment."""
    real = log.scan_file
    for turn in range(2):
        queue_folder = f"{folder}{turn}"
        owner, claim = claim_first_segment(queue_folder)
        looks = 0

        def scan(path: str, start: int = 0, turn: int = turn, owner: Any = owner, claim: Any = claim) -> Any:
            nonlocal looks
            if Path(path).stem == Path(claim.segments[0]).stem:
                looks += 1
                if looks == turn + 1:
                    monkeypatch.setattr(log, "scan_file", real)
                    owner.acknowledge(claim, [claim.flags[0].id])
                    monkeypatch.setattr(log, "scan_file", scan)
            return real(path, start)

        monkeypatch.setattr(log, "scan_file", scan)
        assert texts(queue.read(queue_folder, NOW)) == ["waits"]
        assert looks > turn, "somebody did acknowledge it meanwhile"


def test_a_segment_that_cannot_be_read_costs_no_other(folder: str) -> None:
    put(folder, "waits")
    odd = Path(folder, "live", f"{new_id(NOW + 1)}.log")
    odd.mkdir()
    view = queue.read(folder, NOW)
    assert texts(view) == ["waits"]
    assert [path for path, _ in view.broken] == [str(odd)]


def test_a_lease_of_a_newer_version_does_not_hide_the_queue(folder: str) -> None:
    (one,) = put(folder, "waits")
    owner = {"machine": "m", "boot": "b", "namespace": "n", "pid": 2, "start": 3, "cgroup": "new"}
    event = {"v": 9, "t": NOW, "what": "claim", "ids": [one.id], "claim": "C", "until": NOW + 60, "owner": owner}
    add_record(queue.settled_path(segments.live(folder)[0]), event)
    assert texts(queue.read(folder, NOW)) == ["waits"]


def test_the_flags_of_an_episode_that_are_not_filed_are_found_by_segment(folder: str) -> None:
    one, two = flag("one"), flag("two", 1)
    other = replace(flag("other", 3), episode="generic/other/1")
    segment = queue.append(folder, [one, two, other], NOW)
    assert segment == Path(segments.live(folder)[0]).name

    def unfiled(name: str = segment) -> list[Flag]:
        return [entry.flag for entry in queue.unfiled_of(folder, name, "generic/s/1", NOW) or ()]

    assert unfiled() == [one, two]
    owner = settle.Settlement(folder, lambda: NOW)
    claim = owner.claim(1, 60)
    assert claim
    assert unfiled() == [one, two], "what is claimed is not filed"
    owner.acknowledge(claim, [one.id])
    assert unfiled() == [two]
    assert unfiled("archived.log") == []
