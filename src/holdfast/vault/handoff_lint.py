"""What makes a handoff useless to the next session, said with how to fix it. A person can override it.

Deterministic and few: no next step, an agenda word where a step should be, a decision without its reason, a file that
is not there, a transcript instead of a note.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.vault.lineage import Handoff

AGENDA = re.compile(
    r"\b(maybe|perhaps|possibly|might (?:want|be|need|try)|could (?:look|try|be|maybe)|consider(?:ing)?"
    r"|look (?:at|into)|think about|at some point|eventually|some ?day|if (?:there is )?time|tbd|todo\?|as needed"
    r"|and so on|etc)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\b(because|since|so that|so we|so it|due to|in order to|to (?:avoid|keep|prevent)|as it|reason|why)\b"
    r"|[;:(\u2013\u2014]| - "
)
NOTHING = re.compile(r"^(none|nothing)\b", re.IGNORECASE)
MOST_CHARACTERS = 6000
PATH = re.compile(r"^`?([^\s`]+)`?")
GONE = re.compile(r"\((deleted|removed|renamed[^)]*)\)", re.IGNORECASE)


def problems(handoff: Handoff, root: str) -> list[str]:
    """One sentence for each thing to fix; [] where the handoff is fit."""
    return [*_next_steps(handoff), *_decisions(handoff), *_files(handoff, root), *_size(handoff)]


def _next_steps(handoff: Handoff) -> list[str]:
    steps = handoff.items("next_steps")
    if not steps:
        return ['There is no next step. Add one under "Next steps": the first command or edit to make; or "None: why".']
    found = []
    for number, step in enumerate(steps, 1):
        vague = AGENDA.search(step)
        if vague and not NOTHING.match(step):
            found.append(
                f'Next step {number} says "{vague[0]}": say what to do and where, such as "run X and fix Y in Z".'
            )
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
        name = PATH.match(item.strip())
        path = name[1].rstrip(",;:") if name else ""
        if not path or GONE.search(item) or NOTHING.match(item) or re.match(r"and \d+ more", item):
            continue
        if not os.path.lexists(os.path.join(root, path)):
            found.append(f'There is no file {path} in {root}: correct the path, or write "{path} (deleted)".')
    return found


def _size(handoff: Handoff) -> list[str]:
    size = sum(len(item) for items in handoff.sections.values() for item in items)
    if size <= MOST_CHARACTERS:
        return []
    return [f"It has {size:,} characters, {MOST_CHARACTERS:,} is the most: flag what lasts, it becomes notes."]
