"""Running hook lines, host programs and our server as a host would, in a scratch folder that is gone afterwards.

Nothing in the user's home or vault changes. A hook line runs in the environment as it is, but with a vault of its own;
what it writes to the ledger there is the proof that every link works. Programs have their own folders in the scratch
folder too: some write into their own at any start.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import codec, home, ledger
from holdfast.hosts import registration
from holdfast.hosts.host import every

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EVENT = "HoldfastProbe"  # no host has it, so no boundary is served
PATIENCE = 10.0  # seconds; twice what a hook gives itself
SWITCHES = ("HOLDFAST", home.CHILD, "HOLDFAST_SESSION")
ANSWER_PATIENCE = 30.0  # seconds; it takes about one, most of it the protocol's library, and more on a busy machine
CLIENT = {"name": "holdfast-doctor", "version": "1"}
ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT},
}


@dataclass(frozen=True)
class Ran:
    """The end of a process. Status -1: it did not end in time, or could not be started."""

    status: int
    out: str
    err: str
    seconds: float


@contextmanager
def scratch() -> Iterator[str]:
    """A folder of our own, gone afterwards, whatever still happens in it."""
    folder = tempfile.mkdtemp(prefix="holdfast-doctor-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(
    command: Sequence[str], env: Mapping[str, str], cwd: str, given: bytes = b"", patience: float = PATIENCE
) -> Ran:
    began = time.perf_counter()
    try:
        done = subprocess.run(
            list(command), env=dict(env), cwd=cwd, input=given, capture_output=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return Ran(-1, "", f"no answer after {patience:.0f} s", time.perf_counter() - began)
    except OSError as error:
        return Ran(-1, "", error.strerror or str(error), time.perf_counter() - began)
    out, err = (raw.decode("utf-8", "replace").strip() for raw in (done.stdout, done.stderr))
    return Ran(done.returncode, out, err, time.perf_counter() - began)


@dataclass(frozen=True)
class Fired:
    """A hook line that was run: whether the hook was reached and wrote its record, and its complaint."""

    ran: Ran
    is_recorded: bool
    error: str = ""


def fire(line: str, env: Mapping[str, str]) -> Fired:
    """Run a registered line through the shell as a host does, for an event that asks for nothing."""
    with scratch() as folder:
        own = _own(env, folder, *(name for host in every() for name in host.session_variables))
        payload = {"hook_event_name": EVENT, "event": EVENT, "cwd": folder}
        ran = run(["/bin/sh", "-c", line], own, folder, codec.encode(payload))
        found = list(ledger.read(home.state(f"{folder}/vault"), ledger.Wanted()))
    errors = [str(record.get("error", "")) for record in found if record.get("kind") == "error"]
    is_recorded = any(record.get("kind") == "hook" and record.get("event") == EVENT for record in found)
    return Fired(ran, is_recorded, errors[0] if errors else "")


def _own(env: Mapping[str, str], folder: str, *without: str) -> dict[str, str]:
    """The environment with a vault of our own, and without what would switch holdfast off."""
    kept = {name: text for name, text in env.items() if name not in (*SWITCHES, *without)}
    return {**kept, "HOLDFAST_HOME": f"{folder}/vault", "XDG_STATE_HOME": folder}


def version_of(program: str, env: Mapping[str, str]) -> Ran:
    """The version that a host tells."""
    with scratch() as folder:
        own = {**env, home.CHILD: "1", "DISABLE_AUTOUPDATER": "1", **{host.home_variable: folder for host in every()}}
        return run([program, "--version"], own, folder)


def on_path(word: str, env: Mapping[str, str]) -> str:
    """The program that a shell would run for a word; "" where there is none."""
    return shutil.which(word, path=env.get("PATH", os.defpath)) or ""


def answer(words: Sequence[str], env: Mapping[str, str]) -> tuple[float, str]:
    """How long a server took to answer its first question, and why it did not; "" where it did."""
    with scratch() as folder:
        own = _own(env, folder)
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
                try:  # it goes when its client does; one that does not is made to
                    process.communicate(timeout=ANSWER_PATIENCE)
                except (OSError, ValueError, subprocess.TimeoutExpired):
                    process.kill()
            said.seek(0)
            complaint = said.read(4096).decode("utf-8", "replace").strip().splitlines()
    try:
        if json.loads(line)["result"]["serverInfo"]["name"] == registration.SERVER:
            return seconds, ""
    except (ValueError, KeyError, TypeError):
        pass  # no answer of ours
    silence = "it said nothing" if seconds < ANSWER_PATIENCE else f"no answer after {ANSWER_PATIENCE:.0f} s"
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
    line, deadline = b"", time.monotonic() + ANSWER_PATIENCE
    while not line.endswith(b"\n") and (left := deadline - time.monotonic()) > 0:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        more = os.read(process.stdout.fileno(), 1 << 16)
        if not more:
            break
        line += more
    return line
