"""The boxes of the ladder: each puts one line of the checklist onto the mechanism of ours that it asks for.

A box is a plain function from Evidence. It says its evidence (counts, the newest date, a path) whether it is ticked or
not, and unticked also the one command or event that would tick it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.field.highways import ACCESSES, AGENTS
from holdfast.health.closes import amount, count
from holdfast.health.evidence import DAYS
from holdfast.health.trigger_yield import KINDS
from holdfast.text.layout import many
from holdfast.vault.note_facets import MOST_LINES, PATH
from holdfast.vault.notes import FROM_HANDOFF

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.health.evidence import Evidence, FieldFacts
    from holdfast.vault.notes import Note

BINDING = ("rule", "identity", "feedback")
NAMED = "decision", "discovery"  # sections of a task that hold what it found
RULE = '`holdfast remember --kind rule "…"`, or the user\'s "from now on …" in a session, once confirmed'
ASK = "the first question to the field: `holdfast recall WORDS`"
EMBED = "`holdfast embed wordllama`, which comes along, or another model"
AGAIN = "a second agent that comes back to the same thought; `holdfast highways` then lists it"
NIGHT = "`holdfast sleep`"


@dataclass(frozen=True)
class Box:
    """One thing to have. `ticks` is the command or event that would tick it, "" where it is ticked."""

    name: str
    is_ticked: bool
    evidence: str
    ticks: str = ""

    def as_record(self) -> dict[str, Any]:
        return {"box": self.name, "ticked": self.is_ticked, "evidence": self.evidence, "ticks": self.ticks}


def rules(seen: Evidence) -> Box:
    some = [one for one in seen.notes if one.kind in BINDING]
    box = _of_notes(seen, "Rules of the project are written down", some, "binding note", RULE)
    last = f"last given to a start on {_day(seen.tally.last_brief)}" if seen.tally.briefs else "given to no start yet"
    return replace(box, evidence=f"{box.evidence}; {last}" if some else box.evidence)


def remembered(seen: Evidence) -> Box:
    some = [one.note for one in seen.known if one.note.origin == "user"]
    ticks = '`holdfast remember "…"`, or "remember that …" in a session and its close'
    return _of_notes(seen, 'What the user says to "remember" is kept', some, "note", ticks, "from the user's own words")


def brain(seen: Evidence) -> Box:
    is_ticked = 0 < seen.brain_lines <= MOST_LINES and bool(seen.notes)
    size = f"{many(seen.brain_lines, 'line')} of at most {MOST_LINES}"
    said = f"{PATH}, {size}, for {many(len(seen.notes), 'note')}" if seen.brain_lines else f"there is no {PATH} yet"
    ticks = f"`holdfast check --fix`, which draws {PATH}" if seen.notes else "the first note: `holdfast remember`"
    return _box("A short index of everything is loaded at a start", said, ticks, is_ticked=is_ticked)


def topics(seen: Evidence) -> Box:
    some = [one for one in seen.notes if one.kind in ("knowledge", "project")]
    ticks = "`holdfast flag --kind lesson|decision '…'`, and the close that files it"
    return _of_notes(seen, "Details lie in notes of their own", some, "note", ticks, "on topics")


def handoffs(seen: Evidence) -> Box:
    newest = f"; newest here {seen.newest_handoff}" if seen.newest_handoff else ""
    ticks = "the close of a session that did something: `holdfast close`"
    name = "A handoff is written when a session ends"
    return _box(name, f"{many(seen.handoffs, 'handoff')}{newest}", ticks, is_ticked=seen.handoffs > 0)


def pressure(seen: Evidence) -> Box:
    said, answers, _ = _reminders(seen, "context pressure")
    ticks = "a session that flags something when its context runs low and the hook says so"
    return _box("Findings are written down before the context is full", said, ticks, is_ticked=answers > 0)


def reflection(seen: Evidence) -> Box:
    said, answers, declined = _reminders(seen, "post-task")
    ticks = 'a flag or a "nothing" in the turn of a commit, a finished todo or a chapter'
    return _box("Finished work is looked back on", said, ticks, is_ticked=answers + declined > 0)


def findings(seen: Evidence) -> Box:
    fresh = sum(seen.tally.sections[one] for one in NAMED)
    held = seen.facts.of_tasks if seen.facts else 0
    said = f"decisions and discoveries of tasks: {held} in the field, {fresh} written in the last {DAYS} days"
    ticks = '`holdfast task start NAME "…"`, then `holdfast task checkpoint --discovery "…"`'
    return _box("Tasks keep what was found and decided", said, ticks, is_ticked=held + fresh > 0)


def promoted(seen: Evidence) -> Box:
    """A finding counts as promoted where its note acts: made of an item of a handoff, or armed."""
    some = [one for one in seen.notes if any(source.startswith(FROM_HANDOFF) for source in one.sources)]
    armed = [one.note for one in seen.known if one.armed]
    newest = seen.newest([*some, *armed])
    where = f"; newest {newest.path}, {newest.edited or newest.created}" if newest else ""
    said = f"{many(len(some), 'note')} promoted from handoffs, {len(armed)} armed{where}"
    ticks = "`holdfast promote`, or `holdfast snag '…' --better '…'` and the close that arms it"
    return _box("Findings that last are promoted", said, ticks, is_ticked=bool(some or armed))


def reviewed(seen: Evidence) -> Box:
    dated = [one for one in seen.notes if one.reviewed]
    since = [one for one in dated if one.reviewed > one.created]
    last = f", last on {max(one.reviewed for one in since)}" if since else ""
    said = f"{len(dated)} of {many(len(seen.notes), 'note')} dated, {len(since)} reviewed since they were made{last}"
    ticks = "`holdfast check --fix`, which dates notes" if seen.notes else "the first note: `holdfast remember`"
    is_ticked = bool(dated) and len(dated) == len(seen.notes)
    return _box('Notes have a "last reviewed" date', said, ticks, is_ticked=is_ticked)


def vectors(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        if not facts.model:
            return False, f"{many(facts.thoughts, 'thought')}, found by words alone"
        have = facts.thoughts - facts.lacking
        return have > 0, f"{have:,} of {many(facts.thoughts, 'thought')} with a vector of {facts.model}"

    return _of_field(seen, "Thoughts are found by their meaning", EMBED, said)


def contributed(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        whose = ", each with its contributor, session, project and origin" if facts.contributed else ""
        return facts.contributed > 0, f"{many(facts.contributed, 'thought')} beside the notes{whose}"

    return _of_field(seen, "Agents add thoughts of their own, with where they come from", '`holdfast think "…"`', said)


def accesses(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        if not facts.asked:
            return False, f"no question in the last {DAYS} days"
        agents = many(len({one.agent for one in facts.asked}), "agent")
        last = _day(max(one.time for one in facts.asked))
        return True, f"{many(len(facts.asked), 'question')} by {agents} in the last {DAYS} days, last on {last}"

    return _of_field(seen, "Questions are logged: who, when, what came together", ASK, said)


def pheromone(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        if facts.best is None:
            return False, f"no question of the last {DAYS} days returned anything"
        path, use = facts.best
        weight = f"weight {use.weight:.2f} then and {use.weight_at(seen.now):.2f} now"
        return True, f"read most: {path}, {many(use.access_count, 'time')}, {weight}"

    return _of_field(seen, "Use strengthens and time fades", ASK, said)


def highways(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        return facts.highways > 0, f"{many(facts.highways, 'thought')} read {ACCESSES} times or more by {AGENTS} agents"

    return _of_field(seen, "Highways show what several agents come back to", AGAIN, said)


def sleeps(seen: Evidence) -> Box:
    nights = seen.tally.nights
    said = f"no sleep in the last {DAYS} days"
    if nights:
        last = nights[-1]
        made = ", ".join(f"{name} {_amount(last.get(name))}" for name in ("consolidations", "bridges", "archived"))
        recall = [last.get(name) for name in ("recall_before", "recall_after")]
        kept = f"; recall {recall[0]} before and {recall[1]} after" if None not in recall else ""
        said = f"{many(len(nights), 'sleep')}, the last on {last.get('night') or _day(last.get('t'))}: {made}{kept}"
    return _box("Memory is consolidated while nobody works", said, NIGHT, is_ticked=bool(nights))


def sources(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        named = ", each with the ids of its sources" if facts.consolidations else ""
        return facts.consolidations > 0, f"{many(facts.consolidations, 'consolidation')} in the field{named}"

    return _of_field(seen, "Consolidations name their sources", NIGHT, said)


def bridges(seen: Evidence) -> Box:
    def said(facts: FieldFacts) -> tuple[bool, str]:
        tried = sum(_amount(one.get("bridges")) for one in seen.tally.nights)
        return tried > 0, f"{tried} tried in the last {DAYS} days, {facts.bridges} in the field"

    return _of_field(seen, "Bridges are tried on real questions before they stay", NIGHT, said)


def _box(name: str, evidence: str, ticks: str, *, is_ticked: bool) -> Box:
    return Box(name, is_ticked, evidence, "" if is_ticked else ticks)


def _of_notes(seen: Evidence, name: str, some: list[Note], what: str, ticks: str, more: str = "") -> Box:
    """A box that a note ticks: how many there are, and the newest by its path."""
    newest = seen.newest(some)
    where = f"; newest {newest.path}, {newest.edited or newest.created}" if newest else ""
    said = " ".join(part for part in (many(len(some), what), more) if part)
    return _box(name, f"{said}{where}", ticks, is_ticked=bool(some))


def _of_field(seen: Evidence, name: str, ticks: str, look: Callable[[FieldFacts], tuple[bool, str]]) -> Box:
    """A box that the field's index ticks. Where it cannot be looked at, the box says why."""
    if seen.facts is None:
        return _box(name, f"the field tells nothing: {seen.why_no_facts}", ASK, is_ticked=False)
    is_ticked, said = look(seen.facts)
    return _box(name, said, ticks, is_ticked=is_ticked)


def _reminders(seen: Evidence, trigger: str) -> tuple[str, int, int]:
    """The reminders of a trigger in words, how many a flag answered, and how many a "nothing"."""
    rows = [row for row in seen.rows if row.kind in KINDS[trigger]]
    said, flags, answers, declined = (
        sum(getattr(row, name) for row in rows) for name in ("injected", "flags", "answered", "declined")
    )
    more = f', {declined} with "nothing"' if declined else ""
    told = f"{many(said, 'reminder')} in the last {DAYS} days, {answers} answered ({many(flags, 'flag')}){more}"
    return told, answers, declined


def _amount(given: object) -> int:
    """A number of a record, which may list what it counts."""
    return len(given) if isinstance(given, list | dict) else count(given)


def _day(when: object) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(amount(when)))
