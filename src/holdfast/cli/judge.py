"""`holdfast judge` chooses the model that tidies the memory, `holdfast spend` shows what its calls took."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import config, gate, home, platform
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.close.prices import Price, Prices
    from holdfast.close.spend_report import Report, Row


def judge(
    name: Annotated[
        str, Argument(help="verbatim, claude-code, codex, anthropic, openai or ollama.", metavar="[NAME]")
    ] = "",
    model: Annotated[str, Option("--model", metavar="M", help="Another model than its default.")] = "",
    url: Annotated[str, Option("--url", metavar="U", help="Of an OpenAI-compatible endpoint.")] = "",
    key_env: Annotated[str, Option("--key-env", metavar="VAR", help="The variable that holds the key.")] = "",
    workers: Annotated[int, Option("--workers", metavar="N", help="Calls at once.", least=0, most=64)] = 0,
    no_probe: Annotated[bool, Option("--no-probe", help="Write it without asking it once.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be written.")] = False,
    json: Json = False,
) -> None:
    """Show which model tidies your memory and what else works here, or choose one. The default is none."""
    from holdfast.close.budget import Budget
    from holdfast.judge import selection
    from holdfast.judge.choice import VERBATIM

    env, cwd = os.environ, platform.working_folder(os.environ)
    vault = home.own_vault(env)
    state = home.state(vault)
    settings = config.load(state)
    if not (name or model or url or key_env or workers):
        found = selection.shown(settings, env, selection.found(env))
        output.answer(found.as_record(), found.lines(), json=json)
        return
    wanted = selection.wanted(settings, name, model, url, key_env, workers)
    lines = selection.preview(wanted, env)
    if dry_run:
        from dataclasses import asdict

        output.answer({**asdict(wanted), "written": False}, lines, json=json)
        return
    home.refuse_newer(vault)
    gate.require(gate.asker(env, cwd, vault), gate.Change(gate.SETTING), "Choosing a judge")
    home.make_vault(vault)
    asks = not no_probe and wanted.name != VERBATIM
    if asks and not json:
        output.echo(f"Asking {wanted.name} one tiny question …")
    meter = Budget(state, selection.as_chosen(settings, wanted), env=env) if asks else None
    done = selection.choose(state, wanted, env, meter)
    output.answer(done.as_record(), done.lines(), json=json)


BAR = 40  # characters, at most
SHOWN = "{:<%d}  {:>7}  {:>12}  {:>16}  "
STYLE = "cyan"
NAMELESS = {"host": "no session", "model": "its default", "job": "other"}  # in place of an empty name


def spend(
    days: Annotated[int, Option("--days", least=1, most=4000, help="So many days, today (UTC) included.")] = 14,
    by: Annotated[str, Option("--by", help="day, host, job, model or judge.")] = "day",
    prices: Annotated[bool, Option("--prices", help="The prices that are counted with.")] = False,
    json: Json = False,
) -> None:
    """Show the meter of calls to models: tokens, money, and what today's caps leave."""
    from holdfast.close import prices as tables

    memory = Memory.open()
    if prices:
        state = home.machine_state(memory.at.env)
        known = tables.load(state)
        output.answer(known.as_record(), _price_lines(known, state), json=json)
        return
    report = memory.sessions.spent(days, by)
    output.as_json(report.as_record()) if json else _print_spend(report)


def _print_spend(report: Report) -> None:
    if report.rows:
        rows = [(row.name or NAMELESS.get(report.by, "none"), row, _money(row)) for row in report.rows]
        rows.append(("in all", report.total, _money(report.total)))
        _chart(rows, report.by)
    else:
        output.echo(f"No model was asked in the last {report.days} days.")
    output.lines(report.lines())


def _money(row: Row) -> str:
    """An amount where there is one; else why there is none. What is not known is never left out."""
    from holdfast.close import prices
    from holdfast.close.meter import amount

    unknown = prices.UNKNOWN in row.billed
    if prices.BY_TOKEN in row.billed:
        return f"{amount(row.sums.money)} + unknown" if unknown else amount(row.sums.money)
    known = [way for way in row.billed if way != prices.UNKNOWN]
    return prices.UNKNOWN if unknown else known[0] if known else ""


def _chart(rows: Sequence[tuple[str, Row, str]], by: str) -> None:
    import shutil

    wide = max(len(by), *(len(name) for name, _, _ in rows))
    line = SHOWN % wide
    output.echo(line.format(by, "calls", "tokens", "money").rstrip())
    speaks = (sys.stdout.encoding or "").lower().startswith("utf")
    is_plain = not (sys.stdout.isatty() and speaks) or bool(os.environ.get("NO_COLOR"))
    left = shutil.get_terminal_size().columns - len(line.format("", "", "", ""))
    room = max(8, min(BAR, left)) if sys.stdout.isatty() else BAR
    most = max(row.sums.tokens for _, row, _ in rows[:-1])
    for name, row, money in rows:
        text = line.format(name, f"{row.sums.calls:,}", f"{row.sums.tokens:,}", money)
        tokens = 0 if row is rows[-1][1] else row.sums.tokens
        _bar(text, max(1, round(tokens / most * room)) if tokens else 0, is_plain=is_plain)


def _bar(text: str, length: int, *, is_plain: bool) -> None:
    if is_plain or not length:
        output.echo(f"{text}{'#' * length}".rstrip())
        return
    from rich.console import Console

    output.echo(text, nl=False)
    Console(highlight=False).print("\u2588" * length, style=STYLE)


def _price_lines(known: Prices, state: str) -> Iterator[str]:
    from holdfast.close import prices as tables

    yield f"{known.currency} per million tokens; the first line that fits counts."
    yield from _table(f"Yours, {tables.path_of(state)}:", known.own)
    if known.shipped:
        yield from _table(f"Shipped, as of {tables.AS_OF}, and possibly outdated:", known.shipped)
    yield from tables.EXPLAINED
    if known.problem:
        yield f"note: {known.problem}"


def _table(heading: str, rows: Sequence[Price]) -> Iterator[str]:
    yield heading if rows else f"{heading} none"
    for price in rows:
        name = f"{price.model} ({price.judge})" if price.judge else price.model
        yield f"  {name:<32} in {price.money_in:>8.2f}  out {price.money_out:>8.2f}"
