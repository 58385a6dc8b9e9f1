"""Quotations in what was said: words that somebody put between quotation marks, or behind `>`, with who is quoted.

A summary keeps the sense of what was quoted and loses the words, and says all the same that they are in it. So each is
kept verbatim, with the few words that introduce it. A quotation is marked as one and is more than a term: a block, four
words, twenty characters of a sentence, or less behind a colon. What stands in code is none.
"""

from __future__ import annotations

from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1200
PAIRS = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』"}
# A straight mark opens before a word and closes behind one; behind `name(` and `key=` it is a string in code.
# Single marks are apostrophes as well: they open before a letter and close behind a word that ends there.
OPENING = r"[“„«»「『]|(?<![\w=.,;!?)\]}\"])(?<!\w\()\"(?=[^\s\"])|(?<![\w='\u2019\"(\[{/-])['\u2018\u201a](?=[^\W\d_])"
CLOSING = {
    '"': r"(?<!\s)\"(?=[\s)\]}—\u2013\-:;,.!?…/*_'\u2019”“»]|\Z)",
    "'": r"(?<=[\w.!?…,;)])'(?=[\s)\].,;:!?…—*_]|\Z)",
    "\u2018": r"(?<=[\w.!?…,;)])\u2019(?=[\s)\].,;:!?…—*_]|\Z)",
    "\u201a": r"[\u2018\u2019](?!\w)",
}
SINGLE = "'\u2018\u201a"  # around a term they are mostly code
MOST_STRAY = 60  # marks of one text that nothing closes
DEEPEST = 6
SPEAKER = 80  # characters that may introduce a quotation or say behind it whose it is
SENTENCE_ENDS = ".!?…"


@value
class Quotation:
    """Its words, what says whose they are (before it, and behind it), and from where to where it stands in its text.
    A term is too short to be anybody's sentence."""

    text: str
    lead: str
    credit: str
    begin: int
    end: int
    is_term: bool = False


def find(text: str) -> Iterator[Quotation]:
    """What is quoted in a text that is already clean; what is quoted within a quotation is part of it."""
    bare = without_code(text)
    prose = bare
    for begin, end in _blocks(bare):
        words = "\n".join(line.lstrip()[1:].removeprefix(" ") for line in text[begin:end].splitlines()).strip()
        if words:
            words = words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"
            yield Quotation(words, _introduced(text, begin), "", begin, end)
        prose = prose[:begin] + " " * (end - begin) + prose[end:]
    for begin, end in _marked(prose):
        words = text[begin + 1 : end].strip()
        lead, credit = _lead(text, begin), _credit(text, end + 1)
        whole = _says_something(words, introduced=text[begin] in "「『" or lead.endswith(":") or bool(credit))
        if whole or text[begin] not in SINGLE:
            yield Quotation(words, lead, credit, begin, end + 1, not whole)


def normal(text: str) -> str:
    """What two quotations of the same words have in common: neither their lines nor how their marks are written."""
    return " ".join(text.translate(PLAIN).casefold().split()).strip("\"' .")


PLAIN = (
    {ord(mark): '"' for mark in "“”„«»「」『』"}
    | {ord(mark): "'" for mark in "\u2018\u2019\u201a\u2039\u203a"}
    | {0x2026: "."}
)


def _says_something(words: str, *, introduced: bool) -> bool:
    parts = words.split()
    if introduced and (len(parts) > 1 or len(words) >= 8):
        return True
    return len(parts) >= 4 or (len(words) >= 20 and (len(parts) > 1 or not words.isascii()))


def without_code(text: str) -> str:
    """The same text with blanks where code stands, so that places in it are places in the text."""
    import re

    return re.sub(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|`[^`\n]+`", _blank, text)


def _blank(match: object) -> str:
    found = match.group()  # type: ignore[attr-defined]
    return "".join("\n" if letter == "\n" else " " for letter in found)


def _blocks(bare: str) -> Iterator[tuple[int, int]]:
    """Runs of lines that begin with `>`, as Markdown and mail quote."""
    at = begin = 0
    inside = False
    for line in (*bare.splitlines(keepends=True), ""):
        quoted = line.lstrip(" ").startswith(">") and not line.lstrip(" ").startswith((">>>", ">="))
        if quoted and not inside:
            begin, inside = at, True
        elif inside and not quoted:
            inside = False
            yield begin, at
        at += len(line)


def _marked(bare: str) -> Iterator[tuple[int, int]]:
    """Where a mark opens and where its own closes."""
    import re

    opening, failed, at = re.compile(OPENING), 0, 0
    while failed < MOST_STRAY and (match := opening.search(bare, at)):
        begin = match.start()
        end = _closing(bare, begin, bare[begin])
        failed += end < 0
        if end > begin + 3:
            yield begin, end
        at = max(begin, end) + 1


def _closing(bare: str, begin: int, mark: str) -> int:
    """The place of the mark that closes one; -1 where none does in time."""
    import re

    last = begin + 2 + LONGEST
    if mark in CLOSING:
        broken = bare.find("\n\n", begin, last)
        found = re.compile(CLOSING[mark]).search(bare, begin + 2, broken if broken >= 0 else last)
        return found.start() if found else -1
    end = begin
    for _ in range(DEEPEST):
        closers = [at for closer in PAIRS[mark] if (at := bare.find(closer, end + 1, last)) >= 0]
        if not closers:
            break
        end, inner = min(closers), bare.count(mark, begin + 1, min(closers))
        if not inner or inner == sum(bare.count(closer, begin + 1, end) for closer in PAIRS[mark]):
            return end
    return -1


def _introduced(text: str, begin: int) -> str:
    """The line above a block, where it ends in a colon."""
    above = text[max(0, begin - 3 * SPEAKER) : begin].rstrip().rpartition("\n")[2].strip()
    return above[-SPEAKER:].strip("*_# ") if above.rstrip("*_ ").endswith(":") else ""


def _lead(text: str, begin: int) -> str:
    """The words of the same sentence before a quotation."""
    line = text[max(0, begin - SPEAKER) : begin].rpartition("\n")[2]
    cut = max((line.rfind(f"{mark} ") for mark in SENTENCE_ENDS), default=-1)
    words = line[cut + 1 :].strip(" \t-*_>#(")
    if begin > SPEAKER and len(line) == SPEAKER and cut < 0:
        words = words.partition(" ")[2]
    return words


def _credit(text: str, end: int) -> str:
    """A name behind a quotation: behind a dash, in its line or in the next, or in brackets."""
    behind = text[end : end + SPEAKER].lstrip(" \t.,;")
    if behind.startswith("(") and 0 < (close := behind.find(")")) < SPEAKER - 1:
        return behind[: close + 1]
    behind = behind.removeprefix("\n").lstrip(" \t")
    if not behind.startswith(("—", "\u2013 ", "-- ")):
        return ""
    return behind.partition("\n")[0].partition(". ")[0].strip()
