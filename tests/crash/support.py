"""What the crash tests share: sizes, the seed, the counts, flags whose texts can be checked, and the real command."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import holdfast
from holdfast.capture import codec, log, queue
from holdfast.capture.ids import new_id
from holdfast.model import Flag

from .child_writer import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SOURCE = Path(holdfast.__file__).resolve().parents[1]
START = SOURCE / "holdfast" / "hook" / "start.py"
HERE = Path(__file__).resolve().parent
SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True)
class Sizes:
    """How much of everything. The package's docstring says what it adds up to."""

    segment: int  # bytes of the truncated segment, at least
    flips: int
    multiple_flips: int
    settled_flips: int
    kills: int
    command_kills: int
    failing_calls: int  # one in so many points, each with every error
    cut_rounds: int  # one in so many places between two effects
    power_losses: int
    machine_runs: int
    flags_each: int


SIZES = {
    "short": Sizes(3_000, 300, 60, 100, 60, 10, 12, 4, 200, 100, 100),
    "full": Sizes(20_480, 3_000, 500, 1_000, 1_000, 100, 1, 1, 2_000, 2_000, 1_000),
}
NAME = os.environ.get("HOLDFAST_CRASH") or "short"
if NAME not in SIZES:
    raise SystemExit(f'HOLDFAST_CRASH is "{NAME}"; use one of: {", ".join(SIZES)}.')
SIZE = SIZES[NAME]
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(1 << 32))

os.environ["HOLDFAST_SEED"] = str(SEED)  # for whatever process of this run asks next

COUNTS: dict[str, dict[str, int]] = {}


def dice(name: str) -> random.Random:
    """A source of chance of one's own, so that a test alone does what it does in the whole run."""
    return random.Random(f"{SEED}/{name}")


def count(topic: str, **numbers: int) -> None:
    """Add to what the end of the run prints."""
    line = COUNTS.setdefault(topic, {})
    for name, number in numbers.items():
        line[name] = line.get(name, 0) + number


def is_intact(flag: Flag) -> bool:
    writer, _, number = flag.text.partition(" ")[0].rpartition(".")
    return flag.text == text_of(writer, int(number))


def make_flag(text: str, now: float | None = None, nth: int = 0) -> Flag:
    when = time.time() if now is None else now
    return Flag(new_id(when, nth), when, "cli", "", "crash", "fact", text)


def make_flags(writer: str, first: int, how_many: int, now: float | None = None) -> list[Flag]:
    return [make_flag(text_of(writer, first + nth), now, nth) for nth in range(how_many)]


def recover(folder: Path) -> tuple[dict[str, Flag], list[log.Found]]:
    """All flags that the queue in `folder` holds, filed and archived ones too, and what is no record."""
    flags: dict[str, Flag] = {}
    broken: list[log.Found] = []
    for path in sorted([*folder.glob("live/*.log"), *folder.glob("archive/*.log")]):
        part = queue.read_segment(str(path), time.time())
        flags |= {ident: entry.flag for ident, entry in part.entries.items()}
        broken += [found for _, found in part.broken]
    return flags, broken


def flags_in(data: bytes) -> dict[str, Flag]:
    found = (Flag.from_record(codec.decode(payload)) for payload in log.records(log.scan(data)))
    return {flag.id: flag for flag in found}


def queue_of(vault: Path) -> Path:
    return vault / ".state" / "queue"


def environment(vault: Path) -> dict[str, str]:
    # Closes are run by the tests that are about them, not in the background of others.
    own = {"HOLDFAST_HOME": str(vault), "HOLDFAST_CLOSE": "off", "HOME": str(vault.parent)}
    return {**own, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def flag_command(*words: str) -> list[str]:
    """`flag` as the launcher runs it."""
    return [sys.executable, "-I", "-S", str(START), "--command", "flag", *words]


def hook_command() -> list[str]:
    return [sys.executable, "-I", "-S", str(START), "claude-code"]


def run(
    command: Sequence[str], vault: Path, *, given: str = "", extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder beside the vault, as an agent would in a project."""
    return subprocess.run(
        command,
        cwd=vault.parent,
        env={**environment(vault), **(extra or {})},
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@contextmanager
def ended_with_us(processes: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Whatever happens to the test, none of its processes outlives it. The list may still grow."""
    try:
        yield
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


def saved_ids(stdout: str) -> list[str]:
    """The ids that a `flag` command said it saved."""
    return [line.split()[1] for line in stdout.splitlines() if line.startswith("flagged ")]
