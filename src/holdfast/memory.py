"""The facade: what the command line and, later, the servers ask of a vault. The hook goes to the capture room itself.

One object per vault, no state of its own, every method a sentence of the command line.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, ledger_history, log, platform, projects, quoting, settle
from holdfast.capture import queue as flag_queue
from holdfast.capture.ledger_history import Wanted
from holdfast.errors import UsageError
from holdfast.model import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from holdfast.clock import Clock
    from holdfast.close.drain import Closed
    from holdfast.model import Project, Reply
    from holdfast.vault.archive import Exported
    from holdfast.vault.arming import Arming
    from holdfast.vault.edits import Asked, Filed
    from holdfast.vault.findings import Report
    from holdfast.vault.handing import HandedOff
    from holdfast.vault.history import Entry, Undone
    from holdfast.vault.history import Plan as UndoPlan
    from holdfast.vault.importing import Imported, Proposal
    from holdfast.vault.index import Index
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note
    from holdfast.vault.purge import Done as Purged
    from holdfast.vault.purge import Plan as PurgePlan
    from holdfast.vault.restoring import Restored
    from holdfast.vault.reviewing import Reviewed, Reviews
    from holdfast.vault.sync import Synced

__all__ = ["Memory"]


class Memory:
    """The memory in one vault, seen from one working directory."""

    def __init__(self, vault: str, cwd: str, clock: Clock = time.time, env: Mapping[str, str] | None = None) -> None:
        self.vault = vault
        self.env = env or {}
        self.state = home.state(vault)
        self.cwd = cwd
        self.clock = clock
        home.refuse_newer(vault)

    @classmethod
    def here(cls, env: Mapping[str, str] | None = None, cwd: str | None = None) -> Memory:
        """The vault that the environment names, from the current folder."""
        env = os.environ if env is None else env
        folder = cwd or platform.working_folder(env)
        return cls(home.vault(env, folder), folder, env=env)

    def project(self) -> Project:
        return projects.find(self.cwd, self.vault)

    def why_off(self) -> str:
        """Why nothing is captured here now, as a sentence; "" while capture is on."""
        return home.why_off(self.env, self.vault) or (home.PROJECT_OFF if self.project().off else "")

    def queue(self) -> flag_queue.View:
        """Everything not yet filed, of all projects."""
        return flag_queue.read(f"{self.state}/queue", self.clock())

    def set_broken_aside(self, view: flag_queue.View) -> list[str]:
        """Copies of what in the queue is no record; where none can be made, the original, which stays in any case."""
        folder = f"{self.state}/queue/broken"
        places = []
        for path, found in view.broken:
            try:
                places.append(log.set_aside(folder, path.rpartition("/")[2], found))
            except OSError:
                places.append(path)
        return places

    def retry(self, ids: Iterable[str] | None) -> tuple[str, ...]:
        """Dead flags wait again."""
        return settle.Settlement(f"{self.state}/queue", self.clock).retry(ids)

    def ledger(self, wanted: Wanted, count: int) -> list[dict[str, Any]]:
        """The newest records that are wanted, oldest first."""
        return ledger_history.newest(self.state, wanted, count)

    def follow_ledger(self, wanted: Wanted, wait: Callable[[], None]) -> Iterator[dict[str, Any]]:
        return ledger_history.follow(self.state, wanted, wait)

    def ledger_counts(self) -> list[dict[str, Any]]:
        """Daily counts of what is no longer kept whole."""
        return ledger_history.counts(self.state)

    def boot(self) -> Reply:
        """The brief, exactly as the next start in this folder gets it."""
        from holdfast.capture import background
        from holdfast.hook import brief, live

        off = self.why_off()
        if off:
            return brief.said_off(off)
        self.refresh_brief()
        project, now = self.project(), self.clock()
        living = self._bury_the_dead(project, now)
        closes = not background.is_off(self.env)
        found = live.gather(self.state, project, now, living, closes=closes, only_look=True)
        return brief.compose(self.vault, found, brief.load(self.vault, self.state, project))

    def _bury_the_dead(self, project: Project, now: float) -> set[str]:
        """What a start does first; returns the episodes that live."""
        from holdfast.hook import lifecycle
        from holdfast.hook.scene import Scene

        moment = Moment("cli", "session-start", "", self.cwd)
        return lifecycle.bury_the_dead(Scene(moment, self.vault, self.state, project, now, {}, []))

    def refresh_brief(self) -> str:
        """Make the brief of this folder's work tree anew."""
        from holdfast.vault import brief, index

        if not home.format_of(self.vault):
            return ""  # there is no vault, so there is nothing to say, and none is made for that
        known = index.load(self.vault)
        brief.refresh(self.vault, brief.NOWHERE, known)
        return brief.refresh(self.vault, self.project(), known)

    def close(self, *, everything: bool = False, say: Callable[[Closed], None] = lambda _: None) -> list[Closed]:
        """File what waits in this project, or everywhere, and write the handoffs of sessions that ended or died."""
        from holdfast.close import drain

        project = self.project()
        self._bury_the_dead(project, self.clock())
        wanted = "" if everything else project.id
        roots = {project.id: project.root}
        done = drain.drain(self.vault, self.clock, project=wanted, also_open=True, roots=roots, say=say)
        self._check_after_close(roots)
        self.refresh_brief()
        return done

    def close_in_background(self) -> list[Closed]:
        """What the hook hands over: every episode that is over, of all projects; then the brief of this folder, if it
        is there: one that is gone, or none, is no project to be known from now on."""
        from holdfast.close import drain
        from holdfast.vault import brief, index

        done = drain.drain(self.vault, self.clock)
        here = self.project() if os.path.isdir(self.cwd) else None
        self._check_after_close({here.id: here.root} if here else {})
        known = index.load(self.vault)
        brief.refresh_known(self.vault, known)
        if here:
            brief.refresh(self.vault, here, known)
        return done

    def notes(self, *, everything: bool = False) -> Index:
        """The notes of this project and the global ones, and what cannot be read as one."""
        from holdfast.vault import index

        known = index.load(self.vault)
        if everything:
            return known
        project = self.project().id
        mine = {path: one for path, one in known.known.items() if one.note.applies_to(project)}
        return index.Index(mine, known.broken)

    def note(self, name: str, *, everything: bool = False) -> tuple[Note, str]:
        """One note of this project, global, or with `everything` of any, and its file's text."""
        from holdfast.vault import notes

        known = self.notes(everything=everything)
        broken = [note for note in known.unreadable() if note.path == name]
        found = broken[0] if broken else notes.find(known.notes, name)
        return found, self.text_of(found.path)

    def handoffs(self, count: int = 0) -> list[tuple[Handoff, int]]:
        """The handoffs of this project with their numbers, the newest first; those that can be read."""
        from holdfast.vault import lineage

        found: list[tuple[Handoff, int]] = []
        for number, path in reversed(list(enumerate(lineage.names(self.vault, self.project().id), 1))):
            one = lineage.read(self.vault, path)
            if isinstance(one, lineage.Handoff):
                found.append((one, number))
            if count and len(found) >= count:
                break
        return found

    def text_of(self, path: str) -> str:
        """A file of the vault as it is."""
        from holdfast.vault import journal

        return (journal.content(self.vault, path) or b"").decode("utf-8", "replace")

    def handoff_form(self) -> str:
        """The form for a handoff, filled with what this project's session has flagged so far."""
        from holdfast.capture import whereabouts
        from holdfast.vault import handing

        where = whereabouts.here(self.env, self.cwd, self.vault)
        flags = [entry.flag for entry in self.queue().entries if where.episode and entry.flag.episode == where.episode]
        return handing.form(flags)

    def handoff(self, text: str, *, anyway: bool = False) -> HandedOff:
        """Write a handoff of the session that we are in."""
        from holdfast.capture import whereabouts
        from holdfast.close.drain import find_episode
        from holdfast.vault import handing

        self._refuse_if_off()
        where = whereabouts.here(self.env, self.cwd, self.vault)
        episode = find_episode(self.state, where.episode)
        now = self.clock()
        done = handing.write(self.vault, text, where, now, episode.opened if episode else now, anyway=anyway)
        self.refresh_brief()
        return done

    def remember(self, asked: Asked) -> Filed:
        """File a text at once."""
        from holdfast.vault import edits

        self._refuse_if_off()
        return edits.remember(self.vault, asked, self.clock())

    def forgettable(self, wanted: str, *, everything: bool = False) -> list[Note]:
        """The notes that a name or some words may mean."""
        from holdfast.vault import edits

        known = self.notes(everything=everything)
        return [note for note in known.unreadable() if note.path == wanted] or edits.matching(known.notes, wanted)

    def is_named(self, note: Note, wanted: str) -> bool:
        """Whether a note was called by its whole name or path, not by a part of it or by words."""
        return wanted in (note.path, note.path.removesuffix(".md"), note.name, quoting.stem(note.path))

    def forget(self, paths: Sequence[str]) -> str:
        """Take notes out of the vault; returns the commit that does it."""
        from holdfast.vault import edits

        return edits.forget(self.vault, paths, self.clock())

    def promotable(self) -> tuple[str, list[tuple[str, str]]]:
        """The newest handoff's path and what in it could become a note."""
        from holdfast.vault import edits, lineage

        found = lineage.newest(self.vault, self.project().id)
        return (found[0].path, edits.promotable(found[0])) if found else ("", [])

    def promote(self, wanted: str, kind: str = "") -> tuple[Filed, str]:
        """Move one item of the newest handoff into a note."""
        from holdfast.vault import edits

        self._refuse_if_off()
        return edits.promote(self.vault, self.project().id, wanted, kind, self.clock())

    def _refuse_if_off(self) -> None:
        off = self.why_off()
        if off:
            raise UsageError(f"Nothing was written: {off}.")

    def _check_after_close(self, roots: Mapping[str, str]) -> None:
        """Every close ends with a full check; the next starts say how many errors there are."""
        from holdfast.vault import check

        check.keep_count(self.vault, check.check(self.vault, self.clock(), roots))

    def note_files(self) -> int:
        """How many files should be notes: what a progress bar counts to."""
        from holdfast.vault import notes

        return sum(1 for _ in notes.paths(self.vault))

    def check(
        self, *, fix: bool = False, everything: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> Report:
        """What a person should mend in this project's notes and the global ones; with `fix`, after what is safe."""
        from holdfast.vault import check

        mine = self.project()
        wanted = None if everything else mine.id
        roots = {mine.id: mine.root}
        if fix:
            report = check.check_and_fix(self.vault, self.clock(), wanted, roots, progress)
        else:
            report = check.check(self.vault, self.clock(), roots, progress)
        check.keep_count(self.vault, report)
        return report if wanted is None else report.of(wanted)

    def reviews(self, *, everything: bool = False) -> Reviews:
        """Notes that are due for a review, and those in quarantine."""
        from holdfast.vault import reviewing

        return reviewing.listing(self.vault, self.clock(), None if everything else self.project().id)

    def review(
        self,
        *,
        keep: Iterable[str] = (),
        accept: Iterable[str] = (),
        reject: Iterable[str] = (),
        everything: bool = False,
    ) -> list[Reviewed]:
        """Carry out what a person decided on notes."""
        from holdfast.vault import reviewing

        project = None if everything else self.project().id
        return reviewing.decide(self.vault, self.clock(), project, keep=keep, accept=accept, reject=reject)

    def arm(self, note: str, when: Mapping[str, Any], *, dry_run: bool = False) -> Arming:
        """Let a note come back by itself at some tool calls."""
        from holdfast.vault import arming

        return arming.arm(self.vault, self.clock(), note, self.project().id, when, dry_run=dry_run)

    def disarm(self, note: str, *, dry_run: bool = False) -> Arming:
        from holdfast.vault import arming

        return arming.disarm(self.vault, self.clock(), note, self.project().id, dry_run=dry_run)

    def history(self, note: str, count: int, *, everything: bool = False) -> tuple[list[Entry], int]:
        """The newest changes, of one note if one is named, and how many of other projects were left out."""
        from holdfast.vault import history

        mine = None if everything else self.project().id
        return history.told(self.vault, note, count, mine)

    def undo(self, ident: str) -> Undone:
        """Take one change back."""
        from holdfast.vault import history

        return history.undo(self.vault, ident, self.clock())

    def undo_preview(self, ident: str) -> tuple[UndoPlan, str]:
        """What an undo would write, also as a unified diff."""
        from holdfast.vault import history

        plan = history.plan_undo(self.vault, ident)
        return plan, history.diff(plan)

    def sync(self, remote: str = "", *, join: bool = False) -> Synced:
        """Fetch, merge and push."""
        from holdfast.vault import sync

        return sync.sync(self.vault, self.clock(), remote, joining=join)

    def sync_preview(self, remote: str = "", *, join: bool = False) -> Synced:
        from holdfast.vault import sync

        return sync.preview(self.vault, remote, joining=join)

    def purge_plan(self, paths: Sequence[str]) -> PurgePlan:
        """What purging these notes would take."""
        from holdfast.vault import purge

        return purge.plan(self.vault, *paths)

    def unfinished_purge(self) -> PurgePlan | None:
        """A purge that was cut short: purging by it again finishes it."""
        from holdfast.vault import purge

        return purge.unfinished(self.vault)

    def purge(self, plan: PurgePlan, say: Callable[[str], None] = lambda _: None) -> Purged:
        """Take notes out of everything below the vault, history included."""
        from holdfast.vault import purge

        return purge.carry_out(self.vault, plan, self.clock(), say)

    def propose_import(
        self, paths: Sequence[str], *, scope: str = "", as_rules: bool = False, all_hosts: bool = False
    ) -> Proposal:
        """What importing files would do: those named, else those that agents read here. `scope`: project or global."""
        from holdfast.vault import importing, instructions, notes

        project = self.project()
        user = home.user_home(self.env)
        if paths:
            reading = instructions.read_named(list(paths), self.cwd, project.root, user)
        else:
            places = instructions.known_places(project.root, self.cwd, user, self.env, all_hosts=all_hosts)
            reading = instructions.read_known(places, project.root)
        of_project = notes.GLOBAL if scope == "global" else project.id
        wish = importing.Wish(of_project, project.id if scope == "project" else notes.GLOBAL, as_rules)
        return importing.propose(self.vault, reading, wish)

    def import_notes(self, proposal: Proposal) -> Imported:
        """Write what was proposed."""
        from holdfast.vault import importing

        return importing.carry_out(self.vault, proposal, self.clock())

    def is_archive(self, path: str) -> bool:
        """Whether a file is what `export` writes."""
        from holdfast.vault import archive

        return archive.is_archive(os.path.join(self.cwd, path))

    def export(self, path: str, *, force: bool = False) -> Exported:
        """The whole vault as one file."""
        from holdfast.vault import archive

        return archive.export(self.vault, os.path.normpath(os.path.join(self.cwd, path)), self.clock(), force=force)

    def restore(self, path: str) -> Restored:
        """The vault out of such a file, where there is none yet."""
        from holdfast.vault import restoring

        return restoring.restore(self.vault, os.path.normpath(os.path.join(self.cwd, path)), self.clock())
