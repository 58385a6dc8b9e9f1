"""The merge of what was kept while a vault was gone, killed or failed between any two of its effects.

Then it is run again: every flag is in the vault once, no flag that was filed meanwhile comes back, and the ledger has
each record once. The vault may vanish again between the two, and flags may come in to the old place.
"""

from __future__ import annotations

import errno
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from flag_support import take

from holdfast.capture import episodes, flags, home, ledger, marks, once, projects, queue, settle, vanished_merge
from holdfast.errors import HoldfastError

from .support import SIZE, count
from .support_effects import KILL, SHORT, Effects, in_a_child, put_in_place

pytestmark = pytest.mark.crash

SESSION = "claude-code/s1/1"


def kept_in(folder: Path, *texts: str) -> None:
    """A stand-in with a session, its flags in two segments, and its mark."""
    home.make_vault(str(folder), {})
    state = home.state(str(folder))
    project = projects.find(str(folder.parent), str(folder))
    now = time.time()
    episodes.open_episode(state, episodes.Episode("claude-code", "s1", 1, project.id, str(folder.parent), now))
    for text in texts:
        (folder / ".state/queue/current").unlink(missing_ok=True)
        take(str(folder), [text], flags.Speaker("claude-code", SESSION, project, "agent"), now)
    once.add(state, SESSION, once.HEARD, ["A"])
    marks.leave(state, marks.Mark(SESSION, project.id, "ended", "", now, len(texts), ()))


def flags_of(vault: Path) -> list[str]:
    return [one.flag.text for one in queue.read(f"{vault}/.state/queue", time.time()).entries]


def in_files(vault: Path) -> Counter[str]:
    """How often each flag stands in the segments of a queue, filed or not."""
    found: Counter[str] = Counter()
    for place in ("live", "archive"):
        for path in (vault / ".state/queue" / place).glob("*.log"):
            found.update(one.flag.text for one in queue.read_segment(str(path), time.time()).entries.values())
    return found


def ledger_ids(vault: Path) -> list[str]:
    records = ledger.read(f"{vault}/.state", ledger.Wanted(kinds=("flag",)))
    return [str(one["id"]) for one in records]


def merged(kept: Path, vault: Path) -> None:
    try:
        vanished_merge.merge(str(kept), str(vault))
    except (OSError, HoldfastError):
        return


def effects_of_a_merge(base: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    kept, vault = base / "kept", base / "vault"
    kept_in(kept, "one", "two", "three")
    home.make_vault(str(vault), {})
    counting = Effects()
    with monkeypatch.context() as patched:
        put_in_place(counting, patched)
        vanished_merge.merge(str(kept), str(vault))
    assert sorted(flags_of(vault)) == ["one", "three", "two"]
    assert not kept.exists()
    return counting.done


@pytest.mark.parametrize("how", [KILL, SHORT, errno.ENOSPC, errno.EIO], ids=str)
def test_a_merge_cut_anywhere_loses_no_flag_and_repeats_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str | int
) -> None:
    total = effects_of_a_merge(tmp_path / "whole", monkeypatch)
    step = SIZE.cut_rounds
    tried = 0
    for at in range(1, total + 1, step):
        base = tmp_path / f"{how}-{at}"
        kept, vault = base / "kept", base / "vault"
        kept_in(kept, "one", "two", "three")
        home.make_vault(str(vault), {})

        def cut(kept: Path = kept, vault: Path = vault, at: int = at) -> None:
            with monkeypatch.context() as patched:
                put_in_place(Effects(at, how), patched)
                merged(kept, vault)

        in_a_child(cut)
        # Nothing acknowledged is anywhere but here or there.
        assert set(in_files(vault)) | set(in_files(kept)) | leaving(kept) == {"one", "two", "three"}
        if at % 2:  # a close files what has arrived
            owner = settle.Settlement(f"{vault}/.state/queue")
            claim = owner.claim(10, 60.0)
            if claim:
                owner.acknowledge(claim, [flag.id for flag in claim.flags])
        else:  # the vault vanishes once more, and another flag comes in
            kept_in(kept, "four")
        for _ in range(2):
            merged(kept, vault)
        wanted = {"one", "two", "three"} | (set() if at % 2 else {"four"})
        assert in_files(vault) == Counter(dict.fromkeys(wanted, 1))
        ids = ledger_ids(vault)
        assert len(ids) == len(set(ids)) == len(wanted)
        assert not kept.exists()
        shutil.rmtree(base)
        tried += 1
    count("vanished vault", merges_cut=tried, flags_lost=0, flags_twice=0)


def leaving(kept: Path) -> set[str]:
    found: set[str] = set()
    for path in (kept / ".state/queue/leaving").glob("*.log"):
        found |= {one.flag.text for one in queue.read_segment(str(path), time.time()).entries.values()}
    return found
