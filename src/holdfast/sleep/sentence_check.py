"""Whether the thoughts that a sentence cites bear it: the reason why not, or "".

Promise: a sentence that passes says nothing exact that no cited source says, with the same yes or no, and each of its
clauses comes from one place of one source. That last rule is what keeps two subjects apart: a value of one source
beside the subject of another is found in no single place. No model is asked and nothing is understood; a sentence in
words of its own is left out though it may be true, because the caller then quotes the sources, and nothing is lost.

Words that no source has are allowed for a quarter of a clause: they are how one paraphrases. Words that only another
source has are not: they are how one merges.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, decisions, evidence, exact, findings
from holdfast.model import TRUSTED
from holdfast.sleep import frames, subjects
from holdfast.sleep.passage_words import FIRST_PERSON, OTHERS, is_to_reader, plain
from holdfast.sleep.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.sleep.passages import Source

OWN_WORDS = 1 / 4  # of a clause's carrying words that may stand in no source
FEWEST = 2  # carrying words of a part that can be looked up by itself
NOTHING = evidence.Evidence()
_PART = re.compile(
    r"\s*[;()\[\]]\s*|\s-\s|\s*,\s*(?:and\s|but\s|or\s|so\s|then\s)?|\s(?:and|but|or|so|then|because|while|which|who)\s"
)
_LABEL = re.compile(r"(?:^|\band\s)(?P<name>[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)?):\s")


def problem(text: str, cited: Sequence[Source], members: Collection[Source]) -> str:
    """The reason to leave a sentence out, as the end of a sentence; "" where it is borne."""
    if not Passage(text).stems and not Passage(text).fixed:
        return "it says nothing"
    if is_to_reader(text):
        return "it tells its reader what to write"
    if _is_ordered(text, [plain(one.body) for one in cited if one.thought.origin in TRUSTED]):
        return "it gives an order that no trusted source gives"
    if _is_nobodys(text, members):
        return "it does not say who speaks"
    wrong = _labelled(text, cited)
    if wrong or any(_is_quoted(text, one) for one in cited):
        return wrong
    return _denied(text, cited) or _spans(text, cited, members)


def _is_quoted(text: str, source: Source) -> bool:
    """Whether it is whole sentences of a source, word for word, and said by the same: no rule may doubt those."""
    if any(match["name"].casefold() != source.speaker.casefold() for match in _LABEL.finditer(text)):
        return False
    own = {_bare(one.plain) for one in source.passages if one.bears}
    return all(_bare(plain(one)) in own for one in decisions.split(_LABEL.sub("", text)))


def _bare(text: str) -> str:
    return text.strip(" .!;").casefold()


def _is_ordered(text: str, trusted: Sequence[str]) -> bool:
    """Whether it orders something that no trusted source does; of a joined sentence the part that orders counts."""
    whole = plain(text)
    if not findings.order(whole, (), trusted, ()):
        return False
    parts = [one for one in _PART.split(whole) if findings.order(one, (), (), ())]
    return not parts or any(findings.order(one, (), trusted, ()) for one in parts)


def _labelled(text: str, cited: Sequence[Source]) -> str:
    """A label says who speaks: one of those who are cited."""
    speakers = {one.speaker.lower() for one in cited if one.speaker}
    for match in _LABEL.finditer(text) if speakers else ():
        if match["name"].lower() not in speakers:
            return f"no thought that it cites is said by {match['name']}"
    return ""


def _denied(text: str, cited: Sequence[Source]) -> str:
    """Whether a clause has another yes or no than the clauses that it is most like, wherever they are cited."""
    stands = [stand for one in cited for passage in one.passages for stand in passage.stands]
    for mine in Passage(_LABEL.sub("", text)).stands:
        shared = [(mine.stems & other.stems, other) for other in stands]
        most = max((len(both) for both, _ in shared), default=0)
        nearest = [(both, other) for both, other in shared if len(both) == most]
        if most and all(_signs(both, mine, other) < 0 for both, other in nearest):
            return "what it cites says the opposite"
    return ""


def _is_nobodys(text: str, members: Collection[Source]) -> bool:
    """Whether it speaks of "I" where several people do, and names none of them."""
    speakers = {one.speaker.lower() for one in members if one.speaker}
    said = Passage(text)
    is_first = not FIRST_PERSON.isdisjoint(said.words)
    return is_first and len(speakers) > 1 and not any(part in said.words for one in speakers for part in one.split())


def _spans(text: str, cited: Sequence[Source], members: Collection[Source]) -> str:
    """The sentence in as few parts as possible, each borne by one place."""
    cuts = [(0, 0), *(match.span() for match in _PART.finditer(text)), (len(text), len(text))]
    last = len(cuts) - 1
    known = {one.handle: one for one in cited}
    whole = _borne(text, text, cited, members)[0]
    if not whole:
        return ""

    def part(begin: int, end: int) -> Passage:
        return Passage(text[cuts[begin][1] : cuts[end][0]])

    @cache
    def is_borne(begin: int, end: int) -> tuple[str, str]:
        said = part(begin, end)
        if not said.stems - {word for one in cited for word in one.head.carried} and not said.fixed:
            return "", ""  # "and Ada agrees"
        is_short = len(said.stems) < FEWEST and (begin, end) != (0, last)
        return ("it is too short", "") if is_short else _borne(said.text, text, cited, members)

    @cache
    def rest(begin: int, before: str) -> bool:
        if begin == last:
            return True
        for end in range(last, begin, -1):
            why, handle = is_borne(begin, end)
            is_told = why or handle in ("", before) or not before or subjects.is_named(part(begin, end), known[handle])
            if not why and is_told and rest(end, handle or before):
                return True
        return False

    return "" if rest(0, "") else whole


def _borne(part: str, sentence: str, cited: Sequence[Source], members: Collection[Source]) -> tuple[str, str]:
    """The reason why no place bears a part, or "" and the handle of the source that does."""
    said = Passage(part)
    places = [(one, window) for one in cited for window in one.windows]
    places.sort(key=lambda place: -_near(said, place[1]))
    first = "nothing in what it cites bears it"
    for nth, (source, window) in enumerate(places):
        why = _against(said, sentence, source, window, members)
        if not why:
            return "", source.handle
        first = why if nth == 0 else first
    return first, ""


def _near(said: Passage, window: Passage) -> float:
    return len(said.stems & window.stems) + len(said.fixed & window.fixed) - len(window.stems) / 1000


def _against(said: Passage, sentence: str, source: Source, window: Passage, members: Collection[Source]) -> str:
    """The reason why one place does not bear a part."""
    head = source.head
    strange = said.stems - window.carried - head.carried
    merged = [one for one in strange - source.whole.carried if any(one in other.whole.carried for other in members)]
    if merged:
        return f'{source.handle} says nothing of "{min(merged)}", which another thought does'
    if len(strange) > int(len(said.stems) * OWN_WORDS):
        return f'{source.handle} says nothing of "{min(strange)}"'
    if said.first in strange and window.first not in said.stems:
        return f'{source.handle} speaks of something else than "{said.first}"'
    values = _undated(said, source).fixed - window.fixed
    if values:
        return f"{source.handle} does not say {min(values)} of it"
    why = next(exact.problems(said.exact, (window.known, head.known), NOTHING), "") if said.stems else ""
    why = why or exact.exchanged(said.exact, window.known)
    if why:
        return f"{why} in {source.handle}"
    unknown = (said.names | subjects.foreign_beginning(said, sentence, source, window)) - window.words - head.words
    if unknown and (OTHERS.isdisjoint(window.words) or unknown - source.whole.words):
        return f'{source.handle} does not name "{min(unknown)}"'
    frame = frames.unframed(said, source)
    if frame:
        return f'{source.handle} says it only of "{frame}"'
    return subjects.exchanged(said, sentence, source, window, members)


def _undated(said: Passage, source: Source) -> Passage:
    """Without the day on which its source was said, which a judge may put behind "yesterday"."""
    text = said.text
    for atom in claims.atoms(text):
        if atom.kind == claims.DATE and atom.key in source.head.known.dates:
            text = text.replace(atom.shown, "")
    return Passage(text)


def _signs(shared: Collection[str], mine: decisions.Stand, other: decisions.Stand) -> int:
    return sum(1 if mine.signs[one] == other.signs[one] else -1 for one in shared)
