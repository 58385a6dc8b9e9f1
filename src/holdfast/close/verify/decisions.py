"""Whether a decision is what was said, or its opposite; and which decision in force a new one amends.

There is no understanding here, only bookkeeping over the words that two sentences share: on which side of a negation,
of an "instead of" or of a pair of opposites each of them stands, in which order two things come, and which words go
together in a clause. A sentence that shares little proves nothing; where several were said, the user's weigh more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.close.verify.evidence import Evidence
    from holdfast.vault.notes import Note

ENOUGH = 0.5  # of a claim's words that a sentence must share to be about the same
ENOUGH_AGAINST = 0.66  # to speak against it by its sign alone
SURE = 0.75  # for the claim to be held back
_NO = r"(?:not|never|no|don't|nicht|nie|niemals|kein\w*|auch nicht)"
CLAUSE = re.compile(
    rf"\s*(?:[,;()]|:|\s-\s|\bbut\b|\baber\b|\bbecause\b|\bso that\b|\b(?:and|und)\s(?=(?:\w+\s){{0,3}}{_NO}\b))\s*"
)
SMALLER_CLAUSE = re.compile(r"[,;()]|\bbut\b|\band\b|\bthen\b|\baber\b|\bund\b|\bdann\b")
TURNING = re.compile(
    r"(?<![\w-])(?:instead of|rather than|in place of|over(?!-)|without|statt|anstatt|anstelle von|ohne)\b",
    re.IGNORECASE,
)
ORDER = (
    (re.compile(r"(.+?)\bbefore\b(.+)", re.IGNORECASE), False),
    (re.compile(r"(.+?)\bafter\b(.+)", re.IGNORECASE), True),
    (re.compile(r"(.+?)\bfirst\b\W*(?:and\s|then\s)*(.+)", re.IGNORECASE), False),
)
AFTER_TURNING = re.compile(r"\s(?:for|in|because|when|as|since|on|at|during|für|bei|im|weil)\s", re.IGNORECASE)
# Other ways to say: not wanted, not changed (bench/verify.py: right decisions).
PLAINER = tuple(
    (re.compile(pattern, re.IGNORECASE), plainer)
    for pattern, plainer in (
        (r"^(\S+(?:\s\S+){0,2}):\s", r"\1 "),
        (r"\b(?:go(?:es)? away|disappears?|vanish(?:es)?)\b", "not remain"),
        (r"\b(?:leave|keep|left|leaving)\s+(.{3,60}?)\s+(?:alone|as (?:it is|they are|is)|untouched|unchanged)\b",
         r"do not change \1"),
        (r"\b(?:stays?|remains?|is|are|left|kept)\s+(?:left )?(?:alone|as (?:it is|they are)|untouched|unchanged)\b",
         "is not changed"),
        (r"\bleaves? the\b", "is removed from the"),
        (r"\b(?:stays?|remains?|is kept|are kept|keep it|stick) (?:at|the same)\b", "is not changed"),
    )
)  # fmt: skip
_ASKING = re.compile(r"\?\s*$|^\s*(?:should|shall|could|can|may|do|does|what|why|how|which|soll)\b", re.IGNORECASE)

# How far things are; what did not happen yet was not decided against.
_TELLING = re.compile(
    r"\b(?:have|has|had|did)(?:n't| not)\b|\bnot yet\b|\bnoch nicht\b|\bnot .{2,30} yet\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Stand:
    """A sentence as read: a sign for each of its words, the words that share a clause, and what comes before what."""

    signs: dict[str, int]
    clauses: tuple[frozenset[str], ...]
    orders: tuple[tuple[frozenset[str], frozenset[str]], ...]

    @property
    def stems(self) -> set[str]:
        return set(self.signs)


@lru_cache(maxsize=65536)
def stand(sentence: str) -> Stand:
    """Read one sentence."""
    text = claims.normal(sentence)
    for pattern, plainer in PLAINER:
        text = pattern.sub(plainer, text)
    signs: dict[str, int] = {}
    for clause in CLAUSE.split(text):
        signs = {**dict(_signed(clause)), **signs}
    clauses = (frozenset(words.stems(one)) for one in SMALLER_CLAUSE.split(text))
    return Stand(signs, tuple(one for one in clauses if one), tuple(_orders(text)))


def _orders(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The pairs of things of which one comes before the other."""
    for pattern, is_back in ORDER:
        found = pattern.search(text)
        if found and not words.NEGATIONS.search(found.group(1)):
            pair = [frozenset(words.stems(one)) for one in found.groups()]
            yield (pair[1], pair[0]) if is_back else (pair[0], pair[1])


