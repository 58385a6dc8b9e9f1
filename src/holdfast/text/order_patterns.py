"""Whether a sentence is an order of some kind: the tables of `order_words_*`, read and applied.

Promise: a sentence costs what its own words cost. A language is loaded when one of its stems was seen, and a pattern is
compiled when the words that it cannot do without, its guard, are in the sentence: a pattern takes a fraction of a
millisecond to compile, a language has a hundred, and a hook has not many milliseconds.
"""

from __future__ import annotations

from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Asked behind an order, and no question.
_TAGS = (
    *("ok?", "ok ?", "okay?", "okay ?", "alright?", "please?", "d'accord ?", "d'accord?", "vale?", "certo?"),
    *(
        "bitte?",
        "klar?",
        "de acuerdo?",
        "ta?",
        "ta bom?",
        "好吗?",
        "好吗",
        "好么",
        "行吗?",
        "行吗",
        "いい?",
        "いいですか?",
    ),
    *("deal?", "got it?", "understood?", "ja?", "gell?", "verstanden?", "compris ?", "compris?", "hein ?", "hein?"),
    *(
        "entendido?",
        "si?",
        "blz?",
        "beleza?",
        "viu?",
        "ne?",
        "combinado?",
        "好不好?",
        "好不好",
        "可以吗?",
        "可以吗",
        "好吧?",
    ),
    *(
        "明白吗?",
        "明白吗",
        "いいね?",
        "よろしい?",
        "よろしいですか?",
        "stimmts?",
        "eh?",
        "ok?)",
        "listo?",
        "dale?",
    ),
)
_LISTED = ("V", "W", "X")
_ENDINGS = {
    "fr": ("-moi", "-le", "-la", "-les"),
    "es": ("me", "te", "nos", "lo", "la", "los", "las"),
    "pt": ("-me", "-se", "-o", "-a", "-os", "-as"),
}


@value
class Line:
    """One pattern of a table: where it may begin, what a sentence must hold for it, and its source."""

    place: str
    guard: tuple[str, ...]
    source: str


_tables: dict[str, dict[str, tuple[Line, ...]]] = {}
_lists: dict[tuple[str, str], frozenset[str]] = {}
_compiled: dict[tuple[str, str], re.Pattern[str]] = {}


def left_of(language: str, kind: str, text: str) -> str | None:
    """What an order of this kind leaves of its sentence, None if there is none. Of questions only polite ones count."""
    for tag in _TAGS:
        if text.endswith(tag):
            text = text[: -len(tag)].rstrip(" ,")
            break
    asked = _awake(language, f"{kind}?", text)
    said = _awake(language, kind, text)
    if not asked and not said:
        return None
    places = _places(language, text)
    left = _search(language, asked, places)
    if left is not None or text.endswith("?") or not said:
        return left
    if _search(language, _awake(language, "question", text), places) is not None:
        return None
    return _search(language, said, places)


def _awake(language: str, name: str, text: str) -> list[Line]:
    """The patterns of a name whose guard lets a sentence pass."""
    lines = _table(language).get(name, ())
    return [line for line in lines if not line.guard or any(word in text for word in line.guard)]


def _places(language: str, text: str) -> dict[str, list[str]]:
    """Where patterns may begin: <P> where an order does, after polite words; <C> where any clause does."""
    orders = [text]
    polite = _pattern(language, _table(language)["P"][0])
    while len(orders) < 8:
        hit = polite.match(orders[-1])
        if not hit or not hit.end():
            break
        orders.append(orders[-1][hit.end() :])
    clauses = [text]
    for line in _table(language).get("C", ()):
        clauses += [text[hit.end() :] for hit in _pattern(language, line).finditer(text) if hit.end()][:40]
    return {"": [text], "<P>": orders, "<C>": clauses + orders[1:]}


def _search(language: str, lines: list[Line], places: dict[str, list[str]]) -> str | None:
    for line in lines:
        pattern = _pattern(language, line)
        for text in places[line.place]:
            left = _left(language, pattern, text)
            if left is not None:
                return left
    return None


def _left(language: str, pattern: re.Pattern[str], text: str) -> str | None:
    for _ in range(8):
        hit = pattern.search(text)
        if not hit:
            return None
        verbs = [name for name, word in hit.groupdict().items() if word and not _is_listed(language, name[0], word)]
        if not verbs:
            return text[: hit.start()] + text[hit.end() :]
        start, end = hit.span(verbs[0])
        text = text[:start] + text[start:end].upper() + text[end:]  # no verb: a capital fits none of the patterns
    return None


def _is_listed(language: str, name: str, word: str) -> bool:
    """Whether a word is in a list of verbs, as it stands or without an ending that the language hangs on to verbs."""
    listed = _lists[language, name]
    if language == "de":
        word = word.replace("ae", "a").replace("oe", "o").replace("ue", "u").removesuffix("e")
    elif language == "fr" and word[-2:] == "ez":
        return True
    if word in listed or word.partition("-")[0] in listed:
        return True
    endings = _ENDINGS.get(language, ())
    return any(word[: -len(ending)] in listed for ending in endings if word.endswith(ending))


def _pattern(language: str, line: Line) -> re.Pattern[str]:
    known = _compiled.get((language, line.source))
    if known is None:
        import re

        known = _compiled[language, line.source] = re.compile(line.source)
    return known


def _table(language: str) -> dict[str, tuple[Line, ...]]:
    known = _tables.get(language)
    if known is None:
        known = _tables[language] = _read(language)
    return known


def _read(language: str) -> dict[str, tuple[Line, ...]]:
    """The lines of a language by name, with the parts that they name filled in."""
    module = __import__(f"holdfast.text.order_words_{language}", fromlist=("PATTERNS",))
    found: list[list[str]] = []
    for line in str(module.PATTERNS).strip("\n").split("\n"):
        if line[:2] == "  ":
            found[-1][1] += line[2:]
        else:
            name, _, pattern = line.partition(" ")
            found.append([name, pattern.strip(" ")])
    parts = {name: meaning for name, meaning in found if name.isupper()}
    table: dict[str, tuple[Line, ...]] = {}
    for name, pattern in found:
        if name not in _LISTED:
            table[name] = (*table.get(name, ()), _line(language, pattern, parts))
    return table


def _line(language: str, pattern: str, parts: dict[str, str]) -> Line:
    guard: tuple[str, ...] = ()
    if pattern[:1] == "{":
        words, _, pattern = pattern[1:].partition("} ")
        guard = tuple(words.split("|"))
    place = "<P>" if "<P>" in pattern else "<C>" if "<C>" in pattern else ""
    source = pattern.replace("<P>", "^").replace("<C>", "^")
    for word, meaning in parts.items():
        if f"<{word}>" not in source:
            continue
        if word in _LISTED:
            _lists.setdefault((language, word), frozenset(meaning.split()))
            first, *others = source.split(f"<{word}>")
            source = first + "".join(f"(?P<{word}{at}>[a-z-]+){part}" for at, part in enumerate(others))
        else:
            source = source.replace(f"<{word}>", meaning)
    return Line(place, guard, source)
