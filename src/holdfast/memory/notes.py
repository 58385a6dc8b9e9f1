"""Notes, and the vault as the file of all that is remembered: reviews, history, sharing, purging, import and export."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from holdfast.capture import config, gate, home, quoting
from holdfast.memory import lazily
from holdfast.model import value
from holdfast.vault import index, notes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.close.improve import proposals
    from holdfast.close.improve import review as edit_review
    from holdfast.memory import Context
    from holdfast.sleep import undo as sleep_undo
    from holdfast.team import background
    from holdfast.vault import (
        archive,
        armed,
        check,
        check_notes,
        edits,
        hand_edit,
        history,
        instructions,
        journal,
        lineage,
        note_import,
        prompts,
        purge,
        review,
        sync,
    )
    from holdfast.vault.history import Entry, Undone, UndoPlan
    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note
    from holdfast.vault.purge import Done as Purged
    from holdfast.vault.purge_plan import PurgePlan
    from holdfast.vault.sync import Synced
else:
    (background,) = lazily("holdfast.team", "background")
    proposals, edit_review = lazily("holdfast.close.improve", "proposals review")
    (sleep_undo,) = lazily("holdfast.sleep", "undo")
    archive, armed, check, edits, hand_edit, history, instructions = lazily(
        "holdfast.vault", "archive armed check edits hand_edit history instructions"
    )
    journal, lineage, note_import, prompts, purge, review, sync = lazily(
        "holdfast.vault", "journal lineage note_import prompts purge review sync"
    )


@value
class Notes:
    """The notes of one vault, seen from one folder."""

    at: Context

    def index(self, *, everything: bool = False) -> Index:
        """The notes of this project and the global ones, and files that cannot be read as one."""
        known = index.load(self.at.vault)
        if everything:
            return known
        project = self.at.project().id
        mine = {path: one for path, one in known.known.items() if one.note.applies_to(project)}
        return index.Index(mine, known.broken, merged=known.merged)

    def show(self, name: str, *, everything: bool = False) -> tuple[Note, str]:
        """One note of this project, global, or with `everything` of any, and its file's text."""
        known = self.index(everything=everything)
        broken = [note for note in known.unreadable() if note.path == name]
        found = broken[0] if broken else notes.find(known.notes, name)
        return found, self.text_of(found.path)

    def text_of(self, path: str) -> str:
        """A file of the vault as it is."""
        return (journal.content(self.at.vault, path) or b"").decode("utf-8", "replace")

    def remember(self, said: edits.Asked | str, answers: str = "", **fields: Any) -> edits.Filed:
        """File a note at once, stamped with its author and session. A text takes the fields of Asked by name; it is for
        this project, unless `project` names another. `answers` are ids of the user's own words that it puts well."""
        self.at.refuse_if_off()
        at, now = self.at, self.at.clock()
        asked = edits.Asked(said, **{"project": at.project().id, **fields}) if isinstance(said, str) else said
        with edits.as_said_here(at.vault, at.where(), asked, answers, now) as stamped:
            return edits.remember(at.vault, stamped, now)

    def edit(self, path: str, text: str, base: str) -> str:
        """Save a note's text as its user's editor would, where its file still is `base`; returns the commit, "" where
        nothing differs. Raises Conflict, NotFound, UsageError."""
        return hand_edit.save(self.at.vault, path, text, base, self.at.clock(), by=self.at.asker())

    def forgettable(self, wanted: str, *, everything: bool = False) -> list[Note]:
        """The notes that a name or some words may mean."""
        if wanted.startswith("prompts/"):
            return self._typed(wanted, everything=everything)
        known = self.index(everything=everything)
        return [note for note in known.unreadable() if note.path == wanted] or edits.matching(known.notes, wanted)

    def _typed(self, path: str, *, everything: bool) -> list[Note]:
        """The file of a session's prompts as a note that can be forgotten; none where it is another project's."""
        session = prompts.read(self.at.vault, path)
        if not session or not (everything or session.project in self.at.project().ids):
            return []
        count = f"{len(session.prompts)} prompt{'' if len(session.prompts) == 1 else 's'}"
        said = f"{count} that the user typed on {session.began[:10]}"
        return [notes.Note(path, path, said, "prompts", "", project=session.project)]

    def is_named(self, note: Note, wanted: str) -> bool:
        """Whether a note was called by its whole name or path, not by a part of it or by words."""
        return wanted in (note.path, note.path.removesuffix(".md"), note.name, quoting.stem(note.path))

    def forget(self, paths: Sequence[str]) -> str:
        """Take notes out of the vault; returns the commit that does it."""
        return edits.forget(self.at.vault, paths, self.at.clock(), by=self.at.asker())

    def promotable(self) -> tuple[str, list[tuple[str, str]]]:
        """The newest handoff's path and its items that could become notes."""
        found = lineage.newest(self.at.vault, self.at.project().id)
        return (found[0].path, edits.promotable(found[0])) if found else ("", [])

    def promote(self, wanted: str, kind: str = "") -> tuple[edits.Filed, str]:
        """Move one item of the newest handoff into a note."""
        self.at.refuse_if_off()
        return edits.promote(self.at.vault, self.at.project().id, wanted, kind, self.at.clock(), by=self.at.asker())

    def file_count(self) -> int:
        """The number of files that should be notes: a progress bar counts to it."""
        return sum(1 for _ in notes.paths(self.at.vault))

    def check(
        self, *, fix: bool = False, everything: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> check_notes.Report:
        """Things to mend in this project's notes and the global ones; `fix` first mends those that are safe."""
        mine = self.at.project()
        wanted = None if everything else mine.id
        roots = {mine.id: mine.root}
        if fix:
            report = check.check_and_fix(self.at.vault, self.at.clock(), wanted, roots, progress)
        else:
            report = check.check(self.at.vault, self.at.clock(), roots, progress)
        check.whole(self.at.vault, report, self.at.clock())
        return report if wanted is None else report.of(*mine.ids)

    def reviews(self, *, everything: bool = False) -> review.Reviews:
        """Notes that are due for a review, and those in quarantine."""
        settle_edits(self.at)
        return review.listing(self.at.vault, self.at.clock(), self.at.project_or_all(everything=everything))

    def review(
        self,
        *,
        keep: Sequence[str] = (),
        accept: Sequence[str] = (),
        reject: Sequence[str] = (),
        everything: bool = False,
    ) -> list[review.Reviewed]:
        """Carry out a person's decisions on notes and on edits that wait."""
        at, by, mine = self.at, self.at.asker(), self.at.project_or_all(everything=everything)
        for wanted in accept:
            found = proposals.find(at.state, wanted, mine)
            if found and found.kind == proposals.SLEEP:
                sleep_undo.accept(at.vault, found.id, at.clock(), by=by)
        return edit_review.decide(at.vault, at.clock(), mine, keep=keep, accept=accept, reject=reject, by=by)

    def take_back_review(self, commits: Sequence[str], edit: str = "") -> None:
        """Take a decision of `review` back by its commits; the edit of this id waits again."""
        edit_review.take_back(self.at.vault, self.at.state, commits, edit, self.at.clock(), by=self.at.asker())

    def arm(self, note: str, when: Mapping[str, Any], *, dry_run: bool = False) -> armed.Arming:
        """Let a note come back by itself at some tool calls."""
        mine = self.at.project().id
        return armed.arm(self.at.vault, self.at.clock(), note, mine, when, by=self.at.asker(), dry_run=dry_run)

    def disarm(self, note: str, *, dry_run: bool = False) -> armed.Arming:
        mine = self.at.project().id
        return armed.disarm(self.at.vault, self.at.clock(), note, mine, by=self.at.asker(), dry_run=dry_run)

    def history(self, note: str, count: int, *, everything: bool = False) -> tuple[list[Entry], int]:
        """The newest changes, of one note if one is named, and how many of other projects were left out."""
        return history.told(self.at.vault, note, count, self.at.project_or_all(everything=everything))

    def undo(self, ident: str) -> Undone:
        """Take one change back."""
        return history.undo(self.at.vault, ident, self.at.clock(), by=self.at.asker())

    def undo_preview(self, ident: str) -> tuple[UndoPlan, str]:
        """The files that an undo would write, also as a unified diff."""
        plan = history.plan_undo(self.at.vault, ident)
        return plan, history.diff(plan)

    def sync(self, remote: str = "", *, join: bool = False) -> Synced:
        """Fetch, merge and push."""
        if remote or join:
            gate.require(self.at.asker(), gate.Change(gate.SETTING), "Choosing whom to share the vault with")
        return sync.sync(self.at.vault, self.at.clock(), remote, joining=join)

    def sync_preview(self, remote: str = "", *, join: bool = False) -> Synced:
        return sync.preview(self.at.vault, remote, joining=join)

    def purge_plan(self, paths: Sequence[str], thoughts: Sequence[str] = ()) -> PurgePlan:
        """Everything that purging these notes, and thoughts by their ids, would take."""
        return purge.plan(self.at.vault, *paths, thoughts=thoughts)

    def unfinished_purge(self) -> PurgePlan | None:
        """A purge that was cut short: purging by it again finishes it."""
        return purge.unfinished(self.at.vault)

    def purge(self, plan: PurgePlan, say: Callable[[str], None] = lambda _: None) -> Purged:
        """Take notes out of everything below the vault, history included."""
        done = purge.carry_out(self.at.vault, plan, self.at.clock(), say, by=self.at.asker())
        if config.section(config.load(home.machine_state(self.at.env)), "team").get("dsn"):
            background.start_if_due(self.at.vault, self.at.env, self.at.clock(), soon=True)
        return done

    def propose_import(
        self, paths: Sequence[str], *, scope: str = "", as_rules: bool = False, all_hosts: bool = False
    ) -> note_import.Proposal:
        """A plan to import the files named, else those that agents read here. `scope`: project or global."""
        project = self.at.project()
        user = home.user_home(self.at.env)
        if paths:
            reading = instructions.read_named(list(paths), self.at.cwd, project.root, user)
        else:
            places = instructions.known_places(project.root, self.at.cwd, user, self.at.env, all_hosts=all_hosts)
            reading = instructions.read_known(places, project.root)
        of_project = notes.GLOBAL if scope == "global" else project.id
        wish = note_import.Wish(of_project, project.id if scope == "project" else notes.GLOBAL, as_rules)
        return note_import.propose(self.at.vault, reading, wish)

    def import_notes(self, proposal: note_import.Proposal) -> note_import.Imported:
        """Write the notes of a proposal."""
        return note_import.carry_out(self.at.vault, proposal, self.at.clock(), by=self.at.asker())

    def is_archive(self, path: str) -> bool:
        """Whether a file is what `export` writes."""
        return archive.is_archive(os.path.join(self.at.cwd, path))

    def export(self, path: str, *, force: bool = False) -> archive.Exported:
        """The whole vault as one file."""
        path = os.path.normpath(os.path.join(self.at.cwd, path))
        return archive.export(self.at.vault, path, self.at.clock(), force=force)

    def restore(self, path: str) -> archive.Restored:
        """The vault out of such a file, where there is none yet."""
        gate.require(self.at.asker(), gate.Change(gate.RULE), "Restoring a vault")
        return archive.restore(self.at.vault, os.path.normpath(os.path.join(self.at.cwd, path)), self.at.clock())


def settle_edits(context: Context) -> None:
    """Settle changes that agents made to the vault's files with their own tools."""
    from holdfast.capture.agent_files import BRAIN, Edits
    from holdfast.vault import transaction

    edits = Edits(context.vault)
    if edits.are_possible() and (edits.by(BRAIN) or index.load(context.vault).held):
        transaction.take_in(context.vault, context.clock())
