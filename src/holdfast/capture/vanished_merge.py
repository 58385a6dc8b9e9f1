"""Captures made while the vault was gone join it: each flag once, durable in the vault before it goes here.

A segment of the queue first leaves the place where writers look for it, under its exclusive lock, so nobody appends to
it any more; then it is written into the vault under its own name, synced; then it is removed here. A kill at any point
is finished by the next try: a segment that the vault has under that name, waiting or archived, is whole there. Logs are
joined record by record, those that are there already left out. Files that say that something happened once are copied
where the vault has none. Marks come last, because a close begins with them.

A project that the vault knows under another id (an alias) is named by that one.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, home, locks, log, marks, once, platform, projects, segments
from holdfast.errors import Busy
from holdfast.model import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LEAVING = "leaving"
LOGS = ("ledger", "episodes/log", "episodes/story", "drafts")
FILES = ("episodes/segments", "episodes/course", "episodes/account", "episodes/live", "snapshots")
LISTS = (once.UNFILED, once.HEARD, once.REQUESTS, once.BEFORE)  # a word in each line
# The rest is made anew from these and the vault, or of no use without its session.
DERIVED = ("format", "lock", "projects.toml")
DERIVED_STATE = ("queue/current", "queue/lock", "projects.lock", "background.log", "upkeep", "config.json")
DERIVED_FOLDERS = ("brief", "calls", "episodes/by-process", "folders", "notices", "projects", "written")


def merge(kept: str, vault: str) -> int:
    """Move everything that was captured in `kept` into the vault. Returns how many flags joined it; what cannot be
    moved now stays for the next try. Raises OSError, NotSaved."""
    try:
        lock = locks.taken(f"{kept}/lock", 0)
    except (FileNotFoundError, Busy):
        return 0  # another process has done it, or is at it
    try:
        return _merge(kept, vault)
    finally:
        posix.close(lock)


def _merge(kept: str, vault: str) -> int:
    here, there = home.state(kept), home.state(vault)
    names = projects.adopt(kept, vault)
    joined = _queue(f"{here}/queue", f"{there}/queue", names)
    for path in (path for room in LOGS for path in _files(f"{here}/{room}")):
        _log(path, there + path.removeprefix(here), names)
    files = [path for room in FILES for path in _files(f"{here}/{room}")]
    for path in (*files, *([f"{here}/paused"] if platform.is_there(f"{here}/paused") else [])):
        _file(path, there + path.removeprefix(here), is_list=path.rpartition("/")[2] in LISTS)
    _marks(here, there, names)
    _sweep(kept)
    return joined


def _queue(here: str, there: str, names: Mapping[str, str]) -> int:
    leaving = f"{here}/{LEAVING}"
    platform.make_folders(leaving)
    for path in segments.live(here):
        try:
            with locks.held(platform.opened(path), wait=False):
                posix.rename(path, f"{leaving}/{path.rpartition('/')[2]}")
        except Busy:
            continue  # a writer that is in the middle of an append keeps its segment until the next try
    platform.sync_names(leaving)
    joined = 0
    for name in sorted(one for one in platform.names(leaving) if one.endswith(".log")):
        path = f"{leaving}/{name}"
        places = [f"{there}/{folder}/{name}" for folder in ("live", "archive")]
        if not any(platform.is_there(place) for place in places):
            data, count = _renamed(platform.read_file(path), names)
            platform.make_folders(f"{there}/live")
            platform.write_atomic(places[0], data, durable=True)
            joined += count
        platform.remove(path)
    return joined


def _renamed(data: bytes, names: Mapping[str, str]) -> tuple[bytes, int]:
    """A segment with its projects as the vault names them; what is no record stays as it is."""
    found = [(one.what == log.RECORD, one.payload) for one in log.scan(data)]
    parts = [log.frame(_named(payload, names)) if is_record else payload for is_record, payload in found]
    return b"".join(parts), sum(is_record for is_record, _ in found)


def _named(payload: bytes, names: Mapping[str, str]) -> bytes:
    try:
        record = codec.decode(payload) if names else {}
        known = names.get(str(record.get("project", "")))
    except (ValueError, AttributeError):
        return payload
    return codec.encode({**record, "project": known}) if known else payload


def _log(path: str, to: str, names: Mapping[str, str]) -> None:
    """The records that the vault's own log does not have yet."""
    try:
        known = set(log.records(log.scan_file(to)))
    except FileNotFoundError:
        known = set()
    fresh = [one for raw in log.records(log.scan_file(path)) if (one := _named(raw, names)) not in known]
    if fresh:
        log.append(to, fresh, durable=True)
    platform.remove(path)


def _file(path: str, to: str, *, is_list: bool = False) -> None:
    """A small file that the vault does not have yet, with its time: an open session's is its last sign of life."""
    when = posix.stat(path).st_mtime
    data = platform.read_file(path)
    try:
        before = platform.read_file(to)
    except FileNotFoundError:
        before = None
    if before is not None and is_list:
        data = b"\n".join(dict.fromkeys([*before.split(), *data.split()]))
    if before is None or (is_list and data != before):
        platform.make_folders(to.rpartition("/")[0])
        platform.write_atomic(to, data, durable=True)
        posix.utime(to, (when, when))
    platform.remove(path)


def _marks(here: str, there: str, names: Mapping[str, str]) -> None:
    for mark in marks.everywhere(here):
        fresh = replace(mark, project=names.get(mark.project, mark.project))
        for known in (one for one in marks.of_project(there, fresh.project) if one.episode == mark.episode):
            places = tuple(sorted({*fresh.segments, *known.segments}))
            waiting, story = fresh.waiting + known.waiting, fresh.story or known.story
            fresh = replace(fresh, segments=places, waiting=waiting, story=story)
        marks.leave(there, fresh)
        marks.remove(here, mark.project, mark.episode)


def _files(folder: str) -> Iterator[str]:
    """Every plain file below a folder."""
    for name in sorted(platform.names(folder)):
        path = f"{folder}/{name}"
        if platform.kind(path) == platform.A_FOLDER:
            yield from _files(path)
        elif platform.kind(path) == platform.A_FILE and not name.endswith(".tmp"):
            yield path


def _sweep(kept: str) -> None:
    """Remove what is derived, then every folder that is empty. A file that somebody has written meanwhile keeps its
    folder, and the next try finds it."""
    for name in (*DERIVED, *(f".state/{one}" for one in DERIVED_STATE)):
        platform.remove(f"{kept}/{name}")
    for folder in DERIVED_FOLDERS:
        for path in list(_files(f"{home.state(kept)}/{folder}")):
            platform.remove(path)
    _drop_empty(kept)


def _drop_empty(folder: str) -> None:
    for name in platform.names(folder):
        path = f"{folder}/{name}"
        if platform.kind(path) == platform.A_FOLDER:
            _drop_empty(path)
    platform.remove_folder(folder)
