"""Import: what agents' instruction files say becomes notes of origin `import`, one per section.

Promise: shown before it is written, written in one commit, and the same when done again. A section that was imported is
known by its source, `import:<file>#<heading>`; it is brought up to date only while nobody edited the note. An imported
note is knowledge and never always-on, since a repository is not its operator; rules come of it only by the user's own
word, and then as the user's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import quoting
from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.vault import front_matter_edits, index, instructions, notes
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.capture.gate import Asker
    from holdfast.vault.index import Index
    from holdfast.vault.instructions import Reading, Source

NEW, CHANGED, UNCHANGED, EDITED = "new", "changed", "unchanged", "edited"
WRITTEN = (NEW, CHANGED)
IMPORTED = "imported"  # the digest of the body as we wrote it: another one means that a person edited it
MARKER = re.compile(r"^(?:[-*+>]\s+|\d+[.)]\s+)+")
SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True)
class Wish:
    """The user's wish. `project` is where a project's files belong, `users` where the user's own do."""

    project: str
    users: str = notes.GLOBAL
    as_rules: bool = False


@dataclass(frozen=True)
class Candidate:
    """A section that may become a note, its secrets replaced."""

    name: str
    description: str
    body: str
    source: str
    file: str
    first: int
    last: int
    project: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """A section and its outcome: a new note, one brought up to date, or one that stays as it is."""

    action: str
    kind: str
    path: str
    candidate: Candidate


@dataclass(frozen=True)
class Proposal:
    """All of it, before anything is written."""

    items: tuple[Item, ...]
    problems: tuple[str, ...]
    wish: Wish

    def to_write(self) -> list[Item]:
        return [item for item in self.items if item.action in WRITTEN]


@dataclass(frozen=True)
class Imported:
    """The notes that were written. `skipped` are notes that a person saved at that very moment."""

    items: tuple[Item, ...]
    commit: str
    skipped: tuple[str, ...] = ()


def propose(vault: str, reading: Reading, wish: Wish) -> Proposal:
    """Plan the import of these files; nothing is changed."""
    candidates = [one for source in reading.sources for one in _candidates(source, wish)]
    items = _decided(candidates, index.load(vault, keep=False), wish)
    return Proposal(tuple(items), tuple(reading.problems), wish)


def carry_out(vault: str, proposal: Proposal, now: float, *, by: Asker) -> Imported:
    """Write the notes, in one commit. Changes since the proposal was made are looked at anew."""
    day = notes.day(now)
    with writing(vault, now) as writer:
        items = _decided([item.candidate for item in proposal.items], writer.index, proposal.wish)
        wanted = [item for item in items if item.action in WRITTEN]
        if not wanted:
            return Imported(tuple(items), "")
        texts: dict[str, str | None] = {item.path: _text(item, writer.read, day, proposal.wish) for item in wanted}
        files = ", ".join(dict.fromkeys(item.candidate.file for item in wanted))
        many = f"{len(wanted)} note{'' if len(wanted) == 1 else 's'}"
        applied = writer.commit(f"import {many} from {files}", texts, cause="import", by=by)
    return Imported(tuple(items), applied.commit, applied.skipped)


def _candidates(source: Source, wish: Wish) -> list[Candidate]:
    place, made = source.place, []
    for one in instructions.cut(source.text, place.path.rpartition("/")[2]):
        body, secrets = redact(one.text.strip("\n"))
        name, more = redact(clean(one.heading)[0])
        description, still_more = redact(clean(one.description or _first_sentence(one.text))[0])
        made.append(
            Candidate(
                name=quoting.shortened(name, notes.LONGEST_NAME),
                description=notes.describe(description),
                body=body,
                source=f"import:{place.label}#{name}",
                file=place.label,
                first=one.first,
                last=one.last,
                project=wish.users if place.is_users else wish.project,
                secrets=tuple(dict.fromkeys((*secrets, *more, *still_more))),
            )
        )
    return made


def _first_sentence(text: str) -> str:
    """The first sentence of a section, without the signs of a list or a fence."""
    plain = instructions.COMMENT.sub("", text)
    lines = [MARKER.sub("", line.strip()) for line in plain.splitlines() if not instructions.FENCE.match(line)]
    first = next((line for line in lines if line), "")
    return SENTENCE.split(first)[0]


def _decided(candidates: list[Candidate], known: Index, wish: Wish) -> list[Item]:
    kind = "rule" if wish.as_rules else "knowledge"
    taken = {*known.known, *(one.path for one in known.broken)}
    names = {(note.name.casefold(), note.project) for note in known.notes}
    bodies = {(one.digest, one.note.project): path for path, one in known.known.items()}
    sources = {(source, one.note.project): path for path, one in known.known.items() for source in one.note.sources}
    items = []
    for one in candidates:
        digest = index.body_digest(one.body)
        if path := sources.get((one.source, one.project)):
            before = known.known[path]
            items.append(Item(_action(before, digest, as_rules=wish.as_rules), before.note.kind, path, one))
            continue
        if same := bodies.get((digest, one.project)):
            items.append(Item(UNCHANGED, kind, same, one))
            continue
        is_taken = (one.name.casefold(), one.project) in names
        name = quoting.shortened(f"{one.name} ({one.file})", notes.LONGEST_NAME) if is_taken else one.name
        named = replace(one, name=name)
        path = notes.free_path(kind, named.name, taken)
        taken.add(path)
        names.add((named.name.casefold(), one.project))
        bodies[digest, one.project] = sources[one.source, one.project] = path
        items.append(Item(NEW, kind, path, named))
    return items


def _action(known: index.Known, digest: str, *, as_rules: bool) -> str:
    if known.digest == digest:
        return UNCHANGED
    is_ours = known.note.is_active and known.digest == str(known.note.fields.get(IMPORTED, ""))
    is_theirs_to_renew = known.note.kind != "rule" or as_rules  # a rule changes by the user's own word only
    return CHANGED if is_ours and is_theirs_to_renew else EDITED


def _text(item: Item, read: Callable[[str], str | None], day: str, wish: Wish) -> str:
    one = item.candidate
    digest = index.body_digest(one.body)
    if item.action == CHANGED:
        text = read(item.path) or ""
        before = front_matter_edits.parse(text)
        changes = {"edited": day, "reviewed": day, IMPORTED: digest}
        if before.fields.get("description") == notes.describe(redact(clean(_first_sentence(before.body))[0])[0]):
            changes["description"] = one.description
        changed = notes.with_fields(text, **changes)
        return changed[: len(changed) - len(before.body)] + f"\n{one.body.strip()}\n"
    return notes.new_text(
        name=one.name,
        description=one.description,
        kind=item.kind,
        body=one.body,
        day=day,
        project=one.project,
        origin="user" if wish.as_rules else "import",
        sources=(one.source,),
        imported=digest,
    )
