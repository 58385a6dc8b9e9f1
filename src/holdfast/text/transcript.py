"""A host's transcript, read from its end: lines newest first, and what was said in them.

Every tool call looks here, and a transcript grows to hundreds of megabytes, so nothing ever reads one from its start:
`back` takes blocks from the end until its reader has enough, at most `most` bytes. The host writes while we read: a
torn last line, a file that shrinks and lines of a type that we do not know are normal, and each is left aside. What is
no plain file (missing, a pipe, a folder) is an empty transcript, never an error, and never makes us wait.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MOST = 8 << 20  # of a tail: enough to pass a pasted image behind the newest usage
BLOCK = 16 << 10  # read first; the newest usage is most often in it
LARGEST_BLOCK = 1 << 20
CLAUDE, CODEX = "claude-code", "codex"
USER, ASSISTANT, CALL, RESULT = "user", "assistant", "call", "result"
SUMMARY = "summary"  # of what was before a compaction, by the host
QUEUED = "queued"  # what the user typed while the model was at work; it may become a prompt of its own
ASIDE = "aside"  # what a host or a hook put into the user's place
NO_OUTPUT = "(Bash completed with no output)"  # as Claude Code writes it into a result
# What a host or a hook put into the user's place: never the user's words.
INJECTED = (
    *("<system-reminder", "<local-command-", "<command-name", "<command-message", "<bash-", "<task-notification"),
    *("<environment_context", "<user_instructions", "<hook_prompt", "<turn_aborted", "<subagent_notification"),
    *("<skill>", "<permissions instructions", "# AGENTS.md instructions", "[Request interrupted"),
    "Stop hook feedback:",
)


@value
class Usage:
    """Tokens in use; the model, and its window where the host wrote it down."""

    used: int
    model: str = ""
    window: int = 0


@value
class Said:
    """One thing in a transcript: the user's or the model's words, a tool call, or a result. `at` is its line's place
    in the file, in bytes; `call` ties a result to its call."""

    role: str
    text: str
    at: int
    tool: str = ""
    call: str = ""
    given: Any = None  # a call's input as the host wrote it
    failed: bool = False


def open_plain(path: str) -> int:
    """A descriptor of a plain file. Raises OSError or ValueError for anything else, without waiting for it."""
    return platform.opened(path, posix.O_RDONLY | posix.O_NOFOLLOW)


def back(path: str, most: int) -> Iterator[tuple[int, bytes]]:
    """(place, line) from the newest line to the oldest within the last `most` bytes, blank ones left out. The first may
    be torn. A line that begins before those bytes is not given at all, however long it is."""
    try:
        fd = open_plain(path)
    except (OSError, ValueError):
        return
    try:
        yield from _lines(fd, most)
    except OSError:
        return
    finally:
        posix.close(fd)


def _lines(fd: int, most: int) -> Iterator[tuple[int, bytes]]:
    at = posix.fstat(fd).st_size
    lowest = max(0, at - most)
    size = BLOCK
    pieces: list[bytes] = []  # of a line whose beginning we have not reached, newest first
    while at > lowest:
        size = min(size, at - lowest)
        at -= size
        block = posix.pread(fd, size, at)
        if len(block) < size:
            return  # it was cut under us: what we hold belongs to no line any more
        first, *rest = block.split(b"\n")
        if rest:
            end = at + size - len(rest[-1])
            rest[-1] += b"".join(reversed(pieces))
            for nth, line in enumerate(reversed(rest)):
                end -= len(line) + 1 if nth else 0
                if line.strip():
                    yield end, line
            pieces = []
        pieces.append(first)
        size = min(size * 2, LARGEST_BLOCK)
    if at == 0 and any(piece.strip() for piece in pieces):
        yield 0, b"".join(reversed(pieces))


def decoded(line: bytes) -> dict[str, Any]:
    """A line's record; {} where it is none: torn, or not ours to understand."""
    from holdfast.capture import codec

    try:
        found = codec.decode(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def said(host: str, path: str, most: int, *, whole: bool = False) -> Iterator[Said]:
    """Everything that was said, newest first: no thinking, no reminders, no meta lines, nothing of subagents. `whole`
    adds the host's own summaries at compactions, words that the user typed while the model was at work, and texts in
    the user's place that are not the user's."""
    for at, line in back(path, most):
        yield from in_line(host, at, line, whole=whole)


def in_line(host: str, at: int, line: bytes, *, whole: bool = False) -> Iterator[Said]:
    """The same of one line."""
    if host == CODEX:
        if b'"response_item"' in line:
            yield from _of_codex(at, decoded(line), whole=whole)
        elif whole and b'"compacted"' in line:
            yield from _codex_summary(at, decoded(line))
    elif whole and (b'"isCompactSummary":true' in line or b'"queue-operation"' in line):
        yield from _claude_aside(at, decoded(line))
    elif b'"message"' in line and b'"type":"progress"' not in line:
        yield from _of_claude(at, decoded(line), whole=whole)


def since(host: str, path: str, offset: int, most: int, *, whole: bool = False) -> tuple[list[Said], bool]:
    """Everything said from a place on, in its order, and whether only the newest part of that was read. A transcript
    that has become shorter than the place is another one: nothing in it is of this episode."""
    heard: list[Said] = []
    for one in said(host, path, most, whole=whole):
        if one.at < offset:
            break
        heard.append(one)
    try:
        size = posix.stat(path).st_size
    except (OSError, ValueError):
        size = 0
    return heard[::-1], size - offset > most


def _of_claude(at: int, record: dict[str, Any], *, whole: bool = False) -> Iterator[Said]:
    role = record.get("type")
    if role not in (USER, ASSISTANT) or any(record.get(name) for name in ("isSidechain", "isMeta", "isCompactSummary")):
        return
    message = record.get("message")
    if not isinstance(message, dict) or record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in reversed(blocks) if isinstance(blocks, list) else ():
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text":
            yield from _words(role, block.get("text"), at, whole=whole)
        elif kind == "tool_use" and role == ASSISTANT:
            given = block.get("input")
            yield Said(CALL, "", at, tool=str(block.get("name")), call=str(block.get("id")), given=given)
        elif kind == "tool_result":
            text = text_in(block.get("content"))
            yield Said(RESULT, text, at, call=str(block.get("tool_use_id")), failed=block.get("is_error") is True)


def _claude_aside(at: int, record: dict[str, Any]) -> Iterator[Said]:
    """The summary at a compaction, and words that waited for the model."""
    if record.get("isCompactSummary") and not record.get("isSidechain"):
        message = record.get("message")
        text = text_in(message.get("content") if isinstance(message, dict) else None)
        if text.strip():
            yield Said(SUMMARY, without_reminders(text).strip(), at)
    elif record.get("type") == "queue-operation" and record.get("operation") == "enqueue":
        yield from (one for one in _words(QUEUED, record.get("content"), at) if not one.text.startswith(INJECTED))


def _codex_summary(at: int, record: dict[str, Any]) -> Iterator[Said]:
    payload = record.get("payload")
    text = payload.get("message") if isinstance(payload, dict) else None
    if record.get("type") == "compacted" and isinstance(text, str) and text.strip():
        yield Said(SUMMARY, text.strip(), at)


def _of_codex(at: int, record: dict[str, Any], *, whole: bool = False) -> Iterator[Said]:
    payload = record.get("payload")
    if record.get("type") != "response_item" or not isinstance(payload, dict):
        return
    kind = payload.get("type")
    call = str(payload.get("call_id"))
    if kind == "message" and payload.get("role") in (USER, ASSISTANT):
        content = payload.get("content")
        blocks = content if isinstance(content, list) and not _is_the_hosts(payload) else []
        for block in reversed(blocks):
            text = block.get("text") if isinstance(block, dict) else None
            yield from _words(str(payload["role"]), text, at, whole=whole)
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        if kind == "function_call" and isinstance(given, str):
            given = decoded(given.encode("utf-8", "replace")) or given
        yield Said(CALL, "", at, tool=str(payload.get("name") or kind), call=call, given=given)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield _codex_result(text_in(payload.get("output")), at, call)


def _is_the_hosts(payload: dict[str, Any]) -> bool:
    """Whether Codex itself says that it, or a hook, wrote all of what stands in the user's name."""
    beside = payload.get("internal_chat_message_metadata_passthrough")
    told = beside.get("content_item_metadata") if isinstance(beside, dict) else None
    origins = [one.get("provenance") for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    kinds = [one.get("type") for one in origins if isinstance(one, dict)]
    return bool(kinds) and all(kind in ("harness", "agents_md", "skills") for kind in kinds)


def _codex_result(text: str, at: int, call: str) -> Said:
    """A command's result has a head of the host's own, which only matters where the command failed."""
    head, mark, output = text.partition("\nOutput:\n")
    if not mark or "\nWall time: " not in head:
        return Said(RESULT, text, at, call=call)
    ended = head.partition("Process exited with code ")[2]
    return Said(RESULT, output, at, call=call, failed=ended[:1] not in ("", "0"))


def _words(role: str, text: object, at: int, *, whole: bool = False) -> Iterator[Said]:
    if not isinstance(text, str):
        return
    if role == USER:
        text = without_reminders(text)
    if role == USER and text.lstrip().startswith(INJECTED):
        role = ASIDE
    if text.strip() and (whole or role != ASIDE):
        yield Said(role, text.strip(), at)


def without_reminders(text: str) -> str:
    """The user's own words, without the reminders that a host writes between them."""
    begin, end = "<system-reminder>", "</system-reminder>"
    while begin in text:
        before, _, behind = text.partition(begin)
        text = before + behind.partition(end)[2]
    return text


def text_in(content: object) -> str:
    """The text of a result: itself, or that of its blocks; images and the like are left out."""
    if isinstance(content, dict):
        content = content.get("content", content.get("output"))
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def table_in(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def count(given: object) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else 0
