"""The record of one snag's edit, kept in the vault beside the edited note: improvements/<flag id>.md, in one commit.

Everything that taking it back needs stands here: the note and the lines that it got, the `when` that armed it, and of a
file outside the vault the patch, the reverse patch and both digests. A person reads it as a page; `holdfast loops`
reads the front matter. One file per snag and writer, so that two machines never disagree about one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform
from holdfast.capture.ids import LENGTH, digest
from holdfast.vault import front_matter_edits, journal, merge, notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = "improvements"
APPLIED, NOTED = "applied", "noted"
WAITING, PROPOSED = "waiting", "proposed"
UNDONE, REJECTED = "undone", "rejected"
STATES = (APPLIED, NOTED, WAITING, PROPOSED, UNDONE, REJECTED)
FENCE = "~" * 6  # no line of a diff begins so; but one of a note may, behind the sign that a diff puts before it


@dataclass(frozen=True)
class Record:
    """One snag's edit. `note` got `lines` (it was `made` for them), and `when` where it was armed by it, in place of
    `was`; `whole` says that the note's words were rewritten, `patch` from what to what. `file` is what else shall
    change: a skill by its full path on `machine`, or a note of the vault that only a person may let us edit; it gets
    `added`, and `before` and `after` are its digests. All of that tells a person; what is done to a skill's file is
    what its machine has kept for itself (close/improve/skills)."""

    id: str
    state: str
    project: str
    time: float
    wrong: str
    better: str = ""
    why: str = ""
    note: str = ""
    made: bool = False
    lines: tuple[str, ...] = ()
    when: dict[str, Any] | None = None
    was: dict[str, Any] | None = None
    whole: bool = False
    file: str = ""
    top: str = ""
    machine: str = ""
    added: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    answers: str = ""  # the user's own words that the same flag put properly, filed with it
    again: str = ""  # the snag that this one repeats
    proven: str = ""  # the session that has shown that the lesson is taken, and when
    proven_at: float = 0.0
    recurred: str = ""  # the session or snag with which it came again, and when
    recurred_at: float = 0.0
    patch: str = ""

    @property
    def path(self) -> str:
        return path_of(self.id)

    @property
    def is_of_skill(self) -> bool:
        return self.file.startswith("/")


FIELDS = tuple(name for name in Record.__dataclass_fields__ if name not in ("id", "time", "patch"))


def path_of(ident: str) -> str:
    return f"{FOLDER}/{ident}.md"


def is_id(ident: str) -> bool:
    """Whether it can name a record: the ids of flags are ours, but a queue can be written by others."""
    return 0 < len(ident) <= 2 * LENGTH and ident.isascii() and ident.isalnum()


def text_digest(text: str | None) -> str:
    return "" if text is None else digest(text, 32)


def render(record: Record) -> str:
    """The page."""
    fields: dict[str, Any] = {"loop": record.id}
    for name in FIELDS:
        given = getattr(record, name)
        if given not in ("", (), None, False, 0.0):
            as_yaml = {tuple: list, float: str}.get(type(given))
            fields[name] = as_yaml(given) if as_yaml else given
    fields["time"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.time))
    fields["seconds"] = str(record.time)
    parts = [f"# {notes.title(record.wrong)}", f"What went wrong: {record.wrong}"]
    if record.better:
        parts.append(f"The better path: {record.better}")
    if record.patch:
        what = "The words of the note" if record.whole else record.file
        parts += [f"{what}, changed:", f"{FENCE}diff\n{record.patch}{FENCE}"]
        if not record.whole:
            parts += ["And back:", f"{FENCE}diff\n{merge.reversed_patch(record.patch)}{FENCE}"]
    parts.append(f"`holdfast loops --undo {record.id}` takes it back.")
    return front_matter_edits.render(fields, "\n" + "\n\n".join(parts) + "\n")


def read(path: str, text: str | None) -> Record | None:
    """The record in a text; None where it is none of ours."""
    try:
        document = front_matter_edits.parse(text or "")
    except front_matter_edits.Unparsable:
        return None
    fields = document.fields
    ident = str(fields.get("loop") or "")
    if path_of(ident) != path or not is_id(ident) or fields.get("state") not in STATES:
        return None
    given = {name: READ[str(Record.__dataclass_fields__[name].type)](fields.get(name)) for name in FIELDS}
    _, begins, rest = document.body.partition(f"\n{FENCE}diff\n")
    diff, ends, _ = rest.partition(f"\n{FENCE}\n")
    found = f"{diff}\n" if begins and ends else ""
    return Record(id=ident, time=_seconds(fields.get("seconds")), patch=found, **given)


def _seconds(value: Any) -> float:
    try:
        return float(str(value))
    except ValueError:
        return 0.0


READ: dict[str, Callable[[Any], Any]] = {  # by the type of a field, whatever stands in the file
    "str": lambda found: "" if found is None else str(found),
    "bool": lambda found: found is True,
    "float": _seconds,
    "tuple[str, ...]": lambda found: tuple(map(str, found)) if isinstance(found, list) else (),
    "dict[str, Any] | None": lambda found: found if isinstance(found, dict) else None,
}


def find(vault: str, ident: str) -> Record | None:
    return read(path_of(ident), _text(vault, ident)) if is_id(ident) else None


def _text(vault: str, ident: str) -> str:
    try:
        return (journal.content(vault, path_of(ident)) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def everything(vault: str, states: Iterable[str] = STATES) -> list[Record]:
    """The records of a vault that are in one of these states, oldest first. Only those are parsed: a close asks for the
    few that wait, among all there ever were."""
    marks = [f"\nstate: {one}\n" for one in states]
    ids = (name.removesuffix(".md") for name in platform.names(f"{vault}/{FOLDER}") if name.endswith(".md"))
    texts = ((path_of(ident), _text(vault, ident)) for ident in ids if is_id(ident))
    read_ones = (read(path, text) for path, text in texts if any(mark in text for mark in marks))
    found = [one for one in read_ones if one and one.state in states]
    return sorted(found, key=lambda one: (one.time, one.id))