def _signed(clause: str) -> Iterator[tuple[str, int]]:
    """The words of a clause with their sign: a negation or the darker of two opposites turns all of them, and what is
    behind an "instead of" or a "without" once more. Opposites are one word here, which is how they are found again."""
    cut = TURNING.search(clause)
    head, tail = (clause[: cut.start()], clause[cut.end() :]) if cut else (clause, "")
    ends = AFTER_TURNING.search(tail)
    if ends:
        head, tail = head + tail[ends.start() :], tail[: ends.start()]
    turn = -1 if len(words.NEGATIONS.findall(head)) % 2 else 1
    for part, sign in ((head, turn), (tail, -turn)):
        sides = (words.SIDES.get(word, (0, 1))[1] for word in re.findall(r"[\w'-]+", part.lower()))
        turned = sign * prod(sides)
        for word in re.findall(r"[^\W_]{2,}(?:[-'][^\W\d_]+)?", part):
            if word.lower() in words.SIDES:
                yield f"~{words.SIDES[word.lower()][0]}", turned
            else:
                yield from ((one, turned) for one in words.stems(word))


@dataclass(frozen=True)
class Weighed:
    """The weight for and against a decision, and the sentence that speaks most against it."""

    agreed: float = 0.0
    opposed: float = 0.0
    against: str = ""
    likeness: float = 0.0


def weigh(text: str, sentences: Iterable[tuple[str, float]]) -> Weighed:
    """A decision against sentences with their weights."""
    mine = stand(text)
    agreed = opposed = most = likeness = 0.0
    against = ""
    for sentence, weight in sentences:
        score = _score(mine, stand(sentence))
        if score > 0:
            agreed += weight * score
        elif score < 0:
            opposed -= weight * score
            if -score * weight > most:
                most, against, likeness = -score * weight, sentence, -score
    return Weighed(agreed, opposed, against, likeness)


def _score(mine: Stand, other: Stand) -> float:
    """Over zero where they agree, under it where one is the other's opposite, by how much they share."""
    mine, other = _without_prefix(mine, other), _without_prefix(other, mine)
    shared = mine.stems & other.stems
    if not shared or len(shared) < min(2, len(mine.stems)):
        return 0.0
    likeness = len(shared) / len(mine.stems)
    if likeness < ENOUGH:
        return 0.0
    taken = any(mine.signs[one] > 0 > other.signs[one] for one in shared)
    is_swapped = taken and any(mine.signs[one] < 0 < other.signs[one] for one in shared)
    if _is_reversed(mine, other) or _is_crossed(mine, other, shared) or is_swapped:
        return -likeness
    if likeness < ENOUGH_AGAINST:
        return likeness if all(mine.signs[one] == other.signs[one] for one in shared) else 0.0
    same = sum(1 if mine.signs[one] == other.signs[one] else -1 for one in shared)
    return likeness if same > 0 else -likeness if same < 0 else 0.0


def _without_prefix(one: Stand, other: Stand) -> Stand:
    """Unfreeze is not to freeze, where the other speaks of freezing."""
    signs = {}
    for word, sign in one.signs.items():
        plain = next((word[len(head) :] for head in ("un", "dis", "de", "non") if word.startswith(head)), "")
        signs[plain if plain in other.signs else word] = -sign if plain in other.signs else sign
    return Stand(signs, one.clauses, one.orders)


