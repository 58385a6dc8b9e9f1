"""Sleep: whether it is due, a night, its page, and what of it is taken back."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import config, home
from holdfast.errors import HoldfastError, NotFound
from holdfast.memory import lazily
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.close import judge_pool
    from holdfast.field import steps
    from holdfast.memory import Context
    from holdfast.memory.field import Field
    from holdfast.sleep import due, night, page, trigger, turn, undo
    from holdfast.team import team_sleep
else:
    (judge_pool,) = lazily("holdfast.close", "judge_pool")
    (steps,) = lazily("holdfast.field", "steps")
    due, night, page, trigger, turn, undo = lazily("holdfast.sleep", "due night page trigger turn undo")
    (team_sleep,) = lazily("holdfast.team", "team_sleep")


@value
class Sleep:
    """The nights of one vault."""

    at: Context
    field: Field

    def run(
        self,
        *,
        dry_run: bool = False,
        verbatim: bool = False,
        stops: bool = False,
        team: str = "",
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> night.Slept:
        """One night, or the rest of one that was cut short. `verbatim` asks no judge; with `stops` a session that
        begins or speaks ends it; `team` is the one whose night it is, instead of this vault's. Raises Disturbed, Busy,
        NotFound."""
        if not home.format_of(self.at.vault):
            raise NotFound(f"There is no vault at {self.at.vault} yet; there is nothing to sleep on.")
        self.at.refuse_if_off()
        state, wanted = self.at.state, due.settings(config.load(home.machine_state(self.at.env)))
        court = None if verbatim else judge_pool.court(self.at.vault, self.at.env, self.at.clock, progress)
        with turn.taken(state, self.at.clock()) as heard, self.field.opener.writer, self.field.open() as field:

            def rest() -> None:
                if stops and turn.is_interrupted(state, heard):
                    raise night.Disturbed

            if team:
                with judge_pool.ending_well(), team_sleep.server(self.at.env, self.at.vault) as server:
                    return team_sleep.sleep(field, server, team, court, dry_run=dry_run, rest=rest)
            with judge_pool.ending_well():
                chosen = night.Settings(wanted.archive_days, wanted.merge_notes)
                done = night.Night(field, court, chosen, rest, is_dry=dry_run).sleep()
        if not dry_run:
            with suppress(HoldfastError):  # a setting that cannot be used is said by `holdfast density`
                self.field.density()
        return done

    def due(self) -> due.Due:
        """Whether sleep is due now, and why."""
        return trigger.look(self.at.vault, self.at.env, self.at.clock())

    def starts_by_itself(self) -> bool:
        """Whether the user lets timers and closes start a night here."""
        wanted = due.settings(config.load(home.machine_state(self.at.env)))
        return wanted.auto and not trigger.is_switched_off(self.at.env)

    def last(self, *, everything: bool = False) -> tuple[str, str]:
        """The path and text of the newest page, as this project may see it; ("", "") where no night was yet."""
        path, text = page.newest(self.at.vault)
        return path, text if everything else self.seen(text)

    def seen(self, text: str) -> str:
        """A page without what is about other projects."""
        return page.seen_from(text, self.at.project().ids)

    def undo(self, wanted: str) -> tuple[steps.Step, ...]:
        """Take back one step of a night, by its id."""
        with self.field.opener.writer, self.field.open() as field:
            return undo.undo(field, wanted, by=self.at.asker())

    def restore(self, ids: Sequence[str]) -> steps.Step:
        """Fetch thoughts back from the archive."""
        with self.field.opener.writer, self.field.open() as field:
            return undo.restore(field, ids, by=self.at.asker())
