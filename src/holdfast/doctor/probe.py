"""Running things as a host would, in a scratch folder that is gone afterwards.

Promise: nothing in the user's home or vault changes. A hook line runs in the environment as it is, but with a vault of
its own in the scratch folder; what it writes to the ledger there is the proof that every link of it works. Host
programs are asked for their version with their own folders in the scratch folder too: Codex writes into its own at
any start.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import codec, home, ledger_history

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EVENT = "HoldfastProbe"  # no host has it, so no boundary is served
PATIENCE = 10.0  # seconds; twice what a hook gives itself
SWITCHES = ("HOLDFAST", home.CHILD, "HOLDFAST_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID")


@dataclass(frozen=True)
class Ran:
    """What a process left. Status -1: it did not end in time, or could not be started."""

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
    """What became of a hook line: whether the hook was reached and wrote its record, and what it complained of."""

    ran: Ran
    is_recorded: bool
    error: str = ""


def fire(line: str, env: Mapping[str, str]) -> Fired:
    """Run a registered line through the shell as a host does, for an event that asks for nothing."""
    with scratch() as folder:
        vault = f"{folder}/vault"
        own = {name: text for name, text in env.items() if name not in SWITCHES}
        payload = {"hook_event_name": EVENT, "event": EVENT, "cwd": folder}
        ran = run(
            ["/bin/sh", "-c", line],
            {**own, "HOLDFAST_HOME": vault, "XDG_STATE_HOME": folder},
            folder,
            codec.encode(payload),
        )
        found = list(ledger_history.read(home.state(vault), ledger_history.Wanted()))
    errors = [str(record.get("error", "")) for record in found if record.get("kind") == "error"]
    is_recorded = any(record.get("kind") == "hook" and record.get("event") == EVENT for record in found)
    return Fired(ran, is_recorded, errors[0] if errors else "")


def version_of(program: str, env: Mapping[str, str]) -> Ran:
    """What a host says its version is."""
    with scratch() as folder:
        own = {**env, home.CHILD: "1", "CODEX_HOME": folder, "CLAUDE_CONFIG_DIR": folder, "DISABLE_AUTOUPDATER": "1"}
        return run([program, "--version"], own, folder)


def on_path(word: str, env: Mapping[str, str]) -> str:
    """The program that a shell would run for a word; "" where there is none."""
    return shutil.which(word, path=env.get("PATH", os.defpath)) or ""
