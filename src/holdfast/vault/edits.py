"""What a person or agent asks for by name: remember, forget, promote. One commit each, no filter, and it says where.

`remember` has the user's authority: it is filed at once, as it was said. `forget` takes a note out of what is loaded
and indexed; history keeps it, and `undo` brings it back. `promote` moves a durable fact out of a handoff into a note at
once, and leaves a link there, so that nothing relies on being copied forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.flags import clean
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import index, lineage, notes
from holdfast.vault.writing import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note

LONGEST = 100_000
KIND_OF_SECTION = {"decisions": "project", "learned": "knowledge"}


@dataclass(frozen=True)
class Asked:
    """What is to be remembered, and where it applies."""

    text: str
    kind: str = "knowledge"
    project: str = notes.GLOBAL
    name: str = ""
    reason: str = ""
    apply: str = ""
    policy: str = ""


@dataclass(frozen=True)
class Filed:
    """Where it went. `changes` are sentences about what was altered on the way; `was_there`: nothing new was needed."""

    path: str
    commit: str
    changes: tuple[str, ...] = ()
    was_there: bool = False


def remember(vault: str, asked: Asked, now: float, day: str) -> Filed:
    """File a text as a note, with the user's authority."""
    with writing(vault, now) as writer:
        path, made, changes = _plan(writer, asked, day, "user", f"remember:{new_id(now)}")
        if made is None:
            return Filed(path, "", changes, was_there=True)
        applied = writer.commit(f"remember: {title(asked.name or asked.text)}", {path: made}, cause="remember")
        return Filed(path, applied.commit, changes)


def _plan(writer: Writer, asked: Asked, day: str, origin: str, source: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Where the note goes and its text (None: one says exactly this already), and what was altered."""
    text, labels = redact(asked.text.strip())
    changes = (f"secrets were redacted before writing: {', '.join(labels)}",) if labels else ()
    if not text:
        raise UsageError("The text is empty; nothing was written. Say what to remember.")
    if len(text) > LONGEST:
        raise UsageError(f"The text has {len(text):,} characters, {LONGEST:,} is the most; nothing was written.")
    if asked.kind not in notes.FOLDERS:
        raise UsageError(f'"{asked.kind}" is no kind of note; nothing was written. One of: {", ".join(notes.FOLDERS)}.')
    if asked.policy and (asked.policy not in notes.POLICIES or asked.kind != "rule"):
        raise UsageError("A rule can say do, ask or never, other notes nothing; nothing was written.")
    body = _with_reason(text, redact(asked.reason)[0], redact(asked.apply)[0])
    same = _with_words(writer.index, asked, index.body_digest(body))
    if same:
        return same, None, changes
    name = redact(clean(asked.name)[0])[0] or title(text)
    path = notes.free_path(asked.kind, name, [*writer.index.known, *(one.path for one in writer.index.broken)])
    made = notes.new_text(
        name=name,
        description=clean(text)[0],
        kind=asked.kind,
        body=body,
        day=day,
        project=asked.project,
        origin=origin,
        sources=[source],
        policy=asked.policy,
    )
    return path, made, changes


def _with_reason(text: str, reason: str, apply: str) -> str:
    """Feedback carries why, and how to apply it."""
    more = [f"**Why:** {reason.strip()}"] if reason.strip() else []
    more += [f"**How to apply:** {apply.strip()}"] if apply.strip() else []
    return "\n\n".join([text, *more])


def _with_words(known: index.Index, asked: Asked, words: str) -> str:
    """The active note that says exactly this already; "" where there is none."""
    for path, one in known.known.items():
        note = one.note
        if one.digest == words and note.is_active and (note.kind, note.project) == (asked.kind, asked.project):
            return path
    return ""


def title(text: str) -> str:
    from holdfast.close.filing import title as short

    return short(clean(text)[0])


def matching(known: Sequence[Note], wanted: str) -> list[Note]:
    """What a person may mean by a name, a path or some words: the one note of that name, else those with the words."""
    try:
        return [notes.find(known, wanted)]
    except NotFound:
        words = wanted.casefold().split()
        said = [(note, f"{note.name} {note.description} {note.path}".casefold()) for note in known]
        return [note for note, text in said if words and all(word in text for word in words)]


def forget(vault: str, paths: Sequence[str], now: float) -> str:
    """Take notes out of the vault; returns the commit. History keeps them."""
    with writing(vault, now) as writer:
        there = [path for path in paths if writer.read(path) is not None]
        if not there:
            raise NotFound("There is no such note any more; nothing was changed.")
        some = ", ".join(there[:3]) + (f" and {len(there) - 3} more" if len(there) > 3 else "")
        return writer.commit(f"forget: {some}", dict.fromkeys(there), cause="forget").commit


def promotable(handoff: Handoff) -> list[tuple[str, str]]:
    """What in a handoff is durable and has no note yet: (section, text)."""
    sections = ("decisions", "learned", "note", "done", "in_progress", "blockers")
    return [(key, item) for key in sections for item in handoff.items(key) if "](../../" not in item]


def promote(vault: str, project: str, wanted: str, kind: str, now: float, day: str) -> tuple[Filed, str]:
    """Move one item of the newest handoff into a note; returns where, and the handoff's path. One commit."""
    with writing(vault, now) as writer:
        found = lineage.newest(vault, project)
        if not found:
            raise NotFound("This project has no handoff yet; nothing was changed.")
        handoff, _ = found
        section, item = _chosen(promotable(handoff), wanted)
        text = writer.read(handoff.path) or ""
        lines = text.split("\n")
        at = next((n for n, line in enumerate(lines) if line.strip().removeprefix("- ").strip() == item), -1)
        if at < 0:
            raise HoldfastError(f"That item spans several lines of {handoff.path}; nothing was changed. Use remember.")
        asked = Asked(item, kind or KIND_OF_SECTION.get(section, "knowledge"), project)
        path, made, changes = _plan(writer, asked, day, "agent", f"handoff:{handoff.path.rpartition('/')[2]}")
        lines[at] = f"- {title(item)} ([note](../../{path}))"
        texts = {handoff.path: "\n".join(lines), **({} if made is None else {path: made})}
        applied = writer.commit(f"promote: {title(item)}", texts, cause="promote", planned_on={handoff.path: text})
    return Filed(path, applied.commit, changes, was_there=made is None), handoff.path


def _chosen(items: list[tuple[str, str]], wanted: str) -> tuple[str, str]:
    if wanted.isdecimal() and 0 < int(wanted) <= len(items):
        return items[int(wanted) - 1]
    found = [one for one in items if wanted.casefold() in one[1].casefold()]
    if len(found) != 1:
        what = "No item of the newest handoff has" if not found else f"{len(found)} items of the newest handoff have"
        raise NotFound(f'{what} "{wanted}"; nothing was changed. `holdfast promote` lists them with numbers.')
    return found[0]
