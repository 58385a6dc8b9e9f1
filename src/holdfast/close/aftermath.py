"""What a close leaves beside the notes: sentences for the next start, what was refused, what a judge may still do.

None of it is needed for a flag to be safe, so none of it can fail a close. It is all known by the ids of the flags it
is about: leaving it twice is leaving it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.capture import home, notices
from holdfast.capture.ids import digest
from holdfast.close import unjudged
from holdfast.close.think import answers, wording
from holdfast.close.verify import findings as verify
from holdfast.close.work import VERBATIM
from holdfast.errors import HoldfastError
from holdfast.vault import journal, stored_index

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.close.commit import Written
    from holdfast.close.think.consolidate import Refused
    from holdfast.close.think.judge_pool import Court
    from holdfast.close.verify.findings import Finding
    from holdfast.close.work import Closed, Work

HANDOFF = "handoff "  # and the episode: what was wrong in what it handed off
CHECKED_FOR = 3 * 86400.0  # seconds in which starts hear what was wrong in a handoff


def keep_refused(vault: str, now: float, project: str, refused: Sequence[Refused]) -> None:
    """What a judge said and may not do waits for a person, before its flags leave the queue."""
    if not refused:
        return
    from holdfast.close.improve import proposals

    for one in refused:
        ids = tuple(flag.id for flag in one.flags)
        before, after = _rewritten(vault, one)
        proposal = proposals.Proposal(
            id=digest("\0".join((*ids, one.said)), 12),
            time=now,
            project=project,
            kind=proposals.NOTE,
            path=one.target if after else "",
            why=f"A judge's decision was refused: {one.why}.",
            diff="" if after else one.said,
            before=before,
            after=after,
            sources=ids,
        )
        try:
            proposals.leave(home.state(vault), proposal)
        except (OSError, HoldfastError):
            return  # its flags are filed verbatim all the same


def _rewritten(vault: str, refused: Refused) -> tuple[str | None, str | None]:
    """The note as it is and as the judge would have it; (None, None) where it named none."""
    text = journal.text(vault, refused.target) if refused.target else ""
    body = wording.body_of(text)
    own = wording.own_words(body)  # the proof below it was not the judge's to rewrite
    if not own or not refused.body.strip():
        return None, None
    return text, text[: len(text) - len(body)] + body.replace(own, refused.body.strip(), 1)


def of_episode(vault: str, now: float, work: Work, written: Written) -> None:
    """Before the flags leave the queue: then a close that is killed here does it again."""
    state, thought = home.state(vault), written.thought
    try:
        if thought is None or thought.fell_back or thought.by == VERBATIM:
            unjudged.remember(state, work.project, vault, written.verbatim)
        if written.loops:
            from holdfast.close.improve import closing as improve

            improve.after_commit(state, written.loops, written.closed.commit[:10], now, work.project)
        if work.ends and work.episode:
            from holdfast.close.improve import proving

            proving.observe(vault, state, now, work.episode)
    except (OSError, HoldfastError):
        return


def tell_findings(vault: str, now: float, work: Work, path: str, findings: Sequence[Finding]) -> None:
    """What was found to be wrong in a handoff, before it is committed: a close that is killed behind that would find
    the handoff and look no more. A claim that is held back is not in it, and not lost either."""
    state = home.state(vault)
    try:
        for one in findings:
            if one.verdict in verify.HELD_BACK:
                from holdfast.close.improve import proposals

                ident = digest("\0".join((work.key, one.claim.section, one.claim.text)), 12)
                why, claim = f"Held back from {path}: {one.why}", f"{one.claim.section}: {one.claim.text}"
                proposals.leave(state, proposals.Proposal(ident, now, work.project, proposals.CLAIM, "", why, claim))
        said = verify.told(findings)
        if said:
            notices.leave(state, f"{HANDOFF}{work.key}", said, now, project=work.project, lasts=CHECKED_FOR)
    except (OSError, HoldfastError):
        return


def of_close(vault: str, now: float, projects: Collection[str], done: Sequence[Closed], court: Court | None) -> None:
    """What the whole of it has to say."""
    from holdfast.close.improve import closing as improve
    from holdfast.close.improve import loops

    state = home.state(vault)
    try:
        improve.apply_pending(vault, state, now)
        _say_who_judged(state, now, done, court)
        if court:
            answers.drop(state, court.keys)
            answers.sweep(state, now)
        known = stored_index.as_left(vault) if projects else None
        for project in sorted(projects):
            loops.after_close(vault, state, now, project, known)
    except (OSError, HoldfastError):
        return


def _say_who_judged(state: str, now: float, done: Sequence[Closed], court: Court | None) -> None:
    """A judge that was chosen and did not answer is said out loud, until one does."""
    if court is None:
        return
    left = [one for one in done if one.fell_back]
    if left and not court.is_capped:
        why = left[0].fell_back.rstrip(".")
        line = (
            f"WARNING: the last close could not use the judge {court.by} ({why}); what it could not decide is filed "
            "verbatim, and a later close consolidates it. `holdfast doctor` looks at the judge."
        )
        notices.leave(state, notices.JUDGE, line, now)
    elif court.asked and not left:
        notices.remove(state, notices.JUDGE)
