"""The parts of a sentence that can be checked without understanding it: quotes, paths, ids, numbers, names, code.

A paraphrase changes every other word and leaves these alone, so a handoff that is right has them from the session, and
one that made something up most often made up one of these. Both sides are made comparable the same way: white space,
kinds of quotes and dashes, thousands separators and units are spelled in many ways and mean one thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from holdfast.close.verify import words
from holdfast.tasks.subjects import ENDINGS, NO_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTE, CODE, PATH, COMMIT, EMAIL, URL, TICKET = "quote", "code", "path", "commit", "email", "url", "ticket"
NUMBER, VERSION, DATE, TIME, NAME = "number", "version", "date", "time", "name"
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u00a0\u202f\u2009\u2007", " "),
        **dict.fromkeys("\u200b\u200c\u200d\ufeff\u00ad", None),
        "…": "...",
        "\u00d7": "x",
        "\u03bc": "µ",
        "\0": None,
    }
)
_QUOTED = re.compile(r"(?<![\w\"])\"([^\"\n]{3,300})\"(?!\w)|(?<![\w'])'(?=\S)([^'\n]{3,300}(?<=\S))'(?![\w'])")
_CODE = re.compile(r"`+([^`\n]{2,300})`+")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://[^\s)>\]\"'`]+")
_PATH = re.compile(
    r"(?<![\w/:.@-])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*(?::\d+(?:[-:]\d+)?)?"
    r"|(?<![\w/.@-])(?:[\w-]+\.)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+(?:[-:]\d+)?)?(?![\w(@-])"
    r"|(?<![\w/.@-])(?:Makefile|Dockerfile|Justfile|Procfile|Gemfile|Rakefile|Jenkinsfile)(?!\w)"
)
_COMMIT = re.compile(r"(?<![\w#/.-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_TICKET = re.compile(r"(?<![\w/&])#\d{1,7}\b|(?<![\w-])[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])")
_MONTHS = "|".join(words.MONTHS)
_DATE = re.compile(
    r"(?<![\d.-])(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)"
    r"|(?<![\d.])(?P<d2>\d{1,2})\.(?P<m2>\d{1,2})\.(?P<y2>\d{4})(?!\d)"
    rf"|(?<!\w)(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m3>{_MONTHS})\w*\.?(?:,?\s(?P<y3>\d{{4}}))?"
    rf"|(?<!\w)(?P<m4>{_MONTHS})\w*\.?\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s(?P<y4>\d{{4}}))?",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\d:.])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])")
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){2,}|\d+\.\d+(?:\.\d+)*(?=[-+]?(?:rc|alpha|beta|dev|a|b)\d*\b)"
                      r"|(?<=v)\d+(?:\.\d+)*)(?:[-+.]?(?:rc|alpha|beta|dev|post|a|b)[.-]?\d*)?(?!\w)")  # fmt: skip
_IDENTIFIER = re.compile(
    r"(?<![\w/.`-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|(?:[A-Z][a-z0-9]+){2,}(?=\()|--[a-z][\w-]+)(?:\(\))?(?![\w/])"
)
_DIGITS = r"(?P<cur>[$€£¥]\s?)?(?P<digits>\d+(?:[.,'_ ]\d{3}(?!\d))*(?:[.,]\d+)?)"
_AFTER = r"(?:[ -]?(?P<unit>%|[$€£¥](?!\d)|[A-Za-zµ°]+/[a-z]+(?!\w)|[^\W\d_]{1,14}(?![\w=/]|\((?![+s-]\)))))?"
_EVERY_NUMBER = re.compile(rf"(?<![\w.#]){_DIGITS}{_AFTER}")
_NUMBER = re.compile(rf"(?<![\w.,/#+-]){_DIGITS}{_AFTER}")
_BEFORE = re.compile(r"([^\W\d_]{3,})[ -]#?$")
_LABELLED = re.compile(r"([^\W\d_]{3,})[ -]#?(\d{1,4}(?:(?: ?[,&/+-] ?| and | to | through | or )#?\d{1,4})*)(?![\w.])")
_SPELLED_OUT = re.compile(
    rf"\b({'|'.join(one for one, n in words.SMALL.items() if n > 1)})\s([^\W\d_]+)", re.IGNORECASE
)
_ORDER = (
    (CODE, _CODE),
    (QUOTE, _QUOTED),
    (URL, _URL),
    (EMAIL, _EMAIL),
    (PATH, _PATH),
    (DATE, _DATE),
    (TIME, _TIME),
    (TICKET, _TICKET),
    (COMMIT, _COMMIT),
    (VERSION, _VERSION),
    (CODE, _IDENTIFIER),
    (NUMBER, _NUMBER),
)


@dataclass(frozen=True)
class Claim:
    """One item that somebody wrote: the section it stands in, its text, and the ids that it cites."""

    section: str
    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True)
class Atom:
    """One exact thing in a claim. `shown` is how it was written, `key` what is looked for, `at` its place."""

    kind: str
    shown: str
    key: str
    at: int
    unit: str = ""
    noun: str = ""
    label: str = ""  # of a number: the word before it, which it may number: "task 6"


def normal(text: str) -> str:
    """One line, with one kind of quotes, dashes and spaces. Case is kept."""
    return " ".join(text.translate(_SAME).split())


def comparable(text: str) -> str:
    """The same line by line: a number at the end of one does not count what the next begins with."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.translate(_SAME).splitlines())))


