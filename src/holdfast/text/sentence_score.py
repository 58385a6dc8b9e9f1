"""How likely a sentence of the user is one that should last: a line of plain features, weighed and added up.

It chooses which sentences are shown to a model or a person, and decides nothing: no rule, note or flag is ever made
of a score. The features are how a sentence is built (its length, its marks, whether it speaks of you or of us,
denies, obliges, names a path or code), so they say something in any language; words count in the seven whose words we
have.

`python bench/user_words.py --fit` fits the weights on prompts of one developer. A sentence costs microseconds; no `re`.
"""

from __future__ import annotations

from holdfast.model import value, word_set
from holdfast.text import own_words
from holdfast.text.orders import MOST_PROMPT, split
from holdfast.text.own_words import BLOCK, INLINE

# How a sentence begins that takes something back or wonders at it.
OPENINGS = word_set(
    "no nah nope wait w8 why actually but hmm hm stop hold not nein halt moment warum eigentlich aber non attends "
    "pourquoi mais espera espere porque pero não nao espere mas"
)
NEGATIONS = word_set(
    "no not never don't dont doesn't doesnt didn't didnt can't cant won't wont shouldn't isn't aren't wasn't without "
    "stop avoid nothing none instead nicht nie niemals kein keine keinen ohne statt ne pas jamais sans aucun aucune "
    "nunca jamás sin ningún ninguna não nao sem nenhum nenhuma"
)
DUTIES = word_set(
    "should must need needs have has always every each only prefer want wanted like supposed ought shall required rule "
    "rules soll sollte sollten muss müssen immer jede jeder jedes nur lieber möchte doit devons faut toujours chaque "
    "seulement préfère veux debe debes debemos siempre cada solo prefiero quiero deve devemos sempre apenas prefiro "
    "quero"
)
YOU = word_set(
    "you your you're you've yours u you'll you'd du dein deine ihr sie tu ton vous votre tú usted tus você voce seu sua"
)
WE = word_set(
    "we our we're we've us we'll i my i'm i've me mine i'd i'll let's lets wir unser unsere ich mein meine mich nous "
    "notre je mon moi nosotros nuestro nuestra yo mi nós nosso nossa eu meu minha"
)
NOTES = word_set(
    "note notes noted document documented documentation docs doc remember memory instructions instruction todo readme "
    "write record rules guideline guidelines notiz notiere merke regel anleitung noter retiens règle consigne anota "
    "recuerda regla instrucciones anote lembre regra instruções"
)
WIDE = {  # the same without spaces, by group
    "openings": ("不", "等等", "为什么", "但", "いや", "違", "待って", "なぜ", "でも"),
    "negations": ("不", "别", "別", "没", "勿", "ない", "ません", "ないで"),
    "duties": ("必须", "必須", "应该", "應該", "总是", "每次", "只", "べき", "必ず", "いつも", "毎回", "ください"),
    "you": ("你", "您", "あなた"),
    "we": ("我", "私", "僕", "俺"),
    "notes": ("记", "記", "文档", "规则", "規則", "メモ", "ルール", "ドキュメント"),
}

GROUPS = (("negations", NEGATIONS), ("duties", DUTIES), ("you", YOU), ("we", WE), ("notes", NOTES))
NAMES = ("words", "short", "asks", "exclaims", "opens", "denies", "obliges", "you", "we", "notes", "code")
WEIGHTS = (0.58, -0.79, -0.64, 1.04, 0.39, 0.73, 0.58, 0.40, 0.21, 0.27, -0.23)
BIAS = -3.04
BESIDE = 1.0  # less for each better sentence of the same prompt: what counts is how many prompts are reached
FIFTH, TWO_FIFTHS = -0.81, -1.96  # the scores from which a fifth, and two fifths, of all sentences are shown
TOLD = -1.2  # from which a start tells a sentence: about a quarter of all, without the plain requests of a task
LONGEST_QUOTE = 40  # characters of a quotation that is shown within a sentence
WIDE_SENTENCE = 8  # signs of a script without spaces that make a sentence
FEWEST = 4  # words of a sentence that says enough by itself
_EDGES = ".,;:!?…()[]{}\"'*_~<>«»„“”-\u2013\u2014。、\uff0c\uff01\uff1f" + INLINE
_LOGS = tuple(0.0 if not n else 1.0 + sum(1.0 / k for k in range(2, n + 1)) for n in range(65))


@value
class Sentence:
    """One sentence of a prompt, verbatim but for long quotations, with the number of its prompt and its score. `doubt`:
    it stands between two quotations or blocks, and may be part of one that closed and opened its marks itself."""

    prompt: int
    text: str
    score: float
    doubt: bool = False


