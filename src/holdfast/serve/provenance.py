"""What a thought was made of, and that of what, as far as one answer can tell and its reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.field.store import Scope
    from holdfast.field.thought import Thought
    from holdfast.fielding import Fielding

    Look = Callable[[Iterable[str]], dict[str, Thought]]

DEEPEST = 12
MOST = 200


@dataclass(frozen=True)
class Chain:
    """The nearest first, each once, with how far it is. `withheld` counts those of other projects, whose own sources
    are not followed; `more` says that the chain goes on."""

    steps: tuple[tuple[Thought, int], ...]
    withheld: int = 0
    unknown: tuple[str, ...] = ()
    more: bool = False


def refuse_unseen(memory: Fielding, sources: Sequence[str]) -> None:
    """A thought is made of what its author may see: naming another project's would tell that it is there. Raises
    NotFound."""
    found = memory.thoughts(sources) if sources else {}
    mine = memory.scope()
    missing = [one for one in sources if one not in found or not mine.has(found[one])]
    if missing:
        raise NotFound(f'There is no thought "{missing[0]}" to be a source; nothing was written. `recall` shows ids.')


def of(look: Look, thought: Thought, scope: Scope) -> Chain:
    steps: list[tuple[Thought, int]] = []
    unknown: list[str] = []
    withheld = 0
    done = {thought.id}
    level = list(thought.sources)
    for depth in range(1, DEEPEST + 1):
        wanted = [one for one in dict.fromkeys(level) if one not in done]
        if not wanted:
            return Chain(tuple(steps), withheld, tuple(unknown))
        done.update(wanted)
        found = look(wanted)
        unknown += [one for one in wanted if one not in found]
        mine = [found[one] for one in wanted if one in found and scope.has(found[one])]
        withheld += len(wanted) - len(mine) - sum(1 for one in wanted if one not in found)
        room = MOST - len(steps)
        steps += [(one, depth) for one in mine[:room]]
        if len(mine) > room:
            return Chain(tuple(steps), withheld, tuple(unknown), True)
        level = [source for one in mine for source in one.sources]
    return Chain(tuple(steps), withheld, tuple(unknown), any(one not in done for one in level))
