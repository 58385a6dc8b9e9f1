"""Sessions: the flags they leave, the ledger, the brief, the close, handoffs, drafts, snags and spending; and the
projects that they belong to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes, home, log, marks, settle
from holdfast.capture import ledger as ledger_history
from holdfast.capture import queue as flag_queue
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.memory import lazily
from holdfast.model import replace, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from holdfast.brief import brief_file, composition, live, prompt_reasons, reasons
    from holdfast.capture import background, drafts, flag_words, gate, losses
    from holdfast.capture.drafts import Draft
    from holdfast.close import drain, judge_pool, spend_report
    from holdfast.close.improve import loops, review
    from holdfast.close.improve.loops import Loops
    from holdfast.close.verify import handoff_check
    from holdfast.field import prompt_by_meaning
    from holdfast.memory import Context, notes, tasks
    from holdfast.memory.field import Field
    from holdfast.model import Reply
    from holdfast.sleep import trigger
    from holdfast.vault import brief, check, handoff_form, index, lineage, project_changes, prompts, stored_index
    from holdfast.vault.handoff_form import HandedOff
    from holdfast.vault.prompts import ListedPrompt
else:
    brief_file, composition, live, prompt_reasons, reasons = lazily(
        "holdfast.brief", "brief_file composition live prompt_reasons reasons"
    )
    (prompt_by_meaning,) = lazily("holdfast.field", "prompt_by_meaning")
    background, drafts, flag_words, gate, losses = lazily(
        "holdfast.capture", "background drafts flag_words gate losses"
    )
    drain, judge_pool, spend_report, loops, review, handoff_check = lazily(
        "holdfast.close", "drain judge_pool spend_report improve.loops improve.review verify.handoff_check"
    )
    notes, tasks = lazily("holdfast.memory", "notes tasks")
    (trigger,) = lazily("holdfast.sleep", "trigger")
    brief, check, handoff_form, index, lineage, project_changes, prompts, stored_index = lazily(
        "holdfast.vault", "brief check handoff_form index lineage project_changes prompts stored_index"
    )

REFUSED = (1, 13, 28, 30)  # EPERM, EACCES, ENOSPC, EROFS: nothing can be written, and all can be looked at


@value
class Sessions:
    """The sessions of one vault, seen from one folder. A close ends by bringing tasks and field up to date."""

    at: Context
    field: Field

    def queue(self) -> flag_queue.View:
        """Everything not yet filed, of all projects."""
        return flag_queue.read(f"{self.at.state}/queue", self.at.clock())

    def set_broken_aside(self, view: flag_queue.View) -> list[str]:
        """Copies of what in the queue is no record; where none can be made, the original, which stays in any case."""
        folder = f"{self.at.state}/queue/broken"
        places = []
        for path, found in view.broken:
            try:
                places.append(log.set_aside(folder, path.rpartition("/")[2], found))
            except OSError:
                places.append(path)
        return places

    def set_aside(self) -> tuple[list[str], losses.Losses]:
        """The user has looked at what is damaged in the queue and at what is missing: copies are kept, alarms end.
        Returns the copies, and what was missing. Raises Refused."""
        gate.require(self.at.asker(), gate.Change(gate.HISTORY, gate.LIFTED), "Setting damage aside")
        return losses.set_all_aside(self.at.vault, self.at.clock())

    def retry(self, ids: Iterable[str] | None) -> tuple[str, ...]:
        """Dead flags wait again."""
        return settle.Settlement(f"{self.at.state}/queue", self.at.clock).retry(ids)

    def ledger(self, wanted: ledger_history.Wanted, count: int) -> list[dict[str, Any]]:
        """The newest records that are wanted, oldest first."""
        return ledger_history.newest(self.at.state, wanted, count)

    def follow_ledger(self, wanted: ledger_history.Wanted, wait: Callable[[], None]) -> Iterator[dict[str, Any]]:
        return ledger_history.follow(self.at.state, wanted, wait)

    def ledger_counts(self) -> list[dict[str, Any]]:
        """Daily counts of what is no longer kept whole."""
        return ledger_history.counts(self.at.state)

    def boot(self, branch: str = "") -> Reply:
        """The brief, exactly as the next start in this folder gets it; on another branch, where one is named."""
        off = self.at.why_off()
        return brief_file.said_off(off) if off else self._composed(branch).reply

    def explain_boot(self, branch: str = "") -> reasons.Explained:
        """The brief with the reason for each line, and for each thing that is not in it. Raises UsageError where
        capture is off: then there is nothing to explain."""
        off = self.at.why_off()
        if off:
            raise UsageError(f"Holdfast captures nothing here: {off}. A start says only that.")
        return reasons.explain(self._composed(branch), self.at.clock())

    def explain_prompt(self, prompt: str) -> prompt_reasons.ExplainedPrompt:
        """The notes that a first prompt would bring with it, each with the reason, and those that it would not. It
        leaves no trace."""
        state, project = self.at.state, self.at.project()
        if self.at.why_off() or not home.has_field(state):
            return prompt_reasons.ExplainedPrompt()
        with self.field.open() as field:
            found = prompt_by_meaning.considered(field, project.id, prompt)
        cached = brief_file.load(self.at.vault, state, project)
        return prompt_reasons.explain(self.at.vault, project, found, {part.path for part in cached.parts})

    def _composed(self, branch: str = "") -> composition.Composed:
        try:
            self.refresh_brief()
        except OSError as error:
            if error.errno not in REFUSED:
                raise  # else it is looked at as it was made last
        project, now = self.at.project(), self.at.clock()
        living = marks.bury_the_dead(self.at.state, now, [])
        closes = not background.is_off(self.at.env)
        found = live.gather(self.at.state, project, now, living, closes=closes, only_look=True)
        return composition.compose(self.at.vault, found, brief_file.load(self.at.vault, self.at.state, project, branch))

    def refresh_brief(self) -> str:
        """Make the brief of this folder's work tree anew."""
        return self._refresh_brief(None)

    def _refresh_brief(self, known: index.Index | None) -> str:
        """`known` are the notes, from a writer that has just looked."""
        if not home.format_of(self.at.vault):
            return ""  # there is no vault, so there is nothing to say, and none is made for that
        for one in self.at.project().ids:
            lineage.note(self.at.vault, one, self.at.clock())
        tasks.Tasks(self.at).catch_up()
        notes.settle_edits(self.at)
        known = known or index.load(self.at.vault)
        brief.refresh(self.at.vault, brief.NOWHERE, known)
        return brief.refresh(self.at.vault, self.at.project(), known)

    def close(
        self,
        *,
        everything: bool = False,
        say: Callable[[drain.Closed], None] = lambda _: None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        verbatim: bool = False,
    ) -> list[drain.Closed]:
        """File what waits in this project, or everywhere, and write the handoffs of sessions that ended or died."""
        project = self.at.project()
        marks.bury_the_dead(self.at.state, self.at.clock(), [])
        wanted = "" if everything else project.id
        roots = {project.id: project.root}
        court = None if verbatim else judge_pool.court(self.at.vault, self.at.env, self.at.clock, progress)
        with judge_pool.ending_well():
            done = drain.drain(
                self.at.vault, self.at.clock, project=wanted, also_open=True, roots=roots, say=say, court=court
            )
        try:
            known = stored_index.as_left(self.at.vault)
            self._check_after_close(roots, known)
            self._refresh_brief(known)
            self.field.catch_up()
        except OSError:
            if not any(one.error for one in done):
                raise  # else the close itself has said why
        return done

    def close_in_background(self, midway: str = "") -> list[drain.Closed]:
        """Close every episode that is over, of all projects, or a project's flags while its sessions go on; then make
        the brief of this folder, if it is there: one that is gone, or none, is no project to be known from now on. A
        sleep that is due by then is started behind it."""
        court = judge_pool.court(self.at.vault, self.at.env, self.at.clock)
        with judge_pool.ending_well():
            done = drain.drain(self.at.vault, self.at.clock, project=midway, also_open=bool(midway), court=court)
        here = self.at.project() if os.path.isdir(self.at.cwd) else None
        known = stored_index.as_left(self.at.vault)
        self._check_after_close({here.id: here.root} if here else {}, known, is_waited_for=False)
        if here:
            for one in here.ids:
                lineage.note(self.at.vault, one, self.at.clock())
        brief.refresh_known(self.at.vault, known)
        if here:
            brief.refresh(self.at.vault, here, known)
        self.field.catch_up()
        trigger.start_if_due(self.at.vault, self.at.env, self.at.clock())
        return done

    def handoff_form(self) -> str:
        """The form for a handoff, filled with the flags of this session so far."""
        where = self.at.where()
        flags = [entry.flag for entry in self.queue().entries if where.episode and entry.flag.episode == where.episode]
        return handoff_form.form(flags)

    def handoff(self, text: str, *, anyway: bool = False) -> HandedOff:
        """Write a handoff of the session that we are in. One that is refused is kept as a draft."""
        self.at.refuse_if_off()
        where, now = self.at.where(), self.at.clock()
        (raw,) = flag_words.taken(self.at.state, drafts.HANDOFF, [text], where.episode)
        text = text if raw.change == flag_words.ON_PURPOSE else raw.text
        try:
            done = self._hand_off(text, where, now, anyway=anyway)
        except HoldfastError as error:
            self.keep_handoff(text, error)
            raise
        drafts.submitted(self.at.state, drafts.HANDOFF, [text], where.project.id, where.episode)
        self.refresh_brief()
        return replace(done, changes=(*done.changes, raw.change)) if raw.change else done

    def keep_handoff(self, text: str, error: HoldfastError) -> None:
        """Keep a handoff that cannot be written now as a draft."""
        where = self.at.where()
        origin = gate.origin_of(where, self.at.vault)
        about = (where.project.id, where.episode, self.at.clock())
        drafts.refused(self.at.state, error, drafts.HANDOFF, text, *about, origin=origin)

    def _hand_off(self, text: str, where: gate.Where, now: float, *, anyway: bool) -> HandedOff:
        episode = episodes.of_key(self.at.state, where.episode)
        flags = [entry.flag for entry in self.queue().entries if entry.flag.episode == where.episode]
        look = handoff_check.Look(self.at.vault, episode, flags, where.project)
        started = episode.opened if episode else now
        done = handoff_form.write(self.at.vault, text, where, now, started, anyway=anyway, look_over=look.over)
        look.tell(now)
        return done

    def drafts(self, *, everything: bool = False) -> list[Draft]:
        """Texts that were submitted and refused: those of this project that are open, or all ever, the oldest first."""
        here = self.at.project()
        return drafts.read(self.at.state) if everything else drafts.open_for(self.at.state, here.id, merged=here.merged)

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
        one = self.draft(ident)
        if not one.is_settled:
            drafts.settle(self.at.state, one.id)
        return one

    def reopen_draft(self, ident: str) -> Draft:
        """A draft that was settled waits again."""
        one = self.draft(ident)
        if one.is_settled:
            drafts.reopen(self.at.state, one.id)
        return one

    def _check_after_close(self, roots: Mapping[str, str], known: index.Index, *, is_waited_for: bool = True) -> None:
        """Every close ends with a check of what changed; the next starts say how many errors there are."""
        check.after_close(self.at.vault, self.at.clock(), roots, known, is_waited_for=is_waited_for)

    def loops(self, *, everything: bool = False) -> Loops:
        """Every snag of this project, or of all, and what became of it."""
        return loops.listing(
            self.at.vault, self.at.state, self.at.clock(), self.at.project_or_all(everything=everything)
        )

    def undo_loop(self, ident: str) -> review.Undone:
        """Take back what one snag changed."""
        return review.undo(self.at.vault, self.at.state, ident, self.at.clock(), by=self.at.asker())

    def spent(self, days: int, by: str) -> spend_report.Report:
        """The meter of calls to models."""
        return spend_report.report(home.machine_state(self.at.env), self.at.clock(), days=days, by=by)

    def handoffs(self, count: int = 0) -> list[tuple[lineage.Handoff, int]]:
        """The handoffs of this project with their numbers, the newest first; those that can be read."""
        found: list[tuple[lineage.Handoff, int]] = []
        for number, path in reversed(list(enumerate(lineage.names(self.at.vault, self.at.project().id), 1))):
            one = lineage.read(self.at.vault, path)
            if isinstance(one, lineage.Handoff):
                found.append((one, number))
            if count and len(found) >= count:
                break
        return found

    def prompts(self, words: Sequence[str], most: int, *, everything: bool = False) -> list[ListedPrompt]:
        """The prompts that the user typed in this project, or in all, the newest first."""
        return prompts.listed(self.at.vault, self.at.clock(), "" if everything else self.at.project().id, words, most)

    def projects(self) -> list[project_changes.ListedProject]:
        """Every project that the vault knows, with its contents in figures. Raises HoldfastError."""
        if not home.format_of(self.at.vault):
            return []  # and none is made by looking
        here = self.at.project()
        return project_changes.listed(self.at.vault, here, self.at.clock())

    def merge_projects(self, other: str, into: str = "") -> project_changes.ProjectMerge:
        """Make a project part of another, or of the one of this folder. Raises NotFound, UsageError."""
        here = "" if into else self.at.project().id
        return project_changes.merge(self.at.vault, other, into, here, self.at.clock(), by=self.at.asker())

    def split_project(self, wanted: str, name: str = "") -> project_changes.ProjectSplit:
        """Take a merge back, or a key out of its project. Raises NotFound, UsageError."""
        return project_changes.split(self.at.vault, wanted, self.at.cwd, self.at.clock(), by=self.at.asker(), name=name)
