"""The plan of a purge: what of a note or thought has to go, and where it stands.

It looks for every line of 20 visible characters and more that the note ever had, its sentences, descriptions, paths and
specific names, and what its flags said; of a thought its text and context. The records of a thought go by its id: so
one of two words goes too, and the same two words elsewhere are left alone. Nothing is changed by planning.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from holdfast.capture import codec, home, log, platform
from holdfast.capture.ids import digest
from holdfast.capture.purging import PURGED, SHORTEST, Scrubber
from holdfast.capture.redaction import redact
from holdfast.errors import GitFailed, NotFound
from holdfast.model import Flag
from holdfast.text.layout import many
from holdfast.vault import journal, notes, own_files, purge_history
from holdfast.vault.git import Repository

MARKER = re.compile(r"^(?:(?:[-*+>]|#{1,6}|\d+[.)])\s+)+")
SENTENCE = re.compile(r"(?<=[.!?])\s+")
CAUSES = ("remember", "promote", "review: keep", "review: accept", "review: reject", "arm", "disarm")


@dataclass(frozen=True)
class PurgePlan:
    """Everything that will go. `quoted` are other files of the vault that hold some of it, which is replaced there."""

    notes: tuple[str, ...]
    paths: tuple[str, ...]
    texts: tuple[str, ...]
    flags: tuple[str, ...]
    commits: int
    quoted: tuple[str, ...]
    records: int
    remotes: tuple[str, ...]
    thoughts: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The plan as it is shown before the question."""
        former = [path for path in self.paths if path not in self.notes]
        known = f", formerly {', '.join(former)}" if former else ""
        what = f"{', '.join(self.notes)}{known}: {many(self.commits, 'commit')} of the history"
        lines = [what] if self.notes else []
        if self.thoughts:
            lines.append(f"{many(len(self.thoughts), 'thought')}: every record, in the history too")
        made_from = f"{many(len(self.flags), 'flag')} it was made from, " if self.notes else ""
        lines.append(f"{made_from}{many(self.records, 'record')} of the logs")
        if self.quoted:
            lines.append(f"its lines become {PURGED} in: {', '.join(self.quoted)}")
        lines += [f"out of reach: the remote {remote}, and every copy of it" for remote in self.remotes]
        return lines


def planned(repository: Repository, *note_paths: str, thoughts: Sequence[str] = ()) -> PurgePlan:
    """Plan to purge some notes, and thoughts by their ids. Raises NotFound, GitFailed."""
    _refuse_elsewhere(repository)
    paths = tuple(dict.fromkeys(one for path in note_paths for one in purge_history.former_names(repository, path)))
    commits, contents = purge_history.versions(repository, paths)
    contents += [raw for path in note_paths if (raw := journal.readable(repository.vault, path)) is not None]
    if not contents and not thoughts:
        raise NotFound(f"{', '.join(note_paths)}: neither in the vault nor in its history; nothing was changed.")
    thoughts = _made_of(repository.vault, paths, thoughts)
    texts, sources = _gathered(paths, contents)
    snags = (f"improvements/{one}.md" for one in sorted(sources))
    paths += tuple(
        path for path in snags if journal.readable(repository.vault, path)
    )  # what a snag changed is told there in the same words
    # The words of the flags, in case the note says it otherwise.
    flagged = (one for one in _records(home.state(repository.vault), ("queue",)) if one.get("id") in sources)
    texts.update(line for one in flagged for line in _lines(Flag.from_record(one).text))
    texts |= thought_texts(repository.vault, thoughts)
    taken = (tuple(sorted(texts)), tuple(sorted(sources)))
    found = PurgePlan(note_paths, paths, *taken, commits, (), 0, (), tuple(sorted(thoughts)))
    scrubber = Scrubber(found.texts, found.flags, found.thoughts)
    rest = Scrubber((), (), found.thoughts)  # a log is named only where something else in it quotes a thought
    others = ((path, rest.scrubbed(raw)) for path, raw in files(repository.vault) if path not in paths)
    quoted = tuple(path for path, raw in others if scrubber.holds(raw))
    logged = (*_records(home.state(repository.vault)), *_records(repository.vault, own_files.LOGS))
    records = sum(1 for record in logged if scrubber.concerns(record))
    said = repository.attempt("config", "--get-regexp", r"^remote\..*\.url$").stdout.decode("utf-8", "replace")
    pairs = (line.partition(" ") for line in said.splitlines())
    remotes = tuple(f"{key[len('remote.') : -len('.url')]} ({redact(url)[0]})" for key, _, url in pairs)
    return replace(found, quoted=quoted, records=records, remotes=remotes)


