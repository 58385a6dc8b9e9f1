"""Two handoffs compared: what was done, decided and learned on the way from one to the other, and what each section
says now that it did not, says no longer, and still says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.page import handoffs
from holdfast.vault import lineage
from holdfast.vault.lineage import Handoff

if TYPE_CHECKING:
    from holdfast.page.handoffs import Chain, Head, Item

MOST_BETWEEN = 60  # handoffs on the way that are read
TOLD = ("done", "decisions", "learned")  # sections of what happened on the way
OPEN_GONE = "settled, or not said any more"


@dataclass(frozen=True)
class Told:
    """An item, and the handoff on the way that says it."""

    item: Item
    head: Head


@dataclass(frozen=True)
class Change:
    """One section: items that came, that went, and how many stayed."""

    title: str
    came: tuple[Item, ...]
    went: tuple[Item, ...]
    stayed: tuple[Item, ...]
    why_gone: str


@dataclass(frozen=True)
class Comparison:
    """From an older handoff to a newer one. `between` counts those on the way, the newer one included; `unread` are
    those beyond what is read; `is_line` says that the newer one continues the older one, step by step."""

    older: Head
    newer: Head
    between: int
    unread: int
    is_line: bool
    on_the_way: tuple[tuple[str, tuple[Told, ...]], ...]
    changes: tuple[Change, ...]


def compared(vault: str, known: Chain, first: Handoff, second: Handoff) -> Comparison:
    """The two in the order of the chain, whichever was chosen first."""
    pair = sorted((first, second), key=lambda one: known.number(handoffs.ident_of(one.path)) or one.time)
    older, newer = pair
    way = _way(vault, known, older, newer)
    told = []
    for key in TOLD:
        found = tuple(Told(handoffs.item(text), head) for one, head in way.read for text in one.items(key))
        if found:
            told.append((lineage.SECTIONS[key], found))
    return Comparison(
        handoffs.head_of(older, known.number(handoffs.ident_of(older.path))),
        handoffs.head_of(newer, known.number(handoffs.ident_of(newer.path))),
        way.count,
        way.count - len(way.read),
        way.is_line,
        tuple(told),
        tuple(_changes(older, newer)),
    )


@dataclass(frozen=True)
class _Way:
    read: tuple[tuple[Handoff, Head], ...]  # the oldest first
    count: int
    is_line: bool


def _way(vault: str, known: Chain, older: Handoff, newer: Handoff) -> _Way:
    """The handoffs that lead from one to the other, by parents; where they do not, all between the two by number."""
    end = handoffs.ident_of(older.path)
    line: list[tuple[Handoff, Head]] = []
    at: Handoff | None = newer
    while at is not None and len(line) < MOST_BETWEEN:
        number = known.number(handoffs.ident_of(at.path))
        head = handoffs.head_of(at, number, known)
        line.append((at, head))
        if end in head.parents:
            return _Way(tuple(reversed(line)), len(line), is_line=True)
        at = _read(vault, head.parents[0]) if head.parents else None
    low, high = known.number(end), known.number(handoffs.ident_of(newer.path))
    numbers = range(max(low + 1, high - MOST_BETWEEN + 1), high + 1)
    found = ((_read(vault, handoffs.ident_of(known.paths[number - 1])), number) for number in numbers)
    read = tuple((one, handoffs.head_of(one, number, known)) for one, number in found if one)
    return _Way(read, max(high - low, len(read)), is_line=False)


def _read(vault: str, ident: str) -> Handoff | None:
    found = lineage.read(vault, f"{lineage.FOLDER}/{ident}.md")
    return found if isinstance(found, Handoff) else None


def _changes(older: Handoff, newer: Handoff) -> list[Change]:
    found = []
    for key, title in lineage.SECTIONS.items():
        before, after = older.items(key), newer.items(key)
        if not before and not after:
            continue
        came, went, stayed = (
            tuple(handoffs.item(text) for text in texts)
            for texts in (
                [one for one in after if one not in before],
                [one for one in before if one not in after],
                [one for one in after if one in before],
            )
        )
        gone = OPEN_GONE if key in lineage.OPEN else "not said any more"
        found.append(Change(title, came, went, stayed, gone))
    return found
