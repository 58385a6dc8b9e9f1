"""The budget: every call to a model is written down before it is made, and none is made beyond the day's caps.

Promise: whatever is killed, and however many threads and processes ask at once, the calls of one day (UTC) are
granted no more tokens and no more money than the caps of that day (close/meter). A call counts for the day
on which it was reserved, at its estimate until it is settled. One that took more than its estimate is counted as
what it took, and the excess is put aside for the later calls of that judge. What cannot be written down is not
asked: capture goes on. Sleep's calls have a share of the caps, so that a night never takes the day's closes their
judge. Caps, prices and the day's log are those of the user's own vault, for whatever vault a call
is made: one that a repository brings neither sets a price nor begins a day of its own. Its ledger is told what was
asked for it.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import config as settings
from holdfast.capture import ledger, notices
from holdfast.capture.flags import clean
from holdfast.capture.ids import new_id
from holdfast.close import meter, prices
from holdfast.close.meter import MOST, Day, Group, amount, caps, host_of, name_of
from holdfast.errors import CapReached, JudgeFailed, NotSaved
from holdfast.judge.seam import SLEEP_JOBS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.clock import Clock
    from holdfast.judge.seam import Judge, Question, Words

NOTICE = "cap"
TELL_FOR = 7 * 86400.0


@dataclass(frozen=True)
class Reservation:
    """A call that is being made: `asked` is what its caller thinks it takes, `tokens` what was put aside for it."""

    day: str
    group: Group
    asked: int
    tokens: int
    money: int
    rate: prices.Rate
    about: str
    began: float


class Budget:
    """The user's meter. One object may be shared by threads; other processes have their own."""

    def __init__(
        self,
        state: str,
        config: Mapping[str, Any],
        clock: Clock = time.time,
        env: Mapping[str, str] | None = None,
        *,
        ledger: str = "",
    ) -> None:
        """`state` and `config` are the user's own; `ledger` is the state of the vault that is closed, if another."""
        self.state = state
        self.told = ledger or state
        self.clock = clock
        self.caps = caps(config)
        self.share = meter.share(config)
        self.env = os.environ if env is None else env  # it tells who pays by token
        self.url = str(settings.section(config, "judge").get("url", ""))
        self.prices = prices.load(state)
        self._held: dict[str, Reservation] = {}

    def reserve(self, judge: Judge, question: Question[Any], tokens: int) -> str:
        """Room for one call, as an id to settle with. Raises CapReached, and JudgeFailed where it cannot be noted."""
        rate = self.prices.rate(judge.name, judge.model, self.env, self.url)
        try:
            with meter.lock(self.state):
                now = self.clock()
                day = meter.load(self.state, meter.day_of(now))
                if not day.ident:
                    meter.fold(self.state, day.day)
                    day = meter.begin(self.state, day.day)
                held = self._held_for(judge, question, tokens, day, rate, now)
                if held.group.job in SLEEP_JOBS and not self.caps.problem:
                    self._refuse_over_share(day, held, now)
                self._refuse_over(day, held, now)
                ident = new_id(now)
                what = {"id": ident, **held.group._asdict(), "about": held.about, "tokens": held.tokens}
                meter.append(self.state, day, now, "reserve", **what, money=held.money)
        except (NotSaved, OSError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            reason = getattr(cause, "strerror", "") or "the disk refused it"
            raise JudgeFailed(
                f"The call cannot be noted in the meter ({reason}), so it was not made; flags are filed "
                "verbatim. Free the disk, then close again.",
                final=True,
            ) from error
        self._held[ident] = held
        return ident

    def settle(self, ident: str, words: Words | None, error: str = "") -> None:
        """Count a call. Without words the estimate stays; words without text or tokens: nothing was used.

        Never raises: where it cannot be written the estimate stays counted. A second time changes nothing.
        """
        held = self._held.pop(ident, None)
        if held is None:
            return
        now = self.clock()
        group, used = self._used(held, words)
        was = {name: getattr(held.group, name) for name in ("model", "billed")}
        was |= {name: getattr(held, name) for name in ("asked", "tokens", "money")}
        what = {"id": ident, **group._asdict(), **used, "ok": not error, "was": was}
        try:
            with meter.lock(self.state):
                day = meter.load(self.state, held.day)
                if day.ident:  # else it was folded long ago, at its estimate
                    meter.append(self.state, day, now, "settle", **what)
            self._tell_ledger(held, group, used, now, error)
        except (NotSaved, OSError):
            return

    def _tell_ledger(self, held: Reservation, group: Group, used: dict[str, int], now: float, error: str) -> None:
        who = {"job": group.job, "judge": group.judge, "model": group.model}
        tokens = {"tokens_in": used["in"], "tokens_out": used["out"], "assumed": used["assumed"]}
        money = used["money"] / 1e6 if group.billed == prices.BY_TOKEN else None
        took, why = round(max(0.0, now - held.began), 3), ledger.short(clean(error)[0], 300)
        paid = {"money": money, "billed": group.billed, "took": took}
        ledger.append(self.told, "model", now, **who, **tokens, **paid, ok=not error, error=why, about=held.about)

    def _held_for(
        self, judge: Judge, question: Question[Any], tokens: int, day: Day, rate: prices.Rate, now: float
    ) -> Reservation:
        asked = _count(tokens)
        name, model, job = (name_of(one) for one in (judge.name, judge.model, question.job))
        group = Group(name, model, job, host_of(question.about), rate.why)
        room = asked + day.margin(group.judge)
        money = rate.most(room, question.most_out)
        return Reservation(day.day, group, asked, room, money, rate, ledger.short(question.about, 200), now)

    def _refuse_over(self, day: Day, held: Reservation, now: float) -> None:
        """Raises CapReached where a call may go over a cap, or where nobody can tell."""
        spent, caps = day.total, self.caps
        if caps.problem:
            self._stop(day, "unclear", caps.problem, now)
        if caps.tokens is not None and spent.tokens + held.tokens > caps.tokens:
            so_far = f"{spent.tokens:,} are spent, this call may take {held.tokens:,}"
            self._stop(day, "tokens", f"the cap of {caps.tokens:,} tokens a day is reached ({so_far})", now)
        if caps.money is None:
            return
        if self.prices.problem:
            self._stop(day, "price", f"money is capped, and {self.prices.problem}", now)
        if held.rate.why == prices.UNKNOWN:
            which = held.group.model or held.group.judge
            why = f"money is capped, and the price of {which} is not known: add it to prices.toml"
            self._stop(day, "price", why, now)
        if spent.money + held.money > caps.money:
            so_far = f"{amount(spent.money)} is spent, this call may take {amount(held.money)}"
            cap = f"{amount(caps.money)} {self.prices.currency}"
            self._stop(day, "money", f"the cap of {cap} a day is reached ({so_far})", now)

    def _refuse_over_share(self, day: Day, held: Reservation, now: float) -> None:
        """Raises CapReached where a call of sleep's may go over its share of a cap. A close's calls go on."""
        spent, caps, (share, problem) = day.slept, self.caps, self.share
        if problem:
            self._stop_sleep(day, problem, now)
        if caps.tokens is not None and spent.tokens + held.tokens > caps.tokens * share:
            so_far = f"{spent.tokens:,} are spent, this call may take {held.tokens:,}"
            part = f"{caps.tokens * share:,.0f} of {caps.tokens:,} tokens"
            self._stop_sleep(day, f"its share of {part} a day is reached ({so_far})", now)
        if caps.money is not None and spent.money + held.money > caps.money * share:
            so_far = f"{amount(spent.money)} is spent, this call may take {amount(held.money)}"
            part = f"{amount(round(caps.money * share))} of {amount(caps.money)} {self.prices.currency}"
            self._stop_sleep(day, f"its share of {part} a day is reached ({so_far})", now)

    def _stop_sleep(self, day: Day, why: str, now: float) -> None:
        """Refuse a call of sleep's. Nothing is missing by it, so no start is told; the meter says since when."""
        if meter.SLEEP not in day.stopped:
            try:
                meter.append(self.state, day, now, "stopped", durable=False, cap=meter.SLEEP)
            except (NotSaved, OSError):
                pass  # it is said with the refusal, and written at the next one
        raise CapReached(
            f"Sleep made no call: {why}. Closes go on as before, and sleep goes on tomorrow (00:00 UTC); the share "
            "stands under [sleep] in config.toml."
        )

    def _stop(self, day: Day, cap: str, why: str, now: float) -> None:
        """Refuse, and the first time of the day leave word for the next start."""
        if cap not in day.stopped:
            since = time.strftime("%H:%M", time.gmtime(now))
            line = (
                f"On {day.day}, {since} UTC, calls to models stopped: {why}. Capture goes on and closes file verbatim; "
                "the day ends at 00:00 UTC. `holdfast spend` shows the meter."
            )
            try:
                for state in {self.state, self.told}:
                    notices.leave(state, NOTICE, line, now, lasts=TELL_FOR, once=True)
                meter.append(self.state, day, now, "stopped", durable=False, cap=cap)
            except (NotSaved, OSError):
                pass  # it is said with the refusal, and left at the next one
        raise CapReached(
            f"No call was made: {why}. Capture goes on and flags are filed verbatim; the day ends at 00:00 UTC. "
            "`holdfast spend` shows the meter; the caps stand under [spend] in config.toml."
        )

    def _used(self, held: Reservation, words: Words | None) -> tuple[Group, dict[str, int]]:
        """The count of a call. An answer that comes without any took what was put aside for it."""
        tokens_in, tokens_out = (_count(words.tokens_in), _count(words.tokens_out)) if words else (0, 0)
        if words is None or (words.text and not tokens_in + tokens_out):
            return held.group, {"in": 0, "out": 0, "assumed": held.tokens, "money": held.money}
        model = name_of(words.model) or held.group.model
        rate = self.prices.rate(held.group.judge, model, self.env, self.url)
        if rate.why == prices.UNKNOWN:
            rate = held.rate
        why, money = rate.why, rate.cost(tokens_in, tokens_out)
        # A judge's own account of dollars counts: it has its vendor's newest prices, but not the user's.
        is_told = rate.why in (prices.BY_TOKEN, prices.UNKNOWN) and not rate.is_own
        if is_told and self.prices.currency == prices.CURRENCY and words.money is not None:
            why, money = prices.BY_TOKEN, math.ceil(min(max(0.0, words.money), MOST) * 1e6)
        group = held.group._replace(model=model, billed=why)
        return group, {"in": tokens_in, "out": tokens_out, "assumed": 0, "money": money}


def _count(tokens: int) -> int:
    return min(max(0, tokens), MOST)
