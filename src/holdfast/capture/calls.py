"""Agents' tool calls, timed by the file system's own clock, and what we ourselves wrote meanwhile.

    calls/open/NAME    a call under way: when it began and whose it is
    calls/ended        calls that are over since the last writer: begin, end, whose
    calls/missing      notes that were gone when a call had ended: whose call, which note
    calls/written      digests of what our own writers put into the vault or took out of it
    calls/settled      the last commit that a writer vouched for, and the note folders by inode
    calls/names        the notes that the last writer left

A file's change time is set by the kernel and by nobody else, so a note that changed within a call, and not by our own
hand, was changed by an agent (capture/agent_files). Begin and end are change times too, of the mark itself: the clock
is the file system's, whatever machine serves it. Each hook makes one small file and removes it again, however many
notes there are. A writer, which settles what agents changed, drops what it no longer needs (vault/agent_edits).
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.capture.ids import digest
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = 16 << 20
FOREVER = 1 << 63
LONGEST = 600_000_000_000  # ns that a call may have gone on after its session died
ABANDONED = 86_400_000_000_000  # ns after which a call that never ended is taken for one that died
NEW = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
MORE = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC
GONE = "\0gone"
UNKNOWN = "?"  # begins the name of a session that nobody looks at: capture is off, or goes to another vault
FOLDERS = ("identity", "rules", "knowledge", "feedback", "projects", "quarantine")  # of notes


@value
class CallSpan:
    """One call: when it began and ended, in ns, and the episode that made it."""

    begin: int
    end: int
    episode: str
    agent: str = ""


@value
class LastWriter:
    """The last writer's commit, and the note folders by inode, so that another one in the place of one shows."""

    head: str
    folders: dict[str, int]


def begin(state: str, name: str, episode: str, agent: str = "") -> None:
    """Note that a call of a session, or of one of its subagents, is about to run. Raises OSError."""
    path = f"{state}/calls/open/{name}"
    try:
        fd = posix.open(path, NEW, 0o600)
    except FileExistsError:
        return
    except FileNotFoundError:
        platform.make_folders(f"{state}/calls/open")
        fd = posix.open(path, NEW, 0o600)
    try:
        episode = episode if len(episode.split()) == 1 else UNKNOWN  # a name that would break the line
        posix.write(fd, f"{posix.fstat(fd).st_ctime_ns} {episode}\t{agent}\n".encode("utf-8", "replace"))
    finally:
        posix.close(fd)


def end(state: str, name: str, *, died: bool = False) -> int:
    """Note that a call is over; returns when it began, 0 where that is not known. Raises OSError."""
    path = f"{state}/calls/open/{name}"
    known = read_open(path)
    if not known:
        return 0
    posix.utime(path)
    last = min(posix.stat(path).st_ctime_ns, known.begin + LONGEST if died else FOREVER)
    append(state, "ended", f"{known.begin} {last} {known.episode}")
    platform.remove(path)  # not before it is in the other list
    return known.begin


def cancel(state: str, name: str) -> None:
    """Forget a call that will not run after all."""
    platform.remove(f"{state}/calls/open/{name}")


def end_all(state: str, episode: str, agent: str | None = None, *, died: bool = False) -> None:
    """Note that no call of an episode is under way any more, or none of one agent in it, "" being the session itself:
    refused ones and interrupted ones end without a word."""
    for name in platform.names(f"{state}/calls/open"):
        known = read_open(f"{state}/calls/open/{name}")
        if known and known.episode == episode and agent in (None, known.agent):
            end(state, name, died=died)


def read_open(path: str) -> CallSpan | None:
    """A call under way; None where it is over."""
    try:
        began, _, owner = platform.read_file(path, 4096).decode("utf-8", "replace").rstrip("\n").partition(" ")
        episode, _, agent = owner.partition("\t")
        return CallSpan(int(began) if began.isdecimal() else posix.stat(path).st_ctime_ns, FOREVER, episode, agent)
    except OSError:
        return None


def changed_folders(vault: str, since: int) -> list[str]:
    """The folders of notes in which something came or went."""
    return [name for name in FOLDERS if _ctime(f"{vault}/{name}") >= since]


def _ctime(folder: str) -> int:
    """The change time of a folder; one that is gone changed in any case."""
    try:
        return posix.lstat(folder).st_ctime_ns
    except OSError:
        return FOREVER


def spans(state: str) -> list[CallSpan]:
    """Every call since the last writer, those under way included."""
    folder = f"{state}/calls/open"
    found = [one for name in platform.names(folder) if (one := read_open(f"{folder}/{name}"))]
    for line in lines(state, "ended"):
        parts = line.split(" ", 2)
        if len(parts) == 3 and parts[0].isdecimal() and parts[1].isdecimal():
            found.append(CallSpan(int(parts[0]), int(parts[1]), parts[2]))
    return found


def written(state: str, path: str, text: str | None) -> None:
    """Note that our own writer is about to put this text at a path of the vault, or to take the file away."""
    append(state, "written", of_text(path, text))


def of_text(path: str, text: str | None) -> str:
    return digest(f"{path}\0{GONE if text is None else text}", 32)


def append(state: str, name: str, line: str) -> None:
    """Add a line to one of the lists. Where a writer took the list away at that very moment, to the next one."""
    path = f"{state}/calls/{name}"
    for _ in range(8):
        try:
            fd = posix.open(path, MORE, 0o600)
        except FileNotFoundError:
            platform.make_folders(f"{state}/calls")
            continue
        try:
            posix.write(fd, f"{line}\n".encode("utf-8", "surrogateescape"))
            if posix.fstat(fd).st_ino == posix.stat(path).st_ino:
                return
        except FileNotFoundError:
            continue
        finally:
            posix.close(fd)


def lines(state: str, name: str) -> list[str]:
    """A list, with what a writer that was killed had begun to drop."""
    begun = platform.text(f"{state}/calls/{name}.before", LARGEST, "surrogateescape")
    found = platform.text(f"{state}/calls/{name}", LARGEST, "surrogateescape")
    return list(filter(None, (*begun.split("\n"), *found.split("\n"))))


def settled(state: str) -> LastWriter:
    """The state that the last writer left; nothing where none has ever been."""
    head, *rest = platform.text(f"{state}/calls/settled", LARGEST).split("\n")
    pairs = [line.split(" ", 1) for line in rest]
    return LastWriter(head, {one[1]: int(one[0]) for one in pairs if len(one) == 2 and one[0].isdecimal()})


def settle(state: str, head: str, folders: Iterable[tuple[str, int]]) -> None:
    """A writer vouches for a commit, and for these folders."""
    data = "\n".join((head, *(f"{inode} {name}" for name, inode in folders))).encode()
    platform.make_folders(f"{state}/calls")
    platform.write_atomic(f"{state}/calls/settled", data, durable=False)
