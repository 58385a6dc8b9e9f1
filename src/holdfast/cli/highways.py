"""`holdfast highways`: what several agents keep coming back to, and what they come back to beside it."""

from __future__ import annotations

from typing import Annotated

from holdfast.cli import output, recall
from holdfast.cli.command import Argument, Option
from holdfast.field import prompt_by_words
from holdfast.fielding import Fielding

NONE = "There is no highway yet: a thought becomes one when at least 2 agents have come back to it, 3 times in all."
NONE_HERE = "No highway bears on that."


def highways(
    words: Annotated[list[str] | None, Argument(metavar="[QUERY…]", help="Only those that bear on this.")] = None,
    most: Annotated[int, Option("--most", help="How many.", least=1, most=200)] = 10,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one and global.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """List the highways of the field, the busiest first, each with its neighbours. It leaves no trace."""
    memory = Fielding.here()
    query = " ".join(words or [])
    is_bare = prompt_by_words.is_bare(memory.vault)
    found = [] if is_bare else memory.highways(memory.scope(everything=everything), query, most)
    if json:
        output.as_json({"highways": [one.as_record() for one in found]})
        return
    for rank, one in enumerate(found, 1):
        traffic = one.traffic
        output.echo(f"{rank}. {recall.title(one.thought)}")
        place = output.plain(one.thought.path or one.thought.id)
        ago = output.age(memory.clock() - traffic.last_accessed)
        agents = output.plain(", ".join(traffic.agents))
        output.echo(f"   {place} \u00b7 read {traffic.access_count} times by {agents} \u00b7 last {ago} ago")
        output.echo(f"   weight {one.weight:.2f}")
        for other in one.beside:
            output.echo(f"   beside it {_times(other.count)}: {output.plain(other.title)} ({other.id})")
    if not found:
        output.echo(NONE_HERE if query else NONE)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
