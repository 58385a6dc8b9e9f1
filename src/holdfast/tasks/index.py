"""What is known of all tasks, derived from their logs: one SQLite file. Only this and tasks/schema know SQL.

Promise: deleted or broken, it is made anew from the logs and answers the same. It exists so that a checkpoint, a start
and a question cost the same however long a task's log is. It is written under the tasks' one lock (tasks/desk), so no
writer ever meets another. Entries may arrive late, from another machine: what supersedes or withdraws an entry holds in
whatever order the two come, and the progress of a task is told anew where an older line arrives after a newer one.
"""

from __future__ import annotations

import posix

from holdfast.model import value
from holdfast.tasks import entry as entries
from holdfast.tasks import numbers, progress, record, schema, spans, subjects, units
from holdfast.tasks.entry import Entry
from holdfast.tasks.states import ABANDONED, OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_TOUCHING = 400  # decisions, the newest, that a new one is compared with
LOG = "path, task, size FROM log"
FIELDS = 'id, time, kind, text, origin, episode, supersedes, "to", field, project, "both"'


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


class Index:
    """The file, opened. Use it under the tasks' lock, or only to look."""

    def __init__(self, vault: str, path: str = "") -> None:
        self.vault = vault
        self.path = path or f"{record.own(vault)}/index.db"
        self.db = schema.opened(self.path)
        self.standings: dict[str, progress.Standing] = {}  # as they were worked out since the last entry

    def behind(self) -> set[str]:
        """The tasks whose pages may be behind their logs: taken in by somebody who has not rendered them yet."""
        return {task for (task,) in self.db.execute("SELECT task FROM behind")}

    def rendered(self, tasks: Iterable[str]) -> None:
        self.db.executemany("DELETE FROM behind WHERE task = ?", [(task,) for task in tasks])

    def close(self) -> None:
        self.db.close()

    def catch_up(self) -> set[str]:
        """Take in what the logs have and this has not; the tasks that changed. Raises OSError."""
        known = {path: (task, size) for path, task, size in self.db.execute(f"SELECT {LOG} WHERE path LIKE 'tasks/%'")}
        working = record.open_tasks(self.vault)
        listed = {path: (task, size) for task in working for path, size in record.logs(self.vault, task)}
        changed = {task for path, (task, size) in known.items() if listed.get(path, ("", -1))[1] < size}
        for task in changed:
            self._forget(task)  # a log that is gone or became shorter was archived, undone or purged
        for path, (task, size) in listed.items():
            begin = known[path][1] if path in known and task not in changed else 0
            if size > begin:
                changed |= self._take(path, task, begin)
        return changed | self._look_at_finished(set(working), anyway=bool(changed))

    def _look_at_finished(self, working: set[str], *, anyway: bool) -> set[str]:
        """The logs of finished tasks never grow, and there may be many: they are looked at when their folder changed.
        Where a task is archived and still has its folder, the folder counts."""
        stamp = _stamp(f"{self.vault}/{record.OUTPUTS}")
        before = self.db.execute("SELECT stamp FROM looked WHERE folder = ?", (record.OUTPUTS,)).fetchone()
        if not anyway and before and before[0] == stamp:
            return set()
        known = {path: task for path, task, _ in self.db.execute(f"SELECT {LOG} WHERE path LIKE 'outputs/%'")}
        there = {path: task for task, path in record.finished(self.vault) if task not in working}
        changed = {task for path, task in known.items() if path not in there and task not in working}
        for task in changed:
            self._forget(task)
        for path, task in there.items():
            if path not in known or task in changed:
                changed |= self._take(path, task, 0)
        self.db.execute("INSERT OR REPLACE INTO looked VALUES (?, ?)", (record.OUTPUTS, stamp))
        return changed

    def _take(self, path: str, task: str, begin: int) -> set[str]:
        try:
            found = record.read(self.vault, path, begin)
        except FileNotFoundError:
            return set()
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.add(task, found.entries)
            self.db.execute("INSERT OR REPLACE INTO log VALUES (?, ?, ?)", (path, task, found.end))
            if found.entries:
                self.db.execute("INSERT OR IGNORE INTO behind VALUES (?)", (task,))
            if path.startswith(f"{record.OUTPUTS}/"):
                self.db.execute("UPDATE task SET place = ? WHERE task = ?", (path, task))
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:  # a disk that is full has ended it already
                self.db.execute("ROLLBACK")
            raise
        return {task} if found.entries else set()

    def _forget(self, task: str) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        for table in ("task", "log", "entry", "tally", "gone", "subject", "span", "named", "series"):
            self.db.execute(f"DELETE FROM {table} WHERE task = ?", (task,))
        self.db.execute("COMMIT")

    def add(self, task: str, fresh: Iterable[Entry]) -> None:
        """Entries as they come out of a log. One that is known is left alone."""
        late = False
        self.standings.pop(task, None)
        for one in fresh:
            row = (task, one.time, one.id, one.kind, one.text, one.origin, one.episode, " ".join(one.supersedes))
            more = (one.to, one.field, one.project, int(one.both))
            made = self.db.execute(f"INSERT OR IGNORE INTO entry VALUES ({'?, ' * 12}'')", (*row, *more))
            if not made.rowcount:
                continue
            late = self._settle(task, one) or late
        if late:
            self._tell_anew(task)
        self._let_go_if_abandoned(task)

    def _let_go_if_abandoned(self, task: str) -> None:
        """The decisions of a task that was given up bind nobody, so what they superseded in other tasks holds again."""
        if not self.db.execute("SELECT 1 FROM task WHERE task = ? AND state = ?", (task, ABANDONED)).fetchone():
            return
        own = "SELECT id FROM entry WHERE task = ?"
        rows = self.db.execute(f"SELECT old FROM gone WHERE task = ? AND old NOT IN ({own})", (task, task)).fetchall()
        self.db.execute(f"DELETE FROM gone WHERE task = ? AND old NOT IN ({own})", (task, task))
        for (old,) in rows:
            other = self.home_of(old)
            by = self.db.execute("SELECT new FROM gone WHERE old = ?", (old,)).fetchone()
            self.db.execute("UPDATE entry SET gone = ? WHERE id = ?", (by[0] if by else "", old))
            if other:
                self.db.execute("INSERT OR IGNORE INTO behind VALUES (?)", (other,))

    def _settle(self, task: str, one: Entry) -> bool:
        """What one entry means for the others; whether the progress has to be told anew."""
        last = self.db.execute("SELECT last FROM task WHERE task = ?", (task,)).fetchone()
        late = one.kind == entries.PROGRESS and bool(last) and last[0] is not None and one.time < last[0]
        self._keep_task(task, one)
        for old in one.supersedes:  # also of another task: a decision holds for the whole project
            self.db.execute("INSERT OR IGNORE INTO gone VALUES (?, ?, ?)", (task, old, one.id))
            self.db.execute("UPDATE entry SET gone = ? WHERE id = ?", (one.id, old))
            late = late or self._kind(task, old) == entries.PROGRESS
        by = self.db.execute("SELECT new FROM gone WHERE old = ?", (one.id,)).fetchone()
        if by:
            self.db.execute("UPDATE entry SET gone = ? WHERE task = ? AND id = ?", (by[0], task, one.id))
        elif one.kind == entries.PROGRESS and not late:
            self._mark(task, one)
        if one.kind == entries.PROGRESS:
            self.db.execute("UPDATE task SET last = max(ifnull(last, 0), ?) WHERE task = ?", (one.time, task))
        if one.kind == entries.DECISION:
            project = self.db.execute("SELECT project FROM task WHERE task = ?", (task,)).fetchone()[0]
            rows = [(project, key, task, one.id) for key in subjects.keys(one.text)]
            self.db.executemany("INSERT OR IGNORE INTO subject VALUES (?, ?, ?, ?)", rows)
        return late

    def _kind(self, task: str, ident: str) -> str:
        found = self.db.execute("SELECT kind FROM entry WHERE task = ? AND id = ?", (task, ident)).fetchone()
        return str(found[0]) if found else ""

    def _keep_task(self, task: str, one: Entry) -> None:
        """The task's own row: made by whichever entry comes first, in whatever order they come."""
        row = (task, one.project, "", "", one.time, 0.0, 0.0, "", None, "")
        self.db.execute("INSERT OR IGNORE INTO task VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        if one.project:
            self.db.execute("UPDATE task SET project = ? WHERE task = ?", (one.project, task))
            self.db.execute("UPDATE subject SET project = ? WHERE task = ?", (one.project, task))
        self.db.execute("UPDATE task SET started = ? WHERE task = ? AND started > ?", (one.time, task, one.time))
        if one.kind == entries.STATE:
            self.db.execute(
                "UPDATE task SET state = ?, changed = ? WHERE task = ? AND changed <= ?",
                (one.to, one.time, task, one.time),
            )
        if one.kind == entries.GOAL or (one.kind == entries.STATE and one.project):
            newest = "SELECT text FROM entry WHERE task = ? AND kind = 'goal' ORDER BY time DESC, id DESC LIMIT 1"
            said = self.db.execute(newest, (task,)).fetchone()
            self.db.execute("UPDATE task SET goal = ? WHERE task = ?", (said[0] if said else one.text, task))
        self.db.execute(
            "UPDATE task SET spoke = ?, episode = ifnull(nullif(?, ''), episode) WHERE task = ? AND spoke <= ?",
            (one.time, one.episode, task, one.time),
        )

    def _tell_anew(self, task: str) -> None:
        """The progress of a task from its lines in their order: one came late, or one was taken back."""
        for table in ("span", "named", "series"):
            self.db.execute(f"DELETE FROM {table} WHERE task = ?", (task,))
        for one in list(self.entries(task, entries.PROGRESS, in_force=True)):
            self._mark(task, one)

    def _mark(self, task: str, one: Entry) -> None:
        for mark in units.read(one.text):
            table, name = ("named", mark.name) if mark.name else ("series", mark.series)
            nth = self.db.execute(
                "SELECT ifnull(max(nth), 0) + 1 FROM (SELECT nth FROM named WHERE task = ? "
                "UNION ALL SELECT nth FROM series WHERE task = ?)",
                (task, task),
            ).fetchone()[0]
            if table == "named":
                self._mark_named(task, mark, one.id, nth)
                continue
            self.db.execute("INSERT OR IGNORE INTO series VALUES (?, ?, ?)", (task, name, nth))
            near = self._spans(task, name, mark.low - 1, mark.high + 1)
            after, _ = spans.lay(near, mark, one.id)
            lows = [(task, name, span.low) for span in near]
            self.db.executemany("DELETE FROM span WHERE task = ? AND series = ? AND low = ?", lows)
            rows = [
                (task, name, span.low, span.high, span.state, span.entry, span.width, span.within)
                for span in spans.settled_together(after)
            ]
            self.db.executemany("INSERT INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _mark_named(self, task: str, mark: units.Mark, entry: str, nth: int) -> None:
        name, state = mark.name, mark.state
        before = self.db.execute("SELECT state FROM named WHERE task = ? AND name = ?", (task, name)).fetchone()
        if before and not (mark.reopens or spans.yields(before[0], state)):
            return
        self.db.execute("INSERT OR IGNORE INTO named VALUES (?, ?, ?, ?, ?)", (task, name, state, entry, nth))
        self.db.execute("UPDATE named SET state = ?, entry = ? WHERE task = ? AND name = ?", (state, entry, task, name))

    def _spans(self, task: str, series: str, low: int, high: int) -> list[spans.Span]:
        found = self.db.execute(
            "SELECT low, high, state, entry, width, within FROM span "
            "WHERE task = ? AND series = ? AND low <= ? AND high >= ? ORDER BY low",
            (task, series, high, low),
        )
        return [spans.Span(*row) for row in found]

    def tasks(self, project: str | None = None, *, also_over: bool = False) -> list[Task]:
        """Those of a project or of all, the one that spoke last first."""
        named = "task, project, goal, state, started, changed, spoke, episode, place"
        rows = self.db.execute(f"SELECT {named} FROM task ORDER BY spoke DESC, task")
        found = [Task(*row) for row in rows]
        return [one for one in found if (also_over or not one.is_over) and (project is None or one.project == project)]

    def task(self, ident: str) -> Task | None:
        """By its id; one that differs in nothing but capitals is the same."""
        wanted = ident.casefold()
        return next((one for one in self.tasks(also_over=True) if one.id.casefold() == wanted), None)

    def entries(
        self, task: str, *kinds: str, in_force: bool = False, newest: int = 0, after: str = ""
    ) -> Iterator[Entry]:
        """In order of time; of many only the newest if asked."""
        where = f"task = ? AND kind IN ({', '.join('?' * len(kinds))})" + (" AND gone = ''" if in_force else "")
        where += " AND id > ?" if after else ""
        values = (task, *kinds, *((after,) if after else ()))
        if newest:
            rows = self.db.execute(
                f"SELECT {FIELDS} FROM entry WHERE {where} ORDER BY time DESC, id DESC LIMIT ?",
                (*values, newest),
            ).fetchall()[::-1]
        else:
            rows = self.db.execute(f"SELECT {FIELDS} FROM entry WHERE {where} ORDER BY time, id", values).fetchall()
        return (_entry(row) for row in rows)

    def entry(self, task: str, ident: str) -> Entry | None:
        """By its whole id."""
        row = self.db.execute(f"SELECT {FIELDS} FROM entry WHERE task = ? AND id = ?", (task, ident)).fetchone()
        return _entry(row) if row else None

    def ending(self, task: str, wanted: str) -> list[Entry]:
        """Those whose id is this or ends so, the sections' entries only."""
        kinds = ", ".join(f"'{kind}'" for kind in entries.SECTIONS)
        rows = self.db.execute(
            f"SELECT {FIELDS} FROM entry WHERE task = ? AND kind IN ({kinds}) AND id LIKE ?",
            (task, f"%{wanted}"),
        )
        return [_entry(row) for row in rows]

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
        keys = subjects.keys(text)
        rows = self.db.execute(
            f"SELECT DISTINCT e.task, {', '.join(f'e.{name}' for name in FIELDS.split(', '))} "
            f"FROM subject s JOIN entry e ON e.task = s.task AND e.id = s.id "
            f"WHERE s.project = ? AND s.key IN ({', '.join('?' * len(keys))}) AND e.gone = '' "
            f"AND e.task NOT IN (SELECT task FROM task WHERE state = ?) ORDER BY e.time DESC, e.id DESC LIMIT ?",
            (project, *keys, ABANDONED, MOST_TOUCHING),
        ).fetchall()[::-1]
        found = [(str(row[0]), _entry(row[1:])) for row in rows]
        return [(task, one, why) for task, one in found if (why := subjects.meets(one.text, text))]

    def known_spans(self, task: str) -> dict[str, list[spans.Span]]:
        found: dict[str, list[spans.Span]] = {}
        rows = self.db.execute(
            "SELECT series, low, high, state, entry, width, within FROM span WHERE task = ? ORDER BY series, low",
            (task,),
        )
        for series, *rest in rows:
            found.setdefault(series, []).append(spans.Span(*rest))
        return found

    def known_names(self, task: str, most: int) -> list[progress.Named]:
        """The named units, of each state the newest that were completed and the first of what is left."""
        found: list[tuple[int, progress.Named]] = []
        for state in units.STATES:
            way = "DESC" if state == units.COMPLETED else "ASC"
            rows = self.db.execute(
                f"SELECT nth, name, state, entry FROM named WHERE task = ? AND state = ? ORDER BY nth {way} LIMIT ?",
                (task, state, most),
            )
            found += [(nth, progress.Named(*row)) for nth, *row in rows]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    def named(self, task: str, name: str) -> list[progress.Named]:
        """A named unit and the folders that it lies in, as far as something was said of them."""
        parts = name.split("/")
        above = ["/".join(parts[:nth]) + "/" for nth in range(1, len(parts))]
        found = []
        for one in dict.fromkeys((name, *above)):
            rows = self.db.execute("SELECT name, state, entry FROM named WHERE task = ? AND name = ?", (task, one))
            found += [progress.Named(*row) for row in rows]
        return found

    def is_done(self, task: str, mark: units.Mark) -> bool | None:
        """Whether a unit is done; None where nothing was said of it. Only what bears on it is looked at. Raises
        UsageError."""
        if mark.name:
            known = {key: self._spans(task, key, number, number) for key, number in numbers.numbered(mark.name)}
            return progress.is_done(mark, {key: one for key, one in known.items() if one}, self.named(task, mark.name))
        rows = self.db.execute("SELECT series FROM series WHERE task = ? ORDER BY nth", (task,))
        said = {key: self._spans(task, key, mark.low, mark.high) for (key,) in rows}
        above = {span.within for spans_of in said.values() for span in spans_of} - {""}
        return progress.is_done(mark, said, [one for name in sorted(above) for one in self.named(task, name)])

    def order(self, task: str, most: int) -> list[str]:
        """The series and the named units in the order of their first mention."""
        both = "SELECT series, nth FROM series WHERE task = ? UNION ALL SELECT name, nth FROM named WHERE task = ?"
        return [row[0] for row in self.db.execute(f"{both} ORDER BY nth LIMIT ?", (task, task, most))]

    def overlaps(self, task: str, text: str) -> list[tuple[units.Mark, list[spans.Span]]]:
        """What of this progress was completed before, to be told to who says it again."""
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
        """What this progress calls pending or in progress though it is done, and stays so until somebody reopens it."""
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
            if is_whole and all(one in units.SETTLED and not spans.yields(one, mark.state) for one in states):
                found.append(mark)
        return found


def _stamp(folder: str) -> str:
    try:
        seen = posix.stat(folder)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}"


def _entry(row: Sequence[object]) -> Entry:
    ident, when, kind, text, origin, episode, old, to, field, project, both = row
    return Entry(
        str(ident),
        float(when),  # type: ignore[arg-type]
        str(kind),
        str(text),
        str(origin),
        str(episode),
        tuple(str(old).split()),
        str(to),
        str(field),
        str(project),
        bool(both),
    )
