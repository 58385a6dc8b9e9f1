"""A session of the week as it is written down: when, where, what it does, and what the next one needs of it.

The facts that are needed were written with each session; some of their words were made stricter after the first play. A
fact is in a text if of each of its groups one of the words is there, all within a stretch of it.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from week_play.session import Session

WINDOW = 400  # characters within which the words of a fact have to stand
MAIN, FEED, RECIPES = "tidewatch", "tidewatch-feed", "recipes"


@dataclass(frozen=True)
class Need:
    """One fact: what it is, and the words that show it, a group each."""

    what: str
    words: tuple[tuple[str, ...], ...]

    def is_in(self, text: str) -> bool:
        flat = _flat(text)
        places = sorted(
            (at, nth) for nth, group in enumerate(self.words) for word in group for at in _places(flat, word)
        )
        last: dict[int, int] = {}
        for at, nth in places:
            last[nth] = at
            if len(last) == len(self.words) and at - min(last.values()) <= WINDOW:
                return True
        return False


def need(what: str, *groups: str) -> Need:
    """`need("what", "a|b", "c")`: one of a and b, and c."""
    return Need(what, tuple(tuple(group.split("|")) for group in groups))


@dataclass(frozen=True)
class Part:
    """One session. `needs` is for the next session at the same place, `lasts` for every later one of the project."""

    at: str
    place: str
    happened: str
    play: Callable[[Session], None]
    needs: tuple[Need, ...] = ()
    lasts: tuple[Need, ...] = ()
    works: bool = True  # False: it only answered a question
    resumes: bool = False  # the conversation of the session before goes on
    short: bool = False  # also part of the short week

    @property
    def when(self) -> float:
        return float(calendar.timegm(time.strptime(self.at, "%Y-%m-%d %H:%M")))


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()


def _places(flat: str, word: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(_flat(word)), flat)]