def _refuse_elsewhere(repository: Repository) -> None:
    if os.path.lexists(repository.folder) and (
        not os.path.isdir(repository.folder)
        or os.path.islink(repository.folder)
        or platform.names(f"{repository.folder}/worktrees")
    ):
        raise GitFailed(
            f"The repository of {repository.vault} is shared with another folder, so its history cannot be written "
            "anew; nothing was changed. Give the vault a repository of its own first."
        )


def _gathered(paths: tuple[str, ...], versions: list[bytes]) -> tuple[set[str], set[str]]:
    """The texts to look for, and the flags."""
    texts: set[str] = {*paths, *(f"({path.rpartition('/')[2]})" for path in paths)}
    sources: set[str] = set()
    for raw in versions:
        text = raw.decode("utf-8", "surrogateescape")
        note = notes.from_text(paths[0], text)
        if isinstance(note, notes.Broken):
            texts.update(_lines(text))
            continue
        texts.update(_lines(note.body))
        texts.update(_lines(note.description))
        texts.update(_named(note.name))
        texts.update(f"{cause}: {note.name}" for cause in CAUSES)  # a short name too, where a commit's subject has it
        sources.update(source for source in note.sources if not source.startswith("import:"))
    return texts, sources


def _named(text: str) -> Iterable[str]:
    """A whole text where it is specific, else such lines of it as are."""
    return [text] if len(text.split()) >= 3 and len(text) >= 8 else _lines(text)


def thought_texts(vault: str, thoughts: Sequence[str]) -> set[str]:
    """Texts in the records of some thoughts, as far as they are specific enough to be looked for elsewhere."""
    found: set[str] = set()
    for record in _records(vault, own_files.LOGS) if thoughts else ():
        if record.get("id") in thoughts:
            text, context = (str(record.get(name, "")) for name in ("text", "context"))
            found.update((*_named(text), *_lines(text), *_lines(context)))
    return found


def _made_of(vault: str, paths: Sequence[str], thoughts: Sequence[str]) -> tuple[str, ...]:
    """These thoughts and what sleep made of them, or of notes that go: an abstract says their words otherwise."""
    gone = {*thoughts, *(f"n-{digest(path, 24)}" for path in paths)}
    logged = (one for one in _records(vault, own_files.LOGS) if one.get("kind") in ("consolidation", "bridge"))
    made = [(str(one.get("id")), one.get("sources", ())) for one in logged]
    found: set[str] = set()
    while more := {ident for ident, sources in made if ident not in found and not gone.isdisjoint(sources)}:
        found |= more
        gone |= more
    return tuple(dict.fromkeys((*thoughts, *sorted(found))))


def _lines(text: str) -> Iterator[str]:
    """Lines and sentences that are specific enough, without what makes them items of a list."""
    for line in text.splitlines():
        plain = MARKER.sub("", " ".join(line.split()))
        for one in {plain, *SENTENCE.split(plain)}:
            if sum(not letter.isspace() for letter in one) >= SHORTEST and len(one) >= SHORTEST:
                yield one


def _records(
    top: str, places: tuple[str, ...] = ("queue", "ledger", "episodes", "snapshots", "drafts")
) -> Iterator[dict[str, Any]]:
    for place in places:
        paths = [f"{folder}/{name}" for folder, _, names in os.walk(f"{top}/{place}") for name in names]
        for path in paths:
            found: list[log.Found] = []
            with suppress(OSError):  # archived meanwhile
                found = list(log.scan_file(path)) if not os.path.islink(path) else []
            for payload in log.records(found):
                with suppress(ValueError):
                    record = codec.decode(payload)
                    if isinstance(record, dict):
                        yield record


def files(vault: str) -> Iterator[tuple[str, bytes]]:
    """Every file of the vault that is not our machinery, with its content."""
    for top, folders, names in os.walk(vault):
        if top == vault:
            folders[:] = [name for name in folders if name not in (".git", ".state")]
        for name in sorted(names):
            path = f"{top}/{name}"[len(vault) + 1 :]
            raw = journal.readable(vault, path)
            if raw is not None:
                yield path, raw
