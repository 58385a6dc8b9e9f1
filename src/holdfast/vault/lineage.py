"""Lineage: the chain of handoffs, one file each, of which only the newest is loaded.

    lineage/<project>/<time>-<machine>-<id>.md

The name begins with the time at which the episode ended, so the newest is the last name, and two machines never write
the same file. Where a clock was ahead, handoffs are ordered by which continues which, and by when such a time was first
seen. The number of a session is its place among the names: shown, never stored, so it cannot collide.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from holdfast.capture import codec, home, notices, platform, quoting, same_project
from holdfast.capture.ids import digest
from holdfast.capture.quoting import BESIDE_NAME
from holdfast.vault import front_matter_edits, journal
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.notes import Broken, slug

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
ALSO = {  # other headings of a section
    heading: key
    for key, headings in {
        "goals": ("goal",),
        "decisions": ("key decisions", "decision"),
        "next_steps": ("next step", "next", "next actions"),
        "state": ("state", "status", "current state"),
        "done": ("completed", "what was done"),
        "files_modified": ("files", "files changed", "modified files"),
        "blockers": ("blocked",),
        "note": ("handoff", "note", "notes"),
    }.items()
    for heading in headings
}
FIELDS = ("title", "time", "started", "project", "branch", "host", "episode", "author")
MECHANICAL = "holdfast"  # the author of a handoff that nobody wrote
JUDGED = "holdfast with "  # how that of a judge's handoff begins; behind it stands the model
NOTICE = "handoff-ahead"
SLACK = 300.0  # seconds that two clocks may differ by
WITHIN = 60  # handoffs whose parents are looked at, the newest by name
DIGITS = len("20261117T203000Z")
FORM = "%Y%m%dT%H%M%SZ"


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
        """True if a close wrote it, and not the one who did the work."""
        return self.author == MECHANICAL or self.author.startswith(JUDGED)

    def items(self, section: str) -> tuple[str, ...]:
        return self.sections.get(section, ())


def iso(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))


def compact(moment: str) -> str:
    """A time as it stands in a file's name."""
    return moment.replace("-", "").replace(":", "")


def path_for(handoff: Handoff, machine: str) -> str:
    """The path of a handoff, made from what it is of, so that writing it twice is once."""
    ident = digest(handoff.episode or f"{handoff.time} {handoff.title}", 6)
    return f"{FOLDER}/{slug(handoff.project)}/{compact(handoff.time)}-{slug(machine.partition('.')[0], 20)}-{ident}.md"


def names(vault: str, project: str) -> list[str]:
    """The handoffs of a project, and of those that were merged into it, the oldest first."""
    ids = same_project.ids(vault, project)
    if len(ids) == 1:
        return names_under(vault, ids[0])
    ranks = {name: rank for one in ids for name, rank in ranks_in(vault, one).items()}
    folders: dict[str, list[str]] = {}
    for folder, _, name in (path.rpartition("/") for one in ids for path in names_under(vault, one)):
        folders.setdefault(name, []).append(folder)
    return [f"{folder}/{name}" for name in ordered(list(folders), ranks) for folder in folders[name]]


def names_under(vault: str, ident: str) -> list[str]:
    """Those that were written under one id."""
    found = files_in(vault, FOLDER, ident)
    return [f"{FOLDER}/{slug(ident)}/{name}" for name in ordered(found, ranks_in(vault, ident))]


def files_in(vault: str, top: str, ident: str) -> list[str]:
    """The names of a project's Markdown files under one of the vault's folders, without those that a sync put beside.
    Nothing where a link is on the way: what it leads to is not the vault."""
    folder = f"{top}/{slug(ident)}"
    found = [] if platform.is_behind_link(vault, folder) else platform.names(f"{vault}/{folder}")
    return [name for name in found if name.endswith(".md") and BESIDE_NAME not in name]


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
        document = front_matter_edits.parse(text)
    except Unparsable as error:
        return Broken(path, error.line, error.reason)
    parents = document.fields.get("parents")
    return Handoff(
        **{name: str(document.fields.get(name) or "") for name in FIELDS},
        parents=tuple(str(one) for one in parents) if isinstance(parents, list) else (),
        sections=sections_of(document.body),
        path=path,
    )


def sections_of(body: str, others: str = "") -> dict[str, tuple[str, ...]]:
    """The items under each heading that we know; an indented line continues the item before it. A line elsewhere goes
    to the section `others`, with its heading before it, or nowhere if that is ""."""
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
    """The section of a handoff for a flag of this kind."""
    return {"progress": "done", "decision": "decisions"}.get(kind, "learned")


def section_named(heading: str) -> str:
    """The key of a section by its heading, as people spell it; "" where it is none of ours."""
    tidy = heading.strip().strip(":").replace("_", " ").casefold()
    return next((key for key, title in SECTIONS.items() if tidy == title.casefold()), ALSO.get(tidy, ""))


