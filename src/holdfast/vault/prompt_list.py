"""The user's prompts as they are listed: those in the vault, and those of sessions that no close has told yet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import episodes, home, marks, project_merges, story
from holdfast.vault import prompts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Listed:
    """One prompt and whose it is; `path` is "" while its session is not closed."""

    number: int
    time: str
    text: str
    before: str
    host: str
    session: str
    project: str
    path: str

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def listed(vault: str, now: float, project: str, words: Sequence[str], most: int) -> list[Listed]:
    """The newest prompts with all of these words, of one project, or of all where it is ""."""
    wanted = [word.casefold() for word in words]
    ids = project_merges.ids(vault, project) if project else ()
    waiting = [one for one in _waiting(home.state(vault), now) if not ids or one.project in ids]
    found = [one for one in waiting if _has(one, wanted)]
    known = {(one.session, one.time) for one in found}
    for path in sorted(_paths(vault, project), key=lambda path: path.rpartition("/")[2], reverse=True):
        if len(found) >= most + len(waiting):
            break
        session = prompts.read(vault, path)
        if session is None or (ids and session.project not in ids):
            continue
        whose = (session.host, session.episode, session.project, path)
        for one in reversed(session.prompts):
            made = Listed(one.number, one.time, one.text, one.before, *whose)
            if (made.session, made.time) not in known and _has(made, wanted):
                found.append(made)
    found.sort(key=lambda one: (one.time, one.number), reverse=True)
    return found[:most]


def _paths(vault: str, project: str) -> list[str]:
    if project:
        return prompts.names(vault, project)
    return [path for folder in prompts.projects(vault) for path in prompts.names_under(vault, folder)]


def _has(one: Listed, wanted: list[str]) -> bool:
    text = one.text.casefold()
    return all(word in text for word in wanted)


def _waiting(state: str, now: float) -> Iterator[Listed]:
    """Of sessions that go on, and of those that ended and are not closed."""
    keys = {episode.key: (episode.project, episode.host) for episode, _ in episodes.in_live(state, now)}
    for mark in marks.everywhere(state):
        keys.setdefault(mark.episode, (mark.project, mark.episode.partition("/")[0]))
    for key, (project, host) in keys.items():
        for one in story.typed(state, key):
            yield Listed(one.number, prompts.moment(one.time), one.text, one.before, host, key, project, "")
