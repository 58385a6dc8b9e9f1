"""Sessions that no hook saw, found by the transcripts that hosts write with or without our hooks.

Every transcript of the period is held against the episodes that we know. A session that nobody saw, in a folder where
our lines are and after they were put there, is one of which nothing was captured; so is one that went on after its
episode had ended. What was meant to be so is a note: a start said that capture is off (the host keeps that sentence in
the transcript), our lines were never in that folder, or an open session went quiet, as a pause makes it.
"""

from __future__ import annotations

import datetime
import functools
import os
import shutil
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.brief import brief_file
from holdfast.capture import episodes, home, ledger, projects
from holdfast.capture.episodes import OPEN, session_name, session_of
from holdfast.capture.ledger import Wanted
from holdfast.health import probe
from holdfast.health.finding import KNOW, Finding
from holdfast.health.hosts import at_hand, has_plugin
from holdfast.hosts.host import registrar
from holdfast.text import transcript
from holdfast.text.layout import age, first_of, many, when
from holdfast.text.transcript import CLAUDE, CODEX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from holdfast.health.finding import Place
    from holdfast.health.period import Told
    from holdfast.hosts.registration import Registrar
    from holdfast.model import Project

HEAD = 256 << 10  # what hosts and their instructions put before the first answer of a hook
TAIL = 1 << 20
OFF_WORDS = brief_file.said_off("").text.rstrip(".").encode()
ID = 36  # letters of a session's id, at the end of what Codex calls its file
SLACK = 3600.0  # seconds: the last turn of a long session may write long after its last hook
JUST_NOW = 60.0  # seconds: the ledger was read before the transcripts were
MOST_FILES = 50_000  # of which names and times are looked at
MOST_OPENED = 500
BEFORE = 500  # hooks before the period that tell whether a host was heard of
UNSEEN, GONE, OFF, BARE, QUIETED, OTHERS = "unseen", "gone", "off", "bare", "quieted", "others"


class Lines:
    """Our lines in one host's settings: where they are, and since when at the latest.

    Nobody wrote down when they were put there. It was before a hook first fired, and before the file that has them was
    last changed on this machine; so the earlier of the two is taken.
    """

    def __init__(self, place: Place, told: Told, registrar: Registrar) -> None:
        self.host = registrar.NAME
        self.title = registrar.TITLE
        self._place = place
        self._registrar = registrar
        self._there = functools.cache(self._look)
        self._heard = {project: times for (host, project), times in told.heard.items() if host == self.host}

    def last(self) -> float:
        """When a hook of this host last fired; 0 if none is known of."""
        return max((last for _, last in self._heard.values()), default=0.0)

    def since_any(self) -> float:
        """Before this no session can have been seen; 0 where there are no lines and no hook was ever heard of."""
        _, _, changed = self._there(self._place.cwd)
        return min([first for first, _ in self._heard.values()] + ([changed] if changed else []), default=0.0)

    def of(self, folder: str, project: str) -> tuple[bool, float]:
        """Whether our lines count in a folder, and since when a session there should have been seen."""
        is_there, is_everywhere, changed = self._there(folder)
        heard = [first for name, (first, _) in self._heard.items() if is_everywhere or name == project]
        return is_there, min([*heard, *([changed] if changed else [])], default=float("inf"))

    def _look(self, folder: str) -> tuple[bool, bool, float]:
        """Whether they are there, whether they count in every folder, and when their file was last changed."""
        env = self._place.env
        users = set(self._registrar.places(env, "user", folder))
        paths = {one.path for one in self._registrar.registered(env, folder)}
        if has_plugin(self._place, self.host):
            paths |= users
        changed = [os.stat(path).st_ctime for path in paths if os.path.exists(path)]
        return bool(paths), bool(paths & users), min(changed, default=0.0)


@dataclass(frozen=True)
class Written:
    """A transcript, known by its name and time."""

    host: str
    session: str
    path: str
    changed: float


