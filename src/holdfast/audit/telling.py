"""An audit in plain lines: a compact table, then each thing that is not as it should be with why and what to do.

Outside text (errors, session ids) is cleaned of what could steer a terminal.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.audit.findings import FELL_BACK
from holdfast.audit.report import STAGES
from holdfast.capture.flags import clean
from holdfast.capture.quoting import shortened
from holdfast.text.phrases import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.audit.findings import Finding
    from holdfast.audit.report import Report

COLUMNS = ("came", "injected", "answered", "flags", "declined", "ignored", "held", "silent")
ASKING = ("answered", "flags", "declined", "ignored")
NOT_ASKING = ("session-start", "session-end", "first-prompt", "before-compaction")
LONGEST = 400
NAME = 18
WELL = "All of it is as it should be."
NOTHING = "Nothing ran in this time that could be audited: `holdfast doctor` says whether the hooks are in place."


def _stages(found: Report) -> str:
    counted = [f"{stage} {found.loops.count(stage)}" for stage in STAGES if found.loops.count(stage)]
    return f"  ({', '.join(counted)})" if counted else ""


def lines(found: Report) -> list[str]:
    """All that is printed."""
    days = (time.strftime("%Y-%m-%d", time.gmtime(one)) for one in (found.period.since, found.period.until))
    where = f"project {found.period.project}" if found.period.project else "all projects"
    told = [f"{' to '.join(days)}, {where}", ""]
    one = found.sessions
    more = f"  closing {one.closing}" if one.closing else ""
    unseen = f"  unseen {found.unseen}" if found.unseen else ""
    indexed = "-" if found.indexed is None else f"{found.indexed} of {one.drained}"
    counts = (
        f"seen {one.seen}  open {one.open}  closed {one.closed}{more}  drained {one.drained}  indexed {indexed}{unseen}"
    )
    told.append(_row("sessions", counts))
    told += _closes(found)
    told.append(_row("loops", f"open {len(found.loops.open)}  closed {len(found.loops.closed)}{_stages(found)}"))
    told += _boundaries(found)
    told += _counted(found)
    told.append("")
    if found.notes:
        told += ["Worth knowing:", *(line for one in found.notes for line in _finding(one)), ""]
    if found.ok:
        return [*told, WELL if _is_anything(found) else NOTHING]
    total = len(found.findings) + sum(found.left_out.values())
    told.append(f"NOT AS IT SHOULD BE ({total}):")
    for finding in found.findings:
        told += _finding(finding)
    told += [f"- {kind}: {count:,} more of the same" for kind, count in found.left_out.items()]
    return told


def _is_anything(found: Report) -> bool:
    """Whether anything happened that could have gone wrong: of nothing nobody can say that it went well."""
    one = found.sessions
    return bool(one.seen or one.closing or found.closes or found.rows or found.loops.open or found.loops.closed)


def _row(name: str, text: str) -> str:
    return f"{name:<{NAME}}{text}"


def _closes(found: Report) -> list[str]:
    judged, verbatim, looked = found.judged, found.verbatim, found.inline
    filed = f" ({many(sum(one.filed for one in verbatim), 'flag')})" if verbatim else ""
    told = [_row("closes", f"parallel {len(judged)}  verbatim {len(verbatim)}{filed}  inline {len(looked.found)}")]
    if judged:
        jobs, most = sum(one.jobs for one in judged), max(one.workers for one in judged)
        slowest = max(one.took for one in judged)
        told.append(_row("", f"{many(jobs, 'job')} by up to {many(most, 'worker')}, the slowest close {slowest:.1f} s"))
    fallen = sum(1 for one in found.closes if one.fell_back)
    if fallen:
        still = sum(one.count for one in found.findings if one.kind == FELL_BACK)
        right = f", {fallen - still} of them put right by a later one" if fallen > still else ""
        told.append(_row("", f"{many(fallen, 'close')} had to do without the judge{right}"))
    for by, calls in sorted(found.calls.items()):
        failed = f" ({calls.failed} failed)" if calls.failed else ""
        tokens = f"{calls.tokens_in:,} tokens in, {calls.tokens_out:,} out"
        told.append(_row("", f"{_tidy(by)}: {many(calls.calls, 'call')}{failed}, {tokens}"))
    spent = sum(one.tokens for one in looked.found)
    if spent:
        cheap = sum(one.tokens_in + one.tokens_out for one in found.calls.values())
        each = (
            f", {spent / len(looked.found) / (cheap / len(judged)):.0f} times a parallel one"
            if judged and cheap
            else ""
        )
        told.append(_row("", f"inline, in {many(len(looked.found), 'session')}: {spent:,} tokens{each}"))
    unread = [
        f"{looked.gone} gone" if looked.gone else "",
        f"{looked.left_out} too many to read" if looked.left_out else "",
    ]
    if any(unread):
        told.append(_row("", f"{many(looked.read, 'transcript')} read; {', '.join(filter(None, unread))}"))
    return told


def _boundaries(found: Report) -> list[str]:
    if not found.rows:
        return [_row("boundaries", "none came")]
    told = ["", f"{'boundary':<{NAME}}" + "".join(f"{name:>10}" for name in COLUMNS)]
    for row in found.rows:
        numbers = [_number(row.kind, name, getattr(row, name)) for name in COLUMNS]
        told.append(f"{_tidy(row.kind):<{NAME}}" + "".join(f"{one:>10}" for one in numbers))
    if found.unasked:
        told.append(f"and {many(found.unasked, 'flag')} that no nudge had asked for")
    return told


def _number(kind: str, name: str, count: int) -> str:
    return "-" if not count and (name not in ("came", "injected") or kind in NOT_ASKING) else f"{count:,}"


def _counted(found: Report) -> list[str]:
    days, counts = found.counted["days"], found.counted["counts"]
    if not days:
        return []
    shown = ", ".join(f"{counts[name]:,} {name}" for name in ("hook", "nudge", "flag", "close") if counts.get(name))
    return ["", f"and {many(days, 'older day')}, of which only counts are kept (all projects): {shown or 'nothing'}"]


def _finding(one: Finding) -> Sequence[str]:
    about = f" {_tidy(one.about)}" if one.about else ""
    return f"- {one.kind}{about}: {_tidy(one.why)}", f"    {_tidy(one.fix)}"


def _tidy(text: str) -> str:
    return shortened(clean(text)[0], LONGEST)