def from_form(form: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Sections from a table of texts or lists, by key or by heading. The rest becomes part of the note."""
    found: dict[str, tuple[str, ...]] = {}
    for name, given in form.items():
        key = section_named(str(name))
        items = given if isinstance(given, list) else [given]
        texts = tuple(text for text in (_said(one) for one in items) if text)
        if not key and texts and str(name) not in (*FIELDS, "date", "session", "parents"):  # we see those for ourselves
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
    fields = {name: getattr(handoff, name) for name in FIELDS}
    body = [f"\n# {handoff.title}\n"]
    for key, title in SECTIONS.items():
        if handoff.items(key):
            body.append(f"\n## {title}\n\n" + "".join(f"- {item}\n" for item in handoff.items(key)))
    return front_matter_edits.render({**fields, "parents": list(handoff.parents)}, "".join(body))


class Ahead(NamedTuple):
    """A handoff by its file's name, and the time that it is ranked by."""

    name: str
    rank: str


def ranks_in(vault: str, project: str) -> dict[str, str]:
    """The names that are not ranked by their own time."""
    try:
        record = codec.decode(platform.read_file(_path(vault, project), 1 << 20))
        return {str(name): str(rank) for name, rank in record["ranks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def ordered(names: list[str], known: Mapping[str, str]) -> list[str]:
    """File names, the oldest first."""
    return sorted(names, key=lambda name: (_key(name, known), name)) if known else sorted(names)


def note(vault: str, project: str, now: float) -> list[Ahead]:
    """Look for times from the future and remember when they were first seen. Returns those that are still ahead. Of a
    project that others were merged into, each id is looked at by itself."""
    if not project:
        return []
    listed = [path.rpartition("/")[2] for path in names_under(vault, project)]
    limit, seen = _stamp(now + SLACK), _stamp(now + 1)  # behind what was written in this very second
    known = ranks_in(vault, project)
    fresh = {name: rank for name, rank in known.items() if name in set(listed)}
    ahead = [name for name in listed if _is_time(name) and name[:DIGITS] > limit]
    fresh.update({name: seen for name in ahead if name not in fresh})
    if fresh:
        _behind_their_children(vault, project, sorted(listed)[-WITHIN:], fresh)
    if fresh != known:
        path = _path(vault, project)
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, codec.encode({"v": 1, "ranks": fresh}), durable=False)
    found = [Ahead(name, fresh[name]) for name in ahead]
    _tell(vault, project, found, now)
    return found


def _behind_their_children(vault: str, project: str, listed: list[str], fresh: dict[str, str]) -> None:
    """A handoff whose time was ahead ranks a second before one that continues it. The others keep their own time: that
    of a session which died is written late, and continues what was the newest by then."""
    looked_at = dict.fromkeys([*listed, *fresh])
    children: dict[str, list[str]] = {}
    for name in looked_at:
        found = read(vault, f"{FOLDER}/{slug(project)}/{name}")
        if isinstance(found, Handoff):
            for parent in found.parents:
                children.setdefault(parent, []).append(name)
    for _ in range(len(fresh)):
        changed = False
        for name in list(fresh):
            for child in children.get(quoting.stem(name), ()):
                if _is_time(child) and _key(child, fresh)[:DIGITS] <= _key(name, fresh)[:DIGITS] and child != name:
                    when = calendar.timegm(time.strptime(_key(child, fresh)[:DIGITS], FORM))
                    fresh[name] = _stamp(when - 1)
                    changed = True
        if not changed:
            return


def _tell(vault: str, project: str, found: list[Ahead], now: float) -> None:
    state = home.state(vault)
    if not found:
        notices.remove(state, NOTICE, project)
        return
    name, rank = found[-1]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    seen = f"{rank[:4]}-{rank[4:6]}-{rank[6:8]} {rank[9:11]}:{rank[11:13]} UTC"
    line = (
        f"The handoff {name}{more} says a time that is still to come: a clock was ahead. It is ranked as of {seen}, "
        "when that was first seen; nothing of it was changed. Look at this machine's clock, and at those it syncs with."
    )
    notices.leave(state, NOTICE, line, now, project=project)


def _key(name: str, known: Mapping[str, str]) -> str:
    rank = known.get(name)
    return f"{rank}{name[DIGITS:]}" if rank else name


def _is_time(name: str) -> bool:
    return re.match(r"\d{8}T\d{6}Z", name, re.ASCII) is not None


def _stamp(when: float) -> str:
    return time.strftime(FORM, time.gmtime(when))


def _path(vault: str, project: str) -> str:
    return f"{home.state(vault)}/ahead/{slug(project)}"
