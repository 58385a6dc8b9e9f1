"""`holdfast doctor` probes every link, `holdfast audit` compares the ledger with what should have run, and `holdfast
check` reads the notes; each says what to mend, and --fix does the safe part. `holdfast ladder` looks at the whole."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import home, platform
from holdfast.cli import output
from holdfast.cli.command import AllProjects, Json, Option
from holdfast.errors import UsageError
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.health.finding import Place
    from holdfast.vault.check_notes import Report
    from holdfast.vault.new_history import NewHistory


def doctor(
    fix: Annotated[bool, Option("--fix", help="Mend what is safe: launcher, modes, git, closes.")] = False,
    new_history: Annotated[
        bool, Option("--new-history", help="Keep a damaged history beside, and go on with the notes as they are.")
    ] = False,
    accept_lost: Annotated[
        bool, Option("--accept-lost", help="Older versions are lost: end that alarm, and keep every commit.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="With --new-history or --accept-lost: do not ask.")] = False,
    json: Json = False,
    agent: Annotated[list[str] | None, Option("--agent", help="Only this agent; may be repeated.")] = None,
) -> None:
    """Probe every link from your agent to the vault; exit status 0 where all is well."""
    from holdfast.health import doctor, hosts
    from holdfast.health.finding import Place

    cwd = platform.working_folder(os.environ)
    place = Place(home.vault(os.environ, cwd), cwd, dict(os.environ), hosts.known(tuple(agent or ())))
    if new_history:
        _begin_history(place, yes=yes, json=json)
        return
    if accept_lost:
        _accept(place, yes=yes, json=json)
        return
    report = doctor.examine_and_mend(place) if fix else doctor.examine(place)
    record = report.as_record()
    if json:
        from holdfast.health import ladder

        record["ladder"] = ladder.record_of(place)
    output.answer(record, doctor.examination_lines(report), json=json)
    if not report.ok:
        raise SystemExit(report.status)


def _begin_history(place: Place, *, yes: bool, json: bool) -> None:
    from holdfast.capture import gate
    from holdfast.text.layout import many
    from holdfast.vault import new_history

    by = gate.asker(place.env, place.cwd, place.vault)
    planned = new_history.plan(place.vault, by=by)
    if not json:
        output.lines(_plan_lines(place.vault, planned))
    if not yes:
        output.require_yes("Begin a new history with the notes as they are?", told="Begin a new history?")
    done = new_history.begin(place.vault, place.clock(), by=by)
    where = f" The old one is kept as {place.vault}/{done.kept}." if done.kept else ""
    begun = f"A new history begins at commit {done.commit[:10]}, with {many(done.files, 'file')} as they are.{where}"
    output.answer(dict(done.__dict__), (begun, "`holdfast close` files what waits."), json=json)


def _plan_lines(vault: str, planned: NewHistory) -> Iterator[str]:
    from holdfast.text.layout import many

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
    from holdfast.vault import git_damage

    by = gate.asker(place.env, place.cwd, place.vault)
    lost = git_damage.losses(place.vault, by=by)
    if not json:
        output.echo(f"Lost in the history of {place.vault}: {'; '.join(one.what for one in lost)}.")
        output.echo("Every commit stays; those versions cannot be brought back by `holdfast undo`.")
    if not yes:
        output.require_yes("Accept that they are lost?")
    done = git_damage.accept_losses(place.vault, by=by)
    accepted = {"accepted": [ident for one in done for ident in one.idents]}
    output.answer(accepted, ("Accepted; `holdfast doctor` is silent about exactly these from now on.",), json=json)


def audit(
    days: Annotated[int | None, Option("--days", least=1, help="The last so many days; 7 by default.")] = None,
    since: Annotated[str, Option("--since", help="From this date on: 2026-01-31, 2026-01-31T15:00.")] = "",
    project: Annotated[str, Option("--project", help="Of this project instead of the one here.")] = "",
    everything: Annotated[bool, Option("--all", help="Of all projects.")] = False,
    yields: Annotated[bool, Option("--yield", help="Show what each trigger brought, and what that cost.")] = False,
    json: Json = False,
) -> None:
    """Compare what should have run with what did; exit status 1 where the two differ."""
    from holdfast.health import audit, period
    from holdfast.health.finding import Place

    if project and everything:
        raise UsageError("Say either --project or --all, not both; nothing was looked at.")
    cwd = platform.working_folder(os.environ)
    place = Place(home.vault(os.environ, cwd), cwd, dict(os.environ))
    wanted = "" if everything else project or audit.here(place)
    asked = period.make(place.clock(), days or 0, since, wanted, is_named=bool(project))
    if yields:
        from holdfast.health import trigger_table, trigger_yield

        brought = trigger_yield.look(place, asked)
        output.answer(brought.as_record(), trigger_table.lines(brought), json=json)
        return
    found = audit.audit(place, asked)
    output.answer(found.as_record(), audit.audit_lines(found), json=json)
    if not found.ok:
        raise SystemExit(1)


MANY = 500  # notes; fewer are read before a bar could be seen


def check(
    fix: Annotated[bool, Option("--fix", help="Mend what is safe: missing dates and kinds, the map.")] = False,
    everything: AllProjects = False,
    json: Json = False,
) -> None:
    """Show what is wrong in the vault and how to mend it; exit status 1 where something is."""
    memory = Memory.open()
    with _progress(memory) as progress:
        report = memory.notes.check(fix=fix, everything=everything, progress=progress)
    record = {
        "ok": report.ok,
        "findings": [finding.as_record() for finding in report.findings],
        "checked": report.checked,
        "fixed": [finding.as_record() for finding in report.fixed],
        "other_projects": report.elsewhere,
    }
    output.answer(record, _check_lines(report), json=json)
    if not report.ok:
        raise SystemExit(1)


def _check_lines(report: Report) -> Iterator[str]:
    for finding in report.fixed:
        yield f"fixed    {finding.path}: {finding.what}"
    for finding in report.findings:
        yield f"{finding.level:<8} {finding.path}:{finding.line}: {finding.what} [{finding.code}]"
        yield f"         {finding.fix}"
    errors = sum(1 for finding in report.findings if finding.level == "error")
    counts = f"{output.counted(errors, 'error')}, {output.counted(len(report.findings) - errors, 'warning')}"
    yield f"{output.counted(report.checked, 'note')} checked: {counts if report.findings else 'all is well'}."
    if report.elsewhere:
        yield f"{output.counted(report.elsewhere, 'finding')} more in other projects (--all)."


@contextmanager
def _progress(memory: Memory) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, for notes that have to be read."""
    total = memory.notes.file_count() if sys.stderr.isatty() else 0
    with output.progress("Reading notes", hidden=total < MANY) as bar:
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            bar(done, total)

        yield advance


def ladder(json: Json = False) -> None:
    """Show how far this memory has come, by evidence, and the next step that a measured limitation asks for."""
    from holdfast.health import ladder
    from holdfast.health.finding import Place

    cwd = platform.working_folder(os.environ)
    found = ladder.climbed(Place(home.vault(os.environ, cwd), cwd, dict(os.environ)))
    output.answer(found.as_record(), ladder.lines(found), json=json)
