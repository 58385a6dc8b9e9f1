"""The history: each change with its author, time and cause, and taking one change back.

Git's log is the history; a change is known by the id in its commit's trailer, a commit of someone else by its hash. An
undo is a change like any other: the reverse of one commit, merged into what stands there now, so later work on the same
files stays. Where it cannot, the whole undo is refused and nothing is written. The map, which is generated, and what
belongs to no single change (projects that hooks registered) are never taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import same_project
from holdfast.errors import NotFound, UsageError
from holdfast.model import value
from holdfast.vault import git_damage, index, journal, note_facets, notes
from holdfast.vault.git import LITERAL, Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.capture.gate import Asker

FIELD, RECORD = "\x1f", "\x1e"
TRAILERS = (journal.TRAILER, "Holdfast-Cause")
CARRIED = (note_facets.PATH, "projects.toml", "activity.log")  # in any change, whatever project it is of
SHORTEST = 4
PAGE = 200


@value
class Entry:
    """One change: its id, its commit, when (seconds since 1970), by whom, why, and the files it touched."""

    id: str
    commit: str
    time: int
    who: str
    cause: str
    subject: str
    files: tuple[str, ...]


@value
class Delta:
    """One file that differs between two commits: its blobs ("" where there is none) and its mode afterwards."""

    path: str
    before: str
    after: str
    mode: str


@value
class UndoPlan:
    """The texts that an undo would write, and those that they were planned on."""

    entry: Entry
    texts: dict[str, str | None]
    planned_on: dict[str, str | None]


@value
class Undone:
    """An undo that was made: the change taken back, the change that did it, and files that a person was editing."""

    of: Entry
    by: Entry
    skipped: tuple[str, ...]


def changes(vault: str, path: str = "", count: int = 20, skip: int = 0) -> list[Entry]:
    """The newest changes first; of one file, also under its former names, and also when it is gone."""
    repository = Repository(vault)
    if not skip:
        git_damage.refuse(repository)  # a history that is gone is not one in which nothing was changed
    if not repository.exists() or not repository.head() or count < 1:
        return []
    walk = (f"--max-count={count}", f"--skip={skip}")
    with git_damage.told(repository):
        if not path:
            return _logged(repository, *walk, "--")
        listed = repository.run("log", *walk, "--format=%H", "--follow", "--", path, env=LITERAL)
        return _entries(repository, listed.decode("ascii").split())


def told(vault: str, wanted: str, count: int, project: str | None) -> tuple[list[Entry], int]:
    """The newest changes, of one note if one is named, that concern a project or everybody; all where it is None. Also
    how many of other projects lay between them. Raises NotFound."""
    listed = index.load(vault, keep=False).notes
    known = {note.path: note.project for note in listed}
    ids = same_project.ids(vault, project or "")
    path = _path_of([note for note in listed if project is None or note.applies_to(project)], vault, wanted)
    found: list[Entry] = []
    others = 0
    for skip in range(0, 1 << 30, PAGE):
        page = changes(vault, path, PAGE, skip)
        for entry in page:
            if len(found) == count:
                return found, others
            files = [file for file in entry.files if file not in CARRIED]
            if not files or project is None or any(_concerns(vault, entry, one, ids, known) for one in files):
                found.append(entry)
            else:
                others += 1
        if len(page) < PAGE:
            break
    return found, others


def was_edited_by_hand(vault: str, path: str) -> bool:
    """True if a person has ever changed this file: then some of its words are theirs."""
    repository = Repository(vault)
    words = ("log", "-n1", "--format=%H", "--fixed-strings", "--grep=Holdfast-Cause: hand", "--", path)
    return bool(repository.head() and repository.run(*words, env=LITERAL))


def _path_of(listed: Iterable[notes.Note], vault: str, wanted: str) -> str:
    """The path of a note, also of one that is gone. Raises NotFound."""
    try:
        return notes.find(listed, wanted).path if wanted else ""
    except NotFound:
        if gone := former_path(vault, wanted):
            return gone
        raise


def _concerns(vault: str, entry: Entry, path: str, ids: tuple[str, ...], known: dict[str, str]) -> bool:
    """True if a file of a change is for this project's eyes."""
    if path.startswith("lineage/"):
        return path.split("/")[1] in (*ids, *map(notes.slug, ids))
    if path.startswith("discarded/"):
        return path.startswith(tuple(f"discarded/{notes.slug(one, 40)}-" for one in ids))
    if not index.is_note_path(path) and not path.startswith("improvements/"):
        return True
    if path not in known:
        raw = Repository(vault).content(entry.commit, path) or Repository(vault).content(f"{entry.commit}^", path)
        note = notes.from_text(path, (raw or b"").decode("utf-8", "replace"))
        known[path] = note.project if isinstance(note, notes.Note) else notes.GLOBAL
    return known[path] in (notes.GLOBAL, *ids)


