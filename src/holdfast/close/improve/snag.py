"""A snag read out of its flag: what went wrong, the better path, and what should learn from it.

The queue's record stays as it is: the name of a rule or skill travels as evidence, so whatever reads flags, older
versions included, carries it along. A snag that was flagged by `holdfast flag --kind snag` has at least its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.flag_words import RULE, SKILL
from holdfast.model import replace
from holdfast.vault.armed import MOST_LETTERS

if TYPE_CHECKING:
    from holdfast.model import Flag

BETTER = re.compile(r"(?:(?<=[.!?;,])\s+|\s+[-\u2013\u2014]\s+|^)(?:better|instead)\s*:\s*", re.IGNORECASE)
OPENING = re.compile(r"^snag\s*:\s*", re.IGNORECASE)
SHORTEST_WRONG = 160  # letters of what went wrong that stay, however long the better path is


@dataclass(frozen=True)
class Snag:
    """What went wrong and the better path ("" where its author named none), and the skill or rule that is named."""

    wrong: str
    better: str
    skill: str = ""
    rule: str = ""

    @property
    def line(self) -> str:
        """One line that says both, within what an armed note brings back."""
        ending = "" if self.wrong.endswith((".", "!", "?", "…")) else "."
        whole = f"Snag: {self.wrong}{ending} Better: {self.better}" if self.better else f"Snag: {self.wrong}"
        if len(whole) <= MOST_LETTERS:
            return whole
        if not self.better:
            return _cut(whole, MOST_LETTERS)
        room = MOST_LETTERS - len("Snag:  Better: ")
        wrong = _cut(f"{self.wrong}{ending}", max(SHORTEST_WRONG, room - len(self.better)))
        return f"Snag: {wrong} Better: {_cut(self.better, room - len(wrong))}"

    @property
    def key(self) -> str:
        """The same for the same snag, whatever its spacing, case and signs."""
        return key_of(self.line)


def key_of(line: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def parsed(flag: Flag) -> Snag:
    """What a flag of kind snag says, whichever command it came from."""
    text = OPENING.sub("", flag.text)
    found = BETTER.search(text)
    wrong, better = (text[: found.start()], text[found.end() :]) if found else (text, "")
    if not wrong.strip():
        wrong, better = text, ""
    return Snag(_half(wrong), _half(better), _named(flag, SKILL), _named(flag, RULE))


def _half(text: str) -> str:
    return " ".join(text.split()).rstrip(".").rstrip() or text.strip()


def _named(flag: Flag, mark: str) -> str:
    return next((one[len(mark) :].strip() for one in flag.evidence if one.startswith(mark)), "")


def plain(flag: Flag) -> Flag:
    """The flag with nothing but proof as its evidence."""
    return replace(flag, evidence=tuple(one for one in flag.evidence if not one.startswith((SKILL, RULE))))
