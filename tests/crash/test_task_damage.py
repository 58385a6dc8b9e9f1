"""A task's log cut at every byte and with flipped bits, and checkpoints on a disk that refuses them.

What was whole before the cut stays, a flipped bit costs the record that it hits and is noticed, `task show` works in
any case, and the next checkpoint is saved. Where the log cannot be written the answer is "NOT saved" with status 3;
where only what is derived from it cannot, the entry is saved and the answer says so: who is told otherwise says it
twice.
"""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from holdfast.capture import log
from holdfast.errors import NotSaved
from holdfast.tasks import record

from . import support_strace
from .support import NAME, SOURCE, count, dice, run
from .support_effects import Effects, put_in_place
from .support_task import (
    OLD,
    TASK,
    TEXT,
    Desktop,
    a_desktop,
    fast_command,
    module_command,
    traced,
    wrong_after,
    wrong_with,
)

pytestmark = pytest.mark.crash

FLIPS = {"short": 40, "full": 600}[NAME]
STEP = {"short": 5, "full": 1}[NAME]  # bytes between two cuts; those at the ends of records are always made


def a_log(base: Path) -> tuple[Desktop, list[log.Found]]:
    """Two segments, as after a failed write: the second is the one that entries go to."""
    desk = Desktop(base)
    desk.say(record.DECISION, "DO NOT touch config/auth.yaml because three services read it")
    desk.say(record.PROGRESS, "COMPLETED: files 001-047")
    Path(record.own(str(desk.vault)), "current", TASK).unlink()
    desk.say(record.DISCOVERY, OLD)
    desk.say(record.PROGRESS, "COMPLETED: files 048-091")
    desk.say(record.NEXT, "begin with file 092")
    assert len(desk.segments()) == 2
    desk.keep()
    return desk, [one for path in desk.segments() for one in log.scan(path.read_bytes())]


def wrong_with_damage(desk: Desktop, known: list[record.Entry], *, rebuilt: bool) -> list[str]:
    """After the log was damaged: `known` is what nothing has touched."""
    if rebuilt:
        desk.drop_index()
    wrong = []
    kept = desk.in_logs()
    if not set(kept) >= set(known):
        wrong.append("an entry that nobody touched is lost")
    if desk.segments() and kept and any(one.kind == record.STATE and one.project for one in kept):
        shown = {one.text for one in desk.shown().progress.entries}
        if not shown >= {one.text for one in known if one.kind == record.PROGRESS}:
            wrong.append("progress that nobody touched is not shown")
        status, _, said = desk.command("checkpoint", "--json", "--task", TASK, "--discovery", "after the damage")
        if status or [one.text for one in desk.in_logs()].count("after the damage") != 1:
            wrong.append(f"the checkpoint after it: {status} {said}")
        wrong += wrong_with(desk) if rebuilt else []
    return wrong


@pytest.mark.parametrize("rebuilt", [False, True])
@pytest.mark.parametrize("which", [0, 1])
def test_a_log_cut_at_any_byte_of_its_last_records_keeps_the_earlier_entries(
    memory_path: Path, which: int, rebuilt: bool
) -> None:
    desk, _ = a_log(memory_path)
    path = desk.segments()[which]
    data = path.read_bytes()
    found = list(log.scan(data))
    begin = found[-2].start
    wrong: list[str] = []
    cuts = sorted({*range(begin, len(data), STEP), *(one.end for one in found[-3:]), len(data) - 1})
    for cut in cuts:
        path.write_bytes(data[:cut])
        elsewhere = [entry for other in desk.segments() if other != path for entry in _entries(desk, other)]
        whole = sum(one.end <= cut for one in found)
        here = _entries(desk, path)
        assert len(here) == whole, cut
        wrong += [f"cut at {cut}: {what}" for what in wrong_with_damage(desk, [*here, *elsewhere], rebuilt=rebuilt)]
        desk.put_back()
    count("damaged task logs", cuts=len(cuts))
    assert not wrong, "\n".join(wrong)


def test_a_cut_log_is_shown_by_the_real_command_and_takes_the_next_checkpoint(tmp_path: Path) -> None:
    desk, _ = a_log(tmp_path)
    path = desk.segments()[-1]
    path.write_bytes(path.read_bytes()[:-7])
    extra = {"PYTHONPATH": str(SOURCE)}
    shown = run(module_command("show", "--json"), desk.vault, extra=extra)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["progress"]["completed"] == ["files 001-091"]
    assert run(fast_command("checkpoint", "--next", "begin with file 092"), desk.vault).returncode == 0
    assert json.loads(run(module_command("show", "--json"), desk.vault, extra=extra).stdout)["next"] == (
        "begin with file 092"
    )


