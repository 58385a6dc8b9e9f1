"""What the user asks memory for in a prompt: to remember, to keep to something from now on, to forget.

Promise: a request is the user's own sentence, verbatim and whole, with the list that it announces. What is quoted,
pasted or injected asks for nothing (`own_words`), and a question is no order unless it is a polite one. It is a sieve
for orders, not a judge of what matters: it leans towards hearing "remember", whose loss is what users complain of, and
towards not hearing "always" and "never", which are mostly said about code.

An ordinary prompt costs one look for a few stems. Only a sentence with one of them loads `re` and the patterns of its
language.
"""

from __future__ import annotations

from holdfast.hook import own_words
from holdfast.hook.own_words import BLOCK, INLINE
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

REMEMBER, STANDING, FORGET = "remember", "standing", "forget"
KINDS = (FORGET, REMEMBER, STANDING)  # the first that fits a sentence is its kind
LONGEST = 1000  # characters of a sentence that are looked at; patterns must not grow with a wall of text
WRAPPED = 60  # characters from which a line without a full stop goes on in the next

_ENDS = ".!?…"
_WIDE_ENDS = "。｡\uff01\uff1f"
_CLOSERS = ")]\"'”\u2019»」』*_" + INLINE
_MARKS = " \t-*+•·・#>\u2013"
_ABBREVIATIONS = ("e.g", "i.e", "z.b", "d.h", "u.a", "etc", "vs", "bzw", "ca", "p.ej", "p.ex", "cf", "incl", "inkl")
# What is left of an order that does not say what to remember: it points to the sentence beside it.
_BARE = (
    *(
        "",
        "this",
        "that",
        "it",
        "please",
        "this please",
        "that please",
        "das",
        "dies",
        "es",
        "bitte",
        "das bitte",
        "ca",
    ),
    *("cela", "ceci", "stp", "svp", "esto", "eso", "por favor", "isto", "isso", "disto", "disso", "了", "哈", "这个"),
    *("这点", "一下", "吧", "下来", "ください", "下さい", "ね", "よ", "これ", "これを", "それを", "そこ"),
)
# Asked behind an order, and no question.
_TAGS = (
    *("ok?", "ok ?", "okay?", "okay ?", "right?", "alright?", "please?", "d'accord ?", "d'accord?", "vale?", "certo?"),
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
)
_ACCENTS = str.maketrans(
    "àáâãäåçèéêëìíîïñòóôõöùúûüýÿ`\u00b4\u2018\u2019\u2013\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09",
    "aaaaaaceeeeiiiinooooouuuuyy" + "'" * 4 + "—,:;!?()",
)
_SIMPLIFIED = str.maketrans(
    "記請煩幫備從現開後遠絕對別動總條規則刪憶務說這個為麼嗎還會讓們註萬當過時間訴給習慣統嚴須終點樣寫進",
    "记请烦帮备从现开后远绝对别动总条规则删忆务说这个为么吗还会让们注万当过时间诉给习惯统严须终点样写进",
)
_LISTED = ("V", "W", "X")
_ENDINGS = {
    "fr": ("-moi", "-le", "-la", "-les"),
    "es": ("me", "te", "nos", "lo", "la", "los", "las"),
    "pt": ("-me", "-se", "-o", "-a", "-os", "-as"),
}
_patterns: dict[tuple[str, str], list[tuple[str, re.Pattern[str]]]] = {}
_lists: dict[tuple[str, str], frozenset[str]] = {}


@value
class Request:
    """What is asked, and the user's own words for it."""

    kind: str
    text: str


@value
class Sentence:
    """Where it stands in the prompt; `ends_line` where nothing of its line is left behind it."""

    start: int
    end: int
    ends_line: bool
    paragraph: int


def find(prompt: str) -> tuple[Request, ...]:
    """The requests of a prompt, in their order; () for almost every prompt."""
    if not _clues(prompt.lower()):
        return ()
    masked = own_words.mask(prompt)
    if not _clues(masked.lower()):
        return ()
    found: list[tuple[str, int, int]] = []
    sentences = split(masked)
    for number, sentence in enumerate(sentences):
        if found and sentence.start < found[-1][2]:
            continue  # belongs to what an order before it has announced
        kind, is_bare = _kind(masked[sentence.start : sentence.end])
        if kind:
            found.append((kind, *_extent(masked, sentences, number, is_bare=is_bare)))
    return tuple(Request(kind, prompt[start:end].strip()) for kind, start, end in found)


