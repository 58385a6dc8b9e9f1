"""One unit of the field, and the record of its use.

A thought is somebody's own (a record under thoughts/ in the vault) or stands for something whose truth lies
elsewhere: a note, a handoff, a prompt of the user, a decision or discovery of a task. Those have a `path`, and an id
that follows from it, so that what is known of their use survives every edit and every rebuild. The head of a text may
say who speaks, and when: "[1:56 pm on 8 May, 2023] Ada: the lease is out."
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from holdfast import pheromone
from holdfast.capture.ids import digest
from holdfast.field.ranking import Facts
from holdfast.model import ORIGINS, TRUSTED, VERSION, replace, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


LONGEST = 80  # characters of a text in which its head has to end
FORMS = (
    "%I:%M %p on %d %B, %Y",
    "%Y/%m/%d (%a) %H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d %B %Y",
    "%B %d, %Y",
)
NAME = r"[^\W\d_][\w.' -]{0,30}"
WHEN = r"(?:\[(?P<when>[^\]\n]{6,40})\]|\((?P<at>[^)\n]{6,40})\))"
TIME_FIRST = re.compile(rf"{WHEN}\s*(?:(?P<speaker>{NAME}):\s)?")
NAME_FIRST = re.compile(rf"(?P<speaker>{NAME}?)(?:\s*{WHEN})?:\s")
# Of a role nobody asks by name; a label says what the text is and not who speaks.
NOBODY_WORDS = """
user assistant system human ai bot tool model developer agent customer operator note notes todo fixme decision
discovery handoff rule snag fact reason why warning error fix bug question answer example context summary result
conclusion update edit http https file path step next see tip important
"""
NOBODY = frozenset(NOBODY_WORDS.split())


@value
class Turn:
    """A speaker, "" where nobody is named; a time, 0.0 where it does not say; `day` is that day in one form, or ""."""

    speaker: str = ""
    said: float = 0.0
    day: str = ""


NONE = Turn()


def of(text: str) -> Turn:
    """The speaker and time at the head of a text; nothing where it has none."""
    head = text[:LONGEST]
    for form in (TIME_FIRST, NAME_FIRST):
        found = form.match(head)
        if found:
            said = _time(found["when"] or found["at"] or "")
            if said or form is NAME_FIRST:
                return Turn(_who(found["speaker"] or "", bool(said)), said, _day(said))
    return NONE


def _who(name: str, is_dated: bool) -> str:
    """Without a time beside it only what is written as a name is one: up to three words, each with a capital."""
    name = name.strip()
    words = name.split()
    if not words or name.casefold() in NOBODY or len(words) > 3:
        return ""
    is_written_so = all(word[0].isupper() for word in words) and words[0].casefold() not in NOBODY
    return name if is_dated or is_written_so else ""


def _time(words: str) -> float:
    said = words.strip().removesuffix("Z").removesuffix(" UTC")
    for form in FORMS:
        try:
            return datetime.strptime(said, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return 0.0


def _day(said: float) -> str:
    return datetime.fromtimestamp(said, UTC).strftime("%Y-%m-%d") if said else ""


ORIGINAL, REFINEMENT, CONSOLIDATION, BRIDGE, NOTE = "original", "refinement", "consolidation", "bridge", "note"
KINDS = (ORIGINAL, REFINEMENT, CONSOLIDATION, BRIDGE, NOTE)
DERIVED = (REFINEMENT, CONSOLIDATION, BRIDGE)  # made of others, which they name
GLOBAL = ""  # the project of what belongs to none
HANDOFF, DECISION, DISCOVERY, SAID = "handoff", "decision", "discovery", "said"  # categories of what lies elsewhere
# What sleep works on: thoughts, and notes and tasks' entries of these categories. Rules and identity bind, and handoffs
# and prompts have lives of their own.
SLEPT_ON, SLEPT_ON_NOTES = (ORIGINAL, REFINEMENT), ("knowledge", "feedback", "project", DECISION, DISCOVERY)
HYPOTHESIS = "hypothesis"  # the origin of a bridge: nobody said it, sleep supposes it (sleep/bridges)
SUMMARY, SLEEP = "c-", "sleep"  # with which the ids of sleep's consolidations begin, and who contributes them
WITHDRAWN = "withdrawn"  # in place of the id of a successor: nothing took its place
LISTS = ("tags", "sources")
NUMBERS = ("created", "start")
DAY = 86400.0
END_OF_DAY = DAY - 1  # its last second: where only a day is known, and no time of it


@value
class Thought:
    """`path` is where its truth lies below the vault, "" for one that is its own; `start` the weight it began with."""

    id: str
    text: str
    context: str = ""
    kind: str = ORIGINAL
    contributor: str = ""
    agent: str = ""
    session: str = ""
    project: str = GLOBAL
    space: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    sources: tuple[str, ...] = ()
    origin: str = "agent"
    created: float = 0.0
    path: str = ""
    title: str = ""
    superseded_by: str = ""
    start: float = pheromone.START

    @property
    def thread(self) -> str:
        """The talk that it is part of: a session, the talk of a day, a task; "" for one that stands alone."""
        return self._thread(self._turn)

    @property
    def _turn(self) -> Turn:
        """A summary of a talk quotes its turns, and is none of them."""
        return NONE if self.kind in (CONSOLIDATION, BRIDGE) else of(self.text)

    def _thread(self, turn: Turn) -> str:
        if self.kind == NOTE:
            return self.path if self.category in (DECISION, DISCOVERY) else ""
        is_talk = bool(turn.speaker) and (bool(turn.day) or not self.session)
        return f"{self.session or self.project}@{turn.day}" if is_talk else self.session

    @property
    def is_summary(self) -> bool:
        """Whether sleep made it of others; a consolidation that somebody wrote is a thought like any."""
        return self.kind == CONSOLIDATION and self.contributor == SLEEP and self.id.startswith(SUMMARY)

    @property
    def is_slept_on(self) -> bool:
        """Whether sleep looks at it when it is written or read."""
        return self.kind in SLEPT_ON or (self.kind == NOTE and self.category in SLEPT_ON_NOTES)

    @property
    def is_withdrawal(self) -> bool:
        """Whether it is no thought but the word that one is withdrawn (`withdrawal`)."""
        return not self.text and self.superseded_by == WITHDRAWN

    @property
    def is_of_a_day(self) -> bool:
        """Whether only the day is known on which it was made (field/sources)."""
        return self.kind == NOTE and self.created % DAY == END_OF_DAY

    def age_at(self, now: float) -> float:
        """Its age in seconds; in whole days where no more is known, so that a note of today has no hours."""
        days = now // DAY - self.created // DAY
        return max(0.0, days * DAY if self.is_of_a_day else now - self.created)

    @property
    def facts(self) -> Facts:
        """The facts that a ranking knows of it besides its words."""
        turn = self._turn
        speaker, said = turn.speaker or self.contributor, turn.said or self.created
        return Facts(len(self.text.split()), speaker, self._thread(turn), said, is_turn=bool(turn.speaker))

    def as_record(self) -> dict[str, Any]:
        """As it stands in a log; what is at its default is left out."""
        said = {name: one for name, one in self.__dict__.items() if one not in ("", ())}
        kept = {name: list(one) if name in LISTS else one for name, one in said.items()}
        return {"v": VERSION, **kept}


FIELDS = tuple(Thought.__annotations__)
TEXTS = tuple(name for name in FIELDS if name not in (*LISTS, *NUMBERS))


def from_record(record: Mapping[str, Any]) -> Thought:
    """Raises KeyError, TypeError or ValueError where it is none of ours; fields of a newer version are left aside."""
    given: dict[str, Any] = {name: whole(record[name]) for name in TEXTS if name in record}
    if given.get("superseded_by") == WITHDRAWN:
        given.setdefault("text", "")
    given.update({name: tuple(whole(one) for one in record[name]) for name in LISTS if name in record})
    given.update({name: float(record[name]) for name in NUMBERS if name in record})
    if given["kind"] not in KINDS or not given["id"] or not math.isfinite(given["created"] + given.get("start", 0.0)):
        raise ValueError("not a thought")
    return Thought(**given)


def whole(text: Any) -> str:
    """A text that any store and terminal takes: half a character, as broken input leaves it, becomes a sign for one.
    Raises TypeError."""
    if not isinstance(text, str):
        raise TypeError("not a text")
    return text.encode("utf-8", "replace").decode("utf-8")


def withdrawal(ident: str, now: float) -> Thought:
    """The word that a thought is withdrawn: a record of its id without a text, in force wherever it stands among the
    others. So two machines, and a rebuild in any order, agree."""
    return Thought(ident, "", created=now, superseded_by=WITHDRAWN)


@value
class Traffic:
    """The record of a thought's use. `weight` is that of `last_accessed`, from which it decays; of one that nobody
    has read yet both are those of its beginning. `log` has the newest accesses (time, agent), `together` how often
    others were returned beside it."""

    access_count: int = 0
    last_accessed: float = 0.0
    weight: float = pheromone.START
    agents: tuple[str, ...] = ()
    log: tuple[tuple[float, str], ...] = ()
    together: Mapping[str, int] = {}

    def weight_at(self, now: float) -> float:
        return pheromone.decayed(self.weight, self.last_accessed, now)


def unread(thought: Thought) -> Traffic:
    """The traffic of one that nobody has read: it decays from its creation."""
    return Traffic(last_accessed=thought.created, weight=thought.start)


def joined(one: Thought, other: Thought) -> Thought:
    """Two records of one thought put together, in whatever order they are read: somebody said it again with more
    about it (field/think), here or on another machine at the same time."""
    if one == other:
        return one
    first = min(one, other, key=_order)
    category, *others = sorted({each.category for each in (one, other) if each.category}) or [""]
    return replace(
        first,
        context="\n".join(sorted({*one.context.split("\n"), *other.context.split("\n")} - {""})),
        tags=tuple(sorted({*one.tags, *other.tags, *others})),
        category=category,
        sources=tuple(sorted({*one.sources, *other.sources})),
        origin=one.origin if one.origin == other.origin else least_trusted((one.origin, other.origin)),
        superseded_by=one.superseded_by or other.superseded_by,
    )


def _order(one: Thought) -> tuple[float, str, str, str, str, float]:
    """The oldest first; two machines that made it at one time began it with the weights that each of them knew."""
    return one.created, one.text, one.contributor, one.category, one.context, one.start


def note_id(path: str) -> str:
    """The id of what lies at a path of the vault. A digest, since ids stand in the traffic log and a name says much."""
    return f"{'h' if path.startswith('lineage/') else 'n'}-{digest(path, 24)}"


def least_trusted(origins: Iterable[str]) -> str:
    """The origin of what was made of others: the lowest of theirs. ORIGINS goes from the user's own downwards."""
    known = [one if one in ORIGINS else ORIGINS[-1] for one in origins]
    return max(known, key=ORIGINS.index, default=TRUSTED[0])
