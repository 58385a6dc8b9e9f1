"""What init says and asks about judges. The default is always no model: nobody's memory goes to one, and nobody's quota
is spent, unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.errors import UsageError
from holdfast.judge import choice
from holdfast.judge.choice import VERBATIM, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.judge.offers import Offer

NO_MODEL = "no model: flags are filed as they were written"


def line(config: Mapping[str, Any], offers: Sequence[Offer]) -> str:
    """What init says about it, in the row of the vault and the launcher."""
    name = _name(config)
    if name != VERBATIM:
        return f"judge     {name} (as you chose; `holdfast judge` shows it)"
    how = f"`{offers[0].command}` changes it" if offers else "`holdfast judge --help` says what can be used"
    return f"judge     {VERBATIM}, {NO_MODEL} ({how})"


def may_ask(config: Mapping[str, Any], offers: Sequence[Offer]) -> bool:
    """Whether there is something to ask: somebody who has chosen once is not asked again."""
    section = config.get("judge")
    return bool(offers) and not (isinstance(section, dict) and section.get("name"))


def question(offers: Sequence[Offer]) -> Iterator[str]:
    """What init asks, numbered; 0 is the default."""
    yield "A cheap model can tidy what is flagged: merge it, keep notes short, write handoffs. It is yours to choose:"
    yield f"  0  {NO_MODEL}"
    for at, one in enumerate(offers, 1):
        yield f"  {at}  {one.name} ({one.model}): {one.detail}"


def answers(offers: Sequence[Offer]) -> tuple[str, ...]:
    """What may be answered: a number, or a name."""
    return ("0", *(str(nth) for nth in range(1, len(offers) + 1)), *(one.name for one in offers))


def answered(text: str, offers: Sequence[Offer]) -> Offer | None:
    """The offer that an answer means; None for no model."""
    word = text.strip()
    if word.isdecimal() and 1 <= int(word) <= len(offers):
        return offers[int(word) - 1]
    return next((one for one in offers if one.name == word), None)


def settings_of(offer: Offer | None) -> Settings:
    """What an answer is written down as; "no model" too, so that it is asked once."""
    return offer.settings if offer else Settings()


def answer_lines(offer: Offer | None, path: str) -> Iterator[str]:
    if offer is None:
        yield "No model is used. `holdfast judge` shows what works here, and changes it."
    else:
        yield f"{offer.name} is the judge from now on ({path}); `{offer.command}` asks it one tiny question to be sure."


def as_data(config: Mapping[str, Any], offers: Sequence[Offer]) -> dict[str, Any]:
    return {"name": _name(config), "works": [one.as_record() for one in offers]}


def _name(config: Mapping[str, Any]) -> str:
    try:
        return choice.settings(config).name
    except UsageError:
        return VERBATIM
