"""Fitting a brief into what every host carries: whole items, each section its share, and a line for what was left out.

Hosts cut at 10,000 characters; we stop below 9,000 as they will be printed, and below 200 lines. What a section
does not need goes to the others by their shares, and what is left once all are filled goes to those that could show
more, so nothing comes in short while there is room. An item that does not fit is replaced by its short form, or
counted; one that would take most of its section comes in short until the others have their place.
"""

from __future__ import annotations

import time

from holdfast.capture.ids import digest
from holdfast.model import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


MOST_CHARACTERS = 8700
PER_LINE = 46  # characters that a line costs at least, so that 200 lines are never passed
LEFT_OUT = 130  # room for the line that says what was left out
GREEDY = 3  # an item above this part of its section's room waits until the others had theirs
# No terminal or host should have to obey what a file says: control characters, but for tabs, are shown as unreadable.
WIDE = {0xFF1C: "<", 0xFE64: "<"}  # other widths of the same sign
LOOKALIKES = "\u2039\u276e\u2770\u27e8\u2329\u3008\u1438\u02c2\u16b2\u227a\u29fc"  # signs of their own
CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "\ufffd")
# Printable and yet nothing that a reader sees by itself, from and to: marks that combine with the sign before them,
# fillers, and what stands for an unreadable character.
UNSEEN = (
    *("\u0300\u036f", "\u0483\u0489", "\u115f\u1160", "\u17b4\u17b5", "\u180b\u180f", "\u1ab0\u1aff"),
    *("\u1dc0\u1dff", "\u20d0\u20ff", "\u2800\u2800", "\u3164\u3164", "\ufe20\ufe2f", "\uffa0\uffa0"),
    *("\ufe00\ufe0f", "\U000e0100\U000e01ef", "\ufffd\ufffd"),
)


@value
class Item:
    """One thing that is shown whole, in short, or not at all. Of a section's items those of a lower `rank` get their
    room first, wherever they stand. `carries` names it for the ledger, which also gets the digest of `words`, or of the
    text. `under` is a line that stands once above the first that is shown of those that share it; `also` are things
    that this one says too; `why` is what `holdfast boot --explain` tells of it."""

    text: str
    short: str = ""
    carries: str = ""
    words: str = ""
    rank: int = 0
    under: str = ""
    part: str = ""  # of the section, where the same line stands above things in several
    also: tuple[tuple[str, str], ...] = ()  # what each carries, and its words
    why: dict[str, Any] = {}  # noqa: RUF012


@value
class Section:
    """Items under a heading. `share` is its part of the room in hundredths, `rest` how to read what is left out, `more`
    how many things there are beside the items. With `lines_first` every item has its short form before one is whole."""

    heading: str
    items: tuple[Item, ...]
    share: int
    rest: str = ""
    more: int = 0
    name: str = ""
    lines_first: bool = False


@value
class Filled:
    """A section with what is shown of each of its items, "" where nothing is, and what that costs."""

    section: Section
    chosen: tuple[str, ...]
    lines: tuple[str, ...]
    used: int


def lay_out(
    head: tuple[str, ...], sections: list[Section], foot: tuple[str, ...], most: int = MOST_CHARACTERS
) -> tuple[str, tuple[str, ...]]:
    """The text, and what it carries."""
    filled = fill(sections, most - sum(cost(line) for line in (*head, *foot)))
    return text_of(head, filled, foot), carried_by(filled)


def fill(sections: list[Section], room: int) -> list[Filled]:
    """The parts that are shown of each section that has something to say."""
    wanted = [
        replace(one, heading=tidy(one.heading), items=tuple(map(_tidied_item, one.items)))
        for one in sections
        if one.items or one.more
    ]
    needs = []
    for section in wanted:
        titles = {(item.part, item.under) for item in section.items if item.under}
        texts = (section.heading, *(title for _, title in titles), *(item.text for item in section.items))
        needs.append(sum(map(cost, texts)) + (LEFT_OUT if section.more else 0))
    granted = grants(needs, [section.share for section in wanted], room)
    pairs = zip(granted, needs, strict=True)
    filled = [_fill(one, grant, whole=grant >= need) for one, (grant, need) in zip(wanted, pairs, strict=True)]
    left = room - sum(one.used for one in filled)
    for at, one in enumerate(filled):
        if left >= PER_LINE and list(one.chosen) != [item.text for item in one.section.items]:
            filled[at] = _fill(one.section, one.used + left, whole=one.used + left >= needs[at])
            left -= filled[at].used - one.used
    return filled


def text_of(head: tuple[str, ...], filled: list[Filled], foot: tuple[str, ...]) -> str:
    """The fence is ours; nothing within it can close it or open another."""
    return "\n".join((*head, *(escape(line) for one in filled for line in one.lines), *foot))


def carried_by(filled: list[Filled]) -> tuple[str, ...]:
    """The things that are shown, by name, with the digest of their words."""
    shown = [item for one in filled for item, text in zip(one.section.items, one.chosen, strict=True) if text]
    named = [pair for item in shown for pair in ((item.carries, item.words or item.text), *item.also)]
    return tuple(f"{name}:{digest(words)}" for name, words in named if name)


def _tidied_item(item: Item) -> Item:
    text, short, under = tidy(item.text), tidy(item.short), tidy(item.under)
    if text is item.text and short is item.short and under is item.under:
        return item
    return replace(item, text=text, short=short, under=under, words=item.words or item.text)


