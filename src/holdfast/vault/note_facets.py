"""Facets of a note, by which it is looked up: its words, its sources, its places in the map and in a brief.

They are worked out when a note is read, so that the stored index (vault/stored_index) finds the few notes that a change
needs without loading the others. Keys are texts whose order is the order they are shown in.

The map is the part of BRAIN.md between markers; the rest is the operator's own words. A brief shows notes by authority
(the user's, those a person confirmed, decisions, lessons, facts, outside text, lists of what was done), then by the
weight that their use has given them in the field, then the newest. The user's own orders stay in it until they are
confirmed as a rule, withdrawn, superseded or contradicted by what the user said later.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from holdfast.capture import home, quoting
from holdfast.model import TRUSTED, value
from holdfast.text import folding
from holdfast.vault import notes
from holdfast.vault.notes import GLOBAL, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.vault.index import Index, Known

    OnMap = Callable[[int, int], tuple[list[Note], int]]  # the first notes of a group of the map, and how many it has

PATH = "BRAIN.md"
BEGIN, END = quoting.MAP_BEGINS, quoting.MAP_ENDS
MOST_LINES = 200
FEWEST = 12  # for the map, however much the operator wrote
OPENING = quoting.OPENING + "\n"
KINDS = ("rule", "identity", "feedback", "knowledge", "project")
ALWAYS_SHOWN, FIRST = 0, 1  # the groups of the map: rules that always apply, then one for each kind
GROUPS = ("Rules that always apply", "Rules", "Identity", "Feedback", "Knowledge", "Projects", "Of other kinds")
TITLES = dict(zip(KINDS, GROUPS[FIRST:], strict=False))
MOST_MAPPED = 24
AT_ONCE = 64  # notes of the user's that are asked for at a time
USER, CONFIRMED, DECISION, LESSON, FACT, OUTSIDE, PROGRESS = range(7)
AUTHORITY = ("the user's", "confirmed", "decision", "lesson", "fact", "outside text", "progress")
IN_USE = 1.0  # weight from which on a note counts as used
PROGRESS_NAME = "-progress-"  # in the name of a month's list of what was done
SHOWN_STATUSES = ("active", notes.UNCONFIRMED)
ALWAYS, SAID, OTHER, NONE = "always", "said", "other", ""  # the shelf of a brief that a note stands on
NOWHERE = -1  # in no group of the map


def _listed(notes: Iterable[Note]) -> OnMap:
    groups: dict[int, list[Note]] = {}
    for note in sorted(notes, key=_name):
        groups.setdefault(group_of(note), []).append(note)
    return lambda group, most: (groups.get(group, [])[:most], len(groups.get(group, [])))


def refreshed(text: str | None, notes: Iterable[Note] | Index) -> str:
    """BRAIN.md with the map of these notes."""
    above, below = quoting.around_map(OPENING if text is None else text)
    newline = "\r\n" if "\r\n" in above else "\n"
    if above and not above.endswith("\n"):
        above += newline
    used = above.count("\n") + below.count("\n") + (1 if below and not below.endswith("\n") else 0)
    lines = map_lines(notes, max(FEWEST, MOST_LINES - used - 2))
    return above + newline.join([BEGIN, *lines, END]) + newline + below


def is_current(text: str | None, notes: Iterable[Note] | Index) -> bool:
    return text is not None and refreshed(text, notes) == text


def map_lines(notes: Iterable[Note] | Index, most: int) -> list[str]:
    on_map: OnMap = getattr(notes, "on_map", None) or _listed(cast("Iterable[Note]", notes))
    lines: list[str] = []
    shown = total = 0
    for group, title in enumerate(GROUPS):
        room = most - len(lines) - (3 if lines else 2)
        found, count = on_map(group, max(0, room))
        total += count
        if not found or most - len(lines) < 4:
            continue
        lines += ["", f"## {title}"] if lines else [f"## {title}"]
        lines += [line_of(note) for note in found]
        shown += len(found)
    if shown < total:
        lines.append(f"({total - shown:,} more notes do not fit here; `holdfast notes` lists all {total:,}.)")
    return lines or ["(no notes yet)"]


def group_of(note: Note) -> int:
    """The group of the map that a note stands in; -1 for none."""
    if not note.is_active:
        return -1
    if note.is_always_on and note.kind == "rule" and note.project == GLOBAL:
        return ALWAYS_SHOWN
    return FIRST + KINDS.index(note.kind) if note.kind in KINDS else len(GROUPS) - 1


def line_of(note: Note) -> str:
    """One line per note: name, where it applies, description, path. Nothing in it can end the map."""
    policy = f" ({note.policy})" if note.policy else ""
    where = "" if note.project == GLOBAL else f" [{note.project}]"
    name = note.name.replace("[", "(").replace("]", ")")
    line = f"- [{name}]({note.path}){policy}{where}: {note.description}"
    whole = line if len(line.splitlines()) == 1 else " ".join(line.split())
    return whole.replace("<!--", "<! --")


@value
class Shelf:
    """Shelves of notes that briefs choose from: those that always apply, the user's words, and the others."""

    known: Index
    used: dict[str, tuple[float, int]]  # weight and reads of a path, of those in use

    @classmethod
    def of(cls, vault: str, known: Index) -> Shelf:
        return cls(known, _used(vault))

    def always_in(self, project: str, most: int) -> list[Note]:
        """Identity before rules, notes for all before those for one project."""
        return self.known.on_shelf("always", _names(project), most)

    def said_in(self, project: str) -> Iterator[Note]:
        """The user's words, the newest first."""
        asked, given = AT_ONCE, 0
        while found := self.known.on_shelf("said", _names(project), asked)[given:]:
            yield from found
            given += len(found)
            asked *= 4

    def first_in(self, project: str) -> tuple[list[Note], int]:
        """Those that are shown first, and how many more there are."""
        found = {note.path: note for note in self.known.on_shelf("other", _names(project), MOST_MAPPED)}
        used = (known.note for path in self.used if (known := self.known.known.get(path)))
        found |= {one.path: one for one in used if one.applies_to(project) and shelf_of(one) == OTHER}
        in_order = sorted(found.values(), key=_name)
        in_order.sort(key=lambda note: _standing(note, self.used), reverse=True)
        shown = in_order[:MOST_MAPPED]
        return shown, self.count("other", project) - len(shown)

    def count(self, shelf: str, project: str) -> int:
        return self.known.count(shelf, _names(project))

    def in_all(self, project: str) -> int:
        """The number of notes in force in a project, with those for all."""
        said = self.known.count("said", _names(project), active=True)
        return said + self.count("other", project) + self.count("always", project)

    def waiting(self, project: str) -> int:
        return self.known.waiting(_names(project))

    def why(self, note: Note, rule: str) -> dict[str, Any]:
        """The reason of a choice for `boot --explain`."""
        weight, reads = self.used.get(note.path, (0.0, 0))
        known = {"rule": rule, "origin": note.origin, "authority": AUTHORITY[authority(note)], "day": note.edited}
        return {**known, "weight": round(weight, 2), "reads": reads} if reads else known