def features(masked: str) -> tuple[float, ...]:
    """The features of one sentence, in the order of NAMES."""
    low = masked.lower().replace("\u2019", "'")
    words = [word for word in (part.strip(_EDGES) for part in low.split()) if word]
    wide = sum(1 for sign in low if "\u2e80" < sign < "\uff00")
    count = len(words) + wide // 2 - (1 if wide else 0)
    known = frozenset(words)
    first = words[0] if words else ""
    marks = {name: any(one in low for one in signs) for name, signs in WIDE.items()} if wide else {}
    opens = first in OPENINGS or (bool(wide) and low.lstrip().startswith(WIDE["openings"]))
    return (
        _LOGS[max(0, min(count, len(_LOGS) - 1))],
        float(count < FEWEST),
        float("?" in low or "\uff1f" in low),
        float("!" in low or "\uff01" in low),
        float(opens),
        *(float(bool(listed & known) or marks.get(name, False)) for name, listed in GROUPS),
        float(INLINE in masked or any(_is_code(word) for word in words)),
    )


def _is_code(word: str) -> bool:
    """Whether a word looks like a path, a name in code or an option."""
    for sign in "/_.":
        at = word.find(sign)
        if 0 < at < len(word) - 1 and word[at - 1].isalnum() and word[at + 1].isalnum():
            return True
    return "()" in word


def score(masked: str) -> float:
    """The log-odds that a sentence should last; `masked` as `own_words.mask` gives it."""
    return BIAS + sum(weight * one for weight, one in zip(WEIGHTS, features(masked), strict=True))


def spans(prompt: str) -> tuple[str, list[tuple[int, int]]]:
    """A prompt as masked, and where its own sentences stand in it; at most its beginning is looked at. Sentences
    between two quotations are among them: `is_sure` says which are surely the user's."""
    masked = own_words.mask(prompt[:MOST_PROMPT], loosely=True)
    found = []
    for one in split(masked):
        start, end = one.start, one.end
        while start < end and (masked[start].isspace() or masked[start] == BLOCK):
            start += 1
        while end > start and (masked[end - 1].isspace() or masked[end - 1] == BLOCK):
            end -= 1
        if masked[start:end].strip(_EDGES + " \t\n"):
            found.append((start, end))
    return masked, found


def sure(prompt: str) -> str:
    """The prompt as masked where nothing is left in doubt."""
    return own_words.mask(prompt[:MOST_PROMPT])


def is_sure(masked: str, surely: str, start: int, end: int) -> bool:
    """Whether a loosely masked sentence is the user's by a strict mask too, and no code or quotation by its place."""
    return masked[start:end] == surely[start:end] and not own_words.is_set_in(masked, start)


def said(prompt: str, masked: str, start: int, end: int) -> str:
    """A sentence as it is shown: the user's words, and of a quotation that says something only that there is one."""
    if INLINE * 4 not in masked[start:end]:
        return prompt[start:end]
    parts = []
    at = start
    while at < end:
        stop = next((n for n in range(at, end) if (masked[n] == INLINE) != (masked[at] == INLINE)), end)
        hides = masked[at] == INLINE and _is_prose(prompt[at:stop])
        parts.append(f"{prompt[at]}…{prompt[stop - 1]}" if hides else prompt[at:stop])
        at = stop
    return "".join(parts)


def _is_prose(quotation: str) -> bool:
    """Whether a quotation is a sentence of somebody, and not a name, a label or a command."""
    if len(quotation) >= LONGEST_QUOTE or sum(1 for sign in quotation if sign > "\u2e80") >= WIDE_SENTENCE:
        return True
    words = [word.strip(_EDGES + "`") for word in quotation[1:-1].split()]
    return len(words) >= FEWEST and all(word.isalpha() for word in words if word)


def of_prompt(prompt: str, number: int = 1) -> list[Sentence]:
    """Its sentences, the likeliest first. Each after the first counts for less: one is enough to find the prompt."""
    masked, found = spans(prompt)
    surely = sure(prompt) if found else masked
    scored = sorted(((score(masked[start:end]), -start, end) for start, end in found), reverse=True)
    made = []
    for rank, (one, start, end) in enumerate(scored):
        doubt = not is_sure(masked, surely, -start, end)
        made.append(Sentence(number, said(prompt, masked, -start, end), one - BESIDE * rank, doubt))
    return made


def likeliest(prompts: list[str], most: int = 0) -> list[Sentence]:
    """The sentences of numbered prompts, likeliest first, the newest of equals; all of them unless `most` says less."""
    found = [one for number, prompt in enumerate(prompts, start=1) for one in of_prompt(prompt, number)]
    return sorted(found, key=lambda one: (-one.score, -one.prompt))[: most or None]