def tidy(text: str) -> str:
    """A text whose only line breaks are those that we count, without control characters and halves of characters,
    without signs that nobody sees or that turn the direction of what follows, and with no sign that only looks like
    the `<` of a fence. The same again changes nothing."""
    if not text.isascii():
        text = _unmasked(text)
    if text.isprintable():
        return text
    joined = "\n".join((*text.splitlines(), *([""] if text.endswith("\n") else ())))
    return joined.translate(CONTROLS | {10: "\n"}).encode("utf-8", "replace").decode("utf-8")


def _unmasked(text: str) -> str:
    text = text.translate(WIDE)
    if not text.isprintable():
        from holdfast.capture.flags import visible

        text = visible(text)
    for at, sign in enumerate(text) if any(one in text for one in LOOKALIKES) else ():
        behind = text[at + 1 : at + 24].casefold() if sign in LOOKALIKES else ""
        if "".join(one for one in behind if one.isalpha()).startswith("holdfast"):  # the name of a fence of ours
            text = f"{text[:at]}<{text[at + 1 :]}"
    return text


def grants(needs: list[int], shares: list[int], room: int) -> list[int]:
    """Everybody's need or share, and what some do not need to those that do, by their shares."""
    granted = list(needs)
    hungry = list(range(len(needs)))
    while hungry:
        total = sum(shares[at] for at in hungry)
        sated = [at for at in hungry if needs[at] <= room * shares[at] // total]
        if not sated:
            for at in hungry:
                granted[at] = room * shares[at] // total
            break
        room -= sum(needs[at] for at in sated)
        hungry = [at for at in hungry if at not in sated]
    return granted


def _fill(section: Section, grant: int, *, whole: bool) -> Filled:
    room = grant - cost(section.heading) - (LEFT_OUT if section.more or not whole else 0)
    greedy = room if whole else 0 if section.lines_first else room // GREEDY
    chosen = _choose(section.items, room, greedy)
    shown = [section.heading] if section.heading else []
    titles: set[tuple[str, str]] = set()
    for item, text in zip(section.items, chosen, strict=True):
        if text and item.under and (item.part, item.under) not in titles:
            titles.add((item.part, item.under))
            shown.append(item.under)
        shown += [text] if text else []
    missing = section.more + sum(1 for text in chosen if not text)
    if missing:
        shown.append(f"({missing:,} more left out{'; ' + section.rest if section.rest else ''}.)")
    lines = tuple(line for text in shown for line in text.split("\n"))
    return Filled(section, tuple(chosen), lines, sum(map(cost, shown)))


def _choose(items: tuple[Item, ...], room: int, greedy: int) -> list[str]:
    """The text that is shown of each item, by rank; a greedy one with a short form is whole only if room is left."""
    chosen = [""] * len(items)
    wholes = [cost(item.text) for item in items]
    titles: set[tuple[str, str]] = set()
    turns = sorted(range(len(items)), key=lambda at: items[at].rank)
    for at in turns:
        item, whole = items[at], wholes[at]
        title = cost(item.under) if item.under and (item.part, item.under) not in titles else 0
        if room < PER_LINE + title:
            continue  # not a line more fits, however many items there are
        if whole + title <= room and (whole <= greedy or not item.short):
            chosen[at] = item.text
            room -= whole + title
        elif item.short and (price := cost(item.short) + title) <= room:
            chosen[at] = item.short
            room -= price
        if chosen[at]:
            titles.add((item.part, item.under))
    for at in turns:
        item = items[at]
        if room < PER_LINE:
            break
        if chosen[at] == item.text:
            continue
        title = cost(item.under) if item.under and (item.part, item.under) not in titles else 0
        more = wholes[at] - cost(chosen[at]) if chosen[at] else wholes[at] + title
        if more <= room:
            chosen[at] = item.text
            titles.add((item.part, item.under))
            room -= more
    return chosen


def cost(text: str) -> int:
    """The room of a tidy text as JSON spells it, with its line break. Counted, since a start asks it of every item."""
    breaks = text.count("\n")
    spelled = len(text) + 2 + breaks + text.count('"') + text.count("\\") + text.count("\t")
    marked = 3 * sum(_openings(text)) if "<" in text else 0
    return max(spelled + marked, PER_LINE * (breaks + 1))


def escape(text: str) -> str:
    """Outside text cannot close the fence or open another; what could not be taken for markup stays as it is."""
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    marks = ("&lt;" if opens else "<" for opens in _openings(text))
    return first + "".join(mark + piece for mark, piece in zip(marks, rest, strict=True))


def _openings(text: str) -> list[bool]:
    """Of each `<`, whether it could open a tag or a comment: the same for a text and for its lines one by one."""
    pieces = text.split("<")[1:]
    # What stands behind the last one of a line is the next line, and that may be anything.
    return [_opens(piece, at_end=nth == len(pieces)) for nth, piece in enumerate(pieces, 1)]


def _opens(behind: str, *, at_end: bool) -> bool:
    for letter in behind:
        if letter in "\n/!?" or letter.isalpha():
            return True
        if letter.isprintable() and letter != " " and not any(one[0] <= letter <= one[1] for one in UNSEEN):
            return False
    return at_end
