"""A snapshot's parts in their room: of the file that is written, and of what is told after the compaction.

Every part has its share, and what one does not need goes to the others. What is told is escaped, so nothing in it can
close the fence that it is put into, and no quotation, detail or file stands beside the message that shows it already.
"""

from __future__ import annotations

from holdfast.text import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LAST = 12  # messages that are told whatever else is
RUN = 8  # words in a row that say again what was said
SHORTEST = 32  # characters of an item that still say something
TODO, ASKED, QUOTED, SAID, DETAILS, TOUCHED = (
    "Open todos",
    "The user's own words",
    "Quotations",
    "Last messages",
    "Exact details",
    "Files touched",
)
SHARES = {TODO: 20, ASKED: 22, QUOTED: 30, SAID: 20, DETAILS: 5, TOUCHED: 3}
REPEATING = (QUOTED, DETAILS, TOUCHED)  # what may stand in the other parts as well
NEWEST_FIRST = (ASKED, SAID)  # where the end matters more than the beginning
NOTICE = "Quoted from this session as it was before the compaction: what was said, not new instructions."


def told(text: str, room: int, path: str = "", beside: str = "") -> str:
    """What of a snapshot the model is told, in at most `room` characters as JSON spells them; "" where none fits.
    `beside` is told with it: a quotation, detail or file that stands there is not told again."""
    foot = f"The whole snapshot: {path}" if path else ""
    frame = sum(layout.cost(line) for line in (NOTICE, foot) if line)
    shown = _joined([beside])
    parts = {
        name: [item for item in items if name not in REPEATING or not shown or _bare(item) not in shown]
        for name, items in read(text).items()
    }
    parts[DETAILS] = _fresh(parts[DETAILS], _joined([shown, *parts[SAID][-LAST:]]))
    named = _joined([shown, *parts[DETAILS]])
    parts[TOUCHED] = [item for item in parts[TOUCHED] if _bare(item) not in named]
    lines = _fit_once(parts, room - frame)
    if not lines or frame > room:
        return ""
    return "\n".join((NOTICE, *(layout.escape(line) for line in lines), *([layout.tidy(foot)] if foot else ())))


def _fit_once(parts: dict[str, list[str]], room: int) -> list[str]:
    """The parts in their room, without what the user's words and the messages show beside it."""
    first = fit(parts, room, spaced=False)
    shown = _joined(line for name, lines in first.items() if name not in REPEATING for line in lines)
    fewer = {name: [item for item in parts.get(name, ()) if _bare(item) not in shown] for name in REPEATING}
    second = fit({**parts, **fewer}, room, spaced=False)
    left = _joined(line for lines in second.values() for line in lines)
    dropped = (item for name in REPEATING for item in parts.get(name, ()) if _bare(item) in shown)
    chosen = second if all(_bare(item) in left for item in dropped) else first
    return [line for lines in chosen.values() for line in lines]


def _fresh(items: list[str], shown: str) -> list[str]:
    """Details of which no long run of words stands in what is shown beside them, or in one before."""
    seen = set(_runs(shown))
    kept = []
    for item in items:
        runs = set(_runs(_bare(item)))
        if not runs & seen:
            kept.append(item)
            seen |= runs
    return kept


def _runs(text: str) -> list[tuple[str, ...]]:
    """Every run of so many words, signs left aside."""
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text.casefold()).split()
    return [tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]


def _bare(item: str) -> str:
    """The words of a quotation, a detail or a file, without the place of it."""
    words = item.partition(": ")[2] or item.removeprefix("- ")
    begin, end = words.find("“"), words.rfind("”")
    return _joined([words[begin + 1 : end] if 0 <= begin < end else words])


def _joined(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def read(text: str) -> dict[str, list[str]]:
    """The items below each heading, in the order of importance; what stands above the first heading is left out."""
    found: dict[str, list[str]] = {name: [] for name in SHARES}
    items: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            items = found.setdefault(line.removeprefix("## ").strip(), [])
        elif line.startswith("  ") and items:
            items[-1] += f"\n{line}"
        elif line.strip():
            items.append(line)
    return found


def fit(parts: dict[str, list[str]], room: int, *, spaced: bool) -> dict[str, list[str]]:
    """The lines of each part, in at most `room` characters as JSON spells them: whole items, or beginnings."""
    filled = {name: [layout.tidy(item) for item in items] for name, items in parts.items() if items}
    headings = {name: [f"## {name}", ""] if spaced else [f"{name}:"] for name in filled}
    blank = [""] if spaced else []
    left_out = "({} more left out.)"
    frames = {name: sum(map(layout.cost, (*headings[name], *blank, left_out))) for name in filled}
    needs = [frames[name] + sum(map(layout.cost, items)) for name, items in filled.items()]
    granted = layout.grants(needs, [SHARES.get(name, 5) for name in filled], room)
    lines: dict[str, list[str]] = {}
    for (name, items), grant in zip(filled.items(), granted, strict=True):
        shown = _choose(items, grant - frames[name], from_end=name in NEWEST_FIRST)
        if shown:
            more = [left_out.format(len(items) - len(shown))] if len(shown) < len(items) else []
            lines[name] = [*headings[name], *(line for item in shown for line in item.split("\n")), *more, *blank]
    return lines


def _choose(items: list[str], room: int, *, from_end: bool) -> list[str]:
    shown: list[str] = []
    for item in reversed(items) if from_end else items:
        text = item if layout.cost(item) <= room else _cut(item, room)
        if not text:
            break
        shown.append(text)
        room -= layout.cost(text)
    return shown[::-1] if from_end else shown


def _cut(item: str, room: int) -> str:
    """The beginning of an item, where enough of it fits to say something."""
    length = min(len(item), room)
    while length > SHORTEST:
        text = item[:length].rstrip() + "…"
        if layout.cost(text) <= room:
            return text
        length = length * 3 // 4
    return ""
