"""The leavings of a close beside the notes: sentences for the next start, refused decisions, work for a later judge.

None of it is needed for a flag to be safe, so none of it can fail a close. It is all known by the ids of the flags it
is about: leaving it twice is leaving it once. Drafts that were refused while a session went on are used by its close:
no word is lost because a form was wrong.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.capture import drafts, episodes, flags, home, notices, queue, quoting, same_project
from holdfast.capture.ids import LETTERS, digest
from holdfast.close import groups, judge_pool, unjudged
from holdfast.close.verify import findings as verify
from holdfast.close.work import VERBATIM, Closed, Work, is_over
from holdfast.errors import HoldfastError, NotSaved
from holdfast.model import KINDS, ORIGINS, TRUSTED, Flag
from holdfast.vault import handoff_form, journal, lineage, stored_index

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.close.commit import WrittenEpisode

FILED = "handed to the close as a fact"
MARK = " (of a handoff that was refused)"
MOST = 6000  # characters of one refused handoff; the draft has the rest
LONGEST_ITEM = 1000
MOST_PIECES = len(LETTERS) - 1
HANDOFF = "handoff "  # and the episode: what was wrong in what it handed off
CHECKED_FOR = 3 * 86400.0  # seconds in which starts hear what was wrong in a handoff


def file_lines(vault: str, now: float, project: str = "") -> int:
    """Let refused lines wait in the queue as facts, those of one project or of all; how many drafts that were. Raises
    NotSaved."""
    state = home.state(vault)
    if not drafts.any_kept(state):
        return 0
    ids = same_project.ids(vault, project) if project else ()
    due = [
        one
        for one in drafts.read(state)
        if one.kind in drafts.LINES and not (one.used or one.is_settled) and (not ids or one.project in ids)
        if not one.episode or is_over(episodes.of_key(state, one.episode))
    ]
    for one in due:
        made = _flags(one)
        segment = queue.append(f"{state}/queue", made, now)
        if one.episode:
            episodes.note_segment(state, one.episode, segment, len(made))
        drafts.use(state, [one.id], FILED)
    return len(due)


def _flags(one: drafts.Draft) -> list[Flag]:
    """Its words in as many flags as they take, the first under its own id."""
    pieces = [piece for line in one.text.splitlines() for piece in flags.cut(line)][:MOST_PIECES]
    host = one.episode.partition("/")[0] or "cli"
    origin = one.origin if one.origin in ORIGINS else "tool"
    kind = one.given if one.given in KINDS else "fact"
    why = "kept by the hook: its command never came through" if one.why == drafts.SHELL else f"refused: {one.why}"
    proof = (*one.evidence, why[: flags.LONGEST])
    ids = [one.id, *(one.id[:-1] + letter for letter in LETTERS if letter != one.id[-1])]
    return [
        Flag(ident, one.time, host, one.episode, one.project, kind, piece, proof, origin)
        for ident, piece in zip(ids, pieces, strict=False)
    ]


def handoffs(vault: str, project: str, episode: str) -> list[drafts.Draft]:
    """The handoffs of a session that were refused and that nobody has mended or used."""
    state = home.state(vault)
    if not episode or not drafts.any_kept(state):
        return []
    first, *merged = same_project.ids(vault, project)
    found = (one for one in drafts.open_for(state, first, merged=tuple(merged)) if one.kind == drafts.HANDOFF)
    return [one for one in found if one.episode == episode and not one.used]


def completed(made: lineage.Handoff, refused: Sequence[drafts.Draft]) -> lineage.Handoff:
    """A handoff with the items of its session's refused ones behind its own."""
    sections = dict(made.sections)
    for one in refused:
        for key, items in _sections(one).items():
            before = sections.get(key, ())
            known = {item.removesuffix(MARK) for item in before}
            sections[key] = (*before, *(f"{item}{MARK}" for item in items if item not in known))
    in_order = {key: sections[key] for key in lineage.SECTIONS if sections.get(key)}
    return replace(made, sections=in_order)


