"""The stores of the field on the command line: `rebuild` makes the index anew, or this machine's part of a team's;
`field move` brings the whole field into a team's store, and back."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture import home
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
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


def move(
    dsn: Annotated[str, Argument(metavar="DSN", help="postgresql://… of a member; - reads it from standard input.")],
    team: Annotated[str, Option("--team", metavar="TEAM", help="The team whose store it is.")],
    back: Annotated[bool, Option("--back", help="From there into the embedded store of this vault.")] = False,
    json: Json = False,
) -> None:
    """Bring the whole field into a team's store for `serve --store`, or back; both are compared, and the old stays."""
    from holdfast.capture import gate
    from holdfast.cli.team import connected, given_dsn
    from holdfast.team import background, moving, settings

    memory = Memory.open()
    at = memory.at
    gate.require(at.asker(), gate.Change(gate.SETTING), "Moving the field")
    if not home.format_of(at.vault):
        raise NotFound(f"There is no vault at {at.vault} yet; nothing was moved. `holdfast remember` makes one.")
    if back:
        moving.refuse_shared(settings.load(at.env, at.vault).shares)
    with (
        connected(given_dsn(dsn)) as server,
        background.opened(at.vault, at.env, at.clock) as field,
        output.progress("moving the field", hidden=json) as bar,
    ):
        total, done = field.store.count(), 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            bar(done, max(done, total))

        moved = (moving.back if back else moving.forth)(field, server, team, progress)
    old, new = ("the team's store", "the embedded store") if back else ("the embedded store", "the team's store")
    lines = [
        f"{output.counted(moved.thoughts, 'thought')} compared: the same in {old} and {new} (digest {moved.digest}).",
        f"{old[:1].upper()}{old[1:]} stays as it is.",
    ]
    if moved.left:
        lines.append(f"note: {output.counted(moved.left, 'note')} of other machines stay there; a vault has its own.")
    record = {"thoughts": moved.thoughts, "digest": moved.digest, "records": moved.records, "left": moved.left}
    output.answer(record, lines, json=json)
