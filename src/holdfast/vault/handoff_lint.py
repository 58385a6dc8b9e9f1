"""What makes a handoff useless to the next session, said with how to fix it. A person can override it.

Deterministic and few: no next step, an agenda word where a step should be, a decision without its reason, a file that
is not there, a transcript instead of a note. A short and honest handoff is worth more than none: where it says in some
other section what is open, a missing step is only warned of, and so is a decision without its reason.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.vault.lineage import Handoff

AGENDA = re.compile(
    r"\b(?:maybe|perhaps|possibly|might (?:want|need|try)|could (?:look|try|maybe)|think about|at some point"
    r"|eventually(?! consistent)|some ?day|if (?:there is|there's|we have|you have) time|if time (?:permits|allows)"
    r"|time permitting|tbd|todo\?|as needed|and so on)\b"
    r"|(?:^|[.;:,] |\b(?:and|also|then|should|to|may|might|could) )(?:look (?:at|into)|consider(?:ing)?)\b"
    r"|(?<![/\w.])etc\b(?![/\w])",
    re.IGNORECASE,
)
CODE = re.compile(r"`[^`]*`")
REASON = re.compile(
    r"\b(because|since|so|due to|in order to|to (?:avoid|keep|prevent|stay|make|let|save|get)|as|for|reason|why|given"
    r"|instead of|rather than|otherwise|until|unless|thus|therefore|after|avoids?|saves?|needs?|requires?|breaks?"
    r"|broke)\b"
    r"|[;:(\u2013\u2014]| -+ |, (?:it|they|that|this|which|no|not)\b",
    re.IGNORECASE,
)
NOTHING = re.compile(r"^(none|nothing)\b", re.IGNORECASE)
MOST_CHARACTERS = 6000
SHORT = 1200  # characters up to which a handoff is a note in passing
SPEAKS_ON = ("note", "in_progress", "blockers")  # sections that tell the next session where it stands
GONE = re.compile(r"\b(?:deleted?|removed?|renamed?|moved?|dropped)\b|\u2192|->", re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\(([^)]+)\)")
QUOTES = "`'\"*[]()<>,;:"
PLACE = re.compile(r"(?:[:#]L?\d[\d,:L-]*)$")  # a line or lines of a file


def problems(handoff: Handoff, root: str) -> list[str]:
    """One sentence for each thing to fix; [] where the handoff is fit."""
    merely = warnings(handoff)
    found = [*_next_steps(handoff), *_decisions(handoff), *_files(handoff, root), *_size(handoff)]
    return [one for one in found if one not in merely]


def warnings(handoff: Handoff) -> list[str]:
    """What a short handoff is told and accepted with."""
    if _characters(handoff) > SHORT:
        return []
    has_word = any(handoff.items(key) for key in SPEAKS_ON)
    missing = _next_steps(handoff) if has_word and not handoff.items("next_steps") else []
    return [*missing, *_decisions(handoff)]


def _next_steps(handoff: Handoff) -> list[str]:
    steps = handoff.items("next_steps")
    if not steps:
        return ['There is no next step. Add one under "Next steps": the first command or edit to make; or "None: why".']
    found = []
    for number, step in enumerate(steps, 1):
        vague = AGENDA.search(CODE.sub("`", step))
        if vague and not NOTHING.match(step):
            said = vague[0].strip(" .;:,")
            found.append(f'Next step {number} says "{said}": say what to do and where, such as "run X and fix Y in Z".')
    return found


def _decisions(handoff: Handoff) -> list[str]:
    return [
        f'Decision {number} has no reason: add "because …", or the next session will decide it again.'
        for number, item in enumerate(handoff.items("decisions"), 1)
        if not REASON.search(item)
    ]


def _files(handoff: Handoff, root: str) -> list[str]:
    found = []
    for item in handoff.items("files_modified"):
        path = _path(item, root)
        if path and not GONE.search(item) and not NOTHING.match(item) and not os.path.lexists(os.path.join(root, path)):
            found.append(f'There is no file {path} in {root}: correct the path, or write "{path} (deleted)".')
    return found


def _path(item: str, root: str) -> str:
    """The file that an item names, however it is written; "" where it names none, or many at once."""
    item = LINK.sub(r"\1", item)
    whole = item.strip().strip(QUOTES)
    quoted = re.match(r"[`*\[]+([^`*\]]+)[`*\]]", item.strip())
    for candidate in (whole, quoted[1] if quoted else ""):
        if candidate and os.path.lexists(os.path.join(root, candidate)):
            return candidate
    words = [PLACE.sub("", word.strip(QUOTES)).strip(QUOTES) for word in item.split()]
    like = [word for word in words if "/" in word.strip("/") or re.search(r"\w\.\w+$", word)]
    path = like[0] if like else words[0] if len(words) == 1 else ""
    return "" if any(sign in path for sign in "*?{}\u2026") else os.path.expanduser(path)


def _characters(handoff: Handoff) -> int:
    return sum(len(item) for items in handoff.sections.values() for item in items)


def _size(handoff: Handoff) -> list[str]:
    size = _characters(handoff)
    if size <= MOST_CHARACTERS:
        return []
    return [f"It has {size:,} characters, {MOST_CHARACTERS:,} is the most: flag what lasts, it becomes notes."]
