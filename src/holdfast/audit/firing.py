"""Hosts whose hooks stopped firing while the host itself went on working: the skip that no ledger can show.

A host writes a transcript of every session, hooks or not. Where transcripts are newer than the newest hook of a host
that has our lines and whose hooks once fired, the lines no longer run: trust was withdrawn, the settings were replaced,
the launcher is gone. Only times and numbers of files are looked at, never what is in them. Sessions of a project that
switched capture off write transcripts too, so those are left out as far as their folder says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.audit.findings import SILENT_HOST, Finding
from holdfast.capture import codec, home, platform
from holdfast.capture.gitfiles import root_of
from holdfast.doctor.checks import age, many
from holdfast.doctor.hosts import hooked
from holdfast.hook import transcript
from holdfast.install.hosts import claude_code, codex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.audit.period import Told
    from holdfast.doctor.checks import Place

SLACK = 3600.0  # seconds: the last turn of a long session may write long after its last hook
MOST_FILES = 20_000
MOST_LOOKED_AT = 20
HEAD = 64 << 10


def silent(place: Place, told: Told) -> list[Finding]:
    """Hosts that have our lines, once ran them in this period, and work on without them."""
    if home.why_off(place.env, place.vault):
        return []
    found = []
    for name, registrar in hooked(place).items():
        last = told.last_hook.get(name, 0.0)
        if not last:
            continue  # never heard of in this period: doctor looks at that
        newer = sorted(_transcripts(place, name, last + SLACK), reverse=True)
        captured = [one for one in newer[:MOST_LOOKED_AT] if not _is_off(one[1])]
        if captured:
            ago = age(place.clock() - last)
            why = (
                f"{registrar.TITLE} wrote {many(len(captured), 'transcript')} after its last hook, {ago} ago: "
                "our lines are there and do not fire"
            )
            fix = f"`holdfast doctor --agent {name}` finds the broken link"
            found.append(Finding(SILENT_HOST, name, why, fix, len(captured), captured[0][0]))
    return found


def _transcripts(place: Place, name: str, since: float) -> Iterator[tuple[float, str]]:
    """Time and path of what a host has written since; our own judges' sessions are not among them."""
    top = (
        f"{claude_code.folder(place.env)}/projects"
        if name == claude_code.NAME
        else f"{codex.folder(place.env)}/sessions"
    )
    looked = 0
    for folder, folders, names in os.walk(top):
        if name == claude_code.NAME and folder != top:
            folders.clear()  # below a project's folder lie subagents and what tools wrote
        for one in names:
            looked += 1
            if looked > MOST_FILES:
                return
            if one.endswith(".jsonl"):
                try:
                    changed = os.stat(f"{folder}/{one}").st_mtime
                except OSError:
                    continue
                if changed > since:
                    yield changed, f"{folder}/{one}"


def _is_off(path: str) -> bool:
    """Whether a session ran in a folder that is not captured, or in none that is there any more."""
    folder = _folder_of(path)
    if not folder or not os.path.isdir(folder):
        return True
    try:
        text = platform.read_file(f"{root_of(folder)}/.holdfast.toml", 1 << 16).decode("utf-8", "replace")
    except (OSError, ValueError):
        return False
    return any("".join(line.split()).lower().startswith("off=true") for line in text.splitlines())


def _folder_of(path: str) -> str:
    """Where a session ran, by the first line that says so; "" where none does."""
    try:
        fd = transcript.open_plain(path)
        with open(fd, "rb") as file:
            lines = file.read(HEAD).split(b"\n")
    except (OSError, ValueError):
        return ""
    for line in lines:
        if b'"cwd"' in line:
            try:
                record = codec.decode(line)
                found = record.get("cwd") or record["payload"].get("cwd")
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            if isinstance(found, str):
                return found
    return ""
