"""Whether the exact things in a claim stand in the evidence: quotes, numbers, dates, names, paths, ids, commands.

A number stands in every session somewhere, so its mere occurrence proves little: it counts where it has the same unit,
counts the same thing, or stands among words of the claim. A path may be of the tree without ever having been spoken of.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.close import claims
from holdfast.close import evidence as proofs
from holdfast.close import verify_words as words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.close.claims import Atom, Known
    from holdfast.close.evidence import Evidence

SOFT = "x"  # so many times: what happened so often is named elsewhere
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
    return "" if _stands(atom.key.lower(), known.lower) else f"{_short(atom.shown)} was not found"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def _stands(wanted: str, text: str) -> bool:
    """Whether it occurs, and not as a part of something longer; 3.11 is part of 3.11.4 and means it."""
    return re.search(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", text) is not None


def _has_number(atom: Atom, text: str, meant: set[str], known: Known, evidence: Evidence) -> bool:
    if _is_counted(atom, evidence):
        return True
    noun = words.counted(atom.noun)
    places = [found for value in claims.values(atom.key) for found in known.numbers.get(value, ())]
    if atom.unit and any(found.unit == atom.unit for found in places):
        return True
    if atom.unit and any(found.unit not in ("", SOFT) for found in places):
        return False  # so much of something else
    if noun and any(words.counted(found.noun) == noun for found in places):
        return True
    needed = 2 if noun and _is_told_of(noun, known) else 1
    for found in places:
        if (found.unit not in ("", SOFT)) or ((found.noun or found.unit) and atom.unit):
            continue
        around = known.near(found.at, REACH)
        if words.is_german(around) != words.is_german(text):
            return True  # in another language no word is the same
        among = meant & set(words.stems(around))
        if len(among) >= (2 if found.noun and noun else needed):
            return True
    return False


def _is_told_of(noun: str, known: Known) -> bool:
    """Whether the evidence says of this thing how many there are."""
    return any(words.counted(found.noun) == noun for places in known.numbers.values() for found in places)


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
    squeezed = re.sub(r"\s+", "", code)
    if squeezed in known.squeezed or squeezed.lower() in known.squeezed.lower():
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
