"""What a prompt is looked up by: its words, names of code whole and in parts, and which of them any work has.

It runs in the hook, so the words are told apart without `re`. Words of any work (fix, test, file) say little of what a
prompt is about, however rare they are in a vault; words that hold a sentence together say nothing and are left out.
"""

from __future__ import annotations

LONGEST = 3000  # characters of a prompt that are looked at: what is pasted below says less of what is wanted
MOST_TERMS = 32
# Scripts without spaces, as in field/search/tokens: their words are looked up by every two signs that stand together.
SIGNS = (
    (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF),
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),
)  # fmt: skip
JOINING = "_./:#-"  # signs that make one name of several words
STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing down during each either else even ever every few for from further get gets getting go
going gone good got had has have having he hello her here hers hey hi him his how i if in into is it its just know let
lets like ll look may maybe me might mine more most much must my need needs no nor not now of off ok okay on once one
only onto or other our ours out over own per please put re right said same say see seem shall she should so some such
sure tell than thank thanks that the their theirs them then there these they thing things think this those through to
too under until up upon us use used uses using ve very via want wants was way we well were what when where which while
who whom whose why will with without would yes yet you your yours der die das ein eine und ist im mit el la los las un
una le les et est
"""
USUAL_WORDS = """
add added adding agent app back bad branch break breaking broken bug bugs build builds call calls case change changed
changes check class clean clear code command commit config continue correct crash create current daily data date day
days default delete deploy doc docs done edit empty end error errors example exception exist explain fail failed failing
fails feature file files find first fix fixed flag folder function functions give handle help hour hours implement
import improve input install issue item job js json kind last line lines list load local log logs main make makes making
md merge message method minute minutes missing model module move name names new next note notes number old open option
output package page part pass passes path point pr print problem process project prompt pull push py python question
read readme recent refactor reference release remove rename repo repository request result return returns review rule
run running runs script second server service session set setting setup show side simple small something start state
status step steps stop string summarise summarize support system take task tasks test tests text time times today todo
tomorrow tool traceback try ts type typo understand unit update user users value version warning wire word words work
working works write writes writing wrong yaml yml
"""
STOP = frozenset(STOP_WORDS.split())
WORK = frozenset(USUAL_WORDS.split())


def terms(prompt: str) -> list[tuple[str, bool]]:
    """What a prompt is looked up by: its words, names of code whole and in parts; whether each is a word of any work.
    The telling ones first: should time run out, the others are missed least."""
    found: dict[str, bool] = {}
    for whole in prompt[:LONGEST].split():
        chunk, pairs = (whole, []) if whole.isascii() else _pairs(whole)
        found.update(dict.fromkeys(pairs, False))
        pieces = "".join(sign if sign.isalnum() else " " for sign in chunk).split()
        for piece in pieces:
            for word in (piece.casefold(), *_humps(piece)):
                if len(word) > 1 and word not in STOP:
                    found.setdefault(word, _is_usual(word))
        inner = chunk.strip("\"'`.,:;!?()[]{}<>*#-_/")
        if len(pieces) > 1 and not any(sign in JOINING for sign in inner):
            continue
        name = [piece.casefold() for piece in pieces]
        if 1 < len(name) <= 8:
            found.setdefault(" ".join(name), all(one in WORK or one in STOP for one in name))
    ordered = sorted(found.items(), key=lambda pair: pair[1])
    return ordered[:MOST_TERMS]


def _pairs(chunk: str) -> tuple[str, list[str]]:
    """What is left of a chunk, and every two signs that stand together in a script without spaces."""
    left, pairs, before = "", [], ""
    for sign in chunk:
        is_one = any(low <= ord(sign) <= high for low, high in SIGNS)
        if is_one and before:
            pairs.append(before + sign)
        before = sign if is_one else ""
        left += " " if is_one else sign
    return left, pairs


def is_pair(term: str) -> bool:
    return len(term) == 2 and any(low <= ord(term[0]) <= high for low, high in SIGNS)


def _is_usual(word: str) -> bool:
    """Whether it is a word of any work, a small number or a year."""
    is_small = word.isdecimal() and (len(word) < 3 or (len(word) == 4 and word[:2] in ("19", "20")))
    return is_small or word in WORK or word.removesuffix("s") in WORK


def _humps(word: str) -> list[str]:
    """The words in a name such as leaseExpires; nothing where it is but one."""
    if word.islower() or word.isupper() or not word.isascii():
        return []
    cut = "".join(f" {sign}" if sign.isupper() else sign for sign in word).split()
    return [one.lower() for one in cut if len(one) > 2] if len(cut) > 1 else []
