"""Notes, handoffs, the user's prompts and tasks as thoughts: what each says.

Quarantined notes are no part of the field: a person decides. Neither is what a handoff that nobody wrote repeats of
prompts: a question would find itself, above what answers it. A prompt is a thought of its own, the user's own words of
it; what was pasted into it, and what is too short to say anything, is not looked up.

The front matter of a note has the day on which it was made. Its first flag of that day has the time in its id: that
is when what it says was said. Without one it counts from the end of its day, so that it never fades for hours that
nobody knows of; until then no time has passed (pheromone). All of it stands in the file, so every machine and
every rebuild gives the same weight.
Decisions and discoveries of tasks come from the tasks' logs. It only reads.
"""

from __future__ import annotations

import calendar
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import codec
from holdfast.capture.gate import OUTSIDE
from holdfast.capture.ids import time_of
from holdfast.capture.quoting import BESIDE_NAME, said_by
from holdfast.field.thought import DAY, END_OF_DAY, GLOBAL, HANDOFF, NOTE, SAID, WITHDRAWN, Thought, note_id
from holdfast.field.traffic import goes_on_at, mark
from holdfast.tasks import record, states
from holdfast.tasks.record import is_id
from holdfast.text import own_words
from holdfast.vault import authority, lineage, notes, prompts
from holdfast.vault.index import EVIDENCE
from holdfast.vault.notes import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.field.store import Store
    from holdfast.tasks.record import Entry


FEWEST = 3  # words of a prompt that says something by itself
LONGEST = 10_000
STANDING = {  # behind the words of what does not bind yet, wherever they are found
    notes.UNCONFIRMED: " (said by the user, not confirmed)",
    notes.PROPOSED: " (proposed by an agent, not accepted)",
}
CUT = "\u2026"
# What a mechanical handoff says of its session; the rest is what was asked, that it died, and who wrote this.
OWN = ("done", "blockers", "decisions", "learned", "next_steps", "files_modified")


def read(vault: str, path: str) -> tuple[list[Thought], list[tuple[str, str]]]:
    """A file's thoughts, and the pairs (old, new) of what it takes the place of; neither where it is none."""
    if path.startswith(f"{lineage.FOLDER}/"):
        handoff = lineage.read(vault, path) if BESIDE_NAME not in path else None
        return ([_of_handoff(handoff)], []) if isinstance(handoff, lineage.Handoff) and _says(handoff) else ([], [])
    if path.startswith(f"{prompts.FOLDER}/"):
        session = prompts.read(vault, path) if BESIDE_NAME not in path else None
        return (list(_of_prompts(session)), []) if session else ([], [])
    note = authority.note(vault, path)
    if note is None or isinstance(note, Broken) or note.is_beside:
        return [], []
    ident = note_id(path)
    pairs = [(note_id(old), ident) for old in note.supersedes if old != path]
    if note.status == "superseded":
        pairs.append((ident, WITHDRAWN))  # unless another says that it took its place
    return [_of_note(vault, note)], pairs


def _of_note(vault: str, note: notes.Note) -> Thought:
    body = note.body.partition(f"\n\n{EVIDENCE}\n")[0].strip()
    doubt = notes.UNVERIFIED.format(note.unverified) if note.unverified else ""
    described = note.description.removesuffix(doubt)
    begins = " ".join(body[: 2 * len(described)].split()).startswith(described.removesuffix(CUT))
    said = f"{body}{doubt}" if begins else f"{note.description}\n{body}".strip()
    said += STANDING.get(note.status, "")
    return Thought(
        note_id(note.path),
        said[:LONGEST],
        kind=NOTE,
        project=GLOBAL if note.project == notes.GLOBAL else note.project,
        category=note.kind,
        sources=note.sources,
        origin=note.origin,
        created=made_at(note) or _changed(f"{vault}/{note.path}"),
        path=note.path,
        title=note.name,
    )


def is_waiting(thought: Thought) -> bool:
    """Whether it is a note that nobody has confirmed, accepted or verified yet."""
    marks = (*STANDING.values(), notes.UNVERIFIED.partition("{")[0])
    return thought.kind == NOTE and any(mark in thought.text for mark in marks)


def _says(handoff: lineage.Handoff) -> bool:
    """Whether it has anything but what its session was asked."""
    return handoff.author != lineage.MECHANICAL or any(map(handoff.items, OWN))


