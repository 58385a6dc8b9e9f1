"""The index against the vault, place by place (files, tasks, segments of thoughts): what it has and what it lacks.

Looking changes nothing. An index that is missing, damaged, of another version or locked is told as such, and then has
nothing; what is true is in the vault in any case.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from holdfast.errors import Busy, NewerFormat
from holdfast.field import handle, intake, sources, traffic
from holdfast.field.store import Damaged, Outdated
from holdfast.field.thought import WITHDRAWN, joined, note_id
from holdfast.model import replace
from holdfast.tasks import record
from holdfast.vault import prompts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.field.store import Store
    from holdfast.field.thought import Thought


SURE = 1.0  # seconds by which clocks and the times of files may differ


@dataclass(frozen=True)
class Behind:
    """One place of the vault that the index has not as it is. `since`: when it became so, as far as the disk says.
    `sources` and `sessions` are the flags and episodes that it speaks of and the index does not. `was_passed`: the
    index has looked at every file since, so the next look will not take it in either."""

    place: str
    since: float
    is_known: bool = False
    is_gone: bool = False
    was_passed: bool = False
    sources: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()


def _last_walk(store: Store) -> float:
    """When the index last began to look at every file; 0 where it is to do so again in any case."""
    when, cost = intake.walked(store.places(intake.WALK).get(intake.WALK, ""))
    return when - cost - SURE if when else 0.0


def files(vault: str, store: Store, most: int) -> Iterator[Behind | None]:
    """Each note and handoff of the vault: None where the index has it as it is."""
    known = {place: stamp for top in intake.TOPS for place, stamp in store.places(f"{top}/").items()}
    there: set[str] = set()
    asked, passed = 0, _last_walk(store)
    for path, stamp in intake.files(vault, time.time_ns(), {}):
        there.add(path)
        if stamp and known.get(path) == stamp:
            yield None
            continue
        asked += 1
        is_known = path in known
        one = _said(vault, store, path, is_known) if asked <= most else unread(vault, path, is_known)
        yield replace(one, was_passed=0 < one.since < passed) if one else None
    for path in known.keys() - there:
        if path.startswith(f"{prompts.FOLDER}/") or store.thoughts([note_id(path)]):
            yield Behind(path, changed(vault, os.path.dirname(path)), is_known=True, is_gone=True)


def _said(vault: str, store: Store, path: str, is_known: bool) -> Behind | None:
    """A file whose stamp says nothing: what it says now, against what the index has of it."""
    thoughts, pairs = sources.read(vault, path)
    if not is_known:
        return with_whose(unread(vault, path, is_known), thoughts) if thoughts else None
    if path.startswith(f"{prompts.FOLDER}/"):
        whole = store.thoughts(one.id for one in thoughts)
        is_same = all(_is_same([one], whole.get(one.id)) for one in thoughts)
        return None if is_same else with_whose(unread(vault, path, is_known), thoughts, list(whole.values()))
    ident = note_id(path)
    held = store.thoughts({ident, *(old for old, _ in pairs)})
    mine = held.get(ident)
    if _is_same(thoughts, mine) and _are_in_force(ident, pairs, held):
        return None
    return with_whose(unread(vault, path, is_known), thoughts, [mine] if mine else [])


def _is_same(thoughts: Sequence[Thought], held: Thought | None) -> bool:
    if not thoughts or held is None:
        return not thoughts and held is None
    return replace(held, superseded_by="") == thoughts[0]


def _are_in_force(ident: str, pairs: Sequence[tuple[str, str]], held: Mapping[str, Thought]) -> bool:
    """Whether what a file says it takes the place of is superseded in the index too, and no longer withdrawn there if
    it no longer says so."""
    said = {old for old, _ in pairs}
    return all(held[old].superseded_by for old in said if old in held) and (
        ident in said or ident not in held or held[ident].superseded_by != WITHDRAWN
    )


def with_whose(one: Behind, thoughts: Sequence[Thought], held: Sequence[Thought] = ()) -> Behind:
    """With the flags and episodes that it speaks of, and the index does not."""
    sources = {source for thought in thoughts for source in thought.sources}
    sources -= {source for thought in held for source in thought.sources}
    sessions = {thought.session for thought in thoughts} - {thought.session for thought in held}
    return replace(one, sources=frozenset(sources), sessions=frozenset(sessions - {""}))


class _Rehearsal:
    """In place of a store, for whoever would take something in: it has what the store has, and only listens."""

    def __init__(self, store: Store | None) -> None:
        self.known = store.places(sources.PREFIX) if store else {}
        self.taken: dict[str, Sequence[Thought]] = {}
        self.anew: set[str] = set()
        self.gone: list[str] = []

    def places(self, prefix: str) -> dict[str, str]:
        return {place: stamp for place, stamp in self.known.items() if place.startswith(prefix)}

    def take(self, place: str, _: str, thoughts: Sequence[Thought], __: object, *, anew: bool) -> None:
        self.taken[place] = thoughts
        if anew and place in self.known:
            self.anew.add(place)  # given up, archived or cut: some of what the index has of it is no longer so

    def forget(self, place: str) -> None:
        self.gone.append(place)


def tasks(vault: str, store: Store | None) -> Iterator[Behind | None]:
    """Each task: what its logs would give the index now."""
    rehearsal = _Rehearsal(store)
    sources.sync(vault, cast("Store", rehearsal))
    names = dict.fromkeys([*record.open_tasks(vault), *(name for name, _ in record.finished(vault))])
    for place in (sources.PREFIX + name for name in names):
        thoughts = rehearsal.taken.get(place, ())
        held = store.thoughts(one.id for one in thoughts) if store else {}
        news = [one for one in thoughts if one.id not in held or replace(held[one.id], superseded_by="") != one]
        is_behind = news or place in rehearsal.anew
        one = Behind(place, _task_changed(vault, place), place in rehearsal.known)
        yield with_whose(one, news) if is_behind else None
    for place in rehearsal.gone:
        yield Behind(place, changed(vault, record.FOLDER), is_known=True, is_gone=True)


def _task_changed(vault: str, place: str) -> float:
    name = place.removeprefix(sources.PREFIX)
    logs = [path for path, _ in record.logs(vault, name)] or [f"{record.OUTPUTS}/{record.FINAL}{name}.log"]
    return max(changed(vault, path) for path in logs)


def segments(vault: str, store: Store) -> Iterator[Behind | None]:
    """Each segment of thoughts: whether the index has read it to its end."""
    known = store.places(f"{traffic.FOLDER}/")
    listed = traffic.logs(vault)
    for path, size in listed:
        try:
            start = traffic.goes_on_at(vault, path, size, known.get(path, ""))
            found = traffic.read(vault, path, start).found if start != size else []
        except OSError:
            continue  # taken away at this moment
        held = store.thoughts(one.id for one in found)
        plain = {ident: replace(one, superseded_by="") for ident, one in held.items()}
        news = [one for one in found if one.id not in plain or joined(plain[one.id], one) != plain[one.id]]
        is_rewritten = path in known and not start
        yield with_whose(Behind(path, changed(vault, path), path in known), news) if news or is_rewritten else None
    for path in known.keys() - {path for path, _ in listed}:
        yield Behind(path, changed(vault, os.path.dirname(path)), is_known=True, is_gone=True)


def unread(vault: str, path: str, is_known: bool) -> Behind:
    return Behind(path, changed(vault, path), is_known)


def changed(vault: str, path: str) -> float:
    """When a file or folder came to be as it is, on this machine; a copy keeps its old time, but not this one."""
    try:
        return os.lstat(f"{vault}/{path}").st_ctime
    except OSError:
        return 0.0


READY, MISSING, OUTDATED = "ready", "missing", "outdated"
DAMAGED, NEWER, UNREADABLE = "damaged", "newer", "unreadable"
UNKNOWN = (NEWER, UNREADABLE)  # what such an index has cannot be told
MOST_READ = 10_000  # files whose words are compared, 0.2 ms each; more of them are taken for behind
RUNS = 2.0  # seconds that the look at the file itself may take: 0.13 s with 100,000 thoughts


@dataclass(frozen=True)
class Coverage:
    """`places` is how many the vault has: notes, handoffs, tasks, segments of thoughts. `lacking` are thoughts without
    a vector of the wanted model, `flaw` what is wrong in the file itself, None where nobody asked or could tell."""

    state: str
    why: str = ""
    places: int = 0
    behind: tuple[Behind, ...] = ()
    thoughts: int = 0
    lacking: int = 0
    flaw: str | None = None

    @property
    def oldest(self) -> float:
        """Since when the index is behind; 0 where it is not."""
        return min((one.since for one in self.behind if one.since), default=0.0)


def look(
    vault: str,
    *,
    model: str = "",
    deep: bool = False,
    since: float = 0.0,
    most: int = MOST_READ,
    borrowed: Callable[[], AbstractContextManager[Store]] | None = None,
) -> Coverage:
    """The index against the vault. `model` names the embedder whose vectors are wanted; `deep` also looks at the
    file itself; where there is no index, what lies there unchanged for longer than `since` is not asked whose it is.
    `most` files at most are read. `borrowed` lends a store to a process that has some open."""
    for is_last in (False, True):
        try:
            with borrowed() if borrowed else only_looking(vault) as store:
                return _compared(vault, store, model, most, deep=deep)
        except FileNotFoundError:
            return _without(vault, MISSING, "there is no index yet", since)
        except NewerFormat as error:
            return _without(vault, NEWER, str(error), since)
        except Outdated as error:
            return _without(vault, OUTDATED, str(error), since)
        except (Busy, OSError) as error:
            return _without(vault, UNREADABLE, str(error), since)
        except Damaged as error:
            if is_last:  # else a writer may have been at work under our eyes
                return _without(vault, DAMAGED, str(error), since)
    raise AssertionError("the second look returns")


@contextmanager
def only_looking(vault: str) -> Iterator[Store]:
    """The index as it is, opened to look and never to write. Raises OSError, NewerFormat, Outdated, Busy, Damaged."""
    from holdfast.field.sqlite.store import SqliteStore

    store = SqliteStore(handle.path_of(vault), only_look=True)
    try:
        yield store
    finally:
        store.close()


def _compared(vault: str, store: Store, model: str, most: int, *, deep: bool) -> Coverage:
    found = [*files(vault, store, most), *tasks(vault, store), *segments(vault, store)]
    behind = [one for one in found if one]
    return Coverage(
        READY,
        places=len(found) - sum(1 for one in behind if one.is_gone),
        behind=tuple(behind),
        thoughts=store.count(),
        lacking=store.lacking(model) if model else 0,
        flaw=store.flaw(RUNS) if deep else None,
    )


def _without(vault: str, state: str, why: str, since: float) -> Coverage:
    """No index that can be used: it is behind with everything. Whose it is, is read where somebody asks for it."""
    behind: list[Behind] = []
    for path, _ in intake.files(vault, time.time_ns(), {}):
        one = unread(vault, path, is_known=False)
        is_asked = since and one.since >= since and len(behind) < MOST_READ
        behind.append(with_whose(one, sources.read(vault, path)[0]) if is_asked else one)
    behind += [one for one in tasks(vault, None) if one]
    behind += [Behind(path, changed(vault, path)) for path, size in traffic.logs(vault) if size]
    return Coverage(state, why, len(behind), () if state in UNKNOWN else tuple(behind))