@dataclass(frozen=True)
class Opening:
    """How a session began. `off` is why nothing of it was captured, as its start said; "" where it said nothing."""

    folder: str = ""
    began: float = 0.0
    off: str = ""
    is_session: bool = False


def listing(host: str, top: str, since: float, most: int) -> tuple[list[Written], bool]:
    """The transcripts of a host since then, the newest first; and whether there was more than may be looked at."""
    found: list[Written] = []
    is_cut = False
    for looked, (folder, name) in enumerate(_files(host, top)):
        is_cut = looked >= most
        if is_cut:
            break
        try:
            changed = os.stat(f"{folder}/{name}").st_mtime
        except OSError:
            continue
        if changed >= since:
            session = name.removesuffix(".jsonl")
            session = session[-ID:] if host == CODEX else session
            found.append(Written(host, session, f"{folder}/{name}", changed))
    return sorted(found, key=lambda one: -one.changed), is_cut


def _files(host: str, top: str) -> Iterator[tuple[str, str]]:
    for folder, folders, names in os.walk(top):
        folders.sort(reverse=True)  # Codex names them by the day
        if host == CLAUDE and folder != top:
            folders.clear()  # below a project's folder lie subagents and what tools wrote
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                yield folder, name


def opening(written: Written) -> Opening:
    """How it began, from its first lines. What is no session of a user's own (a subagent's, an empty one) is none."""
    try:
        with open(transcript.open_plain(written.path), "rb") as file:
            data = file.read(HEAD + 1)
    except (OSError, ValueError):
        return Opening()
    folder, began, off = "", 0.0, ""
    is_spoken = len(data) > HEAD  # a first prompt with a picture in it is longer than that
    for line in data[:HEAD].split(b"\n"):
        record = transcript.decoded(line)
        if _is_subagents(record):
            return Opening()
        folder = folder or _text(record, "cwd")
        began = began or _time(record)
        off = off or _off(written.host, line, record)
        is_spoken = is_spoken or _is_speech(written.host, record)
    return Opening(folder, began, off, bool(folder) and is_spoken)


def after(written: Written, moment: float) -> tuple[float, str]:
    """When a session last spoke after a moment, 0 if not at all, and why a start said it was off; by its last part."""
    spoke, off = 0.0, ""
    for _, line in transcript.back(written.path, TAIL):
        record = transcript.decoded(line)
        when = _time(record)
        if when and when <= moment:
            break
        off = off or _off(written.host, line, record)
        if when and _is_speech(written.host, record):
            spoke = max(spoke, when)
    return spoke, off


def _is_speech(host: str, record: dict[str, Any]) -> bool:
    """Whether the user or the model spoke or acted here; titles, summaries and snapshots are written at any time."""
    if host == CODEX:
        return record.get("type") in ("response_item", "session_meta")
    return record.get("type") in ("user", "assistant") and not record.get("isMeta")


def _is_subagents(record: dict[str, Any]) -> bool:
    """Codex also writes a transcript for each subagent, and for what it starts for itself."""
    payload = record.get("payload")
    if record.get("type") != "session_meta" or not isinstance(payload, dict):
        return bool(record.get("isSidechain"))
    return isinstance(payload.get("source"), dict) or payload.get("thread_source", "user") != "user"


def _off(host: str, line: bytes, record: dict[str, Any]) -> str:
    """Why capture was off, where this is the hook's own word; a file or a person that quotes it is not believed."""
    if OFF_WORDS not in line:
        return ""
    payload, attachment = record.get("payload"), record.get("attachment")
    of_codex = isinstance(payload, dict) and payload.get("role") == "developer"
    of_claude = isinstance(attachment, dict) and attachment.get("hookEvent") == "SessionStart"
    if not (of_codex if host == CODEX else of_claude):
        return ""
    why = line.partition(OFF_WORDS)[2].partition(b'"')[0].partition(b"\\")[0].decode("utf-8", "replace")
    return why.strip().removesuffix(".")[:120] or "capture was off"


