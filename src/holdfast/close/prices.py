"""The prices of calls: the user's own .state/prices.toml first, then a table that ships with holdfast and grows old.

    currency = "USD"
    [[price]]                    # money per million tokens; the first that fits counts
    model = "claude-haiku-*"     # a name, or a pattern as shells have them
    in = 1.00
    out = 5.00
    judge = "claude-code"        # optional: only for calls through this judge

An agent's own command line is paid by subscription: no dollars are invented for it, unless a key or a provider makes
it pay by token (judge/models), or the user gives a price that names it. A server on this machine costs nothing. What
fits nothing has no known price, which is said rather than guessed. Amounts are whole millionths, so that sums stay
exact. The table is the one of the user's own vault, whatever vault a call is made for: a repository sets no prices.
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from holdfast.capture import config, platform
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping

AS_OF = "October 2026"
CURRENCY = "USD"
BY_TOKEN, SUBSCRIPTION, LOCAL, UNKNOWN = "by token", "by subscription", "on this machine", "price unknown"
LARGEST = 1 << 18
DEAREST = 1e6  # a million tokens for more than a million is a slip of the pen

HERE = "ollama"  # a judge whose server is on this machine, unless an address says otherwise
EXPLAINED = (
    "An agent's own command line is paid by subscription, unless a key makes it pay by token or a price names it.",
    "A server on this machine costs nothing. A cap on money stops calls to a model without a known price.",
)


@value
class Price:
    """Money per million tokens, for the models that a pattern fits."""

    model: str
    money_in: float
    money_out: float
    judge: str = ""

    def fits(self, judge: str, model: str) -> bool:
        """Whether it is for this model, also where a gateway put its vendor's name before the model's."""
        name, pattern = model.lower(), self.model.lower()
        return self.judge in ("", judge) and (
            fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)
        )


# The usual cheap models, and those that somebody may choose instead, for questions of the usual size. A pattern names
# one generation: what the next one will cost nobody knows yet.
SHIPPED = (
    Price("*:free", 0.0, 0.0),
    Price("haiku", 1.0, 5.0),  # an alias: the dearest that it stands for
    Price("*claude-haiku-5[-.]5*", 0.1, 0.5),
    Price("*claude-haiku-4[-.]5*", 1.0, 5.0),
    Price("claude-3[-.]5-haiku*", 0.8, 4.0),
    Price("claude-3-haiku*", 0.25, 1.25),
    Price("claude-sonnet-5", 2.0, 10.0),
    Price("claude-sonnet-5[-.]5*", 2.0, 10.0),
    Price("claude-sonnet-4*", 3.0, 15.0),
    Price("claude-opus-5[-.]5*", 4.0, 20.0),
    Price("claude-opus-5", 5.0, 25.0),
    Price("claude-opus-4[-.][5678]*", 5.0, 25.0),
    Price("gpt-6-luna*", 0.1, 0.5),
    Price("gpt-6-sol*", 2.0, 10.0),
    Price("gpt-5.6-luna*", 0.2, 1.2),
    Price("gpt-5.6-terra*", 2.0, 12.0),
    Price("gpt-5.4-nano*", 0.2, 1.25),
    Price("gpt-5.4-mini*", 0.75, 4.5),
    Price("gpt-5.1-codex-mini*", 0.25, 2.0),
    Price("gpt-5-nano*", 0.05, 0.4),
    Price("gpt-5-mini*", 0.25, 2.0),
    Price("gpt-5", 1.25, 10.0),
    Price("gpt-4.1-nano*", 0.1, 0.4),
    Price("gpt-4.1-mini*", 0.4, 1.6),
    Price("gpt-4o-mini*", 0.15, 0.6),
    Price("gemini-3.5-flash-lite*", 0.3, 2.5),
    Price("gemini-3.1-flash-lite*", 0.25, 1.5),
    Price("gemini-3-flash*", 0.5, 3.0),
    Price("gemini-2.5-flash-lite*", 0.1, 0.4),
    Price("gemini-2.5-flash*", 0.3, 2.5),
    Price("deepseek-chat", 0.28, 0.42),
)


@value
class Rate:
    """The price of calls to one model, with its reason."""

    why: str
    money_in: float = 0.0
    money_out: float = 0.0
    is_own: bool = False  # of the user's own table

    def cost(self, tokens_in: int, tokens_out: int) -> int:
        """The cost in millionths, rounded up."""
        return math.ceil(round(self.money_in * tokens_in + self.money_out * tokens_out, 6))

    def most(self, tokens: int, most_out: int) -> int:
        """The most that so many tokens may cost, if at most `most_out` of them are an answer."""
        out = min(tokens, most_out)
        return max(self.cost(tokens - out, out), self.cost(tokens, 0))


@value
class Prices:
    """The two tables, and what was wrong with the user's."""

    own: tuple[Price, ...] = ()
    currency: str = CURRENCY
    problem: str = ""

    @property
    def shipped(self) -> tuple[Price, ...]:
        """Dollars are of no use to who counts in something else."""
        return SHIPPED if self.currency == CURRENCY else ()

    def as_record(self) -> dict[str, Any]:
        tables = {"own": [price.__dict__ for price in self.own], "shipped": [price.__dict__ for price in self.shipped]}
        return {"currency": self.currency, "as_of": AS_OF, **tables, "problem": self.problem}

    def rate(self, judge: str, model: str, env: Mapping[str, str], url: str = "") -> Rate:
        """The rate of a judge's calls to a model; `url` is where its server is, where it has one."""
        from holdfast.hosts import programs
        from holdfast.judge import models

        payer = models.payer(judge, env)
        for price in self.own:
            if price.fits(judge, model) and (price.judge or payer != programs.BY_PLAN):
                return Rate(BY_TOKEN, price.money_in, price.money_out, is_own=True)
        if payer == programs.BY_PLAN:
            return Rate(SUBSCRIPTION)
        if payer == programs.NO_TELLING:
            return Rate(UNKNOWN)
        if payer == programs.HERE or (not payer and (programs.is_here(url) if url else judge == HERE)):
            return Rate(LOCAL)
        for price in self.shipped:
            if price.fits(judge, model):
                return Rate(BY_TOKEN, price.money_in, price.money_out)
        return Rate(UNKNOWN)


