"""The open tasks of a project as a start tells them: made with every checkpoint, so the hook reads one small file.

    .state/tasks/boot/<project>     the newest tasks, each with its items in order, and how long its logs were then

Read this first, the next step, the decisions in force, where the work stands, what was found out; where there is room
for some of it only, the next step, the standing and the newest of each come before the rest. It is bounded, so a
task of 20,000 entries costs a start what one of 20 does. The hook appends what it sees of units without rendering
anything, and a checkpoint may be killed before it does; then the logs are ahead. Observations are laid upon what is
known here (tasks/observations); for all else a start has this made anew, or tells what the end of the log says.
"""

from __future__ import annotations

from holdfast.capture import codec, home, platform
from holdfast.model import value
from holdfast.tasks import record, states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from holdfast.tasks.index import Index
    from holdfast.tasks.observations import Ahead
    from holdfast.tasks.page import View
    from holdfast.tasks.queries import Task
    from holdfast.tasks.record import Entry
    from holdfast.tasks.transaction import Unread

VERSION = 1
DETAILED = 2  # tasks that are told in full; the others in a line
LISTED = 8
MOST = 60  # entries of a section
CHARACTERS = 5000  # of a section
LARGEST = 1 << 18
MOST_LATE = 1 << 16  # bytes of a log's end that a start reads
LONGEST = 400  # characters of one entry here; the page has it whole
STEP, PROGRESS = "Next step: ", "Progress: "
NEWEST = {record.DECISION: 5, record.DISCOVERY: 2}  # that come before the older ones of both
FIRST, SECOND, REST = range(3)  # ranks: what every start needs, the newest, all else


@value
class Told:
    """One open task for a start: its items, whole and in short, in the order of their weight."""

    id: str
    state: str
    episode: str
    spoke: float
    items: tuple[tuple[str, str, int], ...]  # whole, in short, and its rank
    more: int
    is_behind: bool = False  # the logs have more, or it was made by a version that did not watch the units
    begun: tuple[str, ...] = ()  # by what was seen since it was made


def write(vault: str, index: Index, project: str, unread: Iterable[Unread]) -> None:
    """Raises nothing that matters: a disk that refuses it costs freshness."""
    from holdfast.tasks import page

    why = {one.task: one.why for one in unread}
    found = index.tasks_under(project)
    path = home.tasks_path(home.state(vault), project)
    told = []
    for nth, task in enumerate(found[:LISTED]):
        detailed = nth < DETAILED and task.state in states.OPEN
        seen = page.gather(index, task, most=MOST, characters=CHARACTERS) if detailed else None
        told_items, more = items(task, seen, why.get(task.id, ""))
        known = _kept(index, seen) if seen else None
        own = {name: getattr(task, name) for name in ("id", "state", "episode", "spoke")}
        made = {"logs": record.logs(vault, task.id), "watched": True, "items": told_items, "more": more}
        told.append({**({"known": known} if known else {}), **own, **made})
    data = codec.encode({"v": VERSION, "project": project, "tasks": told, "more": max(0, len(found) - LISTED)})
    try:
        if not told:
            platform.remove(path)
            return
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, data, durable=False)
    except OSError:
        return


def _kept(index: Index, seen: View) -> dict[str, Any] | None:
    """The parts of a task's standing, for a start that finds more in the log (tasks/observations)."""
    from holdfast.tasks import page
    from holdfast.tasks.observations import kept

    task = seen.task.id
    names = index.known_names(task, page.MOST_NAMES)
    states = [one.state for one in names]
    if any(states.count(state) >= page.MOST_NAMES for state in set(states)):
        return None  # there are more of them, and what was seen may be one of those
    return kept(index.known_spans(task), names, index.order(task, page.MOST_ORDER), seen)


