"""The index of all tasks, derived from their logs, in one SQLite file; tasks/queries asks it.

Promise: deleted or broken, it is made anew from the logs and answers the same. It exists so that a checkpoint, a start
and a question cost the same however long a task's log is. It is written under the tasks' one lock (tasks/transaction),
so no writer ever meets another. Entries may arrive late, from another machine: what supersedes or withdraws an entry
holds in whatever order the two come, and the progress of a task is told anew where an older line arrives after a newer
one. A task that is over stays so, whatever another machine, which did not know, has said of it since. Where a task is
archived and has a folder all the same, both count.
"""

from __future__ import annotations

import posix

from holdfast.tasks import observations, progress, queries, record, spans, subjects, units
from holdfast.tasks.queries import NAMED, Queries
from holdfast.tasks.record import Entry
from holdfast.tasks.states import ABANDONED, OVER, REOPENED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STATE = (  # of all transitions since the task was last reopened: that it is over, else the newest
    f"SELECT [to], time FROM entry WHERE task = ? AND kind = '{record.STATE}' AND time >= "
    f"(SELECT ifnull(max(time), 0) FROM entry WHERE task = ? AND kind = '{record.STATE}' AND [to] = '{REOPENED}') "
    "ORDER BY [to] IN (?, ?) DESC, time DESC, id DESC LIMIT 1"
)
WENT = (  # by what an entry was superseded or withdrawn; what was decided in a task that was given up binds no other
    "SELECT ifnull(max(g.new), '') FROM gone g JOIN task t ON t.task = g.task WHERE g.old = ? "
    "AND (t.state <> ? OR EXISTS (SELECT 1 FROM entry e WHERE e.id = g.old AND e.task = g.task))"
)