def _sections(one: drafts.Draft) -> dict[str, tuple[str, ...]]:
    try:
        _, found = handoff_form.parse(one.text)
    except HoldfastError:
        found = {"note": tuple(one.text.splitlines())}
    if one.origin not in TRUSTED:  # the word of an outsider is no word of a colleague
        mark = quoting.from_mark(one.origin)
        found = {key: tuple(f"{item}{mark}" for item in items) for key, items in found.items()}
        found = {key: items for key, items in found.items() if key != "note"}
    room = MOST
    kept: dict[str, tuple[str, ...]] = {}
    for key, items in found.items():
        for line in filter(None, (flags.clean(item)[0][:LONGEST_ITEM] for item in items)):
            room -= len(line)
            if room < 0:
                break
            kept[key] = (*kept.get(key, ()), line)
    return kept


def note_used(vault: str, project: str, episode: str, path: str) -> None:
    """Mark the drafts used: the handoff that has them is committed. One told too often is no harm, so this fails
    nothing."""
    used = handoffs(vault, project, episode) if path else []
    found = lineage.read(vault, path) if used else None
    if not isinstance(found, lineage.Handoff) or not any(MARK in item for item in chain(*found.sections.values())):
        return  # somebody's own, which has none of them
    try:
        drafts.use(home.state(vault), [one.id for one in used], f"in {path}")
    except (NotSaved, OSError):
        return


def keep_refused(vault: str, now: float, project: str, refused: Sequence[groups.Refused]) -> None:
    """Let refused decisions of a judge wait for a person, before their flags leave the queue."""
    if not refused:
        return
    from holdfast.close.improve import proposals

    for one in refused:
        ids = tuple(flag.id for flag in one.flags)
        before, after = _rewritten(vault, one)
        ident, why = digest("\0".join((*ids, one.said)), 12), f"A judge's decision was refused: {one.why}."
        path, diff = (one.target, "") if after else ("", one.said)
        proposal = proposals.Proposal(ident, now, project, proposals.NOTE, path, why, diff, before, after, ids)
        try:
            proposals.leave(home.state(vault), proposal)
        except (OSError, HoldfastError):
            return  # its flags are filed verbatim all the same


def _rewritten(vault: str, refused: groups.Refused) -> tuple[str | None, str | None]:
    """The note as it is and as the judge would have it; (None, None) where it named none."""
    text = journal.text(vault, refused.target) if refused.target else ""
    body = groups.body_of(text)
    own = groups.own_words(body)  # the proof below it was not the judge's to rewrite
    if not own or not refused.body.strip():
        return None, None
    return text, text[: len(text) - len(body)] + body.replace(own, refused.body.strip(), 1)


def of_episode(vault: str, now: float, work: Work, written: WrittenEpisode) -> None:
    """Leave word of one episode, before its flags leave the queue: a close that is killed here does it again."""
    state, thought = home.state(vault), written.thought
    try:
        if thought is None or thought.fell_back or thought.by == VERBATIM:
            unjudged.remember(state, work.project, vault, written.verbatim)
        if written.loops:
            from holdfast.close.improve import improvement

            improvement.after_commit(state, written.loops, written.closed.commit[:10], now, work.project)
        if work.ends and work.episode:
            from holdfast.close.improve import loops

            loops.observe(vault, state, now, work.episode)
    except (OSError, HoldfastError):
        return


def tell_findings(vault: str, now: float, work: Work, path: str, findings: Sequence[verify.Finding]) -> None:
    """Leave word of the findings against a handoff, before it is committed: a close that is killed behind that would
    find the handoff and look no more. A claim that is held back is not in it, and not lost either."""
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


def of_close(
    vault: str, now: float, projects: Collection[str], done: Sequence[Closed], court: judge_pool.Court | None
) -> None:
    """Leave word of the whole close."""
    from holdfast.close.improve import improvement, loops

    state = home.state(vault)
    try:
        improvement.apply_pending(vault, state, now)
        _say_who_judged(state, now, done, court)
        if court:
            judge_pool.drop(state, court.keys)
            judge_pool.sweep(state, now)
        known = stored_index.as_left(vault) if projects else None
        for project in sorted(projects):
            loops.after_close(vault, state, now, project, known)
    except (OSError, HoldfastError):
        return


def _say_who_judged(state: str, now: float, done: Sequence[Closed], court: judge_pool.Court | None) -> None:
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
