"""The reason for each note that a first prompt brings with it, and for those that it does not.

Nothing is decided here: it tells what the hook does with the notes that were found (brief/recall), note by note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from holdfast.brief import prompt_by_words, recall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.model import Project

STARTS_SO = "the start tells it in full already"
ELSEWHERE = "its words are in the prompt, but what it means is something else"
GONE = "its file is gone, is not in force here, or says something else by now"
NO_ROOM = f"no room within {recall.MOST_CHARACTERS:,} characters"
BY_MEANING = "what it means stands out from all other notes, though it shares no telling words"


class Looked(Protocol):
    """A note that was considered (field/prompt_by_meaning)."""

    @property
    def path(self) -> str: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def score(self) -> float: ...
    @property
    def is_told(self) -> bool: ...


@dataclass(frozen=True)
class PromptLine:
    """One note and the reason for it; of one left out, why it is."""

    path: str
    text: str
    why: str


@dataclass(frozen=True)
class ExplainedPrompt:
    """The words that the agent gets with the prompt, and how they came about."""

    text: str = ""
    room: int = recall.MOST_CHARACTERS
    lines: tuple[PromptLine, ...] = ()
    left_out: tuple[PromptLine, ...] = ()


def explain(vault: str, project: Project, found: Sequence[Looked], told: set[str]) -> ExplainedPrompt:
    """`told` are the notes of the next start."""
    shown: list[tuple[recall.Bearing, str]] = []
    out: list[PromptLine] = []
    for one in found:
        note = recall.as_it_is(vault, project, one.path, one.words)
        reason = _left_out(one, note, told)
        if note is None or reason:
            out.append(PromptLine(one.path, note.line if note else "", reason))
        else:
            shown.append((note, why(one.words, one.score)))
    text, carried = recall.laid_out([note for note, _ in shown])
    paths = {one.rpartition(":")[0] for one in carried}
    lines = tuple(PromptLine(note.path, note.text, said) for note, said in shown if note.path in paths)
    out += [PromptLine(note.path, note.line, NO_ROOM) for note, _ in shown if note.path not in paths]
    return ExplainedPrompt(text, lines=lines, left_out=tuple(out))


def why(words: Sequence[str], score: float) -> str:
    """The way a note was found, as a sentence."""
    if not words:
        return BY_MEANING
    named = ", ".join(f"\u201c{one}\u201d" for one in words)
    return f"it shares {named} with the prompt: {score:.1f} above chance, where {prompt_by_words.CLEAR:.1f} is needed"


def _left_out(one: Looked, note: recall.Bearing | None, told: set[str]) -> str:
    if not one.is_told:
        return ELSEWHERE
    if note is None:
        return GONE
    return STARTS_SO if note.path in told and note.is_in_full else ""
