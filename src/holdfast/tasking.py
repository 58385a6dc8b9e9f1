"""What the command line and the servers ask of task memory: the third part of the facade, beside notes and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.curation import Curation
from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.flagging import Speaker
    from holdfast.tasks.checkpoint import Saved
    from holdfast.tasks.finalize import Finished, Offer
    from holdfast.tasks.looking import Decided
    from holdfast.tasks.questions import Task
    from holdfast.tasks.run.running import Ran, Wish
    from holdfast.tasks.view import View
    from holdfast.tasks.words import Words


class Tasking(Curation):
    """The tasks of one vault, seen from one working directory."""

    def _speaker(self) -> Speaker:
        """Who changes a task. Raises UsageError where capture is off."""
        from holdfast.capture import caller, flagging

        self._refuse_if_off()
        flagging.prepare(self.vault)
        where = caller.here(self.env, self.cwd, self.vault)
        origin = caller.origin(where, self.vault)
        return flagging.Speaker(where.host, where.episode, where.project, origin, where.is_open)

    def task_start(self, ident: str, goal: str, pending: Sequence[str] = ()) -> Saved:
        """Begin a task, and commit its beginning."""
        from holdfast.tasks import checkpoint

        saved = checkpoint.start(self.vault, ident, goal, self._speaker(), self.clock, pending=tuple(pending))
        self._commit_tasks()
        return saved

    def task_checkpoint(self, said: Words) -> Saved:
        """Add one entry. What is refused is kept as a draft, and the error says so."""
        from holdfast.capture import drafts
        from holdfast.errors import Conflict, NotFound
        from holdfast.tasks import checkpoint

        speaker = self._speaker()
        about = (speaker.project.id, speaker.episode)
        try:
            saved = checkpoint.checkpoint(self.vault, said, speaker, self.clock, self.env)
        except (UsageError, NotFound, Conflict) as error:
            kind = drafts.CHECKPOINT
            drafts.refused(self.state, error, kind, said.text, *about, self.clock(), origin=speaker.origin)
            raise
        if drafts.any_kept(self.state):
            drafts.submitted(self.state, drafts.CHECKPOINT, [said.text], *about)
        return saved

    def task_move(self, ident: str, to: str, reason: str) -> Saved:
        """Pause, resume or block a task."""
        from holdfast.tasks import checkpoint

        speaker = self._speaker()
        runs = self._running_episodes()
        return checkpoint.move(
            self.vault, ident, to, reason, speaker, self.clock, self.env, runs=lambda key: key in runs
        )

    def _running_episodes(self) -> set[str]:
        from holdfast.capture import episodes, platform

        now = self.clock()
        found = [(one, seen) for one, seen in episodes.in_live(self.state, now) if one.state == episodes.OPEN]
        return {one.key for one, seen in found if platform.alive(one.process, seen, now)}

    def task_show(self, ident: str = "", *, whole: bool = False) -> View:
        """One task as it stands; with `whole` all of its entries."""
        from holdfast.tasks import looking

        return looking.show(self.vault, ident, self.project().id, self.clock, self.env, whole=whole)

    def task_is_done(self, unit: str, ident: str = "") -> bool | None:
        """Whether a unit is done, said or seen; None where nothing is known of it."""
        from holdfast.tasks import looking

        found = looking.is_done(self.vault, unit, ident, self.project().id, self.clock, self.env)
        return found.is_said or found.is_seen or found.is_said

    def task_list(self, *, everything: bool = False, also_over: bool = False) -> list[Task]:
        from holdfast.tasks import looking

        return looking.tasks(self.vault, None if everything else self.project().id, self.clock, also_over=also_over)

    def task_decisions(self, *, everything: bool = False, superseded: bool = False) -> list[Decided]:
        """The decisions of all tasks of this project, or of all, in order of time."""
        from holdfast.tasks import looking

        project = None if everything else self.project().id
        return looking.decisions(self.vault, project, self.clock, also_gone=superseded)

    def task_finish(
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
        from holdfast.tasks import finalize, states

        if to == states.COMPLETED and not anyway and (why := self.task_doubts(ident)):
            raise UsageError(f"{why}; nothing was changed. If it is meant all the same, say its id and --anyway.")
        done = finalize.finish(
            self.vault, ident, to, status, self._speaker(), self.clock, self.env, findings=findings, promote=promote
        )
        self._commit_tasks()  # archives what is over
        return finalize.looked_at(self.vault, done, self.clock)

    def task_doubts(self, ident: str = "") -> str:
        """Why a task may not be meant to be completed, as the beginning of a sentence; "" where nothing speaks against
        it."""
        from holdfast.tasks import choosing, finalize
        from holdfast.tasks.desk import Desk

        with Desk(self.vault, self.clock) as desk:
            task = choosing.choose(desk.index, ident, self.project().id, self.env)
            desk.believe(task.id)
            return finalize.doubts(desk.index, task, is_named=bool(ident or self.env.get(choosing.VARIABLE)))

    def task_reopen(self, ident: str, reason: str = "") -> Saved:
        """Go on with a task that is over."""
        from holdfast.tasks import checkpoint, choosing, states
        from holdfast.tasks.desk import Desk
        from holdfast.vault import tasks
        from holdfast.vault.writing import writing

        speaker = self._speaker()
        with writing(self.vault, self.clock()) as writer:
            with Desk(self.vault, self.clock) as desk:
                task = choosing.by_name(desk.index, ident)
                if not task.is_over:
                    raise UsageError(f"Task {task.id} is {task.state}, not over; nothing was changed.")
            tasks.reopen(writer, task.id)
            saved = checkpoint.move(self.vault, task.id, states.REOPENED, reason, speaker, self.clock, self.env)
        self._commit_tasks()
        return saved

    def task_promotable(self, ident: str) -> list[Offer]:
        from holdfast.tasks import finalize

        return finalize.offers(self.vault, ident, self.project().id, self.clock, self.env)

    def task_promote(self, ident: str, wanted: Sequence[str]) -> list[Offer]:
        """Flag decisions and discoveries of a task, so that the close makes notes of them."""
        from holdfast.tasks import finalize

        if not wanted:
            raise UsageError("Say which entries, or --all; nothing was written.")
        return finalize.promote(self.vault, ident, wanted, self._speaker(), self.clock, self.env)

    def task_protocol(self, form: str) -> str:
        from holdfast.tasks import protocol

        return protocol.block(form)

    def task_run(self, wish: Wish) -> Ran:
        """Start a host for a task, with the task's memory before its prompt."""
        from holdfast.tasks.run import running

        return running.run(self.vault, self.cwd, wish, self._speaker(), self.clock, self.env)

    def catch_up_tasks(self) -> None:
        """Render what somebody who was killed has left behind its log, and what came from another machine."""
        from holdfast.errors import Busy
        from holdfast.tasks import record
        from holdfast.tasks.desk import Desk

        if not record.open_tasks(self.vault):
            return
        try:
            with Desk(self.vault, self.clock) as desk:
                desk.look_over()
        except Busy:
            return  # whoever is at work there renders too

    def _commit_tasks(self) -> None:
        from holdfast.vault.writing import writing

        with writing(self.vault, self.clock()):
            pass  # entering commits what the tasks have, and archives those that are over
