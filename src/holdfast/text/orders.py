"""The user's requests to memory in a prompt: to remember, to keep to something from now on, to forget.

Promise: a request is the user's own sentence, verbatim and whole, with the list that it announces. What is quoted,
pasted or injected asks for nothing (`own_words`), and a question is no order unless it is a polite one. It is a sieve
for orders, not a judge of what matters: it leans towards hearing "remember", whose loss is what users complain of, and
towards not hearing "always" and "never", which are mostly said about code.

An ordinary prompt costs one look for a few stems. Only a sentence with one of them has the table of its language
read.
"""

from __future__ import annotations

from holdfast.model import value
from holdfast.text import own_words
from holdfast.text.own_words import BLOCK, INLINE

MOST_PROMPT = 100_000  # characters that are looked at, from its beginning and its end
REMEMBER, STANDING, FORGET = "remember", "standing", "forget"
KINDS = (FORGET, REMEMBER, STANDING)  # the first that fits a sentence is its kind
LONGEST = 1000  # characters of a sentence that are looked at; phrases are not looked for in a wall of text
WRAPPED = 60  # characters from which a line without a full stop goes on in the next

_ENDS = ".!?…"
_WIDE_ENDS = "。｡\uff01\uff1f"
_CLOSERS = ")]\"'”\u2019»」』*_" + INLINE
_MARKS = " \t-*+•·・#>\u2013"
_ABBREVIATIONS = ("e.g", "i.e", "z.b", "d.h", "u.a", "etc", "vs", "bzw", "ca", "p.ej", "p.ex", "cf", "incl", "inkl")
# Said of a list that stands below, also where no colon does.
_LISTS = (
    *("following", "these", "rules", "regeln", "folgende", "règles", "regles", "suivant", "siguiente", "reglas"),
    *("normas", "seguinte", "regras", "以下", "如下", "规矩", "规则", "规范", "下面", "几条", "ルール", "次の", "下記"),
)
_SPELLINGS = str.maketrans(
    "àáâãäåçèéêëìíîïñòóôõöùúûüýÿ`\u00b4\u2018\u2019\u2013\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09"
    "記請煩幫備從現開後遠絕對別動總條規則刪憶務說這個為麼嗎還會讓們註萬當過時間訴給習慣統嚴須終點樣寫進",
    "aaaaaaceeeeiiiinooooouuuuyy" + "'" * 4 + "—,:;!?()"
    "记请烦帮备从现开后远绝对别动总条规则删忆务说这个为么吗还会让们注万当过时间诉给习惯统严须终点样写进",
    "\u0300\u0301\u0302\u0303\u0308\u0327",
)
_stems: dict[str, list[str]] = {}


@value
class Request:
    """A request in the user's own words. `points`: they say "this" and not what; `this` is text pasted beside them."""

    kind: str
    text: str
    points: bool = False
    this: str = ""


@value
class Sentence:
    """A sentence by its place in the prompt; `ends_line` where nothing of its line is left behind it."""

    start: int
    end: int
    ends_line: bool
    paragraph: int


def find(prompt: str) -> tuple[Request, ...]:
    """The requests of a prompt, in their order; () for almost every prompt."""
    if len(prompt) > MOST_PROMPT:  # what was pasted in between is not what the user typed
        prompt = f"{prompt[: MOST_PROMPT // 2]}\n\n{prompt[-MOST_PROMPT // 2 :]}"
    if not _languages(spelled(prompt.lower())):
        return ()
    masked = own_words.mask(prompt)
    if not _languages(spelled(masked.lower())):
        return ()
    found: list[tuple[str, int, int, bool]] = []
    sentences = split(masked)
    for number, sentence in enumerate(sentences):
        if found and sentence.start < found[-1][2]:
            continue  # belongs to what an order before it has announced
        if own_words.is_set_in(prompt, sentence.start):
            continue
        kind, is_bare = _kind(masked[sentence.start : sentence.end])
        if kind:
            start, end = _extent(masked, sentences, number, is_bare=is_bare)
            # An order to remember says nothing itself: it has no neighbour, and no words below its colon.
            announces = masked[start:end].rstrip()[-1:] in (":", "\uff1a") and BLOCK in masked[end : end + 4]
            is_alone = (start, end) == (sentence.start, sentence.end)
            points = kind == REMEMBER and is_alone and (is_bare or announces)
            found.append((kind, start, end, points))
    beside = [_beside(prompt, masked, start, end) if points else "" for _, start, end, points in found]
    texts = [(kind, prompt[start:end].strip(), points) for kind, start, end, points in found]
    return tuple(Request(*one, this) for one, this in zip(texts, beside, strict=True))


