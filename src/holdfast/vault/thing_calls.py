"""One thing that a clause names, as the calls that touch it: a file is written, a command run, a package installed.

The verb of the clause decides where it matters: what must not be committed is looked for in `git add`, what must not
be read also in reads, a script that must not be run among commands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.vault.call_words import EVERYDAY, MANY, OF_FILES, SINGLE
from holdfast.vault.clause_words import CHANGING, COMMITTING, LESS, READING, RUNNING
from holdfast.vault.named_things import COMMAND, NAME, PACKAGE, PATH, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Call = tuple[str, str]  # the sort, as a `when` has it, and what is looked for

SCRIPT = re.compile(r"\.(?:sh|py|rb|js|ts|pl|bash)$")
PROGRAM = re.compile(r"[a-z0-9][a-z0-9_.-]*")


def calls(one: Thing, clause: str, beside: Sequence[Thing], *, forbids: bool, exact: bool) -> Iterator[Call]:
    """The calls that touch a thing. `forbids`: the clause does. `exact`: a call will be stopped, so a value counts."""
    if one.kind == PATH:
        yield _path(one, clause, forbids=forbids)
    elif one.kind == COMMAND:
        yield from _command(one, clause, beside, forbids=forbids)
    elif one.kind in (PACKAGE, NAME):
        yield from _name(one, forbids=forbids)
    else:
        key, has_value, _ = one.text.partition("=")
        yield "settings", one.text if exact and has_value and not CHANGING.search(clause) else key


def _path(one: Thing, clause: str, *, forbids: bool) -> Call:
    before = clause[: one.at]
    if forbids and COMMITTING.search(clause):
        return "runs", f"git add|commit {one.text}{'**' if one.text.endswith('/') else ''}"
    if forbids and SCRIPT.search(one.text) and RUNNING.search(before):
        return "runs", one.text.rpartition("/")[2].lower()
    if forbids and READING.search(before):
        return "opens", one.text
    return "writes", one.text


def _command(one: Thing, clause: str, beside: Sequence[Thing], *, forbids: bool) -> Iterator[Call]:
    words = one.text.split()
    if words[0] in OF_FILES and any(other.kind == PATH for other in beside):
        return  # the file is what is meant
    if len(words) == 1 and words[0] in EVERYDAY and not forbids:
        return
    less = LESS.search(clause)
    yield "runs", f"{one.text} !{less[1]}" if less and less.start() > one.at else one.text
    if len(words) == 1 and forbids:
        yield "packages", words[0]


def _name(one: Thing, *, forbids: bool) -> Iterator[Call]:
    """A name may be a program, a package, or in backticks a setting."""
    if one.is_run and forbids and PROGRAM.fullmatch(one.text):
        yield "runs", one.text
    if one.kind == PACKAGE or one.text not in MANY:
        yield "packages", one.text.replace("_", "-")
    if one.kind == NAME and one.text not in MANY | SINGLE:
        yield "settings", one.text
