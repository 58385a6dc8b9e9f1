"""`holdfast rebuild`: the index of the field made anew from what is true."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture import home
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import NotFound
from holdfast.field.store import Damaged
from holdfast.fielding import Fielding


def rebuild(json: Annotated[bool, Option("--json", help="As JSON.")] = False) -> None:
    """Make the field's index anew from notes, thoughts and traffic. Answers and weights stay as they are."""
    memory = Fielding.here()
    if not home.format_of(memory.vault):
        raise NotFound(f"There is no vault at {memory.vault} yet; nothing was made. `holdfast remember` makes one.")
    try:
        with memory.field() as field:
            before = field.store.count()
    except Damaged:
        before = 0  # it only tells how long the bar is
    with output.progress("rebuilding the field", hidden=json) as bar:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            bar(done, max(done, 2 * before))  # each is taken in, and given a vector

        made = memory.rebuild(progress)
    if json:
        output.as_json({"thoughts": made.thoughts, "embedded": made.embedded, "broken": made.broken})
        return
    output.echo(f"The field has {made.thoughts:,} thoughts, {made.embedded:,} of them with new vectors.")
    if made.broken:
        output.echo(f"{made.broken:,} places in the logs are no records; copies are in .state/thoughts/broken.")
