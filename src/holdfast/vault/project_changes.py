"""Changes of projects: `project merge` makes two one, `project split` gives a folder a project of its own.

Promise: projects.toml is all that changes, in one commit; no note, handoff, task or flag is rewritten. A merge is one
table there (capture/same_project), so taking it out gives each project its own memory back. A name or key that may
mean two things is reported, and nothing is guessed. The rest of the file stays as its owner wrote it: each edit is read
back, and one that would say anything else is not made.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.capture import gate, home, locks, projects, queue, same_project
from holdfast.capture.ids import digest
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import brief, index, lineage
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from holdfast.model import Project

TABLES = "projects.toml"
PATIENCE = 10.0  # seconds that we wait for a hook that registers a folder
BY_HAND = f"nothing was changed. Mend {TABLES} in an editor."


@dataclass(frozen=True)
class ListedProject:
    """One project. `waiting` are flags that are not filed yet, `here` says that it is the one of this folder, `merged`
    are the ids of projects that are part of it now, and `clash` says where merges contradict each other."""

    id: str
    slug: str
    keys: tuple[str, ...]
    notes: int
    handoffs: int
    waiting: int
    here: bool
    merged: tuple[str, ...] = ()
    clash: str = ""


def listed(vault: str, here: Project, now: float) -> list[ListedProject]:
    """By id. Raises HoldfastError where projects.toml cannot be read."""
    found, trouble = projects.listed(vault)
    if trouble:
        raise HoldfastError(trouble)
    notes = Counter(note.project for note in index.load(vault, keep=False).notes if note.is_active)
    merged, clashes = same_project.read(vault)
    flags = (one.flag.project for one in queue.read(f"{home.state(vault)}/queue", now).entries)
    waiting = Counter(merged.get(one, one) for one in flags)
    keys_of = {ident: keys for ident, _, keys in found}
    listed = []
    for ident, slug, _ in found:
        if ident in merged:
            continue
        ids = same_project.family(merged, ident)
        keys = tuple(key for one in ids for key in keys_of.get(one, ()))
        counts = (notes[ident], len(lineage.names(vault, ident)), waiting[ident])
        listed.append(ListedProject(ident, slug, keys, *counts, ident == here.id, ids[1:], clashes.get(ident, "")))
    return listed


@dataclass(frozen=True)
class ProjectMerge:
    """`project` is now part of `into`."""

    project: str
    into: str
    commit: str = ""


@dataclass(frozen=True)
class ProjectSplit:
    """`project` stands by itself now, apart from `of`. `key` is what was taken out, "" where a merge was taken back."""

    project: str
    of: tuple[str, ...]
    key: str = ""
    commit: str = ""


T = TypeVar("T", ProjectMerge, ProjectSplit)


@dataclass(frozen=True)
class _Registry:
    """projects.toml as it is now."""

    text: str
    table: dict[str, Any]
    keys: dict[str, list[str]]  # of each project
    slugs: dict[str, str]
    merged: dict[str, list[str]]  # what the file says of merges, contradictions and all

    def called(self, wanted: str) -> list[str]:
        """The projects that an id, a short name or a key may mean."""
        if wanted in self.keys or wanted in self.merged:
            return [wanted]
        by_key = {ident for ident, keys in self.keys.items() for key in keys if wanted in _spellings(key)}
        return sorted(by_key or {ident for ident, slug in self.slugs.items() if slug == wanted})

    def project(self, wanted: str) -> str:
        """Raises NotFound, UsageError."""
        found = self.called(wanted)
        if not found:
            what = f'There is no project "{wanted}" in this vault'
            raise NotFound(f"{what}; nothing was changed. `holdfast project list` has them.")
        return _the_one(found, wanted)


def _the_one(found: list[str], wanted: str) -> str:
    if len(found) > 1:
        raise UsageError(f'"{wanted}" may be {", ".join(found)}; nothing was changed. Say which by its id.')
    return found[0]


def merge(vault: str, other: str, into: str, here: str, now: float, *, by: gate.Asker) -> ProjectMerge:
    """Make a project part of another, of the one of this folder where none is named. Raises NotFound, UsageError."""
    gate.require(by, gate.Change(gate.SETTING), "Merging projects")

    def planned(known: _Registry) -> tuple[str, str, ProjectMerge]:
        names, clashes = same_project.of_table(known.table)
        gone, kept = known.project(other), known.project(into) if into else here
        for one in (gone, kept):
            if one in clashes:
                raise UsageError(f"{clashes[one]}; nothing was changed.")
        if gone in names:
            raise UsageError(f"{gone} is merged into {names[gone]} already; nothing was changed.")
        kept = names.get(kept, kept)
        if gone == kept:
            raise UsageError(f"{gone} cannot be merged into itself; nothing was changed.")
        text = known.text + projects.table(same_project.TABLE, project=gone, into=kept)
        return text, f"project: {gone} is merged into {kept}", ProjectMerge(gone, kept)

    return _change(vault, now, by, planned)


def split(vault: str, wanted: str, cwd: str, now: float, *, by: gate.Asker, name: str = "") -> ProjectSplit:
    """Take a merge back, or a key out of its project. Raises NotFound, UsageError."""
    gate.require(by, gate.Change(gate.SETTING), "Splitting a project")
    folder = os.path.join(cwd, os.path.expanduser(wanted))
    of_folder = projects.find(os.path.normpath(folder), vault).key if os.path.isdir(folder) else ""

    def planned(known: _Registry) -> tuple[str, str, ProjectSplit]:
        apart = [one for one in known.merged if wanted == one or (wanted, one) == (known.slugs.get(one), one)]
        if apart:
            return _without_merge(known, _the_one(apart, wanted), name)
        return _without_key(known, wanted, of_folder, name)

    return _change(vault, now, by, planned)


def _change(vault: str, now: float, by: gate.Asker, planned: Callable[[_Registry], tuple[str, str, T]]) -> T:
    """Change projects.toml in one commit while no hook adds to it; then the briefs, which have to know at once."""
    with writing(vault, now) as writer:
        held = locks.taken(f"{home.state(vault)}/projects.lock", PATIENCE)
        try:
            text, subject, done = planned(_read(writer.read(TABLES) or ""))
            applied = writer.commit(subject, {TABLES: text}, cause="project", by=by, with_briefs=False)
        finally:
            os.close(held)
        if TABLES in applied.skipped:
            raise HoldfastError(f"{TABLES} was changed at this very moment; nothing was changed. Run it again.")
        brief.refresh_known(vault)
    return replace(done, commit=applied.commit)


def _read(text: str) -> _Registry:
    """Raises HoldfastError where it is not what we write."""
    try:
        table = tomllib.loads(text)
        keys = {str(one["id"]): list(map(str, one.get("keys", []))) for one in table.get("project", [])}
        slugs = {str(one["id"]): str(one.get("slug", "")) for one in table.get("project", [])}
        for one in table.get("alias", []):
            keys.setdefault(str(one["project"]), []).append(str(one["key"]))
        merged: dict[str, list[str]] = {}
        for one in table.get(same_project.TABLE, []):
            merged.setdefault(str(one["project"]), []).append(str(one["into"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HoldfastError(f"{TABLES} cannot be read ({error}); {BY_HAND}") from error
    return _Registry(text, table, keys, slugs, merged)


def _spellings(key: str) -> tuple[str, ...]:
    """A key whole, without its kind, and a path without its machine."""
    kind, _, rest = key.partition(":")
    return (key, rest, rest.partition(":")[2]) if kind == "path" else (key, rest)


def _without_merge(known: _Registry, ident: str, name: str) -> tuple[str, str, ProjectSplit]:
    if name:
        raise UsageError(f"{ident} was merged and keeps its own name; nothing was changed. Leave --as out.")
    into = tuple(dict.fromkeys(known.merged[ident]))
    found = [(one, _only(one, same_project.TABLE) or {}) for one in _tables(known.text)]
    text = "".join(_comments(one) if table.get("project") == ident else one for one, table in found)
    after = _read(text)
    if after.keys != known.keys or after.merged != {one: said for one, said in known.merged.items() if one != ident}:
        raise HoldfastError(f"The merge of {ident} cannot be taken out by itself; {BY_HAND}")
    return text, f"project: {ident} stands by itself again", ProjectSplit(ident, into)


def _without_key(known: _Registry, wanted: str, of_folder: str, name: str) -> tuple[str, str, ProjectSplit]:
    pairs = [
        (ident, key)
        for ident, keys in known.keys.items()
        for key in keys
        if projects.folded(key) == of_folder or wanted in _spellings(key)
    ]
    if not pairs:
        raise NotFound(f'No project has the key "{wanted}"; nothing was changed. `holdfast project list` has them.')
    if len(pairs) > 1:
        said = ", ".join(f"{key} of {ident}" for ident, key in pairs)
        raise UsageError(f'"{wanted}" may be {said}; nothing was changed. Say which by the whole key.')
    ((old, key),) = pairs
    if len(known.keys[old]) == 1:
        raise UsageError(f"{key} is the only key of {old}, so there is nothing to split; nothing was changed.")
    slug = projects.short_name(name or key)
    # An id that nothing was remembered under. Two machines that split the same key give it the same.
    taken = {*known.keys, *known.merged, *(one for into in known.merged.values() for one in into)}
    tried = (f"{slug}-{digest(f'{key} {nth}' if nth else key, 8)}" for nth in range(len(taken) + 1))
    ident = next(one for one in tried if one not in taken)
    tables = [_cut(one, old, key) for one in _tables(known.text)]
    text = "".join(tables) + projects.table("project", id=ident, slug=slug, keys=[key])
    left = {**known.keys, old: [one for one in known.keys[old] if one != key], ident: [key]}
    if _read(text).keys != left:
        raise HoldfastError(f"{key} cannot be taken out of {old} by itself; {BY_HAND}")
    return text, f"project: {key} is {ident} now, apart from {old}", ProjectSplit(ident, (old,), key)


def _tables(text: str) -> list[str]:
    """The tables as they stand; what precedes them is the first."""
    return re.split(r"^(?=\[)", text, flags=re.MULTILINE)


def _only(text: str, name: str) -> dict[str, Any] | None:
    """The one table of this name that a part of the file is."""
    try:
        found = tomllib.loads(text).get(name)
    except ValueError:
        return None
    return found[0] if isinstance(found, list) and len(found) == 1 and isinstance(found[0], dict) else None


def _comments(text: str) -> str:
    """The comments of a person beside a table that goes."""
    kept = [line for line in text.splitlines(keepends=True) if line.lstrip().startswith("#")]
    return "".join(kept) + ("\n" if kept else "")


def _cut(text: str, ident: str, key: str) -> str:
    """One table of the file without a key of this project."""
    alias = _only(text, "alias")
    if alias and (alias.get("project"), alias.get("key")) == (ident, key):
        return _comments(text)
    found = _only(text, "project")
    if not found or found.get("id") != ident or key not in found.get("keys", ()):
        return text
    left = [one for one in found["keys"] if one != key]
    for literal in (re.escape(projects.quoted(key)), re.escape(f"'{key}'")):
        for pattern in (rf"{literal}\s*,\s*", rf",\s*{literal}", literal):
            tried = re.sub(pattern, "", text, count=1)
            if tried != text and (_only(tried, "project") or {}) == {**found, "keys": left}:
                return tried
    return text
