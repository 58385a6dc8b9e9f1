"""Leases: a flag is claimed by one, acknowledged once, never dropped, and comes back when its owner is gone."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from holdfast.capture import codec, log, platform, queue, segments, settle
from holdfast.capture.flags import make
from holdfast.errors import NotFound
from holdfast.model import Flag, replace

LEASE = 60.0


class Watch:
    """A clock that stands still until somebody moves it."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def folder(place: Path) -> str:
    return f"{place}/queue"


@pytest.fixture
def settlement(folder: str, watch: Watch) -> settle.Settlement:
    return settle.Settlement(folder, watch, tries=3)


def put(folder: str, watch: Watch, *texts: str, roll_at: int = segments.ROLL_AT) -> list[Flag]:
    flags = [make(text, now=watch(), nth=nth)[0] for nth, text in enumerate(texts)]
    queue.append(folder, flags, watch(), roll_at)
    return flags


def states(settlement: settle.Settlement) -> dict[str, str]:
    view = queue.read(settlement.folder, settlement.clock(), tries=settlement.tries)
    return {entry.flag.text: entry.state for entry in view.entries}


def claim(settlement: settle.Settlement, limit: int = 100) -> settle.Claim:
    taken = settlement.claim(limit, LEASE)
    assert taken is not None
    return taken


def kill(settlement: settle.Settlement, watch: Watch) -> None:
    """Let every flag fail until it is dead."""
    for _ in range(settlement.tries):
        taken = claim(settlement)
        settlement.release(taken, [flag.id for flag in taken.flags], "no judge")


