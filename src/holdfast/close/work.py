"""The work of a close: each episode's share of the queue, in the order in which episodes ended.

Flags of an episode that lie in another project than its own are work of their own, without a part in its story, and
go first: only then is nothing left of the episode when its story is told. A flag has the origin that the hook noted,
not the one that it claims (`Believing`). Of two closes one thinks about an episode without flags, so that no judge is
asked twice about one story (`Holding`). Besides its flags a close looks whether the vault's history is whole.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gate, gitfiles, home, marks, notices, once, platform, queue
from holdfast.errors import Busy, GitFailed, HoldfastError
from holdfast.model import TRUSTED, Flag, replace
from holdfast.vault import git_damage, journal
from holdfast.vault.git import Repository
from holdfast.vault.notes import PROPOSED
from holdfast.vault.transaction import is_being_written, writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vault.git_objects import Damage

VERBATIM = "verbatim"  # in place of a judge's name: nobody was asked, or nobody answered
EVERY = 3600.0
PATIENCE = 5.0
STAMP = "history-looked"


@dataclass
class Believing:
    """The taint of each episode, looked up once."""

    state: str
    known: dict[str, tuple[str, float, frozenset[str]]] = field(default_factory=dict)

    def believed(self, flag: Flag) -> Flag:
        """The flag with the origin that it may have, and the status."""
        episode = flag.episode
        if episode and flag.origin in TRUSTED:
            if episode not in self.known:
                origin = once.read(self.state, episode, once.TAINT) or ""
                heard = (once.read(self.state, episode, once.HEARD) or "").split() if origin else []
                self.known[episode] = origin, once.when(self.state, episode, once.TAINT), frozenset(heard)
            origin, since, told = self.known[episode]
            if origin and flag.time >= since and flag.id not in told:
                flag = replace(flag, origin=origin)
        return replace(flag, status=PROPOSED) if gate.is_proposal(flag) and not flag.status else flag


@dataclass(frozen=True)
class Closed:
    """The outcome of one episode, or ("") of the flags that belong to none. `judge` is who consolidated, `jobs` how
    many questions that took, `discarded` what it left out, `fell_back` why some or all of it was filed verbatim,
    `code` the kind of the error (errors)."""

    episode: str
    number: int
    filed: int
    handoff: str
    commit: str
    error: str = ""
    judge: str = VERBATIM
    jobs: int = 0
    discarded: int = 0
    fell_back: str = ""
    tidied: int = 0  # notes that were filed verbatim before, and are consolidated now
    code: str = ""


@dataclass(frozen=True)
class Work:
    """One episode's share of a close: what is known of it, its flags, oldest first, and the segments they lie in.
    `whole`: nobody else is filing flags of it."""

    episode: episodes.Episode | None
    key: str
    project: str
    flags: tuple[Flag, ...]
    segments: tuple[str, ...] = ()
    whole: bool = True
    root: str = ""

    @property
    def is_home(self) -> bool:
        """Whether the episode is of this project. Flags that it left in others have no part in its story."""
        return self.episode is not None and self.episode.project == self.project

    @property
    def ends(self) -> bool:
        """Whether the story is told now."""
        return self.whole and is_over(self.episode)

    @property
    def tells(self) -> bool:
        """Whether a handoff is due."""
        return self.ends and self.is_home

    @property
    def ended(self) -> float:
        if self.episode and self.episode.closed:
            return self.episode.closed
        return max((flag.time for flag in self.flags), default=0.0)

    @cached_property
    def folder(self) -> str:
        """The folder that evidence is looked for in, the one that the project's own look at its anchors begins at."""
        return gitfiles.root_of(self.episode.cwd) if self.episode and self.is_home else self.root


def is_over(episode: episodes.Episode | None) -> bool:
    return episode is None or episode.state != episodes.OPEN


