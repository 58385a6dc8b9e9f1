"""Whether a sentence that a judge wrote is borne out by the session at all, where nothing in it can be looked up.

Two questions, answered by words and not by meaning. First, what it speaks of: of the words that carry a sentence, more
than half occur in the session it tells of. One that speaks of other things was made up, however plainly it reads.
Second, what it orders: a handoff tells the next session what was done and what is next, and gives it no orders of its
own. "Always", "never", "the next agent must" stay only where the user said so, in a sentence of their own words that
shares most of the words and the same yes or no; or where a trusted flag of the session says it. "Do not …" may also be
what the model itself said there.

Nothing is said against a sentence in a language that the session does not speak.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.close.verify import words
from holdfast.text import orders, own_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

SHARE = 0.6  # of an order's words that stand in one sentence of whoever gave it
EXACT_COUNTS = 2  # as many words as something exact that was found is worth
FEWEST = 2  # words that say of what a sentence speaks
NAMED = 3  # words that a doubt names
WIDE = "\u2e80"
ENGLISH = "en"
SMALL = {  # words that no sentence of a language does without for long, none of them in two of these languages
    ENGLISH: ("the", "to", "of", "and", "is", "it", "for", "that", "was", "with", "by", "this", "are", "not", "from"),
    "de": ("der", "die", "das", "und", "nicht", "ist", "ein", "eine", "mit", "von", "zu", "den", "für", "auf", "auch"),
    "fr": ("le", "les", "et", "est", "une", "pour", "dans", "pas", "sur", "du", "au", "qui", "avec", "ce", "il"),
    "es": ("el", "los", "las", "y", "una", "con", "del", "lo", "se", "más", "pero", "esta", "como", "este", "hay"),
    "pt": ("o", "os", "e", "uma", "com", "do", "da", "não", "na", "em", "mais", "ao", "dos", "está", "isso"),
}
_LEAD = (
    r"^(?:[-*\d.)\s>]*)(?:(?:please|important|note|rule|reminder|attention|next (?:agent|session)|for the next \w+|"
    r"bitte|wichtig|achtung)[\s,:!-]+)*"
)
# The beginnings of an order that holds from now on, and of one that forbids something now.
STANDING = re.compile(
    _LEAD + r"(?:always|never|from now on|henceforth|in (?:the |all )?future|going forward|remember|forget|you (?:must|"
    r"should|shall|may not|have to|need to|are to|can skip)|immer|nie|niemals|ab (?:jetzt|sofort)|künftig|merke?|"
    r"toujours|jamais|ne \w+ (?:jamais|plus)|désormais|dorénavant|à partir de maintenant|siempre|nunca|jamás|"
    r"a partir de ahora|en adelante|sempre|jamais|a partir de agora|de agora em diante)\b"
    r"|\b(?:must|should|shall|soll|muss|darf|doit|debe|deve) (?:always|never|not ever|immer|nie|toujours|jamais|"
    r"siempre|nunca|sempre)\b"
    r"|\b(?:next|future|new|every|all|any|later|coming) (?:agents?|sessions?|assistants?|runs?)\b.{0,40}\b(?:must|"
    r"should|shall|always|never|has to|have to|needs? to|may not|(?:is|are) to|can skip)\b"
    r"|\b(?:agents?|assistants?|claude|codex|the model) (?:must|should|shall|may not|has to|have to|needs? to|always|"
    r"never|(?:is|are) to)\b"
    r"|\bin (?:all|every|each|any) (?:future |later |new |coming )?sessions?\b"
    r"|(?:从现在|以后|今后|总是|永远|每次都|务必|必须|绝不|今後|これから|常に|必ず|絶対に)",
    re.IGNORECASE,
)
FORBIDDING = re.compile(
    _LEAD + r"(?:do not|don't|dont|avoid|ensure|make sure|be sure|stop|no longer|nicht|ne|não|nao)\s"
    r"|^(?:不要|别|請勿|请勿|禁止)|(?:しないで|するな|禁止)",
    re.IGNORECASE,
)
EXACT = re.compile(r"\d\d|\d\.\d|`|\w[/_]\w|\w\.[a-z]{1,4}\b")  # a number, path or name in code, which was looked up
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。\uff01\uff1f\uff1b\n]+|\s+[\u2013\u2014]\s+")
_WORD = re.compile(r"[^\W\d_]+(?:'t)?")


def stems(text: str) -> list[str]:
    """What carries a text, each once; of scripts without spaces every two signs that stand together."""
    if not any(sign > WIDE for sign in text):
        return list(dict.fromkeys(words.stems(text)))
    signs = "".join(sign if sign > WIDE and sign.isalnum() else " " for sign in text)
    pairs = [word[at : at + 2] for word in signs.split() for at in range(len(word) - 1)]
    plain = "".join(" " if sign > WIDE else sign for sign in text)
    return list(dict.fromkeys((*pairs, *words.stems(plain))))


def foreign(text: str, known: Collection[str], spoken: Collection[str]) -> str:
    """Why a sentence speaks of something else than what is `known`, by their stems; "" where it does not, or where it
    cannot be told. `spoken` are the words that were said in the session: they show in which language."""
    carried = stems(text)
    if len(carried) < FEWEST or not _is_spoken(text, spoken):
        return ""
    strange = [one for one in carried if one not in known]
    hits = len(carried) - len(strange) + (EXACT_COUNTS if EXACT.search(text) else 0)
    if hits * 3 > len(carried) if len(carried) <= 3 else hits * 2 > len(carried):
        return ""
    named = [word for word in _WORD.findall(text) if set(stems(word)) & set(strange)][:NAMED]
    listed = ", ".join(f'"{word}"' for word in named or strange[:NAMED])
    return f"nothing in the session speaks of {listed}"


def spoken(texts: Iterable[str]) -> frozenset[str]:
    """The words of what was said."""
    return frozenset(word for text in texts for word in map(str.lower, _WORD.findall(text)))


def _is_spoken(text: str, known: Collection[str]) -> bool:
    """Whether a sentence is in the language of the session. One without small words is taken for English."""
    if any(sign > WIDE for sign in text):
        return any(word[0] > WIDE for word in known)
    return (_language(spoken([text])) or ENGLISH) == _language(known)


def _language(known: Collection[str]) -> str:
    """The one of whose small words most are there; "" where none is."""
    counts = [(sum(word in known for word in small), name) for name, small in SMALL.items()]
    most, name = max(counts)
    return name if most else ""


def order(text: str, asked: Iterable[str], flagged: Sequence[str], answered: Sequence[str]) -> str:
    """Why an order in a sentence may not be handed on; "" where there is none, or somebody gave it who may. `asked` are
    the user's prompts, `flagged` the texts of trusted flags, `answered` the model's own words."""
    standing = forbidding = False
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        is_standing = bool(STANDING.search(sentence)) or bool(orders.find(sentence))
        if not is_standing and not FORBIDDING.search(sentence):
            continue
        if _is_said(sentence, (own_words.own(one) for one in asked)) or _is_said(sentence, flagged):
            continue
        if is_standing:
            standing = True
        elif not _is_said(sentence, answered):
            forbidding = True
    return "it gives the next session an order that the user did not give" if standing or forbidding else ""


def _is_said(sentence: str, texts: Iterable[str]) -> bool:
    """Whether one sentence of these says most of it, with the same yes or no."""
    wanted = set(stems(sentence))
    denies = _denies(sentence)
    for text in texts:
        for one in filter(None, _SENTENCE.split(text)):
            if len(wanted & set(stems(one))) >= max(1, SHARE * len(wanted)) and _denies(one) == denies:
                return True
    return False


def _denies(sentence: str) -> bool:
    return bool(words.NEGATIONS.search(sentence)) or any(one in sentence for one in DENIALS)


DENIALS = (
    *(" ne ", " pas", "jamais", "nunca", "jamás", " no ", "não", "nao ", "sem "),
    *("不", "别", "勿", "绝不", "ない", "ません", "するな"),
)
