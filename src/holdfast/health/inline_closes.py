"""Closes that a session did itself, on the model that it reasons with and over its whole context: found in transcripts.

A turn is one where three or more of its responses, or 2,000 tokens of them, only write memory, and they are at least
half of those that call tools; the whole rule stands in docs/adr/0017-audit.md. Its price is the usage that the host
wrote down with these responses; a call without a usage is left out.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.close import salvage
from holdfast.text import extract, shell_programs, transcript
from holdfast.text.transcript import CALL, CODEX, USER, count, table_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.text.transcript import Said

SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
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
class Usage:
    """Of one response; `name` tells it from the others."""

    name: str
    sent: int
    got: int
    model: str = ""


def of_calls(host: str, path: str, begins: int, most: int) -> dict[str, Usage]:
    """The usage of each call, by its id, from a place in the transcript on, within its last `most` bytes."""
    return (_of_codex if host == CODEX else _of_claude)(path, begins, most)


def _of_claude(path: str, begins: int, most: int) -> dict[str, Usage]:
    """A response is several lines, each with its usage: the fullest counts."""
    responses: dict[str, Usage] = {}
    named: dict[str, str] = {}
    for at, line in transcript.back(path, most):
        if at < begins:
            break
        if b'"tool_use"' not in line or b'"usage"' not in line:
            continue
        record = transcript.decoded(line)
        message = table_in(record, "message")
        usage, ident = table_in(message, "usage"), str(message.get("id") or at)
        if record.get("type") != "assistant" or not usage:
            continue
        sent, got = sum(count(usage.get(name)) for name in SENT), count(usage.get("output_tokens"))
        known = responses.get(ident, Usage(ident, 0, 0))
        model = str(message.get("model") or "")
        responses[ident] = Usage(ident, max(sent, known.sent), max(got, known.got), model or known.model)
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_use":
                named[str(block.get("id"))] = ident
    return {call: responses[ident] for call, ident in named.items()}


def _of_codex(path: str, begins: int, most: int) -> dict[str, Usage]:
    """The same of Codex, which tells it once the calls of a response are done. Its input includes what is cached."""
    found: dict[str, Usage] = {}
    open_calls: list[str] = []
    total, model = 0, ""
    for at, record in _codex_records(path, begins, most):
        payload = table_in(record, "payload")
        if record.get("type") == "turn_context":
            model = str(payload.get("model") or model)
        elif record.get("type") == "response_item" and payload.get("call_id"):
            if not str(payload.get("type")).endswith("_output"):
                open_calls.append(str(payload["call_id"]))
        elif payload.get("type") == "token_count":
            info = table_in(payload, "info")
            now = count(table_in(info, "total_token_usage").get("total_tokens"))
            last = table_in(info, "last_token_usage")
            if now > total:  # else it is told again, for another reason
                used = Usage(str(at), count(last.get("input_tokens")), count(last.get("output_tokens")), model)
                found.update(dict.fromkeys(open_calls, used))
                total, open_calls = now, []
    return found


def _codex_records(path: str, begins: int, most: int) -> list[tuple[int, dict[str, Any]]]:
    wanted = (b'"token_count"', b'"call_id"', b'"turn_context"')
    lines = []
    for at, line in transcript.back(path, most):
        if at < begins:
            break
        if any(word in line for word in wanted):
            lines.append((at, transcript.decoded(line)))
    return lines[::-1]


@dataclass(frozen=True)
class Inline:
    """A session that wrote its memory itself. `tokens` are those sent and received, `written` the latter."""

    episode: str
    project: str
    responses: int
    tokens: int
    written: int
    model: str = ""


@dataclass(frozen=True)
class Looked:
    """All inline closes; how many transcripts were read, and how many were not: gone, or too much to read."""

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
        try:
            size = os.stat(episode.transcript).st_size if episode.transcript else 0
        except (OSError, ValueError):
            size = 0
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
    """The inline close of one episode; None where what it wrote is none."""
    begins = salvage.beginning(episode)
    heard, _ = transcript.since(episode.host, episode.transcript, begins, MOST_EACH)
    if not any(one.role == CALL and writes_memory(one, vault) for one in heard):
        return None  # most sessions: what they used need not be looked up
    used_by = of_calls(episode.host, episode.transcript, begins, MOST_EACH)
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
    """A turn: the user's words, now and just before, and the responses that call tools, with their calls."""

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
