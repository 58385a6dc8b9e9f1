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

VERSION = 4
WORD = re.compile(r"[^\W_]+")
LIGHT_WORDS = """
a an the this that these those is are be being am do does have has of in with via using use uses it its we our
and also just really very please so which der die das ein eine und ist sind im mit el la los las un una son
con le les et est sont
"""
LIGHT = frozenset(LIGHT_WORDS.split())  # without them a sentence says the same; none turns, limits or orders a meaning
MOST_EXTRA = 4000
# Signs that part words or end a sentence. Any other says something: !=, <, C++, 10 %, --force, .env, a question's mark.
QUIET = re.compile(r"""(?<=\w)[-.,:](?=\w)|[.,;:!]+(?=[\s"'`)\]]|$)|["'`()\u2018-\u201d\u2026\u2013\u2014]""")
SAID = re.compile(r"[^\W_]+|[^\w\s]|_")


# Ways of writing the very same sign: as wide as its neighbours, joined to the next, kept on one line. One that is
# raised, ringed or broken (\u00b2, \u2460, \u00bd) is another than the bare digit, though Unicode calls it compatible.
SAME_SIGN = ("<wide>", "<narrow>", "<noBreak>", "<vertical>", "<initial>", "<medial>", "<final>", "<isolated>")


def normal(text: str) -> str:
    """A text as exact duplicates share it: letters and digits in one case, signs between them as spaces at most."""
    return " ".join(_folded(text).split()).strip(" .!;")


def _folded(text: str) -> str:
    """One case, and one form for whatever can be written in several: composed or not, full-width or not, ligatures."""
    if text.isascii():
        return text.casefold()
    whole = unicodedata.normalize("NFC", text)
    plain = unicodedata.normalize("NFC", whole.translate({ord(sign): _bare(sign) for sign in set(whole)}))
    return unicodedata.normalize("NFC", plain.casefold())


def _bare(sign: str) -> str:
    """A sign without the way in which it is written."""
    how, *codes = (unicodedata.decomposition(sign) or "-").split()
    if not how.startswith("<"):
        return sign
    made = "".join(_bare(chr(int(code, 16))) for code in codes)
    is_same = how in SAME_SIGN or (how == "<compat>" and not any(map(str.isdecimal, made)))
    return made if is_same else sign


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


TURNING_WORDS = """
not no never none nor neither nothing nobody cannot dont doesnt isnt arent wont cant mustnt shouldnt without unless
except only until before after instead but nicht nie kein keine ohne nur jamais pas sans nunca sin solo
"""
TURNING = frozenset(map(stem, TURNING_WORDS.split()))
FILLING = frozenset(map(stem, ("all", "every", "each", "always", "now", "currently", "actually", "simply")))


def content(text: str) -> list[str]:
    """The words that carry a meaning, stemmed, in their order; numbers and the words that turn a meaning included."""
    return [stem(word) for word in WORD.findall(_plain(text)) if word not in LIGHT]


def _plain(text: str) -> str:
    return _folded(text).replace("'", "").replace("\u2019", "")


def _said(text: str) -> list[str]:
    """The same with the signs that say something, among them the vowels that some scripts write as marks."""
    return [stem(word) for word in SAID.findall(QUIET.sub(" ", _plain(text))) if word not in LIGHT]


def adds_nothing(new: str, known: str) -> bool:
    """Whether a text says nothing that a known one does not: the same content words and signs in the same order, save
    for words left out that only fill. No list names every word that turns a meaning, so any other one left out, any
    more and any other order is another meaning: one thought too many is better than one lost."""
    mine, theirs = _said(new), _said(known)
    at = 0
    for word in theirs:
        if at < len(mine) and mine[at] == word:
            at += 1
        elif word not in FILLING:
            return False
    return bool(mine) and at == len(mine)


def extra(thought: Thought) -> str:
    """What a thought is found by beyond its words: its tags and category, the parts of names in camelCase, and what is
    to be found in a script without spaces."""
    whole = f"{thought.title} {thought.text} {thought.context}"
    split = [part for name in dict.fromkeys(WORD.findall(whole)) for part in tokens.parts(name)]
    said = " ".join(dict.fromkeys([*thought.tags, thought.category, *split]))[:MOST_EXTRA]
    beside = [piece for word in WORD.findall(whole) if tokens.RUN.search(word) for piece in tokens.spaced(word)]
    return " ".join([said, *beside, *tokens.pairs(whole)]).strip()


def embedded(thought: Thought) -> str:
    """What a vector is made of."""
    return "\n".join(part for part in (thought.title, thought.text[:4000], thought.context[:1000]) if part)


def shares(query: str, text: str) -> bool:
    """Whether a text has any of the words that a query is looked up by."""
    known = {*content(text), *tokens.pairs(text)}
    return not known.isdisjoint(content(" ".join(tokens.terms(query))))


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """How much two texts have in common: shared words over all words."""
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 0.0


def distinct(texts: Sequence[str], most_alike: float) -> list[int]:
    """The places of those that are no near-duplicates of one before them. Two are alike that share so much, and differ
    in nothing that tells: no number, name, sign or word that turns a meaning, and not in their order."""
    kept: list[tuple[int, list[str]]] = []
    for at, text in enumerate(texts):
        said = _said(text)
        if not any(_is_like(text, said, texts[other], known, most_alike) for other, known in kept):
            kept.append((at, said))
    return [at for at, _ in kept]


def _is_like(text: str, said: list[str], other: str, known: list[str], most_alike: float) -> bool:
    mine, theirs = set(said), set(known)
    if overlap(mine, theirs) < most_alike:
        return False
    shared = mine & theirs
    in_order = [word for word in said if word in shared] == [word for word in known if word in shared]
    return in_order and not any(
        _tells(word, whole) for words, whole in ((mine, text), (theirs, other)) for word in words - shared
    )


def _tells(word: str, whole: str) -> bool:
    """Whether a word that one text has and another has not makes it another one."""
    if not word.isalpha() or word in TURNING:
        return True
    return any(name[0].isupper() and stem(_plain(name)) == word for name in WORD.findall(whole))
