"""Things that happen once in the course of an episode, as small files: episodes/course/<episode>/<name>.

Hooks of one session run at the same time and may not wait for each other. Making a file that must not exist yet, and
renaming one away, are decided by the file system: of two hooks exactly one is first. Nothing here must survive the
power; what must is in the queue. The close of an episode drops the folder.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TAINT = "taint"  # outside text has entered; content: its origin
TAINTED_BY = "tainted-by"  # the call that brought it first, in short
FLAGGED = "flagged"  # its time is that of the last flag
ASKED = "asked"  # a boundary passed, and nothing was flagged or declined since; content: which
HEARD = "heard"  # ids of the user's own words that the hook has heard, whatever became of them
ANSWERED = "answered-"  # and an id: the user's words behind it were put properly
REQUESTS = "requests"  # ids of the user's words that the model was asked to put properly
SHOWN = "shown"  # the user's sentences that the model was asked about: an id, a prompt's number and the words, each
LAST_SAID = "last-said"  # the end of what the model said when its turn ended
CARRIED = "carried"  # what its start has shown, as the ledger says it
TOLD = "told"  # when its last start was, and digests of what this conversation was told there or has said itself
BEFORE = "before"  # what happened once in the stretches of this conversation before this one
CYCLE = "cycle"  # how many compactions there were
MOST = "most"  # tokens that were used in this cycle, once they press
UNFILED = "unfiled"  # ids of flags that came in since the last close that was started while it went on
HELD = "held"  # a nudge that waits for a moment which carries text; content: which, and its words
CALLED = "task-called"  # how many tools were used since its last checkpoint of a task
CHECKPOINTED = "task-checkpointed"  # its time is that of the last one
ONCE = ("band-", "checkpoint-", "chapter-", "task-", "subagent-", "commit-", "armed-")  # of a conversation
STATES = (CALLED, CHECKPOINTED)  # begin like one of these, and are none
LASTING = (TAINT, TAINTED_BY, TOLD, BEFORE, CYCLE, MOST)  # a session that is resumed goes on with them
LARGEST = 1 << 16
MOST_BEFORE = 1000  # names that a conversation carries along
MOST_TOLD = 1500  # things that it is known to have been told
KEPT = 90 * 86400.0  # seconds
NEW = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
NO_LINKS = (1, 31, 38, 95)  # EPERM, EMLINK, ENOSYS, EOPNOTSUPP


def first(state: str, episode: str, name: str, content: str = "") -> bool:
    """True if this is the first time; from now on it no longer is. A reader that finds it finds its content whole."""
    if _is_once(name) and name in _before(state, episode):
        return False
    path = _path(state, episode, name)
    data = content.encode("utf-8", "replace")
    try:
        return _make(path, data)
    except FileNotFoundError:
        _make_folder(path.rpartition("/")[0])
        return _make(path, data)


def _make(path: str, data: bytes) -> bool:
    try:
        if data:
            return _link(path, data)
        posix.close(posix.open(path, NEW, 0o600))
    except FileExistsError:
        return False
    return True


def _link(path: str, data: bytes) -> bool:
    """Written under another name first: a reader in between would take the content for empty, a taint for none."""
    if platform.is_there(path):
        return False
    straggler = platform.straggler_of(path)
    platform.write_new(straggler, data, durable=False)
    try:
        posix.link(straggler, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        platform.write_new(path, data, durable=False)  # a file system without links: whole but for the blink of an eye
    finally:
        platform.remove(straggler)
    return True


def put(state: str, episode: str, name: str, content: str = "") -> None:
    """Note it, whatever was noted before."""
    path = _path(state, episode, name)
    _make_folder(path.rpartition("/")[0])
    platform.write_atomic(path, content.encode("utf-8", "replace"), durable=False)


def add(state: str, episode: str, name: str, words: list[str]) -> None:
    """Note more of the same. Two at once may lose one of them, which only hooks of one session could be."""
    before = (read(state, episode, name) or "").split()
    put(state, episode, name, "\n".join([*before, *words]))


def read(state: str, episode: str, name: str) -> str | None:
    """The content of a note; None where nothing was noted."""
    try:
        return platform.read_file(_path(state, episode, name), LARGEST).decode("utf-8", "replace")
    except OSError:
        return None


def when(state: str, episode: str, name: str) -> float:
    """The time at which it was noted last; 0 where it never was."""
    return platform.modified(_path(state, episode, name))


def touch(state: str, episode: str, name: str, now: float) -> None:
    path = _path(state, episode, name)
    try:
        posix.utime(path, (now, now))
    except FileNotFoundError:
        first(state, episode, name)
        posix.utime(path, (now, now))


def take(state: str, episode: str, name: str) -> str | None:
    """Read it and take it away: of several who try, one gets it."""
    path = _path(state, episode, name)
    mine = f"{path}.{posix.getpid()}"
    try:
        posix.rename(path, mine)
        text = platform.read_file(mine, LARGEST).decode("utf-8", "replace")
        posix.unlink(mine)
    except OSError:
        return None
    return text


def drop(state: str, episode: str, name: str) -> None:
    platform.remove(_path(state, episode, name))


def count(state: str, episode: str, name: str) -> int:
    """A number that only grows; 0 at first. Two at once may count as one, which costs nothing."""
    text = read(state, episode, name) or ""
    return int(text) if text.isdecimal() else 0


def answered(state: str, episode: str, now: float, ids: Iterable[str] = ()) -> None:
    """Note that something was flagged: no boundary waits any more. `ids`: the user's words that were put properly."""
    touch(state, episode, FLAGGED, now)
    drop(state, episode, ASKED)
    for ident in ids:
        first(state, episode, f"{ANSWERED}{ident}")


