"""The memory of long tasks: checkpoints, decisions, states, and runs of a host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import drafts, episodes, flags, gate, platform
from holdfast.errors import Busy, Conflict, NotFound, UsageError
from holdfast.model import value
from holdfast.tasks import checkpoint_words, commands, record, states, task_end
from holdfast.tasks.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.flags import Speaker
    from holdfast.memory import Context
    from holdfast.tasks.checkpoint_words import Words
    from holdfast.tasks.commands import Decided, Saved
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.tasks.runs import Ran, Wish
    from holdfast.tasks.task_end import Finished, Offer


@value
class Tasks:
    """The tasks of one vault, seen from one folder."""

    at: Context

    def _speaker(self) -> Speaker:
        """The author of a change. Raises UsageError where capture is off."""
        self.at.refuse_if_off()
        flags.prepare(self.at.vault)
        where = self.at.where()
        origin = "user" if self.at.for_user else gate.origin_of(where, self.at.vault)
        return flags.Speaker(where.host, where.episode, where.project, origin, where.is_open)

    def start(self, ident: str, goal: str, pending: Sequence[str] = ()) -> Saved:
        """Begin a task, and commit its beginning."""
        saved = commands.start(self.at.vault, ident, goal, self._speaker(), self.at.clock, pending=tuple(pending))
        self._commit_tasks()
        return saved

    def checkpoint(self, said: Words | str, **fields: Any) -> Saved:
        """Add one entry; a text takes the fields of Words by name. A refused one is kept as a draft, and the error says
        so."""
        speaker = self._speaker()
        about = (speaker.project.id, speaker.episode)
        text = said if isinstance(said, str) else said.text
        try:
            if isinstance(said, str):
                said = checkpoint_words.settled(checkpoint_words.with_text(checkpoint_words.Words("", **fields), said))
            saved = commands.checkpoint(self.at.vault, said, speaker, self.at.clock, self.at.env)
        except (UsageError, NotFound, Conflict) as error:
            kind = drafts.CHECKPOINT
            drafts.refused(self.at.state, error, kind, text, *about, self.at.clock(), origin=speaker.origin)
            raise
        if drafts.any_kept(self.at.state):
            drafts.submitted(self.at.state, drafts.CHECKPOINT, [said.text], *about)
        return saved

    def move(self, ident: str, to: str, reason: str) -> Saved:
        """Pause, resume or block a task."""
        speaker = self._speaker()
        runs = self._running_episodes()
        return commands.move(
            self.at.vault, ident, to, reason, speaker, self.at.clock, self.at.env, runs=lambda key: key in runs
        )

    def _running_episodes(self) -> set[str]:
        now = self.at.clock()
        found = [(one, seen) for one, seen in episodes.in_live(self.at.state, now) if one.state == episodes.OPEN]
        return {one.key for one, seen in found if platform.alive(one.process, seen, now)}

    def show(self, ident: str = "", *, whole: bool = False) -> View:
        """One task as it stands; with `whole` all of its entries."""
        return commands.show(self.at.vault, ident, self.at.project().id, self.at.clock, self.at.env, whole=whole)

    def is_done(self, unit: str, ident: str = "") -> bool | None:
        """Whether a unit is done, said or seen; None where nothing is known of it."""
        found = commands.is_done(self.at.vault, unit, ident, self.at.project().id, self.at.clock, self.at.env)
        return found.is_said or found.is_seen or found.is_said

    def listing(self, *, everything: bool = False, also_over: bool = False) -> list[Task]:
        project = self.at.project_or_all(everything=everything)
        return commands.tasks(self.at.vault, project, self.at.clock, also_over=also_over)

    def decisions(self, *, everything: bool = False, superseded: bool = False) -> list[Decided]:
        """The decisions of all tasks of this project, or of all, in order of time."""
        project = self.at.project_or_all(everything=everything)
        return commands.decisions(self.at.vault, project, self.at.clock, also_gone=superseded)

    def finish(
        self,
        ident: str,
        to: str,
        status: str,
        findings: Sequence[tuple[str, str]] = (),
        promote: Sequence[str] = (),
        *,
        anyway: bool = False,
    ) -> Finished:
        """Complete or abandon a task: the archive, what is promoted, and then the working folder goes. A task of which
        something is left, or that nobody named, is completed only if that is meant. Raises UsageError."""
        if to == states.COMPLETED and not anyway and (why := self.doubts(ident)):
            raise UsageError(f"{why}; nothing was changed. If it is meant all the same, say its id and --anyway.")
        at, by = self.at, self._speaker()
        done = task_end.finish(at.vault, ident, to, status, by, at.clock, at.env, findings=findings, promote=promote)
        self._commit_tasks()  # archives what is over
        return task_end.looked_at(self.at.vault, done, self.at.clock)

    def doubts(self, ident: str = "") -> str:
        """The reason to ask whether a task is complete, as the beginning of a sentence; "" without one."""
        with Transaction(self.at.vault, self.at.clock) as desk:
            task = states.choose(desk.index, ident, self.at.project().id, self.at.env)
            desk.believe(task.id)
            return task_end.doubts(desk.index, task, is_named=bool(ident or self.at.env.get(states.VARIABLE)))

    def reopen(self, ident: str, reason: str = "") -> Saved:
        """Go on with a task that is over."""
        from holdfast.vault import own_files
        from holdfast.vault.transaction import writing

        speaker = self._speaker()
        with writing(self.at.vault, self.at.clock()) as writer:
            with Transaction(self.at.vault, self.at.clock) as desk:
                task = states.by_name(desk.index, ident)
                if not task.is_over:
                    raise UsageError(f"Task {task.id} is {task.state}, not over; nothing was changed.")
            own_files.reopen(writer, task.id)
            at, to = self.at, states.REOPENED
            saved = commands.move(at.vault, task.id, to, reason, speaker, at.clock, at.env)
        self._commit_tasks()
        return saved

    def promotable(self, ident: str) -> list[Offer]:
        return task_end.offers(self.at.vault, ident, self.at.project().id, self.at.clock, self.at.env)

    def promote(self, ident: str, wanted: Sequence[str]) -> list[Offer]:
        """Flag decisions and discoveries of a task, so that the close makes notes of them."""
        if not wanted:
            raise UsageError("Say which entries, or --all; nothing was written.")
        return task_end.promote(self.at.vault, ident, wanted, self._speaker(), self.at.clock, self.at.env)

    def protocol(self, form: str) -> str:
        return states.block(form)

    def run(self, wish: Wish) -> Ran:
        """Start a host for a task, with the task's memory before its prompt."""
        from holdfast.tasks import runs

        return runs.run(self.at.vault, self.at.cwd, wish, self._speaker(), self.at.clock, self.at.env)

    def catch_up(self) -> None:
        """Render pages that are behind their log: their writer was killed, or the log came from another machine."""
        if not record.open_tasks(self.at.vault):
            return
        try:
            with Transaction(self.at.vault, self.at.clock) as desk:
                desk.look_over()
        except Busy:
            return  # whoever is at work there renders too

    def _commit_tasks(self) -> None:
        from holdfast.vault.transaction import writing

        with writing(self.at.vault, self.at.clock()):
            pass  # entering commits what the tasks have, and archives those that are over
