"""Closes that a session did itself, on the model that it reasons with and over its whole context: found in transcripts.

The rule, on the side of counting too little:

- A *response* is one answer of the model, with the usage that the host wrote down for it. It writes memory where it
  calls tools and every one of its calls does so: `holdfast handoff`, `remember` or `promote`, or a write to a file that
  hosts and people keep memory in: below the vault, CLAUDE.md, AGENTS.md, MEMORY.md and their kin, a `memory` folder of
  a host. `holdfast flag` and `snag` do not count: the cheap line is how it is meant to be. What a response says beside
  its calls, and those that read before they write, are not counted.
- A *turn* goes from one prompt to the next. It is an inline close where at least three of its responses write memory,
  or those that do wrote 2,000 tokens or more, and they are at least half of its responses that call tools. One handoff
  at the end, as the last nudge before a compaction asks for it, is none.
- What the user asked for is none either: a response is left out where the turn's own prompt, or the one before it,
  names each file that the response writes ("restructure our CLAUDE.md"), or the command ("remember", "handoff").
- Its price is the usage of the responses that write memory: input, cache reads and writes, and output. For each of them
  the host has sent the whole context once more.

Transcripts are read from the end and from where the episode began, at most 4 MB of each and 192 MB in all, those of the
newest episodes first; how many were left out is said.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.audit import usage
from holdfast.close import salvage
from holdfast.text import extract, shell_programs, transcript
from holdfast.text.transcript import CALL, USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.audit.usage import Usage
    from holdfast.capture.episodes import Episode
    from holdfast.text.transcript import Said

MOST_EACH = 4 << 20
MOST_IN_ALL = 192 << 20
LEAST_RESPONSES = 3
LEAST_WRITTEN = 2000  # tokens
OURS = ("handoff", "remember", "promote")
NAMES = frozenset(("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "MEMORY.md", "GEMINI.md"))
FOLDERS = (".claude", ".codex", ".agents", ".gemini", ".cursor", ".qwen")
MEMORIES = ("memory", "memories")
WRITTEN = re.compile(
    r"(?<![0-9&>])>{1,2}\s*['\"]?([\w./~$@+ -]+?)['\"]?(?=\s*(?:$|[|;&\n<]|'))|\btee\s+(?:-a\s+)?(\S+)"
)


@dataclass(frozen=True)
class Inline:
    """What a session spent on writing its memory itself. `tokens` are those sent and received, `written` the latter."""

    episode: str
    project: str
    responses: int
    tokens: int
    written: int
    model: str = ""

    def as_record(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass(frozen=True)
class Looked:
    """What was found, how many transcripts were read, and how many were not: gone, or too much to read."""

    found: tuple[Inline, ...] = ()
    read: int = 0
    gone: int = 0
    left_out: int = 0


def look(episodes: Iterable[Episode], vault: str) -> Looked:
    """All inline closes in the transcripts of some episodes, the newest of which come first."""
    found: list[Inline] = []
    read = gone = left_out = 0
    room = MOST_IN_ALL
    for episode in episodes:
        size = _size(episode)
        if not size:
            gone += 1
        elif room <= 0:
            left_out += 1
        else:
            read += 1
            room -= min(size, MOST_EACH)
            one = of_episode(episode, vault)
            if one:
                found.append(one)
    return Looked(tuple(found), read, gone, left_out)


def of_episode(episode: Episode, vault: str) -> Inline | None:
    """What one episode wrote of its memory itself; None where that is no close."""
    begins = salvage.beginning(episode)
    heard, _ = transcript.since(episode.host, episode.transcript, begins, MOST_EACH)
    if not any(one.role == CALL and writes_memory(one, vault) for one in heard):
        return None  # most sessions: what they used need not be looked up
    used_by = usage.of_calls(episode.host, episode.transcript, begins, MOST_EACH)
    spent: list[Usage] = []
    for turn in _turns(heard, used_by):
        used = [
            response
            for response, calls in turn.calls.items()
            if all(writes_memory(one, vault) and not _is_asked_for(one, turn.asked) for one in calls)
        ]
        is_long = len(used) >= LEAST_RESPONSES or sum(one.got for one in used) >= LEAST_WRITTEN
        if is_long and 2 * len(used) >= len(turn.calls):
            spent += used
    if not spent:
        return None
    written = sum(one.got for one in spent)
    tokens = sum(one.sent for one in spent) + written
    return Inline(episode.key, episode.project, len(spent), tokens, written, spent[-1].model)


@dataclass(frozen=True)
class Turn:
    """What the user asked for, now and just before, and the responses that call tools, with their calls."""

    asked: str = ""
    calls: dict[Usage, list[Said]] = field(default_factory=dict)


def _turns(heard: Iterable[Said], used_by: Mapping[str, Usage]) -> list[Turn]:
    """A response whose usage nobody wrote down is left out."""
    turns = [Turn()]
    before = ""
    for one in heard:
        if one.role == USER:
            turns.append(Turn(f"{before}\n{one.text}".lower()))
            before = one.text
        elif one.role == CALL and one.call in used_by:
            turns[-1].calls.setdefault(used_by[one.call], []).append(one)
    return turns


def writes_memory(call: Said, vault: str) -> bool:
    """Whether a call writes memory, and nothing else that we can see."""
    files = _written(call)
    if files:
        return all(is_memory(path, vault) for path in files)
    return any(map(_is_ours, _commands(call)))


def _is_asked_for(call: Said, asked: str) -> bool:
    """Whether the user's own words name all that a call writes."""
    files = _written(call)
    if files:
        return all(path.rpartition("/")[2].lower() in asked for path in files)
    ours = [words[1] for words in _commands(call) if _is_ours(words)]
    return bool(ours) and all(verb in asked for verb in ours)


def _written(call: Said) -> list[str]:
    """The files that a call writes, by a tool or through a shell."""
    files = list(extract.files_of(call))
    if files:
        return files
    found = WRITTEN.finditer(extract.command_of(call) or "")
    return [next(filter(None, match.groups()), "").strip() for match in found]


def _commands(call: Said) -> list[list[str]]:
    command = extract.command_of(call)
    return list(shell_programs.commands(command)) if command else []


def _is_ours(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] == "holdfast" and len(words) > 1 and words[1] in OURS


def is_memory(path: str, vault: str) -> bool:
    """Whether a file is one that memory is kept in. A project's own source folder named memory is none."""
    if path.startswith((f"{vault}/", "~/.holdfast/", "$HOME/.holdfast/")):
        return True
    *folders, name = path.split("/")
    if name in NAMES:
        return True
    hosts = [at for at, folder in enumerate(folders) if folder in FOLDERS]
    return bool(hosts) and any(folder in MEMORIES for folder in folders[hosts[0] :])


def _size(episode: Episode) -> int:
    try:
        return os.stat(episode.transcript).st_size if episode.transcript else 0
    except (OSError, ValueError):
        return 0
