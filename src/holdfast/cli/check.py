"""`holdfast check`: what to mend in the vault, and the safe part of it done with --fix."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from holdfast.cli import output
from holdfast.cli.command import Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.vault.findings import Report

MANY = 500  # notes; fewer are read before a bar could be seen


def check(
    fix: Annotated[bool, Option("--fix", help="Mend what is safe: missing dates and kinds, the map.")] = False,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show what is wrong in the vault and how to mend it; exit status 1 where something is."""
    memory = Memory.here()
    with _progress(memory) as progress:
        report = memory.check(fix=fix, everything=everything, progress=progress)
    if json:
        output.as_json(
            {
                "ok": report.ok,
                "findings": [finding.as_record() for finding in report.findings],
                "checked": report.checked,
                "fixed": [finding.as_record() for finding in report.fixed],
                "other_projects": report.elsewhere,
            }
        )
    else:
        _print(report)
    if not report.ok:
        raise SystemExit(1)


def _print(report: Report) -> None:
    for finding in report.fixed:
        output.echo(f"fixed    {finding.path}: {finding.what}")
    for finding in report.findings:
        output.echo(f"{finding.level:<8} {finding.path}:{finding.line}: {finding.what} [{finding.code}]")
        output.echo(f"         {finding.fix}")
    errors = sum(1 for finding in report.findings if finding.level == "error")
    warnings = len(report.findings) - errors
    found = f"{_count(errors, 'error')}, {_count(warnings, 'warning')}" if report.findings else "all is well"
    output.echo(f"{_count(report.checked, 'note')} checked: {found}.")
    if report.elsewhere:
        output.echo(f"{_count(report.elsewhere, 'finding')} more in other projects (--all).")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@contextmanager
def _progress(memory: Memory) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, for notes that have to be read."""
    total = memory.note_files() if sys.stderr.isatty() else 0
    if total < MANY:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        reading = bar.add_task("Reading notes", total=total)
        yield lambda count: bar.update(reading, advance=count)
