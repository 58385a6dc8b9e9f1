"""Exact details of what was said: numbers, paths, commands and quoted terms, each once, with its place.

They are what cannot be guessed again. Of anything said twice the newest place is kept; a command whose redirection
alone differs is the same command, a path that ends another is the same path, and a number of the same thing the same
number. What nobody needs again is left out (noise.py).
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import noise, quotations, shell_programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.text.quotations import Quotation

NUMBER, COMMAND, PATH, QUOTE, CODE = "number", "command", "path", "quote", "code"
MOST = {NUMBER: 16, COMMAND: 12, PATH: 8, QUOTE: 6, CODE: 6}
MOST_IN_ONE = 60  # numbers of one text: a table is no detail
A_NUMBER = re.compile(r"(?<![\w.])[~<>=$€£]{0,2}(\d[\d.,:_/-]*)(?: ?(%|[A-Za-zµ°€$£]{1,7}(?!\w)))?")
A_PATH = re.compile(
    r"(?<![\w/:.@+-])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w/.])[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w.])"
)
CODED = re.compile(r"`([^`\n]{3,160})`")
UNITS = frozenset(
    ("%", "s", "ms", "min", "h", "d", "B", "kB", "KB", "MB", "GB", "TB", "k", "M", "€", "$", "£", "px", "EUR")
)
A_WORD = re.compile(r"[^\W\d_]{4,}")
# What changes where output goes, not what is run.
REDIRECTED = re.compile(
    r"\s*(?:\d?>>?(?:&\d)?|&>>?)\s*[^\s|;&]*|\s*<\s*/dev/null|\s*\|\s*(?:head|tail|cat|less|more|tee)\b[^|;&]*"
    r"|\s*\|\|\s*true\b|\s*;\s*echo\b.*|^cd \S+ && "
)


@value
class Fact:
    """An exact detail and where it stands."""

    kind: str
    text: str
    place: str


def of_text(text: str, place: str, quoted: Sequence[Quotation]) -> Iterator[Fact]:
    """The details of a text that is already clean, beside its quotations."""
    bare = quotations.without_code(text)
    spans = [(one.begin, one.end) for one in quoted]
    yield from (Fact(QUOTE, one.text, place) for one in quoted if one.is_term)
    for match in CODED.finditer(text):
        words = match.group(1).strip()
        is_path = A_PATH.fullmatch(words) is not None
        if words and (not is_path or noise.is_a_path(words)):
            yield Fact(PATH if is_path else CODE, words, place)
    for match in A_PATH.finditer(bare):
        if not _is_within(match.start(), spans) and noise.is_a_path(match.group()):
            spans.append(match.span())
            yield Fact(PATH, match.group(), place)
    shown = 0
    for nth, match in enumerate(A_NUMBER.finditer(bare)):
        if nth > MOST_IN_ONE:
            break
        begin, end = match.span()
        if end > shown and not _is_within(begin, spans) and not noise.is_counting(bare, match):
            words, shown = _around(bare, begin, end)
            yield Fact(NUMBER, words, place)


def of_command(command: str, place: str) -> Iterator[Fact]:
    """A command without where its output goes, unless it only looks."""
    if any(not noise.only_looks(words) for words in shell_programs.commands(command)):
        yield Fact(COMMAND, _core(command), place)


def each_once(found: Iterable[Fact], known: Iterable[str] = ()) -> list[Fact]:
    """The first of those that say the same, numbers and commands before names; `known` are texts that are shown."""
    kept: dict[str, list[Fact]] = {kind: [] for kind in MOST}
    seen = _Seen()
    for text in known:
        seen.texts.append(quotations.normal(text))
        for match in A_NUMBER.finditer(text):
            seen.numbers.setdefault(_value(match), []).append(_words(text))
    for one in found:
        if len(kept[one.kind]) < MOST[one.kind] and seen.is_new(one):
            kept[one.kind].append(one)
    return [one for facts in kept.values() for one in facts]


class _Seen:
    """What was met already."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.keys: set[str] = set()
        self.paths: list[str] = []
        self.numbers: dict[str, list[frozenset[str]]] = {}

    def is_new(self, one: Fact) -> bool:
        """Whether it says what nothing before it did; from then on it is known."""
        if one.kind == NUMBER:
            return self._is_new_number(one.text)
        if one.kind == PATH:
            tail = f"/{one.text.removeprefix('./')}"
            if any(path.endswith(tail) or tail.endswith(path) for path in self.paths):
                return False
            self.paths.append(tail)
            return True
        key = quotations.normal(one.text)
        if key in self.keys or (one.kind in (QUOTE, CODE) and any(key in text for text in self.texts)):
            return False
        self.keys.add(key)
        return True

    def _is_new_number(self, text: str) -> bool:
        words, is_new = _words(text), False
        for match in A_NUMBER.finditer(text):
            number = _value(match)
            before = self.numbers.setdefault(number, [])
            tells = match.group(2) in UNITS or sum(letter.isdecimal() for letter in number) > 2
            if not any(tells or not words or not other or words & other for other in before):
                is_new = True
                before.append(words)
        return is_new


def _core(command: str) -> str:
    return REDIRECTED.sub("", " ".join(command.split()))


def _is_within(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(begin <= at < end for begin, end in spans)


def _around(text: str, begin: int, end: int) -> tuple[str, int]:
    """A number with the few words beside it, as alone it says nothing; and where those end."""
    before = text[max(0, begin - 48) : begin].rpartition("\n")[2].split(" ")[-5:]
    ahead = text[end : end + 48].partition("\n")[0].split(" ")
    behind = " ".join(ahead[:5] if len(ahead) > 5 or end + 48 >= len(text) else ahead[:-1])
    return f"{' '.join(before)}{text[begin:end]}{behind}".strip(" ,;.*"), end + len(behind)


def _value(match: re.Match[str]) -> str:
    number = match.group(1).rstrip(".,:_/-").replace(",", "").replace("_", "")
    return f"{number} {match.group(2)}" if match.group(2) in UNITS else number


def _words(text: str) -> frozenset[str]:
    return frozenset(A_WORD.findall(text.casefold()))
