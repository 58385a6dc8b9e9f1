"""What a start tells in the user's own words: their orders and what they want remembered, and, of the last sessions,
the sentences likeliest to last that nobody has answered.

The first are notes: they stay until they are confirmed as a rule, withdrawn, superseded or contradicted by what the
user said later, however many newer notes there are. The second are chosen by a score that decides nothing
(text/sentence_score), and each says when it was said and that nobody confirmed it. A session about which a model
was asked has none: what it found to last is a note.

Which handoffs a start tells: that of its branch in full, those before it while there is room, a line for each that
overlapped it and for each other branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.brief.reconstruction import WHOSE
from holdfast.capture import quoting
from holdfast.capture.quoting import shortened
from holdfast.text import folding
from holdfast.text import sentence_score as scorer
from holdfast.vault import lineage, notes, prompts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vault.index import Index
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note


SESSIONS = 20  # whose sentences are looked at
CHARACTERS = 1500  # that they may take together
JOINT = " / "  # between those of one day
BETWEEN = 12  # characters that each costs beside itself
LONGEST = 240  # of one of them
OLDER = 0.4  # less for each session since
SHOWN_STATUSES = ("active", notes.UNCONFIRMED)


def is_said(note: Note) -> bool:
    """Whether a note is the user's own word, confirmed or not, and no rule, which stands among the rules."""
    if note.kind != "feedback" or note.status not in SHOWN_STATUSES or note.is_beside:
        return False
    is_theirs = note.origin == "user" or bool(note.fields.get("said"))
    return is_theirs and not note.when and not note.path.startswith(f"{notes.QUARANTINE}/")


def is_told(note: Note) -> bool:
    """Whether a start tells it anyway: as the user's word, or because it always applies."""
    return is_said(note) or note.is_always_on


def newest_first(note: Note) -> tuple[str, str]:
    said = str(note.fields.get("said") or "").split()
    return max((*said[-1:], note.created), default=""), max(note.sources, default="")


def in_force(theirs: Iterable[Note], most: int, later: Sequence[tuple[str, str]] = ()) -> tuple[list[Note], int]:
    """The first of them, without what nobody confirmed and the user contradicted on that day or later: the newest word
    counts; and how many were left out for that. `theirs` are the newest first, `later` are days and sentences that are
    no notes."""
    said = [(day, folding.words(text)) for day, text in later]
    found: list[Note] = []
    dropped = 0
    for note in theirs:
        if len(found) == most:
            break
        day, words = newest_first(note)[0], folding.words(note.description)
        if note.status == notes.UNCONFIRMED and any(
            day <= other and folding.opposed(words, one) for other, one in said
        ):
            dropped += 1
            continue
        said.append((day, words))
        found.append(note)
    return found, dropped


def sentences(vault: str, project: str, known: Index) -> dict[tuple[str, bool], list[str]]:
    """What the user said lately and nobody answered, the newest first, by its day and by whether it may be quoted."""
    found: list[tuple[float, str, int, str, str, bool]] = []
    seen: list[frozenset[str]] = []
    for age, session in enumerate(prompts.sessions(vault, project, SESSIONS)):
        if session.judged:
            continue
        for one in session.typed:
            for sentence in scorer.of_prompt(one.text, one.number):
                text = " ".join(sentence.text.split())
                if sentence.score >= scorer.TOLD and prompts.key(sentence.text) not in session.answered:
                    found.append((sentence.score - OLDER * age, one.time, one.number, text, one.day, sentence.doubt))
    chosen: list[tuple[str, int, float, str, str, bool]] = []
    room = CHARACTERS
    for score, when, number, text, day, doubt in sorted(found, reverse=True):
        said, words = shortened(text, LONGEST), folding.words(text)
        if len(said) > room or any(text in other for *_, other, _, _ in chosen):
            continue
        if any(folding.are(words, other) or folding.opposed(words, other) for other in seen):
            continue
        if any(note.applies_to(project) and is_told(note) for note in known.like(words)):
            continue
        room -= len(said) + BETWEEN
        seen.append(words)
        chosen.append((when, number, score, said, day, doubt))
    by_day: dict[tuple[str, bool], list[str]] = {}
    for *_, said, day, doubt in sorted(chosen, reverse=True):
        by_day.setdefault((day, doubt), []).append(said)
    return by_day


def line(day: str, said: Sequence[str], *, doubt: bool = False) -> str:
    """Those of one day, as a start tells them."""
    return f"- {JOINT.join(said)} ({WHOSE[doubt].format(day)})"


WITHIN = 60  # handoffs that are looked at, the newest
WRITTEN_WITHIN = 10  # handoffs: older next steps have been overtaken
MOST_BRANCHES = 4  # that are prepared in full
MOST_BEFORE = 2  # handoffs before the newest of a branch
MOST_LINES = 5


@dataclass(frozen=True)
class Choice:
    """One handoff and how it is told. `only_for` is the branch at which it is, `not_for` that at which it is not: there
    it is told in full. None: whatever the branch is."""

    section: str
    how: str
    path: str
    only_for: str | None = None
    not_for: str | None = None


def choose(vault: str, listed: list[str], branch: str) -> tuple[list[Choice], str]:
    """The choices in the order in which a start tells them, and the branch of the newest handoff; `branch` is the one
    that the work tree is at now."""
    by_branch: dict[str, list[tuple[Handoff, int]]] = {}
    newest = ""
    for number in range(len(listed), max(0, len(listed) - WITHIN), -1):
        found = lineage.read(vault, listed[number - 1])
        if isinstance(found, lineage.Handoff):
            newest = newest if by_branch else found.branch
            by_branch.setdefault(found.branch, []).append((found, number))
    first = [name for name in dict.fromkeys((branch, newest)) if name in by_branch]
    names = [*first, *(name for name in by_branch if name not in first)]
    chosen: list[Choice] = []
    for name in names[:MOST_BRANCHES]:
        chosen += _in_full(by_branch[name], name)
    lines = [(by_branch[name][0], name) for name in names]
    for (handoff, number), name in lines[:MOST_LINES]:
        chosen.append(Choice("beside", f"{quoting.BESIDE}:{number}", handoff.path, not_for=name))
    return chosen, newest


def _in_full(found: list[tuple[Handoff, int]], branch: str) -> list[Choice]:
    (handoff, number), *before = found
    chosen = [Choice("handoff", f"{quoting.HANDOFF}:{number}", handoff.path, branch)]
    if handoff.author == lineage.MECHANICAL:
        # Nobody wrote this one, so what the last author asked for is still what is to be done next.
        written = next((one for one in before[:WRITTEN_WITHIN] if _is_written(one[0])), None)
        if written:
            chosen.append(Choice("handoff", f"{quoting.NEXT}:{written[1]}", written[0].path, branch))
    began = lineage.compact(handoff.started)
    beside = [(one, nth) for one, nth in before if began and lineage.compact(one.time) > began]
    earlier = [(one, nth) for one, nth in before if (one, nth) not in beside]
    chosen += [Choice("before", f"{quoting.EARLIER}:{nth}", one.path, branch) for one, nth in earlier[:MOST_BEFORE]]
    chosen += [Choice("beside", f"{quoting.BESIDE}:{nth}", one.path, branch) for one, nth in beside[:MOST_LINES]]
    return chosen


def _is_written(handoff: Handoff) -> bool:
    return handoff.author != lineage.MECHANICAL and bool(handoff.items("next_steps"))
