"""A handoff that somebody wrote, held against their own session before it is filed.

Whoever did the work may be wrong about it, late and at the end of a long context. What is not to be found is marked;
what the session contradicts is said to the author, who is still there and can mend it. Where they insist, it is filed
with the contradiction beside it, and the next start says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import home, notices, story
from holdfast.close import checking, evidence, salvage, verify
from holdfast.close.aftermath import CHECKED_FOR, HANDOFF
from holdfast.hook import gist
from holdfast.hook.transcript import CALL
from holdfast.vault import index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.close.evidence import Evidence
    from holdfast.close.verify import Finding
    from holdfast.model import Flag, Project
    from holdfast.vault.lineage import Handoff

COMMAND = "handoff"


def looking_over(
    vault: str, episode: Episode | None, flags: Sequence[Flag], project: Project, now: float
) -> Callable[[Handoff], tuple[Handoff, list[str]]]:
    """What `handing.write` asks before it files: the handoff, marked, and what its session contradicts."""

    def look(made: Handoff) -> tuple[Handoff, list[str]]:
        if episode is None:
            return made, []
        state = home.state(vault)
        told = story.read(state, episode.key)
        found = _without_itself(evidence.gather(salvage.begun(episode), told, flags, project.root))
        in_force = checking.in_force(index.load(vault).notes, project.id)
        marked, findings = checking.checked(made, found, in_force, hold_back=False)
        said = verify.told(findings)
        if said:
            notices.leave(state, f"{HANDOFF}{episode.key}", said, now, project=project.id, lasts=CHECKED_FOR)
        return marked, [_sentence(one) for one in findings if one.verdict == verify.CONTRADICTED]

    return look


def _without_itself(found: Evidence) -> Evidence:
    """A handoff is no evidence for itself: the call that writes it stands in the transcript too."""
    spoken = [one for one in found.spoken if not (one.role == CALL and COMMAND in gist.command_of(one))]
    runs = [one for one in found.runs if COMMAND not in one.command]
    return replace(found, spoken=tuple(spoken), runs=tuple(runs))


def _sentence(finding: Finding) -> str:
    return f'"{finding.claim.text[:120]}" is contradicted by the session: {finding.why}.'
