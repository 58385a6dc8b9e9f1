"""Folding: of things that say the same, a brief shows one.

A text is folded into an earlier one that has all of its words, save for those that only fill, where both deny or both
affirm and the earlier one is about as long; in a longer one its words must stand together. A note and a line that
tells of it are folded too, and so are those that are equal word for word, and the beginning of a text that was cut
with the text itself, whichever comes first. A word more, another number or a "not" make another meaning, so when in
doubt both are shown. Each text is looked up by the rarest of its words: the cost grows with the words that there are,
not with the pairs. `are` and `opposed` compare what somebody says again in another session.
"""

from __future__ import annotations

from holdfast.model import value, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Known = tuple[int, frozenset[str], frozenset[str], str]  # number, telling words, denying ones, all in a row

LETTERS = 5  # of a word that count: its ending is grammar
FEWEST, SHARE = 3, 2 / 3  # words that two texts have in common, and their part of all
DENYING_WORDS = word_set(
    "not no don't dont never nothing none without stop doesn't isn't aren't won't cannot can't shouldn't mustn't nicht "
    "nie niemals kein keine keinen ohne pas jamais aucun sans nunca jamás ningún sin não jamais nenhum sem"
)
LITTLE = DENYING_WORDS | word_set(
    "the a an and or but for with that this these those from are was were is be been it its to of in on at as by do "
    "does did not no don't dont never always please pls just so we our us i my me you your will would can could should "
    "have has had there here then than when if der die das und ist nicht ein eine wir ich du le la les des un une et "
    "est pas nous je el los las una y no es que nos o os uma e não"
)
DENYING_SIGNS = "不别勿没無非"  # of scripts without spaces
DENIED = "¬"  # among the words of a text that denies
TOLD = "±"  # and of one that tells the agent what it did: whether that was wanted, its words do not say
COMPLAINING = word_set("you again forgot du tu vous wieder encore otra novo")
MARKS = frozenset((DENIED, TOLD))
_EDGES = ".,;:!?…()[]{}\"'`*_~<>«»„“”-\u2013\u2014。、\uff0c\uff01\uff1f"


def words(text: str) -> frozenset[str]:
    """The beginnings of the words that count, and a mark of denial. Scripts without spaces are cut into pairs."""
    low = text.casefold().replace("\u2019", "'")
    found: set[str] = set()
    for part in low.split():
        word = part.strip(_EDGES)
        if word in DENYING_WORDS or any(sign in word for sign in DENYING_SIGNS):
            found.add(DENIED)
        if word in COMPLAINING:
            found.add(TOLD)
        if any("\u2e80" < sign < "\uff00" for sign in word):
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        elif word and word not in LITTLE:
            found.add(word[:LETTERS])
    return frozenset(found)


