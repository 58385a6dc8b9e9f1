"""The model's own words worth carrying on: the last answer of each turn, its findings on the way, and the sections of
the host's summary at a compaction. Texts are cut into sentences that can stand alone and weighed by their news.

An answer that ends a turn is written for somebody who was not there. Between calls a model mostly announces its
next step; a finding stands where a call had just failed, or in a sentence that gives a reason.
"""

from __future__ import annotations

import re

from holdfast.model import value, word_set
from holdfast.text.transcript import ASIDE, ASSISTANT, CALL, RESULT, USER, Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
EXACT_WEIGHT, WORD_WEIGHT = 2.0, 1.0
ANNOUNCES = re.compile(
    r"^(?:(?:now|next|ok(?:ay)?|good|great|perfect|right|alright|all green|done|first|then)\b[,.:!\u2014\u2013 -]*)*"
    r"(?:(?:now|next)?,?\s*(?:let me|let's|i'll|i will|i'm going to|i can now|we'll|time to|moving on)\b)",
    re.IGNORECASE,
)
OPENING = re.compile(r"^(?:now|next|good|great|perfect|all green|clean compile|starting|continuing)\b", re.IGNORECASE)
REASON = re.compile(
    r"\b(?:because|since|so that|instead|rather than|must|needs?|requires?|missing|can't|cannot|doesn't|does not|isn't|"
    r"won't|not|no|only|unless|without|already|never|however|but|due to|causes?d?|fails?|unsupported|already|"
    r"stale|expected|bug|wrong|actually|turns out|means)\b",
    re.IGNORECASE,
)
LEAST = 24  # characters of a sentence that can say something
HEADING = re.compile(r"^(?:#{1,4}\s+(.+?)|\d{1,2}\.\s+\**([A-Z][^\n:*]{2,60})\**:?\**|\*\*([^*\n]{3,60})\*\*:?)\s*$")
PROPER = re.compile(r"^(?:<summary>|\**Summary\**:?)\s*$", re.MULTILINE | re.IGNORECASE)
ABOUT = (
    ("asked", ("user message", "user's message", "user request")),
    ("goals", ("request", "intent", "goal", "objective", "task overview")),
    ("learned", ("error", "fix", "problem", "lesson", "learn", "gotcha", "caveat", "issue", "discover", "insight")),
    ("decisions", ("decision", "approach", "design", "constraint", "convention")),
    ("next", ("pending", "next", "remaining", "todo", "to do", "open")),
    ("now", ("current work", "in progress", "current state", "status")),
    ("where", ("file", "code section", "artifact")),
    ("done", ("done", "completed", "progress", "accomplish", "work performed")),
    ("known", ("concept", "context", "technical", "background", "key")),
)


# Words that tell nothing apart.
COMMON = word_set(
    "the and for that this with from are was were has have had not but now all any can will would should into its it's "
    "then than them they their there here when where which what who how why also only just some such been being each "
    "more most other over same very let i'll you your our use used using make made new one two add added update "
    "updated create created done still get set run see file files code change changes test tests line lines"
)


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text that say something, without bullets and markup. The cells of a table are joined."""
    for line in OPEN_CODE.sub("", CODE.sub("", text)).splitlines():
        bare = line.strip()
        if RULE.fullmatch(bare):
            continue
        if bare.startswith("|") and bare.endswith("|"):
            bare = " ".join(cell.strip() for cell in bare.strip("|").split("|"))
        bare = BULLET.sub("", bare).replace("**", "").replace("__", "").strip()
        if bare:
            yield bare


def sentences(text: str) -> list[str]:
    """Cut a text into list items, table rows, and the sentences of running text."""
    found: list[str] = []
    for line in _paragraphs(text):
        pieces = BREAK.split(line)
        parts = [f"{text}{closing}" for text, closing in zip(pieces[::2], [*pieces[1::2], ""], strict=True)]
        whole = ""
        for part in parts:
            whole = f"{whole} {part}" if whole else part
            if not SHORT.search(whole):
                found.append(whole.strip())
                whole = ""
        found.append(whole.strip())
    return [one for one in found if one]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines joined where running text was only wrapped."""
    held = ""
    for line in OPEN_CODE.sub("", CODE.sub("", text)).splitlines():
        bare = line.strip()
        begins = bool(BULLET.match(bare)) or bare.startswith("|")
        if not bare or begins or RULE.fullmatch(bare):
            if held:
                yield held
            held = ""
        said = " ".join(lines_of(bare))
        if said:
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