def _beside(prompt: str, masked: str, start: int, end: int) -> str:
    """The text that was pasted next to an order: the block below it, else the one above it."""
    at = masked.find(BLOCK, end)
    at = at if at >= 0 else masked.rfind(BLOCK, 0, start)
    if at < 0:
        return ""
    first, last = at, at
    while first > 0 and masked[first - 1] in f"{BLOCK}\n":
        first -= 1
    while last < len(masked) and masked[last] in f"{BLOCK}\n":
        last += 1
    return "\n".join(line for line in prompt[first:last].strip().split("\n") if line.strip("`~ "))


def spelled(low: str) -> str:
    """One spelling for all ways to type a word: no accents, straight apostrophes, narrow marks, simplified signs."""
    return low if low.isascii() else low.translate(_SPELLINGS).replace("ß", "ss").replace("œ", "oe")


def _languages(low: str) -> list[str]:
    """The languages of which a text holds a stem; [] for almost all texts."""
    if not _stems:
        from holdfast.text.order_words import TABLES

        for language, table in TABLES.items():
            first = spelled(table.partition("\nbefore:")[0].partition(":")[2])
            _stems[language] = [stem.strip().replace("_", " ") for stem in first.split(",")]
    low = f" {low} ".replace("\n", " ")
    found = [language for language, stems in _stems.items() if any(stem in low for stem in stems)]
    if "zh" in found and any("\u3040" <= sign <= "\u30ff" for sign in low):
        found.remove("zh")  # Chinese and Japanese share signs, and kana are Japanese
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
            # Up to the words of an item: the full stop of its number ends no sentence.
            skip = len(line) - len(line.lstrip().lstrip("0123456789")) + 1 if is_item else 0
            pieces = _pieces(masked, begin, at + len(line), at + skip)
            if begin < at and found:
                found.pop()
            found += [Sentence(start, end, end >= at + len(line.rstrip()), paragraph) for start, end in pieces]
            open_end = bool(pieces) and len(tidy) >= WRAPPED and tidy[-1] not in _ENDS + _WIDE_ENDS + ":" + BLOCK
            goes_on = pieces[-1][0] if open_end else -1
        at += len(line) + 1
    return found


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
    """The kind of request that a sentence is, "" if none, and whether it does not say what."""
    low = spelled(sentence.lower())
    languages = _languages(low)
    if not languages:
        return "", False
    from holdfast.text.order_phrases import is_bare, left_of

    folded = _folded(low)[:LONGEST]
    for kind in KINDS:
        for language in languages:
            left = left_of(language, kind, folded)
            if left is not None:
                return kind, not folded.endswith(":") and is_bare(language, left.strip(" ,.:;!?。、-—"))
    return "", False


def _folded(low: str) -> str:
    """A sentence in one line, with one sign for each quotation and no marks of a list before it."""
    while INLINE * 2 in low:
        low = low.replace(INLINE * 8, INLINE).replace(INLINE * 2, INLINE)
    bare = " ".join(low.split()).lstrip(_MARKS).replace(" -- ", " — ").replace(" - ", " — ")
    if own_words.is_item(bare):
        bare = bare.lstrip("0123456789").lstrip(".)、 ")
    return bare.strip("*_ ")