def find(state: str, now: float, merged: Mapping[str, str] | None = None) -> list[Work]:
    """Everything, in the order in which it ended. `merged` are the ids of merged projects, each with the one that
    counts: what waits of them is filed there."""
    into = merged or {}
    waiting: dict[tuple[str, str], list[queue.Entry]] = {}
    shared = set()
    for entry in queue.read(f"{state}/queue", now).entries:
        name = (entry.flag.episode, into.get(entry.flag.project, entry.flag.project))
        if entry.state == queue.WAITING:
            waiting.setdefault(name, []).append(entry)
        elif entry.state == queue.CLAIMED:
            shared.add(name)
    for mark in marks.everywhere(state):
        waiting.setdefault((mark.episode, into.get(mark.project, mark.project)), [])
    found = []
    believing = Believing(state)
    for (key, project), entries in waiting.items():
        whole = not key or (key, project) not in shared
        if entries or whole:
            said = (believing.believed(entry.flag) for entry in entries)
            ours = (replace(flag, project=project) if flag.project != project else flag for flag in said)
            flags = tuple(sorted(ours, key=lambda flag: (flag.time, flag.id)))
            places = tuple({entry.segment: None for entry in entries})
            episode = episodes.of_key(state, key)
            if episode and episode.project in into:
                episode = replace(episode, project=into[episode.project])
            found.append(Work(episode, key, project, flags, places, whole))
    return sorted(found, key=lambda one: (one.ended, one.key, one.is_home, one.project))


def first(work: list[Work], most_episodes: int, most_flags: int) -> list[Work]:
    """As much as one round takes."""
    counts = accumulate(len(one.flags) for one in work[:most_episodes])
    return work[: max(1, sum(count <= most_flags for count in counts))]


class Holding:
    """The names that this close holds, until it is left: one byte of one file each, so that nothing is left behind."""

    def __init__(self, state: str, *, asks: bool) -> None:
        self._path = f"{state}/closing"
        self._asks = asks
        self._fd = -1

    def __enter__(self) -> Holding:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def take(self, name: str) -> bool:
        """False where another close has it. One that asks nobody, and a disk that takes no lock, need not know."""
        if not self._asks:
            return True
        try:
            if self._fd < 0:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(name.encode("utf-8", "replace")))
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


def try_writer(vault: str, now: float) -> HoldfastError | OSError | None:
    """Where a change was cut short, a fault stands or a glance shows damage, a writer goes through, which finishes,
    ends or names it; the error where it cannot. Somebody else who writes at this moment sees to it themselves."""
    is_due = journal.is_cut_short(vault) or notices.are_there(home.state(vault)) or gitfiles.damage(vault)
    if not is_due:
        return None
    try:
        with writing(vault, now):
            return None
    except Busy:
        return None
    except (HoldfastError, OSError) as error:
        return error


def look_over(vault: str, now: float) -> None:
    """Let git look at all of the history now and then, and say its findings at the next starts. Fails nothing."""
    state = home.state(vault)
    repository = Repository(vault)
    if not repository.exists() or is_being_written(vault) or not _is_due(state, now):
        return
    try:
        platform.write_atomic(f"{state}/{STAMP}", f"{now:.0f}\n".encode("ascii"), durable=False)
        note(vault, git_damage.look(repository, PATIENCE), now)
    except (GitFailed, OSError):
        return  # too large for a look on the way, or git is not here: `holdfast doctor` says it


def note(vault: str, found: list[Damage], now: float) -> None:
    """Faults of a history in which a writer still goes through, as a whole look has found it."""
    state = home.state(vault)
    for name, is_lost in ((notices.VERSIONS, True), (notices.OBJECTS, False)):
        what = next((one.what for one in found if one.is_lost == is_lost), "")
        if what:
            notices.stand(state, name, what, now)
        else:
            notices.lift(state, name)


def _is_due(state: str, now: float) -> bool:
    if any(one.name in (notices.VERSIONS, notices.OBJECTS) for one in notices.standing(state)):
        return True
    try:
        text = platform.read_file(f"{state}/{STAMP}", 32).decode("ascii", "replace").strip()
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return not text.isdecimal() or not 0 <= now - int(text) < EVERY
