"""`holdfast drafts`: what was submitted and refused, kept word for word."""

from __future__ import annotations

from typing import Annotated

from holdfast.capture.drafts import Draft
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.memory import Memory

SHOWN = 100


def drafts(
    ident: Annotated[str, Argument(metavar="[ID]", help="Print this one alone, by its id or the end of it.")] = "",
    everything: Annotated[bool, Option("--all", help="Also settled ones, and of all projects.")] = False,
    settle: Annotated[bool, Option("--settle", help="With ID: nothing is to be done about it any more.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what was submitted and refused: flags, handoffs and the like, kept word for word."""
    memory = Memory.here()
    if ident:
        one = memory.settle_draft(ident) if settle else memory.draft(ident)
        if json:
            output.as_json(one.as_record())
        else:
            output.echo(f"settled {one.id}; its text stays in `holdfast drafts --all`" if settle else one.text)
        return
    found = memory.drafts(everything=everything)
    if json:
        output.as_json({"drafts": [one.as_record() for one in found]})
        return
    if not found:
        output.echo("Nothing that was refused is waiting." if not everything else "Nothing was ever refused.")
    for one in found:
        _line(one, memory.clock())


def _line(one: Draft, now: float) -> None:
    text = " ".join(one.text.split())
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    what = "settled" if one.is_settled else f"used: {one.used}" if one.used else "open"
    output.echo(f"  {one.id[-6:]}  [{one.kind}] {text}  ({output.age(now - one.time)}, {one.origin}, {what})")
    output.echo(f"      refused: {one.why}")
