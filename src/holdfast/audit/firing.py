"""Sessions that no hook saw: the skip that no ledger can show.

Every transcript that a host wrote in the period is held against the episodes that we know. One of a session that nobody
saw, in a folder where our lines are and after they were put there, is a session of which nothing was captured: trust
was withdrawn, the settings were replaced, the launcher is gone. So is one that went on after its episode had ended. It
does not matter whether hooks fire again by now.

What was meant to be so is a note and no alarm: a start said that capture is off, our lines were never in that folder,
or a session that is still open went quiet, as it does when somebody pauses capture in the middle of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.audit import transcripts
from holdfast.audit.findings import ELSEWHERE, NO_LINES, NOT_LOOKED_AT, QUIET, SILENT_HOST, WAS_OFF, Finding
from holdfast.audit.whereabouts import Lines, Places
from holdfast.capture import episodes, home
from holdfast.capture.episodes import OPEN, session_name, session_of
from holdfast.doctor.hosts import at_hand
from holdfast.install.hosts import claude_code, codex
from holdfast.text.phrases import age, first_of, many, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.audit.period import Told
    from holdfast.audit.transcripts import Written
    from holdfast.doctor.checks import Place

SLACK = 3600.0  # seconds: the last turn of a long session may write long after its last hook
JUST_NOW = 60.0  # seconds: the ledger was read before the transcripts were
MOST_FILES = 50_000  # of which names and times are looked at
MOST_OPENED = 500
UNSEEN, GONE, OFF, BARE, QUIETED, OTHERS = "unseen", "gone", "off", "bare", "quieted", "others"


@dataclass(frozen=True)
class Fired:
    """What the transcripts say of the hooks: alarms, notes, and how many sessions nobody saw."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    unseen: int = 0


@dataclass
class Sorted:
    """One host's transcripts that the ledger does not account for, by what is behind them."""

    host: str
    top: str
    by: dict[str, list[tuple[Written, str]]] = field(default_factory=dict)  # with the folder, or why it was off
    unopened: int = 0
    is_cut: bool = False

    def put(self, kind: str, written: Written, what: str) -> None:
        self.by.setdefault(kind, []).append((written, what))

    def of(self, kind: str) -> list[tuple[Written, str]]:
        return self.by.get(kind, [])


def look(place: Place, told: Told) -> Fired:
    """All hosts on this machine."""
    findings: list[Finding] = []
    notes: list[Finding] = []
    unseen = 0
    with Places(place) as places:
        for name, (registrar, _) in at_hand(place).items():
            lines = Lines(place, told, registrar)
            if not lines.since_any():
                continue  # no lines, and never heard of
            found = _sort(place, told, lines, places)
            unseen += len(found.of(UNSEEN)) + len(found.of(GONE))
            findings += _findings(place, lines, found)
            notes += _notes(name, registrar.TITLE, found)
    return Fired(tuple(findings), tuple(notes), unseen)


def _sort(place: Place, told: Told, lines: Lines, places: Places) -> Sorted:
    name = lines.host
    claude = name == claude_code.NAME
    top = f"{claude_code.folder(place.env)}/projects" if claude else f"{codex.folder(place.env)}/sessions"
    last = _last_heard(told, name)
    since = max(told.period.since, lines.since_any())
    written, is_cut = transcripts.listing(name, top, since, MOST_FILES)
    found = Sorted(name, top, is_cut=is_cut)
    opened = 0
    for one in written:
        session = session_name(one.session)
        heard = last.get(session) or _of_log(place.state, name, session)
        if heard and one.changed <= heard + SLACK:
            continue
        opened += 1
        if opened > MOST_OPENED:
            found.unopened += 1
        elif heard:
            _sort_known(place, told, places, found, one, heard)
        else:
            _sort_unknown(told, lines, places, found, one)
    return found


def _last_heard(told: Told, host: str) -> dict[str, float]:
    """When each session of a host was last heard of in the period."""
    found: dict[str, float] = {}
    for key, seen in told.seen.items():
        if seen.host == host:
            session = session_of(key)
            found[session] = max(found.get(session, 0.0), seen.last)
    return found


def _of_log(state: str, host: str, session: str) -> float:
    """When a session was last heard of before that, from its own log; 0 if it never was."""
    known = episodes.latest(state, host, session)
    if known is None:
        return 0.0
    return max(known.opened, known.closed, episodes.last_moment(state, known) if known.state == OPEN else 0.0)


