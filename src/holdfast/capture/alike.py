"""Whether two sentences say the same, by their words: for what somebody says again in another session.

Endings and little words do not count, so "don't squash the commits" and "never squash my commits, please" are alike;
a sentence of fewer than three words that count is like no other. "Squash my commits" is not like them but opposed.
"""

from __future__ import annotations

LETTERS = 5  # of a word that count: its ending is grammar
FEWEST = 3
SHARE = 2 / 3
_LITTLE = (
    "the a an and or but for with that this these those from are was were is be been it its to of in on at as by do "
    "does did not no don't dont never always please pls just so we our us i my me you your will would can could should "
    "have has had there here then than when if der die das und ist nicht ein eine wir ich du le la les des un une et "
    "est pas nous je el los las una y no es que nos o os uma e não"
)
_DENYING = (
    "not no don't dont never nothing none without stop doesn't isn't aren't won't cannot can't shouldn't mustn't nicht "
    "nie niemals kein keine keinen ohne pas jamais aucun sans nunca jamás ningún sin não jamais nenhum sem"
)
LITTLE = frozenset((*_LITTLE.split(), *_DENYING.split()))
DENYING = frozenset(_DENYING.split())
DENYING_SIGNS = "不别勿没無非"  # of scripts without spaces
DENIED = "¬"  # among the words of a text that denies
TOLD = "±"  # and of one that tells the agent what it did: whether that was wanted, its words do not say
COMPLAINING = frozenset(("you", "again", "forgot", "du", "tu", "vous", "wieder", "encore", "otra", "novo"))
MARKS = frozenset((DENIED, TOLD))
_EDGES = ".,;:!?…()[]{}\"'`*_~<>«»„“”-\u2013\u2014。、\uff0c\uff01\uff1f"


def words(text: str) -> frozenset[str]:
    """The beginnings of the words that count, and a mark where the text denies. Scripts without spaces are cut into
    pairs of signs."""
    low = text.casefold().replace("\u2019", "'")
    found: set[str] = set()
    for part in low.split():
        word = part.strip(_EDGES)
        if word in DENYING or any(sign in word for sign in DENYING_SIGNS):
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
    """Whether two texts share most of their words that count, and one denies what the other orders."""
    return _share(one, other) and _differ(one, other)


def _share(one: frozenset[str], other: frozenset[str]) -> bool:
    both, either = len((one & other) - MARKS), len((one | other) - MARKS)
    return both >= FEWEST and both >= SHARE * either


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return TOLD not in one | other and (DENIED in one) != (DENIED in other)
