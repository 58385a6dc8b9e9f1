"""The words of a text: to find it by, to tell whether two texts say the same, and the times that a question speaks of.

VERSION counts up when any of it changes: a store that was made with another one is made anew. Times are spans: "on 8
May", "in March 2023", "two weeks ago", "last month".
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from holdfast.capture.ids import digest
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.field.thought import Thought


WORD = re.compile(r"[^\W_]+")
# Letters, digits and the signs that join them in a name: paths, dotted names, options, error codes.
NAME = re.compile(r"[^\W_]+(?:[_./:#-]+[^\W_]+)+")
HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
# Chinese, Japanese and Korean; Thai, Lao, Burmese and Khmer.
SIGNS = (
    "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff"
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff"
)
RUN = re.compile(f"[{SIGNS}]+")
LIGHT_IN_QUERIES = """
a about also an and any are as at be been being but by can could did do does doing for from had has have having he her
hers him his how i if in into is it its just may me might mine must my no not of on or our ours shall she should so some
such than that the their theirs them then there these they this those to too us was we were what when where which who
whom whose why will with would you your yours s t d ll m re ve
"""
STOP = frozenset(LIGHT_IN_QUERIES.split())
MOST = 64  # a pasted page is no question; its first words say what it is about


def parts(word: str) -> list[str]:
    """The words in a name without signs: camelCase, HTTPServer, utf8; nothing where it is but one."""
    found = HUMP.findall(word)
    return [one.lower() for one in found] if len(found) > 1 else []


def pairs(text: str) -> list[str]:
    """Every two signs that stand together in a script without spaces; one that stands alone is itself."""
    runs = RUN.findall(text)
    return [pair for run in runs for pair in ([run[at : at + 2] for at in range(len(run) - 1)] or [run])]


def spaced(text: str) -> list[str]:
    """The words between spaces and signs; what stands beside a script without spaces is a word of its own."""
    return WORD.findall(RUN.sub(" ", text))


def terms(query: str) -> tuple[str, ...]:
    """The terms of a query: its words, and names of code whole and in parts; each once, in the query's order."""
    words, found = spaced(query), dict.fromkeys(pairs(query))
    bare = [word for word in words if word.lower() not in STOP] or ([] if found else words)
    for word in bare:
        found.setdefault(word.lower())
        for part in parts(word):
            if len(part) > 1 and part not in STOP:
                found.setdefault(part)
    for name in NAME.findall(query):
        found.setdefault(" ".join(WORD.findall(name.lower())))
    return tuple(found)[:MOST]


VERSION = 4
LIGHT_WORDS = """
a an the this that these those is are be being am do does have has of in with via using use uses it its we our
and also just really very please so which der die das ein eine und ist sind im mit el la los las un una son
con le les et est sont
"""
LIGHT = frozenset(LIGHT_WORDS.split())  # without them a sentence says the same; none turns, limits or orders a meaning
MOST_EXTRA = 4000
# Signs that part words or end a sentence. Any other says something: !=, <, C++, 10 %, --force, .env, a question's mark.
QUIET = r"""(?<=\w)[-.,:](?=\w)|[.,;:!]+(?=[\s"'`)\]]|$)|["'`()\u2018-\u201d\u2026\u2013\u2014]"""
SAID = r"[^\W_]+|[^\w\s]|_"

# Ways of writing the very same sign: as wide as its neighbours, joined to the next, kept on one line. One that is
# raised, ringed or broken (\u00b2, \u2460, \u00bd) is another than the bare digit, though Unicode calls it compatible.
SAME_SIGN = ("<wide>", "<narrow>", "<noBreak>", "<vertical>", "<initial>", "<medial>", "<final>", "<isolated>")


def normal(text: str) -> str:
    """A text as exact duplicates share it: letters and digits in one case, signs between them as spaces at most."""
    return " ".join(_folded(text).split()).strip(" .!;")


def sameness(text: str) -> str:
    """The digest that exact duplicates share."""
    return digest(normal(text), 24)


def _folded(text: str) -> str:
    """One case, and one form for whatever can be written in several: composed or not, full-width or not, ligatures."""
    if text.isascii():
        return text.casefold()
    whole = unicodedata.normalize("NFC", text)
    plain = unicodedata.normalize("NFC", whole.translate({ord(sign): _bare(sign) for sign in set(whole)}))
    return unicodedata.normalize("NFC", plain.casefold())


def _bare(sign: str) -> str:
    """A character in its plain form, where Unicode has several for the very same."""
    how, *codes = (unicodedata.decomposition(sign) or "-").split()
    if not how.startswith("<"):
        return sign
    made = "".join(_bare(chr(int(code, 16))) for code in codes)
    is_same = how in SAME_SIGN or (how == "<compat>" and not any(map(str.isdecimal, made)))
    return made if is_same else sign


