"""One finding of the doctor or the audit, the place that both look at, and the lines that both print.

A check is a plain function from a Place to Findings. `ok` is false only where memory is lost or about to be; advice is
ok, and in the doctor its detail begins with "note:". Names are stable: others build on them. Nothing in a finding
suggests a destructive command. An audit quotes outside text (errors, session ids); it is cleaned of what could steer a
terminal.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import home
from holdfast.capture.flags import clean
from holdfast.capture.quoting import shortened
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.clock import Clock
    from holdfast.health.audit import Audit
    from holdfast.health.doctor import Examination

NOTE = "note: "
MEND = "`holdfast doctor --fix`"
# `--fix` can mend it, it needs the user, or something is lost for good.
OK, KNOW, MENDED, CAN_MEND, NEEDS_YOU, LOST = "ok", "note", "mended", "can-be-mended", "needs-you", "lost"
LOOP_STAGES = ("noted", "reopened", "wired", "proven")  # how far a snag has come


@dataclass(frozen=True)
class Place:
    """Where to look: one vault, one environment, one folder. `agents` narrows it to some hosts."""

    vault: str
    cwd: str
    env: Mapping[str, str]
    agents: tuple[str, ...] = ()
    clock: Clock = field(default=time.time)

    @property
    def state(self) -> str:
        return home.state(self.vault)


@dataclass(frozen=True)
class Finding:
    """`about` is the host, episode or flag that it concerns, `fix` what to do about it, `can_fix` that `doctor --fix`
    does it; `count` how often it was so, `last` when it was so last, 0 if now."""

    name: str
    about: str
    detail: str
    fix: str = ""
    count: int = 1
    last: float = 0.0
    level: str = NEEDS_YOU
    can_fix: bool = False

    @property
    def ok(self) -> bool:
        return self.level in (OK, KNOW, MENDED)


def good(name: str, detail: str, about: str = "") -> Finding:
    return Finding(name, about, detail, level=OK)


def note(name: str, detail: str, fix: str = "", about: str = "", *, can_fix: bool = False) -> Finding:
    """Worth knowing, and nothing is lost by it."""
    return Finding(name, about, f"{NOTE}{detail}", fix, level=KNOW, can_fix=can_fix)


def bad(name: str, detail: str, fix: str, about: str = "", *, can_fix: bool = False) -> Finding:
    return Finding(name, about, detail, fix, level=CAN_MEND if can_fix else NEEDS_YOU, can_fix=can_fix)


def lost(name: str, detail: str, fix: str, *, can_fix: bool = False) -> Finding:
    """Something is gone for good; `fix` says how to go on."""
    return Finding(name, "", detail, fix, level=LOST, can_fix=can_fix)


def reason(error: Exception) -> str:
    """An error in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def unseen(what: str, error: Exception) -> str:
    return f"{what} could not be looked at ({type(error).__name__}: {reason(error)})"


COLUMNS = ("came", "injected", "answered", "flags", "declined", "ignored", "held", "silent")
NOT_ASKING = ("session-start", "session-end", "first-prompt", "before-compaction")
LONGEST = 400
WIDTH = 18
WELL = "All of it is as it should be."
NOTHING = "Nothing ran in this time that could be audited: `holdfast doctor` says whether the hooks are in place."

LABELS = {MENDED: "fixed", CAN_MEND: "MEND", NEEDS_YOU: "FAIL", LOST: "LOST"}
COUNTS = {LOST: "lost", NEEDS_YOU: "for you to do", CAN_MEND: "that `holdfast doctor --fix` mends"}


def examination_lines(found: Examination) -> Iterator[str]:
    """All that `doctor` prints."""
    yield from (f"--fix {done}" for done in found.fixed)
    for one in found.checks:
        name = f"{one.name} ({one.about})" if one.about else one.name
        yield f"{LABELS.get(one.level, one.level):<5} {name:<26} {one.detail.removeprefix(NOTE)}"
        if one.fix and (not one.ok or one.level == KNOW):
            yield f"{'':<32} {one.fix}"
    failed = sum(1 for one in found.checks if not one.ok)
    said = f"{len(found.checks)} checks, all is well"
    if failed:
        parts = [f"{count} {what}" for level, what in COUNTS.items() if (count := found.count(level))]
        said = f"{failed} of {len(found.checks)} checks failed ({', '.join(parts)})"
    known = {MENDED: "mended", KNOW: "to know"}
    more = [f"{count} {what}" for level, what in known.items() if (count := found.count(level))]
    yield "; ".join((said, *more)) + "."


