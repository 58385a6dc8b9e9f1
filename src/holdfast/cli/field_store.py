"""The stores of the field on the command line: `rebuild` makes the index anew, or this machine's part of a team's."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture import home
from holdfast.cli import output
from holdfast.cli.command import Json, Option
from holdfast.errors import NotFound
from holdfast.memory import Memory


def rebuild(
    store: Annotated[
        bool, Option("--store", help="Send this machine's part of every team's store anew instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Make the field's index anew from notes, thoughts and traffic. Answers and weights stay as they are."""
    memory = Memory.open()
    if store:
        from holdfast.cli import team

        team.send_anew(memory, json=json)
        return
    if not home.format_of(memory.at.vault):
        raise NotFound(f"There is no vault at {memory.at.vault} yet; nothing was made. `holdfast remember` makes one.")
    from holdfast.field.store import Damaged

    try:
        with memory.field.open() as field:
            before = field.store.count()
    except Damaged:
        before = 0  # it only tells how long the bar is
    with output.progress("rebuilding the field", hidden=json) as bar:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            bar(done, max(done, 2 * before))  # each is taken in, and given a vector

        made = memory.field.rebuild(progress)
    lines = [f"The field has {made.thoughts:,} thoughts, {made.embedded:,} of them with new vectors."]
    if made.broken:
        lines.append(f"{made.broken:,} places in the logs are no records; copies are in .state/thoughts/broken.")
    record = {"thoughts": made.thoughts, "embedded": made.embedded, "broken": made.broken}
    output.answer(record, lines, json=json)
