"""Texts cut into what can stand alone, and how much of one is news beside what is quoted already.

A note for the next session has little room, and the same thing is said in an answer, a commit and a tracker's reason.
So every quotation is measured by the words in it that nothing before it had: names, numbers and paths count most,
because they cannot be guessed again.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CODE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
OPEN_CODE = re.compile(r"^[ \t]*(```|~~~).*\Z", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"[-*_=|: ]*")
BULLET = re.compile(r"^(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+")
BREAK = re.compile(r"((?<=[.!?])[\"')*`]*)\s+(?=[\"'(*`\[]*[A-Z0-9`])")
# Behind these a period ends no sentence.
SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|no|v)|\b[A-Z])\.$", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z0-9_À-ɏЀ-ӿ぀-ヿ一-鿿][\w./:#@%+-]*[\w/]|\w")
EXACT = re.compile(r"\d|[_#@]|\w\.\w|[a-z][A-Z]|^[A-Z]{2,}$|^/|/.*/")
NAME = re.compile(r"_|\w\.\w|[a-z][A-Z]|^/")  # of something in code or on disk
MARKUP = str.maketrans("", "", "`*")
COMMON = frozenset(  # words that tell nothing apart
    ("the", "and", "for", "that", "this", "with", "from", "are", "was", "were", "has", "have", "had", "not", "but")
    + ("now", "all", "any", "can", "will", "would", "should", "into", "its", "it's", "then", "than", "them", "they")
    + ("their", "there", "here", "when", "where", "which", "what", "who", "how", "why", "also", "only", "just", "some")
    + ("such", "been", "being", "each", "more", "most", "other", "over", "same", "very", "let", "i'll", "you", "your")
    + (
        "our",
        "use",
        "used",
        "using",
        "make",
        "made",
        "new",
        "one",
        "two",
        "add",
        "added",
        "update",
        "updated",
        "create",
    )
    + ("created", "done", "still", "get", "set", "run", "see", "file", "files", "code", "change", "changes", "test")
    + ("tests", "line", "lines")
)
EXACT_WEIGHT, WORD_WEIGHT = 2.0, 1.0


def lines(text: str) -> Iterator[str]:
    """The lines of a text that say something, without bullets and markup. The cells of a table are joined."""
    text = OPEN_CODE.sub("", CODE.sub("", text))
    for line in text.splitlines():
        bare = line.strip()
        if RULE.fullmatch(bare):
            continue
        if bare.startswith("|") and bare.endswith("|"):
            bare = " ".join(cell.strip() for cell in bare.strip("|").split("|"))
        bare = BULLET.sub("", bare).replace("**", "").replace("__", "").strip()
        if bare:
            yield bare


def sentences(text: str) -> list[str]:
    """What can stand alone: list items, table rows, and the sentences of running text."""
    found: list[str] = []
    for line in _paragraphs(text):
        pieces = BREAK.split(line)
        parts = [f"{text}{closing}" for text, closing in zip(pieces[::2], [*pieces[1::2], ""], strict=True)]
        at = 0
        while at < len(parts):
            whole = parts[at]
            while at + 1 < len(parts) and SHORT.search(whole):
                at += 1
                whole = f"{whole} {parts[at]}"
            found.append(whole.strip())
            at += 1
    return [one for one in found if one]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines joined where running text was only wrapped."""
    text = OPEN_CODE.sub("", CODE.sub("", text))
    held = ""
    for line in text.splitlines():
        bare = line.strip()
        begins = bool(BULLET.match(bare)) or bare.startswith("|")
        if not bare or begins or RULE.fullmatch(bare):
            if held:
                yield held
            held = ""
        said = " ".join(lines(bare))
        if begins and said:
            held = said
        elif said:
            held = f"{held} {said}" if held else said
    if held:
        yield held


def tokens(text: str) -> dict[str, float]:
    """The telling words of a text with their weights."""
    found: dict[str, float] = {}
    for word in WORD.findall(text.translate(MARKUP)):
        low = word.casefold().rstrip(".:/")
        if EXACT.search(word):
            found[low] = EXACT_WEIGHT
        elif len(low) > 2 and low not in COMMON:
            found[low] = WORD_WEIGHT
    return found


def names(text: str) -> list[str]:
    """The words of a text that name something in code or on disk, casefolded."""
    return [word.casefold().rstrip(".:/") for word in WORD.findall(text.translate(MARKUP)) if NAME.search(word)]


class Seen:
    """The words that are quoted already."""

    def __init__(self) -> None:
        self.words: dict[str, float] = {}

    def news(self, text: str) -> tuple[float, float]:
        """The weight of what is new in a text, and its share."""
        found = tokens(text)
        total = sum(found.values())
        fresh = sum(weight for word, weight in found.items() if word not in self.words)
        return fresh, fresh / total if total else 0.0

    def add(self, text: str) -> None:
        self.words.update(tokens(text))


def chosen(parts: Iterable[str], seen: Seen, room: int, least: float, joint: int = 1) -> list[str]:
    """Those that are news to at least this share. One that does not fit is cut where half of it does."""
    kept: list[str] = []
    for part in parts:
        if seen.news(part)[1] < least:
            continue
        cost = len(part) + joint
        if cost > room:
            if room > max(60, cost // 2):
                kept.append(part[: room - 1].rstrip() + "…")
                seen.add(kept[-1])
            break
        room -= cost
        kept.append(part)
        seen.add(part)
    while kept and kept[-1].endswith(":"):
        kept.pop()  # what it announced did not fit
    return kept