class Index(Queries):
    """The file, opened. Use it under the tasks' lock, or only to look."""

    def __init__(self, vault: str, path: str = "") -> None:
        self.vault = vault
        self.path = path or f"{record.own(vault)}/index.db"
        self.db = queries.opened(self.path)
        self.standings: dict[str, progress.Standing] = {}  # as they were worked out since the last entry

    def behind(self) -> tuple[set[str], set[str]]:
        """The tasks whose pages may be behind their logs: taken in by somebody who has not rendered them yet. And the
        projects that had a task whose log went; a start is no longer to be told of it."""
        rows = self._rows("SELECT task, project FROM behind")
        return {task for task, _ in rows}, {project for _, project in rows if project}

    def rendered(self, tasks: Iterable[str]) -> None:
        self.db.executemany("DELETE FROM behind WHERE task = ?", [(task,) for task in tasks])

    def close(self) -> None:
        self.db.close()

    def catch_up(self) -> None:
        """Take in what the logs have and this has not; `behind` then names the tasks that changed. Where the file is
        broken, the logs are read into memory, and the next who comes makes the file anew."""
        try:
            self._catch_up()
        except queries.Passing:
            raise
        except queries.Refused:
            self.drop()
            self.db.close()
            self.db = queries.opened(":memory:")
            self._catch_up()

    def drop(self) -> None:
        """Take the file away: the next who comes makes it anew."""
        queries.remove(self.path)

    def _catch_up(self) -> None:
        known = self._known(record.FOLDER)
        tasks = record.open_tasks(self.vault)
        listed = {path: (task, size) for task in tasks for path, size in record.logs(self.vault, task)}
        stamp = _stamp(f"{self.vault}/{record.OUTPUTS}")
        # Finished logs seldom change, and there may be many: they are looked at when their folder changed.
        looked = self._rows("SELECT stamp FROM looked WHERE folder = ?", record.OUTPUTS)
        if _lost(known, listed) or [(stamp,)] != looked:
            known |= self._known(record.OUTPUTS)
            finished = record.finished(self.vault)
            listed |= {path: (task, record.size(self.vault, path)) for task, path in finished}
        changed = _lost(known, listed)
        for task in changed:
            self._forget(task)  # a log that is gone or became shorter was archived, undone or purged
        for path, (task, size) in listed.items():
            begin = known[path][1] if path in known and task not in changed else 0
            if size > begin:
                self._take(path, task, begin)
        self.db.execute("INSERT OR REPLACE INTO looked VALUES (?, ?)", (record.OUTPUTS, stamp))

    def _known(self, top: str) -> dict[str, tuple[str, int]]:
        rows = self._rows("SELECT path, task, size FROM log WHERE path LIKE ?", f"{top}/%")
        return {path: (task, size) for path, task, size in rows}

    def _take(self, path: str, task: str, begin: int) -> None:
        try:
            found = record.read(self.vault, path, begin)
        except OSError:
            return  # gone again, or it cannot be read: `check` names it, and the others count all the same
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.add(task, found.entries)
            self.db.execute("INSERT OR REPLACE INTO log VALUES (?, ?, ?)", (path, task, found.end))
            if found.entries:
                self.db.execute("INSERT OR IGNORE INTO behind VALUES (?, '')", (task,))
            if path.startswith(f"{record.OUTPUTS}/"):
                self.db.execute("UPDATE task SET place = ? WHERE task = ?", (path, task))
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:  # a disk that is full has ended it already
                self.db.execute("ROLLBACK")
            raise

    def _forget(self, task: str) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        superseded = self._superseded_by(task)
        self.db.execute("INSERT OR REPLACE INTO behind SELECT task, project FROM task WHERE task = ?", (task,))
        for table in ("task", "log", "entry", "tally", "gone", "subject", "span", "named", "series"):
            self.db.execute(f"DELETE FROM {table} WHERE task = ?", (task,))
        self._tell_gone(superseded)
        self.standings.pop(task, None)
        self.db.execute("DELETE FROM looked")  # whoever kills us now, the next one looks for its archive
        self.db.execute("COMMIT")

    def _superseded_by(self, task: str) -> list[str]:
        return [old for (old,) in self._rows("SELECT old FROM gone WHERE task = ?", task)]

    def _tell_gone(self, idents: Iterable[str]) -> None:
        """Whether these entries are in force, by all that was said of them; the same in whatever order it came."""
        for ident in idents:
            by = self.db.execute(WENT, (ident, ABANDONED)).fetchone()[0]
            done = self.db.execute("UPDATE entry SET gone = ? WHERE id = ? AND gone <> ?", (by, ident, by))
            if done.rowcount:
                self.db.execute("INSERT OR IGNORE INTO behind SELECT task, '' FROM entry WHERE id = ?", (ident,))

    def add(self, task: str, fresh: Iterable[Entry]) -> None:
        """Entries as they come out of a log. One that is known is left alone."""
        late = False
        self.standings.pop(task, None)
        for one in fresh:
            row = (task, one.time, one.id, one.kind, one.text, one.origin, one.episode, " ".join(one.supersedes))
            more = (one.to, one.field, one.project, int(one.both), one.within)
            made = self.db.execute(f"INSERT OR IGNORE INTO entry VALUES ({'?, ' * 13}'')", (*row, *more))
            late = (made.rowcount > 0 and self._settle(task, one)) or late
        if late:
            self._tell_anew(task)

    def _settle(self, task: str, one: Entry) -> bool:
        """Carry out what one entry means for the others; whether the progress has to be told anew."""
        last = self.db.execute("SELECT last FROM task WHERE task = ?", (task,)).fetchone()
        late = one.kind == record.PROGRESS and bool(last) and last[0] is not None and one.time < last[0]
        self._keep_task(task, one)
        for old in one.supersedes:  # also of another task: a decision holds for the whole project
            self.db.execute("INSERT OR IGNORE INTO gone VALUES (?, ?, ?)", (task, old, one.id))
            kind = self._rows("SELECT kind FROM entry WHERE task = ? AND id = ?", task, old)
            late = late or kind == [(record.PROGRESS,)]
        self._tell_gone((one.id, *one.supersedes))
        if one.kind in (record.PROGRESS, record.SEEN) and not late and not self.gone_by(task, one.id):
            self._mark(task, one)
        if one.kind == record.PROGRESS:
            self.db.execute("UPDATE task SET last = max(ifnull(last, 0), ?) WHERE task = ?", (one.time, task))
        if one.kind == record.DECISION:
            project = self.db.execute("SELECT project FROM task WHERE task = ?", (task,)).fetchone()[0]
            rows = [(project, key, task, one.id) for key in subjects.keys(one.text)]
            self.db.executemany("INSERT OR IGNORE INTO subject VALUES (?, ?, ?, ?)", rows)
        return late

    def _keep_task(self, task: str, one: Entry) -> None:
        """The task's own row: made by whichever entry comes first, in whatever order they come."""
        row = (task, one.project, "", "", one.time, 0.0, 0.0, "", None, "")
        self.db.execute("INSERT OR IGNORE INTO task VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        if one.project:
            self.db.execute("UPDATE task SET project = ? WHERE task = ?", (one.project, task))
            self.db.execute("UPDATE subject SET project = ? WHERE task = ?", (one.project, task))
        self.db.execute("UPDATE task SET started = ? WHERE task = ? AND started > ?", (one.time, task, one.time))
        if one.kind == record.STATE:
            self.db.execute(f"UPDATE task SET (state, changed) = ({STATE}) WHERE task = ?", (task, task, *OVER, task))
            if one.to in (ABANDONED, REOPENED):
                self._tell_gone(self._superseded_by(task))
        if one.kind == record.GOAL or (one.kind == record.STATE and one.project):
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
        for one in list(self.entries(task, record.PROGRESS, record.SEEN, in_force=True)):
            self._mark(task, one)

    def _mark(self, task: str, one: Entry) -> None:
        """Lay down what a line of progress says of its units, or what was seen of one."""
        if one.kind == record.SEEN:
            found = observations.mark(one)
            if found and found.name and not one.within:
                known = self._rows("SELECT series FROM series WHERE task = ?", task)
                found = observations.in_series(found, {series for (series,) in known})
            if found and not found.name:
                near = self._spans(task, found.series, found.low, found.high)
                for mark in observations.laid(near, found, one.id):
                    self._lay(task, mark, one.id)
            elif found and (fresh := observations.named(self._named(task, found.name), found, one)):
                self._put_named(task, found, one.id, fresh.within)
            return
        for mark in units.read(one.text):
            if not mark.name:
                self._lay(task, mark, one.id)
            elif not (before := self._named(task, mark.name)) or mark.reopens or spans.yields(before.state, mark.state):
                self._put_named(task, mark, one.id)

    def _nth(self, task: str) -> int:
        both = "SELECT nth FROM named WHERE task = ? UNION ALL SELECT nth FROM series WHERE task = ?"
        return int(self.db.execute(f"SELECT ifnull(max(nth), 0) + 1 FROM ({both})", (task, task)).fetchone()[0])

    def _lay(self, task: str, mark: units.Mark, entry: str) -> None:
        name = mark.series
        self.db.execute("INSERT OR IGNORE INTO series VALUES (?, ?, ?)", (task, name, self._nth(task)))
        near = self._spans(task, name, mark.low - 1, mark.high + 1)
        after, _ = spans.lay(near, mark, entry)
        lows = [(task, name, span.low) for span in near]
        self.db.executemany("DELETE FROM span WHERE task = ? AND series = ? AND low = ?", lows)
        rows = [
            (task, name, span.low, span.high, span.state, span.entry, span.width, span.within)
            for span in spans.settled_together(after)
        ]
        self.db.executemany("INSERT INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _named(self, task: str, name: str) -> progress.Named | None:
        rows = self._rows(f"SELECT {NAMED} FROM named WHERE task = ? AND name = ?", task, name)
        return progress.Named(*rows[0]) if rows else None

    def _put_named(self, task: str, mark: units.Mark, entry: str, within: str = "") -> None:
        self.db.execute(
            "INSERT INTO named VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET state = excluded.state, entry = excluded.entry, within = excluded.within",
            (task, mark.name, mark.state, entry, self._nth(task), within),
        )


def _lost(known: dict[str, tuple[str, int]], listed: dict[str, tuple[str, int]]) -> set[str]:
    """The tasks of which a log is gone or became shorter, or whose archive is another one."""
    return {
        task
        for path, (task, size) in known.items()
        if (now := listed.get(path, ("", -1))[1]) < size or (now != size and path.startswith(f"{record.OUTPUTS}/"))
    }


def _stamp(folder: str) -> str:
    try:
        seen = posix.stat(folder)
    except OSError:
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}"
