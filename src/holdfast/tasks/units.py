"""A line of progress as marks: which units, in which state, in ranges where there are ranges.

A script skips what this calls completed, so nothing is guessed: what is not surely a number or a range is a name, and
stays one. The grammar (nothing else is read):

    line    STATE [":" or dash] unit {("," or ";" or "and") unit}          a line without a state has no marks
    unit    [words] number | [words] range | name, then any of: "(" inside ")", dash remark
    number  up to 10**9, perhaps after "#"; behind one or two words or behind none
    range   a-b with either dash, a..b, a to b, a through b, a <= b; a-??? has no end yet; `step 2 of 9` says 1-9 too
    names   order_001.json - order_047.json: two names that differ in one number, with blanks about the dash
    inside  a list of numbers and ranges, which belong to the unit before it; any other inside is a remark
    remark  behind a dash with blanks, up to the next semicolon, or inside; `stopped at 94`: 94 is done, 95 is next

A number without words takes those of the unit before it (`tests 1-3, 7`). "and" parts only what is one word or a
number on either side. Names stay: dates, times, versions, reversed or huge ranges, a bare 555-1234 (a telephone's).
"""

from __future__ import annotations

from holdfast.errors import UsageError
from holdfast.model import replace, value
from holdfast.tasks.numbers import OPEN, Range, clean, is_digit, leading, numbers, said_as, single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

COMPLETED, IN_PROGRESS, PENDING, SKIPPED, FAILED = "completed", "in_progress", "pending", "skipped", "failed"
REOPENED = "reopened"  # to be done again: pending, whatever was said of it before
STATES = (COMPLETED, IN_PROGRESS, PENDING, SKIPPED, FAILED)
SETTLED = (COMPLETED, SKIPPED)  # nobody need do these again
# What the hook saw, and nobody said (tasks/observations): a unit was done, or begun with nothing after it.
SEEN, BEGUN = "seen", "begun"
FINISHED = (*SETTLED, SEEN)
UNENDED = (IN_PROGRESS, PENDING)  # states that a range without an end may have: what is done has an end

WORDS = {
    **dict.fromkeys(("COMPLETED", "DONE"), COMPLETED),
    **dict.fromkeys(("IN_PROGRESS", "IN PROGRESS", "IN-PROGRESS"), IN_PROGRESS),
    **dict.fromkeys(("PENDING", "TODO"), PENDING),
    "SKIPPED": SKIPPED,
    "FAILED": FAILED,
    "REOPENED": REOPENED,
}
DASHES = ("-", "–", "—", "--")  # noqa: RUF001  # people and editors write all of these
BULLETS = ("- ", "* ", "• ")
ASIDES = ("which", "because", "since", "but", "so", "as", "though", "although", "while", "except")
# Inside parentheses `line 14` or `attempt 2` is a remark; one of these is a unit even without a range.
COUNTED = ("file", "unit", "item", "test", "step", "record", "page", "chapter", "batch", "part")


@value
class Mark:
    """One unit or range in one state. A named unit has a name and no series; the others have no name, and a bare
    number's series is "". `within`: the named unit that a range was said of. `is_total`: said along with the others
    (of 9), so it only adds what nobody spoke of. `reopens`: pending, whatever was said before."""

    state: str
    series: str
    low: int
    high: int
    name: str
    width: int = 0
    stopped: int = -1
    within: str = ""
    is_total: bool = False
    reopens: bool = False


@value
class _Unit:
    """One item of the list, taken apart."""

    range: Range | None
    name: str
    remark: str
    insides: tuple[str, ...]


def state_of(text: str) -> str:
    """The state that a line begins with, "" where it begins with none."""
    return _state(text)[0]


def read(text: str) -> tuple[Mark, ...]:
    """Every unit that a line of progress speaks of, in its order; none where the line names no state."""
    state, rest = _state(text)
    marks: list[Mark] = []
    series = ""
    is_aside = False  # behind a remark a comma may be the remark's own
    for sign, piece in _pieces(rest) if state else ():
        unit = _taken_apart(piece)
        is_aside = is_aside and sign == ","
        if (is_aside and not unit.remark and not _is_path(piece)) or (
            sign == "," and (piece.split() or [""])[0].lower() in ASIDES
        ):
            continue
        is_aside = bool(unit.remark)
        if unit.range and not unit.range.series:
            unit = _Unit(Range(series, *_ends_of(unit.range)), unit.name, unit.remark, unit.insides)
        series = unit.range.series if unit.range else ""
        marks += _marks(state if state != REOPENED else PENDING, unit)
    return tuple(marks) if state != REOPENED else tuple(replace(mark, reopens=not mark.is_total) for mark in marks)


