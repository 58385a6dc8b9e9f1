"""Our server of the Model Context Protocol at each host: whether it is registered, and whether it answers.

It is started by the very words that the host has, with the variables that the host would hand to it, and asked what
every client asks first. Words that init did not write are not run: they may be any program.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING

from holdfast.doctor import probe
from holdfast.doctor.checks import MEND, bad, good, note
from holdfast.doctor.hosts import hooked
from holdfast.errors import HoldfastError
from holdfast.install import server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.doctor.checks import Check, Place
    from holdfast.install.hosts import Registrar, Server

NAME = "mcp"
PATIENCE = 30.0  # seconds; it takes about one, most of it the protocol's library, and more on a busy machine
ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "holdfast-doctor", "version": "1"},
    },
}


def check_server(place: Place) -> Iterator[Check]:
    """Where hooks of ours are; memory is written without the server too, so that none is no failure."""
    for name, host in hooked(place).items():
        init = f"`holdfast init --agent {name}` adds it"
        try:
            found = host.server(place.env)
        except HoldfastError as error:
            what = f"{str(error).partition('; ')[0]}; whether it has our server cannot be told"
            yield note(NAME, what, "mend the file", name)
            continue
        if found is None and server.is_installed():
            yield note(NAME, f"{host.TITLE} has no server of ours; memory works without it, by commands", init, name)
        elif found is None:
            what = f"{host.TITLE} has no server of ours, and what it needs is not installed; commands do the same"
            yield note(NAME, what, f"`{server.ADDED_BY}`, then `holdfast init`, if you want it", name)
        elif not found.is_ours:
            what = f'{found.path} has a server "{server.NAME}" that init did not write as it stands'
            yield note(NAME, what, "if it is not meant: take it out, then `holdfast init`", name)
        else:
            yield _started(place, host, found)


def _started(place: Place, host: Registrar, found: Server) -> Check:
    program, ours = found.words[0], server.command(place.env)
    if not os.access(program, os.X_OK):
        what = f"the server in {found.path} starts {program}, which is gone or may not be run"
        is_here = program == ours
        fix = f"{MEND} writes it again" if is_here else f"`holdfast init --agent {host.NAME}` puts it right"
        return bad(NAME, what, fix, host.NAME, can_fix=is_here)
    handed = place.env if found.env is None else {key: place.env[key] for key in found.env if key in place.env}
    seconds, why = answer(found.words, handed)
    if why:
        fix = f"run `{' '.join(found.words)}` by hand: what it prints is the reason"
        fix = fix if server.is_installed() else f"`{server.ADDED_BY}` brings what it needs"
        return bad(NAME, f"the server of {host.TITLE} does not answer: {why}", fix, host.NAME)
    if program != ours:
        what = f"the server in {found.path} starts {program}, of an older place; it answers"
        return note(NAME, what, f"`holdfast init --agent {host.NAME}` brings it up to date", host.NAME)
    return good(NAME, f"the server of {host.TITLE} answered in {seconds:.1f} s", host.NAME)


def answer(words: Sequence[str], env: Mapping[str, str]) -> tuple[float, str]:
    """How long a server took to answer its first question, and why it did not; "" where it did."""
    with probe.scratch() as folder:
        own = {name: text for name, text in env.items() if name not in probe.SWITCHES}
        own["HOLDFAST_HOME"] = f"{folder}/vault"
        own["XDG_STATE_HOME"] = folder
        began = time.perf_counter()
        with open(f"{folder}/said", "w+b") as said:
            try:
                process = subprocess.Popen(
                    list(words), env=own, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
                )
            except OSError as error:
                return 0.0, error.strerror or str(error)
            with process:
                line = _asked(process)
                seconds = time.perf_counter() - began
                _ended(process)
            said.seek(0)
            complaint = said.read(4096).decode("utf-8", "replace").strip().splitlines()
    if _is_answer(line):
        return seconds, ""
    silence = "it said nothing" if seconds < PATIENCE else f"no answer after {PATIENCE:.0f} s"
    return seconds, complaint[-1] if complaint else silence


def _asked(process: subprocess.Popen[bytes]) -> bytes:
    """The first line of what it says to our question; what there is of it when time is over."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps(ASKED).encode() + b"\n")
        process.stdin.flush()
    except OSError:
        return b""
    line, deadline = b"", time.monotonic() + PATIENCE
    while not line.endswith(b"\n") and (left := deadline - time.monotonic()) > 0:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        more = os.read(process.stdout.fileno(), 1 << 16)
        if not more:
            break
        line += more
    return line


def _ended(process: subprocess.Popen[bytes]) -> None:
    """It goes when its client does; one that does not is made to."""
    assert process.stdin
    try:
        process.stdin.close()
        process.wait(PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()


def _is_answer(line: bytes) -> bool:
    try:
        return bool(json.loads(line)["result"]["serverInfo"]["name"] == server.NAME)
    except (ValueError, KeyError, TypeError):
        return False