def test_the_oldest_are_claimed_first_across_segments_and_no_more_than_asked(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    for text in ("a", "b", "c"):
        put(folder, watch, text, text + "'", roll_at=0)
        watch.time += 1
    assert [flag.text for flag in claim(settlement, 3).flags] == ["a", "a'", "b"]
    assert states(settlement) == dict.fromkeys(("a", "a'", "b"), "claimed") | dict.fromkeys(
        ("b'", "c", "c'"), "waiting"
    )
    assert [flag.text for flag in claim(settlement).flags] == ["b'", "c", "c'"]
    assert settlement.claim(10, LEASE) is None


def test_there_is_nothing_to_claim_before_the_first_flag(settlement: settle.Settlement) -> None:
    assert settlement.claim(10, LEASE) is None
    assert settlement.archive() == 0
    assert settlement.retry() == ()


def test_only_wanted_flags_are_claimed(folder: str, watch: Watch, settlement: settle.Settlement) -> None:
    put(folder, watch, "mine", "other")
    taken = settlement.claim(10, LEASE, lambda flag: flag.text == "mine")
    assert taken
    assert [flag.text for flag in taken.flags] == ["mine"]
    assert settlement.claim(10, LEASE, lambda flag: flag.text == "mine") is None


def test_an_acknowledged_flag_leaves_the_queue_and_doing_it_again_is_harmless(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    one, two = put(folder, watch, "one", "two")
    taken = claim(settlement)
    assert settlement.acknowledge(taken, [one.id, "UNKNOWN"]) == (one.id,)
    settlement.acknowledge(taken, [one.id])
    settlement.release(taken, [one.id], "too late")
    assert states(settlement) == {"two": "claimed"}
    watch.time += LEASE
    assert [flag.id for flag in claim(settlement).flags] == [two.id]


def test_a_flag_given_back_without_an_error_was_not_tried(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    for _ in range(settlement.tries + 2):
        assert settlement.release(claim(settlement), [one.id]) == (one.id,)
    assert states(settlement) == {"one": "waiting"}
    (entry,) = queue.read(folder, watch()).entries
    assert (entry.tries, entry.claim) == (0, "")


def test_a_flag_that_failed_too_often_is_dead_visible_and_says_why(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    put(folder, watch, "one")
    kill(settlement, watch)
    (entry,) = queue.read(folder, watch(), tries=settlement.tries).of(queue.DEAD)
    assert (entry.flag.text, entry.tries, entry.error) == ("one", settlement.tries, "no judge")
    assert settlement.claim(10, LEASE) is None
    assert settlement.archive() == 0, "the dead are never dropped"


def test_a_lease_that_ran_out_was_a_try(folder: str, watch: Watch, settlement: settle.Settlement) -> None:
    put(folder, watch, "one")
    for _ in range(settlement.tries):
        claim(settlement)
        assert states(settlement) == {"one": "claimed"}
        watch.time += LEASE - 1
        assert settlement.claim(10, LEASE) is None
        watch.time += 1
    assert states(settlement) == {"one": "dead"}


def test_a_retry_lets_the_dead_wait_and_gives_them_all_their_tries(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    flags = put(folder, watch, "one", "two")
    kill(settlement, watch)
    assert settlement.retry([flags[1].id.lower()]) == (flags[1].id,)
    assert states(settlement) == {"one": "dead", "two": "waiting"}
    assert settlement.retry() == (flags[0].id,)
    assert states(settlement) == {"one": "waiting", "two": "waiting"}
    kill(settlement, watch)
    assert states(settlement) == {"one": "dead", "two": "dead"}


def test_a_retry_takes_a_beginning_of_an_id_if_it_names_one(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    first, second = put(folder, watch, "one", "two")
    kill(settlement, watch)
    alike = first.id[:4]
    assert second.id.startswith(alike)
    for name, sentence in ((alike, "More than one dead flag"), ("ZZZ", "No dead flag")):
        with pytest.raises(NotFound, match=sentence):
            settlement.retry([first.id, name])
    assert states(settlement) == {"one": "dead", "two": "dead"}, "nothing was changed"
    assert settlement.retry([first.id[:-2]]) == (first.id,)


def test_a_retry_ends_the_last_claim_so_that_its_late_word_does_not_count(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    for _ in range(settlement.tries):
        late = claim(settlement)
        watch.time += LEASE
    assert settlement.retry() == (one.id,)
    assert settlement.acknowledge(late, [one.id]) == ()
    assert states(settlement) == {"one": "waiting"}


def test_waiting_claimed_and_filed_flags_are_not_retried(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    put(folder, watch, "one", "two")
    claim(settlement, 1)
    assert settlement.retry() == ()
    assert states(settlement) == {"one": "claimed", "two": "waiting"}


@pytest.mark.parametrize("reaped", [True, False])
def test_a_claim_whose_owner_died_is_free_at_once(folder: str, watch: Watch, reaped: bool) -> None:
    put(folder, watch, "one")
    child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    owner = settle.Settlement(folder, watch, owner=platform.process(child.pid))
    other = settle.Settlement(folder, watch)
    claim(owner)
    assert other.claim(10, LEASE) is None
    child.kill()
    if reaped:
        child.wait()
    else:
        with open(f"/proc/{child.pid}/stat") as stat:
            while ") Z " not in stat.read():
                stat.seek(0)
    assert claim(other).flags[0].text == "one"
    child.communicate()


def test_a_claim_whose_owner_cannot_be_seen_is_free_when_its_lease_ends(folder: str, watch: Watch) -> None:
    put(folder, watch, "one")
    here = platform.process(os.getpid())
    assert here
    claim(settle.Settlement(folder, watch, owner=replace(here, machine="another", pid=1, start=1)))
    other = settle.Settlement(folder, watch)
    watch.time += LEASE - 0.001
    assert other.claim(10, LEASE) is None
    watch.time += 0.001
    assert claim(other)


def test_a_late_word_from_an_owner_whose_claim_was_taken_over_does_not_count(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    late = claim(settlement)
    watch.time += LEASE
    fresh = claim(settlement)
    assert settlement.acknowledge(late, [one.id]) == ()
    assert settlement.release(late, [one.id], "slow") == ()
    assert states(settlement) == {"one": "claimed"}
    assert settlement.acknowledge(fresh, [one.id]) == (one.id,)
    assert states(settlement) == {}


def test_a_late_acknowledgement_counts_while_nobody_else_took_the_flag(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    late = claim(settlement)
    watch.time += LEASE * 10
    assert settlement.acknowledge(late, [one.id]) == (one.id,)
    assert states(settlement) == {}


def test_what_was_given_back_cannot_be_acknowledged(folder: str, watch: Watch, settlement: settle.Settlement) -> None:
    (one,) = put(folder, watch, "one")
    taken = claim(settlement)
    settlement.release(taken, [one.id])
    assert settlement.acknowledge(taken, [one.id]) == ()
    assert states(settlement) == {"one": "waiting"}


def test_a_segment_that_is_filed_whole_goes_to_the_archive_and_what_is_broken_is_set_aside_first(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    for text in ("filed", "half", "current"):
        put(folder, watch, text, text + "'", roll_at=0)
        watch.time += 1
    first = segments.live(folder)[0]
    with open(first, "ab") as file:
        file.write(b"\nHF1 0000")
    taken = claim(settlement)
    filed = [flag.id for flag in taken.flags if flag.text != "half'"]
    assert settlement.acknowledge(taken, filed) == tuple(filed)
    assert states(settlement) == {"half'": "claimed"}
    assert len(segments.live(folder)) == 2, "one has a flag that is not filed, one is current"
    archived = sorted(path.name for path in Path(folder, "archive").iterdir())
    assert archived == [Path(first).name, Path(queue.settled_path(first)).name]
    (kept,) = Path(folder, "broken").iterdir()
    assert (kept.suffix, kept.read_bytes()) == (".torn", b"\nHF1 0000")
    assert settlement.acknowledge(taken, [taken.flags[0].id]) == (), "it is filed already"
    assert settlement.archive() == 0


def test_what_was_current_when_it_was_filed_is_archived_by_the_next_upkeep(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    settlement.acknowledge(claim(settlement), [one.id])
    assert settlement.archive() == 0
    put(folder, watch, "two", roll_at=0)
    assert settlement.archive() == 1
    assert states(settlement) == {"two": "waiting"}


def test_a_segment_that_holds_only_a_fragment_is_archived_too(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    put(folder, watch, "filed")
    (path,) = map(Path, segments.live(folder))
    path.write_bytes(path.read_bytes()[:40])
    watch.time += 1
    put(folder, watch, "waits", roll_at=0)
    assert queue.read(folder, watch()).broken
    assert settlement.archive() == 1
    assert queue.read(folder, watch()).broken == ()
    assert [kept.suffix for kept in Path(folder, "broken").iterdir()] == [".torn"]


def test_a_segment_that_is_still_empty_is_left_to_its_writer(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    put(folder, watch, "waits")
    Path(folder, "live", "00000000000000000000000000.log").write_bytes(b"")
    assert settlement.archive() == 0
    assert len(segments.live(folder)) == 2


def test_an_archive_that_cannot_be_made_does_not_fail_the_acknowledgement(
    folder: str, watch: Watch, settlement: settle.Settlement
) -> None:
    (one,) = put(folder, watch, "one")
    with open(segments.live(folder)[0], "ab") as file:
        file.write(b"\nHF1 0000")
    watch.time += 1
    put(folder, watch, "two", roll_at=0)
    Path(folder, "broken").write_text("in the way of what is set aside")
    assert settlement.acknowledge(claim(settlement, 1), [one.id]) == (one.id,)


def test_two_settlers_never_hold_the_same_flag(folder: str, watch: Watch) -> None:
    put(folder, watch, *(f"flag {n}" for n in range(60)))
    taken: list[list[str]] = []

    def work() -> None:
        owner = settle.Settlement(folder, watch)
        while mine := owner.claim(4, LEASE):
            taken.append([flag.id for flag in mine.flags])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = [ident for some in taken for ident in some]
    assert len(held) == len(set(held)) == 60


@pytest.mark.timeout(10)
def test_appending_never_waits_for_a_settler(folder: str, watch: Watch, settlement: settle.Settlement) -> None:
    put(folder, watch, "one")

    def append_meanwhile(_: Flag) -> bool:
        put(folder, watch, "two")
        return True

    taken = settlement.claim(10, LEASE, append_meanwhile)
    assert taken
    assert [flag.text for flag in taken.flags] == ["one"]
    assert states(settlement) == {"one": "claimed", "two": "waiting"}


def test_every_change_is_one_synced_record_per_segment(
    folder: str, watch: Watch, settlement: settle.Settlement, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = put(folder, watch, "one")
    synced: list[int] = []
    real = platform.sync

    def sync(fd: int) -> None:
        synced.append(fd)
        real(fd)

    monkeypatch.setattr(platform, "sync", sync)
    taken = claim(settlement)
    settlement.release(taken, [one.id], "no")
    settlement.acknowledge(claim(settlement), [one.id])
    records = [codec.decode(one) for one in log.records(log.scan_file(queue.settled_path(segments.live(folder)[0])))]
    assert [record["what"] for record in records] == ["claim", "release", "claim", "acknowledge"]
    assert len(synced) == 4
    assert records[0]["owner"]["pid"] == os.getpid(), "so that its death frees the flag"
