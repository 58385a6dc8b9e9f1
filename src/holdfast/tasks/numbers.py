"""Numbers and ranges as people write them, with the words before them, and said in such words again.

A text is a number or a range as a whole or not at all: what could be a date, a version, a time, a telephone number or
part of a sentence is none, since a wrong range would have a script skip work that nobody did.
"""

from __future__ import annotations

from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 10**9
OPEN = LARGEST + 1  # the end of a range of which nobody knows the end
HOLE = "{}"  # in a series of names: where the number stands
THROUGH = ("to", "through", "..", "-", "–")  # noqa: RUF001
FILLERS = ("the", "all")
# A number behind one of these is a date, a time or a telephone number, or belongs to a sentence.
NO_UNITS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    *("december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "phone", "tel"),
    *("at", "by", "from", "in", "of", "on", "since", "to", "through", "until", "for", "about", "than", "and"),
)
IRREGULAR = {
    "statuses": "status",
    "aliases": "alias",
    "canvases": "canvas",
    "buses": "bus",
    "caches": "cache",
    "movies": "movie",
    "cookies": "cookie",
    "indices": "index",
}
UNCHANGED = ("series", "species", "alias", "canvas", "lens", "news", "gas", "atlas", "bias")


@value
class Range:
    """Numbers as they stand in a text. `total` 0: none was said."""

    series: str
    low: int
    high: int
    width: int
    total: int = 0


def said_as(series: str, low: int, high: int, width: int = 0) -> str:
    """A number or a range of a series in words, which `wanted` reads again."""
    first, last = str(low).zfill(width), "???" if high == OPEN else str(high).zfill(width)
    if HOLE in series:
        return series.replace(HOLE, first) + ("" if low == high else f" - {series.replace(HOLE, last)}")
    numbers = first if low == high else f"{first}-{last}"
    return f"{series if low == high else _plural(series)} {numbers}".strip()


def numbered(name: str) -> Iterator[tuple[str, int]]:
    """Every series of names that a name could belong to, with its number there."""
    at = 0
    while at < len(name):
        digits = leading(name[at:])
        end = at + len(digits)
        if 0 < len(digits) <= 10:
            yield name[:at] + HOLE + name[end:], int(digits)
        at = max(end, at + 1)


def numbers(text: str) -> Range | None:
    """A text that is a number or a range and nothing else, with the words before it."""
    words = text.split()
    while words and words[0].lower() in FILLERS:
        del words[0]
    total = 0
    if len(words) > 2 and words[-2] == "of":
        total, words = (single(words[-1]) or (-1, 0))[0], words[:-2]
    if not words:
        return None
    left, first, right, last = _sides(words)
    low, high = single(first), (OPEN, 0) if last and not last.strip("?") else single(last)
    if low is None or high is None:
        return _hole(clean(first), clean(last)) if right == left == [] and not total else None
    series = _series(left)
    if series is None or low[0] > high[0] or (right and _series(right) != series):
        return None
    is_count = low == high and left and left[-1].casefold() != series.split()[-1]  # `tests 3 of 9` is how many
    if total and (is_count or not series or not 1 <= low[0] <= high[0] <= total):
        return None
    is_telephone = len(last) > len(first) + 1 if first[0] == "0" else (len(first), len(last)) == (3, 4)
    if not series and is_telephone:
        return None
    return Range(series, low[0], high[0], max(low[1], high[1]), total)


def _sides(words: list[str]) -> tuple[list[str], str, list[str] | None, str]:
    """The two ends of a range, each behind its words; a number alone is both ends. The second has no words at all,
    not even none, where there is no blank between the two: names are parted by blanks only."""
    for at in range(1, len(words) - 1):
        if words[at] in THROUGH:
            return words[: at - 1], words[at - 1], words[at + 1 : -1], words[-1]
    for sign in ("..", "–", "—", "-"):  # noqa: RUF001
        first, found, last = words[-1].partition(sign)
        if found:
            return words[:-1], first, None, last
    return words[:-1], words[-1], None, words[-1]


def single(word: str) -> tuple[int, int] | None:
    """A number and the width that its zeros give it."""
    digits = word.removeprefix("#")
    if not digits or len(digits) > 10 or not all(map(is_digit, digits)) or int(digits) > LARGEST:
        return None
    return int(digits), len(digits) if digits[0] == "0" and len(digits) > 1 else 0


def is_digit(letter: str) -> bool:
    return "0" <= letter <= "9"


def _hole(first: str, last: str) -> Range | None:
    """Two names that differ in one number; a version, a date, a time or an address is no such name."""
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    while same and is_digit(first[same - 1]):
        same -= 1
    begin, low, high = first[:same], leading(first[same:]), leading(last[same:])
    end = first[same + len(low) :]
    numbers = single(low), single(high)
    if numbers[0] is None or numbers[1] is None or last[same + len(high) :] != end or numbers[0][0] > numbers[1][0]:
        return None
    is_figure = (begin[-1:] in ".-:,+" and is_digit(begin[-2:-1])) or (end[:1] in ".-:," and is_digit(end[1:2]))
    is_version = begin[-1:] in ("v", "V") and not begin[-2:-1].isalnum()
    if is_figure or is_version or "{" in first or "}" in first or not any(map(str.isalpha, begin + end)):
        return None
    return Range(begin + HOLE + end, numbers[0][0], numbers[1][0], max(numbers[0][1], numbers[1][1]))


def leading(text: str) -> str:
    """The digits that a text begins with."""
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _series(words: list[str]) -> str | None:
    """The name of a series, in lower case and the singular; None where the words are no such name."""
    plain = [word.removesuffix(":").casefold() for word in words]
    if len(plain) > 2 or not all(word.replace("-", "").replace("_", "").isalpha() for word in plain):
        return None
    if plain and plain[-1] in NO_UNITS:
        return None
    return " ".join([*plain[:-1], _singular(plain[-1])]) if plain else ""


def _singular(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4 and word not in UNCHANGED:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")) and len(word) > 4:
        return word[:-2]
    is_one = word.endswith(("ss", "us", "is")) or word in UNCHANGED or len(word) == 1
    return word if is_one else word.removesuffix("s")


def _plural(series: str) -> str:
    """As many say it; the series itself where that would not be understood again."""
    if not series:
        return ""
    odd = [many for many, one in IRREGULAR.items() if one == series]
    guesses = [*odd, series[:-1] + "ies", series + "es", series + "s"]
    if not series.endswith("y") or series[-2:-1] in "aeiou":
        guesses.remove(series[:-1] + "ies")
    if not series.endswith(("ch", "sh", "x", "ss")):
        guesses.remove(series + "es")
    return next((many for many in guesses if _series(many.split()) == series), series)


def clean(text: str) -> str:
    """Without what only sets it off: blanks, quotes, the full stop of a sentence."""
    said, before = " ".join(text.split()), ""
    while said != before:
        before = said
        if len(said) > 1 and said[0] == said[-1] and said[0] in "`\"'" and said[0] not in said[1:-1]:
            said = said[1:-1].strip()
        if said.endswith(".") and not said.endswith(("..", "/.")) and len(said) > 1:
            said = said[:-1].rstrip()
    return said
