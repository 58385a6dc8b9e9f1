"""The protocol as text: blocks for CLAUDE.md, AGENTS.md and prompts, for hosts and people that our hooks do not reach.

Where the hooks run none of it is needed: the start brings the memory, and nudges ask for checkpoints. A block says the
same to an agent that has only its instructions.
"""

from __future__ import annotations

from holdfast.errors import UsageError

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
    title = "## Session memory protocol"
    return (
        f"{BEGIN}\n{title}\n\nLong tasks go over many sessions; their memory is kept by holdfast.\n\n{RULES}\n{END}\n"
    )
