"""Notes: one idea in one file, with a one-line description that decides whether it is read.

A file that cannot be read as a note is Broken: reported with line and reason, kept, and never in the way of a boot.
Nothing outside the vault is ever read or written through a note's name or a link. In a note that exists we change only
the fields we own (vault/front_matter_edits); the rest is its author's.
"""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from holdfast.capture import platform, quoting
from holdfast.capture.quoting import BESIDE_NAME, stem
from holdfast.errors import NotFound, UsageError
from holdfast.model import TRUSTED, value
from holdfast.vault import front_matter_edits
from holdfast.vault.front_matter_edits import Unparsable

FOLDERS = {
    "identity": "identity",
    "rule": "rules",
    "knowledge": "knowledge",
    "feedback": "feedback",
    "project": "projects",
}
OF_FLAGS = {  # the kind of note that a flag of each kind becomes
    "decision": "project",
    "progress": "project",
    "rule": "rule",
    "lesson": "knowledge",
    "fact": "knowledge",
    "preference": "feedback",
    "snag": "feedback",
    "user-request": "feedback",
}
FROM_HANDOFF = "handoff:"  # how a source begins that is an item of a handoff
QUARANTINE = "quarantine"
UNCONFIRMED = "unconfirmed"  # heard as an order of the user, and nobody has said so yet
PROPOSED = "proposed"  # an agent's own rule, until the user accepts it
WAITING = (UNCONFIRMED, PROPOSED)
STATUSES = ("active", "superseded", *WAITING)
UNVERIFIED = " (unverified: {})"  # behind what a flag said and its session did not
POLICIES = ("do", "ask", "never")
REQUIRED = ("name", "description", "kind", "status", "created", "edited", "reviewed", "origin")
GLOBAL = quoting.GLOBAL
NOWHERE = "?"  # where `project` is no name: shown nowhere rather than everywhere
LARGEST = 1 << 20
LONGEST_NAME = 60
LONGEST_TITLE = 48
SHORTEST_TITLE = 16  # of a clause that can stand for the whole
CLAUSE_ENDS = (", ", "; ", ": ", ". ", " (", " \u2013 ", " \u2014 ")
CLAUSE_WORDS = (" because ", " so that ", " or else ", " when ", " which ")
LONGEST_DESCRIPTION = 160


@value
class Note:
    """One note as its file says. `path` is relative to the vault, `fields` are all keys, ours and others."""

    path: str
    name: str
    description: str
    kind: str
    body: str
    status: str = "active"
    created: str = ""
    edited: str = ""
    reviewed: str = ""
    sources: tuple[str, ...] = ()
    origin: str = "agent"
    project: str = GLOBAL
    supersedes: tuple[str, ...] = ()
    policy: str = ""
    anchors: tuple[Any, ...] = ()
    when: Any = None  # False: disarmed by hand, whatever its words name
    fields: Mapping[str, Any] = {}

    @property
    def is_active(self) -> bool:
        return self.status == "active" and not self.is_quarantined

    @property
    def is_quarantined(self) -> bool:
        return self.path.startswith(f"{QUARANTINE}/")

    @property
    def waits(self) -> bool:
        """True if it binds only after a person said yes."""
        return self.is_quarantined or self.status in WAITING

    @property
    def is_always_on(self) -> bool:
        """Identity, and rules that wait for no tool call, by the word of the user or of the agent itself."""
        steers = self.kind == "identity" or (self.kind == "rule" and not self.when)
        return self.is_active and steers and self.origin in TRUSTED and not self.is_beside and not self.unverified

    @property
    def unverified(self) -> str:
        """The part of it that occurs nowhere in the session that it came from; "" where nothing speaks against it."""
        return _line(_text(self.fields.get("unverified")))

    @property
    def session(self) -> str:
        """The stretch of a session that a note which waits came from; "" where nobody noted it."""
        return _line(_text(self.fields.get("session")))

    @property
    def is_beside(self) -> bool:
        """True if a sync put it beside ours: a person decides between the two."""
        return BESIDE_NAME in self.path.rpartition("/")[2]

    def applies_to(self, project: str) -> bool:
        return self.project in (GLOBAL, project)


@value
class Broken:
    """A file where a note should be."""

    path: str
    line: int
    reason: str


