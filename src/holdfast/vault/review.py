"""Review: notes that nobody has looked at for their kind's time, and those that wait for a person's word: in
quarantine, because they came from outside; unconfirmed, because they only sounded like an order; proposed, because an
agent would make a rule of them. An order that is accepted is a rule from then on.

Notes on what the world keeps changing are due sooner: projects after 30 days, knowledge after 90, the rest after 180;
feedback is the user's own word and never grows old. A note that a review rejects stays in the vault's history.

A vault that a repository brings is not the operator's: it counts only after they said so, on this machine.
"""

from __future__ import annotations

import datetime
import os
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import gate, gitfiles, home, platform, projects
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.vault import agent_edits, index, notes
from holdfast.vault.notes import PROPOSED, UNCONFIRMED, Note
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from holdfast.capture.gate import Asker

REVIEW_DAYS = {"project": 30, "knowledge": 90, "feedback": None}
OTHERS = 180
LAST = "last"  # stands for the session of which the newest note waits


@dataclass(frozen=True)
class Due:
    """A note to look at. `days` is how long ago its time was over; None where its date is none."""

    note: Note
    days: int | None


@dataclass(frozen=True)
class Reviews:
    """Notes that wait for a person, oldest first, and how many more there are in other projects."""

    due: tuple[Due, ...]
    quarantined: tuple[Note, ...]
    elsewhere: int
    unconfirmed: tuple[Note, ...] = ()
    proposed: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Reviewed:
    """A person's decision on one note: keep, accept or reject, and where the note is now ("" where it is gone). Undoing
    its `commits`, the last one first, takes it back."""

    action: str
    path: str
    now_at: str
    commits: tuple[str, ...] = field(default=(), compare=False)


def day_of(text: str) -> datetime.date | None:
    """The day of a date or time as people write it; None where it is none."""
    try:
        return datetime.date.fromisoformat(text[:10])
    except ValueError:
        return None


def due(note: Note, now: float) -> Due | None:
    """True if a note's time is over. One that was never reviewed is as old as its last edit."""
    days = REVIEW_DAYS.get(note.kind, OTHERS)
    if days is None or not note.is_active:
        return None
    seen = day_of(note.reviewed or note.edited or note.created)
    if seen is None:
        return Due(note, None)
    over = (datetime.datetime.fromtimestamp(now, datetime.UTC).date() - seen).days - days
    return Due(note, over) if over > 0 else None


def listing(vault: str, now: float, project: str | None) -> Reviews:
    """The notes to review of a project and of those for all; of all projects where none is named."""
    known = index.load(vault).notes
    mine = [note for note in known if project is None or note.applies_to(project)]
    late = [one for one in (due(note, now) for note in mine) if one]
    late.sort(key=lambda one: (one.days is not None, -(one.days or 0), one.note.path))
    waiting = tuple(sorted((note for note in mine if note.is_quarantined), key=_created))
    unconfirmed, proposed = (
        tuple(sorted((note for note in mine if note.status == status and not note.is_quarantined), key=_created))
        for status in (UNCONFIRMED, PROPOSED)
    )
    everything = sum(1 for note in known if due(note, now) or note.waits)
    elsewhere = everything - len(late) - len(waiting) - len(unconfirmed) - len(proposed)
    return Reviews(tuple(late), waiting, elsewhere, unconfirmed, proposed)


def _created(note: Note) -> tuple[str, str]:
    return note.created, note.path


def decide(
    vault: str,
    now: float,
    project: str | None,
    *,
    keep: Iterable[str] = (),
    accept: Iterable[str] = (),
    reject: Iterable[str] = (),
    by: Asker,
) -> list[Reviewed]:
    """Carry out a person's decisions, one commit for each note. Raises NotFound before anything is written."""
    with writing(vault, now) as writer:
        listed = [note for note in writer.index.notes if project is None or note.applies_to(project)]
        settled = [note for note in listed if not note.is_quarantined]
        waiting = [note for note in listed if note.waits]
        if not waiting and (*accept, *reject):
            raise NotFound("No note waits for your word; nothing was changed. `holdfast review` lists them.")
        planned: list[tuple[Callable[[Writer, Note, Asker], Reviewed], Note]] = [
            *((_keep, notes.find(settled, wanted)) for wanted in keep),
            *((_accept, notes.find(waiting, wanted)) for wanted in accept),
            *((_reject, notes.find(waiting, wanted)) for wanted in reject),
        ]
        if len({note.path for _, note in planned}) < len(planned):
            raise UsageError("One note is named twice; nothing was changed. Say one thing of each.")
        return [carry_out(writer, note, by) for carry_out, note in planned]


