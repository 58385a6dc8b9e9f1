"""Whom and what a sentence speaks of, against its source: values stay with their subjects.

In a talk "I" is the speaker, so what one person says of themselves may be told of them by name, and of nobody else.
Elsewhere a subject is the first word that carries a sentence, or a name that its source has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.close.verify import findings
from holdfast.close.verify.words import STOP, stem
from holdfast.sleep.passage_words import DOING, FIRST_PERSON, OTHERS, plain
from holdfast.sleep.passages import WORD, Passage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from holdfast.sleep.passages import Source


def is_named(part: Passage, source: Source) -> bool:
    """Whether a part that comes from another source than the part before it says what it is about: who speaks there,
    "I" where that says so, or the first of the carrying words."""
    near = max(source.passages, key=lambda one: len(one.stems & part.stems))
    is_first = not FIRST_PERSON.isdisjoint(near.words)
    if is_first and (not FIRST_PERSON.isdisjoint(part.words) or source.speaker.lower() in part.words):
        return True
    return not near.first or near.first in part.stems


def foreign_beginning(said: Passage, sentence: str, source: Source, window: Passage) -> frozenset[str]:
    """A word with a capital that a part begins with. Inside a sentence it is a name. At its beginning it may be any
    word, unless it does something, or stands in the place of whom or what the source speaks of."""
    first, second = (*said.tokens, "", "")[:2]
    if not first[:1].isupper() or first == "I" or first.lower() in STOP or stem(first) in window.carried:
        return frozenset()
    speaker = source.speaker.lower() if not FIRST_PERSON.isdisjoint(window.words) else ""
    subject = speaker or next((one.lower() for one in window.tokens if one.lower() not in STOP), "")
    is_inside = not plain(sentence).startswith(said.plain)
    is_name = is_inside or second.lower() in DOING or subject not in said.words
    return frozenset({first.lower()}) if is_name else frozenset()


def exchanged(said: Passage, sentence: str, source: Source, window: Passage, members: Collection[Source]) -> str:
    """Whether it tells of one person what another says of themselves."""
    people = {one.speaker.split()[0].lower() for one in members if one.speaker}
    speaker = source.speaker.split()[0].lower() if source.speaker else ""
    mine, theirs = _subjects(Passage(sentence), people, ""), _subjects(window, people, speaker)
    both = [(mine[one], theirs[one]) for one in said.stems & mine.keys() & theirs.keys()]
    known = [(one, other) for one, other in both if one and other]
    wrong = [(one, other) for one, other in known if one != other]
    if len(wrong) * 2 > len(known):
        return f"{source.handle} says it of {wrong[0][1]}, not of {wrong[0][0]}"
    return ""


def _subjects(said: Passage, people: Collection[str], speaker: str) -> Mapping[str, str]:
    """For each carrying word the person named last before it; "" where a pronoun leaves that open."""
    found: dict[str, str] = {}
    now = ""
    for match in WORD.finditer(said.plain):
        low = match.group().lower()
        if low in people:
            now = "" if low in said.called else low
            speaker = low if said.plain.startswith(":", match.end()) else speaker
        elif low in FIRST_PERSON:
            now = speaker
        elif low in OTHERS:
            now = ""
        else:
            for one in findings.stems(low):
                found.setdefault(one, now)
    return found