def paths(vault: str) -> Iterator[str]:
    """Every file that should be a note, relative to the vault, by folder and name. Links are not followed: one to a
    folder, like a folder that cannot be listed, comes as itself, to be reported."""
    for folder in (*FOLDERS.values(), QUARANTINE):
        yield from sorted(files(vault, folder))


def files(vault: str, top: str) -> Iterator[str]:
    """The same below one folder, in no order."""
    waiting = [top]
    while waiting:
        under = waiting.pop()
        try:
            if os.path.islink(f"{vault}/{under}"):
                yield under
                continue
            with os.scandir(f"{vault}/{under}") as entries:
                found = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            yield under
            continue
        for entry in found:
            if entry.name.startswith("."):
                continue
            if _is_folder(entry):
                waiting.append(f"{under}/{entry.name}")
            elif entry.name.endswith(".md"):
                yield f"{under}/{entry.name}"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads round in a circle


def walk(vault: str) -> Iterator[Note | Broken]:
    return (read(vault, path) for path in paths(vault))


def read(vault: str, path: str) -> Note | Broken:
    """One note, or why it is none."""
    full = f"{vault}/{path}"
    try:
        seen = os.lstat(full)
        if not stat.S_ISREG(seen.st_mode):
            kind = platform.KINDS.get(stat.S_IFMT(seen.st_mode), "no file")
            what = "a link; links are not followed" if stat.S_ISLNK(seen.st_mode) else f"{kind}, where a note should be"
            return Broken(path, 1, f"it is {what}")
        if seen.st_size > LARGEST:
            return Broken(path, 1, f"it has {seen.st_size:,} bytes; a note is one idea of at most {LARGEST:,}")
        path.encode("utf-8")
        text = platform.read_regular(full, LARGEST).decode("utf-8")
    except UnicodeDecodeError as error:
        return Broken(path, error.object.count(b"\n", 0, error.start) + 1, "it is not UTF-8")
    except UnicodeEncodeError:
        return Broken(path, 1, "its name is not UTF-8; give it another")
    except OSError as error:
        return Broken(path, 1, f"it cannot be read ({error.strerror})")
    return from_text(path, text)


def from_text(path: str, text: str) -> Note | Broken:
    try:
        document = front_matter_edits.parse(text)
    except Unparsable as error:
        return Broken(path, error.line, error.reason)
    return from_fields(path, document.fields, document.body)


def from_fields(path: str, fields: Mapping[str, Any], body: str) -> Note:
    """A missing or odd value becomes its default: `check` complains, a boot goes on."""
    of_folder = (kind for kind, folder in FOLDERS.items() if path.startswith(f"{folder}/"))
    kind = _text(fields.get("kind")) or next(of_folder, "knowledge")
    doubt = _line(_text(fields.get("unverified")))
    return Note(
        path=path,
        name=_line(_text(fields.get("name"))) or stem(path),
        description=_line(_text(fields.get("description")) or body.strip().partition("\n")[0])
        + (UNVERIFIED.format(doubt) if doubt else ""),  # so that nobody shows the one without the other
        kind=kind,
        body=body,
        status=_text(fields.get("status")) or "active",
        created=_text(fields.get("created")),
        edited=_text(fields.get("edited")),
        reviewed=_text(fields.get("reviewed")),
        sources=_texts(fields.get("sources")),
        origin=_text(fields.get("origin")) or "user",  # a file without one was written by hand
        project=GLOBAL if fields.get("project") in (None, "") else _text(fields["project"]) or NOWHERE,
        supersedes=_texts(fields.get("supersedes")),
        policy=_text(fields.get("policy")),
        anchors=tuple(_list(fields.get("anchors"))),
        when=False if fields.get("when") is False else fields.get("when") or None,
        fields=dict(fields),
    )


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, (list, dict)) else str(value)


def _line(text: str) -> str:
    return " ".join(text.split())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(one) for one in _list(value) if _text(one))


def slug(text: str, longest: int = LONGEST_NAME, otherwise: str = "note") -> str:
    """A name for a file: lower case letters and digits of any script with dashes between, cut at a word."""
    spelled = unicodedata.normalize("NFC", text.casefold())  # as most file systems spell it
    words = "".join(letter if letter.isalnum() else " " for letter in spelled).split()
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word.encode("utf-8")[:longest].decode("utf-8", "ignore")
        if len(longer.encode("utf-8")) > longest:
            break
        name = longer
    return name or otherwise