def of_session(vault: str, project: str | None, wanted: str) -> list[Note]:
    """All that waits from one session: the beginning of its id, or `last`. Raises NotFound, UsageError."""
    listed = index.load(vault).notes
    waiting = [note for note in listed if note.waits and note.session]
    waiting = [note for note in waiting if project is None or note.applies_to(project)]
    if wanted == LAST and waiting:
        newest = max(waiting, key=lambda note: max(note.sources, default=""))
        wanted = session_id(newest)
    found = [note for note in waiting if wanted and session_id(note).startswith(wanted)]
    if len({session_id(note) for note in found}) > 1:
        raise UsageError(f'"{wanted}" begins more than one session; nothing was changed. Say more of its id.')
    if not found:
        raise NotFound(f'Nothing waits from a session "{wanted}"; nothing was changed. `holdfast review` lists them.')
    return sorted(found, key=_created)


def session_id(note: Note) -> str:
    """The host's own id of the session that a note came from, all its stretches alike."""
    return note.session.partition("/")[2].rpartition("/")[0]


def _keep(writer: Writer, note: Note, by: Asker) -> Reviewed:
    text = _text(writer, note)
    changed = notes.with_fields(text, reviewed=notes.day(writer.now))
    commit = _commit(writer, f"review: keep {note.name}", {note.path: changed}, {note.path: text}, by)
    return Reviewed("keep", note.path, note.path, commit)


def _accept(writer: Writer, note: Note, by: Asker) -> Reviewed:
    if note.kind not in notes.FOLDERS:
        raise UsageError(
            f"{note.path} says kind {note.kind}, which is none of {', '.join(notes.FOLDERS)}; it was left as it is. "
            "Mend it in an editor."
        )
    text = _text(writer, note)
    taken = [*writer.index.known, *(one.path for one in writer.index.broken)]
    day = notes.day(writer.now)
    if note.waits and not note.is_quarantined:
        from holdfast.text import orders

        # An order of the user, and a rule that the user agrees to, binds: it is a rule, whatever it was kept as.
        asks_to_forget = any(one.kind == orders.FORGET for one in orders.find(note.body.strip()))
        kind = "rule" if note.kind == "feedback" and not asks_to_forget else note.kind
        path = note.path if kind == note.kind else notes.free_path(kind, note.name, taken)
        fields = {"status": "active", "kind": kind, "reviewed": day}
        if note.status == PROPOSED:
            fields |= {"origin": "user", "came_from": note.origin}
        confirmed = notes.with_fields(text, **fields)
        moved = {} if path == note.path else {note.path: None}
        before = {note.path: text} | ({path: None} if moved else {})
        commit = _commit(writer, f"review: accept {note.name}", {path: confirmed, **moved}, before, by)
        return Reviewed("accept", note.path, path, commit)
    old = writer.index.known.get(str(note.fields.get(agent_edits.REPLACES)))  # an agent's version of it takes its place
    is_version = old is not None and not old.note.is_quarantined
    path = old.note.path if old and is_version else notes.free_path(note.kind, note.name, taken)
    # By the user's word it is theirs from now on; where it came from stays on record.
    fields = {"status": "active", "reviewed": day, "origin": "user", "came_from": note.origin}
    fields |= {key: day for key in ("created", "edited") if not getattr(note, key)}
    if agent_edits.REPLACES in note.fields:
        fields[agent_edits.REPLACES] = ""
    changed = notes.with_fields(text, **fields)
    before = {note.path: text, path: writer.read(path)}
    commit = _commit(writer, f"review: accept {note.name}", {path: changed, note.path: None}, before, by)
    return Reviewed("accept", note.path, path, commit)


