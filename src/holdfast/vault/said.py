"""What a start tells in the user's own words: their orders and what they want remembered, and, of the last sessions,
the sentences likeliest to last that nobody has answered.

The first are notes: they stay until they are confirmed as a rule, withdrawn, superseded or contradicted by what the
user said later, however many newer notes there are. The second are chosen by a score that decides nothing
(text/sentence_score), and each says when it was said and that nobody confirmed it. A session about which a model was
asked has none: what it found to last is a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import alike
from holdfast.capture.quoting import shortened
from holdfast.text import sentence_score as scorer
from holdfast.text.last_words import WHOSE
from holdfast.vault import notes, prompts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.vault.index import Index
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
    said = [(day, alike.words(text)) for day, text in later]
    found: list[Note] = []
    dropped = 0
    for note in theirs:
        if len(found) == most:
            break
        day, words = newest_first(note)[0], alike.words(note.description)
        if note.status == notes.UNCONFIRMED and any(day <= other and alike.opposed(words, one) for other, one in said):
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
        said, words = shortened(text, LONGEST), alike.words(text)
        if len(said) > room or any(text in other for *_, other, _, _ in chosen):
            continue
        if any(alike.are(words, other) or alike.opposed(words, other) for other in seen):
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
