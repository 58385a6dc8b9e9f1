"""A task's memory as the beginning of a prompt, for a host that is started for the task.

It says what a start in the task's project says (tasks/boot), in the same words, and the protocol, for hosts that no
hook of ours reaches. It is bounded however long the task is, and fenced: what is remembered is no order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.tasks import boot, choosing, protocol, record, view
from holdfast.tasks.desk import Desk
from holdfast.tasks.run import recording

if TYPE_CHECKING:
    from collections.abc import Callable

CHARACTERS = 9000
RESERVED = 80  # of them, for what says how much was left out
FENCE, FENCE_ENDS = "<holdfast-memory>", "</holdfast-memory>"


def prefix(vault: str, named: str, clock: Callable[[], float]) -> str:
    """Where the memory is kept, the next step, the decisions in force, where the work stands, what was found out.
    Raises NotFound, UsageError."""
    with Desk(vault, clock) as desk:
        task = choosing.by_name(desk.index, named)
        desk.believe(task.id)
        unread = next((one.why for one in desk.unread if one.task == task.id), "")
        task = desk.index.task(task.id) or task
        seen = view.gather(desk.index, task, most=boot.MOST, characters=boot.CHARACTERS)
        items, more = boot.items(task, seen, unread)
        last = recording.last(desk.index, task.id)
    if last and last.to == recording.DIED:
        line = f"The session before this one died ({last.text}): look at the tree before you trust it."
        items.insert(1, (line, "", boot.FIRST))
    head = f"Read {record.page_path(vault, task.id)} first: the memory of task {task.id}, which you go on with."
    foot = protocol.block("prompt")
    lines, left = _fitting(items, CHARACTERS - len(head) - len(foot) - len(FENCE) - len(FENCE_ENDS) - RESERVED)
    if more + left:
        lines.append(f"({more + left} more: `holdfast task show {task.id}`)")
    return "\n".join([head, FENCE, *lines, FENCE_ENDS, foot])


def _fitting(items: list[tuple[str, str, int]], room: int) -> tuple[list[str], int]:
    """As many as fit, by their rank, in short where they do not fit whole; how many were left out."""
    chosen: dict[int, str] = {}
    for at in sorted(range(len(items)), key=lambda at: items[at][2]):
        text, short, _ = items[at]
        fits = next((one for one in (_escaped(text), _escaped(short)) if one and len(one) < room), None)
        if fits:
            chosen[at] = fits
            room -= len(fits) + 1
    return [chosen[at] for at in sorted(chosen)], len(items) - len(chosen)


def _escaped(text: str) -> str:
    """What is remembered cannot close the fence or open another."""
    return re.sub(r"<(?=[\s/!?a-zA-Z]|$)", "&lt;", text)