def _reject(writer: Writer, note: Note, by: Asker) -> Reviewed:
    text = _text(writer, note)
    commit = _commit(writer, f"review: reject {note.name}", {note.path: None}, {note.path: text}, by)
    return Reviewed("reject", note.path, "", commit)


def _text(writer: Writer, note: Note) -> str:
    text = writer.read(note.path)
    if text is None:
        raise NotFound(f"{note.path} is gone; nothing was changed.")
    return text


def _commit(
    writer: Writer, subject: str, texts: Mapping[str, str | None], planned_on: Mapping[str, str | None], by: Asker
) -> tuple[str, ...]:
    """One decision, whole: where a person saved one of its files meanwhile, the others go back to what they were."""
    applied = writer.commit(subject, texts, cause="review", by=by, planned_on=planned_on)
    skipped = [path for path in texts if path in applied.skipped]
    if not skipped:
        return (applied.commit,) if applied.commit else ()
    back = {path: planned_on[path] for path in texts if path not in skipped}
    if back:
        writer.commit(f"{subject}, taken back", back, cause="review", by=by, planned_on=texts)
    raise HoldfastError(f"{', '.join(skipped)} was edited at this very moment; the edit was kept. Run it again.")


@dataclass(frozen=True)
class Offer:
    """The vault that a repository asks for; `trusted` says that the user has agreed."""

    root: str
    vault: str
    trusted: bool


def offer(own: str, cwd: str) -> Offer:
    """The vault that the repository around a folder names. Raises NotFound, or UsageError where it may not be."""
    root = gitfiles.root_of(cwd)
    try:
        raw = platform.read_file(f"{root}/.holdfast.toml", largest=projects.LARGEST_WISHES)
        named = tomllib.loads(raw.decode("utf-8")).get("vault")
    except (FileNotFoundError, ValueError, RecursionError):
        named = None
    except OSError as error:
        why = error.strerror
        raise UsageError(f"{root}/.holdfast.toml cannot be read ({why}); nothing was changed.") from error
    if not isinstance(named, str) or not named:
        raise NotFound(f"{root}/.holdfast.toml names no vault; nothing was changed.")
    vault = os.path.normpath(os.path.join(root, named))
    # A folder of its own below the root, not git's, and reached without a link: a link can be moved by a pull.
    below = vault.removeprefix(f"{root}/")
    is_odd = below == vault or below.partition("/")[0].lower() == ".git" or any(one in vault for one in "\n\t\r\0")
    if is_odd or platform.is_behind_link(root, below):
        what = f"{root}/.holdfast.toml names a vault outside of the repository, or through a link"
        raise UsageError(f"{what}; it cannot be trusted.")
    return Offer(root, vault, _listed(own).get(root) == vault)


def trust(own: str, cwd: str, *, by: gate.Asker) -> Offer:
    """From now on this repository's vault is used in it."""
    gate.require(by, gate.Change(gate.TRUST), "Trusting a repository's vault")
    found = offer(own, cwd)
    home.make_vault(own)
    _write(own, {**_listed(own), found.root: found.vault})
    return Offer(found.root, found.vault, trusted=True)


def distrust(own: str, cwd: str) -> str:
    """Take the word back; returns the repository. Raises NotFound."""
    root = gitfiles.root_of(cwd)
    listed = _listed(own)
    if root not in listed:
        raise NotFound(f"{root} was not trusted; nothing was changed.")
    del listed[root]
    _write(own, listed)
    return root


def _listed(own: str) -> dict[str, str]:
    try:
        lines = platform.read_file(home.trusted_path(own)).decode("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return {}
    return {root: vault for root, tab, vault in (line.partition("\t") for line in lines) if tab}


def _write(own: str, listed: dict[str, str]) -> None:
    text = "".join(f"{root}\t{vault}\n" for root, vault in listed.items())
    platform.write_atomic(home.trusted_path(own), text.encode("utf-8", "surrogateescape"), durable=True)