def _is_reversed(mine: Stand, other: Stand) -> bool:
    """Whether what comes first here comes last there."""
    for first, last in mine.orders:
        for other_first, other_last in other.orders:
            straight = first & other_first or last & other_last
            if first & other_last and last & other_first and not straight:
                return True
    return False


def _is_crossed(mine: Stand, other: Stand, shared: set[str]) -> bool:
    """Whether two pairs of words go together here and are exchanged there: stored in A, shown in B."""
    here = [clause & shared for clause in mine.clauses if len(clause & shared) > 1]
    there = [clause & shared for clause in other.clauses if len(clause & shared) > 1]
    for left, right in combinations(here, 2):
        for other_left, other_right in combinations(there, 2):
            for one, two in ((other_left, other_right), (other_right, other_left)):
                kept, came = (left & one) - two, (left & two) - one
                if kept and came and ((right & two) - one) and ((right & one) - two):
                    return True
    return False


def sentences(evidence: Evidence) -> list[tuple[str, float]]:
    """Everything that was said and flagged, each sentence with its weight; questions and reports decide nothing."""
    weighed = ((evidence.asked, 2.0), (evidence.answered, 1.0), (evidence.decided, 2.0))
    found = [(one, weight) for texts, weight in weighed for text in texts for one in split(text)]
    return [(one, weight) for one, weight in found if not _ASKING.search(one) and not _TELLING.search(one)]


def split(text: str) -> list[str]:
    """Sentences. A point in a number or a name ends none."""
    lines = (line for line in text.splitlines() if line.strip())
    return [one for line in lines for one in re.split(r"(?<=[.!?;])\s+", line.strip()) if one]


def verdict(text: str, said: Sequence[tuple[str, float]], in_force: Iterable[Note]) -> tuple[str, str]:
    """("", "") where nothing speaks against a decision; contradicted where the session says the opposite, or a decision
    in force does and the session does not say that it was changed; unsupported where that is likely, not sure."""
    weighed = weigh(text, said)
    if weighed.opposed > weighed.agreed:
        is_sure = weighed.likeness >= SURE
        said_so = weighed.against if len(weighed.against) <= 100 else f"{weighed.against[:99]}…"
        return ("contradicted" if is_sure else "unsupported"), f'the session says "{said_so}"'
    if weighed.agreed > 0:
        return "", ""  # said in this session: where an older decision differs, this one amends it
    for note in in_force:
        told = weigh(text, [(one, 1.0) for one in _decided_in(note)])
        if told.opposed > told.agreed:
            return "contradicted", f"{note.name} decides otherwise, and nothing in the session changes it"
    return "", ""


def amends(old: Note, new_text: str) -> bool:
    """Whether a new decision is about the matter of an older one and decides it otherwise, so that only the new one is
    in force. Saying the same again amends nothing."""
    mine = stand(new_text)
    for sentence in _decided_in(old):
        other = stand(sentence)
        shared = mine.stems & other.stems
        smaller = min(len(mine.stems), len(other.stems)) or 1
        if len(shared) < 2 or len(shared) / smaller < ENOUGH:
            continue
        if _is_reversed(mine, other) or _is_crossed(mine, other, shared):
            return True
        if any(mine.signs[one] != other.signs[one] for one in shared):
            return True
        if _values(new_text) and _values(sentence) and _values(new_text) != _values(sentence):
            return True
    return False


def _values(text: str) -> set[tuple[str, str]]:
    """The numbers, versions and dates that a decision sets."""
    kinds = (claims.NUMBER, claims.VERSION, claims.DATE, claims.TIME)
    return {(one.unit or one.noun, one.key) for one in claims.atoms(text) if one.kind in kinds}


def _decided_in(note: Note) -> list[str]:
    """The sentences of a note, its description first: the body may explain at length."""
    return list(dict.fromkeys((note.description, *split(note.body))))[:12]
