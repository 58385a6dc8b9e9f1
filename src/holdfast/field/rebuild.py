"""Make the store anew from what is true: notes, handoffs, tasks, thoughts and the traffic log.

All of it happens in one transaction, so whoever searches meanwhile sees the field as it was, and a kill leaves it so.
Vectors follow in steps; until they are there search goes by words. A file that cannot even be opened was taken away
by then (field/sqlite/schema). Nothing that was acknowledged is in the store alone.

Embedding a whole field in a process of its own, one at a time for each vault, behind whatever else the machine does.
"""

from __future__ import annotations

import posix
import sys
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture import background, codec, home, ledger, locks, platform
from holdfast.errors import Busy, HoldfastError, UsageError
from holdfast.field import embedding, indexing, opening
from holdfast.field.embed import choice
from holdfast.field.embed.choice import NoVectors
from holdfast.field.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.field.indexing import Synced
    from holdfast.field.opening import Field


PATIENCE = 60.0
T = TypeVar("T")


@dataclass(frozen=True)
class Rebuilt:
    """What the field is made of now, and what in its logs was no record."""

    thoughts: int
    embedded: int
    broken: int


def rebuild(field: Field, progress: Callable[[int], None] = lambda _: None) -> Rebuilt:
    """Raises Busy. A store that is broken is taken away first."""
    try:
        done = _anew(field, progress)
    except Damaged:
        field.store.discard()
        done = _anew(field, progress)
    embedded = indexing.embed(field, progress=progress)
    return Rebuilt(field.store.count(), embedded, len(done.broken))


def _anew(field: Field, progress: Callable[[int], None]) -> Synced:
    with field.store.writing(PATIENCE):
        field.store.clear()
        return indexing.take_in(field, thorough=True, progress=progress)


def synced(field: Field) -> Synced:
    """Up to date, whatever the file is like: one that turns out broken in use is made anew."""
    try:
        return indexing.sync(field)
    except Busy:
        return indexing.Synced()
    except Damaged:
        field.store.discard()
        return indexing.sync(field)


def looked(field: Field, look: Callable[[], T]) -> T:
    """A look at the store, up to date; pages of the file that only turn out broken now are made anew, and it looks
    again."""
    synced(field)
    try:
        return look()
    except Damaged:
        field.store.discard()
        indexing.sync(field)
        return look()


FILE, LOCK = "embedding.json", "embedding.lock"
LARGEST = 1 << 16
HANDOVER = 2.0  # seconds that one waits for another that is about to end
RETRY = 60.0  # between two that nobody asked for, where the one before had to give up
BEHIND = 10  # how far it stands behind what somebody waits for
STARTED: set[int] = set()  # processes of ours: one that ended stays in the kernel's list until it is asked after
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from holdfast.field import rebuild; rebuild.main()"


@dataclass(frozen=True)
class Progress:
    """How far the last one came. `before` is the model that served when it began; `ended` 0 while it is at it, or was
    killed; `problem` is why it gave up."""

    model: str
    before: str = ""
    done: int = 0
    total: int = 0
    started: float = 0.0
    pid: int = 0
    ended: float = 0.0
    problem: str = ""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def progress(vault: str) -> Progress | None:
    """What the last one left; None where there was none."""
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
    """Whoever a field leaves to it what is too much for now (opening.Later)."""

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
    """What that process does. Nobody sees its stderr, so the ledger is told what went wrong."""
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
    wanted = choice.wished(state)
    try:
        embedder = choice.made_from(wanted, env) if wanted else None
    except (UsageError, NoVectors) as error:
        now = clock()
        _write(
            vault,
            Progress(wanted.name if wanted else "", started=now, pid=posix.getpid(), ended=now, problem=str(error)),
        )
        return choice.wished(state) == wanted
    if embedder is None:
        return choice.wished(state) == wanted
    with opening.opened(vault, embedder, clock) as field:
        try:
            indexing.take_in(field)
        except Busy:
            pass  # whoever holds it takes it in
        store = field.store
        lacking = store.lacking(embedder.name)
        total = store.count()
        told = Progress(embedder.name, store.serving(), total - lacking, total, clock(), posix.getpid())

        def tell(more: int) -> None:
            nonlocal told
            told = replace(told, done=min(told.done + more, told.total))
            _write(vault, told)

        tell(0)
        try:
            embedding.everything(field, embedder, is_enough=lambda: choice.wished(state) != wanted, progress=tell)
            problem = ""
        except HoldfastError as error:
            problem = str(error)
        total = store.count()
        left = store.lacking(embedder.name)
        _write(vault, replace(told, done=total - left, total=total, ended=clock(), problem=problem))
    return choice.wished(state) == wanted


def _write(vault: str, told: Progress) -> None:
    try:
        platform.write_atomic(_path(vault, FILE), codec.encode({"v": 1, **asdict(told)}), durable=False)
    except OSError:
        return  # a full disk: the vectors themselves tell how far it came
