"""How commands speak: lines, questions, JSON with stable names, ages and times, a bar for long work."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager

from holdfast.capture import codec
from holdfast.capture.flags import clean
from holdfast.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from holdfast.field.thought import Thought

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print at once: somebody reads along, or is told before the next thing happens. A file's name need not be text."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        print(text.encode("utf-8", "replace").decode(), end="\n" if nl else "", file=stream, flush=True)


def styled(text: str, *, bold: bool = False) -> str:
    """Text for a terminal with colours: bold, else dim."""
    return f"\033[{1 if bold else 2}m{text}\033[0m"


def is_answered() -> bool:
    """Whether somebody sits there who can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def confirm(question: str, *, default: bool = False) -> bool:
    """A yes or no from the user; no answer at all ends the command."""
    while True:
        answer = prompt(question, "Y/n" if default else "y/N").strip().lower()
        if answer in ("y", "yes", "n", "no", ""):
            return answer.startswith("y") if answer else default
        echo("Please answer y or n.")


def prompt(question: str, shown: str, default: str = "") -> str:
    """The user's answer; `default` for an empty line."""
    try:
        return input(f"{question} [{shown}]: ") or default
    except EOFError:
        echo("\nNobody answered; nothing was done.", err=True)
        raise SystemExit(1) from None


def as_json(value: Any) -> None:
    echo(codec.encode(value).decode("utf-8"))


def lines(some: Iterable[str]) -> None:
    for line in some:
        echo(line)


def answer(record: Any, told: Iterable[str], *, json: bool) -> None:
    """A command's answer: the record as JSON, else the lines."""
    as_json(record) if json else lines(told)


def require_yes(question: str, otherwise: str = "", told: str = "") -> None:
    """Raises UsageError unless the user says yes; `otherwise` is what could be said instead of --yes."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"{told or question} Nothing was changed: say --yes{otherwise}.")
    if not confirm(question):
        raise UsageError("Nothing was changed.")


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def plain(text: str) -> str:
    """One line that a terminal only shows: what a note or another machine says may not steer it."""
    return clean(text)[0]


def age(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def clock(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(when)) + "Z"


def moment(text: str, now: float) -> float:
    """A point in time: `90s`, `15m`, `2h`, `3d`, `1w` ago, or an ISO date or time (UTC unless it says otherwise)."""
    if text[-1:] in UNITS and text[:-1].replace(".", "", 1).isdecimal():
        return now - float(text[:-1]) * UNITS[text[-1]]
    import datetime

    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f'"{text}" is no time; try 2h, 3d, 2026-01-31 or 2026-01-31T15:00.') from None
    return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()


def thought(one: Thought, weight: float, *, json: bool) -> None:
    """One thought: what it says, about what, from whom, and what use has made of it."""
    if json:
        as_json({**one.as_record(), "weight": round(weight, 4)})
        return
    where = f"project {one.project}" if one.project else "all projects"
    echo(f"thought {one.id} [{one.kind}], for {plain(where)}, weight {weight:.2f}, {clock(one.created)}")
    named = ("contributor", "agent", "session", "origin", "category", "space", "path", "superseded_by", "context")
    told = {name: getattr(one, name) for name in named}
    told |= {"tags": ", ".join(one.tags), "sources": ", ".join(one.sources)}
    for name, value in told.items():
        if value:
            echo(f"{name.replace('_', ' ')}: {plain(value)}")
    echo(f"\n{plain(one.text)}")


@contextmanager
def progress(what: str, *, hidden: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for work that takes long, told how much is done of how much; none where nobody watches."""
    if hidden or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
