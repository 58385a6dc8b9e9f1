"""Sessions as rows, the newest first: each by its first prompt, with what has become of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import episodes, platform, story
from holdfast.capture.episodes import DIED, OPEN, session_of
from holdfast.health import ledger_pages
from holdfast.health.capture import marks_left
from holdfast.health.ledger_choice import OPENED, Choice
from holdfast.vault import lineage, prompts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.health.ledger_pages import Page, Place
    from holdfast.page.visit import Visit

MOST = 20
LONGEST = 160
STATES = {
    "open": ("open", "accent"),
    "closed": ("closed, with a handoff", "good"),
    "filed": ("closed", "good"),
    "waits": ("waits for its close", "warn"),
    "died": ("died, waits for its close", "warn"),
    "unknown": ("no end is known", "warn"),
}


@dataclass(frozen=True)
class SessionRow:
    key: str
    when: float
    place: Place
    host: str
    project: str
    short: str
    title: str
    state: str
    prompts: int

    @property
    def words(self) -> str:
        return STATES[self.state][0]

    @property
    def tone(self) -> str:
        return STATES[self.state][1]


def short_of(key: str) -> str:
    """The beginning of a session's id: enough for a person to tell two apart."""
    return session_of(key)[:8]


def typed(vault: str, state: str, key: str) -> list[tuple[str, str]]:
    """When and what the user typed: from the session's file, else from what is kept until its close."""
    episode = episodes.of_key(state, key)
    if episode is None:
        return []
    found = prompts.read(vault, prompts.path_for(episode, platform.machine()))
    if found is not None and found.prompts:
        return [(f"{one.time.replace(' ', 'T')}Z" if one.time else "", one.text) for one in found.prompts]
    return [(lineage.iso(one.time), one.text) for one in story.typed(state, key)]


def look(
    visit: Visit, projects: Sequence[str], *, day: str = "", before: Place | None = None, after: Place | None = None
) -> tuple[list[SessionRow], Page]:
    """The sessions that began before a place, and not before another; or on a day."""
    state = visit.server.state
    choice = Choice(OPENED, projects=tuple(projects), day=day)
    found = ledger_pages.page(state, choice, before=before, after=after, most=MOST)
    marked = {str(one.get("episode", "")): str(one.get("why", "")) for one in marks_left(state)[0]}
    handoffs: dict[str, list[str]] = {}
    rows = []
    for one in found.rows:
        key, project = str(one.record.get("episode") or ""), str(one.record.get("project") or "")
        if not key:
            continue
        if project not in handoffs:
            handoffs[project] = lineage.names_under(visit.server.vault, project)
        said = typed(visit.server.vault, state, key)
        title = " ".join(said[0][1].split())[:LONGEST] if said else ""
        became = _state(visit, key, marked, handoffs[project])
        host = key.partition("/")[0]
        rows.append(SessionRow(key, one.when, one.place, host, project, short_of(key), title, became, len(said)))
    return rows, found


def _state(visit: Visit, key: str, marked: dict[str, str], handoffs: list[str]) -> str:
    if key in marked:
        return "died" if marked[key] == DIED else "waits"
    episode = episodes.of_key(visit.server.state, key)
    if episode is None:
        return "unknown"
    if episode.state == OPEN:
        return "open"
    return "closed" if lineage.of_episode(visit.server.vault, handoffs, key) else "filed"
