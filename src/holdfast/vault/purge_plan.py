"""What a purge will take: every text that the note ever had, the flags it was made from, and where they stand.

Reading only. What is looked for: every line of 20 visible characters and more that the note ever had, its sentences,
descriptions, paths and specific names, and what its flags said; of a thought its text and context. The records of a
thought go by its id: so one of two words goes too, and the same two words elsewhere are left alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, log, platform
from holdfast.capture.purging import PURGED, SHORTEST, Scrubber
from holdfast.capture.redaction import redact
from holdfast.errors import GitFailed, NotFound
from holdfast.model import Flag
from holdfast.vault import journal, notes
from holdfast.vault.git import Repository
from holdfast.vault.notes import Broken
from holdfast.vault.own_files import THOUGHTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
ALIKE = "-M75%"  # short notes share most of their front matter: less alike is another note
MARKER = re.compile(r"^(?:(?:[-*+>]|#{1,6}|\d+[.)])\s+)+")
SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Plan:
    """What will go. `quoted` are other files of the vault that hold some of it, which is replaced there."""

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
        """What is shown before it is asked for."""
        former = [path for path in self.paths if path not in self.notes]
        known = f", formerly {', '.join(former)}" if former else ""
        lines = (
            [f"{', '.join(self.notes)}{known}: {_many(self.commits, 'commit')} of the history"] if self.notes else []
        )
        if self.thoughts:
            lines.append(f"{_many(len(self.thoughts), 'thought')}: every record, in the history too")
        made_from = f"{_many(len(self.flags), 'flag')} it was made from, " if self.notes else ""
        lines.append(f"{made_from}{_many(self.records, 'record')} of the logs")
        if self.quoted:
            lines.append(f"its lines become {PURGED} in: {', '.join(self.quoted)}")
        lines += [f"out of reach: the remote {remote}, and every copy of it" for remote in self.remotes]
        return lines


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def planned(repository: Repository, *note_paths: str, thoughts: Sequence[str] = ()) -> Plan:
    """What purging some notes, and thoughts by their ids, means. Raises NotFound, GitFailed."""
    _refuse_elsewhere(repository)
    paths = tuple(dict.fromkeys(one for path in note_paths for one in _names(repository, path)))
    commits, contents = versions(repository, paths)
    contents += [raw for raw in (content(repository.vault, path) for path in note_paths) if raw is not None]
    if not contents and not thoughts:
        raise NotFound(f"{', '.join(note_paths)}: neither in the vault nor in its history; nothing was changed.")
    texts, sources = _gathered(paths, contents)
    told = tuple(
        path for path in (f"improvements/{one}.md" for one in sorted(sources)) if content(repository.vault, path)
    )
    paths += told  # what a snag changed is told there in the same words
    texts |= _flagged(home.state(repository.vault), sources) | thought_texts(repository.vault, thoughts)
    taken = (tuple(sorted(texts)), tuple(sorted(sources)))
    found = Plan(note_paths, paths, *taken, commits, (), 0, (), tuple(sorted(thoughts)))
    scrubber = Scrubber(found.texts, found.flags, found.thoughts)
    rest = Scrubber((), (), found.thoughts)  # a log is named only where something else in it quotes a thought
    others = ((path, rest.scrubbed(raw)) for path, raw in files(repository.vault) if path not in paths)
    quoted = tuple(path for path, raw in others if scrubber.holds(raw))
    logged = (*_records(home.state(repository.vault)), *_records(repository.vault, (THOUGHTS,)))
    records = sum(1 for record in logged if scrubber.concerns(record))
    return replace(found, quoted=quoted, records=records, remotes=_remotes(repository))


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


def _names(repository: Repository, path: str) -> tuple[str, ...]:
    """The path and what the note was called before."""
    found = [path]
    if not repository.exists() or not repository.head():
        return (path,)
    for one in found:
        words = ("log", "--all", "--follow", ALIKE, "--name-status", "-z", "--format=", "--", one)
        parts = iter(repository.run(*words, env=LITERAL).decode("utf-8", "surrogateescape").split("\0"))
        for status in parts:
            if not status.strip():
                continue
            seen = [next(parts), next(parts)] if status.strip()[0] in "RC" else [next(parts)]
            if status.strip()[0] == "R" and seen[1] in found and seen[0] not in found:
                found.append(seen[0])
    return tuple(found)


CAUSES = ("remember", "promote", "review: keep", "review: accept", "review: reject", "arm", "disarm")


def versions(repository: Repository, paths: tuple[str, ...]) -> tuple[int, list[bytes]]:
    """How many commits touched the note, and every content it ever had there."""
    if not paths or not repository.exists() or not repository.head():
        return 0, []
    words = ("log", "--all", "-m", "--full-history", "--no-renames", "--raw", "--no-abbrev", "--format=commit %H")
    lines = repository.run(*words, "--", *paths, env=LITERAL).decode("utf-8", "surrogateescape").splitlines()
    commits = {line for line in lines if line.startswith("commit ")}
    blobs = {ident for line in lines if line.startswith(":") for ident in line.split()[2:4] if ident.strip("0")}
    return len(commits), [repository.run("cat-file", "blob", ident) for ident in sorted(blobs)]


def _gathered(paths: tuple[str, ...], versions: list[bytes]) -> tuple[set[str], set[str]]:
    """The texts to look for, and the flags."""
    texts: set[str] = {*paths, *(f"({path.rpartition('/')[2]})" for path in paths)}
    sources: set[str] = set()
    for raw in versions:
        text = raw.decode("utf-8", "surrogateescape")
        note = notes.from_text(paths[0], text)
        if isinstance(note, Broken):
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
    """What the records of some thoughts say, as far as it is specific enough to be looked for elsewhere."""
    found: set[str] = set()
    for record in _records(vault, (THOUGHTS,)) if thoughts else ():
        if record.get("id") in thoughts:
            text, context = (str(record.get(name, "")) for name in ("text", "context"))
            found.update((*_named(text), *_lines(text), *_lines(context)))
    return found


def _lines(text: str) -> Iterator[str]:
    """Lines and sentences that are specific enough, without what makes them items of a list."""
    for line in text.splitlines():
        plain = MARKER.sub("", " ".join(line.split()))
        for one in {plain, *SENTENCE.split(plain)}:
            if sum(not letter.isspace() for letter in one) >= SHORTEST and len(one) >= SHORTEST:
                yield one


def _flagged(state: str, sources: set[str]) -> set[str]:
    """What the flags said, in case the note says it otherwise."""
    found: set[str] = set()
    for record in _records(state, ("queue",)):
        if record.get("id") in sources:
            found.update(_lines(Flag.from_record(record).text))
    return found


def _records(
    top: str, places: tuple[str, ...] = ("queue", "ledger", "episodes", "snapshots", "drafts")
) -> Iterator[dict[str, Any]]:
    for place in places:
        for folder, _, names in os.walk(f"{top}/{place}"):
            for name in names:
                path = f"{folder}/{name}"
                try:
                    found = list(log.scan_file(path)) if not os.path.islink(path) else []
                except OSError:
                    continue  # archived meanwhile
                for payload in log.records(found):
                    try:
                        record = codec.decode(payload)
                    except ValueError:
                        continue
                    if isinstance(record, dict):
                        yield record


def _remotes(repository: Repository) -> tuple[str, ...]:
    done = repository.attempt("config", "--get-regexp", r"^remote\..*\.url$")
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    pairs = (line.partition(" ") for line in lines)
    return tuple(f"{key[len('remote.') : -len('.url')]} ({redact(url)[0]})" for key, _, url in pairs)


def content(vault: str, path: str) -> bytes | None:
    """A file of the vault; None where there is none, or a link."""
    try:
        return journal.content(vault, path)
    except OSError:
        return None


def files(vault: str) -> Iterator[tuple[str, bytes]]:
    """Every file of the vault that is not our machinery, with its content."""
    for top, folders, names in os.walk(vault):
        if top == vault:
            folders[:] = [name for name in folders if name not in (".git", ".state")]
        for name in sorted(names):
            path = f"{top}/{name}"[len(vault) + 1 :]
            raw = content(vault, path)
            if raw is not None:
                yield path, raw
