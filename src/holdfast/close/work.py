"""What there is to close: each episode's share of the queue, in the order in which episodes ended.

Flags of an episode that lie in another project than its own are work of their own, without a part in its story, and go
first: only then is nothing left of the episode when its story is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gitfiles, marks, queue
from holdfast.close.believing import Believing
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.episodes import Episode
    from holdfast.model import Flag


VERBATIM = "verbatim"  # in place of a judge's name: nobody was asked, or nobody answered


@dataclass(frozen=True)
class Closed:
    """What became of one episode, or ("") of the flags that belong to none. `judge` is who consolidated, `jobs` how
    many questions that took, `discarded` what it left out, `fell_back` why some or all of it was filed verbatim,
    `code` of which kind the error is (errors)."""

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

    episode: Episode | None
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
    def folder(self) -> str:
        """The folder that evidence is looked for in, the one that the project's own look at its anchors begins at."""
        if not self.episode or not self.is_home:
            return self.root
        return gitfiles.root_of(self.episode.cwd)


def is_over(episode: Episode | None) -> bool:
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
            episode = find_episode(state, key)
            if episode and episode.project in into:
                episode = replace(episode, project=into[episode.project])
            found.append(Work(episode, key, project, flags, places, whole))
    return sorted(found, key=lambda one: (_ended(one), one.key, one.is_home, one.project))


def _ended(work: Work) -> float:
    if work.episode and work.episode.closed:
        return work.episode.closed
    return max((flag.time for flag in work.flags), default=0.0)


def first(work: list[Work], most_episodes: int, most_flags: int) -> list[Work]:
    """As much as one round takes."""
    taken: list[Work] = []
    count = 0
    for one in work[:most_episodes]:
        if taken and count + len(one.flags) > most_flags:
            break
        taken.append(one)
        count += len(one.flags)
    return taken


def find_episode(state: str, key: str) -> Episode | None:
    return episodes.of_key(state, key)
