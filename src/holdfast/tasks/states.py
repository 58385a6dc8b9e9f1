"""The states of a task, and which may follow which.

A task is started, becomes active with its first checkpoint, may be paused or blocked and resumed, and ends completed or
abandoned; one that is over can be reopened. What is not in the table is refused in a sentence. A task whose session
died stays active: it can be resumed.
"""

from __future__ import annotations

from holdfast.errors import UsageError

STARTED, ACTIVE, PAUSED, RESUMED, BLOCKED = "started", "active", "paused", "resumed", "blocked"
REOPENED = "reopened"
COMPLETED, ABANDONED = "completed", "abandoned"
RUNNING = (STARTED, ACTIVE, RESUMED, REOPENED)  # somebody works on it, or may begin to
RESTING = (PAUSED, BLOCKED)
OVER = (COMPLETED, ABANDONED)
OPEN = (*RUNNING, *RESTING)
FOLLOWS = {
    STARTED: (ACTIVE, PAUSED, BLOCKED, COMPLETED, ABANDONED),
    ACTIVE: (RESUMED, PAUSED, BLOCKED, COMPLETED, ABANDONED),
    RESUMED: (ACTIVE, RESUMED, PAUSED, BLOCKED, COMPLETED, ABANDONED),
    PAUSED: (RESUMED, ABANDONED),
    BLOCKED: (RESUMED, PAUSED, ABANDONED),
    REOPENED: (ACTIVE, RESUMED, PAUSED, BLOCKED, COMPLETED, ABANDONED),
    COMPLETED: (REOPENED,),
    ABANDONED: (REOPENED,),
}
INSTEAD = {
    STARTED: "checkpoint it",
    ACTIVE: "checkpoint, pause, block, complete or abandon it",
    RESUMED: "checkpoint, pause, block, complete or abandon it",
    PAUSED: "resume or abandon it",
    BLOCKED: "resume, pause or abandon it",
    REOPENED: "checkpoint, pause, block, complete or abandon it",
}


def refuse(task: str, state: str, to: str) -> None:
    """Raises UsageError where a task in `state` cannot become `to`."""
    if to in FOLLOWS.get(state, ()):
        return
    if state in OVER:
        raise UsageError(over(task, state))
    raise UsageError(
        f"Task {task} is {state} and cannot become {to}; nothing was changed. "
        f"You can {INSTEAD.get(state, 'resume it')}: `holdfast task --help`."
    )


def over(task: str, state: str) -> str:
    return (
        f"Task {task} is {state}; nothing was written. Its memory is kept in outputs/session_memory_final_{task}.md; "
        f'`holdfast task reopen {task}` goes on with it; a fact alone is kept with `holdfast flag "…"`.'
    )
