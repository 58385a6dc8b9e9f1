"""Closes that ran, in parallel on the cheap model, verbatim, or not to the end; and snags that are open.

A close counts as parallel where a judge decided, whatever share of it; one that was meant for a judge and had to file
something verbatim says why in `fell_back`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.close.improve import loops
from holdfast.health.finding import Finding, bad, good, note, unseen
from holdfast.text.layout import age, first_of, many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from holdfast.close.improve.loops import Loops
    from holdfast.health.finding import Place
    from holdfast.health.inline_closes import Looked
    from holdfast.health.period import Period, Told

VERBATIM = "verbatim"
ARM = "`holdfast loops` lists them; `holdfast arm NOTE` says when one should come back"
LIST = "`holdfast loops --all` lists them; `holdfast review` decides on what waits for you"


@dataclass
class Close:
    """One close, as the ledger has it."""

    episode: str
    project: str
    when: float
    filed: int
    judge: str
    jobs: int
    workers: int
    took: float
    fell_back: str
    error: str

    @property
    def is_judged(self) -> bool:
        return self.judge != VERBATIM


@dataclass
class Calls:
    """Calls to models, and what they took."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def add(self, other: Calls) -> None:
        for name in self.__dict__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Closes:
    listed: list[Close] = field(default_factory=list)
    calls: dict[tuple[str, str], Calls] = field(default_factory=dict)  # by what they are about, and by whom

    def take(self, record: Mapping[str, Any], when: float) -> None:
        episode, project, fell_back, error, model = (
            str(record.get(name) or "") for name in ("episode", "project", "fell_back", "error", "model")
        )
        filed, jobs, workers = (count(record.get(name)) for name in ("filed", "jobs", "workers"))
        judge = str(record.get("judge") or VERBATIM)
        judge = f"{judge}/{model}" if model and judge != VERBATIM else judge
        took = amount(record.get("took"))
        self.listed.append(Close(episode, project, when, filed, judge, jobs, workers, took, fell_back, error))

    def take_call(self, record: Mapping[str, Any]) -> None:
        by = "/".join(str(record[name]) for name in ("judge", "model") if record.get(name))
        sent, got = (count(record.get(name)) for name in ("tokens_in", "tokens_out"))
        made = Calls(1, int(not record.get("ok", True)), sent, got, amount(record.get("money")))
        self.calls.setdefault((str(record.get("about") or ""), by or "unknown"), Calls()).add(made)

    def last(self, episode: str) -> Close | None:
        """The newest close of an episode."""
        return next((one for one in reversed(self.listed) if one.episode == episode), None)

    def of(self, takes: Callable[[object], bool]) -> list[Close]:
        return [one for one in self.listed if takes(one.project)]

    def failed(self, takes: Callable[[object], bool]) -> list[Close]:
        """Closes whose newest try ended in an error: the others were done by a later close."""
        newest = {(one.episode, one.project): one for one in self.of(takes)}
        return [one for one in newest.values() if one.error]

    def fallen_back(self, takes: Callable[[object], bool]) -> list[Close]:
        """Closes that filed verbatim what was meant for a judge, and that nothing has put right since: neither a later
        close of the same episode, nor any close of the project that a judge did, since each takes up what was left."""
        right: set[tuple[str, str]] = set()
        judged: set[str] = set()
        found = []
        for one in reversed(self.of(takes)):
            if one.fell_back:
                if one.project not in judged and (one.episode, one.project) not in right:
                    found.append(one)
            elif not one.error:
                judged |= {one.project} if one.is_judged else set()
                right |= {(one.episode, one.project)} if one.episode else set()
        return found[::-1]

    def taken(self, keys: frozenset[str] | None) -> dict[str, Calls]:
        """The calls by judge and model; for some episodes only, or for everything where `keys` is None."""
        found: dict[str, Calls] = {}
        for (about, by), calls in self.calls.items():
            if keys is None or about in keys:
                found.setdefault(by, Calls()).add(calls)
        return found


def count(given: object) -> int:
    return int(amount(given))


def amount(given: object) -> float:
    """A number of a record; 0 where it is none."""
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) and given >= 0 else 0.0


def check_loops(place: Place) -> list[Finding]:
    """Open loops, those that more than two closes have passed by, and those that nothing brings back."""
    now = place.clock()
    everything = loops.listing(place.vault, place.state, now)
    found = [one for one in everything.open if one.state in loops.PENDING]
    late = [one for one in found if one.is_late]
    unwired = [one for one in everything.open if one.state not in loops.PENDING]
    said = first_of([f'"{one.wrong[:60]}" ({loops.SAID[one.state]})' for one in late or unwired], 2)
    if late:
        return [bad("loops", f"{many(len(late), 'snag')} changed nothing in {late[0].closes} closes: {said}", LIST)]
    if found:
        oldest = age(now - min(one.time for one in found))
        return [note("loops", f"{many(len(found), 'snag')} to be turned into an edit, the oldest since {oldest}", LIST)]
    if unwired:
        return [note("loops", f"{many(len(unwired), 'snag')} still open: {said}", ARM)]
    return [good("loops", "every snag has become an edit")]


def findings(told: Told, looked: Looked) -> Iterator[Finding]:
    takes = told.period.takes
    for one in told.closes.failed(takes):
        fix = "everything waits as before; `holdfast close` tries again"
        if "`holdfast doctor" in one.error:
            fix = "everything waits as before, and `holdfast close` files it once that is done"
        yield Finding("close-failed", one.episode, one.error, fix, last=one.when)
    reasons: dict[str, list[Close]] = {}
    for one in told.closes.fallen_back(takes):
        reasons.setdefault(one.fell_back, []).append(one)
    for why, fallen in reasons.items():
        said = f"{many(len(fallen), 'close')} filed verbatim what was meant for the judge: {why}"
        fix = "`holdfast doctor` probes the judge, `holdfast spend` shows the caps; a later close consolidates it"
        yield Finding("fell-back", fallen[-1].episode, said, fix, len(fallen), fallen[-1].when)
    for found in looked.found:
        on = f" on {found.model}" if found.model else ""
        cost = f"{many(found.responses, 'response')}, {found.tokens:,} tokens{on}"
        said = f"it wrote its memory itself, over its whole context: {cost}"
        fix = (
            "an instruction asks for it, most likely in CLAUDE.md, AGENTS.md or a skill: take that out; "
            "a flag is one line, and the close does the rest in the background"
        )
        yield Finding("inline-close", found.episode, said, fix)


def open_loops(place: Place, asked: Period) -> tuple[Loops, list[Finding]]:
    """Every loop of the period's project, and those that closes have passed by."""
    try:
        found = loops.listing(place.vault, place.state, place.clock(), asked.project or None)
    except Exception as error:  # a vault that cannot be read is no reason to say nothing of the rest
        fix = "`holdfast check` says what is wrong in the vault"
        return loops.Loops((), ()), [Finding("open-loop", "", unseen("the loops", error), fix)]
    fix = "`holdfast loops` lists them, `holdfast review` decides what waits"
    late = []
    for one in (one for one in found.open if one.is_late):
        why = f'"{one.wrong[:120]}" {loops.SAID[one.state]}; {many(one.closes, "close")} went by'
        late.append(Finding("open-loop", one.id, why, fix, last=one.time))
    return found, late
