"""Episodes: opened at their first moment, closed at their end, found dead when they died without one.

    episodes/log/<xx>/<host>~<session>     what happened to each episode of a host session, framed and synced
    episodes/live/<host>~<session>~<n>     while the n-th is open; its time is that of the last moment
    episodes/by-process/                   which episode a process last opened
    episodes/segments/<episode>/           the segments of the queue that have flags of an episode, a byte for each flag

Promise: an episode that was opened is either seen to end, or lies in live/ until somebody finds it dead. The file
in live/ is durable before the opening is, and goes only after the end is, so no crash can hide one. Everything is
appended and idempotent: two hooks that open, end or bury the same episode at once agree.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, log, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact, redact_record
from holdfast.errors import NotSaved
from holdfast.model import VERSION, Moment, Process, Project, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN, ENDED, DIED = "open", "ended", "died"
LONGEST_SESSION = 200
ELSEWHERE = ("host", "session", "state", "reason", "closed")  # told by the log's name, and by later records
STRAGGLER = 3600.0  # seconds after which a file in live/ that leads to no episode is swept away
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


def _parts(key: str) -> tuple[str, str, str]:
    """Host, session and ordinal of an episode's key."""
    host, _, rest = key.partition("/")
    session, _, ordinal = rest.rpartition("/")
    return host, session, ordinal


def session_of(key: str) -> str:
    """The session id in an episode's key."""
    return _parts(key)[1]


def host_name(text: str) -> str:
    """A host's name as we spell it everywhere: letters, digits, dashes."""
    return "".join(letter for letter in text.lower() if letter in SAFE and letter != ".")[:40] or "generic"


def session_name(text: str) -> str:
    """A session id as we keep it: one that is huge, or looks like a secret, is known by its digest."""
    return text if len(text) <= LONGEST_SESSION and not redact(text)[1] else digest(text, 32)


def last_moment(state: str, episode: Episode) -> float:
    """The time at which an open episode was last heard of."""
    return platform.modified(_live_path(state, episode)) or episode.opened


def latest(state: str, host: str, session: str) -> Episode | None:
    """The newest episode of a host session; None if there is none, or none that can be read."""
    try:
        known = _all(state, host, session)
    except OSError:
        return None
    return known[max(known)] if known else None


def of_key(state: str, key: str) -> Episode | None:
    """The episode of a key; None where nothing is known of it."""
    host, session, ordinal = _parts(key)
    return numbered(state, host, session, int(ordinal)) if ordinal.isdecimal() else None


def numbered(state: str, host: str, session: str, ordinal: int) -> Episode | None:
    """The n-th episode of a host session, or None."""
    try:
        return _all(state, host, session).get(ordinal)
    except OSError:
        return None


def open_episode(state: str, episode: Episode) -> Episode:
    """Record a new episode durably; returns the one that counts, should another hook have been quicker."""
    touch(state, episode, episode.opened)
    known = {"what": "opened", **episode.__dict__, "process": episode.process and episode.process.as_record()}
    _append(state, episode, {name: one for name, one in known.items() if name not in ELSEWHERE})
    process = episode.process
    if process:  # derived: losing it costs an attribution, no flag
        path = _process_path(state, process.namespace, process.pid, process.start)
        codec.write(path, {"host": episode.host, "session": episode.session}, durable=False)
    return latest(state, episode.host, episode.session) or episode


def end_episode(state: str, episode: Episode, how: str, reason: str, now: float) -> Episode:
    """Record that it ended or died, durably. It stays in live/ until `leave`."""
    _append(state, episode, {"what": how, "ordinal": episode.ordinal, "reason": reason, "closed": now})
    return replace(episode, state=how, reason=reason, closed=now)


def revive(state: str, episode: Episode, now: float) -> Episode:
    """Open an episode again that was taken for dead and speaks; from now on only silence counts, not its process."""
    touch(state, episode, now)
    _append(state, episode, {"what": "revived", "ordinal": episode.ordinal, "t": now})
    return _revived(episode)


def _revived(episode: Episode) -> Episode:
    return replace(episode, state=OPEN, process=None, reason="", closed=0.0)


def leave(state: str, episode: Episode) -> None:
    """Take an episode out of live/: all that its end asked for is done."""
    platform.remove(_live_path(state, episode))


def touch(state: str, episode: Episode, now: float) -> bool:
    """Note a moment. True if the episode was in live/ already."""
    path = _live_path(state, episode)
    try:
        posix.utime(path, (now, now))
        return True
    except FileNotFoundError:
        who = {"v": VERSION, "host": episode.host, "session": episode.session, "ordinal": episode.ordinal}
        codec.write(path, who, durable=True)
        posix.utime(path, (now, now))
        return False


def heard(state: str, key: str, now: float) -> None:
    """Note a sign of life of an open episode, known by its key; of one that is over it is none."""
    host, session, ordinal = _parts(key)
    try:
        posix.utime(f"{state}/episodes/live/{_file_name(host, session)}~{ordinal}", (now, now))
    except OSError:
        return


def in_live(state: str, now: float) -> list[tuple[Episode, float]]:
    """Every episode not known to have ended, with the time of its last moment."""
    found = []
    for name in platform.names(f"{state}/episodes/live"):
        path = f"{state}/episodes/live/{name}"
        episode, who = None, None
        try:
            seen = posix.stat(path).st_mtime
            who = codec.decode(platform.read_file(path))
            episode = _all(state, str(who["host"]), str(who["session"])).get(int(who["ordinal"]))
        except OSError:
            continue  # gone meanwhile, or not to be read for now
        except (ValueError, KeyError, TypeError):
            pass  # half written
        if episode and not name.endswith(".tmp"):
            found.append((episode, seen))
        elif abs(now - seen) > STRAGGLER and (name.endswith(".tmp") or not _is_damaged(state, who)):
            platform.remove(path)  # of a crashed write, or of an opening that was never recorded
    return found