def title(text: str) -> str:
    """A short name: the beginning of a text, cut where a clause ends, else at a word."""
    line = _line(text)
    if len(line) > LONGEST_TITLE:
        ends = (line.find(sign, SHORTEST_TITLE, LONGEST_TITLE) for sign in (*CLAUSE_ENDS, *CLAUSE_WORDS))
        clauses = [at for at in ends if at > 0]
        cut = min(clauses, default=0) or line.rfind(" ", LONGEST_TITLE // 2, LONGEST_TITLE)
        line = line[: cut if cut > 0 else LONGEST_TITLE]
    return line.rstrip(" .,;:-\u2013\u2014(") or "note"


def longer_title(text: str) -> str:
    """More of a text's beginning than its title has, for one whose title another has already."""
    line = _line(text)
    if len(line) > LONGEST_TITLE * 2:
        line = line[: line.rfind(" ", LONGEST_TITLE, LONGEST_TITLE * 2)]
    return line.rstrip(" .,;:-\u2013\u2014(") or "note"


def day(when: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when))


def describe(text: str) -> str:
    """One line that decides relevance: the first sentence or so of a text."""
    line = _line(text)
    cut = line.rfind(" ", LONGEST_DESCRIPTION // 2, LONGEST_DESCRIPTION - 1)
    shorter = line[: cut if cut > 0 else LONGEST_DESCRIPTION - 1].rstrip() + "…"
    return line if len(line) <= LONGEST_DESCRIPTION else shorter


def free_path(kind: str, name: str, taken: Iterable[str] | Callable[[str], bool], folder: str = "") -> str:
    """A path for a new note, by kind and name, with a number where that is `taken`: paths, or a test of one."""
    used = set() if callable(taken) else {path.casefold() for path in taken}
    is_taken = taken if callable(taken) else lambda path: path.casefold() in used
    stem = f"{folder or FOLDERS[kind]}/{slug(name)}"
    path, nth = f"{stem}.md", 1
    while is_taken(path):
        nth += 1
        path = f"{stem}-{nth}.md"
    return path


def new_text(
    *,
    name: str,
    description: str,
    kind: str,
    body: str,
    day: str,
    project: str,
    origin: str,
    sources: Iterable[str] = (),
    status: str = "active",
    **more: Any,
) -> str:
    """The whole text of a new note, its fields in the order people read them."""
    fields = {
        "name": name,
        "description": describe(description),
        "kind": kind,
        "status": status,
        "project": project,
        "created": day,
        "edited": day,
        "reviewed": day,
        "origin": origin,
        "sources": list(sources),
        **more,
    }
    return front_matter_edits.render(fields, f"\n{body.strip()}\n")


def with_fields(text: str, **changes: Any) -> str:
    """A note's text with some of its fields changed, every other byte as it was. Raises UsageError."""
    try:
        return front_matter_edits.edit(front_matter_edits.parse(text), changes)
    except Unparsable as error:
        raise UsageError(f"The note cannot be changed ({error}); nothing was written. Mend it in an editor.") from error


def some_of(paths: Sequence[str], most: int = 3) -> str:
    return ", ".join(paths[:most]) + (f" and {len(paths) - most} more" if len(paths) > most else "")


def find(known: Iterable[Note], wanted: str) -> Note:
    """The note that a person means: its path, its name, or an unambiguous part of it. Raises NotFound."""
    listed = list(known)
    asked = wanted.strip().removeprefix("./")
    tidy = slug(asked, 200, "\0")  # signs alone are no part of any name
    tests = (
        lambda note: note.path in (asked, f"{asked}.md"),
        lambda note: note.name == asked,
        lambda note: tidy in (stem(note.path), slug(note.name, 200, "")),
        lambda note: stem(note.path).startswith(tidy),
        lambda note: tidy in stem(note.path),
    )
    for test in tests:
        found = [note for note in listed if test(note)]
        found = [note for note in found if not note.is_beside] or found
        if len(found) == 1:
            return found[0]
        if found:
            some = some_of([note.path for note in found], 5)
            raise NotFound(f'"{wanted}" may be {some}; nothing was changed. Say the path.')
    raise NotFound(f'There is no note "{wanted}"; nothing was changed. `holdfast notes` lists them.')