def stem(word: str) -> str:
    """A rough stem, for telling the same from the other only: plural and the endings of verbs."""
    if any(letter.isdigit() for letter in word) or len(word) < 4:
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")


TURNING_WORDS = """
not no never none nor neither nothing nobody cannot dont doesnt isnt arent wont cant mustnt shouldnt without unless
except only until before after instead but nicht nie kein keine ohne nur jamais pas sans nunca sin solo
"""
TURNING = frozenset(map(stem, TURNING_WORDS.split()))
FILLING = frozenset(map(stem, ("all", "every", "each", "always", "now", "currently", "actually", "simply")))


def content(text: str) -> list[str]:
    """The words that carry a meaning, stemmed, in their order; numbers and the words that turn a meaning included."""
    return [stem(word) for word in WORD.findall(_plain(text)) if word not in LIGHT]


def _plain(text: str) -> str:
    return _folded(text).replace("'", "").replace("\u2019", "")


def _said(text: str) -> list[str]:
    """The same with the signs that say something, among them the vowels that some scripts write as marks."""
    return [stem(word) for word in re.findall(SAID, re.sub(QUIET, " ", _plain(text))) if word not in LIGHT]


def adds_nothing(new: str, known: str) -> bool:
    """Whether a text says nothing that a known one does not: the same content words and signs in the same order, save
    for words left out that only fill. No list names every word that turns a meaning, so any other one left out, any
    more and any other order is another meaning: one thought too many is better than one lost."""
    mine, theirs = _said(new), _said(known)
    at = 0
    for word in theirs:
        if at < len(mine) and mine[at] == word:
            at += 1
        elif word not in FILLING:
            return False
    return bool(mine) and at == len(mine)


def extra(thought: Thought) -> str:
    """The terms of a thought beyond its words: its tags and category, the parts of names in camelCase, and the pairs of
    a script without spaces."""
    whole = f"{thought.title} {thought.text} {thought.context}"
    split = [part for name in dict.fromkeys(WORD.findall(whole)) for part in parts(name)]
    said = " ".join(dict.fromkeys([*thought.tags, thought.category, *split]))[:MOST_EXTRA]
    beside = [piece for word in WORD.findall(whole) if RUN.search(word) for piece in spaced(word)]
    return " ".join([said, *beside, *pairs(whole)]).strip()


def embedded(thought: Thought) -> str:
    """The text that a vector is made of."""
    return "\n".join(part for part in (thought.title, thought.text[:4000], thought.context[:1000]) if part)


def shares(query: str, text: str) -> bool:
    """Whether a text has any of the words that a query is looked up by."""
    known = {*content(text), *pairs(text)}
    return not known.isdisjoint(content(" ".join(terms(query))))


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """The overlap of two texts: shared words over all words."""
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 0.0


def distinct(texts: Sequence[str], most_alike: float) -> list[int]:
    """The places of those that are no near-duplicates of one before them. Two are alike that share so much, and differ
    in nothing that tells: no number, name, sign or word that turns a meaning, no word in the place of another, and not
    in their order."""
    kept: list[tuple[int, list[str]]] = []
    for at, text in enumerate(texts):
        said = _said(text)
        if not any(_is_like(text, said, texts[other], known, most_alike) for other, known in kept):
            kept.append((at, said))
    return [at for at, _ in kept]


def are_alike(one: str, other: str, most_alike: float) -> bool:
    """Whether two texts are near-duplicates in this sense."""
    return _is_like(one, _said(one), other, _said(other), most_alike)


def _is_like(text: str, said: list[str], other: str, known: list[str], most_alike: float) -> bool:
    mine, theirs = set(said), set(known)
    if overlap(mine, theirs) < most_alike:
        return False
    shared = mine & theirs
    if mine - shared - FILLING and theirs - shared - FILLING:
        return False  # one word stands in the place of another: the one service, and the other
    in_order = [word for word in said if word in shared] == [word for word in known if word in shared]
    return in_order and not any(
        _tells(word, whole) for words, whole in ((mine, text), (theirs, other)) for word in words - shared
    )


def _tells(word: str, whole: str) -> bool:
    """Whether a word that one text has and another has not makes it another one; a word that only fills never does."""
    if word in FILLING:
        return False
    if not word.isalpha() or word in TURNING:
        return True
    return any(name[0].isupper() and stem(_plain(name)) == word for name in WORD.findall(whole))