def wanted(text: str) -> Mark:
    """One unit as a script asks for it. Raises UsageError where there is none."""
    said = clean(text)
    if not said:
        raise UsageError('No unit was named; nothing was changed. Say it as the progress does: "file 030" or a path.')
    found = numbers(said)
    if found is None or found.high == OPEN:
        return Mark("", "", 0, 0, said)
    return Mark("", found.series, found.low, found.high, "", found.width)


def label(mark: Mark) -> str:
    """A mark in words, with the zeros that it had."""
    return mark.name or said_as(mark.series, mark.low, mark.high, mark.width)


def _state(text: str) -> tuple[str, str]:
    said = _unmarked(text)
    for word, state in WORDS.items():
        rest = said[len(word) :].removeprefix("]").removeprefix("**")
        if said.startswith(word) and not (rest[:1].isalnum() or rest[:1] == "_"):
            if rest[:1] in DASHES and rest[1:2].strip():
                return "", ""  # DONE-ISH is a word of its own
            rest = rest.lstrip()
            has_sign = rest[:1] == ":" or (rest[:1] in DASHES and not rest[1:2].strip())
            return state, rest[1:].removeprefix("**") if has_sign else rest
    return "", ""


def _unmarked(text: str) -> str:
    """A line without the mark of a list, bold and brackets, which tasks/checkpoint_words takes off too."""
    said = text.lstrip()
    for bullet in BULLETS:
        said = said.removeprefix(bullet).lstrip()
    return said.lstrip("*[")


def _marks(state: str, unit: _Unit) -> Iterator[Mark]:
    stop = _stop(unit.remark)
    if unit.range:
        stop = stop or next((found for inside in unit.insides if (found := _stop(inside))), None)
        yield from _range_marks(state, unit.range, stop, "")
        return
    if unit.name:
        yield Mark(state, "", 0, 0, unit.name)
    inner = [found for inside in unit.insides for found in _inside(inside)]
    for found, remark in inner:
        yield from _range_marks(state, found, _stop(remark) or stop, unit.name)
    if stop and stop.series in COUNTED and not inner and state in UNENDED:
        yield from _range_marks(state, Range(stop.series, stop.low, OPEN, stop.width), stop, unit.name)


def _range_marks(state: str, found: Range, stop: Range | None, within: str) -> Iterator[Mark]:
    series, low, high, width = found.series, found.low, found.high, found.width
    if found.total:
        yield Mark(PENDING, series, 1, found.total, "", width, within=within, is_total=True)
    is_stop = stop is not None and stop.series in ("", series) and low <= stop.low <= high
    if stop is not None and is_stop and low < high and state in (*UNENDED, COMPLETED):
        yield Mark(COMPLETED, series, low, stop.low, "", width, within=within)
        if state != COMPLETED and stop.low < high:
            yield Mark(state, series, stop.low + 1, high, "", width, stop.low, within)
    elif high < OPEN or state in UNENDED:
        yield Mark(state, series, low, high, "", width, within=within)
    elif not within:
        yield Mark(state, "", 0, 0, said_as(series, low, high, width))


def _inside(text: str) -> list[tuple[Range, str]]:
    """The ranges in parentheses, each with its remark; none at all where one part is no number: then it is prose."""
    found: list[tuple[Range, str]] = []
    series = ""
    for _, piece in _pieces(text):
        unit = _taken_apart(piece)
        if unit.range is None:
            return []
        range_ = unit.range if unit.range.series else Range(series, *_ends_of(unit.range))
        series = range_.series
        found.append((range_, unit.remark))
    is_told = any(one.low < one.high or one.total or one.series in COUNTED or _stop(remark) for one, remark in found)
    return found if is_told else []


def _stop(remark: str) -> Range | None:
    """The number of `stopped at 094` or `stopped after file 094`."""
    words = [word.strip(".,:;!") for word in remark.split()]
    for at, word in enumerate(words[:-2]):
        if word.lower() == "stopped" and words[at + 1].lower() in ("at", "after"):
            for end in (at + 3, at + 4):
                found = numbers(" ".join(words[at + 2 : end]))
                if found and found.low == found.high:
                    return found
    return None


