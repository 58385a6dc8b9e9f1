"""The tasks' index in SQLite: its tables, how it is opened, and every question that is asked of it.

All of it is derived: whatever is wrong with the file, it goes. Every question is answered by an index of the database,
so its cost does not grow with a task's log. A checkpoint is on the fast path, and `sqlite3` itself imports datetime and
collections for types that nobody here uses; where an interpreter has the library under another name, it serves as well.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform, same_project
from holdfast.model import value
from holdfast.tasks import numbers, progress, record, spans, subjects, units
from holdfast.tasks.record import Entry
from holdfast.tasks.states import ABANDONED, OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from typing import Any
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

REFUSALS = {
    "is full": (28, "No space left on device"),
    "readonly": (30, "Read-only file system"),
    "unable to open": (13, "Permission denied"),
}
Refused = sqlite3.Error  # what a disk or another process may answer
Passing = sqlite3.OperationalError  # a full disk or a lock: the file itself is whole
VERSION = 3  # also of what units and subjects make of a text: another one makes the file anew
PATIENCE = 10.0  # seconds; nobody should hold it at all
SCHEMA = """
CREATE TABLE task (task TEXT PRIMARY KEY, project TEXT, goal TEXT, state TEXT, started REAL, changed REAL, spoke REAL,
  episode TEXT, last REAL, place TEXT) WITHOUT ROWID;
CREATE TABLE behind (task TEXT PRIMARY KEY, project TEXT) WITHOUT ROWID;
CREATE TABLE log (path TEXT PRIMARY KEY, task TEXT, size INTEGER) WITHOUT ROWID;
CREATE TABLE entry (task TEXT, time REAL, id TEXT, kind TEXT, text TEXT, origin TEXT, episode TEXT, supersedes TEXT,
  "to" TEXT, field TEXT, project TEXT, "both" INTEGER, within TEXT, gone TEXT DEFAULT '', PRIMARY KEY (task, id))
  WITHOUT ROWID;
CREATE INDEX in_force ON entry (task, kind, gone, time, id);
CREATE INDEX by_time ON entry (task, kind, time, id);
CREATE TABLE tally (task TEXT, kind TEXT, told INTEGER, gone INTEGER, PRIMARY KEY (task, kind)) WITHOUT ROWID;
CREATE TRIGGER told AFTER INSERT ON entry BEGIN
  INSERT INTO tally VALUES (new.task, new.kind, 1, 0) ON CONFLICT DO UPDATE SET told = told + 1;
END;
CREATE TRIGGER went AFTER UPDATE OF gone ON entry WHEN (old.gone = '') <> (new.gone = '') BEGIN
  UPDATE tally SET gone = gone + CASE new.gone WHEN '' THEN -1 ELSE 1 END WHERE task = new.task AND kind = new.kind;
END;
CREATE INDEX by_id ON entry (id);
CREATE TABLE gone (task TEXT, old TEXT, new TEXT, PRIMARY KEY (old, new)) WITHOUT ROWID;
CREATE TABLE subject (project TEXT, key TEXT, task TEXT, id TEXT, PRIMARY KEY (project, key, task, id)) WITHOUT ROWID;
CREATE INDEX of_task ON subject (task);
CREATE TABLE span (task TEXT, series TEXT, low INTEGER, high INTEGER, state TEXT, entry TEXT, width INTEGER,
  within TEXT, PRIMARY KEY (task, series, low)) WITHOUT ROWID;
CREATE TABLE named (task TEXT, name TEXT, state TEXT, entry TEXT, nth INTEGER, within TEXT, PRIMARY KEY (task, name))
  WITHOUT ROWID;