def next_cycle(state: str, episode: str, cycle: int) -> None:
    """Begin this compaction cycle. Its number is the caller's: of two hooks at once both begin the same one."""
    drop(state, episode, MOST)
    put(state, episode, CYCLE, str(cycle))


def inherit(state: str, parent: str, episode: str, name: str) -> None:
    """Carry over a note to the episode in which the context of another goes on."""
    text = read(state, parent, name)
    if text is not None:
        first(state, episode, name, text)


def go_on(state: str, parent: str, episode: str) -> None:
    """Let a conversation go on in another episode: nothing is said twice, and its compactions count on."""
    for name in (TAINT, TAINTED_BY, CYCLE, MOST):
        inherit(state, parent, episode, name)
    said = _said(state, parent)
    if said:
        first(state, episode, BEFORE, "\n".join(said))


def known_as(words: str) -> str:
    """The digest by which a conversation knows something that it was told, however it was spaced."""
    return digest(" ".join(words.split()))


def said_itself(state: str, episode: str, texts: Iterable[str]) -> None:
    """Note what a conversation has flagged: it is no news to it. One without a start of ours is told everything."""
    left = read(state, episode, TOLD)
    if left is not None:
        lines = [*left.split("\n"), *(known_as(text) for text in texts)]
        put(state, episode, TOLD, "\n".join([lines[0], *lines[1:][-MOST_TOLD:]]))


def is_noted(state: str, episode: str, name: str) -> bool:
    """True if it has happened, in this episode or before it in the same conversation."""
    return read(state, episode, name) is not None or (_is_once(name) and name in _before(state, episode))


def _is_once(name: str) -> bool:
    return name.startswith(ONCE) and name not in STATES


def _before(state: str, episode: str) -> list[str]:
    return (read(state, episode, BEFORE) or "").split("\n")


def _said(state: str, episode: str) -> list[str]:
    """The things that have happened once in a conversation, the newest last, as far as a file of its size can tell."""
    own = [name for name in platform.names(_folder(state, episode)) if _is_once(name) and not name.endswith(".tmp")]
    return [name for name in dict.fromkeys((*_before(state, episode), *sorted(own))) if name][-MOST_BEFORE:]


def forget(state: str, episode: str) -> None:
    """Drop all but what a session that is resumed from it inherits, with what was said once as one list."""
    folder = _folder(state, episode)
    said = _said(state, episode)
    if said:
        put(state, episode, BEFORE, "\n".join(said))
    for name in platform.names(folder):
        if name not in LASTING:
            platform.remove(f"{folder}/{name}")
    platform.remove_folder(folder)


def sweep(state: str, now: float) -> int:
    """Drop what belongs to episodes that nobody will resume any more."""
    for path in _old(f"{state}/scheduled", now):
        platform.remove(path)
    swept = _old(f"{state}/episodes/course", now)
    for folder in swept:
        for name in platform.names(folder):
            platform.remove(f"{folder}/{name}")
        platform.remove_folder(folder)
    return len(swept)


def _old(folder: str, now: float) -> list[str]:
    paths = (f"{folder}/{name}" for name in platform.names(folder))
    return [path for path in paths if platform.modified(path) < now - KEPT]


def _make_folder(path: str) -> None:
    """Without the wait for the disk that a folder of what must last gets: a start makes this one."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        platform.make_folders(path)


def _folder(state: str, episode: str) -> str:
    return f"{state}/episodes/course/{digest(episode, 24)}"


def _path(state: str, episode: str, name: str) -> str:
    return f"{_folder(state, episode)}/{name}"