def _extent(masked: str, sentences: list[Sentence], number: int, *, is_bare: bool) -> tuple[int, int]:
    """From where to where a request goes: its sentence, the list it announces, or the sentence that it points to."""
    sentence = sentences[number]
    start, end = sentence.start, sentence.end
    if sentence.ends_line and _announces(masked, start, end):
        return start, _announced(masked, end)
    if is_bare:
        before = sentences[number - 1] if number else None
        behind = sentences[number + 1] if number + 1 < len(sentences) else None
        if before and before.paragraph == sentence.paragraph:
            start = before.start
        elif behind and behind.paragraph == sentence.paragraph:
            end = behind.end
    return start, end


def _announces(masked: str, start: int, end: int) -> bool:
    """Whether a sentence that ends its line speaks of what stands below: by a colon, or by its words and a list."""
    low = masked[start:end].rstrip().lower()
    if low[-1:] in (":", "\uff1a"):
        return True
    below = masked[end:].partition("\n")[2].partition("\n")[0].strip()
    return own_words.is_item(below) and any(word in low for word in _LISTS)


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


FEWEST = 6  # letters that must be left of what is to be remembered
_POLITE = r"(?:(?:and|also|oh|ok|okay|hey|btw|please|pls|plz|kindly|bitte|por favor|请|麻烦)[,:]?\s*)*"
_FRONTS = (
    r"(?:(?:can|could|would|will) (?:you|u) (?:please |pls )?)?(?:always )?"
    r"(?:remember|remeber|rember|rememebr|memori[sz]e|keep in mind|bear in mind|don'?t forget|do not forget)\b"
    r"(?:\s+(?:this|that|these|the following))?(?:\s*[:,\u2014\u2013-]\s*|\s+(?:that|to)\s+|\s+)",
    r"(?:(?:make|take) a note|note(?: to self)?|for (?:the )?future(?: reference)?|for next time|fyi)"
    r"(?:\s*[:,\u2014\u2013-]\s*|\s+that\s+)",
    r"(?:merke?\s+dir|notiere?(?:\s+dir)?|denke?\s+daran|vergiss\s+nicht)(?:\s*[:,\u2014\u2013-]\s*|\s+)"
    r"(?:bitte[:,]?\s+)?(?:dass\s+)?",
    r"(?:souviens-toi|rappelle-toi|retiens|note|n'oublie pas)(?:\s*[:,\u2014\u2013-]\s*|\s+(?:bien\s+)?qu(?:e\s+|'))",
    r"(?:recuerda|anota|apunta|ten en cuenta|no olvides)(?:\s*[:,\u2014\u2013-]\s*|\s+que\s+)",
    r"(?:lembre(?:-se)?|anote|guarde|tenha em mente|não se esqueça)(?:\s*[:,\u2014\u2013-]\s*|\s+(?:de\s+)?que\s+)",
    r"(?:你)?(?:记住|记一下|记下来|牢记|别忘了)\s*[:\uff1a,\uff0c]?\s*",
    r"(?:覚えておいて|メモして(?:おいて)?)(?:ください|下さい|ね)?\s*[:\uff1a、。,]\s*",
)
_BACK = (
    r"(?:[.;,!\u2014\u2013-]\s*(?:please |pls )?(?:remember|memori[sz]e|note) (?:this|that|it)(?: please)?|"
    r"(?:こと)?を覚えておいて(?:ください|下さい|ね)?)[.!。\s]*$"
)


def without_request(text: str) -> str:
    """The thing to remember, without the words at its very front or end that only ask to: "Remember: staging is wiped
    every night" is kept as "staging is wiped every night". Where hardly anything would be left, nothing goes."""
    import re

    begin = rf"^[\s*_>#-]*{_POLITE}"
    front = re.match(rf"{begin}(?:{'|'.join(_FRONTS)})", text, re.IGNORECASE)
    bare = text[front.end() :] if front else text
    back = re.search(_BACK, bare, re.IGNORECASE)
    bare = bare[: back.start()] if back and back.start() else bare
    bare = bare.strip()
    if front and re.match(rf"{begin}(?:can|could|would|will) (?:you|u) ", text, re.IGNORECASE):
        bare = bare.rstrip("? ")
    is_enough = sum(one.isalnum() for one in bare) >= FEWEST or sum(one > "\u2e80" for one in bare) > 3
    return bare if is_enough else text.strip()
