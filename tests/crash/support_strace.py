"""Real system calls, recorded or failed with strace."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .support import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LINE = re.compile(r"(\d+) +(\w+)\((.*)$")
RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)$")
RESULT = re.compile(r"\) += (-?\d+|\?)(?:<(?:\\x..)*>)?(?: (E\w+))?[^=]*$")
FOLDER_OR_FILE = re.compile(r"(AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')


@dataclass(frozen=True)
class Call:
    """One system call. `began` and `ended` are its places among all lines, so that overlaps can be seen."""

    pid: int
    name: str
    arguments: str
    began: int
    ended: int
    result: int | None  # None: the process died in it
    error: str
    injected: bool

    @property
    def texts(self) -> list[bytes]:
        """Paths and data among the arguments."""
        found = TEXT.findall(self.arguments)
        assert not any(cut for _, cut in found), f"strace cut an argument of {self.name} short"
        return [_unhex(text) for text, _ in found]

    def touches(self, folder: Path) -> bool:
        """Whether a path or descriptor among the arguments leads into the folder."""
        start = "".join(f"\\x{byte:02x}" for byte in str(folder).encode())
        return f'"{start}' in self.arguments or re.match(rf"\d+<{re.escape(start)}", self.arguments) is not None

    def told(self, folder: Path) -> str:
        """The call for a person, with paths as seen from the folder."""
        return f"{self.name}({_readable(self.arguments)})".replace(str(folder), "")

    @property
    def fd(self) -> tuple[str, str]:
        """The first descriptor among the arguments, and the path that it leads to."""
        found = FOLDER_OR_FILE.search(self.arguments)
        return (found[1], _unhex(found[2]).decode()) if found else ("", "")


def _readable(text: str) -> str:
    return re.sub(r"(?:\\x[0-9a-f]{2})+", lambda found: _unhex(found[0]).decode("utf-8", "replace"), text)


def _unhex(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def command(
    strace: str, output: Path, traced: Iterable[str], injections: Sequence[str], longest: int, what: Sequence[str]
) -> list[str]:
    options = ["-f", "-qq", "-y", "-xx", "-s", str(longest), "-o", str(output), "-e", "signal=none"]
    if not any("signal=" in injection for injection in injections):
        options.append("--seccomp-bpf")  # three times as fast, but strace 6.1 then delivers no signals
    options += ["-e", f"trace={','.join(traced)}"]
    for injection in injections:
        options += ["-e", f"inject={injection}"]
    return [strace, *options, "--", *what]


def record(
    strace: str,
    vault: Path,
    traced: Iterable[str],
    what: Sequence[str],
    *,
    injections: Sequence[str] = (),
    given: str = "",
    longest: int = 512,
) -> tuple[subprocess.CompletedProcess[str], list[Call]]:
    """Run a command as support.run does, with its calls recorded and some of them failed.

    Arguments are recorded up to `longest` bytes: what the interpreter reads is of no interest, and it reads a lot.
    """
    output = vault.parent / "strace.out"
    done = subprocess.run(
        command(strace, output, traced, injections, longest, what),
        cwd=vault.parent,
        env=environment(vault),
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    calls = parse(output.read_text(encoding="ascii"))
    output.unlink()
    return done, calls


def parse(text: str) -> list[Call]:
    """The calls, in the order in which they ended."""
    open_calls: dict[str, tuple[str, str, int]] = {}
    calls: list[Call] = []
    for at, line in enumerate(text.splitlines()):
        if found := RESUMED.match(line):
            pid = found[1]
            name, head, began = open_calls.pop(pid)
            rest = head + found[3]
        elif found := LINE.match(line):
            pid, name, rest = found.groups()
            began = at
            if rest.endswith("<unfinished ...>"):
                open_calls[pid] = (name, rest.removesuffix("<unfinished ...>"), at)
                continue
        else:
            continue  # an exit or a signal
        result = RESULT.search(rest)
        assert result, f"strace printed what the test does not understand: {line[:200]}"
        number = None if result[1] == "?" else int(result[1])
        calls.append(
            Call(int(pid), name, rest[: result.start()], began, at, number, result[2] or "", "(INJECTED)" in rest)
        )
    return calls
