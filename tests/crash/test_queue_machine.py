"""The queue, its leases and its acknowledgements against a simple model, in any order that hypothesis can think of.

Segments are tiny, so that they roll all the time; the clock is ours; owners die; writers and closes leave fragments;
the link to the current segment vanishes. After every step everything is read again from disk and compared: no flag is
ever lost, none is filed that was not acknowledged, and the archive holds filed flags only.

The folder is in memory where there is one: the steps are about order, not about the disk, and there a sync costs
nothing.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from holdfast.capture import log, platform, queue, settle
from holdfast.model import Flag, Process

from .support import SEED, SHARED_MEMORY, SIZE, count, flags_in, make_flag

pytestmark = pytest.mark.crash

TRIES = 3
ROLL_AT = 700
HOW_MANY = {"appended": 0, "claimed": 0, "filed": 0, "archived": 0, "steps": 0}


@dataclass
class Known:
    """What the model knows of one flag."""

    flag: Flag
    tries: int = 0
    claim: str = ""
    filed: bool = False
    error: str = ""


@dataclass
class Lease:
    until: float
    owner: str
    ids: list[str] = field(default_factory=list)


class QueueMachine(RuleBasedStateMachine):
    """Rules do a step on the real queue and on the model; invariants compare them."""

    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        base = str(SHARED_MEMORY) if SHARED_MEMORY.is_dir() else None
        self.base = Path(tempfile.mkdtemp(prefix="holdfast-machine-", dir=base))
        self.folder = self.base / "queue"
        self.now = 1_000_000.0
        self.known: dict[str, Known] = {}
        self.leases: dict[str, Lease] = {}
        self.archived: set[str] = set()
        self.seen_in_archive: dict[str, set[str]] = {}
        self.looked_at: dict[tuple[str, int], set[str]] = {}
        self.real_start_of = platform.start_of
        us = platform.process(os.getpid())
        assert us
        self.owners = {
            "us": us,
            "mortal": Process(us.machine, us.boot, us.namespace, 1 << 30, 7),
            "elsewhere": Process("another machine", "boot", "namespace", 1, 1),
        }
        self.dead: set[str] = set()
        self.give_the_mortal_a_pid()

    def give_the_mortal_a_pid(self) -> None:
        """One that no process can have; whether it lives is ours to say."""
        mortal = self.owners["mortal"]

        def start_of(pid: int) -> int:
            if pid != mortal.pid:
                return self.real_start_of(pid)
            return 0 if "mortal" in self.dead else mortal.start

        platform.start_of = start_of

    def teardown(self) -> None:
        platform.start_of = self.real_start_of
        shutil.rmtree(self.base)

    def settlement(self, owner: str = "us") -> settle.Settlement:
        return settle.Settlement(str(self.folder), lambda: self.now, TRIES, self.owners[owner])

    def holds(self, one: Known) -> bool:
        lease = self.leases.get(one.claim)
        return lease is not None and self.now < lease.until and lease.owner not in self.dead

    def state(self, one: Known) -> str:
        if one.filed:
            return queue.FILED
        if self.holds(one):
            return queue.CLAIMED
        return queue.DEAD if one.tries >= TRIES else queue.WAITING

    def waiting(self) -> list[Known]:
        return [one for one in self.known.values() if self.state(one) == queue.WAITING]

    @initialize(count=st.integers(0, 5))
    def a_queue_may_hold_something(self, count: int) -> None:
        for _ in range(count):
            self.append([1, 40])

    @rule(lengths=st.lists(st.sampled_from((1, 40, 900)), min_size=1, max_size=3))
    def append(self, lengths: list[int]) -> None:
        self.now += 0.01
        flags = [make_flag(f"{len(self.known) + nth} " + "x" * n, self.now, nth) for nth, n in enumerate(lengths)]
        queue.append(str(self.folder), flags, self.now, ROLL_AT)
        self.known |= {flag.id: Known(flag) for flag in flags}
        HOW_MANY["appended"] += len(flags)

    @rule(
        target=claims,
        limit=st.integers(1, 6),
        lease=st.sampled_from((1.0, 30.0, 300.0)),
        owner=st.sampled_from(("us", "mortal", "elsewhere")),
        odd=st.booleans(),
    )
    def claim(self, limit: int, lease: float, owner: str, odd: bool) -> object:
        def wanted(flag: Flag) -> bool:
            return not odd or int(flag.text.split()[0]) % 2 == 1

        expected = [one for one in self.waiting() if wanted(one.flag)][:limit]
        claim = self.settlement(owner).claim(limit, lease, wanted)
        assert [flag.id for flag in claim.flags] == [one.flag.id for one in expected] if claim else not expected
        if claim is None:
            return multiple()
        self.leases[claim.id] = Lease(self.now + lease, owner, [flag.id for flag in claim.flags])
        for one in expected:
            one.claim, one.tries = claim.id, one.tries + 1
        HOW_MANY["claimed"] += len(expected)
        return claim

    def still_held(self, claim: settle.Claim, ids: list[str]) -> list[Known]:
        """A claim counts until another took its flag over, however late it is shown."""
        return [one for i, one in self.known.items() if i in ids and one.claim == claim.id and i not in self.archived]

    @rule(claim=claims, part=st.integers(0, 63), foreign=st.booleans())
    def acknowledge(self, claim: settle.Claim, part: int, foreign: bool) -> None:
        ids = [flag.id for nth, flag in enumerate(claim.flags) if part >> nth & 1]
        if foreign:
            ids += [ident for ident in self.known if ident not in self.leases[claim.id].ids][:1]
        held = self.still_held(claim, ids)
        before = self.live_segments()
        assert set(self.settlement().acknowledge(claim, ids)) == {one.flag.id for one in held}
        for one in held:
            HOW_MANY["filed"] += not one.filed
            one.filed = True
        # What holds nothing else any more goes to the archive at once.
        self.moved(before, self.finished(before) & {Path(path).name for path in claim.segments})

    @rule(claim=claims, part=st.integers(0, 63), error=st.sampled_from(("", "", "it failed")))
    def release(self, claim: settle.Claim, part: int, error: str) -> None:
        ids = [flag.id for nth, flag in enumerate(claim.flags) if part >> nth & 1]
        held = self.still_held(claim, ids)
        assert set(self.settlement().release(claim, ids, error)) == {one.flag.id for one in held}
        for one in held:
            one.claim, one.error = "", error
            one.tries -= not error

    @rule(claim=consumes(claims))
    def finish(self, claim: settle.Claim) -> None:
        """The usual way of a close: everything that it claimed is acknowledged."""
        self.acknowledge(claim, 63, foreign=False)

    @rule(only_one=st.booleans())
    def retry(self, only_one: bool) -> None:
        dead = [one for one in self.known.values() if self.state(one) == queue.DEAD]
        chosen = dead[:1] if only_one else dead
        ids = [one.flag.id.lower() for one in chosen] if only_one else None
        assert self.settlement().retry(ids) == tuple(one.flag.id for one in chosen)
        for one in chosen:
            one.claim, one.tries = "", 0

    @rule(seconds=st.sampled_from((0.5, 10.0, 29.9, 300.0, 86_400.0)))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: "mortal" not in self.dead)
    @rule()
    def an_owner_dies(self) -> None:
        self.dead.add("mortal")

    @precondition(lambda self: "mortal" in self.dead)
    @rule()
    def another_process_starts(self) -> None:
        """The claims of the dead one do not come back with it: it began at another time."""
        self.dead.discard("mortal")
        for lease in self.leases.values():
            if lease.owner == "mortal":
                lease.owner = "dead for good"
        self.dead.add("dead for good")
        old = self.owners["mortal"]
        self.owners["mortal"] = Process(old.machine, old.boot, old.namespace, old.pid, old.start + 1)
        self.give_the_mortal_a_pid()

    @rule()
    def archive(self) -> None:
        before = self.live_segments()
        assert self.settlement().archive() == len(self.finished(before))
        self.moved(before, self.finished(before))

    def live_segments(self) -> dict[str, set[str]]:
        found = {}
        for path in self.folder.glob("live/*.log"):
            what = (path.name, path.stat().st_size)  # a segment only grows
            if what not in self.looked_at:
                self.looked_at[what] = set(flags_in(path.read_bytes()))
            found[path.name] = self.looked_at[what]
        return found

    def finished(self, live: dict[str, set[str]]) -> set[str]:
        """The segments that may go: all their flags are filed, and nobody is led to them any more."""
        current = self.folder / "current"
        led_to = current.readlink().name if current.is_symlink() else ""
        filed = {ident for ident, one in self.known.items() if one.filed}
        return {name for name, ids in live.items() if ids <= filed and name != led_to}

    def moved(self, before: dict[str, set[str]], expected: set[str]) -> None:
        gone = before.keys() - self.live_segments().keys()
        assert gone == expected
        self.archived |= {ident for name in gone for ident in before[name]}
        HOW_MANY["archived"] += len(gone)

    @rule(cut=st.integers(len(log.MARK), 60))
    def a_writer_dies(self, cut: int) -> None:
        """It leaves the beginning of a record in the current segment. Shorter ones are in test_truncation."""
        current = self.folder / "current"
        if current.exists():
            with open(current, "ab") as segment:
                segment.write(log.frame(b'{"id":"nobody was told of this one","text":"...."}')[:cut])

    @rule(cut=st.integers(len(log.MARK), 60), nth=st.integers(0, 5))
    def a_close_dies(self, cut: int, nth: int) -> None:
        """It leaves the beginning of a record beside a segment."""
        beside = sorted(self.folder.glob("live/*.settled"))
        if beside:
            with open(beside[nth % len(beside)], "ab") as settled:
                settled.write(log.frame(b'{"v":1,"t":0,"what":"acknowledge","ids":["all of them"]}')[:cut])

    @rule()
    def the_link_vanishes(self) -> None:
        (self.folder / "current").unlink(missing_ok=True)

    @invariant()
    def everything_is_where_the_model_says(self) -> None:
        HOW_MANY["steps"] += 1
        view = queue.read(str(self.folder), self.now, tries=TRIES)
        expected = [one for one in self.known.values() if not one.filed]
        assert [entry.flag for entry in view.entries] == [one.flag for one in expected]
        for entry, one in zip(view.entries, expected, strict=True):
            assert entry.state == self.state(one)
            assert (entry.tries, entry.claim, entry.error) == (one.tries, one.claim, one.error)
        assert {found.what for _, found in view.broken} <= {log.TORN}

    @invariant()
    def nothing_is_lost_and_the_archive_holds_filed_flags_only(self) -> None:
        for path in self.folder.glob("archive/*.log"):
            if path.name not in self.seen_in_archive:  # nobody writes there any more
                self.seen_in_archive[path.name] = set(flags_in(path.read_bytes()))
        archived = set().union(*self.seen_in_archive.values())
        assert archived == self.archived
        assert set().union(*self.live_segments().values()) == self.known.keys() - archived
        assert all(self.known[ident].filed for ident in archived)


def test_the_queue_does_what_a_simple_model_of_it_does() -> None:
    run_state_machine_as_test(
        seed(SEED)(QueueMachine),
        settings=settings(
            max_examples=SIZE.machine_runs,
            stateful_step_count=50,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    count("queue machine", runs=SIZE.machine_runs, **HOW_MANY)
    assert min(HOW_MANY.values()) > 0, "a rule never did anything"
