"""Fitting a brief into what every host carries: whole items, each section its share, and a line for what was left out.

Hosts cut at 10,000 characters; we stop below 9,000 as they will be printed, and below 200 lines. What a section does
not need goes to the others. An item that does not fit is replaced by its short form, or counted.
"""

from __future__ import annotations

from holdfast.capture import codec
from holdfast.model import value

MOST_CHARACTERS = 8700
PER_LINE = 46  # characters that a line costs at least, so that 200 lines are never passed
LEFT_OUT = 130  # room for a section's heading and its last line


@value
class Item:
    """One thing that is shown whole, in short, or not at all. `carries` names it for the ledger."""

    text: str
    short: str = ""
    carries: str = ""


@value
class Section:
    """Items under a heading. `share` is its part of the room in hundredths, `rest` how to read what is left out."""

    heading: str
    items: tuple[Item, ...]
    share: int
    rest: str = ""


def lay_out(head: tuple[str, ...], sections: list[Section], foot: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The text, and what it carries."""
    filled = [section for section in sections if section.items]
    room = MOST_CHARACTERS - sum(cost(line) for line in (*head, *foot))
    needs = [_need(section) for section in filled]
    granted = _grants(needs, [section.share for section in filled], room)
    lines: list[str] = list(head)
    carried: list[str] = []
    for section, grant, need in zip(filled, granted, needs, strict=True):
        shown, names = _fill(section, grant, whole=grant >= need)
        lines += shown
        carried += names
    return escape_all(lines, head, foot), tuple(carried)


def escape_all(lines: list[str], head: tuple[str, ...], foot: tuple[str, ...]) -> str:
    """The fence is ours; nothing within it can close it or open another."""
    return "\n".join((*head, *(escape(line) for line in lines[len(head) :]), *foot))


def _need(section: Section) -> int:
    return cost(section.heading) + sum(cost(item.text) for item in section.items)


def _grants(needs: list[int], shares: list[int], room: int) -> list[int]:
    """Everybody's share, and what some do not need to those that do, in the order of their shares."""
    if sum(needs) <= room:
        return needs
    total = sum(shares)
    granted = [min(need, room * share // total) for need, share in zip(needs, shares, strict=True)]
    left = room - sum(granted)
    for at in sorted(range(len(needs)), key=lambda at: -shares[at]):
        more = min(left, needs[at] - granted[at])
        granted[at] += more
        left -= more
    return granted


def _fill(section: Section, grant: int, *, whole: bool) -> tuple[list[str], list[str]]:
    lines = [section.heading] if section.heading else []
    room = grant - cost(section.heading) - (0 if whole else LEFT_OUT)
    carried: list[str] = []
    missing = 0
    for item in section.items:
        text = next((one for one in (item.text, item.short) if one and cost(one) <= room), "")
        if not text:
            missing += 1
            continue
        room -= cost(text)
        lines += text.split("\n")
        if item.carries:
            carried.append(item.carries)
    if missing:
        lines.append(f"({missing:,} more left out{'; ' + section.rest if section.rest else ''}.)")
    return lines, carried


def cost(text: str) -> int:
    """What a text costs as JSON spells it, once escaped, with its line breaks."""
    lines = text.count("\n") + 1
    printed = len(codec.encode(text).decode("utf-8")) - 1
    marked = 4 * (text.count("&") + text.count("<") + text.count(">")) if not text.isalnum() else 0
    return max(printed + marked, PER_LINE * lines)


def escape(text: str) -> str:
    """Outside text cannot close the fence or open another."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
