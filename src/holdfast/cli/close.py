"""`holdfast close`: file what waits, write handoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import HistoryDamaged
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.close.drain import Closed


def close(
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    verbatim: Annotated[bool, Option("--verbatim", help="Ask no judge, whatever is chosen.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """File the flags that wait as notes, and write the handoff of every session that ended or died."""
    memory = Memory.here()
    with output.progress("Asking the judge", hidden=json) as advance:
        done = memory.close(
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
    asked = f"{one.jobs} question{'' if one.jobs == 1 else 's'}"
    judge = f", judged by {one.judge} in {asked}" if one.judge != "verbatim" else ""
    done = "closed" if one.handoff or not one.episode else "filed, while it goes on,"
    output.echo(f"{done} {what}: {one.filed} filed{left_out}{judge}{handoff}{commit}")
    if one.fell_back:
        output.echo(f"  verbatim, where the judge did not answer: {one.fell_back}", err=True)
