"""`holdfast boot` prints the brief, and with --explain the reason of each line; `holdfast close` files what waits and
writes handoffs; `holdfast handoff` takes one from a form, an editor, or a pipe."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import AllProjects, Json, Option
from holdfast.errors import HistoryDamaged, UsageError
from holdfast.memory import Context, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.brief.reasons import Explained, Line
    from holdfast.close.drain import Closed


def edited_text(text: str) -> str:
    """The text as the person saved it. Raises UsageError where the editor failed or nothing was changed."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = f"{folder}/handoff.md"  # in a folder of its own: editors save by a new file of that name
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            status = subprocess.run([*shlex.split(editor), path], check=False).returncode
            with open(path, encoding="utf-8", errors="replace") as saved:
                after = saved.read()
        except FileNotFoundError as error:
            what = "saved nothing" if error.filename == path else "cannot be started (there is no such command)"
            raise UsageError(f"{editor} {what}; nothing was written. Set EDITOR.") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{editor} cannot be started ({error}); nothing was written. Set EDITOR.") from None
    if status or after == text:
        raise UsageError("The editor saved nothing; nothing was written.")
    return after


def boot(
    explain: Annotated[
        bool, Option("--explain", help="Why each line is there, what was left out and why, how much room each.")
    ] = False,
    json: Json = False,
) -> None:
    """Print exactly what the next start in this folder gets."""
    memory = Memory.open()
    if explain:
        found = memory.sessions.explain_boot()
        output.answer(asdict(found), _reason_lines(found), json=json)
        return
    reply = memory.sessions.boot()
    record = {"text": reply.text, "characters": len(reply.text), "carried": list(reply.carried)}
    output.answer(record, [reply.text] if reply.text else [], json=json)


def _reason_lines(found: Explained) -> Iterator[str]:
    yield f"{found.characters:,} characters of {found.room:,}"
    for section in found.sections:
        left = f", {section.left_out:,} left out" if section.left_out else ""
        yield f"\n{section.name}: {section.characters:,} characters, {section.shown:,} shown{left}"
        for line in found.lines:
            if line.section == section.name:
                yield f"  {line.text}\n      {_why(line)}"
    if found.left_out:
        yield "\nleft out:"
    for line in found.left_out:
        yield f"  {line.section}: {line.text or '…'}\n      {_why(line)}"


def _why(line: Line) -> str:
    age = "" if line.age_days is None else "today" if line.age_days == 0 else f"{line.age_days} days old"
    by = f"by {line.origin}" if line.origin else ""
    use = f"read {line.reads} times, weight {line.weight}" if line.reads else ""
    return "; ".join(part for part in (line.why, line.source, line.authority, by, age, use) if part)


def close(
    everything: AllProjects = False,
    verbatim: Annotated[bool, Option("--verbatim", help="Ask no judge, whatever is chosen.")] = False,
    json: Json = False,
) -> None:
    """File the flags that wait as notes, and write the handoff of every session that ended or died."""
    memory = Memory.open()
    with output.progress("Asking the judge", hidden=json) as advance:
        done = memory.sessions.close(
            everything=everything, verbatim=verbatim, progress=advance, say=lambda one: None if json else _line(one)
        )
    failed = [one for one in done if one.error]
    if json:
        rows = [dict(one.__dict__) for one in done]
        output.as_json({"closed": rows, "filed": sum(one.filed for one in done), "ok": not failed})
    elif not done:
        output.echo("Nothing was waiting.")
    if failed:
        is_history = all(one.code == HistoryDamaged.code for one in failed)
        raise SystemExit(HistoryDamaged.exit_status if is_history else 1)


def _line(one: Closed) -> None:
    if not (one.filed or one.episode or one.error):
        why = f" ({one.fell_back})" if one.fell_back else ""
        output.echo(f"looked at notes that were filed verbatim: {one.tidied} consolidated by {one.judge}{why}")
        return
    what = f"session {one.number} ({one.episode})" if one.episode else "flags that belong to no session"
    if one.error:
        whose = f" ({what})" if one.episode else ""
        done = f"closed in part ({what}, {one.filed} filed)" if one.filed else f"not closed{whose}"
        rest = "The rest" if one.filed else "Everything"
        output.echo(f"{done}: {one.error} {rest} waits as before.", err=True)
        return
    handoff = f", handoff {one.handoff}" if one.handoff else ""
    commit = f", commit {one.commit[:10]}" if one.commit else ""
    left_out = f" ({one.discarded} of them left out, with the reason)" if one.discarded else ""
    asked = output.counted(one.jobs, "question")
    judge = f", judged by {one.judge} in {asked}" if one.judge != "verbatim" else ""
    done = "closed" if one.handoff or not one.episode else "filed, while it goes on,"
    output.echo(f"{done} {what}: {one.filed} filed{left_out}{judge}{handoff}{commit}")
    if one.fell_back:
        output.echo(f"  verbatim, where the judge did not answer: {one.fell_back}", err=True)


def handoff(
    edit: Annotated[bool, Option("--edit", help="Write it in your editor, from a template.")] = False,
    template: Annotated[bool, Option("--template", help="Only print the form.")] = False,
    anyway: Annotated[bool, Option("--anyway", help="Write it although the lint objects.")] = False,
    json: Annotated[bool, Option("--json", help="Answer as JSON.")] = False,
) -> None:
    """Write the handoff of this session: the form as Markdown or JSON on stdin, or in an editor."""
    memory = Memory(Context.capturing(os.environ))
    if memory.at.is_stand_in():
        _refuse(memory, template=template)
    if template:
        output.echo(memory.sessions.handoff_form().rstrip("\n"))
        return
    by_hand = edit or (sys.stdin is not None and sys.stdin.isatty())
    text = edited_text(memory.sessions.handoff_form()) if by_hand else _piped()
    done = memory.sessions.handoff(text, anyway=anyway)
    record = {"path": done.path, "number": done.number, "commit": done.commit, "changes": list(done.changes)}
    changes = (f"note: {change}" for change in done.changes)
    output.answer(record, (f"handed off as session {done.number}: {done.path}", *changes), json=json)


def _piped() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin is not None else ""


def _refuse(memory: Memory, *, template: bool) -> None:
    """The vault is gone: a handoff that was piped is kept as a draft. Raises VaultGone."""
    from holdfast.capture import home, vault_id
    from holdfast.errors import VaultGone

    try:
        vault_id.refuse(home.vault(memory.at.env, memory.at.cwd), memory.at.env)
    except VaultGone as error:
        if not template and sys.stdin is not None and not sys.stdin.isatty():
            memory.sessions.keep_handoff(_piped(), error)
        raise