CREATE TABLE series (task TEXT, series TEXT, nth INTEGER, PRIMARY KEY (task, series)) WITHOUT ROWID;
CREATE INDEX by_state ON named (task, state, nth);
CREATE TABLE looked (folder TEXT PRIMARY KEY, stamp TEXT) WITHOUT ROWID;
"""


def opened(path: str) -> sqlite3.Connection:
    """The file, made if need be; one that is broken or of another version is taken away: all of it is in the logs."""
    why = ""
    for _ in range(2):
        if path != ":memory:":
            platform.make_folders(path.rpartition("/")[0])
            platform.make_way(path)
            posix.close(posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600))
        db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == VERSION:
                return db
            if version == 0 and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
                return db
        except sqlite3.DatabaseError as error:
            why = str(error)
            if isinstance(error, sqlite3.OperationalError) and "lock" in why:
                raise
            refusal = next((one for word, one in REFUSALS.items() if word in why), None)
            if refusal:  # the disk's, so the file is as good as it was
                db.close()
                raise OSError(*refusal, path) from error
        db.close()
        remove(path)
    raise OSError(5, f"it cannot be made ({why or 'another version'})", path)  # EIO: the folder or the disk refuses it


def remove(path: str) -> None:
    for ending in ("", "-wal", "-shm"):
        platform.remove(path + ending)


MOST_TOUCHING = 400  # decisions, the newest, that a new one is compared with
NAMED = "name, state, entry, within"
SPAN = "low, high, state, entry, width, within"
TASK = "task, project, goal, state, started, changed, spoke, episode, place"
FIELDS = 'id, time, kind, text, origin, episode, supersedes, "to", field, project, "both", within'


@value
class Task:
    """One task as it stands. `spoke` is when it last got an entry, `place` the log of one that is over."""

    id: str
    project: str
    goal: str
    state: str
    started: float
    changed: float
    spoke: float
    episode: str
    place: str = ""

    @property
    def is_over(self) -> bool:
        return self.state in OVER


class Queries:
    """The database, opened, and what it answers."""

    vault: str
    db: sqlite3.Connection

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.db.execute(sql, values).fetchall()

    def _spans(self, task: str, series: str, low: int, high: int) -> list[spans.Span]:
        where = "task = ? AND series = ? AND low <= ? AND high >= ? ORDER BY low"
        return [
            spans.Span(*row) for row in self._rows(f"SELECT {SPAN} FROM span WHERE {where}", task, series, high, low)
        ]

    def tasks(self, project: str | None = None, *, also_over: bool = False) -> list[Task]:
        """The tasks of a project and of those merged into it, or all; the one that spoke last first."""
        return self._those(None if project is None else same_project.ids(self.vault, project), also_over=also_over)

    def tasks_under(self, ident: str) -> list[Task]:
        """The tasks that were begun under one id and are not over."""
        return self._those((ident,))

    def _those(self, ids: tuple[str, ...] | None, *, also_over: bool = False) -> list[Task]:
        where = "(? OR state NOT IN (?, ?))"
        if ids is not None:
            where = f"{where} AND project IN ({', '.join('?' * len(ids))})"
        sql = f"SELECT {TASK} FROM task WHERE {where} ORDER BY spoke DESC, task"
        return [Task(*row) for row in self._rows(sql, also_over, *OVER, *(ids or ()))]

    def task(self, ident: str) -> Task | None:
        """By its id; one that differs in nothing but capitals is the same."""
        row = self.db.execute(f"SELECT {TASK} FROM task WHERE task = ?", (ident,)).fetchone()
        if row:
            return Task(*row)
        wanted = ident.casefold()
        return next((one for one in self.tasks(also_over=True) if one.id.casefold() == wanted), None)

    def entries(
        self, task: str, *kinds: str, in_force: bool = False, newest: int = 0, after: str = ""
    ) -> Iterator[Entry]:
        """In order of time; of many only the newest if asked."""
        where = f"task = ? AND kind IN ({', '.join('?' * len(kinds))})" + (" AND gone = ''" if in_force else "")
        where += " AND id > ?" if after else ""
        values = (task, *kinds, *((after,) if after else ()), newest or -1)
        rows = self._rows(f"SELECT {FIELDS} FROM entry WHERE {where} ORDER BY time DESC, id DESC LIMIT ?", *values)
        return (_entry(row) for row in reversed(rows))

    def entry(self, task: str, ident: str) -> Entry | None:
        """By its whole id."""
        row = self.db.execute(f"SELECT {FIELDS} FROM entry WHERE task = ? AND id = ?", (task, ident)).fetchone()
        return _entry(row) if row else None

    def ending(self, task: str, wanted: str) -> list[Entry]:
        """The sections' entries whose id is this or ends so."""
        kinds = ", ".join(f"'{kind}'" for kind in record.SECTIONS)
        sql = f"SELECT {FIELDS} FROM entry WHERE task = ? AND kind IN ({kinds}) AND id LIKE ?"
        return [_entry(row) for row in self._rows(sql, task, f"%{wanted}")]

    def home_of(self, ident: str) -> str:
        """The task that an entry belongs to; "" where it is not known."""
        row = self.db.execute("SELECT task FROM entry WHERE id = ?", (ident,)).fetchone()
        return str(row[0]) if row else ""

    def gone_by(self, task: str, ident: str) -> str:
        """The id of what superseded or withdrew an entry; "" while it is in force."""
        row = self.db.execute("SELECT gone FROM entry WHERE task = ? AND id = ?", (task, ident)).fetchone()
        return str(row[0]) if row else ""

    def count(self, task: str, kind: str, *, in_force: bool = False) -> int:
        row = self.db.execute("SELECT told, gone FROM tally WHERE task = ? AND kind = ?", (task, kind)).fetchone()
        return int(row[0] - row[1] if in_force else row[0]) if row else 0

    def touching(self, project: str, text: str) -> list[tuple[str, Entry, str]]:
        """The decisions in force of a project that touch what this one touches: their task, themselves, and why."""
        keys, ids = subjects.keys(text), same_project.ids(self.vault, project)
        sql = (
            f"SELECT DISTINCT e.task, {', '.join(f'e.{name}' for name in FIELDS.split(', '))} "
            f"FROM subject s JOIN entry e ON e.task = s.task AND e.id = s.id "
            f"WHERE s.project IN ({', '.join('?' * len(ids))}) AND s.key IN ({', '.join('?' * len(keys))}) "
            "AND e.gone = '' AND e.task NOT IN (SELECT task FROM task WHERE state = ?) "
            "ORDER BY e.time DESC, e.id DESC LIMIT ?"
        )
        rows = reversed(self._rows(sql, *ids, *keys, ABANDONED, MOST_TOUCHING))
        found = ((str(row[0]), _entry(row[1:])) for row in rows)
        return [(task, one, why) for task, one in found if (why := subjects.meets(one.text, text))]

    def known_spans(self, task: str) -> dict[str, list[spans.Span]]:
        found: dict[str, list[spans.Span]] = {}
        for series, *rest in self._rows(f"SELECT series, {SPAN} FROM span WHERE task = ? ORDER BY series, low", task):
            found.setdefault(series, []).append(spans.Span(*rest))
        return found

    def known_names(self, task: str, most: int) -> list[progress.Named]:
        """The named units, of each state the newest that were completed and the first of what is left."""
        found: list[tuple[int, progress.Named]] = []
        for state in (*units.STATES, units.SEEN, units.BEGUN):
            found += self._in_state(task, state, most, newest=state in units.FINISHED)
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    def _in_state(self, task: str, state: str, most: int, *, newest: bool) -> list[tuple[int, progress.Named]]:
        way = "DESC" if newest else "ASC"
        sql = f"SELECT nth, {NAMED} FROM named WHERE task = ? AND state = ? ORDER BY nth {way} LIMIT ?"
        return [(nth, progress.Named(*row)) for nth, *row in self._rows(sql, task, state, most)]

    def unfinished_names(self, task: str, most: int) -> list[progress.Named]:
        """The first of the named units of which nobody said that they are settled, and the last that were seen done."""
        found: list[progress.Named] = []
        for state in (units.BEGUN, units.IN_PROGRESS, units.PENDING, units.FAILED, units.SEEN):
            rows = self._in_state(task, state, most - len(found), newest=state == units.SEEN)
            found += [one for _, one in rows]
        return found

    def named(self, task: str, name: str) -> list[progress.Named]:
        """A named unit and the folders that it lies in, as far as something was said of them."""
        parts = name.split("/")
        above = ["/".join(parts[:nth]) + "/" for nth in range(1, len(parts))]
        found = []
        for one in dict.fromkeys((name, *above)):
            rows = self._rows(f"SELECT {NAMED} FROM named WHERE task = ? AND name = ?", task, one)
            found += [progress.Named(*row) for row in rows]
        return found

    def is_done(self, task: str, mark: units.Mark, *, also_seen: bool = False) -> bool | None:
        """Whether a unit is said to be done, or, if asked, was seen done; None where nothing was said of it. Only what
        bears on it is looked at. Raises UsageError."""
        done = units.FINISHED if also_seen else units.SETTLED
        if mark.name:
            near = {key: self._spans(task, key, number, number) for key, number in numbers.numbered(mark.name)}
            known = {key: one for key, one in near.items() if one}
            return progress.is_done(mark, known, self.named(task, mark.name), done)
        rows = self._rows("SELECT series FROM series WHERE task = ? ORDER BY nth", task)
        said = {key: self._spans(task, key, mark.low, mark.high) for (key,) in rows}
        above = {span.within for spans_of in said.values() for span in spans_of} - {""}
        return progress.is_done(mark, said, [one for name in sorted(above) for one in self.named(task, name)], done)

    def order(self, task: str, most: int) -> list[str]:
        """The series and the named units in the order of their first mention."""
        both = "SELECT series, nth FROM series WHERE task = ? UNION ALL SELECT name, nth FROM named WHERE task = ?"
        return [row[0] for row in self.db.execute(f"{both} ORDER BY nth LIMIT ?", (task, task, most))]

    def overlaps(self, task: str, text: str) -> list[tuple[units.Mark, list[spans.Span]]]:
        """The parts of this progress that were completed before."""
        found = []
        for mark in units.read(text):
            if mark.name or mark.state != units.COMPLETED:
                continue
            near = self._spans(task, mark.series, mark.low, mark.high)
            again = spans.lay(near, mark, "")[1]
            if again:
                found.append((mark, again))
        return found

    def unmoved(self, task: str, text: str) -> list[units.Mark]:
        """The units that this progress calls pending or in progress, and that are done until somebody reopens them."""
        found = []
        for mark in units.read(text):
            if mark.state not in units.UNENDED or mark.reopens or mark.is_total:
                continue
            if mark.name:
                states = {one.state for one in self.named(task, mark.name) if one.name == mark.name}
                is_whole = bool(states)
            else:
                near = self._spans(task, mark.series, mark.low, mark.high)
                states = {span.state for span in near}
                is_whole = not spans.gaps(near, (mark.low, mark.high))
            if is_whole and all(one in units.FINISHED and not spans.yields(one, mark.state) for one in states):
                found.append(mark)
        return found


def _entry(row: tuple[Any, ...]) -> Entry:
    ident, when, kind, text, origin, episode, old, to, field, project, both, within = row
    rest = (str(to), str(field), str(project), bool(both), str(within))
    return Entry(str(ident), float(when), str(kind), str(text), str(origin), str(episode), tuple(old.split()), *rest)
