"""The story of one session: what the user typed, what its start was told, what happened at its boundaries, what it
flagged and what became of that, its handoff, and what the models that filed it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes, queue
from holdfast.errors import NotFound
from holdfast.health import ledger_pages
from holdfast.health.ledger_choice import BY_NAME, Choice
from holdfast.page import sentences, session_rows
from holdfast.page.watched import days_of
from holdfast.vault import index, lineage
from holdfast.vault.notes import Broken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.health.ledger_pages import Row
    from holdfast.page.sentences import Said
    from holdfast.page.visit import Visit
    from holdfast.vault.lineage import Handoff

MOST_MOMENTS, MOST_PROMPTS = 300, 50
SHARE = 96 << 20  # bytes of the ledger; a session is some days of it at most


@dataclass(frozen=True)
class FlagFate:
    """One flag: its words while it waits, else the note that was made of it; `path` is "" where none is left."""

    when: float
    kind: str
    text: str
    path: str
    waits: bool


@dataclass(frozen=True)
class Cost:
    by: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Told:
    """The words that one moment told the agent."""

    when: float
    said: Said
    characters: int


@dataclass(frozen=True)
class Moment:
    when: float
    said: Said


@dataclass(frozen=True)
class Story:
    episode: Episode
    short: str
    prompts: tuple[tuple[str, str], ...]
    more_prompts: int
    starts: tuple[Told, ...]
    moments: tuple[Moment, ...]
    flags: tuple[FlagFate, ...]
    handoff: Handoff | None
    costs: tuple[Cost, ...]
    is_cut: bool


def of(visit: Visit, key: str) -> Story:
    """Raises NotFound."""
    state, vault = visit.server.state, visit.server.vault
    episode = episodes.of_key(state, key)
    if episode is None or not (visit.everything or episode.project in visit.memory.at.project().ids):
        raise NotFound("Nothing is known of this session in this project; `All projects` may have it.")
    session = f"{episode.host}/{episode.session}"
    since, until = days_of(state, session, visit.server.clock())
    choice = Choice(BY_NAME[""], session=session, since_day=since, until_day=until)
    found = ledger_pages.page(state, choice, most=MOST_MOMENTS, share=SHARE)
    rows = [one for one in reversed(found.rows) if _is_of(one.record, key)]
    typed = session_rows.typed(vault, state, key)
    starts = [
        one for one in rows if one.record.get("kind") == "injection" and one.record.get("event") == "session-start"
    ]
    path = lineage.of_episode(vault, lineage.names_under(vault, episode.project), key)
    handoff = lineage.read(vault, path) if path else None
    return Story(
        episode,
        session_rows.short_of(key),
        tuple(typed[:MOST_PROMPTS]),
        max(0, len(typed) - MOST_PROMPTS),
        tuple(Told(one.when, sentences.told(one.record), _number(one.record, "characters")) for one in starts),
        tuple(Moment(one.when, sentences.told(one.record)) for one in rows if one.record.get("kind") != "model"),
        tuple(_flags(visit, rows)),
        None if handoff is None or isinstance(handoff, Broken) else handoff,
        tuple(_costs(rows)),
        bool(found.older),
    )


def _is_of(record: dict[str, Any], key: str) -> bool:
    return key in (record.get("episode"), record.get("about"))


def _number(record: dict[str, Any], name: str) -> int:
    found = record.get(name)
    return int(found) if isinstance(found, int | float) else 0


def _flags(visit: Visit, rows: Sequence[Row]) -> list[FlagFate]:
    flagged = [one for one in rows if one.record.get("kind") == "flag"]
    if not flagged:
        return []
    waiting = {
        one.flag.id: one.flag.text for one in queue.read(f"{visit.server.state}/queue", visit.server.clock()).entries
    }
    ids = {str(one.record.get("id")) for one in flagged}
    made = {
        source: one.note
        for one in index.load(visit.server.vault, keep=False).known.values()
        for source in one.note.sources
        if source in ids
    }
    found = []
    for one in flagged:
        ident = str(one.record.get("id"))
        note = made.get(ident)
        text = waiting.get(ident) or (note.description or note.name if note else "")
        found.append(
            FlagFate(one.when, str(one.record.get("flag") or ""), text, note.path if note else "", ident in waiting)
        )
    return found


def _costs(rows: Sequence[Row]) -> list[Cost]:
    sums: dict[str, list[int]] = {}
    for one in rows:
        if one.record.get("kind") == "model":
            by = " / ".join(str(one.record[name]) for name in ("judge", "model") if one.record.get(name)) or "a model"
            total = sums.setdefault(by, [0, 0, 0, 0])
            more = (
                1,
                int(not one.record.get("ok", True)),
                *(_number(one.record, name) for name in ("tokens_in", "tokens_out")),
            )
            sums[by] = [left + right for left, right in zip(total, more, strict=True)]
    return [Cost(by, *found) for by, found in sorted(sums.items())]
