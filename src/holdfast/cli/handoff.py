"""`holdfast handoff`: what the next session needs, from a form, an editor, or a pipe."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from holdfast.cli import editor, output
from holdfast.cli.command import Option
from holdfast.memory import Memory


def handoff(
    edit: Annotated[bool, Option("--edit", help="Write it in your editor, from a template.")] = False,
    template: Annotated[bool, Option("--template", help="Only print the form.")] = False,
    anyway: Annotated[bool, Option("--anyway", help="Write it although the lint objects.")] = False,
    json: Annotated[bool, Option("--json", help="Answer as JSON.")] = False,
) -> None:
    """Write the handoff of this session: the form as Markdown or JSON on stdin, or in an editor."""
    memory = Memory.capturing(os.environ)
    if memory.is_stand_in():
        _refuse(memory, template=template)
    if template:
        output.echo(memory.handoff_form().rstrip("\n"))
        return
    by_hand = edit or (sys.stdin is not None and sys.stdin.isatty())
    text = editor.edit(memory.handoff_form()) if by_hand else _piped()
    done = memory.handoff(text, anyway=anyway)
    if json:
        output.as_json({"path": done.path, "number": done.number, "commit": done.commit, "changes": list(done.changes)})
        return
    output.echo(f"handed off as session {done.number}: {done.path}")
    for change in done.changes:
        output.echo(f"note: {change}")


def _piped() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin is not None else ""


def _refuse(memory: Memory, *, template: bool) -> None:
    """The vault is gone: a handoff that was piped is kept as a draft. Raises VaultGone."""
    from holdfast.capture import home, vanished
    from holdfast.errors import VaultGone

    try:
        vanished.refuse(home.vault(memory.env, memory.cwd), memory.env)
    except VaultGone as error:
        if not template and sys.stdin is not None and not sys.stdin.isatty():
            memory.keep_handoff(_piped(), error)
        raise