def _is_damaged(state: str, who: Any) -> bool:
    """True if the log that an open episode should be in has bytes that are no record: then it may well be there."""
    try:
        path = _log_path(state, str(who["host"]), str(who["session"]))
        return any(one.what != log.RECORD for one in log.scan_file(path))
    except (OSError, KeyError, TypeError):
        return False


def note_segment(state: str, key: str, segment: str, count: int = 1) -> None:
    """Note where flags of an episode lie, a byte each, so that its end need not look through everybody's."""
    folder = _segments_path(state, key)
    platform.make_folders(folder)
    fd = platform.opened(f"{folder}/{segment}", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT)
    try:
        posix.write(fd, b"." * count)
    finally:
        posix.close(fd)


def noted_segments(state: str, key: str) -> list[str]:
    return platform.names(_segments_path(state, key))


def noted_counts(state: str, key: str) -> dict[str, int]:
    """The segments that have flags of an episode, each with how many were noted; 0 where an older version noted it."""
    folder = _segments_path(state, key)
    return {name: len(platform.text(f"{folder}/{name}")) for name in platform.names(folder)}


def forget_segments(state: str, key: str) -> None:
    folder = _segments_path(state, key)
    for name in platform.names(folder):
        platform.remove(f"{folder}/{name}")
    platform.remove_folder(folder)


def of_process(state: str, namespace: str, pid: int, start: int) -> Episode | None:
    """The episode that a host process opened last."""
    who = codec.read(_process_path(state, namespace, pid, start))
    return latest(state, str(who["host"]), str(who["session"])) if {"host", "session"} <= who.keys() else None


def forget_processes(state: str) -> None:
    """Drop the pointers of processes that are gone; those of other containers are theirs to drop."""
    here = _namespace_digits(platform.namespace())
    for name in platform.names(f"{state}/episodes/by-process"):
        place, _, rest = name.partition("-")
        pid, _, start = rest.partition("-")
        start = start.partition(".")[0]  # one that is being written belongs to the same process
        if place == here and pid.isdecimal() and str(platform.start_of(int(pid))) != start:
            platform.remove(f"{state}/episodes/by-process/{name}")


def _all(state: str, host: str, session: str) -> dict[int, Episode]:
    """The episodes in a session's log. The first record of its kind counts, so repeating one is harmless."""
    episodes: dict[int, Episode] = {}
    try:
        found = list(log.scan_file(_log_path(state, host, session)))
    except FileNotFoundError:
        return {}
    for payload in log.records(found):
        try:
            record = codec.decode(payload)
            what, ordinal = record["what"], int(record["ordinal"])
            known = episodes.get(ordinal)
            if what == "opened" and known is None:
                fields = {name: record[name] for name in Episode.__annotations__ if name in record}
                process = Process.from_record(record.get("process"))
                episodes[ordinal] = Episode(**{**fields, "host": host, "session": session, "process": process})
            elif what in (ENDED, DIED) and known and known.state == OPEN:
                episodes[ordinal] = replace(known, state=what, reason=record["reason"], closed=record["closed"])
            elif what == "revived" and known and known.state == DIED:
                episodes[ordinal] = _revived(known)
        except (ValueError, KeyError, TypeError):
            continue  # of a newer version: what it adds is not ours to judge
    return episodes


def _append(state: str, episode: Episode, record: dict[str, object]) -> None:
    path = _log_path(state, episode.host, episode.session)
    log.append(path, [codec.encode(redact_record({"v": VERSION, **record})[0])], durable=True)


def _process_path(state: str, namespace: str, pid: int, start: int) -> str:
    return f"{state}/episodes/by-process/{_namespace_digits(namespace)}-{pid}-{start}"


def _namespace_digits(namespace: str) -> str:
    return "".join(letter for letter in namespace if letter.isdecimal()) or "0"


def _file_name(host: str, session: str) -> str:
    """A session id is outside text: one that is no plain name is known by its digest."""
    plain = len(session) <= 80 and SAFE.issuperset(session) and not session.startswith(".")
    return f"{host}~{session if plain and session else digest(session)}"


def _log_path(state: str, host: str, session: str) -> str:
    return f"{state}/episodes/log/{digest(session, 2)}/{_file_name(host, session)}"


def _live_path(state: str, episode: Episode) -> str:
    return f"{state}/episodes/live/{_file_name(episode.host, episode.session)}~{episode.ordinal}"


def _segments_path(state: str, key: str) -> str:
    return f"{state}/episodes/segments/{digest(key, 24)}"


@value
class Scene:
    """One moment with all that is known around it, passed along while it is dealt with. `did` gathers what the ledger
    will say of it, `failures` what went wrong without ending it."""

    moment: Moment
    vault: str
    state: str
    project: Project
    now: float
    did: dict[str, object]
    failures: list[Exception]
    is_quiet: bool = False  # capture is off: nothing is written down

    @property
    def is_start(self) -> bool:
        return self.moment.event == "session-start"

    def note(self, kind: str, **what: object) -> None:
        """Write to the ledger; a ledger that takes nothing does not keep the moment from being dealt with."""
        from holdfast.capture import ledger

        try:
            if not self.is_quiet:
                ledger.append(self.state, kind, self.now, **what)
        except NotSaved as error:
            self.failures.append(error)
