"""Making a brief ahead of the start that will need it, so that the hook only reads one small file.

One file per project and work tree, with the items in order, the files they quote (at most 64, with size and time), and
what has to be there of the files that a note is anchored to. hook/brief keeps it true; this makes it anew.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform, quoting
from holdfast.hook.brief import VERSION, path_of, stamp
from holdfast.model import Project
from holdfast.vault import anchors, index, lineage, notes

if TYPE_CHECKING:
    from holdfast.vault.notes import Note

MOST_FILES = 64
MOST_RULES = 24
MOST_MAPPED = 30
MOST_BESIDE = 5
MOST_ACTIVITY = 5
MOST_BRIEFS = 20  # that one change renews; the others are renewed by their own next start
TAIL = 1 << 16


@dataclass
class _Draft:
    """A brief while it is made."""

    vault: str
    project: Project
    items: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)

    def place(self, path: str) -> int:
        """The number of a file in the table; -1 where the table is full."""
        if path not in self.files and len(self.files) >= MOST_FILES:
            return -1
        return self.files.setdefault(path, len(self.files))

    def add(self, section: str, how: str, path: str, held: list[Any] | None = None, **more: Any) -> bool:
        """Quote one file of the vault; False where there is nothing to quote, or no place for it."""
        full = f"{self.vault}/{path}"
        try:
            raw = platform.read_file(full, notes.LARGEST)
        except OSError:
            return False
        number = self.place(full)
        text, short = quoting.quote(how, path, raw.decode("utf-8", "replace").replace("\r\n", "\n"), self.project.id)
        if number < 0 or not text:
            return False
        self.items.append({"s": section, "how": how, "f": number, "t": text, "b": short, "p": path, **more})
        self._anchor(self.items[-1], held or [])
        return True

    def _anchor(self, item: dict[str, Any], held: list[Any]) -> None:
        """Say what no longer holds, and note what the hook has to look at."""
        watched = []
        for value in held:
            anchor = anchors.read(value)
            state = anchors.holds(self.project.root, anchor) if anchor and self.project.root else "unknown"
            if anchor is None or state == "unknown":
                continue
            if state != "holds":
                said = anchors.sentence(anchor, state)
                item["t"], item["b"] = f"{item['t']} ({said})", f"{item['b']} ({said})"
                continue
            number = self.place(f"{self.project.root}/{anchor.path}")
            if number >= 0:
                needle = anchors.needle(self.project.root, anchor) or ""
                watched.append([number, needle[:4000], anchors.sentence(anchor, "changed")])
        if watched:
            item["a"] = watched

    def say(self, section: str, text: str, **more: Any) -> None:
        self.items.append({"s": section, "t": text, **more})


def refresh(vault: str, project: Project, known: index.Index | None = None) -> str:
    """Make the brief of one work tree, or (without an id) the one for places never seen; returns its path."""
    known = known or index.load(vault)
    draft = _Draft(vault, project)
    applying = [note for note in known.active() if note.applies_to(project.id)]
    _add_rules(draft, applying)
    if project.id:
        _add_handoff(draft)
    shown = {item.get("p") for item in draft.items}
    rest = [note for note in applying if note.path not in shown]
    mapped = sorted(rest, key=lambda note: note.name.casefold())
    for note in sorted(mapped, key=lambda note: note.edited, reverse=True)[:MOST_MAPPED]:
        draft.add("map", quoting.LINE, note.path, list(note.anchors))
    if len(rest) > MOST_MAPPED:
        draft.say("map", f"({len(rest) - MOST_MAPPED:,} more notes; `holdfast notes` lists all.)")
    if project.id:
        _add_activity(draft)
    return _write(draft)


def _add_rules(draft: _Draft, applying: list[Note]) -> None:
    draft.add("rules", quoting.OWN, "BRAIN.md")
    always = [note for note in applying if note.is_always_on]
    always.sort(key=lambda note: (note.kind != "identity", note.project != notes.GLOBAL, note.name.casefold()))
    for note in always[:MOST_RULES]:
        draft.add("rules", quoting.BODY, note.path, list(note.anchors))
    if len(always) > MOST_RULES:
        draft.say("rules", f"({len(always) - MOST_RULES:,} more rules; `holdfast notes --kind rule` lists all.)")


def _add_handoff(draft: _Draft) -> None:
    found = lineage.newest(draft.vault, draft.project.id)
    if not found:
        return
    handoff, number = found
    where = ", ".join(part for part in (handoff.time[:16].replace("T", " "), handoff.branch, handoff.host) if part)
    heading = f"Newest handoff, session {number} ({where}): {handoff.title}"
    for key, title in lineage.SECTIONS.items():
        if handoff.items(key):
            draft.add("handoff", f"{quoting.PART}:{title}", handoff.path, heading=heading)
    beside = lineage.overlapping(draft.vault, draft.project.id, handoff)
    for path, nth in beside[-MOST_BESIDE:]:
        other = lineage.read(draft.vault, path)
        if isinstance(other, lineage.Handoff):
            draft.say("beside", f"- session {nth} ({other.branch or other.host}): {other.title} ({path})", p=path)
    if len(beside) > MOST_BESIDE:
        draft.say("beside", f"({len(beside) - MOST_BESIDE:,} more)")


def _add_activity(draft: _Draft) -> None:
    """The last lines of activity.log that are about this project."""
    wanted = f"] [{draft.project.id}] "
    path = f"{draft.vault}/activity.log"
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - TAIL))
            lines = file.read(TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in [line for line in lines if wanted in line][-MOST_ACTIVITY:]:
        draft.say("activity", f"- {line.replace(wanted, '] ')}")


def _write(draft: _Draft) -> str:
    state = home.state(draft.vault)
    path = path_of(state, draft.project.id, draft.project.root)
    folders = [*notes.FOLDERS.values(), f"{lineage.FOLDER}/{notes.slug(draft.project.id)}", "activity.log"]
    watched = [f"{draft.vault}/{name}" for name in folders]
    record = {
        "v": VERSION,
        "project": dict(draft.project.__dict__),
        "files": [[name, stamp(name)] for name in draft.files],
        "watched": [[name, stamp(name)] for name in watched],
        "items": draft.items,
    }
    platform.make_folders(f"{state}/brief")
    platform.write_atomic(path, codec.encode(record), durable=False)
    return path


def refresh_known(vault: str, known: index.Index | None = None, only: str = "") -> int:
    """Make the newest briefs anew, of one project or all; drop those whose work tree is gone. Returns how many."""
    known = known or index.load(vault)
    folder = f"{home.state(vault)}/brief"
    if not only:
        refresh(vault, Project("", "", "", ""), known)
    found = [(_age(f"{folder}/{name}"), f"{folder}/{name}") for name in platform.names(folder)]
    made = 0
    for _, path in sorted(found, reverse=True):
        project = _project_of(path)
        if project is None or path.endswith(("/global", ".tmp")) or only not in ("", project.id):
            continue
        if made >= MOST_BRIEFS or not os.path.isdir(project.root):
            platform.remove(path)  # its next start finds none, and has it made
            continue
        refresh(vault, project, known)
        made += 1
    return made


def _age(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _project_of(path: str) -> Project | None:
    try:
        return Project(**codec.decode(platform.read_file(path))["project"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
