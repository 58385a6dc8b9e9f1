"""The right judges of bench/sleep_judges.py: one copies its sources' sentences, one rewords them by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.field.thought import Thought
from sleep_judges_set import Cluster, sentences, speaker

BEGINNINGS = frozenset(("the", "it", "that", "this", "there", "they", "we", "a", "an", "in", "on", "at", "my", "our"))


@dataclass(frozen=True)
class Line:
    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True)
class Answered:
    """What a judge answered. `planted` is the wrong sentence; or `lost` says where something is missing."""

    lines: tuple[Line, ...]
    planted: str = ""
    lost: str = ""
    contradictions: tuple[tuple[str, str], ...] = ()
    members: tuple[Thought, ...] = ()


def copying(cluster: Cluster) -> list[Line]:
    """Each source's own sentences, with who said them."""
    found = []
    for at, one in enumerate(cluster.members, 1):
        who = f"{speaker(one)}: " if speaker(one) else ""
        found += [Line(f"{who}{sentence}", (f"t{at}",)) for sentence in sentences(one)]
    return found


# Rewording by rule: what a careful writer does to somebody's words without touching what they say.
_FILLERS = re.compile(
    r"\b(?:really|actually|just|totally|definitely|basically|literally|pretty|kinda|currently|also|very)\s(?!as\b|like\b)"
    r"|^(?:wow|yeah|yep|hey|oh|well|so|haha|thanks|hi|aww|cool|nice|sure|by the way|anyway|absolutely)\b[^,!.]{0,12}"
    r"[,!]\s*",
    re.IGNORECASE,
)
_LONGER = (
    ("can't", "cannot"), ("Can't", "Cannot"), ("won't", "will not"), ("Won't", "Will not"),
    ("n't", " not"), ("I'm", "I am"), ("'re ", " are "), ("'ve ", " have "),
    ("'ll ", " will "), ("It's", "It is"), ("it's", "it is"), ("That's", "That is"), ("that's", "that is"),
    ("There's", "There is"), ("there's", "there is"), ("I'd ", "I would "),
)  # fmt: skip
_THIRD = (
    ("I am", "{} is"), ("I have", "{} has"), ("I was", "{} was"), ("I do not", "{} does not"), ("I", "{}"),
    ("my", "{}'s"), ("My", "{}'s"), ("mine", "{}'s"), ("me", "{}"), ("myself", "{}"),
)  # fmt: skip


def rewording(cluster: Cluster) -> list[Line]:
    """The same in slightly other words: contractions written out, fillers dropped, a name for "I", sentences joined."""
    said: list[Line] = []
    for at, one in enumerate(cluster.members, 1):
        said += [Line(_reworded(text, speaker(one)), (f"t{at}",)) for text in sentences(one)]
    dice, found = cluster.dice("rewording"), list[Line]()
    for line in said:
        last, word = found[-1] if found else None, line.text.split()[0]
        may_join = last and len(last.text) < 120 and len(line.text) < 120 and " and " not in last.text
        names = {*(speaker(one) for one in cluster.members), "I"}
        if last and may_join and (word in names or word.lower() in BEGINNINGS) and dice.random() < 0.4:
            begun = line.text if word in names else line.text[:1].lower() + line.text[1:]
            cites = tuple(dict.fromkeys((*last.cites, *line.cites)))
            found[-1] = Line(f"{last.text.rstrip('.!')} and {begun}", cites)
        else:
            found.append(line)
    return found


def _reworded(text: str, who: str) -> str:
    text = text.replace("\u2019", "'")
    for short, whole in _LONGER:
        text = text.replace(short, whole)
    text = _FILLERS.sub("", text)
    for first, third in _THIRD if who else ():
        text = re.sub(rf"\b{first}\b(?!')", third.format(who), text)
    text = text[:1].upper() + text[1:]
    return text if not who or who in text else f"{who}: {text}"
