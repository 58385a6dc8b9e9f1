"""Looking at tasks: what `show`, `next`, `is-done`, `list` and `decisions` ask. It writes nothing but what is derived.

Who looks first catches up with the logs and renders what is behind, as every writer does: a page that a killed
checkpoint left behind its log is never what is answered from.
"""

from __future__ import annotations

from holdfast.capture import home
from holdfast.errors import NotFound
from holdfast.model import value
from holdfast.tasks import choosing, states, units, view
from holdfast.tasks import entry as entries
from holdfast.tasks.desk import Desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.tasks.entry import Entry
    from holdfast.tasks.questions import Task
    from holdfast.tasks.view import View


@value
class Done:
    """Whether a unit is done, as somebody said (None where nothing was said of it), or only as the hook saw."""

    task: Task
    is_said: bool | None
    is_seen: bool = False


@value
class Decided:
    """One decision, its task, and the id of what took its place; "" while it is in force."""

    task: str
    entry: Entry
    gone: str = ""


def show(
    vault: str, named: str, project: str, clock: Callable[[], float], env: Mapping[str, str], *, whole: bool = False
) -> View:
    """Raises NotFound, UsageError."""
    _refuse_nothing(vault)
    with Desk(vault, clock, only_look=True) as desk:
        task = _chosen(desk, named, project, env)
        return view.gather(desk.index, task, most=0) if whole else view.gather(desk.index, task)


def _chosen(desk: Desk, named: str, project: str, env: Mapping[str, str]) -> Task:
    task = choosing.choose(desk.index, named, project, env, also_over=True)
    if not task.is_over:
        if desk.is_edited(task.id):
            desk.touch(task.id)
        desk.settle()
    return desk.index.task(task.id) or task


def _refuse_nothing(vault: str) -> None:
    """Looking makes no vault."""
    if not home.format_of(vault):
        raise NotFound('There is no vault yet, and no task in it. Begin one: `holdfast task start ID "goal"`.')


def is_done(
    vault: str, unit: str, named: str, project: str, clock: Callable[[], float], env: Mapping[str, str]
) -> Done:
    """Whether a unit is done, in the task that was asked. Raises NotFound, UsageError."""
    _refuse_nothing(vault)
    mark = units.wanted(unit)
    with Desk(vault, clock, only_look=True) as desk:
        task = _chosen(desk, named, project, env)
        said = desk.index.is_done(task.id, mark)
        return Done(task, said, not said and desk.index.is_done(task.id, mark, also_seen=True) is True)


def tasks(vault: str, project: str | None, clock: Callable[[], float], *, also_over: bool = False) -> list[Task]:
    """The one that spoke last first."""
    if not home.format_of(vault):
        return []
    with Desk(vault, clock, only_look=True) as desk:
        return desk.index.tasks(project, also_over=also_over)


def decisions(vault: str, project: str | None, clock: Callable[[], float], *, also_gone: bool = False) -> list[Decided]:
    """Of all tasks, the finished ones too: what was decided holds until something supersedes it. What was decided in a
    task that was given up binds nobody."""
    if not home.format_of(vault):
        return []
    found: list[Decided] = []
    with Desk(vault, clock, only_look=True) as desk:
        desk.look_over()
        desk.settle()
        for task in desk.index.tasks(project, also_over=True):
            if task.state == states.ABANDONED and not also_gone:
                continue
            told = desk.index.entries(task.id, entries.DECISION, in_force=not also_gone)
            found += [Decided(task.id, one, desk.index.gone_by(task.id, one.id)) for one in told]
    return sorted(found, key=lambda one: (one.entry.time, one.entry.id))
