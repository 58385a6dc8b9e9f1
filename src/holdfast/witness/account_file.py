"""The file with the account of a session that still goes on: a kill then costs only what came after its last writing.

Reading a transcript takes longer than a start may, so a process of its own does it, at the end of a turn, at a commit,
before a compaction, and every few minutes of a long turn. The start that finds the session dead reads one small file.
The close of the episode, which reads the transcript itself, takes it away.
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import codec, gitfiles, platform
from holdfast.capture.ids import digest
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.episodes import Episode

MOST_READ = 64 << 20
LARGEST = 1 << 18  # of a kept account that is read back
KEPT_FOR = 90 * 86400.0
PATIENCE, STEP = 20, 0.05  # looks, and seconds between them


@value
class Kept:
    """The sections as the account had them, its time, and how many bytes of the transcript it covers."""

    time: float
    sections: Mapping[str, tuple[str, ...]]
    size: int = 0


def keep(state: str, episode: Episode, now: float) -> bool:
    """Make the account of what its transcript has now; False where there is nothing worth keeping."""
    from holdfast.capture.redaction import redact
    from holdfast.text import transcript
    from holdfast.witness import account

    size, before = _size(episode.transcript), read(state, episode.key)
    if not size or (before and size < before.size):
        return False  # a process that was slower than the one after it
    heard, _ = transcript.since(episode.host, episode.transcript, episode.offset, MOST_READ, whole=True)
    found = account.gathered(heard)
    if not found.worked:
        return False
    root = f"{gitfiles.root_of(episode.cwd)}/"  # paths as the project says them
    told = account.sections(found).items()
    sections = {name: [redact(one.replace(root, ""))[0] for one in items] for name, items in told}
    record = {"v": VERSION, "episode": episode.key, "t": round(now, 3), "size": size, "sections": sections}
    path = _path(state, episode.key)
    platform.make_folders(path.rpartition("/")[0])
    platform.write_atomic(path, codec.encode(record), durable=False)
    return True


def is_more(path: str, size: int) -> bool:
    """Whether the host writes more within a second: it writes a result down once the hooks of the call have answered,
    among them the one that asked for an account."""
    for _ in range(PATIENCE):
        if _size(path) > size:
            return True
        time.sleep(STEP)
    return False


def _size(path: str) -> int:
    try:
        return posix.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def read(state: str, episode: str) -> Kept | None:
    """The account that was kept of an episode; None where there is none of ours."""
    try:
        record = codec.decode(platform.read_file(_path(state, episode), LARGEST))
        sections = {str(name): tuple(str(one) for one in items) for name, items in record["sections"].items()}
        if record["episode"] != episode:
            return None
        return Kept(float(record["t"]), sections, int(record.get("size", 0)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def forget(state: str, episode: str) -> None:
    platform.remove(_path(state, episode))


def sweep(state: str, now: float) -> None:
    """Drop those of episodes that were never closed."""
    folder = f"{state}/episodes/account"
    for name in platform.names(folder):
        try:
            if now - posix.stat(f"{folder}/{name}").st_mtime > KEPT_FOR:
                platform.remove(f"{folder}/{name}")
        except OSError:
            continue


def _path(state: str, episode: str) -> str:
    return f"{state}/episodes/account/{digest(episode, 24)}"
