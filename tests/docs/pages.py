"""Running the console examples of a page: what the tests compare with, and what tools/page.py writes into it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_HERE = ("pip install", "tools/test.py")  # the two commands of the README: tests/e2e and CI run them


def examples(text: str) -> list[tuple[str, str]]:
    """(command, expected output) of every `$` line, in order; a line that begins with `> ` continues the command."""
    found = []
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            more = 1
            while more < len(lines) and lines[more].startswith("> "):
                more += 1
            command = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
            found.append((command, "\n".join(lines[more:]).rstrip("\n")))
    return found


def environment(home: Path) -> dict[str, str]:
    """A home of the page's own. Closes run where the page runs them, or the next line would depend on the machine."""
    here = Path(__file__).parent
    return {
        "HOME": str(home),
        "PATH": f"{here / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "HOLDFAST_CLOSE": "off",
    }


def run(command: str, home: Path) -> str:
    """What a command prints, both streams."""
    project = home / "shop"
    project.mkdir(exist_ok=True)
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=project,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return (done.stdout + done.stderr).rstrip("\n")


def matches(expected: str, got: str) -> bool:
    """`…` stands for anything within the output, line breaks included where JSON has escaped them."""
    pattern = ".*?".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, got.rstrip("\n"), re.DOTALL) is not None
