"""The states of a task, which may follow which, which task is meant, and the protocol as text for prompts.

A task is started, becomes active with its first checkpoint, may be paused or blocked and resumed, and ends
completed or abandoned; one that is over can be reopened. A task whose session died stays active. Where several
tasks could be meant, nothing is guessed: the caller is asked, with their names.
"""

from __future__ import annotations

from holdfast.errors import NotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.tasks.index import Index
    from holdfast.tasks.queries import Task

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
WORKED_ON = "checkpoint, pause, block, complete or abandon it"
INSTEAD = {
    STARTED: "checkpoint it",
    **dict.fromkeys((ACTIVE, RESUMED, REOPENED), WORKED_ON),
    PAUSED: "resume or abandon it",
    BLOCKED: "resume, pause or abandon it",
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


VARIABLE = "HOLDFAST_TASK"  # of a host that `task run` started
MOST_SESSIONS = 20  # of one `task run` until the task is complete


def choose(index: Index, named: str, project: str, env: Mapping[str, str], *, also_over: bool = False) -> Task:
    """Raises NotFound, UsageError."""
    wanted = named or env.get(VARIABLE, "")
    if wanted:
        return by_name(index, wanted, project)
    found = index.tasks(project)
    running = [one for one in found if one.state in RUNNING]
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
    from holdfast.tasks import checkpoint_words

    ident = checkpoint_words.ident(named)
    found = index.task(ident)
    if found is None:
        others = [one.id for one in index.tasks(project or None)][:6]
        known = f" Open here: {', '.join(others)}." if others else ' Begin it: `holdfast task start ID "goal"`.'
        raise NotFound(f"There is no task {ident}; nothing was written.{known}")
    return found


FORMS = ("claude", "agents", "prompt")
BEGIN, END = "<!-- holdfast task protocol -->", "<!-- end of holdfast task protocol -->"
RULES = """At the start of a session:
1. Run `holdfast task show` and read it before anything else. With several open tasks: `holdfast task list`.
2. Apply every decision in force without weighing it again. To change one, supersede it; never work around it.
3. Begin at the next step (`holdfast task next`). Do not redo what is COMPLETED or was seen done:
   `holdfast task is-done UNIT` exits 0.
4. A unit that was IN_PROGRESS may be half done: look at what is there before you do it again.

While you work, one line each, at once:
- `holdfast task checkpoint --decision "DO NOT … because …"` for every choice that binds later work
- `holdfast task checkpoint --progress "IN_PROGRESS: files 048-091"` when a unit begins, `"COMPLETED: …"` at its end
- `holdfast task checkpoint --discovery "…"` for what later work must know
- every 15 minutes at the latest, and at every edge case

Before the context is compacted or the session ends:
1. Checkpoint the state of the unit you are in.
2. Checkpoint every decision that is not yet there.
3. `holdfast task checkpoint --next "…"`: the one exact next action.

When all of it is done: `holdfast task complete ID --status "…" --learned "…" --change "…"`."""


def block(form: str) -> str:
    """The text for one place. Raises UsageError."""
    if form not in FORMS:
        raise UsageError(f'"{form}" is no form of the protocol; use one of: {", ".join(FORMS)}.')
    if form == "prompt":
        return f"This is one session of a long task; its memory is kept by holdfast.\n\n{RULES}\n"
    head = "## Session memory protocol\n\nLong tasks go over many sessions; their memory is kept by holdfast."
    return f"{BEGIN}\n{head}\n\n{RULES}\n{END}\n"