def are(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts share most of their words that count, and neither denies what the other orders."""
    return _share(one, other) and not _differ(one, other)


def opposed(one: frozenset[str], other: frozenset[str]) -> bool:
    """The same where one denies what the other orders."""
    return _share(one, other) and _differ(one, other)


def _share(one: frozenset[str], other: frozenset[str]) -> bool:
    both, either = len((one & other) - MARKS), len((one | other) - MARKS)
    return both >= FEWEST and both >= SHARE * either


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return TOLD not in one | other and (DENIED in one) != (DENIED in other)


MOST = 400  # texts that are compared; those behind them are shown as they are
LONGEST = 2000  # characters of one
SHARED = 2  # words that a note and what tells of it have in common at least
CUT = "…"  # at the end of a text of which there is more
KEY = 4  # words of a beginning by which it is found
LONGER = 2.0  # times as many words: in more than that, only standing together counts
FILLING = word_set(
    "a an and are as at be been but by for from had has have i in into is it its of on or our so that the their then "
    "there they this to was we were which will with you your"
)
DENYING = word_set(
    "no not never none nothing nor cannot cant dont doesnt didnt wont isnt arent without except unless instead nicht "
    "nie kein keine keinen ohne pas jamais sans aucun nunca jamás sin ningún ningun não nao sem nenhum"
)
PLAIN = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
PLAIN |= {39: "", 0x2019: ""} | dict.fromkeys((0x2018, 0x201C, 0x201D, 0x2013, 0x2014, 0x2026, 0xA0), " ")
SPACELESS = "\u2e80"  # from here on are scripts that put no spaces between words


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared: without case, signs and the ending of a plural."""
    plain = text[:LONGEST].translate(PLAIN)
    found = plain.split() if plain.isascii() else _spelled(plain)
    return [word[:-1] if word[-1] == "s" and len(word) > 3 and word[-2] != "s" else word for word in found]


def _spelled(text: str) -> list[str]:
    """The same where there are letters beyond ASCII; of a script without spaces every pair of signs is a word."""
    found = []
    for word in "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split():
        found += [word] if max(word) < SPACELESS else [word[at : at + 2] for at in range(len(word))]
    return found


@value
class Thing:
    """A text to be shown. `note` is the path of the note that it is, `about` that of one which it tells of."""

    text: str
    note: str = ""
    about: str = ""


def fold(things: Sequence[Thing]) -> list[int]:
    """For each thing -1, or the number of the one that says it and stays."""
    into = [-1] * len(things)
    known: list[Known] = []
    posted: dict[str, list[int]] = {}
    notes: dict[str, Known] = {}
    told_of: dict[str, Known] = {}
    equal: dict[str, int] = {}
    begun: dict[str, list[Known]] = {}
    for at, thing in enumerate(things[:MOST]):
        words = words_of(thing.text)
        content = frozenset(words) - FILLING
        mine = (at, content, content & DENYING, f" {' '.join(words)} ")
        found = _of_one_note(thing, mine, notes, told_of, into)
        if found < 0 and words:
            found = equal.get(mine[3], -1)
        if found < 0 and len(content) >= FEWEST:
            found = _said_by(mine, known, posted, is_cut=thing.text.endswith(CUT))
        if found >= 0:
            into[at] = into[found] if into[found] >= 0 else found
            continue
        key = " ".join(words[:KEY])
        for other in begun.get(key, ()):
            if mine[3].startswith(other[3]):
                _move(into, other[0], at)
        if thing.text.endswith(CUT) and len(content) >= FEWEST:
            begun.setdefault(key, []).append(mine)
        if thing.note:
            notes.setdefault(thing.note, mine)
        elif thing.about:
            told_of.setdefault(thing.about, mine)
        equal.setdefault(mine[3], at)
        for word in content:
            posted.setdefault(word, []).append(len(known))
        known.append(mine)
    return into


def _of_one_note(thing: Thing, mine: Known, notes: dict[str, Known], told_of: dict[str, Known], into: list[int]) -> int:
    """The note itself, or what tells of it in words that they share: naming a note is not yet saying what it says.
    Where the note says more than the line above it that tells of it, that line is folded into the note."""
    at, content, _, _ = mine
    if thing.note and thing.note in notes:
        return notes[thing.note][0]
    other = told_of.get(thing.note) if thing.note else notes.get(thing.about)
    if other is None or len(content & other[1]) < SHARED:
        return -1
    if thing.note and len(content) > len(other[1]) and (other[1] <= content or other[0] not in into):
        _move(into, other[0], at)
        return -1
    return other[0]


def _move(into: list[int], one: int, to: int) -> None:
    """Fold a thing that had stayed, with all that is folded into it."""
    into[one] = to
    for nth, keeper in enumerate(into):
        into[nth] = to if keeper == one else keeper


def _said_by(mine: Known, known: list[Known], posted: dict[str, list[int]], *, is_cut: bool) -> int:
    """One that has all of these words. Of a text that was cut, nobody knows what it denies further on: there only the
    same beginning counts, or a text of its length that denies as much."""
    _, content, denied, joined = mine
    rarest: list[int] | None = None
    for word in content:
        places = posted.get(word)
        if places is None:
            return -1  # a word that nobody has said yet
        if rarest is None or len(places) < len(rarest):
            rarest = places
    for place in rarest or ():
        at, other, other_denied, other_joined = known[place]
        if is_cut and other_joined.startswith(joined):
            return at
        if not content <= other or denied != other_denied:
            continue
        if len(other) <= LONGER * len(content) or joined in other_joined:
            return at
    return -1
