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
- Its price is the usage of the responses that write memory: input, cache reads and writes, and output. For each of them
  the host has sent the whole context once more.

Transcripts are read from the end and from where the episode began, at most 4 MB of each and 192 MB in all, those of the
newest episodes first; how many were left out is said.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.close import salvage
from holdfast.hook import gist, shell_glance, transcript
from holdfast.hook.transcript import CALL, CODEX, USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.hook.transcript import Said

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
SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True)
class Usage:
    """Of one response; `name` tells it from the others."""

    name: str
    sent: int
    got: int
    model: str = ""


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
    usage = (_of_codex if episode.host == CODEX else _of_claude)(episode.transcript, begins)
    spent: list[Usage] = []
    for turn in _turns(heard, usage):
        used = [response for response, calls in turn.items() if all(writes_memory(one, vault) for one in calls)]
        is_long = len(used) >= LEAST_RESPONSES or sum(one.got for one in used) >= LEAST_WRITTEN
        if is_long and 2 * len(used) >= len(turn):
            spent += used
    if not spent:
        return None
    written = sum(one.got for one in spent)
    tokens = sum(one.sent for one in spent) + written
    return Inline(episode.key, episode.project, len(spent), tokens, written, spent[-1].model)


def _turns(heard: Iterable[Said], usage: Mapping[str, Usage]) -> list[dict[Usage, list[Said]]]:
    """The responses of each turn that call tools, with their calls. One whose usage nobody wrote down is left out."""
    turns: list[dict[Usage, list[Said]]] = [{}]
    for one in heard:
        if one.role == USER:
            turns.append({})
        elif one.role == CALL and one.call in usage:
            turns[-1].setdefault(usage[one.call], []).append(one)
    return turns


def writes_memory(call: Said, vault: str) -> bool:
    """Whether a call writes memory, and nothing else that we can see."""
    files = list(gist.files_of(call))
    if files:
        return all(is_memory(path, vault) for path in files)
    command = gist.command_of(call)
    if not command:
        return False
    targets = [next(filter(None, match.groups()), "") for match in WRITTEN.finditer(command)]
    if targets:
        return all(is_memory(path.strip(), vault) for path in targets)
    return any(_is_ours(words) for words in shell_glance.commands(command))


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


def _of_claude(path: str, begins: int) -> dict[str, Usage]:
    """What the response of each call used. A response is several lines, each with its usage: the fullest counts."""
    responses: dict[str, Usage] = {}
    named: dict[str, str] = {}
    for at, line in transcript.back(path, MOST_EACH):
        if at < begins:
            break
        if b'"tool_use"' not in line or b'"usage"' not in line:
            continue
        record = transcript.decoded(line)
        message = _table(record.get("message"))
        usage, ident = _table(message.get("usage")), str(message.get("id") or at)
        if record.get("type") != "assistant" or not usage:
            continue
        sent, got = sum(_tokens(usage, name) for name in SENT), _tokens(usage, "output_tokens")
        known = responses.get(ident, Usage(ident, 0, 0))
        model = str(message.get("model") or "")
        responses[ident] = Usage(ident, max(sent, known.sent), max(got, known.got), model or known.model)
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_use":
                named[str(block.get("id"))] = ident
    return {call: responses[ident] for call, ident in named.items()}


def _of_codex(path: str, begins: int) -> dict[str, Usage]:
    """The same of Codex, which tells it once the calls of a response are done. Its input includes what is cached."""
    found: dict[str, Usage] = {}
    open_calls: list[str] = []
    total, model = 0, ""
    for at, record in _codex_records(path, begins):
        payload = _table(record.get("payload"))
        if record.get("type") == "turn_context":
            model = str(payload.get("model") or model)
        elif record.get("type") == "response_item" and payload.get("call_id"):
            if not str(payload.get("type")).endswith("_output"):
                open_calls.append(str(payload["call_id"]))
        elif payload.get("type") == "token_count":
            info = _table(payload.get("info"))
            now = _tokens(_table(info.get("total_token_usage")), "total_tokens")
            last = _table(info.get("last_token_usage"))
            if now > total:  # else it is told again, for another reason
                used = Usage(str(at), _tokens(last, "input_tokens"), _tokens(last, "output_tokens"), model)
                found.update(dict.fromkeys(open_calls, used))
                total, open_calls = now, []
    return found


def _codex_records(path: str, begins: int) -> list[tuple[int, dict[str, Any]]]:
    wanted = (b'"token_count"', b'"call_id"', b'"turn_context"')
    lines = []
    for at, line in transcript.back(path, MOST_EACH):
        if at < begins:
            break
        if any(word in line for word in wanted):
            lines.append((at, transcript.decoded(line)))
    return lines[::-1]


def _size(episode: Episode) -> int:
    try:
        return os.stat(episode.transcript).st_size if episode.transcript else 0
    except (OSError, ValueError):
        return 0


def _table(given: object) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _tokens(record: Mapping[str, Any], name: str) -> int:
    found = record.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
