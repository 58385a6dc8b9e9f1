"""Two more sets, of what a machine has: Python's functions, asked for by their docstrings, and manual pages, asked for
by the line that says what they are about.

Talk is not all that an agent remembers: on code and manuals a small model knows little and words know much, and a
ranking that was tuned on talk alone was worse there than words alone. Constants were tuned on Python's own library and
on pages from a to g; what is held out are the packages installed beside the project, and pages from m to t.
"""

from __future__ import annotations

import ast
import gzip
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from retrieval_data import Memory, Query

MOST_TEXTS, MOST_QUERIES = 2500, 250
LONGEST = 4000
NOT_READ = ("test", "site-packages", "idlelib", "turtle", "pydoc_data", "lib2to3", "holdfast")
MANUALS = Path("/usr/share/man")
MACRO = re.compile(r"^\.(S[HSh]|T[HP]|PP|IP|br|BR?|I|R[SE]|nf|fi|sp|N[md]|Op|Ar|Fl|Pp)\b ?", re.M)
Pair = tuple[str, str, str]  # an id, a question, the text that answers it


def load() -> dict[str, list[Memory]]:
    """Each with the group that was tuned on first; a set of which the machine has nothing is left out."""
    library, packages = (Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib"))
    made = {
        "Docstrings to code": [_memory(_functions(library), False), _memory(_functions(packages), True)],
        "Lines to manual pages": [_memory(_pages("abcdefg"), False), _memory(_pages("mnopqrst"), True)],
    }
    return {name: groups for name, groups in made.items() if all(group.queries for group in groups)}


def _memory(pairs: Iterator[Pair], is_held: bool) -> Memory:
    """As many as are enough, the same ones each time."""
    listed = list(pairs)
    random.Random(1).shuffle(listed)
    kept = listed[:MOST_TEXTS]
    queries = [Query(ident, asked, frozenset([ident]), "all") for ident, asked, _ in kept[:MOST_QUERIES]]
    return Memory([(ident, text) for ident, _, text in kept], queries, [is_held] * len(queries))


def _functions(root: Path) -> Iterator[Pair]:
    """Each function with a docstring of some words: its first paragraph asks, and the rest of it answers."""
    asked: set[str] = set()
    for path in sorted(root.rglob("*.py")):
        name = str(path.relative_to(root))
        if any(one in name for one in NOT_READ):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(node.body) < 3:
                continue
            said = " ".join((ast.get_docstring(node) or "").strip().partition("\n\n")[0].split())[:200]
            if len(said.split()) >= 6 and said not in asked:
                asked.add(said)
                node.body = node.body[1:]
                yield f"{name}:{node.name}:{node.lineno}", said, ast.unparse(node)[:LONGEST]


def _pages(letters: str) -> Iterator[Pair]:
    """Each manual page that says in a line what it is about, and describes it."""
    for path in sorted(MANUALS.glob("man[1-8]/*.gz")):
        if path.name[0].lower() not in letters or path.is_symlink():
            continue
        try:
            text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        except (OSError, EOFError):
            continue
        plain = re.sub(r"^['.]\\\".*$", "", text, flags=re.M).replace("\\-", "-")
        parts = MACRO.sub(lambda macro: "\n\f" if macro[1] in ("SH", "Sh") else "", re.sub(r"\\f.", "", plain))
        found = {one.strip('" ').partition("\n")[0].strip('" ').upper(): one for one in parts.split("\f")}
        line = re.search(r" - (.+)", found.get("NAME", ""))
        body = found.get("DESCRIPTION", "").partition("\n")[2].strip()
        if line and len(line[1].split()) >= 4 and len(body.split()) >= 20:
            yield path.name, line[1].strip()[:200], body[:LONGEST]
