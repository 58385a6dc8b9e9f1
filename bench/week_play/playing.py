"""Playing the week: every session in its order, and what each start was told, with what it needed."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from week_play import project
from week_play.friday import FRIDAY
from week_play.monday import MONDAY
from week_play.parts import FEED, MAIN, RECIPES, Need, Part
from week_play.session import Session
from week_play.stage import Stage
from week_play.thursday import THURSDAY
from week_play.tuesday import TUESDAY
from week_play.wednesday import WEDNESDAY, conversion_killed

WEEK = (*MONDAY, *TUESDAY, *WEDNESDAY, *THURSDAY, *FRIDAY)
SHINGLE = 6  # words in a row that count as said again


@dataclass
class Start:
    """One start: when and where, what happened before it, what it said, and what the session needed to know."""

    when: str
    place: str
    source: str
    text: str
    before: str
    needs: tuple[Need, ...] = ()
    number: int = 0

    @property
    def found(self) -> list[Need]:
        return [one for one in self.needs if one.is_in(self.text)]

    @property
    def missing(self) -> list[Need]:
        return [one for one in self.needs if not one.is_in(self.text)]

    @property
    def repeated(self) -> float:
        return share_repeated(self.text)

    def figures(self) -> dict[str, object]:
        known = {"when": self.when, "place": self.place, "source": self.source, "characters": len(self.text)}
        counts = {"needed": len(self.needs), "found": len(self.found), "missing": [one.what for one in self.missing]}
        return {**known, "repeated": round(self.repeated, 3), **counts}


@dataclass
class Known:
    """What is known so far: what lasts in each project, and what the newest work of each place left."""

    lasts: dict[str, list[Need]] = field(default_factory=dict)
    newest: dict[str, tuple[Need, ...]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)

    def needed(self, place: str) -> tuple[Need, ...]:
        return (*self.lasts.get(_project(place), ()), *self.newest.get(place, ()))

    def learn(self, part: Part) -> None:
        self.lasts.setdefault(_project(part.place), []).extend(part.lasts)
        if part.works:
            self.newest[part.place] = part.needs
        self.before[_project(part.place)] = part.happened


def play(folder: Path, *, short: bool = False) -> list[Start]:
    """Every start of the week, and the one that would come after it."""
    stage = Stage(folder.resolve() / "week")
    stage.now = WEEK[0].when - 3600
    project.prepare(stage)
    known = Known()
    starts: list[Start] = []
    ident = ""
    for number, part in enumerate(WEEK, 1):
        if short and not part.short:
            continue
        stage.now = part.when
        if part.place == FEED:
            project.add_worktree(stage)
        if part.play is conversion_killed:
            project.start_task(stage)
        ident = ident if part.resumes else _name(number)
        session = Session(stage, stage.home / "work" / part.place, ident)
        session.starts("resume" if part.resumes else "startup")
        part.play(session)
        for told in session.told:
            text = _plain(told.text, stage)
            # A conversation that goes on has what was said in it; only a new one needs to be told.
            needs = known.needed(part.place) if told.source == "startup" else ()
            before = known.before.get(_project(part.place), "")
            starts.append(Start(told.when, part.place, told.source, text, before, needs, number))
        known.learn(part)
    return [*starts, *(_last(stage, known, place) for place in (MAIN, FEED))]


def _last(stage: Stage, known: Known, place: str) -> Start:
    """What a start would say now, as the hook says it; the session ends at once."""
    stage.now += 3600
    session = Session(stage, stage.home / "work" / place, _name(90 + len(place)))
    session.starts()
    session.ends()
    (told,) = session.told
    return Start(
        told.when, place, "startup", _plain(told.text, stage), known.before[MAIN], known.needed(place), len(WEEK) + 1
    )


def _plain(text: str, stage: Stage) -> str:
    """The home of the played week is nobody's: where it really lay says nothing."""
    return text.replace(str(stage.home), "/home/ada")


def _name(number: int) -> str:
    """Session ids that are the same in every play."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"week/{number}"))


def _project(place: str) -> str:
    return RECIPES if place == RECIPES else MAIN


def share_repeated(text: str) -> float:
    """The share of a text's characters that stand in six words which stood in it before."""
    words = re.findall(r"\w[\w'./-]*", text.lower())
    seen: set[tuple[str, ...]] = set()
    again = [False] * len(words)
    for at in range(len(words) - SHINGLE + 1):
        run = tuple(words[at : at + SHINGLE])
        if run in seen:
            again[at : at + SHINGLE] = [True] * SHINGLE
        seen.add(run)
    total = sum(map(len, words))
    return sum(len(word) for word, is_again in zip(words, again, strict=True) if is_again) / total if total else 0.0
