"""Flags held against their own session: what is exact in one and occurs nowhere before it makes it unverified.

A flag is written in passing, late in a long context, and nobody reads it before the next session believes it. So the
numbers, names, dates, quotations, paths and ids in it are looked for in what was said, run, read and changed before it
was written, and in what the session was told at its start. Its own call and other flags are no evidence. It is filed
all the same, and says what was not found. Where there is no transcript, or only a part of it can be read, nothing is
accused, and neither are the user's own words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.close.verify import claims, exact
from holdfast.close.verify.evidence import spelled
from holdfast.text.transcript import CALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.close.verify.evidence import Evidence
    from holdfast.model import Flag
    from holdfast.text.transcript import Said

LONGEST = 120
SHOWN = 60  # letters of a flag by which its call is recognised
MOST_LOOKS = 60  # flags of one episode for each of which the session is cut at its place
OURS = "holdfast"
LOOKED_AT = 4000  # characters of a call in which our name is looked for
MOST = 32 << 20  # bytes of a transcript


def unverified(flags: Iterable[Flag], evidence: Evidence, told: Sequence[str] = ()) -> dict[str, str]:
    """Why flags are unverified, by their ids; those that nothing speaks against are not in it. `told` is what the
    session knew from its start."""
    if not evidence.spoken or evidence.is_partial:
        return {}
    found: dict[str, str] = {}
    looks = 0
    whole = before("", evidence, told)
    for flag in flags:
        if flag.origin == "user" or flag.answers or not claims.atoms(flag.text):
            continue
        why = problem(flag.text, whole)  # what occurs nowhere at all needs no second look
        if not why and looks < MOST_LOOKS:
            looks += 1
            why = problem(flag.text, before(flag.text, evidence, told))
        if why:
            found[flag.id] = _sentence(why)
    return found


def problem(text: str, evidence: Evidence) -> str:
    """What in a flag occurs nowhere; "" where all of it does."""
    wrong = next(exact.problems(text, (evidence.known,), evidence), "")
    return wrong or exact.exchanged(text, evidence.known)


def before(text: str, evidence: Evidence, told: Sequence[str] = ()) -> Evidence:
    """What was there when a flag was written: everything up to the call that wrote it, without what was flagged."""
    wanted = _letters(text)[:SHOWN]
    ours = [one for one in evidence.spoken if _is_ours(one)]
    end = next((one.at for one in ours if wanted and wanted in _letters(spelled(one.given))), None)
    left_out = {one.call for one in ours}
    spoken = [one for one in evidence.spoken if (end is None or one.at < end) and one.call not in left_out]
    runs = [one for one in evidence.runs if (end is None or one.at < end) and OURS not in one.command]
    return replace(evidence, spoken=tuple(spoken), runs=tuple(runs), flags=tuple(told), decided=())


def _is_ours(one: Said) -> bool:
    return one.role == CALL and (OURS in one.tool or OURS in spelled(one.given)[:LOOKED_AT])


def _letters(text: str) -> str:
    """As a command line and what came of it are alike."""
    return "".join(letter for letter in claims.normal(text).casefold() if letter.isalnum())


def _sentence(why: str) -> str:
    said = why.replace(" was not found in these words", " was said nowhere in its session")
    said = said.replace(" was not found", " occurs nowhere in its session")
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1].rstrip()}…"
