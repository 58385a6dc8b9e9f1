"""The intake: what changed in notes, handoffs, tasks, thoughts and traffic comes into the store, or all of it anew.

Where nothing changed it costs a few looks at folders, however large the vault is. A file that a person saved in place
changes no folder: for those every file is looked at, at most a hundredth of the time. So in a vault of a few thousand
notes an edit is seen at once, and in one of a hundred thousand within minutes; `thorough` sees it in any. A file is
read anew when its size, times or inode differ from those it was read with; one that changed so shortly before that a
second change could share its time is not believed.

A rebuild is one transaction, so a search meanwhile sees the field as it was, and a kill leaves it so. Vectors follow
in steps; until they are there search goes by words. Nothing that was acknowledged is in the store alone.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, TypeVar

from holdfast.capture import log, platform
from holdfast.capture.ids import digest
from holdfast.errors import Busy
from holdfast.field import embedding, traffic
from holdfast.field.embedders import NoVectors
from holdfast.field.store import Damaged
from holdfast.field.thought import WITHDRAWN, joined
from holdfast.model import replace, value
from holdfast.tasks import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.field.handle import Field
    from holdfast.field.store import Store
    from holdfast.field.thought import Thought

    Progress = Callable[[int], None]

T = TypeVar("T")
SHARE = 100  # the looks at every file take at most one part in so many of the time
NOTES, FOLDERS, WALK, THOUGHTS, TASKS, STEPS = "@notes", "@folders", "@walk", "@thoughts", "@tasks", "@steps"
CHANGED = ".state/changed"
SLEEP = "sleep"  # the folder of field/steps
RACY = platform.RACY
TOPS = ("identity", "rules", "knowledge", "feedback", "projects", "lineage", "prompts")  # with notes, handoffs, prompts
PATIENCE, LONG_PATIENCE = 20.0, 60.0  # seconds


def silent(_: int) -> None:
    """Tells nobody how far it is."""


@value
class Synced:
    """The number of thoughts taken in, and what in their logs was no record, as a path and the bytes."""

    taken: int = 0
    broken: tuple[tuple[str, log.Found], ...] = ()


def sync(field: Field, *, thorough: bool = False, patience: float = PATIENCE, progress: Progress = silent) -> Synced:
    """Take in everything that is new, with vectors for it, or for as many as a wait allows. Raises Busy where another
    process is at it for long: then that one takes it in, and nothing is lost."""
    done = take_in(field, thorough=thorough, patience=patience, progress=progress)
    if field.later:
        if not _is_embedded(field):
            embedding.catch_up(field, progress=progress)
    else:
        embed(field, progress=progress)
    return done


def _is_embedded(field: Field) -> bool:
    """Whether the chosen model serves and lacks nothing, as after most questions."""
    chosen, store = field.embedder, field.store
    return chosen is None or (store.serving() in ("", chosen.name) and not store.unembedded(chosen.name, 1))


def take_in(field: Field, *, thorough: bool = False, patience: float = PATIENCE, progress: Progress = silent) -> Synced:
    """The same without vectors. A field without a vault has nothing to take in: its store is its truth."""
    store, vault = field.store, field.vault
    if not vault:
        return Synced()
    known = store.places("@")
    stamps = {
        NOTES: _folders_stamp(_stamps_of(vault, known.get(FOLDERS, ""))),
        THOUGHTS: traffic.stamp(vault),
        TASKS: _tasks_stamp(vault),
        STEPS: traffic.stamp(vault, SLEEP),
    }
    changed = {name for name, stamp in stamps.items() if known.get(name) != stamp or thorough}
    if _is_due(known.get(WALK, ""), field.clock()):
        changed.add(NOTES)
    if not changed and store.travelled() == traffic.traffic_size(vault):
        return Synced()
    taken = 0
    broken: list[tuple[str, log.Found]] = []
    with store.writing(patience):
        if NOTES in changed:
            count, stamps[NOTES] = _notes(field, progress)
            taken += count
        if TASKS in changed:
            from holdfast.field import sources

            taken += sources.sync(vault, store)
        if THOUGHTS in changed:
            count, broken = _thoughts(vault, store, progress)
            taken += count
        if STEPS in changed and (traffic.logs(vault, SLEEP) or store.places(f"{SLEEP}/")):
            from holdfast.field import steps

            steps.sync(vault, store)
        store.note_places({name: stamps[name] for name in changed})
        _travel(field)
    return Synced(taken, tuple(broken))


def files(vault: str, now_ns: int, folders: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Every file below the vault with its stamp, "" for one that changed just now; `folders` gets those it looked in,
    with their stamps before it did. Links are not followed."""
    waiting = list(TOPS)
    while waiting:
        under = waiting.pop()
        folders[under] = traffic.folder_stamp(f"{vault}/{under}")
        try:
            if os.path.islink(f"{vault}/{under}"):
                continue
            with os.scandir(f"{vault}/{under}") as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            try:
                seen = entry.stat(follow_symlinks=False)
                entry.name.encode("utf-8")
            except (OSError, UnicodeEncodeError):
                continue  # gone between the two looks, or no name of ours
            if entry.name.startswith("."):
                continue
            if stat.S_ISDIR(seen.st_mode):
                waiting.append(f"{under}/{entry.name}")
            elif entry.name.endswith(".md") and stat.S_ISREG(seen.st_mode):
                newest = max(seen.st_mtime_ns, seen.st_ctime_ns)
                stamp = f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"
                yield f"{under}/{entry.name}", "" if newest > now_ns - RACY else stamp


