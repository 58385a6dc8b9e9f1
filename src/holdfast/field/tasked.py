"""What was decided and discovered in tasks, as thoughts, from the tasks' logs. It only reads.

A task is one place; its stamp says how far each segment was read and what stood last there, to which project it belongs
and whether it was given up. A log that goes on where it was left is read from there on; one that is gone, shorter or
rewritten (archived, undone, purged, here or elsewhere) is read anew, however long it is now.
What was decided in a task that was given up binds nobody, and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec
from holdfast.capture.ids import digest
from holdfast.field.records import folder_stamp, goes_on_at, mark
from holdfast.field.thought import NOTE, WITHDRAWN, Thought
from holdfast.tasks import entry as entries
from holdfast.tasks import record, states

if TYPE_CHECKING:
    from holdfast.field.store import Store
    from holdfast.tasks.entry import Entry

PREFIX = "task:"
UNKNOWN = "?"  # the project of a task whose beginning has not come yet: shown nowhere


@dataclass
class Seen:
    """How far a task was read: of each segment the mark (field/records.mark)."""

    marks: dict[str, str] = field(default_factory=dict)
    project: str = UNKNOWN
    given_up: bool = False

    def stamp(self) -> str:
        return codec.encode([self.marks, self.project, self.given_up]).decode()


def stamp(vault: str) -> str:
    """What changes when any task does."""
    sizes = [f"{path} {size}" for task in record.open_tasks(vault) for path, size in record.logs(vault, task)]
    return digest("\n".join([folder_stamp(f"{vault}/{record.OUTPUTS}"), *sizes]), 24)


def sync(vault: str, store: Store) -> int:
    """Take in what the tasks' logs have. Within `writing`."""
    known = {place.removeprefix(PREFIX): _seen(text) for place, text in store.places(PREFIX).items()}
    there = {task: dict(record.logs(vault, task)) for task in record.open_tasks(vault)}
    for task, path in record.finished(vault):
        there.setdefault(task, {path: record.size(vault, path)})
    taken = 0
    for task, sizes in there.items():
        taken += _take(vault, store, task, sizes, known.get(task, Seen()))
    for task in known.keys() - there.keys():
        store.forget(PREFIX + task)
    return taken


def _seen(text: str) -> Seen:
    try:
        return Seen(*codec.decode(text))
    except (ValueError, TypeError):
        return Seen()


def _take(vault: str, store: Store, task: str, sizes: dict[str, int], before: Seen) -> int:
    if min(sizes.values(), default=0) < 0:
        return 0  # it goes away at this moment: the next look sees
    starts = _starts(vault, sizes, before)
    if starts == sizes and sizes.keys() == before.marks.keys():
        return 0
    goes_on = before.project != UNKNOWN and starts.keys() >= before.marks.keys()
    goes_on = goes_on and all(starts[path] or said.startswith("0 ") for path, said in before.marks.items())
    seen = Seen(dict(before.marks), before.project, before.given_up) if goes_on else Seen()
    fresh = _read(vault, sizes, starts if goes_on else {}, seen)
    is_news = seen.given_up and not before.given_up
    if goes_on and is_news:
        seen, goes_on = Seen(), False
        fresh = _read(vault, sizes, {}, seen)
    thoughts = [_thought(task, one, seen, next(iter(sizes), "")) for one in fresh if _is_wanted(one, seen)]
    pairs = [(old, one.id if _is_wanted(one, seen) else WITHDRAWN) for one in fresh for old in one.supersedes]
    store.take(PREFIX + task, seen.stamp(), thoughts, pairs, anew=not goes_on)
    return len(thoughts)


def _starts(vault: str, sizes: dict[str, int], before: Seen) -> dict[str, int]:
    """From where on each segment is new; one that goes at this moment is left out, and the next look finds it."""
    found: dict[str, int] = {}
    for path, size in sizes.items():
        try:
            found[path] = goes_on_at(vault, path, size, before.marks.get(path, ""))
        except OSError:
            continue
    return found


def _read(vault: str, sizes: dict[str, int], starts: dict[str, int], seen: Seen) -> list[Entry]:
    """The entries from these places on; what was seen is brought up to them."""
    found: list[Entry] = []
    for path in sizes:
        try:
            part = record.read(vault, path, starts.get(path, 0))
            seen.marks[path] = mark(vault, path, part.end)
        except OSError:
            continue  # archived at this moment: the next look finds it
        found += part.entries
    for one in found:
        seen.project = one.project or seen.project
        seen.given_up = seen.given_up or (one.kind == entries.STATE and one.to == states.ABANDONED)
    return found


def _is_wanted(one: Entry, seen: Seen) -> bool:
    return one.kind == entries.DISCOVERY or (one.kind == entries.DECISION and not seen.given_up)


def _thought(task: str, one: Entry, seen: Seen, path: str) -> Thought:
    is_over = path.startswith(f"{record.OUTPUTS}/")
    page = f"{path.removesuffix('.log')}.md" if is_over else f"{record.FOLDER}/{task}/{record.PAGE}"
    more: dict[str, Any] = {"agent": one.episode.partition("/")[0], "session": one.episode, "origin": one.origin}
    return Thought(
        one.id,
        one.text,
        kind=NOTE,
        project=seen.project,
        category=one.kind,
        created=one.time,
        path=page,
        title=task,
        **more,
    )