def _text(record: dict[str, Any], name: str) -> str:
    payload = record.get("payload")
    found = record.get(name) or (payload.get(name) if isinstance(payload, dict) else None)
    return found if isinstance(found, str) else ""


def _time(record: dict[str, Any]) -> float:
    try:
        return datetime.datetime.fromisoformat(_text(record, "timestamp")).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def look(place: Place, told: Told) -> Iterator[Finding]:
    """Look at all hosts on this machine. The look-up of a project enters a folder that it does not know into the
    registry, so it is asked with a copy of that."""
    with probe.scratch() as copy:
        try:
            shutil.copyfile(f"{place.vault}/projects.toml", f"{copy}/projects.toml")
        except OSError:
            pass  # no project was registered yet: each is known by its own key
        for record in ledger.newest(place.state, Wanted(kinds=("hook",), until=told.period.since), BEFORE):
            told.hear(record, float(record.get("t", 0)))
        find = functools.cache(lambda folder: projects.find(folder, copy))
        for registrar, _ in at_hand(place).values():
            lines = Lines(place, told, registrar)
            if lines.since_any():  # else no lines, and never heard of
                found = Unaccounted(place, told, lines, find)
                found.sort()
                yield from _findings(place.clock(), lines, found)
                yield from _notes(lines.host, lines.title, found)


class Unaccounted:
    """One host's transcripts that the ledger does not account for, by what is behind them, each with its folder or why
    capture was off."""

    def __init__(self, place: Place, told: Told, lines: Lines, find: Callable[[str], Project]) -> None:
        self._place, self._told, self._lines, self._find = place, told, lines, find
        self.top = registrar(lines.host).sessions(place.env)
        self.by: dict[str, list[tuple[Written, str]]] = {}
        self.unopened = 0
        self.is_cut = False

    def of(self, kind: str) -> list[tuple[Written, str]]:
        return self.by.get(kind, [])

    def _put(self, kind: str, written: Written, what: str) -> None:
        self.by.setdefault(kind, []).append((written, what))

    def sort(self) -> None:
        host, opened = self._lines.host, 0
        last: dict[str, float] = {}  # when each session was last heard of in the period
        for key, seen in self._told.seen.items():
            if seen.host == host:
                last[session_of(key)] = max(last.get(session_of(key), 0.0), seen.last)
        since = max(self._told.period.since, self._lines.since_any())
        written, self.is_cut = listing(host, self.top, since, MOST_FILES)
        for one in written:
            session = session_name(one.session)
            heard = last.get(session) or _of_log(self._place.state, host, session)
            if heard and one.changed <= heard + SLACK:
                continue
            opened += 1
            if opened > MOST_OPENED:
                self.unopened += 1
            elif heard:
                self._sort_known(one, heard)
            else:
                self._sort_unknown(one)

    def _sort_known(self, one: Written, heard: float) -> None:
        """A session that was seen and may have gone on unseen; a file that was only touched, or given a title, has
        not."""
        spoke, off = after(one, heard + SLACK)
        began = opening(one)
        if not spoke or spoke < self._told.period.since or not began.is_session:
            return
        known = episodes.latest(self._place.state, one.host, session_name(one.session))
        if not self._told.period.takes(known.project if known else self._find(began.folder).id):
            return
        kind = OFF if off else QUIETED if known and known.state == OPEN else UNSEEN
        self._put(kind, one, off or began.folder)

    def _sort_unknown(self, one: Written) -> None:
        began, period = opening(one), self._told.period
        start = began.began or one.changed
        if not began.is_session or start > period.until - JUST_NOW:
            return
        if home.vault(self._place.env, began.folder) != self._place.vault:
            return  # it goes to a vault that a repository brings
        project = self._find(began.folder)
        is_there, since = self._lines.of(began.folder, project.id)
        off = began.off or (home.PROJECT_OFF if project.off else "")
        if not period.takes(project.id):
            if is_there and start >= since and not off:
                self._put(OTHERS, one, "")
        elif off:
            self._put(OFF, one, off)
        elif start >= since:
            self._put(UNSEEN if is_there else GONE, one, began.folder)
        elif not is_there:
            self._put(BARE, one, began.folder)


