"""Findings about handoffs, notes and flags: every item is checked against what was said, run and changed.

No model is asked here. An item is `supported` where nothing speaks against it: prose cannot be proved. It is
`unsupported` where something exact in it is nowhere to be found, or a deed left no trace, and `contradicted` where the
session says the opposite. Where only a part of the session could be read, the mark says so.

A judge's sentence is asked more (`borne_out`), by words and not by meaning: more than half of the words that carry it
occur in the session, and it gives no orders of its own. "Always", "never", "the next agent must" stay only where the
user said so, in a sentence of their own words that shares most of the words and the same yes or no; or where a trusted
flag says it. "Do not …" may also be the model's own. A language that the session does not speak is not accused.

A flag is held against what was there before it was written (`unverified`); its own call and other flags are no
evidence. It is filed all the same, and says what was not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.close.verify import claims, decisions, deeds, exact, words
from holdfast.close.verify.claims import Claim
from holdfast.close.verify.evidence import Evidence, spelled
from holdfast.model import TRUSTED, Flag
from holdfast.text import orders, own_words
from holdfast.text.transcript import CALL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from holdfast.vault.notes import Note

SUPPORTED, UNSUPPORTED, CONTRADICTED = "supported", "unsupported", "contradicted"
UNGIVEN = "ungiven"  # an order to the next session that the user did not give
HELD_BACK = (CONTRADICTED, UNGIVEN)
LONGEST_WHY = 120
UNVERIFIED = " (unverified: {})"
DONE, FILES, DECISIONS, GOALS, TITLE = "done", "files_modified", "decisions", "goals", "title"
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
DENIALS = (
    *(" ne ", " pas", "jamais", "nunca", "jamás", " no ", "não", "nao ", "sem "),
    *("不", "别", "勿", "绝不", "ない", "ません", "するな"),
)
SHOWN = 60  # letters of a flag by which its call is recognised
MOST_LOOKS = 60  # flags of one episode for each of which the session is cut at its place
OURS = "holdfast"
LOOKED_AT = 4000  # characters of a call in which our name is looked for
MOST_READ = 32 << 20  # bytes of a transcript


@dataclass(frozen=True)
class Finding:
    """The verdict on one claim. `why` is a sentence where it is not supported, else ""."""

    claim: Claim
    verdict: str = SUPPORTED
    why: str = ""


def verify(items: Sequence[Claim], evidence: Evidence, decisions_in_force: Iterable[Note] = ()) -> list[Finding]:
    """One finding for each item, in their order."""
    if evidence.is_empty:
        return [Finding(one) for one in items]
    said = decisions.sentences(evidence)
    done = deeds.DoneTraces.of(evidence)
    found = []
    for one in items:
        verdict, why = SUPPORTED, ""
        if one.section == DECISIONS:
            verdict, why = decisions.verdict(one.text, said, decisions_in_force)
        elif one.section == DONE:
            verdict, why = deeds.verdict(one.text, evidence, done)
        if verdict in ("", SUPPORTED):
            why = next(exact.problems(one.text, (evidence.known,), evidence), "")
            if not why and one.section == FILES:
                why = deeds.not_changed(one.text, evidence)
            verdict = UNSUPPORTED if why else SUPPORTED
        if verdict == UNSUPPORTED and evidence.is_partial:
            why = f"{why}; only a part of the session was read"
        found.append(Finding(one, verdict, why))
    return found


def borne_out(
    findings: Sequence[Finding], evidence: Evidence, shown: Sequence[str], flags: Sequence[Flag]
) -> list[Finding]:
    """The findings about a judge's draft, with what nothing in the session bears out and with orders that nobody gave.
    `shown` are the lines that the judge had, `flags` those of the episode."""
    seen = {stem for text in shown for stem in stems(text)}
    wide = {stem for text in (*evidence.asked, *evidence.answered) if not text.isascii() for stem in stems(text)}
    known = evidence.known.stems | seen | wide
    language = spoken((*evidence.asked, *evidence.answered, *shown))
    trusted = [flag.text for flag in flags if flag.origin in TRUSTED and not flag.status and not gate.is_proposal(flag)]
    found = []
    for one in findings:
        why = order(one.claim.text, evidence.asked or shown, trusted, evidence.answered)
        if why:
            found.append(Finding(one.claim, UNGIVEN, why))
            continue
        if one.verdict == SUPPORTED and one.claim.section != DONE and not evidence.is_partial:
            why = foreign(one.claim.text, known, language)
            if not why and one.claim.section in (TITLE, GOALS):  # a judge knows nothing but the lines that it was shown
                why = foreign(one.claim.text, seen, language)
        found.append(Finding(one.claim, UNSUPPORTED, why) if why else one)
    return found


def check_note(text: str, sources: Sequence[str], evidence: Evidence) -> list[Finding]:
    """A consolidated note, line by line: whatever is exact in it stands in what it was made of, or in the evidence. A
    note is made of its flags, so a session that could be read only in part is no excuse."""
    made_of = claims.Known(tuple(map(claims.comparable, sources)))
    found = []
    for line in text.splitlines():
        claim = Claim("note", line.strip())
        if claim.text and not claim.text.startswith("#"):
            why = next(exact.problems(claim.text, (made_of, evidence.known), evidence), "")
            found.append(Finding(claim, UNSUPPORTED, why) if why else Finding(claim))
    return found


def mark(items: Sequence[Claim], findings: Sequence[Finding]) -> tuple[list[Claim], list[Claim]]:
    """The items to be filed, with what is unsupported marked in the text, and those that are held back."""
    verdicts = {one.claim: one for one in findings}
    kept, held = [], []
    for item in items:
        finding = verdicts.get(item)
        if finding is None or finding.verdict == SUPPORTED:
            kept.append(item)
        elif finding.verdict in HELD_BACK:
            held.append(item)
        else:
            kept.append(Claim(item.section, item.text.rstrip() + UNVERIFIED.format(_short(finding.why)), item.cites))
    return kept, held


def told(findings: Sequence[Finding], *, is_held_back: bool = True) -> str:
    """The sentence for the next start; "" where all is well."""
    kinds = (UNSUPPORTED, CONTRADICTED, UNGIVEN)
    unsupported, contradicted, ungiven = ([one for one in findings if one.verdict == kind] for kind in kinds)
    parts = []
    if unsupported:
        parts.append(f"{_count(unsupported)} marked unverified, the first because {_short(unsupported[0].why)}")
    if contradicted:
        first = contradicted[0]
        how = "held back" if is_held_back else "contradicted by it and stays all the same"
        said = f'the first ("{_short(first.claim.text)}") because {_short(first.why)}'
        parts.append(f"{_count(contradicted)} {how}, {said}")
    if ungiven:  # its words are not told: they would be the order that they are not
        parts.append(f"{_count(ungiven)} left out as an order that the user did not give (`holdfast review`)")
    return f"The last handoff was checked against its session: {'; '.join(parts)}." if parts else ""


def _count(findings: Sequence[Finding]) -> str:
    return "1 claim is" if len(findings) == 1 else f"{len(findings)} claims are"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_WHY else f"{flat[: LONGEST_WHY - 1].rstrip()}…"


def stems(text: str) -> list[str]:
    """The stems that carry a text, each once; of scripts without spaces every two signs that stand together."""
    if not any(sign > WIDE for sign in text):
        return list(dict.fromkeys(words.stems(text)))
    signs = "".join(sign if sign > WIDE and sign.isalnum() else " " for sign in text)
    pairs = [word[at : at + 2] for word in signs.split() for at in range(len(word) - 1)]
    plain = "".join(" " if sign > WIDE else sign for sign in text)
    return list(dict.fromkeys((*pairs, *words.stems(plain))))


def foreign(text: str, known: Collection[str], spoken: Collection[str]) -> str:
    """The reason why a sentence is not about what is `known`, by their stems; "" where it is, or where it cannot
    be told. `spoken` are the words that were said in the session: they show in which language."""
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
    most, name = max((sum(word in known for word in small), name) for name, small in SMALL.items())
    return name if most else ""


def order(text: str, asked: Iterable[str], flagged: Sequence[str], answered: Sequence[str]) -> str:
    """The reason not to hand on an order in a sentence; "" where there is none, or somebody gave it who may. `asked`
    are the user's prompts, `flagged` the texts of trusted flags, `answered` the model's own words."""
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        is_standing = bool(STANDING.search(sentence)) or bool(orders.find(sentence))
        if not is_standing and not FORBIDDING.search(sentence):
            continue
        if _is_said(sentence, (own_words.own(one) for one in asked)) or _is_said(sentence, flagged):
            continue
        if is_standing or not _is_said(sentence, answered):
            return "it gives the next session an order that the user did not give"
    return ""


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


def unverified(flags: Iterable[Flag], evidence: Evidence, told: Sequence[str] = ()) -> dict[str, str]:
    """The reasons why flags are unverified, by their ids; flags that nothing speaks against are not in it. `told` is
    what the session knew from its start."""
    if not evidence.spoken or evidence.is_partial:
        return {}
    found: dict[str, str] = {}
    looks = 0
    whole = before("", evidence, told)
    for flag in flags:
        if flag.origin == "user" or flag.answers or not claims.atoms(flag.text):
            continue
        why = flag_problem(flag.text, whole)  # what occurs nowhere at all needs no second look
        if not why and looks < MOST_LOOKS:
            looks += 1
            why = flag_problem(flag.text, before(flag.text, evidence, told))
        if why:
            said = why.replace(" was not found in these words", " was said nowhere in its session")
            found[flag.id] = _short(said.replace(" was not found", " occurs nowhere in its session"))
    return found


def flag_problem(text: str, evidence: Evidence) -> str:
    """The part of a flag that occurs nowhere; "" where all of it does."""
    return next(exact.problems(text, (evidence.known,), evidence), "") or exact.exchanged(text, evidence.known)


def before(text: str, evidence: Evidence, told: Sequence[str] = ()) -> Evidence:
    """The evidence when a flag was written: everything up to the call that wrote it, without other flags."""
    wanted = _letters(text)[:SHOWN]
    calls = (one for one in evidence.spoken if one.role == CALL)
    ours = [one for one in calls if OURS in one.tool or OURS in spelled(one.given)[:LOOKED_AT]]
    end = next((one.at for one in ours if wanted and wanted in _letters(spelled(one.given))), None)
    left_out = {one.call for one in ours}
    spoken = [one for one in evidence.spoken if (end is None or one.at < end) and one.call not in left_out]
    runs = [one for one in evidence.runs if (end is None or one.at < end) and OURS not in one.command]
    return replace(evidence, spoken=tuple(spoken), runs=tuple(runs), flags=tuple(told), decided=())


def _letters(text: str) -> str:
    """The letters that a command line and its result have in common."""
    return "".join(letter for letter in claims.normal(text).casefold() if letter.isalnum())