def audit_lines(found: Audit) -> list[str]:
    """All that `audit` prints."""
    days = (time.strftime("%Y-%m-%d", time.gmtime(one)) for one in (found.period.since, found.period.until))
    where = f"project {found.period.project}" if found.period.project else "all projects"
    told = [f"{' to '.join(days)}, {where}", ""]
    one = found.sessions
    more = f"  closing {one.closing}" if one.closing else ""
    unseen = f"  unseen {found.unseen}" if found.unseen else ""
    indexed = "-" if found.indexed is None else f"{found.indexed} of {one.drained}"
    counts = f"seen {one.seen}  open {one.open}  closed {one.closed}{more}  drained {one.drained}"
    told.append(_row("sessions", f"{counts}  indexed {indexed}{unseen}"))
    told += _closes(found)
    counted = [f"{stage} {found.loops.count(stage)}" for stage in LOOP_STAGES if found.loops.count(stage)]
    stages = f"  ({', '.join(counted)})" if counted else ""
    told.append(_row("loops", f"open {len(found.loops.open)}  closed {len(found.loops.closed)}{stages}"))
    told += _boundaries(found)
    told += _counted(found)
    told.append("")
    if found.notes:
        told += ["Worth knowing:", *(line for one in found.notes for line in _finding(one)), ""]
    if found.ok:
        # Of nothing nobody can say that it went well.
        ran = (one.seen, one.closing, found.closes, found.rows, found.loops.open, found.loops.closed)
        return [*told, WELL if any(ran) else NOTHING]
    total = len(found.findings) + sum(found.left_out.values())
    told.append(f"NOT AS IT SHOULD BE ({total}):")
    for finding in found.findings:
        told += _finding(finding)
    told += [f"- {kind}: {count:,} more of the same" for kind, count in found.left_out.items()]
    return told


def _row(name: str, text: str) -> str:
    return f"{name:<{WIDTH}}{text}"


def _closes(found: Audit) -> list[str]:
    judged, verbatim, looked = found.judged, found.verbatim, found.inline
    filed = f" ({many(sum(one.filed for one in verbatim), 'flag')})" if verbatim else ""
    told = [_row("closes", f"parallel {len(judged)}  verbatim {len(verbatim)}{filed}  inline {len(looked.found)}")]
    if judged:
        jobs, most = sum(one.jobs for one in judged), max(one.workers for one in judged)
        slowest = max(one.took for one in judged)
        told.append(_row("", f"{many(jobs, 'job')} by up to {many(most, 'worker')}, the slowest close {slowest:.1f} s"))
    fallen = sum(1 for one in found.closes if one.fell_back)
    if fallen:
        still = sum(one.count for one in found.findings if one.name == "fell-back")
        right = f", {fallen - still} of them put right by a later one" if fallen > still else ""
        told.append(_row("", f"{many(fallen, 'close')} had to do without the judge{right}"))
    for by, calls in sorted(found.calls.items()):
        failed = f" ({calls.failed} failed)" if calls.failed else ""
        tokens = f"{calls.tokens_in:,} tokens in, {calls.tokens_out:,} out"
        told.append(_row("", f"{_tidy(by)}: {many(calls.calls, 'call')}{failed}, {tokens}"))
    spent = sum(one.tokens for one in looked.found)
    if spent:
        cheap = sum(one.tokens_in + one.tokens_out for one in found.calls.values())
        times = spent / len(looked.found) / (cheap / len(judged)) if judged and cheap else 0
        each = f", {times:.0f} times a parallel one" if judged and cheap else ""
        told.append(_row("", f"inline, in {many(len(looked.found), 'session')}: {spent:,} tokens{each}"))
    unread = [f"{looked.gone} gone"] if looked.gone else []
    unread += [f"{looked.left_out} too many to read"] if looked.left_out else []
    if unread:
        told.append(_row("", f"{many(looked.read, 'transcript')} read; {', '.join(unread)}"))
    return told


def _boundaries(found: Audit) -> list[str]:
    if not found.rows:
        return [_row("boundaries", "none came")]
    told = ["", f"{'boundary':<{WIDTH}}" + "".join(f"{name:>10}" for name in COLUMNS)]
    for row in found.rows:
        numbers = {name: getattr(row, name) for name in COLUMNS}
        blank = [name for name in numbers if name not in ("came", "injected") or row.kind in NOT_ASKING]
        cells = ("-" if not count and name in blank else f"{count:,}" for name, count in numbers.items())
        told.append(f"{_tidy(row.kind):<{WIDTH}}" + "".join(f"{one:>10}" for one in cells))
    if found.unasked:
        told.append(f"and {many(found.unasked, 'flag')} that no nudge had asked for")
    return told


def _counted(found: Audit) -> list[str]:
    days, counts = found.counted["days"], found.counted["counts"]
    if not days:
        return []
    shown = ", ".join(f"{counts[name]:,} {name}" for name in ("hook", "nudge", "flag", "close") if counts.get(name))
    return ["", f"and {many(days, 'older day')}, of which only counts are kept (all projects): {shown or 'nothing'}"]


def _finding(one: Finding) -> tuple[str, str]:
    about = f" {_tidy(one.about)}" if one.about else ""
    return f"- {one.name}{about}: {_tidy(one.detail)}", f"    {_tidy(one.fix)}"


def _tidy(text: str) -> str:
    return shortened(clean(text)[0], LONGEST)
