"""Lineage: the chain of handoffs, one file each, of which only the newest is loaded.

    lineage/<project>/<time>-<machine>-<id>.md

The name begins with the time at which the episode ended, so the newest is the last name (save where a clock was ahead,
vault/lineage_order), and two machines never write the same file. The number of a session is its place among the names:
shown, never stored, so it cannot collide.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform, project_merges
from holdfast.capture.ids import digest
from holdfast.capture.quoting import BESIDE_NAME
from holdfast.vault import frontmatter, journal, lineage_order
from holdfast.vault.frontmatter import Unparsable
from holdfast.vault.notes import Broken, slug

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "lineage"
LARGEST = 1 << 18
SECTIONS = {
    "goals": "Goals",
    "worked_on": "Worked on",
    "state": "Where it stands",
    "done": "Done",
    "in_progress": "In progress",
    "blockers": "Blockers",
    "decisions": "Decisions",
    "learned": "Learned",
    "next_steps": "Next steps",
    "files_modified": "Files modified",
    "note": "Note to the next session",
}
OPEN = ("in_progress", "blockers", "next_steps")  # sections of what is still to do
ALSO = {
    "goal": "goals",
    "key decisions": "decisions",
    "decision": "decisions",
    "next step": "next_steps",
    "next": "next_steps",
    "next actions": "next_steps",
    "state": "state",
    "status": "state",
    "current state": "state",
    "completed": "done",
    "what was done": "done",
    "files": "files_modified",
    "files changed": "files_modified",
    "modified files": "files_modified",
    "blocked": "blockers",
    "handoff": "note",
    "note": "note",
    "notes": "note",
}
KNOWN_ANYWAY = (  # what we see for ourselves
    *("title", "time", "date", "started", "project", "branch", "host", "episode", "session", "author", "parents"),
)
MECHANICAL = "holdfast"  # the author of a handoff that nobody wrote
JUDGED = "holdfast with "  # how that of a judge's handoff begins; behind it stands the model


@dataclass(frozen=True)
class Handoff:
    """One entry. `time` is when its episode ended, `started` when it began, both as ISO in UTC."""

    title: str
    time: str
    project: str
    branch: str = ""
    host: str = ""
    episode: str = ""
    started: str = ""
    parents: tuple[str, ...] = ()
    author: str = ""
    sections: dict[str, tuple[str, ...]] = field(default_factory=dict)
    path: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether a close wrote it, and not the one who did the work."""
        return self.author == MECHANICAL or self.author.startswith(JUDGED)

    def items(self, section: str) -> tuple[str, ...]:
        return self.sections.get(section, ())


def iso(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))


def compact(moment: str) -> str:
    """A time as it stands in a file's name."""
    return moment.replace("-", "").replace(":", "")


def path_for(handoff: Handoff, machine: str) -> str:
    """Where a handoff lies: its own name, from what it is of, so that writing it twice is once."""
    ident = digest(handoff.episode or f"{handoff.time} {handoff.title}", 6)
    return f"{FOLDER}/{slug(handoff.project)}/{compact(handoff.time)}-{slug(machine.partition('.')[0], 20)}-{ident}.md"


def _is_handoff(name: str) -> bool:
    return name.endswith(".md") and BESIDE_NAME not in name


def names(vault: str, project: str) -> list[str]:
    """The handoffs of a project, and of those that were merged into it, the oldest first."""
    ids = project_merges.ids(vault, project)
    if len(ids) == 1:
        return names_under(vault, ids[0])
    folders: dict[str, list[str]] = {}
    ranks: dict[str, str] = {}
    for one in ids:
        ranks |= lineage_order.ranks(vault, one)
        for path in names_under(vault, one):
            folder, _, name = path.rpartition("/")
            folders.setdefault(name, []).append(folder)
    return [f"{folder}/{name}" for name in lineage_order.ordered(list(folders), ranks) for folder in folders[name]]


def names_under(vault: str, ident: str) -> list[str]:
    """Those that were written under one id."""
    folder = f"{FOLDER}/{slug(ident)}"
    if any(os.path.islink(f"{vault}/{one}") for one in (FOLDER, folder)):
        return []  # what a link leads to is not the vault
    found = [name for name in platform.names(f"{vault}/{folder}") if _is_handoff(name)]
    return [f"{folder}/{name}" for name in lineage_order.ordered(found, lineage_order.ranks(vault, ident))]


def newest(vault: str, project: str) -> tuple[Handoff, int] | None:
    """The newest handoff that can be read, with its number."""
    return newest_in(vault, names(vault, project))


