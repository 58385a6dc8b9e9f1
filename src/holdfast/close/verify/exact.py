"""Whether the exact things in a claim stand in the evidence: quotes, numbers, dates, names, paths, ids, commands.

A number stands in every session somewhere, so its mere occurrence proves little: it counts where it has the same unit,
counts the same thing, or stands among words of the claim. A path may be of the tree without ever having been spoken of.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, words
from holdfast.close.verify import evidence as proofs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_PLACES = 400  # of one number that are looked at, the newest
SHARE = "%"  # always written with its sign
MANY = 3  # numbers that a word has beside it, from which on it numbers or counts things
COMMON, EVERYWHERE = 8, 60  # places from which on a number by itself says little, and nothing
BY_LABEL = 24  # characters around a number in which the word stands that it belongs to
CLOSE = 60  # and around one that stands in many places
APART, TOGETHER = 30, 160  # characters between two counts in a claim, and at most where they were seen
REACH = 120  # characters around a number in which words of the claim speak for it


def problems(text: str, known: Sequence[claims.Known], evidence: proofs.Evidence) -> Iterator[str]:
    """The reasons not to believe the exact things in a text, one sentence each. Any of `known` may have them."""
    meant = set(words.stems(text))
    for atom in claims.atoms(text):
        found = [_problem(atom, text, meant, one, evidence) for one in known]
        if all(found):
            yield found[0]


def exchanged(text: str, known: claims.Known) -> str:
    """Two counts in one breath that were seen, and never together: one of them is of something else. "" without any."""
    counts = [atom for atom in claims.atoms(text) if atom.kind == claims.NUMBER and atom.noun]
    for one, other in pairwise(counts):
        if other.at - one.at - len(one.shown) <= APART and not _stand_together(one, other, known):
            return f"{one.shown} and {other.shown} were not found together"
    return ""


def _problem(atom: claims.Atom, text: str, meant: set[str], known: claims.Known, evidence: proofs.Evidence) -> str:
    shown = atom.shown
    if atom.kind == claims.QUOTE:
        return "" if known.says(atom.key) else f'"{_short(shown)}" was not found in these words'
    if atom.kind == claims.NUMBER:
        is_there = _has_number(atom, text, meant, known, evidence)
    elif atom.kind == claims.PATH:
        is_there = has_path(atom.key, known, evidence)
    elif atom.kind == claims.NAME:
        is_there = all(one.lower() in known.words for one in re.findall(r"[^\W\d_]{2,}", atom.key))
    elif atom.kind == claims.COMMIT:
        shown, is_there = f"commit {shown}", _has_commit(atom.key, known, evidence)
    elif atom.kind == claims.DATE:
        year, _, day = atom.key.partition("-")
        wanted = {atom.key, f"-{day}"} if year else {one for one in known.dates if one.partition("-")[2] == day}
        shown, is_there = f"the date {shown}", bool(wanted & known.dates)
    elif atom.kind == claims.CODE:
        shown, is_there = f"`{_short(shown)}`", _has_code(atom.key, known, evidence)
    else:
        before = "v" if atom.kind == claims.VERSION else ""
        shown, is_there = _short(shown), _stands(atom.key.lower(), known.lower, before)
    return "" if is_there else f"{shown} was not found"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _stands(wanted: str, text: str, before: str = "") -> bool:
    """Whether it occurs, and not as a part of something longer; 3.11 is part of 3.11.4 and means it."""
    if wanted not in text:
        return False
    return re.search(rf"(?<![^\W_]){before and before + '?'}{re.escape(wanted)}(?![^\W_])", text) is not None


def _has_number(atom: claims.Atom, text: str, meant: set[str], known: claims.Known, evidence: proofs.Evidence) -> bool:
    if _is_counted(atom, evidence):
        return True
    noun, unit = words.counted(atom.noun), _hard(atom.unit)
    places = [found for value in claims.values(atom.key) for found in known.numbers.get(value, ())]
    if atom.label and not unit and atom.key.isdecimal():
        numbered = known.labelled.get(atom.label, frozenset())
        if int(atom.key) in numbered or len(numbered) >= MANY:
            return int(atom.key) in numbered
        if not noun and atom.label in known.stems:
            return any(atom.label in words.stems(known.near(one.at, BY_LABEL)) for one in places[-MOST_PLACES:])
    if unit and any(found.unit == unit for found in places):
        return True
    if unit and (unit == SHARE or any(_hard(found.unit) for found in places)):
        return False  # so much of something else
    if noun and any(words.counted(found.noun) == noun for found in places):
        return True
    if noun and not unit and len(known.counts.get(noun, ())) >= MANY:
        return False  # of these it was said how many there are, and never so many
    is_told = noun in known.counts
    is_common = len(places) > COMMON
    beside = _beside(atom, text) if is_common else meant
    for found in places[-MOST_PLACES:]:
        if _hard(found.unit) or ((found.noun or found.unit) and (unit or is_told)):
            continue  # so many of something else
        around = known.near(found.at, CLOSE if is_common else REACH)
        if words.is_german(around) != words.is_german(text):
            return True  # in another language no word is the same
        among = beside & set(words.stems(around))
        # A number that stands in many places needs more words of the claim around it: 2 stands everywhere.
        needed = min(2 + (len(places) > EVERYWHERE), len(beside)) if is_common else 1
        if len(among) >= max(2 if is_told or (found.noun and noun) else 1, needed):
            return True
    return False


def _beside(atom: claims.Atom, text: str) -> set[str]:
    """The words of a claim that stand by a number, in its clause."""
    text = claims.normal(text)
    end = atom.at + len(atom.shown)
    before = re.split(r"[.;:!?]\s", text[max(0, atom.at - CLOSE) : atom.at])[-1]
    behind = re.split(r"[.;:!?]\s", text[atom.at : end + CLOSE])[0]
    return set(words.stems(f"{before} {behind}"))


def _stand_together(one: claims.Atom, other: claims.Atom, known: claims.Known) -> bool:
    """Whether two counts that are said in one breath were seen so; where one of them was put otherwise, who knows."""
    first, second = (_places(atom, known)[-MOST_PLACES:] for atom in (one, other))
    return not (first and second) or any(abs(at - near) <= TOGETHER for at in first for near in second)


def _places(atom: claims.Atom, known: claims.Known) -> list[int]:
    """The places at which so many of the same were counted."""
    noun = words.counted(atom.noun)
    found = [one for value in claims.values(atom.key) for one in known.numbers.get(value, ())]
    return sorted(one.at for one in found if words.counted(one.noun) == noun)


def _hard(unit: str) -> str:
    """A unit, but not "times": what happened so often is named elsewhere."""
    return "" if unit == "x" else unit


def _is_counted(atom: claims.Atom, evidence: proofs.Evidence) -> bool:
    """Whether it is how many files or commits there were."""
    what = words.COUNTED.get(atom.noun)
    count = len(evidence.edited) if what == "files" else sum("git commit" in run.command for run in evidence.runs)
    return what is not None and atom.key == str(count)


def _has_commit(ident: str, known: claims.Known, evidence: proofs.Evidence) -> bool:
    if any(one.startswith(ident) or ident.startswith(one) for one in evidence.commits if len(one) > 6):
        return True
    return _stands(ident, known.lower) or proofs.has_commit(evidence.root, ident)


def _has_code(code: str, known: claims.Known, evidence: proofs.Evidence) -> bool:
    code = re.sub(r"(?<=[\w?!])/\d{1,2}$", "", code)  # name/arity
    if _is_in_order([re.sub(r"\s+", "", one).lower() for one in code.split("...")], known.squeezed):
        return True
    if re.fullmatch(r"[\w.-]+", code):
        return proofs.occurs(evidence.root, code)
    # Options may stand in another order, and placeholders for values.
    parts = [one for one in re.split(r"[\s=]+", code) if one]
    return len(parts) > 1 and all(one in known.plain for one in parts) and parts[0] + " " in known.plain


def _is_in_order(pieces: list[str], text: str) -> bool:
    """Whether pieces stand one after the other; dots between them stand for what was left out."""
    at = 0
    for piece in filter(None, (one.strip(",;()") if len(pieces) > 1 else one for one in pieces)):
        at = text.find(piece, at)
        if at < 0:
            return False
    return True


def has_path(path: str, known: claims.Known, evidence: proofs.Evidence) -> bool:
    """Whether somebody named a file or folder, or the tree has it."""
    if is_among(path, (*evidence.edited, *evidence.read)) or _stands(path.lower(), known.lower):
        return True
    if is_among(path, evidence.names) or any(f"/{one}".find(f"/{path}/") >= 0 for one in evidence.names):
        return True
    parts = path.split("/")  # compiled/tested/committed: words that somebody said, with strokes between them
    if all(part.isalpha() for part in parts) and all(words.stem(part) in known.stems for part in parts):
        return True
    full = path if path.startswith("/") else f"{evidence.root}/{path}"
    return bool(evidence.root) and os.path.exists(os.path.expanduser(full))


def is_among(path: str, paths: Iterable[str]) -> bool:
    """Whether a path, named from wherever it was named, is one of these."""
    path = path.rstrip("/")
    return any(one == path or one.endswith(f"/{path}") or path.endswith(f"/{one}") for one in paths)