def _of_handoff(handoff: lineage.Handoff) -> Thought:
    told = [key for key in lineage.SECTIONS if handoff.author != lineage.MECHANICAL or key in OWN]
    parts = [f"{lineage.SECTIONS[key]}: {'; '.join(handoff.items(key))}" for key in told if handoff.items(key)]
    return Thought(
        note_id(handoff.path),
        "\n".join([handoff.title, *parts])[:LONGEST],
        kind=NOTE,
        contributor=handoff.author,
        agent=handoff.host,
        session=handoff.episode,
        project=handoff.project,
        category=HANDOFF,
        origin=_origin(handoff),
        created=_when(handoff.time),
        path=handoff.path,
        title=handoff.title,
    )


def _origin(handoff: lineage.Handoff) -> str:
    """The first outside origin that one of its items names, else the agent's own."""
    named = {said_by(item)[1] for key in lineage.SECTIONS for item in handoff.items(key)}
    return next((one for one in OUTSIDE if one in named), "agent")


def _of_prompts(session: prompts.Session) -> Iterator[Thought]:
    for one in session.typed:
        words = own_words.own(one.text)
        if len(words.split()) >= FEWEST or any(sign > "\u2e80" for sign in words):
            yield Thought(
                prompt_id(session.path, one.number),
                words[:LONGEST],
                kind=NOTE,
                agent=session.host,
                session=session.episode,
                project=session.project,
                category=SAID,
                origin="user",
                created=_when(one.time),
                path=session.path,
                title=f"said by the user on {one.day}",
            )


def prompt_id(path: str, number: int) -> str:
    return f"{note_id(path)}-{number}"


def made_at(note: notes.Note) -> float:
    """When a note was made, as far as it says so itself; 0 where it does not."""
    flagged = sorted(filter(None, map(_time_of, note.sources)))
    for said in (note.created, note.edited):
        time_, day = _time(said), _day(said)
        if time_ or day:
            return time_ or next((one for one in flagged if day <= one < day + DAY), day + END_OF_DAY)
    return flagged[0] if flagged else 0.0


def _time_of(ident: str) -> float:
    """When a flag was made, by its id; 0 for the id of something else."""
    return time_of(ident) if is_id(ident) else 0.0


def _when(text: str) -> float:
    """A day or a time of front matter; 0 where it is neither."""
    return _time(text) or _day(text)


def _time(text: str) -> float:
    return _parsed(text[:19].replace(" ", "T"), "%Y-%m-%dT%H:%M:%S")


def _day(text: str) -> float:
    return _parsed(text[:10], "%Y-%m-%d")


def _parsed(text: str, form: str) -> float:
    try:
        return float(calendar.timegm(time.strptime(text, form)))
    except ValueError:
        return 0.0


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


PREFIX = "task:"
UNKNOWN = "?"  # the project of a task whose beginning has not come yet: shown nowhere


@dataclass
class Seen:
    """The part of a task that was read: the mark of each segment (field/traffic.mark)."""

    marks: dict[str, str] = field(default_factory=dict)
    project: str = UNKNOWN
    given_up: bool = False

    def stamp(self) -> str:
        return codec.encode([self.marks, self.project, self.given_up]).decode()


def sync(vault: str, store: Store) -> int:
    """Take in what the tasks' logs have. Within `writing`."""
    known = {place.removeprefix(PREFIX): _seen(text) for place, text in store.places(PREFIX).items()}
    there = {task: dict(record.logs(vault, task)) for task in record.open_tasks(vault)}
    for task, path in record.finished(vault):
        there.setdefault(task, {path: record.size(vault, path)})
    taken = sum(_take(vault, store, task, sizes, known.get(task, Seen())) for task, sizes in there.items())
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
        seen.given_up = seen.given_up or (one.kind == record.STATE and one.to == states.ABANDONED)
    return found


def _is_wanted(one: Entry, seen: Seen) -> bool:
    return one.kind == record.DISCOVERY or (one.kind == record.DECISION and not seen.given_up)


def _thought(task: str, one: Entry, seen: Seen, path: str) -> Thought:
    is_over = path.startswith(f"{record.OUTPUTS}/")
    page = f"{path.removesuffix('.log')}.md" if is_over else f"{record.FOLDER}/{task}/{record.PAGE}"
    return Thought(
        one.id,
        one.text,
        kind=NOTE,
        agent=one.episode.partition("/")[0],
        session=one.episode,
        project=seen.project,
        category=one.kind,
        origin=one.origin,
        created=one.time,
        path=page,
        title=task,
    )
