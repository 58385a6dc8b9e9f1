"""What a vault holds, as the command line and the servers ask for it: notes, handoffs, history, reviews, sharing.

The half of the facade that is about what is remembered; holdfast/memory adds what is about sessions. No state of its
own, every method a sentence of the command line.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, platform, projects, quoting
from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from holdfast.capture.gate import Asker
    from holdfast.clock import Clock
    from holdfast.model import Project
    from holdfast.vault.archive import Exported
    from holdfast.vault.arming import Arming
    from holdfast.vault.edits import Asked, Filed
    from holdfast.vault.findings import Report
    from holdfast.vault.history import Entry, Undone
    from holdfast.vault.history import Plan as UndoPlan
    from holdfast.vault.importing import Imported, Proposal
    from holdfast.vault.index import Index
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note
    from holdfast.vault.project_changes import Merged as MergedProject
    from holdfast.vault.project_changes import Split as SplitProject
    from holdfast.vault.project_list import Listed as ListedProject
    from holdfast.vault.prompt_list import Listed
    from holdfast.vault.purge import Done as Purged
    from holdfast.vault.purge import Plan as PurgePlan
    from holdfast.vault.restoring import Restored
    from holdfast.vault.reviewing import Reviewed, Reviews
    from holdfast.vault.sync import Synced


def _make_sure_of(vault: str, env: Mapping[str, str]) -> None:
    """The vault is the one that this machine knows, with what was kept for it. Raises VaultGone."""
    from holdfast.capture import vanished
    from holdfast.errors import NotSaved

    try:
        vanished.settle(vault, env, time.time())
    except (OSError, NotSaved):
        return  # a disk that takes nothing: looking goes on, and the next command tries again


class Curation:
    """The memory in one vault, seen from one working directory."""

    def __init__(self, vault: str, cwd: str, clock: Clock = time.time, env: Mapping[str, str] | None = None) -> None:
        self.vault = vault
        self.env = env or {}
        self.state = home.state(vault)
        self.cwd = cwd
        self.clock = clock
        home.refuse_newer(vault)

    @classmethod
    def here(cls, env: Mapping[str, str] | None = None, cwd: str | None = None) -> Self:
        """The vault that the environment names, from the current folder."""
        env = os.environ if env is None else env
        folder = cwd or platform.working_folder(env)
        vault = home.vault(env, folder)
        _make_sure_of(vault, env)
        return cls(vault, folder, env=env)

    @classmethod
    def capturing(cls, env: Mapping[str, str], cwd: str | None = None) -> Self:
        """Where captures go: the vault, or this machine's own folder while the vault is gone."""
        folder = cwd or platform.working_folder(env)
        return cls(home.capture_vault(env, folder), folder, env=env)

    def is_stand_in(self) -> bool:
        """Whether the vault is gone and this is the folder that takes captures until it is back."""
        return self.vault != home.vault(self.env, self.cwd)

    def asker(self) -> Asker:
        """Who asks: the user, or an agent with what has entered its session."""
        from holdfast.capture import gate

        return gate.asker(self.env, self.cwd, self.vault)

    def project(self) -> Project:
        return projects.find(self.cwd, self.vault)

    def projects(self) -> list[ListedProject]:
        """Every project that the vault knows, with what there is of it. Raises HoldfastError."""
        from holdfast.vault import project_list

        if not home.format_of(self.vault):
            return []  # and none is made by looking
        here = self.project()
        return project_list.listed(self.vault, here, self.clock())

    def merge_projects(self, other: str, into: str = "") -> MergedProject:
        """Make a project part of another, or of the one of this folder. Raises NotFound, UsageError."""
        from holdfast.vault import project_changes

        here = "" if into else self.project().id
        return project_changes.merge(self.vault, other, into, here, self.clock(), by=self.asker())

    def split_project(self, wanted: str, name: str = "") -> SplitProject:
        """Take a merge back, or a key out of its project. Raises NotFound, UsageError."""
        from holdfast.vault import project_changes

        return project_changes.split(self.vault, wanted, self.cwd, self.clock(), by=self.asker(), name=name)

    def why_off(self) -> str:
        """Why nothing is captured here now, as a sentence; "" while capture is on."""
        return home.why_off(self.env, self.vault) or (home.PROJECT_OFF if self.project().off else "")

    def _refuse_if_off(self) -> None:
        off = self.why_off()
        if off:
            raise UsageError(f"Nothing was written: {off}.")

    def _settle_edits(self) -> None:
        """Settle what agents changed in the vault's files with their own tools."""
        from holdfast.capture.agent_edits import BRAIN, Edits
        from holdfast.vault import index, writing

        edits = Edits(self.vault)
        if edits.are_possible() and (edits.by(BRAIN) or index.load(self.vault).held):
            writing.take_in(self.vault, self.clock())

    def notes(self, *, everything: bool = False) -> Index:
        """The notes of this project and the global ones, and what cannot be read as one."""
        from holdfast.vault import index

        known = index.load(self.vault)
        if everything:
            return known
        project = self.project().id
        mine = {path: one for path, one in known.known.items() if one.note.applies_to(project)}
        return index.Index(mine, known.broken, merged=known.merged)

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

    def prompts(self, words: Sequence[str], most: int, *, everything: bool = False) -> list[Listed]:
        """What the user typed in this project, or in all, the newest first."""
        from holdfast.vault import prompt_list

        return prompt_list.listed(self.vault, self.clock(), "" if everything else self.project().id, words, most)

    def text_of(self, path: str) -> str:
        """A file of the vault as it is."""
        from holdfast.vault import journal

        return (journal.content(self.vault, path) or b"").decode("utf-8", "replace")

    def remember(self, asked: Asked) -> Filed:
        """File a text at once."""
        from holdfast.vault import edits

        self._refuse_if_off()
        return edits.remember(self.vault, asked, self.clock())

    def forgettable(self, wanted: str, *, everything: bool = False) -> list[Note]:
        """The notes that a name or some words may mean."""
        from holdfast.vault import edits

        if wanted.startswith("prompts/"):
            return self._typed(wanted, everything=everything)
        known = self.notes(everything=everything)
        return [note for note in known.unreadable() if note.path == wanted] or edits.matching(known.notes, wanted)

    def _typed(self, path: str, *, everything: bool) -> list[Note]:
        """The file of a session's prompts, as what can be forgotten; nothing where it is another project's."""
        from holdfast.vault import notes, prompts

        session = prompts.read(self.vault, path)
        if not session or not (everything or session.project in self.project().ids):
            return []
        count = f"{len(session.prompts)} prompt{'' if len(session.prompts) == 1 else 's'}"
        said = f"{count} that the user typed on {session.began[:10]}"
        return [notes.Note(path, path, said, "prompts", "", project=session.project)]

    def is_named(self, note: Note, wanted: str) -> bool:
        """Whether a note was called by its whole name or path, not by a part of it or by words."""
        return wanted in (note.path, note.path.removesuffix(".md"), note.name, quoting.stem(note.path))

    def forget(self, paths: Sequence[str]) -> str:
        """Take notes out of the vault; returns the commit that does it."""
        from holdfast.vault import edits

        return edits.forget(self.vault, paths, self.clock(), by=self.asker())

    def promotable(self) -> tuple[str, list[tuple[str, str]]]:
        """The newest handoff's path and what in it could become a note."""
        from holdfast.vault import edits, lineage

        found = lineage.newest(self.vault, self.project().id)
        return (found[0].path, edits.promotable(found[0])) if found else ("", [])

    def promote(self, wanted: str, kind: str = "") -> tuple[Filed, str]:
        """Move one item of the newest handoff into a note."""
        from holdfast.vault import edits

        self._refuse_if_off()
        return edits.promote(self.vault, self.project().id, wanted, kind, self.clock(), by=self.asker())

    def note_files(self) -> int:
        """How many files should be notes: what a progress bar counts to."""
        from holdfast.vault import notes

        return sum(1 for _ in notes.paths(self.vault))

    def check(
        self, *, fix: bool = False, everything: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> Report:
        """What a person should mend in this project's notes and the global ones; with `fix`, after what is safe."""
        from holdfast.vault import check, check_changed

        mine = self.project()
        wanted = None if everything else mine.id
        roots = {mine.id: mine.root}
        if fix:
            report = check.check_and_fix(self.vault, self.clock(), wanted, roots, progress)
        else:
            report = check.check(self.vault, self.clock(), roots, progress)
        check_changed.whole(self.vault, report, self.clock())
        return report if wanted is None else report.of(*mine.ids)

    def reviews(self, *, everything: bool = False) -> Reviews:
        """Notes that are due for a review, and those in quarantine."""
        from holdfast.vault import reviewing

        self._settle_edits()
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
        return reviewing.decide(
            self.vault, self.clock(), project, keep=keep, accept=accept, reject=reject, by=self.asker()
        )

    def arm(self, note: str, when: Mapping[str, Any], *, dry_run: bool = False) -> Arming:
        """Let a note come back by itself at some tool calls."""
        from holdfast.vault import arming

        mine = self.project().id
        return arming.arm(self.vault, self.clock(), note, mine, when, by=self.asker(), dry_run=dry_run)

    def disarm(self, note: str, *, dry_run: bool = False) -> Arming:
        from holdfast.vault import arming

        mine = self.project().id
        return arming.disarm(self.vault, self.clock(), note, mine, by=self.asker(), dry_run=dry_run)

    def history(self, note: str, count: int, *, everything: bool = False) -> tuple[list[Entry], int]:
        """The newest changes, of one note if one is named, and how many of other projects were left out."""
        from holdfast.vault import history

        mine = None if everything else self.project().id
        return history.told(self.vault, note, count, mine)

    def undo(self, ident: str) -> Undone:
        """Take one change back."""
        from holdfast.vault import history

        return history.undo(self.vault, ident, self.clock(), by=self.asker())

    def undo_preview(self, ident: str) -> tuple[UndoPlan, str]:
        """What an undo would write, also as a unified diff."""
        from holdfast.vault import history

        plan = history.plan_undo(self.vault, ident)
        return plan, history.diff(plan)

    def sync(self, remote: str = "", *, join: bool = False) -> Synced:
        """Fetch, merge and push."""
        from holdfast.capture import gate
        from holdfast.vault import sync

        if remote or join:
            gate.require(self.asker(), gate.Change(gate.SETTING), "Choosing whom to share the vault with")
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

        return purge.carry_out(self.vault, plan, self.clock(), say, by=self.asker())

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

        return importing.carry_out(self.vault, proposal, self.clock(), by=self.asker())

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
        from holdfast.capture import gate
        from holdfast.vault import restoring

        gate.require(self.asker(), gate.Change(gate.RULE), "Restoring a vault")
        return restoring.restore(self.vault, os.path.normpath(os.path.join(self.cwd, path)), self.clock())
