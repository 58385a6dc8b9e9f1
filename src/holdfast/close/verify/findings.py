"""The plausible but wrong handoff: every item is checked against what was said, run and changed, before it is filed.

No model is asked here, so this works for everybody and costs nothing. An item is `supported` where nothing speaks
against it: prose cannot be proved. It is `unsupported` where something exact in it is nowhere to be found, or what is
said to be done left no trace, and `contradicted` where the session says the opposite. Where only a part of the session
could be read, the mark says so: what is not found may be in the rest. What a judge wrote is asked more (`borne_out`):
whether the session speaks of it at all, and whether it gives orders that are not the user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import gate
from holdfast.close.verify import borne
from holdfast.close.verify import decisions as verify_decisions
from holdfast.close.verify import done as verify_done
from holdfast.close.verify import exact as verify_exact
from holdfast.close.verify.claims import Claim, known_of
from holdfast.close.verify.decisions import amends
from holdfast.model import TRUSTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.close.verify.evidence import Evidence
    from holdfast.model import Flag
    from holdfast.vault.notes import Note

__all__ = ["Claim", "Finding", "amends", "borne_out", "check_note", "mark", "told", "verify"]

SUPPORTED, UNSUPPORTED, CONTRADICTED = "supported", "unsupported", "contradicted"
UNGIVEN = "ungiven"  # an order to the next session that the user did not give
HELD_BACK = (CONTRADICTED, UNGIVEN)
LONGEST_WHY = 120
UNVERIFIED = " (unverified: {})"
DONE, FILES, DECISIONS, GOALS, TITLE = "done", "files_modified", "decisions", "goals", "title"


@dataclass(frozen=True)
class Finding:
    """What became of one claim. `why` is a sentence where it is not supported, else ""."""

    claim: Claim
    verdict: str = SUPPORTED
    why: str = ""


def verify(items: Sequence[Claim], evidence: Evidence, decisions_in_force: Iterable[Note] = ()) -> list[Finding]:
    """One finding for each item, in their order."""
    if evidence.is_empty:
        return [Finding(one) for one in items]
    said = verify_decisions.sentences(evidence)
    done = verify_done.Done.of(evidence)
    found = []
    for one in items:
        verdict, why = SUPPORTED, ""
        if one.section == DECISIONS:
            verdict, why = verify_decisions.verdict(one.text, said, decisions_in_force)
        elif one.section == DONE:
            verdict, why = verify_done.verdict(one.text, evidence, done)
        if verdict in ("", SUPPORTED):
            verdict, why = _exact(one, evidence)
        if verdict == UNSUPPORTED and evidence.is_partial:
            why = f"{why}; only a part of the session was read"
        found.append(Finding(one, verdict, why))
    return found


def borne_out(
    findings: Sequence[Finding], evidence: Evidence, shown: Sequence[str], flags: Sequence[Flag]
) -> list[Finding]:
    """The findings about a judge's draft, with what nothing in the session bears out and with orders that nobody gave.
    `shown` are the lines that the judge had, `flags` those of the episode."""
    known = evidence.known.stems | {stem for text in shown for stem in borne.stems(text)}
    wide = {stem for text in (*evidence.asked, *evidence.answered) if not text.isascii() for stem in borne.stems(text)}
    seen = {stem for text in shown for stem in borne.stems(text)}
    spoken = borne.spoken((*evidence.asked, *evidence.answered, *shown))
    trusted = [flag.text for flag in flags if flag.origin in TRUSTED and not flag.status and not gate.is_proposal(flag)]
    found = []
    for one in findings:
        why = borne.order(one.claim.text, evidence.asked or shown, trusted, evidence.answered)
        if why:
            found.append(Finding(one.claim, UNGIVEN, why))
            continue
        if one.verdict == SUPPORTED and one.claim.section != DONE and not evidence.is_partial:
            why = borne.foreign(one.claim.text, known | wide, spoken)
            if not why and one.claim.section in (TITLE, GOALS):  # a judge knows nothing but the lines that it was shown
                why = borne.foreign(one.claim.text, seen, spoken)
        found.append(Finding(one.claim, UNSUPPORTED, why) if why else one)
    return found


def _exact(claim: Claim, evidence: Evidence) -> tuple[str, str]:
    why = next(verify_exact.problems(claim.text, (evidence.known,), evidence), "")
    if not why and claim.section == FILES:
        why = verify_done.not_changed(claim.text, evidence)
    return (UNSUPPORTED, why) if why else (SUPPORTED, "")


def check_note(text: str, sources: Sequence[str], evidence: Evidence) -> list[Finding]:
    """A consolidated note, line by line: whatever is exact in it stands in what it was made of, or in the evidence. A
    note is made of its flags, so a session that could be read only in part is no excuse."""
    made_of = known_of(sources)
    found = []
    for line in text.splitlines():
        claim = Claim("note", line.strip())
        if claim.text and not claim.text.startswith("#"):
            why = next(verify_exact.problems(claim.text, (made_of, evidence.known), evidence), "")
            found.append(Finding(claim, UNSUPPORTED, why) if why else Finding(claim))
    return found


def mark(items: Sequence[Claim], findings: Sequence[Finding]) -> tuple[list[Claim], list[Claim]]:
    """The items to be filed, with what is unsupported marked in the text, and those that are held back."""
    verdicts = {one.claim: one for one in findings}
    kept, held = [], []
    for item in items:
        finding = verdicts.get(item)
        if finding is None or finding.verdict == SUPPORTED:
            kept.append(item)
        elif finding.verdict in HELD_BACK:
            held.append(item)
        else:
            kept.append(Claim(item.section, item.text.rstrip() + UNVERIFIED.format(_short(finding.why)), item.cites))
    return kept, held


def told(findings: Sequence[Finding], *, is_held_back: bool = True) -> str:
    """The sentence for the next start; "" where all is well."""
    unsupported = [one for one in findings if one.verdict == UNSUPPORTED]
    contradicted = [one for one in findings if one.verdict == CONTRADICTED]
    parts = []
    if unsupported:
        parts.append(f"{_count(unsupported)} marked unverified, the first because {_short(unsupported[0].why)}")
    if contradicted:
        first = contradicted[0]
        how = "held back" if is_held_back else "contradicted by it and stays all the same"
        parts.append(
            f'{_count(contradicted)} {how}, the first ("{_short(first.claim.text)}") because {_short(first.why)}'
        )
    ungiven = [one for one in findings if one.verdict == UNGIVEN]
    if ungiven:  # its words are not told: they would be the order that they are not
        parts.append(f"{_count(ungiven)} left out as an order that the user did not give (`holdfast review`)")
    return f"The last handoff was checked against its session: {'; '.join(parts)}." if parts else ""


def _count(findings: Sequence[Finding]) -> str:
    return "1 claim is" if len(findings) == 1 else f"{len(findings)} claims are"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_WHY else f"{flat[: LONGEST_WHY - 1].rstrip()}…"
