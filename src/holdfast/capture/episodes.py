"""Episodes: opened at their first moment, closed at their end, found dead when they died without one.

    episodes/log/<xx>/<host>~<session>     what happened to each episode of a host session, framed and synced
    episodes/live/<host>~<session>         while one is open; its time is that of the last moment
    episodes/by-process, by-project        which episode a process or a project last opened

Promise: an episode that was opened is either seen to end, or lies in live/ until somebody finds it dead. The mark in
live/ is durable before the opening is, and goes only after the end is, so no crash can hide one. Everything is
appended and idempotent: two hooks that open, end or bury the same episode at once agree.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, log, platform
from holdfast.capture.ids import digest
from holdfast.model import VERSION, Process, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN, ENDED, DIED = "open", "ended", "died"
SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


@value
class Episode:
    """One stretch of a host session. `parent` is the key of the episode it continues."""

    host: str
    session: str
    ordinal: int
    project: str
    cwd: str
    opened: float
    source: str = ""
    transcript: str = ""
    offset: int = 0
    parent: str = ""
    process: Process | None = None
    state: str = OPEN
    reason: str = ""
    closed: float = 0.0

    @property
    def key(self) -> str:
        return f"{self.host}/{self.session}/{self.ordinal}"


def session_of(key: str) -> str:
    """The session id in an episode's key."""
    return key.partition("/")[2].rpartition("/")[0]


def latest(state: str, host: str, session: str) -> Episode | None:
    """The newest episode of a host session."""
    try:
        return _fold(host, session, log.scan_file(_log_path(state, host, session)))
    except FileNotFoundError:
        return None


def open_episode(state: str, episode: Episode) -> Episode:
    """Record a new episode durably; returns the one that counts, should another hook have been quicker."""
    touch(state, episode.host, episode.session, episode.opened)
    record = {"what": "opened", **episode.__dict__, "process": episode.process and episode.process.as_record()}
    for name in ("host", "session", "state", "reason", "closed"):
        del record[name]
    _append(state, episode, record)
    _point(state, episode)
    return latest(state, episode.host, episode.session) or episode


def end_episode(state: str, episode: Episode, how: str, reason: str, now: float) -> Episode:
    """Record that it ended or died, durably. The mark in live/ stays until `leave`."""
    _append(state, episode, {"what": how, "ordinal": episode.ordinal, "reason": reason, "closed": now})
    return replace(episode, state=how, reason=reason, closed=now)


def revive(state: str, episode: Episode, now: float) -> Episode:
    """It was taken for dead and speaks: its process was not what we thought, so from now on only silence counts."""
    touch(state, episode.host, episode.session, now)
    _append(state, episode, {"what": "revived", "ordinal": episode.ordinal, "t": now})
    return replace(episode, state=OPEN, process=None, reason="", closed=0.0)


def leave(state: str, episode: Episode) -> None:
    """All that its end asked for is done."""
    platform.remove(_live_path(state, episode.host, episode.session))


def touch(state: str, host: str, session: str, now: float) -> bool:
    """Note a moment. True if the episode was in live/ already."""
    path = _live_path(state, host, session)
    try:
        posix.utime(path, (now, now))
        return True
    except FileNotFoundError:
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, codec.encode({"v": VERSION, "host": host, "session": session}), durable=True)
        posix.utime(path, (now, now))
        return False


def in_live(state: str) -> list[tuple[Episode, float]]:
    """Every episode not known to have ended, with the time of its last moment."""
    found = []
    for name in platform.names(f"{state}/episodes/live"):
        path = f"{state}/episodes/live/{name}"
        try:
            seen = posix.stat(path).st_mtime
            who = codec.decode(platform.read_file(path, 4096))
            episode = latest(state, str(who["host"]), str(who["session"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a straggler of a crashed write, or an opening that is just being written
        if episode:
            found.append((episode, seen))
    return found


def of_process(state: str, namespace: str, pid: int, start: int) -> Episode | None:
    """The episode that a host process opened last."""
    return _pointed(state, f"by-process/{_process_name(namespace, pid, start)}")


def of_project(state: str, project: str) -> Episode | None:
    """The episode that was opened last in a project."""
    return _pointed(state, f"by-project/{project}")


def forget_processes(state: str) -> None:
    """Drop what leads from processes that are gone; those of other containers are theirs to drop."""
    here = _namespace_digits(platform.namespace())
    for name in platform.names(f"{state}/episodes/by-process"):
        place, _, rest = name.partition("-")
        pid, _, start = rest.partition("-")
        if place == here and pid.isdecimal() and str(platform.start_of(int(pid))) != start:
            platform.remove(f"{state}/episodes/by-process/{name}")


def _fold(host: str, session: str, found: Any) -> Episode | None:
    """The newest episode in a session's log. The first record of its kind counts, so repeating one is harmless."""
    episodes: dict[int, Episode] = {}
    for payload in log.records(found):
        try:
            record = codec.decode(payload)
            what, ordinal = record["what"], int(record["ordinal"])
            known = episodes.get(ordinal)
            if what == "opened" and known is None:
                episodes[ordinal] = _opened(host, session, record)
            elif what in (ENDED, DIED) and known and known.state == OPEN:
                episodes[ordinal] = replace(known, state=what, reason=record["reason"], closed=record["closed"])
            elif what == "revived" and known and known.state == DIED:
                episodes[ordinal] = replace(known, state=OPEN, process=None, reason="", closed=0.0)
        except (ValueError, KeyError, TypeError):
            continue  # of a newer version: what it adds is not ours to judge
    return episodes[max(episodes)] if episodes else None


def _opened(host: str, session: str, record: dict[str, Any]) -> Episode:
    names = set(Episode.__annotations__) - {"host", "session"}
    fields = {name: record[name] for name in names if name in record}
    process = record.get("process")
    fields["process"] = Process(**process) if isinstance(process, dict) else None
    return Episode(host=host, session=session, **fields)


def _append(state: str, episode: Episode, record: dict[str, object]) -> None:
    path = _log_path(state, episode.host, episode.session)
    log.append(path, [codec.encode({"v": VERSION, **record})], durable=True)


def _point(state: str, episode: Episode) -> None:
    """Lead from process and project to their last episode. Derived: losing it costs an attribution, no flag."""
    who = codec.encode({"host": episode.host, "session": episode.session})
    names = [f"by-project/{episode.project}"] if episode.project else []
    known = episode.process
    if known:
        names.append(f"by-process/{_process_name(known.namespace, known.pid, known.start)}")
    for name in names:
        path = f"{state}/episodes/{name}"
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, who, durable=False)


def _pointed(state: str, name: str) -> Episode | None:
    try:
        who = codec.decode(platform.read_file(f"{state}/episodes/{name}", 4096))
        return latest(state, str(who["host"]), str(who["session"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _process_name(namespace: str, pid: int, start: int) -> str:
    return f"{_namespace_digits(namespace)}-{pid}-{start}"


def _namespace_digits(namespace: str) -> str:
    return "".join(letter for letter in namespace if letter.isdecimal()) or "0"


def _file_name(host: str, session: str) -> str:
    """A session id is outside text: one that is no plain name is known by its digest."""
    plain = len(session) <= 80 and SAFE.issuperset(session) and not session.startswith(".")
    return f"{host}~{session if plain and session else digest(session)}"


def _log_path(state: str, host: str, session: str) -> str:
    return f"{state}/episodes/log/{digest(session, 2)}/{_file_name(host, session)}"


def _live_path(state: str, host: str, session: str) -> str:
    return f"{state}/episodes/live/{_file_name(host, session)}"
