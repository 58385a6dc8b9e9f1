"""EIO, ENOSPC and EINTR from the N-th system call of the real `flag` command and of the real hook, for every N.

strace fails the call inside the kernel's door, so nothing of the code knows that it is being tested. Only calls that
touch the vault or the answer are failed: what the interpreter does before our first line is not ours to survive.
Whatever fails: what was said to be saved is in the queue, what was not saved is refused in one sentence, earlier flags
are untouched, and the next `flag` is saved. A hook ends with status 0 and valid output or none.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.capture import log, queue
from holdfast.errors import NotSaved

from . import support_strace
from .support import SIZE, count, dice, flag_command, hook_command, make_flags, queue_of, recover, run, saved_ids

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.crash

WRITES = ("write",)
SYNCS = ("fsync", "fdatasync")
NAMES = ("rename", "symlink", "mkdir", "unlink")
OPENS = ("openat", "flock", "readlink")
READS = ("read", "getdents64", "newfstatat", "close")
GROUPS = {"writes": WRITES, "syncs": SYNCS, "names": NAMES, "opens": OPENS, "reads": READS}
ERRORS = ("EIO", "ENOSPC", "EINTR")
TEXT = "the flag that meets the failure"


class Place:
    """A folder with a vault in it, which can be put back as it was. Its path stays: a project is known by its path."""

    def __init__(self, base: Path, kind: str) -> None:
        self.folder = base / "work"
        self.vault = self.folder / "vault"
        self._kept = base / "kept"
        self.folder.mkdir()
        self.earlier: dict[str, str] = {}
        if kind != "fresh":
            done = run(flag_command("an earlier flag", "and another one"), self.vault)
            assert done.returncode == 0, done.stderr
        if kind == "full":
            old = [one for first in range(0, 400, 50) for one in make_flags("old", first, 50)]
            queue.append(str(queue_of(self.vault)), old, 1.0)
        self.keep()

    def keep(self) -> None:
        flags, broken = recover(queue_of(self.vault))
        assert not broken
        self.earlier = {ident: flag.text for ident, flag in flags.items()}
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self.folder, self._kept, symlinks=True)

    def put_back(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._kept, self.folder, symlinks=True)

    def points(self, strace: str, names: tuple[str, ...], command: list[str], given: str = "") -> list[tuple[str, int]]:
        """Which calls touch the vault or the answer: their names and their places among all of that name."""
        # Twice: the first time compiles whatever is not compiled yet, and that takes calls of its own. Under strace
        # also the first time, because strace waits for what a hook leaves running in the background.
        for _ in range(2):
            done, calls = support_strace.record(strace, self.vault, names, command, given=given)
            self.put_back()
        assert done.returncode == 0, done.stderr
        seen: Counter[str] = Counter()
        found = []
        for call in calls:
            if call.pid != calls[0].pid:
                continue  # what it started in the background; strace counts the calls of each process apart
            seen[call.name] += 1
            if call.touches(self.folder) or (call.name == "write" and call.fd[0] in ("1", "2")):
                found.append((call.name, seen[call.name]))
        return found


def chosen(found: list[tuple[str, int]], what: str, errors: int = len(ERRORS)) -> list[tuple[str, int, str]]:
    """Every point with so many of the errors, or a sample of them that holds each name of a call and the last point:
    of writes that is the answer."""
    if not found:
        return []
    chance = dice(what)
    all_of_them = [
        (name, nth, error)
        for name, nth in found
        for error in (["EIO"] if name in READS else chance.sample(ERRORS, errors))
    ]
    sample = chance.sample(all_of_them, len(all_of_them) // SIZE.failing_calls)
    if all_of_them[-1][:2] not in [(name, nth) for name, nth, _ in sample]:
        sample.append((*found[-1], "EIO"))
    missing = {name for name, _, _ in all_of_them} - {name for name, _, _ in sample}
    return sample + [chance.choice([one for one in all_of_them if one[0] == name]) for name in sorted(missing)]


def told(calls: list[support_strace.Call], place: Place) -> str:
    """Which call was failed; one was, or the test has tested nothing."""
    failed = [call.told(place.folder) for call in calls if call.injected]
    assert failed, "no call was failed"
    return " and ".join(failed)


def wrong_with(done: subprocess.CompletedProcess[str], place: Place) -> Iterator[str]:
    """What a `flag` command under failure did wrong, in words."""
    flags, broken = recover(queue_of(place.vault))
    texts = {ident: flag.text for ident, flag in flags.items()}
    if any(texts.get(ident) != text for ident, text in place.earlier.items()):
        yield "an earlier flag is lost"
    said = saved_ids(done.stdout)
    if any(texts.get(ident) != TEXT for ident in said):
        yield "it said saved, and the flag is not there"
    if "Traceback" in done.stderr:
        yield f"it printed a traceback that ends in {done.stderr.splitlines()[-1]!r}"
    elif done.returncode == 0:
        if TEXT not in texts.values():
            yield "status 0, and the flag is not there"
    else:
        if not done.stderr.startswith("holdfast flag: ") or done.stderr.count("\n") != 1:
            yield f"what it said is not one sentence: {done.stderr!r}"
        if said:
            yield "it said that the flag is saved and that something is wrong"
        if ("NOT saved" in done.stderr) != (done.returncode == NotSaved.exit_status):
            yield f"the status was {done.returncode} with {done.stderr!r}"
    if any(found.what == log.DAMAGE for found in broken):
        yield "something in the queue is damaged"
    after = run(flag_command("the flag after the failure"), place.vault)
    flags, _ = recover(queue_of(place.vault))
    if after.returncode or [flags[ident].text for ident in saved_ids(after.stdout)] != ["the flag after the failure"]:
        yield f"the flag after it was not saved: {after.stderr!r}"
    if not flags.keys() >= {*place.earlier, *said}:
        yield "the flag after it took others away"
    lost = {*place.earlier, *said} - flags.keys()
    count("failing calls", flags=1, saved=done.returncode == 0, refused=done.returncode != 0, lost=len(lost))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("kind", ["fresh", "usual", "full"])
def test_a_flag_that_meets_a_failing_call_is_saved_or_says_that_it_is_not(
    tmp_path: Path, strace: str, kind: str, group: str
) -> None:
    place = Place(tmp_path, kind)
    command = flag_command(TEXT)
    found = place.points(strace, GROUPS[group], command)
    assert found or (kind, group) == ("usual", "names"), "nothing to fail"
    wrong: list[str] = []
    for name, nth, error in chosen(found, f"{kind} {group}"):
        injection = f"{name}:error={error}:when={nth}"
        done, calls = support_strace.record(strace, place.vault, (name,), command, injections=[injection])
        where = f"{error} from {told(calls, place)}"
        wrong += [f"{where}: {what}" for what in wrong_with(done, place)]
        place.put_back()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", ["fresh", "usual", "full"])
def test_a_disk_that_stays_broken_refuses_flags_and_keeps_what_it_had(tmp_path: Path, strace: str, kind: str) -> None:
    """From the N-th sync on none succeeds: what has to be synced is refused, or was saved before."""
    place = Place(tmp_path, kind)
    command = flag_command(TEXT)
    wrong: list[str] = []
    for name, nth in place.points(strace, SYNCS, command)[:: (SIZE.failing_calls + 2) // 3]:
        others = [f"{other}:error=EIO" for other in SYNCS if other != name]
        injections = [f"{name}:error=EIO:when={nth}+", *others]
        done, _ = support_strace.record(strace, place.vault, SYNCS, command, injections=injections)
        wrong += [f"EIO from {name} number {nth} on: {what}" for what in wrong_with(done, place)]
        if done.returncode != NotSaved.exit_status:
            wrong.append(f"EIO from {name} number {nth} on: the status was {done.returncode}")
        place.put_back()
    assert not wrong, "\n".join(wrong)


PAYLOADS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "true"}, "tool_response": {"stdout": ""}},
    "SessionEnd": {"reason": "other"},
}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("event", ["SessionStart", "PostToolUse", "SessionEnd"])
def test_a_hook_that_meets_a_failing_call_ends_well(tmp_path: Path, strace: str, event: str, group: str) -> None:
    place = Place(tmp_path, "usual")

    def payload(name: str, session: str) -> str:
        return json.dumps({"hook_event_name": name, "session_id": session, "cwd": str(place.folder), **PAYLOADS[name]})

    before = run(hook_command(), place.vault, given=payload("SessionStart", "known"))
    assert before.returncode == 0, before.stderr
    (Path(place.vault) / ".state" / "upkeep").touch()  # not due: what runs on in the background is not what is tested
    place.keep()
    given = payload(event, "fresh" if event == "SessionStart" else "known")
    found = place.points(strace, GROUPS[group], hook_command(), given)
    wrong: list[str] = []
    for name, nth, error in chosen(found, f"{event} {group}", errors=1):
        injection = f"{name}:error={error}:when={nth}"
        done, calls = support_strace.record(
            strace, place.vault, (name,), hook_command(), injections=[injection], given=given
        )
        where = f"{error} from {told(calls, place)}"
        if done.returncode:
            wrong.append(f"{where}: status {done.returncode}")
        if done.stdout and not isinstance(json.loads(done.stdout), dict):
            wrong.append(f"{where}: {done.stdout!r}")
        if "Traceback" in done.stderr:
            wrong.append(f"{where}: {done.stderr!r}")
        flags, broken = recover(queue_of(place.vault))
        if {ident: flag.text for ident, flag in flags.items()} != place.earlier or broken:
            wrong.append(f"{where}: the queue was touched")
        after = run(hook_command(), place.vault, given=payload("SessionStart", "after"))
        if "an earlier flag" not in json.loads(after.stdout)["hookSpecificOutput"]["additionalContext"]:
            wrong.append(f"{where}: the next start says nothing of the flag: {after.stdout!r}")
        count("failing calls", hooks=1, hooks_that_answered=bool(done.stdout))
        place.put_back()
    assert not wrong, "\n".join(wrong)
