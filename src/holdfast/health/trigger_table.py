"""The yield of triggers as lines for people: the table, how to read it, and two rankings side by side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.health.trigger_yield import EXPECTED, FEWEST, PER_TOKEN
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.health.trigger_yield import Row, Yield

COLUMNS = ("reminders", "flags", "filed", "read", "armed", "superseded", "discarded", "waiting", "used")
WIDTH, RANKED = 16, 40
HOW = (
    "A flag counts for the newest reminder before it in its session and turn; the user's own words are a user request;",
    "any other flag is unprompted. read: a question returned its note, or an agent opened or cited it. used: read or",
    "armed. tokens: for each note that was used, those of judges as metered, and those of reminders, estimated at",
    f"{PER_TOKEN} characters a token.",
)


def lines(found: Yield) -> Iterator[str]:
    """All that `audit --yield` prints."""
    days = (time.strftime("%Y-%m-%d", time.gmtime(one)) for one in (found.period.since, found.period.until))
    where = f"project {found.period.project}" if found.period.project else "all projects"
    yield f"{' to '.join(days)}, {where}"
    yield ""
    if not any(row.flags or row.reminders for row in found.rows):
        yield "No trigger reminded anybody, and nothing was flagged in this time."
        return
    yield f"{'trigger':<{WIDTH}}" + "".join(f"  {name}" for name in COLUMNS) + f"{'tokens':>8}"
    for row in found.rows:
        each = row.tokens_per_used_note
        cells = "".join(f"{_cell(getattr(row, name)):>{len(name) + 2}}" for name in COLUMNS)
        yield f"{row.trigger:<{WIDTH}}{cells}{'-' if each is None else f'{each:,.0f}':>8}"
    yield from ("", *HOW, *_rest(found), "")
    yield from _rankings(found)


def _cell(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


def _rest(found: Yield) -> Iterator[str]:
    if found.why_unread:
        yield f"The field's index could not be looked at, so nobody knows what was read: {found.why_unread}"
    unsized = sum(row.unsized for row in found.rows)
    if unsized:
        yield f"The length of {many(unsized, 'reminder')} was not recorded; they are left out of the tokens."
    unknown = sum(row.unknown for row in found.rows)
    if unknown:
        yield f"{many(unknown, 'flag')} in no note of this vault: forgotten, purged, or filed on another machine."
    if found.other_tokens:
        yield f"Judges took {found.other_tokens:,} tokens more for sessions that flagged nothing."


def _rankings(found: Yield) -> Iterator[str]:
    """The published ranking beside the user's own; they have other lengths, and neither is filled up."""
    yield f"{'rank':<6}{'as published':<{RANKED}}here, by the share of flags that were used"
    own = [f"{row.trigger}: {row.used} of {row.flags}" for row in found.ranked]
    for at in range(max(len(EXPECTED), len(own))):
        name, ours = EXPECTED[at] if at < len(EXPECTED) else ("", ("",))
        said = name if ours else f"{name} (brings no flags)"
        yield f"{at + 1:<6}{said:<{RANKED}}{own[at] if at < len(own) else ''}".rstrip()
    few = [row for row in found.rows if row.rank is None]
    if few:
        yield f"Not ranked, with fewer than {FEWEST} flags or no known use: {', '.join(map(_named, few))}."


def _named(row: Row) -> str:
    return f"{row.trigger} ({row.flags})"
