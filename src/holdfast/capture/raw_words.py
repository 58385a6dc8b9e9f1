"""Words that a shell may have changed on their way to a command, recognised again.

In double quotes a shell runs `x` and $(x) and puts variables in: an agent that meant these very signs loses them, and
never hears of it. The hook sees the line as it was written and keeps its words as a draft before the shell does
anything. The command that then runs finds the draft of which its own words can have come, files the words as they were
written, keeps what arrived as evidence, and says so. $(x) is written on purpose more often than not: there what arrived
is filed, and the written words are the evidence. A draft that no command takes is told and used as any other.
"""

from __future__ import annotations

from holdfast.capture import drafts
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.drafts import Draft

CHANGED = "the shell changed your words; the raw ones are kept"
ON_PURPOSE = "the shell has put something into your words; what you wrote is kept as evidence"
OPENINGS = {"`": "`", "$(": ")", "${": "}"}


@value
class Taken:
    """What is to be filed in the place of what arrived. `change` says what the author should know, "" for nothing."""

    text: str
    evidence: tuple[str, ...] = ()
    change: str = ""
    draft: str = ""


def taken(state: str, kind: str, arrived: Sequence[str], episode: str) -> list[Taken]:
    """For each text that arrived, what was written; itself where no draft of this session can have become it."""
    if not episode or not drafts.any_kept(state):
        return [Taken(text) for text in arrived]
    waiting = [one for one in drafts.read(state, drafts.NEWEST) if _waits(one, kind, episode)]
    found = []
    for text in arrived:
        one = next((draft for draft in waiting if _became(draft.text, text)), None)
        if one is None:
            found.append(Taken(text))
            continue
        waiting.remove(one)
        found.append(_taken(one, text))
    return found


def _waits(one: Draft, kind: str, episode: str) -> bool:
    return one.why == drafts.SHELL and one.kind == kind and one.episode == episode and not (one.is_settled or one.used)


def _taken(one: Draft, arrived: str) -> Taken:
    if _flat(one.text) == _flat(arrived):
        return Taken(one.text, one.evidence, draft=one.id)
    if "$(" in one.text:
        return Taken(arrived, (*one.evidence, f"as it was written: {one.text}"), ON_PURPOSE, one.id)
    passed = (f"as the shell passed it on: {arrived}",) if arrived.strip() else ()
    return Taken(one.text, (*one.evidence, *passed), CHANGED, one.id)


def _became(raw: str, arrived: str) -> bool:
    """Whether it is sure enough: a text of nothing but substitutions could have become anything, so both are kept."""
    return can_become(raw, arrived) and (any(literal_pieces(_flat(raw))) or not arrived.strip())


def can_become(raw: str, arrived: str) -> bool:
    """Whether a shell can make one text of the other: all that stands between its substitutions is there, in order."""
    pieces = literal_pieces(_flat(raw))
    text = _flat(arrived)
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in pieces[1:-1]:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def literal_pieces(text: str) -> list[str]:
    """What stands before, between and behind the substitutions in a text; spaces at their edges are the shell's."""
    pieces, at, begin = [], 0, 0
    while at < len(text):
        end = _end(text, at)
        if end:
            pieces.append(text[begin:at])
            begin = at = end
        else:
            at += 1
    pieces.append(text[begin:])
    edges = [pieces[0].rstrip(), *(piece.strip() for piece in pieces[1:-1]), pieces[-1].lstrip()]
    return edges if len(pieces) > 1 else pieces


def _end(text: str, at: int) -> int:
    """Where the substitution that begins at a place ends; 0 where none does."""
    for opening, closing in OPENINGS.items():
        if text.startswith(opening, at):
            stop = text.find(closing, at + len(opening))
            while closing == ")" and stop > 0 and text.count("(", at, stop) > text.count(")", at, stop + 1):
                stop = text.find(closing, stop + 1)
            return stop + 1 if stop > 0 else 0
    if text[at] != "$" or not text[at + 1 : at + 2].strip():
        return 0
    end = at + 1
    if not (text[end].isalpha() or text[end] == "_"):
        return end + 1 if text[end].isdecimal() or text[end] in "?#@*!$-" else 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end


def _flat(text: str) -> str:
    return " ".join(text.split())