CALENDAR = "january february march april may june july august september october november december"
COUNTED = "one two three four five six seven eight nine ten eleven twelve"
MONTHS = CALENDAR.split()
SHORT = {name[:3]: at for at, name in enumerate(MONTHS, 1)} | {"sept": 9}
NUMBERS = {word: at for at, word in enumerate(COUNTED.split(), 1)}
COUNT = {**NUMBERS, "a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
LATER = timedelta(days=14)
HALF = 0.5

# A question without a digit and without any of these speaks of no time, in whatever case it is written.
TIMELY = (*(name[:3] for name in MONTHS), "ago", "last", "past", "previous", "this", "today", "yesterday")


@cache
def _calendar_patterns() -> tuple[re.Pattern[str], ...]:
    """Days, months and years, the longest form first. They take longer to compile than most questions to answer."""
    month = "(?P<month>" + "|".join(MONTHS) + "|" + "|".join(SHORT) + r")\.?"
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    year = r"(?P<year>(?:19|20)\d\d)"
    alone = month.replace("month", "alone", 1)
    return (
        re.compile(rf"\b{year}[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}}))?\b"),
        re.compile(rf"\b{day}(?: of)? {month}\b,?(?: {year}\b)?", re.I),
        re.compile(rf"\b{month} {day}\b(?:,? {year}\b)?", re.I),
        re.compile(rf"\b{month},?(?: of)? {year}\b|\b(?:in|during|since|last|this|early|late|mid) {alone}\b", re.I),
        re.compile(rf"\b(?:in|during|of|since) {year}\b", re.I),
    )


AGO = r"\b(?P<count>\d+|[a-z]+(?: couple of| few)?|couple of) (?P<unit>day|week|month|year)s? ago\b"
LAST = r"\b(?P<which>last|past|previous|this) (?:(?P<count>\d+|[a-z]+|couple of) )?(?P<unit>day|week|month|year)s?\b"
NAMED_DAY = r"\b(?P<name>today|yesterday|last night|last weekend)\b"


@value
class Span:
    """From one moment up to another, which is not part of it."""

    since: datetime
    until: datetime


def spans(query: str, now: float) -> tuple[Span, ...]:
    """The times that a question speaks of, seen from `now`; none if it speaks of none."""
    said = query.casefold()
    if not any(map(str.isdecimal, said)) and not any(word in said for word in TIMELY):
        return ()
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0) if now else None
    found: list[Span] = []
    rest = query
    for pattern in _calendar_patterns():
        for match in pattern.finditer(rest):
            found += _calendar(match.groupdict(), today)
        rest = pattern.sub(" ", rest)
    if today is not None:
        found += _relative(rest, today)
    return tuple(dict.fromkeys(found))


def closeness(created: float, asked: Iterable[Span]) -> float:
    """1 for a text of one of the spans, a half for one of the two weeks after it, else 0."""
    if created <= 0:
        return 0.0
    when = datetime.fromtimestamp(created, UTC)
    best = 0.0
    for span in asked:
        if span.since <= when < span.until:
            return 1.0
        if span.until <= when < span.until + LATER:
            best = HALF
    return best


def _calendar(given: dict[str, str | None], today: datetime | None) -> list[Span]:
    name = (given.get("month") or given.get("alone") or "").lower()
    month = int(name) if name.isdigit() else SHORT.get(name[:3], 0)
    day = int(given.get("day") or 0)
    if given.get("year"):
        years = [int(given["year"] or 0)]
    elif today is not None:
        last = today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
        years = [last, last - 1]
    else:
        return []
    made = (_whole(year, month, day) for year in years)
    return [span for span in made if span]


def _whole(year: int, month: int, day: int) -> Span | None:
    """A day, a month or a year; None for one that no calendar has."""
    try:
        begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if day:
            return Span(begin, begin + timedelta(days=1))
        if month:
            return Span(begin, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC))
        return Span(begin, datetime(year + 1, 1, 1, tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _relative(query: str, today: datetime) -> list[Span]:
    found = []
    ago = list(re.finditer(AGO, query, re.I))
    for match in (*ago, *re.finditer(LAST, query, re.I)):
        count, unit = _count(match["count"] or "one"), UNIT_DAYS[match["unit"].lower()]
        if count and match in ago:
            # The longer ago, the rougher the word: "two months ago" may mean six weeks.
            found.append(_about(today, count * unit, max(1, unit // 2)))
        elif count:
            found.append(_about(today, 0, count * unit, ends=1))
    for match in re.finditer(NAMED_DAY, query, re.I):
        back = {"today": 0, "yesterday": 1, "last night": 1, "last weekend": (today.weekday() - 5) % 7 or 7}[
            match["name"].lower()
        ]
        found.append(_about(today, back, 0, ends=2 if match["name"].lower() == "last weekend" else 1))
    return [span for span in found if span]


def _about(today: datetime, back: int, more: int, ends: int = 0) -> Span | None:
    """From `more` days before a day to as many after it, or to `ends` days after its beginning."""
    try:
        day = today - timedelta(days=back)
        return Span(day - timedelta(days=more), day + timedelta(days=ends or more + 1))
    except OverflowError:
        return None


def _count(word: str) -> int:
    return min(int(word), 10_000) if word.isdigit() else COUNT.get(word.lower(), 0)