def _clues(low: str) -> list[tuple[str, tuple[str, ...]]]:
    """The languages of which a text holds a stem, and the kinds of order that could be meant; [] for almost all."""
    from holdfast.hook.request_words import CLUES

    low = f" {low} ".replace("\n", " ")
    found: list[tuple[str, tuple[str, ...]]] = []
    for language, (memory, standing) in CLUES.items():
        kinds: tuple[str, ...] = (FORGET, REMEMBER) if any(clue in low for clue in memory) else ()
        if any(clue in low for clue in standing):
            kinds = (*kinds, STANDING)
        if kinds and not (language == "zh" and any("\u3040" <= sign <= "\u30ff" for sign in low)):
            found.append((language, kinds))  # Chinese and Japanese share signs, and kana are Japanese
    return found


def split(masked: str) -> list[Sentence]:
    """The sentences of a masked prompt. Items and lines end them, unless a long line plainly goes on in the next."""
    found: list[Sentence] = []
    at = paragraph = 0
    goes_on = -1
    for line in masked.split("\n"):
        tidy = line.strip()
        if not tidy.strip(BLOCK):
            paragraph += 1
            goes_on = -1
        elif tidy:
            is_item = own_words.is_item(tidy)
            begin = at if goes_on < 0 or is_item else goes_on
            pieces = _pieces(masked, begin, at + len(line), at + _indent(line) if is_item else at)
            if begin < at and found:
                found.pop()
            found += [Sentence(start, end, end >= at + len(line.rstrip()), paragraph) for start, end in pieces]
            open_end = bool(pieces) and len(tidy) >= WRAPPED and tidy[-1] not in _ENDS + _WIDE_ENDS + ":" + BLOCK
            goes_on = pieces[-1][0] if open_end else -1
        at += len(line) + 1
    return found


def _indent(line: str) -> int:
    """Up to the words of an item: the full stop of its number ends no sentence."""
    bare = line.lstrip()
    digits = len(bare) - len(bare.lstrip("0123456789"))
    return len(line) - len(bare) + digits + 1


def _pieces(masked: str, begin: int, end: int, skip: int) -> list[tuple[int, int]]:
    """The sentences between two places; no end is looked for before `skip`."""
    found = []
    start = begin
    at = max(begin, skip)
    while at < end:
        sign = masked[at]
        if sign == BLOCK:
            stop = behind = at
            while behind < end and masked[behind] == BLOCK:
                behind += 1
        elif sign in _WIDE_ENDS or (sign in _ENDS and _is_end(masked, start, at, end)):
            stop = at + 1
            while stop < end and masked[stop] in _ENDS + _WIDE_ENDS + _CLOSERS:
                stop += 1
            behind = stop
        else:
            at += 1
            continue
        if masked[start:stop].strip():
            found.append((start, stop))
        start = at = behind
    if masked[start:end].strip():
        found.append((start, end))
    return found


def _is_end(masked: str, start: int, at: int, end: int) -> bool:
    behind = at + 1
    while behind < end and masked[behind] in _ENDS + _CLOSERS:
        behind += 1
    if behind < end and not masked[behind].isspace() and masked[behind] < "\u2e80":
        return False
    if masked[at] != ".":
        return True
    word = masked[max(start, at - 12) : at].rpartition(" ")[2].lower().lstrip("(")
    return word not in _ABBREVIATIONS


def _kind(sentence: str) -> tuple[str, bool]:
    """What a sentence asks for, "" if nothing, and whether it does so without saying what."""
    low = sentence.lower()
    clues = _clues(low)
    if not clues:
        return "", False
    folded = _folded(low)[:LONGEST]
    for kind in KINDS:
        for language, kinds in clues:
            if kind not in kinds:
                continue
            text = folded.translate(_SIMPLIFIED) if language == "zh" else folded
            left = _matches(language, kind, text)
            if left is not None:
                return kind, left.strip(" ,.:;!?。、-—") in _BARE and not text.rstrip().endswith(":")
    return "", False


def _folded(low: str) -> str:
    """One spelling for all ways to type it: no accents, straight apostrophes, no marks of a list before it."""
    if not low.isascii():
        import unicodedata

        low = unicodedata.normalize("NFC", low).translate(_ACCENTS).replace("ß", "ss").replace("œ", "oe")
    while INLINE * 2 in low:
        low = low.replace(INLINE * 8, INLINE).replace(INLINE * 2, INLINE)
    bare = " ".join(low.split()).lstrip(_MARKS)
    if own_words.is_item(bare):
        bare = bare.lstrip("0123456789").lstrip(".)、 ")
    return bare.strip("*_ ")