def atoms(text: str) -> list[Atom]:
    """Everything exact in a text, in order. What is part of one thing is not found again as another."""
    text = normal(text)
    free = text
    found: list[Atom] = []
    for kind, pattern in _ORDER:
        for match in pattern.finditer(free):
            made = _atom(kind, match, text)
            if made is not None:
                found.append(made)
                free = free[: match.start()] + " " * (match.end() - match.start()) + free[match.end() :]
    found += _names(free)
    return sorted(found, key=lambda one: one.at)


def _atom(kind: str, match: re.Match[str], text: str) -> Atom | None:
    shown = match.group().strip().rstrip(".,;:")
    if kind == QUOTE:
        inner = text[slice(*match.span(1 if match.group(1) else 2))].strip()
        return Atom(QUOTE, inner, inner.rstrip(".,;:!?"), match.start()) if any(map(str.isalnum, inner)) else None
    if kind == CODE:
        inner = (match.group(1) if match.group().startswith("`") else match.group()).strip()
        place = _PATH.fullmatch(inner)
        return (place and _path(inner, match.start())) or Atom(CODE, inner, inner.removesuffix("()"), match.start())
    if kind == PATH:
        return _path(shown, match.start())
    if kind == DATE:
        return Atom(DATE, shown, date_key(match), match.start())
    if kind == VERSION:
        return Atom(VERSION, shown, shown.lstrip("v"), match.start())
    if kind == NUMBER:
        return _number(match, text)
    return Atom(kind, shown, shown.lower() if kind in (EMAIL, URL, COMMIT) else shown, match.start())


def _path(shown: str, at: int) -> Atom | None:
    """A path, unless it reads as prose: and/or, Node.js, e.g."""
    place = re.sub(r":\d+(?:[-:]\d+)?$", "", shown)
    stem, dot, ending = place.rpartition("/")[2].rpartition(".")
    is_file = bool(dot and stem and ending.lower() in ENDINGS)
    if "/" in place:
        is_file = is_file or bool(dot and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,7}", ending))
        is_placed = place.startswith(("/", "~/", "./", "../")) or place.endswith("/") or place.count("/") > 1
        if not (is_file or is_placed) or re.fullmatch(r"[\d/.]+", place):
            return None
    elif dot and (not is_file or place.lower() in NO_NAMES):
        return None
    return Atom(PATH, shown, place.removeprefix("./").rstrip("/"), at)


def date_key(match: re.Match[str]) -> str:
    """month-day, with the year before it where there is one."""
    found = {name.rstrip("234"): text for name, text in match.groupdict().items() if text}
    month = found["m"]
    number = int(month) if month.isdecimal() else words.MONTHS.index(month.lower()[:3]) % 12 + 1
    return f"{found.get('y', '')}-{number}-{int(found['d'])}"


def _number(match: re.Match[str], text: str) -> Atom | None:
    """A number that says how much or how many; not the mark of a list item, not an ordinal."""
    end = match.end("digits")
    if re.match(r"(?:st|nd|rd|th)\b|[/:_]", text[end:]):
        return None
    begins = not text[: match.start()].rstrip() or text[: match.start()].rstrip()[-1] in ".;:!?"
    if begins and re.match(r"\)|\.\s", text[end:]):
        return None
    unit, noun = unit_and_noun(match)
    if noun and text[end] not in " -" and noun not in ("x", "k"):
        return None  # 2fa, 3d
    label = _BEFORE.search(text[: match.start()])
    before = words.stem(label.group(1)) if label and label.group(1).lower() not in words.STOP else ""
    return Atom(NUMBER, match.group().strip(), match.group("digits"), match.start(), unit, noun, before)


def values(digits: str) -> set[float]:
    """The values of a spelling: 1,000 and 1.000 are a thousand to some, and one to others."""
    plain = re.sub(r"[' _]", "", digits)
    found: set[float] = set()
    for dropped, point in ((",", "."), (".", ",")):
        try:
            found.add(float(plain.replace(dropped, "").replace(point, ".")))
        except ValueError:
            continue
    if re.fullmatch(r"\d+[.,]\d{1,2}|\d+[.,]\d{4,}", plain):
        found = {float(plain.replace(",", "."))}
    return found


