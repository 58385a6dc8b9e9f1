"""Whether the exact things in a claim stand in the evidence: quotes, numbers, dates, names, paths, ids, commands.

A number stands in every session somewhere, so its mere occurrence proves little: it counts where it has the same unit,
counts the same thing, or stands among words of the claim. A path may be of the tree without ever having been spoken of.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, words
from holdfast.close.verify import evidence as proofs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.close.verify.claims import Atom, Known
    from holdfast.close.verify.evidence import Evidence

MOST_PLACES = 400  # of one number that are looked at, the newest
SHARE = "%"  # always written with its sign
REACH = 120  # characters around a number in which words of the claim speak for it


def problems(text: str, known: Sequence[Known], evidence: Evidence) -> Iterator[str]:
    """Why the exact things in a text are not to be believed, one sentence each. Any of `known` may have them."""
    meant = set(words.stems(text))
    for atom in claims.atoms(text):
        found = [_problem(atom, text, meant, one, evidence) for one in known]
        if all(found):
            yield found[0]


def _problem(atom: Atom, text: str, meant: set[str], known: Known, evidence: Evidence) -> str:
    if atom.kind == claims.QUOTE:
        return "" if known.says(atom.key) else f'"{_short(atom.shown)}" was not found in these words'
    if atom.kind == claims.NUMBER:
        return "" if _has_number(atom, text, meant, known, evidence) else f"{atom.shown} was not found"
    if atom.kind == claims.PATH:
        return "" if has_path(atom.key, known, evidence) else f"{atom.shown} was not found"
    if atom.kind == claims.NAME:
        parts = re.findall(r"[^\W\d_]{2,}", atom.key)
        is_known = all(one.lower() in known.words for one in parts)
        return "" if is_known else f"{atom.shown} was not found"
    if atom.kind == claims.COMMIT:
        return "" if _has_commit(atom.key, known, evidence) else f"commit {atom.shown} was not found"
    if atom.kind == claims.DATE:
        return "" if _has_date(atom.key, known) else f"the date {atom.shown} was not found"
    if atom.kind == claims.CODE:
        return "" if _has_code(atom.key, known, evidence) else f"`{_short(atom.shown)}` was not found"
    before = "v" if atom.kind == claims.VERSION else ""
    return "" if _stands(atom.key.lower(), known.lower, before) else f"{_short(atom.shown)} was not found"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _stands(wanted: str, text: str, before: str = "") -> bool:
    """Whether it occurs, and not as a part of something longer; 3.11 is part of 3.11.4 and means it."""
    if wanted not in text:
        return False
    return re.search(rf"(?<![^\W_]){before and before + '?'}{re.escape(wanted)}(?![^\W_])", text) is not None


def _has_number(atom: Atom, text: str, meant: set[str], known: Known, evidence: Evidence) -> bool:
    if _is_counted(atom, evidence):
        return True
    noun, unit = words.counted(atom.noun), _hard(atom.unit)
    places = [found for value in claims.values(atom.key) for found in known.numbers.get(value, ())]
    if unit and any(found.unit == unit for found in places):
        return True
    if unit and (unit == SHARE or any(_hard(found.unit) for found in places)):
        return False  # so much of something else
    if noun and any(words.counted(found.noun) == noun for found in places):
        return True
    is_told = bool(noun) and noun in known.counted
    for found in places[-MOST_PLACES:]:
        if _hard(found.unit) or ((found.noun or found.unit) and (unit or is_told)):
            continue  # so many of something else
        around = known.near(found.at, REACH)
        if words.is_german(around) != words.is_german(text):
            return True  # in another language no word is the same
        among = meant & set(words.stems(around))
        if len(among) >= (2 if is_told or (found.noun and noun) else 1):
            return True
    return False


def _hard(unit: str) -> str:
    """A unit, but not "times": what happened so often is named elsewhere."""
    return "" if unit == "x" else unit


def _is_counted(atom: Atom, evidence: Evidence) -> bool:
    """Whether it is how many files or commits there were."""
    what = words.COUNTED.get(atom.noun)
    count = len(evidence.edited) if what == "files" else sum("git commit" in run.command for run in evidence.runs)
    return what is not None and atom.key == str(count)


def _has_date(key: str, known: Known) -> bool:
    year, _, day = key.partition("-")
    wanted = {f"{year}-{day}", f"-{day}"} if year else {one for one in known.dates if one.partition("-")[2] == day}
    return bool(wanted & known.dates)


def _has_commit(ident: str, known: Known, evidence: Evidence) -> bool:
    if any(one.startswith(ident) or ident.startswith(one) for one in evidence.commits if len(one) > 6):
        return True
    return _stands(ident, known.lower) or proofs.has_commit(evidence.root, ident)


def _has_code(code: str, known: Known, evidence: Evidence) -> bool:
    if re.sub(r"\s+", "", code).lower() in known.squeezed:
        return True
    if re.fullmatch(r"[\w.-]+", code):
        return proofs.occurs(evidence.root, code)
    # Options may stand in another order, and placeholders for values.
    parts = [one for one in re.split(r"[\s=]+", code) if one]
    return len(parts) > 1 and all(one in known.plain for one in parts) and parts[0] + " " in known.plain


def has_path(path: str, known: Known, evidence: Evidence) -> bool:
    """Whether somebody named a file or folder, or the tree has it."""
    if is_among(path, (*evidence.edited, *evidence.read)) or _stands(path.lower(), known.lower):
        return True
    if is_among(path, evidence.names) or any(f"/{one}".find(f"/{path}/") >= 0 for one in evidence.names):
        return True
    full = path if path.startswith("/") else f"{evidence.root}/{path}"
    return bool(evidence.root) and os.path.exists(os.path.expanduser(full))


def is_among(path: str, paths: Iterable[str]) -> bool:
    """Whether a path, named from wherever it was named, is one of these."""
    path = path.rstrip("/")
    return any(one == path or one.endswith(f"/{path}") or path.endswith(f"/{one}") for one in paths)
