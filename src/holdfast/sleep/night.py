"""A night: gather, put together, try, write down, carry out. Any of it may be killed and is continued by the next run.

Promise: sources are never changed, every effect is a record that can be taken back alone, and what costs recall is not
done. The plan is on disk before the first effect; effects are repeated without harm. A session that starts ends the
night between two of its parts, and what was planned goes on later.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, home, ledger, notices, purging
from holdfast.errors import Busy, HoldfastError, Unwritable
from holdfast.field import embedding, intake, steps, traffic
from holdfast.field.embedders import NoVectors
from holdfast.field.store import Damaged
from holdfast.sleep import (
    archive,
    bridges,
    clusters,
    consolidation,
    material,
    note_proposals,
    page,
    pair_record,
    plan,
    replay,
    ties,
    together,
)
from holdfast.sleep.plan import Plan, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.close.judge_pool import Court
    from holdfast.field.handle import Field
    from holdfast.field.thought import Thought
    from holdfast.sleep.clusters import Window

NOTICE = "sleep"
TELL_FOR = 14 * 86400.0
MOST_SUBJECTS = 60  # of one night: the heaviest clusters; the rest is as new the next time
JOB = "sleep-"


class Disturbed(Busy):
    """A session began, so sleep stopped; nothing is lost, and it goes on when it is quiet again."""


@dataclass(frozen=True)
class Settings:
    """How long a thought lies unread before it is put away, and whether a night may merge notes by itself."""

    archive_days: float = archive.DAYS
    merge_notes: bool = False


@dataclass(frozen=True)
class Slept:
    """The result of a night."""

    night: str
    now: float
    steps: tuple[steps.Step, ...]
    refusals: tuple[Refusal, ...]
    figures: Mapping[str, Any]
    page: str
    path: str
    commit: str = ""

    @property
    def summary(self) -> str:
        return page.summary(self.steps, self.refusals, self.figures)


@dataclass
class Night:
    """One run. `rest` is called between its parts and raises Disturbed where a session began."""

    field: Field
    court: Court | None = None
    settings: Settings = Settings()
    rest: Callable[[], None] = lambda: None
    is_dry: bool = False
    purges: int = 0  # as counted when the night began
    window: Window | None = None  # of the clusters, once they are gathered

    @property
    def vault(self) -> str:
        return self.field.vault

    def sleep(self) -> Slept:
        """Plan and carry out one night, or go on with the one that was cut short. Raises Disturbed, Busy, NewerFormat,
        NotSaved, Unwritable."""
        home.refuse_newer(self.vault)
        try:
            try:
                return self._slept()
            except Damaged:
                self.field.store.discard()  # what it had is in the vault, and is taken in from there
                return self._slept()
        except OSError as error:
            raise Unwritable(
                f"Sleep stopped, because {error.filename or self.vault} cannot be written "
                f"({error.strerror or error}); nothing is lost, and the next sleep goes on. "
                "Make room on the disk, or make the vault writable."
            ) from error

    def _slept(self) -> Slept:
        self.purges = purging.counted(home.state(self.vault))
        begun = plan.pending(self.vault)
        if self.is_dry:
            begun = begun or plan.fresh(self.vault, "dry", self.field.clock())
        begun = begun or plan.begin(self.vault, self.field.clock())
        made = begun if begun.is_made else self._planned(begun)
        if self.is_dry:
            return _result(made)
        self._refuse_after_purge()
        if not begun.is_made:
            plan.keep(self.vault, made)
        return self._carried_out(made, again=begun.is_made)

    def _planned(self, begun: Plan) -> Plan:
        night, now, store = begun.night, begun.now, self.field.store
        self._take_in()
        gathered = material.gather(self.field, clusters.load(plan.window(self.vault)), now)
        self.window = gathered.window
        asked = replay.logged(self.vault, begun.began, math.inf, begun.end)
        self.rest()
        subjects = consolidation.subjects(store, gathered)
        later = {one.id for subject in subjects[MOST_SUBJECTS:] for one in subject.sources}
        done = together.planned(
            self.field,
            self.court,
            gathered,
            subjects[:MOST_SUBJECTS],
            asked,
            pair_record.load(self.vault),
            night,
            now,
            self.rest,
        )
        refusals = [*done.refused]
        self.rest()
        bridged = bridges.planned(self.field, gathered.found, asked, self.court, night, now, self.rest)
        notes = note_proposals.planned(self.vault, gathered, store, self.court)
        edits = notes.merged if self.settings.merge_notes else ()
        made_steps = [step for change in done.changes for step in change.steps]
        made_steps += [*bridged.steps, *ties.steps(self.vault, begun.began, begun.end, night, now)]
        away = archive.candidates(store, plan.last(self.vault).now, now, self.settings.archive_days)
        made_steps += archive.step(archive.unwanted(self.vault, away, now, self.settings.archive_days), night, now)
        thoughts = (*(one for change in done.changes for one in change.thoughts), *bridged.thoughts)
        figures = {"recall": done.figures.as_record(), **begun.figures, "looked": len(gathered.new), **self._spent(now)}
        refusals += [*(() if edits else notes.merged), *notes.others]
        known = _named(self.field, made_steps, thoughts)
        text = page.render(night, now, made_steps, known, refusals, figures, edits)
        return plan.made(
            begun,
            fresh={one: at for one, at in gathered.fresh.items() if one not in later},
            thoughts=thoughts,
            steps=tuple(made_steps),
            refusals=tuple(refusals),
            edits=edits,
            figures=figures,
            page=text,
            pairs=done.pairs.as_record() if done.pairs else {},
        )

    def _take_in(self) -> None:
        """The index up to date, every thought with its vector: clusters are made of them."""
        intake.take_in(self.field)
        if self.field.embedder is not None:
            try:
                embedding.everything(self.field, self.field.embedder, is_enough=self._is_disturbed)
            except NoVectors:
                return  # clusters are made of what has vectors

    def _is_disturbed(self) -> bool:
        self.rest()  # which raises
        return False

    def _spent(self, now: float) -> dict[str, Any]:
        """The tokens and money that this night's questions took, by the ledger."""
        if self.court is None:
            return {}
        wanted = ledger.Wanted(kinds=("model",), since=now)
        calls = [one for one in ledger.read(home.state(self.vault), wanted) if str(one.get("job", "")).startswith(JOB)]
        tokens = sum(int(one.get(name) or 0) for one in calls for name in ("tokens_in", "tokens_out", "assumed"))
        money = sum(float(one.get("money") or 0.0) for one in calls)
        found: dict[str, Any] = {"calls": len(calls), "tokens": tokens, "money": money}
        return {**found, "why_no_judge": self.court.why} if self.court.why else found

    def _refuse_after_purge(self) -> None:
        """What was planned before a purge may hold what the user had purged. Raises Busy."""
        if purging.counted(home.state(self.vault)) != self.purges:
            plan.drop(self.vault)
            raise Busy("Something was purged while the memory slept, so nothing was written; the next one plans anew.")

    def _propose(self, made: Plan) -> None:
        """Leave what was refused for a person's review."""
        from holdfast.close.improve import proposals

        for one in made.refusals:
            kind = proposals.NOTE if one.after is not None else proposals.SLEEP if one.steps else proposals.CLAIM
            what = proposals.Proposal(one.id, made.now, one.project, kind, one.path, one.why, one.diff, one.before)
            if proposals.leave(home.state(self.vault), replace(what, after=one.after)) and one.steps:
                plan.keep_refusal(self.vault, one)

    def _carried_out(self, made: Plan, *, again: bool) -> Slept:
        commit = self._written(made, again=again) if made.is_worth_a_page else ""
        self._settle(made)
        if not (again and self._is_told(made)):
            self._tell(made)
        plan.finish(self.vault, made)
        self._tidy()
        return replace(_result(made), commit=commit)

    def _written(self, made: Plan, *, again: bool) -> str:
        """The logs, the page and the user's notes that a night may edit, as one commit."""
        from holdfast.vault.transaction import writing

        path = page.path(made.now)
        with writing(self.vault, self.field.clock()) as writer:
            self._refuse_after_purge()
            self._propose(made)
            logs = self._append(made, again=again)
            before = writer.read(path)
            after = page.added(before, made.night, made.page)
            texts: dict[str, str | None] = {one: writer.read(one) for one in logs}
            if after != before:
                texts[path] = after
            planned_on = {one.path: one.before for one in made.edits if writer.read(one.path) == one.before}
            texts |= {one.path: one.after for one in made.edits if one.path in planned_on}
            if not texts:
                return ""
            subject = f"sleep: {page.summary(made.steps, made.refusals, made.figures)}"
            return writer.commit(subject, texts, cause="sleep", by=gate.BY_UPKEEP, planned_on=planned_on).commit

    def _tidy(self) -> None:
        """The index, git's objects and the old ledger, each under its own lock. What cannot be tidied now is left to
        the next night."""
        from holdfast.capture import background
        from holdfast.vault.transaction import locked

        with suppress(HoldfastError):
            self.field.store.compact()
        with suppress(HoldfastError, OSError), locked(self.vault) as repository:
            repository.run("gc", "--auto", "--quiet")
        with suppress(HoldfastError, OSError):
            background.run(self.vault, self.field.clock())

    def _append(self, made: Plan, *, again: bool) -> list[str]:
        """Write the thoughts and steps; of a night that goes on, those that are not in the logs yet. The logs that took
        some."""
        now, logs = self.field.clock(), list[str]()
        there = self._logged() if again else frozenset()
        thoughts = [one for one in made.thoughts if one.id not in there]
        if thoughts:
            logs.append(traffic.append(self.vault, thoughts, now))
        left = [one for one in made.steps if one.id not in there]
        if left:
            logs.append(steps.append(self.vault, left, now))
        return logs

    def _logged(self) -> frozenset[str]:
        known = {one.id for path, _ in traffic.logs(self.vault) for one in _readable(self.vault, path)}
        return frozenset(known | {one.id for one in steps.everything(self.vault)})

    def _settle(self, made: Plan) -> None:
        """The index follows: what the night made is found, and what it looked at is no longer new."""
        self._take_in_made()
        window = self.window
        if window is None:  # the plan is of a run that was cut short
            window = material.gather(self.field, clusters.load(plan.window(self.vault)), made.now).window
        clusters.keep(plan.window(self.vault), window)
        if made.pairs:
            pair_record.keep(self.vault, pair_record.from_record(made.pairs))
        with self.field.store.writing():
            self.field.store.rested({**made.fresh, **{one.id: made.now for one in made.thoughts}})

    def _take_in_made(self) -> None:
        with suppress(Busy):  # whoever holds the store takes it in
            intake.take_in(self.field)
        with suppress(NoVectors, Busy):
            if self.field.embedder is not None:
                embedding.give(self.field, self.field.embedder)

    def _tell(self, made: Plan) -> None:
        """The ledger and the next start hear of it; in counts only, because the start may be another project's."""
        state, now = home.state(self.vault), self.field.clock()
        if made.refusals or any(one.kind != steps.TIED for one in made.steps):  # ties alone are no news
            said = page.summary(made.steps, made.refusals, made.figures)
            line = f"While nobody worked, the memory slept. {said} `holdfast sleep --last` tells more."
            notices.leave(state, NOTICE, line, now, lasts=TELL_FOR, once=True)
        recall = made.figures.get("recall", {})
        kinds = [one.kind for one in made.steps]
        ledger.append(
            state,
            "sleep",
            now,
            night=made.night,
            looked=made.figures.get("looked", 0),
            consolidations=kinds.count(steps.CONSOLIDATED),
            links=kinds.count(steps.LINKED),
            bridges=sum(one.kind == steps.BRIDGED and bool(one.by) for one in made.steps),
            tried=kinds.count(steps.BRIDGED),
            superseded=kinds.count(steps.SUPERSEDED),
            archived=sum(len(one.ids) for one in made.steps if one.kind == steps.ARCHIVED),
            proposals=len(made.refusals),
            recall_before=recall.get("before"),
            recall_after=recall.get("after"),
            tokens=made.figures.get("tokens", 0),
        )

    def _is_told(self, made: Plan) -> bool:
        """Whether the ledger, which is the last to hear, knows of this night."""
        told = ledger.newest(home.state(self.vault), ledger.Wanted(kinds=("sleep",)), 1)
        return any(one.get("night") == made.night for one in told)


def _readable(vault: str, path: str) -> Sequence[Thought]:
    try:
        return traffic.read(vault, path).found
    except OSError:
        return ()


def _named(field: Field, made: Sequence[steps.Step], thoughts: Sequence[Thought]) -> dict[str, Thought]:
    """Every thought that a step names, with those that are to be made."""
    ids = {one for step in made for one in (*step.ids, step.by) if one}
    return {**field.store.thoughts(ids), **{one.id: one for one in thoughts}}


def _result(made: Plan) -> Slept:
    return Slept(made.night, made.now, made.steps, made.refusals, made.figures, made.page, page.path(made.now))
