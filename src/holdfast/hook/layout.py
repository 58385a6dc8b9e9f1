"""Fitting a brief into what every host carries: whole items, each section its share, and a line for what was left out.

Hosts cut at 10,000 characters; we stop below 9,000 as they will be printed, and below 200 lines. What a section does
not need goes to the others by their shares. An item that does not fit is replaced by its short form, or counted; one
that would take most of its section comes in short until the others have their place.
"""

from __future__ import annotations

from holdfast.capture.ids import digest
from holdfast.model import value

MOST_CHARACTERS = 8700
PER_LINE = 46  # characters that a line costs at least, so that 200 lines are never passed
LEFT_OUT = 130  # room for the line that says what was left out
GREEDY = 3  # an item above this part of its section's room waits until the others had theirs
# No terminal or host should have to obey what a file says: control characters, but for tabs, are shown as unreadable.
CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "\ufffd")
# Printable and yet nothing that a reader sees, from and to; and what stands for an unreadable character.
UNSEEN = (
    "\u0300\u036f",
    "\u17b4\u17b5",
    "\u180b\u180f",
    "\u2800\u2800",
    "\ufe00\ufe0f",
    "\U000e0100\U000e01ef",
    "\ufffd\ufffd",
)


@value
class Item:
    """One thing that is shown whole, in short, or not at all. Of a section's items those of a lower `rank` get their
    room first, wherever they stand. `carries` names it for the ledger, which is also told
    the digest of `words`, or else of the text: a digest costs, so only what is shown gets one."""

    text: str
    short: str = ""
    carries: str = ""
    words: str = ""
    rank: int = 0


@value
class Section:
    """Items under a heading. `share` is its part of the room in hundredths, `rest` how to read what is left out, `more`
    how many things there are beside the items."""

    heading: str
    items: tuple[Item, ...]
    share: int
    rest: str = ""
    more: int = 0


def lay_out(
    head: tuple[str, ...], sections: list[Section], foot: tuple[str, ...], most: int = MOST_CHARACTERS
) -> tuple[str, tuple[str, ...]]:
    """The text, and what it carries."""
    filled = [_tidied(section) for section in sections if section.items or section.more]
    room = most - sum(cost(line) for line in (*head, *foot))
    needs = [_need(section) for section in filled]
    granted = grants(needs, [section.share for section in filled], room)
    lines: list[str] = []
    carried: list[str] = []
    for section, grant, need in zip(filled, granted, needs, strict=True):
        shown, names = _fill(section, grant, whole=grant >= need)
        lines += shown
        carried += names
    # The fence is ours; nothing within it can close it or open another.
    return "\n".join((*head, *(escape(line) for line in lines), *foot)), tuple(carried)


def _tidied(section: Section) -> Section:
    items = tuple(
        Item(tidy(one.text), tidy(one.short), one.carries, one.words or one.text, one.rank) for one in section.items
    )
    return Section(tidy(section.heading), items, section.share, section.rest, section.more)


def tidy(text: str) -> str:
    """A text whose only line breaks are those that we count, without control characters and halves of characters."""
    if text.isprintable():
        return text
    lines = text.splitlines()
    if text.endswith("\n"):
        lines.append("")
    joined = "\n".join(lines)
    return joined.translate(CONTROLS | {10: "\n"}).encode("utf-8", "replace").decode("utf-8")


def _need(section: Section) -> int:
    left_out = LEFT_OUT if section.more else 0
    return cost(section.heading) + sum(cost(item.text) for item in section.items) + left_out


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


def _fill(section: Section, grant: int, *, whole: bool) -> tuple[list[str], list[str]]:
    room = grant - cost(section.heading) - (LEFT_OUT if section.more or not whole else 0)
    chosen = _choose(section.items, room, room if whole else room // GREEDY)
    lines = [section.heading] if section.heading else []
    for text in chosen:
        lines += text.split("\n") if text else ()
    shown = [item for item, text in zip(section.items, chosen, strict=True) if text and item.carries]
    carried = [f"{item.carries}:{digest(item.words)}" for item in shown]
    missing = section.more + sum(1 for text in chosen if not text)
    if missing:
        lines.append(f"({missing:,} more left out{'; ' + section.rest if section.rest else ''}.)")
    return lines, carried


def _choose(items: tuple[Item, ...], room: int, greedy: int) -> list[str]:
    """What is shown of each item: by rank, in order, but what has a short form and is greedy is whole only if room is
    left."""
    chosen = [""] * len(items)
    turns = sorted(range(len(items)), key=lambda at: items[at].rank)
    for at in turns:
        item, text = items[at], ""
        if room >= PER_LINE:  # else not a line more fits, however many items there are
            whole = not item.short or cost(item.text) <= greedy
            text = next((one for one in ((item.text if whole else ""), item.short) if one and cost(one) <= room), "")
        chosen[at] = text
        room -= cost(text) if text else 0
    for at in turns:
        item = items[at]
        if room < PER_LINE:
            break
        more = cost(item.text) - cost(chosen[at]) if chosen[at] else cost(item.text)
        if chosen[at] != item.text and more <= room:
            chosen[at] = item.text
            room -= more
    return chosen


def cost(text: str) -> int:
    """What a tidy text costs as JSON spells it, once escaped, with the line break behind it.

    Counted rather than spelled out: a start asks this of every item.
    """
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
        if letter == "\n":
            return True
        if letter in "/!?" or letter.isalpha():
            return True
        if letter.isprintable() and letter != " " and not any(one[0] <= letter <= one[1] for one in UNSEEN):
            return False
    return at_end