def _of_log(state: str, host: str, session: str) -> float:
    """When a session was last heard of before the period, from its own log; 0 if it never was."""
    known = episodes.latest(state, host, session)
    if known is None:
        return 0.0
    return max(known.opened, known.closed, episodes.last_moment(state, known) if known.state == OPEN else 0.0)


def _findings(now: float, lines: Lines, found: Unaccounted) -> Iterator[Finding]:
    title, name = lines.title, lines.host
    kept = f"nothing of them was captured; what was said is below {found.top}"
    unseen, gone = found.of(UNSEEN), found.of(GONE)
    if unseen:
        newest, last = unseen[0][0].changed, lines.last()
        fix = f"`holdfast doctor --agent {name}` finds the broken link"
        if not last:
            state = "our lines are there, and none of them ever fired"
        elif last < newest:
            state = f"our lines are there and do not fire, the last did {age(now - last)} ago"
        else:
            state = f"they fire again, the last did {age(now - last)} ago"
            fix = f"`holdfast doctor --agent {name}` says whether every link holds now"
        why = f"no hook saw {many(len(unseen), 'session')} of {title}: {_names(unseen)}; {state}"
        yield Finding("hooks-silent", name, why, f"{fix}; {kept}", len(unseen), newest)
    if gone:
        why = f"no hook saw {many(len(gone), 'session')} of {title}: {_names(gone)}; our lines are not there any more"
        fix = f"`holdfast init --agent {name}` puts them back, unless you took them out; {kept}"
        yield Finding("hooks-silent", name, why, fix, len(gone), gone[0][0].changed)


def _names(found: list[tuple[Written, str]]) -> str:
    """The first few, as a person finds them: until when, where, and the beginning of the session's id."""
    folders = [folder.rstrip("/").rpartition("/")[2] or "/" for _, folder in found]
    named = zip(found, folders, strict=True)
    return first_of([f"{when(one.changed)} in {folder} ({one.session[:13]})" for (one, _), folder in named])


def _notes(name: str, title: str, found: Unaccounted) -> Iterator[Finding]:
    for why, count in Counter(what for _, what in found.of(OFF)).most_common(3):
        said = f"{many(count, 'session')} of {title} ran while capture was off: {why}"
        yield Finding("capture-off", name, said, "as you wanted it; nothing of them is kept", count, level=KNOW)
    quiet, bare, others = found.of(QUIETED), found.of(BARE), found.of(OTHERS)
    if quiet:
        said = f"{many(len(quiet), 'open session')} of {title} went on for an hour or more without a hook: "
        fix = f"a pause does that; if there was none, `holdfast doctor --agent {name}`"
        yield Finding("went-quiet", name, said + _names(quiet), fix, len(quiet), quiet[0][0].changed, KNOW)
    if bare:
        said = f"{many(len(bare), 'session')} of {title} ran where it has no hooks of ours: {_names(bare)}"
        fix = f"`holdfast init --agent {name}` there, if they are to be captured"
        yield Finding("no-hooks-there", name, said, fix, level=KNOW)
    if others:
        said = f"{many(len(others), 'session')} of {title} in other projects that no hook saw"
        yield Finding("other-projects", name, said, "`holdfast audit --all` says which", len(others), level=KNOW)
    if found.unopened or found.is_cut:
        more = f"{found.unopened:,} more" if found.unopened else f"some of more than {MOST_FILES:,} files"
        said = f"of the transcripts of {title} that no hook accounts for, {more} were not looked at"
        fix = "a shorter period, `--days 1`, has fewer"
        yield Finding("not-looked-at", name, said, fix, found.unopened or 1, level=KNOW)