def former_path(vault: str, wanted: str) -> str:
    """The path of a note that is gone, from its path or its name; "" where the history knows none."""
    repository = Repository(vault)
    if not repository.exists() or not repository.head():
        return ""
    asked = wanted.strip().removeprefix("./")
    stem = notes.slug(asked, 200)
    maybe = [asked, f"{asked}.md", *(f"{folder}/{stem}.md" for folder in (*notes.FOLDERS.values(), notes.QUARANTINE))]
    inside = [path for path in maybe if not path.startswith("/") and ".." not in path.split("/") and "\0" not in path]
    return next((path for path in inside if repository.run("log", "-n1", "--format=%H", "--", path, env=LITERAL)), "")


def _entries(repository: Repository, commits: Sequence[str]) -> list[Entry]:
    given = "".join(f"{commit}\n" for commit in commits).encode("ascii")
    return _logged(repository, "--no-walk=unsorted", "--stdin", given=given) if commits else []


def _logged(repository: Repository, *which: str, given: bytes = b"") -> list[Entry]:
    trailers = FIELD.join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in TRAILERS)
    form = RECORD + FIELD.join(("%H", "%ct", "%an", trailers, "%s")) + FIELD
    shape = ("-z", "--name-only", "--no-renames", "--diff-merges=first-parent")
    raw = repository.run("log", f"--format={form}", *shape, *which, given=given)
    found = []
    for one in raw.decode("utf-8", "replace").split(RECORD)[1:]:
        commit, when, who, ident, cause, subject, files = one.split(FIELD, 6)
        names = tuple(sorted(name for name in files.lstrip("\0\n").split("\0") if name))
        found.append(Entry(ident.strip() or commit[:7], commit, int(when), who, cause.strip(), subject, names))
    return found


def find(repository: Repository, wanted: str) -> Entry:
    """The change whose id or commit begins so. Raises NotFound, UsageError, HistoryDamaged."""
    with git_damage.told(repository):
        return _found(repository, wanted)


def _found(repository: Repository, wanted: str) -> Entry:
    asked = wanted.strip()
    if len(asked) < SHORTEST or not asked.isalnum():
        raise UsageError(f'"{wanted}" is no id of a change; nothing was changed. `holdfast history` lists them.')
    form = f"%H %(trailers:key={journal.TRAILER},valueonly,separator=%x20)"
    git_damage.refuse(repository)
    listed = repository.text("log", f"--format={form}", "--") if repository.exists() and repository.head() else ""
    rows = [(line.split() + [""])[:2] for line in listed.splitlines()]
    matches = [commit for commit, ident in rows if commit.startswith(asked.lower()) or ident.startswith(asked.upper())]
    if len(matches) == 1:
        return _entries(repository, matches)[0]
    if matches:
        some = notes.some_of([entry.id for entry in _entries(repository, matches[:3])] + matches[3:])
        raise NotFound(f'"{wanted}" may be {some}; nothing was changed. Say more of the id.')
    raise NotFound(f'There is no change "{wanted}"; nothing was changed. `holdfast history` lists them.')


def deltas(repository: Repository, before: str, after: str) -> list[Delta]:
    """The files that differ between two commits or trees, a moved one as removed and added."""
    raw = repository.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after)
    words = raw.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for head, path in zip(words[0:-1:2], words[1::2], strict=True):
        _, mode, old, new, _ = head.split(" ")
        found.append(Delta(path, "" if set(old) == {"0"} else old, "" if set(new) == {"0"} else new, mode))
    return found


def blobs(repository: Repository, wanted: Iterable[str]) -> dict[str, str | None]:
    """Texts by blob; the blob "" is no file. One process, however many there are."""
    names = sorted({name for name in wanted if name})
    found: dict[str, str | None] = {"": None}
    if not names:
        return found
    given = repository.objects(names)
    if len(given) < len(names):
        raise git_damage.unreadable(repository)
    return found | {name: raw.decode("utf-8", "surrogateescape") for name, raw in given.items()}