def _names(text: str) -> Iterator[Atom]:
    """Words that stand where a person stands. Capitals alone prove nothing: sentences and German nouns have them."""
    for match in words.PERSON.finditer(text):
        parts = next(filter(None, match.groups())).split()
        if parts[0].lower() in words.BEGINNINGS:
            parts = parts[1:]  # "As agreed", "While Ada approved": the sentence has the capital, not the word
        if parts and not any(part.lower() in words.NO_PERSONS for part in parts):
            name = " ".join(parts)
            yield Atom(NAME, name, name, text.index(parts[0], match.start()))


class NumberPlace(NamedTuple):
    """A number in a text: its place, its unit, and the word that it counts, as far as one follows."""

    at: int
    unit: str
    noun: str


@dataclass(frozen=True)
class Known:
    """Texts to look things up in, made searchable once. The texts are comparable ones."""

    texts: tuple[str, ...]

    @cached_property
    def plain(self) -> str:
        return "\0".join(self.texts)

    @cached_property
    def lower(self) -> str:
        return self.plain.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W_]+", self.lower))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(words.stem, self.words))

    @cached_property
    def bare(self) -> str:
        """The texts in one line, without quotes and emphasis: words are quoted across line breaks and across them."""
        return re.sub(r"\s+", " ", re.sub(r"[\"'`*]", "", self.plain))

    @cached_property
    def bare_lower(self) -> str:
        return self.bare.lower()

    @cached_property
    def squeezed(self) -> str:
        """Without any space: code is spaced as its formatter likes."""
        return re.sub(r"\s+", "", self.lower)

    @cached_property
    def dates(self) -> frozenset[str]:
        return frozenset(date_key(match) for match in _DATE.finditer(self.plain))

    @cached_property
    def numbers(self) -> dict[float, list[NumberPlace]]:
        """Each value with the places where it stands."""
        found: dict[float, list[NumberPlace]] = {}
        for match in _EVERY_NUMBER.finditer(self.plain):
            unit, noun = unit_and_noun(match)
            for value in values(match.group("digits")):
                found.setdefault(value, []).append(NumberPlace(match.start(), unit, noun))
        for match in _SPELLED_OUT.finditer(self.plain):
            value = float(words.SMALL[match.group(1).lower()])
            found.setdefault(value, []).append(NumberPlace(match.start(), "", match.group(2).lower()))
        return found

    @cached_property
    def counts(self) -> dict[str, frozenset[float]]:
        """For each thing that is counted, how many there were said to be."""
        found: dict[str, set[float]] = {}
        for value, places in self.numbers.items():
            for one in places:
                if one.noun:
                    found.setdefault(words.counted(one.noun), set()).add(value)
        return {noun: frozenset(values) for noun, values in found.items()}

    @cached_property
    def labelled(self) -> dict[str, frozenset[int]]:
        """The numbers that a word is followed by: "tasks 4-6 and 9" are four of them."""
        found: dict[str, set[int]] = {}
        for match in _LABELLED.finditer(self.plain):
            numbers = found.setdefault(words.stem(match.group(1)), set())
            listed = re.findall(r"\d+|-|to|through", match.group(2))
            for at, one in enumerate(listed):
                if one.isdecimal():
                    numbers.add(int(one))
                elif 0 < at < len(listed) - 1 and listed[at - 1].isdecimal() and listed[at + 1].isdecimal():
                    first, last = int(listed[at - 1]), int(listed[at + 1])
                    numbers.update(range(first, last) if last - first < 100 else ())
        return {label: frozenset(numbers) for label, numbers in found.items()}

    def says(self, quoted: str) -> bool:
        """Whether words were said exactly so; dots in them stand for what was left out."""
        plain = re.sub(r"[\"'`*]", "", quoted)
        pieces = [one.strip(" ,;:.!?[]()") for one in re.split(r"\.\.\.|\[[^\]]*\]", plain)]
        at = 0
        for piece in filter(None, pieces):
            at = self._place(piece, at)
            if at < 0:
                return False
        return True

    def _place(self, piece: str, at: int) -> int:
        if len(piece.split()) < 3:  # a term is spelled with a capital here and without one there
            return self.bare_lower.find(piece.lower(), at)
        spellings = (piece, piece[:1].lower() + piece[1:], piece[:1].upper() + piece[1:])
        return max(self.bare.find(one, at) for one in spellings)

    def near(self, at: int, reach: int = 120) -> str:
        """The surroundings of a place, within its text."""
        begin = max(self.plain.rfind("\0", 0, at) + 1, at - reach)
        end = self.plain.find("\0", at)
        return self.plain[begin : min(end if end >= 0 else len(self.plain), at + reach)]


def unit_and_noun(match: re.Match[str]) -> tuple[str, str]:
    """The unit of a number where we know it, else the word that it counts."""
    word = (match.group("cur") or match.group("unit") or "").strip()
    unit = words.UNITS.get(word) or words.UNITS.get(word.lower(), "")
    return unit, "" if unit or word.lower() in words.STOP else word.lower()
