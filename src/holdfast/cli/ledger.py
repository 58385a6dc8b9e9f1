"""`holdfast log`: what really fired."""

from __future__ import annotations

import time
from typing import Annotated, Any

from holdfast.capture.flags import clean
from holdfast.capture.ledger import KINDS
from holdfast.capture.ledger_history import Wanted
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import UsageError
from holdfast.memory import Memory

HEAD = ("v", "t", "kind", "event", "episode", "us")


def log(
    session: Annotated[str, Option("--session", help="Only this session (a beginning of its id will do).")] = "",
    kind: Annotated[
        list[str] | None, Option("--kind", help=f"Only this kind; may be repeated: {', '.join(KINDS)}.")
    ] = None,
    since: Annotated[str, Option("--since", help="From: 15m, 2h, 3d, 2026-01-31, 2026-01-31T15:00.")] = "",
    until: Annotated[str, Option("--until", help="Until, in the same form.")] = "",
    number: Annotated[int, Option("--number -n", least=1, help="At most so many, the newest.")] = 50,
    counts: Annotated[bool, Option("--counts", help="Daily counts of what is older than 90 days.")] = False,
    follow: Annotated[bool, Option("--follow -f", help="Go on as records are written.")] = False,
    json: Annotated[bool, Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Show the ledger: every hook call, injection, flag and error, with its time in microseconds."""
    memory = Memory.here()
    unknown = [one for one in kind or () if one not in KINDS]
    if unknown:
        raise UsageError(f'"{unknown[0]}" is no kind of record. Use one of: {", ".join(KINDS)}.')
    now = time.time()
    wanted = Wanted(
        session,
        tuple(kind or ()),
        output.moment(since, now) if since else 0.0,
        output.moment(until, now) if until else 0.0,
    )
    if counts:
        for record in memory.ledger_counts():
            output.as_json(record) if json else output.echo(f"{record['day']}  {_pairs(record['counts'])}")
        return
    tell = output.as_json if json else _line
    for record in memory.ledger(wanted, number):
        tell(record)
    if follow:
        try:
            for record in memory.follow_ledger(wanted, lambda: time.sleep(0.2)):
                tell(record)
        except KeyboardInterrupt:
            return


def _line(record: dict[str, Any]) -> None:
    rest = {name: found for name, found in record.items() if name not in HEAD}
    if isinstance(rest.get("carried"), list):
        rest["carried"] = len(rest["carried"]) or ""  # the names, each with a digest, are for --json
    spent = f"  {record['us']:,} us" if "us" in record else ""
    what = " ".join(str(part) for part in (record.get("kind"), record.get("event"), record.get("episode")) if part)
    # Payloads are outside text: what could steer a terminal is cleaned away here.
    output.echo(f"{output.clock(record['t'])}  {clean(what)[0]}  {clean(_pairs(rest))[0]}{spent}")


def _pairs(record: dict[str, Any]) -> str:
    return " ".join(f"{name}={found}" for name, found in record.items() if found not in ("", [], None))
