"""Embedding a whole field in a process of its own: one at a time for each vault, behind all else on the machine."""

from __future__ import annotations

import posix
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import background, codec, home, ledger, locks, platform
from holdfast.errors import Busy, HoldfastError, UsageError
from holdfast.field import embedders, embedding, handle, intake
from holdfast.field.embedders import NoVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.field.embedders import Embedder
    from holdfast.field.handle import Field

FILE, LOCK = "embedding.json", "embedding.lock"
LARGEST = 1 << 16
HANDOVER = 2.0  # seconds that one waits for another that is about to end
RETRY = 60.0  # between two that nobody asked for, where the one before had to give up
BEHIND = 10  # how far it stands behind what somebody waits for
STARTED: set[int] = set()  # processes of ours: one that ended stays in the kernel's list until it is asked after
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from holdfast.field import embedding_process as it; it.main()"


@dataclass(frozen=True)
class Progress:
    """Progress of the last embedding process. `before` is the model that served when it began; `ended` 0 while it is at
    it, or was killed; `problem` is why it gave up."""

    model: str
    before: str = ""
    done: int = 0
    total: int = 0
    started: float = 0.0
    pid: int = 0
    ended: float = 0.0
    problem: str = ""


def progress(vault: str) -> Progress | None:
    """The record of the last embedding process; None where there was none."""
    try:
        found = codec.decode(platform.read_file(_path(vault, FILE), LARGEST))
        return Progress(**{name: found[name] for name in Progress.__dataclass_fields__})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_at_work(vault: str) -> bool:
    """Whether a process is at it now."""
    for pid in tuple(STARTED):
        runs(pid)
    return locks.is_held(_path(vault, LOCK))


def runs(pid: int) -> bool:
    """Whether a process that we started still runs."""
    try:
        is_running = posix.waitpid(pid, posix.WNOHANG)[0] == 0
    except ChildProcessError:
        is_running = False
    if not is_running:
        STARTED.discard(pid)
    return is_running


def _path(vault: str, name: str) -> str:
    return f"{home.state(vault)}/{name}"


@dataclass(frozen=True)
class Background:
    """Embeds later what is too much for now (handle.Later)."""

    vault: str
    env: Mapping[str, str]
    clock: Callable[[], float] = time.time

    def is_at_work(self) -> bool:
        return is_at_work(self.vault)

    def start(self) -> bool:
        """Not where the user keeps background work to themselves, and not soon after one that had to give up."""
        before = progress(self.vault)
        has_failed = bool(before and before.problem and 0 <= self.clock() - before.ended < RETRY)
        if self.is_at_work():
            return True
        return not has_failed and not background.is_off(self.env) and start(self.vault, self.env) > 0


def start(vault: str, env: Mapping[str, str]) -> int:
    """A process that embeds the field of a vault; its pid, or 0 where none can be started. A second one waits a moment
    for the first and then leaves it to it."""
    users = home.machine_state(env).removesuffix("/.state")
    root = __file__.rpartition("/holdfast/")[0]
    given = {**env, home.CHILD: "1", home.OWN: users, "HOLDFAST_HOME": vault}
    try:
        pid = background.spawn([sys.executable, "-I", "-c", PROGRAM, root], given, _path(vault, "background.log"))
    except OSError:
        return 0
    STARTED.add(pid)
    return pid


def main() -> None:
    """The process. Nobody sees its stderr, so the ledger is told what went wrong."""
    posix.nice(BEHIND)
    env = platform.environ()
    vault = home.vault(env)
    try:
        work(vault, env)
    except Exception as error:
        said = ledger.short(f"{type(error).__name__}: {error}", 500)
        ledger.append(home.state(vault), "error", time.time(), event="embed", error=said)


def work(vault: str, env: Mapping[str, str], clock: Callable[[], float] = time.time) -> None:
    """Embed until the model that the settings name serves, or cannot be reached."""
    try:
        held = locks.taken(_path(vault, LOCK), HANDOVER)
    except Busy:
        return  # somebody is at it, and looks at the settings as we would
    try:
        while not _one(vault, env, clock):
            pass
    finally:
        posix.close(held)


def _one(vault: str, env: Mapping[str, str], clock: Callable[[], float]) -> bool:
    """One model's turn; False where the settings named another in the meantime."""
    state = home.machine_state(env)
    wanted = embedders.wished(state)
    try:
        embedder = embedders.made_from(wanted, env) if wanted else None
    except (UsageError, NoVectors) as error:
        embedder, now, name = None, clock(), wanted.name if wanted else ""
        _write(vault, Progress(name, started=now, pid=posix.getpid(), ended=now, problem=str(error)))
    if embedder:
        with handle.opened(vault, embedder, clock) as field:
            _embed(field, embedder, lambda: embedders.wished(state) != wanted)
    return embedders.wished(state) == wanted


def _embed(field: Field, embedder: Embedder, is_enough: Callable[[], bool]) -> None:
    with suppress(Busy):  # the holder of the store takes it in
        intake.take_in(field)
    store = field.store
    total, problem = store.count(), ""
    done = total - store.lacking(embedder.name)
    told = Progress(embedder.name, store.serving(), done, total, field.clock(), posix.getpid())

    def tell(more: int) -> None:
        nonlocal told
        told = replace(told, done=min(told.done + more, told.total))
        _write(field.vault, told)

    tell(0)
    try:
        embedding.everything(field, embedder, is_enough=is_enough, progress=tell)
    except HoldfastError as error:
        problem = str(error)
    total = store.count()
    done = total - store.lacking(embedder.name)
    _write(field.vault, replace(told, done=done, total=total, ended=field.clock(), problem=problem))


def _write(vault: str, told: Progress) -> None:
    with suppress(OSError):  # a full disk: the vectors themselves tell how far it came
        platform.write_atomic(_path(vault, FILE), codec.encode({"v": 1, **asdict(told)}), durable=False)