def _used(vault: str) -> dict[str, tuple[float, int]]:
    """Weight and reads of notes in use, as the field knows them; {} where there is none."""
    state = home.state(vault)
    if not home.has_field(state):
        return {}
    from holdfast.brief import prompt_by_words

    found = prompt_by_words.used(state, time.time())
    return {path: (weight, reads) for path, (weight, reads) in found.items() if weight >= IN_USE}


def is_progress(note: Note) -> bool:
    """True if it is a month's list of what was done."""
    return PROGRESS_NAME in note.path


def authority(note: Note) -> int:
    """Rank a note by its author and kind. One that a person has looked at since it was made is confirmed."""
    if is_progress(note):
        return PROGRESS
    if note.origin == "user":
        return USER
    if note.reviewed > note.created:
        return CONFIRMED
    if note.origin not in TRUSTED:
        return OUTSIDE
    if note.kind in ("project", "rule"):
        return DECISION
    return LESSON if note.kind == "feedback" else FACT


def _standing(note: Note, used: dict[str, tuple[float, int]]) -> tuple[int, float, int, tuple[str, str]]:
    """The higher, the earlier."""
    weight, reads = used.get(note.path, (0.0, 0))
    is_used = weight >= IN_USE
    return -authority(note), round(weight, 2) if is_used else 0.0, reads if is_used else 0, edited(note)


