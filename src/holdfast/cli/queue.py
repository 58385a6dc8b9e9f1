"""`holdfast queue` shows the flags that wait and revives dead ones, `holdfast drafts` what was refused and is kept word
for word, `holdfast log` the ledger."""

from __future__ import annotations

import time
from typing import Annotated, Any

from holdfast.capture.drafts import Draft
from holdfast.capture.ledger import KINDS, Wanted
from holdfast.capture.queue import CLAIMED, DEAD, WAITING, Entry
from holdfast.capture.quoting import shortened
from holdfast.cli import output
from holdfast.cli.command import AllProjects, Argument, Json, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory


def queue(
    everything: AllProjects = False,
    set_aside: Annotated[
        bool, Option("--set-aside", help="You have looked at damage and losses: keep copies, end the alarm.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what waits to be filed, how long, and what is dead; `queue retry` revives dead flags."""
    memory = Memory.open()
    if set_aside:
        _set_aside(memory, json=json)
        return
    view = memory.sessions.queue()
    broken = memory.sessions.set_broken_aside(view)
    ids = memory.at.project().ids
    mine = [entry for entry in view.entries if everything or entry.flag.project in ids]
    elsewhere = len(view.entries) - len(mine)
    now = memory.at.clock()
    by_state = {state: [entry for entry in mine if entry.state == state] for state in (WAITING, CLAIMED, DEAD)}
    oldest = max((now - entry.flag.time for entry in mine), default=0.0)
    if json:
        lists = {state: [entry.as_record(now) for entry in entries] for state, entries in by_state.items()}
        output.as_json({**lists, "oldest_age_s": round(oldest, 3), "other_projects": elsewhere, "broken": broken})
        return
    if not mine:
        output.echo(f"Nothing waits{'' if everything else ' in this project'}.")
    for state, entries in by_state.items():
        if entries:
            output.echo(f"{len(entries)} {state}, the oldest since {output.age(now - entries[0].flag.time)}:")
            for entry in entries:
                _line(entry, now)
    if by_state[DEAD]:
        output.echo("`holdfast queue retry` lets the dead ones wait again.")
    if elsewhere:
        output.echo(f"{elsewhere} more in other projects (--all).")
    for path in broken:
        output.echo(f"not a record, kept for you to look at: {path}")


def _set_aside(memory: Memory, *, json: bool) -> None:
    copies, missing = memory.sessions.set_aside()
    named = {"flags": list(missing.flags), "segments": list(missing.segments), "days": list(missing.days)}
    lines = [
        *(f"damaged, a copy is kept in {path}" for path in copies),
        *(f"lost: flag {ident}" for ident in missing.flags),
        *(f"missing: .state/queue/live/{name}" for name in missing.segments),
        *(f"missing: .state/ledger/{day}.log" for day in missing.days),
    ]
    is_well = not copies and missing.is_whole
    ended = "Noted: nothing was removed, and starts, doctor and audit no longer warn of these."
    lines.append("Nothing is damaged or missing." if is_well else ended)
    output.answer({"copies": copies, **named, "unnamed": missing.uncounted}, lines, json=json)


def retry(
    ids: Annotated[list[str] | None, Argument(help="Ids of dead flags, or beginnings of them; all if none.")] = None,
    json: Json = False,
) -> None:
    """Let dead flags wait again."""
    revived = Memory.open().sessions.retry(ids or None)
    said = f"{output.counted(len(revived), 'flag')} wait again." if revived else "Nothing is dead."
    output.answer({"retried": list(revived)}, (said,), json=json)


def _line(entry: Entry, now: float) -> None:
    flag = entry.flag
    times = "tried once" if entry.tries == 1 else f"tried {entry.tries} times"
    ended = entry.error or ("a close has it now" if entry.claim else "that close ended early")
    tried = f", {times}: {ended}" if entry.tries else ""
    output.echo(f"  {flag.id}  [{flag.kind}] {flag.text}  ({output.age(now - flag.time)}, {flag.origin}{tried})")
    for proof in flag.evidence:
        output.echo(f"      evidence: {proof}")


SHOWN = 100


def drafts(
    ident: Annotated[str, Argument(metavar="[ID]", help="Print this one alone, by its id or the end of it.")] = "",
    everything: Annotated[bool, Option("--all", help="Also settled ones, and of all projects.")] = False,
    settle: Annotated[bool, Option("--settle", help="With ID: nothing is to be done about it any more.")] = False,
    json: Json = False,
) -> None:
    """Show what was submitted and refused: flags, handoffs and the like, kept word for word."""
    memory = Memory.open()
    if ident:
        one = memory.sessions.settle_draft(ident) if settle else memory.sessions.draft(ident)
        said = f"settled {one.id}; its text stays in `holdfast drafts --all`" if settle else one.text
        output.answer(one.as_record(), (said,), json=json)
        return
    found = memory.sessions.drafts(everything=everything)
    none = "Nothing that was refused is waiting." if not everything else "Nothing was ever refused."
    lines = (line for one in found for line in _draft_lines(one, memory.at.clock())) if found else (none,)
    output.answer({"drafts": [one.as_record() for one in found]}, lines, json=json)


def _draft_lines(one: Draft, now: float) -> tuple[str, str]:
    text = shortened(" ".join(one.text.split()), SHOWN)
    what = "settled" if one.is_settled else f"used: {one.used}" if one.used else "open"
    head = f"  {one.id[-6:]}  [{one.kind}] {text}  ({output.age(now - one.time)}, {one.origin}, {what})"
    return head, f"      refused: {one.why}"


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
    memory = Memory.open()
    unknown = [one for one in kind or () if one not in KINDS]
    if unknown:
        raise UsageError(f'"{unknown[0]}" is no kind of record. Use one of: {", ".join(KINDS)}.')
    now = time.time()
    begin, end = (output.moment(text, now) if text else 0.0 for text in (since, until))
    wanted = Wanted(session, tuple(kind or ()), begin, end)
    if counts:
        for record in memory.sessions.ledger_counts():
            output.as_json(record) if json else output.echo(f"{record['day']}  {_pairs(record['counts'])}")
        return
    tell = output.as_json if json else _ledger_line
    for record in memory.sessions.ledger(wanted, number):
        tell(record)
    if follow:
        try:
            for record in memory.sessions.follow_ledger(wanted, lambda: time.sleep(0.2)):
                tell(record)
        except KeyboardInterrupt:
            return


def _ledger_line(record: dict[str, Any]) -> None:
    rest = {name: found for name, found in record.items() if name not in HEAD}
    if isinstance(rest.get("carried"), list):
        rest["carried"] = len(rest["carried"]) or ""  # the names, each with a digest, are for --json
    spent = f"  {record['us']:,} us" if "us" in record else ""
    what = " ".join(str(part) for part in (record.get("kind"), record.get("event"), record.get("episode")) if part)
    # Payloads are outside text: what could steer a terminal is cleaned away here.
    output.echo(f"{output.clock(record['t'])}  {output.plain(what)}  {output.plain(_pairs(rest))}{spent}")


def _pairs(record: dict[str, Any]) -> str:
    return " ".join(f"{name}={found}" for name, found in record.items() if found not in ("", [], None))
