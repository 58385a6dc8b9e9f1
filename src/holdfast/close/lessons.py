"""Decisions and lessons of a handoff, filed like flags: they do not depend on being copied from handoff to handoff.

Whoever wrote the handoff, its episode's close files what it decided and learned; what is linked to a note has one. An
item's id follows from the episode and its words, so a close that is run again files nothing twice. What a tracker or
outside text said keeps that origin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import quoting
from holdfast.capture.ids import made_of
from holdfast.model import Flag
from holdfast.vault.lineage import MECHANICAL
from holdfast.vault.notes import FROM_HANDOFF
from holdfast.witness.account import TRACKER
from holdfast.witness.sentences import Seen, names

if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode
    from holdfast.close.filing import Filing
    from holdfast.vault.lineage import Handoff

KINDS = {"decisions": "decision", "learned": "lesson"}
SHORTEST = 30  # characters of an item that can stand alone
MOST = 40
MOST_QUOTED = 12  # of a handoff that nobody wrote
NEWS = 0.3  # share of an item that no note of the project says yet


def file(filing: Filing, handoff: Handoff, episode: Episode) -> None:
    """Every decision and lesson that has no note becomes one."""
    known: Seen | None = None
    is_quoted = handoff.author == MECHANICAL
    filed = 0
    for section, kind in KINDS.items():
        for item in handoff.items(section):
            text, origin = quoting.said_by(item)
            flag = _flag(episode, handoff, kind, text, origin)
            if filing.is_filed(flag.id):
                filed += 1
                continue
            if filed >= (MOST_QUOTED if is_quoted else MOST) or not _stands(item, text, is_quoted=is_quoted):
                continue
            known = known or _seen(filing, handoff.project)
            if known.news(text)[1] >= NEWS:
                filing.file(flag)
                known.add(text)
                filed += 1


def _seen(filing: Filing, project: str) -> Seen:
    """What the notes of a project say."""
    seen = Seen()
    for note in filing.known.active():
        if note.applies_to(project):
            seen.add(f"{note.name} {note.description}")
    return seen


def _stands(item: str, text: str, *, is_quoted: bool) -> bool:
    """Whether an item can be a note of its own: whole, without a note yet, and, if only quoted, naming something."""
    if len(text) < SHORTEST or "](../../" in item or text.endswith("…"):
        return False
    return not is_quoted or (bool(names(text)) and not text.startswith(TRACKER))


def _flag(episode: Episode, handoff: Handoff, kind: str, text: str, origin: str) -> Flag:
    when = episode.closed or episode.opened
    return Flag(
        id=f"{FROM_HANDOFF}{made_of(when, f'{episode.key} {text}')}",
        time=when,
        host=episode.host,
        episode=episode.key,
        project=handoff.project,
        kind=kind,
        text=text,
        evidence=(f"{FROM_HANDOFF}{handoff.path.rpartition('/')[2]}",) if handoff.path else (),
        origin=origin,
    )