def _matches(language: str, kind: str, text: str) -> str | None:
    """What an order of this kind leaves of its sentence, None if there is none. Of questions only polite ones count."""
    for tag in _TAGS:
        if text.endswith(tag):
            text = text[: -len(tag)].rstrip(" ,")
            break
    places = _places(language, text)
    left = _search(language, f"{kind}?", places)
    if left is not None or text.endswith("?") or _search(language, "question", places) is not None:
        return left
    return _search(language, kind, places)


def _places(language: str, text: str) -> dict[str, list[str]]:
    """Where patterns may begin: <P> where an order does, after polite words; <C> where any clause does."""
    orders = [text]
    polite = _compiled(language, "P")[0][1]
    while len(orders) < 8:
        hit = polite.match(orders[-1])
        if not hit or not hit.end():
            break
        orders.append(orders[-1][hit.end() :])
    clauses = [text]
    for _, pattern in _compiled(language, "C"):
        clauses += [text[hit.end() :] for hit in pattern.finditer(text) if hit.end()][:40]
    return {"": [text], "<P>": orders, "<C>": clauses + orders[1:]}


def _search(language: str, name: str, places: dict[str, list[str]]) -> str | None:
    for place, pattern in _compiled(language, name):
        for text in places[place]:
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


def _compiled(language: str, name: str) -> list[tuple[str, re.Pattern[str]]]:
    """The patterns of a name, each with the place where it may begin."""
    known = _patterns.get((language, name))
    if known is not None:
        return known
    import re

    table = _table(language)
    found = []
    for pattern in table.get(name, ()):
        place = "<P>" if "<P>" in pattern else "<C>" if "<C>" in pattern else ""
        source = pattern.replace("<P>", "^").replace("<C>", "^")
        for word, meaning in table.items():
            if f"<{word}>" not in source:
                continue
            if word in _LISTED:
                _lists.setdefault((language, word), frozenset(meaning[0].split()))
                first, *others = source.split(f"<{word}>")
                source = first + "".join(f"(?P<{word}{at}>[a-z-]+){part}" for at, part in enumerate(others))
            else:
                source = source.replace(f"<{word}>", meaning[0])
        found.append((place, re.compile(source)))
    _patterns[language, name] = found
    return found


def _table(language: str) -> dict[str, list[str]]:
    from holdfast.hook.request_words import PATTERNS

    text = PATTERNS.get(language) or ""
    if language in ("zh", "ja"):
        from holdfast.hook.request_words_east import PATTERNS as EAST

        text = EAST[language]
    elif not text:
        from holdfast.hook.request_words_south import PATTERNS as SOUTH

        text = SOUTH[language]
    table: dict[str, list[str]] = {}
    name = ""
    for line in text.strip("\n").split("\n"):
        if line[:2] == "  ":
            table[name][-1] += line[2:]
        else:
            name, _, pattern = line.partition(" ")
            table.setdefault(name, []).append(pattern.strip(" "))
    return table


def _extent(masked: str, sentences: list[Sentence], number: int, *, is_bare: bool) -> tuple[int, int]:
    """From where to where a request goes: its sentence, the list it announces, or the sentence that it points to."""
    sentence = sentences[number]
    start, end = sentence.start, sentence.end
    if sentence.ends_line and masked[start:end].rstrip()[-1:] in (":", "\uff1a"):
        return start, _announced(masked, end)
    if is_bare:
        before = sentences[number - 1] if number else None
        behind = sentences[number + 1] if number + 1 < len(sentences) else None
        if before and before.paragraph == sentence.paragraph:
            start = before.start
        elif behind and behind.paragraph == sentence.paragraph:
            end = behind.end
    return start, end


def _announced(masked: str, end: int) -> int:
    """The end of the list, or else of the paragraph, that follows a colon; nothing that is not the user's own."""
    at = masked.find("\n", end)
    if at < 0:
        return end
    reached = end
    in_list = started = False
    for line in masked[at + 1 :].split("\n"):
        tidy = line.strip()
        size = len(line) + 1
        if not tidy:
            if started and not in_list:
                break
        elif BLOCK in line:
            break
        else:
            is_item = own_words.is_item(tidy)
            if started and in_list and not is_item and line[:1] not in (" ", "\t"):
                break
            in_list = in_list or (is_item and not started)
            started = True
            reached = at + size
        at += size
    return reached
