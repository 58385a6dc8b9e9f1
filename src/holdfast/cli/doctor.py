"""`holdfast doctor`: every link probed for real, and the safe part mended with --fix."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import home, platform
from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.doctor.checks import Place, Report
    from holdfast.vault.new_history import Plan

LABELS = {"mended": "fixed", "can-be-mended": "MEND", "needs-you": "FAIL", "lost": "LOST"}


def doctor(
    fix: Annotated[bool, Option("--fix", help="Mend what is safe: launcher, modes, git, closes.")] = False,
    new_history: Annotated[
        bool, Option("--new-history", help="Keep a damaged history beside, and go on with the notes as they are.")
    ] = False,
    accept_lost: Annotated[
        bool, Option("--accept-lost", help="Older versions are lost: end that alarm, and keep every commit.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="With --new-history or --accept-lost: do not ask.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
    agent: Annotated[list[str] | None, Option("--agent", help="Only this agent; may be repeated.")] = None,
) -> None:
    """Probe every link from your agent to the vault; exit status 0 where all is well."""
    from holdfast.doctor import examine, hosts
    from holdfast.doctor.checks import Place

    cwd = platform.working_folder(os.environ)
    place = Place(home.vault(os.environ, cwd), cwd, dict(os.environ), hosts.known(tuple(agent or ())))
    if new_history:
        _begin_history(place, yes=yes, json=json)
        return
    if accept_lost:
        _accept(place, yes=yes, json=json)
        return
    report = examine.examine_and_mend(place) if fix else examine.examine(place)
    if json:
        checks = [check.as_record() for check in report.checks]
        record = {"ok": report.ok, "worst": report.worst, "checks": checks, "fixed": list(report.fixed)}
        output.as_json(record)
    else:
        _print(report)
    if not report.ok:
        raise SystemExit(report.status)


def _begin_history(place: Place, *, yes: bool, json: bool) -> None:
    from holdfast.capture import gate
    from holdfast.text.phrases import many
    from holdfast.vault import new_history

    by = gate.asker(place.env, place.cwd, place.vault)
    planned = new_history.plan(place.vault, by=by)
    if not json:
        for line in _plan_lines(place.vault, planned):
            output.echo(line)
    _ask("Begin a new history with the notes as they are?", "Begin a new history?", yes=yes)
    done = new_history.begin(place.vault, place.clock(), by=by)
    if json:
        output.as_json(dict(done.__dict__))
        return
    where = f" The old one is kept as {place.vault}/{done.kept}." if done.kept else ""
    files = many(done.files, "file")
    output.echo(f"A new history begins at commit {done.commit[:10]}, with {files} as they are.{where}")
    output.echo("`holdfast close` files what waits.")


def _plan_lines(vault: str, planned: Plan) -> Iterator[str]:
    from holdfast.text.phrases import many

    yield f"The history of {vault} is damaged: {planned.damage}."
    beside = ", and the old .git is kept in .state" if planned.is_kept else ""
    if not planned.base:
        yield f"Of the history, none of it is whole; the notes stay as they are{beside}."
    else:
        leaves = f", {many(planned.leaving, 'commit')} after it {'leaves' if planned.leaving == 1 else 'leave'} "
        leaving = f"{leaves}`history` and `undo`" if planned.leaving else ""
        upto = f"{many(planned.commits, 'commit')} up to {planned.base[:10]}"
        yield f"Of the history, {upto} {'is' if planned.commits == 1 else 'are'} kept{leaving}."
        yield f"The notes stay as they are{beside}."
    if planned.can_accept:
        yield "`holdfast doctor --accept-lost` is the gentler way: every commit stays, without the lost versions."


def _accept(place: Place, *, yes: bool, json: bool) -> None:
    from holdfast.capture import gate
    from holdfast.vault import accepted_loss

    by = gate.asker(place.env, place.cwd, place.vault)
    lost = accepted_loss.plan(place.vault, by=by)
    if not json:
        output.echo(f"Lost in the history of {place.vault}: {'; '.join(one.what for one in lost)}.")
        output.echo("Every commit stays; those versions cannot be brought back by `holdfast undo`.")
    _ask("Accept that they are lost?", "Accept that they are lost?", yes=yes)
    done = accepted_loss.by_word(place.vault, by=by)
    if json:
        output.as_json({"accepted": [ident for one in done for ident in one.idents]})
        return
    output.echo("Accepted; `holdfast doctor` is silent about exactly these from now on.")


def _ask(question: str, told: str, *, yes: bool) -> None:
    """Raises UsageError unless the user says yes."""
    if yes:
        return
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise UsageError(f"{told} Nothing was changed: say --yes.")
    if not output.confirm(question):
        raise UsageError("Nothing was changed.")


def _print(report: Report) -> None:
    for done in report.fixed:
        output.echo(f"--fix {done}")
    for check in report.checks:
        name = f"{check.name} ({check.agent})" if check.agent else check.name
        detail = check.detail.removeprefix("note: ")
        output.echo(f"{LABELS.get(check.level, check.level):<5} {name:<26} {detail}")
        if check.fix and not (check.ok and check.level != "note"):
            output.echo(f"{'':<32} {check.fix}")
    output.echo(_summary(report))


def _summary(report: Report) -> str:
    failed = sum(1 for check in report.checks if not check.ok)
    if not failed:
        said = f"{len(report.checks)} checks, all is well"
    else:
        counts = {
            "lost": "lost",
            "needs-you": "for you to do",
            "can-be-mended": "that `holdfast doctor --fix` mends",
        }
        parts = [f"{count} {what}" for level, what in counts.items() if (count := report.count(level))]
        said = f"{failed} of {len(report.checks)} checks failed ({', '.join(parts)})"
    more = [
        f"{count} {what}"
        for level, what in (("mended", "mended"), ("note", "to know"))
        if (count := report.count(level))
    ]
    return "; ".join((said, *more)) + "."