def newest_in(vault: str, listed: list[str]) -> tuple[Handoff, int] | None:
    """The same of names that are at hand: an archive of ten thousand need not be listed twice."""
    for number in range(len(listed), 0, -1):
        found = read(vault, listed[number - 1])
        if isinstance(found, Handoff):
            return found, number
    return None


def of_episode(vault: str, listed: list[str], episode: str) -> str:
    """The path of an episode's handoff among these; "" where none was written."""
    ending = f"-{digest(episode, 6)}.md"
    for path in reversed(listed):
        if path.endswith(ending):
            found = read(vault, path)  # six letters may be those of another episode
            if isinstance(found, Broken) or found.episode in ("", episode):
                return path
    return ""


def read(vault: str, path: str) -> Handoff | Broken:
    try:
        raw = journal.content(vault, path)
    except OSError as error:
        return Broken(path, 1, f"it cannot be read ({error.strerror})")
    if raw is None or len(raw) > LARGEST:
        return Broken(path, 1, "it is gone" if raw is None else f"it has {len(raw):,} bytes; {LARGEST:,} is the most")
    return from_text(path, raw.decode("utf-8", "replace"))


def from_text(path: str, text: str) -> Handoff | Broken:
    try:
        document = frontmatter.parse(text)
    except Unparsable as error:
        return Broken(path, error.line, error.reason)
    fields = document.fields
    parents = fields.get("parents")
    return Handoff(
        **{name: str(fields.get(name) or "") for name in ("title", "time", "project", "branch", "host", "episode")},
        started=str(fields.get("started") or ""),
        parents=tuple(str(one) for one in parents) if isinstance(parents, list) else (),
        author=str(fields.get("author") or ""),
        sections=sections_of(document.body),
        path=path,
    )


def sections_of(body: str, others: str = "") -> dict[str, tuple[str, ...]]:
    """The items under each heading that we know; an indented line continues the item before it.

    What stands elsewhere goes to the section `others`, with its heading before it, or nowhere if that is "".
    """
    found: dict[str, list[str]] = {}
    section, heading = others, ""
    for line in body.splitlines():
        text = line.strip()
        if line.startswith("#"):
            section = section_named(line.lstrip("#"))
            heading = "" if section or line.startswith("# ") else line.lstrip("#").strip().rstrip(":")
            section = section or others
            continue
        if not section or not text.strip("-*"):
            continue
        items = found.setdefault(section, [])
        if heading and (text.startswith(("- ", "* ")) or not line.startswith((" ", "\t"))):
            text = f"- {heading}: {text.removeprefix('- ').removeprefix('* ').strip()}"
        if text.startswith(("- ", "* ")):
            items.append(text[2:].strip())
        elif items and line.startswith((" ", "\t")):
            items[-1] += f" {text}"
        else:
            items.append(text)
    return {name: tuple(items) for name, items in found.items()}


def section_for(kind: str) -> str:
    """Where in a handoff a flag of a kind belongs."""
    return {"progress": "done", "decision": "decisions"}.get(kind, "learned")


def section_named(heading: str) -> str:
    """The key of a section by its heading, as people spell it; "" where it is none of ours."""
    tidy = heading.strip().strip(":").replace("_", " ").casefold()
    return next((key for key, title in SECTIONS.items() if tidy == title.casefold()), ALSO.get(tidy, ""))


def from_form(form: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Sections from a table of texts or lists, by key or by heading. What has no section becomes part of the note."""
    found: dict[str, tuple[str, ...]] = {}
    for name, given in form.items():
        key = section_named(str(name))
        items = given if isinstance(given, list) else [given]
        texts = tuple(text for text in (_said(one) for one in items) if text)
        if not key and texts and str(name) not in KNOWN_ANYWAY:
            heading = str(name).replace("_", " ").strip()
            key, texts = "note", tuple(f"{heading}: {text}" for text in texts)
        if key and texts:
            found[key] = found.get(key, ()) + texts
    return found


def _said(value: Any) -> str:
    """One item of a form as a line; a table, such as a decision and its reason, as its parts."""
    if isinstance(value, dict):
        return ": ".join(text for text in (_said(one) for one in value.values()) if text)
    if isinstance(value, list):
        return ", ".join(text for text in (_said(one) for one in value) if text)
    return "" if value is None else " ".join(str(value).split())


def render(handoff: Handoff) -> str:
    """The file's text."""
    fields = {
        name: getattr(handoff, name)
        for name in ("title", "time", "started", "project", "branch", "host", "episode", "author")
    }
    body = [f"\n# {handoff.title}\n"]
    for key, title in SECTIONS.items():
        if handoff.items(key):
            body.append(f"\n## {title}\n\n" + "".join(f"- {item}\n" for item in handoff.items(key)))
    return frontmatter.render({**fields, "parents": list(handoff.parents)}, "".join(body))