def _pieces(text: str) -> list[tuple[str, str]]:
    """The items of a list, each with the sign before it. Parentheses hold together, and so does 1,000."""
    ends = _closings(text)
    cuts: list[tuple[str, str]] = []
    sign, begin, at = "", 0, 0
    while at < len(text):
        if at in ends:
            at = ends[at]
        width = 5 if text[at : at + 5] == " and " else 1
        if width == 5 or text[at] == ";" or (text[at] == "," and not _is_grouping(text, at)):
            cuts.append((sign, text[begin:at]))
            sign, begin = text[at : at + width].strip(), at + width
            at = begin - (width == 5)  # the blank may open the next " and "
            continue
        at += 1
    return [(sign, piece) for sign, piece in _held_together([*cuts, (sign, text[begin:])]) if piece.strip()]


def _held_together(cuts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """`batch_4/ and batch_5/` are two units, `the users and the orders table` is one."""
    pieces: list[tuple[str, str]] = []
    at = 0
    while at < len(cuts):
        end = at + 1
        while end < len(cuts) and cuts[end][0] == "and":
            end += 1
        run = cuts[at:end]
        apart = [_taken_apart(piece.strip().removeprefix("and ")) for _, piece in run if piece.strip()]
        if all(unit.range is not None or " " not in unit.name for unit in apart):
            pieces += [run[0], *((",", piece) for _, piece in run[1:])]
        else:
            pieces.append((run[0][0], " and ".join(piece.strip() for _, piece in run).removeprefix("and ")))
        at = end
    return [(sign, piece.strip().removeprefix("and ")) for sign, piece in pieces]


def _taken_apart(piece: str) -> _Unit:
    body, insides = _parentheses(piece)
    parts = _parts(body)
    first = clean(parts[0])
    remark = " - ".join(parts[1:])
    if len(parts) > 1:
        second = clean(parts[1])
        found = numbers(f"{first} - {second}") if all(single(part) is None for part in parts[2:]) else None
        # A long dash with blanks about it only ever begins a remark.
        first_dash = next((word for word in body.split() if word in DASHES), "")
        if found and first_dash not in ("—", "--"):
            return _Unit(found, "", " - ".join(parts[2:]), insides)
        if all(" " not in part and any(map(is_digit, part)) for part in (first, second)):
            return _Unit(None, clean(" ".join(body.split())), "", insides)  # no range, and which half is meant?
    found = numbers(first)
    return _Unit(found, "" if found else first, remark, insides)


def _parts(body: str) -> list[str]:
    """The parts before, between and behind dashes that have blanks about them; a long one needs none."""
    spaced = "".join(
        f" {letter} "
        if letter == "—" and not (is_digit(body[at - 1 : at]) and is_digit(body[at + 1 : at + 2]))
        else letter
        for at, letter in enumerate(body)
    )
    parts: list[list[str]] = [[]]
    for word in spaced.split():
        if word in DASHES:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(words) for words in parts]


def _parentheses(piece: str) -> tuple[str, tuple[str, ...]]:
    """A text without its parentheses, and what stood in them. `parse(a, b)` is a name."""
    ends = _closings(piece)
    body, insides, at = "", [], 0
    while at < len(piece):
        if at in ends and not piece[at - 1 : at].strip():
            insides.append(piece[at + 1 : ends[at]])
            at = ends[at] + 1
            continue
        body += piece[at]
        at += 1
    return body, tuple(insides)


def _closings(text: str) -> dict[int, int]:
    """Where each parenthesis that closes again does so."""
    ends: dict[int, int] = {}
    begun: list[int] = []
    for at, letter in enumerate(text):
        if letter == "(":
            begun.append(at)
        elif letter == ")" and begun:
            ends[begun.pop()] = at
    return ends


def _is_path(piece: str) -> bool:
    said = clean(piece)
    return " " not in said and ("/" in said or "_" in said or "." in said[1:])


def _is_grouping(text: str, at: int) -> bool:
    """Whether a comma stands in 1,000: a list of numbers without blanks could look the same, so neither is read."""
    before, digits = text[len(text[:at].rstrip("0123456789")) : at], leading(text[at + 1 :])
    return len(digits) == 3 and 1 <= len(before) <= 3 and before[0] != "0"


def _ends_of(found: Range) -> tuple[int, int, int, int]:
    return found.low, found.high, found.width, found.total
