"""Instruction files of agents: where they lie, and their sections. Nothing is changed at the source.

A project's files are read only where they really lie inside the project: a link or an `@path` that leaves it is named
and left out. The user's own files, and files that the user names, may lie anywhere.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from holdfast.capture import platform
from holdfast.errors import NotFound
from holdfast.hosts.host import every
from holdfast.vault import front_matter_edits

LONGEST = 20_000
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
POINTER_LINE = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*(?:@\S+|\[[^\]]*\]\([^)\s]+\.md\).*)?\s*$")
LARGEST = 1 << 20
DEEPEST = 5  # of files that name files
OF_OTHER_HOSTS = ("GEMINI.md", "QWEN.md", ".github/copilot-instructions.md", ".cursorrules")
POINTER = re.compile(r"^\s*(?:[-*+]\s+)?@(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A part of a Markdown file. `heading` names it, `first` and `last` are the lines of its text, counted from 1."""

    heading: str
    text: str
    first: int
    last: int
    description: str = ""


def cut(text: str, title: str) -> list[Section]:
    """The sections that say something. `title` names what stands above the first heading."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    name, description, start = title, "", 0
    try:
        document = front_matter_edits.parse(text)
        name = str(document.fields.get("name") or title)
        description = str(document.fields.get("description") or "")
        start = text.count("\n") - document.body.count("\n")
        text = document.body
    except front_matter_edits.Unparsable:
        pass
    if description:
        whole = Section(name, text.strip("\n"), start + 1, start + len(_lines(text)), description)
        return _named_once(_pieces(whole)) if says_something(text) else []
    found = [one for one in _by_heading(text, name, start) if says_something(one.text)]
    return _named_once(piece for one in found for piece in _pieces(one))


def says_something(text: str) -> bool:
    """True if there is more than blank lines, comments and pointers to other files."""
    return any(not POINTER_LINE.match(line) for line in COMMENT.sub("", text).splitlines())


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _by_heading(text: str, title: str, start: int) -> Iterator[Section]:
    heading, first, fence, number = title, start + 1, "", start
    held: list[str] = []
    for number, line in enumerate(_lines(text), start + 1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        found = None if fence else HEADING.match(line)
        if found:
            yield Section(heading, "\n".join(held), first, number - 1)
            heading, first, held = found[1].strip() or title, number, []
        else:
            held.append(line)
    yield Section(heading, "\n".join(held), first, number)


def _pieces(section: Section) -> list[Section]:
    if len(section.text) <= LONGEST:
        return [section]
    texts = [""]
    for paragraph in re.split(r"(?<=\n)(?=[ \t]*\n)", section.text):
        for at in range(0, len(paragraph), LONGEST):
            part = paragraph[at : at + LONGEST]
            if texts[-1] and len(texts[-1]) + len(part) > LONGEST:
                texts.append("")
            texts[-1] += part
    named = [(f"{section.heading} ({nth}/{len(texts)})", text) for nth, text in enumerate(texts, 1)]
    return [replace(section, heading=heading, text=text) for heading, text in named]


def _named_once(sections: Iterator[Section] | list[Section]) -> list[Section]:
    """Two sections of one file may have the same heading; the later one gets a number."""
    seen: Counter[str] = Counter()
    out = []
    for one in sections:
        seen[one.heading] += 1
        nth = seen[one.heading]
        out.append(one if nth == 1 else replace(one, heading=f"{one.heading} ({nth})"))
    return out


@dataclass(frozen=True)
class InstructionFile:
    """A file to be read. `label` is how it is called in a note's sources, `inside` the folder that it may not leave."""

    path: str
    label: str
    is_users: bool = False
    inside: str = ""


@dataclass(frozen=True)
class Source:
    """A file that was read."""

    place: InstructionFile
    text: str


