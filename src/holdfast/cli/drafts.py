"""`holdfast drafts`: what was submitted and refused, kept word for word."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.capture.drafts import Draft
from holdfast.cli import show
from holdfast.memory import Memory

SHOWN = 100


def drafts(
    ident: Annotated[
        str, typer.Argument(metavar="[ID]", help="Print this one alone, by its id or the end of it.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Also settled ones, and of all projects.")] = False,
    settle: Annotated[bool, typer.Option("--settle", help="With ID: nothing is to be done about it any more.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what was submitted and refused: flags, handoffs and the like, kept word for word."""
    memory = Memory.here()
    if ident:
        one = memory.settle_draft(ident) if settle else memory.draft(ident)
        if json:
            show.as_json(one.as_record())
        else:
            typer.echo(f"settled {one.id}; its text stays in `holdfast drafts --all`" if settle else one.text)
        return
    found = memory.drafts(everything=everything)
    if json:
        show.as_json({"drafts": [one.as_record() for one in found]})
        return
    if not found:
        typer.echo("Nothing that was refused is waiting." if not everything else "Nothing was ever refused.")
    for one in found:
        _line(one, memory.clock())


def _line(one: Draft, now: float) -> None:
    text = " ".join(one.text.split())
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    what = "settled" if one.is_settled else f"used: {one.used}" if one.used else "open"
    typer.echo(f"  {one.id[-6:]}  [{one.kind}] {text}  ({show.age(now - one.time)}, {one.origin}, {what})")
    typer.echo(f"      refused: {one.why}")