def test_a_flipped_bit_is_noticed_and_costs_only_the_entry_that_it_hit(memory_path: Path) -> None:
    desk, _ = a_log(memory_path)
    chance = dice("task flips")
    wrong: list[str] = []
    for _ in range(FLIPS):
        path = chance.choice(desk.segments())
        data = path.read_bytes()
        bit = chance.randrange(len(data) * 8)
        before = dict(zip(log.scan(data), _entries(desk, path), strict=True))
        untouched = [entry for one, entry in before.items() if not one.start <= bit // 8 < one.end]
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        read = record.read(str(desk.vault), str(path.relative_to(desk.vault)))
        assert list(read.entries) == untouched, bit
        others = [entry for other in desk.segments() if other != path for entry in _entries(desk, other)]
        is_last = not any(one.start > bit // 8 for one in before)
        if not read.broken and not is_last:
            wrong.append(f"bit {bit} of {path.name}: nobody noticed")
        wrong += [f"bit {bit}: {what}" for what in wrong_with_damage(desk, [*untouched, *others], rebuilt=bit % 2 == 0)]
        if not desk.broken():
            wrong.append(f"bit {bit} of {path.name}: nobody noticed after the next checkpoint")
        count("damaged task logs", flips=1)
        desk.put_back()
    assert not wrong, "\n".join(wrong)


def _entries(desk: Desktop, path: Path) -> tuple[record.Entry, ...]:
    return record.read(str(desk.vault), str(path.relative_to(desk.vault))).entries


@pytest.mark.parametrize("how", [errno.EIO, errno.ENOSPC, "short"])
def test_whichever_effect_of_a_checkpoint_fails_the_answer_is_right_and_the_next_one_works(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch, how: str | int
) -> None:
    desk = a_desktop(memory_path)
    wrong: list[str] = []
    at = 0
    while True:
        at += 1
        effects = Effects(at, how)
        with monkeypatch.context() as patch:
            put_in_place(effects, patch)
            status, answer, said = desk.command("checkpoint", "--json", "--discovery", TEXT)
        if not effects.happened:
            break
        where = f"{how} at effect {at}, {effects.happened}: "
        wrong += [where + what for what in wrong_answer(desk, status, answer, said)]
        wrong += [where + what for what in wrong_after(desk, answer)]
        count("failing checkpoints", effects=1, saved=status == 0, refused=status != 0)
        desk.put_back()
    assert at > 20
    assert not wrong, "\n".join(wrong)


def wrong_answer(desk: Desktop, status: int, answer: str, said: str) -> list[str]:
    """Saved and said so, or neither; a refusal is one sentence with the status that says so."""
    is_saved = TEXT in [one.text for one in desk.in_logs()]
    wrong = []
    if "Traceback" in said:
        wrong.append(said.splitlines()[-1])
    if is_saved and status and "NOT saved" not in said:
        wrong.append(f"the entry is in the log, and the answer was {status} {said!r}: who runs it again says it twice")
    if status == 0 and not is_saved:
        wrong.append("status 0, and it is not in the log")
    if status and said.count("\n") != 1:
        wrong.append(f"the refusal is not one sentence: {said!r}")
    if ("NOT saved" in said) != (status == NotSaved.exit_status):
        wrong.append(f"status {status} with {said!r}")
    if status and answer:
        wrong.append("it was acknowledged and refused")
    return wrong


def test_a_log_that_cannot_be_written_or_synced_refuses_the_checkpoint_with_status_3(
    tmp_path: Path, strace: str
) -> None:
    desk = a_desktop(tmp_path)
    desk.shown()  # what the person wrote is believed before: the writes that fail are those of the checkpoint
    desk.keep()
    command = fast_command("checkpoint", "--json", "--discovery", TEXT)
    (segment,) = desk.segments()
    for _ in range(2):
        done, calls = support_strace.record(strace, desk.vault, ("write", "fdatasync"), command, longest=4096)
        assert done.returncode == 0, done.stderr
        desk.put_back()
    wrong: list[str] = []
    tried = 0
    for name in ("write", "fdatasync"):
        of_name = [call for call in calls if call.name == name]
        for nth in [nth for nth, call in enumerate(of_name, 1) if call.fd[1] == str(segment)]:
            for error in ("EIO", "ENOSPC"):
                injection = f"{name}:error={error}:when={nth}"
                done, _ = support_strace.record(strace, desk.vault, (name,), command, injections=[injection])
                where = f"{error} from {name} {nth} of the log: "
                if done.returncode != NotSaved.exit_status or not done.stderr.startswith(
                    "holdfast task checkpoint: NOT"
                ):
                    wrong.append(f"{where}{done.returncode} {done.stderr!r}")
                wrong += [where + what for what in wrong_after(desk, done.stdout)]
                tried += 1
                count("failing checkpoints", log_calls=1)
                desk.put_back()
    assert tried >= 4
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["pwrite64", "fdatasync", "openat", "renameat2", "flock", "write", "rename"])
def test_whichever_call_of_a_checkpoint_fails_nothing_acknowledged_is_lost(
    tmp_path: Path, strace: str, name: str
) -> None:
    desk = a_desktop(tmp_path)
    command = fast_command("checkpoint", "--json", "--discovery", TEXT)
    points = traced(desk, strace, command, (name,))
    chance = dice(f"failing task calls {name}")
    wrong: list[str] = []
    for _, nth in points if NAME == "full" else chance.sample(points, min(3, len(points))):
        error = chance.choice(("EIO", "ENOSPC"))
        injection = f"{name}:error={error}:when={nth}"
        done, calls = support_strace.record(strace, desk.vault, (name,), command, injections=[injection], longest=4096)
        where = f"{error} from {' and '.join(call.told(desk.folder)[:200] for call in calls if call.injected)}: "
        wrong += [where + what for what in wrong_answer(desk, done.returncode, done.stdout, done.stderr)]
        wrong += [where + what for what in wrong_after(desk, done.stdout)]
        count("failing checkpoints", calls=1)
        desk.put_back()
    assert not wrong, "\n".join(wrong)