def _stamps_of(vault: str, folders: str) -> dict[str, str]:
    """Of the folders known to hold notes or handoffs, and of the last write by one of us; none are known at first."""
    return {one: traffic.folder_stamp(f"{vault}/{one}") for one in folders.split("\n") if one}


def _tasks_stamp(vault: str) -> str:
    """A stamp that changes when any task does."""
    tasks = record.open_tasks(vault) if platform.names(f"{vault}/{record.FOLDER}") else ()
    sizes = [f"{path} {size}" for task in tasks for path, size in record.logs(vault, task)]
    return digest("\n".join([traffic.folder_stamp(f"{vault}/{record.OUTPUTS}"), *sizes]), 24)


def _folders_stamp(stamps: dict[str, str]) -> str:
    return digest("\n".join(f"{one} {stamp}" for one, stamp in sorted(stamps.items())), 24)


def walked(said: str) -> tuple[float, float]:
    """When every file was last looked at, and what that took; 0 where it was not, or is to be again in any case."""
    try:
        when, cost = (float(one) for one in said.split())
    except ValueError:
        return 0.0, 0.0
    return when, cost


def _is_due(said: str, now: float) -> bool:
    """Whether every file is to be looked at again: never yet, or long ago by what it takes."""
    when, cost = walked(said)
    return not when or now < when or now - when > cost * SHARE


def _notes(field: Field, progress: Progress) -> tuple[int, str]:
    """Notes and handoffs: what is new, changed or gone. How many, and the stamp of the folders as they were before."""
    store, vault = field.store, field.vault
    began, now_ns = time.perf_counter(), time.time_ns()
    known = {place: stamp for top in TOPS for place, stamp in store.places(f"{top}/").items()}
    there: set[str] = set()
    folders = {CHANGED: traffic.folder_stamp(f"{vault}/{CHANGED}")}
    taken, is_settled = 0, True
    for path, stamp in files(vault, now_ns, folders):
        there.add(path)
        is_settled = is_settled and bool(stamp)
        if not stamp or known.get(path) != stamp:
            from holdfast.field import sources  # with all that reads notes: a look that finds nothing new does without

            store.take(path, stamp, *sources.read(vault, path))
            taken += 1
            progress(1)
    for path in known.keys() - there:
        store.forget(path)
    is_settled = is_settled and not any(_is_racy(stamp, now_ns) for stamp in folders.values())
    walk = f"{field.clock()} {time.perf_counter() - began}" if is_settled else "0 0"
    store.note_places({FOLDERS: "\n".join(sorted(folders)), WALK: walk})
    return taken, _folders_stamp(folders)


def _is_racy(stamp: str, now_ns: int) -> bool:
    """Whether a folder changed so shortly before that a second change could share its time."""
    return bool(stamp) and int(stamp.partition(".")[0]) > now_ns - RACY


