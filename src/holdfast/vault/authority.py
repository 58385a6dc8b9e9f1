"""Authority of notes: what a commit changes of what binds, as the gate is asked about it.

A note binds as long as it is in force: not in quarantine, not superseded, not waiting for the user's word. Other words
in a note are another note, so the old one is lifted and the new one made; what stands below "Evidence", dates and
sources are no words of it.

The text of a file that counts is the file's own, unless an agent changed it and nobody has settled that yet: then it is
that of the last commit which a writer vouched for.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.capture import calls, gate, home, platform
from holdfast.capture.agent_files import RECORDS, Edits
from holdfast.capture.gate import LIFTED, MADE, Asker, Change
from holdfast.model import TRUSTED
from holdfast.vault import armed_file, git_loose, journal, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.vault.git import Repository
    from holdfast.vault.index import Index, Known
    from holdfast.vault.notes import Broken, Note

OF_KIND = {
    "rule": gate.RULE,
    "identity": gate.IDENTITY,
    "feedback": gate.LESSON,
    "project": gate.DECISION,
    "knowledge": gate.FACT,
}
SAID = {gate.STOP: "a rule that says never or ask", gate.IDENTITY: "who the user is", gate.ARMED: "an armed note"}
FOLDER = re.compile(rb"^(.+)/[^/\n]*$", re.MULTILINE)


def of(known: Known | None) -> set[str]:
    """As what a note binds; nothing where there is none, or it is not in force. A note that waits for the user's word
    binds nobody, and yet is not an outsider's to take away, nor an order of the user an agent's."""
    if known is None or known.note.is_beside or known.note.is_quarantined:
        return set()
    note = known.note
    if note.status in notes.WAITING:
        return {gate.PREFERENCE if note.origin == "user" else gate.FACT}
    if not note.is_active:
        return set()
    if note.origin not in TRUSTED:
        return {gate.FACT}  # outside text is shown as such, and binds nobody (notes.is_always_on, vault/armed_file)
    found = {OF_KIND.get(note.kind, gate.FACT)}
    if note.policy in ("never", "ask") or armed_file.policy(note, known.named or None if note.when is None else None):
        found.add(gate.STOP)
    if note.when or (note.when is None and known.named):
        found.add(gate.ARMED)
    return found


def changes(before: Known | None, after: Known | None) -> Iterator[Change]:
    """Everything that a change of one note makes binding, or lifts."""
    lost, gained = of(before), of(after)
    if before and after and _words(before) == _words(after):
        same = lost & gained - ({gate.ARMED} if before.note.when != after.note.when else set())
        lost, gained = lost - same, gained - same
        if before.note.when is False and after.note.when is not False:
            lost = lost | {gate.ARMED}  # that it waits for no call was somebody's wish
    about = next((one.note.path for one in (after, before) if one), "")
    for what in sorted(lost):
        yield Change(what, LIFTED, about, held=before.note.origin if before else "user")
    for what in sorted(gained):
        yield Change(what, MADE, about)


def _words(known: Known) -> tuple[str, ...]:
    note = known.note
    return known.digest, note.kind, note.policy, note.project


def refuse(by: Asker, paths: Iterable[str], before: Index, after: Index) -> None:
    """Raises gate.Refused where a commit of these files changes more of what binds than its asker may."""
    if by.who == gate.CLOSE:
        return  # each flag was decided on by its own origin
    for path in paths:
        for change in changes(before.known.get(path), after.known.get(path)):
            if gate.decide(by, change) != gate.APPLY:
                what = SAID.get(change.what, f"a {change.what}")
                gate.require(by, change, f"{'Changing' if change.how == LIFTED else 'Making'} {what} ({path})")


def text(vault: str, path: str, edits: Edits | None = None) -> str | None:
    """The text of a file that counts; None where there is none."""
    if (edits or Edits(vault)).by(path):
        return committed(vault, path)
    return journal.read(vault, path)


def note(vault: str, path: str) -> Note | Broken | None:
    """The note that counts; None where an agent put it there."""
    if not Edits(vault).by(path):
        return notes.read(vault, path)
    said = committed(vault, path)
    return None if said is None else notes.from_text(path, said)


def committed(vault: str, path: str) -> str | None:
    from holdfast.vault.git import Repository

    repository = Repository(vault)
    raw = repository.content(head_of(repository), path) if repository.exists() else None
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def head_of(repository: Repository) -> str:
    """The commit that the last writer vouched for; the head where there is none, as after a purge of the history."""
    known = calls.settled(home.state(repository.vault)).head
    if known and repository.attempt("cat-file", "-e", f"{known}^{{commit}}").returncode == 0:
        return known
    return "HEAD"


def vouch(vault: str, head: str, index: Index | None = None, *, anew: bool = False) -> None:
    """All that a commit has is known as ours, an agent's or the user's. `anew`: so are the folders as they stand; else
    only those that nobody had seen. A disk that refuses to keep it costs the next writer a longer look."""
    state = home.state(vault)
    known = calls.settled(state)
    try:
        listed = index.listing() if index else None
        is_needed = listed is not None or not known.folders
        raw = git_loose.readable(f"{state}/calls/names", calls.LARGEST) if is_needed else b""
        seen = set() if known.folders else _folders_in(raw)
        if listed is not None and listed != raw:
            platform.write_atomic(f"{state}/calls/names", listed, durable=False)
            seen = _folders_in(listed)
        folders = dict(_folders(vault, {*seen, *known.folders}))
        if not anew:
            folders |= known.folders
        if (head, folders) != (known.head, known.folders):
            calls.settle(state, head, sorted(folders.items()))
    except OSError:
        return


def _folders_in(names: bytes) -> set[str]:
    return {one.decode("utf-8", "surrogateescape") for one in set(FOLDER.findall(names))}


def _folders(vault: str, seen: Iterable[str]) -> list[tuple[str, int]]:
    """Each folder of notes, prompts and handoffs, with its inode; `seen` are those known to be there."""
    found = {*calls.FOLDERS, *RECORDS}
    found.update(f"{top}/{name}" for top in RECORDS for name in platform.names(f"{vault}/{top}"))
    for one in seen:
        folder = one
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    listed = []
    for folder in sorted(found):
        with suppress(OSError):
            listed.append((folder, os.lstat(f"{vault}/{folder}").st_ino))
    return listed
