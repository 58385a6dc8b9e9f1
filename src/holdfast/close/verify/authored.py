"""A handoff that somebody wrote, held against their own session before it is filed.

Whoever did the work may be wrong about it, late and at the end of a long context. What is not to be found is marked;
what the session contradicts is said to the author, who is still there and can mend it. Where they insist, it is filed
with the contradiction beside it, and the next start says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.capture import home, notices, story
from holdfast.close import salvage
from holdfast.close.aftermath import CHECKED_FOR, HANDOFF
from holdfast.close.verify import checking, evidence
from holdfast.close.verify import findings as verify
from holdfast.text import extract
from holdfast.text.transcript import CALL
from holdfast.vault import index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.close.verify.evidence import Evidence
    from holdfast.close.verify.findings import Finding
    from holdfast.model import Flag, Project
    from holdfast.vault.lineage import Handoff

COMMAND = re.compile(r"holdfast\S*\s+handoff\b")


@dataclass
class Look:
    """A handoff held against its session: `over` before it is filed, `tell` once it is."""

    vault: str
    episode: Episode | None
    flags: Sequence[Flag]
    project: Project
    findings: tuple[Finding, ...] = field(default=())

    def over(self, made: Handoff) -> tuple[Handoff, list[str]]:
        """The handoff, marked, and what its session contradicts."""
        if self.episode is None:
            return made, []
        told = story.read(home.state(self.vault), self.episode.key)
        found = evidence.gather(salvage.begun(self.episode), told, self.flags, self.project.root)
        in_force = checking.InForce(index.load(self.vault), self.project.id)
        marked, self.findings = checking.checked(made, _without_itself(found), in_force, hold_back=False)
        return marked, [_sentence(one) for one in self.findings if one.verdict == verify.CONTRADICTED]

    def tell(self, now: float) -> None:
        """The next starts hear what was found to be wrong in it."""
        said = verify.told(self.findings, is_held_back=False)
        if said and self.episode:
            name = f"{HANDOFF}{self.episode.key}"
            notices.leave(home.state(self.vault), name, said, now, project=self.project.id, lasts=CHECKED_FOR)


def _without_itself(found: Evidence) -> Evidence:
    """A handoff is no evidence for itself: the call that writes it stands in the transcript too."""
    spoken = [one for one in found.spoken if not (one.role == CALL and COMMAND.search(extract.command_of(one)))]
    runs = [one for one in found.runs if not COMMAND.search(one.command)]
    return replace(found, spoken=tuple(spoken), runs=tuple(runs))


def _sentence(finding: Finding) -> str:
    return f'"{finding.claim.text[:120]}" is contradicted by the session: {finding.why}.'