def path_of(state: str) -> str:
    return f"{state}/prices.toml"


def load(state: str) -> Prices:
    """The user's table. Never fails: `problem` says what could not be understood."""
    import tomllib

    path = path_of(state)
    try:
        found = tomllib.loads(platform.read_regular(path, LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return Prices()
    except (OSError, ValueError, RecursionError) as error:
        return Prices(problem=f"{path} cannot be read ({error})")
    listed = found.get("price", [])
    own = [_price(one) for one in listed] if isinstance(listed, list) else [None]
    currency = found.get("currency", CURRENCY)
    unknown = [name for name in found if name not in ("price", "currency")]
    problem = ""
    if None in own:
        problem = f"{path}: each [[price]] needs model = a text, in and out = numbers from 0 up"
    elif not (isinstance(currency, str) and currency.isalpha() and len(currency) == 3):
        problem = f'{path}: currency is three letters, such as "USD"'
    elif unknown:
        problem = f'{path}: "{unknown[0]}" is not known there; prices stand under [[price]]'
    return Prices(tuple(one for one in own if one), str(currency).upper() if not problem else CURRENCY, problem)


def _price(found: object) -> Price | None:
    given: dict[str, Any] = found if isinstance(found, dict) else {}
    amounts = [config.number(given, name, -1.0) for name in ("in", "out")]
    names = [given.get("model"), given.get("judge", "")]
    if not names[0] or not all(isinstance(name, str) for name in names):
        return None
    if set(given) - {"model", "judge", "in", "out"} or not all(0 <= amount <= DEAREST for amount in amounts):
        return None
    return Price(str(names[0]), amounts[0], amounts[1], str(names[1]))