def items(task: Task, seen: View | None, unread: str) -> tuple[list[tuple[str, str, int]], int]:
    place = f"{record.FOLDER}/{task.id}/{record.PAGE}"
    head = f"Task {task.id} ({task.state}): {cut(task.goal)}"
    if seen is None:
        return [(f"{head} `holdfast task show {task.id}`", head, FIRST)], 0
    items = [(f"{head}\nRead {place} first; its decisions hold without being weighed again, what is COMPLETED is not "
              "done again.", head, FIRST)]  # fmt: skip
    if unread:
        told = f"({place} was edited and cannot be read: {unread}. It is left as it is; this is from the log.)"
        items.append((told, "", FIRST))
    step = seen.step()
    if step:
        outside = record.outside(seen.next) if seen.next and step == seen.said_next() else ""
        items.append((f"{STEP}{cut(step.removesuffix(outside))}{outside}", "", FIRST))
    items += _ranked("decided", record.DECISION, seen.in_force)
    from holdfast.tasks.page import standing

    told = standing(seen.standing)
    if told:
        items.append(_progress(told))
    else:
        items += [(f"- progress {_said(one)}", "", SECOND) for one in reversed(seen.progress.entries[-5:])]
    items += _ranked("found", record.DISCOVERY, seen.discoveries.entries)
    return items, seen.decisions.more + seen.discoveries.more


def _progress(told: str) -> tuple[str, str, int]:
    return f"{PROGRESS}{cut(told, 1500)}", f"{PROGRESS}{cut(told, 500)}", FIRST


def _ranked(what: str, kind: str, found: Sequence[Entry]) -> list[tuple[str, str, int]]:
    """The newest first, and before the older ones where there is not room for all."""
    return [(f"- {what} {_said(one)}", "", SECOND if at < NEWEST[kind] else REST) for at, one in enumerate(found[::-1])]


def _said(one: Entry) -> str:
    from holdfast.tasks.page import worded

    return f"{cut(worded(one))}{record.outside(one)} ^{one.id[-6:].lower()}"


def cut(text: str, size: int = LONGEST) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def read(vault: str, project: str) -> tuple[list[Told], int]:
    """For a start: the open tasks and how many more there are. Nothing there, or nothing of ours: none."""
    try:
        found = codec.decode(platform.read_regular(home.tasks_path(home.state(vault), project), LARGEST))
        if found["v"] != VERSION or found["project"] != project:
            return [], 0
        return [_told(vault, one) for one in found["tasks"]], int(found["more"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [], 0


def _told(vault: str, one: dict[str, Any]) -> Told:
    items = [(str(text), str(short), int(rank)) for text, short, rank in one["items"]]
    known = {str(path): int(size) for path, size in one["logs"]}
    logs = record.logs(vault, str(one["id"]))
    late = [entry for path, size in logs for entry in _late(vault, path, size, known)]
    is_behind = "watched" not in one or known != dict(logs)
    begun: tuple[str, ...] = ()
    whose = next((entry.episode for entry in reversed(late) if entry.episode), str(one["episode"]))
    if late and is_behind and "known" in one and "watched" in one:
        from holdfast.tasks.observations import retold

        found = retold(one["known"], late)
        if found:
            items, begun, late, is_behind = _retold(items, found), found.begun, [], False
    for entry in late[-10:]:
        if entry.text:
            what = f"seen {entry.to}:" if entry.kind == record.SEEN else entry.kind
            items.insert(1, (f"- since then, {what} {_said(entry)}", "", FIRST))
    spoken = str(one["id"]), str(one["state"]), whose, float(one["spoke"])
    return Told(*spoken, tuple(items), int(one["more"]), is_behind, begun)


def _retold(items: list[tuple[str, str, int]], found: Ahead) -> list[tuple[str, str, int]]:
    """The items of a task with another next step and progress."""
    from holdfast.tasks.page import standing

    left = [one for one in items if not one[0].startswith((STEP, PROGRESS))]
    step = [(f"{STEP}{cut(found.step)}", "", FIRST)] if found.step else []
    return [*left[:1], *step, _progress(standing(found.standing)), *left[1:]]


def _late(vault: str, path: str, size: int, known: dict[str, int]) -> tuple[Entry, ...]:
    begin = known.get(path, 0)
    if size <= begin or size - begin > MOST_LATE:
        return ()
    try:
        return record.read(vault, path, begin).entries
    except OSError:
        return ()
