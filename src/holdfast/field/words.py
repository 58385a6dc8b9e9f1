"""What is made of a text's words: to be found by, and to tell whether two texts say the same.

VERSION counts up when any of it changes: a store that was made with another one is made anew.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from holdfast.capture.ids import digest
from holdfast.field.search import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.field.thought import Thought

VERSION = 1
WORD = re.compile(r"[^\W_]+")
LIGHT_WORDS = """
a an the this that these those is are be being am do does have has of in with via using use uses used it its we our us
and also just really very please so which s ve re der die das ein eine und ist sind im mit el la los las un una y es son
con le les et est sont
"""
TURNING_WORDS = """
not no never none without unless except only if when until before after instead neither nor cannot cant dont doesnt
didnt isnt arent wont shouldnt mustnt nicht kein keine nie nur ohne wenn nunca sin solo si ne pas jamais sans
"""
LIGHT = frozenset(LIGHT_WORDS.split())  # without them a sentence says the same; none turns, limits or orders a meaning
TURNING = frozenset(TURNING_WORDS.split())
NEARLY = 0.8


def normal(text: str) -> str:
    """A text as exact duplicates share it: letters and digits in one case, signs between them as spaces at most."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!;")


def sameness(text: str) -> str:
    """The digest that exact duplicates share."""
    return digest(normal(text), 24)


def stem(word: str) -> str:
    """A rough stem, for telling the same from the other only: plural and the endings of verbs."""
    if any(letter.isdigit() for letter in word) or len(word) < 4:
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")


def content(text: str) -> list[str]:
    """The words that carry a meaning, stemmed, in their order; numbers and the words that turn a meaning included."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("\u2019", "")
    return [stem(word) for word in WORD.findall(plain) if word not in LIGHT]


def adds_nothing(new: str, known: str) -> bool:
    """Whether a text says nothing that a known one does not: its content words are the known one's, in their order,
    save for a few left out. A number, a negation or a condition left out is another meaning; so is any word more or
    any other order. Where it is unsure it says no: one thought too many is better than one lost."""
    mine, theirs = content(new), content(known)
    if not mine or len(mine) < NEARLY * len(theirs):
        return False
    left_out: list[str] = []
    at = 0
    for word in theirs:
        if at < len(mine) and mine[at] == word:
            at += 1
        else:
            left_out.append(word)
    return at == len(mine) and not any(word in TURNING or any(map(str.isdigit, word)) for word in left_out)


def extra(thought: Thought) -> str:
    """What a thought is found by beyond its words: its tags and category, and the parts of names in camelCase."""
    names = dict.fromkeys(WORD.findall(f"{thought.title} {thought.text} {thought.context}"))
    split = [part for name in names for part in tokens.parts(name)]
    return " ".join(dict.fromkeys([*thought.tags, thought.category, *split]))[:4000]


def embedded(thought: Thought) -> str:
    """What a vector is made of."""
    return "\n".join(part for part in (thought.title, thought.text[:4000], thought.context[:1000]) if part)


def shares(query: str, text: str) -> bool:
    """Whether a text has any of the words that a query is looked up by."""
    return bool(set(content(" ".join(tokens.terms(query)))) & set(content(text)))


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """How much two texts have in common: shared words over all words."""
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 0.0


def distinct(texts: Sequence[str], most_alike: float) -> list[int]:
    """The places of those that are no near-duplicates of one before them."""
    kept: list[tuple[int, set[str]]] = []
    for at, text in enumerate(texts):
        words = set(content(text))
        if all(overlap(words, known) < most_alike for _, known in kept):
            kept.append((at, words))
    return [at for at, _ in kept]
