"""What the user said in sessions that died or ended a moment ago, before any close has told of them."""

from __future__ import annotations

import time

from holdfast.capture import once, story
from holdfast.text import sentence_score as scorer
from holdfast.text.layout import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.marks import Mark

MOST_SESSIONS = 2
CHARACTERS = 600
LONGEST = 240
WHOSE = ("said by the user on {}, not confirmed", "in a prompt of {}, between quotations, perhaps quoted")


def items(state: str, left: list[Mark], told: list[str]) -> tuple[Item, ...]:
    """The likeliest sentences of the newest of these sessions that nobody has answered, the newest first. `told` are
    texts that the start shows anyway."""
    found: list[tuple[float, float, str, bool]] = []
    for mark in sorted((one for one in left if one.story), key=lambda one: -one.last)[:MOST_SESSIONS]:
        typed = story.typed(state, mark.episode)
        ranked = scorer.likeliest(["" if prompt.pasted else prompt.text for prompt in typed])
        likely = [one for one in ranked if one.score >= scorer.TOLD]
        answered = answered_in(state, mark.episode)
        said = ((one.score, typed[one.prompt - 1].time, " ".join(one.text.split()), one.doubt) for one in likely)
        found += [one for one in said if one[2] not in answered and not any(one[2] in text for text in told)]
    room = CHARACTERS
    chosen = []
    for _, when, text, doubt in sorted(found, reverse=True):
        day = time.strftime("%Y-%m-%d", time.gmtime(when))
        cut = text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
        line = f"- {cut} ({WHOSE[doubt].format(day)})"
        if len(line) <= room:
            room -= len(line)
            chosen.append((when, line))
    return tuple(Item(line) for _, line in sorted(chosen, reverse=True))


def answered_in(state: str, episode: str) -> set[str]:
    """The sentences that the model was asked about and put properly, in plain words."""
    found = set()
    for line in (once.read(state, episode, once.SHOWN) or "").splitlines():
        ident, _, rest = line.partition("\t")
        if rest and once.read(state, episode, f"{once.ANSWERED}{ident}") is not None:
            found.add(rest.partition("\t")[2])
    return found
