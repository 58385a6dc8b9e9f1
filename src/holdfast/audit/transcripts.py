"""What a host itself wrote down about its sessions: which there were, where, since when, and whether capture was off.

A host writes a transcript of every session, hooks or not, so this is the one witness that does not depend on us. All of
them are known by name and time alone; only one that the ledger does not account for is opened, and then a bounded part
of it. A start at which capture is off answers with a sentence that the host keeps in the transcript: Claude Code among
the outputs of hooks, Codex as a developer's message. So a session that was meant to be left alone says so itself, and
the hook need not write anything for it.
"""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import brief_file
from holdfast.text import transcript
from holdfast.text.transcript import CLAUDE, CODEX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HEAD = 256 << 10  # what hosts and their instructions put before the first answer of a hook
TAIL = 1 << 20
OFF = brief_file.said_off("").text.rstrip(".").encode()
ID = 36  # letters of a session's id, at the end of what Codex calls its file


@dataclass(frozen=True)
class Written:
    """A transcript, known by its name and time."""

    host: str
    session: str
    path: str
    changed: float


@dataclass(frozen=True)
class Opening:
    """How a session began. `off` is why nothing of it was captured, as its start said; "" where it said nothing."""

    folder: str = ""
    began: float = 0.0
    off: str = ""
    is_session: bool = False


@dataclass(frozen=True)
class Rest:
    """What a session did after a moment: when it last spoke, 0 if not at all, and whether a start said it was off."""

    spoke: float = 0.0
    off: str = ""


def listing(host: str, top: str, since: float, most: int) -> tuple[list[Written], bool]:
    """What a host has written since, the newest first; and whether there was more than may be looked at."""
    found: list[Written] = []
    for looked, (folder, name) in enumerate(_files(host, top)):
        if looked >= most:
            return _newest_first(found), True
        try:
            changed = os.stat(f"{folder}/{name}").st_mtime
        except OSError:
            continue
        if changed >= since:
            session = name.removesuffix(".jsonl")
            session = session[-ID:] if host == CODEX else session
            found.append(Written(host, session, f"{folder}/{name}", changed))
    return _newest_first(found), False


def _newest_first(found: list[Written]) -> list[Written]:
    return sorted(found, key=lambda one: -one.changed)


def _files(host: str, top: str) -> Iterator[tuple[str, str]]:
    for folder, folders, names in os.walk(top):
        folders.sort(reverse=True)  # Codex names them by the day
        if host == CLAUDE and folder != top:
            folders.clear()  # below a project's folder lie subagents and what tools wrote
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                yield folder, name


def opening(written: Written) -> Opening:
    """How it began, from its first lines. What is no session of a user's own (a subagent's, an empty one) is none."""
    try:
        with open(transcript.open_plain(written.path), "rb") as file:
            data = file.read(HEAD + 1)
    except (OSError, ValueError):
        return Opening()
    lines = data[:HEAD].split(b"\n")
    folder, began, off = "", 0.0, ""
    is_spoken = len(data) > HEAD  # a first prompt with a picture in it is longer than that
    for line in lines:
        record = transcript.decoded(line)
        if _is_subagents(record):
            return Opening()
        folder = folder or _text(record, "cwd")
        began = began or _time(record)
        off = off or _off(written.host, line, record)
        is_spoken = is_spoken or _is_speech(written.host, record)
    return Opening(folder, began, off, bool(folder) and is_spoken)


def after(written: Written, moment: float) -> Rest:
    """What became of a session after a moment, as far as its last part tells."""
    spoke, off = 0.0, ""
    for _, line in transcript.back(written.path, TAIL):
        record = transcript.decoded(line)
        when = _time(record)
        if when and when <= moment:
            break
        off = off or _off(written.host, line, record)
        if when and _is_speech(written.host, record):
            spoke = max(spoke, when)
    return Rest(spoke, off)


def _is_speech(host: str, record: dict[str, Any]) -> bool:
    """Whether the user or the model spoke or acted here; titles, summaries and snapshots are written at any time."""
    if host == CODEX:
        return record.get("type") in ("response_item", "session_meta")
    return record.get("type") in ("user", "assistant") and not record.get("isMeta")


def _is_subagents(record: dict[str, Any]) -> bool:
    """Codex also writes a transcript for each subagent, and for what it starts for itself."""
    payload = record.get("payload")
    if record.get("type") != "session_meta" or not isinstance(payload, dict):
        return bool(record.get("isSidechain"))
    return isinstance(payload.get("source"), dict) or payload.get("thread_source", "user") != "user"


def _off(host: str, line: bytes, record: dict[str, Any]) -> str:
    """Why capture was off, where this is the hook's own word; a file or a person that quotes it is not believed."""
    if OFF not in line:
        return ""
    payload, attachment = record.get("payload"), record.get("attachment")
    if host == CODEX:
        is_ours = isinstance(payload, dict) and payload.get("role") == "developer"
    else:
        is_ours = isinstance(attachment, dict) and attachment.get("hookEvent") == "SessionStart"
    if not is_ours:
        return ""
    why = line.partition(OFF)[2].partition(b'"')[0].partition(b"\\")[0].decode("utf-8", "replace")
    return why.strip().removesuffix(".")[:120] or "capture was off"


def _text(record: dict[str, Any], name: str) -> str:
    payload = record.get("payload")
    found = record.get(name) or (payload.get(name) if isinstance(payload, dict) else None)
    return found if isinstance(found, str) else ""


def _time(record: dict[str, Any]) -> float:
    try:
        return datetime.datetime.fromisoformat(_text(record, "timestamp")).timestamp()
    except (ValueError, OverflowError):
        return 0.0