def plan_undo(vault: str, wanted: str, known: index.Index | None = None) -> UndoPlan:
    """Plan to take a change back; nothing is written. Raises NotFound, UsageError, HistoryDamaged."""
    repository = Repository(vault)
    with git_damage.told(repository):
        return _planned(repository, wanted, known or index.load(vault, keep=False))


def _planned(repository: Repository, wanted: str, known: index.Index) -> UndoPlan:
    from holdfast.vault.merge import TABLES, merge

    if of_handoff := _from_handoff(repository, wanted, known):
        return of_handoff
    entry = find(repository, wanted)
    parents = repository.text("rev-list", "--parents", "-n1", entry.commit).split()[1:]
    if len(parents) != 1:
        what = "joined two machines' work" if parents else "began the vault"
        raise UsageError(f"The change {entry.id} {what} and cannot be undone; nothing was changed.")
    planned_on: dict[str, str | None] = {}
    texts: dict[str, str | None] = {}
    listed = deltas(repository, parents[0], entry.commit)
    texts_of = blobs(repository, (name for one in listed for name in (one.before, one.after)))
    for one in listed:
        was, made = texts_of[one.before], texts_of[one.after]
        if one.path == TABLES and (made or "").startswith(was or ""):
            continue  # hooks register projects, and whichever change comes next carries it along
        ours = _read(repository.vault, one.path)
        merged = merge(one.path, base=made, ours=ours, theirs=was)
        if merged.conflict:
            raise UsageError(
                f"{one.path} was changed again after {entry.id}, so that change cannot be undone by itself; "
                "nothing was changed. Undo the later one first, or edit the file."
            )
        if merged.text != (note_facets.refreshed(ours, ()) if one.path == note_facets.PATH else ours):
            planned_on[one.path], texts[one.path] = ours, merged.text
    if not texts:
        raise UsageError(f"Nothing of the change {entry.id} is left to undo; nothing was changed.")
    return UndoPlan(entry, with_map(texts, known), planned_on)


def _from_handoff(repository: Repository, wanted: str, known: index.Index) -> UndoPlan | None:
    """A note that a close made of a handoff's item can be taken back by itself, by its path or name."""
    found = [note for note in known.notes if wanted in (note.path, note.name, note.path.rpartition("/")[2][:-3])]
    if len(found) != 1 or not any(source.startswith(notes.FROM_HANDOFF) for source in found[0].sources):
        return None
    path = found[0].path
    added = repository.text("log", "--format=%H", "--diff-filter=A", "-n1", "--", path).split()
    if not added:
        return None
    planned_on = {path: _read(repository.vault, path)}
    return UndoPlan(_entries(repository, added)[0], with_map({path: None}, known), planned_on)


def _read(vault: str, path: str) -> str | None:
    """The text of a file; None where there is none. Raises OSError: an unreadable file is not a removed one."""
    raw = journal.content(vault, path)
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def with_map(texts: dict[str, str | None], known: index.Index) -> dict[str, str | None]:
    """The same texts; a merged BRAIN.md among them has the map of the notes as they will be."""
    if note_facets.PATH not in texts:
        return texts
    return {**texts, note_facets.PATH: note_facets.refreshed(texts[note_facets.PATH], known.with_texts(texts))}


def undo(vault: str, wanted: str, now: float, *, by: Asker) -> Undone:
    """Take one change back, as one commit. Raises NotFound, UsageError."""
    from holdfast.vault.transaction import writing

    repository = Repository(vault)
    if not repository.exists() or not _from_handoff(repository, wanted, index.load(vault, keep=False)):
        find(repository, wanted)  # before a vault is made for nothing
    with writing(vault, now) as writer:
        plan = plan_undo(vault, wanted, writer.index)
        subject = f"undo {plan.entry.id}: {plan.entry.subject}"
        applied = writer.commit(subject, plan.texts, cause="undo", by=by, planned_on=plan.planned_on)
        made = _entries(writer.repository, [applied.commit or writer.repository.head()])[0]
    return Undone(plan.entry, made, tuple(path for path in applied.skipped if path in plan.texts))


def diff(plan: UndoPlan) -> str:
    """An undo as a unified diff, to be read by a person."""
    import difflib

    parts: list[str] = []
    for path, text in plan.texts.items():
        before = plan.planned_on[path]
        old, new = ((side or "").splitlines(keepends=True) for side in (before, text))
        names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if text is None else f"b/{path}")
        lines = difflib.unified_diff(old, new, *names)
        parts.extend(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(parts).encode("utf-8", "replace").decode("utf-8")
