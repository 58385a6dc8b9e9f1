"""Counts, times and spans as people say them."""

from __future__ import annotations

import time


def many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(moment))


def age(seconds: float) -> str:
    """A length of time as people say it."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return many(int(seconds // size), unit)
    return many(max(0, int(seconds)), "second")


def first_of(names: list[str], most: int = 3) -> str:
    """The first few of many names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