def _names(project: str) -> frozenset[str]:
    return frozenset((notes.GLOBAL, project))


def _name(note: Note) -> tuple[str, str]:
    return note.name.casefold(), note.path


def edited(note: Note) -> tuple[str, str]:
    """The day, and within it the newest of the flags and words it was made of: their ids begin with the time."""
    return note.edited, max((source.rpartition(":")[2] for source in note.sources), default="")


def is_said(note: Note) -> bool:
    """True if a note is the user's own word, confirmed or not, and no rule, which stands among the rules."""
    if note.kind != "feedback" or note.status not in SHOWN_STATUSES or note.is_beside:
        return False
    is_theirs = note.origin == "user" or bool(note.fields.get("said"))
    return is_theirs and not note.when and not note.is_quarantined


def newest_first(note: Note) -> tuple[str, str]:
    said = str(note.fields.get("said") or "").split()
    return max((*said[-1:], note.created), default=""), max(note.sources, default="")


def in_force(theirs: Iterable[Note], most: int, later: Sequence[tuple[str, str]] = ()) -> tuple[list[Note], int]:
    """The first of them, without what nobody confirmed and the user contradicted on that day or later: the newest word
    counts; and how many were left out for that. `theirs` are the newest first, `later` are days and sentences that are
    no notes."""
    said = [(day, folding.words(text)) for day, text in later]
    found: list[Note] = []
    dropped = 0
    for note in theirs:
        if len(found) == most:
            break
        day, words = newest_first(note)[0], folding.words(note.description)
        if note.status == notes.UNCONFIRMED and any(
            day <= other and folding.opposed(words, one) for other, one in said
        ):
            dropped += 1
            continue
        said.append((day, words))
        found.append(note)
    return found, dropped


@value
class Facets:
    """`fold` is the path without case, `group` and `name` its place in the map, `shelf` and `key` that in a brief.
    `waits`: for a person's word. `words` are those of a text that the user may say again (text/folding)."""

    fold: str
    digest: str = ""
    project: str = ""
    group: int = NOWHERE
    name: str = ""
    shelf: str = NONE
    key: str = ""
    is_active: bool = False
    waits: bool = False
    called: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    armed: tuple[str, ...] = ()


def of(one: Known) -> Facets:
    note = one.note
    shelf = shelf_of(note)
    return Facets(
        fold=note.path.casefold(),
        digest=one.digest,
        project=note.project,
        group=group_of(note),
        name=note.name.casefold(),
        shelf=shelf,
        key=_key(note, shelf),
        is_active=note.is_active,
        waits=note.waits,
        called=names_of(note),
        sources=note.sources,
        words=folding.words(note.description) if is_repeated(note) else frozenset(),
        armed=one.armed,
    )


def names_of(note: Note) -> frozenset[str]:
    """All that a note may be called: its path, its name, its file's name, without case."""
    stem = quoting.stem(note.path)
    called = (note.path, note.path.removesuffix(".md"), note.name, stem, notes.slug(note.name, 200))
    return frozenset(name.casefold() for name in called)


def shelf_of(note: Note) -> str:
    if note.is_beside:
        return NONE
    if is_said(note):
        return SAID
    if note.is_active or note.status == notes.PROPOSED:
        return ALWAYS if note.is_always_on else OTHER
    return NONE


def _key(note: Note, shelf: str) -> str:
    """Of notes that always apply the lowest comes first; of the others the highest."""
    if shelf == ALWAYS:
        return f"{int(note.kind != 'identity')}{int(note.project != notes.GLOBAL)}"
    if shelf == SAID:
        return "\0".join(newest_first(note))
    if shelf == OTHER:
        return "\0".join((str(9 - authority(note)), *edited(note)))
    return ""


def is_repeated(note: Note) -> bool:
    """True if the user may say it again: their own words, and rules, in force or not yet confirmed."""
    is_theirs = note.origin == "user" or note.kind in ("rule", "identity") or bool(note.fields.get("said"))
    return is_theirs and (note.is_active or note.status == notes.UNCONFIRMED)
