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
    from holdfast.doctor.checks import Place, Report

LABELS = {"mended": "fixed", "can-be-mended": "MEND", "needs-you": "FAIL", "lost": "LOST"}


def doctor(
    fix: Annotated[bool, Option("--fix", help="Mend what is safe: launcher, modes, git, closes.")] = False,
    new_history: Annotated[
        bool, Option("--new-history", help="Keep a damaged history beside, and go on with the notes as they are.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="With --new-history: do not ask.")] = False,
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
    from holdfast.vault import gate, new_history

    by = gate.asker(place.env, place.cwd, place.vault)
    planned = new_history.plan(place.vault, by=by)
    kept = (
        f"its {planned.commits:,} commits up to {planned.base[:10]} are kept" if planned.base else "none of it is whole"
    )
    if not json:
        output.echo(f"The history of {place.vault} is damaged: {planned.damage}.")
        output.echo(f"Of the history, {kept}; the notes stay as they are, and the old .git is kept in .state.")
    if not yes:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise UsageError("Begin a new history? Nothing was changed: say --yes.")
        if not output.confirm("Begin a new history with the notes as they are?"):
            raise UsageError("Nothing was changed.")
    done = new_history.begin(place.vault, place.clock(), by=by)
    if json:
        output.as_json(dict(done.__dict__))
        return
    where = f" The old one is kept as {place.vault}/{done.kept}." if done.kept else ""
    output.echo(f"A new history begins at commit {done.commit[:10]} with {done.files:,} files as they are.{where}")
    output.echo("`holdfast close` files what waits.")


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
