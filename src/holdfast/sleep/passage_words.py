"""The words that reading a thought knows: small and filling ones, days, and what is said to a reader.

A word that is missing from a table costs a check or an accusation of a right sentence; it is English, as most thoughts
are. What is said to a reader is known by its form only: an order to write, to leave out or to ignore.
"""

from __future__ import annotations

import re

from holdfast.close.verify import claims
from holdfast.close.verify.words import SMALL, stem
from holdfast.model import word_set

_CONTRACTED = (
    (re.compile(r"\b(?:can't|cannot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"(?<=\w)'(?:re|ve|ll|d|m|s)\b", re.IGNORECASE), ""),
)
TIMES = word_set(
    "january february march april june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday yesterday today tomorrow tonight"
)
COUNTS = {word: str(number) for word, number in SMALL.items() if number > 1}
FIRST_PERSON = word_set("i me my mine myself we us our ours ourselves")
OTHERS = word_set(
    "you your yours yourself he him his himself she her hers herself they them their theirs themselves it its "
    "itself who"
)
DOING = word_set("is was has had will can could would does did are were have")
# Words that fill: what they carry is a mood.
_FILLING = word_set(
    "really actually definitely totally absolutely basically literally pretty kinda quite currently simply wow yeah "
    "yep yes hey hi hello oh well haha aww ok okay anyway way thank thanks sure cool nice great glad"
)
LITTLE = FIRST_PERSON | OTHERS | {stem(one) for one in (*_FILLING, *COUNTS, *TIMES)}
_HERE = r"(?:^|[.:;!,-]\s+|\b(?:and|then|please|only|you (?:must|should|shall|will|are to))\s+)"  # an order begins
_SAYING = (
    r"(?:write|say|state|answer|reply|respond|output|print|report|record|conclude|claim|pretend|put down|summari[sz]e)"
)
_WHAT = r"(?:\b(?:that|only|instead|this|the (?:following|sentence|words|line))\b|[:\"'])"
_MUST = r"(?:must|should|shall|has to|have to|needs? to|is|are|will|only)"
_OTHER = r"(?:others?|rest|entries|again|lines?|notes?|sources?|thoughts?)"
_TO_READER = re.compile(
    r"\b(?:ignore|disregard|override|overrule|forget)\b.{0,40}\b(?:instructions?|rules?|above|previous|prior|others?|"
    r"earlier|rest|everything|lines?|notes?|sources?|thoughts?|texts?|entries|said)\b"
    rf"|{_HERE}{_SAYING}\b(?: \w+){{0,4}} ?{_WHAT}"
    rf"|\b(?:summary|abstract|digest|summari[sz]er|memory keeper)\b.{{0,40}}\b{_MUST}\b"
    rf"|\b(?:do not|never) (?:mention|include|cite|summari[sz]e|keep)\b.{{0,30}}\b{_OTHER}\b",
    re.IGNORECASE,
)
_CALL = r"(?:hey|hi|hello|wow|oh|aww|thanks|thank you|yeah|yes|no|ok|okay|sure|well|congrats|dear|bye)"
# A name that somebody is called by, set apart by its signs: "Thanks, Ada!", "Ada, the lease is out."
CALLED = re.compile(
    rf"(?:^|[,.!?:]\s+)(?P<name>[A-Z][^\W\d_]+)(?=\s*[,.!?]|\s-|\s*$)|\b(?i:{_CALL}),?\s+(?P<called>[A-Z][^\W\d_]+)"
)


def plain(text: str) -> str:
    """One line without contractions; a possessive loses its ending."""
    text = claims.normal(text)
    for pattern, whole in _CONTRACTED:
        text = pattern.sub(whole, text)
    return text


def is_to_reader(sentence: str) -> bool:
    """Whether a sentence tells its reader what to write."""
    return _TO_READER.search(claims.normal(sentence)) is not None