def _sort_known(place: Place, told: Told, places: Places, found: Sorted, one: Written, heard: float) -> None:
    """A session that was seen and may have gone on unseen. Where a file was only touched, or given a title, it has
    not."""
    rest = transcripts.after(one, heard + SLACK)
    began = transcripts.opening(one)
    if not rest.spoke or rest.spoke < told.period.since or not began.is_session:
        return
    known = episodes.latest(place.state, one.host, session_name(one.session))
    if not told.period.takes(known.project if known else places.project(began.folder)):
        return
    if rest.off:
        found.put(OFF, one, rest.off)
    elif known and known.state == OPEN:
        found.put(QUIETED, one, began.folder)
    else:
        found.put(UNSEEN, one, began.folder)


def _sort_unknown(told: Told, lines: Lines, places: Places, found: Sorted, one: Written) -> None:
    began = transcripts.opening(one)
    start = began.began or one.changed
    if not began.is_session or start > told.period.until - JUST_NOW or not places.is_ours(began.folder):
        return
    project = places.project(began.folder)
    is_there, since = lines.of(began.folder, project)
    if not told.period.takes(project):
        if is_there and start >= since and not began.off and not places.is_off(began.folder):
            found.put(OTHERS, one, "")
    elif began.off or places.is_off(began.folder):
        found.put(OFF, one, began.off or home.PROJECT_OFF)
    elif start < since:
        if not is_there:
            found.put(BARE, one, began.folder)
    else:
        found.put(UNSEEN if is_there else GONE, one, began.folder)


def _findings(place: Place, lines: Lines, found: Sorted) -> Iterator[Finding]:
    title, name, now = lines.title, lines.host, place.clock()
    kept = f"nothing of them was captured; what was said is below {found.top}"
    unseen, gone = found.of(UNSEEN), found.of(GONE)
    if unseen:
        newest, last = unseen[0][0].changed, lines.last()
        if not last:
            state = "our lines are there, and none of them ever fired"
            fix = f"`holdfast doctor --agent {name}` finds the broken link"
        elif last < newest:
            state = f"our lines are there and do not fire, the last did {age(now - last)} ago"
            fix = f"`holdfast doctor --agent {name}` finds the broken link"
        else:
            state = f"they fire again, the last did {age(now - last)} ago"
            fix = f"`holdfast doctor --agent {name}` says whether every link holds now"
        why = f"no hook saw {many(len(unseen), 'session')} of {title}: {_names(unseen)}; {state}"
        yield Finding(SILENT_HOST, name, why, f"{fix}; {kept}", len(unseen), newest)
    if gone:
        why = f"no hook saw {many(len(gone), 'session')} of {title}: {_names(gone)}; our lines are not there any more"
        fix = f"`holdfast init --agent {name}` puts them back, unless you took them out; {kept}"
        yield Finding(SILENT_HOST, name, why, fix, len(gone), gone[0][0].changed)


def _names(found: list[tuple[Written, str]]) -> str:
    """The first few, as a person finds them: until when, where, and the beginning of the session's id."""
    return first_of([f"{when(one.changed)} in {_last_part(folder)} ({one.session[:13]})" for one, folder in found])


def _last_part(folder: str) -> str:
    return folder.rstrip("/").rpartition("/")[2] or "/"


def _notes(name: str, title: str, found: Sorted) -> Iterator[Finding]:
    for why, count in Counter(what for _, what in found.of(OFF)).most_common(3):
        said = f"{many(count, 'session')} of {title} ran while capture was off: {why}"
        yield Finding(WAS_OFF, name, said, "as you wanted it; nothing of them is kept", count)
    quiet, bare, others = found.of(QUIETED), found.of(BARE), found.of(OTHERS)
    if quiet:
        said = f"{many(len(quiet), 'open session')} of {title} went on for an hour or more without a hook: "
        fix = f"a pause does that; if there was none, `holdfast doctor --agent {name}`"
        yield Finding(QUIET, name, said + _names(quiet), fix, len(quiet), quiet[0][0].changed)
    if bare:
        said = f"{many(len(bare), 'session')} of {title} ran where it has no hooks of ours: {_names(bare)}"
        yield Finding(NO_LINES, name, said, f"`holdfast init --agent {name}` there, if they are to be captured")
    if others:
        said = f"{many(len(others), 'session')} of {title} in other projects that no hook saw"
        yield Finding(ELSEWHERE, name, said, "`holdfast audit --all` says which", len(others))
    if found.unopened or found.is_cut:
        more = f"{found.unopened:,} more" if found.unopened else f"some of more than {MOST_FILES:,} files"
        said = f"of the transcripts of {title} that no hook accounts for, {more} were not looked at"
        yield Finding(NOT_LOOKED_AT, name, said, "a shorter period, `--days 1`, has fewer", found.unopened or 1)
