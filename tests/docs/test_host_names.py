"""A host is one folder: no module outside hosts/ names one, but for a list that may only shrink."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

import rooms
from holdfast.capture import gate
from holdfast.hosts import HOSTS, KNOWN
from holdfast.hosts.host import every

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMED = re.compile("claude|codex", re.IGNORECASE)
TRANSCRIPT = "the lines of a host's transcript, a format on disk that text/ reads for rooms below and above hosts/"
INSTRUCTIONS = "files of instructions and skills that people keep, whichever host they use"
HELP = "what a user may type or read: a choice, an example"
MODELS = "a vendor's model, with its price or as a default"
# A new module fails the test, and so does one that names no host any more and still stands here.
LEFT = {
    "capture/gate.py": "variables that name a session; `flag` asks for them below hosts/, and a test compares them",
    "cli/fast.py": HELP,
    "cli/judge.py": HELP,
    "cli/task.py": HELP,
    "close/improve/skills.py": INSTRUCTIONS,
    "close/salvage.py": TRANSCRIPT,
    "close/prices.py": MODELS,
    "close/verify/findings.py": "words of a sentence about agents",
    "close/verify/evidence.py": TRANSCRIPT,
    "close/verify/words.py": "words of a sentence about agents",
    "health/capture.py": "names of other memory tools",
    "health/closes.py": INSTRUCTIONS,
    "health/inline_closes.py": "files of instructions, and the lines of a host's transcript",
    "health/unseen_sessions.py": TRANSCRIPT,
    "taint/host_tools.py": INSTRUCTIONS,
    "install/demo.py": "the demonstration plays one host",
    "install/demo_host.py": "the demonstration plays one host",
    "install/settings_files.py": "lines that older records on disk do not name",
    "judge/models.py": MODELS,
    "tasks/states.py": HELP,
    "tasks/run_command.py": HELP,
    "text/transcript.py": TRANSCRIPT,
}


@pytest.mark.slow
def test_no_module_outside_hosts_names_a_host() -> None:
    paths = {str(path.relative_to(rooms.SOURCE)): path for path in rooms.SOURCE.rglob("*.py")}
    found = {name for name, path in paths.items() if not name.startswith("hosts/") and names_a_host(path)}
    assert sorted(found - set(LEFT)) == [], "ask holdfast.hosts.host instead; see docs/hosts.md, Adding a host"
    assert sorted(set(LEFT) - found) == [], "gone, so take it out of LEFT"


def test_every_host_has_the_parts_that_the_others_have() -> None:
    folders = [rooms.SOURCE / "hosts" / HOSTS[name] for name in KNOWN]
    parts = [{path.name for path in folder.glob("*.py")} for folder in folders]
    assert set.intersection(*parts) >= {"__init__.py", "judge.py", "limits.py", "settings.py"}
    assert [host.name for host in every()] == list(KNOWN)


def test_a_session_is_known_by_the_variables_of_its_host() -> None:
    known = {(host.name, name) for host in every() for name in host.session_variables}
    assert set(gate.SESSION_VARIABLES) <= known


def names_a_host(path: Path) -> bool:
    return any(NAMED.search(word) for word in words(ast.parse(path.read_text(encoding="utf-8"))))


def words(tree: ast.AST) -> Iterator[str]:
    """Names and texts of a module; neither comments nor docstrings."""
    nodes = list(ast.walk(tree))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        match node:
            case ast.Constant(value=str() | bytes() as value) if id(node) not in docstrings:
                yield str(value)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ImportFrom(module=str() as name):
                yield name