def _thoughts(vault: str, store: Store, progress: Progress) -> tuple[int, list[tuple[str, log.Found]]]:
    """Thoughts that are their own, from where each segment was left. Where one is gone or was rewritten all are read
    again: another may have a record of what was in it (field/thought.joined)."""
    known = store.places(f"{traffic.FOLDER}/")
    taken = 0
    broken: list[tuple[str, log.Found]] = []
    listed = traffic.logs(vault)
    gone = known.keys() - {path for path, _ in listed}
    starts = {path: _start(vault, path, size, known.get(path, "")) for path, size in listed}
    anew: set[str] | None = set() if gone or any(path in known and not starts[path] for path in starts) else None
    for path, size in listed:
        if anew is None and starts[path] == size:
            continue
        start = starts[path] if anew is None else 0
        try:
            found = traffic.read(vault, path, start)
            left_at = traffic.mark(vault, path, found.end)
        except OSError:
            continue  # taken away by a sync at this moment: the next look sees
        said = [one for one in found.found if not one.is_withdrawal]
        withdrawn = [(one.id, WITHDRAWN) for one in found.found if one.is_withdrawal]
        store.take(path, left_at, _whole(store, said, anew), withdrawn, anew=not start)
        broken += [(path, one) for one in found.broken]
        taken += len(found.found)
        progress(len(found.found))
    for path in gone:
        store.forget(path)
    for path, one in broken:
        log.set_aside(f"{traffic.own(vault)}/broken", path.rpartition("/")[2], one)
    return taken, broken


def _start(vault: str, path: str, size: int, said: str) -> int:
    try:
        return traffic.goes_on_at(vault, path, size, said)
    except OSError:
        return size  # taken away at this moment: the next look sees


def _whole(store: Store, found: Sequence[Thought], anew: set[str] | None) -> list[Thought]:
    """Each with what other records say of it: those before it, and those that the store has taken in; of these, where
    all are read again, only what came from this reading, which `anew` remembers."""
    held = store.thoughts(one.id for one in found if anew is None or one.id in anew)
    made = {ident: replace(one, superseded_by="") for ident, one in held.items()}
    for one in found:
        made[one.id] = joined(made[one.id], one) if one.id in made else one
    if anew is not None:
        anew.update(one.id for one in found)
    return [made[ident] for ident in dict.fromkeys(one.id for one in found)]


def travel(field: Field, patience: float = PATIENCE) -> bool:
    """Take in the traffic log, if there is one; False where somebody else is at it, who will."""
    if not field.vault:
        return True
    try:
        with field.store.writing(patience):
            _travel(field)
    except Busy:
        return False
    return True


def _travel(field: Field) -> None:
    """A log that is shorter than what was taken in was taken away: then what it said is no longer known."""
    start = field.store.travelled()
    if start > traffic.traffic_size(field.vault):
        field.store.forget_traffic()
        start = 0
    found = traffic.travels(field.vault, start)
    if found.end != start:
        field.store.travel(found.found, found.end)


def embed(field: Field, *, most: int = 1 << 30, progress: Progress = silent) -> int:
    """Give vectors to thoughts that have none of this embedder, in steps between which others write. Once all have
    theirs, it serves; until then search goes by what is there. How many got some."""
    embedder, done = field.embedder, 0
    if embedder is None:
        return 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        progress(more)

    try:
        if embedding.give(field, embedder, most=most, progress=count):
            embedding.finish(field, embedder)
    except NoVectors:
        pass  # the model cannot be reached: search goes by what is there, and the next sync tries again
    return done


@value
class Rebuilt:
    """The size of the field now, and the number of places in its logs that are no records."""

    thoughts: int
    embedded: int
    broken: int


def rebuild(field: Field, progress: Progress = silent) -> Rebuilt:
    """Raises Busy. A store that is broken is taken away first."""
    try:
        done = _anew(field, progress)
    except Damaged:
        field.store.discard()
        done = _anew(field, progress)
    embedded = embed(field, progress=progress)
    return Rebuilt(field.store.count(), embedded, len(done.broken))


def _anew(field: Field, progress: Progress) -> Synced:
    with field.store.writing(LONG_PATIENCE):
        field.store.clear()
        return take_in(field, thorough=True, progress=progress)


def synced(field: Field) -> Synced:
    """Up to date, whatever the file is like: one that turns out broken in use is made anew."""
    try:
        return sync(field)
    except Busy:
        return Synced()
    except Damaged:
        field.store.discard()
        return sync(field)


def looked(field: Field, look: Callable[[], T]) -> T:
    """A look at the store, up to date; pages of the file that only turn out broken now are made anew, and it looks
    again."""
    synced(field)
    try:
        return look()
    except Damaged:
        field.store.discard()
        sync(field)
        return look()
