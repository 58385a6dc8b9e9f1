"""`holdfast think`: one thought into the field, or the one that says it already made stronger."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import caller
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.fielding import Fielding

if TYPE_CHECKING:
    from holdfast.field.think import Thinking


def think(
    words: Annotated[list[str], Argument(metavar="TEXT…", help="The thought; - reads it from standard input.")],
    context: Annotated[str, Option("--context", help="What it was thought about or in the course of.")] = "",
    kind: Annotated[
        str,
        Option("--kind", help="original, refinement, consolidation or bridge; all but the first have sources."),
    ] = "original",
    source: Annotated[
        list[str] | None, Option("--source", help="The id of a thought that it is made of; may be repeated.")
    ] = None,
    tag: Annotated[list[str] | None, Option("--tag", help="May be repeated.")] = None,
    category: Annotated[str, Option("--category", help="Such as decision or correction.")] = "",
    space: Annotated[str, Option("--space", help="The knowledge space that it belongs to.")] = "",
    for_all: Annotated[bool, Option("--global", help="For all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Keep a thought in the field. One that is there already is not kept twice: it is reinforced."""
    from holdfast.field.think import Words
    from holdfast.field.traffic import who

    memory = Fielding.here()
    where = caller.here(memory.env, memory.cwd, memory.vault)
    text = " ".join(words)
    done = memory.think(
        Words(
            sys.stdin.read() if text == "-" else text,
            context,
            kind,
            agent=who(where.host),
            session=where.episode,
            project="" if for_all else where.project.id,
            space=space,
            tags=tuple(tag or ()),
            category=category,
            sources=tuple(source or ()),
            origin=caller.origin(where, memory.vault),
        )
    )
    if json:
        one = done.thought
        shown = ("id", "text", "kind", "project", "space", "category", "origin", "path")
        lists = {"tags": list(one.tags), "sources": list(one.sources), "changes": list(done.changes)}
        output.as_json({**{name: getattr(one, name) for name in shown}, **lists, "new": done.is_new})
        return
    output.echo(_said(done))
    for change in done.changes:
        output.echo(f"note: {change}")


def _said(done: Thinking) -> str:
    one = done.thought
    if not done.is_new:
        return f"already thought, and reinforced: {output.plain(one.path or one.id)}"
    where = f"project {one.project}" if one.project else "all projects"
    return f"thought {one.id} [{one.kind}], for {where}"
