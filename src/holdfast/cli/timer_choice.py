"""The timer as `init` is asked for it: `--timer`, `--no-timer`, or a question at a terminal, whose default is none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast import settings
from holdfast.capture import config, gate, home
from holdfast.cli import output
from holdfast.errors import UsageError
from holdfast.install import messages, timer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


@dataclass(frozen=True)
class TimerChoice:
    """What the options would do; `is_said` where there was one."""

    plan: timer.TimerPlan | None = None
    ending: timer.TimerRemoval | None = None
    is_no: bool = False

    @property
    def is_said(self) -> bool:
        return self.is_no or self.plan is not None

    @property
    def changes(self) -> bool:
        return bool(self.ending or (self.plan and self.plan.changes))

    def lines(self, *, written: bool) -> Iterator[str]:
        if self.plan:
            yield from messages.timer_lines(self.plan, written=written)
        if self.ending:
            yield from messages.timer_gone_lines(self.ending, in_full=True)

    def done_lines(self) -> Iterator[str]:
        if self.plan:
            yield "The timer is registered; `holdfast init --no-timer` takes it away."
        elif self.ending:
            yield "The timer is gone; sleep still runs after closes and by `holdfast serve`."

    def as_data(self) -> dict[str, Any]:
        return messages.timer_as_data(self.plan, timer.registered(os.environ))

    def apply(self) -> None:
        """Do it. A no is written down too, so that it is asked once; a later yes takes it back. Raises
        HoldfastError."""
        state = home.state(home.own_vault(os.environ))
        if self.plan:
            timer.apply(self.plan, os.environ)
            if timer.declined(config.load(state)):
                settings.write(state, "sleep", {}, ("timer",))
        if self.ending:
            timer.remove(self.ending, os.environ)
        if self.is_no:
            settings.write(state, "sleep", {"timer": False}, ("timer",))


def of_options(*, timer_is_wanted: bool, no_timer: bool, project: bool) -> TimerChoice:
    """The choice that options mean, planned and not done. Raises UsageError."""
    if timer_is_wanted and no_timer:
        raise UsageError("Say either --timer or --no-timer, not both; nothing was changed.")
    if project and (timer_is_wanted or no_timer):
        raise UsageError("A timer is the machine's, not a project's; nothing was changed. Leave --project out.")
    if no_timer:
        return TimerChoice(ending=timer.removal(os.environ), is_no=True)
    if not timer_is_wanted:
        return TimerChoice()
    found = timer.make(os.environ)
    if not found.edits:
        raise UsageError(f"No timer can be registered: {found.note}. Nothing was changed; leave --timer out.")
    return TimerChoice(found)


def offer(by: gate.Asker, known: Mapping[str, Any]) -> None:
    """Ask about the timer, unless there is one, none can be had, or the user has said no before."""
    if timer.registered(os.environ) or timer.declined(known):
        return
    found = timer.make(os.environ)
    if not found.edits or gate.decide(by, gate.Change(gate.SETTING)) != gate.APPLY:
        return
    output.echo("Memory is tidied while nobody works (sleep). A timer can ask each hour whether that is due:")
    output.lines(messages.timer_lines(found, written=True))
    if output.confirm("Register it?"):
        chosen = TimerChoice(found)
        chosen.apply()
        output.lines(chosen.done_lines())
    else:
        TimerChoice(is_no=True).apply()
        output.echo("No timer; `holdfast init --timer` registers it later.")
