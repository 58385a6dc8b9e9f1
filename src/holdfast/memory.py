"""The facade: what the command line and, later, the servers ask of a vault. The hook goes to the capture room itself.

One object per vault, no state of its own, every method a sentence of the command line. What is about notes is in
holdfast/curation; here is what is about sessions: flags, the ledger, the brief, the close and what it leaves.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, ledger_history, log, settle
from holdfast.capture import queue as flag_queue
from holdfast.capture.ledger_history import Wanted
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.fielding import Fielding
from holdfast.model import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from holdfast.capture.acknowledged import Account
    from holdfast.capture.caller import Where
    from holdfast.capture.drafts import Draft
    from holdfast.close.drain import Closed
    from holdfast.close.improve.closing import Undone as LoopUndone
    from holdfast.close.improve.loops import Loops
    from holdfast.close.spend.report import Report as Spent
    from holdfast.hook.composing import Composed
    from holdfast.model import Project, Reply
    from holdfast.vault.brief_reasons import Explained
    from holdfast.vault.handing import HandedOff
    from holdfast.vault.index import Index

__all__ = ["Memory"]

REFUSED = (1, 13, 28, 30)  # EPERM, EACCES, ENOSPC, EROFS: nothing can be written, and all can be looked at


class Memory(Fielding):
    """The memory in one vault, seen from one working directory."""

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

    def set_aside(self) -> tuple[list[str], Account]:
        """The user has looked at what is damaged in the queue and at what is missing: copies are kept, alarms end.
        Returns the copies, and what was missing. Raises Refused."""
        from holdfast.capture import acknowledged, gate

        gate.require(self.asker(), gate.Change(gate.HISTORY, gate.LIFTED), "Setting damage aside")
        return acknowledged.set_all_aside(self.vault, self.clock())

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
        from holdfast.capture import brief_file

        off = self.why_off()
        return brief_file.said_off(off) if off else self._composed().reply

    def explain_boot(self) -> Explained:
        """The brief with the reason for each line, and for each thing that is not in it. Raises UsageError where
        capture is off: then there is nothing to explain."""
        from holdfast.vault import brief_reasons

        off = self.why_off()
        if off:
            raise UsageError(f"Holdfast captures nothing here: {off}. A start says only that.")
        return brief_reasons.explain(self._composed(), self.clock())

    def _composed(self) -> Composed:
        from holdfast.capture import background, brief_file
        from holdfast.hook import composing, live

        try:
            self.refresh_brief()
        except OSError as error:
            if error.errno not in REFUSED:
                raise  # else it is looked at as it was made last
        project, now = self.project(), self.clock()
        living = self._bury_the_dead(project, now)
        closes = not background.is_off(self.env)
        found = live.gather(self.state, project, now, living, closes=closes, only_look=True)
        return composing.compose(self.vault, found, brief_file.load(self.vault, self.state, project))

    def _bury_the_dead(self, project: Project, now: float) -> set[str]:
        """What a start does first; returns the episodes that live."""
        from holdfast.hook import lifecycle
        from holdfast.hook.scene import Scene

        moment = Moment("cli", "session-start", "", self.cwd)
        return lifecycle.bury_the_dead(Scene(moment, self.vault, self.state, project, now, {}, []))

    def refresh_brief(self) -> str:
        """Make the brief of this folder's work tree anew."""
        return self._refresh_brief(None)

    def _refresh_brief(self, known: Index | None) -> str:
        """`known` are the notes, from a writer that has just looked."""
        from holdfast.vault import brief, index, lineage_order

        if not home.format_of(self.vault):
            return ""  # there is no vault, so there is nothing to say, and none is made for that
        for one in self.project().ids:
            lineage_order.note(self.vault, one, self.clock())
        self.catch_up_tasks()
        self._settle_edits()
        known = known or index.load(self.vault)
        brief.refresh(self.vault, brief.NOWHERE, known)
        return brief.refresh(self.vault, self.project(), known)

    def close(
        self,
        *,
        everything: bool = False,
        say: Callable[[Closed], None] = lambda _: None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        verbatim: bool = False,
    ) -> list[Closed]:
        """File what waits in this project, or everywhere, and write the handoffs of sessions that ended or died."""
        from holdfast.close import drain, run
        from holdfast.vault import stored_index

        project = self.project()
        self._bury_the_dead(project, self.clock())
        wanted = "" if everything else project.id
        roots = {project.id: project.root}
        court = None if verbatim else run.court(self.vault, self.env, self.clock, progress)
        with run.ending_well():
            done = drain.drain(
                self.vault, self.clock, project=wanted, also_open=True, roots=roots, say=say, court=court
            )
        try:
            known = stored_index.as_left(self.vault)
            self._check_after_close(roots, known)
            self._refresh_brief(known)
            self.index()
        except OSError:
            if not any(one.error for one in done):
                raise  # else the close itself has said why
        return done

    def close_in_background(self, midway: str = "") -> list[Closed]:
        """What the hook hands over: every episode that is over, of all projects, or what a project's sessions have
        flagged while they go on; then the brief of this folder, if it is there: one that is gone, or none, is no
        project to be known from now on."""
        from holdfast.close import drain, run
        from holdfast.vault import brief, lineage_order, stored_index

        court = run.court(self.vault, self.env, self.clock)
        with run.ending_well():
            done = drain.drain(self.vault, self.clock, project=midway, also_open=bool(midway), court=court)
        here = self.project() if os.path.isdir(self.cwd) else None
        known = stored_index.as_left(self.vault)
        self._check_after_close({here.id: here.root} if here else {}, known, is_waited_for=False)
        if here:
            for one in here.ids:
                lineage_order.note(self.vault, one, self.clock())
        brief.refresh_known(self.vault, known)
        if here:
            brief.refresh(self.vault, here, known)
        self.index()
        return done

    def handoff_form(self) -> str:
        """The form for a handoff, filled with what this project's session has flagged so far."""
        from holdfast.capture import caller
        from holdfast.vault import handing

        where = caller.here(self.env, self.cwd, self.vault)
        flags = [entry.flag for entry in self.queue().entries if where.episode and entry.flag.episode == where.episode]
        return handing.form(flags)

    def handoff(self, text: str, *, anyway: bool = False) -> HandedOff:
        """Write a handoff of the session that we are in. One that is refused is kept as a draft."""
        from holdfast.capture import caller, drafts, raw_words

        self._refuse_if_off()
        where = caller.here(self.env, self.cwd, self.vault)
        now = self.clock()
        about = (where.project.id, where.episode)
        (raw,) = raw_words.taken(self.state, drafts.HANDOFF, [text], where.episode)
        text = text if raw.change == raw_words.ON_PURPOSE else raw.text
        try:
            done = self._hand_off(text, where, now, anyway=anyway)
        except HoldfastError as error:
            origin = caller.origin(where, self.vault)
            drafts.refused(self.state, error, drafts.HANDOFF, text, *about, now, origin=origin)
            raise
        drafts.submitted(self.state, drafts.HANDOFF, [text], *about)
        self.refresh_brief()
        return replace(done, changes=(*done.changes, raw.change)) if raw.change else done

    def keep_handoff(self, text: str, error: HoldfastError) -> None:
        """Keep a handoff that cannot be written now as a draft."""
        from holdfast.capture import caller, drafts

        where = caller.here(self.env, self.cwd, self.vault)
        origin = caller.origin(where, self.vault)
        about = (where.project.id, where.episode, self.clock())
        drafts.refused(self.state, error, drafts.HANDOFF, text, *about, origin=origin)

    def _hand_off(self, text: str, where: Where, now: float, *, anyway: bool) -> HandedOff:
        from holdfast.close.verify import authored
        from holdfast.close.work import find_episode
        from holdfast.vault import handing

        episode = find_episode(self.state, where.episode)
        flags = [entry.flag for entry in self.queue().entries if entry.flag.episode == where.episode]
        look = authored.Look(self.vault, episode, flags, where.project)
        started = episode.opened if episode else now
        done = handing.write(self.vault, text, where, now, started, anyway=anyway, look_over=look.over)
        look.tell(now)
        return done

    def drafts(self, *, everything: bool = False) -> list[Draft]:
        """What was submitted and refused: of this project and still open, or all that ever was, the oldest first."""
        from holdfast.capture import drafts

        here = self.project()
        return drafts.read(self.state) if everything else drafts.open_for(self.state, here.id, merged=here.merged)

    def draft(self, ident: str) -> Draft:
        """One draft by its id or the end of it. Raises NotFound."""
        wanted = ident.upper()
        found = [one for one in self.drafts(everything=True) if wanted and one.id.endswith(wanted)]
        if len(found) != 1:
            how = "No draft has" if not found else "Several drafts have"
            raise NotFound(f'{how} the id "{ident[:40]}"; nothing was changed. `holdfast drafts --all` lists them.')
        return found[0]

    def settle_draft(self, ident: str) -> Draft:
        """Nothing is to be done about a draft any more."""
        from holdfast.capture import drafts

        one = self.draft(ident)
        if not one.is_settled:
            drafts.settle(self.state, one.id)
        return one

    def _check_after_close(self, roots: Mapping[str, str], known: Index, *, is_waited_for: bool = True) -> None:
        """Every close ends with a check of what changed; the next starts say how many errors there are."""
        from holdfast.vault import check_changed

        check_changed.after_close(self.vault, self.clock(), roots, known, is_waited_for=is_waited_for)

    def loops(self, *, everything: bool = False) -> Loops:
        """Every snag of this project, or of all, and what became of it."""
        from holdfast.close.improve import loops

        return loops.listing(self.vault, self.state, self.clock(), None if everything else self.project().id)

    def undo_loop(self, ident: str) -> LoopUndone:
        """Take back what one snag changed."""
        from holdfast.close.improve import closing as improve

        return improve.undo(self.vault, self.state, ident, self.clock(), by=self.asker())

    def spent(self, days: int, by: str) -> Spent:
        """The meter of calls to models."""
        from holdfast.close.spend import report as spend_report

        return spend_report.report(home.machine_state(self.env), self.clock(), days=days, by=by)
