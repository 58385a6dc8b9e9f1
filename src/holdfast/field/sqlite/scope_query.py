"""A scope as conditions of a query, and words as the expression that FTS5 looks up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture.ids import digest
from holdfast.field.sqlite.slept import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.field.store import Scope


def word(project: str) -> str:
    """A word for a project, in the index of words: it is looked up with the others, before anything is ranked."""
    return f"p{digest(project, 16)}"


def match(terms: Sequence[str], scope: Scope) -> str:
    """The expression that FTS5 looks up. Each term is a phrase: a sign in it is none of the expression's."""
    said = " OR ".join(_quoted(term) for term in terms)
    where = " OR ".join(_quoted(word(one)) for one in scope.projects)
    return f"{{title text context extra}} : ({said})" + (f" AND scope : ({where})" if where else "")


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def conditions(scope: Scope, *, projects: bool = True) -> tuple[str, list[Any]]:
    """As SQL over `t`, to follow other conditions, and its values."""
    said: list[str] = []
    values: list[Any] = []

    def among(column: str, wanted: Sequence[str]) -> str:
        values.extend(wanted)
        return f"{column} IN ({places(wanted)})"

    if projects and scope.projects:
        said.append(among("t.project", scope.projects))
    if scope.space:
        said.append(among("t.space", (scope.space,)))
    if scope.kinds:
        said.append(f"({among('t.kind', scope.kinds)} OR {among('t.category', scope.kinds)})")
    if scope.trust:
        said.append(among("t.origin", scope.trust))
    if scope.agent:
        said.append("(t.agent = ? OR substr(t.agent, 1, ?) = ?)")  # a host is all its sessions
        values.extend((scope.agent, len(scope.agent) + 1, f"{scope.agent}/"))
    for sign, when in ((">=", scope.since), ("<=", scope.until)):
        if when:
            said.append(f"t.created {sign} ?")
            values.append(when)
    return "".join(f" AND {one}" for one in said), values
