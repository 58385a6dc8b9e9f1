"""Which task is meant: the one that is named, the one that a run was started for, or the one that is open here.

Where several could be meant, nothing is guessed: the caller is asked, with their names.
"""

from __future__ import annotations

from holdfast.errors import NotFound, UsageError
from holdfast.tasks import states, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.tasks.index import Index
    from holdfast.tasks.questions import Task

VARIABLE = "HOLDFAST_TASK"  # of a host that `task run` started


def choose(index: Index, named: str, project: str, env: Mapping[str, str], *, also_over: bool = False) -> Task:
    """Raises NotFound, UsageError."""
    wanted = named or env.get(VARIABLE, "")
    if wanted:
        return by_name(index, wanted, project)
    found = index.tasks(project)
    running = [one for one in found if one.state in states.RUNNING]
    fitting = running or found
    if not fitting and also_over:
        fitting = index.tasks(project, also_over=True)[:1]
    if not fitting:
        raise NotFound(
            'No task is open in this project; nothing was written. Begin one: `holdfast task start ID "goal"`.'
        )
    if len(fitting) > 1:
        names = ", ".join(one.id for one in fitting[:6])
        raise UsageError(
            f"{len(fitting)} tasks are open in this project ({names}); nothing was written. "
            "Say which by its id; checkpoint and is-done take it as --task ID."
        )
    return fitting[0]


def by_name(index: Index, named: str, project: str = "") -> Task:
    """Raises NotFound, UsageError."""
    ident = words.ident(named)
    found = index.task(ident)
    if found is None:
        others = [one.id for one in index.tasks(project or None)][:6]
        known = f" Open here: {', '.join(others)}." if others else ' Begin it: `holdfast task start ID "goal"`.'
        raise NotFound(f"There is no task {ident}; nothing was written.{known}")
    return found