@dataclass
class Reading:
    """The files that were read, and a sentence for each that was not."""

    sources: list[Source] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def known_places(root: str, cwd: str, user: str, env: Mapping[str, str], *, all_hosts: bool) -> list[InstructionFile]:
    """The files that agents read in this project, and the user's own, whether they are there or not."""
    hosts = every()
    names = [*(name for host in hosts for name in host.instructions), *(OF_OTHER_HOSTS if all_hosts else ())]
    found = [InstructionFile(f"{root}/{name}", name, inside=root) for name in names]
    if all_hosts:
        rules = sorted(name for name in _names(f"{root}/.cursor/rules") if name.endswith(".mdc"))
        labels = [f".cursor/rules/{name}" for name in rules]
        found += [InstructionFile(f"{root}/{one}", one, inside=root) for one in labels]
    users = [f"{host.folder(env)}/{host.instructions[0]}" for host in hosts]
    if all_hosts:
        users += [f"{user}/.gemini/GEMINI.md", f"{user}/.qwen/QWEN.md"]
    found += [InstructionFile(path, label(path, root, user), is_users=True) for path in users]
    tops = [host.settings.sessions(env) for host in hosts]
    return found + [place for top in tops for place in _auto_memory(top, dict.fromkeys((root, cwd)), root, user)]


def _names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be read."""
    with suppress(OSError):
        return os.listdir(folder)
    return []


def _auto_memory(top: str, folders: Mapping[str, None], root: str, user: str) -> Iterator[InstructionFile]:
    """Files that a host noted by itself: its index first, then the files by topic."""
    spellings = {re.sub("[^A-Za-z0-9]", "-", one): None for one in folders}
    spellings.update({one.replace("/", "-"): None for one in folders})
    for name in spellings:
        folder = f"{top}/{name}/memory"
        names = sorted(_names(folder), key=lambda one: (one != "MEMORY.md", one))
        for one in names:
            if one.endswith(".md"):
                yield InstructionFile(f"{folder}/{one}", label(f"{folder}/{one}", root, user), inside=folder)


def label(path: str, root: str, user: str) -> str:
    """A path as people say it: within the project, below their home, or whole."""
    if path.startswith(f"{root}/"):
        return path[len(root) + 1 :]
    return f"~/{path[len(user) + 1 :]}" if path.startswith(f"{user}/") else path


def read_known(places: list[InstructionFile], root: str) -> Reading:
    """Those of the places that are there, with the files that they name."""
    reading = Reading()
    for place in places:
        if os.path.lexists(place.path):
            _take(reading, place, root, 0)
    return reading


def read_named(paths: list[str], cwd: str, root: str, user: str) -> Reading:
    """Files that the user named. Raises NotFound."""
    reading = Reading()
    for path in paths:
        full = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
        if not os.path.lexists(full):
            raise NotFound(f"There is no file {path}; nothing was imported.")
        _take(reading, InstructionFile(full, label(full, root, user)), root, 0)
    return reading


def _take(reading: Reading, place: InstructionFile, root: str, depth: int) -> None:
    real = os.path.realpath(place.path)
    if real in reading.seen:
        return  # by another name, or in a circle
    reading.seen.add(real)
    if place.inside and not real.startswith(f"{os.path.realpath(place.inside)}/"):
        reading.problems.append(f"{place.label} leads out of {place.inside}; it was left out.")
        return
    try:
        text = _text(place.path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        reading.problems.append(f"{place.label} was left out: {reason}.")
        return
    reading.sources.append(Source(place, text))
    for found in POINTER.finditer(text):
        _follow(reading, place, found[1], root, depth)


def _follow(reading: Reading, place: InstructionFile, named: str, root: str, depth: int) -> None:
    path = os.path.normpath(os.path.join(os.path.dirname(place.path), named))
    if named.startswith("~") or not path.startswith(f"{root}/"):
        reading.problems.append(f"{place.label} names @{named}, which lies outside of the project; it was left out.")
    elif not os.path.lexists(path):
        return  # a mention, not a file
    elif depth >= DEEPEST:
        reading.problems.append(f"{place.label} names @{named} more than {DEEPEST} files deep; it was left out.")
    else:
        _take(reading, InstructionFile(path, path[len(root) + 1 :], inside=root), root, depth + 1)


def _text(path: str) -> str:
    """The file's text. Raises OSError, or ValueError with the reason as a phrase."""
    seen = os.stat(path)
    if not stat.S_ISREG(seen.st_mode):
        raise ValueError("it is a folder; name its files" if stat.S_ISDIR(seen.st_mode) else "it is no file")
    if seen.st_size > LARGEST:
        raise ValueError(f"it has {seen.st_size:,} bytes, {LARGEST:,} is the most")
    raw = platform.read_file(path, LARGEST + 1)
    if b"\0" in raw:
        raise ValueError("it is binary")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"line {raw.count(10, 0, error.start) + 1} is not UTF-8") from error
