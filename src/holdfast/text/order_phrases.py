"""The matcher of orders: it compiles the phrases of `order_words` and finds them in a sentence.

Hearing an order needs no `re`: a table is read in a millisecond once a stem of it was seen, and a hook has not many.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.text.order_words import TABLES, WITHOUT_SPACES
from holdfast.text.orders import spelled

KINDS = ("remember", "standing", "forget", "not")
REACH, REACH_WIDE = 60, 20  # characters that a gap leaps over at most, with and without spaces between words
MOST_STARTS = 60  # clauses of a sentence that are looked at
_BREAKS = ",;:(!.—。、¿¡"
Part = tuple[str, tuple[str, ...]]  # one of "([!….", and its options


@value
class Phrase:
    """`guard`: words of which a sentence must hold one, a cheap look before the parts are tried."""

    parts: tuple[Part, ...]
    guard: tuple[str, ...]


@value
class Table:
    """A language: its phrases and its lists of words by name, and whether it puts spaces between words."""

    phrases: dict[str, list[Phrase]]
    lists: dict[str, frozenset[str]]
    spaced: bool


_tables: dict[str, Table] = {}


def left_of(language: str, kind: str, text: str) -> str | None:
    """What an order of this kind leaves of its sentence, None if there is none. Of questions only polite ones count."""
    table = table_of(language)
    text = _umlauts(language, text)
    for tag in table.lists["tag"]:  # "ok?" behind an order makes no question of it
        if text.rstrip("? ").endswith((f" {tag}", f",{tag}") if table.spaced else tag):
            text = text.rstrip("? ").removesuffix(tag).rstrip(" ,")
            break
    left = _search(table, f"{kind}?", text)
    if left is None and not text.endswith("?"):
        left = _search(table, kind, text)
        if left is not None and any(_search(table, name, text) is not None for name in ("not", f"not {kind}")):
            return None
    return left


def is_bare(language: str, left: str) -> bool:
    """Whether the rest of an order says nothing by itself: "this", "for later"."""
    table = table_of(language)
    if table.spaced:
        return all(word in table.lists["bare"] for word in left.replace(",", " ").split())
    for word in sorted(table.lists["bare"], key=len, reverse=True):
        left = left.replace(word, "")
    return not left


def _umlauts(language: str, text: str) -> str:
    return text.replace("ae", "a").replace("oe", "o").replace("ue", "u") if language == "de" else text


def table_of(language: str) -> Table:
    if language in _tables:
        return _tables[language]
    table = _tables[language] = Table({}, {}, language not in WITHOUT_SPACES)
    for line in _umlauts(language, spelled(TABLES[language])).strip().replace("\n  ", " ").split("\n"):
        name, _, meaning = line.partition(":")
        if name.rstrip("?").split(" ")[0] in KINDS:
            table.phrases.setdefault(name, []).extend(_phrase(table, one.strip()) for one in meaning.split(";"))
            continue
        endings = ("", *table.lists.get("ending", ()))
        words = {one.rstrip("~") + end for one in meaning.split(", ") for end in (endings if one[-1] == "~" else ("",))}
        table.lists[name] = table.lists.get(name, frozenset()) | {word.strip() for word in words}
    return table


def _phrase(table: Table, rest: str) -> Phrase:
    parts: list[Part] = []
    guard: tuple[str, ...] = ("",)
    while rest:
        sort = rest[0] if rest[0] in "([!…." else "("
        inner, _, rest = rest.partition({"(": ")", "[": "]", "!": ")"}.get(rest[0], " "))
        options = tuple(inner.lstrip("([!").split("|"))
        parts.append((sort, options))
        rest = rest.strip()
        words = words_of(table, options)
        if sort == "(" and not any("*" in word for word in words) and min(map(len, words)) > min(map(len, guard)):
            guard = tuple(words)
    return Phrase(tuple(parts), guard)


def words_of(table: Table, options: tuple[str, ...]) -> list[str]:
    return [word for one in options for word in (table.lists[one[1:-1]] if one[0] == "<" else (one,))]


def _search(table: Table, name: str, text: str) -> str | None:
    """What the first phrase of a name that is there leaves of a text, None if none is."""
    awake = [one for one in table.phrases.get(name, ()) if any(word in text for word in one.guard)]
    if not awake:
        return None
    anywhere = [at for at in range(len(text)) if not _in_word(table, text, at)]
    starts = _behind_polite(table, text, 0)
    if name.startswith(("remember", "forget")):  # these may begin any clause, the others the sentence
        breaks = [at + 1 for at, sign in enumerate(text) if sign in _BREAKS]
        polite = [at for at in anywhere if table.spaced and _fit(table, "<before>", text, at) > at]
        starts += [one for at in (breaks + polite)[:MOST_STARTS] for one in _behind_polite(table, text, at)]
    for phrase in awake:
        is_loose = phrase.parts[0][0] == "…"
        for at in anywhere if is_loose else starts:
            end = _end(table, phrase.parts[is_loose:], text, at)
            if end >= 0:
                return text[:at] + text[end:]
    return None


def _behind_polite(table: Table, text: str, at: int) -> list[int]:
    """Where an order may begin from here on: at once, and behind each word of politeness."""
    found: list[int] = []
    while len(found) < 8 and at >= 0:
        while text[at : at + 1] and text[at] in _BREAKS + " -":
            at += 1
        found.append(at)
        at = _fit(table, "<before>", text, at)
    return found


def _end(table: Table, parts: tuple[Part, ...], text: str, at: int) -> int:
    """Where the parts end if they begin here, -1 if they do not."""
    if not parts:
        return at
    (sort, options), rest = parts[0], parts[1:]
    while text[at : at + 1] == " " or (text[at : at + 1] == "," and options not in ((",",), ("…",))):
        at += 1
    if sort == "…":
        stop = min(len(text), at + (REACH if table.spaced else REACH_WIDE))
        if options == ("…",):  # within its clause; "……" leaps over commas too
            stop = min([stop, *(one for one in (text.find(sign, at, stop) for sign in ",;:(—、") if one >= 0)])
        tried = (_end(table, rest, text, one) for one in range(at, stop + 1) if not _in_word(table, text, one))
        return next((end for end in tried if end >= 0), -1)
    if sort == ".":
        left = text[at:].strip(" .!)")
        return at if not left or left in table.lists["before"] else -1
    ends = [end for end in (_fit(table, option, text, at) for option in options) if end >= 0]
    if sort == "!":
        return -1 if ends else _end(table, rest, text, at)
    return max((_end(table, rest, text, end) for end in ends or [at] * (sort == "[")), default=-1)


def _fit(table: Table, option: str, text: str, at: int) -> int:
    """Where an option ends that stands here: a word or several, `*ed`, or one of a list; -1 if it does not."""
    behind = at
    while text[behind : behind + 1].isalnum() or (behind > at and _in_word(table, text, behind + 1)):
        behind += 1
    word = text[at:behind]
    if option[0] == "<":
        options = table.lists[option[1:-1]]
        if table.spaced and (word in options or word.partition("-")[0] in options):
            return behind
        others = (one for one in options if not table.spaced or " " in one or "*" in one)
        return max((_fit(table, one, text, at) for one in others), default=-1)
    if "*" in option:
        front, _, back = option.partition("*")
        return behind if len(word) > len(option) and word.startswith(front) and word.endswith(back) else -1
    end = at + len(option)
    is_cut = option[-1].isalnum() and _in_word(table, text, end)
    return end if text.startswith(option, at) and not is_cut else -1


def _in_word(table: Table, text: str, at: int) -> bool:
    """Whether a place is in the middle of a word."""
    pair = text[at - 1 : at + 1] if at and table.spaced else ""
    return len(pair) > 1 and all(sign.isalnum() or sign in "'_-" for sign in pair)
