"""Projects that the user merged: which ids are one project.

    [[merged]]                     in projects.toml, one table for each
    project = "api-1a2b3c4d"
    into = "shop-5e6f7a8b"

Promise: nothing that was remembered is rewritten. Notes, handoffs, tasks, thoughts and flags keep the id that they were
written under, and whoever asks for a project's memory asks for all of its ids; without the table each project has its
own again. Two machines may have said different things: a project that is merged into two, or into itself by way of
others, is not merged at all, and the next start says so.
"""

from __future__ import annotations

from holdfast.capture import platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TABLE = "merged"


def names(vault: str) -> dict[str, str]:
    """Each merged id, and the id that its project goes by; none where the registry cannot be read."""
    return read(vault)[0]


def read(vault: str) -> tuple[dict[str, str], dict[str, str]]:
    """The same, and a sentence for each id whose merge contradicts another."""
    try:
        raw = platform.read_file(f"{vault}/projects.toml")
        if b"merged" not in raw:  # the usual case costs one read
            return {}, {}
        import tomllib

        return of_table(tomllib.loads(raw.decode("utf-8", "replace")))
    except (OSError, ValueError, RecursionError):
        return {}, {}


def ids(vault: str, project: str) -> tuple[str, ...]:
    """All ids of a project, the one that it goes by first."""
    return family(names(vault), project)


def family(known: Mapping[str, str], project: str) -> tuple[str, ...]:
    """The same, of names that are at hand."""
    first = known.get(project, project)
    return (first, *sorted(one for one, into in known.items() if into == first))


def of_table(table: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """What projects.toml says: as `names`, and a sentence for each id whose merge contradicts another."""
    said: dict[str, set[str]] = {}
    given = table.get(TABLE, [])
    for one in given if isinstance(given, list) else []:
        if isinstance(one, dict) and isinstance(one.get("project"), str) and isinstance(one.get("into"), str):
            said.setdefault(one["project"], set()).add(one["into"])
    clashes = {
        one: f"projects.toml merges {one} into {' and into '.join(sorted(into))}; it is not merged" + WAY_OUT
        for one, into in said.items()
        if len(into) > 1
    }
    single = {one: min(into) for one, into in said.items() if len(into) == 1}
    for one in _in_circles(single):
        clashes[one] = f"projects.toml merges {one} into {single[one]} and back; neither is merged" + WAY_OUT
    sound = {one: into for one, into in single.items() if one not in clashes}
    return {one: _end(sound, one) for one in sound}, clashes


WAY_OUT = " (`holdfast project split ID` takes one of them back)"


def _in_circles(single: Mapping[str, str]) -> set[str]:
    """The ids that lead back to themselves."""
    found: set[str] = set()
    done: set[str] = set()
    for start in single:
        trail: dict[str, None] = {}
        at = start
        while at in single and at not in done and at not in trail:
            trail[at] = None
            at = single[at]
        if at in trail:
            listed = list(trail)
            found.update(listed[listed.index(at) :])
        done.update(trail)
    return found


def _end(sound: Mapping[str, str], start: str) -> str:
    """Where a chain ends. There is no circle in it."""
    while start in sound:
        start = sound[start]
    return start