class QuotedWords:
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


def chosen(parts: Iterable[str], seen: QuotedWords, room: int, least: float, joint: int = 1) -> list[str]:
    """The parts of which at least this share is news. One that does not fit is cut where half of it does."""
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


@value
class Discovery:
    """Sentences that give a reason, and whether they followed a call that had failed."""

    sentences: tuple[str, ...]
    at: int
    after_failure: bool


@value
class Answer:
    """The words that ended a turn, whether anything was done in it, and whether the user had asked: a host starts
    turns too, when something that ran behind has ended."""

    text: str
    at: int
    worked: bool
    was_asked: bool


def answers(heard: Sequence[Said]) -> list[Answer]:
    """The last words of each turn, in their order."""
    found: list[Answer] = []
    last: list[Said] = []
    worked, was_asked = False, True
    for one in (*heard, Said(USER, "", -1)):
        if one.role in (USER, ASIDE):
            if last:
                found.append(Answer("\n".join(said.text for said in last), last[-1].at, worked, was_asked))
            last, worked, was_asked = [], False, one.role == USER
        elif one.role == ASSISTANT:
            last.append(one)
        elif one.role == CALL:
            last, worked = [], True  # words before a call announced it
    return found


def findings(heard: Sequence[Said]) -> list[Discovery]:
    """The findings in their order. Behind a failure the remedy is told with its reason."""
    found = []
    failed = False
    for one in heard:
        if one.role == RESULT:
            failed = failed or one.failed
        elif one.role == CALL:
            failed = False
        elif one.role == ASSISTANT:
            told = [text for text in sentences(one.text) if len(text) >= LEAST]
            said = [text for text in told if not ANNOUNCES.match(text) and not OPENING.match(text)]
            if failed and any(map(_is_exact, said)):
                found.append(Discovery(tuple(said), one.at, after_failure=True))
            elif not failed:
                reasons = (text for text in said if _is_exact(text) and REASON.search(text))
                found += [Discovery((text,), one.at, after_failure=False) for text in reasons]
            failed = False
    return found


def _is_exact(sentence: str) -> bool:
    """Whether it names something that could not be guessed."""
    named = any(weight > 1 and not word.isdecimal() for word, weight in tokens(sentence).items())
    return named or "`" in sentence


@value
class SummaryPart:
    """A section's subject, and its items in plain text, whole."""

    about: str
    items: tuple[str, ...]


def parts(text: str) -> list[SummaryPart]:
    """The sections in their order; what has no heading is about nothing ("")."""
    proper = PROPER.search(text)
    body = text[proper.end() :] if proper else text
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in OPEN_CODE.sub("", CODE.sub("", body)).splitlines():
        heading = HEADING.match(line.rstrip()) if line[:1] not in (" ", "\t") else None
        if heading:
            low = next(filter(None, heading.groups())).casefold()
            found.append((next((about for about, words in ABOUT if any(word in low for word in words)), ""), []))
        else:
            found[-1][1].append(line)
    return [SummaryPart(about, items) for about, lines in found if (items := tuple(_items(lines)))]


def _items(lines: list[str]) -> list[str]:
    """List items with all that is indented below them; running text by sentence."""
    found: list[str] = []
    depth = 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        bare = " ".join(lines_of(line))
        if not bare:
            continue
        is_item = bool(BULLET.match(line.strip()))
        if found and indent > depth:
            joint = "; " if is_item and not found[-1].endswith((":", "—", "-")) else " "
            found[-1] = f"{found[-1].rstrip(';')}{joint}{bare}"
        else:
            depth = indent
            found.append(bare)
    return found
