"""What a session submitted and was refused, used by its close: no word is lost because a form was wrong.

A refused flag, snag or `remember` becomes a flag of its session, a fact in its own words, under the draft's own id: so
doing it twice is doing it once. The sections of a refused handoff go into the handoff that the close makes, each item
marked as refused. Sessions that go on may still mend theirs, so only those that are over are looked at.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.capture import drafts, episodes, flags, home, project_merges, queue, quoting
from holdfast.capture.ids import LETTERS
from holdfast.close.work import find_episode, is_over
from holdfast.errors import HoldfastError, NotSaved
from holdfast.model import KINDS, ORIGINS, TRUSTED, Flag
from holdfast.vault import handing, lineage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.drafts import Draft
    from holdfast.vault.lineage import Handoff

FILED = "handed to the close as a fact"
MARK = " (of a handoff that was refused)"
MOST = 6000  # characters of one refused handoff; the draft has the rest
LONGEST_ITEM = 1000
MOST_PIECES = len(LETTERS) - 1


def file_lines(vault: str, now: float, project: str = "") -> int:
    """Let refused lines wait in the queue as facts, those of one project or of all; how many drafts that were. Raises
    NotSaved."""
    state = home.state(vault)
    if not drafts.any_kept(state):
        return 0
    ids = project_merges.ids(vault, project) if project else ()
    due = [one for one in drafts.read(state) if one.kind in drafts.LINES and _is_due(state, one, ids)]
    for one in due:
        made = _flags(one)
        segment = queue.append(f"{state}/queue", made, now)
        if one.episode:
            episodes.note_segment(state, one.episode, segment, len(made))
        drafts.use(state, [one.id], FILED)
    return len(due)


def _is_due(state: str, one: Draft, ids: tuple[str, ...]) -> bool:
    if one.used or one.is_settled or (ids and one.project not in ids):
        return False
    return not one.episode or is_over(find_episode(state, one.episode))


def _flags(one: Draft) -> list[Flag]:
    """Its words in as many flags as they take, the first under its own id."""
    pieces = [piece for line in one.text.splitlines() for piece in flags.cut(line)][:MOST_PIECES]
    host = one.episode.partition("/")[0] or "cli"
    origin = one.origin if one.origin in ORIGINS else "tool"
    kind = one.given if one.given in KINDS else "fact"
    why = "kept by the hook: its command never came through" if one.why == drafts.SHELL else f"refused: {one.why}"
    proof = (*one.evidence, why[: flags.LONGEST])
    return [
        Flag(ident, one.time, host, one.episode, one.project, kind, piece, proof, origin)
        for ident, piece in zip(_ids(one.id), pieces, strict=False)
    ]


def _ids(first: str) -> list[str]:
    return [first, *(first[:-1] + letter for letter in LETTERS if letter != first[-1])]


def handoffs(vault: str, project: str, episode: str) -> list[Draft]:
    """The handoffs of a session that were refused and that nobody has mended or used."""
    state = home.state(vault)
    if not episode or not drafts.any_kept(state):
        return []
    first, *merged = project_merges.ids(vault, project)
    found = (one for one in drafts.open_for(state, first, merged=tuple(merged)) if one.kind == drafts.HANDOFF)
    return [one for one in found if one.episode == episode and not one.used]


def completed(made: Handoff, refused: Sequence[Draft]) -> Handoff:
    """A handoff with what its session had wanted to hand off, behind what it says already."""
    sections = dict(made.sections)
    for one in refused:
        for key, items in _sections(one).items():
            before = sections.get(key, ())
            known = {item.removesuffix(MARK) for item in before}
            sections[key] = (*before, *(f"{item}{MARK}" for item in items if item not in known))
    in_order = {key: sections[key] for key in lineage.SECTIONS if sections.get(key)}
    return replace(made, sections=in_order)


def _sections(one: Draft) -> dict[str, tuple[str, ...]]:
    try:
        _, found = handing.parse(one.text)
    except HoldfastError:
        found = {"note": tuple(one.text.splitlines())}
    if one.origin not in TRUSTED:  # the word of an outsider is no word of a colleague
        mark = quoting.from_mark(one.origin)
        found = {key: tuple(f"{item}{mark}" for item in items) for key, items in found.items()}
        found = {key: items for key, items in found.items() if key != "note"}
    room = MOST
    kept: dict[str, tuple[str, ...]] = {}
    for key, items in found.items():
        tidy = [line for line in (flags.clean(item)[0][:LONGEST_ITEM] for item in items) if line]
        fitting = []
        for line in tidy:
            room -= len(line)
            if room < 0:
                break
            fitting.append(line)
        if fitting:
            kept[key] = tuple(fitting)
    return kept


def note_used(vault: str, project: str, episode: str, path: str) -> None:
    """The handoff that has them is committed. A draft too many told is no harm, so this fails nothing."""
    used = handoffs(vault, project, episode) if path else []
    found = lineage.read(vault, path) if used else None
    if not isinstance(found, lineage.Handoff) or not any(MARK in item for item in chain(*found.sections.values())):
        return  # somebody's own, which has none of them
    try:
        drafts.use(home.state(vault), [one.id for one in used], f"in {path}")
    except (NotSaved, OSError):
        return
